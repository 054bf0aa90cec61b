"""The tour: from the start of the program through ten steps over the demo, by clicks and by keys."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint, QRect, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QWidget

from tests.ui import test_stray_windows
from tunebench.ui.comparing.window_editor import WindowEditor
from tunebench.ui.frame import project_controller
from tunebench.ui.frame.main_window import MainWindow
from tunebench.ui.frame.tour import Tour
from tunebench.ui.frame.tour_steps import STEPS
from tunebench.ui.look.language import language, text
from tunebench.ui.settings import Settings
from tunebench.usecases.demo import engagement

Idle = Callable[[], None]
SIZES = ((1366, 768), (1920, 1080), (1024, 640))
PAGES = [
    "engagement",
    "captures",
    "review",
    "timeline",
    "timeline",
    "compare",
    "compare",
    "database",
    "cycle",
    "report",
]
"""The ten sentences are spoken on these."""
DRAGGED = ("hours", "peak")
watch = test_stray_windows.watch


@pytest.fixture(scope="session")
def written(services: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo, which nobody writes into."""
    return engagement.build(tmp_path_factory.mktemp("tour") / "demo-en.tune", language="en")


@pytest.fixture
def documents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the demo is kept."""
    folder = tmp_path / "documents"
    folder.mkdir()
    monkeypatch.setattr(project_controller, "demo_path", lambda code: folder / f"demo-{code}.tune")
    return folder


@pytest.fixture
def demo(documents: Path, written: Path) -> Path:
    return Path(shutil.copy(written, documents / "demo-en.tune"))


@pytest.fixture
def tour(window: MainWindow, demo: Path, qtbot: Any) -> Iterator[Tour]:
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow, timeout=60_000)
    yield window.tour
    window.tour.end()


def press(window: MainWindow, key: Qt.Key, held: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    """At the window's own door, as the desktop does."""
    QTest.keyClick(window.windowHandle(), key, held)


def click(window: MainWindow, at: QPoint) -> None:
    QTest.mouseClick(window.windowHandle(), Qt.MouseButton.LeftButton, pos=at)


def middle(window: MainWindow, widget: QWidget) -> QPoint:
    return widget.mapTo(window, widget.rect().center())


def drag(window: MainWindow, start: QPoint, end: QPoint) -> None:
    handle, left = window.windowHandle(), Qt.MouseButton.LeftButton
    QTest.mousePress(handle, left, pos=start)
    for share in (0.3, 0.6, 1.0):
        QTest.mouseMove(handle, start + (end - start) * share, 10)
    QTest.mouseRelease(handle, left, pos=end)


def begin(tour: Tour, qtbot: Any, step: str = STEPS[0].name) -> None:
    window = tour.window()
    assert isinstance(window, MainWindow)
    window.settings.tour_step = [own.name for own in STEPS].index(step) + 1
    tour.begin()
    wait_for(tour, qtbot, step)


def wait_for(tour: Tour, qtbot: Any, step: str) -> None:
    """Until the part of that step is there and clear."""
    qtbot.waitUntil(lambda: tour.isVisible() and tour.step.name == step, timeout=60_000)
    qtbot.waitUntil(lambda: not tour.clear.isEmpty(), timeout=60_000)


def test_one_key_leads_from_the_start_of_the_program_to_the_first_step(
    window: MainWindow, tour: Tour, qtbot: Any, watch: test_stray_windows.WindowWatch
) -> None:
    assert window.current_page == "welcome" and QApplication.focusWidget() is window.welcome.starts["demo"]
    press(window, Qt.Key.Key_Return)
    wait_for(tour, qtbot, "question")
    assert window.current_page == "engagement" and window.controller.is_demo
    assert QApplication.focusWidget() is tour.next and not watch.strays
    assert not tour.isWindow() and tour.window() is window


def test_the_demo_is_written_first_where_there_is_none(window: MainWindow, documents: Path, qtbot: Any) -> None:
    click(window, middle(window, window.welcome.starts["demo"]))
    wait_for(window.tour, qtbot, "question")
    assert [path.name for path in documents.glob("*") if path.suffix == ".tune"] == ["demo-en.tune"]


