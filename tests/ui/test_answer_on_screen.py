"""Every page of the window with three engagements, in both languages: nothing cut, nameless or half translated; and Compare says
first what the other fronts say, with their windows and counts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QRect
from PySide6.QtWidgets import QAbstractButton, QLabel, QWidget

from tests.made import pgbench
from tests.program import compose
from tests.unit.answering.made_answers import answered, awr_project, forty, words
from tunebench.columns.answering.marks import plain
from tunebench.ui.frame.main_window import MainWindow
from tunebench.ui.frame.rail import PAGES
from tunebench.ui.pages.compare_page import ComparePage
from tunebench.ui.pages.statements_page import StatementsPage
from tunebench.ui.widgets.parts import ElidedLabel

NAMELESS = re.compile(r"(?<![\w/])#\d+\b|⟨|\b[0-9a-f]{32}\b")
LANGUAGES = ["ko", "en"]

Written = QLabel | QAbstractButton


def demo(folder: Path) -> Path:
    path = folder / "demo.tune"
    pgbench.build(path)
    return path


ENGAGEMENTS: dict[str, Callable[[Path], Path]] = {
    "demo": demo,
    "forty hosts": lambda folder: forty(folder, dict.fromkeys(range(14), 0.6) | {30: 1.3})[0],
    "awr": awr_project,
}


@pytest.fixture(scope="module", params=ENGAGEMENTS)
def engagement(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    compose()
    return ENGAGEMENTS[request.param](tmp_path_factory.mktemp("screens"))


@pytest.fixture(params=LANGUAGES)
def code(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def shown(
    engagement: Path, code: str, look: Callable[..., None], window: MainWindow, idle: Callable[[], None]
) -> MainWindow:
    look(code)
    window.resize(1366, 768)
    assert window.controller.open(engagement)
    idle()
    return window


def test_no_page_cuts_a_word_or_calls_anything_by_its_number(shown: MainWindow, idle: Callable[[], None]) -> None:
    faults = []
    for entry in PAGES:
        shown.show_page(entry.page_id)
        idle()
        for _ in range(2):  # the first look lays out what scrolls, and has it ask for what it shows
            shown.grab()
            idle()
        faults += [f"{entry.page_id}: {fault}" for fault in faults_of(shown.page(entry.page_id))]
    assert not faults, "\n".join(faults)


def test_compare_says_first_what_the_other_fronts_say(
    engagement: Path, code: str, shown: MainWindow, idle: Callable[[], None]
) -> None:
    shown.show_page("compare")
    idle()
    page = shown.page("compare")
    assert isinstance(page, ComparePage)
    answer, text = answered(engagement), words(answered(engagement), code)
    assert page.changed.isVisible() and page.changed.answer is not None
    assert page.changed.answer.counts == answer.counts
    seen = {label.text() for label in page.changed.findChildren(QLabel)}
    seen |= {link.text() for link in page.changed.findChildren(QAbstractButton)}
    bare = [re.sub(r"<[^>]*>", "", line) for line in seen]
    for sentence in (text.headline, *text.further, text.windows, *(worse.text for worse in text.worse)):
        assert any(plain(sentence) in line for line in bare), sentence
    assert [picker.run.currentText() for picker in (page.head.before, page.head.after)] == [
        own.name for own in answer.windows
    ]


def test_nothing_of_the_former_language_stays_under_the_answer(
    tmp_path: Path, look: Callable[..., None], window: MainWindow, idle: Callable[[], None]
) -> None:
    path = demo(tmp_path)
    look("ko")
    assert window.controller.open(path)
    window.show_page("compare")
    idle()
    page = window.page("compare")
    assert isinstance(page, ComparePage)
    certainty = words(answered(path), "ko").sure
    assert any(certainty in line for line in sentences_in(page.changed))
    look("en")
    idle()
    lines = sentences_in(page.changed)
    assert not any(certainty in line for line in lines)
    assert sum(words(answered(path), "en").sure in line for line in lines) == 1


def sentences_in(view: QWidget) -> list[str]:
    return [label.text() for label in view.findChildren(QLabel) if label.isVisible()]


def test_statements_are_compared_in_the_windows_of_the_answer(
    tmp_path: Path, look: Callable[..., None], window: MainWindow, idle: Callable[[], None]
) -> None:
    path = demo(tmp_path)
    look("en")
    assert window.controller.open(path)
    window.show_page("statements")
    idle()
    page = window.page("statements")
    assert isinstance(page, StatementsPage)
    assert [picker.currentText() for picker in (page.pickers.before, page.pickers.after)] == [
        own.name for own in answered(path).windows
    ]


def faults_of(page: QWidget) -> Iterator[str]:
    """Labels and buttons that are seen and say less than their words, stand on another one, or name nothing."""
    labels: list[Written] = [*page.findChildren(QLabel), *page.findChildren(QAbstractButton)]
    written = [shown for shown in labels if is_seen(shown)]
    for shown in written:
        if NAMELESS.search(shown.text()):
            yield f"nameless: {shown.text()!r}"
        if cut_off(shown):
            yield f"cut: {shown.text()!r}, {shown.width()} x {shown.height()} of {shown.sizeHint()}"
    for index, one in enumerate(written):
        for other in written[index + 1 :]:
            if one.parentWidget() is other.parentWidget() and lies(one).intersects(lies(other)):
                yield f"overprinted: {one.text()!r} and {other.text()!r}"


def is_seen(shown: Written) -> bool:
    return shown.isVisible() and bool(shown.text()) and not shown.visibleRegion().isEmpty()


def cut_off(shown: Written) -> bool:
    """Whether a label that does not shorten its words itself has less room than they need."""
    if isinstance(shown, ElidedLabel) or not isinstance(shown, QLabel):
        return False
    if shown.wordWrap():
        return shown.height() < shown.heightForWidth(shown.width())
    return shown.width() < shown.minimumSizeHint().width()


def lies(shown: QWidget) -> QRect:
    return QRect(shown.mapTo(shown.window(), QPoint(0, 0)), shown.size()).adjusted(1, 1, -1, -1)
