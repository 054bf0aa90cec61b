"""All calculators, in the order in which they are listed."""

from __future__ import annotations

from tunebench.analysis.calculators import load, solaris_memory, storage, ufs
from tunebench.analysis.calculators.calculator import Calculator
from tunebench.core.errors import UserError

CALCULATORS: tuple[Calculator, ...] = (
    *ufs.CALCULATORS,
    *solaris_memory.CALCULATORS,
    *storage.CALCULATORS,
    *load.CALCULATORS,
)


def find(calculator_id: str) -> Calculator:
    """Raises UserError calculator_unknown."""
    for calculator in CALCULATORS:
        if calculator.id == calculator_id:
            return calculator
    raise UserError("calculator_unknown", calculator=calculator_id)
