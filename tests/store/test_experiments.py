"""Experiments are kept as whole edits: all or nothing, undone and done again, audited, and what they rest on stays."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.store import cases, experiment_cases
from tunebench.core.errors import UserError
from tunebench.domain.experiments.book import ExperimentChange, ExperimentEdit, Record
from tunebench.domain.experiments.records import Reading, Trial, TrialState
from tunebench.store import removal
from tunebench.store.audit import trail as audit
from tunebench.store.check import check_project
from tunebench.store.experiments import records as experiments
from tunebench.store.project import Project


def kept(project: Project, **outside: int) -> ExperimentEdit:
    return experiments.apply(project, experiment_cases.adding(**outside), "lee")


def changing(before: Record | None, after: Record | None) -> ExperimentEdit:
    return ExperimentEdit("change", (ExperimentChange(before, after),))


def refusal(project: Project, edit: ExperimentEdit) -> str:
    before = experiments.read_book(project)
    entries = len(audit.list_audit(project))
    with pytest.raises(UserError) as caught:
        experiments.apply(project, edit, "lee")
    assert experiments.read_book(project) == before
    assert len(audit.list_audit(project)) == entries
    return caught.value.key


def state_of(project: Project, check: str = "experiments") -> str:
    return next(result.state for result in check_project(project) if result.check == check)


def test_an_experiment_comes_back_as_it_was_written(project: Project) -> None:
    kept(project)
    book = experiments.read_book(project)
    assert list(book.experiments.values()) == [replace(experiment_cases.EXPERIMENT, id=1)]
    expected = [replace(t, id=n, experiment_id=1) for n, t in enumerate(experiment_cases.trials(), start=1)]
    assert list(book.trials_of(1)) == expected
    assert state_of(project) == "ok"


def test_undone_and_done_again_has_the_same_ids(project: Project) -> None:
    done = kept(project)
    book = experiments.read_book(project)
    experiments.apply(project, done.inverse, "lee")
    assert not experiments.read_book(project).experiments
    again = experiments.apply(project, done, "lee")
    assert again == done
    assert experiments.read_book(project) == book
    second = kept(project)
    first = second.changes[0].after
    assert first is not None and first.id == 2


def test_every_change_is_audited_field_by_field(project: Project) -> None:
    kept(project)
    trial = experiments.read_book(project).trials[5]
    experiments.apply(project, changing(trial, replace(trial, note="백업 중")), "이영진")
    entry = audit.list_audit(project)[-1]
    assert (entry.action, entry.facts) == (
        "experiment_changed",
        {"edit": "change", "by": "이영진", "changes": {"trial.5 note": ["", "백업 중"]}},
    )


def test_what_another_one_changed_is_not_written_over(project: Project) -> None:
    kept(project)
    trial = experiments.read_book(project).trials[5]
    experiments.apply(project, changing(trial, replace(trial, note="mine")), "lee")
    assert refusal(project, changing(trial, replace(trial, note="yours"))) == "experiment_changed_meanwhile"
    assert refusal(project, changing(trial, None)) == "experiment_changed_meanwhile"


def test_a_trial_names_an_experiment_a_capture_and_a_run_that_are_there(project: Project) -> None:
    kept(project)
    book = experiments.read_book(project)
    trial = book.trials[5]
    for after in (replace(trial, artefact_id=77), replace(trial, load_run_id=77), replace(trial, experiment_id=77)):
        assert refusal(project, changing(trial, after)) == "experiment_dangling"
    assert refusal(project, changing(book.experiments[1], None)) == "experiment_dangling"  # its trials would stay


def test_a_capture_that_a_trial_rests_on_is_not_removed(project: Project) -> None:
    artefact_id = cases.store_artefact(project)
    other = cases.store_artefact(project, b"load\n", run="load")
    run_id, load_run_id = cases.run_of(project, artefact_id), cases.run_of(project, other)
    done = kept(project, artefact_id=artefact_id, load_run_id=load_run_id)
    title = experiment_cases.EXPERIMENT.title
    for going in (removal.going_with_artefact(project, artefact_id), removal.going_with_run(project, run_id)):
        assert (going.experiments, going.refusal and going.refusal.key) == ((title,), "run_is_of_experiment")
    with pytest.raises(UserError, match="run_is_of_experiment"):
        removal.remove_run(project, load_run_id)
    experiments.apply(project, done.inverse, "lee")
    removal.remove_run(project, run_id)
    assert refusal(project, done) == "experiment_dangling"  # what it rested on went meanwhile


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE trial SET body = replace(body, 'real_s', 'tps') WHERE id = 3",
        "UPDATE trial SET body = '[]' WHERE id = 3",
        "UPDATE trial SET body = replace(body, '\"128\"', '\"512\"') WHERE id = 4",
        "UPDATE trial SET body = replace(body, '\"experiment_id\":1', '\"experiment_id\":2') WHERE id = 4",
        "UPDATE experiment SET body = replace(body, '\"repetitions\":2', '\"repetitions\":0')",
        "UPDATE experiment SET body = '{'",
    ],
)
def test_the_check_finds_damage(project: Project, damage: str) -> None:
    kept(project)
    assert state_of(project) == "ok"
    with project.transaction() as connection:
        connection.execute(damage)
    assert state_of(project) == "failed"


@pytest.mark.parametrize("id_", [3, 5])
def test_a_value_that_was_changed_past_the_audit_trail_is_found(project: Project, id_: int) -> None:
    """Also of a trial that was planned before it was recorded: its plan is audited as a whole."""
    kept(project)
    trial = experiments.read_book(project).trials[id_]
    done = replace(trial, state=TrialState.DONE, values=(Reading("real_s", 86.18), Reading("sys_s", 5.21)))
    experiments.apply(project, changing(trial, done), "lee")
    assert state_of(project, "experiment_audit") == "ok"
    with project.transaction() as connection:
        connection.execute("UPDATE trial SET body = replace(body, '86.18', '8.618') WHERE id = ?", (id_,))
    (result,) = [each for each in check_project(project) if each.state != "ok"]
    said = {"record": f"trial.{id_}", "field": "values.0.value", "written": 86.18, "stored": 8.618}
    assert (result.check, result.facts["found"]) == ("experiment_audit", [said])


def test_experiments_that_came_and_went_are_no_change_past_the_trail(project: Project) -> None:
    done = kept(project)
    trial = experiments.read_book(project).trials[5]
    recorded = replace(trial, state=TrialState.DONE, values=(Reading("real_s", 86.18),))
    experiments.apply(project, changing(trial, recorded), "lee")
    experiments.apply(project, changing(recorded, None), "lee")
    assert state_of(project, "experiment_audit") == "ok"
    experiments.apply(project, changing(None, recorded), "lee")
    experiments.apply(project, changing(recorded, trial), "lee")
    experiments.apply(project, done.inverse, "lee")
    assert state_of(project, "experiment_audit") == "ok"
    experiments.apply(project, done, "lee")
    assert state_of(project, "experiment_audit") == "ok"


def test_a_record_that_cannot_be_read_is_a_refusal_in_one_sentence(project: Project) -> None:
    kept(project)
    with project.transaction() as connection:
        connection.execute("UPDATE trial SET body = replace(body, '86.18', 'NaN') WHERE id = 3")
    with pytest.raises(UserError, match="experiment_record_damaged"):
        experiments.read_book(project)


def test_a_hundred_and_sixty_eight_cells_are_kept_at_once(project: Project) -> None:
    first = Trial(0, -1, ("6", "ufs"))
    changes = [ExperimentChange(None, experiment_cases.EXPERIMENT)]
    changes += [ExperimentChange(None, replace(first, place=place)) for place in range(1, 1681)]
    done = experiments.apply(project, ExperimentEdit("add_experiment", tuple(changes)), "lee")
    assert [change.after.id for change in done.changes if isinstance(change.after, Trial)] == list(range(1, 1681))
