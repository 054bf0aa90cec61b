"""AIX and HP-UX parsers on damaged, re-encoded and foreign text: every line accounted for, never an exception."""

from __future__ import annotations

import math
import random
import re
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.plugins.conftest import PLUGINS, load_parser, read_capture

FIXTURES = PLUGINS.parent / "tests" / "fixtures"
ENTRIES = {
    "aix/vmstat_s": "aix_stat vmstat_counters:VmstatCountersParser",
    "aix/vmstat_v": "aix_stat vmstat_counters:VmstatCountersParser",
    "aix/vmstat": "aix_stat vmstat:VmstatParser",
    "aix/iostat_D": "aix_stat iostat_extended:IostatExtendedParser",
    "aix/iostat": "aix_stat iostat:IostatParser",
    "aix/lparstat": "aix_stat lparstat:LparstatParser",
    "aix/mpstat": "aix_stat mpstat:MpstatParser",
    "aix/sar": "aix_stat sar:SarParser",
    "aix/svmon": "aix_stat svmon:SvmonParser",
    "aix/lsps": "aix_stat lsps:LspsParser",
    "hpux/sar": "hpux_stat sar:SarParser",
    "hpux/vmstat_s": "hpux_stat vmstat_counters:VmstatCountersParser",
    "hpux/vmstat": "hpux_stat vmstat:VmstatParser",
    "hpux/iostat": "hpux_stat iostat:IostatParser",
    "hpux/swapinfo": "hpux_stat swapinfo:SwapinfoParser",
    "aix/netstat": "aix_stat netstat_interfaces:NetstatInterfacesParser",
    "hpux/netstat": "hpux_stat netstat_interfaces:NetstatInterfacesParser",
}
SHARED_T = {"aix/vmstat_shared_t.txt": "aix_stat vmstat:VmstatParser"}
FILES = sorted(path for folder in ("aix", "hpux") for path in (FIXTURES / folder).glob("*.txt"))
PARSERS = sorted(set(ENTRIES.values()))
CONTEXT: dict[str, Any] = {"start": datetime(2026, 1, 1), "interval_s": 5.0, "date": date(2026, 1, 1)}


def name_of(path: Path) -> str:
    return f"{path.parent.name}/{path.name}"


def entry_of(path: Path) -> str:
    """The parser a fixture is for, from its name alone."""
    name = name_of(path)
    if name in SHARED_T:
        return SHARED_T[name]
    return next(entry for start, entry in ENTRIES.items() if name.startswith(start))


def parser_of(entry: str):
    return load_parser(*entry.split())


def content(reading) -> dict:
    return {
        key: sorted((row.line, row.time_ns, row.value, row.since_boot) for row in rows)
        for key, rows in reading.samples.items()
        if rows
    }


def read(entry: str, data: bytes, piece: int = 1 << 20):
    reading = read_capture(parser_of(entry), data, piece, **CONTEXT)
    lines = reading.ledger.lines
    assert lines.balanced, (lines, reading.skipped())
    assert min(lines.data, lines.header, lines.blank, lines.skipped) >= 0
    return reading


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_a_fixture_is_read_whole_and_claimed_by_its_parser(path):
    reading = read(entry_of(path), path.read_bytes())
    assert set(reading.skipped()) <= {"average"}
    assert reading.ledger.lines.data > 0
    claims = {entry: parser_of(entry).sniff(path.read_bytes(), path.name) for entry in PARSERS}
    assert max(claims, key=lambda entry: claims[entry]) == entry_of(path)
    assert [entry for entry, confidence in claims.items() if confidence > 0.3] == [entry_of(path)]


@pytest.mark.parametrize("path", FILES, ids=name_of)
@pytest.mark.parametrize("piece", [1, 97])
def test_the_pieces_boundaries_do_not_matter(path, piece):
    data = path.read_bytes()
    whole, pieces = read(entry_of(path), data), read(entry_of(path), data, piece)
    assert content(pieces) == content(whole)
    assert pieces.ledger == whole.ledger
    assert list(pieces.events) == list(whole.events)


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_other_encodings_of_the_text(path):
    data = path.read_bytes()
    expected = content(read(entry_of(path), data))
    for changed in (data.replace(b"\n", b"\r\n"), b"\xef\xbb\xbf" + data, data.decode().encode("utf-16")):
        assert content(read(entry_of(path), changed)) == expected
        assert parser_of(entry_of(path)).sniff(changed, path.name) > 0.9


