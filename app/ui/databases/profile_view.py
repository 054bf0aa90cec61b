"""The profile in tables: where the time went, time model, load, host, parameters, who and when."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from zoneinfo import ZoneInfo

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QComboBox, QWidget

from app.analysis.databases.explained import Explanation
from app.analysis.databases.profile_lines import Basis, Profile, ProfileComparison
from app.analysis.databases.statement_comparison import StatementComparison
from app.core.messages import catalogue
from app.reporting.chapters.explained import waterfall_rows
from app.ui.databases import profile_columns as columns
from app.ui.databases.figure_words import basis_unit
from app.ui.databases.profile_bar import ProfileBar
from app.ui.databases.profile_identity import identity_columns, identity_rows
from app.ui.databases.waterfall import WaterfallBars
from app.ui.look.language import language, text, translated
from app.ui.look.theme import SPACE_S, SPACE_XS
from app.ui.tables.view import FigureTable
from app.ui.widgets.parts import Card, button, column, label, panel, row, search_field, stacked, tab_bar
from app.usecases.databases.facade import DatabaseComparison, Side

COUNTED = {"segments": ("segment",), "io": ("io",), "statistics": ("activity", "state")}
"""What the tables of counters are made of, by their tabs."""
TABLES = ("profile", "explained", "time_model", "load", *COUNTED, "host", "parameters", "identity")
TABS = (*TABLES, "periods")
_OF_BOTH = ("explained", *COUNTED)


class ProfileView(Card):
    """Signals:
    chosen: the row under the keyboard, of the table that is shown.
    opened: the row whose place in its capture is wanted.
    basis_asked: a `Basis`.
    """

    chosen = Signal(object)
    opened = Signal(object)
    basis_asked = Signal(object)

    def __init__(self, periods: QWidget) -> None:
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
        self._total = label(role="small")
        self.bar, self.waterfall = ProfileBar(), WaterfallBars()
        self.table = FigureTable()
        self._nothing = label(role="muted", wrap=True)
        self._nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._lay_out(periods)
        self._connect()

    def _lay_out(self, periods: QWidget) -> None:
        tools = self.kind, self.basis, self._total, 1, self.filter_field, self._copy
        self._tools = panel(row(*tools, margins=(SPACE_S, SPACE_XS, SPACE_XS, SPACE_XS)))
        bar = column(self.bar, self.waterfall, margins=(SPACE_S, 0, SPACE_XS, SPACE_XS))
        self._stack = stacked(self.table, self._nothing, periods)
        column(row(self.tabs, 1), self._tools, bar, (self._stack, 1), spacing=0, margins=(1, 2, 1, 1), of=self)

    def _connect(self) -> None:
        self.tabs.currentChanged.connect(self._on_tab)
        self.kind.activated.connect(lambda _place: self.refresh())
        self.basis.activated.connect(lambda place: self.basis_asked.emit(list(Basis)[place]))
        self.filter_field.textChanged.connect(self.table.narrow)
        self.table.chosen.connect(self.chosen)
        self.table.opened.connect(self.opened)

    # --- what is shown
    @property
    def tab(self) -> str:
        return str(self.tabs.tabData(self.tabs.currentIndex()))

    @property
    def classes(self) -> bool:
        """Whether waits are told by class."""
        return self.kind.currentIndex() == 1

    @property
    def profile(self) -> Profile | None:
        if self._comparison is None:
            return None
        return self._comparison.classes if self.classes else self._comparison.events

    def show_comparison(
        self,
        found: ProfileComparison | None,
        before: Side | None,
        after: Side | None,
        zone: ZoneInfo,
        compared: DatabaseComparison | None = None,
    ) -> None:
        """`compared`: the whole of which `found` is the profile; None where a side is left out."""
        self._comparison, self._pair, self._zone, self._compared = found, (before, after), zone, compared
        self._sides = tuple(name for name, side in zip(columns.BOTH, self._pair, strict=True) if side is not None)
        if found is not None:
            self.basis.setCurrentIndex(list(Basis).index(found.basis))
            if not found.events.lines and found.classes.lines:
                self.kind.setCurrentIndex(1)
        self._offer_tabs()
        self.refresh()

    def _offer_tabs(self) -> None:
        """What was not measured is grey and says so; the first that was is shown in its place."""
        with QSignalBlocker(self.tabs):
            for place, tab in enumerate(TABLES):
                filled = self._comparison is None or bool(self._content(tab)[1])
                self.tabs.setTabEnabled(place, filled)
                self.tabs.setTabToolTip(place, "" if filled else self._none_of(tab))
            offered = [place for place in range(len(TABS)) if self.tabs.isTabEnabled(place)]
            self.tabs.setCurrentIndex(self._wanted if self._wanted in offered else offered[0])

    def _on_tab(self, place: int) -> None:
        self._wanted = place
        self.refresh()

    def _none_of(self, tab: str) -> str:
        return text(f"ui.profile.none.{tab}" if self._comparison else "ui.profile.none")

    def show_tab(self, tab: str) -> None:
        self.tabs.setCurrentIndex(TABS.index(tab))

    def refresh(self) -> None:
        of_profile = self.tab == "profile"
        profile = self.profile if of_profile else None
        self._tools.setVisible(self.tab != "periods")
        for shown in (self.kind, self.basis):
            shown.setVisible(of_profile or (self.tab == "time_model" and shown is self.basis))
        self._say_totals()
        lines = profile.lines if profile is not None else ()
        self.bar.show_profile(profile if lines else None, self._sides, self._unit() if profile else "")
        explained = self._explained() if self.tab == "explained" else None
        self.waterfall.show_rows(waterfall_rows(*explained, catalogue(language().code)) if explained else ())
        if self.tab == "periods":
            self._stack.setCurrentIndex(2)
            return
        shape, rows = self._content(self.tab)
        self.table.show_rows(shape, rows)
        self._nothing.setText(self._none_of(self.tab))
        self._stack.setCurrentIndex(0 if rows else 1)

    def _explained(self) -> tuple[Explanation, StatementComparison] | None:
        found = self._compared
        return None if found is None or found.explanation is None else (found.explanation, found.statements)

    def _unit(self) -> str:
        profile = self.profile
        return basis_unit(self._comparison.basis, profile.unit) if self._comparison and profile else ""

    def _say_totals(self) -> None:
        profile = self.profile if self.tab == "profile" else None
        if profile is None or not profile.lines:
            self._total.setText("")
            return
        values = columns.total_words(profile.before, profile.after, self._sides)
        self._total.setText(text("ui.profile.whole", values=" → ".join(values), unit=self._unit()))

    def _content(self, tab: str) -> tuple[Sequence[Any], Sequence[Any]]:
        """The columns and rows of a table."""
        found, sides = self._comparison, self._sides
        if tab == "identity":
            return identity_columns(sides), identity_rows(*self._pair, self._zone) if sides else []
        if tab == "load":
            return columns.load_columns(sides), found.load if found else ()
        if tab in _OF_BOTH:
            return self._of_both(tab)
        if tab == "host":
            return columns.host_columns(sides), found.host if found else ()
        if tab == "parameters":
            alone = len(sides) < 2  # compared with itself: what differs between its ends is all there is
            changes = found.parameters if found else ()
            return columns.parameter_columns(sides), [change for change in changes if change.inside or not alone]
        if found is None or self.profile is None:
            return (), ()
        if tab == "time_model":
            return columns.profile_columns(found.basis, "s", sides, False, with_calls=False), found.time_model
        grouped = any(line.group for line in self.profile.lines)
        return columns.profile_columns(found.basis, self.profile.unit, sides, grouped), self.profile.lines

    def _of_both(self, tab: str) -> tuple[Sequence[Any], Sequence[Any]]:
        """What the change of DB time is made of, and counters side by side."""
        if tab == "explained":
            explained = self._explained()
            return columns.step_columns(explained[1] if explained else None), explained[0].steps if explained else ()
        found = self._comparison
        told = [line for table in COUNTED[tab] for line in (found.counters.get(table, ()) if found else ())]
        return columns.counter_columns(self._sides, told), told

    def retranslate(self) -> None:
        for combo, name, choices in ((self.kind, "kind", ("events", "classes")), (self.basis, "basis", tuple(Basis))):
            chosen = max(combo.currentIndex(), 0)
            combo.clear()  # it grows narrower with new entries only, not with new words of the old ones
            combo.addItems([text(f"ui.profile.{name}.{choice}") for choice in choices])
            combo.setCurrentIndex(chosen)
        self.refresh()

    def copy(self) -> None:
        QGuiApplication.clipboard().setText(self.table.tab_separated())


def _choice(name: str) -> QComboBox:
    fitting = QComboBox(sizeAdjustPolicy=QComboBox.SizeAdjustPolicy.AdjustToContents)
    return translated(fitting, accessibleName=f"ui.profile.{name}", toolTip=f"ui.profile.{name}")
