"""The tree of series: same rows as before, and nothing is worked out of a series that nobody looks at."""

from __future__ import annotations

import time
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtTest import QAbstractItemModelTester

from tests.waiting import let_window_live
from tunebench.domain.engagement import Direction, Kind
from tunebench.domain.series import SeriesInfo
from tunebench.ui.charts import series_chooser, series_tree
from tunebench.ui.charts.row import SERIES_MIME
from tunebench.ui.charts.series_chooser import SeriesChooser
from tunebench.ui.charts.series_tree import KEY_ROLE, SeriesTree, branches_of

ZONE = ZoneInfo("UTC")
DAY_NS = 86_400 * 10**9


def series(key: int, native: str, device: str = "", day: int = 0) -> SeriesInfo:
    first_ns = day * DAY_NS
    return SeriesInfo(
        key, 1, "before", 1, "db01", 1, 1, "iostat", "device", native, "system.disk.wait", "ms",
        Kind.GAUGE, Direction.LOWER, 0.001, "s", 10, 0, first_ns, first_ns + 10, 1.0,
        attributes={"device": device} if device else {},
    )  # fmt: skip


def rows(tree: SeriesTree, parent: QModelIndex | None = None) -> dict[str, Any]:
    """The shown tree as it is read; a leaf is its id."""
    above = QModelIndex() if parent is None else parent
    below = [tree.index(row, 0, above) for row in range(tree.rowCount(above))]
    return {
        index.data(): rows(tree, index) if index.data(KEY_ROLE) is None else index.data(KEY_ROLE) for index in below
    }


def filled(*infos: SeriesInfo) -> SeriesTree:
    tree = SeriesTree()
    QAbstractItemModelTester(tree, QAbstractItemModelTester.FailureReportingMode.Fatal, tree)
    tree.show_series(branches_of(infos), ZONE)
    return tree


def test_branches_are_host_run_tool_and_thing_and_twins_have_their_day(qapp: Any) -> None:
    tree = filled(
        series(1, "await", "sda"), series(2, "total"), series(3, "await", "sda", day=31), series(4, "%util", "sda")
    )
    shown = rows(tree)["db01"]["before"]["iostat · device"]
    assert list(shown) == ["sda", "total"] and shown["total"] == 2
    first, twin, other = shown["sda"]
    assert list(shown["sda"].values()) == [1, 3, 4]
    assert (first, other) == ("await", "%util") and twin.startswith("await  ") and "1" in twin


def test_the_filter_shows_leaves_that_hold_all_words_with_their_branches(qapp: Any) -> None:
    tree = filled(series(1, "await", "sda"), series(2, "%util", "sda"), series(3, "%util", "sdb"))
    tree.show_words("UTIL sdb")
    assert rows(tree) == {"db01": {"before": {"iostat · device": {"sdb": {"%util": 3}}}}}
    assert tree.visible_keys() == [3] and not tree.index_of(1).isValid() and tree.index_of(3).row() == 0
    tree.show_words("no such thing")
    assert rows(tree) == {}
    tree.show_words("")
    assert tree.visible_keys() == [1, 2, 3] and tree.index_of(2).row() == 1


def test_a_person_checks_and_the_page_shows_what_is_checked(qapp: Any) -> None:
    tree = filled(series(1, "await", "sda"), series(2, "%util", "sda"))
    seen: list[tuple[int, bool]] = []
    tree.toggled.connect(lambda key, wanted: seen.append((key, wanted)))
    assert tree.setData(tree.index_of(2), Qt.CheckState.Checked.value, Qt.ItemDataRole.CheckStateRole)
    tree.check([1, 99])
    states = [tree.index_of(key).data(Qt.ItemDataRole.CheckStateRole) for key in (1, 2)]
    assert states == [Qt.CheckState.Checked, Qt.CheckState.Unchecked] and seen == [(2, True)]


def test_a_dragged_branch_carries_all_series_below_it(qapp: Any) -> None:
    tree = filled(series(1, "await", "sda"), series(2, "%util", "sda"), series(3, "%util", "sdb"))
    branch = tree.index_of(1).parent()
    assert bytes(tree.mimeData([branch, tree.index_of(2)]).data(SERIES_MIME).data()) == b"1,2"


def test_of_22006_series_those_that_are_looked_at_are_worked_out(qtbot: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a thousand branches, and all in one: siblings are not asked one by one."""
    wide = [series(key, f"column {key % 22}", f"dm-{key // 22}") for key in range(22_006)]
    flat = [series(key, f"column {key}") for key in range(22_006)]
    worked_out: list[int] = []
    path_of = series_tree.series_path

    def counted(info: SeriesInfo) -> tuple[str, ...]:
        worked_out.append(info.id)
        return path_of(info)

    monkeypatch.setattr(series_tree, "series_path", counted)
    chooser = SeriesChooser()
    qtbot.addWidget(chooser)
    chooser.resize(300, 800)
    chooser.show()
    chooser.show_series(wide, ZONE, lambda _: "")
    let_window_live(0.05, "it has painted itself")
    assert len(worked_out) < 200 and len(chooser._model._nodes) < 2_000  # a leaf is made when its branch is opened
    started = time.thread_time()
    chooser.show_series(flat, ZONE, lambda _: "")
    let_window_live(0.05, "it has painted itself")
    assert time.thread_time() - started < 2.0  # a comparison of all with all takes minutes
    chooser.check([21_000])
    assert chooser._model.index_of(21_000).data(Qt.ItemDataRole.CheckStateRole) == Qt.CheckState.Checked


def test_branches_of_many_series_are_asked_for_and_whoever_needs_a_series_does_not_wait(
    qtbot: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(series_chooser, "MANY_SERIES", 3)
    infos = [series(1, "r/s", "sda"), series(2, "w/s", "sda"), series(3, "r/s", "sdb")]
    asked: list[list[int]] = []
    chooser = SeriesChooser(lambda some: asked.append([info.id for info in some]))
    qtbot.addWidget(chooser)
    chooser.show_series(infos[:2], ZONE, lambda _: "")
    assert asked == [] and chooser._model.visible_keys() == [1, 2]

    chooser.show_series(infos, ZONE, lambda _: "")
    chooser.check([3])
    assert asked == [[1, 2, 3]] and chooser._model.visible_keys() == [1, 2]
    chooser.take(branches_of(infos))
    assert chooser._model.visible_keys() == [1, 2, 3]
    assert chooser._model.index_of(3).data(Qt.ItemDataRole.CheckStateRole) == Qt.CheckState.Checked

    chooser.show_series(infos[::-1], ZONE, lambda _: "")
    chooser.search.setText("w/s")
    chooser._show_found()
    assert chooser.visible_keys() == [2]
    chooser.take(branches_of(infos))  # it comes too late
    assert chooser.visible_keys() == [2]
