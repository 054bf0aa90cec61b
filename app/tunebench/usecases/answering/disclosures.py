"""What an answer is never told without: hosts that only names tell, days that only names or files tell."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tunebench.analysis.answering.answer import Certainty, Chip
from tunebench.analysis.comparing.comparison import Comparison
from tunebench.columns.series_words import host_text
from tunebench.core.messages import LANGUAGES, catalogue
from tunebench.domain.comparability import Check, GateCheck
from tunebench.domain.engagement import UNNAMED_HOST, presumed_parts
from tunebench.domain.provenance import Disclosure
from tunebench.store.artefacts import ArtefactInfo, list_artefacts
from tunebench.store.project import Project

_DAYS = ("date", "start")
_CERTAIN = (Chip.PROVEN, Chip.ASSUMED, Chip.RELATIVE)
_UNDATED = "dated_by_file"


def disclosures_of(project: Project, comparison: Comparison) -> tuple[Disclosure, ...]:
    """Of the hosts and captures that both sides have figures of."""
    both = [row for row in comparison.rows if row.measured_on_both]
    return (*_of_hosts({row.series.host for row in both}), *_of_days(project, comparison))


def _of_hosts(names: Iterable[str]) -> Iterator[Disclosure]:
    for name in sorted(names):
        parts = presumed_parts(name)
        if parts is not None or name == UNNAMED_HOST:
            key = f"answer.disclosed.host.{parts[1] if parts else 'alone'}"
            yield Disclosure(
                key,
                {
                    language: catalogue(language).text(key, host=host_text(name, catalogue(language)))
                    for language in LANGUAGES
                },
            )


def _of_days(project: Project, comparison: Comparison) -> Iterator[Disclosure]:
    ids = {
        id_
        for row in comparison.rows
        if row.measured_on_both
        for part in (*row.before_parts, *row.after_parts)
        for id_ in part.artefact_ids or (part.artefact_id,)
    }
    captures = [capture for capture in list_artefacts(project) if capture.id in ids]
    for source in ("path", "mtime"):
        count = sum(_has_day_of(capture, source) for capture in captures)
        if count:
            key = f"answer.disclosed.day.{source}"
            yield Disclosure(key, {language: catalogue(language).text(key, count=count) for language in LANGUAGES})


def _has_day_of(capture: ArtefactInfo, source: str) -> bool:
    return any(own.subject in _DAYS and own.source == source for own in capture.ledger.assumptions)


def undated(certainty: Certainty, gate: Iterable[GateCheck]) -> Certainty:
    """As stated, however clear it is, where nothing but files' dates says that one side was before the other."""
    is_undated = any(check.check is Check.CALENDAR and check.reason == _UNDATED for check in gate)
    return Certainty(Chip.STATED, _UNDATED) if is_undated and certainty.chip in _CERTAIN else certainty
