"""A run of several daily files is compared as one, against figures worked out by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.conftest import Command, iostat_capture
from tunebench.usecases import projects
from tunebench.usecases.reports import success_case as reports

DAYS = {"before": (("2026-07-18", 70.0), ("2026-07-19", 80.0)), "after": (("2026-07-25", 10.0), ("2026-07-26", 20.0))}


@pytest.fixture
def week(project: Path, tmp_path: Path, tunebench: Command) -> Path:
    """Two daily captures a side; the later day is imported first."""
    for phase, days in DAYS.items():
        for day, user in reversed(days):
            path = tmp_path / phase / f"iostat-{day}.txt"
            path.parent.mkdir(exist_ok=True)
            path.write_text(iostat_capture(day, 6 if day.endswith(("18", "25")) else 4, user, 30.0))
            answer = tunebench("import", project, path, "--run", phase, "--phase", phase, "--lang", "en")
            assert answer.code == 0, answer.err
    return project


def test_daily_files_compare_as_one_row(week: Path, tunebench: Command) -> None:
    found = tunebench("compare", week, "--before", "before", "--after", "after", "--json").json
    (user,) = [row for row in found["series"] if row["native"] == "%user"]
    # The first block of a file is since boot. Before: 71..75 and 81..83 of 8 samples; after: 11..15 and 21..23.
    assert (user["before"]["n"], user["after"]["n"]) == (5 + 3, 5 + 3)
    assert user["before"]["mean"] == pytest.approx((71 + 72 + 73 + 74 + 75 + 81 + 82 + 83) / 8)
    assert user["after"]["mean"] == pytest.approx((11 + 12 + 13 + 14 + 15 + 21 + 22 + 23) / 8)
    assert (user["before"]["max"], user["after"]["max"]) == (83.0, 23.0)


def test_files_that_overlap_count_no_instant_twice(project: Path, tmp_path: Path, tunebench: Command) -> None:
    for name, minutes, user in (("long", 6, 70.0), ("short", 4, 80.0), ("other", 3, 10.0)):
        path = tmp_path / f"{name}.txt"
        path.write_text(iostat_capture("2026-07-19", minutes, user, 30.0))
        phase = "after" if name == "other" else "before"
        assert tunebench("import", project, path, "--run", phase, "--phase", phase, "--lang", "en").code == 0
    found = tunebench("compare", project, "--before", "before", "--after", "after", "--json").json
    (user,) = [row for row in found["series"] if row["native"] == "%user"]
    assert (user["before"]["n"], user["before"]["mean"]) == (5, 73.0)  # 71..75 of the file that came first


def test_the_report_names_every_capture_and_draws_them_all(week: Path) -> None:
    opened = projects.open_(week, read_only=True)
    try:
        case = reports.build_case(opened, "en")
    finally:
        projects.close(opened)
    day_of = {entry.key: entry.file for entry in case.evidence}
    (row,) = [row for row in case.comparison if row.label.endswith("%user")]
    assert [day_of[key] for key in row.before_evidence] == ["iostat-2026-07-18.txt", "iostat-2026-07-19.txt"]
    assert [day_of[key] for key in row.after_evidence] == ["iostat-2026-07-25.txt", "iostat-2026-07-26.txt"]
    (busy,) = [series for series in case.series if series.label.startswith("CPU") and series.axis_maximum == 100.0]
    assert busy.before is not None and busy.before.summary.n == 8
    # 100 - %idle, %idle = 97 - %user: %user + 3.
    assert busy.before.summary.mean == pytest.approx((71 + 72 + 73 + 74 + 75 + 81 + 82 + 83) / 8 + 3)
    assert len(busy.before.evidence) == len(busy.after.evidence) == 2  # type: ignore[union-attr]
