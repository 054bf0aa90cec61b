"""The captures that the founding documents print, as runs of a project: each step of the swap demonstration its own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from tunebench.domain.engagement import Engagement
from tunebench.store.project import Project
from tunebench.usecases import projects
from tunebench.usecases.importing import imports
from tunebench.usecases.importing.results import ImportOptions

FOUNDING = Path(__file__).resolve().parents[2] / "fixtures" / "founding"
RUNS = {
    "since-boot": "iostat_since_boot.txt",
    "read-6": "iostat_read_maxcontig_6.txt",
    "read-128": "iostat_read_maxcontig_128.txt",
    "write-6": "iostat_write_maxcontig_6.txt",
    "write-128": "iostat_write_maxcontig_128.txt",
    "dnlc": "vmstat_s_dnlc.txt",
}
STEPS = range(10)
"""Steps 0 to 7 of document 003; the captures 8 and 9 are step 7 and what follows it."""


@contextmanager
def founding_project(folder: Path) -> Iterator[Project]:
    """One run per test of document 000, and run ``swap``: a capture each ten minutes."""
    with projects.create(folder / "founding.tune", Engagement("tuning", "ACME")) as project:
        for hour, (run, name) in enumerate(RUNS.items()):
            _take(project, FOUNDING / name, run, "svrdb1", datetime(2008, 2, 1, hour))
        for capture in range(1, 10):
            _take(project, swap_capture(capture), "swap", "swaphost", datetime(2008, 2, 2, 9, capture * 6))
        yield project


def swap_capture(number: int) -> Path:
    """Capture 1 is step 0, capture 4 step 3."""
    return FOUNDING / f"vmstat_swap_{number}.txt"


def _take(project: Project, path: Path, run: str, host: str, start: datetime) -> None:
    said = ImportOptions(run=run, host=host, zone="Asia/Seoul", start=start)
    report = imports.import_captures(project, [path], said)
    assert report.complete, [file.error for file in report.files]
