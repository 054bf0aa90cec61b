"""What was measured of a change before it was rolled back, and what was measured afterwards."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.unit.diagnosis.cycle_case import ACTION, CPU, EXECUTED, RESULT, WRITE, done
from tunebench.diagnosis.cycle.planned import planned_and_happened, taken_back
from tunebench.diagnosis.cycle.results import GuardStanding, VerificationStanding
from tunebench.domain.cycle.records import Figure, Result
from tunebench.domain.cycle.worksheet import ActionState, Verification

BACK = "2026-11-21T12:00:00+09:00"
BACK_NS = 1_795_230_000 * 10**9


@pytest.mark.parametrize(("end_ns", "value"), [(BACK_NS - 1, 27.59), (BACK_NS + 1, None), (None, 27.59)])
def test_only_what_was_measured_while_it_was_in_force_is_its_effect(end_ns: int | None, value: float | None) -> None:
    action = replace(ACTION, state=ActionState.ROLLED_BACK, verifications=(Verification(WRITE.id, 10.0),))
    result = replace(RESULT, after=Figure(27.59, source="x", end_ns=end_ns))
    paid = Result(80, 1, CPU.id, Figure(60.0, source="x"))
    book = done(action, replace(EXECUTED, rolled_back_at=BACK, rolled_back_by="Lee"), result, paid)
    (iteration,) = book.iterations
    assert list(planned_and_happened(book, iteration)) == []  # nothing is in force
    effect, price = (planned.standing for planned in taken_back(book, iteration))
    assert isinstance(effect, VerificationStanding) and isinstance(price, GuardStanding)
    assert (effect.now.value if effect.now else None) == value
    assert price.now == paid.after


def test_what_is_in_force_was_not_taken_back() -> None:
    book = done(replace(ACTION, state=ActionState.EXECUTED, verifications=(Verification(WRITE.id, 10.0),)))
    (iteration,) = book.iterations
    assert list(taken_back(book, iteration)) == []
    assert [planned.standing.metric for planned in planned_and_happened(book, iteration) if planned.standing] == [
        WRITE,
        CPU,
    ]
