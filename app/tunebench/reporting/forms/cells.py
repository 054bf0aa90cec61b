"""One cell of a form: what was typed, as the value that the field takes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date, datetime, time, timedelta
from math import isfinite, nan
from zoneinfo import available_timezones

from tunebench.core.patterns import lazy_pattern
from tunebench.reporting.cycle_words import member_called
from tunebench.reporting.forms.form import LONGEST, FieldKind, FormField, FormValue

_DATE = lazy_pattern(r"\s*(\d{4})\D{1,3}(\d{1,2})\D{1,3}(\d{1,2})\D{0,2}")
_RECORD = lazy_pattern(r"\s*#(\d{1,9})\b.*")
_EVIDENCE = lazy_pattern(r"\s*E-(\d{1,9})\s*", re.IGNORECASE)
_RANGES: Mapping[FieldKind, tuple[str, range | None]] = {
    FieldKind.NUMBER: ("cell_number", None),
    FieldKind.COUNT: ("cell_count", range(1, 1_000_000)),
    FieldKind.WEIGHT: ("cell_weight", range(-2, 3)),
}
SHOWN = 60
"""Characters of a wrong answer that its problem quotes."""


class CellRefused(Exception):
    """`key` below ``form.problem.``."""

    def __init__(self, key: str, **facts: object) -> None:
        super().__init__(key)
        self.key, self.facts = key, facts


def value_of(field: FormField, answer: object, data_type: str) -> FormValue:
    """The answer as the field's value.

    Args:
        answer: as openpyxl gives it, text cleaned.
        data_type: openpyxl's: ``f`` for a formula, ``e`` for an error.

    Raises:
        CellRefused: it is none.
    """
    shown = str(answer)[:SHOWN]
    if data_type == "f":
        raise CellRefused("cell_formula", value=shown)
    if data_type == "e":
        raise CellRefused("cell_error", value=shown)
    if field.kind is FieldKind.DATE:
        return _date(answer, shown)
    if field.kind in _RANGES:
        return _number(answer, shown, *_RANGES[field.kind])
    return _words(field, _text(answer), shown)


def _text(answer: object) -> str:
    """The answer as text; a number or date that was typed where words are asked is taken as it is read."""
    if isinstance(answer, bool):
        return str(answer).upper()
    if isinstance(answer, datetime):
        return answer.date().isoformat() if answer.time() == time() else answer.isoformat(" ")
    if isinstance(answer, float) and answer.is_integer():
        return str(int(answer))
    return str(answer)


def _words(field: FormField, text: str, shown: str) -> FormValue:
    if field.choices is not None:
        member = member_called(field.choices, text)
        if member is None:
            raise CellRefused("cell_choice", value=shown, choices=field.choices)
        return member
    if field.kind is FieldKind.ZONE:
        if text.strip() not in available_timezones():
            raise CellRefused("cell_zone", value=shown)
        return text.strip()
    if field.kind is FieldKind.RECORDS:
        return _numbers(text.split("\n"), shown, _RECORD, "cell_records")
    if field.kind is FieldKind.EVIDENCE:
        return _numbers(re.split(r"[,;\n]", text), shown, _EVIDENCE, "cell_evidence")
    if field.kind is FieldKind.LINE:
        text = text.strip()
        if "\n" in text:
            raise CellRefused("cell_lines", value=shown)
    limit = LONGEST[field.kind]
    if len(text) > limit:
        raise CellRefused("cell_too_long", limit=limit, length=len(text))
    return text


def _numbers(parts: list[str], shown: str, pattern: re.Pattern[str], refusal: str) -> tuple[int, ...]:
    matches = [pattern.fullmatch(part) for part in parts if part.strip()]
    numbers = tuple(int(match[1]) for match in matches if match is not None)
    if len(numbers) < len(matches):
        raise CellRefused(refusal, value=shown)
    return numbers


def _date(answer: object, shown: str) -> str:
    """The answer as an ISO date; ``2026.11.21`` and ``2026/11/21`` are read as well."""
    if isinstance(answer, datetime):
        return answer.date().isoformat()
    if isinstance(answer, date):
        return answer.isoformat()
    match = _DATE.fullmatch(answer) if isinstance(answer, str) else None
    try:
        year, month, day = (int(part) for part in match.groups()) if match else (0, 0, 0)
        return date(year, month, day).isoformat()
    except ValueError as error:
        raise CellRefused("cell_date", value=shown) from error


def _number(answer: object, shown: str, refusal: str, whole: range | None) -> float | int:
    """A number, and a whole one where there is a range."""
    written = "" if isinstance(answer, bool | datetime | date | time | timedelta) else str(answer)
    try:
        number = float(written.replace(",", "").strip())
    except ValueError:
        number = nan
    if not isfinite(number) or (whole is not None and not (number.is_integer() and int(number) in whole)):
        raise CellRefused(refusal, value=shown)
    return number if whole is None else int(number)
