"""Every capture at hand: never an exception, every line accounted for, the same in pieces, claimed by one."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

ROOT = Path(__file__).resolve().parents[3]
FIXTURES = ROOT / "tests" / "fixtures"
CORPUS = ROOT.parent / "shared" / "corpus"

PARSERS = {
    "iostat": ("linux_stat", "iostat:IostatParser"),
    "iostat_json": ("linux_stat", "iostat_json:IostatJsonParser"),
    "vmstat": ("linux_stat", "vmstat:VmstatParser"),
    "vmstat_tables": ("linux_stat", "vmstat_tables:VmstatTablesParser"),
    "vmstat_counters": ("linux_stat", "vmstat_counters:VmstatCountersParser"),
    "mpstat": ("linux_stat", "mpstat:MpstatParser"),
    "mpstat_json": ("linux_stat", "mpstat_json:MpstatJsonParser"),
    "pgbench_log": ("pgbench", "aggregate_log:PgbenchLogParser"),
    "pgbench": ("pgbench", "output:PgbenchOutputParser"),
}
FOLDERS = {
    "made/iostat": "iostat", "made/mpstat": "mpstat", "wild/iostat-linux": "iostat", "wild/iostat-linux-x": "iostat",
    "wild/iostat-json": "iostat_json", "wild/vmstat-linux": "vmstat", "wild/vmstat-d": "vmstat_tables",
    "wild/mpstat-linux": "mpstat", "wild/mpstat-json": "mpstat_json", "made/vmstat": "vmstat",
}  # fmt: skip
NOT_OF_THEIR_FOLDER = {"irqtop": None, "sadf-j": None}


def expected_parser(path: Path) -> str | None:
    """Which parser a file is for, from its folder and name alone."""
    for ending in NOT_OF_THEIR_FOLDER:
        if path.name.endswith(ending):
            return None
    name = path.name
    if path.suffix == ".json":
        return f"{name[:6]}_json" if "/made/" in str(path) else FOLDERS[f"wild/{path.parent.name}"]
    option = re.match(r"vmstat-([dsDmpf]+)[.t-]", name)
    if option and "wild" not in path.parts:
        return "vmstat_tables" if option[1][0] in "dmp" else "vmstat_counters"
    return FOLDERS.get(f"{path.parent.parent.name}/{path.parent.name}")


def own_files() -> list[Path]:
    return [path for folder in FOLDERS for path in sorted((CORPUS / folder).glob("*"))]


OWN = own_files()
LINUX = sorted((FIXTURES / "linux").glob("*"))
corpus_only = pytest.mark.skipif(not OWN, reason="the capture corpus is not beside the project")


def name_of(path: Path) -> str:
    return f"{path.parent.name}/{path.name[-40:]}"


def best(load, data: bytes, name: str) -> tuple[str | None, dict[str, float]]:
    scores = {parser: load(*entry).sniff(data[:65536], name) for parser, entry in PARSERS.items()}
    claims = {parser: score for parser, score in scores.items() if score > 0}
    return (max(claims, key=lambda parser: claims[parser]) if claims else None), claims


@corpus_only
@pytest.mark.parametrize("path", OWN, ids=name_of)
def test_each_corpus_file_is_claimed_by_its_own_parser_alone(load, path):
    _, claims = best(load, path.read_bytes(), path.name)
    wanted = expected_parser(path)
    assert list(claims) == ([wanted] if wanted else [])


@corpus_only
def test_no_file_of_another_kind_is_claimed(load):
    """Solaris, AIX, BSD, sar, pidstat, nmon, binaries ... : all of the corpus besides."""
    own = set(OWN)
    claimed = {}
    for path in sorted(CORPUS.glob("*/*/*")):
        if path in own or not path.is_file() or path.name == "collect_script.txt":  # it holds both, one below the other
            continue
        _, claims = best(load, path.read_bytes()[:65536], path.name)
        if claims:
            claimed[f"{path.parent.name}/{path.name}"] = claims
    allowed = {"loop-date-iostat.txt": "iostat", "loop-date-vmstat.txt": "vmstat"}
    for name, claims in claimed.items():
        kind = allowed.get(name.partition("/")[2]) or ("pgbench" if name.startswith("pgbench/") else None)
        kind = kind or next((tool for tool in ("iostat", "vmstat", "mpstat") if tool in name.lower()), None)
        assert kind is not None and list(claims) == [kind], (name, claims)


@pytest.mark.parametrize("path", LINUX, ids=name_of)
def test_each_fixture_is_claimed_by_one_parser(load, path):
    _, claims = best(load, path.read_bytes(), path.name)
    assert len(claims) == 1, claims
    if path.stem.split(".")[0] == "vmstat-f":
        assert list(claims) == ["vmstat_counters"]


@pytest.mark.parametrize("path", [*OWN, *LINUX], ids=name_of)
def test_every_line_is_accounted_for_and_pieces_do_not_matter(load, read, path):
    data = path.read_bytes()
    parser, _ = best(load, data, path.name)
    if parser is None:
        parser = "mpstat"  # a stranger's file must not hurt
    parser_class = load(*PARSERS[parser])
    whole = read(parser_class, data, file_name=path.name)
    assert whole.ledger.lines.balanced, whole.ledger.lines
    assert whole.ledger.lines.total == len(data.removesuffix(b"\n").split(b"\n")) if data else True
    pieces = (1, 7, 331) if len(data) < 6000 else (61, 4093)
    for piece in pieces:
        split = read(parser_class, data, piece=piece, file_name=path.name)
        assert split.ledger == whole.ledger
        assert split.samples == whole.samples
        assert list(split.events) == list(whole.events)


@pytest.mark.parametrize("path", OWN, ids=name_of)
def test_nothing_of_a_clean_capture_is_left_out(load, read, path):
    """Averages at the end apart, real tools' output has no line that the parser does not understand."""
    data = path.read_bytes()
    parser, _ = best(load, data, path.name)
    if parser is not None:
        assert set(read(load(*PARSERS[parser]), data).skipped()) <= {"average"}


