"""What ``experiment`` changes: each act builds one edit, does it and says what came of it."""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import Any

from tunebench.cli.console import Console
from tunebench.cli.experiments.plan_options import options_of
from tunebench.contract import experiments as experiment_shapes
from tunebench.contract.experiments import ALL_GROUPS
from tunebench.contract.shapes import shape
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
from tunebench.domain.translations import in_both_languages
from tunebench.domain.typed_numbers import typed_number
from tunebench.usecases import projects
from tunebench.usecases.comparing import windows
from tunebench.usecases.cycle.fields import set_field
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
    """The book of all experiments, and the experiment that the command names."""
    book = reading.read(project)
    return book, find_named(book, args.experiment)


# -- planning ------------------------------------------------------------------------------------------


def new(args: argparse.Namespace, project: Project, console: Console) -> None:
    if args.file is not None:
        experiment = experiment_definition.read_definition(args.file, projects.read_engagement(project).language)
    else:
        experiment = Experiment(
            0,
            args.title,
            tuple(experiment_definition.factor_of(words) for words in args.factor),
            tuple(experiment_definition.response_of(words) for words in args.response or ("real_s",)),
        )
    do(project, planning.add(_with_options(experiment, args)), args, console)


def _with_options(experiment: Experiment, args: argparse.Namespace) -> Experiment:
    """What was said on the command line, over what the file says."""
    options = options_of(experiment, args, *ALL_GROUPS)
    if args.title:
        options["title"] = args.title
    if args.cache:
        options["caches"] = tuple(CacheState(name) for name in args.cache)
    if args.cell:
        options["cells"] = tuple(_one_cell(experiment, words) for words in args.cell)
    if args.baseline:
        options["baseline"] = _one_cell(experiment, args.baseline)
    return _in_order(replace(experiment, **options), args)


def _one_cell(experiment: Experiment, words: str) -> Cell:
    return experiment_definition.cell_of(experiment, [part for part in words.split(";") if part.strip()])


def _in_order(experiment: Experiment, args: argparse.Namespace) -> Experiment:
    return replace(experiment, order=RunOrder(args.order)) if args.order else experiment


def add_example(args: argparse.Namespace, project: Project, console: Console) -> None:
    """Adds a built-in example; without a name, lists which there are."""
    if args.name:
        language = projects.read_engagement(project).language
        edit = in_both_languages(lambda code: experiment_examples.example_edit(args.name, code), language)
        do(project, edit, args, console)
        return
    examples = experiment_examples.examples(console.language)
    console.result([shape(example, "name title summary source cells measured") for example in examples])
    for example in examples:
        console.print(f"{example.name}: {example.title}")
        console.print(f"    {example.summary}")


def add_matrix(args: argparse.Namespace, project: Project, console: Console) -> None:
    """Adds the experiment of a matrix; without a name, lists which there are and what can be set of them."""
    if not args.name:
        matrices = experiment_matrices.matrices(console.language)
        console.result([_matrix(matrix) for matrix in matrices])
        for matrix in matrices:
            console.print(f"{matrix.name}: {matrix.title}\n    {matrix.summary}")
            for setting in matrix.settings:
                console.print(f"    --set {setting.name}={setting.default}    {setting.label}")
        return
    values = dict(_pair(pair) for pair in args.set)
    only = {name: levels.split(",") for name, levels in (_pair(pair) for pair in args.only)}
    numbers = {"repetitions": args.repetitions, "limit_s": args.limit_s}
    changes = {name: value for name, value in numbers.items() if value is not None}
    language = projects.read_engagement(project).language
    edit = in_both_languages(
        lambda code: experiment_matrices.matrix_edit(args.name, code, values, only, **changes), language
    )
    do(project, edit, args, console)


def _matrix(matrix: experiment_matrices.Matrix) -> dict[str, Any]:
    return {
        **shape(matrix, "name title summary source"),
        "settings": [shape(one, "name label default") for one in matrix.settings],
        "factors": {one.name: [level.name for level in one.levels] for one in matrix.made.factors},
        "responses": [one.name for one in matrix.made.responses],
    }


def _pair(words: str) -> tuple[str, str]:
    name, equals, value = words.partition("=")
    if not equals or not name.strip():
        raise UserError("experiment_words", words=words, known="NAME=VALUE")
    return name.strip(), value


def plan(args: argparse.Namespace, project: Project, console: Console) -> None:
    """Plans the trials that are missing; with other repetitions, another order or further levels, planned anew."""
    book, experiment = asked(args, project)
    for factor, level in map(_pair, args.level):
        experiment = with_level(experiment, factor, level)
    changed = replace(experiment, **options_of(experiment, args, "numbers"))
    do(project, planning.change(book, _in_order(changed, args)), args, console)


