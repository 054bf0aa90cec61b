"""Effects that the firm's archive measured, beside the known ones of a countermeasure's row."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.ui.made_worksheet import go, worksheet
from tests.unit.archive.test_experience import case, measured
from tunebench.archive.archive import Archive
from tunebench.ui.pages.tradeoff_page import TradeoffPage
from tunebench.ui.workspace import Workspace

Idle = Callable[[], None]


@pytest.fixture
def page(qtbot: Any, workspace: Workspace, tmp_path: Path) -> Iterator[TradeoffPage]:
    archive = Archive.begun(tmp_path / "archive")
    case(archive, "aa", os="solaris", rules=(), change="MaxContig, tune_t_maxphys", effect=measured(1.3, 0.02))
    case(archive, "bb", os="solaris", rules=(), change="maxcontig", state="rolled_back", effect=measured(1.1, 0.02))
    case(archive, "cc", os="linux", rules=(), change="shared_buffers", effect=measured(2.0, 0.1))
    workspace.archive_address = lambda: str(tmp_path / "archive")
    yield from worksheet(qtbot, workspace, tmp_path)


def shown(page: TradeoffPage, row: int, idle: Idle) -> list[str]:
    go(page, row, "title")
    idle()
    part = page.detail.summary.measured
    return part.lines.text().splitlines() if part.isVisibleTo(page) else []


def test_what_others_measured_of_the_same_parameter_stands_beside_what_is_known(page: TradeoffPage, idle: Idle) -> None:
    lines = shown(page, 2, idle)  # maxcontig
    assert [line.partition(" (")[0] for line in lines] == ["MaxContig, tune_t_maxphys · tps", "maxcontig · tps"]
    assert "median 1.30x" in lines[0] and "median 1.10x" in lines[1] and lines[1].endswith("rolled back 1")
    assert shown(page, 1, idle) == []  # nobody changed ncsize


def test_an_archive_that_cannot_be_asked_is_said_there(page: TradeoffPage, tmp_path: Path, idle: Idle) -> None:
    page.workspace.archive_address = lambda: str(tmp_path / "elsewhere")
    (line,) = shown(page, 2, idle)
    assert "elsewhere" in line
    page.workspace.archive_address = str
    assert shown(page, 1, idle) == []
