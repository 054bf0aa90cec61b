"""One time, one filter: history as a browser keeps it."""

from __future__ import annotations

from typing import Any

from tunebench.analysis.exploring.time_range import TimeRange
from tunebench.domain.engagement import Phase
from tunebench.domain.windows import run_window
from tunebench.ui.selection import HISTORY_LENGTH, Selection

DAY_NS = 86_400 * 10**9
EARLY, LATE = TimeRange(0, DAY_NS), TimeRange(DAY_NS, 2 * DAY_NS)
NOW_NS = 1_763_715_600_000_000_000


def test_back_and_forward_walk_the_ranges(qapp: Any) -> None:
    selection = Selection()
    seen: list[object] = []
    selection.range_changed.connect(seen.append)
    selection.set_range(EARLY)
    selection.set_range(LATE)
    selection.back()
    selection.back()
    assert selection.range is None and not selection.can_go_back()
    selection.forward()
    assert seen == [EARLY, LATE, EARLY, None, EARLY]


def test_a_new_range_cuts_off_what_lay_ahead(qapp: Any) -> None:
    selection = Selection()
    selection.set_range(EARLY)
    selection.back()
    selection.set_range(LATE)
    assert not selection.can_go_forward()
    selection.back()
    assert selection.range is None


def test_previews_are_seen_but_not_remembered(qapp: Any) -> None:
    selection = Selection()
    seen: list[object] = []
    selection.range_changed.connect(seen.append)
    for end in range(1, 50):
        selection.preview_range(TimeRange(0, end))
    selection.set_range(TimeRange(0, 50))
    assert len(seen) == 50
    selection.back()
    assert selection.range is None and not selection.can_go_back()


def test_history_is_bounded(qapp: Any) -> None:
    selection = Selection()
    for end in range(1, HISTORY_LENGTH + 50):
        selection.set_range(TimeRange(0, end))
    steps = 0
    while selection.can_go_back():
        selection.back()
        steps += 1
    assert steps == HISTORY_LENGTH - 1


def test_times_survive_the_signal(qapp: Any) -> None:
    """Nanoseconds do not fit the 32 bits of a Qt int."""
    selection = Selection()
    seen: list[object] = []
    selection.cursor_changed.connect(seen.append)
    selection.set_cursor(NOW_NS)
    selection.set_cursor(NOW_NS)
    assert seen == [NOW_NS]


def test_series_and_windows(qapp: Any) -> None:
    selection = Selection()
    windows: list[object] = []
    selection.windows_changed.connect(lambda *sides: windows.append(sides))
    selection.set_series([3, 1, 3])
    selection.add_series(2)
    assert selection.series == (3, 1, 2)
    selection.set_window(Phase.BEFORE, run_window(1))
    selection.set_window(Phase.AFTER, run_window(2, 5, 9))
    assert windows == [(run_window(1), None), (run_window(1), run_window(2, 5, 9))]


def test_the_shown_range_falls_back_to_everything(qapp: Any) -> None:
    selection = Selection()
    assert selection.shown_range is None
    selection.set_extent(TimeRange(0, 2 * DAY_NS))
    assert selection.shown_range == TimeRange(0, 2 * DAY_NS)
    selection.set_range(LATE)
    assert selection.shown_range == LATE
    selection.reset()
    assert selection.shown_range is None and not selection.can_go_back()


def test_clipping(qapp: Any) -> None:
    assert TimeRange(5, 20).clipped(TimeRange(10, 30)) == TimeRange(10, 20)
    assert TimeRange(5, 10).clipped(TimeRange(10, 30)) is None
