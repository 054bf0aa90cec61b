"""What will really be connected to, and where each part of it is from; shown before anything is connected."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from app.core.errors import UserError
from app.domain.connection import Hop, HostProfile, ResolvedHost
from app.ui.capturing.host_book import LastTest
from app.ui.capturing.host_list import os_words
from app.ui.look import fonts
from app.ui.look.formats import DASH, format_value
from app.ui.look.language import error_text, text, translated
from app.ui.look.theme import SPACE_L, SPACE_M, SPACE_S
from app.ui.widgets.facts import FactTable
from app.ui.widgets.parts import label
from app.ui.workspace import Workspace

if TYPE_CHECKING:
    from app.domain.capturing.run import ClockCheck
    from app.usecases.capturing.connections import ConnectionTest


class ResolvedView(QFrame):
    """Resolves in a worker: the system's ssh is asked, and its configuration may run commands of the user."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self.setProperty("card", "true")
        self._workspace = workspace
        self._resolved: ResolvedHost | None = None
        self._error: UserError | None = None
        self._last: LastTest | None = None
        self._title = translated(label(role="section"), "ui.capture.resolved")
        self._words = translated(label(role="muted", wrap=True), "ui.capture.resolved.words")
        self._holder = QWidget()
        self._column = QVBoxLayout(self._holder)
        self._column.setContentsMargins(SPACE_L, 0, SPACE_L, 0)
        self._column.setSpacing(SPACE_S)
        self._area = translated(QScrollArea(), accessibleName="ui.capture.resolved")
        self._area.setWidget(self._holder)
        self._area.setWidgetResizable(True)
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, SPACE_M, 0, SPACE_M)
        outer.setSpacing(SPACE_S)
        for part in (self._title, self._words):
            part.setContentsMargins(SPACE_L, 0, SPACE_L, 0)
            outer.addWidget(part)
        outer.addWidget(self._area, 1)

    @property
    def resolved(self) -> ResolvedHost | None:
        return self._resolved

    def show_profile(self, profile: HostProfile) -> None:
        from app.usecases.capturing import connections

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
        self._resolved, self._error = resolved, error
        self.retranslate()

    def retranslate(self) -> None:
        self._clear()
        if self._error is not None:
            self._column.addWidget(label(error_text(self._error), tone="warning", wrap=True))
        elif self._resolved is not None:
            self._column.addWidget(self._facts(self._resolved))
        else:
            self._column.addWidget(label(text("ui.capture.resolved.empty"), "muted", wrap=True))
        if self._last is not None and self._last.result is not None:
            self._column.addWidget(label(text("ui.capture.tested"), "strong"))
            self._column.addWidget(self._found(self._last.result))
        self._column.addStretch(1)

    def _clear(self) -> None:
        while (item := self._column.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()

    def _facts(self, host: ResolvedHost) -> FactTable:
        table = FactTable(right=False)
        source = dict(host.source)
        target = host.target

        def add(name: str, value: str, field: str) -> None:
            origin = source.get(field, "")
            shown = f"{value}  ({text(f'ui.capture.source.{origin}')})" if origin and value else value
            table.add(text(f"ui.capture.resolved.{name}"), shown or DASH)

        add("address", target.address, "address")
        add("port", str(target.port), "port")
        add("user", target.user, "user")
        if target.host_key_name != target.address:
            add("host_key_name", target.host_key_name, "host_key_name")
        add("identities", "\n".join(host.identities), "identity")
        if host.certificate:
            add("certificate", host.certificate, "certificate")
        add("jump", "\n".join(_hop(hop) for hop in host.hops[:-1]), "jump")
        if host.proxy_command:
            add("proxy_command", host.proxy_command, "proxy_command")
        add("known_hosts", "\n".join(host.known_hosts), "known_hosts")
        table.add(text("ui.capture.resolved.backend"), text(f"ui.capture.backend.{host.profile.backend}"))
        if target.weak_algorithms:
            table.add(text("ui.capture.weak"), ", ".join(target.weak_algorithms), tone="warning")
        return table

    def _found(self, result: ConnectionTest) -> FactTable:
        table = FactTable(right=False)
        facts, survey = result.facts, result.survey
        system = " ".join(filter(None, (survey.hostname, os_words(survey.os), survey.os_version)))
        table.add(text("ui.capture.tested.system"), system)
        table.add(text("ui.capture.tested.server"), facts.server_version)
        table.add(text("ui.capture.tested.key"), facts.host_key_type)
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


def _hop(hop: Hop) -> str:
    return f"{hop.user}@{hop.address}:{hop.port}"
