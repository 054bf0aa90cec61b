"""A row of the database's figures as evidence: the line of the capture it was read from, on each side that has it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from app.ui.cycle.evidence_offer import Offer, Part
from app.ui.databases.original_pages import Place
from app.ui.look.language import text

if TYPE_CHECKING:
    from app.domain.cycle.evidence import EvidenceTarget
    from app.usecases.projects import Project


def of_row(places: Sequence[tuple[str, str, Place]]) -> Offer:
    """(``before`` or ``after``, the run's label, where the row stands)."""
    parts = tuple(Part(key, _words(*each)) for key, each in enumerate(places))

    def targets(project: Project, keys: Sequence[int]) -> list[EvidenceTarget]:
        from app.usecases.cycle import evidence as cycle_evidence
        from app.usecases.importing import originals

        found = []
        for place in (place for key, (_side, _run, place) in enumerate(places) if key in keys):
            id_ = originals.holding(project, place.artefact_ids, place.line, place.words)
            if id_ is not None:
                found.append(cycle_evidence.capture(project, id_, place.line, place.line))
        return found

    name = next((place.words for _side, _run, place in places if place.words), "")
    return Offer(text("ui.pinned.offer.measurement", name=name), name, parts, targets)


def _words(side: str, run: str, place: Place) -> str:
    lines = text("ui.pinned.lines", first=place.line, last=place.line)
    return f"{text(f'ui.pinned.side.{side}')} · {run} · {lines}"
