"""What the list of compared series counts: as the report and the command line do."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from zoneinfo import ZoneInfo

from tests.ui.test_compare_page import compared
from tunebench.analysis.comparing.comparison import Comparison
from tunebench.analysis.statistics import Statistics
from tunebench.domain.engagement import Direction
from tunebench.domain.windows import run_window
from tunebench.ui.comparing.comparison_list import ComparisonList
from tunebench.ui.workspace import Workspace


def test_a_series_without_a_sample_in_a_window_is_not_on_both_sides(qtbot: Any, workspace: Workspace) -> None:
    """Though the runs of both sides have the series."""
    row = compared(1.0, 2.0, Direction.LOWER)
    unseen = replace(row, before_statistics=Statistics(0, 0), reason="no_samples")
    shown = ComparisonList()
    qtbot.addWidget(shown)
    window = run_window(1)
    shown.show_comparison(Comparison(window, window, (row, unseen)), ZoneInfo("UTC"), None)
    assert [shown.tabs.tabText(at) for at in (0, 1)] == ["On both sides 1", "On one side 1"]
