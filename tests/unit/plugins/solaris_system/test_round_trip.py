"""What the probes of Solaris and FreeBSD capture is read, framed, by the parsers they name."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tunebench.capture.readings import FramedReading
from tunebench.core.paths import builtin_plugins_folder
from tunebench.domain.capturing.plan import CommandKind
from tunebench.plughost.host import PluginHost
from tunebench.plughost.listing import Origin
from tunebench.plughost.plugin_folders import SearchFolder
from tunebench.sdk import ParseContext
from tunebench.sdk.probes import Probe

FIXTURES = ROOT / "tests" / "fixtures"
FAKES = FIXTURES / "fake_hosts" / "sunos" / "data"
PRINTED = {
    "solaris.mpstat": FIXTURES / "solaris_stat" / "mpstat-holes.txt",
    "solaris.prstat": FIXTURES / "solaris_stat" / "prstat-Z.txt",
    "solaris.prstat_micro": FIXTURES / "solaris_stat" / "prstat-mLc.txt",
    "solaris.kstat": FIXTURES / "solaris_stat" / "kstat-Tu.txt",
    "solaris.swap_s": FIXTURES / "solaris_system" / "swap-s-loop.txt",
    "solaris.netstat_i": FIXTURES / "solaris_system" / "netstat-i-loop.txt",
    "solaris.fstyp_device": FIXTURES / "solaris_system" / "fstyp-v.txt",
    "freebsd.vmstat": FIXTURES / "bsd" / "vmstat-freebsd.txt",
    "freebsd.iostat": FIXTURES / "bsd" / "iostat-x-freebsd.txt",
    "freebsd.gstat": FIXTURES / "bsd" / "gstat-loop.txt",
    "freebsd.vmstat_s": FIXTURES / "bsd" / "vmstat-s-freebsd.txt",
    "freebsd.netstat_i": FIXTURES / "bsd" / "netstat-ibn-loop.txt",
    "freebsd.top": FIXTURES / "bsd" / "top-loop.txt",
    "freebsd.swapinfo": FIXTURES / "bsd" / "swapinfo-loop.txt",
}
BEGIN = (
    b"@tunebench 4f1c0a7e begin id=h/x pid=77 interval=5 utc=2026-11-21T02:47:59Z local=2026-11-21T11:47:59 zone=KST\n"
)
END = b"\n@tunebench 4f1c0a7e end exit=0 utc=2026-11-21T02:53:00Z\n0m0.00s 0m0.00s\n0m0.01s 0m0.02s\n@tunebench 4f1c0a7e over\n"


@cache
def host() -> PluginHost:
    return PluginHost([SearchFolder(builtin_plugins_folder(), Origin.BUILTIN)])


def probes() -> dict[str, Probe]:
    return {probe.id: probe for probe in host().probes() if probe.os in (("sunos",), ("freebsd",))}


def framed(path: Path, starts: int = 1) -> bytes:
    return b"Last login: Sat Nov 21\n" + (BEGIN + path.read_bytes() + END) * starts


def test_every_probe_names_its_parser():
    assert {probe.id for probe in probes().values() if not probe.parser} == set()


@pytest.mark.parametrize("probe_id", PRINTED)
def test_a_framed_capture_is_read_by_the_parser_that_its_probe_names(probe_id):
    probe = probes()[probe_id]
    entry = host().parser(probe.parser)
    assert entry is not None
    reading = FramedReading(entry, ParseContext(), ())
    capture = framed(PRINTED[probe_id])
    batches = [*reading.feed(capture), *reading.finish()]
    ledger = reading.ledger()
    assert ledger.lines.balanced
    assert ledger.lines.total == len(capture.split(b"\n")) - capture.endswith(b"\n")
    assert ledger.lines.data > 0
    assert ledger.needs == ()  # the frame knows start, interval and zone
    assert {one.reason for one in ledger.skipped} <= {"preamble", "wrapper", "message"}
    if probe.kind is CommandKind.ONCE:
        (found,) = reading.facts()
        assert ("disk", "maxcontig", "6") in {(fact.section, fact.name, fact.value) for fact in found.facts}
        assert found.moment_ns == 1_795_229_279 * 10**9  # date -u -d 2026-11-21T02:47:59Z +%s
    else:
        assert sum(len(batch.times_ns) for batch in batches) > 0


def test_each_start_of_a_stream_begins_with_an_average_since_boot():
    for probe_id in ("solaris.mpstat", "freebsd.vmstat", "freebsd.iostat"):
        entry = host().parser(probes()[probe_id].parser)
        assert entry is not None
        reading = FramedReading(entry, ParseContext(), ())
        batches = [*reading.feed(framed(PRINTED[probe_id], starts=2)), *reading.finish()]
        tables = {batch.table for batch in batches}
        assert sum(int(batch.since_boot.sum()) for batch in batches) == 2 * len(tables), probe_id
