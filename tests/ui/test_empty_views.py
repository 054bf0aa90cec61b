"""A new engagement: every view says in a sentence what fills it, and has the button that begins with it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QAbstractButton

from tunebench.domain.engagement import Engagement
from tunebench.ui.frame.main_window import MainWindow
from tunebench.ui.widgets.parts import EmptyState
from tunebench.usecases import projects

FILLED = {"engagement", "report", "reference"}
"""Forms to fill in, and what is there from the start."""


@pytest.mark.parametrize("code", ["ko", "en"])
def test_every_view_of_a_new_engagement_says_what_fills_it(
    window: MainWindow, tmp_path: Path, idle: Any, look: Any, code: str
) -> None:
    projects.close(projects.create(tmp_path / "new.tune", Engagement("Batch", "Hanbit")))
    assert window.controller.open(tmp_path / "new.tune")
    look(code)
    without = []
    for page_id in window.page_ids:
        window.show_page(page_id)
        idle()
        page = window.page(page_id)
        states = [each for each in page.findChildren(EmptyState) if each.isVisible()]
        offers = [b for each in states for b in each.findChildren(QAbstractButton) if b.isVisible() and b.isEnabled()]
        if not offers and page_id not in FILLED:
            without.append(page_id)
    assert without == []
