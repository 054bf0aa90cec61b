"""While a page computes it says so: a count of 0, an empty axis and "there is none" are results."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QLabel, QTabBar, QWidget

from tests.waiting import let_time_pass
from tunebench.columns.formats import DASH
from tunebench.core.errors import Cancelled, UserError
from tunebench.core.messages import catalogue
from tunebench.ui.frame.main_window import MainWindow
from tunebench.ui.widgets import answering

Idle = Callable[[], None]
PAGES = ("findings", "compare", "database", "capacity", "statements")
SAID = {"en": "Being computed…", "ko": "계산하고 있습니다…"}


@contextmanager
def nothing_computed(window: MainWindow) -> Iterator[None]:
    """No job comes to its turn."""
    let_go = threading.Event()
    for lane, workers in (("cpu", os.cpu_count() or 2), ("db", 1)):
        for number in range(workers):
            window.workspace.jobs.run(
                lane, lambda _handle: let_go.wait(60), owner=window, slot=f"{lane}{number}", title_key="ui.job.check"
            )
    try:
        yield
    finally:
        let_go.set()


def words_on(page: QWidget) -> list[str]:
    tabs = [bar.tabText(at) for bar in page.findChildren(QTabBar) if bar.isVisible() for at in range(bar.count())]
    return [*tabs, *(made.text() for made in page.findChildren(QLabel) if made.isVisible())]


@pytest.mark.parametrize("code", ["en", "ko"])
@pytest.mark.parametrize("page_id", PAGES)
def test_it_says_that_it_computes_and_shows_no_result(
    window: MainWindow, look: Callable[..., None], idle: Idle, demo_file: Path, page_id: str, code: str
) -> None:
    look(code)
    assert window.controller.open(demo_file)
    idle()
    with nothing_computed(window):
        window.show_page(page_id)
        page: Any = window.page(page_id)
        shown = words_on(page)
        assert SAID[code] in shown
        assert not [words for words in shown if words.endswith(" 0") or "no valid period" in words or "유효한" in words]
        assert page.answering.waits
    idle()
    assert SAID[code] not in words_on(page)
    look("en")


def test_what_was_stopped_is_no_result_either_and_is_computed_when_asked_again(
    window: MainWindow, look: Callable[..., None], idle: Idle, demo_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tunebench.usecases.findings import diagnose

    def cancelled(*_: Any) -> None:
        raise Cancelled

    assert window.controller.open(demo_file)
    with monkeypatch.context() as during:
        during.setattr(diagnose, "diagnose", cancelled)
        window.show_page("findings")
        idle()
    page: Any = window.page("findings")
    assert "It was not computed: it was stopped or refused." in words_on(page)
    assert page.diagnosis is None
    page.answering.widget(2)._buttons[0][1].click()
    idle()
    assert page.diagnosis is not None and page.findings.isVisible()


def test_what_was_refused_says_why_in_its_own_place_and_in_the_language_of_the_window(
    window: MainWindow, look: Callable[..., None], idle: Idle, demo_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tunebench.usecases.findings import diagnose

    def refused(*_: Any) -> None:
        raise UserError("nothing_to_import", path="/x")

    assert window.controller.open(demo_file)
    idle()
    with monkeypatch.context() as during:
        during.setattr(diagnose, "diagnose", refused)
        window.show_page("findings")
        idle()
    page: Any = window.page("findings")
    for code in ("en", "ko"):
        look(code)
        assert catalogue(code).text("error.nothing_to_import", path="/x") in words_on(page)
    assert not [toast for toast in window.messages.shown if toast.message.tone == "error"], "the view says it"
    assert [page.tabs.tabText(at)[-1] for at in range(3)] == [DASH] * 3, "no count of what was not computed"
    look("en")


def test_reading_shows_its_outline_then_how_far_it_is_and_can_be_stopped(
    window: MainWindow, qtbot: Any, idle: Idle, demo_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tunebench.usecases.findings import diagnose

    def slowly(_project: Any, _window: Any, handle: Any) -> None:
        handle.report(1, 4)
        while True:
            handle.raise_if_cancelled()
            let_time_pass(0.005, "a long computation")

    monkeypatch.setattr(answering, "OUTLINE_MS", 1)
    monkeypatch.setattr(answering, "BAR_MS", 20)
    assert window.controller.open(demo_file)
    idle()
    monkeypatch.setattr(diagnose, "diagnose", slowly)
    window.show_page("findings")
    page: Any = window.page("findings")
    reading = page.answering.currentWidget()
    blank = reading.grab().toImage()
    qtbot.waitUntil(lambda: reading.progress.isVisible() and reading._bar.value() == 250, timeout=60_000)
    assert reading.grab().toImage() != blank
    (stop,) = [made for made in reading.findChildren(QAbstractButton) if made.text() == "Cancel"]
    qtbot.mouseClick(stop, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not page.answering.waits, timeout=60_000)
    assert "It was not computed: it was stopped or refused." in words_on(page)
