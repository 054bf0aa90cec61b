"""Binary sar files: who wrote them, and that each prints what the `sadf` of the sysstat that wrote it prints."""

from __future__ import annotations

import lzma
import os
import re
import shutil
import struct
import subprocess
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.unit.plugins.conftest import Reading, load_parser, read_capture
from tunebench.core.messages import catalogue
from tunebench.plughost.catalogue import MetricCatalogue
from tunebench.transport.containers.members import Damaged
from tunebench.transport.sar.document import SarText
from tunebench.transport.sar.formats import SaFormat, command_for_server, refusal, sa_format

RECORDING = ROOT / "tests" / "fixtures" / "sadf" / "sa21"
VERSIONS = ROOT / "tests" / "fixtures" / "sadf" / "versions"
JSON = load_parser("sysstat_sadf", "sadf_json:SadfJsonParser")
ROWS = load_parser("sysstat_sadf", "delimited:SadfDelimitedParser")
Values = dict[tuple[object, ...], float]

NOT_TAKEN = {"device svctm", "device avgrq-sz", "device avgqu-sz", "device rd_sec", "device wr_sec", "tcp_errors retrseg",
             "memory frmpg", "memory bufpg", "memory campg"}  # fmt: skip
"""What some versions print besides: old units of the same, changes of gauges, another name of retrans."""
OURS_ALONE = {
    "paging vmeff-percent",
    "tcp_errors retrans",
    "device rkB",
    "device wkB",
    "device areq-sz",
    "device aqu-sz",
}


def text_of(data: bytes, piece: int = 1 << 16) -> tuple[bytes, SarText]:
    found = sa_format(data[:400])
    assert found is not None
    text = SarText((data[start : start + piece] for start in range(0, len(data), piece)), found)
    return b"".join(text), text


def values(text: bytes) -> Values:
    """(time, table, column, attributes) -> value, as the parser of ``sadf -j`` reads it."""
    reading = read_capture(JSON, named_alike(text))
    return {
        (sample.time_ns, f"{key.table} {key.native}", *key.attributes): sample.value
        for key, samples in reading.samples.items()
        for sample in samples
    }


def named_alike(text: bytes) -> bytes:
    """New `sadf` looks names of disks up on the machine it runs on (vda was 254-0 there), old ones know no names."""
    return re.sub(rb"\bvda\b", b"dev254-0", text.replace(b"dev7-0", b"loop0"))


def compare(ours: bytes, theirs: bytes) -> int:
    """Every value under the same name is the same; the names that differ are known. How many were the same."""
    own, other = values(ours), values(theirs)
    same = own.keys() & other.keys()
    assert [(key, own[key], other[key]) for key in same if own[key] != other[key]] == []
    assert {str(key[1]) for key in other.keys() - own.keys()} <= NOT_TAKEN
    assert {str(key[1]) for key in own.keys() - other.keys()} <= OURS_ALONE
    return len(same)


# --- which file it is
def head(mark: str, *, size: int = 400) -> bytes:
    return bytes.fromhex(mark).ljust(size, b"\0")


def old_head(place: int, word: bytes) -> bytes:
    """The header of sysstat 4 to 8.1.2: small counts, the format word, the date, the system's name."""
    data = bytearray(400)
    data[place : place + 2] = word
    data[place + 8 : place + 14] = b"Linux\0"
    return bytes(data)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (head("96d57521 0c060100 50010000"), SaFormat(0x2175, False, "12.6.1")),
        (head("96d57521 0c010700"), SaFormat(0x2175, False, "12.1.7")),
        (head("d5962175 0b050500 00000148"), SaFormat(0x2175, True, "11.5.5")),
        (head("96d57321 0b000300"), SaFormat(0x2173, False, "11.0.3")),
        (head("96d57121 0a010500"), SaFormat(0x2171, False, "10.1.5")),
        (head("96d57021 09000400"), SaFormat(0x2170, False, "9.0.4")),
        (head("96d57011 09000400"), SaFormat(0x1170, False, "9.0.4")),
        (head("96d57521 0c060102"), SaFormat(0x2175, False, "12.6.1.2")),
        (old_head(36, b"\x69\x21"), SaFormat(0x2169, False, "4.1.6-8.1.2")),
        (old_head(40, b"\x21\x6e"), SaFormat(0x216E, True, "4.1.6-8.1.2")),
    ],
)
def test_the_header_says_who_wrote_the_file(data: bytes, expected: SaFormat) -> None:
    assert sa_format(data) == expected
    assert expected.is_readable == (expected.word not in (0x2169, 0x216E))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x96",
        b"\x96\xd5\x75",
        b"Linux 5.4 (host) 11/21/26\n\n16:10:13 CPU %user\n",
        bytes(400),
        b"\xfd7zXZ\0" + bytes(100),
        b"\x7fELF" + bytes(100),
        b"\x96\xd6\x75\x21" + bytes(100),
        bytes(36) + b"\x69\x21" + bytes(100),
    ],
)
def test_other_files_are_no_binary_sar_files(data: bytes) -> None:
    assert sa_format(data) is None


