"""What a comparison and a diagnosis say, as values, as the JSON of their verbs, and in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np

from tunebench.analysis.answering.answer import Answer
from tunebench.analysis.comparing.comparison import ComparedSeries
from tunebench.columns.answering.answer_lines import answer_lines
from tunebench.columns.answering.answer_words import answer_text
from tunebench.columns.column import Locale
from tunebench.contract.comparing import comparison_document
from tunebench.contract.document import as_values
from tunebench.contract.findings import diagnosis_shape
from tunebench.core.messages import catalogue, system_language
from tunebench.domain.comparability import GateCheck
from tunebench.domain.finding import Finding
from tunebench.library.refusing import refusing
from tunebench.usecases.answering.compared import Compared
from tunebench.usecases.findings.diagnose import Diagnosis as Judged
from tunebench.usecases.findings.words import RuleWords

_TEXTS = ("host", "tool", "native", "metric", "unit", "verdict", "reason", "per_unit_of")
_FIGURES = ("ratio", "ratio_of_means", "estimate", "difference", "p", "p_adjusted", "margin")
_OF_A_SIDE = ("n", "mean", "p50", "p95", "max")


class Comparison:
    """Two windows compared."""

    def __init__(self, compared: Compared) -> None:
        self._compared = compared

    @property
    def answer(self) -> Answer:
        """What changed, how sure, why, what got worse, what next: page one of the report, disclosures included."""
        return self._compared.answer

    @property
    def gate(self) -> tuple[GateCheck, ...]:
        """Whether the two windows compare at all."""
        return self._compared.comparison.gate

    @property
    def rows(self) -> Sequence[ComparedSeries]:
        """Every series, with its uncertainty and verdict."""
        return self._compared.comparison.rows

    def text(self, language: str = "") -> str:
        """The answer as ``compare`` prints it, in ``ko`` or ``en``; without either in the language of the system."""
        chosen = language or system_language()
        return "\n".join(answer_lines(answer_text(self.answer, self._locale(chosen)), "PROJECT", catalogue(chosen)))

    def __str__(self) -> str:
        return self.text()

    @refusing
    def as_dict(self, language: str = "") -> dict[str, Any]:
        """The JSON of ``compare``, number by number."""
        document: dict[str, Any] = as_values(comparison_document(self._compared, self._locale(language)))
        return document

    def _locale(self, language: str) -> Locale:
        return Locale(language or system_language(), self._compared.zone, missing="-")

    @refusing
    def __arrow_c_stream__(self, requested_schema: object = None) -> Any:
        """The rows as a table: names, ``before_mean`` ..., ``low`` and ``high`` of the interval, the verdict."""
        from tunebench.archive.arrow import stream

        rows = [_flat(row) for row in self.as_dict("en")["series"]]
        columns = {name: np.array([row[name] for row in rows], dtype=object) for name in _TEXTS}
        figures = [name for name in _flat_names() if name not in _TEXTS]
        return stream(
            {**columns, **{name: np.array([row[name] for row in rows], dtype=np.float64) for name in figures}},
            requested_schema,
        )


def _flat_names() -> list[str]:
    sides = [f"{side}_{figure}" for side in ("before", "after") for figure in _OF_A_SIDE]
    return [*_TEXTS, *_FIGURES, "low", "high", *sides]


def _flat(row: dict[str, Any]) -> dict[str, Any]:
    """A row of the JSON without parts of parts; None becomes NaN where `np.array` makes a number of it."""
    low, high = row["ci95"] or (None, None)
    sides = {f"{side}_{figure}": (row[side] or {}).get(figure) for side in ("before", "after") for figure in _OF_A_SIDE}
    return {**{name: row[name] for name in (*_TEXTS, *_FIGURES)}, "low": low, "high": high, **sides}


class Diagnosis:
    """What the rules say of a window."""

    def __init__(self, judged: Judged, zone: ZoneInfo) -> None:
        self._judged = judged
        self._zone = zone

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Worst first, each cause followed by its symptoms."""
        return self._judged.findings

    @property
    def bottleneck(self) -> str:
        """The resource that the work waits for; empty where none stands out."""
        resource = self._judged.ranking.bottleneck
        return resource.label if resource else ""

    @refusing
    def as_dict(self, language: str = "") -> dict[str, Any]:
        """The JSON of ``diagnose``."""
        words = RuleWords(self._judged.rules, language or system_language())
        document: dict[str, Any] = as_values(diagnosis_shape(self._judged, words, self._zone))
        return document
