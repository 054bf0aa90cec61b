"""What ``experiment`` shows: lists, plans and analyses, for people and as JSON."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator
from functools import partial
from typing import Any

from tunebench.analysis.experiments.analysis import ExperimentAnalysis, PartAnalysis
from tunebench.analysis.experiments.interactions import InteractionTable
from tunebench.cli.console import Console
from tunebench.cli.experiments.acts import asked
from tunebench.contract import experiments as experiment_shapes
from tunebench.domain.experiments.records import CacheState, Experiment, Trial, TrialState, cell_text
from tunebench.usecases.experiments import reading
from tunebench.usecases.experiments import words as experiment_words
from tunebench.usecases.projects import Project

_DIGITS = 4


def list_(_args: argparse.Namespace, project: Project, console: Console) -> None:
    book = reading.read(project)
    console.result([experiment_shapes.head(experiment, book) for experiment in book.experiments.values()])
    for experiment in book.experiments.values():
        counts = Counter(trial.state for trial in book.trials_of(experiment.id))
        states = " · ".join(f"{_member(console, state)} {counts[state]}" for state in TrialState if counts[state])
        console.print(f"{experiment.id}. {experiment.title}" + (f"  ({states})" if states else ""))
    if not book.experiments:
        console.say("cli.experiment.none")


def show(args: argparse.Namespace, project: Project, console: Console) -> None:
    book, experiment = asked(args, project)
    shape = experiment_shapes.whole(experiment, book)
    console.result(shape)
    console.print(f"{experiment.id}. {experiment.title}")
    for factor in experiment.factors:
        unit = f" [{factor.unit}]" if factor.unit else ""
        console.print(f"  {factor.name}{unit}: {', '.join(level.name for level in factor.levels)}")
    order = experiment_words.member_text(experiment.order, console.language)
    console.say("cli.experiment.plan", repetitions=experiment.repetitions, order=order, seed=experiment.seed)
    for text in (
        experiment.setup,
        experiment.command,
        experiment.teardown,
        experiment.source,
        experiment.notes,
        *experiment.confounders,
    ):
        if text:
            console.print(f"  {text}")
    unmeasured = partial(experiment_words.unmeasured_text, experiment, language=console.language)
    rows = [
        [
            str(trial.id),
            str(trial.place),
            f"{cell_text(experiment, trial.cell)} #{trial.repetition}",
            _member(console, trial.state),
            " · ".join(filter(None, (_values(trial), unmeasured(trial)))),
        ]
        for trial in book.trials_of(experiment.id)
    ]
    console.table(
        console.headings("cli.experiment.column", "trial place cell state values"), rows, right=frozenset({0, 1})
    )
    _say_next(shape["next"], console)


def _values(trial: Trial) -> str:
    return " ".join(f"{value.response}={_number(value.value)}" for value in trial.values) or trial.reason


def _say_next(following: dict[str, Any] | None, console: Console) -> None:
    if following is None:
        return
    console.print()
    cell = " · ".join(f"{name}={level}" for name, level in following["cell"].items())
    console.say("cli.experiment.next", trial=following["id"], cell=cell)
    for name in experiment_shapes.COMMANDS:
        if following[name]:
            console.print(f"  {following[name]}")


# -- analysis ------------------------------------------------------------------------------------------


def analyse(args: argparse.Namespace, project: Project, console: Console) -> None:
    book, one = asked(args, project)
    analysis = reading.analyse(book, one.id)
    console.result(experiment_shapes.analysis(analysis))
    console.print(analysis.experiment.title)
    for part in analysis.parts:
        _part(analysis.experiment, part, console)
        if part.response == analysis.parts[0].response:
            _structure(part, console)
    _waiting(analysis, console)
    console.print()
    outcome = experiment_words.outcome_text(next(iter(analysis.parts), None), console.language)
    console.say("cli.experiment.verdict", verdict=outcome)
    of_parts = (caution for part in analysis.parts for caution in part.cautions)
    cautions = [experiment_words.caution_text(caution, console.language) for caution in (*of_parts, *analysis.cautions)]
    for text in dict.fromkeys([*cautions, *analysis.experiment.confounders]):
        console.print(f"  ! {text}")


def _part(experiment: Experiment, part: PartAnalysis, console: Console) -> None:
    language = console.language
    console.print()
    cache = "" if part.cache is CacheState.UNKNOWN else f" · {_member(console, part.cache)}"
    console.print(f"{part.response.title or part.response.name} [{part.response.unit}]{cache}")
    headings = console.headings("cli.experiment.column", "cell n median interval ratio verdict variation")
    console.table(headings, list(_rows(experiment, part, language)), right=frozenset({1, 2}))
    console.print("  " + experiment_words.noise_text(part.noise, language))


def _structure(part: PartAnalysis, console: Console) -> None:
    """How the factors depend on each other, and the curves."""
    language = console.language
    for table in part.interactions:
        _interaction(table, part, console)
    if part.no_variance:
        console.print("  " + experiment_words.no_variance_text(part.no_variance, language))
    for curve in part.curves:
        fixed = "".join(f" · {name}={level}" for name, level in curve.fixed)
        console.print(f"  {curve.factor}{fixed}: {experiment_words.curve_text(curve, language)}")


def _rows(experiment: Experiment, part: PartAnalysis, language: str) -> Iterator[list[str]]:
    """The measured cells, best first where there is a ranking."""
    ranked = [cell for group in part.ranking for cell in group.cells]
    order = ranked or [figures.cell for figures in part.cells if figures.n]
    for cell in order:
        figures, compared = part.figures_of(cell), part.comparison_of(cell)
        if figures is None:
            continue
        interval = figures.interval
        if compared is None:
            judged = ["=" if cell == experiment.reference else "-", "", ""]
        else:
            settles = experiment_words.settles_text(compared, language)
            judged = [
                experiment_words.ratio_text(compared, language, part.response.direction),
                " · ".join(text for text in (experiment_words.judged_text(compared, language), settles) if text),
                experiment_words.variation_text(compared, language),
            ]
        between = "-" if interval is None else f"[{_number(interval.low)}, {_number(interval.high)}]"
        yield [cell_text(experiment, cell), str(figures.n), _number(figures.median), between, *judged]


def _interaction(table: InteractionTable, part: PartAnalysis, console: Console) -> None:
    console.print()
    headings = [f"{table.first} \\ {table.second}", *table.second_levels]
    rows = [
        [level, *(_number(value) for value in row)] for level, row in zip(table.first_levels, table.values, strict=True)
    ]
    rows.append(
        [console.text("cli.experiment.effect", factor=table.first), *(_number(value) for value in table.effect)]
    )
    console.table(headings, rows, right=frozenset(range(1, len(headings))))
    if not table.comparable:
        console.say("cli.experiment.mixed")
    effect = part.variance.interaction(table.first, table.second) if part.variance else None
    if effect is not None:
        console.say("cli.experiment.interaction", f=f"{effect.f:.3g}", p=f"{effect.p:.2g}")


def _waiting(analysis: ExperimentAnalysis, console: Console) -> None:
    for cache, cells in analysis.waiting:
        console.print()
        if cache is not CacheState.UNKNOWN:
            console.print(_member(console, cache))
        headings = console.headings("cli.experiment.column", "cell real user sys wait sys_ratio")
        rows = []
        for times in cells:
            share = "" if times.share is None else f" ({100 * times.share:.1f} %)"
            figures = [_number(value) for value in (times.real_s, times.user_s, times.sys_s)]
            price = "-" if times.sys_ratio is None else f"{times.sys_ratio:.3f}"
            rows.append(
                [cell_text(analysis.experiment, times.cell), *figures, f"{_number(times.wait_s)}{share}", price]
            )
        console.table(headings, rows, right=frozenset(range(1, 6)))


def _member(console: Console, member: TrialState | CacheState) -> str:
    return experiment_words.member_text(member, console.language)


def _number(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:,.0f}" if abs(value) >= 10_000 else f"{value:.{_DIGITS + 1}g}"
