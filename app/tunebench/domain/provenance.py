"""A verdict with what has to be known to read it: it cannot be written without that.

Whoever writes a `Judgement` says it first (`columns.saying`), and gets its word with marks, whose notes have to stand
on the same page, slide, sheet or screen.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from tunebench.core.records import record

Texts = Mapping[str, str]
"""Language -> a finished sentence."""


class Weight(StrEnum):
    """What a disclosure does to the word of a verdict."""

    TOLD = "told"  # it stands beside it
    STATED = "stated"  # "as stated": it rests on what somebody said
    FORBIDS = "forbids"  # "not established": there is no such word


@record
class Disclosure:
    """Something that a reader has to know."""

    key: str
    texts: Texts
    weight: Weight = Weight.TOLD


ASSUMED = "_assumed"
"""Ends the state that one window and an assumed variation decided."""
DESCRIBED = "_described"
"""Ends the state on whose side a figure lies without a verdict."""


def bare_state(state: str) -> str:
    """``met`` of ``met_assumed`` and ``met_described``: on which side a figure lies, whatever tells it."""
    return state.removesuffix(ASSUMED).removesuffix(DESCRIBED)


@record
class Judgement:
    """A verdict, and what it is never told without.

    Attributes:
        kind: which words it has: ``compare.verdict``, ``cycle.target_state``, ``cycle.guard_state``.
        state: the last part of their key.
    """

    kind: str
    state: str
    disclosures: tuple[Disclosure, ...] = ()

    @property
    def weight(self) -> Weight:
        """The gravest of its disclosures."""
        weights = [disclosure.weight for disclosure in self.disclosures]
        return max(weights, key=list(Weight).index, default=Weight.TOLD)

    def __str__(self) -> str:
        raise TypeError("a verdict is written with its disclosures: say it")

    def __format__(self, spec: str) -> str:
        return str(self)