def test_the_server_is_asked_for_json_where_its_sadf_can() -> None:
    new, old, oldest = SaFormat(0x2175, False, "12.6.1"), SaFormat(0x2170, False, "9.0.4"), old_head(36, b"\x69\x21")
    assert command_for_server(new, "/mnt/x/sa21") == "LC_ALL=C sadf -j sa21 -- -A > sa21.json"
    assert command_for_server(old, "sa07") == "LC_ALL=C sar -A -f sa07 > sa07.txt"
    known = sa_format(oldest)
    assert known is not None
    assert command_for_server(known, "sa07") == "LC_ALL=C sar -A -f sa07 > sa07.txt"


@pytest.mark.parametrize("language", ["en", "ko"])
def test_a_refusal_names_the_writer_and_the_command(language: str) -> None:
    error = refusal("sa_other_version", SaFormat(0x2169, False, "4.1.6-8.1.2"), "/mnt/sa07")
    sentence = catalogue(language).text(f"error.{error.key}", **error.facts)
    assert all(part in sentence for part in ("/mnt/sa07", "4.1.6-8.1.2", "sar -A -f sa07"))


# --- the same as sysstat's own programs
@pytest.mark.parametrize(
    ("version", "least"),
    [("10.1.5", 2848), ("11.0.8", 2920), ("11.6.6", 3020), ("11.7.1", 3020), ("12.0.6", 3020), ("12.5.5", 3124),
     ("12.7.5", 1872), ("12.7.9", 1872)],
)  # fmt: skip
def test_every_value_is_that_of_the_sadf_of_the_version_that_wrote_the_file(version: str, least: int) -> None:
    data = lzma.decompress((VERSIONS / f"sa-{version}.xz").read_bytes())
    theirs = lzma.decompress((VERSIONS / f"sadf-{version}-j.json.xz").read_bytes())
    ours, text = text_of(data)
    assert compare(ours, theirs) >= least
    assert (text.damage, text.unread, text.samples) == (None, [], 4)
    for mark in (b'"boot": {', b'"com": "pool 1G -> 2G"', b'"nodename": "', b'"release": "', b'"machine": "'):
        assert ours.count(mark) == theirs.count(mark) > 0


def test_a_file_of_sysstat_9_gives_what_its_own_sadf_prints() -> None:
    """Its `sadf` has no JSON: the rows of -d, by the metrics of both. Disks are in sectors there, to two decimals."""
    data = lzma.decompress((VERSIONS / "sa-9.1.5.xz").read_bytes())
    rows = named_alike(lzma.decompress((VERSIONS / "sadf-9.1.5-d.txt.xz").read_bytes()))
    own, other = by_metric(read_capture(JSON, text_of(data)[0])), by_metric(read_capture(ROWS, rows))
    same = own.keys() & other.keys()
    assert len(same) >= 2100
    far = [key for key in same if abs(own[key] - other[key]) > (5.2 if "disk" in str(key[1]) else 0)]
    assert far == []
    left = {str(key[1]) for key in other.keys() - own.keys()}
    assert left <= {"system.memory.page_change", "system.disk.service_time"}


