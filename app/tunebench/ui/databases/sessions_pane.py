"""Sessions over time with what was going on in the chosen stretch: events, statements, segments, files, and statements
beside the host."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from zoneinfo import ZoneInfo

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QWidget

from tunebench.analysis.databases.profile_lines import Basis, ProfileComparison
from tunebench.analysis.databases.sessions import StatementShare, statement_shares
from tunebench.columns.column import Column
from tunebench.core.records import record
from tunebench.ui.databases.sessions_chart import Look, Panel, SessionsChart
from tunebench.ui.look.language import text, translated
from tunebench.ui.look.theme import SPACE_S, SPACE_XS
from tunebench.ui.tables.view import FigureTable
from tunebench.ui.widgets.parts import column, label, panel, row, splitter, stacked, tab_bar
from tunebench.ui.workspace import Workspace
from tunebench.usecases.databases import profile_columns as columns
from tunebench.usecases.databases.profiles import compared
from tunebench.usecases.databases.session_columns import CORRELATIONS, share_columns
from tunebench.usecases.databases.sessions import SessionHistory, of_range, session_history
from tunebench.usecases.databases.sides import Side
from tunebench.usecases.databases.snapshots import Database
from tunebench.usecases.projects import Project

TABS = ("events", "statements", "segments", "io", "host")
_OF_STATEMENTS = (Look.STATEMENTS, Look.MAP)
Histories = Mapping[str, SessionHistory]


@record
class Below:
    """What the tables say of the chosen stretches, and which sides have it; waits may be told by other captures."""

    sides: tuple[str, ...]
    profile: ProfileComparison | None
    waiting_sides: tuple[str, ...]
    waits: ProfileComparison | None
    statements: Sequence[StatementShare]


NOTHING = Below((), None, (), None, ())


class SessionsPane(QWidget):
    """Signals:
    changed: what there is to see, or nothing of it any more.
    """

    changed = Signal()

    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self._workspace = workspace
        self._project: Project | None = None
        self._databases: dict[str, Database] = {}
        self._histories: dict[bool, Histories] = {}
        self._below = NOTHING
        self.look = translated(QComboBox(), accessibleName="ui.sessions.look", toolTip="ui.sessions.look")
        self.look.addItems([""] * len(Look))
        self.words = label(role="small")
        self.chart = SessionsChart()
        self.tabs = translated(tab_bar(*TABS), tabText=[f"ui.sessions.tab.{tab}" for tab in TABS])
        self.table = FigureTable()
        self._nothing = label(role="muted", wrap=True)
        self._nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._stack = stacked(self.table, self._nothing)
        head = row(self.look, (self.words, 1), margins=(SPACE_S, SPACE_XS, SPACE_S, 0))
        below = panel(column(row(self.tabs, 1), (self._stack, 1), spacing=0))
        both = splitter(self.chart, below, sizes=(330, 260))
        both.setOrientation(Qt.Orientation.Vertical)
        column(head, (both, 1), spacing=SPACE_XS, of=self)
        self.look.activated.connect(lambda _place: self._on_look())
        self.chart.brushed.connect(lambda _side: self._read_below())
        self.tabs.currentChanged.connect(lambda _place: self._show_below())
        self.retranslate()

    # --- what is shown
    @property
    def chosen_look(self) -> Look:
        return list(Look)[max(self.look.currentIndex(), 0)]

    @property
    def filled(self) -> bool:
        return bool(self._histories.get(False))

    @property
    def histories(self) -> Histories:
        return self._histories.get(self.chosen_look in _OF_STATEMENTS, {})

    def show_sides(self, project: Project | None, databases: Mapping[str, Database]) -> None:
        """The databases of the sides, each within its window."""
        if self._databases == dict(databases):
            return
        self._databases, self._histories, self._below = dict(databases), {}, NOTHING
        self._project = project
        self._read()

    def _on_look(self) -> None:
        if self.chosen_look in _OF_STATEMENTS and True not in self._histories:
            self._read()
        else:
            self._show()

    def _read(self) -> None:
        project, sides = self._project, dict(self._databases)
        statements = self.chosen_look in _OF_STATEMENTS
        wanted = dict.fromkeys((False, statements))

        if project is None or not sides:
            self._take({False: {}})
            return

        def read(_handle: object) -> dict[bool, Histories]:
            return {
                by_statement: {
                    name: history
                    for name, own in sides.items()
                    if (history := session_history(project, own, statements=by_statement)) is not None
                }
                for by_statement in wanted
                if by_statement not in self._histories
            }

        self._workspace.jobs.run(
            "cpu", read, owner=self, slot="sessions", on_result=self._take, title_key="ui.sessions.job"
        )

    def _take(self, histories: dict[bool, Histories]) -> None:
        self._histories |= histories
        self.changed.emit()
        self._show()

    def _show(self) -> None:
        by_statement = self.chosen_look is Look.STATEMENTS
        panels = [
            Panel(name, history.by_statement if by_statement else history.over, history.statements)
            for name, history in self.histories.items()
        ]
        zone: ZoneInfo = self._workspace.zone
        self.chart.show_panels(self.chosen_look, panels, zone)
        self.words.setText(text("ui.sessions.hint") if panels and self.chart.brushable else "")
        self._read_below()

    # --- below the chart
    def _read_below(self) -> None:
        project, chosen = self._project, [(shown.side, shown.chosen) for shown in self.chart.panels]
        histories = self.histories
        if project is None or not chosen:
            self._take_below(NOTHING)
            return

        def read(_handle: object) -> Below:
            sides, waits = {}, {}
            for name, ends in chosen:
                history = histories[name]
                first, last = ends or (0, len(history.over) - 1)
                sides[name], waits[name] = of_range(project, history, first, last)
            profiles, seen = (
                {name: profile for name, profile in own.items() if _valid(profile)} for own in (sides, waits)
            )
            records = {name: side.record for name, side in profiles.items() if side.record is not None}
            return Below(tuple(profiles), _compared(profiles), tuple(seen), _compared(seen), statement_shares(records))

        self._workspace.jobs.run("cpu", read, owner=self, slot="below", on_result=self._take_below)

    def _take_below(self, below: Below) -> None:
        self._below = below
        self._show_below()

    def _show_below(self) -> None:
        tab = TABS[max(self.tabs.currentIndex(), 0)]
        shape, rows = self._content(tab)
        if rows:
            self.table.show_rows(shape, rows)
        self._nothing.setText(text(f"ui.sessions.none.{tab}"))
        self._stack.setCurrentIndex(0 if rows else 1)

    def _content(self, tab: str) -> tuple[Sequence[Column[Any]], Sequence[Any]]:
        profile, sides = self._below.profile, self._below.sides
        if tab == "events":
            profile, sides = self._below.waits, self._below.waiting_sides
        if tab == "statements":
            return share_columns(sides), self._below.statements
        if tab == "host":
            return CORRELATIONS, [
                (name, correlation)
                for name, own in self._histories.get(True, {}).items()
                for correlation in own.with_host
            ]
        if profile is None:
            return (), ()
        if tab == "events":
            lines = profile.events.lines or profile.classes.lines
            calls = columns.counts_calls(lines)
            return columns.profile_columns(profile.basis, profile.events.unit, sides, True, calls), lines
        rows = profile.counters.get({"segments": "segment"}.get(tab, tab), ())
        return columns.counter_columns(sides, rows), rows

    def retranslate(self) -> None:
        for index, look in enumerate(Look):
            self.look.setItemText(index, text(f"ui.sessions.look.{look}"))
        if self._databases:
            self._show()


def _valid(side: Side) -> bool:
    return side.record is not None and side.record.valid


def _compared(sides: Mapping[str, Side]) -> ProfileComparison | None:
    return compared(sides.get("before"), sides.get("after"), Basis.PER_SECOND)
