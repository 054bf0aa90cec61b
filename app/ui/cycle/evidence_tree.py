"""The records that evidence can support, to be ticked: what an iteration holds, and the customer's issues."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QHeaderView, QLineEdit, QTreeWidget, QTreeWidgetItem, QWidget

from app.domain.cycle.book import CycleBook, Record, kind_of
from app.domain.cycle.records import Cause, CustomerIssue, Iteration, Metric, Result, Step, Target
from app.domain.cycle.worksheet import Action
from app.ui.look.language import text, translated
from app.ui.look.theme import SPACE_XS
from app.ui.widgets.parts import column

ID = Qt.ItemDataRole.UserRole + 1
KINDS: tuple[type[Record], ...] = (Cause, Action, Metric, Target, Result, CustomerIssue, Step)


class EvidenceTree(QWidget):
    """`toggled` carries (record id, ticked) when the user ticks."""

    toggled = Signal(int, bool)

    def __init__(self) -> None:
        super().__init__()
        self.search = translated(QLineEdit(), placeholderText="ui.pinned.search", accessibleName="ui.pinned.search")
        self.search.setClearButtonEnabled(True)
        self.search.textChanged.connect(self._narrow)
        self.tree = translated(QTreeWidget(), accessibleName="ui.pinned.attach")
        self.tree.setHeaderHidden(True)
        self.tree.setColumnCount(1)
        self.tree.header().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        self.tree.itemChanged.connect(self._on_item)
        self.setLayout(column(self.search, (self.tree, 1), spacing=SPACE_XS))

    def fill(self, book: CycleBook, iteration: Iteration | None, ticked: Iterable[int], writable: bool) -> None:
        """Records of `iteration`, and those of others that are ticked already."""
        chosen, here = frozenset(ticked), self.tree.currentItem()
        kept = here.data(0, ID) if here else None
        with QSignalBlocker(self.tree):
            self.tree.clear()
            for kind in KINDS:
                records = [each for each in book.all(kind) if _belongs(each, iteration) or each.id in chosen]
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
        """Those that can be ticked."""
        groups = (self.tree.topLevelItem(place) for place in range(self.tree.topLevelItemCount()))
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
