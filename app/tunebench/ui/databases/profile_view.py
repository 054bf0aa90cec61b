"""The profile in tables: where the time went, from DB time before to DB time after in bars, time model, load, host,
parameters, and what both sides are of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from zoneinfo import ZoneInfo

from PySide6.QtCore import QEvent, QPointF, QRectF, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QBrush, QFontMetricsF, QHelpEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QComboBox, QSizePolicy, QToolTip, QWidget

from tunebench.analysis.databases.explained import Explanation
from tunebench.analysis.databases.profile_lines import Basis, Profile, ProfileComparison
from tunebench.analysis.databases.statement_comparison import StatementComparison
from tunebench.columns.column import SIDES, Column, with_figures
from tunebench.core.messages import catalogue
from tunebench.reporting.chapters.explained import waterfall_rows
from tunebench.reporting.document import WaterfallRow
from tunebench.ui.databases.profile_bar import ProfileBar
from tunebench.ui.look.fonts import SMALL_PX
from tunebench.ui.look.language import language, text, translated, window_locale
from tunebench.ui.look.painting import painter_on
from tunebench.ui.look.theme import SPACE_S, SPACE_XS, current_theme
from tunebench.ui.tables.view import FigureTable
from tunebench.ui.widgets.exhibit import Exhibited
from tunebench.ui.widgets.parts import Card, button, column, label, panel, row, search_field, stacked, tab_bar
from tunebench.usecases.databases import profile_columns as columns
from tunebench.usecases.databases.comparison import DatabaseComparison
from tunebench.usecases.databases.identity_facts import identity_columns, identity_rows
from tunebench.usecases.databases.profile_words import basis_unit
from tunebench.usecases.databases.sides import Side

ROW_PX, BAR_PX, GAP_PX, EDGE_PX = 17, 11, 8, 8
WIDEST_LABEL_PX = 300

COUNTED = {"segments": ("segment",), "io": ("io",), "statistics": ("activity", "state")}
"""What the tables of counters are made of, by their tabs."""
TABLES = ("profile", "explained", "time_model", "load", *COUNTED, "host", "parameters", "identity")
TABS = (*TABLES, "periods", "sessions")
_PANES = ("periods", "sessions")
"""Tabs that have a widget of their own instead of the table."""
_OF_BOTH = ("explained", *COUNTED)


class WaterfallBars(QWidget):
    """The same rows as in the report; more time is hatched, less is solid: no colour says better or worse."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: tuple[WaterfallRow, ...] = ()
        Exhibited(self)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_rows(self, rows: Sequence[WaterfallRow]) -> None:
        self.rows = tuple(rows)
        self.setAccessibleName(text("ui.profile.tab.explained"))
        self.setAccessibleDescription("\n".join(_words(row) for row in self.rows))
        self.setVisible(bool(self.rows))
        self.setFixedHeight(ROW_PX * len(self.rows) + GAP_PX)
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(300, ROW_PX * len(self.rows) + GAP_PX)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = painter_on(self, pixels=SMALL_PX)
        metrics = QFontMetricsF(painter.font())
        left = min(max((metrics.horizontalAdvance(bar.label) for bar in self.rows), default=0.0), WIDEST_LABEL_PX)
        right = max((metrics.horizontalAdvance(bar.text) for bar in self.rows), default=0.0)
        room = QRectF(left + GAP_PX, 0, max(self.width() - left - right - 3 * GAP_PX, 20), self.height())
        ends = [end for bar in self.rows for end in (bar.start, bar.end)]
        least = min((0.0, *ends))
        scale = room.width() / ((max((0.0, *ends)) - least) or 1.0)
        for number, bar in enumerate(self.rows):
            across = [room.left() + (value - least) * scale for value in (bar.start, bar.end)]
            label = metrics.elidedText(bar.label, Qt.TextElideMode.ElideMiddle, left)
            self._paint_row(painter, bar, label, number * ROW_PX, across)
        painter.end()

    def _paint_row(self, painter: QPainter, row: WaterfallRow, label: str, top: float, across: Sequence[float]) -> None:
        theme, middle = current_theme(), Qt.AlignmentFlag.AlignVCenter
        painter.setPen(theme.text)
        painter.drawText(QRectF(0, top, WIDEST_LABEL_PX + GAP_PX, ROW_PX), middle, label)
        bar = QRectF(min(across), top + (ROW_PX - BAR_PX) / 2, max(abs(across[1] - across[0]), 1.0), BAR_PX)
        pattern = Qt.BrushStyle.BDiagPattern if row.end > row.start and not row.whole else Qt.BrushStyle.SolidPattern
        painter.fillRect(bar, QBrush(theme.muted if row.whole else theme.after, pattern))
        painter.drawText(QRectF(bar.right() + 4, top, self.width() - bar.right() - 4, ROW_PX), middle, row.text)
        painter.setPen(theme.border)
        painter.drawLine(QPointF(across[1], bar.bottom()), QPointF(across[1], bar.bottom() + ROW_PX - BAR_PX))

    def words_at(self, position: QPointF) -> str:
        number = int(position.y() // ROW_PX)
        return _words(self.rows[number]) if 0 <= number < len(self.rows) else ""

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), self.words_at(QPointF(event.pos())), self)
            return True
        return super().event(event)


