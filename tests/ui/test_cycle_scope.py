"""Issues, systems, contacts and glossary are typed in tables; the questionnaire goes out and comes back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from PySide6.QtCore import QItemSelection, QItemSelectionModel, Qt
from PySide6.QtGui import QGuiApplication, QInputMethodEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QFileDialog, QWidget

from tests.ui import made_cycle
from tests.ui.conftest import FIXTURES, bury
from tests.waiting import let_window_live
from tunebench.core.messages import catalogue
from tunebench.domain.cycle.book import CycleEdit, RecordChange
from tunebench.domain.cycle.records import Contact, CustomerIssue, IssueState, Severity, SystemInScope, SystemKind, Term
from tunebench.domain.engagement import Engagement, Host, Phase
from tunebench.ui.cycle.cycle_controller import CycleController
from tunebench.ui.cycle.scope_table import LEAST_TEXT_PX, RegisterTable, not_in_scope, system_of, widths
from tunebench.ui.frame.main_window import MainWindow
from tunebench.ui.look.theme import ROW_HEIGHT
from tunebench.ui.pages.engagement_page import TABS, EngagementPage
from tunebench.ui.pages.help_page import TOPICS, HelpPage
from tunebench.ui.typing import keeper_of, text_field
from tunebench.ui.workspace import Change, Workspace
from tunebench.usecases import projects
from tunebench.usecases.cycle import reading
from tunebench.usecases.cycle.edits import change_typed
from tunebench.usecases.importing import imports
from tunebench.usecases.importing.results import ImportOptions

KEYS = Qt.Key
CONTROL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def page(qtbot: Any, workspace: Workspace, tmp_path: Path) -> Iterator[EngagementPage]:
    """The page by itself, of an engagement without captures."""
    workspace.project = projects.create(tmp_path / "acme.tune", Engagement("2007 tuning", "ACME"))
    workspace.announce(Change.OPENED)
    workspace.commands.set_state(has_project=True, writable=True)
    workspace.commands.set_page("engagement")
    made = EngagementPage(workspace)
    made.resize(1000, 600)
    made.show()
    qtbot.waitExposed(made)
    yield made
    project, workspace.project, workspace.overview = workspace.project, None, None
    workspace.announce(Change.CLOSED)
    bury(made)
    projects.close(project)


@pytest.fixture
def heard(workspace: Workspace) -> list[str]:
    """The sentences of the message bar."""
    sentences: list[str] = []
    workspace.said.connect(lambda _tone, sentence: sentences.append(sentence))
    return sentences


@pytest.fixture
def host(page: EngagementPage, tmp_path: Path) -> str:
    """The name of the one host that was captured."""
    folder = tmp_path / "before"
    folder.mkdir()
    (folder / "vmstat.txt").write_bytes((FIXTURES / "linux" / "vmstat.ko_KR.txt").read_bytes())
    imports.import_captures(page.workspace.opened, [folder], ImportOptions(run="before", phase=Phase.BEFORE))
    page.workspace.announce(Change.CAPTURES)
    assert page.workspace.overview is not None
    (found,) = page.workspace.overview.hosts
    return found.name


@pytest.fixture
def table(page: EngagementPage) -> Callable[[str], RegisterTable]:
    def choose(name: str) -> RegisterTable:
        page.show_argument(name)
        return page.registers[name]

    return choose


def records(page: EngagementPage, kind: type[Any]) -> tuple[Any, ...]:
    """As they are in the file."""
    return reading.read(page.workspace.opened).all(kind)


def put(page: EngagementPage, *made: Any) -> None:
    """Records that are there already; nothing of it can be undone."""
    controller = CycleController.of(page.workspace)
    assert controller.edit(CycleEdit("edit_issues", tuple(RecordChange(None, each) for each in made)))
    page.workspace.undo.clear()


def at(table: RegisterTable, row: int, name: str) -> None:
    table.grid.setFocus()
    table.grid.setCurrentIndex(table.model.index(row, table.register.place(name)))


def choose(table: RegisterTable, first: int, last: int) -> None:
    """Whole lines."""
    table.grid.setFocus()
    cells = QItemSelection(table.model.index(first, 0), table.model.index(last, table.model.columnCount() - 1))
    table.grid.selectionModel().select(cells, QItemSelectionModel.SelectionFlag.ClearAndSelect)


def cell(table: RegisterTable, row: int, name: str) -> str:
    return str(table.model.index(row, table.register.place(name)).data())


def type_(table: RegisterTable, words: str, end: Qt.Key = KEYS.Key_Return) -> None:
    """Over the cell at the cursor, as from the keyboard."""
    QTest.keyClicks(table.grid, words[0])
    editor = QApplication.focusWidget()
    assert editor is not None and editor is not table.grid
    QTest.keyClicks(editor, words[1:])
    QTest.keyClick(editor, end)


def focused() -> QWidget:
    widget = QApplication.focusWidget()
    assert widget is not None
    return widget


def paste(table: RegisterTable, words: str) -> None:
    QGuiApplication.clipboard().setText(words)
    QTest.keyClick(table.grid, KEYS.Key_V, CONTROL)


# --- typing


def test_an_issue_is_typed_into_the_empty_line_and_numbered(page: EngagementPage, table: Any) -> None:
    issues = table("issues")
    at(issues, 0, "title")
    type_(issues, "Orders are slow")
    type_(issues, "Batch ends late")
    assert [(each.number, each.title) for each in records(page, CustomerIssue)] == [
        (1, "Orders are slow"),
        (2, "Batch ends late"),
    ]
    assert issues.grid.currentIndex().row() == 2
    assert page.tabs.tabText(TABS.index("issues")) == "Issues 2"
    page.workspace.undo.undo()
    page.workspace.undo.undo()
    assert records(page, CustomerIssue) == ()
    page.workspace.undo.redo()
    assert [each.title for each in records(page, CustomerIssue)] == ["Orders are slow"]


def test_a_line_that_has_no_name_yet_waits_for_it(page: EngagementPage, table: Any, heard: list[str]) -> None:
    contacts = table("contacts")
    at(contacts, 0, "phone")
    type_(contacts, "02-123-4567", KEYS.Key_Tab)
    assert records(page, Contact) == ()
    assert cell(contacts, 0, "phone") == "02-123-4567"
    assert cell(contacts, 0, "name") == "Give a name to keep it"
    page.leave()
    assert "Contacts" in heard[-1]
    at(contacts, 0, "name")
    type_(contacts, "Park")
    (stored,) = records(page, Contact)
    assert (stored.name, stored.phone) == ("Park", "02-123-4567")
    assert contacts.model.rowCount() == 2
    assert cell(contacts, 1, "phone") == ""


def test_what_was_begun_in_a_line_can_be_taken_out_again(page: EngagementPage, table: Any) -> None:
    contacts = table("contacts")
    for give_up in (Qt.Key.Key_Delete, Qt.Key.Key_Escape):
        at(contacts, 0, "phone")
        if give_up is Qt.Key.Key_Delete:
            type_(contacts, "02-123-4567", KEYS.Key_Tab)
            assert contacts.model.has_draft()
            at(contacts, 0, "phone")
        else:
            QTest.keyClicks(contacts.grid, "0")
            field = text_field(focused())
            keeper = keeper_of(field) if field is not None else None
            assert keeper is not None and keeper.store() and contacts.model.has_draft()
        QTest.keyClick(focused(), give_up)
        assert not contacts.model.has_draft() and cell(contacts, 0, "phone") == ""


def test_a_host_that_is_not_chosen_stays(page: EngagementPage, table: Any, host: str) -> None:
    systems = table("systems")
    at(systems, 0, "name")
    type_(systems, "db1")
    at(systems, 0, "host")
    type_(systems, host)
    at(systems, 0, "name")
    QTest.keyClick(systems.grid, KEYS.Key_F2)
    QTest.keyClick(focused(), KEYS.Key_Return)
    at(systems, 0, "host")
    QTest.keyClick(systems.grid, KEYS.Key_F2)
    let_window_live(0, "the list opens in the next turn")
    popup = QApplication.activePopupWidget()
    if popup is not None:
        popup.close()
    box = next(part for part in systems.grid.viewport().findChildren(QComboBox) if part.isVisible())
    QTest.keyClick(box, KEYS.Key_Escape)
    assert [system.host for system in records(page, SystemInScope)] == [host]


def test_a_number_that_orders_the_issues_is_stored_whole(page: EngagementPage, table: Any) -> None:
    issues = table("issues")
    put(page, *(CustomerIssue(0, number, f"issue {number}") for number in (1, 2, 3)))
    at(issues, 0, "number")
    QTest.keyClicks(issues.grid, "5")
    field = text_field(focused())
    assert field is not None and keeper_of(field) is None
    QTest.keyClicks(focused(), "2")
    QTest.keyClick(focused(), KEYS.Key_Return)
    numbers = {issue.title: issue.number for issue in records(page, CustomerIssue)}
    assert numbers == {"issue 1": 52, "issue 2": 2, "issue 3": 3}


def test_what_was_begun_in_one_engagement_is_not_in_the_next(page: EngagementPage, table: Any) -> None:
    contacts = table("contacts")
    at(contacts, 0, "phone")
    type_(contacts, "02-123-4567")
    page.workspace.announce(Change.OPENED)
    assert cell(contacts, 0, "phone") == ""


def test_a_choice_is_taken_from_its_list(page: EngagementPage, table: Any, qtbot: Any) -> None:
    put(page, CustomerIssue(0, 1, "Slow"))
    issues = table("issues")
    at(issues, 0, "severity")
    QTest.keyClick(issues.grid, KEYS.Key_F2)
    (box,) = [each for each in issues.grid.findChildren(QComboBox) if each.isVisible()]
    assert [box.itemText(place) for place in range(box.count())] == ["high", "medium", "low"]
    box.setCurrentIndex(0)
    box.activated.emit(0)
    assert records(page, CustomerIssue)[0].severity is Severity.HIGH
    page.workspace.undo.undo()
    assert records(page, CustomerIssue)[0].severity is Severity.MEDIUM
    assert page.workspace.undo.redoText() == "change an issue"


def test_what_cannot_be_read_stays_open_and_is_said(page: EngagementPage, table: Any, heard: list[str]) -> None:
    put(page, CustomerIssue(0, 1, "Slow"), CustomerIssue(0, 2, "Late"))
    issues = table("issues")
    at(issues, 0, "reported_on")
    type_(issues, "yesterday")
    assert "is not a date" in heard[-1]
    assert records(page, CustomerIssue)[0].reported_on == ""
    QApplication.processEvents()
    editor = QApplication.focusWidget()
    assert editor is not None and editor.toPlainText() == "yesterday"  # type: ignore[attr-defined]
    QTest.keyClick(editor, KEYS.Key_Escape)
    at(issues, 0, "reported_on")
    type_(issues, "2007/7/19")
    assert records(page, CustomerIssue)[0].reported_on == "2007-07-19"
    assert not issues.model.setData(issues.model.index(1, 0), "1")
    assert [each.number for each in records(page, CustomerIssue)] == [1, 2]
    assert not issues.model.setData(issues.model.index(1, 1), " ")
    assert records(page, CustomerIssue)[1].title == "Late"


def test_korean_comes_in_through_the_input_method(page: EngagementPage, table: Any) -> None:
    """Hangul is composed before it is committed: the first syllable is not lost, none is doubled."""
    terms = table("terms")
    at(terms, 0, "korean")
    QApplication.sendEvent(terms.grid, QInputMethodEvent("ㅁ", []))
    QApplication.sendEvent(terms.grid, QInputMethodEvent("마", []))
    done = QInputMethodEvent("", [])
    done.setCommitString("마")
    QApplication.sendEvent(terms.grid, done)
    editor = QApplication.focusWidget()
    assert editor is not None
    rest = QInputMethodEvent("", [])
    rest.setCommitString("감 처리")
    QApplication.sendEvent(editor, rest)
    QTest.keyClick(editor, KEYS.Key_Return)
    assert [each.korean for each in records(page, Term)] == ["마감 처리"]


def test_several_lines_and_hidden_characters(page: EngagementPage, table: Any) -> None:
    put(page, Term(0, "마감", "cut-off"))
    terms = table("terms")
    at(terms, 0, "meaning")
    QTest.keyClick(terms.grid, KEYS.Key_F2)
    editor = QApplication.focusWidget()
    assert editor is not None
    QTest.keyClicks(editor, "first")
    QTest.keyClick(editor, KEYS.Key_Return, Qt.KeyboardModifier.AltModifier)
    QTest.keyClicks(editor, "second")
    QTest.keyClick(editor, KEYS.Key_Return)
    assert records(page, Term)[0].meaning == "first\nsecond"
    at(terms, 0, "english")
    paste(terms, "cut\u200b-off\u0007 time")
    assert records(page, Term)[0].english == "cut-off time"


# --- from and to a spreadsheet


def test_lines_are_pasted_as_one_edit(page: EngagementPage, table: Any) -> None:
    put(page, CustomerIssue(0, 4, "Slow"))
    issues = table("issues")
    at(issues, 1, "number")
    words = catalogue("ko")
    head = "\t".join(words.text(f"form.issues.{name}") for name in ("number", "title", "text", "severity"))
    paste(issues, f'{head}\r\n\tBatch\t"late\nevery night"\t상\r\n7\tBackup\t\tlow\r\n')
    assert [(each.number, each.title, each.text, each.severity) for each in records(page, CustomerIssue)] == [
        (4, "Slow", "", Severity.MEDIUM),
        (8, "Batch", "late\nevery night", Severity.HIGH),
        (7, "Backup", "", Severity.LOW),
    ]
    assert [cell(issues, row, "number") for row in range(3)] == ["4", "7", "8"]
    page.workspace.undo.undo()
    assert [each.title for each in records(page, CustomerIssue)] == ["Slow"]


def test_nothing_is_pasted_where_one_cell_is_wrong(page: EngagementPage, table: Any) -> None:
    systems = table("systems")
    at(systems, 0, "kind")
    paste(systems, "host\tdb1\nprinter\tlp0\nhost\t\n")
    assert records(page, SystemInScope) == ()
    said = systems.problems.sentences()
    assert len(said) == 2
    assert said[0].startswith("Row 2 · Kind") and "printer" in said[0]
    assert said[1].startswith("Row 3 · Name")
    paste(systems, "host\tdb1\nstorage\tlp0\n")
    assert [(each.kind, each.name) for each in records(page, SystemInScope)] == [
        (SystemKind.HOST, "db1"),
        (SystemKind.STORAGE, "lp0"),
    ]
    assert systems.problems.sentences() == ()


def test_copied_cells_are_no_formulas(page: EngagementPage, table: Any) -> None:
    put(page, Contact(0, "=cmd()", "ACME\tBank"))
    contacts = table("contacts")
    choose(contacts, 0, 0)
    QTest.keyClick(contacts.grid, KEYS.Key_C, CONTROL)
    assert QGuiApplication.clipboard().text().startswith("'=cmd()\tACME Bank\t")


# --- lines taken out


def test_lines_are_taken_out_together_and_come_back(page: EngagementPage, table: Any, heard: list[str]) -> None:
    made = made_cycle.fill(page.workspace.project)
    put(page, CustomerIssue(0, 2, "Late"), CustomerIssue(0, 3, "Down"))
    before = reading.read(page.workspace.opened)
    issues = table("issues")
    choose(issues, 0, 1)
    QTest.keyClick(issues.grid, KEYS.Key_Delete, CONTROL)
    after = reading.read(page.workspace.opened)
    assert [each.title for each in after.all(CustomerIssue)] == ["Down"]
    assert after.records[made["cause"]].issue_ids == ()  # type: ignore[union-attr]
    assert "1 records named" in heard[-1]
    page.workspace.undo.undo()
    assert reading.read(page.workspace.opened) == before


# --- hosts of the captures


def test_a_captured_host_is_offered_and_taken(page: EngagementPage, table: Any, host: str) -> None:
    systems = table("systems")
    assert systems.offer.isVisible()
    assert systems.offer.buttons[0].text() == f"+ {host}"
    systems.offer.buttons[0].click()
    (made,) = records(page, SystemInScope)
    assert (made.kind, made.name, made.host) == (SystemKind.HOST, host, host)
    assert not systems.offer.isVisible()
    page.workspace.undo.undo()
    assert records(page, SystemInScope) == ()
    assert systems.offer.isVisible()


def test_the_host_of_a_system_is_chosen_or_typed(page: EngagementPage, table: Any, host: str) -> None:
    put(page, SystemInScope(0, SystemKind.DATABASE, "ORCL"))
    systems = table("systems")
    at(systems, 0, "host")
    QTest.keyClick(systems.grid, KEYS.Key_F2)
    (box,) = [each for each in systems.grid.findChildren(QComboBox) if each.isVisible()]
    assert box.itemText(0) == host
    box.activated.emit(0)
    box.setCurrentIndex(0)
    place = systems.model.index(0, systems.register.place("host"))
    assert systems.model.setData(place, "elsewhere")
    assert cell(systems, 0, "host") == "elsewhere (not captured)"
    assert systems.model.read(place) == "elsewhere"
    assert systems.model.tip(place) == "No host of this name has been captured."
    assert systems.model.setData(place, host)
    assert systems.model.tip(place) == host
    assert records(page, SystemInScope)[0].host == host


def test_a_host_is_in_scope_by_its_name_or_by_its_host() -> None:
    hosts = [Host(1, "db1", "SunOS", "5.9"), Host(2, "app1"), Host(3, "web1")]
    systems = [SystemInScope(1, SystemKind.DATABASE, "ORCL", host="DB1"), SystemInScope(2, SystemKind.HOST, "App1")]
    assert [host.name for host in not_in_scope(hosts, systems)] == ["web1"]
    assert system_of(hosts[0]) == SystemInScope(0, SystemKind.HOST, "db1", product="SunOS 5.9", host="db1")


# --- looks


def test_columns_share_the_room_and_stay_readable() -> None:
    wanted = [(50, False), (300, True), (100, True), (90, False)]
    assert widths(wanted, 940) == [50, 600, 200, 90]
    assert widths(wanted, 440) == [50, 204, LEAST_TEXT_PX, 90]  # the narrow one keeps its least, the other the rest
    assert widths(wanted, 100) == [50, LEAST_TEXT_PX, LEAST_TEXT_PX, 90]
    assert sum(widths([(50, False), (100, True), (90, False)], 941)) == 941


def test_a_line_is_as_high_as_its_words(page: EngagementPage, table: Any, qtbot: Any) -> None:
    put(page, CustomerIssue(0, 1, "Slow"), CustomerIssue(0, 2, "Late", "first\nsecond\nthird"))
    issues = table("issues")
    qtbot.waitUntil(lambda: issues.grid.rowHeight(1) > 2 * issues.grid.fontMetrics().height(), timeout=60_000)
    assert issues.grid.rowHeight(0) == ROW_HEIGHT


def test_help_tells_of_the_cycle_where_the_cycle_is_worked_on(opened: MainWindow) -> None:
    for page_id in ("board", "cycle", "tradeoffs"):
        opened.show_page(page_id)
        opened.workspace.commands.action("help.show").trigger()
        shown = opened.stack.currentWidget()
        assert isinstance(shown, HelpPage)
        assert shown.topics.currentRow() == TOPICS.index("cycle")


# --- read only


def test_nothing_can_be_typed_into_a_file_that_is_only_read(page: EngagementPage, table: Any, monkeypatch: Any) -> None:
    put(page, CustomerIssue(0, 1, "Slow", state=IssueState.SOLVED))
    issues = table("issues")
    monkeypatch.setattr(CycleController, "writable", property(lambda _controller: False))
    issues.reload()
    assert issues.model.rowCount() == 1
    assert not issues.model.flags(issues.model.index(0, 1)) & Qt.ItemFlag.ItemIsEditable
    assert not issues.add_button.isEnabled()
    paste(issues, "x")
    assert [each.title for each in records(page, CustomerIssue)] == ["Slow"]


# --- the questionnaire


def edited(path: Path, cells: dict[tuple[str, str], object], code: str = "en") -> Path:
    book: Any = openpyxl.load_workbook(path)
    for (form, place), value in cells.items():
        book[catalogue(code).text(f"form.{form}.sheet")][place] = value
    book.save(path)
    return path


@pytest.fixture
def sent(page: EngagementPage, tmp_path: Path, idle: Any, monkeypatch: Any) -> Path:
    """The questionnaire as it went out, through the menu."""
    path = tmp_path / "out"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    page.workspace.commands.action("questionnaire.export_en").trigger()
    idle()
    return path.with_name("out.xlsx")


def reviewed(page: EngagementPage, down: int, across: int) -> str:
    item = page.review.table.item(down, across)
    assert item is not None
    return item.text()


def import_(page: EngagementPage, path: Path, idle: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(path), ""))
    page.workspace.commands.action("questionnaire.import").trigger()
    idle()


def test_what_would_change_is_shown_before_it_is_taken(
    page: EngagementPage, sent: Path, idle: Any, monkeypatch: Any
) -> None:
    project, review = page.workspace.opened, page.review
    before = (reading.read(project), projects.read_engagement(project))
    edited(sent, {("engagement", "C7"): "Seoul", ("issues", "B5"): "Orders are slow", ("issues", "D5"): "high"})
    import_(page, sent, idle, monkeypatch)
    assert page.body.currentWidget() is review
    assert (reading.read(project), projects.read_engagement(project)) == before
    rows = [[reviewed(page, down, across) for across in range(5)] for down in range(review.table.rowCount())]
    assert ["Engagement", "2007 tuning", "Site", "–", "Seoul"] in rows
    (new,) = [row for row in rows if row[2] == "new"]
    assert new[:2] == ["Issues", "1. Orders are slow"] and "Severity: high" in new[3]
    review.take_button.click()
    assert page.body.currentWidget() is page.tabs
    assert projects.read_engagement(project).site == "Seoul"
    assert [each.title for each in records(page, CustomerIssue)] == ["Orders are slow"]
    assert page.details.edits["site"].text() == "Seoul"
    taken = reading.read(project)
    page.workspace.undo.undo()
    assert (reading.read(project), projects.read_engagement(project)) == before
    page.workspace.undo.redo()
    assert (reading.read(project), projects.read_engagement(project).site) == (taken, "Seoul")


def test_wrong_cells_are_listed_and_nothing_is_taken(
    page: EngagementPage, sent: Path, idle: Any, monkeypatch: Any
) -> None:
    project, review = page.workspace.opened, page.review
    before = (reading.read(project), projects.read_engagement(project))
    edited(
        sent,
        {("engagement", "C7"): "Seoul", ("issues", "B5"): "Slow", ("issues", "D5"): "urgent", ("systems", "B5"): "db1"},
    )
    import_(page, sent, idle, monkeypatch)
    assert [[reviewed(page, down, across) for across in range(2)] for down in range(2)] == [
        ["Issues", "D5"],
        ["Systems", "A5"],
    ]
    assert "urgent" in reviewed(page, 0, 2)
    assert not review.take_button.isVisible()
    assert (reading.read(project), projects.read_engagement(project)) == before
    review.copy_button.click()
    assert QGuiApplication.clipboard().text().startswith("Issues\tD5\t")
    edited(sent, {("issues", "D5"): "low", ("systems", "A5"): "host"})
    review.again_button.click()
    idle()
    assert review.take_button.isVisible()
    review.close_button.click()
    assert page.body.currentWidget() is page.tabs
    assert (reading.read(project), projects.read_engagement(project)) == before


def test_a_file_that_is_no_questionnaire_is_said(
    page: EngagementPage, tmp_path: Path, idle: Any, monkeypatch: Any
) -> None:
    path = tmp_path / "photo.xlsx"
    path.write_bytes(b"\x89PNG")
    import_(page, path, idle, monkeypatch)
    assert page.body.currentWidget() is page.review
    assert not page.review.table.isVisible()
    assert not page.review.take_button.isVisible()


def test_a_proposal_that_is_out_of_date_is_refused_whole(
    page: EngagementPage, sent: Path, idle: Any, monkeypatch: Any, heard: list[str]
) -> None:
    put(page, CustomerIssue(0, 1, "Slow"))
    edited(sent, {("engagement", "C7"): "Seoul", ("issues", "A5"): 1, ("issues", "B5"): "Very slow"})
    import_(page, sent, idle, monkeypatch)
    controller = CycleController.of(page.workspace)
    (issue,) = controller.book.all(CustomerIssue)
    assert controller.edit(change_typed(controller.book, issue.id, {"title": "Slower"}))
    page.review.take_button.click()
    assert "in the meantime" in heard[-1]
    assert projects.read_engagement(page.workspace.opened).site == ""
    assert [each.title for each in records(page, CustomerIssue)] == ["Slower"]
    assert page.workspace.undo.undoText() == "change an issue"


def test_every_text_is_translated(page: EngagementPage, look: Any) -> None:
    for code in ("ko", "en"):
        look(code)
        for register in page.registers.values():
            shown = [str(register.model.headerData(at, Qt.Orientation.Horizontal)) for at in range(3)]
            shown += [cell(register, 0, register.register.needs[0]), register.add_button.text()]
            assert all(words and "⟨" not in words for words in shown)
        assert not any("⟨" in page.tabs.tabText(place) for place in range(page.tabs.count()))