WITH_DECIMALS = [path for path in FILES if not path.name.startswith(("svmon", "lparstat_i", "netstat"))]


@pytest.mark.parametrize("path", WITH_DECIMALS, ids=name_of)
def test_a_decimal_comma_is_a_decimal_point(path):
    data = path.read_bytes()
    commas = re.sub(rb"(?<=\d)\.(?=\d+[KMSH%]?(?:\s|$))", b",", data)
    assert content(read(entry_of(path), commas)) == content(read(entry_of(path), data))


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_a_capture_cut_anywhere(path):
    data = path.read_bytes()
    whole = content(read(entry_of(path), data))
    times = {row[1] for rows in whole.values() for row in rows}
    step = max(1, len(data) // 60)
    for end in range(1, len(data), step):
        for rows in content(read(entry_of(path), data[:end])).values():
            assert all(row[1] in times and math.isfinite(row[2]) for row in rows)


NOISE = [b"", b"-", b"root@db1 # ls -l", b"\xc7\xd1\xb1\xdb \xb8\xde\xbd\xc3\xc1\xf6", b"a\0b", b"1795245021",
         b"System configuration: lcpu=2", b"@tunebench at 2026-11-21T02:48:00Z", b"hdisk0 1 2", b"9" * 400,
         b"Sat Nov 21 16:15:32 KST 2026", b"10:00:00", b"Average", b"cpu", b"r b avm fre re pi", b"%user %sys %wait %idle",
         b"00:00:00 cpu %usr", b"hdisk0 xfer: %tm_act bps tps", b"Disks: % tm_act Kbps", b"all is well",
         b"AIX h 2 7 00F93CFF4C00    99/99/99", b"HP-UX h B.11.31 U ia64 13/13/13", b"Proc0 Proc1", b"0.1% 0.2%"]  # fmt: skip


@pytest.mark.parametrize("entry", PARSERS)
@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_spliced_text_is_accounted_for(entry, seed):
    chance = random.Random(seed)
    lines = [line for path in chance.sample(FILES, 3) for line in path.read_bytes().split(b"\n")]
    lines += [line for path in FILES if entry_of(path) == entry for line in path.read_bytes().split(b"\n")] * 2
    lines += NOISE
    for _ in range(chance.randrange(12)):
        index = chance.randrange(len(lines))
        cells = lines[index].split(b" ")
        chance.shuffle(cells)
        lines[index] = b" ".join(cells)
    start = chance.randrange(len(lines))
    picked = lines[start:] + [chance.choice(lines) for _ in range(40)]
    whole = read(entry, b"\n".join(picked))
    assert content(read(entry, b"\n".join(picked), 64)) == content(whole)


@pytest.mark.parametrize("entry", PARSERS)
def test_memory_does_not_grow_with_headings_that_never_repeat(entry):
    parser = parser_of(entry)
    headings = b"".join(
        b" r  b   avm   fre  re  pi%d\n00:00:00 cpu a%d/s\nDisks: %% tm_act Kbps x%d\n" % (i, i, i) for i in range(3000)
    )
    reading = read_capture(parser, headings, **CONTEXT)
    assert reading.ledger.lines.balanced


OWN_KINDS = {"vmstat-aix", "sar-hpux", "aix", "hpux"}


def others() -> list[Path]:
    places = [FIXTURES, *(FIXTURES.parents[2] / "shared" / "corpus" / name for name in ("made", "wild"))]
    return [path for place in places if place.is_dir() for path in sorted(place.rglob("*")) if path.is_file()]


def test_no_capture_of_another_tool_is_claimed():
    claimed = []
    for path in others():
        if path.parent.name in OWN_KINDS or "fake_hosts" in path.parts:
            continue
        with path.open("rb") as file:
            head = file.read(65536)
        claimed += [(path.name, entry) for entry in PARSERS if parser_of(entry).sniff(head, path.name) > 0.3]
    assert claimed == []
