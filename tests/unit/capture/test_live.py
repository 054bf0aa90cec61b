"""Watching a stream: its journal first, then what comes; no line over a gap.

The reader of vmstat gives a row when the next one has begun: the newest row sent is always the one not yet seen.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from tunebench.capture.frames import cut_line
from tunebench.capture.live import LiveReader, LiveTail, TableRing, live_tail
from tunebench.capture.settings import CaptureSettings
from tunebench.capture.spool import Spool
from tunebench.capture.stream import StreamRun
from tunebench.domain.capturing.plan import CapturePlan, CommandKind, PlannedCommand
from tunebench.plughost.host import PluginHost
from tunebench.sdk.batches import SampleBatch, SeriesKey

NONCE = "0011aabb"
HEADER = (
    b"procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu----- -----timestamp-----\n"
    b" r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st                 UTC\n"
)
COMMAND = PlannedCommand(
    "db01/linux.vmstat",
    "db01",
    "linux.vmstat",
    CommandKind.STREAM,
    "vmstat -n -t 1 600",
    "x",
    "",
    "",
    parser="linux.vmstat",
    interval_s=1.0,
    count=600,
)
PLAN = CapturePlan(NONCE, "2026-11-21T00:00:00+00:00", "r", "before", (), (COMMAND,), 1.0, 600.0)


def begin(second: int) -> bytes:
    stamp = f"2026-11-21T03:00:{second:02d}"
    return (
        f"@tunebench {NONCE} begin id=db01/linux.vmstat pid=1 interval=1 utc={stamp}Z local={stamp} zone=UTC\n".encode()
    )


def row(second: int, free: int) -> bytes:
    return (
        f" 1  0      0 {free} 118952 213346    0    0     0   652 3107 1174 56 17 26  1  0 2026-11-21 03:00:{second:02d}\n"
    ).encode()


def column(tail: LiveTail, native: str) -> list[float]:
    (table,) = [each for each in tail.read().tables if any(key.native == native for key in each.series)]
    at = next(number for number, key in enumerate(table.series) if key.native == native)
    return [float(value) for value in table.values[:, at]]


class Kit:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.plugins = PluginHost()
        self.tails: list[LiveTail] = []
        self.again()

    def again(self) -> None:
        self.spool = Spool(self.folder, CaptureSettings(free_bytes=0, syncs_per_s=1000.0), lambda error: None)
        self.spool.start()
        self.run = StreamRun(COMMAND, "host-001", NONCE, self.spool, lambda message: None, CaptureSettings())

    def starts(self) -> None:
        self.start = self.run.new_start()

    def sends(self, data: bytes) -> None:
        self.start.received(data, 1_795_230_000_000_000_000)
        assert self.spool.flush(10.0)

    def watch(self) -> LiveTail:
        tail = live_tail(self.run, self.folder / "host-001", self.plugins, PLAN)
        self.tails.append(tail)
        return tail


@pytest.fixture
def kit(tmp_path: Path) -> Iterator[Kit]:
    made = Kit(tmp_path)
    yield made
    made.spool.close()


def test_what_came_before_is_there_and_what_comes_follows(kit: Kit) -> None:
    kit.starts()
    kit.sends(begin(0) + HEADER + row(0, 99) + row(1, 100) + row(2, 101) + row(3, 102))
    tail = kit.watch()
    assert column(tail, "free") == [100, 101, 102]  # the first row is an average since boot
    kit.sends(row(4, 103)[:40])
    assert column(tail, "free") == [100, 101, 102]
    kit.sends(row(4, 103)[40:] + row(5, 104))
    assert column(tail, "free") == [100, 101, 102, 103, 104]


def test_nothing_is_shown_twice_where_the_journal_and_the_tail_meet(kit: Kit) -> None:
    kit.starts()
    kit.sends(begin(0) + HEADER + row(0, 99))
    tail = kit.watch()
    kit.sends(row(1, 100) + row(2, 101) + row(3, 102))  # in the journal and put aside for the tail as well
    assert column(tail, "free") == [100, 101, 102]
    assert column(tail, "free") == [100, 101, 102]


def test_another_start_breaks_the_line(kit: Kit) -> None:
    kit.starts()
    kit.sends(begin(0) + HEADER + row(0, 99) + row(1, 100) + row(2, 101)[:30])
    tail = kit.watch()
    kit.starts()
    kit.sends(cut_line(NONCE) + begin(5) + HEADER + row(5, 99) + row(6, 102) + row(7, 103))
    values = column(tail, "free")
    assert values[0] == 100  # the torn row is half a line and not read
    assert np.isnan(values[1])
    assert values[2:] == [102, 103]


def test_a_missing_stretch_breaks_the_line(kit: Kit) -> None:
    kit.starts()
    tail = kit.watch()
    kit.sends(begin(0) + HEADER + row(0, 99) + row(1, 100) + row(2, 101) + row(9, 102) + row(10, 103))
    values = column(tail, "free")
    assert values[:2] == [100, 101]
    assert np.isnan(values[2])
    assert values[3] == 102


def test_nobody_who_stopped_watching_costs_anything(kit: Kit) -> None:
    kit.starts()
    tail = kit.watch()
    kit.sends(begin(0) + HEADER + row(0, 99))
    tail.read()
    tail.close()
    assert kit.run.listeners == ()


def test_who_looks_away_too_long_reads_the_journal_again(kit: Kit, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tunebench.capture.live._QUEUE_BYTES", 200)
    kit.starts()
    tail = kit.watch()
    kit.sends(begin(0) + HEADER + row(0, 99))
    tail.read()
    for second in range(1, 20):
        kit.sends(row(second, 100 + second))
    assert not tail._queue
    assert column(tail, "free") == [100 + second for second in range(1, 20)]


def test_a_stream_without_a_reader_says_so(kit: Kit) -> None:
    other = PlannedCommand("db01/x", "db01", "x", CommandKind.STREAM, "x", "x", "", "", interval_s=1.0)
    run = StreamRun(other, "host-001", NONCE, kit.spool, lambda message: None, CaptureSettings())
    view = live_tail(run, kit.folder / "host-001", kit.plugins, PLAN).read()
    assert view.error_key == "capture_no_reader"
    assert view.tables == ()


KEY = SeriesKey("t", "a")


def batch(times_s: list[int], keys: tuple[SeriesKey, ...] = (KEY,)) -> SampleBatch:
    n, m = len(times_s), len(keys)
    times = np.array(times_s, np.int64) * 10**9
    values = np.repeat(np.array(times_s, float)[:, None], m, axis=1)
    return SampleBatch("t", times, keys, values, np.zeros(n, bool), np.arange(1, n + 1, dtype=np.int64))


def test_only_the_last_rows_are_kept() -> None:
    ring = TableRing("t", 10)
    for second in range(95):
        ring.append(batch([second]), 2 * 10**9)
    view = ring.view()
    assert list(view.times_ns // 10**9) == list(range(85, 95))
    assert view.values.shape == (10, 1)


def test_a_device_that_appears_later_has_no_past() -> None:
    ring, second_key = TableRing("t", 10), SeriesKey("t", "a", (("device", "sdb"),))
    ring.append(batch([1, 2]), 2 * 10**9)
    ring.append(batch([3], (KEY, second_key)), 2 * 10**9)
    values = ring.view().values
    assert np.isnan(values[:2, 1]).all()
    assert values[2, 1] == 3


def test_a_clock_that_was_set_back_does_not_turn_the_axis() -> None:
    ring = TableRing("t", 10)
    ring.append(batch([1, 2, 3, 2, 3, 4]), 2 * 10**9)
    assert list(ring.view().times_ns // 10**9) == [1, 2, 3, 4]


def test_a_reader_of_another_plan_takes_nothing(kit: Kit) -> None:
    entry = kit.plugins.parser("linux.vmstat")
    assert entry is not None
    reader = LiveReader(entry, COMMAND, PLAN)
    reader.feed(begin(0).replace(NONCE.encode(), b"ffffffff") + HEADER + row(0, 1) + row(1, 2))
    assert reader.rings == {}
