"""What will really be connected to, and where each part of it is from; shown before anything is connected."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget

from app.core.errors import UserError
from app.domain.capturing.run import ClockCheck
from app.domain.connection import HostProfile, ResolvedHost
from app.ui.capturing.host_book import LastTest
from app.ui.capturing.host_panel import os_words
from app.ui.look import fonts
from app.ui.look.formats import DASH, format_value
from app.ui.look.language import error_text, text, translated
from app.ui.look.theme import SPACE_L, SPACE_M
from app.ui.widgets.layouts import refill
from app.ui.widgets.parts import FactTable, column, fact_table, label, panel
from app.ui.workspace import Workspace
from app.usecases.capturing import connections
from app.usecases.capturing.connections import ConnectionTest


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
    """With the source of each, which is known by the fact's name but for the keys'."""
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
