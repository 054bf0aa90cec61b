"""All pinned evidence: back to its window, rename it, tie it to records (what an iteration holds, and the customer's
issues, to be ticked), take it away."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from PySide6.QtCore import QModelIndex, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QKeyEvent, QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QHeaderView,
    QLineEdit,
    QSplitter,
    QStackedWidget,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from tunebench.columns.column import Column, Locale
from tunebench.columns.formats import format_short_span
from tunebench.domain.cycle.book import CycleBook, Record, kind_of
from tunebench.domain.cycle.evidence import Evidence, EvidenceKind
from tunebench.domain.cycle.records import Cause, CustomerIssue, Iteration, Metric, Result, Step, Target
from tunebench.domain.cycle.worksheet import Action
from tunebench.reporting import cycle_words
from tunebench.ui.cycle.cycle_controller import CycleController
from tunebench.ui.cycle.evidence_show import run_called, show_evidence
from tunebench.ui.look.language import language, text, translated
from tunebench.ui.look.theme import SPACE_M, SPACE_XS
from tunebench.ui.tables.cells import TextDelegate
from tunebench.ui.tables.model import Index, TableModel
from tunebench.ui.tables.view import RowView
from tunebench.ui.typing import never_stored
from tunebench.ui.widgets.parts import EmptyState, button, column, label, row
from tunebench.ui.workspace import Workspace
from tunebench.usecases.cycle import edits

ID = Qt.ItemDataRole.UserRole + 1
KINDS: tuple[type[Record], ...] = (Cause, Action, Metric, Target, Result, CustomerIssue, Step)
Piece = Column[Evidence]

SCOPES = ("all", "iteration", "broken")
WIDTHS = {"code": 72, "caption": 260, "kind": 104, "where": 220}


class EvidenceTree(QWidget):
    """`toggled` carries (record id, ticked) when the user ticks."""

    toggled = Signal(int, bool)

    def __init__(self) -> None:
        super().__init__()
        self.search = translated(QLineEdit(), placeholderText="ui.pinned.search", accessibleName="ui.pinned.search")
        never_stored(self.search)
        self.search.setClearButtonEnabled(True)
        self.search.textChanged.connect(self._narrow)
        self.tree = translated(QTreeWidget(), accessibleName="ui.pinned.attach")
        self.tree.setHeaderHidden(True)
        self.tree.setColumnCount(1)
        self.tree.header().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        self.tree.itemChanged.connect(self._on_item)
        self.setLayout(column(self.search, (self.tree, 1), spacing=SPACE_XS))

    def fill(self, book: CycleBook, iteration: Iteration | None, ticked: Iterable[int], writable: bool) -> None:
        """Lists the records of `iteration`, and those of others that are ticked already."""
        chosen, here = frozenset(ticked), self.tree.currentItem()
        kept = here.data(0, ID) if here else None
        with QSignalBlocker(self.tree):
            self.tree.clear()
            for kind in KINDS:
                records = [record for record in book.all(kind) if _belongs(record, iteration) or record.id in chosen]
                if records:
                    self._add_group(book, iteration, records, chosen, writable)
            self.tree.expandAll()
            for item in self.items():
                if kept is not None and item.data(0, ID) == kept:
                    self.tree.setCurrentItem(item)
        self._narrow(self.search.text())

    def _add_group(
        self,
        book: CycleBook,
        iteration: Iteration | None,
        records: list[Record],
        chosen: frozenset[int],
        writable: bool,
    ) -> None:
        name = text(f"cycle.kind.{kind_of(records[0])}")
        group = QTreeWidgetItem([name[:1].upper() + name[1:]])
        group.setFlags(Qt.ItemFlag.ItemIsEnabled)
        self.tree.addTopLevelItem(group)
        for record in records:
            item = QTreeWidgetItem([record_words(book, record) + _elsewhere(book, record, iteration)])
            item.setToolTip(0, item.text(0))
            item.setData(0, ID, record.id)
            item.setCheckState(0, Qt.CheckState.Checked if record.id in chosen else Qt.CheckState.Unchecked)
            if not writable:
                item.setFlags(Qt.ItemFlag.ItemIsEnabled)
            group.addChild(item)

    def items(self) -> Iterator[QTreeWidgetItem]:
        """The items that can be ticked."""
        groups = (self.tree.topLevelItem(index) for index in range(self.tree.topLevelItemCount()))
        return (group.child(inner) for group in groups if group for inner in range(group.childCount()))

    def ticked(self) -> tuple[int, ...]:
        return tuple(int(item.data(0, ID)) for item in self.items() if item.checkState(0) is Qt.CheckState.Checked)

    def tick(self, record_id: int, wanted: bool = True) -> None:
        for item in self.items():
            if item.data(0, ID) == record_id:
                item.setCheckState(0, Qt.CheckState.Checked if wanted else Qt.CheckState.Unchecked)

    def _on_item(self, item: QTreeWidgetItem, _column: int) -> None:
        if item.data(0, ID) is not None:
            self.toggled.emit(int(item.data(0, ID)), item.checkState(0) is Qt.CheckState.Checked)

    def _narrow(self, words: str) -> None:
        """A ticked one stays in sight."""
        wanted = words.strip().casefold()
        for item in self.items():
            fits = not wanted or wanted in item.text(0).casefold()
            item.setHidden(not fits and item.checkState(0) is not Qt.CheckState.Checked)


def record_words(book: CycleBook, record: Record) -> str:
    """A record as people call it."""
    match record:
        case Step():
            return f"{int(record.number)} {text(f'ui.board.step.{int(record.number)}')}"
        case Target() | Result():
            metric = book.find(Metric, record.metric_id)
            return metric.name if metric else f"#{record.id}"
        case CustomerIssue():
            return f"{record.number}. {record.title}"
    return str(getattr(record, "title", "") or getattr(record, "name", "") or f"#{record.id}")


def _elsewhere(book: CycleBook, record: Record, iteration: Iteration | None) -> str:
    """Which other iteration it is of: what was carried over is called the same."""
    own = book.find(Iteration, getattr(record, "iteration_id", None))
    if own is None or (iteration is not None and own.id == iteration.id):
        return ""
    return f" ({text('ui.strip.iteration', number=own.number)})"


def _belongs(record: Record, iteration: Iteration | None) -> bool:
    if isinstance(record, CustomerIssue):
        return True
    return iteration is not None and getattr(record, "iteration_id", None) == iteration.id


class EvidenceModel(TableModel[Evidence]):
    def __init__(self, workspace: Workspace) -> None:
        self._workspace, self._controller = workspace, CycleController.of(workspace)
        super().__init__(self._columns())

    def fill(self, pieces: Sequence[Evidence]) -> None:
        """The same pieces are only shown anew: a reset while a caption is being kept would lose the keyboard."""
        if pieces and [evidence.id for evidence in pieces] == [evidence.id for evidence in self.rows]:
            self.rows = pieces
            self.refresh()
        else:
            self.show_rows(pieces)

    def row_of(self, evidence_id: int | None) -> int | None:
        return next((row for row, evidence in enumerate(self.rows) if evidence.id == evidence_id), None)

    def flags(self, index: Index) -> Qt.ItemFlag:
        plain = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        editable = self._controller.writable and index.column() == self.column("caption")
        return plain | Qt.ItemFlag.ItemIsEditable if editable else plain

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        return self.row_at(index).caption if role == Qt.ItemDataRole.EditRole else super().data(index, role)

    def setData(self, index: Index, value: object, role: int = Qt.ItemDataRole.EditRole) -> bool:
        evidence, caption = self.row_at(index), str(value).strip()
        if not caption or caption == evidence.caption:
            return False
        return self._controller.attempt(lambda: edits.change(self._controller.book, replace(evidence, caption=caption)))

    def _columns(self) -> list[Piece]:
        def piece(id_: str, words: Callable[[Evidence], str], tone: Callable[[Evidence], str] | None = None) -> Piece:
            return Column(id_, f"ui.pinned.column.{id_}", words, tone=tone, tip=self._tip)

        return [
            piece(
                "code",
                lambda evidence: f"{evidence.code} ▲" if evidence.id in self._controller.broken else evidence.code,
                lambda evidence: "warning" if evidence.id in self._controller.broken else "",
            ),
            piece("caption", lambda evidence: evidence.caption),
            piece("kind", lambda evidence: cycle_words.word(evidence.target.kind, language().code)),
            piece("where", lambda evidence: where_words(self._workspace, evidence)),
            piece("supports", self._supports),
        ]

    def _supports(self, evidence: Evidence) -> str:
        book = self._controller.book
        records = [book.records[id_] for id_ in evidence.attached_to if id_ in book.records]
        return ", ".join(record_words(book, record) for record in records) or text("ui.pinned.loose")

    def _tip(self, evidence: Evidence, _locale: Locale) -> str:
        series, why = "\n".join(evidence.target.series_names), self._controller.why_broken(evidence.id)
        pinned = text("ui.pinned.by", name=evidence.pinned_by, at=evidence.pinned_at[:16].replace("T", " "))
        return "\n".join(
            part for part in (f"{evidence.code} {evidence.caption}", series, why and f"▲ {why}", pinned) if part
        )


def where_words(workspace: Workspace, evidence: Evidence) -> str:
    """Run and stretch, lines of a capture, or the name of the statement or figure."""
    target = evidence.target
    run = run_called(workspace, target.run_id)
    parts = [run.label] if run else []
    if target.kind in (EvidenceKind.WINDOW, EvidenceKind.RUN):
        parts.append(format_short_span(target.start_ns, target.end_ns, workspace.zone))
    elif target.kind is EvidenceKind.CAPTURE:
        parts.append(_capture_names(workspace).get(target.artefact_id or 0, ""))
        if target.first_line is not None:
            parts.append(text("ui.pinned.lines", first=target.first_line, last=target.last_line))
    else:
        parts.append(target.key.partition(":")[2] or target.key)
    return " · ".join(part for part in parts if part)


def _capture_names(workspace: Workspace) -> Mapping[int, str]:
    views = workspace.overview.runs if workspace.overview else ()
    return {artefact.id: artefact.name for view in views for artefact in view.artefacts}


class _Table(RowView):
    """Enter shows, Delete takes away; typing does not begin an edit, F2 does."""

    removed = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Delete:
            self.removed.emit()
        else:
            super().keyPressEvent(event)


class EvidenceList(QStackedWidget):
    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self._workspace, self._controller = workspace, CycleController.of(workspace)
        self.model = EvidenceModel(workspace)
        self.table = translated(_Table(self.model), accessibleName="ui.pinned.table")
        self.tree = EvidenceTree()
        self.scope = translated(QComboBox(), accessibleName="ui.pinned.scope")
        self.scope.addItems([""] * len(SCOPES))
        translated(self.scope, itemText=[f"ui.pinned.scope.{name}" for name in SCOPES])
        self._hint = translated(label(role="muted", wrap=True), "ui.pinned.hint")
        self.show_button = translated(button(kind="primary", on_click=self.show_chosen), "ui.pinned.show")
        self.remove_button = translated(button(kind="danger", on_click=self.remove_chosen), "ui.pinned.remove")
        self._tied = label(role="strong")
        self._dress()
        self._lay_out()
        self.table.selectionModel().currentRowChanged.connect(self._show_chosen_ties)
        self.table.opened.connect(self.show_chosen)
        self.table.removed.connect(self.remove_chosen)
        # queued: an edit fills the tree anew, which must not happen while it is telling of a tick
        self.tree.toggled.connect(self._tie, Qt.ConnectionType.QueuedConnection)
        self.scope.currentIndexChanged.connect(self._fill)
        self._controller.changed.connect(self._on_controller)
        self._controller.broken_changed.connect(self._on_controller)
        language().follow(self._fill)

    def _dress(self) -> None:
        table = self.table
        table.choose_single_rows()
        table.setEditTriggers(QAbstractItemView.EditTrigger.EditKeyPressed)
        table.setItemDelegate(TextDelegate(table))
        header = table.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        header.setStretchLastSection(True)
        for name, width in WIDTHS.items():
            table.setColumnWidth(self.model.column(name), width)

    def _lay_out(self) -> None:
        side = QWidget()
        side.setLayout(column(self._tied, (self.tree, 1), margins=(SPACE_M, 0, 0, 0)))
        split = QSplitter()
        split.setProperty("plain", "true")
        split.setChildrenCollapsible(False)
        split.addWidget(self.table)
        split.addWidget(side)
        split.setStretchFactor(0, 3)
        split.setStretchFactor(1, 1)
        full = QWidget()
        full.setLayout(column(row(self.scope, (self._hint, 1), self.remove_button, self.show_button), (split, 1)))
        self._empty = EmptyState(
            "pin",
            "ui.pinned.empty",
            (
                ("ui.pinned.empty.timeline", lambda: self._workspace.show_page("timeline")),
                ("ui.pinned.empty.compare", lambda: self._workspace.show_page("compare")),
            ),
        )
        self.addWidget(full)
        self.addWidget(self._empty)

    # --- what is shown
    @property
    def pieces(self) -> tuple[Evidence, ...]:
        """All evidence of the engagement, by its number."""
        return tuple(sorted(self._controller.book.all(Evidence), key=lambda evidence: evidence.number))

    @property
    def chosen(self) -> Evidence | None:
        evidence: Evidence | None = self.table.current
        return evidence

    def choose(self, argument: object) -> None:
        """Chooses a piece of evidence, by itself or its id, whatever the scope is."""
        wanted = argument.id if isinstance(argument, Evidence) else argument
        if not isinstance(wanted, int):
            return
        if self.model.row_of(wanted) is None:
            self.scope.setCurrentIndex(0)
        position = self.model.row_of(wanted)
        if position is not None:
            self.table.selectRow(position)
            self.table.setFocus()

    def _on_controller(self) -> None:
        if self.isVisible():
            self._fill()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._fill()

    def _fill(self, *_: object) -> None:
        kept = self.chosen.id if self.chosen else None
        former = self.table.currentIndex().row()
        self.model.fill([evidence for evidence in self.pieces if self._in_scope(evidence)])
        at = self.model.row_of(kept)
        last = self.model.rowCount() - 1
        wanted = at if at is not None else min(max(former, 0), last)
        if wanted >= 0 and wanted != self.table.currentIndex().row():  # choosing it anew ends typing in it
            self.table.selectRow(wanted)
        self.setCurrentIndex(0 if self.pieces else 1)
        self._show_chosen_ties()

    def _in_scope(self, evidence: Evidence) -> bool:
        scope = SCOPES[max(self.scope.currentIndex(), 0)]
        if scope == "broken":
            return evidence.id in self._controller.broken
        iteration = self._controller.iteration
        if scope == "all" or iteration is None:
            return True
        records = [self._controller.book.records.get(id_) for id_ in evidence.attached_to]
        own = any(getattr(record, "iteration_id", None) == iteration.id for record in records)
        return own or any(isinstance(record, CustomerIssue) for record in records) or not records

    def _show_chosen_ties(self, *_: QModelIndex) -> None:
        chosen, writable = self.chosen, self._controller.writable
        ties = chosen.attached_to if chosen else ()
        self.tree.setEnabled(chosen is not None)
        self.tree.fill(self._controller.book, self._controller.iteration, ties, writable)
        self._tied.setText(text("ui.pinned.tied", code=chosen.code) if chosen else text("ui.pinned.attach"))
        self.show_button.setEnabled(chosen is not None)
        self.remove_button.setEnabled(chosen is not None and writable)

    # --- what is done
    def show_chosen(self, _evidence: object = None) -> None:
        if self.chosen is not None:
            show_evidence(self._workspace, self.chosen)

    def remove_chosen(self) -> None:
        """Figures that rest on it keep their value; undo brings it back under its number."""
        chosen = self.chosen
        if chosen is not None and self._controller.writable:
            done = self._controller.attempt(lambda: edits.remove(self._controller.book, chosen.id))
            if done:
                self._workspace.say_done(text("ui.pinned.removed", code=chosen.code))

    def _tie(self, record_id: int, wanted: bool) -> None:
        chosen, book = self.chosen, self._controller.book
        if chosen is not None:
            self._controller.attempt(lambda: (edits.attach if wanted else edits.detach)(book, chosen.id, record_id))
