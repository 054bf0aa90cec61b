"""The two windows of a comparison as stretches of time, and back. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from app.domain.engagement import Run
from app.ui.charts.time_range import SECOND_NS, TimeRange
from app.ui.selection import RunWindow


def window_range(window: RunWindow | None, runs: Sequence[Run]) -> TimeRange | None:
    """The window's edges; a missing edge is the run's. None where the run is unknown or empty."""
    run = next((run for run in runs if window is not None and run.id == window.run_id), None)
    if window is None or run is None:
        return None
    start = window.start_ns if window.start_ns is not None else run.first_ns
    end = window.end_ns if window.end_ns is not None else run.last_ns
    if start is None or end is None or start > end:
        return None
    return TimeRange(start, max(end, start + SECOND_NS))  # a run of one sample still has its place


def window_ranges(before: RunWindow | None, after: RunWindow | None, runs: Sequence[Run]) -> dict[str, TimeRange]:
    """``"before"`` and ``"after"`` -> range, where known."""
    found = {"before": window_range(before, runs), "after": window_range(after, runs)}
    return {side: span for side, span in found.items() if span is not None}


def window_at(picked: TimeRange, views: Sequence[Any], prefer: int | None = None) -> RunWindow | None:
    """A window over `picked` in the run it overlaps most (`prefer`, where that overlaps at all).

    An edge beyond the run is the run's own.
    Where no run was measured, a capture counts that its file's date puts there.

    Args:
        views: runs with their captures.
    """
    return _window_of_run(picked, [view.run for view in views], prefer) or _window_of_capture(picked, views)


def _window_of_capture(picked: TimeRange, views: Sequence[Any]) -> RunWindow | None:
    for view in views:
        for ledger in (each.ledger for each in view.artefacts if each.ledger.dated_by_file):
            first_ns, last_ns = ledger.first_ns, ledger.last_ns
            if first_ns is not None and last_ns is not None and first_ns < picked.end_ns and picked.start_ns < last_ns:
                return RunWindow(view.run.id, max(first_ns, picked.start_ns), min(last_ns, picked.end_ns))
    return None


def _window_of_run(picked: TimeRange, runs: Sequence[Run], prefer: int | None) -> RunWindow | None:
    best: tuple[bool, int, Run] | None = None
    for run in runs:
        if run.first_ns is None or run.last_ns is None:
            continue
        shared_ns = min(run.last_ns, picked.end_ns) - max(run.first_ns, picked.start_ns)
        if shared_ns > 0 and (best is None or (run.id == prefer, shared_ns) > best[:2]):
            best = (run.id == prefer, shared_ns, run)
    if best is None:
        return None
    run = best[2]
    assert run.first_ns is not None and run.last_ns is not None
    return RunWindow(
        run.id,
        picked.start_ns if picked.start_ns > run.first_ns else None,
        picked.end_ns if picked.end_ns < run.last_ns else None,
    )
