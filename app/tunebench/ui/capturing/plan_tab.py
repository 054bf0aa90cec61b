"""Hosts, plan and approval side by side; a host's form takes the place of the latter two. Before anything is connected
it shows what will really be connected to, and the host keys that were accepted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QFont, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QHeaderView, QScrollArea, QWidget

from tunebench.columns.column import Column
from tunebench.columns.formats import DASH, format_stamp, format_value
from tunebench.core.errors import UserError
from tunebench.domain.capturing.plan import CapturePlan
from tunebench.domain.capturing.run import ClockCheck
from tunebench.domain.connection import AcceptedKey, HostKey, HostProfile, ResolvedHost
from tunebench.ui.capturing.approval_panel import ApprovalPanel
from tunebench.ui.capturing.draft_controller import DraftController
from tunebench.ui.capturing.host_book import HostBook, LastTest
from tunebench.ui.capturing.host_form import HostForm
from tunebench.ui.capturing.host_panel import HostPanel, os_words
from tunebench.ui.capturing.plan_editor import PlanEditor
from tunebench.ui.look import fonts
from tunebench.ui.look.language import error_text, text, translated
from tunebench.ui.look.theme import SPACE_L, SPACE_M
from tunebench.ui.tables.model import TableModel
from tunebench.ui.tables.view import TableView
from tunebench.ui.typing import mark_stored
from tunebench.ui.widgets.layouts import refill
from tunebench.ui.widgets.parts import FactTable, button, column, fact_table, label, panel, row, splitter, stacked
from tunebench.ui.workspace import Workspace
from tunebench.usecases.capturing import connections
from tunebench.usecases.capturing.connections import ConnectionTest

if TYPE_CHECKING:
    from tunebench.ui.capturing.capture_controller import CaptureController

Key = Column[AcceptedKey]
HOSTS_SHARE, HOSTS_WIDTHS = 0.22, (216, 320)
PLAN_SHARE = 0.56

RESOLVED_WIDTH = 340


class KeyModel(TableModel[AcceptedKey]):
    """Keys of hosts; a fingerprint is compared letter by letter."""

    def font(self, row: AcceptedKey, column: Key) -> QFont | None:
        return fonts.code_font() if column.id == "fingerprint" else super().font(row, column)


def key_columns(workspace: Workspace) -> list[Key]:
    def column(id_: str, words: Callable[[AcceptedKey], str]) -> Key:
        return Column(id_, f"ui.capture.keys.column.{id_}", words, elided=True)

    return [
        column("address", lambda it: f"{it.key.address}:{it.key.port}"),
        column("type", lambda it: it.key.key_type),
        column("fingerprint", lambda it: it.key.fingerprint),
        column("by", lambda it: it.accepted_by),
        column("at", lambda it: format_stamp(it.accepted_at, workspace.zone)),
    ]


class KeyTable(QFrame):
    """`closed` when the person is done; `replaced` carries the address of a key that is to be asked about anew."""

    closed = Signal()
    replaced = Signal(object)

    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self.setProperty("card", "true")
        self._workspace = workspace
        self._title = translated(label(role="section"), "ui.capture.keys")
        self._words = translated(label(role="muted", wrap=True), "ui.capture.keys.words")
        self._none = translated(label(role="muted", wrap=True), "ui.capture.keys.none")
        self.model = KeyModel(key_columns(workspace))
        self.table = translated(TableView(self.model), accessibleName="ui.capture.keys")
        self._dress()
        self.forget = translated(
            button(kind="danger", on_click=lambda: self._drop(ask_anew=False)), "ui.capture.keys.forget"
        )
        self.replace = translated(
            button(kind="danger", on_click=lambda: self._drop(ask_anew=True)),
            "ui.capture.keys.replace",
            toolTip="ui.capture.keys.replace.tip",
        )
        self.close_button = translated(button(on_click=self.closed.emit), "ui.action.close")
        acts = row(self.replace, self.forget, 1, self.close_button)
        parts = (self._title, self._words, self._none, (self.table, 1), 0, acts)
        self.setLayout(column(*parts, margins=(SPACE_L, SPACE_M, SPACE_L, SPACE_M)))

    def _dress(self) -> None:
        table = self.table
        table.choose_single_rows()
        head = table.horizontalHeader()
        head.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        head.setSectionResizeMode(self.model.column("fingerprint"), QHeaderView.ResizeMode.Stretch)
        table.selectionModel().selectionChanged.connect(self._enable)

    def reload(self) -> None:
        project = self._workspace.project
        keys = connections.accepted_keys(project) if project is not None else ()
        self.model.show_rows(keys)
        self._none.setVisible(not keys)
        self.table.setVisible(bool(keys))
        if keys:
            self.table.selectRow(0)
        self._enable()

    def take_focus(self) -> None:
        (self.table if self.model.rowCount() else self.close_button).setFocus()

    def _enable(self) -> None:
        possible = self._workspace.writable and self.table.currentIndex().isValid() and self.model.rowCount() > 0
        self.forget.setEnabled(possible)
        self.replace.setEnabled(possible)

    def _drop(self, *, ask_anew: bool) -> None:
        """The key is no longer trusted; it stays in the audit trail."""
        index = self.table.currentIndex()
        if not index.isValid():
            return
        key, project = self.model.row_at(index).key, self._workspace.opened
        if self._workspace.attempt(lambda: connections.forget_key(project, key)):
            self.reload()
            if ask_anew:
                self.replaced.emit(key)


class ResolvedView(QFrame):
    """Resolves in a worker: the system's ssh is asked, and its configuration may run commands of the user."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self.setProperty("card", "true")
        self._workspace = workspace
        self.resolved: ResolvedHost | None = None
        self._error: UserError | None = None
        self._last: LastTest | None = None
        self._title = translated(label(role="section"), "ui.capture.resolved")
        self._words = translated(label(role="muted", wrap=True), "ui.capture.resolved.words")
        self._column = column(margins=(SPACE_L, 0, SPACE_L, 0))
        area = translated(QScrollArea(), accessibleName="ui.capture.resolved")
        area.setWidget(panel(self._column))
        area.setWidgetResizable(True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        for part in (self._title, self._words):
            part.setContentsMargins(SPACE_L, 0, SPACE_L, 0)
        self.setLayout(column(self._title, self._words, (area, 1), margins=(0, SPACE_M, 0, SPACE_M)))

    def show_profile(self, profile: HostProfile) -> None:
        project = self._workspace.project
        if not profile.address or project is None:
            self._show(None, None)
            return
        self._workspace.jobs.run(
            "cpu",
            lambda _handle: connections.resolve(project, profile),
            owner=self,
            slot="resolve",
            on_result=lambda resolved: self._show(resolved, None),
            on_error=lambda error: self._show(None, error),
        )

    def show_test(self, last: LastTest) -> None:
        """What the last connection test found, below."""
        self._last = last
        self.retranslate()

    def _show(self, resolved: ResolvedHost | None, error: UserError | None) -> None:
        self.resolved, self._error = resolved, error
        self.retranslate()

    def retranslate(self) -> None:
        if self._error is not None:
            parts: list[QWidget] = [label(error_text(self._error), tone="warning", wrap=True)]
        elif self.resolved is not None:
            parts = [_facts(self.resolved)]
        else:
            parts = [label(text("ui.capture.resolved.empty"), "muted", wrap=True)]
        if self._last is not None and self._last.result is not None:
            parts += [label(text("ui.capture.tested"), "strong"), _tested(self._last.result)]
        refill(self._column, *parts)
        self._column.addStretch(1)


def _facts(host: ResolvedHost) -> FactTable:
    """Facts of a host with their sources."""
    target, source = host.target, dict(host.source)
    values = {
        "address": target.address,
        "port": str(target.port),
        "user": target.user,
        "host_key_name": target.host_key_name if target.host_key_name != target.address else None,
        "identities": "\n".join(host.identities),
        "certificate": host.certificate or None,
        "jump": "\n".join(f"{hop.user}@{hop.address}:{hop.port}" for hop in host.hops[:-1]),
        "proxy_command": host.proxy_command or None,
        "known_hosts": "\n".join(host.known_hosts),
    }
    table = FactTable(right=False)
    for name, value in values.items():
        origin = source.get("identity" if name == "identities" else name, "")
        if value is not None:
            shown = f"{value}  ({text(f'ui.capture.source.{origin}')})" if origin and value else value
            table.add(text(f"ui.capture.resolved.{name}"), shown or DASH)
    table.add(text("ui.capture.resolved.backend"), text(f"ui.capture.backend.{host.profile.backend}"))
    if target.weak_algorithms:
        table.add(text("ui.capture.weak"), ", ".join(target.weak_algorithms), tone="warning")
    return table


def _tested(result: ConnectionTest) -> FactTable:
    facts, survey = result.facts, result.survey
    system = " ".join(filter(None, (survey.hostname, os_words(survey.os), survey.os_version)))
    table = fact_table(
        (text("ui.capture.tested.system"), system),
        (text("ui.capture.tested.server"), facts.server_version),
        (text("ui.capture.tested.key"), facts.host_key_type),
    )
    table.add("", facts.fingerprint).setFont(fonts.code_font(fonts.SMALL_PX))  # on one line, to be compared
    table.add(text("ui.capture.tested.login"), facts.auth_method)
    table.add(text("ui.capture.tested.cipher"), " · ".join(filter(None, (facts.kex, facts.cipher, facts.mac))))
    if facts.weak:
        table.add(text("ui.capture.weak"), ", ".join(facts.weak), tone="warning")
    table.add(text("ui.capture.tested.clock"), _clock(result.clock, survey.zone or DASH))
    table.add(text("ui.capture.tested.round_trip"), f"{format_value(result.round_trip_ms, 2)} ms")
    table.add(text("ui.capture.tested.tools"), ", ".join(sorted(survey.tools)) or DASH)
    return table


def _clock(clock: ClockCheck | None, zone: str) -> str:
    if clock is None:
        return text("ui.capture.tested.clock.unknown", zone=zone)
    offset, error = f"{clock.offset_ns / 1e6:+,.1f}", format_value(clock.error_ns / 1e6, 2)
    return text("ui.capture.tested.clock.words", offset=offset, error=error, zone=zone)


class HostPage(QWidget):
    """The form, and beside it what will really be used. `closed` when it is saved or left."""

    closed = Signal()

    def __init__(self, workspace: Workspace, book: HostBook) -> None:
        super().__init__()
        self._book = book
        self._name = ""
        self.form = HostForm()
        self.resolved = ResolvedView(workspace)
        self.resolved.setMinimumWidth(RESOLVED_WIDTH)
        self.setLayout(column(splitter(self.form, self.resolved, handle=SPACE_M, shares=(5, 4), sizes=(460, 400))))
        self.form.edited.connect(self.resolved.show_profile)
        self.form.submitted.connect(self._save)
        self.form.closed.connect(self.closed.emit)
        book.tested.connect(self._on_tested)

    def show_host(self, name: str) -> None:
        """Empty for a new one."""
        self._name = name
        self.form.show_profile(self._book.find(name), former=name)
        self.resolved.show_test(self._book.last_test(name))

    def copy_host(self, name: str) -> None:
        """A new one that is reached like `name`."""
        self._name = ""
        profile = self._book.find(name)
        self.form.show_profile(replace(profile, name="") if profile else None)
        self.resolved.show_test(self._book.last_test(""))

    def retranslate(self) -> None:
        self.form.retranslate()
        self.resolved.retranslate()

    def _on_tested(self, name: str) -> None:
        if name == self._name:
            self.resolved.show_test(self._book.last_test(name))

    def _save(self, profile: HostProfile, former: str, test: bool) -> None:
        error = self._book.save(profile, former)
        if error is not None:
            self.form.show_refusal(error)
            return
        self.closed.emit()
        if test:
            self._book.test(profile.name)


class PlanTab(QWidget):
    """Signals:
    start_asked: carries the approved plan.
    key_refused: (profile, UserError).
    """

    start_asked = Signal(object)
    key_refused = Signal(object, object)

    def __init__(self, workspace: Workspace, controller: CaptureController) -> None:
        super().__init__()
        self._workspace = workspace
        self._dragged = False
        self.book = HostBook(workspace, controller)
        self.draft = DraftController(workspace)
        self.hosts = HostPanel(workspace, self.book)
        self.editor = PlanEditor(workspace, self.book, self.draft)
        self.approval = ApprovalPanel(workspace, self.draft)
        self.host_page = HostPage(workspace, self.book)
        self.keys = KeyTable(workspace)
        self._lay_out()
        self.draft.changed.connect(self._on_draft)
        self.hosts.edit_asked.connect(self.edit_host)
        self.hosts.copy_asked.connect(self.copy_host)
        self.hosts.keys_asked.connect(self.show_keys)
        self.host_page.closed.connect(self.show_plan)
        self.host_page.closed.connect(lambda: mark_stored(self.host_page))
        self.keys.closed.connect(self.show_plan)
        self.keys.replaced.connect(self._ask_key_anew)
        self.approval.start_asked.connect(self.start_asked.emit)
        self.book.key_refused.connect(self.key_refused.emit)

    def _on_draft(self) -> None:
        """What was chosen for a plan is in the project once the plan is approved."""
        if self.draft.approval is not None:
            mark_stored(self.editor)

    def show_kept(self, plan: CapturePlan) -> None:
        self.show_plan()
        self.draft.show_kept(plan)

    def _lay_out(self) -> None:
        self._plan = splitter(self.editor, self.approval, handle=SPACE_M)
        self.editor.setMinimumWidth(360)
        self.approval.setMinimumWidth(320)
        self.parts = stacked(self._plan, self.host_page, self.keys)
        self._split = splitter(self.hosts, self.parts, handle=SPACE_M)
        self.hosts.setMinimumWidth(HOSTS_WIDTHS[0])
        for split in (self._plan, self._split):
            split.splitterMoved.connect(self._on_dragged)
        self.setLayout(column(self._split))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Shares the width out until somebody has dragged a border."""
        super().resizeEvent(event)
        if not self._dragged:
            width = event.size().width()
            hosts = min(max(round(width * HOSTS_SHARE), HOSTS_WIDTHS[0]), HOSTS_WIDTHS[1])
            self._split.setSizes([hosts, width - hosts])
            self._plan.setSizes([round((width - hosts) * PLAN_SHARE), round((width - hosts) * (1 - PLAN_SHARE))])

    def event(self, event: QEvent) -> bool:
        """Escape leads from a form back to the plan, as its Cancel does, before it is a command of the window."""
        if isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape and self._can_leave():
            if event.type() == QEvent.Type.ShortcutOverride:
                event.accept()
                return True
            if event.type() == QEvent.Type.KeyPress:
                self.show_plan()
                return True
        return super().event(event)

    def _can_leave(self) -> bool:
        return self.parts.currentWidget() is not self._plan or self.hosts.asks_removal

    def _on_dragged(self) -> None:
        self._dragged = True

    def begin(self) -> None:
        """A project was opened: nothing of the one before stays."""
        self.draft.reload()
        self.book.reload(forget=True)
        self.editor.begin()
        overview = self._workspace.overview
        self.approval.choose_language(overview.engagement.language if overview else "")
        self.show_plan()

    def retranslate(self) -> None:
        for part in (self.hosts, self.editor, self.approval, self.host_page):
            part.retranslate()

    def apply_theme(self) -> None:
        self.hosts.view.viewport().update()
        self.editor.table.viewport().update()
        self.approval.text.rewrite()

    # --- what is shown right of the hosts
    def show_plan(self) -> None:
        self.parts.setCurrentWidget(self._plan)
        self.hosts.keep_host()
        self.hosts.view.setFocus()

    def edit_host(self, name: str) -> None:
        self.parts.setCurrentWidget(self.host_page)
        self.host_page.show_host(name)

    def copy_host(self, name: str) -> None:
        self.parts.setCurrentWidget(self.host_page)
        self.host_page.copy_host(name)

    def show_keys(self) -> None:
        self.keys.reload()
        self.parts.setCurrentWidget(self.keys)
        self.keys.take_focus()

    def add_host(self) -> None:
        self.hosts.add_host()

    def test_host(self) -> None:
        self.hosts.test_current()

    # --- keys
    def _ask_key_anew(self, key: HostKey) -> None:
        """The stored key is gone: connect, so that the host shows its new one and a person compares it."""
        for profile in self.book.profiles:
            error = self.book.last_test(profile.name).error
            if profile.address == key.address or (error is not None and error.facts.get("address") == key.address):
                self.show_plan()
                self.book.test(profile.name)
                return
