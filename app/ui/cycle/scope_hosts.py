"""Hosts of the captures: offered where a system names one, and as systems that are not in scope yet."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QAbstractItemModel, Qt, QTimer
from PySide6.QtWidgets import QComboBox, QFrame, QStyleOptionViewItem, QWidget

from app.domain.cycle.records import SystemInScope, SystemKind
from app.domain.engagement import Host
from app.ui.cycle.worksheet_grid import CellDelegate, GridView
from app.ui.look.language import text
from app.ui.look.theme import SPACE_S
from app.ui.tables.model import Index
from app.ui.widgets.parts import button, label, row

MOST_OFFERED = 4


def not_in_scope(hosts: Sequence[Host], systems: Sequence[SystemInScope]) -> tuple[Host, ...]:
    """Captured hosts that no system stands for, neither by its host nor by its name."""
    known = {name.casefold() for system in systems for name in (system.host, system.name) if name}
    return tuple(host for host in hosts if host.name.casefold() not in known)


def system_of(host: Host) -> SystemInScope:
    product = " ".join(part for part in (host.os, host.os_version) if part)
    return SystemInScope(0, SystemKind.HOST, host.name, product=product, host=host.name)


class HostDelegate(CellDelegate):
    """A captured host is chosen; the name of one that is still to be captured is typed."""

    def __init__(self, view: GridView, names: Callable[[], Sequence[str]]) -> None:
        super().__init__(view)
        self._names = names

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        if not self._names():
            return super().createEditor(parent, option, index)
        box = QComboBox(parent)
        box.setEditable(True)
        box.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        box.addItems(list(self._names()))
        box.activated.connect(lambda _place: self._end(box, 0, 0))
        if not self._view.replacing:
            QTimer.singleShot(0, box, box.showPopup)
        return box

    def setEditorData(self, editor: QWidget, index: Index) -> None:
        line = editor.lineEdit() if isinstance(editor, QComboBox) else None
        if line is None:
            super().setEditorData(editor, index)
            return
        line.setText(str(index.data(Qt.ItemDataRole.EditRole)))
        line.selectAll()

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: Index) -> None:
        if isinstance(editor, QComboBox):
            model.setData(index, editor.currentText())
        else:
            super().setModelData(editor, model, index)


class HostOffer(QFrame):
    """One button per captured host that is not in scope; `take` gets those that were chosen."""

    def __init__(self, take: Callable[[Sequence[Host]], object]) -> None:
        super().__init__()
        self._hosts: tuple[Host, ...] = ()
        self._words = label(role="muted")
        self.buttons = [
            button(kind="quiet", on_click=lambda at=at: take(self._hosts[at : at + 1])) for at in range(MOST_OFFERED)
        ]
        self.all = button(kind="link", on_click=lambda: take(self._hosts))
        self.setLayout(row(self._words, *self.buttons, self.all, 1, spacing=SPACE_S))

    def show_hosts(self, hosts: Sequence[Host]) -> None:
        self._hosts = tuple(hosts)
        self._words.setText(text("ui.scope.hosts_captured"))
        for at, made in enumerate(self.buttons):
            made.setVisible(at < len(hosts))
            if at < len(hosts):
                made.setText(text("ui.scope.take_host", host=hosts[at].name))
        self.all.setVisible(len(hosts) > 1)
        self.all.setText(text("ui.scope.take_all_hosts", count=len(hosts)))
        self.setVisible(bool(hosts))
