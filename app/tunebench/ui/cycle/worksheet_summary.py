"""What the chosen row still lacks, what deserves a word, who watches the price, and what is known about the change:
proposals with source and caveat, taken over only when somebody says so."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtWidgets import QComboBox, QLabel, QWidget

from tunebench.diagnosis.words import advice_text, gate_text
from tunebench.domain.cycle.records import Metric
from tunebench.domain.cycle.worksheet import Action, Resource
from tunebench.reporting.cycle_words import word
from tunebench.sdk.effects import EffectImpact, KnownEffect
from tunebench.ui.cycle.cycle_controller import CycleController
from tunebench.ui.cycle.evidence_chips import EvidenceChips
from tunebench.ui.cycle.measured_effects import MeasuredEffects
from tunebench.ui.cycle.worksheet_actions import point_of
from tunebench.ui.look.language import language, text, translated
from tunebench.ui.look.theme import SPACE_M, SPACE_S, SPACE_XL, SPACE_XS
from tunebench.ui.widgets.parts import button, clear_layout, column, label, row, scrolling, selectable, set_tone
from tunebench.ui.workspace import Workspace
from tunebench.usecases.cycle import templates as cycle_templates
from tunebench.usecases.cycle import worksheet as cycle_worksheet
from tunebench.usecases.cycle.worksheet_cells import Sheet
from tunebench.usecases.cycle.worksheet_columns import DONE
from tunebench.usecases.cycle.worksheet_text import ARROWS


class EffectProposals(QWidget):
    """The rows of the known-effect matrix that fit the chosen action; all of them where somebody asks for them."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self._workspace, self._controller = workspace, CycleController.of(workspace)
        self._action: Action | None = None
        self._effects: tuple[KnownEffect, ...] = ()
        self._takes = self._browsing = False
        self._fitting = 0
        self._head = label(role="strong", wrap=True)
        self.choice = translated(QComboBox(), accessibleName="ui.tradeoffs.effects.name")
        self.choice.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.choice.setMinimumContentsLength(16)
        self.choice.currentIndexChanged.connect(lambda _place: self._show_chosen())
        self.take_button = button(kind="primary", on_click=self.take)
        self.browse_button = button(kind="link", on_click=self.browse)
        self._impacts = selectable(label(wrap=True))
        self._coupled = label(role="muted", wrap=True)
        self._source = selectable(label(role="muted", wrap=True))
        self._caveat = selectable(label(tone="watch", wrap=True))
        parts = (self._impacts, self._coupled, self._source, self._caveat)
        for part in parts:
            part.setMinimumWidth(1)
        taking = row((self.choice, 1), self.take_button)
        self.setLayout(column(self._head, taking, *parts, row(self.browse_button, 1), 1, spacing=SPACE_XS))
        language().follow(self.retranslate)

    def show_action(self, action: Action | None, takes: bool) -> None:
        chosen = self._chosen()
        self._takes = takes
        if action is None:
            self._action, self._effects = None, ()
            self.setVisible(False)
            return
        same = self._action is not None and self._action.id == action.id
        self._browsing = self._browsing and same
        self._action = action
        fitting = cycle_templates.proposals(action)
        every = cycle_worksheet.all_effects()
        rest = tuple(effect for effect in every if effect not in fitting) if self._browsing else ()
        self._effects, self._fitting = (*fitting, *rest), len(fitting)
        self._head.setText(text("ui.tradeoffs.effects.fit" if fitting else "ui.tradeoffs.effects.none", n=len(fitting)))
        set_tone(self._head, "strong" if fitting else "muted", "role")
        set_tone(self._head, "accent" if fitting else "")
        self.browse_button.setText(text("ui.tradeoffs.effects.browse", n=len(every)))
        self.browse_button.setVisible(not self._browsing and len(every) > len(fitting))
        self._list(chosen.id if chosen and same else "")
        self.setVisible(bool(every))

    def browse(self) -> None:
        """All that is known, below what fits."""
        self._browsing = True
        self.show_action(self._action, self._takes)
        self.choice.setFocus()

    def _list(self, chosen_id: str) -> None:
        with QSignalBlocker(self.choice):
            self.choice.clear()
            for index, effect in enumerate(self._effects):
                mark = text("ui.tradeoffs.effects.fits") if index < self._fitting else ""
                self.choice.addItem(f"{mark} {effect.change_in(language().code)}".strip(), effect.id)
            self.choice.setCurrentIndex(max(self.choice.findData(chosen_id), 0))
        for part in (self.choice, self.take_button, self._impacts, self._coupled, self._source, self._caveat):
            part.setVisible(bool(self._effects))
        self._show_chosen()

    def _chosen(self) -> KnownEffect | None:
        index = self.choice.currentIndex()
        return self._effects[index] if 0 <= index < len(self._effects) else None

    def _show_chosen(self) -> None:
        effect, code = self._chosen(), language().code
        if effect is None or self._action is None:
            return
        self._impacts.setText("\n".join(_impact_line(impact, code) for impact in effect.impacts))
        coupled = ", ".join(effect.coupled)
        caveat = effect.caveat.get(code) or next(iter(effect.caveat.values()), "")
        for shown, fact, words in (
            (self._coupled, coupled, text("ui.tradeoffs.effects.coupled", names=coupled, mode=word(effect.mode, code))),
            (self._source, effect.source, text("ui.tradeoffs.effects.source", source=effect.source)),
            (self._caveat, caveat, text("ui.tradeoffs.effects.caveat", caveat=caveat)),
        ):
            shown.setText(words)
            shown.setVisible(bool(fact))
        taken = self._action.known_effect == effect.id
        self.take_button.setText(text("ui.tradeoffs.effects.again" if taken else "ui.tradeoffs.effects.take"))
        self.take_button.setEnabled(self._takes)

    def take(self) -> None:
        """Its effects, coupled parameters and caveat go into the row, and guard metrics with them."""
        effect, action, overview = self._chosen(), self._action, self._workspace.overview
        if effect is None or action is None or overview is None:
            return
        controller, code = self._controller, overview.engagement.language
        if controller.attempt(lambda: cycle_templates.take_effect(controller.book, action, effect.id, code)):
            self._workspace.say(text("ui.tradeoffs.effects.taken", effect=effect.change_in(language().code)))

    def retranslate(self) -> None:
        self.show_action(self._action, self._takes)


