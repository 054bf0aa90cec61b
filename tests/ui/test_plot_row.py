"""A row of live plots: its words stand beside the picture, never under it."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from tunebench.domain.engagement import Direction, Kind
from tunebench.domain.series import SeriesInfo
from tunebench.ui.capturing.live_chart import PlotRow


def series(key: int, native: str, unit: str = "%") -> SeriesInfo:
    return SeriesInfo(
        key, 1, "before", 1, "db01", 1, 1, "vmstat", "cpu", native, "system.cpu.utilization", unit,
        Kind.GAUGE, Direction.LOWER, 0.01, "1", 10, 0, 0, 10, 1.0,
    )  # fmt: skip


def test_the_picture_leaves_its_room_to_the_names_and_values(qtbot: QtBot) -> None:
    row = PlotRow([series(1, "us"), series(2, "sy")])
    qtbot.addWidget(row)
    row.resize(640, 96)
    row.show()
    picture = row.canvas.geometry()
    assert (picture.left(), 640 - picture.left() - picture.width()) == (row.LEFT_PX, row.RIGHT_PX)
    assert (picture.top(), picture.height()) == (0, 95)  # the last line of pixels parts it from the next row


def test_a_value_that_has_not_come_is_a_dash_and_units_are_said(qtbot: QtBot) -> None:
    row = PlotRow([series(1, "us"), series(2, "sy")])
    qtbot.addWidget(row)
    row.show_values({1: (5, 12.0)})
    first, second = row.lines
    assert row.value_words(first).split() == ["12", "%"]
    assert "%" not in row.value_words(second)
    assert (
        row.accessibleDescription() == f"{first.name} {row.value_words(first)}, {second.name} {row.value_words(second)}"
    )
    assert row.canvas.unit == "%" and PlotRow([series(1, "us"), series(2, "r", "1/s")]).canvas.unit == ""


def test_curves_stay_inside_their_picture(qtbot: QtBot) -> None:
    row = PlotRow([series(1, "us")])
    qtbot.addWidget(row)
    row.resize(640, 96)
    row.show()
    canvas = row.canvas
    area = row.canvas.area
    assert 0 < area.left() < area.right() < canvas.width() and 0 < area.top() < area.bottom() < canvas.height()
    low = canvas.values.low
    high = canvas.values.high
    assert (canvas.y_of(low), canvas.y_of(high)) == (area.bottom(), area.top())
    assert canvas.value_at(canvas.y_of((low + high) / 3)) == pytest.approx((low + high) / 3)
