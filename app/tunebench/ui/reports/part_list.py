"""The parts of a report: which are in it, and in which order."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QWidget

from tunebench.reporting.success_case import FIXED, SECTION_IDS, in_order, is_appendix
from tunebench.ui.look.language import translated
from tunebench.ui.look.theme import SPACE_M
from tunebench.ui.widgets.parts import button, column, row


class PartList(QWidget):
    """`changed`: this part was taken, left out or moved. `left_out` and `order` are those of a `Design`."""

    changed = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.left_out: set[str] = set()
        self.order: tuple[str, ...] = ()
        self.list = translated(QListWidget(), accessibleName="ui.report.outline")
        self.list.setUniformItemSizes(True)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.list.itemChanged.connect(self._on_checked)
        self.list.currentRowChanged.connect(lambda _row: self._offer_moves())
        self.earlier = translated(button("↑", "quiet", lambda: self.move_part(-1)), **_named("ui.report.earlier"))
        self.later = translated(button("↓", "quiet", lambda: self.move_part(1)), **_named("ui.report.later"))
        column((self.list, 1), row(self.earlier, self.later, 1, spacing=SPACE_M), spacing=SPACE_M, of=self)

    def show_parts(self, sections: tuple[tuple[str, str], ...]) -> None:
        """Lists the parts; `sections`: (id, title) in their order."""
        self.list.blockSignals(True)
        position = self.list.currentRow()
        self.list.clear()
        for name, title in sections:
            item = QListWidgetItem(title)
            item.setData(Qt.ItemDataRole.UserRole, name)
            item.setToolTip(title)
            if name not in FIXED:
                item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
                item.setCheckState(Qt.CheckState.Unchecked if name in self.left_out else Qt.CheckState.Checked)
            self.list.addItem(item)
        self.list.setCurrentRow(min(position, self.list.count() - 1))
        self.list.blockSignals(False)
        self._offer_moves()

    def names(self) -> list[str]:
        return [str(self.list.item(row).data(Qt.ItemDataRole.UserRole)) for row in range(self.list.count())]

    def move_part(self, step: int) -> None:
        """The chosen part changes places with the one before or after it."""
        if not self._may_move(step):
            return
        parts, position = self.names(), self.list.currentRow()
        parts[position], parts[position + step] = parts[position + step], parts[position]
        order = in_order(in_order(SECTION_IDS, self.order), parts)  # parts of other shapes stay where they were put
        self.order = () if order == SECTION_IDS else order
        self.list.blockSignals(True)
        self.list.insertItem(position + step, self.list.takeItem(position))
        self.list.setCurrentRow(position + step)
        self.list.blockSignals(False)
        self._offer_moves()
        self.changed.emit(parts[position + step])

    def _may_move(self, step: int) -> bool:
        parts, position = self.names(), self.list.currentRow()
        other = position + step
        if position < 0 or not 0 <= other < len(parts) or {parts[position], parts[other]} & set(FIXED):
            return False
        return is_appendix(parts[position]) == is_appendix(parts[other])

    def _offer_moves(self) -> None:
        for control, step in ((self.earlier, -1), (self.later, 1)):
            control.setEnabled(self._may_move(step))

    def _on_checked(self, item: QListWidgetItem) -> None:
        name = str(item.data(Qt.ItemDataRole.UserRole))
        if item.checkState() == Qt.CheckState.Checked:
            self.left_out.discard(name)
        else:
            self.left_out.add(name)
        self.changed.emit(name)


def _named(key: str) -> dict[str, str]:
    return {"toolTip": key, "accessibleName": key}