@pytest.mark.parametrize("code", ["ko", "en"])
def test_ten_steps_by_keyboard_alone_and_then_the_folder(
    window: MainWindow, tour: Tour, demo: Path, qtbot: Any, code: str
) -> None:
    shutil.copy(demo, demo.with_name("demo-ko.tune"))
    window.commands.set_language(code)
    press(window, Qt.Key.Key_Return)
    pages, sentences = [], []
    for number, step in enumerate(STEPS, 1):
        wait_for(tour, qtbot, step.name)
        pages.append(window.current_page)
        sentences.append(tour.bubble.accessibleName())
        assert window.settings.tour_step == number and QApplication.focusWidget() is tour.next
        press(window, Qt.Key.Key_Return)
    assert pages == PAGES
    assert all(text(f"ui.tour.{step.name}") in words for step, words in zip(STEPS, sentences, strict=True))
    assert all("{" not in words for words in sentences) and len(set(sentences)) == 10
    assert window.current_page == "welcome" and window.workspace.project is None and not tour.isVisible()
    assert QApplication.focusWidget() is window.welcome.starts["folder"]
    assert window.settings.tour_step == 0 and text("ui.welcome.demo.act") == window.welcome.starts["demo"].text()


def test_ten_steps_by_doing_what_the_sentences_say(window: MainWindow, tour: Tour, qtbot: Any, idle: Idle) -> None:
    editors: list[QDialog] = []

    def close_editor() -> None:
        shown = QApplication.activeModalWidget()
        if isinstance(shown, WindowEditor):
            editors.append(shown)
            shown.reject()

    begin(tour, qtbot)
    for step, following in pairwise(STEPS):
        wait_for(tour, qtbot, step.name)
        idle()
        clear = QRect(tour.clear)
        if step.name not in DRAGGED:
            click(window, clear.center())
        else:
            if step.name == "hours":
                click(window, QPoint(30, 300))
                assert tour.step is step, "what is veiled does nothing"
                QTimer.singleShot(300, close_editor)
            drag(window, clear.topLeft() + QPoint(500, 60), clear.topLeft() + QPoint(650, 80))
        if step.name == "peak":
            look_at_what_moved(window, tour, qtbot)
            assert tour.step is step
            click(window, middle(window, tour.next))
        qtbot.waitUntil(lambda following=following: tour.step is following, timeout=60_000)
    assert len(editors) == 1
    wait_for(tour, qtbot, "report")
    click(window, tour.clear.center())
    idle()
    assert tour.isVisible() and window.workspace.project is not None, "only the button leaves the demo"


def look_at_what_moved(window: MainWindow, tour: Tour, qtbot: Any) -> None:
    panel = window.page("timeline").range_panel  # type: ignore[attr-defined]
    qtbot.waitUntil(
        lambda: bool(panel.list.rows) and panel.heading.text() in tour.bubble.accessibleName(), timeout=60_000
    )
    qtbot.waitUntil(lambda: QRect(panel.mapTo(window, QPoint()), panel.size()).contains(tour.clear), timeout=60_000)


