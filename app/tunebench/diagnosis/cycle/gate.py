"""What stands in the way, and what only deserves a word."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import Enum

from tunebench.core.records import record
from tunebench.domain.cycle.records import StepNumber

Fact = str | int | float | Enum | tuple[str | Enum, ...]
"""Enum members are printed as the words of the language, tuples as lists."""


@record
class Gate:
    """Something that the method does not let pass.

    Attributes:
        key: below ``gate.``: the sentence says why, and what to do.
        facts: what the sentence names, see `tunebench.diagnosis.words.gate_text`.
        record_ids: the records it is about, the most important first.
        step: where it is mended.
    """

    key: str
    facts: Mapping[str, Fact] = field(default_factory=dict)
    record_ids: tuple[int, ...] = ()
    step: StepNumber = StepNumber.PROBLEM
