"""The reference as a person uses it: typing, arrows, links, calculators, the worksheet of cluster sizes."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from html import escape
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QGuiApplication, QInputMethodEvent
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit

from tests.waiting import let_window_live
from tunebench.domain.engagement import Engagement, Phase
from tunebench.ui.frame.main_window import MainWindow
from tunebench.ui.pages.reference_page import ReferencePage
from tunebench.ui.reference.cluster_sheet import WordGrid
from tunebench.ui.reference.entry_view import html_of, plain_text
from tunebench.ui.reference.volume_list import CALCULATOR, KINDS, WORKSHEET, found_volumes, volume_at
from tunebench.usecases import projects
from tunebench.usecases.importing import imports
from tunebench.usecases.importing.results import ImportOptions
from tunebench.usecases.reference import entries as reference

Idle = Callable[[], None]
CTRL = Qt.KeyboardModifier.ControlModifier
SIZES = (
    "@tree /oradata\n@bucket 0 1 3 0\n@bucket 2048 4096 1532 4403847\n@bucket 4096 8192 210 1289531\n"
    "@total 1745 5693378 complete\n@tree /home\n@bucket 256 512 900 350000\n@total 900 350000 truncated\n"
)


@pytest.fixture(scope="module")
def imported(services: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An engagement with one capture of file sizes; it is opened as copies."""
    folder = tmp_path_factory.mktemp("reference")
    captured = folder / "sizes.txt"
    captured.write_text(SIZES)
    path = folder / "acme.tune"
    project = projects.create(path, Engagement("2007 tuning", "ACME"))
    imports.import_captures(project, [captured], ImportOptions(run="19 July", phase=Phase.BEFORE))
    projects.close(project)
    return path


@pytest.fixture
def page(window: MainWindow, imported: Path, tmp_path: Path, idle: Idle) -> ReferencePage:
    """The reference page of that engagement."""
    assert window.controller.open(Path(shutil.copy(imported, tmp_path / "acme.tune")))
    window.show_page("reference")
    idle()
    found = window.page("reference")
    assert isinstance(found, ReferencePage)
    return found


def typed(qtbot: Any, page: ReferencePage, words: str) -> None:
    """In place of what is there: letters by the keyboard, Hangul as an input method commits it."""
    page.search()
    qtbot.keyClick(page.listing.field, Qt.Key.Key_Delete)
    for letter in words:
        if letter.isascii():
            qtbot.keyClicks(page.listing.field, letter)
        else:
            committed = QInputMethodEvent()
            committed.setCommitString(letter)
            QApplication.sendEvent(page.listing.field, committed)
    qtbot.waitUntil(lambda: not page.listing._timer.isActive(), timeout=60_000)


def shown(page: ReferencePage) -> str:
    return page.browser.toPlainText()


def output(page: ReferencePage, name: str) -> str:
    found = page.calculator.findChildren(QLabel, f"output-{name}")
    return next(each.text() for each in found if each.isVisible())


def notes(page: ReferencePage) -> list[str]:
    return [
        each.objectName().removeprefix("note-")
        for each in page.calculator.findChildren(QLabel)
        if each.objectName().startswith("note-") and each.isVisible()
    ]


def cell(grid: WordGrid, row: int, column: int) -> str:
    return grid.lines()[row + 1][column]


# --- the list
def test_everything_is_listed_under_headings(page: ReferencePage) -> None:
    listed = page.listing.volumes()
    assert listed == found_volumes() and len(listed) > 230
    kinds = list(dict.fromkeys(volume.kind for volume in listed))
    assert kinds == [kind for kind in KINDS if kind in kinds] and kinds[:2] == [WORKSHEET, CALCULATOR]
    headings = [page.listing.list.item(at) for at in range(page.listing.list.count())]
    dead = [item.text() for item in headings if not item.flags() & Qt.ItemFlag.ItemIsSelectable]
    assert "Contradictions (17)" in dead


