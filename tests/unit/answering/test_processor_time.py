"""How busy processors were: what waits for a disk is no work of theirs."""

from __future__ import annotations

from contextlib import closing
from datetime import datetime
from pathlib import Path

import pytest

from tests.program import compose
from tests.unit.answering.made_answers import ZONE, answered
from tunebench.analysis.answering.resources import Family, Figure
from tunebench.analysis.inference.verdict import Verdict
from tunebench.domain.engagement import Engagement, Phase
from tunebench.usecases import projects
from tunebench.usecases.importing import imports
from tunebench.usecases.importing.results import ImportOptions

HEAD = (
    "procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----\n"
    " r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st\n"
)
DAYS = {Phase.BEFORE: (20, (1, -1)), Phase.AFTER: (27, (-1, 1))}


def vmstat(path: Path, user: int, waits: int, swings: tuple[int, int]) -> Path:
    """An hour of minutes after the row since boot; the load goes one up and one down in turn."""
    rows = (
        f" 1  0  0 500000  20000 300000  0  0  5  10  100  200 {user + swing}  2 {98 - user - swing - waits} {waits}  0"
        for swing in (0, *swings * 30)
    )
    path.write_text(HEAD + "\n".join(rows) + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("waits", "written"), [((0, 12), "100 − id − wa"), ((0, 0), "100 − id"), ((12, 0), "100 − id − wa")]
)
def test_time_that_is_waited_for_disks_is_not_busy(tmp_path: Path, waits: tuple[int, int], written: str) -> None:
    cpu = busy_of(measured(tmp_path, (20, 20), waits))
    assert cpu.lead.native == written
    sides = (cpu.lead.before_statistics, cpu.lead.after_statistics)
    assert [side.mean for side in sides if side is not None] == pytest.approx([22.0, 22.0])


def test_waits_that_never_move_hide_no_change(tmp_path: Path) -> None:
    """5 % all the time on both sides; the users' part falls from 40 to 20 %: 53 idle before, 73 after."""
    cpu = busy_of(measured(tmp_path, (40, 20), (5, 5)))
    assert (cpu.lead.native, cpu.lead.verdict, cpu.lead.reason) == ("100 − id", Verdict.IMPROVED, "")
    sides = (cpu.lead.before_statistics, cpu.lead.after_statistics)
    assert [side.mean for side in sides if side is not None] == pytest.approx([47.0, 27.0])


def measured(folder: Path, users: tuple[int, int], waits: tuple[int, int]) -> Path:
    """A project of an hour on either side."""
    compose()
    path = folder / "waits.tune"
    with closing(projects.create(path, Engagement("tuning", "ACME", zone=ZONE))) as project:
        for (phase, (day, swings)), user, wait in zip(DAYS.items(), users, waits, strict=True):
            file = vmstat(folder / f"{phase.value}.txt", user, wait, swings)
            start = datetime(2026, 7, day, 10)
            options = ImportOptions(run=phase.value, host="db1", zone=ZONE, phase=phase, interval_s=60.0, start=start)
            assert imports.import_captures(project, [file], options).complete
    return path


def busy_of(path: Path) -> Figure:
    (cpu,) = [figure for figure in answered(path).figures if figure.resource.family is Family.CPU]
    return cpu
