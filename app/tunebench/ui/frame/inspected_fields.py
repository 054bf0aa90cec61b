"""What is changed where it is inspected: name and phase of a run, the time zone of a host."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QComboBox, QLineEdit

from tunebench.domain.engagement import Host, Phase, Run
from tunebench.ui.look.language import text
from tunebench.ui.typing import stored_soon
from tunebench.ui.undo import ChangeRun
from tunebench.ui.widgets.parts import FactTable
from tunebench.ui.widgets.zone_box import ZoneBox
from tunebench.ui.workspace import Change, Workspace


class RunFields(QObject):
    """Makes the fields of one run after another. `is_naming`: a name is stored while its field has to stay."""

    def __init__(self, workspace: Workspace, parent: QObject) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self.is_naming = False

    def add_to(self, table: FactTable, run: Run) -> None:
        name = QLineEdit(run.label)
        name.setObjectName("run-label")
        name.editingFinished.connect(lambda: self._change_soon(run.id, name.text().strip(), None))
        stored_soon(name, lambda: self._store_name(run.id, name.text().strip()))
        phase = QComboBox()
        phase.setObjectName("run-phase")
        phase.addItems([text(f"ui.phase.{p}") for p in Phase])
        phase.setCurrentIndex(list(Phase).index(run.phase))
        phase.activated.connect(lambda index: self._change_soon(run.id, "", list(Phase)[index]))
        for widget, key in ((name, "ui.inspector.run_label"), (phase, "ui.import.phase")):
            widget.setEnabled(self._workspace.writable)
            widget.setAccessibleName(text(key))
            table.add_widget(text(key), widget)

    def _change_soon(self, run_id: int, words: str, phase: Phase | None) -> None:
        """After the field has ended its own signal: the change builds the panel again and the field is gone."""
        QTimer.singleShot(0, self, lambda: self._change(run_id, words, phase))

    def _store_name(self, run_id: int, words: str) -> bool:
        """Stores the name while typing goes on; the field stays."""
        self.is_naming = True
        self._change(run_id, words, None)
        self.is_naming = False
        return bool(words) and any(run.id == run_id and run.label == words for run in self._workspace.runs)

    def _change(self, run_id: int, words: str, phase: Phase | None) -> None:
        overview = self._workspace.overview
        run = next((v.run for v in overview.runs if v.run.id == run_id), None) if overview else None
        if run is None:
            return
        wanted = words or run.label, phase or run.phase
        if wanted != (run.label, run.phase):
            self._workspace.undo.push(ChangeRun(self._workspace, run, *wanted))


class HostZoneField(QObject):
    """Makes the field of one host after another."""

    def __init__(self, workspace: Workspace, parent: QObject) -> None:
        super().__init__(parent)
        self._workspace = workspace

    def add_to(self, table: FactTable, host: Host) -> None:
        zone = ZoneBox(may_be_empty=True)
        zone.setObjectName("host-zone")
        zone.setMinimumWidth(80)  # else it asks for more than a narrow inspector has, and is cut off
        zone.set_zone(host.zone)
        zone.setEnabled(self._workspace.writable)
        zone.setAccessibleName(text("ui.subject.zone"))
        zone.activated.connect(lambda _index: self._change_soon(host, zone.zone()))
        table.add_widget(text("ui.subject.zone"), zone)

    def _change_soon(self, host: Host, zone: str) -> None:
        QTimer.singleShot(0, self, lambda: self._change(host, zone))

    def _change(self, host: Host, zone: str) -> None:
        from tunebench.usecases import projects

        if zone and zone != host.zone:
            workspace = self._workspace
            if workspace.attempt(lambda: projects.set_host_zone(workspace.opened, host.id, zone)):
                workspace.announce(Change.RUNS)
