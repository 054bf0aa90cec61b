"""What the chosen row still lacks, what deserves a word, who watches the price, and what is known about the change."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QWidget

from app.domain.cycle.records import Metric
from app.domain.cycle.worksheet import Action, Resource
from app.reporting.cycle_words import word
from app.ui.cycle.evidence_chips import EvidenceChips
from app.ui.cycle.worksheet_actions import point_of
from app.ui.cycle.worksheet_cells import Sheet
from app.ui.cycle.worksheet_columns import DONE
from app.ui.cycle.worksheet_effects import EffectProposals
from app.ui.look.language import text
from app.ui.look.theme import SPACE_M, SPACE_S, SPACE_XL, SPACE_XS
from app.ui.widgets.parts import clear_layout, column, label, row, scrolling, selectable
from app.ui.workspace import Workspace
from app.usecases.cycle import facade as cycle
from app.usecases.cycle import worksheet as cycle_worksheet


class RowSummary(QWidget):
    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self._lines: list[QLabel] = []
        self.effects = EffectProposals(workspace)
        self.evidence = EvidenceChips(workspace, captions=True, most=2)
        left, right, margins = QWidget(), QWidget(), (0, SPACE_S, SPACE_S, SPACE_S)
        self._told = column(spacing=SPACE_XS)
        told = column(self.evidence, self._told, spacing=SPACE_XS, margins=margins)
        told.setAlignment(Qt.AlignmentFlag.AlignTop)
        left.setLayout(told)
        right.setLayout(column(self.effects, margins=margins))
        self.setLayout(
            row(
                *((scrolling(side, sideways=False), 1) for side in (left, right)),
                spacing=SPACE_XL,
                margins=(SPACE_M, 0, SPACE_M, 0),
            )
        )

    def show_action(self, action: Action | None, sheet: Sheet, writable: bool) -> None:
        clear_layout(self._told)
        self._lines = []
        if action is None:
            self._say([text("ui.tradeoffs.nothing_chosen")], "", "")
        else:
            self._tell(action, sheet)
        self.evidence.show_for((action.id,) if action else (), text("ui.tradeoffs.no_evidence") if action else "")
        self.effects.show_action(action, writable and action is not None and action.state not in DONE)

    def _tell(self, action: Action, sheet: Sheet) -> None:
        code, standing = sheet.language, cycle_worksheet.row_standing(sheet.book, action)
        point = point_of(standing)
        if point:
            kind = "trade_off" if standing.trade_off else "sensitive"
            self._say([text(f"ui.tradeoffs.point.{kind}.tip")], "accent", point)
        if action.state in DONE:
            self._say([text("ui.tradeoffs.done")], "", "✓")
        elif not standing.lacks and not standing.approval:
            self._say([text("ui.tradeoffs.complete")], "ok", "✓")
        else:
            self._say([cycle.gate_text(gate, code) for gate in (*standing.lacks, *standing.approval)], "warning", "!")
        self._say([cycle_worksheet.advice_text(each, code) for each in standing.advice], "watch", "?")
        if standing.guards:
            names = ", ".join(_watched(metric, code) for metric in standing.guards)
            self._say([text("ui.tradeoffs.guards", n=len(standing.guards), names=names)], "", "●")
        if action.caveat:
            self._say([text("ui.tradeoffs.caveat", caveat=action.caveat)], "watch", "")

    def _say(self, sentences: Sequence[str], tone: str, mark: str) -> None:
        for sentence in sentences:
            made = selectable(label(f"{mark} {sentence}".strip(), tone=tone, wrap=True))
            made.setMinimumWidth(1)  # a word without a break makes no column wider
            self._lines.append(made)
            self._told.addWidget(made)

    def sentences(self) -> list[str]:
        return [each.text() for each in self._lines]


def _watched(metric: Metric, code: str) -> str:
    """The resource; its own name where a consultant gave the guard none."""
    return word(Resource(metric.resource), code) if metric.resource in set(Resource) else metric.name
