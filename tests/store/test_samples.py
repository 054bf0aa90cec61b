"""What is written as batches is read back, value by value."""

from __future__ import annotations

import itertools
import sqlite3
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.store import cases
from tunebench.store import table_rows
from tunebench.store.opening import open_project
from tunebench.store.project import Project
from tunebench.store.queries import find_series, list_series, read_envelope, read_series
from tunebench.store.sample_packing import ALL_TABLES_BYTES
from tunebench.store.table_rows import CHUNK_ROWS, TABLE_BYTES

NAN = float("nan")


def assert_same(found: np.ndarray, expected: np.ndarray) -> None:
    """Bit for bit, but for the payload of a NaN."""
    assert found.shape == expected.shape
    assert np.array_equal(np.isnan(found), np.isnan(expected))
    there = ~np.isnan(expected)
    assert np.array_equal(found[there].view(np.int64), np.asarray(expected)[there].view(np.int64))


def test_values_times_flags_and_lines_come_back(project: Project) -> None:
    values = np.array([[11.9, 0.0], [137.8, -0.0], [NAN, 1e300], [5.0, 0.1 + 0.2]])
    cases.write_samples(project, cases.batch(values, ("svc_t", "%b"), since_boot=[0]))
    first, second = list_series(project)
    data = read_series(project, first.id)
    assert_same(data.values, values[:, 0])
    assert_same(read_series(project, second.id).values, values[:, 1])
    assert data.times_ns.tolist() == [cases.START_NS + i * cases.SECOND_NS for i in range(4)]
    assert data.since_boot.tolist() == [True, False, False, False]
    assert data.line_numbers.tolist() == [1, 11, 21, 31]
    assert data.measured().tolist() == [137.8, 5.0]


def test_series_tell_what_they_hold_without_reading_samples(project: Project) -> None:
    values = np.array([[1.0, NAN], [2.0, NAN], [NAN, 7.0], [4.0, 8.0]])
    artefact_id = cases.write_samples(project, cases.batch(values, ("r/s", "w/s"), since_boot=[0]))
    reads, writes = list_series(project)
    # row 0 is an average since boot: it neither counts nor is it missing
    assert (reads.count, reads.missing, writes.count, writes.missing) == (2, 1, 2, 1)
    assert (reads.first_ns, reads.last_ns) == (cases.START_NS + cases.SECOND_NS, cases.START_NS + 3 * cases.SECOND_NS)
    assert writes.first_ns == cases.START_NS + 2 * cases.SECOND_NS
    assert (reads.interval_s, reads.tool, reads.table, reads.native) == (1.0, "iostat", "device", "r/s")
    assert (reads.run, reads.host, reads.artefact_id) == ("before", "db1", artefact_id)
    assert reads.attributes == {"device": "ssd2"}
    assert (reads.metric, reads.unit, reads.to_base, reads.base_unit) == ("system.disk.wait_time", "ms", 0.001, "s")
    assert list_series(project, artefact_id=artefact_id + 1) == []
    assert [info.id for info in list_series(project, run_id=reads.run_id)] == [reads.id, writes.id]
    assert find_series(project, writes.id) == writes


def test_batches_of_any_size_make_one_series(project: Project) -> None:
    rng = np.random.default_rng(7)
    values = np.round(rng.normal(50, 20, (30_000, 3)), 1)
    cuts = [0, 1, 2, 9000, 9001, 26_000, 30_000]
    parts = [cases.batch(values[a:b], ("a", "b", "c"), first_row=a) for a, b in itertools.pairwise(cuts)]
    cases.write_samples(project, *parts)
    for column, info in enumerate(list_series(project)):
        data = read_series(project, info.id)
        assert_same(data.values, values[:, column])
        assert np.array_equal(data.line_numbers, np.arange(30_000) * 10 + 1)
        assert (info.count, info.missing) == (30_000, 0)


def test_a_device_that_appears_later_is_missing_before_and_costs_nothing(project: Project) -> None:
    rows = CHUNK_ROWS + 100
    early = cases.batch(np.ones((rows, 1)) * np.arange(rows)[:, None], ("a",))
    late = cases.batch(np.arange(40.0).reshape(20, 2), ("b", "a"), first_row=rows)
    cases.write_samples(project, early, late)
    a, b = list_series(project)
    assert_same(read_series(project, a.id).values, np.concatenate([np.arange(float(rows)), np.arange(1.0, 40.0, 2)]))
    assert_same(read_series(project, b.id).values, np.concatenate([np.full(rows, NAN), np.arange(0.0, 40.0, 2)]))
    assert (b.count, b.missing, b.first_ns) == (20, rows, cases.START_NS + rows * cases.SECOND_NS)
    with project.reading() as connection:
        positions = connection.execute("SELECT position FROM sample_chunk WHERE series_id = ?", (b.id,)).fetchall()
    assert positions == [(1,)]


