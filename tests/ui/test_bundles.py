"""Bundles on the captures page: one row each, their captures below it, their ledger beside it."""

from __future__ import annotations

import tarfile
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel

from tunebench.ui.frame.main_window import MainWindow
from tunebench.ui.pages.captures_page import CapturesPage
from tunebench.ui.widgets.parts import ElidedLabel

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures"
TREES = FIXTURES / "bundles"


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    path = tmp_path / "osw_db01.tar.gz"
    with tarfile.open(path, "w:gz") as packed:
        packed.add(TREES / "oswbb", "oswbb")
        packed.addfile(tarfile.TarInfo("../evil"))
    return path


@pytest.fixture
def page(opened: MainWindow, archive: Path, idle: Any) -> CapturesPage:
    shown = opened.findChild(CapturesPage)
    assert shown is not None
    shown.offer([archive])
    shown.form.submit()
    idle()
    return shown


def words(page: CapturesPage) -> str:
    body = page.ledger.widget()
    assert body is not None
    return "\n".join(each.text() for each in body.findChildren(QLabel) if not isinstance(each, ElidedLabel))


def names(page: CapturesPage) -> list[str]:
    at = page.model.column("name")
    return [str(page.model.index(row, at).data()) for row in range(page.model.rowCount())]


def test_the_import_ends_on_the_ledger_of_the_bundle(page: CapturesPage) -> None:
    entry = page.ledger.entry
    assert entry is not None and entry.bundle is not None and entry.name == "osw_db01.tar.gz"
    shown = words(page)
    assert "13 members" in shown
    assert "../evil: its name leads out of the archive" in shown
    assert "files of OSWatcher itself 2" in shown


def test_members_stand_below_their_bundle_and_fold(page: CapturesPage, qtbot: Any) -> None:
    shown = names(page)
    row = shown.index("▾ osw_db01.tar.gz")
    inside = [name for name in shown[row + 1 :] if name.startswith("      db0")]
    assert "      db02_vmstat_26.11.22.0300.dat" in inside and len(inside) >= 7
    page.table.selectRow(row)
    page.table.setFocus()
    qtbot.keyClick(page.table, Qt.Key.Key_Return)
    assert names(page) == [*shown[:row], "▸ osw_db01.tar.gz"]
    page.table.activated.emit(page.model.index(row, 0))
    assert names(page) == shown


def test_a_member_names_its_bundle(page: CapturesPage) -> None:
    row = names(page).index("      db02_vmstat_26.11.22.0300.dat")
    page.table.selectRow(row)
    assert "osw_db01.tar.gz · " in words(page) and "SHA-256" in words(page)


def test_the_same_archive_again_says_duplicates(
    page: CapturesPage, opened: MainWindow, archive: Path, idle: Any
) -> None:
    before = names(page)
    page.offer([archive])
    page.form.submit()
    idle()
    assert "Duplicate" in opened.messages.sentence()
    assert names(page) == before, "nothing is listed twice"


def test_a_bundle_of_which_nothing_came_in_says_so(page: CapturesPage, tmp_path: Path, idle: Any) -> None:
    path = tmp_path / "evil.tar.gz"
    with tarfile.open(path, "w:gz") as packed:
        packed.addfile(tarfile.TarInfo("../evil"))
    page.offer([path])
    page.form.submit()
    idle()
    states = {name: str(page.model.index(row, 0).data()) for row, name in enumerate(names(page))}
    assert states["evil.tar.gz"] == "▣ Bundle, unread", "without a mark: there is nothing to fold"
    assert states["▾ osw_db01.tar.gz"] == "▣ Bundle, in part"


def test_a_twin_is_named_with_its_bundle(page: CapturesPage, tmp_path: Path, idle: Any) -> None:
    """The first two of four rounds in another archive: a file of the same name, but not of the same bytes."""
    name = "db02_vmstat_26.11.22.0300.dat"
    whole = (TREES / "oswbb" / "archive" / "oswvmstat" / name).read_bytes()
    cut = tmp_path / name
    cut.write_bytes(whole[: whole.rindex(b"zzz ***")])
    path = tmp_path / "again.tar.gz"
    with tarfile.open(path, "w:gz") as packed:
        packed.add(cut, f"oswbb/archive/oswvmstat/{name}")
    page.offer([path])
    page.form.submit()
    idle()
    twins = [entry for entry in page.entries() if entry.name == name]
    assert len(twins) == 2
    page._choose(twins[1].key)
    assert f"The same measurements as in osw_db01.tar.gz!/{name}" in words(page)


def test_the_summary_counts_each_capture_once(page: CapturesPage) -> None:
    captures = [entry for entry in page.entries() if entry.bundle is None]
    assert page.summary.text().startswith(f"{len(captures)} files")


def test_a_text_of_several_tools_is_a_bundle_that_names_what_nobody_knows(opened: MainWindow, idle: Any) -> None:
    page = opened.findChild(CapturesPage)
    assert page is not None
    page.offer([FIXTURES / "sections" / "collect_script.txt"])
    page.form.submit()
    idle()
    assert "collect_script.txt, line 30: ### netstat -s" in words(page)
    shown = names(page)
    row = shown.index("▾ collect_script.txt")
    assert str(page.model.index(row, 0).data()) == "▣ Bundle, in part"
    parts = [f"      collect_script.txt{part}" for part in ("", ".vmstat", ".iostat", ".df", ".free")]
    assert sorted(shown[row + 1 : row + 6]) == sorted(parts)
    page.table.selectRow(shown.index("      collect_script.txt"))
    assert "a section that no reader knows" in words(page)


def test_a_workbook_that_is_too_much_is_named_in_its_bundle(page: CapturesPage, tmp_path: Path, idle: Any) -> None:
    book = openpyxl.Workbook()
    book.active.append([1, 2])
    book.active.cell(1_048_576, 16_384, 1)
    (tmp_path / "month").mkdir()
    book.save(tmp_path / "month" / "far.xlsx")
    (tmp_path / "month" / "notes.txt").write_text("words\n")
    page.offer([tmp_path / "month"])
    page.form.submit()
    idle()
    assert page.ledger.entry is not None and page.ledger.entry.name == "month"
    assert "far.xlsx: the filled cells of the sheet sheet1 span more than 50,000,000 cells; not read." in words(page)
