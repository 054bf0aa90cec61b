"""The tab that tells what the change of DB time is made of: the waterfall and its table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, cast
from zoneinfo import ZoneInfo

import pytest
from PySide6.QtCore import QPointF
from PySide6.QtWidgets import QWidget

from tests.reports.cases import captured_case
from tunebench.analysis.databases.explained import explained
from tunebench.ui.databases.profile_view import TABS, ProfileView
from tunebench.ui.look.language import text
from tunebench.usecases.databases.comparison import DatabaseComparison


@pytest.fixture
def view(qtbot: Any, look: Callable[[str, str], None]) -> ProfileView:
    """Of the report's made case: 700 s of an hour before, 120 s after."""
    look("en", "light")
    (case,) = captured_case("en").databases
    assert case.profile is not None
    nothing = cast("Any", None)  # the tab reads neither side
    explanation = explained(case.statements, case.profile)
    found = DatabaseComparison(nothing, nothing, case.statements, case.profile, None, explanation, ())
    made = ProfileView(QWidget(), QWidget())
    qtbot.addWidget(made)
    made.show_comparison(case.profile, None, None, ZoneInfo("UTC"), found)
    made.resize(1000, 640)
    made.show()
    made.show_tab("explained")
    return made


def test_the_bars_lead_from_before_to_after_and_the_table_has_their_steps(view: ProfileView) -> None:
    rows = view.waterfall.rows
    assert view.waterfall.isVisible()
    assert (rows[0].text, rows[-1].text) == ("0.194", "0.033")
    assert view.table.model().rowCount() == len([row for row in rows if not row.whole])
    model = view.table.model()
    told = [[model.index(row, column).data() for column in (0, 1, 2)] for row in range(model.rowCount())]
    assert ["DB time of no listed statement", "", "+0.086"] in told
    assert view.waterfall.words_at(QPointF(5, 20)) == f"{rows[1].label}: {rows[1].text}"


def test_other_tabs_have_no_waterfall_and_without_db_time_there_is_none(view: ProfileView) -> None:
    view.show_tab("load")
    assert not view.waterfall.isVisible()
    view._compared = replace(cast("DatabaseComparison", view._compared), explanation=None)
    view.show_tab("explained")
    assert not view.waterfall.isVisible() and view.table.model().rowCount() == 0


def test_a_tab_of_what_was_not_measured_is_grey_and_says_so(view: ProfileView) -> None:
    """The chosen one comes back with a pair of periods that has it."""
    full = cast("DatabaseComparison", view._compared)
    assert view.tab == "explained" and not view.tabs.isTabEnabled(TABS.index("host"))
    empty = replace(full, explanation=None)
    view.show_comparison(full.profile, None, None, ZoneInfo("UTC"), empty)
    assert not view.tabs.isTabEnabled(TABS.index("explained"))
    assert view.tabs.tabToolTip(TABS.index("explained")) == text("ui.profile.none.explained")
    assert view.tab == next(tab for place, tab in enumerate(TABS) if view.tabs.isTabEnabled(place))
    assert view.table.model().rowCount() > 0
    view.show_comparison(full.profile, None, None, ZoneInfo("UTC"), full)
    assert view.tab == "explained" and not view.tabs.tabToolTip(TABS.index("explained"))