def by_metric(reading: Reading) -> Values:
    metrics = MetricCatalogue.load()
    found: Values = {}
    for key, samples in reading.samples.items():
        traits = metrics.describe("sar", "linux", key.table, key.native, dict(key.attributes), "")
        place = traits.metric, *sorted({**dict(key.attributes), **dict(traits.implied)}.items())
        found |= {(sample.time_ns, *place): round(sample.value * traits.to_base, 6) for sample in samples}
    return found


def test_this_machines_sadf_says_the_same(corpus: Path) -> None:
    program = shutil.which("sadf")
    if program is None:
        pytest.skip("sysstat's sadf is not installed here")
    own_version = subprocess.run([program, "-V"], capture_output=True, text=True, check=True).stdout
    if "12.6.1" not in own_version:
        pytest.skip("the files were compared with sadf 12.6.1")
    env = {"PATH": os.environ["PATH"], "LC_ALL": "C", "TZ": "UTC"}
    for path in (RECORDING, corpus / "wild" / "sa-binary" / "sysstat+sysstat__tests_data-12.0.0"):
        printed = subprocess.run([program, "-j", "-C", str(path), "--", "-A"], env=env, capture_output=True, check=True)
        own, other = values(text_of(path.read_bytes())[0]), values(printed.stdout)
        assert [key for key in own.keys() & other.keys() if own[key] != other[key]] == []
        missing = {str(key[1]) for key in other.keys() - own.keys()}
        # 12.0.0 kept no discards, no backlog and no reserved pages: sadf prints 0 for them
        never = {"device dkB", "softnet blg_len", "io dtps", "io bdscd", "huge_pages hugrsvd", "huge_pages hugsurp"}
        assert missing <= (never if path != RECORDING else set())


# --- other machines: a file written out here
def made(
    order: str,
    long: int,
    *,
    uptimes: tuple[int, int] = (5000, 5400),
    extras: bytes = b"",
    kinds: tuple[int, ...] = (1, 1, 0),
    more: bytes = b"",
) -> bytes:
    """Format 0x2175: task creation and context switches, twice; 4 seconds between, a restart and a remark behind."""

    def pack(form: str, *numbers: int) -> bytes:
        return struct.pack(order + form, *numbers)

    def sample(uptime: int, seconds: int, switches: int, tasks: int) -> bytes:
        header = pack("QQI4B", uptime, seconds, 1 if extras else 0, 1, 7, 10, 13)
        number = pack("Q" if long == 8 else "I4x", tasks)
        return header + extras + pack("Q", switches) + number + more

    ints = (3, 1, 126, 0, 0, 9, 2, 0, 1, 36, 24, 0)
    names = b"".join(name.ljust(65, b"\0") for name in (b"Linux", b"db01", b"2.6.32", b"ppc64"))
    header = pack("Q", 1_766_000_000) + pack("Q" if long == 8 else "I4x", 100) + pack("12I", *ints)
    header += bytes([21, 11, long]) + names + b"KST".ljust(8, b"\0")
    magic = pack("HH", 0xD596, 0x2175) + bytes([12, 7, 5, 0]) + pack("5I", len(header), 0, 1, 1, 12) + bytes(48)
    activity = pack("IIiiiiIII", 2, 0x8B, 1, 1, 0, 16 + len(more), *kinds)
    restart = pack("QQI4B", 9, 1_766_000_030, 0, 2, 7, 10, 43) + pack("i", 5)
    remark = pack("QQI4B", 9, 1_766_000_040, 0, 4, 7, 10, 53) + b'a "b"\0'.ljust(64, b"\0")
    wrapped = 2**32 - 300 if long == 4 else 2**64 - 300
    first = sample(uptimes[0], 1_766_000_000, 1000, wrapped)
    return magic + header + activity + first + sample(uptimes[1], 1_766_000_004, 1410, 100) + restart + remark


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("long", [4, 8])
def test_byte_order_and_width_of_a_long(order: str, long: int) -> None:
    """410 switches in 4 s; the tasks' counter wraps at its own width: 400 in 4 s."""
    for piece in (1, 7, 1 << 16):
        text, found = text_of(made(order, long), piece)
        assert b'"process-and-context-switch": {"cswch": 102.50, "proc": 100.00}' in sorted_members(text)
        assert found.samples == 1 and found.damage is None
    assert b'"boot": {"date": "2025-12-17", "time": "19:33:50", "tz": "UTC", "cpu_count": 4}' in text
    assert b'"com": "a .b."' in text and b'"timezone": "KST"' in text and b'"nodename": "db01"' in text


