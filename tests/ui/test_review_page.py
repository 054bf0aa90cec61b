"""The import review as a person uses it: forty mixed captures come in, four hosts are found, all of it is taken back."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt

from tests.unit.usecases import daily_captures as made
from tests.unit.usecases import mixed_captures as mixed
from tunebench.core.messages import catalogue
from tunebench.domain.engagement import Engagement
from tunebench.ui.frame.main_window import MainWindow
from tunebench.ui.pages.captures_page import CapturesPage
from tunebench.ui.pages.review_page import ReviewPage
from tunebench.usecases import browse, projects
from tunebench.usecases.importing import imports
from tunebench.usecases.importing.import_review import Reviewed
from tunebench.usecases.importing.results import ImportOptions

Idle = Callable[[], None]
Mixed = tuple[MainWindow, ReviewPage, dict[str, mixed.Truth], Path]


@pytest.fixture
def forty(opened: MainWindow, look: Any, tmp_path: Path, idle: Idle) -> Mixed:
    """Imported by hand: what the form proposes is taken as it is."""
    folder = tmp_path / "acme"
    truth = mixed.make(folder)
    opened.show_page("captures", [folder])
    captures = opened.page("captures")
    assert isinstance(captures, CapturesPage)
    assert captures.form.by_folder.isChecked()
    captures.form.submit()
    idle()
    page = opened.page("review")
    assert isinstance(page, ReviewPage)
    idle()
    return opened, page, truth, folder


def rows_of(page: ReviewPage, folder: Path) -> dict[str, Reviewed]:
    rows = [each for each in page.table.figures.rows if Path(each.path).is_relative_to(folder)]
    return {Path(each.path).relative_to(folder).as_posix(): each for each in rows}


def choose(page: ReviewPage, *names: str) -> None:
    page._choose({each.artefact.id for each in page.table.figures.rows if each.artefact and each.path.endswith(names)})


def photograph(window: MainWindow, name: str) -> None:
    folder = os.environ.get("REVIEW_PICTURES")
    if folder:
        window.grab().save(f"{folder}/{name}.png")


def test_it_comes_by_itself_and_leads_to_four_hosts(forty: Mixed, qtbot: Any, idle: Idle) -> None:
    window, page, truth, folder = forty
    assert window.current_page == "review", "before anything is concluded"
    before = rows_of(page, folder)
    assert before.keys() == {*truth, mixed.TABLE}
    assert page.table.figures.rows[0].path.endswith(mixed.TABLE), "what is not read is the most doubtful"
    assert not page.take.isEnabled() and not page.take_alike.isEnabled(), "no folder's name is a proof"
    for place in ("db01/before/vmstat0.txt", "web01/튜닝후/vmstat0.txt"):
        choose(page, place)
        qtbot.mouseClick(page.take_alike, Qt.MouseButton.LeftButton)
        idle()
    beside = {p for p, r in rows_of(page, folder).items() if "host" in r.questions}
    assert {p.rpartition("/")[0] for p in beside} == {"전/was", "후/was", "solaris_before", "solaris_after"}
    assert not any(r.proposal for r in rows_of(page, folder).values()), "what only lies beside proposes nothing"
    for host, words in (("was01", "was/"), ("sol01", "solaris_")):
        choose(page, *(p for p in beside if words in p))
        qtbot.keyClicks(page.places.host.lineEdit(), host)
        qtbot.mouseClick(page.apply, Qt.MouseButton.LeftButton)
        idle()
    assert {p: r.host for p, r in rows_of(page, folder).items() if p in truth} == {p: t.host for p, t in truth.items()}
    for _ in range(4):
        window.workspace.undo.undo()
        idle()
    assert {p: r.host for p, r in rows_of(page, folder).items()} == {p: r.host for p, r in before.items()}


def test_one_word_moves_all_that_are_chosen(forty: Mixed, qtbot: Any, idle: Idle) -> None:
    window, page, _, folder = forty
    choose(page, "was/vmstat0.txt", "was/vmstat1.txt", "was/vmstat_peak.txt")
    assert len(page.chosen()) == 6 and not page.apply.isEnabled()
    qtbot.keyClicks(page.places.host.lineEdit(), "was01")
    qtbot.keyClicks(page.times.interval, "5")
    assert "6" in page._effect.words() and page.apply.isEnabled()
    qtbot.mouseClick(page.apply, Qt.MouseButton.LeftButton)
    idle()
    moved = [row for place, row in rows_of(page, folder).items() if "was/vmstat" in place]
    assert {(row.host, row.times and row.times.interval_s) for row in moved} == {("was01", 5.0)}
    assert len(page.chosen()) == 6, "what was chosen stays so"
    assert "unknown (was)" not in {host.name for host in window.workspace.overview.hosts}  # type: ignore[union-attr]
    window.workspace.undo.undo()
    idle()
    assert "unknown (was)" in {host.name for host in window.workspace.overview.hosts}  # type: ignore[union-attr]


def test_a_file_that_is_not_read_leads_to_its_description(
    forty: Mixed, qtbot: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    window, page, _, folder = forty
    asked: list[str] = []
    monkeypatch.setattr(CapturesPage, "describe", lambda _self, path: asked.append(path))
    assert not page.describe.isEnabled()
    page.table.selectRow(0)
    qtbot.mouseClick(page.describe, Qt.MouseButton.LeftButton)
    assert asked == [str(folder / mixed.TABLE)] and window.current_page == "captures"


def test_what_was_assumed_is_confirmed_for_all_that_are_chosen(forty: Mixed, qtbot: Any, idle: Idle) -> None:
    window, page, _, folder = forty
    before = rows_of(page, folder)
    choose(page, "db01/before/sar_1.txt", "was/vmstat0.txt")
    qtbot.mouseClick(page.confirm, Qt.MouseButton.LeftButton)
    idle()
    rows = rows_of(page, folder)
    assert rows["db01/before/sar_1.txt"].questions == ()
    assert rows["전/was/vmstat0.txt"].questions == ("host",), "whose it is stays open"
    assert {place: row.ledger.first_ns for place, row in rows.items()} == {
        p: r.ledger.first_ns for p, r in before.items()
    }
    assert not page.confirm.isEnabled()
    window.workspace.undo.undo()
    idle()
    assert {p: r.questions for p, r in rows_of(page, folder).items()} == {p: r.questions for p, r in before.items()}


def test_half_a_time_is_refused_in_words(forty: Mixed, qtbot: Any) -> None:
    _, page, _, _ = forty
    choose(page, "vmstat0.txt")
    qtbot.keyClicks(page.times.start, "2026-07-20 0")
    assert "2007-07-19 09:00:00" in page._effect.words() and not page.apply.isEnabled()


@pytest.mark.parametrize(("code", "mode"), [("ko", "light"), ("en", "dark")])
def test_it_speaks_both_languages(forty: Mixed, look: Any, code: str, mode: str, idle: Idle) -> None:
    window, page, _, _ = forty
    look(code, mode)
    idle()
    assert page.take.text() == ("증명된 서버 받아들이기 (0)" if code == "ko" else "Accept proved hosts (0)")
    choose(page, "db01/before/vmstat0.txt")
    photograph(window, f"review-{code}")
    assert "(4)" in page.take_alike.text(), "all of both folders that say so"
    page.take_alike.click()
    idle()
    photograph(window, f"review-{code}-after")
    window.show_page("captures")
    photograph(window, f"captures-{code}")


def test_a_run_of_guessed_dates_stretches_no_navigator(window: MainWindow, tmp_path: Path, idle: Idle) -> None:
    sar = made.sar_day(tmp_path, datetime(2026, 7, 13))
    vmstat = made.vmstat(tmp_path, "vmstat.txt")
    os.utime(vmstat, (1_795_252_435,) * 2)  # in November
    with projects.create(tmp_path / "case.tune", Engagement("tuning", "ACME")) as project:
        imports.import_captures(project, [sar], ImportOptions(run="dated"))
        imports.import_captures(project, [vmstat], ImportOptions(run="undated"))
    assert window.controller.open(tmp_path / "case.tune")
    idle()
    extent, [dated, undated] = window.workspace.selection.extent, window.workspace.runs
    assert extent is not None and (extent.start_ns, extent.end_ns) == (dated.first_ns, dated.last_ns)
    assert undated.dated_by_file


def test_the_first_row_is_measured_once_somebody_says_so_and_no_more_when_it_is_taken_back(
    opened: MainWindow, qtbot: Any, idle: Idle
) -> None:
    """``vmstat`` prints its average since boot first: its 6 rows are 5 intervals, or 6 where a person says so."""
    opened.show_page("review")
    idle()
    page, project = opened.page("review"), opened.workspace.opened
    assert isinstance(page, ReviewPage)

    def intervals() -> int:
        (queue,) = [each for each in browse.list_series(project) if each.tool == "vmstat" and each.native == "r"]
        return queue.count

    before = intervals()
    choose(page, "vmstat.ko_KR.txt")
    assert page.times.first_measured.isEnabled() and not page.apply.isEnabled()
    qtbot.mouseClick(page.times.first_measured, Qt.MouseButton.LeftButton, pos=QPoint(8, 8))
    qtbot.mouseClick(page.apply, Qt.MouseButton.LeftButton)
    idle()
    assert intervals() == before + 1
    opened.workspace.undo.undo()
    idle()
    assert intervals() == before
    opened.workspace.undo.redo()
    idle()
    assert intervals() == before + 1


def test_what_is_chosen_stays_chosen_while_words_narrow_the_list(forty: Mixed, qtbot: Any) -> None:
    """The count, the marks and what would be accepted are of the same files, also once the words are cleared."""
    _window, page, _truth, folder = forty
    every = [row for row in rows_of(page, folder).values() if row.artefact is not None and row.proposal]
    names = [Path(row.path).relative_to(folder).as_posix() for row in every[:3]]
    choose(page, *names)
    assert len(page.chosen()) == 3 and page._effect.words().startswith("3 files")
    qtbot.keyClicks(page.words, "no such file")
    assert not page.chosen() and "3" not in page._effect.words()
    page.words.clear()
    assert not page.chosen() and page._effect.words() == catalogue("en").text("ui.review.choose")
    choose(page, *names)
    qtbot.keyClicks(page.words, Path(names[0]).name)
    kept = page.chosen()
    assert kept and {row.path for row in kept} <= {row.path for row in every[:3]}
    page.words.clear()
    assert [row.path for row in page.chosen()] == [row.path for row in kept]
