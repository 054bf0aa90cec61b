"""Reads the values of a TOML table and lists what is wrong instead of stopping at the first fault."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from enum import StrEnum
from math import isfinite
from typing import TypeVar

from tunebench.core.messages import LANGUAGES, catalogue
from tunebench.core.patterns import lazy_pattern
from tunebench.core.records import record
from tunebench.domain.operating_systems import os_word
from tunebench.domain.series import ATTRIBUTE_NAMES
from tunebench.sdk.units import factor_between

_ID = lazy_pattern(r"[a-z][a-z0-9_-]*(\.[a-z0-9_-]+)*")
Word = TypeVar("Word", bound=StrEnum)
QUARANTINE = "quarantine"
"""Level of a `Problem` that costs a plug-in this one file."""


@record
class Problem:
    """Something wrong with a plug-in or a catalogue file.

    Attributes:
        level: ``"error"`` (it is refused), ``"warning"``, or `QUARANTINE`.
        key: catalogue key below ``plughost.problem.``.
        facts: what the sentence names; ``where`` is the place, ``parsers[2].entry``.
    """

    level: str
    key: str
    facts: Mapping[str, object] = field(default_factory=dict)

    def text(self, language: str) -> str:
        return catalogue(language).text(f"plughost.problem.{self.key}", **self.facts)


class TableReader:
    """One table; `where` is its place in the file, `problems` is shared with the tables inside it."""

    def __init__(self, table: Mapping[str, object], where: str = "", problems: list[Problem] | None = None) -> None:
        self.table = table
        self.where = where
        self.problems: list[Problem] = [] if problems is None else problems

    def place(self, key: str) -> str:
        return f"{self.where}.{key}" if self.where else key

    def problem(self, problem: str, key: str, level: str = "error", **facts: object) -> None:
        self.problems.append(Problem(level, problem, {"where": self.place(key), **facts}))

    def refuse_unknown(self, known: frozenset[str]) -> None:
        """An unknown key is most often a misspelt one; a warning, because newer plug-ins may have more."""
        for key in self.table:
            if key not in known:
                self.problem("key_unknown", key, "warning", known=", ".join(sorted(known)))

    def check_id(self, key: str, value: str) -> None:
        if value and not _ID.fullmatch(value):
            self.problem("id_form", key, value=value)

    def check_once(self, key: str, value: str, seen: set[str]) -> None:
        """`seen` are the values before; this one comes to them."""
        if value in seen:
            self.problem("id_twice", key, value=value)
        seen.add(value)

    def text(self, key: str, required: bool = True) -> str:
        value = self.table.get(key)
        if isinstance(value, str) and value.strip():
            return value
        if key in self.table:
            self.problem("not_text", key)
        elif required:
            self.problem("key_missing", key)
        return ""

    def number(self, key: str) -> float | None:
        value = self.table.get(key)
        if value is None:
            return None
        if isinstance(value, int | float) and not isinstance(value, bool):
            return float(value)
        self.problem("not_number", key)
        return None

    def finite(self, key: str) -> float | None:
        """A number that is one: TOML knows ``nan`` and ``inf`` too."""
        value = self.number(key)
        if value is None or isfinite(value):
            return value
        self.problem("not_number", key)
        return None

    def whole(self, key: str) -> int | None:
        value = self.finite(key)
        if value is None or value == int(value):
            return None if value is None else int(value)
        self.problem("not_number", key)
        return None

    def flag(self, key: str) -> bool:
        """``true`` or ``false``; false where it is not said."""
        value = self.table.get(key, False)
        if isinstance(value, bool):
            return value
        self.problem("not_flag", key)
        return False

    def texts(self, key: str, required: bool = True) -> tuple[str, ...]:
        value = self.table.get(key)
        words = isinstance(value, list) and all(isinstance(item, str) and item for item in value)
        if isinstance(value, list) and words and (value or not required):
            return tuple(value)
        if key in self.table:
            self.problem("not_texts", key)
        elif required:
            self.problem("key_missing", key)
        return ()

    def texts_by_language(self, key: str, required: bool) -> dict[str, str]:
        """``{ en = "...", ko = "..." }``; every language where `required`."""
        inner = self.subtable(key)
        if inner is None:
            if required and key not in self.table:
                self.problem("key_missing", key)
            return {}
        return {language: inner.text(language, required) for language in LANGUAGES}

    def one_or_texts(self, key: str, required: bool) -> dict[str, str]:
        """``"maxcontig"`` for every language, or ``{ en = "...", ko = "..." }``; ``{}`` where nothing is said."""
        if isinstance(self.table.get(key), str):
            return dict.fromkeys(LANGUAGES, self.text(key))
        return self.texts_by_language(key, required)

    def word(self, key: str, known: Sequence[Word], assumed: Word | None) -> Word | None:
        """One of `known`; `assumed` where nothing is said, and None where that is a fault."""
        value = self.text(key, required=assumed is None)
        match = next((word for word in known if word == value), None)
        if value and match is None:
            self.problem("not_one_of", key, value=value, known=", ".join(known))
        return match or assumed

    def one_of(self, key: str, known: Sequence[str]) -> str:
        value = self.text(key)
        if value and value not in known:
            self.problem("not_one_of", key, value=value, known=", ".join(known))
        return value

    def systems(self, key: str, known: Sequence[str]) -> tuple[str, ...]:
        """The listed ones of `known`; operating systems may be listed under another of their names."""
        systems = tuple(map(os_word, self.texts(key, False)))
        for system in systems:
            if system not in known:
                self.problem("not_one_of", key, value=system, known=", ".join(known))
        return systems

    def unit(self, required: bool = True) -> str:
        unit = self.text("unit", required)
        if unit and factor_between(unit, unit) is None:
            self.problem("unit_unknown", "unit", value=unit)
        return unit

    def series_attributes(self, key: str) -> tuple[tuple[str, str], ...]:
        """`attributes` that a series may have."""
        attributes = self.attributes(key)
        for name, _ in attributes:
            if name not in ATTRIBUTE_NAMES:
                self.problem("attribute_unknown", f"{key}.{name}", known=", ".join(ATTRIBUTE_NAMES))
        return attributes

    def attributes(self, key: str) -> tuple[tuple[str, str], ...]:
        """``{ direction = "read" }`` as sorted pairs."""
        inner = self.subtable(key)
        if inner is None:
            return ()
        return tuple(sorted((name, inner.text(name)) for name in inner.table))

    def subtable(self, key: str) -> TableReader | None:
        value = self.table.get(key)
        if value is None:
            return None
        if not isinstance(value, dict):
            self.problem("not_table", key)
            return None
        return TableReader(value, self.place(key), self.problems)

    def tables(self, key: str) -> Iterator[TableReader]:
        """The tables of ``[[key]]``, numbered from 1 in problems."""
        value = self.table.get(key, [])
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            self.problem("not_tables", key)
            return
        for number, item in enumerate(value, start=1):
            yield TableReader(item, f"{self.place(key)}[{number}]", self.problems)
