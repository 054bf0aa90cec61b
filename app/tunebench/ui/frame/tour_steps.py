"""What the tour goes through: its steps, each with its page, the part that it speaks of, and what is done there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtWidgets import QWidget

from tunebench.analysis.exploring.time_range import TimeRange
from tunebench.core.records import record


@record
class Step:
    """
    Attributes:
        name: of its words: ``ui.tour.<name>`` and ``ui.tour.<name>.about``.
        part: of the page, that stays clear; None, or hidden, where the project has nothing for it.
        quote: what the page says of it; empty while it does not know.
        prepare: makes the page show the part.
        is_dragged: whether one drags there, where one clicks else.
        answer: where the page answers; then it is looked at, and ``ui.tour.<name>.done`` said, before the next step.
    """

    name: str
    page_id: str
    part: Callable[[Any], QWidget | None]
    quote: Callable[[Any], str] = lambda _page: ""
    prepare: Callable[[Any], object] = lambda _page: None
    argument: object = None
    is_dragged: bool = False
    answer: Callable[[Any], QWidget | None] = lambda _page: None


def peak() -> TimeRange:
    from tunebench.usecases.demo.engagement import copying

    return TimeRange(*copying())


def _show_peak(page: Any) -> None:
    copied = peak()
    page.views.setCurrentIndex(0)
    if page.time.bounds.covers(copied):
        page.time.show_span(copied.widened(4))


def _show_changed(page: Any) -> None:
    page.views.setCurrentIndex(0)


def _words(page: Any, name: str) -> str:
    """Of the answer to what has changed."""
    from tunebench.columns.answering.marks import plain

    return plain(getattr(page.changed.words, name, ""))


STEPS = (
    Step("question", "engagement", lambda page: page.registers["issues"].grid, argument="issues"),
    Step("ledger", "captures", lambda page: page.ledger, lambda page: page.summary.text()),
    Step("review", "review", lambda page: page.table, lambda page: page.summary.text()),
    Step(
        "hours",
        "timeline",
        lambda page: page.heat.cells,
        lambda page: page.heat.says.text(),
        lambda page: page.views.setCurrentIndex(2),
        is_dragged=True,
    ),
    Step(
        "peak",
        "timeline",
        lambda page: page.charts,
        lambda page: page.range_panel.heading.text() if page.range_panel.isVisible() else "",
        _show_peak,
        is_dragged=True,
        answer=lambda page: page.range_panel,
    ),
    Step(
        "target",
        "compare",
        lambda page: next(iter(page.changed.tiles), None),
        lambda page: _words(page, "headline"),
        _show_changed,
    ),
    Step("worse", "compare", lambda page: page.changed.worse, lambda page: _words(page, "worse_title"), _show_changed),
    Step(
        "waits",
        "database",
        lambda page: page.view.bar,
        lambda page: page.view.total.text(),
        lambda page: page.view.tabs.setCurrentIndex(0),
    ),
    Step("amended", "cycle", lambda page: page.detail.amendments, argument=2),
    Step("report", "report", lambda page: page.view, argument=("result", "cover")),
)
