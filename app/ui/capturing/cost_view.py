"""What the plan on the table is expected to cost, against what was promised, and what deserves a look."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QProgressBar, QVBoxLayout, QWidget

from app.domain.capturing.budget import BYTES_BUDGET_PER_S, CPU_BUDGET_PCT, PlanTotals, totals, warnings
from app.domain.capturing.plan import CapturePlan
from app.ui.look.formats import DASH, format_bytes, format_value
from app.ui.look.language import text, translated
from app.ui.look.theme import SPACE_M, SPACE_XS
from app.ui.widgets.parts import label, set_tone

SHOWN_WARNINGS = 3
FULL_BAR = 1000


class CostView(QWidget):
    """The most loaded host against the budget; the sizes of all hosts together."""

    def __init__(self) -> None:
        super().__init__()
        self._plan: CapturePlan | None = None
        self.cpu, self.rate, self.volume = label(), label(), label()
        self.bars = {"cpu": _bar(), "rate": _bar()}
        self._names = {
            name: translated(label(role="small"), f"ui.capture.cost.{name}") for name in ("cpu", "rate", "size")
        }
        self.words = label(wrap=True)
        set_tone(self.words, "warning")
        grid = QGridLayout()
        grid.setHorizontalSpacing(SPACE_M)
        grid.setVerticalSpacing(1)
        for side, (name, shown) in enumerate((("cpu", self.cpu), ("rate", self.rate), ("size", self.volume))):
            grid.addWidget(self._names[name], 0, side)
            grid.addWidget(shown, 1, side)
            if name in self.bars:
                grid.addWidget(self.bars[name], 2, side)
            grid.setColumnStretch(side, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE_XS)
        column.addLayout(grid)
        column.addWidget(self.words)

    def show_plan(self, plan: CapturePlan | None) -> None:
        self._plan = plan
        self.retranslate()

    def retranslate(self) -> None:
        plan = self._plan
        found = {host.name: totals(plan, host.name) for host in plan.hosts} if plan is not None else {}
        self._show_budget("cpu", self.cpu, [(cost.cpu_pct, name) for name, cost in found.items()], CPU_BUDGET_PCT)
        self._show_budget(
            "rate", self.rate, [(cost.bytes_per_s, name) for name, cost in found.items()], BYTES_BUDGET_PER_S
        )
        self._show_size(list(found.values()))
        self._show_warnings(plan)

    def _show_budget(self, name: str, shown: QLabel, figures: list[tuple[float | None, str]], budget: float) -> None:
        known = [(figure, host) for figure, host in figures if figure is not None]
        most, host = max(known, default=(0.0, ""))
        words = DASH
        if known:
            scale = 1 if name == "cpu" else 1024
            words = text(
                f"ui.capture.cost.{name}.of", value=format_value(most / scale, 3), budget=format_value(budget / scale)
            )
        shown.setText(words)
        shown.setToolTip(text("ui.capture.cost.most", host=host) if known else "")
        set_tone(shown, "warning" if most > budget else "")
        self.bars[name].setValue(min(round(most / budget * FULL_BAR), FULL_BAR))
        self.bars[name].setAccessibleName(f"{self._names[name].text()}: {words}")

    def _show_size(self, costs: list[PlanTotals]) -> None:
        sizes = [cost.total_bytes for cost in costs if cost.total_bytes is not None]
        self.volume.setText(format_bytes(sum(sizes)) if sizes else DASH)

    def _show_warnings(self, plan: CapturePlan | None) -> None:
        """In words, each once, with the hosts it holds for; many are counted."""
        hosts: dict[str, list[str]] = {}
        for warning in warnings(plan) if plan is not None else ():
            hosts.setdefault(text(warning.key, **warning.facts), []).append(warning.host)
        many = plan is not None and len(plan.hosts) > 1
        lines = [f"▲ {', '.join(names)}: {words}" if many else f"▲ {words}" for words, names in hosts.items()]
        shown = lines[:SHOWN_WARNINGS]
        if len(lines) > SHOWN_WARNINGS:
            shown.append(text("ui.capture.cost.more", count=len(lines) - SHOWN_WARNINGS))
        self.words.setText("\n".join(shown))
        self.words.setToolTip("\n".join(lines) if len(lines) > SHOWN_WARNINGS else "")
        self.words.setVisible(bool(lines))


def _bar() -> QProgressBar:
    made = QProgressBar()
    made.setRange(0, FULL_BAR)
    made.setTextVisible(False)
    made.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    return made
