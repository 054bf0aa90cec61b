"""What the AIX and HP-UX probes bring home, in our frames: recognised, dated by the frame, and nothing is asked."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from tests.conftest import ROOT
from tunebench.capture.ingest import scout
from tunebench.capture.readings import reading_of
from tunebench.core.paths import builtin_plugins_folder
from tunebench.plughost.host import PluginHost
from tunebench.plughost.listing import Origin
from tunebench.plughost.plugin_folders import SearchFolder
from tunebench.sdk import ParseContext

FIXTURES = ROOT / "tests" / "fixtures"
BEGIN = (
    b"Last login: Sat Nov 21 from 10.1.1.1\n"
    b"@tunebench 4f1c0a7e begin id=db1/x pid=77 interval=5 utc=2026-11-21T02:48:00Z local=2026-11-21T11:48:00 zone=KST\n"
)
AT = b"@tunebench at 2026-11-21T02:48:%02dZ\n"
END = b"\n@tunebench 4f1c0a7e end exit=0 utc=2026-11-21T02:53:00Z\n0m0.01s 0m0.02s\n0m0.00s 0m0.00s\n@tunebench 4f1c0a7e over\n"
STREAMS = {
    "aix/vmstat_shared_t.txt": "aix.vmstat",
    "aix/iostat_DlT.txt": "aix.iostat_d",
    "aix/iostat_T.txt": "aix.iostat",
    "aix/lparstat_app.txt": "aix.lparstat",
    "aix/mpstat.txt": "aix.mpstat",
    "aix/sar.txt": "aix.sar",
    "hpux/vmstat.txt": "hpux.vmstat",
    "hpux/iostat.txt": "hpux.iostat",
    "hpux/sar_M.txt": "hpux.sar",
    "hpux/sar_wv.txt": "hpux.sar",
}
LOOPS = {
    "aix/svmon_G.txt": "aix.svmon",
    "aix/lsps_a.txt": "aix.lsps",
    "aix/netstat_in.txt": "aix.netstat_i",
    "hpux/swapinfo_tam.txt": "hpux.swapinfo",
    "hpux/netstat_in.txt": "hpux.netstat_i",
}


@cache
def host() -> PluginHost:
    return PluginHost([SearchFolder(builtin_plugins_folder(), Origin.BUILTIN)])


def read_framed(parser_id: str, data: bytes):
    entry = host().parser(parser_id)
    assert entry is not None
    context = ParseContext(file_name="capture", zone=ZoneInfo("Asia/Seoul"), zone_source="host")
    reading = reading_of(entry, context, data, scout(entry, data, context).needs)
    batches = [*reading.feed(data), *reading.finish()]
    return reading, batches


@pytest.mark.parametrize("name", [*STREAMS, *LOOPS])
def test_a_framed_capture_is_recognised_and_asks_nothing(name):
    parser_id = (STREAMS | LOOPS)[name]
    body = (FIXTURES / name).read_bytes()
    payload = AT % 0 + body + AT % 30 + body if name in LOOPS else body
    data = BEGIN + payload + END
    assert host().recognise(data[:65536], Path(name).name)[0].entry.id == parser_id
    reading, batches = read_framed(parser_id, data)
    ledger = reading.ledger()
    assert ledger.lines.balanced and ledger.lines.data > 0
    assert ledger.needs == ()
    assert {one.reason for one in ledger.skipped} <= {"average", "preamble"}
    assert sum(len(batch.times_ns) for batch in batches) > 0


@pytest.mark.parametrize("name", ["hpux/vmstat.txt", "hpux/iostat.txt", "aix/lparstat_app.txt"])
def test_blocks_without_a_time_count_from_the_frame(name):
    _, batches = read_framed(STREAMS[name], BEGIN + (FIXTURES / name).read_bytes() + END)
    times = sorted({time for batch in batches for time in batch.times_ns.tolist()})
    start = datetime(2026, 11, 21, 2, 48, tzinfo=UTC).timestamp()
    assert [time / 1e9 - start for time in times[:2]] == [0, 5]


def test_the_clock_of_the_tool_has_the_day_of_the_frame():
    _, batches = read_framed("aix.iostat_d", BEGIN + (FIXTURES / "aix/iostat_DlT.txt").read_bytes() + END)
    times = sorted({time for batch in batches for time in batch.times_ns.tolist()})
    moments = [f"{datetime.fromtimestamp(time / 1e9, UTC):%Y-%m-%d %H:%M:%S}" for time in times]
    assert moments == ["2026-11-21 02:44:31", "2026-11-21 02:44:32"]  # 11:44:31 in Seoul
