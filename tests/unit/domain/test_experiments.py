"""Plans of experiments: the order, what is missing, what a command becomes, and what is refused."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import groupby
from random import Random

import pytest

from tunebench.core.errors import UserError
from tunebench.domain.engagement import Direction
from tunebench.domain.experiments.order import next_trial, placed_behind, planned_trials, shuffled
from tunebench.domain.experiments.records import (
    CacheState,
    Experiment,
    Factor,
    Level,
    Reading,
    Response,
    RunOrder,
    Trial,
    TrialRole,
    TrialState,
)
from tunebench.domain.experiments.rules import check_change, check_experiment, check_trial, filled
from tunebench.domain.typed_numbers import typed_number

PLAN = Experiment(
    7,
    "RAID",
    (
        Factor("raid", (Level("RAID5", insert="-l 5"), Level("RAID10", insert="-l 10"))),
        Factor("pool", (Level("12", 12.0), Level("4", 4.0)), "GB"),
    ),
    (Response("tps", "1/s", Direction.HIGHER),),
    repetitions=3,
)
DONE = TrialState.DONE


def refusal(check: object, *arguments: object) -> str:
    with pytest.raises(UserError) as caught:
        check(*arguments)  # type: ignore[operator]
    return caught.value.key


def test_every_cell_is_run_as_often_as_planned_in_rounds() -> None:
    trials = planned_trials(PLAN)
    assert Counter(trial.cell for trial in trials) == dict.fromkeys(PLAN.all_cells, 3)
    assert [trial.place for trial in trials] == list(range(1, 13))
    for start in (0, 4, 8):  # a round has each cell once
        assert {trial.cell for trial in trials[start : start + 4]} == set(PLAN.all_cells)
        assert {trial.repetition for trial in trials[start : start + 4]} == {start // 4 + 1}


def test_the_seed_alone_decides_a_random_order() -> None:
    first, again, other = (planned_trials(replace(PLAN, seed=seed)) for seed in (1, 1, 2))
    assert first == again
    assert [trial.cell for trial in first] != [trial.cell for trial in other]


def test_the_shuffle_is_that_of_fisher_and_yates() -> None:
    """Durstenfeld's form by hand, on the numbers of the generator; every order is equally likely."""
    numbers = Random(5)
    draws = [numbers.random() for _ in range(3)]
    expected = ["a", "b", "c", "d"]
    for last, draw in zip((3, 2, 1), draws, strict=True):
        other = int(draw * (last + 1))
        expected[last], expected[other] = expected[other], expected[last]
    cells = [(letter,) for letter in "abcd"]
    assert [cell for (cell,) in shuffled(cells, Random(5))] == expected
    random = Random(1)
    counts = Counter(tuple(shuffled([("a",), ("b",), ("c",)], random)) for _ in range(6000))
    assert len(counts) == 6
    assert all(850 < count < 1150 for count in counts.values())  # 1000 each, five standard deviations


def test_abab_and_listed_orders() -> None:
    abab = planned_trials(replace(PLAN, order=RunOrder.ABAB))
    assert [trial.cell for trial in abab] == list(PLAN.all_cells) * 3
    listed = planned_trials(replace(PLAN, order=RunOrder.LISTED))
    assert [cell for cell, _own in groupby(trial.cell for trial in listed)] == list(PLAN.all_cells)


def test_a_a_trials_alternate_before_all_others_in_each_cache_state() -> None:
    plan = replace(PLAN, same_repetitions=2, caches=(CacheState.COLD, CacheState.WARM))
    trials = planned_trials(plan)
    assert len(trials) == 2 * (12 + 4)
    assert [trial.role for trial in trials[:5]] == ["a1", "a2", "a1", "a2", "measure"]
    assert {trial.cell for trial in trials[:4]} == {("RAID5", "12")}
    assert [trial.cache for trial in trials] == ["cold"] * 16 + ["warm"] * 16


