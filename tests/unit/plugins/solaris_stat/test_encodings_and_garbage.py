"""Line ends, marks, UTF-16, garbage and a torn end: for every parser of Solaris and the BSDs the figures stay."""

from __future__ import annotations

import codecs

import pytest

from tests.conftest import ROOT

FIXTURES = ROOT / "tests" / "fixtures"
CAPTURES = [
    ("solaris_stat", "mpstat:MpstatParser", "solaris_stat/mpstat-holes.txt"),
    ("solaris_stat", "prstat:PrstatParser", "solaris_stat/prstat-Z.txt"),
    ("solaris_stat", "kstat:KstatParser", "solaris_stat/kstat-Tu.txt"),
    ("solaris_system", "configuration:ConfigurationParser", "solaris_system/fstyp-v.txt"),
    ("solaris_system", "swap:SwapParser", "solaris_system/swap-s-loop.txt"),
    ("solaris_system", "iostat_errors:IostatErrorsParser", "solaris_system/iostat-En-loop.txt"),
    ("solaris_system", "netstat_interfaces:NetstatInterfacesParser", "solaris_system/netstat-i-loop.txt"),
    ("bsd_stat", "vmstat:VmstatParser", "bsd/vmstat-loop.txt"),
    ("bsd_stat", "iostat:IostatParser", "bsd/iostat-x-freebsd.txt"),
    ("bsd_stat", "iostat:IostatParser", "bsd/iostat-freebsd.txt"),
    ("bsd_stat", "gstat:GstatParser", "bsd/gstat-loop.txt"),
    ("bsd_stat", "netstat_interfaces:NetstatInterfacesParser", "bsd/netstat-ibn-loop.txt"),
    ("bsd_stat", "top:TopParser", "bsd/top-loop.txt"),
    ("bsd_stat", "vmstat_counters:VmstatCountersParser", "bsd/vmstat-s-freebsd.txt"),
    ("bsd_stat", "swapinfo:SwapinfoParser", "bsd/swapinfo-loop.txt"),
    ("bsd_stat", "macos_sar:SarParser", "bsd/sar-macos.txt"),
    ("bsd_stat", "vm_stat:VmStatParser", "bsd/vm_stat-macos-1.txt"),
]
FORMS = {
    "crlf": lambda text: text.replace(b"\n", b"\r\n"),
    "bom": lambda text: codecs.BOM_UTF8 + text,
    "utf-16": lambda text: text.decode().encode("utf-16"),
    "no last line end": lambda text: text.rstrip(b"\n"),
}


@pytest.mark.parametrize(("folder", "entry", "name"), CAPTURES, ids=[one[2] for one in CAPTURES])
def test_the_form_of_the_text_changes_nothing(load, read, folder, entry, name):
    """But that in a capture of ours, and of kstat, a last line without an end was cut off."""
    text = (FIXTURES / name).read_bytes()
    parser = load(folder, entry)
    plain = read(parser, text, interval_s=10.0)
    for form, change in FORMS.items():
        assert parser.sniff(change(text), "capture.txt") > 0.5, form
        if form == "no last line end" and (text.startswith(b"@tunebench") or "kstat" in name):
            continue
        changed = read(parser, change(text), piece=23, interval_s=10.0)
        assert changed.samples == plain.samples, form
        assert changed.ledger.lines.balanced, form


@pytest.mark.parametrize(("folder", "entry", "name"), CAPTURES, ids=[one[2] for one in CAPTURES])
def test_a_torn_end_is_booked_and_invents_nothing(load, read, folder, entry, name):
    text = (FIXTURES / name).read_bytes()
    parser = load(folder, entry)
    whole = read(parser, text, interval_s=10.0)
    for length in range(len(text) // 2, len(text), max(1, len(text) // 60)):
        torn = read(parser, text[:length], interval_s=10.0)
        assert torn.ledger.lines.balanced
        for key, samples in torn.samples.items():
            assert {*samples} <= {*whole.samples.get(key, ())}


@pytest.mark.parametrize(("folder", "entry", "name"), CAPTURES, ids=[one[2] for one in CAPTURES])
def test_words_of_people_between_the_blocks_are_booked(load, read, folder, entry, name):
    text = (FIXTURES / name).read_bytes()
    notes = "=== 튜닝 전 측정 ===\n측정자: 홍길동\n".encode()
    found = read(load(folder, entry), notes + text + notes.decode().encode("cp949"), interval_s=10.0)
    assert found.ledger.lines.balanced
    assert sum(found.skipped().values()) >= (2 if "configuration" in entry else 4)
    assert found.samples or "configuration" in entry