def test_a_device_that_goes_is_missing_afterwards(project: Project) -> None:
    both = cases.batch(np.ones((10, 2)), ("a", "b"))
    one = cases.batch(np.full((10, 1), 2.0), ("a",), first_row=10)
    cases.write_samples(project, both, one)
    _, b = list_series(project)
    assert_same(read_series(project, b.id).values, np.concatenate([np.ones(10), np.full(10, NAN)]))
    assert (b.count, b.missing, b.last_ns) == (10, 10, cases.START_NS + 9 * cases.SECOND_NS)


def test_tables_have_clocks_of_their_own(project: Project) -> None:
    disk = cases.batch([[1.0], [2.0]], ("svc_t",))
    cpu = cases.batch([[90.0]], ("idle",), table="cpu")
    cases.write_samples(project, disk, cpu)
    svc_t, idle = list_series(project)
    assert svc_t.clock_id != idle.clock_id
    assert (svc_t.count, idle.count, idle.interval_s) == (2, 1, None)


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        (None, None, range(20_000)),
        (5, 9, range(5, 10)),
        (8190, 8195, range(8190, 8196)),
        (19_999, None, [19_999]),
        (None, 0, [0]),
        (-5, -1, []),
        (20_000, 30_000, []),
        (8192, 8192, [8192]),
        (9, 5, []),
    ],
)
def test_a_window_includes_both_its_ends(
    project: Project, start: int | None, end: int | None, expected: range | list[int]
) -> None:
    cases.write_samples(project, cases.batch(np.arange(20_000.0)[:, None]))
    low, high = (None if second is None else cases.START_NS + second * cases.SECOND_NS for second in (start, end))
    data = read_series(project, list_series(project)[0].id, low, high)
    assert data.values.tolist() == [float(i) for i in expected]
    assert data.times_ns.tolist() == [cases.START_NS + i * cases.SECOND_NS for i in expected]


def test_a_time_repeated_across_the_edge_of_a_chunk_is_read_whole(project: Project) -> None:
    seconds = np.arange(CHUNK_ROWS + 100)
    seconds[CHUNK_ROWS - 3 : CHUNK_ROWS + 4] = CHUNK_ROWS - 3
    times = cases.START_NS + seconds * cases.SECOND_NS
    cases.write_samples(project, cases.batch(np.arange(float(len(seconds)))[:, None], times_ns=times))
    repeated_ns = int(times[CHUNK_ROWS])
    series_id = list_series(project)[0].id
    expected = [float(row) for row in range(CHUNK_ROWS - 3, CHUNK_ROWS + 4)]
    assert read_series(project, series_id, repeated_ns, repeated_ns).values.tolist() == expected
    envelope = read_envelope(project, series_id, repeated_ns, repeated_ns, 100)
    assert envelope.maximum.tolist() == [expected[0] - 1, *expected, expected[-1] + 1]


def test_a_window_between_samples_is_empty(project: Project) -> None:
    cases.write_samples(project, cases.batch([[1.0], [2.0]]))
    data = read_series(project, list_series(project)[0].id, cases.START_NS + 1, cases.START_NS + 2)
    assert len(data.values) == len(data.times_ns) == 0


def test_a_clock_that_went_back_is_kept_as_captured_and_read_in_the_order_of_time(project: Project) -> None:
    seconds = np.concatenate([np.arange(9000), np.arange(5000, 12_000)])
    values = np.arange(len(seconds), dtype=np.float64)
    cases.write_samples(project, cases.batch(values[:, None], times_ns=cases.START_NS + seconds * cases.SECOND_NS))
    data = read_series(project, list_series(project)[0].id)
    order = np.argsort(seconds, kind="stable")
    assert np.array_equal(data.times_ns, cases.START_NS + seconds[order] * cases.SECOND_NS)
    assert np.array_equal(data.values, values[order])
    assert np.array_equal(data.line_numbers, order * 10 + 1)
    repeated_ns = cases.START_NS + 5000 * cases.SECOND_NS
    window = read_series(project, list_series(project)[0].id, repeated_ns, repeated_ns)
    assert window.values.tolist() == [5000.0, 9000.0]
    with project.reading() as connection:
        assert connection.execute("SELECT ascending FROM clock").fetchall() == [(0,)]


