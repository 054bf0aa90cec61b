"""What ``experiment`` changes: each act builds one edit, does it and says what came of it."""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import Any

from tunebench.cli.console import Console
from tunebench.cli.experiments import shapes as experiment_shapes
from tunebench.cli.shapes import shape
from tunebench.core.errors import UserError
from tunebench.domain.experiments.book import ExperimentBook, ExperimentEdit
from tunebench.domain.experiments.records import (
    CacheState,
    Cell,
    Experiment,
    Response,
    RunOrder,
    Trial,
    TrialRole,
    TrialState,
)
from tunebench.domain.typed_numbers import typed_number
from tunebench.usecases import projects
from tunebench.usecases.comparing import windows
from tunebench.usecases.experiments import applying, planning, reading, recording
from tunebench.usecases.experiments import definition as experiment_definition
from tunebench.usecases.experiments import examples as experiment_examples
from tunebench.usecases.experiments import export as experiment_export
from tunebench.usecases.experiments import matrices as experiment_matrices
from tunebench.usecases.experiments import results as experiment_results
from tunebench.usecases.experiments import runs as experiment_runs
from tunebench.usecases.experiments import tables as experiment_tables
from tunebench.usecases.experiments.drafts import with_level
from tunebench.usecases.experiments.lookup import find_named, find_trial
from tunebench.usecases.experiments.recording import record_cell
from tunebench.usecases.projects import Project


def do(project: Project, edit: ExperimentEdit, args: argparse.Namespace, console: Console) -> None:
    done = applying.apply(project, edit, args.by)
    ids = experiment_shapes.done(done)
    console.result(ids)
    for id_ in ids["experiments"]:
        console.say("cli.experiment.kept", id=id_, title=reading.read(project).experiments[id_].title)
    for kind in ("trials", "removed_experiments", "removed_trials"):
        if ids[kind]:
            console.say(f"cli.experiment.{kind}", count=len(ids[kind]))
    if not done.changes:
        console.say("cli.experiment.nothing")


def asked(args: argparse.Namespace, project: Project) -> tuple[ExperimentBook, Experiment]:
    """All experiments, and the one that is meant."""
    book = reading.read(project)
    return book, find_named(book, args.experiment)


# -- planning ------------------------------------------------------------------------------------------


def new(args: argparse.Namespace, project: Project, console: Console) -> None:
    if args.file is not None:
        made = experiment_definition.read_definition(args.file, projects.read_engagement(project).language)
    else:
        made = Experiment(
            0,
            args.title,
            tuple(experiment_definition.factor_of(words) for words in args.factor),
            tuple(experiment_definition.response_of(words) for words in args.response or ("real_s",)),
        )
    do(project, planning.add(_with_said(made, args)), args, console)


_SAID = (
    *("title", "setup", "command", "teardown", "notes", "drop", "cold_file", "collect"),
    *("interval_s", "limit_s"),
)


def _with_said(made: Experiment, args: argparse.Namespace) -> Experiment:
    """What was said on the command line, over what the file says."""
    said: dict[str, Any] = {name: value for name in _SAID if (value := getattr(args, name))}
    for name in ("expected", "beside"):
        if getattr(args, name):
            said[name] = (*getattr(made, name), *getattr(args, name))
    if args.insert:
        said["inserts"] = (*made.inserts, *(experiment_definition.inserted_of(each) for each in args.insert))
    if args.confounder:
        said["confounders"] = (*made.confounders, *args.confounder)
    if args.cache:
        said["caches"] = tuple(CacheState(each) for each in args.cache)
    if args.cell:
        said["cells"] = tuple(_one_cell(made, words) for words in args.cell)
    if args.baseline:
        said["baseline"] = _one_cell(made, args.baseline)
    return _with_numbers(replace(made, **said), args)


def _one_cell(made: Experiment, words: str) -> Cell:
    return experiment_definition.cell_of(made, [each for each in words.split(";") if each.strip()])


def _with_numbers(made: Experiment, args: argparse.Namespace) -> Experiment:
    numbers = {
        "repetitions": args.repetitions,
        "same_repetitions": args.aa,
        "seed": args.seed,
        "order": RunOrder(args.order) if args.order else None,
    }
    return replace(made, **{name: value for name, value in numbers.items() if value is not None})


def add_example(args: argparse.Namespace, project: Project, console: Console) -> None:
    """Without a name: which there are."""
    if args.name:
        language = projects.read_engagement(project).language
        do(project, experiment_examples.example_edit(args.name, language), args, console)
        return
    found = experiment_examples.examples(console.language)
    console.result([shape(each, "name title summary source cells measured") for each in found])
    for each in found:
        console.print(f"{each.name}: {each.title}")
        console.print(f"    {each.summary}")


def add_matrix(args: argparse.Namespace, project: Project, console: Console) -> None:
    """Without a name: which there are, and what is set of them."""
    if not args.name:
        found = experiment_matrices.matrices(console.language)
        console.result([_matrix(each) for each in found])
        for each in found:
            console.print(f"{each.name}: {each.title}\n    {each.summary}")
            for setting in each.settings:
                console.print(f"    --set {setting.name}={setting.default}    {setting.label}")
        return
    values = dict(_pair(each) for each in args.set)
    only = {name: levels.split(",") for name, levels in (_pair(each) for each in args.only)}
    numbers = {"repetitions": args.repetitions, "limit_s": args.limit_s}
    changes = {name: value for name, value in numbers.items() if value is not None}
    language = projects.read_engagement(project).language
    do(project, experiment_matrices.matrix_edit(args.name, language, values, only, **changes), args, console)