def test_typing_korean_without_blanks_finds_and_shows(page: ReferencePage, qtbot: Any, look: Any) -> None:
    look("ko")
    typed(qtbot, page, "쓰기페널티")
    first = page.listing.volumes()[0]
    assert first in [volume_at("entry:M-WRITE-PENALTY"), volume_at("calculator:raid_backend")]
    typed(qtbot, page, "GFS 7배")
    assert page.listing.current() == volume_at("entry:C-10")
    assert "약 7배정도의 속도 향상을 나타내고 있다." in shown(page)
    assert "거의 비슷하고" in shown(page)


def test_the_keyboard_goes_from_the_field_through_the_list_to_the_form(
    page: ReferencePage, window: MainWindow, qtbot: Any
) -> None:
    window.activateWindow()
    page.browser.setFocus()
    qtbot.keyClick(window, Qt.Key.Key_F, CTRL)
    assert page.listing.field.hasFocus()
    qtbot.keyClicks(page.listing.field, "ncsize")
    qtbot.waitUntil(lambda: not page.listing._timer.isActive(), timeout=60_000)
    listed = page.listing.volumes()
    assert page.listing.current() == listed[0]
    qtbot.keyClick(page.listing.field, Qt.Key.Key_Down)
    assert page.listing.current() == listed[1]
    qtbot.keyClick(page.listing.field, Qt.Key.Key_Up)
    assert page.listing.current() == listed[0]
    page.listing.field.clear()
    qtbot.keyClicks(page.listing.field, "DNLC size")
    qtbot.keyClick(page.listing.field, Qt.Key.Key_Return)
    assert page.listing.current() == volume_at("calculator:dnlc")
    assert page.calculator.fields["maxusers"].hasFocus()
    page.search()
    qtbot.keyClick(page.listing.field, Qt.Key.Key_Escape)
    assert page.listing.field.text() == ""


def test_nothing_found_says_so(page: ReferencePage, qtbot: Any) -> None:
    typed(qtbot, page, "xyzzy")
    assert page.listing.volumes() == [] and page.listing._none.isVisible()
    assert page.listing.count.text() == "0 found"


def test_a_kind_is_chosen(page: ReferencePage, qtbot: Any) -> None:
    page.listing.kinds.setCurrentIndex(page.listing.kinds.findData("contradiction"))
    page.listing.kinds.activated.emit(page.listing.kinds.currentIndex())
    assert {volume.kind for volume in page.listing.volumes()} == {"contradiction"}
    page.show_argument("entry:SF-052")  # a link leads out of what is asked for
    assert page.listing.current() == volume_at("entry:SF-052")


# --- an entry
def test_an_entry_begins_at_its_beginning(page: ReferencePage, window: MainWindow, qtbot: Any) -> None:
    page.show_argument("entry:C-09")
    for height in (768, 660, 900):
        window.resize(1366, height)
        let_window_live(0.02, "the text is laid out anew")
        assert page.browser.verticalScrollBar().value() == 0


def test_an_entry_shows_quotation_source_caveat_and_what_is_related(page: ReferencePage) -> None:
    page.show_argument("entry:SF-052")
    for words in ("50ms 이상이되고 %b 가 20% 이상일경우는", "section 3.4", "Never judged from one sample", "SF-053"):
        assert words in shown(page)
    page.browser.anchorClicked.emit(QUrl("entry:SF-050"))
    assert "svc_t up to 30 ms is normal" in shown(page)
    page.browser.anchorClicked.emit(QUrl("https://example.com"))
    assert "svc_t up to 30 ms is normal" in shown(page)


@pytest.mark.parametrize("code", ["ko", "en"])
def test_every_entry_is_written_in_the_language_of_the_window(look: Any, code: str) -> None:
    look(code)
    for entry in reference.entries():
        words = html_of(entry)
        assert escape(entry.title[code]) in words and "⟨" not in words
        assert entry.text[code] in plain_text(entry)
        for said in entry.statements:
            assert said.quotation in plain_text(entry)


def test_an_entry_is_copied_with_its_source(page: ReferencePage) -> None:
    page.show_argument("entry:C-11")
    page.copy()
    copied = QGuiApplication.clipboard().text()
    assert "Total 2,092" in copied and "= 2,649" in copied and "section 3.3" in copied


