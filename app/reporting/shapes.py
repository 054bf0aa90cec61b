"""What an issue of the document is for, and which of its parts that takes."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType

from app.reporting.figures import SUBJECTS


class Shape(StrEnum):
    """Named as on the command line."""

    WHOLE = "success-case"
    RESULT = "result"  # one page
    REPORT = "report"
    ANNEX = "annex"
    DIAGNOSIS = "diagnosis"
    BEFORE_AFTER = "before-after"


def _parts(ids: str, *subjects: str) -> frozenset[str]:
    return frozenset((*ids.split(), *subjects))


PARTS: Mapping[Shape, frozenset[str]] = MappingProxyType(
    {
        Shape.RESULT: _parts("result"),
        Shape.REPORT: _parts(
            "cover summary issues approach worksheet cycle_results sql bottleneck side_effects outlook capacity"
        ),
        Shape.ANNEX: _parts(
            "cover contents method capture configuration improvements comparison change_log full_comparison unjudged"
            " entered pinned evidence ledgers audit glossary definitions"
        ),
        Shape.DIAGNOSIS: _parts(
            "cover summary contents issues method capture configuration findings profile bottleneck capacity unjudged"
            " evidence definitions",
            *SUBJECTS,
        ),
        Shape.BEFORE_AFTER: _parts(
            "cover summary contents method improvements sql sql_cases profile comparison bottleneck side_effects"
            " full_comparison evidence definitions",
            *SUBJECTS,
        ),
    }
)
"""Parts by their ids, of all shapes but the whole document, which is everything but the single page."""


def holds(shape: Shape, part: str) -> bool:
    return part != "result" if shape is Shape.WHOLE else part in PARTS[shape]
