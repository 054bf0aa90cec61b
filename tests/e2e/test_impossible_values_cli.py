"""What cannot have been measured is named, and is in no figure; the right values are those of the captures' text."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.e2e.conftest import Command

WRAPPED = ROOT / "tests" / "fixtures" / "impossible" / "sysbench-wrapped-rate.txt"

IOSTAT = """Linux 5.14.0 (db01) \t03/02/2026 \t_x86_64_\t(4 CPU)

"""
BLOCK = """03/02/2026 10:00:{second:02d} AM
avg-cpu:  %user   %nice %system %iowait  %steal   %idle
          {user}    0.00    1.00    0.00    0.00   50.00

Device            r/s     rkB/s     w/s     wkB/s  %util
sda           {reads}    100.00    1.00     10.00  {util}

"""


def values(tunebench: Command, project: Path, native: str) -> list[float | None]:
    (one,) = [each for each in tunebench("series", project, "--json").json if each["native"] == native]
    (series,) = tunebench("data", project, "--series", one["id"], "--format", "json").json["series"]
    return [None if value is None else float(value) for value in series["values"]]


def test_a_wrapped_rate_is_kept_in_the_capture_alone(project: Path, tunebench: Command) -> None:
    """sysbench printed 64-bit wraps for tps, reads and writes in line 19; its response time there is right."""
    answer = tunebench("import", project, WRAPPED, "--json")
    (file,) = answer.json["files"]
    assert file["impossible"] == {"count": 3, "first_line": 19, "example": "interval_reads_per_s 1.84468e+19"}
    assert "impossible_values" in file["warnings"]
    assert values(tunebench, project, "interval_tps") == [1390.5, 1385.03, None]
    (tps,) = [each for each in tunebench("series", project, "--json").json if each["native"] == "interval_tps"]
    assert (tps["count"], tps["mean"], tps["max"]) == (2, pytest.approx((1390.50 + 1385.03) / 2), 1390.50)


@pytest.mark.parametrize(
    ("language", "words"), [("en", "cannot have been measured: 3"), ("ko", "측정될 수 없는 값: 3개")]
)
def test_the_account_says_so(project: Path, tunebench: Command, language: str, words: str) -> None:
    answer = tunebench("import", project, WRAPPED, "--lang", language)
    (line,) = [line for line in answer.out.splitlines() if words in line]
    assert "19" in line


def test_shares_and_counts_have_bounds(project: Path, tunebench: Command, tmp_path: Path) -> None:
    """A busy share of 100.6 % is jitter; 4,294,967 % and -3 reads a second are none."""
    rows = [(10.0, 20.0, 30.0), (20.0, 21.0, 4294967.3), (-7.0, -3.0, 100.6), (30.0, 22.0, 32.0), (40.0, 23.0, 33.0)]
    text = IOSTAT + "".join(
        BLOCK.format(second=second, user=f"{user:8.2f}", reads=f"{reads:8.2f}", util=f"{util:8.2f}")
        for second, (user, reads, util) in enumerate(rows)
    )
    capture = tmp_path / "iostat.txt"
    capture.write_text(text)
    (file,) = tunebench("import", project, capture, "--json").json["files"]
    assert file["impossible"]["count"] == 3
    lines = text.splitlines()
    assert "4294967.30" in lines[file["impossible"]["first_line"] - 1]
    assert values(tunebench, project, "%util") == [None, 100.6, 32.0, 33.0]
    assert values(tunebench, project, "%user") == [20.0, None, 30.0, 40.0]
    assert values(tunebench, project, "r/s") == [21.0, None, 22.0, 23.0]
