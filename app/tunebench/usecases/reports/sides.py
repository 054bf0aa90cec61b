"""The two sides of a success case: the windows that all of it is about, and what was measured in them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from tunebench.analysis.comparing.comparison import Comparison, Parts
from tunebench.analysis.series import SeriesData
from tunebench.analysis.statistics import Statistics
from tunebench.core.records import record
from tunebench.domain.assembly import EVER_NS, Span, overlap_of
from tunebench.domain.engagement import Phase
from tunebench.domain.series import SeriesInfo
from tunebench.domain.windows import Stretch, Window, run_window
from tunebench.store.artefacts import ArtefactInfo
from tunebench.store.project import Project
from tunebench.store.runs import list_runs
from tunebench.usecases.answering.chosen import windows_to_answer
from tunebench.usecases.comparing import windows
from tunebench.usecases.comparing.sides import counting, described, samples_over
from tunebench.usecases.comparing.stretches import stretches_of


@record
class CaseSide:
    """
    Attributes:
        title: name of the window, or the label of its run.
        stretches: what the window came to, in the order of time.
        left_out: what is not compared of it, as it has no like on the other side.
    """

    phase: Phase
    window: Window
    title: str
    stretches: Sequence[Stretch] = ()
    left_out: Sequence[Stretch] = ()

    def parts_in(self, parts: Parts) -> Parts:
        return tuple(part for part in parts if any(self._pieces(part.run_id, part.first_ns, part.last_ns)))

    def samples(self, project: Project, parts: Parts) -> SeriesData:
        """The samples of the window, of one or more captures of one thing; none of a capture outside of it."""
        return samples_over(project, parts, self.stretches)

    def described(
        self, project: Project, info: SeriesInfo, data: SeriesData, listed: Sequence[SeriesInfo]
    ) -> Statistics:
        """The statistics of its samples of a series; the mean by the requests where one of the `listed` columns
        counts them."""
        counted = ((parts[0], self.samples(project, parts)) for parts in counting(listed, info))
        return described(info, data, counted)

    def occurrences(self, data: SeriesData) -> Iterator[SeriesData]:
        """What of the window's samples lies in each of its stretches."""
        for stretch in self.stretches:
            inside = slice(*np.searchsorted(data.times_ns, [stretch.start_ns, stretch.end_ns + 1]))
            yield SeriesData(
                data.times_ns[inside], data.values[inside], data.since_boot[inside], data.line_numbers[inside]
            )

    def holds(self, artefact: ArtefactInfo) -> bool:
        return any(self._pieces(artefact.run_id, artefact.ledger.first_ns, artefact.ledger.last_ns))

    def measured(self, parts: Parts) -> Span | None:
        """First and last moment of dated captures inside the window."""
        inside = [
            piece
            for part in parts
            if part.first_ns is not None
            for piece in self._pieces(part.run_id, part.first_ns, part.last_ns)
        ]
        return (min(start for start, _ in inside), max(end for _, end in inside)) if inside else None

    def _pieces(self, run_id: int | None, first_ns: int | None, last_ns: int | None) -> Iterator[Span]:
        """What lies in the window of a capture; one without a date may lie anywhere."""
        extent = (-EVER_NS if first_ns is None else first_ns, EVER_NS if last_ns is None else last_ns)
        for stretch in self.stretches:
            piece = overlap_of(extent, stretch.span) if stretch.run_id in (None, run_id) else None
            if piece is not None:
                yield piece


def chosen_sides(project: Project, before: Window | None, after: Window | None) -> tuple[CaseSide, ...]:
    """
    Args:
        before, after: None for those of the iteration, else what is proposed.

    Returns:
        Before first, one alone where the project has but one; the last run of any phase where it has neither.

    Raises:
        UserError: window_no_samples, window_overlap.
    """
    runs = list_runs(project)
    proposed = [
        _side(project, phase, window)
        for phase, window in zip((Phase.BEFORE, Phase.AFTER), windows_to_answer(project, before, after), strict=True)
    ]
    given = [side for side in proposed if side is not None]
    last = _side(project, runs[-1].phase, run_window(runs[-1].id)) if runs and not given else None
    return tuple(given) if last is None else (last,)


def as_compared(sides: Sequence[CaseSide], comparison: Comparison) -> tuple[CaseSide, ...]:
    """The sides with what is excluded on either left out of both, and without what has no like."""
    stretches = comparison.occurrences_before, comparison.occurrences_after
    before, after = (
        replace(side, stretches=own, left_out=unlike)
        for side, own, unlike in zip(sides, stretches, comparison.left_out, strict=True)
    )
    return before, after


def _side(project: Project, phase: Phase, window: Window | None) -> CaseSide | None:
    if window is None:
        return None
    window = windows.resolved(project, window) if window.id else window
    return CaseSide(phase, window, windows.title_of(project, window), stretches_of(project, window))
