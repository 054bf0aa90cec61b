"""Whatever was recorded, the analysis gives numbers that JSON can hold, and no verdict without an interval."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.analysis.experiments.plans import experiment, factor, trials
from tunebench.analysis.experiments.analysis import analyse
from tunebench.analysis.inference.verdict import Verdict
from tunebench.contract.experiments import analysis
from tunebench.domain.engagement import Direction
from tunebench.domain.experiments.records import Cell, TrialRole, TrialState
from tunebench.domain.experiments.rules import check_trial

JUDGED = (Verdict.IMPROVED, Verdict.REGRESSED, Verdict.EQUIVALENT, Verdict.INCONCLUSIVE)
values = st.one_of(st.floats(1e-100, 1e100), st.sampled_from([0.0, 1.0, 1e100, 1e-100, 5.0]), st.floats(0.5, 2.0))


@settings(max_examples=40)
@given(st.data())
def test_any_values(data: st.DataObject) -> None:
    plan = experiment(
        factor("rows", *(float(number) for number in range(1, 8))),
        factor("table", "plain", "packed"),
        direction=data.draw(st.sampled_from(list(Direction))),
        same_repetitions=4,
    )
    runs: dict[Cell, list[float]] = {cell: data.draw(st.lists(values, max_size=5)) for cell in plan.all_cells}
    made = trials(runs)
    reference: dict[Cell, list[float]] = {plan.reference: data.draw(st.lists(values, max_size=5))}
    for role in (TrialRole.SAME_FIRST, TrialRole.SAME_SECOND):
        made += trials(reference, role=role, first=1000 + len(made))
    made += trials({cell: own[:1] for cell, own in runs.items()}, state=TrialState.EXCLUDED, first=5000)
    for trial in made:
        check_trial(plan, trial)
    found = analyse(plan, made)
    json.dumps(analysis(found), allow_nan=False)
    for part in found.parts:
        assert sorted(cell for group in part.ranking for cell in group.cells) in (
            [],
            sorted(each.cell for each in part.cells if each.n),
        )
        for compared in part.comparisons:
            if compared.verdict in JUDGED:
                assert compared.p is not None and plan.responses[0].direction is not Direction.NEUTRAL
