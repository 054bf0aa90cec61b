"""Where moments lie when silence is folded."""

from __future__ import annotations

import numpy as np
import pytest

from tunebench.analysis.exploring.time_range import DAY_NS, HOUR_NS, TimeRange
from tunebench.analysis.exploring.time_scale import MOST_FOLDED, even, folded, pieces_of

WIDTH = 1_200.0
TEN_DAYS = [TimeRange(day * DAY_NS + 9 * HOUR_NS, day * DAY_NS + 18 * HOUR_NS) for day in (*range(5), *range(7, 12))]
HALF_A_YEAR = TimeRange(0, 183 * DAY_NS)


def test_ten_days_in_six_months_have_four_fifths_of_the_width() -> None:
    days = [day.moved(80 * DAY_NS) for day in TEN_DAYS]
    pieces = pieces_of(HALF_A_YEAR, days, 60 * 1_000_000_000)
    assert pieces == days
    scale = folded(HALF_A_YEAR, pieces, WIDTH)
    drawn = sum(scale.share_of(day.end_ns) - scale.share_of(day.start_ns) for day in days)
    assert drawn == pytest.approx(1 - MOST_FOLDED) == pytest.approx(0.8)
    widths = [scale.share_of(day.end_ns) - scale.share_of(day.start_ns) for day in days]
    assert max(widths) == pytest.approx(min(widths)), "equal times are equally wide"


def test_every_moment_comes_back_from_where_it_lies() -> None:
    view = TimeRange(0, 12 * DAY_NS)
    scale = folded(view, TEN_DAYS, WIDTH)
    for moment in (TEN_DAYS[0].middle_ns, TEN_DAYS[4].end_ns, TEN_DAYS[9].start_ns, view.start_ns, view.end_ns):
        assert abs(scale.moment_at(scale.share_of(moment)) - moment) < HOUR_NS // 3600
    times = np.array([day.middle_ns for day in TEN_DAYS])
    assert (np.diff(scale.shares_of(times)) > 0).all()
    assert scale.share_of(view.start_ns) == 0.0 and scale.share_of(view.end_ns) == pytest.approx(1.0)


def test_a_fold_of_more_than_a_day_is_wider() -> None:
    scale = folded(TimeRange(TEN_DAYS[0].start_ns, TEN_DAYS[-1].end_ns), TEN_DAYS, WIDTH)
    widths = [scale.share_of(fold.end_ns) - scale.share_of(fold.start_ns) for fold in scale.folds]
    assert [round(width / widths[0], 1) for width in widths] == [1, 1, 1, 1, 2.3, 1, 1, 1, 1]


def test_short_silence_is_no_fold() -> None:
    view = TimeRange(0, 10 * HOUR_NS)
    spans = [TimeRange(0, 5 * HOUR_NS), TimeRange(5 * HOUR_NS + HOUR_NS // 10, 10 * HOUR_NS)]
    assert pieces_of(view, spans, 0) == [view], "a hundredth of what was measured"
    assert pieces_of(view, spans, HOUR_NS) == [view]
    late = [TimeRange(0, 5 * HOUR_NS), TimeRange(8 * HOUR_NS, 10 * HOUR_NS)]
    assert pieces_of(view, late, HOUR_NS // 60) == late
    assert pieces_of(view, late, HOUR_NS) == [view], "three intervals of silence are no more than two samples lost"


def test_silence_at_an_edge_is_folded_too() -> None:
    view = TimeRange(0, 100 * HOUR_NS)
    scale = folded(view, pieces_of(view, [TimeRange(40 * HOUR_NS, 60 * HOUR_NS)], 0), WIDTH)
    assert [fold.span_ns // HOUR_NS for fold in scale.folds] == [40, 40]
    assert scale.share_of(40 * HOUR_NS) == pytest.approx(46 / WIDTH)


def test_a_zoom_keeps_the_moment_under_the_pointer_where_it_is() -> None:
    view = TimeRange(TEN_DAYS[0].start_ns, TEN_DAYS[-1].end_ns)
    scale = folded(view, TEN_DAYS, WIDTH)
    about = TEN_DAYS[6].middle_ns
    closer = scale.zoomed(0.5, scale.share_of(about))
    assert closer.contains(about) and closer.span_ns < view.span_ns
    after = folded(closer, pieces_of(closer, TEN_DAYS, 0), WIDTH)
    assert after.share_of(about) == pytest.approx(scale.share_of(about), abs=0.05)
    assert even(view).zoomed(2, 0.5).span_ns == 2 * view.span_ns


def test_nothing_measured_leaves_time_as_it_is() -> None:
    view = TimeRange(0, DAY_NS)
    assert pieces_of(view, [], 0) == []
    scale = folded(view, [], WIDTH)
    assert scale.folds == [] and scale.share_of(DAY_NS // 4) == pytest.approx(0.25)
    assert even(view).moment_at(0.75) == DAY_NS * 3 // 4
