"""Import as a person does it: drop, say what it is, watch, cancel, read the ledger, correct it."""

from __future__ import annotations

import threading
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QEvent, QPoint, QStandardPaths, Qt
from PySide6.QtGui import QDragLeaveEvent, QFontMetrics, QHelpEvent
from PySide6.QtWidgets import QApplication, QLabel, QMessageBox, QPushButton, QToolTip, QWidget

from tests.ui.conftest import FIXTURES
from tunebench.columns import formats
from tunebench.columns.formats import moment
from tunebench.core.errors import Cancelled, UserError
from tunebench.domain.engagement import UNNAMED_HOST, Engagement, Host, Phase
from tunebench.domain.ledger import LineCounts
from tunebench.store import merged_series
from tunebench.ui.frame.main_window import MainWindow
from tunebench.ui.frame.project_tree import ASIDE, ASIDE_BREAK, KIND, ProjectTree, fitting_aside
from tunebench.ui.importing.import_form import archive_name, folder_name, guess_phase
from tunebench.ui.importing.ledger_table import LEAST_NAME
from tunebench.ui.importing.ledger_view import LedgerView
from tunebench.ui.look import fonts
from tunebench.ui.pages.captures_page import CapturesPage
from tunebench.ui.pages.review_page import ReviewPage
from tunebench.ui.widgets.capture_lines import LineBar
from tunebench.usecases import projects
from tunebench.usecases.importing import imports
from tunebench.usecases.importing.results import ImportOptions

Idle = Callable[[], None]


def page_of(window: MainWindow) -> CapturesPage:
    page = window.page("captures")
    assert isinstance(page, CapturesPage)
    return page


def shown(view: LedgerView) -> str:
    return "\n".join(label.text() for label in view.findChildren(QLabel))


def cell(page: CapturesPage, row: int, column: str) -> str:
    return str(page.model.index(row, page.model.column(column)).data())


def tip_over(widget: QWidget, place: QPoint) -> QLabel:
    """The tool tip that comes up where the pointer rests."""
    QToolTip.hideText()
    QApplication.sendEvent(widget, QHelpEvent(QEvent.Type.ToolTip, place, widget.mapToGlobal(place)))
    tips = [each for each in QApplication.allWidgets() if each.metaObject().className() == "QTipLabel"]
    (tip,) = (each for each in tips if each.isVisible() and isinstance(each, QLabel))
    return tip


# --- dropping
def test_dropping_captures_begins_an_engagement(
    window: MainWindow, qtbot: Any, drop: Any, captures: Path, tmp_path: Path, idle: Idle
) -> None:
    window.settings.remember_folder("projects", tmp_path)
    drop(window, [captures])
    form = window.welcome.form
    assert form.isVisible()
    qtbot.keyClicks(form.customer, "Hanbit")
    qtbot.keyClick(form.customer, Qt.Key.Key_Return)
    page = page_of(window)
    assert window.current_page == "captures" and page.form.isVisible()
    assert page.form.paths == [captures]
    assert page.form.phase is Phase.BEFORE, "the folder is called before"
    assert page.form.run.currentText() == "before"
    qtbot.mouseClick(page.form._start, Qt.MouseButton.LeftButton)
    idle()
    assert not page.form.isVisible()
    assert page.model.rowCount() == 3
    assert {cell(page, row, "tool") for row in range(3)} == {"vmstat", "iostat", "mpstat"}
    assert "3 files" in window.messages.sentence()
    assert "name no host: 1" in window.messages.sentence(), "vmstat prints none"


def test_dropping_a_project_opens_it(window: MainWindow, drop: Any, project_file: Path, idle: Idle) -> None:
    drop(window, [project_file])
    idle()
    assert window.workspace.overview is not None
    assert window.workspace.overview.engagement.customer == "ACME"


def test_dropping_into_an_open_engagement_asks_what_it_is(opened: MainWindow, drop: Any, tmp_path: Path) -> None:
    first, second = tmp_path / "a.txt", tmp_path / "b.txt"
    for path in (first, second):
        path.write_text("x\n")
    drop(opened, [first])
    drop(opened, [second])
    page = page_of(opened)
    assert opened.current_page == "captures" and page.form.paths == [first, second]
    page.form._cancel.click()
    assert page.form.paths == [] and not page.form.isVisible()


