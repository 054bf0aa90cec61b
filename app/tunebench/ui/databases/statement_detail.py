"""One statement: its figures, texts and plans side by side, what it is linked with, and where it stands: captures,
lines, and the lines themselves."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QWidget

from tunebench.analysis.databases.record import DatabaseRecord
from tunebench.analysis.databases.statement_rows import StatementRows
from tunebench.columns.formats import format_count, format_short_span
from tunebench.core.errors import UserError
from tunebench.domain.databases.records import StatementKey
from tunebench.ui.databases.database_controller import DatabaseController
from tunebench.ui.databases.link_panel import LinkPanel
from tunebench.ui.databases.statement_figures import StatementFigures
from tunebench.ui.databases.text_pair import TextPair
from tunebench.ui.look.language import error_text, language, text, translated, window_locale
from tunebench.ui.look.theme import ROW_HEIGHT_DENSE, SPACE_M, SPACE_S, SPACE_XS
from tunebench.ui.widgets.capture_lines import CaptureLines
from tunebench.ui.widgets.parts import ElidedLabel, button, clear_layout, column, label, panel, row, stacked, tab_bar
from tunebench.ui.workspace import Workspace
from tunebench.usecases.databases.statement_columns import name_of, pair_ids
from tunebench.usecases.databases.statement_evidence import StatementLine, lines_around, statement_lines
from tunebench.usecases.databases.words import source_text

LIST_PX = 430
TABS = ("figures", "text", "plan", "evidence", "link")


class EvidenceTab(QWidget):
    """Every place on the left; the lines around the chosen one on the right."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self._workspace = workspace
        self._origins: list[tuple[str, StatementLine]] = []
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

    def _fill(self, lines: list[tuple[str, StatementLine]]) -> None:
        self._origins = lines
        self.places.clear()
        for side, place in lines:
            item = QListWidgetItem(self._words(side, place))
            item.setSizeHint(QSize(0, ROW_HEIGHT_DENSE))
            item.setToolTip(item.text())
            self.places.addItem(item)
        if lines:
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
        return self._origins[at][1] if 0 <= at < len(self._origins) else None

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

        def take(excerpt: tuple[int, tuple[str, ...]]) -> None:
            self._column.addWidget(CaptureLines(excerpt[0], excerpt[1], place.line))

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
        self._origins = []
        self.places.clear()
        clear_layout(self._column)
        self._parser.setText("")
        self.open_button.setEnabled(False)

    def open_capture(self) -> None:
        """Opens the page of the capture and names the line there."""
        place = self._chosen
        if place is not None:
            self._workspace.show_page("captures", place.artefact.id)
            if place.line > 0:
                self._workspace.say(text("ui.pinned.lines", first=place.line, last=place.line))

    def _pin(self) -> None:
        from tunebench.ui.cycle.evidence_menu import PIN

        actions = {command.id: action for command, action in self._workspace.commands.all()}
        if PIN in actions:
            actions[PIN].trigger()


class StatementDetail(QWidget):
    """Fills only the tab that is seen."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self.setProperty("card", "true")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._controller = DatabaseController.of(workspace)
        self._rows: StatementRows | None = None
        self._place = -1
        self._filled: set[str] = set()
        self.figures, self.texts, self.plans = StatementFigures(), TextPair(), TextPair()
        self.evidence, self.links = EvidenceTab(workspace), LinkPanel(workspace)
        self.tabs = translated(tab_bar(*TABS), tabText=[f"ui.statements.tab.{name}" for name in TABS])
        self._name, self._id = ElidedLabel(mode=Qt.TextElideMode.ElideRight), label(role="small")
        self._stack = stacked(self.figures, self.texts, self.plans, self.evidence, self.links)
        self.tabs.currentChanged.connect(self._on_tab)
        head = row(self.tabs, (self._name, 1), self._id, spacing=SPACE_M)
        margins = (SPACE_M, SPACE_XS, SPACE_M, SPACE_S)
        column(head, (self._stack, 1), spacing=SPACE_XS, margins=margins, of=self)

    def retranslate(self) -> None:
        self.links.refresh()
        self._show_again()

    def show_statement(self, rows: StatementRows | None, place: int | None) -> None:
        self._rows, self._place = rows, -1 if place is None else place
        self._show_again()

    def show_tab(self, name: str) -> None:
        self.tabs.setCurrentIndex(TABS.index(name))

    def _show_again(self) -> None:
        self._filled.clear()
        rows = self._rows
        valid = rows is not None and 0 <= self._place < len(rows)
        self._stack.setVisible(valid)
        if rows is None or not valid:
            self._name.set_words("")
            self._id.setText("")
            return
        pair = rows.pairs[self._place]
        more = len({*pair.before_ids, *pair.after_ids}) > len({*pair.before_ids[:1], *pair.after_ids[:1]})
        self._name.set_words(
            " · ".join(filter(None, (name_of(rows, self._place, window_locale()), rows.texts[self._place])))
        )
        self._id.setText(pair_ids(rows, self._place) + (" …" if more else ""))
        self._on_tab(self.tabs.currentIndex())

    def _on_tab(self, at: int) -> None:
        self._stack.setCurrentIndex(at)
        name = TABS[at]
        if self._rows is not None and self._place >= 0 and name not in self._filled:
            self._filled.add(name)
            self._fill(name, self._rows)

    def _fill(self, name: str, rows: StatementRows) -> None:
        pair = rows.pairs[self._place]
        if name == "figures":
            self.figures.show_statement(rows, self._place)
        elif name == "text":
            self._show_texts(rows)
        elif name == "plan":
            self._show_plans(rows)
        elif name == "evidence":
            self.evidence.show_statement(self._controller, pair.before, pair.after)
        else:
            self.links.show_statement(rows, self._place, self._controller.comparison)

    def _show_texts(self, rows: StatementRows) -> None:
        before, after = (
            rows.text_of(side, self._place) if rows.side(side) is not None else None for side in ("before", "after")
        )
        heads = text("ui.statements.text.before"), text("ui.statements.text.after")
        self.texts.show_texts(before, after, heads)

    def _show_plans(self, rows: StatementRows) -> None:
        shown: list[str | None] = []
        heads = []
        for side in ("before", "after"):
            columns = rows.side(side)
            plans = columns.plans[self._place] if columns is not None else ()
            words = ", ".join(plans) or text("ui.databases.not_measured")
            heads.append(text(f"ui.statements.plan_head.{side}", plans=words))
            shown.append(None if columns is None else self._plan_text(side, rows, plans))
        self.plans.show_texts(shown[0], shown[1], (heads[0], heads[1]), sql=False)

    def _plan_text(self, side: str, rows: StatementRows, plans: tuple[str, ...]) -> str:
        shown = self._controller.side(side)
        record = shown.record if shown is not None else None
        pair = rows.pairs[self._place]
        ids = pair.before_ids if side == "before" else pair.after_ids
        without = text("ui.statements.plan.only_id") if plans else text("ui.statements.plan.none")
        return plan_text(record, ids) or without


def plan_text(record: DatabaseRecord | None, ids: tuple[str, ...]) -> str:
    """The plans of these statements as the capture has them, one below the other."""
    if record is None:
        return ""
    table = record.table("plan")
    rows = zip(table.text("statement_id"), table.text("plan"), table.text("text"), strict=True)
    plans = [f"{plan}\n{words}" for id_, plan, words in rows if id_ in ids and words]
    return "\n\n".join(plans)