@pytest.mark.parametrize("size", SIZES)
def test_the_bubble_is_inside_the_window_and_never_over_its_part(
    window: MainWindow, tour: Tour, qtbot: Any, idle: Idle, size: tuple[int, int]
) -> None:
    begin(tour, qtbot)
    window.resize(*size)
    for step in STEPS:
        wait_for(tour, qtbot, step.name)
        idle()
        part = tour.panes()[1]
        qtbot.waitUntil(lambda part=part: QRect(part.mapTo(window, QPoint()), part.size()).contains(tour.clear))
        assert tour.clear.width() * tour.clear.height() >= min(part.width() * part.height() // 3, 40_000), step.name
        bubble = QRect(tour.bubble.pos(), tour.bubble.size())
        assert window.rect().contains(bubble) and not bubble.intersects(tour.clear), step.name
        assert tour.geometry() == window.rect()
        if step is not STEPS[-1]:
            click(window, middle(window, tour.next))


def test_resizing_is_followed(window: MainWindow, tour: Tour, qtbot: Any) -> None:
    begin(tour, qtbot, "target")
    before = QRect(tour.clear)
    window.resize(1920, 1080)
    qtbot.waitUntil(lambda: tour.size() == window.size() and tour.clear != before)
    tile = tour.panes()[1]
    assert QRect(tile.mapTo(window, QPoint()), tile.size()).contains(tour.clear)


def test_escape_is_later_and_the_step_is_kept(
    window: MainWindow, tour: Tour, qtbot: Any, settings: Settings, idle: Idle
) -> None:
    begin(tour, qtbot, "ledger")
    press(window, Qt.Key.Key_Return)
    wait_for(tour, qtbot, "review")
    press(window, Qt.Key.Key_Escape)
    assert not tour.isVisible() and Settings(Path(settings._ini.fileName()).parent).tour_step == 3
    window.workspace.commands.action("help.tour").trigger()
    wait_for(tour, qtbot, "review")
    press(window, Qt.Key.Key_Escape)
    window.controller.leave()
    window.commands.set_language("ko")
    assert window.welcome.starts["demo"].text() == "안내 3/10 이어서"
    window.commands.set_language("en")
    click(window, middle(window, window.welcome.starts["demo"]))
    wait_for(tour, qtbot, "review")


def test_skipping_begins_anew_the_next_time(window: MainWindow, tour: Tour, qtbot: Any) -> None:
    begin(tour, qtbot, "review")
    click(window, middle(window, tour.skip))
    assert not tour.isVisible() and window.settings.tour_step == 0 and window.workspace.project is not None
    tour.begin()
    wait_for(tour, qtbot, "question")


def test_a_switch_of_language_keeps_the_step(window: MainWindow, tour: Tour, qtbot: Any) -> None:
    begin(tour, qtbot, "amended")
    window.commands.set_language("ko")
    qtbot.waitUntil(lambda: "고쳐도 옛 값이 남습니다." in tour.bubble.accessibleName())
    assert tour.step.name == "amended" and tour.next.text() == "다음" and language().code == "ko"
    wait_for(tour, qtbot, "amended")


def test_tab_goes_round_in_bubble_and_part(window: MainWindow, tour: Tour, qtbot: Any, idle: Idle) -> None:
    begin(tour, qtbot, "target")
    walked = []
    for _ in range(8):
        press(window, Qt.Key.Key_Tab)
        walked.append(QApplication.focusWidget())
    bubble, part = tour.panes()
    assert [own for own in walked if own is None or (own is not part and not bubble.isAncestorOf(own))] == []
    assert part in walked and tour.bubble.isAncestorOf(walked[walked.index(part) + 1] or part)
    while QApplication.focusWidget() is not part:
        press(window, Qt.Key.Key_Tab)
    press(window, Qt.Key.Key_Return)
    wait_for(tour, qtbot, "worse")
    idle()


def test_started_over_another_project_it_opens_the_demo(
    window: MainWindow, tour: Tour, project_file: Path, qtbot: Any, idle: Idle
) -> None:
    assert window.controller.open(project_file)
    idle()
    window.workspace.commands.action("help.tour").trigger()
    wait_for(tour, qtbot, "question")
    assert window.controller.is_demo
    window.controller.open(project_file)
    assert not tour.isVisible(), "it belongs to the demo"


def test_a_part_that_is_missing_leaves_the_sentence(
    window: MainWindow, documents: Path, project_file: Path, idle: Idle, qtbot: Any
) -> None:
    """Whatever lies where the demo is kept."""
    shutil.copy(project_file, documents / "demo-en.tune")
    window.settings.tour_step = 6
    window.tour.begin()
    qtbot.waitUntil(window.tour.isVisible, timeout=60_000)
    idle()
    tour = window.tour
    assert tour.step.name == "target" and tour.clear.isEmpty() and tour.panes() == [tour.bubble]
    assert text("ui.tour.target") in tour.bubble.accessibleName()
    assert window.rect().contains(QRect(tour.bubble.pos(), tour.bubble.size()))
    for _ in STEPS[6:]:
        click(window, middle(window, tour.next))
        idle()
    assert tour.step.name == "report" and tour.isVisible()
