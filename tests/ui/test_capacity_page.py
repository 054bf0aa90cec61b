"""The capacity page as a person uses it; the figures are those of eight made weeks."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint, QRectF, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QComboBox

from tests.made import capacity_weeks as weeks
from tests.waiting import let_window_live
from tunebench.analysis.capacity.outcome import Outcome
from tunebench.domain.engagement import Engagement, Phase
from tunebench.ui.capacity.forecast_chart import label_boxes, runs_of_days
from tunebench.ui.capacity.subject_picker import NumberField, read_number
from tunebench.ui.frame.main_window import MainWindow
from tunebench.ui.look.language import language, text
from tunebench.ui.look.theme import ThemeMode, themes
from tunebench.ui.pages.capacity_page import CapacityPage
from tunebench.usecases import projects
from tunebench.usecases.capacity.series import Resource, list_subjects
from tunebench.usecases.importing import imports
from tunebench.usecases.importing.results import ImportOptions


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("capacity")
    (folder / "captures").mkdir()
    files = weeks.write(folder / "captures")
    with projects.create(folder / "weeks.tune", Engagement("capacity", "ACME", zone="Asia/Seoul")) as project:
        imports.import_captures(project, files, ImportOptions(run="weeks", phase=Phase.OTHER, host="orderdb1"))
    return folder / "weeks.tune"


@pytest.fixture
def page(
    qtbot: Any, window: MainWindow, made: Path, tmp_path: Path, idle: Callable[[], None]
) -> Iterator[CapacityPage]:
    path = tmp_path / "weeks.tune"
    shutil.copy(made, path)
    assert window.controller.open(path)
    window.show_page("capacity")
    settle(idle)
    (found,) = window.findChildren(CapacityPage)
    yield found


def settle(idle: Callable[[], None]) -> None:
    for _ in range(4):
        idle()
        let_window_live(0.02, "what was answered has the charts ask, 16 ms later")


def choose(qtbot: Any, picker: QComboBox, words: str) -> None:
    """As a person finds it: type, and take what is offered."""
    line = picker.lineEdit()
    assert line is not None
    qtbot.mouseClick(line, Qt.MouseButton.LeftButton)
    line.selectAll()
    qtbot.keyClicks(line, words)
    completer = picker.completer()
    assert completer is not None
    assert completer.completionCount() == 1, words
    popup = completer.popup()
    assert popup is not None
    popup.setCurrentIndex(completer.completionModel().index(0, 0))
    qtbot.keyClick(popup, Qt.Key.Key_Return)


def enter(qtbot: Any, field: NumberField, words: str) -> None:
    field.setFocus()
    field.selectAll()
    qtbot.keyClicks(field, words)
    qtbot.keyClick(field, Qt.Key.Key_Return)


def facts(page: CapacityPage) -> str:
    return "\n".join(label.text() for label in page.numbers.findChildren(type(page.answer.sentence)))


# -- the answer -------------------------------------------------------------------------------------------


def test_the_page_opens_with_the_processors_and_a_range_of_days(qtbot: Any, page: CapacityPage) -> None:
    assert page.outlook is not None
    assert page.outlook.forecast.outcome is Outcome.DATED
    assert page.picker.currentText() == "CPU · orderdb1 · CPU busy (100 % − %idle − %iowait)"
    assert page.limit_field.text() == "75"
    assert page.answer.sentence.text().startswith("75 % is reached between 2026-11-")
    assert "the band holds both" in facts(page).lower()
    assert page.answer.sign.text() == "◆"
    assert not page.answer.reasons.isVisible()
    shown = facts(page)
    for number in ("56", "2026-09-07", "08–18", "< 0.001"):
        assert number in shown
    qtbot.mouseClick(page.numbers.copy_button, Qt.MouseButton.LeftButton)
    lines = dict(line.split("\t") for line in QGuiApplication.clipboard().text().splitlines())
    assert lines["orderdb1"] == "CPU busy (100 % − %idle − %iowait)"
    assert lines["Answer"] == page.answer.sentence.text()
    assert lines["Mann-Kendall p"] == "< 0.001"


def test_another_limit_another_day_and_back(qtbot: Any, page: CapacityPage, idle: Callable[[], None]) -> None:
    first = page.answer.sentence.text()
    assert not page.propose_button.isVisible()
    enter(qtbot, page.limit_field, "70 %")
    settle(idle)
    assert page.answer.sentence.text().startswith("70 % is reached")
    assert page.growth.limit_field.text() == "70"
    qtbot.mouseClick(page.propose_button, Qt.MouseButton.LeftButton)
    settle(idle)
    assert (page.answer.sentence.text(), page.limit_field.text()) == (first, "75")


def test_a_limit_too_far_ahead_and_one_that_is_no_number(
    qtbot: Any, page: CapacityPage, idle: Callable[[], None]
) -> None:
    enter(qtbot, page.limit_field, "150")
    settle(idle)
    assert page.outlook is not None
    assert page.outlook.forecast.outcome is Outcome.NOT_WITHIN
    before = page.answer.sentence.text()
    assert before == "150 % is not reached by 2026-12-27 (80 % band). Further ahead the history does not carry."
    for words in ("much", "-5", "0", "1e999"):
        enter(qtbot, page.limit_field, words)
        assert page.limit_field.property("state") == "wrong"
    settle(idle)
    assert page.answer.sentence.text() == before
    page.picker.setFocus()
    assert page.limit_field.text() == "150"


def test_another_series_is_found_by_typing_and_each_keeps_its_limit(
    qtbot: Any, page: CapacityPage, idle: Callable[[], None]
) -> None:
    enter(qtbot, page.limit_field, "65")
    settle(idle)
    choose(qtbot, page.picker, "oradata use%")
    settle(idle)
    assert page.outlook is not None
    assert page.outlook.subject.info.native == "Use%"
    assert page.limit_field.text() == "90"
    assert page.answer.sentence.text().startswith("90 % is reached between 2026-11-")
    choose(qtbot, page.picker, "CPU busy")
    settle(idle)
    assert page.limit_field.text() == "65"


def test_a_series_without_a_proposal_asks_for_a_limit(qtbot: Any, page: CapacityPage, idle: Callable[[], None]) -> None:
    choose(qtbot, page.picker, "Available")
    settle(idle)
    assert "No limit can be proposed" in page.answer.sentence.text()
    assert page.chart.outlook is None
    assert page.chart.asks_limit
    assert page.growth.years[0].text() == "–"
    enter(qtbot, page.limit_field, "20,000,000")
    settle(idle)
    assert page.outlook is not None
    assert page.outlook.forecast.falling
    assert page.outlook.forecast.outcome is Outcome.DATED
    assert not page.growth.isEnabled()
    assert page.load.words.text() == text("ui.capacity.load.no_ceiling")


# -- the chart --------------------------------------------------------------------------------------------


def test_the_chart_tells_what_is_under_the_cursor(qtbot: Any, page: CapacityPage) -> None:
    chart = page.chart
    assert chart.frame is not None
    assert chart.outlook is not None
    x = round(chart.x_of(chart.frame.first_day))
    qtbot.mouseMove(chart, QPoint(x + 40, 100))
    qtbot.mouseMove(chart, QPoint(x, 100))
    value = chart.outlook.forecast.values[0]
    assert page._under.text().startswith(f"2026-09-07 · measured {value:.2f}".rstrip("0"))
    ahead = round(chart.x_of(chart.frame.last_day))
    qtbot.mouseMove(chart, QPoint(ahead, 100))
    assert page._under.text().startswith("2026-12-27 · line ")
    assert "80 % band" in page._under.text()


def test_no_line_is_drawn_across_a_day_that_is_missing() -> None:
    assert runs_of_days([5, 6, 7, 10, 11, 20]) == [(0, 3), (3, 5), (5, 6)]
    assert runs_of_days([]) == []


@pytest.mark.parametrize("places", [(100, 104, 108), (10, 12, 700), (690, 695, 699), (100, 300, 500)])
def test_dates_above_the_chart_never_cover_each_other(places: tuple[float, float, float]) -> None:
    boxes = label_boxes(
        {name: (x, 110.0) for name, x in zip(("earliest", "median", "latest"), places, strict=True)}, 700
    )
    rects = list(boxes.values())
    assert all(QRectF(0, 0, 700, 60).contains(rect) for rect in rects)
    assert not [1 for one in range(3) for other in range(one) if rects[one].intersects(rects[other])]


# -- below ------------------------------------------------------------------------------------------------


def test_what_if_tells_the_possible_and_the_asked_factor(
    qtbot: Any, page: CapacityPage, idle: Callable[[], None]
) -> None:
    found = page.load.found
    assert found is not None
    assert found.load.info.native == "tps"
    possible = 75 * weeks.TRANSFERS_PER_POINT / found.model.reference_load
    assert page.load.bar.possible == pytest.approx(possible, rel=0.03)
    assert page.load.words.text().endswith("over the limit.")
    enter(qtbot, page.load.factor_field, "1.2")
    settle(idle)
    assert page.load.words.text().endswith("within the limit.")
    assert page.load.found is not None
    assert page.load.found.factors[0].utilisation_pct == pytest.approx(1.2 * found.model.reference_load / 8, rel=0.03)
    choose(qtbot, page.load.picker, "rkB/s")
    settle(idle)
    assert page.load.words.text().startswith("The load never changed")
    assert not page.load.bar.isVisible()


def test_growth_scenarios_are_arithmetic_on_an_assumption(qtbot: Any, page: CapacityPage) -> None:
    enter(qtbot, page.growth.now_field, "20")
    enter(qtbot, page.growth.limit_field, "80")
    enter(qtbot, page.growth.own_field, "100")
    assert [label.text() for label in page.growth.years] == [
        "14.5 years",
        "7.6 years",
        "5.3 years",
        "3.4 years",
        "2.0 years",
    ]
    assert page.growth.needed.text() == "= 58.7 % growth a year"
    enter(qtbot, page.growth.years_field, "5")
    assert page.growth.needed.text() == "= 32.0 % growth a year"
    assert "58.7 %" in page.growth.example.text()
    assert "32.0 %" in page.growth.example.text()
    enter(qtbot, page.growth.now_field, "85")
    assert page.growth.years[0].text() == "reached"


# -- too little, another language, another project ------------------------------------------------------------


def test_hours_of_measurement_are_refused_in_plain_words(
    qtbot: Any, opened: MainWindow, idle: Callable[[], None]
) -> None:
    """The captures of a few minutes: no day can be named, scenarios can be asked."""
    opened.show_page("capacity")
    settle(idle)
    (page,) = opened.findChildren(CapacityPage)
    assert page.outlook is not None
    assert page.outlook.forecast.outcome in (Outcome.REFUSED, Outcome.REACHED)
    assert "A forecast needs at least 14." in page.answer.reasons.text()
    enter(qtbot, page.growth.now_field, "20")
    enter(qtbot, page.growth.limit_field, "80")
    assert page.growth.years[0].text() == "14.5 years"


def test_another_page_may_ask_for_a_series(
    qtbot: Any, window: MainWindow, made: Path, tmp_path: Path, idle: Callable[[], None]
) -> None:
    path = tmp_path / "weeks.tune"
    shutil.copy(made, path)
    with projects.open_(path, read_only=True) as project:
        (disk,) = [each for each in list_subjects(project) if each.resource is Resource.DISK]
    assert window.controller.open(path)
    settle(idle)
    window.workspace.show_page("capacity", disk.id)
    settle(idle)
    (page,) = window.findChildren(CapacityPage)
    assert page.outlook is not None
    assert page.outlook.subject.id == page.picker.chosen() == disk.id
    assert page.limit_field.text() == "45"


def test_an_empty_project_invites(qtbot: Any, window: MainWindow, tmp_path: Path, idle: Callable[[], None]) -> None:
    with projects.create(tmp_path / "empty.tune", Engagement("empty", "ACME")):
        pass
    assert window.controller.open(tmp_path / "empty.tune")
    window.show_page("capacity")
    settle(idle)
    (page,) = window.findChildren(CapacityPage)
    assert not page.picker.isVisible()


def test_the_other_language_and_theme_at_both_sizes(
    qtbot: Any, window: MainWindow, page: CapacityPage, idle: Callable[[], None]
) -> None:
    themes().set_mode(ThemeMode.DARK)
    language().switch("ko")
    for size in ((1366, 768), (1920, 1080)):
        window.resize(*size)
        settle(idle)
        assert page.answer.sentence.text().startswith("75 % 도달 예상: 2026-11-")
        assert page.picker.currentText() == "CPU · orderdb1 · CPU 사용률(100 % − %idle − %iowait)"
        assert page.growth.years[0].text().endswith("년")
        assert page.chart.height() >= 250
        assert window.size().height() <= size[1]
        assert "⟨" not in facts(page)
    picture = page.chart.grab().toImage()
    seen = {picture.pixelColor(x, y).name() for x in range(0, picture.width(), 3) for y in range(picture.height())}
    assert themes().theme.critical.name() in seen  # the line of the limit


@pytest.mark.parametrize(
    ("words", "number"),
    [("75", 75), ("75 %", 75), ("1,234.5", 1234.5), ("2x", 2), ("", None), ("x", None), ("-3", None), ("nan", None)],
)
def test_numbers_as_people_type_them(words: str, number: float | None) -> None:
    assert read_number(words) == number