def test_a_drag_that_leaves_again_uncovers_the_window(opened: MainWindow, qtbot: Any, tmp_path: Path) -> None:
    opened.overlay.begin([tmp_path / "vmstat.txt"])
    assert opened.overlay.isVisible() and opened.overlay.geometry() == opened.rect()
    opened.dragLeaveEvent(QDragLeaveEvent())
    qtbot.waitUntil(lambda: not opened.overlay.isVisible(), timeout=60_000)


@pytest.mark.parametrize(
    ("paths", "phase"),
    [
        (["x/before/vmstat.txt"], Phase.BEFORE),
        (["x/after/a.txt", "x/after/b.txt"], Phase.AFTER),
        (["튜닝 전/vmstat.txt"], Phase.BEFORE),
        (["개선후/iostat.txt"], Phase.AFTER),
        (["x/before/a.txt", "x/after/b.txt"], Phase.OTHER),
        (["전체/vmstat.txt"], Phase.OTHER),
        (["captures/vmstat_after.txt"], Phase.AFTER),
        (["오후/vmstat.txt", "October/a.txt"], Phase.OTHER),
        (["안전/vmstat.txt", "basis/b.txt"], Phase.OTHER),
        (["\u1110\u1172\u1102\u1175\u11bc\u110c\u1165\u11ab/vmstat.txt"], Phase.BEFORE),  # as a Mac writes 튜닝전
        (["고객사튜닝전/vmstat.txt"], Phase.BEFORE),
        (["튜닝전후/vmstat.txt"], Phase.OTHER),
        (["captures/vmstat.txt"], Phase.OTHER),
    ],
)
def test_phase_is_guessed_from_names(paths: list[str], phase: Phase) -> None:
    assert guess_phase([Path(p) for p in paths]) is phase


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/data/site/2026-11/vmstat.txt", "2026-11"),
        ("/home/lee/Downloads/vmstat.txt", ""),
        ("/home/lee/다운로드/vmstat.txt", ""),
        ("C:/x/바탕 화면/vmstat.txt", ""),
        ("/tmp/vmstat.txt", ""),
        ("/home/lee/vmstat.txt", ""),
        ("/Users/lee/vmstat.txt", ""),
        ("/vmstat.txt", ""),
        ("/home/lee/acme/vmstat.txt", "acme"),
        ("/mnt/카카오톡 받은 파일/vmstat.txt", ""),
    ],
)
def test_a_folder_where_everything_lands_names_no_run(qapp: Any, path: str, name: str) -> None:
    assert folder_name([Path(path)]) == name


def test_the_system_s_own_places_name_no_run(qapp: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        QStandardPaths, "standardLocations", lambda kind: [str(tmp_path)] if "Download" in kind.name else []
    )
    assert folder_name([tmp_path / "vmstat.txt"]) == "" and folder_name([tmp_path / "a" / "x.txt"]) == "a"


@pytest.mark.parametrize(
    ("name", "stem"),
    [
        ("sosreport-db01-2026.tar.xz", "sosreport-db01-2026"),
        ("osw.TGZ", "osw"),
        ("a.b.zip", "a.b"),
        ("vmstat.txt.gz", "vmstat.txt"),
        ("vmstat.txt", ""),
    ],
)
def test_the_name_of_an_archive_without_its_ending(name: str, stem: str) -> None:
    assert archive_name([Path("/tmp") / name]) == stem


def test_a_run_is_called_by_host_and_day_where_the_folder_says_nothing(
    opened: MainWindow, tmp_path: Path, idle: Idle
) -> None:
    folder = tmp_path / "Downloads"
    folder.mkdir()
    capture = folder / "iostat.txt"
    source = FIXTURES / "bundles/oswbb/archive/oswiostat/db01_iostat_26.11.22.0300.dat"
    capture.write_bytes(source.read_bytes())  # Linux ... (db01) 11/22/2026
    form = page_of(opened).form
    form.offer([capture])
    idle()
    assert form.run.currentText() == "db01 2026-11-22"
    form.finish()
    form.offer([folder / "site-db01.tar.gz"])
    idle()
    assert form.run.currentText() == "site-db01"
    form.finish()
    form.offer([capture])
    form.run.setCurrentText("my own")
    idle()
    assert form.run.currentText() == "my own", "what was written meanwhile stays"


