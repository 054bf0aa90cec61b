"""Captures that continue each other are one series, whatever the files they were cut into."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.store import cases
from tunebench.analysis.series import Envelope
from tunebench.core.errors import UserError
from tunebench.domain.assembly import CaptureOverlap, DeviceAlias, Relation, named_spans, overlap_of, without
from tunebench.domain.capturing.run import SystemFact
from tunebench.sdk import SampleBatch, SeriesKey
from tunebench.store.aliases import replace_aliases
from tunebench.store.device_names import names_of_devices
from tunebench.store.hosts import ensure_host
from tunebench.store.merged_envelopes import _inside
from tunebench.store.merged_series import PIECE_STEP, Part, find_merged, list_merged, read_merged
from tunebench.store.overlaps import replace_choices, replace_findings
from tunebench.store.project import Project
from tunebench.store.sessions import write_facts
from tunebench.usecases import browse

NS = cases.SECOND_NS


def device_batch(
    device: str, first_row: int, values: NDArray[np.float64], native: str = "svc_t", offset_s: int = 0
) -> SampleBatch:
    rows = np.arange(first_row, first_row + len(values), dtype=np.int64)
    key = SeriesKey("device", native, (("device", device),))
    times = cases.START_NS + (rows + offset_s) * NS
    return SampleBatch("device", times, (key,), values.reshape(-1, 1), np.zeros(len(values), dtype=bool), rows + 1)


def store(project: Project, *batches: SampleBatch, host: str = "db1", run: str = "before") -> int:
    name = f"file-{len(list_files(project))}"
    artefact_id = cases.store_artefact(project, name.encode() + b"\n", run=run, name=name)
    writer = cases.sample_writer(project, artefact_id, host)
    for batch in batches:
        writer.append(batch)
    writer.finish()
    first, last = min(int(b.times_ns[0]) for b in batches), max(int(b.times_ns[-1]) for b in batches)
    with project.transaction() as connection:
        connection.execute(
            "UPDATE artefact SET state = 'imported', first_ns = ?, last_ns = ? WHERE id = ?", (first, last, artefact_id)
        )
    return artefact_id


def list_files(project: Project) -> list[int]:
    with project.reading() as connection:
        return [row[0] for row in connection.execute("SELECT id FROM artefact")]


def counting(rows: int) -> NDArray[np.float64]:
    return np.arange(rows, dtype=np.float64) + 0.5


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    cuts=st.lists(st.integers(1, 299), max_size=5, unique=True).map(sorted),
    holes=st.sets(st.integers(0, 299), max_size=30),
    window=st.tuples(st.integers(0, 299), st.integers(0, 299)),
    shuffled=st.randoms(use_true_random=False),
)
def test_any_cut_gives_the_same_series_and_statistics(cuts, holes, window, shuffled) -> None:  # type: ignore[no-untyped-def]
    values = np.random.default_rng(1).normal(50.0, 9.0, 300)
    values[list(holes)] = np.nan
    edges = [0, *cuts, 300]
    pieces = [device_batch("ssd2", a, values[a:b]) for a, b in pairwise(edges)]
    shuffled.shuffle(pieces)
    start, end = (cases.START_NS + row * NS for row in sorted(window))
    with (
        tempfile.TemporaryDirectory() as one,
        tempfile.TemporaryDirectory() as many,
        cases.new_project(Path(one)) as whole,
        cases.new_project(Path(many)) as cut,
    ):
        store(whole, device_batch("ssd2", 0, values))
        for piece in pieces:
            store(cut, piece)
        (expected,), (found,) = browse.list_series(whole), browse.list_series(cut)
        assert (found.count, found.missing, found.first_ns, found.last_ns) == (
            expected.count,
            expected.missing,
            expected.first_ns,
            expected.last_ns,
        )
        assert found.captures == len(pieces)
        for span in ((None, None), (start, end)):
            a, b = browse.series_data(whole, expected.id, *span), browse.series_data(cut, found.id, *span)
            assert np.array_equal(a.times_ns, b.times_ns)
            assert np.array_equal(a.values, b.values, equal_nan=True)
            assert browse.statistics(whole, expected.id, *span) == browse.statistics(cut, found.id, *span)
        last = cases.START_NS + 299 * NS
        raw = browse.envelope(whole, expected.id, cases.START_NS, last, 400)
        same = browse.envelope(cut, found.id, cases.START_NS, last, 400)
        assert np.array_equal(raw.times_ns, same.times_ns)
        assert np.array_equal(raw.maximum, same.maximum, equal_nan=True)
        coarse = browse.envelope(cut, found.id, cases.START_NS, last, 10)
        assert len(coarse.times_ns) <= 20 + 2 * len(pieces)
        if not np.isnan(values).all():
            assert np.nanmax(coarse.maximum) == np.nanmax(values)
            assert np.nanmin(coarse.minimum) == np.nanmin(values)


def test_series_of_a_table_share_what_they_have_in_common(project: Project) -> None:
    for device in ("ssd1", "ssd2"):
        store(project, device_batch(device, 0, counting(10)))
    first, second = browse.list_series(project)
    assert first.device != second.device
    for name in ("run", "host", "tool", "native", "metric", "unit", "first_ns"):
        assert getattr(first, name) is getattr(second, name), name


def test_a_sample_is_traced_to_its_own_file_and_line(project: Project) -> None:
    first = store(project, device_batch("ssd2", 0, counting(10)))
    second = store(project, device_batch("ssd2", 10, counting(10)))
    (info,) = browse.list_series(project)
    assert info.artefact_ids == (first, second)
    early = browse.value_at(project, info.id, cases.START_NS + 3 * NS)
    late = browse.value_at(project, info.id, cases.START_NS + 13 * NS)
    assert early is not None
    assert late is not None
    assert (early.artefact_id, early.line_number, early.value) == (first, 4, 3.5)
    assert (late.artefact_id, late.line_number, late.value) == (second, 14, 3.5)


def test_no_gap_where_files_follow_within_the_interval_and_one_where_a_day_is_missing(project: Project) -> None:
    for first in (0, 100, 250):
        store(project, device_batch("ssd2", first, counting(100)))
    (info,) = browse.list_series(project)
    drawn = browse.envelope(project, info.id, cases.START_NS, cases.START_NS + 350 * NS, 1000)
    breaks = drawn.times_ns[np.isnan(drawn.maximum)]
    assert [(int(at) - cases.START_NS) // NS for at in breaks] == [199]


def test_a_month_of_daily_files_is_drawn_with_a_few_questions(project: Project) -> None:
    """One query fetches all captures of a window: their number costs no round trips."""
    values = np.random.default_rng(3).normal(50, 9, 30 * 1440)
    for day in range(30):
        store(project, device_batch("ssd2", day * 1440, values[day * 1440 : (day + 1) * 1440]))
    (info,) = list_merged(project)
    asked: list[str] = []
    with project.reading() as connection:
        connection.set_trace_callback(asked.append)
    drawn = browse.envelope(project, info.id, cases.START_NS, cases.START_NS + 30 * 1440 * NS, 1000)
    with project.reading() as connection:
        connection.set_trace_callback(None)
    assert len(asked) <= 12, asked
    assert len(drawn.times_ns) <= 2 * 1000 + 2 * 30
    assert (drawn.minimum.min(), drawn.maximum.max()) == (values.min(), values.max())


def test_a_small_window_of_a_month_reads_its_own_captures_only(project: Project) -> None:
    for day in range(5):
        store(project, device_batch("ssd2", day * 100, counting(100)))
    (info,) = list_merged(project)
    drawn = browse.envelope(project, info.id, cases.START_NS + 210 * NS, cases.START_NS + 290 * NS, 500)
    rows = (drawn.times_ns - cases.START_NS) // NS
    assert (rows.min(), rows.max()) == (100, 399), "the capture itself and one on either side"


def test_runs_hosts_and_devices_stay_apart(project: Project) -> None:
    store(project, device_batch("ssd2", 0, counting(5)), device_batch("ssd3", 0, counting(5), "%b"))
    store(project, device_batch("ssd2", 5, counting(5)), run="after")
    store(project, device_batch("ssd2", 5, counting(5)), host="db2")
    assert len(list_merged(project)) == 4


def test_the_id_of_any_capture_finds_the_series(project: Project) -> None:
    store(project, device_batch("ssd2", 0, counting(5)))
    store(project, device_batch("ssd2", 5, counting(5)))
    (info,) = list_merged(project)
    assert [find_merged(project, id_).info.id for id_ in (1, 2)] == [info.id, info.id]
    with pytest.raises(UserError, match="series_missing"):
        find_merged(project, 3)


def test_what_two_captures_hold_counts_once(project: Project) -> None:
    """The second file is the first again, nine hours off (its zone), and longer."""
    first = store(project, device_batch("ssd2", 0, counting(100)))
    again = store(project, device_batch("ssd2", 0, counting(60), offset_s=9 * 3600))
    stretch = (cases.START_NS + 9 * 3600 * NS, cases.START_NS + (9 * 3600 + 59) * NS)
    replace_findings(
        project, [first, again], [CaptureOverlap(again, first, Relation.SAME, -9 * 3600 * NS, *stretch, 1)], {}
    )
    (info,) = list_merged(project)
    assert (info.count, info.artefact_ids) == (100, (first,))
    replace_choices(project, [again])
    (info,) = list_merged(project)
    assert (info.count, info.artefact_ids) == (100, (first, again))
    data = browse.series_data(project, info.id)
    assert sorted(data.values) == sorted(counting(100))
    assert int(data.times_ns[-1]) == stretch[1]


def test_a_renamed_device_is_one_series(project: Project) -> None:
    store(project, device_batch("sdb", 0, counting(50)))
    store(project, device_batch("sdc", 60, counting(50)))
    assert len(list_merged(project)) == 2
    host = ensure_host(project, "db1").id
    replace_aliases(project, host, [DeviceAlias("sdb", "/oradata"), DeviceAlias("sdc", "/oradata")])
    (info,) = list_merged(project)
    assert (info.label, info.count, info.alias) == ("sdb, sdc (/oradata) svc_t", 100, "/oradata")
    assert len(read_merged(project, find_merged(project, 2)).values) == 100
    replace_aliases(project, host, [])
    assert len(list_merged(project)) == 2


def test_an_alias_holds_for_its_period_only(project: Project) -> None:
    store(project, device_batch("sdb", 0, counting(100)))
    host, noon = ensure_host(project, "db1").id, cases.START_NS + 50 * NS
    replace_aliases(project, host, [DeviceAlias("sdb", "/oradata", None, noon - 1)])
    named, plain = list_merged(project)
    assert (named.label, named.count, named.id) == ("sdb (/oradata) svc_t", 50, 1)
    assert (plain.label, plain.count, plain.id) == ("sdb svc_t", 50, 1 + PIECE_STEP)
    assert browse.series_data(project, plain.id).times_ns[0] == noon
    assert browse.series_data(project, named.id).times_ns[-1] < noon


def test_devices_measured_at_once_stay_apart_under_one_name(project: Project) -> None:
    store(project, device_batch("sda", 0, counting(10)))
    store(project, device_batch("sdb", 0, counting(10)))
    host = ensure_host(project, "db1").id
    replace_aliases(project, host, [DeviceAlias("sda", "/u01"), DeviceAlias("sdb", "/u01")])
    assert [info.label for info in list_merged(project)] == ["sda (/u01 1) svc_t", "sdb (/u01 2) svc_t"]


@given(
    st.tuples(st.integers(0, 30), st.integers(0, 30)).map(lambda pair: (min(pair), max(pair))),
    st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)).map(lambda p: (min(p), max(p))), max_size=4),
)
def test_what_is_left_of_a_span(span: tuple[int, int], taken: list[tuple[int, int]]) -> None:
    left = without(span, taken)
    points = {x for start, end in left for x in range(start, end + 1)}
    gone = {x for start, end in taken for x in range(start, end + 1)}
    assert points == set(range(span[0], span[1] + 1)) - gone
    assert all(overlap_of(a, b) is None for a, b in pairwise(left))


def test_the_first_name_that_holds_counts() -> None:
    aliases = [DeviceAlias("sdb", "new", 10, 20), DeviceAlias("sdb", "old"), DeviceAlias("sdc", "other")]
    assert named_spans("sdb", aliases, (0, 30)) == [("old", (0, 9)), ("new", (10, 20)), ("old", (21, 30))]
    assert named_spans("sda", aliases, (0, 30)) == [("", (0, 30))]


def test_two_inventories_follow_a_disk_through_a_rename(project: Project) -> None:
    """sdb was /oradata before the reboot, sdc is it after; multipath and device numbers give names, too."""
    first = store(project, device_batch("sdb", 0, counting(50)))
    second = store(project, device_batch("sdc", 60, counting(50)))
    host, reboot = ensure_host(project, "db1").id, cases.START_NS + 55 * NS
    before = [
        SystemFact("disk", "sdb KNAME", "sdb"),
        SystemFact("disk", "sdb MOUNTPOINT", "/oradata"),
        SystemFact("disk", "sda KNAME", "sda"),
        SystemFact("disk", "sda MAJ:MIN", "8:0"),
        SystemFact("disk", "sda MOUNTPOINT", "[SWAP]"),
    ]
    after = [
        SystemFact("disk", "sdc KNAME", "sdc"),
        SystemFact("disk", "sdc MOUNTPOINT", "/oradata"),
        SystemFact("disk", "sdb KNAME", "sdb"),
        SystemFact("disk", "sdb MOUNTPOINT", "/backup"),
        SystemFact("multipath", "mpatha device", "dm-2"),
        SystemFact("lvm", "vg-redo", "253:7"),
    ]
    write_facts(project, first, host, cases.START_NS, before)
    write_facts(project, second, host, reboot, after)
    names = {(each.device, each.name): each.span for each in names_of_devices(project)[host]}
    assert names["sdb", "/oradata"][1] == reboot - 1
    assert names["sdb", "/backup"][0] == reboot
    assert {name for name in names if name[0] not in ("sdb", "sdc")} == {
        ("dev8-0", "sda"),
        ("dm-2", "mpatha"),
        ("dev253-7", "vg-redo"),
        ("dm-7", "vg-redo"),
    }
    replace_aliases(project, host, [])
    (info,) = list_merged(project)
    assert (info.label, info.count) == ("sdb, sdc (/oradata) svc_t", 100)


@pytest.mark.parametrize(
    ("span", "kept"),
    [
        ((0, 39), [0, 1, 2, 3]),
        ((10, 39), [1, 2, 3]),
        ((11, 39), [2, 3]),
        ((0, 29), [0, 1, 2]),
        ((0, 28), [0, 1]),
        ((10, 19), [1]),
    ],
)
def test_bins_that_lie_in_what_counts_of_a_capture_are_drawn_up_to_both_its_edges(
    span: tuple[int, int], kept: list[int]
) -> None:
    """Four bins of ten stamps each; both ends of a span belong to it."""
    starts = np.arange(0, 40, 10)
    figures = np.arange(4.0)
    envelope = Envelope(starts, starts + 9, figures, figures, figures, 10)
    part = Part(1, 1, 1, "", span, True, span, *span, 1.0, 40, 40, 0)
    assert _inside(envelope, part).mean.tolist() == kept
    assert _inside(envelope, replace(part, cut=False)) is envelope
