"""The report page: what is previewed is what is exported, in the language, date and parts chosen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QFileDialog
from pytestqt.qtbot import QtBot

from tunebench.domain.engagement import Direction, Measurement, Section
from tunebench.reporting.cases.case import SuccessCase
from tunebench.reporting.look import PLAIN_LOOK, Chart, Look, Signer, Version
from tunebench.reporting.pdf.preview import page_count
from tunebench.reporting.shapes import PRINTED, Shape
from tunebench.ui.frame.main_window import MainWindow
from tunebench.ui.look.language import text
from tunebench.ui.pages.report_page import ReportPage
from tunebench.ui.reports.look_dialog import LookDialog
from tunebench.ui.reports.page_view import PageView
from tunebench.ui.workspace import Change
from tunebench.usecases import projects
from tunebench.usecases.reports import designs
from tunebench.usecases.reports import success_case as reports
from tunebench.usecases.reports.sides import chosen_sides

FIGURE = Measurement("cpu_peak", "CPU 사용률", "CPU utilisation", "%", "max", Direction.LOWER, 95, 20, after_bound="<")


@pytest.fixture
def page(opened: MainWindow, idle: Callable[[], None]) -> ReportPage:
    project = opened.workspace.opened
    projects.write_narrative(project, Section.ISSUE, "ko", ["통계정보가 없음."])
    projects.write_measurements(project, [FIGURE])
    opened.show_page("report")
    idle()
    shown_page = opened.stack.currentWidget()
    assert isinstance(shown_page, ReportPage)
    shown_page.options.choose_shape(Shape.WHOLE)
    shown_page.options.shape.activated.emit(shown_page.options.shape.currentIndex())
    idle()
    return shown_page


def _names(page: ReportPage) -> list[str]:
    return [str(page.outline.item(row).data(Qt.ItemDataRole.UserRole)) for row in range(page.outline.count())]


def drawn(page: ReportPage) -> list[int]:
    return [number for number, label in enumerate(page.view._pages, 1) if not label.pixmap().isNull()]


def test_pages_near_the_screen_are_drawn_and_all_are_counted(
    page: ReportPage, qtbot: QtBot, idle: Callable[[], None]
) -> None:
    assert page.view.pages >= 8
    page.view.show_page(1)
    qtbot.waitUntil(lambda: 1 in drawn(page), timeout=60_000)
    assert len(drawn(page)) <= 4, "not four megabytes for every page"
    page.view.show_page(page.view.pages)
    qtbot.waitUntil(lambda: page.view.pages in drawn(page), timeout=60_000)
    assert 1 not in drawn(page) and len(drawn(page)) <= 4
    assert {"cover", "summary", "issues", "cpu", "evidence"} <= set(_names(page))


def test_the_windows_that_the_report_takes_by_itself_are_shown(page: ReportPage) -> None:
    sides = chosen_sides(page.workspace.opened, None, None)
    assert sides
    for side in sides:
        assert page.options.windows[side.phase.value].chosen() == side.window


def test_it_opens_at_the_first_page_in_the_language_of_the_engagement(
    opened: MainWindow, idle: Callable[[], None]
) -> None:
    engagement = projects.read_engagement(opened.workspace.opened)
    projects.update_engagement(opened.workspace.opened, replace(engagement, language="en"))
    opened.workspace.announce(Change.ENGAGEMENT)
    opened.show_page("report")
    idle()
    shown_page = opened.stack.currentWidget()
    assert isinstance(shown_page, ReportPage)
    assert shown_page.options.code == "en"
    assert shown_page.view.page() == 1
    assert " 1 " in f" {shown_page._state.text().replace('/', ' ')} "


def test_a_part_left_out_is_not_drawn(page: ReportPage, idle: Callable[[], None]) -> None:
    before = page.view.pages
    for name in ("evidence", "ledgers", "definitions"):
        page.outline.item(_names(page).index(name)).setCheckState(Qt.CheckState.Unchecked)
        idle()
    assert page.view.pages < before
    assert "ledgers" in _names(page), "it can be chosen again"


def test_a_click_in_the_outline_scrolls_to_the_part(page: ReportPage) -> None:
    page._go_to(page.outline.item(_names(page).index("definitions")))
    assert page.view.page() == page._page_of["definitions"]


def test_it_opens_at_the_chapter_that_was_asked_for(opened: MainWindow, idle: Callable[[], None], qtbot: Any) -> None:
    """Also where the page has still to be made and drawn; a chapter that is not there is passed over."""
    opened.show_page("report", ("worksheet", "grounds"))
    idle()
    shown = opened.page("report")
    assert isinstance(shown, ReportPage)
    qtbot.waitUntil(lambda: shown.view.page() == shown._page_of["grounds"], timeout=60_000)
    assert shown.outline.currentItem().data(Qt.ItemDataRole.UserRole) == "grounds"
    assert shown._page_of["grounds"] > 1
    opened.show_page("captures")
    opened.show_page("report", ("cover", "result"))
    idle()
    assert shown.view.page() == 1


def test_what_is_scrolled_by_hand_stays(page: ReportPage, idle: Callable[[], None]) -> None:
    page.show_argument("definitions")
    bar = page.view.verticalScrollBar()
    bar.triggerAction(bar.SliderAction.SliderToMinimum)
    page.view.render_pages()
    idle()
    assert page.view.page() == 1


def test_the_engagement_leads_to_the_chapter_of_its_tab(opened: MainWindow) -> None:
    asked: list[object] = []
    opened.workspace.page_asked.connect(lambda _name, argument: asked.append(argument))
    engagement: Any = opened.page("engagement")
    for tab in ("details", "issues", "terms"):
        opened.show_page("engagement", tab)
        engagement._report.click()
    assert asked == [("cover", "result"), ("issues", "countermeasures"), ("glossary",)]


def test_zoom_changes_the_size_of_the_pages(page: ReportPage, idle: Callable[[], None]) -> None:
    page.view.set_zoom(100)
    idle()
    assert page.view._pages[0].width() == 794
    page.view.step_zoom(1)
    assert page.view.zoom_pct == 125
    page.view.set_zoom(None)
    idle()
    assert page.view._pages[0].width() < page.view.viewport().width()


def test_a_change_elsewhere_is_drawn_when_the_page_comes_back(
    page: ReportPage, opened: MainWindow, idle: Callable[[], None]
) -> None:
    opened.show_page("captures")
    projects.write_narrative(opened.workspace.opened, Section.OUTLOOK, "ko", ["3년."])
    opened.workspace.announce(Change.NARRATIVE)
    assert "outlook" not in _names(page)
    opened.show_page("report")
    idle()
    assert "outlook" in _names(page)


@pytest.mark.parametrize("kind", ["pdf", "xlsx", "html"])
def test_export_writes_the_file_and_says_so(
    page: ReportPage, idle: Callable[[], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    target = tmp_path / f"보고서.{kind}"
    answer: Any = lambda *_: (str(target.with_suffix("")), "")  # noqa: E731
    monkeypatch.setattr(QFileDialog, "getSaveFileName", answer)
    page.options.issued.setText("2007-08-01")
    page.ask_export(kind)
    idle()
    assert target.read_bytes()[:4] in (b"%PDF", b"PK\x03\x04", b"<!DO")
    assert target.name in page.options.result.text()
    assert page.options.open_folder.isVisibleTo(page) and page.options.export_pdf.isEnabled()
    if kind == "pdf":
        assert page_count(target.read_bytes()) == page.view.pages


def test_what_is_done_with_a_report_stays_whole_on_a_small_screen(
    page: ReportPage, opened: MainWindow, idle: Callable[[], None]
) -> None:
    opened.resize(1366, 768)
    page.options.result.setText("Saved:\nOrders_report_of_the_first_week_en.pdf\nand two more")
    page.options.open_folder.show()
    idle()
    acts = [page.options.result, page.options.open_folder, *page.options.exports, page.options.verify]
    for upper, lower in pairwise(acts):
        assert upper.geometry().bottom() < lower.geometry().top()
        assert (
            lower.height() >= lower.minimumSizeHint().height() and lower.visibleRegion().boundingRect() == lower.rect()
        )
    assert not opened.tree.isVisible(), "the page has its width"


def test_a_folder_that_is_not_there_is_told(page: ReportPage, idle: Callable[[], None], tmp_path: Path) -> None:
    said: list[tuple[str, str]] = []
    page.workspace.said.connect(lambda tone, words: said.append((tone, words)))
    page.export("pdf", tmp_path / "gone" / "x.pdf")
    idle()
    assert said and said[0][0] == "error"
    assert page.options.export_pdf.isEnabled() and not page.options.open_folder.isVisibleTo(page)


def test_the_language_of_the_report_is_not_that_of_the_window(
    page: ReportPage, idle: Callable[[], None], look: Callable[..., None]
) -> None:
    assert page.options.code == "ko"
    look("en")
    idle()
    assert page.options.code == "ko"
    titles = [page.outline.item(row).text() for row in range(page.outline.count())]
    assert "요약" in titles
    page.options.choose_language("en")
    page.options.changed.emit()
    idle()
    assert "Summary" in [page.outline.item(row).text() for row in range(page.outline.count())]


def test_file_names_are_safe(page: ReportPage) -> None:
    assert page.file_name() == "ACME_success-case_ko"


def test_a_shape_has_its_own_parts_and_what_was_exported_verifies(
    page: ReportPage, idle: Callable[[], None], tmp_path: Path
) -> None:
    page.options.shape.setCurrentIndex(PRINTED.index(Shape.RESULT))
    page.options.shape.activated.emit(page.options.shape.currentIndex())
    idle()
    assert page.view.pages == 1 and _names(page) == ["result"]
    assert "Result_on_one_page" in page.file_name()
    path = tmp_path / "result.pdf"
    page.export("pdf", path)
    idle()
    assert page_count(path.read_bytes()) == 1
    page.verify(path)
    idle()
    assert page.options.result.text() == text("verify.same", path="result.pdf", count=0)
    projects.write_measurements(page.workspace.opened, [replace(FIGURE, after=30)])
    page.verify(path)
    idle()
    assert "20" in page.options.result.text() and "30" in page.options.result.text()


def test_a_moved_part_is_remembered_shared_and_verifies(
    page: ReportPage, idle: Callable[[], None], tmp_path: Path
) -> None:
    places = _names(page)
    page.outline.setCurrentRow(0)
    assert not page.parts.earlier.isEnabled() and not page.parts.later.isEnabled()
    page.outline.setCurrentRow(places.index("evidence"))
    page.outline.setCurrentRow(places.index("cpu"))
    page.parts.later.click()
    idle()
    moved = _names(page)
    assert moved.index("cpu") == places.index("cpu") + 1 and sorted(moved) == sorted(places)
    assert page.outline.currentItem().data(Qt.ItemDataRole.UserRole) == "cpu"
    assert page._page_of[moved[places.index("cpu")]] <= page._page_of["cpu"]
    assert designs.design_of(page.workspace.opened) == page.design
    page.export("pdf", tmp_path / "moved.pdf")
    idle()
    page.verify(tmp_path / "moved.pdf")
    idle()
    assert page.options.result.text() == text("verify.same", path="moved.pdf", count=0)
    designs.write_template(tmp_path / "firm.json", replace(page.design, shape=Shape.BEFORE_AFTER))
    page.parts.earlier.click()
    idle()
    assert _names(page) == places and page.design.order == ()
    page.load(tmp_path / "moved.pdf")
    assert page.design.order == ()
    page.load(tmp_path / "firm.json")
    idle()
    assert page.options.wanted_shape is Shape.BEFORE_AFTER and page.design.order


def test_the_project_is_read_again_only_after_it_changed(
    page: ReportPage, idle: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str] = []
    build = reports.build_case

    def counted(*given: Any, **named: Any) -> SuccessCase:
        made.append("case")
        return build(*given, **named)

    monkeypatch.setattr(reports, "build_case", counted)
    page.outline.item(_names(page).index("issues")).setCheckState(Qt.CheckState.Unchecked)
    idle()
    assert "issues" not in page._page_of and not made
    projects.write_narrative(page.workspace.opened, Section.ISSUE, "ko", ["다른 문제"])
    page.workspace.announce(Change.NARRATIVE)
    idle()
    assert not made and page._previewer.latest is not None, "the case takes new paragraphs as it is"
    assert page._previewer.latest.cases[0].texts(Section.ISSUE) == ("다른 문제",)
    assert page._previewer.latest.cases[0].narrative == build(page.workspace.opened, "ko").narrative
    projects.write_measurements(page.workspace.opened, [])
    page.workspace.announce(Change.MEASUREMENTS)
    idle()
    assert made == ["case"]
    page.options.language.setCurrentIndex(1 - page.options.language.currentIndex())
    page.options.language.activated.emit(page.options.language.currentIndex())
    idle()
    assert made == ["case", "case"]


def test_colours_boxes_and_versions_are_chosen_remembered_and_shared(
    page: ReportPage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, idle: Callable[[], None]
) -> None:
    dialogs: list[LookDialog] = []

    def fill(dialog: LookDialog) -> QDialog.DialogCode:
        dialogs.append(dialog)
        dialog.accent.setText("#777777")
        dialog.take()
        assert "4.5" in dialog.message.text() and dialog.look == PLAIN_LOOK
        dialog.accent.setText("#1f4e9b")
        dialog.signers.show_rows([[text("report.cover.sign.customer"), "홍길동"], ["감리원", ""]])
        dialog.signers._raise()
        dialog.versions.show_rows([["0.9", "2026-13-01", "", ""]])
        dialog.take()
        assert dialog.message.text() == text("ui.report.look.rows")
        dialog.versions.show_rows([["0.9", "2026-11-01", "김철수", "초안"]])
        assert dialog.charts.rowCount() > 0
        before = dialog.charts.item(0, 1)
        assert before is not None
        before.setCheckState(Qt.CheckState.Unchecked)
        dialog.take()
        return QDialog.DialogCode(dialog.result())

    monkeypatch.setattr(LookDialog, "exec", fill)
    page.ask_look()
    idle()
    chosen = Look(
        "#1F4E9B",
        "",
        b"",
        (Signer("감리원"), Signer("customer", "홍길동")),
        (Version("0.9", "2026-11-01", "김철수", "초안"),),
    )
    assert page._previewer.latest is not None
    chosen = replace(chosen, charts=(Chart(next(iter(page._previewer.latest.charts)), ("after",)),))
    assert page.look == chosen
    assert designs.design_of(page.workspace.opened).look == chosen
    path = tmp_path / "firm.json"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    page.ask_save()
    assert designs.read_template(path).look == replace(chosen, versions=()), "versions are of this document alone"
    page.load(path)
    idle()
    assert page.look == chosen


def test_both_languages_are_drawn_below_each_other(page: ReportPage, idle: Callable[[], None]) -> None:
    before = page.view.pages
    page.options.both.click()
    idle()
    assert page.view.pages > 1.7 * before
    assert page._page_of["en.definitions"] > page._page_of["definitions"]
    assert designs.design_of(page.workspace.opened).look.both


def test_the_page_that_was_changed_is_shown_before_the_others(
    page: ReportPage, idle: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One page at first, at which the view stands, then those of the whole document; of edits in a row the last counts."""
    steps: list[str] = []
    show_draft, show_pdf = PageView.show_draft, PageView.show_pdf

    def draft(view: PageView, number: int, picture: bytes) -> None:
        steps.append(f"draft {number}")
        show_draft(view, number, picture)
        assert view._pages[number - 1].pixmap().width() == view.pixels_across

    def whole(view: PageView, pdf: bytes) -> None:
        steps.append("whole")
        show_pdf(view, pdf)

    monkeypatch.setattr(PageView, "show_draft", draft)
    monkeypatch.setattr(PageView, "show_pdf", whole)
    stands = page._page_of["method"]
    for name in ("summary", "method", "cpu", "summary"):
        item = page.outline.item(_names(page).index(name))
        off = item.checkState() is Qt.CheckState.Unchecked
        item.setCheckState(Qt.CheckState.Checked if off else Qt.CheckState.Unchecked)
        if name == "method":
            idle()
            assert steps[-2:] == [f"draft {stands}", "whole"]
    idle()
    assert page.parts.left_out == {"method", "cpu"}
    assert not {"method", "cpu"} & page._page_of.keys() and "summary" in page._page_of
    assert page.view.page() in drawn(page)