def _words(row: WaterfallRow) -> str:
    return f"{row.label}: {row.text}"


class ProfileView(Card):
    """Signals:
    chosen: the row under the keyboard, of the table that is shown.
    opened: the row whose place in its capture is wanted.
    basis_asked: a `Basis`.
    """

    chosen = Signal(object)
    opened = Signal(object)
    basis_asked = Signal(object)

    def __init__(self, periods: QWidget, sessions: QWidget) -> None:
        super().__init__()
        self._comparison: ProfileComparison | None = None
        self._compared: DatabaseComparison | None = None
        self._sides: tuple[str, ...] = ()
        self._wanted = 0  # the tab that somebody chose
        self._pair: tuple[Side | None, Side | None] = (None, None)
        self._zone = ZoneInfo("UTC")
        self.tabs = translated(tab_bar(*TABS), tabText=[f"ui.profile.tab.{tab}" for tab in TABS])
        self.filter_field = search_field("ui.profile.filter", 90, 200)
        self._copy = translated(button(kind="quiet", on_click=self.copy), "ui.compare.copy")
        self.kind, self.basis = _choice("kind"), _choice("basis")
        self.total = label(role="small")
        self.bar, self.waterfall = ProfileBar(), WaterfallBars()
        self.table = FigureTable()
        self._nothing = label(role="muted", wrap=True)
        self._nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._lay_out(periods, sessions)
        self._connect()

    def _lay_out(self, periods: QWidget, sessions: QWidget) -> None:
        tools = self.kind, self.basis, self.total, 1, self.filter_field, self._copy
        self._tools = panel(row(*tools, margins=(SPACE_S, SPACE_XS, SPACE_XS, SPACE_XS)))
        bar = column(self.bar, self.waterfall, margins=(SPACE_S, 0, SPACE_XS, SPACE_XS))
        self._stack = stacked(self.table, self._nothing, periods, sessions)
        column(row(self.tabs, 1), self._tools, bar, (self._stack, 1), spacing=0, margins=(1, 2, 1, 1), of=self)

    def _connect(self) -> None:
        self.tabs.currentChanged.connect(self._on_tab)
        self.kind.activated.connect(lambda _place: self.refresh())
        self.basis.activated.connect(lambda index: self.basis_asked.emit(list(Basis)[index]))
        self.filter_field.textChanged.connect(self.table.narrow)
        self.table.chosen.connect(self.chosen)
        self.table.opened.connect(self.opened)

    # --- what is shown
    @property
    def tab(self) -> str:
        return str(self.tabs.tabData(self.tabs.currentIndex()))

    @property
    def classes(self) -> bool:
        """Whether waits are shown by class."""
        return self.kind.currentIndex() == 1

    @property
    def profile(self) -> Profile | None:
        if self._comparison is None:
            return None
        return self._comparison.classes if self.classes else self._comparison.events

    def show_comparison(
        self,
        comparison: ProfileComparison | None,
        before: Side | None,
        after: Side | None,
        zone: ZoneInfo,
        compared: DatabaseComparison | None = None,
    ) -> None:
        """`compared`: the whole of which `comparison` is the profile; None where a side is left out."""
        self._comparison, self._pair, self._zone, self._compared = comparison, (before, after), zone, compared
        self._sides = tuple(name for name, side in zip(SIDES, self._pair, strict=True) if side is not None)
        if comparison is not None:
            self.basis.setCurrentIndex(list(Basis).index(comparison.basis))
            if not comparison.events.lines and comparison.classes.lines:
                self.kind.setCurrentIndex(1)
        self._offer_tabs()
        self.refresh()

    def _offer_tabs(self) -> None:
        """Greys out the tabs of what was not measured; the first measured one is shown in place of such a tab."""
        with QSignalBlocker(self.tabs):
            for index, tab in enumerate(TABLES):
                filled = self._comparison is None or bool(self._content(tab)[1])
                self.tabs.setTabEnabled(index, filled)
                self.tabs.setTabToolTip(index, "" if filled else self._none_of(tab))
            offered = [index for index in range(len(TABS)) if self.tabs.isTabEnabled(index)]
            self.tabs.setCurrentIndex(self._wanted if self._wanted in offered else offered[0])

    def _on_tab(self, index: int) -> None:
        self._wanted = index
        self.refresh()

    def _none_of(self, tab: str) -> str:
        return text(f"ui.profile.none.{tab}" if self._comparison else "ui.profile.none")

    def show_tab(self, tab: str) -> None:
        self.tabs.setCurrentIndex(TABS.index(tab))

    def refresh(self) -> None:
        of_profile = self.tab == "profile"
        profile = self.profile if of_profile else None
        self._tools.setVisible(self.tab not in _PANES)
        for shown in (self.kind, self.basis):
            shown.setVisible(of_profile or (self.tab == "time_model" and shown is self.basis))
        lines = profile.lines if profile is not None else ()
        self.bar.show_profile(profile if lines else None, self._sides, self._unit() if profile else "")
        explained = self._explained() if self.tab == "explained" else None
        self.waterfall.show_rows(waterfall_rows(*explained, catalogue(language().code)) if explained else ())
        if self.tab in _PANES:
            self._stack.setCurrentIndex(2 + _PANES.index(self.tab))
            return
        shape, rows = self._content(self.tab)
        filled = with_figures(shape, rows, window_locale())
        self.table.show_rows(filled, rows)
        self._say_totals([column for column in shape if column not in filled and column.side] if rows else [])
        self._nothing.setText(self._none_of(self.tab))
        self._stack.setCurrentIndex(0 if rows else 1)

    def _explained(self) -> tuple[Explanation, StatementComparison] | None:
        compared = self._compared
        return None if compared is None or compared.explanation is None else (compared.explanation, compared.statements)

    def _unit(self) -> str:
        profile = self.profile
        return basis_unit(self._comparison.basis, profile.unit, window_locale()) if self._comparison and profile else ""

    def _say_totals(self, absent: Sequence[Column[Any]]) -> None:
        """The whole of the profile, and the figures that no line of the table has."""
        profile, words = self.profile if self.tab == "profile" else None, []
        if profile is not None and profile.lines:
            values = columns.total_words(profile.before, profile.after, self._sides, window_locale())
            words.append(text("ui.profile.whole", values=" → ".join(values), unit=self._unit()))
        names = dict.fromkeys(text(f"ui.profile.absent.{column.id.split('.')[1]}") for column in absent)
        if names:
            words.append(text("ui.databases.unmeasured", figures=", ".join(names)))
        self.total.setText(" · ".join(words))

    def _content(self, tab: str) -> tuple[Sequence[Any], Sequence[Any]]:
        """The columns and rows of a table."""
        comparison, sides = self._comparison, self._sides
        if tab == "identity":
            return identity_columns(sides), identity_rows(*self._pair, window_locale(self._zone)) if sides else []
        if tab == "load":
            return columns.load_columns(sides), comparison.load if comparison else ()
        if tab in _OF_BOTH:
            return self._of_both(tab)
        if tab == "host":
            return columns.host_columns(sides), comparison.host if comparison else ()
        if tab == "parameters":
            alone = len(sides) < 2  # compared with itself: what differs between its ends is all there is
            changes = comparison.parameters if comparison else ()
            return columns.parameter_columns(sides), [change for change in changes if change.inside or not alone]
        if comparison is None or self.profile is None:
            return (), ()
        if tab == "time_model":
            return columns.profile_columns(comparison.basis, "s", sides, False, with_calls=False), comparison.time_model
        grouped = any(line.group for line in self.profile.lines)
        lines = self.profile.lines
        calls = columns.counts_calls(lines)
        return columns.profile_columns(comparison.basis, self.profile.unit, sides, grouped, calls), lines

    def _of_both(self, tab: str) -> tuple[Sequence[Any], Sequence[Any]]:
        """Columns and rows: what the change of DB time is made of, or counters side by side."""
        if tab == "explained":
            explained = self._explained()
            return columns.step_columns(explained[1] if explained else None), explained[0].steps if explained else ()
        comparison = self._comparison
        lines = [line for table in COUNTED[tab] for line in (comparison.counters.get(table, ()) if comparison else ())]
        return columns.counter_columns(self._sides, lines), lines

    def retranslate(self) -> None:
        for combo, name, choices in ((self.kind, "kind", ("events", "classes")), (self.basis, "basis", tuple(Basis))):
            chosen = max(combo.currentIndex(), 0)
            combo.clear()  # it grows narrower with new entries only, not with new words of the old ones
            combo.addItems([text(f"ui.profile.{name}.{choice}") for choice in choices])
            combo.setCurrentIndex(chosen)
        self.refresh()

    def copy(self) -> None:
        self.table.exhibited.copy(("tsv",))


def _choice(name: str) -> QComboBox:
    fitting = QComboBox(sizeAdjustPolicy=QComboBox.SizeAdjustPolicy.AdjustToContents)
    return translated(fitting, accessibleName=f"ui.profile.{name}", toolTip=f"ui.profile.{name}")
