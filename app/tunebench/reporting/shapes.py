"""What an issue of the document is for, and which of its parts that takes."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType

from tunebench.reporting.conclusions.book import IDS
from tunebench.reporting.figures import SUBJECTS


class Shape(StrEnum):
    """Named as on the command line."""

    WHOLE = "success-case"
    RESULT = "result"  # one page
    REPORT = "report"
    ANNEX = "annex"
    DIAGNOSIS = "diagnosis"
    BEFORE_AFTER = "before-after"
    STUDY = "study"  # a page for each experiment, then its tables
    AUDIT_FORM = "audit-form"  # in two columns, as auditors of public projects want it
    SLIDES = "slides"


PRINTED = tuple(shape for shape in Shape if shape is not Shape.SLIDES)
"""Those of PDF and HTML: slides are a file of their own."""


def _parts(ids: str, *subjects: str) -> frozenset[str]:
    return frozenset((*ids.split(), *subjects))


PARTS: Mapping[Shape, frozenset[str]] = MappingProxyType(
    {
        Shape.RESULT: _parts("result"),
        Shape.REPORT: _parts("result", *IDS),
        Shape.SLIDES: _parts("result", *IDS),
        Shape.STUDY: _parts("study experiments"),
        Shape.AUDIT_FORM: _parts("audit_form"),
        Shape.ANNEX: _parts(
            "cover contents approach worksheet method capture configuration improvements cycle_results sql comparison"
            " bottleneck change_log full_comparison unjudged entered pinned evidence ledgers audit glossary definitions"
        ),
        Shape.DIAGNOSIS: _parts(
            "cover result summary contents issues method capture configuration findings profile bottleneck capacity"
            " unjudged evidence definitions",
            *SUBJECTS,
        ),
        Shape.BEFORE_AFTER: _parts(
            "cover result summary contents method improvements sql sql_cases profile comparison bottleneck side_effects"
            " full_comparison evidence definitions",
            *SUBJECTS,
        ),
    }
)
"""Parts by their ids, of all shapes but the whole document, which is every chapter."""


_APART = frozenset(("study", "audit_form", *IDS))
"""What the whole document says elsewhere."""


def holds(shape: Shape, part: str) -> bool:
    return part not in _APART if shape is Shape.WHOLE else part in PARTS[shape]
