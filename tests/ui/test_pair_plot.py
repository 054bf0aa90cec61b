"""Where the words of a picture of both sides stand: at their lines, inside the widget."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QRectF
from pytestqt.qtbot import QtBot

from tunebench.analysis.comparing.fold import Fold
from tunebench.ui.charts import pair_plot
from tunebench.ui.charts.pair_plot import PairPlot, picture_of_days

Words = list[tuple[QRectF, str]]


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> Words:
    """What is written and where, while pictures are drawn."""
    words: Words = []
    monkeypatch.setattr(pair_plot, "write", lambda _painter, area, text, *_look: words.append((QRectF(area), text)))
    return words


def day(level: float) -> Fold:
    """Every ten minutes from 8 to 18 o'clock."""
    seconds = np.arange(8 * 3600 + 300, 18 * 3600, 600.0)
    values = np.full(len(seconds), level)
    return Fold(seconds, values, values, values, 600.0, 3)


def test_words_stand_in_the_middle_of_their_lines(qtbot: QtBot, written: Words) -> None:
    plot = PairPlot()
    qtbot.addWidget(plot)
    plot.resize(640, 300)
    plot.show_picture(picture_of_days([day(20.0), day(40.0)], "ms", "time of day"))
    plot.grab()
    area = plot.area
    values = [(float(text), box) for box, text in written if text.isdecimal()]
    assert {value for value, _ in values} >= {0.0, 20.0, 40.0}
    assert plot.picture is not None and plot.picture.values.low == 0
    for value, box in values:
        assert box.center().y() == pytest.approx(
            area.bottom() - value / plot.picture.values.high * area.height(), abs=1
        )
        assert 0 <= box.left() < box.right() < area.left()
    clock = [(text, box) for box, text in written if ":" in text]
    assert len(clock) >= 3
    for text, box in clock:
        hours, minutes = map(int, text.split(":"))
        across = (hours + minutes / 60 - 8) / 10
        assert box.center().x() == pytest.approx(area.left() + across * area.width(), abs=box.width() / 2)
        assert area.bottom() < box.top() < box.bottom() <= plot.height() and box.right() <= plot.width()
    ((below, _),) = [(box, words) for box, words in written if words == "time of day"]
    assert below.center().x() == pytest.approx(area.center().x())
    assert max(box.bottom() for _, box in clock) <= below.top() + 2 and below.bottom() <= plot.height()
