"""From envelopes to lines, gaps and readings; y axes; rows. No window needed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.ui.made_engagement import AFTER_NS, BEFORE_NS, GAP_FROM_NS, GAP_TO_NS, STEP_NS, MadeEngagement, at
from tunebench.analysis.exploring.arrangement import Arrangement
from tunebench.analysis.exploring.grid import band_of, on_grid
from tunebench.analysis.exploring.outline import (
    MOST_SPLITS,
    covering_index,
    gaps,
    lone_points,
    outline,
    reading_in,
    split_at_gaps,
    visible_extent,
    visible_slice,
)
from tunebench.analysis.exploring.time_range import TimeRange, ValueRange
from tunebench.analysis.series import Envelope, SeriesData, joined
from tunebench.columns.series_words import unit_text
from tunebench.columns.time_ticks import fitting_range, round_step, tick_text, value_ticks
from tunebench.core.messages import catalogue
from tunebench.domain.engagement import Phase, Run
from tunebench.domain.series import SeriesInfo
from tunebench.domain.windows import Stretch, run_window
from tunebench.ui.charts.feeds import Tile, TileStore
from tunebench.ui.charts.lines import common_gaps
from tunebench.ui.charts.table_pane import SampleColumn, sample_grid
from tunebench.usecases import browse
from tunebench.usecases.browse import Reading
from tunebench.usecases.exploring.density import covered_cells, host_tracks
from tunebench.usecases.exploring.reading import read_envelope, readings_at
from tunebench.usecases.exploring.strands import companions, default_rows, strand_statistics, strands
from tunebench.usecases.exploring.window_ranges import window_at, window_range
from tunebench.usecases.projects import RunView

NAN = float("nan")


def raw(times: list[int], values: list[float]) -> Envelope:
    stamps, figures = np.array(times, dtype=np.int64), np.array(values)
    return Envelope(stamps, stamps, figures, figures, figures, 1)


def samples(times: list[int], values: list[float], boot: int = 0) -> SeriesData:
    stamps = np.array(times, dtype=np.int64)
    flags = np.arange(stamps.size) < boot
    return SeriesData(stamps, np.array(values, dtype=np.float64), flags, np.arange(stamps.size))


# --- outlines
def test_raw_samples_are_drawn_as_they_are() -> None:
    drawn = outline(raw([10, 20, 30], [1.0, 5.0, 2.0]))
    assert drawn.times_ns.tolist() == [10, 20, 30]
    assert drawn.values.tolist() == [1.0, 5.0, 2.0]


def test_a_bin_keeps_its_spike_and_its_dip() -> None:
    envelope = Envelope(
        np.array([0, 40, 80]),
        np.array([30, 70, 110]),
        np.array([1.0, 2.0, 0.0]),
        np.array([2.0, 3.0, 4.0]),
        np.array([9.0, 4.0, 7.0]),
        4,
    )
    drawn = outline(envelope)
    assert drawn.times_ns.tolist() == [15, 15, 55, 55, 95, 95]
    assert sorted(drawn.values[:2]) == [1.0, 9.0]
    assert sorted(drawn.values[2:4]) == [2.0, 4.0]
    assert sorted(drawn.values[4:]) == [0.0, 7.0]


def test_a_sample_between_two_gaps_gets_a_dot() -> None:
    dots = lone_points(outline(raw([10, 20, 30, 40, 50, 60], [1.0, NAN, 3.0, NAN, 5.0, 6.0])))
    assert dots.values.tolist() == [1.0, 3.0]


def test_a_gap_lasts_from_the_last_sample_to_the_next() -> None:
    assert gaps(raw([10, 20, 20, 90, 100], [1.0, 2.0, NAN, 4.0, 5.0])) == [TimeRange(20, 90)]
    assert gaps(raw([10, 20], [NAN, 1.0])) == []


def test_a_grey_band_stands_only_where_no_line_has_data() -> None:
    assert common_gaps([[TimeRange(10, 50)], [TimeRange(30, 80)]]) == [TimeRange(30, 50)]
    assert common_gaps([[TimeRange(10, 50)], []]) == []


def test_a_bin_that_hides_a_gap_is_cut_there() -> None:
    times = [*range(0, 100, 10), *range(500, 560, 10)]
    values = [float(t) for t in times]
    data = samples(times, values)
    binned = Envelope(np.array([0]), np.array([550]), np.array([0.0]), np.array([1.0]), np.array([550.0]), 16)
    cut = split_at_gaps(binned, 10, lambda start, end: data)
    assert cut.times_ns.tolist() == [0, 90, 500]
    assert cut.end_ns.tolist() == [90, 500, 550]
    assert cut.maximum[0] == 90.0 and np.isnan(cut.maximum[1]) and cut.minimum[2] == 500.0
    assert gaps(cut) == [TimeRange(90, 500)]


def test_a_bin_without_a_gap_is_not_even_read() -> None:
    binned = Envelope(np.array([0]), np.array([150]), np.array([0.0]), np.array([1.0]), np.array([2.0]), 16)

    def read(start: int, end: int) -> SeriesData:
        raise AssertionError("nothing is hidden in this bin")

    assert split_at_gaps(binned, 10, read) is binned


def test_beyond_some_hidden_gaps_bins_stand_alone_and_keep_their_extremes() -> None:
    count = MOST_SPLITS + 3
    starts = np.arange(count, dtype=np.int64) * 1_000
    high = np.arange(count, dtype=np.float64) + 10
    binned = Envelope(starts, starts + 900, high - 5, high - 2, high, 4)
    cut = split_at_gaps(binned, 10, lambda start, end: samples([start, start + 10, end], [1.0, 2.0, 3.0]))
    assert np.nanmax(cut.maximum) == high[-1]
    last = np.flatnonzero(cut.times_ns == starts[-1])
    assert cut.maximum[last[0]] == high[-1] and np.isnan(cut.maximum[last[0] + 1])


def test_only_the_visible_part_is_drawn_with_its_neighbours() -> None:
    times = np.arange(0, 1_000, 10, dtype=np.int64)
    inside = visible_slice(times, TimeRange(200, 300))
    assert times[inside].tolist() == list(range(180, 330, 10))[:-1] + [320]


def test_the_y_range_is_of_the_visible_part() -> None:
    envelope = raw([10, 20, 30, 40], [1.0, 50.0, NAN, 3.0])
    assert visible_extent(envelope, TimeRange(15, 45)) == ValueRange(3.0, 50.0)
    assert visible_extent(envelope, TimeRange(28, 32)) is None


# --- the sample under the cross-hair
@pytest.mark.parametrize(
    ("moment", "index"),
    [(10, 0), (11, 1), (20, 1), (1, 0), (-14, 0), (-16, None), (31, 2), (60, None), (80, 3), (115, None)],
)
def test_a_sample_stands_for_the_interval_that_ends_at_its_stamp(moment: int, index: int | None) -> None:
    assert covering_index(np.array([10, 20, 30, 100]), moment, 10) == index


def test_a_missing_value_is_not_read_as_a_value() -> None:
    assert reading_in(raw([10, 20, 30], [1.0, NAN, 3.0]), 15, 10) == (30, 3.0)
    assert reading_in(raw([10, 20], [NAN, NAN]), 15, 10) is None


# --- many lines
def test_the_band_holds_what_most_lines_are_and_leaves_empty_cells_empty() -> None:
    starts, ends = np.arange(0, 40, 10), np.arange(10, 50, 10)
    lines = [raw([5, 15, 25], [1.0 + k, 2.0 + k, 3.0]) for k in range(21)]
    values = np.array([on_grid([line], starts, ends) for line in lines])
    band = band_of(values, starts, ends)
    assert band.minimum[:3].tolist() == [2.0, 3.0, 3.0]  # one of 21 is below the 5th percentile
    assert band.mean[:3].tolist() == [11.0, 12.0, 3.0]
    assert band.maximum[:3].tolist() == [20.0, 21.0, 3.0]
    assert np.isnan(band.mean[3])


# --- y axis
def test_zero_is_always_shown_and_the_top_is_round() -> None:
    assert fitting_range(40.0, 43.0) == ValueRange(0.0, 50.0)
    assert fitting_range(-3.0, 8.0).low <= -3.0
    assert fitting_range(NAN, NAN) == ValueRange(0.0, 1.0)
    assert fitting_range(0.0, 0.0) == ValueRange(0.0, 1.0)


def test_percentages_near_their_ceiling_are_shown_to_a_hundred() -> None:
    assert fitting_range(5.0, 61.0, "%") == ValueRange(0.0, 100.0)
    assert fitting_range(0.0, 3.0, "%").high < 10


@given(st.floats(1e-6, 1e12), st.integers(2, 12))
def test_ticks_are_few_and_inside(top: float, most: int) -> None:
    shown = ValueRange(0.0, top)
    found = value_ticks(shown, most)
    assert 1 <= len(found) <= most + 1
    assert all(-1e-9 <= value <= top * (1 + 1e-9) for value in found)


def test_tick_labels_have_the_decimals_of_the_step() -> None:
    assert round_step(10.0, 4) == 2.5
    assert tick_text(7.5, 2.5) == "7.5"
    assert tick_text(25_000.0, 5_000.0) == "25,000"
    assert tick_text(0.15, 0.05) == "0.15"


@pytest.mark.parametrize(
    ("ucum", "shown"),
    [("1", ""), ("By/s", "B/s"), ("KiBy", "KiB"), ("{thread}", "threads"), ("{page}/s", "pages/s"), ("1/s", "/s")],
)
def test_units_read_as_people_write_them(ucum: str, shown: str) -> None:
    assert unit_text(ucum, catalogue("en")) == shown
    assert unit_text("{no such thing}/s", catalogue("ko")) == "no such thing/s"


# --- rows
def test_rows_are_added_overlaid_moved_and_taken_apart() -> None:
    rows = Arrangement()
    first, second, third = (rows.add([key]) for key in (1, 2, 3))
    assert first and second and third
    assert rows.add([2]) is None
    rows.overlay([3], first.id)
    assert [row.keys for row in rows.rows] == [[1, 3], [2]]
    rows.move(second.id, 0)
    assert [row.keys for row in rows.rows] == [[2], [1, 3]]
    rows.separate(first.id)
    assert [row.keys for row in rows.rows] == [[2], [1], [3]]
    rows.show_only([3, 9])
    assert [row.keys for row in rows.rows] == [[3], [9]]


@given(st.integers(0, 3), st.integers(0, 4))
def test_a_row_goes_where_it_was_dropped(start: int, to: int) -> None:
    rows = Arrangement()
    for key in range(4):
        rows.add([key])
    rows.move(rows.rows[start].id, to)
    rest = [key for key in range(4) if key != start]
    rest.insert(to - 1 if to > start else to, start)
    assert rows.keys == rest


# --- captures of one thing
def test_captures_of_the_same_thing_are_one_strand() -> None:
    engagement = MadeEngagement()
    found = {strand.info.label: strand for strand in strands(engagement.infos)}
    assert [part.run_id for part in found["us"].parts] == [1, 2]
    assert len(found["sd0 wait"].parts) == 1


def test_statistics_of_a_strand_take_its_captures_together(tmp_path: Path) -> None:
    engagement = MadeEngagement()
    with engagement.stored(tmp_path) as project:
        strand = next(s for s in strands(engagement.infos) if s.info.label == "us")
        whole = strand_statistics(project, strand, [Stretch(BEFORE_NS, AFTER_NS + 10**15)])
    values = np.concatenate([engagement.samples[i].values[1:] for i in strand.ids])
    assert whole.n == values.size
    assert whole.mean == pytest.approx(values.mean())
    assert whole.p95 == pytest.approx(np.percentile(values, 95))


def test_a_new_run_shows_processors_queue_the_busiest_disk_and_memory() -> None:
    engagement = MadeEngagement()
    own = [info for info in engagement.infos if info.run_id == 1]
    rows = default_rows(own, lambda key: float(np.mean(engagement.samples[key].values)))
    labels = [[next(i.label for i in own if i.id == key) for key in row] for row in rows]
    assert labels == [["us", "sy"], ["r"], ["ssd2 %b"], ["ssd2 svc_t"], ["sr"], ["free"]]
    through = companions(rows, {info.id: info for info in engagement.infos})
    assert {engagement.infos[key - 1].run_id for key in through[0]} == {1, 2}


def test_a_run_without_known_metrics_still_shows_something() -> None:
    own = [replace(info, metric="") for info in MadeEngagement().infos[:6]]
    assert default_rows(own, lambda key: 0.0) == [[1], [2], [3], [4]]


# --- windows
RUNS = [Run(1, "a", Phase.BEFORE, 100, 200), Run(2, "b", Phase.AFTER, 150, 400), Run(3, "empty", Phase.OTHER)]
VIEWS = [RunView(run, (), ()) for run in RUNS]


def test_a_window_belongs_to_the_run_it_overlaps_most() -> None:
    assert window_at(TimeRange(160, 300), VIEWS) == run_window(2, 160, 300)
    assert window_at(TimeRange(160, 300), VIEWS, prefer=1) == run_window(1, 160, None)
    assert window_at(TimeRange(90, 140), VIEWS) == run_window(1, None, 140)
    assert window_at(TimeRange(500, 600), VIEWS) is None


def test_an_open_edge_is_the_runs() -> None:
    long = [Run(1, "a", Phase.BEFORE, 0, 9_000_000_000)]
    assert window_range(run_window(1, None, 5_000_000_000), long) == TimeRange(0, 5_000_000_000)
    once = [Run(1, "a", Phase.BEFORE, 7, 7)]
    assert window_range(run_window(1), once) == TimeRange(7, 7 + 1_000_000_000)
    assert window_range(run_window(3), RUNS) is None
    assert window_range(None, RUNS) is None


# --- the envelopes at hand
def test_a_coarse_answer_is_shown_until_a_finer_one_comes() -> None:
    store, coarse, fine = TileStore(), raw([0], [1.0]), raw([0], [2.0])
    coarse = replace(coarse, samples_per_bin=64)
    store.keep(7, Tile(TimeRange(0, 1_000), 100.0, coarse))
    assert store.best(7, TimeRange(100, 200), 1.0) == (Tile(TimeRange(0, 1_000), 100.0, coarse), False)
    store.keep(7, Tile(TimeRange(50, 250), 1.0, fine))
    tile, good = store.best(7, TimeRange(100, 200), 1.0)
    assert good and tile is not None and tile.envelope is fine
    assert store.best(8, TimeRange(100, 200), 1.0) == (None, False)


def test_raw_samples_serve_every_deeper_zoom() -> None:
    store = TileStore()
    store.keep(1, Tile(TimeRange(0, 1_000), 100.0, raw([0], [1.0])))
    assert store.best(1, TimeRange(5, 6), 0.001)[1] is True


def test_old_answers_are_forgotten_first() -> None:
    store = TileStore(most=2)
    for key in (1, 2, 3):
        store.keep(key, Tile(TimeRange(0, 10), 1.0, raw([0], [1.0])))
    assert store.best(1, TimeRange(0, 10), 1.0)[0] is None
    assert store.best(3, TimeRange(0, 10), 1.0)[0] is not None


# --- navigator
def test_a_cell_is_covered_where_a_sample_stands_for_it() -> None:
    envelope = raw([20, 30, 30, 80], [1.0, 2.0, NAN, 3.0])
    cells = covered_cells(envelope, TimeRange(0, 100), 10, 10e-9)
    assert cells.tolist() == [False, True, True, True, False, False, False, True, True, False]


def test_a_track_shows_the_gap_of_the_capture(tmp_path: Path) -> None:
    engagement = MadeEngagement()
    extent = TimeRange(BEFORE_NS, BEFORE_NS + 9 * 3_600_000_000_000)

    def envelope_of(info: SeriesInfo, span: TimeRange, bins: int) -> Envelope:
        return read_envelope(project, info, span, bins)

    with engagement.stored(tmp_path) as project:
        (track,) = host_tracks([i for i in engagement.infos if i.run_id == 1], extent, 540, envelope_of)
    minute = 60_000_000_000
    inside_gap = (at("2007-07-19T11:30:00") - BEFORE_NS) // minute
    assert track.share[inside_gap] == 0
    assert track.share[(GAP_FROM_NS - BEFORE_NS) // minute - 2] == 1
    assert track.share[(GAP_TO_NS - BEFORE_NS) // minute + 5] == 1
    assert np.nanmax(track.profile) <= 1


# --- the table twin
def test_samples_line_up_by_stamp() -> None:
    first, second = samples([10, 20, 30], [1.0, 2.0, 3.0], boot=1), samples([20, 40], [5.0, NAN])
    grid = sample_grid([SampleColumn("a", "", first), SampleColumn("b", "", second)])
    assert grid.times_ns.tolist() == [10, 20, 30, 40]
    assert grid.rows[0].tolist() == [0, 1, 2, -1]
    assert grid.rows[1].tolist() == [-1, 0, -1, 1]
    assert not grid.cut
    assert sample_grid([SampleColumn("a", "", first)], most=2).cut


def test_captures_of_one_thing_share_a_column() -> None:
    both = joined([samples([10], [1.0]), samples([30], [3.0])])
    assert both.times_ns.tolist() == [10, 30]


def test_the_step_of_the_made_data_is_what_the_tests_believe() -> None:
    assert np.diff(MadeEngagement().samples[1].times_ns)[:3].tolist() == [STEP_NS] * 3


@pytest.mark.parametrize(
    ("before_first", "after_last", "reads"), [(1, None, True), (2, None, False), (None, 1, True), (None, 2, False)]
)
def test_a_series_is_read_from_the_begin_of_its_first_interval_to_one_behind_its_last(
    before_first: int | None, after_last: int | None, reads: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its stamps are the ends of the intervals; the cross hair may stand exactly on an edge."""
    info = MadeEngagement().named("us")
    assert info.first_ns is not None and info.last_ns is not None and info.interval_s == STEP_NS / 1e9
    moment = info.last_ns + after_last * STEP_NS if after_last else info.first_ns - (before_first or 0) * STEP_NS
    monkeypatch.setattr(browse, "value_at", lambda _project, _series, time_ns: Reading(time_ns, 5.0, 1))
    readings = readings_at(None, moment, [info])  # type: ignore[arg-type]  # nothing is read from it
    assert readings == ({info.id: (moment, 5.0)} if reads else {})