def test_what_failed_or_was_excluded_is_run_again_behind_what_was_recorded() -> None:
    trials = planned_trials(PLAN)
    recorded = [replace(trial, id=trial.place, state=DONE) for trial in trials[:5]]
    recorded[0] = replace(recorded[0], state=TrialState.FAILED)
    recorded[1] = replace(recorded[1], state=TrialState.EXCLUDED)
    missing = planned_trials(PLAN, recorded)
    counted = Counter(trial.cell for trial in [*recorded[2:], *missing])
    assert counted == dict.fromkeys(PLAN.all_cells, 3)
    assert [trial.place for trial in missing] == list(range(6, 6 + len(missing)))
    keys = [(trial.cell, trial.repetition) for trial in (*recorded, *missing)]
    assert len(set(keys)) == len(keys)
    assert planned_trials(PLAN, [*recorded, *(replace(trial, state=DONE) for trial in missing)]) == ()


def test_the_next_trial_is_the_first_planned_one() -> None:
    trials = planned_trials(PLAN)
    assert next_trial([replace(trials[0], state=DONE), *reversed(trials[1:])]) == trials[1]
    assert next_trial([]) is None
    further = placed_behind(Trial(0, 7, ("RAID5", "12")), trials)
    assert (further.repetition, further.place) == (4, 13)


# -- commands ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ("sysbench --threads={pool} {raid} run", "sysbench --threads=4 -l 10 run"),
        ("echo ${HOME} ${raid}", "echo ${HOME} ${raid}"),
        ("iostat | awk '{print $1}'; find . -exec rm {} \\;", "iostat | awk '{print $1}'; find . -exec rm {} \\;"),
        ("echo {{raid}} {raid}", "echo {raid} -l 10"),
        ("cp {a,b} /x", "cp {a,b} /x"),
    ],
)
def test_a_command_has_the_levels_in_place_of_their_factors(template: str, expected: str) -> None:
    plan = replace(PLAN, command=template)
    check_experiment(plan)
    assert filled(plan, template, ("RAID10", "4")) == expected


def test_a_place_holder_that_is_no_factor_is_refused() -> None:
    assert refusal(check_experiment, replace(PLAN, command="run {threads}")) == "experiment_placeholder_unknown"
    assert refusal(check_experiment, replace(PLAN, setup="one\ntwo")) == "experiment_command_lines"


# -- refusals ------------------------------------------------------------------------------------------

RAID, POOL = PLAN.factors


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        ({"title": " "}, "experiment_title_missing"),
        ({"factors": ()}, "experiment_no_factor"),
        ({"factors": (RAID, replace(POOL, name="raid"))}, "experiment_name_twice"),
        ({"factors": (replace(RAID, levels=()),)}, "experiment_no_level"),
        ({"factors": (replace(RAID, name="a=b"),)}, "experiment_name_unfit"),
        ({"factors": (replace(RAID, levels=(Level("a"), Level("a"))),)}, "experiment_name_twice"),
        ({"factors": (replace(RAID, levels=(Level("a"), Level(""))),)}, "experiment_name_unfit"),
        ({"factors": (replace(RAID, levels=(Level("a", 1.0), Level("b", 1.0))),)}, "experiment_name_twice"),
        ({"factors": (replace(RAID, levels=(Level("a", float("inf")),)),)}, "experiment_level_value"),
        ({"factors": tuple(replace(RAID, name=f"f{n}") for n in range(9))}, "experiment_factors_too_many"),
        ({"responses": ()}, "experiment_no_response"),
        ({"repetitions": 0}, "experiment_repetitions"),
        ({"same_repetitions": -1}, "experiment_repetitions"),
        ({"seed": -1}, "experiment_seed"),
        ({"caches": ()}, "experiment_no_cache"),
        ({"caches": (CacheState.COLD, CacheState.COLD)}, "experiment_no_cache"),
        (
            {"factors": tuple(Factor(f"f{n}", tuple(Level(str(m)) for m in range(9))) for n in range(5))},
            "experiment_too_large",
        ),
        ({"cells": (("RAID5", "12"), ("RAID5", "12"))}, "experiment_cell_twice"),
        ({"cells": (("RAID5", "13"),)}, "experiment_cell_unknown"),
        ({"cells": (("RAID5",),)}, "experiment_cell_unknown"),
        ({"cells": (("RAID5", "12"),), "baseline": ("RAID5", "4")}, "experiment_cell_not_run"),
    ],
)
def test_an_experiment_that_makes_no_sense_is_refused(changes: dict[str, object], key: str) -> None:
    assert refusal(check_experiment, replace(PLAN, **changes)) == key  # type: ignore[arg-type]