def _matrix(each: experiment_matrices.Matrix) -> dict[str, Any]:
    return {
        **shape(each, "name title summary source"),
        "settings": [shape(one, "name label default") for one in each.settings],
        "factors": {one.name: [level.name for level in one.levels] for one in each.made.factors},
        "responses": [one.name for one in each.made.responses],
    }


def _pair(words: str) -> tuple[str, str]:
    name, equals, value = words.partition("=")
    if not equals or not name.strip():
        raise UserError("experiment_words", words=words, known="NAME=VALUE")
    return name.strip(), value


def plan(args: argparse.Namespace, project: Project, console: Console) -> None:
    """The trials that are missing; with other repetitions, another order or further levels, planned anew."""
    book, found = asked(args, project)
    for factor, level in map(_pair, args.level):
        found = with_level(found, factor, level)
    do(project, planning.change(book, _with_numbers(found, args)), args, console)


def remove(args: argparse.Namespace, project: Project, console: Console) -> None:
    book, found = asked(args, project)
    do(project, planning.remove(book, found.id), args, console)


# -- results -------------------------------------------------------------------------------------------


def record(args: argparse.Namespace, project: Project, console: Console) -> None:
    book, found = asked(args, project)
    values = _values(found, args.values)
    build = _of_cell if args.trial is None else _of_trial
    do(project, build(book, found, args, values, project), args, console)


def _of_cell(
    book: ExperimentBook, found: Experiment, args: argparse.Namespace, values: dict[str, float], project: Project
) -> ExperimentEdit:
    result = Trial(
        0,
        found.id,
        (),
        state=TrialState.FAILED if args.failed else TrialState.DONE,
        values=recording.readings(values),
        reason=args.failed,
        decided_by=args.by if args.failed else "",
        **_facts(args, project),
    )
    cell = experiment_definition.cell_of(found, args.cell)
    return record_cell(book, found.id, cell, [result], **_where(args))


def _of_trial(
    book: ExperimentBook, found: Experiment, args: argparse.Namespace, values: dict[str, float], project: Project
) -> ExperimentEdit:
    trial = find_trial(book, args.trial)
    if trial.experiment_id != found.id:
        raise UserError("trial_unknown", id=args.trial, experiment=found.title)
    if args.failed:
        return recording.fail(book, trial.id, args.failed, args.by)
    act = recording.correct if args.correct else recording.record
    return act(book, trial.id, values, **_facts(args, project))


def _values(found: Experiment, words: list[str]) -> dict[str, float]:
    values: dict[str, float] = {}
    for word in words:
        name, equals, text = word.partition("=")
        response = found.response(name.strip())
        if not equals or response is None or response.name in values:
            known = ", ".join(each.name for each in found.responses)
            raise UserError("trial_value_unknown", response=word, known=known)
        values[response.name] = _number(response, text)
    return values


def _number(response: Response, text: str) -> float:
    value = typed_number(text, response.unit)
    if value is None:
        raise UserError("trial_value_number", response=f"{response.name}={text}")
    return value


def _facts(args: argparse.Namespace, project: Project) -> dict[str, Any]:
    """What belongs to a result beside its values, as far as it was said."""
    run = projects.find_run(project, args.load_run).id if args.load_run else None
    facts = {"artefact_id": args.capture, "line": args.line, "load_run_id": run, "note": args.note or None}
    return {name: value for name, value in facts.items() if value is not None}


def _where(args: argparse.Namespace) -> dict[str, Any]:
    """Which trials of a cell the results are for."""
    cache = CacheState(args.cache) if args.cache else None
    return {"cache": cache, "role": TrialRole(args.role), "beyond_plan": args.beyond_plan}


def import_(args: argparse.Namespace, project: Project, console: Console) -> None:
    book, found = asked(args, project)
    if (args.table is None) == (not args.capture):
        args.complain(console.text("cli.usage.one_of") % "TABLE.csv --capture")
    if args.table is not None:
        edit = experiment_tables.take_table(book, found.id, args.table, beyond_plan=args.beyond_plan)
    elif len(found.all_cells) > 1 and not (args.cell or args.run):  # what was run for it says which trials
        edit = experiment_runs.take_captures(project, book, found.id, args.capture)
        if not edit.changes:
            raise UserError("experiment_run_no_trials", capture=", ".join(str(each) for each in args.capture))
    else:
        cell = experiment_definition.cell_of(found, args.cell)
        window = windows.find_window(project, args.run) if args.run else None
        edit = experiment_results.take_captures(
            project, book, found.id, args.capture, cell, **_where(args), window=window
        )
    do(project, edit, args, console)


def exclude(args: argparse.Namespace, project: Project, console: Console) -> None:
    book, trial_id = _own_trial(args, project)
    do(project, recording.exclude(book, trial_id, args.reason, args.by), args, console)


def restore(args: argparse.Namespace, project: Project, console: Console) -> None:
    do(project, recording.restore(*_own_trial(args, project)), args, console)


def _own_trial(args: argparse.Namespace, project: Project) -> tuple[ExperimentBook, int]:
    book, found = asked(args, project)
    trial = book.trials.get(args.trial)
    if trial is None or trial.experiment_id != found.id:
        raise UserError("trial_unknown", id=args.trial, experiment=found.title)
    return book, trial.id


def export(args: argparse.Namespace, project: Project, console: Console) -> None:
    book, found = asked(args, project)
    if args.figures:
        path = experiment_export.export_figures(reading.analyse(book, found.id), args.file)
    else:
        path = experiment_export.export_trials(book, found.id, args.file)
    console.result({"file": str(path)})
    console.say("cli.experiment.exported", path=path)
