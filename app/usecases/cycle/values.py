"""One value of a record from the text that a person typed, or one clear sentence why not."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from datetime import date, datetime
from enum import Enum, IntEnum
from math import isfinite
from types import NoneType, UnionType
from typing import Any, NoReturn, Union, cast, get_args, get_origin

from app.domain.cycle.records import (
    DailyWindow,
    Figure,
    ManualSource,
    MeasurementSource,
    MetricSource,
    SeriesSource,
    StatementSource,
)
from app.domain.cycle.worksheet import Resource
from app.store.cycle.record_json import BadRecord, type_hints, value_from_json
from app.usecases.cycle.words import FieldRefusal

STATISTICS = ("mean", "p50", "p95", "p99", "max", "min", "total", "value")
FIGURES = ("elapsed_s", "cpu_s", "block_gets", "block_reads", "rows", "executions")

_NOTHING = ("", "-")
_METRIC = "metric"
_YES = {"yes": True, "true": True, "1": True, "on": True, "no": False, "false": False, "0": False, "off": False}
_RESOURCES = ("", *(resource.value for resource in Resource))
_CHOICES: Mapping[str, tuple[str, ...]] = {
    "Metric.statistic": STATISTICS,
    "Metric.resource": _RESOURCES,
    "StatementSource.figure": FIGURES,
    "Figure.bound": ("", "<", ">"),
    "ResultSummary.bottleneck_before": _RESOURCES,
    "ResultSummary.bottleneck_after": _RESOURCES,
}
_RANGES: Mapping[str, tuple[float, float]] = {
    "Impact.direction": (-2, 2), "Target.priority": (1, 99), "Metric.decimals": (0, 6), "Cause.share_pct": (0, 100),
    "Rollback.duration_min": (0, 1e6), "Verification.margin_pct": (0, 1e6), "CustomerIssue.number": (1, 1e6),
    "Figure.samples": (0, 1e12),
}  # fmt: skip
_NEVER_EMPTY = frozenset({"title", "name", "text", "parameter", "korean", "english", "caption", "unit"})
_MAY_BE_EMPTY = frozenset({"Metric.unit", "CustomerIssue.text", "Cause.text", "Impact.unit", "Attachment.caption"})
_REFERENCE = re.compile(r"(?:[a-z]+\.)?([1-9][0-9]*)")
_FIGURE = re.compile(r"([<>]?)\s*(-?[0-9][0-9,]*(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)")
_TIME = re.compile(r"(?:[01][0-9]|2[0-3]):[0-5][0-9]|24:00")


def parse(hint: Any, place: str, text: str) -> object:
    """The value of type `hint` that `text` says; `place` is ``Type.field``.

    Raises:
        UserError: cycle_value_*; what it is about is in `field`.
    """
    text = text.strip() if hint is not str else text
    origin, inner = get_origin(hint), get_args(hint)
    if hint == MetricSource:
        return _source(place, text)
    if origin in (UnionType, Union):
        (wanted,) = (each for each in inner if each is not NoneType)
        return None if text in _NOTHING else parse(wanted, place, text)
    if origin is tuple:
        return _several(hint, inner[0], place, text)
    if isinstance(hint, type) and issubclass(hint, Enum):
        return _member(hint, place, text)
    if hint in _PARTS:
        return _PARTS[hint](place, text)
    return item(hint, place, text) if is_dataclass(hint) else _SCALARS[hint](place, text)


def _refuse(key: str, place: str, text: str, **facts: object) -> NoReturn:
    raise FieldRefusal(key, field=place.partition(".")[2], value=text, **facts)


# -- scalars -------------------------------------------------------------------------------------------


def _text(place: str, text: str) -> str:
    name = place.partition(".")[2]
    if name.endswith("_on"):
        return _day(place, text.strip())
    if name.endswith("_at"):
        return _moment(place, text.strip())
    choices = _CHOICES.get(place)
    if choices is not None and text.strip() not in choices:
        _refuse("cycle_value_choice", place, text, choices=", ".join(each or "-" for each in choices))
    if not text.strip() and name in _NEVER_EMPTY and place not in _MAY_BE_EMPTY:
        _refuse("cycle_value_empty", place, text)
    return text.strip() if choices is not None else text


def _day(place: str, text: str) -> str:
    if text in _NOTHING:
        return ""
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        _refuse("cycle_value_date", place, text)


def _moment(place: str, text: str) -> str:
    if text in _NOTHING:
        return ""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        _refuse("cycle_value_moment", place, text)
    if moment.tzinfo is None:
        _refuse("cycle_value_moment", place, text)
    return moment.isoformat()


def _number(place: str, text: str) -> float:
    try:
        number = float(text.replace(",", ""))
    except ValueError:
        _refuse("cycle_value_number", place, text)
    if not isfinite(number):
        _refuse("cycle_value_number", place, text)
    low, high = _RANGES.get(place, (float("-inf"), float("inf")))
    if not low <= number <= high:
        _refuse("cycle_value_range", place, text, low=f"{low:g}", high=f"{high:g}")
    return number


def _whole(place: str, text: str) -> int:
    if _is_reference(place):
        return _reference(place, text)
    number = _number(place, text)
    if number != int(number):
        _refuse("cycle_value_number", place, text)
    return int(number)


def _is_reference(place: str) -> bool:
    name = place.partition(".")[2]
    return name.endswith(("_id", "_ids")) or name in ("guards", "carried_from", "continues", "attached_to")


def _reference(place: str, text: str) -> int:
    """``12`` or ``cause.12``."""
    found = _REFERENCE.fullmatch(text)
    if found is None:
        _refuse("cycle_value_reference", place, text)
    return int(found[1])


def _flag(place: str, text: str) -> bool:
    answer = _YES.get(text.lower())
    return answer if answer is not None else _refuse("cycle_value_choice", place, text, choices=", ".join(_YES))


def _member(hint: type[Enum], place: str, text: str) -> Enum:
    for member in hint:
        if text.lower() in (str(member.value), member.name.lower()):
            return member
    known = [member.name.lower() if issubclass(hint, IntEnum) else str(member.value) for member in hint]
    _refuse("cycle_value_choice", place, text, choices=", ".join(known))


_SCALARS: Mapping[Any, Callable[[str, str], object]] = {str: _text, int: _whole, float: _number, bool: _flag}


# -- parts ---------------------------------------------------------------------------------------------


def _several(hint: Any, inner: Any, place: str, text: str) -> object:
    if inner is int:
        return tuple(dict.fromkeys(_reference(place, each) for each in re.split(r"[,\s]+", text) if each))
    if text in _NOTHING:
        return ()
    try:
        return value_from_json(hint, json.loads(text), place)
    except (BadRecord, ValueError) as error:
        _refuse("cycle_value_list", place, text, detail=str(error))


def item(hint: Any, place: str, text: str) -> object:
    """``resource=cpu; direction=-1``: a part of a record; a semicolon in a value is written ``\\;``."""
    if text.startswith("{"):
        try:
            return value_from_json(hint, json.loads(text), place)
        except (BadRecord, ValueError) as error:
            _refuse("cycle_value_list", place, text, detail=str(error))
    made = cast("type", hint)
    hints, values = type_hints(made), {}
    for pair in filter(str.strip, re.split(r"(?<!\\);", text)):
        name, equals, value = pair.partition("=")
        name = field_name(made, name.strip())
        if not equals:
            _refuse("cycle_value_pairs", place, pair.strip(), known=known_fields(made))
        values[name] = parse(hints[name], f"{made.__name__}.{name}", value.replace("\\;", ";").strip())
    for each in fields(made):
        if each.name not in values and each.default is MISSING and each.default_factory is MISSING:
            raise FieldRefusal("cycle_field_missing", kind=place.partition(".")[2], field=each.name)
    return made(**values)


def known_fields(made: type) -> str:
    return ", ".join(each.name for each in fields(made) if each.name != "id")


def field_name(made: type, name: str) -> str:
    """The field that is meant: ``metric`` may be said for ``metric_id``, ``causes`` for ``cause_ids``.

    Raises:
        UserError: cycle_field_unknown.
    """
    known = {each.name for each in fields(made)} - {"id"}
    for candidate in (name, f"{name}_id", f"{name.removesuffix('s')}_ids"):
        if candidate in known:
            return candidate
    raise FieldRefusal("cycle_field_unknown", field=name, known=known_fields(made))


def _window(place: str, text: str) -> DailyWindow:
    """``09:00-12:00``; over midnight where the end is the earlier."""
    start, _, end = (part.strip() for part in text.replace("~", "-").partition("-"))
    if not _TIME.fullmatch(start) or not _TIME.fullmatch(end) or start == end:
        _refuse("cycle_value_window", place, text)
    return DailyWindow(start, end)


def _figure(place: str, text: str) -> Figure:
    """``590.997``, ``< 20``, ``590.997 @ document 000 p. 28``: value, bound and where it stands."""
    number, _, source = (part.strip() for part in text.partition("@"))
    if number in _NOTHING:
        return Figure(None, source=source)
    found = _FIGURE.fullmatch(number)
    if found is None:
        _refuse("cycle_value_figure", place, text)
    return Figure(_number(place, found[2]), found[1], source=source)


def _source(place: str, text: str) -> MetricSource:
    """``series:HOST|TOOL|COLUMN|device=ssd2``, ``statement:elapsed_s|ENGINE|ID|per_execution``, ``measurement:KEY`` or
    ``manual:HOW``. A series' canonical metric stands among its attributes."""
    kind, _, rest = text.partition(":")
    parts = [part.strip() for part in rest.split("|")]
    if kind == "series" and len(parts) >= 3 and all("=" in pair for pair in parts[3:]):
        pairs = {pair.partition("=")[0]: pair.partition("=")[2] for pair in parts[3:]}
        metric = pairs.pop(_METRIC, "")
        return SeriesSource(parts[0], parts[1], parts[2], metric, tuple(sorted(pairs.items())))
    if kind == "statement" and parts[0] in FIGURES:
        engine, statement, per = (*parts[1:], "", "", "")[:3]
        return StatementSource(parts[0], engine, statement, per == "per_execution")
    if kind == "measurement" and rest.strip():
        return MeasurementSource(rest.strip())
    if kind == "manual":
        return ManualSource(rest.strip())
    _refuse("cycle_value_source", place, text, figures=", ".join(FIGURES))


def source_text(source: MetricSource) -> str:
    """What `parse` reads back as this source."""
    if isinstance(source, SeriesSource):
        pairs = [f"{name}={value}" for name, value in source.attributes]
        metric = [f"{_METRIC}={source.metric}"] if source.metric else []
        return "series:" + "|".join((source.host, source.tool, source.native, *metric, *pairs))
    if isinstance(source, StatementSource):
        parts = (source.figure, source.engine, source.statement_id, "per_execution" if source.per_execution else "")
        return "statement:" + "|".join(parts).rstrip("|")
    return f"measurement:{source.key}" if isinstance(source, MeasurementSource) else f"manual:{source.how}"


_PARTS: Mapping[Any, Callable[[str, str], object]] = {DailyWindow: _window, Figure: _figure}
