"""The live tab of the capture page: what runs, as a table and as charts; marks; what waits and what was cut off.

It follows controller, language, theme and project by itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QWidget

from tunebench.columns.capturing.live_rows import Row
from tunebench.ui.capturing.capture_controller import CaptureController
from tunebench.ui.capturing.live_chart import LiveChart
from tunebench.ui.capturing.live_header import MarkField, MarkList, SessionHeader
from tunebench.ui.capturing.live_result import SessionResult, UnfinishedOffers, WaitingList
from tunebench.ui.capturing.live_table import LiveTable
from tunebench.ui.commands import Command
from tunebench.ui.look.language import language, text, translated
from tunebench.ui.look.theme import ROW_HEIGHT_DENSE, SPACE_M, SPACE_S, themes
from tunebench.ui.widgets.parts import EmptyState, column, panel, splitter, stacked
from tunebench.ui.workspace import Change, Workspace

if TYPE_CHECKING:
    from tunebench.domain.capturing.views import SessionView

MOST_SHARE = 0.42
MARKS_PX = 210


class LiveView(QWidget):
    def __init__(self, workspace: Workspace, controller: CaptureController) -> None:
        super().__init__()
        self._workspace, self._controller = workspace, controller
        self._session = 0  # the one that is shown
        self._seen_running: set[int] = set()
        self.offers = UnfinishedOffers(workspace, controller)
        self.waiting = WaitingList(workspace, controller)
        self.header = SessionHeader(workspace)
        self.sessions = translated(self.header.sessions, accessibleName="ui.live.sessions")
        self.result = SessionResult(workspace)
        self.table = LiveTable()
        self.chart = LiveChart(workspace, controller)
        self.marks = MarkList()
        self.field = MarkField(workspace.zone)
        to_plan = ("ui.live.empty.plan", lambda: workspace.show_page("collect", "plan"))
        self.empty = EmptyState("collect", "ui.live.empty", (to_plan,))
        self._lay_out()
        self._connect()
        self._add_command()
        self._on_language()

    def _lay_out(self) -> None:
        lower = splitter(self.chart, self.marks, shares=(1,), sizes=(800, MARKS_PX))
        self.marks.setMinimumWidth(140)
        self._split = splitter(self.table, lower, down=True, shares=(0, 1))
        self.table.setMinimumHeight(110)
        self.chart.setMinimumHeight(170)
        self._inner = column(self.header, self.result, (self._split, 1), self.field)
        self.parts = stacked(self.empty, panel(self._inner))
        self.setLayout(column(self.offers, self.waiting, (self.parts, 1), spacing=SPACE_M))

    def _connect(self) -> None:
        controller = self._controller
        controller.changed.connect(self.refresh)
        self._workspace.project_changed.connect(self._on_project)
        language().changed.connect(self._on_language)
        themes().theme_changed.connect(self._on_theme)
        self.sessions.activated.connect(self._on_session)
        self.header.stop_asked.connect(lambda: controller.stop(self._session))
        self.header.extend_asked.connect(lambda seconds: controller.extend(self._session, seconds))
        self.header.filter_changed.connect(self._filter)
        self.table.row_chosen.connect(self._on_row)
        self.table.stop_asked.connect(self._stop_row)
        self.table.retry_asked.connect(lambda row: controller.retry(self._session, row.host))
        self.field.marked.connect(lambda words, time_ns: controller.mark(self._session, words, time_ns))
        self.result.dismissed.connect(controller.dismiss)

    def _add_command(self) -> None:
        command = Command(
            "collect.mark",
            "capture",
            2,
            ("Ctrl+M",),
            page_id="collect",
            needs_writing=True,
            text_key="ui.live.command.mark",
        )
        self._workspace.commands.add(command, self._type_mark)

    # --- what is shown
    def refresh(self) -> None:
        """The next picture."""
        views = {view.session_id: view for view in self._controller.views}
        if self._session not in views:
            self._choose_session(next(iter(views), 0))
        begun = [one.session_id for one in self._controller.running_views if one.session_id not in self._seen_running]
        if begun:  # what has just begun is what one wants to see
            self._seen_running.update(begun)
            self._choose_session(begun[0])
        view = views.get(self._session)
        self._show_sessions()
        self.parts.setCurrentIndex(1 if view is not None else 0)
        if view is not None and self.isVisible():
            self._show(view)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.refresh()

    def _choose_session(self, session_id: int) -> None:
        if session_id != self._session:
            self._session = session_id
            self.chart.leave()
            self.table.forget_choice()
            self.header.attention.setChecked(False)

    def _show(self, view: SessionView) -> None:
        over = self._controller.is_over(view.session_id)
        self.header.show_view(view, self._controller.plan_of(view.session_id), over=over)
        self.result.setVisible(over)
        self.field.setVisible(not over)
        if over:
            self.result.show_view(view)
        self.table.model_.show_view(view)
        self.chart.setVisible(not over or bool(self.chart.rows))
        if self.table.current_row() is None:
            self._share_height()
            self._choose_first(view)
        self.marks.show_marks(view.marks, self._workspace.zone)
        self.chart.show_picture(view, over=over)

    def _share_height(self) -> None:
        """The table gets what its rows need, up to a few; the charts the rest."""
        self._inner.activate()  # what is above has its height now
        height, rows = self._split.height(), len(self.table.model_.rows)
        wanted = self.table.horizontalHeader().sizeHint().height() + rows * ROW_HEIGHT_DENSE + SPACE_S
        wanted = min(wanted, round(height * MOST_SHARE))
        self._split.setSizes([wanted, height - wanted])

    def _choose_first(self, view: SessionView) -> None:
        """The first stream whose values can be drawn."""
        plan = self._controller.plan_of(view.session_id)
        drawable = {command.id for command in plan.commands if command.parser and command.interval_s} if plan else set()
        for host in view.hosts:
            stream = next((one.id for one in host.streams if one.id in drawable), "")
            if stream:
                self.table.choose((host.name, stream))
                self.chart.show_stream(view.session_id, stream)
                return

    def _show_sessions(self) -> None:
        """Lists the sessions to choose from; hidden where there is one."""
        views = self._controller.views
        shown = [self.sessions.itemData(index) for index in range(self.sessions.count())]
        if shown != [view.session_id for view in views]:
            self.sessions.clear()
            for view in views:
                self.sessions.addItem("", view.session_id)
        for index, view in enumerate(views):
            words = f"{view.label} · {text(f'session_state.{view.state}')}"
            if self.sessions.itemText(index) != words:
                self.sessions.setItemText(index, words)
        self.sessions.setCurrentIndex(self.sessions.findData(self._session))
        self.sessions.setVisible(len(views) > 1)
        self.header.name.setVisible(len(views) <= 1)

    def _on_session(self, index: int) -> None:
        self._choose_session(int(self.sessions.itemData(index)))
        self.refresh()

    def _on_row(self, row: Row) -> None:
        """Draws the stream of the row; of a host the first that can be drawn."""
        if row.stream:
            self.chart.show_stream(self._session, row.stream)
            return
        view = next((view for view in self._controller.views if view.session_id == self._session), None)
        plan = self._controller.plan_of(self._session)
        host = next((host for host in view.hosts if host.name == row.host), None) if view is not None else None
        if host is None or plan is None or not host.streams:
            return
        drawable = [one.id for one in host.streams if plan.command(one.id).parser]
        self.chart.show_stream(self._session, (drawable or [host.streams[0].id])[0])

    # --- acts
    def _stop_row(self, row: Row) -> None:
        self._controller.stop(self._session, None if row.stream else row.host, row.stream or None)

    def _filter(self, attention_only: bool) -> None:
        self.table.model_.attention_only = attention_only
        self.table.model_.refresh()

    def _type_mark(self) -> None:
        self._workspace.show_page("collect", "live")
        self.field.field.setFocus()

    # --- the shared things
    def _on_project(self, change: Change) -> None:
        if change in (Change.OPENED, Change.CLOSED):
            self._session = 0
            self._seen_running.clear()
            self.chart.leave()
            self.offers.forget()
            self.field.zone = self._workspace.zone
            self.refresh()
        elif change in (Change.RUNS, Change.ENGAGEMENT, Change.CAPTURES):
            self.field.zone = self._workspace.zone
            self.header.show_phase()

    def _on_language(self) -> None:
        for part in (self.header, self.result, self.chart, self.marks):
            part.retranslate()
        self.refresh()

    def _on_theme(self) -> None:
        self.table.viewport().update()
        self.chart.apply_theme()