VALUE = (Reading("tps", 4000.0),)


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        ({"values": ()}, "trial_value_missing"),
        ({"values": (Reading("qps", 1.0),)}, "trial_value_unknown"),
        ({"values": VALUE * 2}, "trial_value_unknown"),
        ({"values": (Reading("tps", float("nan")),)}, "trial_value_number"),
        ({"values": (Reading("tps", float("-inf")),)}, "trial_value_number"),
        ({"values": (Reading("tps", 1e-200),)}, "trial_value_number"),
        ({"values": (Reading("tps", -1.0),)}, "trial_value_negative"),
        ({"cell": ("RAID5", "8")}, "experiment_cell_unknown"),
        ({"cache": CacheState.WARM}, "trial_cache_unplanned"),
        ({"role": TrialRole.SAME_FIRST, "cell": ("RAID10", "4")}, "trial_same_cell"),
        ({"state": TrialState.EXCLUDED, "decided_by": "lee"}, "trial_reason_missing"),
        ({"state": TrialState.EXCLUDED, "reason": "backup"}, "trial_person_missing"),
        ({"state": TrialState.FAILED, "values": ()}, "trial_reason_missing"),
        ({"repetition": 1001}, "experiment_repetitions"),
    ],
)
def test_a_trial_that_makes_no_sense_is_refused(changes: dict[str, object], key: str) -> None:
    trial = Trial(1, 7, ("RAID5", "12"), state=DONE, values=VALUE)
    check_trial(PLAN, trial)
    assert refusal(check_trial, PLAN, replace(trial, **changes)) == key  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        ({"factors": (replace(RAID, levels=RAID.levels[1:]), POOL)}, "experiment_cell_recorded"),
        ({"responses": (Response("qps", "1/s"),)}, "experiment_response_recorded"),
        ({"caches": (CacheState.COLD,)}, "experiment_cache_recorded"),
    ],
)
def test_what_was_recorded_keeps_its_place(changes: dict[str, object], key: str) -> None:
    trial = Trial(1, 7, ("RAID5", "12"), state=DONE, values=VALUE)
    after = replace(PLAN, **changes)  # type: ignore[arg-type]
    assert refusal(check_change, after, [trial]) == key
    check_change(after, [replace(trial, state=TrialState.PLANNED, values=())])


def test_the_reference_that_ran_against_itself_stays_the_reference() -> None:
    trial = Trial(1, 7, ("RAID5", "12"), role=TrialRole.SAME_FIRST, state=DONE, values=VALUE)
    check_change(PLAN, [trial])
    assert refusal(check_change, replace(PLAN, baseline=("RAID10", "4")), [trial]) == "trial_same_cell"


# -- figures as they are typed -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "unit", "expected"),
    [
        ("20m54.124s", "s", 1254.124),
        ("21m4.183s", "s", 1264.183),
        ("16m50.876s", "s", 1010.876),
        ("26m53.852s", "s", 1613.852),
        ("40m44.897s", "s", 2444.897),
        ("0m0,186s", "s", 0.186),
        ("1:26.18", "s", 86.18),
        ("1:02:03.4", "s", 3723.4),
        ("00:00:28.55", "s", 28.55),
        ("0m0.5s", "ms", 500.0),
        ("28.55 s", "s", 28.55),
        ("1,254.5", "KB/s", 1254.5),
        ("37,539,159", "", 37539159.0),
        ("1e3", "", 1000.0),
        ("-1", "", -1.0),
        (".5", "", 0.5),
        ("1,5", "s", None),
        ("20m54.124s", "KB/s", None),
        ("", "s", None),
        ("nan", "s", None),
        ("inf", "", None),
        ("1 2", "", None),
        ("12,34", "", None),
        ("1e999", "", None),
        ("s", "s", None),
        ("٣", "", None),
    ],
)
def test_typed_figures(text: str, unit: str, expected: float | None) -> None:
    """The times are those of the founding document on file systems and of the shells' own forms."""
    found = typed_number(text, unit)
    assert found is None if expected is None else found == pytest.approx(expected, rel=1e-12)
