"""A capture whose rows were not kept is no plain success; the rows are counted in its bytes by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.e2e.conftest import Command

LOSSES = ROOT / "tests" / "fixtures" / "losses"


@pytest.mark.parametrize(
    ("name", "lost"),
    [
        ("sadf-without-a-brace.json", 17),  # lines of its two samples, in which no brace closes "network"
        ("dstat-heading-cut.csv", 3),  # rows of more cells than there are headings
    ],
)
def test_a_capture_of_which_nothing_was_kept_is_done_partly(
    project: Path, tunebench: Command, name: str, lost: int
) -> None:
    answer = tunebench("import", project, LOSSES / name, "--json")
    (file,) = answer.json["files"]
    assert (file["state"], file["series"], file["rows_lost"]) == ("imported", 0, lost)
    assert file["warnings"] == ["nothing_kept"]
    assert answer.code == 4


@pytest.mark.parametrize(
    ("language", "words"), [("en", "None of the capture's numbers was kept"), ("ko", "수치를 하나도")]
)
def test_the_account_says_how_many(project: Path, tunebench: Command, language: str, words: str) -> None:
    answer = tunebench("import", project, LOSSES / "dstat-heading-cut.csv", "--lang", language)
    (line,) = [line for line in answer.out.splitlines() if words in line]
    assert ": 3" in line


def test_rows_without_a_heading_are_a_warning(project: Path, tunebench: Command) -> None:
    """nmon 14 put a snapshot into the heading of VM: its two rows have no heading."""
    answer = tunebench("import", project, LOSSES / "nmon-vm-heading-with-snapshot.nmon", "--json")
    (file,) = answer.json["files"]
    assert (file["series"], file["rows_lost"], file["warnings"], answer.code) == (6, 2, ["rows_lost"], 0)


def test_errors_without_a_colon_are_read(project: Path, tunebench: Command) -> None:
    """sysbench-tpcc prints ``err/s 1.00``: 1, 0 and 2 errors per second."""
    tunebench("import", project, LOSSES / "sysbench-err-without-colon.txt")
    (errors,) = [
        each for each in tunebench("series", project, "--json").json if each["native"] == "interval_errors_per_s"
    ]
    (series,) = tunebench("data", project, "--series", errors["id"], "--format", "json").json["series"]
    assert series["values"] == [1.0, 0.0, 2.0]


def test_a_whole_capture_has_no_such_warning(project: Path, tunebench: Command) -> None:
    answer = tunebench("import", project, ROOT / "tests" / "fixtures" / "linux" / "vmstat.txt", "--json")
    (file,) = answer.json["files"]
    assert (file["rows_lost"], file["warnings"], answer.code) == (0, [], 0)


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", "0 of 1 files imported. Files of whose numbers none was kept: 1. Rows of numbers lost: 17."),
        ("ko", "1개 파일 중 0개를 가져왔습니다. 보관된 수치가 없는 파일: 1개. 잃은 수치 행: 17개."),
    ],
)
def test_the_closing_line_says_that_nothing_was_kept(
    project: Path, tunebench: Command, language: str, words: str
) -> None:
    answer = tunebench("import", project, LOSSES / "sadf-without-a-brace.json", "--lang", language)
    assert any(words in line for line in answer.out.splitlines()), answer.out


def test_the_closing_line_says_what_was_lost_of_a_capture_that_was_kept(project: Path, tunebench: Command) -> None:
    answer = tunebench("import", project, LOSSES / "nmon-vm-heading-with-snapshot.nmon", "--lang", "en")
    assert any(line.endswith("1 of 1 files imported. Rows of numbers lost: 2.") for line in answer.out.splitlines())