# --- the ledger
def test_ledger_accounts_for_every_line(opened: MainWindow, captures: Path, idle: Idle) -> None:
    page = page_of(opened)
    for row in range(page.model.rowCount()):
        page.table.selectRow(row)
        name = cell(page, row, "name")
        lines = len((captures / name).read_bytes().splitlines())
        assert cell(page, row, "lines") == str(lines)
        assert page.ledger.entry is not None and page.ledger.entry.name == name
        assert f"{lines} in all" in shown(page.ledger)
        assert "every line accounted for" in shown(page.ledger)


def test_skipped_lines_are_shown_with_their_words(opened: MainWindow, captures: Path) -> None:
    page = page_of(opened)
    row = page.model.row_of(next(e.key for e in page.entries() if e.name == "mpstat.fr_FR.txt"))
    assert row is not None
    page.table.selectRow(row)
    (average,) = [w for w in (captures / "mpstat.fr_FR.txt").read_text().splitlines() if w.startswith("Moyenne")]
    examples = [w.words() for w in page.ledger.findChildren(QLabel) if hasattr(w, "words")]
    assert average.strip() in examples


def test_ledger_shows_the_whole_hash(opened: MainWindow, captures: Path) -> None:
    import hashlib

    page = page_of(opened)
    page.table.selectRow(0)
    expected = hashlib.sha256((captures / cell(page, 0, "name")).read_bytes()).hexdigest()
    assert expected in [label.toolTip() for label in page.ledger.findChildren(QLabel)]


def test_what_was_refused_or_known_is_listed_with_its_reason(
    opened: MainWindow, captures: Path, tmp_path: Path, idle: Idle
) -> None:
    strange = tmp_path / "strange.txt"
    strange.write_text("nothing that any tool prints\n" * 5)
    page = page_of(opened)
    page.offer([strange, captures / "vmstat.ko_KR.txt"])
    page.form.submit()
    idle()
    states = {cell(page, row, "name"): cell(page, row, "state") for row in range(2)}
    assert states == {"strange.txt": "? Not recognised", "vmstat.ko_KR.txt": "= Duplicate"}
    assert page.ledger.entry is not None and page.ledger.entry.name == "strange.txt"
    assert "strange.txt" in shown(page.ledger)
    assert opened.messages.shown[-1].message.tone == "warning"


