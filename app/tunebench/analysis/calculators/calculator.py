"""What a calculator is, and how what was typed becomes its inputs.

A calculator's words are catalogue keys: ``calculator.<id>.title``, ``.formula``, ``calculator.input.<name>``,
``calculator.output.<name>``, ``calculator.choice.<name>`` and ``calculator.note.<key>``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import field
from math import isfinite

from tunebench.core.errors import UserError
from tunebench.core.messages import catalogue
from tunebench.core.patterns import lazy_pattern
from tunebench.core.records import record

Value = float | str
Given = Mapping[str, Value]
_NUMBER = lazy_pattern(r"(?P<digits>[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?)\s*(?P<power>[kmgt]?)(i?b)?", re.IGNORECASE)
_POWERS = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}


class InputRefusal(UserError):
    """An input that cannot be used; the sentence calls it by its name in the reader's language."""

    def facts_in(self, language: str) -> dict[str, object]:
        name = catalogue(language).text(f"calculator.input.{self.facts['name']}")
        return {**self.facts, "name": name}


@record
class Input:
    """
    Attributes:
        name: with its unit where it has one (``stripe_bytes``).
        unit: as it is printed behind the field; "" for a bare number. Bytes may be typed as 128K or 1M (powers of
            1,024).
        choices: names to choose from, for what is no number; the default is then one of them.
        optional: may be left empty; then it is not among what is computed from.
    """

    name: str
    default: Value
    unit: str = ""
    low: float = 0.0
    high: float = 1e15
    whole: bool = False
    choices: tuple[str, ...] = ()
    optional: bool = False


@record
class Output:
    """`decimals`: how many are printed, rounded half up; what is computed is not rounded."""

    name: str
    unit: str = ""
    decimals: int = 0


@record
class Note:
    """A remark beside the figures; `tone` is ``info`` or ``warning``."""

    key: str
    tone: str = "info"
    facts: Mapping[str, object] = field(default_factory=dict)


def warning_if(holds: bool, key: str, **facts: object) -> tuple[Note, ...]:
    """The one warning, empty where it is none."""
    return (Note(key, "warning", facts),) if holds else ()


@record
class Answer:
    """`values`: by output name; None is not computed (an optional input is missing), never 0."""

    values: Mapping[str, float | None]
    notes: tuple[Note, ...] = ()


@record
class Calculator:
    """`entries`: ids of the reference's entries that it comes from, the first of all first."""

    id: str
    inputs: tuple[Input, ...]
    outputs: tuple[Output, ...]
    entries: tuple[str, ...]
    compute: Callable[[Given], Answer]

    def answer(self, typed: Mapping[str, str]) -> Answer:
        """Raises InputRefusal for the first input that cannot be used; what is not in `typed` is its default."""
        given: dict[str, Value] = {}
        for entry in self.inputs:
            value = read_input(entry, typed[entry.name] if entry.name in typed else shown_default(entry))
            if value is not None:
                given[entry.name] = value
        return self.compute(given)


def shown_default(wanted: Input) -> str:
    return wanted.default if isinstance(wanted.default, str) else f"{wanted.default:.10g}"


def read_input(wanted: Input, typed: str) -> Value | None:
    """The value of what was typed, None for an optional input left empty.

    Raises:
        InputRefusal: calculator_input_missing, _not_a_choice, _not_a_number, _not_whole, _out_of_bounds.
    """
    words = typed.strip()
    if not words:
        if wanted.optional:
            return None
        raise InputRefusal("calculator_input_missing", name=wanted.name)
    if wanted.choices:
        if words not in wanted.choices:
            raise InputRefusal("calculator_not_a_choice", name=wanted.name, value=words)
        return words
    return _bounded(wanted, words)


def _bounded(wanted: Input, words: str) -> float:
    value = read_number(words, sized=wanted.unit == "bytes")
    if value is None:
        raise InputRefusal("calculator_not_a_number", name=wanted.name, value=words)
    if wanted.whole and value != int(value):
        raise InputRefusal("calculator_not_whole", name=wanted.name, value=words)
    if not wanted.low <= value <= wanted.high:
        bounds = {"low": f"{wanted.low:,.10g}", "high": f"{wanted.high:,.15g}"}
        raise InputRefusal("calculator_out_of_bounds", name=wanted.name, value=words, **bounds)
    return value


def read_number(words: str, *, sized: bool = False) -> float | None:
    """``1,048,576`` or ``1.5`` as a number, a size also as ``128K`` or ``16 GiB``; None for anything else."""
    match = _NUMBER.fullmatch(words.replace(",", "").strip())
    if match is None or (not sized and words.strip()[-1:].isalpha()):
        return None
    value = float(match["digits"]) * _POWERS[match["power"].lower()]
    return value if isfinite(value) else None


def number(given: Given, name: str) -> float:
    """An input that is a number and was given."""
    return float(given[name])


def maybe(given: Given, name: str) -> float | None:
    return float(given[name]) if name in given else None