def sorted_members(text: bytes) -> bytes:
    return text.replace(b'{"proc": 100.00, "cswch": 102.50}', b'{"cswch": 102.50, "proc": 100.00}')


def test_extra_structures_are_passed_by() -> None:
    extras = struct.pack("<6I", 2, 16, 0, 1, 1, 0) + bytes(32)
    assert text_of(made("<", 8, extras=extras))[1].samples == 1


def test_counters_that_nobody_knows_are_named() -> None:
    """One long more than any sysstat of today writes: the two that are known are read."""
    text, found = text_of(made("<", 8, kinds=(1, 2, 0), more=bytes(8)))
    assert found.unread == [2] and b'"cswch": 102.50' in text


def with_processors(*samples: tuple[tuple[int, int], ...]) -> bytes:
    """Format 0x2175 with processors alone: user and idle ticks of each, a second between two samples."""
    whole = made("<", 8)
    header_bytes = struct.unpack_from("<I", whole, 8)[0]
    head = whole[: 76 + header_bytes]
    text = head + struct.pack("<IIiiiiIII", 1, 0x8B, 3, 1, 1, 80, 10, 0, 0)
    for second, processors in enumerate(samples):
        text += struct.pack("<QQI4B", 5000 + 100 * second, 1_766_000_000 + second, 0, 1, 7, 10, 13)
        text += struct.pack("<i", 1 + len(processors)) + struct.pack("<10Q", *[0] * 10)
        text += b"".join(struct.pack("<10Q", user, 0, 0, idle, 0, 0, 0, 0, 0, 0) for user, idle in processors)
    return text


@pytest.mark.parametrize("away", [((150, 950), (0, 0)), ((150, 950),)])
def test_a_processor_that_is_switched_off_is_left_out_and_nothing_jumps(away: tuple[tuple[int, int], ...]) -> None:
    """It is not printed while it is away; back again it goes on from what it had, where its place was kept."""
    text, found = text_of(with_processors(((100, 900), (50, 950)), away, ((170, 1030), (60, 990))))
    lines = [line for line in text.decode().splitlines() if line.startswith('{"cpu"')]
    shown = [(line.split('"')[3], re.findall(r'"(?:usr|idle)": ([\d.]+)', line)) for line in lines]
    assert shown[:2] == [("all", ["50.00", "50.00"]), ("0", ["50.00", "50.00"])]
    if len(away) == 2:
        # 20 + 10 of 100 + 50 ticks
        assert shown[2:] == [("all", ["20.00", "80.00"]), ("0", ["20.00", "80.00"]), ("1", ["20.00", "80.00"])]
    else:
        assert shown[2:] == [("all", ["20.00", "80.00"]), ("0", ["20.00", "80.00"])], (
            "of the other nothing is known yet"
        )
    assert (found.samples, found.damage) == (2, None)


def test_a_clock_that_went_back_begins_anew() -> None:
    text, found = text_of(made("<", 8, uptimes=(5000, 400)))
    assert found.samples == 0 and b"cswch" not in text


# --- damage
def test_a_file_cut_off_is_read_up_to_there() -> None:
    data = RECORDING.read_bytes()
    whole, _ = text_of(data)
    text, found = text_of(data[: len(data) // 2])
    assert found.damage is not None and found.damage.kind == "cut_off"
    assert 0 < found.samples < 18
    assert values(text).items() <= values(whole).items()


def test_a_record_that_cannot_be_ends_the_reading() -> None:
    data = bytearray(made("<", 8))
    place = data.rindex(bytes([1, 7, 10, 13]))
    data[place] = 99
    text, found = text_of(bytes(data))
    assert found.damage is not None and (found.damage.kind, found.damage.detail) == ("sar_contents", "record")
    assert text.endswith(b"}}\n")


def test_files_made_broken_by_sysstats_authors_are_damaged(corpus: Path) -> None:
    broken = sorted((corpus / "wild" / "sa-binary").glob("*-err"))
    assert len(broken) >= 5
    for path in broken:
        with pytest.raises(Damaged):
            text_of(path.read_bytes())
