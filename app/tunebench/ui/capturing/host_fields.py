"""The fields of a host's profile that are more than a line: jump chain, algorithm exceptions, key file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QAbstractItemView, QFileDialog, QLineEdit, QListWidget, QListWidgetItem, QWidget

from tunebench.columns.column import Column
from tunebench.columns.formats import DASH
from tunebench.ui.look.language import text, translated
from tunebench.ui.look.theme import ROW_HEIGHT_DENSE, SPACE_XS
from tunebench.ui.tables.cells import CheckedModel
from tunebench.ui.widgets.parts import IconButton, button, column, label, name_button, row, set_tone
from tunebench.usecases.capturing import host_choices
from tunebench.usecases.capturing.host_choices import WeakAlgorithm


class FileField(QWidget):
    """A path with a button that asks for it. `changed` when another path was entered."""

    changed = Signal()

    def __init__(self, title_key: str) -> None:
        super().__init__()
        self._title_key = title_key
        self.edit = QLineEdit()
        self.edit.editingFinished.connect(self.changed.emit)
        self.browse = IconButton("folder", self.ask)
        self._column = column(row((self.edit, 1), self.browse, spacing=SPACE_XS), spacing=SPACE_XS)
        self.setLayout(self._column)

    def path(self) -> str:
        return self.edit.text().strip()

    def set_path(self, path: str) -> None:
        self.edit.setText(path)
        self.changed.emit()

    def ask(self) -> None:
        folder = Path(self.path()).expanduser().parent if self.path() else Path.home() / ".ssh"
        name, _ = QFileDialog.getOpenFileName(self, text(self._title_key), str(folder))
        if name:
            self.set_path(name)

    def retranslate(self) -> None:
        words = text(self._title_key)
        self.edit.setAccessibleName(words)
        name_button(self.browse, text("ui.capture.field.browse", what=words))


class IdentityField(FileField):
    """A private key file, described without opening it."""

    def __init__(self) -> None:
        super().__init__("ui.capture.field.identity")
        self._facts = label(role="small", wrap=True)
        self._column.addWidget(self._facts)
        self.changed.connect(self.describe)

    def describe(self) -> None:
        """Shows type, encryption and fingerprint; or what is wrong with the file."""
        path = self.path()
        self._facts.setVisible(bool(path))
        if not path:
            return
        identity = host_choices.identity(path)
        set_tone(self._facts, "" if identity.usable else "warning")
        if not identity.usable:
            self._facts.setText(text(f"ui.capture.identity.{identity.state}"))
            return
        parts = [
            identity.key_type or DASH,
            text(f"ui.capture.identity.{'encrypted' if identity.encrypted else 'plain'}"),
        ]
        if identity.certificate:
            parts.append(text("ui.capture.identity.certificate"))
        if identity.hardware:
            parts.append(text("ui.capture.identity.hardware"))
        self._facts.setText(" · ".join([*parts, identity.fingerprint]))

    def words(self) -> str:
        return self._facts.text()

    def retranslate(self) -> None:
        super().retranslate()
        self.describe()


class JumpField(QWidget):
    """Hosts on the way, in order; typed in place, moved by buttons. `changed` after each."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.list = translated(QListWidget(), accessibleName="ui.capture.field.jump")
        self.list.setFixedHeight(3 * ROW_HEIGHT_DENSE + 20)
        self.list.setUniformItemSizes(True)
        self.list.setDragDropMode(QAbstractItemView.DragDropMode.InternalMove)
        self.list.itemChanged.connect(self._on_changed)
        self.list.model().rowsMoved.connect(self._on_changed)
        self.add = IconButton("plus", self.add_hop, key="ui.capture.jump.add")
        self.up = translated(
            button("↑", "quiet", lambda: self._move(-1)),
            toolTip="ui.capture.jump.up",
            accessibleName="ui.capture.jump.up",
        )
        self.down = translated(
            button("↓", "quiet", lambda: self._move(1)),
            toolTip="ui.capture.jump.down",
            accessibleName="ui.capture.jump.down",
        )
        self.drop = IconButton("trash", self.drop_hop, key="ui.capture.jump.drop")
        line = row((self.list, 1), spacing=SPACE_XS)
        line.addLayout(column(row(self.add, self.drop, spacing=2), row(self.up, self.down, spacing=2), 1, spacing=2))
        self.setLayout(line)

    def hops(self) -> tuple[str, ...]:
        typed = (self.list.item(at).text().strip() for at in range(self.list.count()))
        return tuple(hop for hop in typed if hop)

    def set_hops(self, hops: Sequence[str]) -> None:
        with QSignalBlocker(self.list):
            self.list.clear()
            for hop in hops:
                self._append(hop)

    def add_hop(self) -> None:
        item = self._append("")
        self.list.setCurrentItem(item)
        self.list.editItem(item)

    def drop_hop(self) -> None:
        if self.list.currentRow() >= 0:
            self.list.takeItem(self.list.currentRow())
            self.changed.emit()

    def _append(self, hop: str) -> QListWidgetItem:
        item = QListWidgetItem(hop)
        item.setFlags(item.flags() | Qt.ItemFlag.ItemIsEditable)
        self.list.addItem(item)
        return item

    def _move(self, step: int) -> None:
        at = self.list.currentRow()
        if at >= 0 and 0 <= at + step < self.list.count():
            item = self.list.takeItem(at)
            self.list.insertItem(at + step, item)
            self.list.setCurrentRow(at + step)
            self.changed.emit()

    def _on_changed(self) -> None:
        self.changed.emit()


class WeakModel(CheckedModel[WeakAlgorithm]):
    """Weak algorithms with the reason why each is; all off unless checked. `changed` after a click."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__([Column("weak", "", _weak_words, elided=True)])
        self.rows = host_choices.weak_algorithms()
        self._allowed: set[str] = set()

    def names(self) -> tuple[str, ...]:
        """The allowed algorithms in the order of the list; names that the list does not have are kept."""
        listed = [weak.name for weak in self.rows]
        return (*(name for name in listed if name in self._allowed), *sorted(self._allowed - set(listed)))

    def set_names(self, names: Sequence[str]) -> None:
        self._allowed = set(names)
        self.show_rows(self.rows)

    def is_checked(self, row: WeakAlgorithm) -> bool:
        return row.name in self._allowed

    def check(self, row: WeakAlgorithm, on: bool) -> None:
        (self._allowed.add if on else self._allowed.discard)(row.name)
        self.changed.emit()


def _weak_words(weak: WeakAlgorithm) -> str:
    words = f"{weak.name}: {text(weak.reason_key)}"
    return f"{words} ({text('ui.capture.weak.openssh')})" if weak.needs_openssh else words