def set_(args: argparse.Namespace, project: Project, console: Console) -> None:
    """Texts in the second language: ``title@en=...``, ``responses.1.title@en=...``."""
    book, experiment = asked(args, project)
    for path, text in map(_pair, args.values):
        if "@" not in path:
            raise UserError("experiment_words", words=path, known="FIELD@ko|en=TEXT")
        experiment = set_field(experiment, path, text)
    do(project, planning.change(book, experiment), args, console)


def remove(args: argparse.Namespace, project: Project, console: Console) -> None:
    book, experiment = asked(args, project)
    do(project, planning.remove(book, experiment.id), args, console)


# -- results -------------------------------------------------------------------------------------------


def record(args: argparse.Namespace, project: Project, console: Console) -> None:
    book, experiment = asked(args, project)
    values = _values(experiment, args.values)
    build = _of_cell if args.trial is None else _of_trial
    do(project, build(book, experiment, args, values, project), args, console)


def _of_cell(
    book: ExperimentBook, experiment: Experiment, args: argparse.Namespace, values: dict[str, float], project: Project
) -> ExperimentEdit:
    result = Trial(
        0,
        experiment.id,
        (),
        state=TrialState.FAILED if args.failed else TrialState.DONE,
        values=recording.readings(values),
        reason=args.failed,
        decided_by=args.by if args.failed else "",
        **_facts(args, project),
    )
    cell = experiment_definition.cell_of(experiment, args.cell)
    return record_cell(book, experiment.id, cell, [result], **_where(args))


def _of_trial(
    book: ExperimentBook, experiment: Experiment, args: argparse.Namespace, values: dict[str, float], project: Project
) -> ExperimentEdit:
    trial = find_trial(book, args.trial)
    if trial.experiment_id != experiment.id:
        raise UserError("trial_unknown", id=args.trial, experiment=experiment.title)
    if args.failed:
        return recording.fail(book, trial.id, args.failed, args.by)
    act = recording.correct if args.correct else recording.record
    return act(book, trial.id, values, **_facts(args, project))


def _values(experiment: Experiment, words: list[str]) -> dict[str, float]:
    values: dict[str, float] = {}
    for word in words:
        name, equals, text = word.partition("=")
        response = experiment.response(name.strip())
        if not equals or response is None or response.name in values:
            names = ", ".join(expected.name for expected in experiment.responses)
            raise UserError("trial_value_unknown", response=word, known=names)
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
    book, experiment = asked(args, project)
    if (args.table is None) == (not args.capture):
        args.complain(console.text("cli.usage.one_of") % "TABLE.csv --capture")
    if args.table is not None:
        edit = experiment_tables.take_table(book, experiment.id, args.table, beyond_plan=args.beyond_plan)
    elif len(experiment.all_cells) > 1 and not (args.cell or args.run):  # what was run for it says which trials
        edit = experiment_runs.take_captures(project, book, experiment.id, args.capture)
        if not edit.changes:
            raise UserError("experiment_run_no_trials", capture=", ".join(str(number) for number in args.capture))
    else:
        cell = experiment_definition.cell_of(experiment, args.cell)
        window = windows.find_window(project, args.run) if args.run else None
        edit = experiment_results.take_captures(
            project, book, experiment.id, args.capture, cell, **_where(args), window=window
        )
    do(project, edit, args, console)


def exclude(args: argparse.Namespace, project: Project, console: Console) -> None:
    book, trial_id = _own_trial(args, project)
    do(project, recording.exclude(book, trial_id, args.reason, args.by), args, console)


def restore(args: argparse.Namespace, project: Project, console: Console) -> None:
    do(project, recording.restore(*_own_trial(args, project)), args, console)


def _own_trial(args: argparse.Namespace, project: Project) -> tuple[ExperimentBook, int]:
    book, experiment = asked(args, project)
    trial = book.trials.get(args.trial)
    if trial is None or trial.experiment_id != experiment.id:
        raise UserError("trial_unknown", id=args.trial, experiment=experiment.title)
    return book, trial.id


def export(args: argparse.Namespace, project: Project, console: Console) -> None:
    book, experiment = asked(args, project)
    if args.figures:
        path = experiment_export.export_figures(reading.analyse(book, experiment.id), args.file)
    else:
        path = experiment_export.export_trials(book, experiment.id, args.file)
    console.result({"file": str(path)})
    console.say("cli.experiment.exported", path=path)