# --- calculators
def test_a_calculator_computes_while_one_types(page: ReferencePage, qtbot: Any) -> None:
    page.show_argument("calculator:maxcontig_bytes")
    assert output(page, "cluster_bytes") == "1,048,576 bytes"
    page.calculator.focus_first()
    field = page.calculator.fields["maxcontig_blocks"]
    qtbot.keyClicks(field, "6")
    assert output(page, "cluster_bytes") == "49,152 bytes"
    qtbot.keyClicks(field, "x")
    assert page.calculator.error.isVisible() and "'6x' is not a number" in page.calculator.error.text()
    assert field.property("state") == "wrong"
    qtbot.keyClick(field, Qt.Key.Key_Backspace)
    assert not page.calculator.error.isVisible() and output(page, "cluster_bytes") == "49,152 bytes"


def test_the_cache_that_would_shrink_is_said(page: ReferencePage, qtbot: Any) -> None:
    page.show_argument("calculator:dnlc")
    assert output(page, "ncsize") == "69,992 entries"
    qtbot.keyClicks(page.calculator.fields["planned_ncsize"], "4000")
    qtbot.keyClicks(page.calculator.fields["current_ncsize"], "69992")
    assert notes(page) == ["cache_shrinks", "below_default", "dnlc_reboot"]


def test_raid_1_is_refused_with_the_reason(page: ReferencePage) -> None:
    page.show_argument("calculator:raid_cluster")
    page.calculator.fields["stripe_layout"].setCurrentIndex(1)  # type: ignore[union-attr]
    assert page.calculator.error.isVisible() and "RAID 1 is not computed" in page.calculator.error.text()
    assert page.calculator.answer is None


def test_what_was_typed_stays_when_one_looks_elsewhere(page: ReferencePage, qtbot: Any, look: Any) -> None:
    page.show_argument("calculator:lotsfree")
    page.calculator.focus_first()
    qtbot.keyClicks(page.calculator.fields["memory_mib"], "8192")
    page.show_argument("entry:SF-400")
    page.show_argument("calculator:lotsfree")
    assert output(page, "lotsfree_mib") == "128.0 MiB"
    look("ko")
    assert output(page, "lotsfree_mib") == "128.0 MiB"
    page.calculator.reset()
    assert output(page, "lotsfree_mib") == "256.0 MiB"


def test_a_result_is_copied_with_formula_and_source(page: ReferencePage) -> None:
    page.show_argument("calculator:improvement")
    page.copy()
    copied = QGuiApplication.clipboard().text()
    assert "17.8 x" in copied and "before ÷ after" in copied and "590.997" in copied
    assert "How ratio and rate are computed" in copied


# --- cluster sizes
def test_captured_distributions_are_offered_and_computed(page: ReferencePage) -> None:
    page.show_argument("worksheet:clusters")
    sheet = page.clusters
    names = [sheet.source.itemText(at) for at in range(sheet.source.count())]
    assert len(names) == 3 and "/oradata" in names[1] and names[2].endswith("counted in part")
    assert sheet.source.currentIndex() == 1 and not sheet.typed.isVisible()
    grid = sheet.grids["sizes"]
    at = {cell(grid, row, 0).split()[-1]: row for row in range(grid.cells.rowCount())}
    # 4K: 1532 + between 210 and 420 clusters; the last cluster of a file half full: 1289531/4096 + 210/2
    assert cell(grid, at["4K"], 1) == f"{round(1532 + (1289531 + 210 * 4095 / 2) / 4096):,}"
    # 8K: one cluster for each of 1,742 files, empty files take none
    assert cell(grid, at["8K"], 1) == "1,742" and cell(grid, at["8K"], 4) == "exact"
    assert {cell(grid, row, 5) for row in range(grid.cells.rowCount())} == {"not measured"}


