"""The findings page with the iostat and vmstat listings of the founding guide, driven by mouse and keyboard."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QPushButton

from tests.program import compose
from tunebench.core.paths import user_rules_folder
from tunebench.domain.cycle.evidence import Evidence
from tunebench.domain.cycle.records import Cause
from tunebench.domain.cycle.worksheet import Action
from tunebench.domain.engagement import Engagement, Phase
from tunebench.domain.finding import Severity
from tunebench.ui.frame.main_window import MainWindow
from tunebench.ui.pages.findings_page import TABS, FindingsPage
from tunebench.ui.tables.view import FigureTable
from tunebench.usecases import projects
from tunebench.usecases.cycle import applying, reading
from tunebench.usecases.cycle.edits import open_iteration
from tunebench.usecases.importing import imports
from tunebench.usecases.importing.results import ImportOptions

FOUNDING = Path(__file__).resolve().parents[1] / "fixtures" / "founding"
START = datetime(2008, 2, 1, 10, tzinfo=ZoneInfo("Asia/Seoul"))


@pytest.fixture(scope="module")
def imported(services: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `founding` is a copy of: nobody writes into it."""
    path = tmp_path_factory.mktemp("founding") / "guide.tune"
    project = projects.create(path, Engagement("I/O guide", "Goodus", language="ko"))
    for name, run, phase in (
        ("iostat_read_maxcontig_6.txt", "read", Phase.BEFORE),
        ("iostat_write_maxcontig_6.txt", "write", Phase.AFTER),
    ):
        options = ImportOptions(run=run, phase=phase, host="svrdb1", start=START, zone="Asia/Seoul")
        imports.import_captures(project, [FOUNDING / name], options)
    applying.apply(project, open_iteration(reading.read(project), "I/O", on="2008-02-01"))
    projects.close(project)
    return path


@pytest.fixture
def founding(imported: Path, tmp_path: Path) -> Path:
    """The read test with maxcontig 6 as the run before, the write test as the run after; an open iteration."""
    return Path(shutil.copy(imported, tmp_path / "guide.tune"))


@pytest.fixture
def page(window: MainWindow, founding: Path, idle: Callable[[], None]) -> FindingsPage:
    assert window.controller.open(founding)
    window.show_page("findings")
    idle()
    found = window.page("findings")
    assert isinstance(found, FindingsPage)
    return found


def rows(table: FigureTable) -> list[list[str]]:
    shown = table.filter
    return [[str(shown.index(r, c).data()) for c in range(shown.columnCount())] for r in range(shown.rowCount())]


def words_of(page: FindingsPage) -> str:
    from PySide6.QtWidgets import QLabel

    return "\n".join(made.text() for made in page.detail.findChildren(QLabel) if made.isVisible())


def test_the_bottleneck_on_ssd2_comes_first_with_source_and_caution(page: FindingsPage) -> None:
    """svc_t 137.8 ms and %b 100 in section 4.3 of the guide; its own rule of section 3.4."""
    first = rows(page.findings)[0]
    assert "critical" in first[0] and first[0][0] == "■"
    assert first[2] == "svrdb1 ssd2" and first[3] == "1/1" and first[5] == "SF-052"
    assert "137.8" in first[4]
    told = words_of(page)
    assert "디스크가병목현상을일으킨다고볼수있다" in told and "000 3.4" in told
    assert "⚠" in told  # one sample does not show that anything lasts


def test_another_run_has_its_own_findings(page: FindingsPage, qtbot: Any, idle: Callable[[], None]) -> None:
    """%w 33 on sd0 in section 4.4: a heavily loaded disk, by SF-054."""
    page.run_box.setFocus()
    qtbot.keyClick(page.run_box, Qt.Key.Key_Down)
    page.run_box.activated.emit(page.run_box.currentIndex())
    idle()
    found = {(row[2], row[5]) for row in rows(page.findings)}
    assert ("svrdb1 sd0", "SF-054") in found and ("svrdb1 sd0", "SF-052") in found
    assert ("svrdb1 ssd2", "SF-052") not in found
    titles = {row[5]: row[1] for row in rows(page.findings)}
    assert titles["SF-054"].startswith("└ ") and not titles["SF-052"].startswith("└")  # a symptom below its cause
    assert "SF-054" in words_of(page) and "wsvc_t" in words_of(page)  # what it explains, and what would confirm it


