"""An engagement with AWR reports before and after whose every statement has a story, and the page that shows them."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QLabel

from tests.made.awr import Statement, Workload, report, workload
from tunebench.domain.engagement import Engagement, Phase
from tunebench.ui.frame.main_window import MainWindow
from tunebench.ui.pages.statements_page import StatementsPage
from tunebench.usecases import projects
from tunebench.usecases.importing import imports
from tunebench.usecases.importing.results import ImportOptions

Idle = Callable[[], None]
FIXTURES = Path(__file__).resolve().parents[1] / "fixtures"
HOUR = timedelta(hours=1)
LATER = datetime(2026, 11, 27, 10, 0, 12)
REWRITTEN = "zzrewritten01"
REWRITTEN_TEXT = (
    "select /*+ index(t) */ count(*) from 거래내역 t where 지점 = '강남' and 금액 > :1 and 금액 is not null"
)
FIRST = workload(seed=3, statements=12, minutes=60)
ID = [one.id for one in FIRST.statements]
SECOND = replace(
    FIRST.later(60, {ID[6]: {"elapsed_s": 1.5}}, start=FIRST.begin + HOUR), begin_snapshot=FIRST.begin_snapshot + 1
)
"""The hour after the first: one statement took half as long again."""
TRIPLE: dict[str, float] = {"executions": 3, "elapsed_s": 3, "cpu_s": 3, "block_gets": 3, "block_reads": 3, "rows": 3}
FACTORS: dict[str, dict[str, float]] = {
    ID[0]: {"elapsed_s": 0.05, "cpu_s": 0.05, "block_gets": 0.02},
    ID[1]: {"elapsed_s": 2},
    ID[2]: {"elapsed_s": 0.8},
    ID[3]: TRIPLE,
    ID[4]: {"rows": 0.5},
}


def tuned() -> Workload:
    """A week later: one statement is gone, another does its work."""
    later = FIRST.later(60, FACTORS, start=LATER)
    gone = next(one for one in later.statements if one.id == ID[9])
    other = replace(gone, id=REWRITTEN, text=REWRITTEN_TEXT, elapsed_s=gone.elapsed_s / 4)
    kept = tuple(one for one in later.statements if one.id != ID[9])
    return replace(later, statements=(*kept, other), begin_snapshot=2000)


TUNED = tuned()
AGAIN = replace(TUNED, begin=TUNED.begin + HOUR, end=TUNED.end + HOUR, begin_snapshot=2001)


def write(folder: Path, *works: Workload) -> Path:
    folder.mkdir(parents=True)
    for number, work in enumerate(works):
        (folder / f"awr_{number}.html").write_bytes(report(workload=work, top=30).data)
    return folder


def made_project(path: Path, **runs: tuple[Phase, Path]) -> Path:
    project = projects.create(path, Engagement("AWR", "ACME"))
    for run, (phase, folder) in runs.items():
        imports.import_captures(project, [folder], ImportOptions(run=run, phase=phase))
    projects.close(project)
    return path


@pytest.fixture(name="made", scope="module")
def made_fixture(tmp_path_factory: pytest.TempPathFactory, services: None) -> Path:
    folder = tmp_path_factory.mktemp("statements")
    before, after = write(folder / "before", FIRST, SECOND), write(folder / "after", TUNED, AGAIN)
    return made_project(folder / "made.tune", before=(Phase.BEFORE, before), after=(Phase.AFTER, after))


@pytest.fixture(name="project_file")
def project_fixture(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(made, tmp_path / "acme.tune"))


@pytest.fixture(name="page")
def page_fixture(window: MainWindow, project_file: Path, idle: Idle) -> StatementsPage:
    return open_page(window, project_file, idle)


def open_page(window: MainWindow, path: Path, idle: Idle) -> StatementsPage:
    assert window.controller.open(path)
    window.show_page("statements")
    idle()
    idle()
    found = window.page("statements")
    assert isinstance(found, StatementsPage)
    return found


def one(work: Workload, id_: str) -> Statement:
    return next(each for each in work.statements if each.id == id_)


def column(page: StatementsPage, name: str) -> int:
    return [each.id for each in page.model.columns].index(name)


def row_of(page: StatementsPage, id_: str) -> int:
    assert page.model.statements is not None
    place = page.model.statements.place_of(id_)
    assert place is not None
    row = page.model.row_of(place)
    assert row is not None
    return row


def cell(page: StatementsPage, id_: str, name: str) -> str:
    return str(page.model.index(row_of(page, id_), column(page, name)).data())


def ids(page: StatementsPage) -> list[str]:
    return [str(page.model.index(row, column(page, "id")).data()) for row in range(page.model.rowCount())]


def choose(page: StatementsPage, id_: str) -> None:
    page.table.view.selectRow(row_of(page, id_))


def shown_words(widget: Any) -> str:
    return "\n".join(each.text() for each in widget.findChildren(QLabel) if each.isVisible())


def both(name: str) -> tuple[float, float]:
    """Sums over two hours of what both sides measure per execution: what has executions and is known on both."""
    known = [each for each in ID if each != ID[9] and one(FIRST, each).executions]
    before = sum(one(work, each).figure(name) for work in (FIRST, SECOND) for each in known)
    return before, sum(one(work, each).figure(name) for work in (TUNED, AGAIN) for each in known)


@pytest.fixture(name="english", autouse=True)
def english_fixture(look: Callable[..., None]) -> Iterator[None]:
    look("en")
    yield
