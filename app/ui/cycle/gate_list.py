"""What is in the way, a sentence each, with the way to where it is mended."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from app.ui.cycle.cycle_controller import CycleController
from app.ui.look.language import text
from app.ui.widgets.parts import button, column, label, row, set_tone
from app.ui.workspace import Workspace

if TYPE_CHECKING:
    from app.usecases.cycle.facade import Gate


class GateLine(QWidget):
    """`asked` carries the `Gate`."""

    asked = Signal(object)

    def __init__(self, gate: Gate, sentence: str) -> None:
        super().__init__()
        self.gate = gate
        step = label(f"▲ {int(gate.step)}", "strong", "warning")
        step.setToolTip(text(f"ui.board.step.{int(gate.step)}"))
        self.sentence = label(sentence, wrap=True)
        self.go = button(text("ui.board.go"), "link", lambda: self.asked.emit(gate))
        self.go.setAccessibleName(f"{text('ui.board.go')}: {sentence}")
        line = row(step, (self.sentence, 1), self.go)
        self.setLayout(line)
        for part in (step, self.go):
            line.setAlignment(part, Qt.AlignmentFlag.AlignTop)


class GateList(QWidget):
    """Gates in the order of the steps; a sentence of its own where none is closed."""

    asked = Signal(object)

    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self._controller = CycleController.of(workspace)
        self.lines: list[GateLine] = []
        self._none = label(wrap=True)
        set_tone(self._none, "ok")
        self._lines = column()
        self.setLayout(column(self._none, self._lines, 1))

    def show_gates(self, gates: Sequence[Gate], none_words: str) -> None:
        for line in self.lines:
            self._lines.removeWidget(line)
            line.hide()
            line.deleteLater()
        sentences = self._controller.gate_sentences(gates)
        self.lines = [GateLine(gate, sentence) for gate, sentence in zip(gates, sentences, strict=True)]
        for line in self.lines:
            line.asked.connect(self.asked)
            self._lines.addWidget(line)
        self._none.setText(none_words)
        self._none.setVisible(not self.lines)