DAMAGED = [
    "iostat-xt.txt",
    "iostat-xth.txt",
    "vmstat-wt.txt",
    "mpstat-A.txt",
    "vmstat-d-2-3.txt",
    "vmstat-s.txt",
    "iostat-t-json.json",
    "mpstat-A.json",
    "iostat-xt.ko_KR.txt",
    "vmstat-awk.txt",
    "loop-date-iostat.txt",
]


@settings(max_examples=60)
@given(data=st.data())
@pytest.mark.parametrize("name", DAMAGED)
def test_damage_is_booked_not_raised(load, read, name, data):
    content = bytearray((FIXTURES / "linux" / name).read_bytes())
    parser, _ = best(load, bytes(content), name)
    assert parser is not None
    start = data.draw(st.integers(0, len(content)))
    end = data.draw(st.integers(start, min(len(content), start + 300)))
    content[start:end] = data.draw(st.binary(max_size=40))
    cut = bytes(content[: data.draw(st.integers(0, len(content)))])
    piece = data.draw(st.integers(1, 500))
    whole = read(load(*PARSERS[parser]), cut, file_name=name)
    split = read(load(*PARSERS[parser]), cut, piece=piece, file_name=name)
    assert whole.ledger.lines.balanced
    assert split.ledger == whole.ledger
    assert split.samples == whole.samples


@settings(max_examples=150)
@given(
    text=st.text(alphabet=" \t\n\r0123456789.,:-/%#CPUDeviceavg-cpu:rbLinux()년월일시분초", max_size=400),
    parser=st.sampled_from(sorted(PARSERS)),
)
def test_arbitrary_text_never_raises(load, read, text, parser):
    assert read(load(*PARSERS[parser]), text.encode()).ledger.lines.balanced


def test_binaries_and_prose_are_nobodys(load):
    prose = b"The iostat tool prints Device and avg-cpu: lines.\nUse vmstat 1 to watch r b swpd free.\n" * 20
    for data in (
        b"\x7fELF" + bytes(range(256)) * 50,
        prose,
        b"",
        b"\n\n",
        b"1,2,3\n4,5,6\n",
        b"{}",
        b'{"sysstat": {}}',
    ):
        assert best(load, data, "x")[1] == {}
