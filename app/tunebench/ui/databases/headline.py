"""What became of the whole work: sums, ratios at equal executions, what is left of the improvements."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QLabel, QPushButton, QWidget

from tunebench.analysis.databases.database_time import TimeChange
from tunebench.analysis.databases.statement_comparison import StatementClass, StatementComparison
from tunebench.analysis.databases.workload import NetEffect, WorkloadTotals
from tunebench.analysis.inference.verdict import Verdict
from tunebench.reporting.statement_words import class_text, settled_text, time_text, variation_text
from tunebench.ui.look.language import text, translated, window_locale
from tunebench.ui.look.theme import SPACE_L, SPACE_M, SPACE_XS
from tunebench.ui.widgets.parts import Card, button, caption, label, row, selectable, set_tone
from tunebench.usecases.databases.statement_words import (
    SHOWN_FIRST,
    TONES,
    amount_with_unit,
    class_words,
    ratio_of,
    ratio_words,
)
from tunebench.usecases.databases.workload_words import (
    fisher_lines,
    fisher_words,
    interval_words,
    net_words,
    volume_words,
)

FIGURES = ("elapsed_s", "block_gets", "cpu_s")
SIDES = ("before", "after")
COLUMNS = (*SIDES, "raw", "fisher", "volume", "net")
ALWAYS = StatementClass.REGRESSED
_TONES = {Verdict.IMPROVED: "ok", Verdict.REGRESSED: "critical"}


class Headline(Card):
    """A row per figure; every cell tells its formula in its tool tip."""

    def __init__(self) -> None:
        super().__init__()
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(SPACE_M, SPACE_XS, SPACE_M, SPACE_XS)
        self._grid.setHorizontalSpacing(SPACE_L)
        self._grid.setVerticalSpacing(2)
        self._shown: StatementComparison | None = None
        self._time: TimeChange | None = None
        self.cells: dict[tuple[str, str], QLabel] = {}
        self.nothing = {figure: label() for figure in FIGURES}
        self.time = selectable(label(wrap=True))
        self._build()

    def _build(self) -> None:
        for index, name in enumerate(COLUMNS, start=1):
            head = caption(f"ui.statements.headline.{name}")
            translated(head, toolTip=f"ui.statements.headline.{name}.tip")
            self._grid.addWidget(head, 0, index, self._side(name))
            self._grid.setColumnStretch(index, 1 if name == COLUMNS[-1] else 0)
        for line, figure in enumerate(FIGURES, start=1):
            self._grid.addWidget(caption(f"ui.statements.figure.{figure}", "strong"), line, 0)
            for index, name in enumerate(COLUMNS, start=1):
                self.cells[figure, name] = cell = selectable(label())
                self._grid.addWidget(cell, line, index, self._side(name))
            self._grid.addWidget(self.nothing[figure], line, 1 + len(SIDES), 1, len(COLUMNS) - len(SIDES))
        self._grid.addWidget(self.time, 1 + len(FIGURES), 0, 1, 1 + len(COLUMNS))

    @staticmethod
    def _side(name: str) -> Qt.AlignmentFlag:
        numbers = name in SIDES
        return Qt.AlignmentFlag.AlignRight if numbers else Qt.AlignmentFlag.AlignLeft

    def retranslate(self) -> None:
        self.show_comparison(self._shown, self._time)

    def show_comparison(self, comparison: StatementComparison | None, time: TimeChange | None = None) -> None:
        self._shown, self._time = comparison, time
        self.time.setVisible(time is not None)
        if time is not None:
            self._show_time(time)
        if comparison is None:
            return
        for figure in FIGURES:
            totals = comparison.totals[figure]
            if totals.statements:
                self._show_figure(figure, totals, comparison.net.get(figure))
            else:
                self._show_nothing(figure, totals)

    def _show_time(self, change: TimeChange) -> None:
        locale = window_locale()
        messages, interval = locale.messages, interval_words(change.ratio, change.interval, locale)
        ratio = f"{ratio_of(change.ratio, locale, change.verdict)} {interval}".strip()
        self.time.setText(" · ".join((time_text(change, messages), ratio, class_text(change.verdict, messages))))
        basis = variation_text(change.change, messages), settled_text(change.settled_by, messages)
        self.time.setToolTip("\n".join(basis).strip())
        set_tone(self.time, _TONES.get(change.verdict, ""))

    def _show_figure(self, figure: str, totals: WorkloadTotals, net: NetEffect | None) -> None:
        locale = window_locale()
        texts = {
            "before": amount_with_unit(figure, totals.before, locale),
            "after": amount_with_unit(figure, totals.after, locale),
            "raw": ratio_words(totals.before, totals.after, locale),
            "fisher": fisher_words(totals, locale),
            "volume": volume_words(totals.volume_effect, locale),
            "net": net_words(figure, net, locale),
        }
        self.nothing[figure].setText("")
        for name, words in texts.items():
            self._say(figure, name, words, _TONES.get(totals.verdict, "") if name == "fisher" else "")
            self.cells[figure, name].setToolTip(self._tip(figure, name, totals, net))

    def _tip(self, figure: str, name: str, totals: WorkloadTotals, net: NetEffect | None) -> str:
        lines = [text(f"ui.statements.headline.{name}.tip")]
        if name in SIDES:
            every = totals.all_before if name == "before" else totals.all_after
            facts = {"count": totals.statements, "all": amount_with_unit(figure, every, window_locale())}
            lines.append(text("ui.statements.headline.measured", **facts))
        if name == "fisher":
            lines += fisher_lines(totals, window_locale())
        if name == "net" and net is not None:
            lines.append(
                text("ui.statements.headline.net.fixed", ratio=ratio_of(net.ratio_without_regressions, window_locale()))
            )
        return "\n".join(lines)

    def _show_nothing(self, figure: str, totals: WorkloadTotals) -> None:
        """Says once, where the figures would stand, that there are none; a side that has some shows its sum."""
        self._say(figure, "before", amount_with_unit(figure, totals.all_before, window_locale()))
        self._say(figure, "after", amount_with_unit(figure, totals.all_after, window_locale()))
        self.nothing[figure].setText(text("ui.statements.headline.nothing"))
        for name in COLUMNS[len(SIDES) :]:
            self._say(figure, name, "")

    def _say(self, figure: str, name: str, words: str, tone: str = "") -> None:
        cell = self.cells[figure, name]
        cell.setText(words)
        cell.setToolTip("")
        cell.setAccessibleName(f"{text(f'ui.statements.headline.{name}')}: {words}")
        set_tone(cell, tone)


class ClassChips(QWidget):
    """How many statements are of each class; a click shows only these. `chosen` carries the classes."""

    chosen = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.everything = button(kind="quiet", on_click=self.clear)
        self.everything.setCheckable(True)
        self.chips: dict[StatementClass, QPushButton] = {}
        for outcome in SHOWN_FIRST:
            chip = button(kind="quiet", on_click=self._on_click)
            chip.setCheckable(True)
            chip.setProperty("chip", TONES.get(outcome, ""))
            self.chips[outcome] = chip
        self.setLayout(row(self.everything, *self.chips.values(), 1, spacing=SPACE_XS))
        self._counts: dict[StatementClass, int] = {}
        self._mark()

    @property
    def classes(self) -> frozenset[StatementClass]:
        return frozenset(outcome for outcome, chip in self.chips.items() if chip.isChecked())

    def show_counts(self, counts: dict[StatementClass, int]) -> None:
        self._counts = counts
        self.everything.setText(text("ui.statements.chip.all", count=f"{sum(counts.values()):,}"))
        for outcome, chip in self.chips.items():
            count = counts.get(outcome, 0)
            chip.setText(text("ui.statements.chip", words=class_words(outcome, window_locale()), count=f"{count:,}"))
            chip.setToolTip(text(f"ui.statements.class.{outcome}"))
            chip.setVisible(bool(count) or outcome is ALWAYS)

    def retranslate(self) -> None:
        self.show_counts(self._counts)

    def show_only(self, *classes: StatementClass) -> None:
        for outcome, chip in self.chips.items():
            chip.setChecked(outcome in classes)
        self._on_click()

    def clear(self) -> None:
        self.show_only()

    def _on_click(self) -> None:
        self._mark()
        self.chosen.emit(self.classes)

    def _mark(self) -> None:
        self.everything.setChecked(not self.classes)
