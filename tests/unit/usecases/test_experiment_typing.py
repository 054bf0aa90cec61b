"""Figures typed or pasted into trials, and plans whose factors change."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tunebench.core.errors import UserError
from tunebench.domain.engagement import Direction
from tunebench.domain.experiments.book import ExperimentBook, ExperimentEdit
from tunebench.domain.experiments.records import Experiment, Factor, Level, Reading, Response, Trial, TrialState
from tunebench.usecases.experiments.drafts import free_title, starting_plan, with_factors
from tunebench.usecases.experiments.tables import typed_values, with_text

POOL = Factor("pool", (Level("4", 4.0), Level("8", 8.0)), "GB")
PLAN = Experiment(1, "Pool", (POOL,), (Response("real_s", "s"), Response("tps", "1/s", Direction.HIGHER)), 2)
TRIALS = tuple(Trial(10 + n, 1, (cell,), 1, n + 1) for n, cell in enumerate(("4", "8")))
DONE = replace(TRIALS[0], state=TrialState.DONE, values=(Reading("real_s", 5.0), Reading("tps", 9.0)), artefact_id=3)


def book(*trials: Trial) -> ExperimentBook:
    return ExperimentBook.of([PLAN], trials or TRIALS)


def typed(shown: ExperimentBook, texts: dict[int, dict[str, str]]) -> ExperimentEdit:
    """What a grid of the trials hands over: each of them, those that were typed into with their new values."""
    trials = []
    for kept in shown.trials_of(1):
        trial = kept
        for name, text in texts.get(trial.id, {}).items():
            response = PLAN.response(name)
            assert response is not None
            trial = with_text(PLAN, trial, response, text)
        trials.append(trial)
    return typed_values(shown, PLAN, trials)


def after(edit) -> dict[int, Trial]:
    return {change.after.id: change.after for change in edit.changes}


def test_a_value_typed_makes_a_trial_done_and_keeps_its_others():
    edit = typed(book(), {10: {"real_s": "1m2.5s"}})
    assert edit.name == "record_trial" and after(edit)[10].values == (Reading("real_s", 62.5),)
    edit = typed(book(DONE, TRIALS[1]), {10: {"real_s": "6 s"}})
    assert edit.name == "correct_trial" and after(edit)[10].values == (Reading("real_s", 6.0), Reading("tps", 9.0))


def test_taking_the_last_value_away_plans_the_trial_again():
    edit = typed(book(DONE, TRIALS[1]), {10: {"real_s": "", "tps": " "}})
    assert after(edit)[10] == TRIALS[0]


def test_the_same_again_is_no_edit_and_an_excluded_trial_stays_excluded():
    assert typed(book(DONE, TRIALS[1]), {10: {"real_s": "5"}}).changes == ()
    left_out = replace(DONE, state=TrialState.EXCLUDED, reason="backup", decided_by="Kim")
    changed = after(typed(book(left_out, TRIALS[1]), {10: {"tps": "8"}}))[10]
    assert (changed.state, changed.reason) == (TrialState.EXCLUDED, "backup")


@pytest.mark.parametrize(
    ("text", "key"),
    [("fast", "experiment_table_number"), ("1,5", "experiment_table_number"), ("-1", "trial_value_negative")],
)
def test_one_wrong_figure_refuses_the_whole_block(text, key):
    with pytest.raises(UserError) as refused:
        typed(book(), {10: {"real_s": "1"}, 11: {"real_s": text}})
    assert refused.value.key == key


# -- plans ---------------------------------------------------------------------------------------------


def test_a_new_plan_can_be_run_at_once():
    plan = starting_plan(free_title("New", ["New", "New 2"]), "fs", ["a", "b"], {"real_s": "elapsed"})
    assert (plan.title, plan.repetitions, len(plan.all_cells)) == ("New 3", 10, 2)
    assert [each.name for each in plan.responses] == ["real_s", "user_s", "sys_s"]


def test_a_renamed_level_keeps_its_cells_and_a_new_factor_joins_them():
    listed = replace(PLAN, cells=(("4",), ("8",)), baseline=("8",))
    renamed = replace(POOL, levels=(Level("4"), Level("16")))
    assert with_factors(listed, [renamed], [0]).cells == (("4",), ("16",))
    assert with_factors(listed, [renamed], [0]).baseline == ("16",)
    disk = Factor("disk", (Level("ssd"), Level("hdd")))
    assert with_factors(listed, [POOL, disk], [0, None]).cells == (("4", "ssd"), ("8", "ssd"))


def test_cells_of_a_level_that_is_gone_are_left_out():
    listed = replace(PLAN, cells=(("4",), ("8",)), baseline=("8",))
    fewer = with_factors(listed, [replace(POOL, levels=(Level("4"),))], [0])
    assert fewer.cells == (("4",),) and fewer.baseline == ()