def _impact_line(impact: EffectImpact, code: str) -> str:
    """``▲▲  Disk throughput  3.77 x – note``"""
    numbers = [f"{value:.12g}" for value in (impact.low, impact.expected, impact.high) if value is not None]
    size = " ".join(part for part in ("~".join(numbers), impact.unit if numbers else "") if part)
    notes = impact.note or {}
    note = notes.get(code) or next(iter(notes.values()), "")
    effect = "  ".join(part for part in (ARROWS[impact.direction], word(impact.resource, code), size) if part)
    return f"{effect} – {note}" if note else effect


class RowSummary(QWidget):
    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self._lines: list[QLabel] = []
        self._controller = CycleController.of(workspace)
        self.effects, self.measured = EffectProposals(workspace), MeasuredEffects(workspace)
        self.evidence = EvidenceChips(workspace, captions=True, most=2)
        left, right, margins = QWidget(), QWidget(), (0, SPACE_S, SPACE_S, SPACE_S)
        self._told = column(spacing=SPACE_XS)
        left_side = column(self.evidence, self._told, spacing=SPACE_XS, margins=margins)
        left_side.setAlignment(Qt.AlignmentFlag.AlignTop)
        left.setLayout(left_side)
        right.setLayout(column(self.effects, self.measured, 1, margins=margins))
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
        self.measured.show_action(action)
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
            self._say([gate_text(gate, code) for gate in (*standing.lacks, *standing.approval)], "warning", "!")
        self._say([advice_text(advice, code) for advice in standing.advice], "watch", "?")
        if standing.guards:
            names = ", ".join(_watched(metric, code) for metric in standing.guards)
            self._say([text("ui.tradeoffs.guards", n=len(standing.guards), names=names)], "", "●")
            if {guard.id for guard in standing.guards} & {one.metric.id for one in self._controller.due()}:
                self._told.addWidget(button(text("ui.tradeoffs.guards.measure"), "link", self._controller.measure_due))
        if action.caveat:
            self._say([text("ui.tradeoffs.caveat", caveat=action.caveat)], "watch", "")

    def _say(self, sentences: Sequence[str], tone: str, mark: str) -> None:
        for sentence in sentences:
            line = selectable(label(f"{mark} {sentence}".strip(), tone=tone, wrap=True))
            line.setMinimumWidth(1)  # a word without a break makes no column wider
            self._lines.append(line)
            self._told.addWidget(line)

    def sentences(self) -> list[str]:
        return [line.text() for line in self._lines]


def _watched(metric: Metric, code: str) -> str:
    """The resource; its own name where a consultant gave the guard none."""
    return word(Resource(metric.resource), code) if metric.resource in set(Resource) else metric.name
