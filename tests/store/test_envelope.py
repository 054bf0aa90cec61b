"""The envelope against brute force: no spike is lost, no value invented, few rows touched."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.store import cases
from tunebench.analysis.series import Envelope
from tunebench.store import pyramid
from tunebench.store.project import Project
from tunebench.store.queries import list_series, read_envelope, read_series
from tunebench.store.table_rows import CHUNK_ROWS

SECOND = cases.SECOND_NS


def at(second: float) -> int:
    return cases.START_NS + round(second * SECOND)


def assert_covers(
    envelope: Envelope, times: np.ndarray, values: np.ndarray, start_ns: int, end_ns: int, bins: int
) -> None:
    """Every value of the window is in a bin of its time, and every bin says what its samples say."""
    assert len(envelope.times_ns) <= 2 * bins + 4
    assert (envelope.times_ns <= envelope.end_ns).all()
    inside = (times >= start_ns) & (times <= end_ns) & ~np.isnan(values)
    holder = np.searchsorted(envelope.times_ns, times[inside], "right") - 1
    assert (holder >= 0).all()
    assert (times[inside] <= envelope.end_ns[holder]).all()
    assert (envelope.minimum[holder] <= values[inside]).all()
    assert (envelope.maximum[holder] >= values[inside]).all()
    for index in range(len(envelope.times_ns)):
        own = (times >= envelope.times_ns[index]) & (times <= envelope.end_ns[index]) & ~np.isnan(values)
        if not own.any():
            assert np.isnan([envelope.minimum[index], envelope.mean[index], envelope.maximum[index]]).all()
            continue
        assert envelope.minimum[index] == values[own].min()
        assert envelope.maximum[index] == values[own].max()
        assert envelope.mean[index] == pytest.approx(values[own].mean(), rel=1e-5, abs=1e-6 * np.abs(values[own]).max())
        assert envelope.minimum[index] <= envelope.mean[index] <= envelope.maximum[index]


@settings(max_examples=40)
@given(data=st.data())
def test_any_window_of_any_series(data: st.DataObject, tmp_path_factory: pytest.TempPathFactory) -> None:
    rows = data.draw(st.sampled_from([1, 2, 15, 17, 300, 8191, 8193, 20_000, 33_000]), "rows")
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1), "seed"))
    values = np.round(rng.normal(0, 10, rows), 1)
    values[rng.random(rows) < data.draw(st.sampled_from([0.0, 0.01, 0.5, 1.0]), "missing")] = np.nan
    for row in data.draw(st.lists(st.integers(0, rows - 1), max_size=3), "spikes"):
        values[row] = rng.choice([-1e9, 1e9])
    times = cases.START_NS + np.cumsum(rng.integers(1, 4, rows)) * SECOND
    chunk = data.draw(st.sampled_from([64, 1000, CHUNK_ROWS]), "rows per batch")
    folder = tmp_path_factory.mktemp("envelope")
    project = cases.new_project(folder)
    parts = [
        cases.batch(values[a : a + chunk, None], first_row=a, times_ns=times[a : a + chunk])
        for a in range(0, rows, chunk)
    ]
    cases.write_samples(project, *parts)
    series = list_series(project)[0]
    for _ in range(4):
        low, high = sorted(data.draw(st.tuples(st.integers(-5, rows * 4), st.integers(-5, rows * 4)), "window"))
        bins = data.draw(st.sampled_from([1, 2, 7, 100, 2000]), "bins")
        envelope = read_envelope(project, series.id, at(low), at(high), bins)
        assert_covers(envelope, times, values, at(low), at(high), bins)
    project.close()


def test_one_spike_among_a_million_shows_at_every_zoom(project: Project) -> None:
    rows = 1_000_000
    values = np.tile(np.round(np.random.default_rng(1).random(1000), 2), rows // 1000)
    values[777_777] = 99_999.0
    cases.write_samples(project, cases.batch(values[:, None]))
    series = list_series(project)[0]
    for half_width in (5, 100, 5000, 60_000, 300_000):
        for bins in (10, 500, 2000):
            envelope = read_envelope(project, series.id, at(777_777 - half_width), at(777_777 + half_width), bins)
            assert np.nanmax(envelope.maximum) == 99_999.0
            spike = int(np.nanargmax(envelope.maximum))
            assert envelope.times_ns[spike] <= at(777_777) <= envelope.end_ns[spike]


def test_a_short_window_shows_the_samples_and_one_beyond_each_edge(project: Project) -> None:
    cases.write_samples(project, cases.batch(np.arange(20_000.0)[:, None]))
    envelope = read_envelope(project, list_series(project)[0].id, at(100), at(109), 50)
    assert envelope.samples_per_bin == 1
    assert envelope.maximum.tolist() == [float(i) for i in range(99, 111)]
    assert envelope.times_ns.tolist() == envelope.end_ns.tolist() == [at(i) for i in range(99, 111)]


def test_a_window_between_two_samples_shows_both(project: Project) -> None:
    cases.write_samples(project, cases.batch([[1.0], [2.0], [3.0], [4.0]]))
    envelope = read_envelope(project, list_series(project)[0].id, at(1.2), at(1.8), 100)
    assert envelope.mean.tolist() == [2.0, 3.0]


@pytest.mark.parametrize("rows", [3, 20_000])
def test_a_window_beside_the_samples_shows_at_most_the_nearest(project: Project, rows: int) -> None:
    cases.write_samples(project, cases.batch(np.arange(float(rows))[:, None]))
    series = list_series(project)[0].id
    assert read_envelope(project, series, at(-9), at(-5), 10).mean.tolist() in ([], [0.0])
    assert read_envelope(project, series, at(rows + 5), at(rows + 9), 10).mean.tolist() in ([], [rows - 1.0])


def test_bins_stay_put_while_the_window_moves(project: Project) -> None:
    cases.write_samples(project, cases.batch(np.random.default_rng(2).random((100_000, 1))))
    series = list_series(project)[0].id
    first = read_envelope(project, series, at(20_000), at(80_000), 300)
    moved = read_envelope(project, series, at(20_100), at(80_100), 300)
    shared = np.intersect1d(first.times_ns, moved.times_ns)
    assert len(shared) > 0.95 * len(first.times_ns)


def test_since_boot_samples_are_in_no_bin(project: Project) -> None:
    for rows, bins in ((10, 50), (1000, 20), (20_000, 20)):
        values = np.ones((rows, 1))
        values[0] = values[5] = 1e6
        cases.write_samples(project, cases.batch(values, since_boot=[0, 5]), data=b"%d\n" % rows)
        series = list_series(project)[-1]
        envelope = read_envelope(project, series.id, at(0), at(rows), bins)
        assert np.nanmax(envelope.maximum) == 1.0, rows
        assert series.count == rows - 2


def test_a_clock_that_went_back_has_an_envelope_in_the_order_of_time(project: Project) -> None:
    seconds = np.concatenate([np.arange(9000), np.arange(5000, 12_000)])
    values = np.random.default_rng(5).random(len(seconds))
    cases.write_samples(project, cases.batch(values[:, None], times_ns=cases.START_NS + seconds * SECOND))
    envelope = read_envelope(project, list_series(project)[0].id, at(4000), at(10_000), 100)
    assert (np.diff(envelope.times_ns) >= 0).all()
    inside = values[(seconds >= 4000) & (seconds <= 10_000)]
    assert np.nanmax(envelope.maximum) >= inside.max()
    assert np.nanmin(envelope.minimum) <= inside.min()


def test_a_series_that_appears_later_has_empty_bins_before(project: Project) -> None:
    early = cases.batch(np.ones((100_000, 1)), ("a",))
    late = cases.batch(np.full((20_000, 2), 3.0), ("a", "b"), first_row=100_000)
    cases.write_samples(project, early, late)
    series = list_series(project)[1]
    envelope = read_envelope(project, series.id, at(0), at(120_000), 100)
    before = envelope.end_ns < at(100_000)
    assert np.isnan(envelope.mean[before]).all()
    assert (envelope.mean[envelope.times_ns >= at(100_000)] == 3.0).all()


def _steps(project: Project, series_id: int, start_ns: int, end_ns: int, bins: int) -> tuple[int, int]:
    """Rows that came out of SQLite, and steps of its machine, for one envelope."""
    steps = 0

    def count() -> int:
        nonlocal steps
        steps += 1
        return 0

    def keep(_cursor: sqlite3.Cursor, row: tuple[object, ...]) -> tuple[object, ...]:
        rows.append(row)
        return row

    with project.reading() as connection:
        rows: list[object] = []
        connection.row_factory = keep
        connection.set_progress_handler(count, 1)
        try:
            read_envelope(project, series_id, start_ns, end_ns, bins)
        finally:
            connection.set_progress_handler(None, 0)
            connection.row_factory = None
    return len(rows), steps


def test_an_envelope_of_ten_million_samples_touches_few_rows(tmp_path: Path) -> None:
    project = cases.new_project(tmp_path)
    artefact_id = cases.store_artefact(project)
    writer = cases.sample_writer(project, artefact_id)
    block = np.round(np.random.default_rng(4).random((250_000, 1)), 1)
    for part in range(40):
        writer.append(cases.batch(block, first_row=part * 250_000))
    writer.finish()
    series = list_series(project)[0]
    assert series.count == 10_000_000
    for start, end in ((0, 10_000_000), (4_000_000, 6_000_000), (5_000_000, 5_100_000), (9_000_000, 9_030_000)):
        rows, steps = _steps(project, series.id, at(start), at(end), 2000)
        assert rows <= 20, (start, end)
        assert steps <= 1000, (start, end)
    project.close()


def test_building_a_level_from_the_one_below_equals_building_it_from_the_values() -> None:
    values = np.random.default_rng(6).normal(size=1003)
    values[100:300] = np.nan
    by_steps = pyramid.merge_bins(pyramid.bin_values(values, 16), 4)
    at_once = pyramid.bin_values(values, 64)
    assert np.array_equal(by_steps.minimum, at_once.minimum, equal_nan=True)
    assert np.array_equal(by_steps.maximum, at_once.maximum, equal_nan=True)
    assert np.array_equal(by_steps.valid, at_once.valid)
    assert np.allclose(by_steps.total, at_once.total, equal_nan=True)


def test_the_mean_of_huge_values_is_kept(project: Project) -> None:
    cases.write_samples(project, cases.batch(np.linspace(1e300, 2e300, 20_000)[:, None]))
    series = list_series(project)[0].id
    envelope = read_envelope(project, series, at(0), at(20_000), 10)
    data = read_series(project, series)
    for index in range(len(envelope.times_ns)):
        own = (data.times_ns >= envelope.times_ns[index]) & (data.times_ns <= envelope.end_ns[index])
        assert envelope.mean[index] == pytest.approx(data.values[own].mean())