def test_a_finding_becomes_a_cause_with_evidence_and_a_worksheet_row_and_both_are_undone(
    page: FindingsPage, qtbot: Any, idle: Callable[[], None]
) -> None:
    workspace = page.workspace
    qtbot.mouseClick(page.detail.cause_button, Qt.MouseButton.LeftButton)
    book = reading.read(workspace.opened)
    assert [cause.finding for cause in book.all(Cause)] == ["SF-052/read/svrdb1/device=ssd2"]
    assert book.all(Evidence)
    assert page.detail.cause_button.text() == "Show the cause" and "cause." in page.detail.cause_button.toolTip()
    asked: list[object] = []
    workspace.page_asked.connect(
        lambda page_id, argument: asked.append((page_id, getattr(argument, "record_id", None)))
    )
    qtbot.mouseClick(page.detail.cause_button, Qt.MouseButton.LeftButton)
    assert asked == [("cycle", book.all(Cause)[0].id)]  # what it has become is shown, not taken once more
    workspace.show_page("findings")
    qtbot.mouseClick(page.detail.action_button, Qt.MouseButton.LeftButton)
    assert [a.finding for a in reading.read(workspace.opened).all(Action)] == ["SF-052/read/svrdb1/device=ssd2"]
    workspace.undo.undo()
    workspace.undo.undo()
    idle()
    book = reading.read(workspace.opened)
    assert not book.all(Cause) and not book.all(Action)
    assert page.detail.cause_button.isEnabled()


def test_what_a_finding_may_become_is_offered_beside_every_one(page: FindingsPage) -> None:
    for row in range(2):
        page.findings.selectRow(row)
        page.findings.setCurrentIndex(page.findings.filter.index(row, 0))
        assert page.detail.cause_button.isVisible() and page.detail.action_button.isVisible()
    page.tabs.setCurrentIndex(TABS.index("use"))
    assert not page.detail.cause_button.isVisible()


def test_evidence_leads_to_the_time_line(page: FindingsPage, qtbot: Any, idle: Callable[[], None]) -> None:
    link = next(made for made in page.detail.findChildren(QPushButton) if "iostat" in made.accessibleName())
    qtbot.mouseClick(link, Qt.MouseButton.LeftButton)
    idle()
    chosen = page.workspace.selection
    assert not page.isVisible() and chosen.series
    assert chosen.range is not None and chosen.range.start_ns <= int(START.timestamp() * 1e9) <= chosen.range.end_ns


def test_the_use_table_says_what_was_not_measured_and_which_probe_would_fill_it(page: FindingsPage, qtbot: Any) -> None:
    page.tabs.setCurrentIndex(TABS.index("use"))
    told = {row[1]: row for row in rows(page.use_table)}
    assert "100 %" in told["Disk ssd2"][2]
    assert told["CPU"][2].startswith("not measured") and "vmstat" in told["CPU"][2]
    assert "vmstat" in words_of(page)


def test_what_could_not_be_judged_is_listed(page: FindingsPage) -> None:
    page.tabs.setCurrentIndex(TABS.index("not_judged"))
    listed = {row[4]: row for row in rows(page.not_judged)}
    assert "SF-100" in listed  # DNLC needs vmstat -s, which nobody captured
    assert "vmstat" in listed["SF-100"][3]


def test_one_sample_a_side_gives_no_bottleneck_but_an_order(page: FindingsPage) -> None:
    page.tabs.setCurrentIndex(TABS.index("bottleneck"))
    shown = rows(page.bottleneck.table)
    assert shown[0][0] == "Disk ssd2 [svrdb1]" or shown[0][0] == "Disk sd0 [svrdb1]"
    assert not page.detail.isVisible()
    assert "few" in page.bottleneck.sentence.text() or "cannot" in page.bottleneck.sentence.text()


