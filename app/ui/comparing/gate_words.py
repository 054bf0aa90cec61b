"""What the checks of comparability say together, in one sentence."""

from __future__ import annotations

from collections.abc import Sequence

from app.domain.comparability import CheckState, GateCheck
from app.ui.look.language import text

_ORDER = (CheckState.REFUSE, CheckState.ADJUST, CheckState.UNKNOWN)


def overall(gate: Sequence[GateCheck]) -> CheckState:
    """The gravest of all checks; `CheckState.UNKNOWN` only where nothing speaks against the comparison."""
    states = {check.state for check in gate}
    return next((state for state in _ORDER if state in states), CheckState.PASS)


def gate_sentence(gate: Sequence[GateCheck]) -> str:
    state = overall(gate)
    named = state if state in (CheckState.REFUSE, CheckState.ADJUST) else None
    words = text(f"ui.compare.gate.{(named or CheckState.PASS).value}", checks=_titles(gate, named))
    unknown = _titles(gate, CheckState.UNKNOWN)
    return f"{words} {text('ui.compare.gate.unknown', checks=unknown)}" if unknown else words


def _titles(gate: Sequence[GateCheck], state: CheckState | None) -> str:
    return ", ".join(text(f"ui.compare.chip.{check.check}") for check in gate if check.state is state)
