"""Of which host and run the chosen captures are; empty means: as they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QComboBox, QWidget

from app.domain.capturing.times import Correction
from app.domain.engagement import Phase, Run
from app.ui.importing.import_form import editable_box
from app.ui.look.language import translated
from app.ui.widgets.layouts import NamedFields


class PlaceFields(QWidget):
    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.host, host = editable_box()
        self.run, run = editable_box()
        self.phase = QComboBox()
        self.phase.addItems([""] * len(Phase))
        translated(self.phase, itemText=[f"ui.phase.{phase}" for phase in Phase])
        self._runs: dict[str, Phase] = {}
        grid = NamedFields("ui.review", {"host": self.host, "run": self.run, "phase": self.phase})
        grid.stretch(3, 3, 1)
        self.setLayout(grid)
        for edit in (host, run):
            translated(edit, placeholderText="ui.resolution.zone.keep")
        self.host.currentTextChanged.connect(lambda _words: self.changed.emit())
        self.run.currentTextChanged.connect(self._on_run)
        self.phase.activated.connect(lambda _place: self.changed.emit())
        self.offer((), ())

    def offer(self, hosts: Sequence[str], runs: Sequence[Run]) -> None:
        """What may be chosen; anything else may be typed. What was said is forgotten."""
        self._runs = {run.label: run.phase for run in runs}
        with QSignalBlocker(self.host), QSignalBlocker(self.run):
            for box, words in ((self.host, hosts), (self.run, list(self._runs))):
                box.clear()
                box.addItems(words)
                box.setCurrentIndex(-1)
                box.clearEditText()
        self._on_run("")

    def _on_run(self, label: str) -> None:
        """A known run has its phase; that of a new one is chosen."""
        known = self._runs.get(label.strip())
        self.phase.setEnabled(bool(label.strip()) and known is None)
        if known is not None:
            self.phase.setCurrentIndex(list(Phase).index(known))
        self.changed.emit()

    def added_to(self, correction: Correction) -> Correction:
        run = self.run.currentText().strip()
        phase = list(Phase)[self.phase.currentIndex()] if run else Phase.OTHER
        return replace(correction, host=self.host.currentText().strip(), run=run, phase=phase)