def test_filter_and_copy(page: FindingsPage, qtbot: Any) -> None:
    qtbot.keyClicks(page.filter_field, "ssd2")
    assert rows(page.findings) and all("ssd2" in row[2] for row in rows(page.findings))
    page.copy()
    assert "SF-052" in QGuiApplication.clipboard().text()


def test_an_empty_engagement_invites(window: MainWindow, tmp_path: Path, idle: Callable[[], None]) -> None:
    path = tmp_path / "empty.tune"
    projects.close(projects.create(path, Engagement("nothing", "nobody")))
    assert window.controller.open(path)
    window.show_page("findings")
    idle()
    page = window.page("findings")
    assert isinstance(page, FindingsPage) and not page.findings.isVisible()


def test_in_korean_and_dark_all_tabs_are_named(page: FindingsPage, look: Callable[..., None]) -> None:
    from tunebench.ui.look.language import language

    language().switch("ko")
    assert page.tabs.tabText(0).startswith("진단 결과")
    assert rows(page.findings)[0][0] == "■ 심각"


@pytest.fixture
def own_rules() -> Iterator[Path]:
    """The folder of the user's own packs, read anew before and after."""
    folder = user_rules_folder()
    folder.mkdir(parents=True)
    yield folder
    shutil.rmtree(folder)
    compose()


PACK = """\
id: house
title: {ko: "우리 규칙", en: "House rules"}
rules:
- id: HOUSE-1
  title: {ko: "바쁜 디스크", en: "A busy disk"}
  condition: {ko: "%b가 90 % 초과", en: "%b above 90 %"}
  metrics: [pct_b]
  expr: "pct_b > 90"
  severity: watch
  domain: system
  resource: disk
  action: {ko: "살펴보십시오.", en: "Look."}
  source: "house"
  confidence: low
  verified: recalled
- id: HOUSE-2
  title: {ko: "읽는 디스크", en: "A disk that reads"}
  condition: {ko: "읽기가 있음", en: "there are reads"}
  metrics: [r_s]
  expr: "r_s > 0"
  severity: watch
  domain: system
  resource: disk
  action: {ko: "살펴보십시오.", en: "Look."}
  source: "house"
  confidence: low
  verified: recalled
"""


def test_the_users_own_rules_judge_and_a_pack_with_a_fault_is_named(
    own_rules: Path, window: MainWindow, founding: Path, idle: Callable[[], None]
) -> None:
    (own_rules / "house.yaml").write_text(PACK, encoding="utf-8")
    (own_rules / "faulty.yaml").write_text(PACK.replace("pct_b > 90", "__import__('os')"), encoding="utf-8")
    compose()
    assert window.controller.open(founding)
    window.show_page("findings")
    idle()
    page = window.page("findings")
    assert isinstance(page, FindingsPage)
    found = {(row[2], row[5]) for row in rows(page.findings)}
    assert {("svrdb1 ssd2", "HOUSE-1"), ("svrdb1 sd0", "HOUSE-2")} <= found
    assert page.left_out.isVisible() and "faulty.yaml:8" in page.left_out.text()


def test_no_notice_where_every_pack_could_be_used(page: FindingsPage) -> None:
    assert not page.left_out.isVisible()


def test_what_is_fine_gets_no_advice_and_offers_no_worksheet_row(page: FindingsPage) -> None:
    assert page.diagnosis is not None
    fine = next(each for each in page.diagnosis.findings if each.severity is Severity.OK)
    page.show_argument(fine.key)
    assert page.detail.finding == fine and not page.detail.action_button.isEnabled()


def test_a_project_that_is_only_read_locks_what_would_write(
    page: FindingsPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(type(page.workspace), "writable", property(lambda _self: False))
    page.show_argument("SF-052/read/svrdb1/device=ssd2")
    assert not page.detail.cause_button.isEnabled() and not page.detail.action_button.isEnabled()
