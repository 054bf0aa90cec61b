"""Captures that carry TuneBench's own frames: the files of the customer's script, and every live stream."""

from __future__ import annotations

from pathlib import Path

from tests.e2e.conftest import Command
from tests.program import compose
from tunebench.store import artefacts, sessions
from tunebench.usecases import browse, projects

HEADING = (
    "procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu----- -----timestamp-----\n"
    " r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st                 KST\n"
)
FIRST = HEADING + (
    " 3  0      0 22522420  93504 1538244    0    0   525  2355  277  599 25  4 71  0  0 2026-11-21 12:20:52\n"
    " 3  0      0 22522420  93504 1538244    0    0   404     8 5741 19236 20 39 41  0  0 2026-11-21 12:20:53\n"
    " 4  0      0 22522420  93504 1538244    0    0     0     0 3563 29967 37 35 28  0  0 2026-11-21 12:20:54\n"
)
SECOND = HEADING + (
    " 1  0      0 22522420  93504 1538244    0    0   111   222  333  444 55  6 39  0  0 2026-11-21 12:21:02\n"
    " 2  0      0 22522420  93504 1538244    0    0     0     4 2230 14323 15 20 64  1  0 2026-11-21 12:21:03\n"
)
TORN = " 9  0      0 22522420  93504 1538244    0    0     0     4 2230 14323 15 20 64  1  0 2026-11-21 12:21:0"


def begin(pid: int, utc: str, local: str) -> str:
    return f"@tunebench 1a2b3c4d begin id=db01/linux.vmstat pid={pid} interval=1 utc={utc} local={local} zone=KST\n"


FRAMED = (
    "Welcome to db01\n"
    + begin(4711, "2026-11-21T03:20:52.000000001Z", "2026-11-21T12:20:52")
    + FIRST
    + "\n@tunebench 1a2b3c4d end exit=0 utc=2026-11-21T03:20:54.500Z\n"
    + "0m0.010s 0m0.002s\n0m0.120s 0m0.200s\n@tunebench 1a2b3c4d over\n"
    + begin(4800, "2026-11-21T03:21:02Z", "2026-11-21T12:21:02")
    + SECOND
    + TORN
)


def imported(project: Path, tmp_path: Path, tunebench: Command, text: str = FRAMED) -> dict:
    capture = tmp_path / "stream.txt"
    capture.write_text(text)
    answer = tunebench("import", project, capture, "--run", "live", "--host", "db01", "--json")
    assert answer.code == 0, answer.err
    return answer.json["files"][0]


def test_every_line_is_accounted_for(project: Path, tmp_path: Path, tunebench: Command) -> None:
    file = imported(project, tmp_path, tunebench)
    assert (file["parser"], file["state"]) == ("linux.vmstat", "imported")
    lines = file["lines"]
    assert lines["total"] == FRAMED.count("\n") + 1 == 18
    assert lines["data"] == 5
    assert lines["header"] == 4 + 7  # two headings; two begins, end with its blank line, two of times, over
    assert {skip["reason"]: skip["count"] for skip in file["skipped"]} == {"preamble": 1, "torn_line": 1}
    assert lines["total"] == sum(lines[kind] for kind in ("data", "header", "blank", "skipped"))


def test_half_a_line_is_never_read_as_a_value(project: Path, tmp_path: Path, tunebench: Command) -> None:
    imported(project, tmp_path, tunebench)
    series = tunebench("data", project, "--series", _series_id(project, tunebench, "r"), "--format", "json").json
    assert series["series"][0]["values"] == [3, 4, 2]  # rows since boot are left out, 9 was torn


def test_each_start_has_its_since_boot_row(project: Path, tmp_path: Path, tunebench: Command) -> None:
    imported(project, tmp_path, tunebench)
    compose()
    opened = projects.open_(project, read_only=True)
    try:
        (info,) = browse.list_series(opened, match="cs")
        data = browse.series_data(opened, info.id)
        assert data.since_boot.tolist() == [True, False, False, True, False]
        assert data.line_numbers.tolist() == [5, 6, 7, 16, 17]
        assert browse.statistics(opened, info.id).n == 3
        evidence = browse.evidence(opened, info.id, int(data.times_ns[-1]), around=0)
        assert evidence.lines == (SECOND.splitlines()[-1],)
    finally:
        projects.close(opened)


def test_segments_are_kept(project: Path, tmp_path: Path, tunebench: Command) -> None:
    imported(project, tmp_path, tunebench)
    opened = projects.open_(project, read_only=True)
    try:
        (info,) = artefacts.list_artefacts(opened)
        first, second = sessions.read_segments(opened, info.id)
        raw = b"".join(artefacts.read_artefact(opened, info.id))
        assert raw[first.first_byte : first.end_byte].decode() == FIRST
        assert raw[second.first_byte : second.end_byte].decode() == SECOND + TORN
        assert (first.exit_status, first.cpu_s, first.pid) == (0, 0.332, 4711)
        assert (second.exit_status, second.ended_ns, second.first_line) == (None, None, 14)
    finally:
        projects.close(opened)


def test_a_zone_that_nobody_named_comes_from_the_begin_marker(tmp_path: Path, tunebench: Command) -> None:
    """vmstat's EST says nothing for sure; the marker's two times do: five hours behind UTC."""
    project = tmp_path / "far.tune"
    tunebench("new", project, "--customer", "ACME", "--zone", "Asia/Seoul")
    text = (
        "@tunebench 1a2b3c4d begin id=x/linux.mpstat pid=1 interval=1 utc=2026-11-21T17:00:00Z"
        " local=2026-11-21T12:00:00 zone=EST\n"
        "Linux 6.1.0 (x) \t11/21/26 \t_x86_64_\t(2 CPU)\n\n"
        "12:00:01     CPU    %usr   %nice    %sys %iowait    %irq   %soft  %steal  %guest  %gnice   %idle\n"
        "12:00:02     all   10.00    0.00    1.00    0.00    0.00    0.00    0.00    0.00    0.00   89.00\n"
    )
    file = imported(project, tmp_path, tunebench, text)
    assert file["first"] == "2026-11-22T02:00:02+09:00"  # 17:00:02 UTC


def _series_id(project: Path, tunebench: Command, native: str) -> int:
    return next(s["id"] for s in tunebench("series", project, "--json").json if s["native"] == native)
