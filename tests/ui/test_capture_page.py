"""The capture page in the window: found, opened, left; and the whole first half against a real server."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from tests.e2e.capture_rig import SETTINGS
from tests.e2e.sshd_rig import Sshd
from tests.ui.plan_controller import facts, press, type_into
from tests.waiting import let_window_live
from tunebench.core.errors import UserError
from tunebench.domain.connection import HostProfile
from tunebench.domain.engagement import Engagement
from tunebench.ui.capturing.capture_controller import CaptureController
from tunebench.ui.capturing.host_book import Reach
from tunebench.ui.capturing.question_controller import HostKeyDialog, KeyRefusedDialog
from tunebench.ui.frame.main_window import MainWindow
from tunebench.ui.pages.capture_page import TABS, CapturePage
from tunebench.usecases import projects
from tunebench.usecases.capturing import collecting, connections

pytest_plugins = ("tests.ui.plan_fixtures",)

DB01 = HostProfile("db01", "10.20.30.41", os="linux", use_config=False)


def make(path: Path, *profiles: HostProfile) -> Path:
    project = projects.create(path, Engagement(path.stem, "ACME", zone="Asia/Seoul", language="en"))
    for profile in profiles:
        connections.save_profile(project, profile)
    projects.close(project)
    return path


@pytest.fixture
def page(window: MainWindow, tmp_path: Path, home: Path, idle: Callable[[], None]) -> Iterator[CapturePage]:
    """The capture page of a window with an engagement that knows one host."""
    CaptureController.of(window.workspace).settings = SETTINGS
    assert window.controller.open(make(tmp_path / "acme.tune", DB01))
    window.show_page("collect")
    idle()
    shown = window.stack.currentWidget()
    assert isinstance(shown, CapturePage)
    yield shown
    window.controller.close()


def ready(qtbot: Any, page: CapturePage) -> None:
    let_window_live(0.005, "what was clicked is drafted in the next turn")
    qtbot.waitUntil(lambda: not page.plan.draft.drafting and not page.workspace.jobs.busy, timeout=60_000)


def test_the_page_stands_in_the_rail_before_the_captures_and_takes_the_whole_width(
    page: CapturePage, window: MainWindow
) -> None:
    ids = list(window.page_ids)
    assert ids.index("collect") == ids.index("captures") - 1
    assert not window.tree.isVisible()
    assert not window.inspector.isVisible()
    window.show_page("captures")
    assert window.tree.isVisible()


def test_every_tab_is_reached_by_its_command(page: CapturePage) -> None:
    for place, name in reversed(list(enumerate(TABS))):
        page.workspace.commands.action(f"collect.{name}").trigger()
        assert page.tabs.currentIndex() == place
        assert page.parts.currentWidget() is {"plan": page.plan, "live": page.live, "sessions": page.audit}[name]


def test_a_host_is_added_by_its_shortcut_from_any_tab(page: CapturePage, window: MainWindow) -> None:
    page.show_argument("sessions")
    QTest.keyClick(window, Qt.Key.Key_H, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
    assert page.tabs.currentIndex() == 0
    assert page.plan.parts.currentWidget() is page.plan.host_page
    QTest.keyClick(page.plan.host_page.form.address, Qt.Key.Key_Escape)
    assert page.plan.parts.currentWidget() is not page.plan.host_page
    assert window.current_page == "collect"


def test_another_engagement_begins_anew(page: CapturePage, window: MainWindow, qtbot: Any, tmp_path: Path) -> None:
    page.plan.book.choose("db01", True)
    ready(qtbot, page)
    assert page.plan.draft.plan is not None
    assert window.controller.open(make(tmp_path / "other.tune"))
    window.show_page("collect")
    ready(qtbot, page)
    assert page.plan.book.profiles == ()
    assert page.plan.draft.plan is None
    assert "addresses" in facts(page.plan.hosts)


def test_choices_are_kept_while_another_page_is_shown(page: CapturePage, window: MainWindow, qtbot: Any) -> None:
    page.plan.book.choose("db01", True)
    ready(qtbot, page)
    window.show_page("engagement")
    window.show_page("collect")
    assert [host.name for host in page.plan.book.chosen] == ["db01"]
    assert page.plan.draft.plan is not None


def test_a_refused_key_is_explained_over_the_window(page: CapturePage, qtbot: Any) -> None:
    page.plan.key_refused.emit(DB01, UserError("ssh.host_key_changed", host="db01", fingerprint="SHA256:a", known="b"))
    assert page.questions is not None
    assert isinstance(page.questions.dialog, KeyRefusedDialog)
    page.questions.dialog.decline()


def test_a_start_that_is_refused_stays_on_the_plan(page: CapturePage, qtbot: Any) -> None:
    said: list[str] = []
    page.workspace.said.connect(lambda _tone, words: said.append(words))
    page.plan.book.choose("db01", True)
    ready(qtbot, page)
    plan = page.plan.draft.plan
    assert plan is not None
    page.plan.start_asked.emit(plan)  # not approved
    assert page.tabs.currentIndex() == 0
    assert len(said) == 1
    assert "is not in the project" in said[0]


def test_leaving_while_a_question_waits_declines_it_at_once(
    page: CapturePage, window: MainWindow, qtbot: Any, sshd: Sshd
) -> None:
    page.workspace.attempt(lambda: connections.save_profile(page.workspace.opened, sshd.profile(name="sshd")))
    page.plan.book.reload()
    page.plan.book.test("sshd")
    questions = page.questions
    assert questions is not None
    qtbot.waitUntil(lambda: questions.dialog is not None, timeout=20_000)
    begun = time.monotonic()
    window.controller.leave()
    assert time.monotonic() - begun < 20
    assert page.workspace.project is None
    qtbot.waitUntil(lambda: questions.dialog is None, timeout=60_000)
    assert "Accepted publickey" not in sshd.log


@pytest.mark.parametrize("code", ["en", "ko"])
def test_nothing_is_cut_off(
    page: CapturePage, window: MainWindow, look: Callable[..., None], qtbot: Any, code: str
) -> None:
    page.plan.book.choose("db01", True)
    ready(qtbot, page)
    look(code)
    for size in ((1366, 768), (1920, 1080)):
        window.resize(*size)
        let_window_live(0.03, "the window lays itself out anew")
        narrow = [
            widget.text()  # type: ignore[attr-defined]
            for widget in page.plan.findChildren(QWidget)
            if widget.isVisibleTo(page)
            and widget.metaObject().className() == "QPushButton"
            and widget.width() < widget.minimumSizeHint().width()
        ]
        assert narrow == []
        assert page.plan.editor.inside.width() <= page.plan.editor.viewport().width()


def test_from_nothing_to_a_running_capture(
    page: CapturePage, window: MainWindow, qtbot: Any, sshd: Sshd, tmp_path: Path
) -> None:
    """Add the host in its form, compare its key, plan, approve, start, stop: as a consultant does on site."""
    tab = page.plan
    connections.remove_profile(page.workspace.opened, "db01")
    tab.book.reload()
    tab.add_host()
    form = tab.host_page.form
    form.use_config.setChecked(False)
    for field, words in ((form.address, "127.0.0.1"), (form.name, "db01"), (form.user, sshd.user)):
        type_into(field, words)
    form.port.setValue(sshd.port)
    form.identity.set_path(str(sshd.user_key))
    press(form.save_and_test)
    assert page.questions is not None
    qtbot.waitUntil(lambda: isinstance(page.questions.dialog, HostKeyDialog), timeout=20_000)
    dialog = page.questions.dialog
    assert isinstance(dialog, HostKeyDialog)
    assert dialog.fingerprint.text() == sshd.fingerprint
    press(dialog.trust)
    qtbot.waitUntil(lambda: tab.book.last_test("db01").reach is Reach.REACHED, timeout=20_000)
    tab.editor.settings.duration.unit.setCurrentIndex(0)
    ready(qtbot, page)
    assert tab.draft.plan is not None
    assert tab.draft.plan.duration_s == 10
    type_into(tab.approval.form.who, "Kim")
    press(tab.approval.form.record)
    ready(qtbot, page)
    press(tab.approval.start)
    assert page.tabs.currentIndex() == TABS.index("live")
    controller = page.controller
    qtbot.waitUntil(lambda: any(s.lines for v in controller.views for h in v.hosts for s in h.streams), timeout=20_000)
    assert sshd.running("vmstat")
    session = controller.views[0].session_id
    controller.stop(session)
    qtbot.waitUntil(lambda: controller.is_over(session), timeout=30_000)
    (record,) = collecting.list_sessions(page.workspace.opened)
    assert record.digest == tab.draft.digest
    assert sshd.running("vmstat") == []