def test_a_list_is_typed_and_refused_where_it_is_wrong(page: ReferencePage, qtbot: Any) -> None:
    page.show_argument("worksheet:clusters")
    sheet = page.clusters
    sheet.source.setCurrentIndex(0)
    assert sheet.typed.isVisible() and sheet.grids["sizes"].cells.rowCount() == 0
    qtbot.keyClicks(sheet.typed, "1M, 10")
    qtbot.waitUntil(lambda: sheet.grids["sizes"].cells.rowCount() == 13, timeout=60_000)
    assert sheet.suggestion.text().startswith("Suggested: 1M (wastes 0.0 %")
    qtbot.keyClick(sheet.typed, Qt.Key.Key_Return)
    qtbot.keyClicks(sheet.typed, "4K")
    qtbot.waitUntil(sheet.error.isVisible, timeout=60_000)
    assert "Line 2 cannot be read: 4K" in sheet.error.text() and sheet.grids["sizes"].cells.rowCount() == 0
    assert sheet.typed.toPlainText() == "1M, 10\n4K"


def test_a_csv_file_becomes_what_is_typed(page: ReferencePage, tmp_path: Path) -> None:
    page.show_argument("worksheet:clusters")
    path = tmp_path / "sizes.csv"
    path.write_text("from,to,files,bytes\n4096,8192,210,1289531\n", encoding="utf-8-sig")
    page.clusters.open_file(path)
    page.clusters.compute()
    assert page.clusters.buckets[0].files == 210
    page.clusters.open_file(tmp_path / "gone.csv")
    assert page.clusters.error.isVisible() and page.clusters.typed.toPlainText().startswith("from")


def test_rates_appear_only_where_they_were_measured(page: ReferencePage, qtbot: Any) -> None:
    page.show_argument("worksheet:clusters")
    sheet = page.clusters
    qtbot.keyClicks(sheet.rates, "128K=40, 4M=50")
    qtbot.waitUntil(lambda: not sheet._timer.isActive(), timeout=60_000)
    grid = sheet.grids["sizes"]
    rates = {cell(grid, row, 0).split()[-1]: cell(grid, row, 5) for row in range(grid.cells.rowCount())}
    assert rates["128K"] == "40.0" and rates["256K"] == "42.0 (between)" and rates["64K"] == "not measured"
    sheet.rates.setText("128K")
    qtbot.waitUntil(sheet.error.isVisible, timeout=60_000)
    assert "write 128K=41.5" in sheet.error.text()


def test_the_documents_table_says_that_its_total_is_wrong(page: ReferencePage) -> None:
    page.show_argument("worksheet:clusters")
    grid = page.clusters.grids["document"]
    assert grid.cells.rowCount() == 14
    assert sum(int(cell(grid, row, 2)) for row in range(14)) == 2649
    assert all(words in page.clusters.total.text() for words in ("2,092", "2,649", "557"))
    page.clusters.tabs.setCurrentIndex(2)
    page.copy()
    assert QGuiApplication.clipboard().text().splitlines()[1].split("\t")[:2] == ["System", "/"]


# --- from elsewhere
def test_the_search_of_the_window_finds_entries(
    page: ReferencePage, window: MainWindow, qtbot: Any, idle: Idle
) -> None:
    window.show_page("captures")
    window.palette_box.open()
    qtbot.keyClicks(window.palette_box.field, "amdahl's bound")
    qtbot.keyClick(window.palette_box.field, Qt.Key.Key_Return)
    idle()
    assert window.current_page == "reference"
    current = page.listing.current()
    assert current is not None and "Amdahl" in current.title


def test_help_opens_at_the_chapter(page: ReferencePage, window: MainWindow) -> None:
    window.commands._help()
    assert window.current_page == "help"
    shown_help = window.page("help")
    assert shown_help.topics.currentItem().text() == "Reference and calculators"  # type: ignore[attr-defined]


@pytest.mark.parametrize("code", ["ko", "en"])
def test_no_words_are_missing(page: ReferencePage, look: Any, code: str) -> None:
    look(code)
    for address in ("worksheet:clusters", "calculator:dnlc", "entry:T-SWAP"):
        page.show_argument(address)
        QApplication.processEvents()
        words = [each.text() for each in page.findChildren(QLabel)]
        words += [each.placeholderText() for each in page.findChildren(QLineEdit)]
        assert not [each for each in words if "⟨" in each]
