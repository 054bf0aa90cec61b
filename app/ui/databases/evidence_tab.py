"""Where a statement's figures stand: captures, lines, and the lines themselves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QWidget

from app.core.errors import UserError
from app.domain.databases.records import StatementKey
from app.ui.databases.database_controller import DatabaseController
from app.ui.look.formats import format_count, format_short_span
from app.ui.look.language import error_text, language, text, translated
from app.ui.look.theme import ROW_HEIGHT_DENSE, SPACE_XS
from app.ui.widgets.capture_lines import CaptureLines
from app.ui.widgets.parts import button, clear_layout, column, label, panel, row
from app.ui.workspace import Workspace
from app.usecases.databases.statement_evidence import StatementLine, lines_around, statement_lines
from app.usecases.databases.words import source_text

LIST_PX = 430


class EvidenceTab(QWidget):
    """Every place on the left; the lines around the chosen one on the right."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self._workspace = workspace
        self._found: list[tuple[str, StatementLine]] = []
        self.places = translated(QListWidget(), accessibleName="ui.statements.evidence.places")
        self.places.setMinimumWidth(220)
        self.places.setMaximumWidth(LIST_PX)
        self.open_button = translated(button(kind="link", on_click=self.open_capture), "ui.statements.evidence.open")
        self.pin_button = translated(button(on_click=self._pin), "ui.statements.evidence.pin")
        self._parser = label(role="small", wrap=True)
        self._column = column(spacing=SPACE_XS)
        buttons = row(self.open_button, 1, self.pin_button)
        right = column(self._parser, panel(self._column), buttons, 1, spacing=SPACE_XS)
        row((self.places, 1), (right, 2), of=self)
        self.places.currentRowChanged.connect(self._show_place)
        self.places.itemActivated.connect(lambda _item: self.open_capture())

    def show_statement(
        self, controller: DatabaseController, before: Sequence[StatementKey], after: Sequence[StatementKey]
    ) -> None:
        self._say_nothing()
        project = self._workspace.opened
        sides = (("before", controller.before, before), ("after", controller.after, after))
        asked = [(name, side, frozenset(keys)) for name, side, keys in sides if side is not None and keys]
        self._workspace.jobs.run(
            "cpu",
            lambda _handle: [
                (name, line) for name, side, keys in asked for line in statement_lines(project, side, keys)
            ],
            owner=self,
            slot="places",
            on_result=self._fill,
        )

    def _fill(self, found: list[tuple[str, StatementLine]]) -> None:
        self._found = found
        self.places.clear()
        for side, place in found:
            item = QListWidgetItem(self._words(side, place))
            item.setSizeHint(QSize(0, ROW_HEIGHT_DENSE))
            item.setToolTip(item.text())
            self.places.addItem(item)
        if found:
            self.places.setCurrentRow(0)
        else:
            self._parser.setText(text("ui.statements.evidence.none"))

    def _words(self, side: str, place: StatementLine) -> str:
        span = format_short_span(place.begin_ns, place.end_ns, self._workspace.zone)
        facts = {
            "side": text(f"ui.statements.side.{side}"),
            "file": place.artefact.name,
            "line": format_count(place.line),
            "source": source_text(place.source, language().code),
            "span": span,
        }
        return text("ui.statements.evidence.place", **facts)

    @property
    def _chosen(self) -> StatementLine | None:
        at = self.places.currentRow()
        return self._found[at][1] if 0 <= at < len(self._found) else None

    def _show_place(self, _row: int) -> None:
        place = self._chosen
        clear_layout(self._column)
        if place is None:
            return
        project = self._workspace.opened
        self.open_button.setEnabled(True)
        self._parser.setText(text("ui.statements.evidence.parser", parser=place.parser, sha=place.artefact.sha256[:12]))
        if place.line < 1:
            return

        def take(found: tuple[int, tuple[str, ...]]) -> None:
            self._column.addWidget(CaptureLines(found[0], found[1], place.line))

        self._workspace.jobs.run(
            "db",
            lambda _handle: lines_around(project, place),
            owner=self,
            slot="lines",
            on_result=take,
            on_error=self._refused,
        )

    def _refused(self, error: UserError) -> None:
        self._column.addWidget(label(error_text(error), "muted", wrap=True))

    def _say_nothing(self) -> None:
        self._found = []
        self.places.clear()
        clear_layout(self._column)
        self._parser.setText("")
        self.open_button.setEnabled(False)

    def open_capture(self) -> None:
        """The capture's own page, with the line said there."""
        place = self._chosen
        if place is not None:
            self._workspace.show_page("captures", place.artefact.id)
            if place.line > 0:
                self._workspace.say(text("ui.pinned.lines", first=place.line, last=place.line))

    def _pin(self) -> None:
        from app.ui.cycle.evidence_menu import PIN

        known: dict[str, Any] = {command.id: action for command, action in self._workspace.commands.all()}
        if PIN in known:
            known[PIN].trigger()
