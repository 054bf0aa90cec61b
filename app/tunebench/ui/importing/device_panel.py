"""What a host's devices are called, typed in a table: dm-3 is /oradata, sdb was it until the reboot."""

from __future__ import annotations

from collections.abc import Sequence
from zoneinfo import ZoneInfo

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableWidget, QTableWidgetItem, QWidget

from tunebench.analysis.exploring.time_range import from_local
from tunebench.columns.formats import format_time
from tunebench.domain.assembly import DeviceAlias
from tunebench.domain.engagement import Host
from tunebench.ui.importing.import_form import read_time
from tunebench.ui.look.language import text, translated
from tunebench.ui.look.theme import ROW_HEIGHT, SPACE_S, current_theme
from tunebench.ui.undo import CaseEdit
from tunebench.ui.widgets.parts import button, column, label, row
from tunebench.ui.workspace import Change, Workspace
from tunebench.usecases.importing import assembly

COLUMNS = ("device", "name", "from", "to", "source")
_FORMATS = ("%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M", "%Y-%m-%d")


class DevicePanel(QWidget):
    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self._workspace = workspace
        self._host: Host | None = None
        self._own_names: list[DeviceAlias] = []
        self._hint = translated(label(role="muted", wrap=True), "ui.devices.hint")
        self._none = translated(label(role="muted"), "ui.devices.none")
        self.table = translated(QTableWidget(0, len(COLUMNS)), accessibleName="ui.devices.table")
        self.table.setShowGrid(False)
        self.table.verticalHeader().hide()
        self.table.verticalHeader().setDefaultSectionSize(ROW_HEIGHT)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.table.horizontalHeader().setHighlightSections(False)
        self.table.horizontalHeader().setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        self.table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        self.add = translated(button(kind="quiet", on_click=self._add_period), "ui.devices.add")
        self.save = translated(button(kind="primary", on_click=self.submit), "ui.devices.save")
        parts = (self._hint, self._none, (self.table, 1), row(self.add, 1, self.save))
        self.setLayout(column(*parts, margins=(0, SPACE_S, 0, 0)))

    def retranslate(self) -> None:
        self.table.setHorizontalHeaderLabels([text(f"ui.devices.{name}") for name in COLUMNS])

    @property
    def _zone(self) -> ZoneInfo:
        return self._workspace.zone

    def show_host(self, host: Host | None) -> None:
        self._host = host
        names: Sequence[DeviceAlias] = ()
        devices: Sequence[str] = ()
        if host is not None:
            names = assembly.device_names(self._workspace.opened, host.id)
            devices = assembly.devices_of(self._workspace.opened, host.id)
        self._own_names = [alias for alias in names if alias.source == "user"]
        self._fill(devices, names)
        self._none.setVisible(not self.table.rowCount())
        for control in (self.add, self.save):
            control.setEnabled(self._workspace.writable and self.table.rowCount() > 0)

    def _fill(self, devices: Sequence[str], names: Sequence[DeviceAlias]) -> None:
        """The measured devices in the order of their names, each with what it is called, and names of others."""
        self.table.setRowCount(0)
        order = dict.fromkeys([*devices, *(alias.device for alias in names if alias.source == "user")])
        for device in order:
            own: list[DeviceAlias | None] = [alias for alias in names if alias.device == device]
            for alias in own or [None]:
                self._add_row(device, alias)

    def _add_row(self, device: str, alias: DeviceAlias | None, at: int | None = None) -> None:
        at = self.table.rowCount() if at is None else at
        self.table.insertRow(at)
        from_facts = alias is not None and alias.source != "user"
        start, end = (alias.start_ns, alias.end_ns) if alias else (None, None)
        source = "" if alias is None else text("ui.devices.by_facts") if from_facts else alias.author
        words = (
            device,
            alias.name if alias else "",
            "" if start is None else format_time(start, self._zone),
            "" if end is None else format_time(end, self._zone),
            source,
        )
        for index, word in enumerate(words):
            item = QTableWidgetItem(word)
            fixed = COLUMNS[index] in ("device", "source") or from_facts or not self._workspace.writable
            if fixed:
                item.setFlags(item.flags() & ~Qt.ItemFlag.ItemIsEditable)
            if from_facts or COLUMNS[index] == "source":
                item.setForeground(current_theme().muted)
            item.setData(Qt.ItemDataRole.UserRole, alias)
            self.table.setItem(at, index, item)

    def cell(self, row_number: int, column: str) -> QTableWidgetItem:
        item = self.table.item(row_number, COLUMNS.index(column))
        assert item is not None
        return item

    def _add_period(self) -> None:
        """Another row for the device one stands on: another period, or a name against the inventory's."""
        at = max(self.table.currentRow(), 0)
        device = self.cell(at, "device").text()
        self._add_row(device, None, at + 1)
        self.table.setCurrentCell(at + 1, COLUMNS.index("name"))

    def names(self) -> list[DeviceAlias]:
        """What is typed; rows of the inventory and rows without a name are no names.

        Raises:
            ValueError: a time cannot be read.
        """
        aliases = []
        for at in range(self.table.rowCount()):
            alias = self.cell(at, "device").data(Qt.ItemDataRole.UserRole)
            device, name, start, end, _ = (self.cell(at, column).text().strip() for column in COLUMNS)
            if not name or (alias is not None and alias.source != "user"):
                continue
            new = DeviceAlias(
                device, name, self._read(start, alias and alias.start_ns), self._read(end, alias and alias.end_ns)
            )
            same = alias is not None and (alias.name, alias.span) == (new.name, new.span)
            aliases.append(alias if same else new)
        return aliases

    def _read(self, words: str, former: int | None) -> int | None:
        """A time that was not touched keeps its fractions."""
        if not words:
            return None
        if former is not None and words == format_time(former, self._zone):
            return former
        return from_local(read_time(words, _FORMATS).replace(tzinfo=self._zone))

    def submit(self) -> None:
        if self._host is None:
            return
        try:
            names = self.names()
        except ValueError:
            self._workspace.say(text("ui.devices.wrong_time"), "error", Change.CAPTURES)
            return
        if names != self._own_names:
            workspace, host_id, before = self._workspace, self._host.id, self._own_names
            workspace.undo.push(
                CaseEdit(
                    workspace,
                    "ui.undo.name_devices",
                    Change.CAPTURES,
                    lambda: assembly.set_device_names(workspace.opened, host_id, names),
                    lambda: assembly.set_device_names(workspace.opened, host_id, before),
                )
            )