def test_a_file_that_is_known_to_be_something_else_is_not_called_unrecognised(
    opened: MainWindow, tmp_path: Path, idle: Idle
) -> None:
    document = tmp_path / "report.pdf"
    document.write_bytes(b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n")
    page = page_of(opened)
    page.offer([document])
    page.form.submit()
    idle()
    assert cell(page, 0, "state") == "○ Not a capture"
    assert "Not a capture 1" in opened.messages.sentence()
    said = shown(page.ledger)
    assert "a document or picture (PDF)" in said
    assert "Not recognised" not in said
    assert page.ledger.findChild(QPushButton, "describe") is None, "a document is no table to be defined"


def test_the_run_gives_way_to_the_names_of_the_files(opened: MainWindow) -> None:
    page = page_of(opened)
    run, name = page.model.column("run"), page.model.column("name")
    page.resize(1400, 600)
    page._share_width()
    assert not page.table.isColumnHidden(run)
    page.resize(730, 600)
    page.table.resize(700, 300)
    page._share_width()
    taken = sum(page.table.columnWidth(at) for at in range(page.model.columnCount()) if at != name)
    assert page.table.isColumnHidden(run) or page.table.viewport().width() - taken >= LEAST_NAME


def test_spans_name_the_year_where_there_are_several(opened: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    page = page_of(opened)
    entry = page.entries()[0]
    first, last = entry.ledger.first_ns, entry.ledger.last_ns
    assert first is not None and last is not None
    year = moment(first, opened.workspace.zone).year
    monkeypatch.setattr(formats, "this_year", lambda _zone: year)
    year_ns = 366 * 86_400 * 10**9
    page.model.fill([entry])
    assert not cell(page, 0, "span").startswith("20")
    later = replace(entry, ledger=replace(entry.ledger, first_ns=first + year_ns, last_ns=last + year_ns))
    page.model.fill([entry, later])
    years = [int(cell(page, row, "span")[:4]) for row in range(2)]
    assert years[1] == years[0] + 1


def test_the_tree_names_the_year_of_runs_that_are_not_of_this_year(
    opened: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = opened.findChild(ProjectTree)
    assert tree is not None
    overview = opened.workspace.overview
    assert overview is not None and overview.runs[0].run.first_ns is not None
    day = moment(overview.runs[0].run.first_ns, opened.workspace.zone)
    for this_year, shown in ((day.year, day.strftime("%m-%d  (%a)")), (day.year + 1, day.strftime("%Y-%m-%d  (%a)"))):
        monkeypatch.setattr(formats, "this_year", lambda _zone, year=this_year: year)
        tree.fill()
        (run,) = [item for item in tree.items() if item.data(0, KIND) == "run"]
        assert run.data(0, ASIDE).endswith(ASIDE_BREAK + shown)
    assert f"{day:%Y-%m-%d %H:%M:%S}" in run.toolTip(0)


def test_in_a_narrow_tree_the_name_of_a_run_stays_readable(qapp: Any) -> None:
    """The weekday goes first, then the date; a short name is not given up for them."""
    fonts.register_bundled_fonts()
    metrics = QFontMetrics(fonts.font(fonts.SMALL_PX))
    parts = ["Before", "2009-03-19", "(Thu)"]
    wide = [metrics.horizontalAdvance(ASIDE_BREAK.join(parts[:count])) for count in (1, 2, 3)]
    aside = ASIDE_BREAK.join(parts)
    for count in (1, 2, 3):
        assert fitting_aside(aside, 60 + wide[count - 1], 60) == ASIDE_BREAK.join(parts[:count])
    date = metrics.horizontalAdvance("2009-03-19")
    assert fitting_aside("2009-03-19", 200, 200 - date + 40) == "2009-03-19", "a long name gives some of itself"
    assert fitting_aside("2009-03-19", 60 + date - 1, 60) == "", "a short one does not"


def test_a_host_without_a_name_is_not_called_unknown(opened: MainWindow, look: Any) -> None:
    """The host of captures that print none, where nothing else tells it."""
    look("ko", "dark")
    tree, page = opened.findChild(ProjectTree), page_of(opened)
    entry = replace(page.entries()[0], host=UNNAMED_HOST, name="a")
    page.model.fill([entry])
    page.ledger.show_entry(entry)
    assert cell(page, 0, "host") == "이름 모르는 서버" and "이름 모르는 서버" in shown(page.ledger)
    overview = opened.workspace.overview
    assert tree is not None and overview is not None
    opened.workspace.overview = replace(overview, hosts=(Host(1, UNNAMED_HOST),))
    tree.fill()
    assert "이름 모르는 서버" in [item.text(0) for item in tree.items()]
    page.form.offer([Path("vmstat.txt")])
    assert page.form.host.count() == 0, "nobody chooses a name that is none"


def test_correcting_the_zone_reads_the_original_again_and_can_be_undone(
    opened: MainWindow, qtbot: Any, idle: Idle
) -> None:
    page = page_of(opened)
    entry = next(e for e in page.entries() if e.name == "mpstat.fr_FR.txt")
    assert entry.artefact is not None
    page._choose(entry.key)
    first_ns = entry.ledger.first_ns
    assert first_ns is not None
    qtbot.mouseClick(page.ledger.findChild(QPushButton, "correct"), Qt.MouseButton.LeftButton)
    idle()
    review = opened.page("review")
    assert isinstance(review, ReviewPage) and opened.current_page == "review"
    assert [each.name for each in review.chosen()] == ["mpstat.fr_FR.txt"]
    review.times.zone.set_zone("UTC")
    qtbot.mouseClick(review.apply, Qt.MouseButton.LeftButton)
    idle()
    again = next(e for e in page.entries() if e.key == entry.key)
    assert again.ledger.zone == "UTC" and again.ledger.zone_source == "user"
    assert again.ledger.first_ns == first_ns + 9 * 3600 * 10**9, "Seoul is nine hours ahead of UTC"
    assert again.artefact is not None and again.artefact.sha256 == entry.artefact.sha256
    opened.workspace.undo.undo()
    idle()
    assert next(e for e in page.entries() if e.key == entry.key).ledger.first_ns == first_ns


def test_fields_become_options(opened: MainWindow) -> None:
    given = page_of(opened).form.given
    given.zone.set_zone("Asia/Tokyo")
    given.start.setText("2007-07-19 09:00")
    given.date.setText("2007-07-19")
    given.interval.setText("0.5")
    given.day_order.setCurrentIndex(2)
    values = given.values()
    assert values["zone"] == "Asia/Tokyo" and values["interval_s"] == 0.5 and values["day_first"] is False
    assert values["start"].isoformat() == "2007-07-19T09:00:00"
    assert values["date"].isoformat() == "2007-07-19"


# --- running, cancelling, failing
def test_import_can_be_cancelled_in_the_status_bar(
    opened: MainWindow, qtbot: Any, captures: Path, idle: Idle, monkeypatch: pytest.MonkeyPatch
) -> None:
    def slow(_project: Any, _paths: Any, _options: Any, progress: Any) -> None:
        for step in range(2000):
            progress.raise_if_cancelled()
            progress.report(step, 2000)
            threading.Event().wait(0.005)

    monkeypatch.setattr(imports, "import_captures", slow)
    page = page_of(opened)
    page.offer([captures])
    page.form.submit()
    qtbot.waitUntil(lambda: any((t.fraction or 0) > 0.01 for t in opened.workspace.jobs.titled()), timeout=60_000)
    assert page.form.busy and not page.form._start.isEnabled()
    page.offer([captures / "vmstat.ko_KR.txt"])
    assert "running" in opened.messages.sentence() and page.form.paths == [captures]
    (line,) = opened.status._lines.values()
    assert line._bar.value() > 0 and "Importing" in line._name.text()
    qtbot.mouseClick(line._cancel, Qt.MouseButton.LeftButton)
    idle()
    assert not page.form.busy and page.form.isVisible(), "what was entered stays for another try"
    assert page.form.paths == [captures]
    assert "cancelled" in opened.messages.sentence()
    assert opened.status._lines == {}


class CancelledAt:
    """Somebody cancels while a file of this name is taken in, or parsed."""

    def __init__(self, name: str, key: str) -> None:
        self.name, self.key, self.cancelled = name, key, False

    def report(self, done: int, total: int, key: str = "", **facts: Any) -> None:
        self.cancelled = self.cancelled or (facts.get("name"), key) == (self.name, self.key)

    def raise_if_cancelled(self) -> None:
        if self.cancelled:
            raise Cancelled


@pytest.mark.parametrize(
    ("name", "key", "sentence", "ledger"),
    [
        ("new1.txt", "progress.parsing", "No file had been read to its end", None),
        ("new3.txt", "progress.parsing", "2 files that were read by then stay", "Not read: cancelled"),
        ("new2.txt", "progress.taking_in", "2 files that were read by then stay", "the rest was not read"),
    ],
)
def test_a_cancelled_import_says_what_stays(
    opened: MainWindow,
    tmp_path: Path,
    idle: Idle,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    key: str,
    sentence: str,
    ledger: str | None,
) -> None:
    archive, text = tmp_path / "site.zip", (FIXTURES / "linux" / "vmstat.txt").read_text()
    with zipfile.ZipFile(archive, "w") as packed:
        for number in range(1, 5):
            packed.writestr(f"new{number}.txt", text.replace(" 0 ", f" {number} ", 1))
    whole = imports.import_captures
    monkeypatch.setattr(
        imports,
        "import_captures",
        lambda project, paths, options, _: whole(project, paths, options, CancelledAt(name, key)),
    )
    page = page_of(opened)
    before = len(page._captures())
    page.offer([archive])
    page.form.submit()
    idle()
    assert sentence in opened.messages.sentence()
    bundles = [entry for entry in page.entries() if entry.bundle]
    assert (len(page._captures()) - before, len(bundles)) == ((2, 1) if ledger else (0, 0))
    if ledger:
        page._choose(bundles[0].key)
        assert ledger in shown(page.ledger) and "Refused" not in shown(page.ledger)


def test_a_refusal_is_one_sentence(
    opened: MainWindow, captures: Path, idle: Idle, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any) -> None:
        raise UserError("nothing_to_import", path="/x")

    monkeypatch.setattr(imports, "import_captures", refuse)
    page = page_of(opened)
    page.offer([captures])
    page.form.submit()
    idle()
    assert "/x" in opened.messages.sentence() and opened.messages.shown[-1].message.tone == "error"
    assert page.form.isVisible() and page.form._start.isEnabled()


def test_an_unexpected_failure_goes_to_the_crash_page(
    opened: MainWindow, captures: Path, idle: Idle, monkeypatch: pytest.MonkeyPatch
) -> None:
    crashes: list[BaseException] = []
    opened.workspace.jobs.crashed.connect(crashes.append)
    monkeypatch.setattr(imports, "import_captures", lambda *_: 1 / 0)
    page = page_of(opened)
    page.offer([captures])
    page.form.submit()
    idle()
    assert [type(e) for e in crashes] == [ZeroDivisionError]
    assert not page.form.busy, "the sheet can be used again"


# --- the bar of lines
@pytest.mark.parametrize(
    "counts", [LineCounts(1_000_000, 999_998, 1, 0, 1), LineCounts(6, 2, 2, 1, 1), LineCounts(1, 0, 0, 0, 1)]
)
def test_every_kind_of_line_shows_in_the_bar(qtbot: Any, counts: LineCounts) -> None:
    bar = LineBar()
    qtbot.addWidget(bar)
    bar.show_counts(counts)
    widths = bar.widths(400)
    assert sum(widths) == pytest.approx(400)
    for width, count in zip(widths, (counts.data, counts.header, counts.blank, counts.skipped), strict=True):
        assert width >= 2 if count else width == 0


# --- what captures say is never read as HTML
def test_words_of_captures_are_shown_as_they_are(window: MainWindow, tmp_path: Path, idle: Idle) -> None:
    """File, device and host would have Qt fetch a picture: from this disk, or by name from any server."""
    picture = "<b>x<b><img src='nowhere.png'>"
    named = tmp_path / "iostat.txt"
    device = "<b>x</b><img/src='file:///etc/passwd'>"
    named.write_bytes((FIXTURES / "linux" / "iostat-xt.de_DE.txt").read_bytes().replace(b"vda", device.encode()))
    with projects.create(tmp_path / "acme.tune", Engagement("tuning", "ACME")) as project:
        imports.import_captures(project, [named], ImportOptions(run=picture, host=picture))
        assert device in {info.attributes.get("device") for info in merged_series.list_merged(project)}
    assert window.controller.open(tmp_path / "acme.tune")
    for name in ("timeline", "captures"):
        window.show_page(name)
        idle()
    tree, page = window.tree.tree, page_of(window)
    run = next(item for item in window.tree.items() if item.toolTip(0).startswith(picture))
    places = {tree.viewport(): tree.visualItemRect(run).center()}
    places[page.table.viewport()] = page.table.visualRect(page.model.index(0, page.model.column("host"))).center()
    for widget, place in places.items():
        tip = tip_over(widget, place)
        assert picture in tip.text() and tip.textFormat() is Qt.TextFormat.PlainText
    QToolTip.showText(QPoint(9, 9), device, page)
    tips = [each for each in QApplication.allWidgets() if each.metaObject().className() == "QTipLabel"]
    assert {each.textFormat() for each in tips if isinstance(each, QLabel)} == {Qt.TextFormat.PlainText}
    box = QMessageBox(QMessageBox.Icon.Question, "", picture, parent=window)
    box.ensurePolished()
    box.show()
    rich = [
        each.text()
        for each in window.findChildren(QLabel)
        if each.textFormat() is not Qt.TextFormat.PlainText and each.isVisible() and each.text()
    ]
    box.close()
    assert rich == []


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("en", "Files of whose numbers none was kept: 1. Rows of numbers lost: 17"),
        ("ko", "보관된 수치가 없는 파일: 1개. 잃은 수치 행: 17개"),
    ],
)
def test_the_closing_sentence_says_that_nothing_was_kept(
    opened: MainWindow, idle: Idle, look: Callable[[str, str], None], code: str, words: str
) -> None:
    look(code, "light")
    page = page_of(opened)
    page.offer([FIXTURES / "losses" / "sadf-without-a-brace.json"])
    page.form.submit()
    idle()
    assert words in opened.messages.sentence()
