"""Sheets of experiments: every trial's value, and medians and ratios reckoned from them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from statistics import fmean, geometric_mean
from typing import NamedTuple

from tunebench.columns.column import Column
from tunebench.columns.formats import COUNT, MEASURED, RATIO, SHARE
from tunebench.reporting.cases.analysis import CaseCell, CaseExperiment, CasePart, CaseTrial
from tunebench.reporting.chapters.context import Context
from tunebench.reporting.chapters.experiments import in_rank
from tunebench.reporting.xlsx.columns import HEADER_ROW, letters_of, put_lines
from tunebench.reporting.xlsx.sheet import Book, Formula


class _Tried(NamedTuple):
    experiment: CaseExperiment
    part: CasePart
    trial: CaseTrial


class _Ranked(NamedTuple):
    """A cell; its ratio is over the reference, None where it cannot be reckoned.

    `values`: what its median is of, as cells of the trials' own sheet; empty where there is none.
    """

    experiment: CaseExperiment
    part: CasePart
    cell: CaseCell
    values: str
    ratio: Formula | None


def experiment_sheets(context: Context, book: Book) -> None:
    experiments, text, locale = context.case.analysis.experiments, context.text, context.words.locale
    if not experiments:
        return
    summary = book.sheet(text("sheet.experiments"), landscape=True)
    trials = book.sheet(text("sheet.trials"), landscape=True)
    trials.title(text("case_experiment.values_title"))
    columns, rows = _trial_columns(context), list(_trials(experiments))
    put_lines(trials, columns, rows, locale)
    letter = letters_of(columns)["value"]

    def values(part: CasePart, cell: str) -> str:
        """Those that count for a cell; empty where there are none."""
        lines = [
            line
            for line, row in enumerate(rows, HEADER_ROW + 1)
            if row.part is part and row.trial.cell == cell and row.trial.stands
        ]
        return trials.reference(f"{letter}{lines[0]}:{letter}{lines[-1]}") if lines else ""

    summary.title(text("section.experiments"), text("case_experiment.note"))
    put_lines(summary, _summary_columns(context), _ranked(experiments, values), locale)


def _trial_columns(context: Context) -> Sequence[Column[_Tried]]:
    text = context.text
    return (
        Column("number", "report.case_experiment.number", lambda row: f"X-{row.experiment.number}", width=10),
        Column("response", "report.case_experiment.response", lambda row: row.part.response, width=24),
        Column("caches", "report.case_experiment.caches", lambda row: row.part.cache, width=16),
        Column("cell", "report.case_experiment.cell", lambda row: row.trial.cell, width=40),
        Column(
            "repetition", "report.case_experiment.repetition", lambda row: row.trial.trial.repetition, COUNT, width=10
        ),
        Column("place", "report.case_experiment.run_place", lambda row: row.trial.trial.place, COUNT, width=10),
        Column("role", "report.case_experiment.trial_role", lambda row: row.trial.role, width=12),
        Column("state", "report.column.state", lambda row: row.trial.state, width=10),
        Column(
            "counted",
            "report.case_experiment.counted",
            lambda row: text("workbook.yes" if row.trial.stands else "workbook.no"),
            width=8,
        ),
        Column("value", "report.case_experiment.value", lambda row: row.trial.value, MEASURED, lambda *_: "", width=16),
        Column("unit", "report.workbook.unit", lambda row: row.part.unit, width=10),
        Column("why", "report.finding.why", lambda row: row.trial.trial.reason or "–", width=36),
        Column("evidence", "report.column.evidence", lambda row: row.trial.evidence or "–", width=14),
    )


def _trials(experiments: Sequence[CaseExperiment]) -> Iterator[_Tried]:
    """Those that count for a cell stand below each other."""
    for experiment in experiments:
        for part in experiment.parts:
            order = {cell.name: index for index, cell in enumerate(part.cells)}
            for trial in sorted(part.trials, key=lambda trial: (order.get(trial.cell, len(order)), not trial.stands)):
                yield _Tried(experiment, part, trial)


def _summary_columns(context: Context) -> Sequence[Column[_Ranked]]:
    absent, reference = context.text("change.not_computable"), context.text("case_experiment.is_reference")
    return (
        Column(
            "number",
            "report.case_experiment.number",
            lambda row: f"X-{row.experiment.number} {row.experiment.title}",
            width=34,
        ),
        Column("response", "report.case_experiment.response", lambda row: _response(row.part), width=24),
        Column("caches", "report.case_experiment.caches", lambda row: row.part.cache, width=16),
        Column("cell", "report.case_experiment.cell", lambda row: row.cell.name, width=40),
        Column("n", lambda _: "n", lambda row: row.cell.figures.n, COUNT, width=6),
        Column(
            "median",
            "report.case_experiment.median",
            lambda row: row.cell.figures.median,
            MEASURED,
            measured=True,
            formula=lambda row, *_: f"MEDIAN({row.values})" if row.values else "",
            width=14,
        ),
        _end("low"),
        _end("high"),
        Column(
            "spread",
            "report.case_experiment.spread",
            lambda row: row.cell.figures.spread if row.values else None,
            SHARE,
            formula=lambda row, *_: f"MAX({row.values})/MIN({row.values})-1",
            width=14,
        ),
        Column(
            "ratio",
            "report.case_experiment.ratio_means",
            lambda row: row.ratio.result if row.ratio else None,
            RATIO,
            lambda *_: absent,
            formula=lambda row, *_: row.ratio.text if row.ratio else "",
            width=14,
        ),
        Column("place", "report.case_experiment.place", lambda row: row.cell.place, COUNT, width=8),
        Column(
            "ratio.words",
            "report.case_experiment.ratio",
            lambda row: reference if row.cell.reference else row.cell.ratio_words or "–",
            width=34,
        ),
        Column("verdict", "report.verdict.title", lambda row: row.cell.verdict or "–", width=24),
        Column("variation", "report.verdict.variation", lambda row: row.cell.variation or "–", width=22),
        Column("settles", "report.case_experiment.settles", lambda row: row.cell.settles or "–", width=44),
        Column("evidence", "report.column.evidence", lambda row: ", ".join(_evidence(row)) or "–", width=24),
    )


def _response(part: CasePart) -> str:
    return f"{part.response} ({part.unit})" if part.unit else part.response


def _end(name: str) -> Column[_Ranked]:
    """One end of the interval of the median."""
    return Column(
        name, f"report.workbook.{name}", lambda row: getattr(row.cell.figures.interval, name, None), MEASURED, width=14
    )


def _evidence(row: _Ranked) -> dict[str, None]:
    return dict.fromkeys(trial.evidence for trial in row.part.trials if trial.cell == row.cell.name and trial.evidence)


def _ranked(experiments: Sequence[CaseExperiment], values: Callable[[CasePart, str], str]) -> Iterator[_Ranked]:
    for experiment in experiments:
        for part in experiment.parts:
            cells = in_rank(part.cells)
            reference = next((cell.name for cell in cells if cell.reference), "")
            base = values(part, reference)
            for cell in cells:
                own = values(part, cell.name)
                ratio = _ratio(part, (cell.name, reference), (own, base))
                yield _Ranked(experiment, part, cell, "" if cell.figures.median is None else own, ratio)


def _ratio(part: CasePart, names: tuple[str, str], values: tuple[str, str]) -> Formula | None:
    """Geometric mean over that of the reference, whichever is better; the means where a run gave 0."""
    own, base = (
        [trial.value for trial in part.trials if trial.stands and trial.cell == name and trial.value is not None]
        for name in names
    )
    if not all(values) or not own or not any(base):
        return None
    positive = min(*own, *base) > 0
    mean, function = (geometric_mean, "GEOMEAN") if positive else (fmean, "AVERAGE")
    return Formula(f"{function}({values[0]})/{function}({values[1]})", mean(own) / mean(base))
