"""The calendar with what is known of the chosen period, and what can be done with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from zoneinfo import ZoneInfo

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from app.ui.databases.period_book import Cell, summary
from app.ui.databases.period_calendar import PeriodCalendar
from app.ui.databases.period_words import cell_words, legend
from app.ui.look.language import language, text, translated
from app.ui.look.theme import SPACE_S, SPACE_XS
from app.ui.widgets.parts import button, column, label, row, selectable
from app.usecases.databases.words import source_text


class PeriodPane(QWidget):
    """Signals:
    picked: the `Cell` that is looked at.
    time_line_asked, before_asked, after_asked: the `Cell` whose time is to be shown, or to be a side of a comparison.
    """

    picked = Signal(object)
    time_line_asked = Signal(object)
    before_asked = Signal(object)
    after_asked = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self._zone = ZoneInfo("UTC")
        self._runs: Mapping[int, str] = {}
        self.calendar = PeriodCalendar()
        self._summary = label(role="small")
        self._legend = label(role="small", wrap=True)
        self._words = selectable(label(wrap=True))
        self.show_on_time_line = translated(
            button(on_click=lambda: self._ask(self.time_line_asked)), "ui.profile.periods.time_line"
        )
        self.as_before = translated(
            button(kind="quiet", on_click=lambda: self._ask(self.before_asked)), "ui.profile.periods.as_before"
        )
        self.as_after = translated(
            button(kind="quiet", on_click=lambda: self._ask(self.after_asked)), "ui.profile.periods.as_after"
        )
        buttons = row(self.show_on_time_line, self.as_before, self.as_after, 1)
        column(
            row(self._summary, 1, margins=(SPACE_S, SPACE_XS, SPACE_S, 0)),
            (self.calendar, 1),
            row(self._legend, margins=(SPACE_S, 0)),
            column(self._words, buttons, spacing=SPACE_XS, margins=(SPACE_S, SPACE_XS, SPACE_S, SPACE_S)),
            spacing=SPACE_XS,
            of=self,
        )
        self.calendar.picked.connect(self._on_picked)
        self.calendar.entered.connect(self._on_entered)

    @property
    def chosen(self) -> Cell | None:
        number = self.calendar.chosen
        return self.calendar.cells[number] if 0 <= number < len(self.calendar.cells) else None

    def show_cells(self, found: Sequence[Cell], runs: Mapping[int, str], zone: ZoneInfo) -> None:
        self._zone, self._runs = zone, runs
        self.calendar.show_cells(found, runs, zone)
        self.refresh()

    def refresh(self) -> None:
        count, invalid = summary(self.calendar.cells)
        words = text("ui.profile.periods.count", n=count)
        if invalid:
            words += " · " + text("ui.profile.periods.invalid", n=invalid)
        self._summary.setText(words)
        self._legend.setText(legend(self.calendar.cells))
        self._legend.setVisible(bool(self._legend.text()))
        chosen = self.chosen
        timed = chosen is not None and chosen.period.end_ns is not None
        for made in (self.show_on_time_line, self.as_before, self.as_after):
            made.setEnabled(timed and chosen is not None and not chosen.reaches_back)
        self._words.setText(text("ui.profile.periods.choose") if chosen is None else self._of(chosen))

    def _of(self, cell: Cell) -> str:
        record = cell.period.record
        parts = [cell_words(cell, self._zone, self._runs.get(cell.run_id, "")).replace("\n", " · ", 2)]
        ends = [end.snapshot for end in (record.begin, record.end) if end is not None and end.snapshot is not None]
        facts = [source_text(record.source, language().code)]
        if ends:
            facts.append(text("ui.profile.snapshots", numbers=" – ".join(map(str, ends))))
        return "\n".join([*parts, " · ".join(facts)])

    def _on_picked(self, _number: int) -> None:
        self.refresh()
        if self.chosen is not None:
            self.picked.emit(self.chosen)

    def _on_entered(self, _number: int) -> None:
        if self.show_on_time_line.isEnabled():
            self._ask(self.time_line_asked)

    def _ask(self, signal) -> None:  # type: ignore[no-untyped-def]
        if self.chosen is not None:
            signal.emit(self.chosen)

    def retranslate(self) -> None:
        self.calendar.retranslate()
        self.refresh()