@settings(max_examples=30)
@given(
    steps=st.lists(st.integers(-3, 3), min_size=1, max_size=60),
    piece=st.integers(1, 20),
    windows=st.lists(st.tuples(st.integers(-30, 90), st.integers(-30, 90)), min_size=1, max_size=5),
    forward=st.booleans(),
)
def test_any_window_of_any_clock_equals_brute_force(
    tmp_path_factory: pytest.TempPathFactory,
    steps: list[int],
    piece: int,
    windows: list[tuple[int, int]],
    forward: bool,
) -> None:
    """Repeated times and clocks set back, in chunks of a few rows."""
    seconds = np.cumsum(np.abs(steps) if forward else steps)
    times = cases.START_NS + seconds * cases.SECOND_NS
    values = np.arange(len(seconds), dtype=np.float64)
    with pytest.MonkeyPatch.context() as patch, cases.new_project(tmp_path_factory.mktemp("clock")) as project:
        patch.setattr(table_rows, "CHUNK_ROWS", piece)
        patch.setattr(table_rows, "_FEWEST_CHUNK_ROWS", 1)
        cases.write_samples(project, cases.batch(values[:, None], times_ns=times))
        series = list_series(project)[0]
        for low, high in windows:
            start, end = cases.START_NS + low * cases.SECOND_NS, cases.START_NS + high * cases.SECOND_NS
            inside = np.flatnonzero((times >= start) & (times <= end))
            expected = inside[np.argsort(times[inside], kind="stable")]
            data = read_series(project, series.id, start, end)
            assert data.values.tolist() == values[expected].tolist()
            assert data.times_ns.tolist() == times[expected].tolist()
            envelope = read_envelope(project, series.id, start, end, 3)
            assert set(envelope.minimum) | set(envelope.maximum) <= set(values)
            if len(inside):
                assert envelope.maximum.max() >= values[inside].max()
                assert envelope.minimum.min() <= values[inside].min()


def test_the_interval_is_the_usual_step(project: Project) -> None:
    steps = np.full(1000, 5 * cases.SECOND_NS)
    steps[500] = 3600 * cases.SECOND_NS
    times = cases.START_NS + np.cumsum(steps)
    cases.write_samples(project, cases.batch(np.ones((1000, 1)), times_ns=times))
    assert list_series(project)[0].interval_s == 5.0


def test_nothing_is_listed_before_the_writer_has_finished(project: Project) -> None:
    artefact_id = cases.store_artefact(project)
    writer = cases.sample_writer(project, artefact_id)
    for part in range(6):
        values = np.random.default_rng(part).random((8192, 30))
        writer.append(cases.batch(values, map(str, range(30)), first_row=part * 8192))
    assert list_series(project) == []
    writer.abandon()
    with project.reading() as connection:
        left = [
            connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
            for table in ("clock", "clock_chunk", "series", "sample_chunk", "series_tile")
        ]
    assert left == [0, 0, 0, 0, 0]


def test_samples_are_not_mixed_into_those_of_an_earlier_parse(project: Project) -> None:
    artefact_id = cases.write_samples(project, cases.batch([[1.0]]))
    with pytest.raises(ValueError, match="remove_samples"):
        cases.sample_writer(project, artefact_id)


def test_a_series_named_twice_in_a_batch_is_refused(project: Project) -> None:
    writer = cases.sample_writer(project, cases.store_artefact(project))
    with pytest.raises(ValueError, match="twice"):
        writer.append(cases.batch([[1.0, 2.0]], ("sy", "sy")))


def test_a_very_wide_table_waits_with_bounded_memory(project: Project) -> None:
    width = 20_000
    writer = cases.sample_writer(project, cases.store_artefact(project))
    names = [str(i) for i in range(width)]
    rng = np.random.default_rng(3)
    parts = [np.round(rng.random((100, width)), 2) for _ in range(3)]
    for index, part in enumerate(parts):
        writer.append(cases.batch(part, names, first_row=index * 100))
        assert writer.waiting_bytes <= TABLE_BYTES
    writer.finish()
    series = list_series(project)
    assert len(series) == width
    assert_same(read_series(project, series[12_345].id).values, np.concatenate(parts)[:, 12_345])
    with project.reading() as connection:
        assert connection.execute("SELECT max(row_count) FROM clock_chunk").fetchone()[0] <= 512


def test_many_tables_together_wait_with_bounded_memory(project: Project) -> None:
    writer = cases.sample_writer(project, cases.store_artefact(project))
    for table in range(8):
        writer.append(cases.batch(np.ones((8000, 120)), map(str, range(120)), table=f"table{table}"))
        assert writer.waiting_bytes <= ALL_TABLES_BYTES
    writer.finish()
    assert {info.count for info in list_series(project)} == {8000}


def test_idle_devices_cost_next_to_nothing(project: Project) -> None:
    cases.write_samples(project, cases.batch(np.zeros((8192, 50)), map(str, range(50))))
    with project.reading() as connection:
        stored = connection.execute("SELECT sum(length(data)) FROM sample_chunk").fetchone()[0]
    assert stored < 50 * 20


def test_opening_and_listing_reads_no_samples(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    cases.write_samples(project, cases.batch(np.ones((100, 2)), ("a", "b")))
    project.close()
    seen: list[str] = []

    def traced(*args: Any, **options: Any) -> sqlite3.Connection:
        made: sqlite3.Connection = real_connect(*args, **options)
        made.set_trace_callback(seen.append)
        return made

    real_connect = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", traced)
    again = open_project(project.path)
    assert len(list_series(again)) == 2
    again.close()
    assert any("FROM series" in text for text in seen)
    assert not [text for text in seen if text.startswith("SELECT") and ("_chunk" in text or "_tile" in text)]
