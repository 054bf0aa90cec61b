"""Sheets of experiments: every trial's value, and medians and ratios reckoned from them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from statistics import fmean, geometric_mean

from tunebench.reporting.cases.analysis import CaseCell, CaseExperiment, CasePart
from tunebench.reporting.chapters.context import Context
from tunebench.reporting.chapters.experiments import in_rank
from tunebench.reporting.xlsx.sheet import Book, Content, Formula, Head, Sheet
from tunebench.reporting.xlsx.sheets_data import HEADER_ROW, known, put_rows

VALUE_COLUMN = "J"
FIGURE_FORMAT, RATIO_FORMAT, SHARE_FORMAT = "#,##0.###", "0.000", "0.0%"

_Key = tuple[int, str, str, str]
"""Experiment, response, cache state, cell."""
_Area = tuple[int, int] | None
"""First and last row of the trials that count for a cell."""


@dataclass(slots=True)
class _Rows:
    """Rows of the trials, and where those that count for a cell stand."""

    rows: list[list[Content]] = field(default_factory=list)
    ranges: dict[_Key, tuple[int, int]] = field(default_factory=dict)


def experiment_sheets(context: Context, book: Book) -> None:
    found = context.case.analysis.experiments
    if not found:
        return
    text = context.text
    summary = book.sheet(text("sheet.experiments"), landscape=True)
    trials = book.sheet(text("sheet.trials"), landscape=True)
    trials.title(text("case_experiment.values_title"))
    placed = _trial_rows(context, found)
    put_rows(trials, _trial_heads(context), placed.rows)
    summary.title(text("section.experiments"), text("case_experiment.note"))
    put_rows(summary, _summary_heads(context), _summary_rows(context, found, placed, trials))


def _trial_heads(context: Context) -> list[Head]:
    text = context.text
    return [
        Head(text("case_experiment.number"), width=10),
        Head(text("case_experiment.response"), width=24),
        Head(text("case_experiment.caches"), width=16),
        Head(text("case_experiment.cell"), width=40),
        Head(text("case_experiment.repetition"), "tb integer", 10),
        Head(text("case_experiment.run_place"), "tb integer", 10),
        Head(text("case_experiment.trial_role"), width=12),
        Head(text("column.state"), width=10),
        Head(text("case_experiment.counted"), width=8),
        Head(text("case_experiment.value"), "tb number", 16, FIGURE_FORMAT),
        Head(text("workbook.unit"), width=10),
        Head(text("finding.why"), width=36),
        Head(text("column.evidence"), width=14),
    ]


def _trial_rows(context: Context, found: tuple[CaseExperiment, ...]) -> _Rows:
    """Those that count for a cell stand below each other."""
    placed = _Rows()
    for each in found:
        for part in each.parts:
            order = {cell.name: place for place, cell in enumerate(part.cells)}
            trials = sorted(part.trials, key=lambda trial: (order.get(trial.cell, len(order)), not trial.stands))
            for trial in trials:
                down = HEADER_ROW + 1 + len(placed.rows)
                placed.rows.append(
                    [
                        f"X-{each.number}",
                        part.response,
                        part.cache,
                        trial.cell,
                        trial.trial.repetition,
                        trial.trial.place,
                        trial.role,
                        trial.state,
                        context.text("workbook.yes" if trial.stands else "workbook.no"),
                        trial.value,
                        part.unit,
                        trial.trial.reason or "–",
                        trial.evidence or "–",
                    ]
                )
                if trial.stands:
                    key = _key(each, part, trial.cell)
                    placed.ranges[key] = (placed.ranges.get(key, (down, down))[0], down)
    return placed


def _key(found: CaseExperiment, part: CasePart, cell: str) -> _Key:
    return found.number, part.response, part.cache, cell


def _summary_heads(context: Context) -> list[Head]:
    text = context.text
    return [
        Head(text("case_experiment.number"), width=34),
        Head(text("case_experiment.response"), width=24),
        Head(text("case_experiment.caches"), width=16),
        Head(text("case_experiment.cell"), width=40),
        Head("n", "tb integer", 6),
        Head(text("case_experiment.median"), "tb number", 14, FIGURE_FORMAT),
        Head(text("workbook.low"), "tb number", 14, FIGURE_FORMAT),
        Head(text("workbook.high"), "tb number", 14, FIGURE_FORMAT),
        Head(text("case_experiment.spread"), "tb number", 14, SHARE_FORMAT),
        Head(text("case_experiment.ratio_means"), "tb number", 14, RATIO_FORMAT),
        Head(text("case_experiment.place"), "tb integer", 8),
        Head(text("case_experiment.ratio"), width=34),
        Head(text("verdict.title"), width=24),
        Head(text("verdict.variation"), width=22),
        Head(text("case_experiment.settles"), width=44),
        Head(text("column.evidence"), width=24),
    ]


def _summary_rows(
    context: Context, found: tuple[CaseExperiment, ...], placed: _Rows, trials: Sheet
) -> Iterator[list[Content]]:
    down = HEADER_ROW
    for each in found:
        for part in each.parts:
            cells = in_rank(part.cells)
            reference = next((cell for cell in cells if cell.reference), None)
            basis = None if reference is None else placed.ranges.get(_key(each, part, reference.name))
            for cell in cells:
                down += 1
                area = placed.ranges.get(_key(each, part, cell.name))
                yield _summary_row(context, (each, part, cell), (area, basis), trials)


def _summary_row(
    context: Context, told: tuple[CaseExperiment, CasePart, CaseCell], areas: tuple[_Area, _Area], trials: Sheet
) -> list[Content]:
    each, part, cell = told
    numbers = context.words.missing
    median, spread = _of_values(cell, areas[0], trials)
    interval = cell.figures.interval
    low, high = (interval.low, interval.high) if interval else ("–", "–")
    keys = dict.fromkeys(trial.evidence for trial in part.trials if trial.cell == cell.name and trial.evidence)
    return [
        f"X-{each.number} {each.title}",
        f"{part.response} ({part.unit})" if part.unit else part.response,
        part.cache,
        cell.name,
        cell.figures.n,
        numbers if median is None else median,
        low,
        high,
        spread,
        _ratio(context, told, areas, trials),
        known(cell.place),
        context.text("case_experiment.is_reference") if cell.reference else cell.ratio_words or "–",
        cell.verdict or "–",
        cell.variation or "–",
        cell.settles or "–",
        ", ".join(keys) or "–",
    ]


def _of_values(cell: CaseCell, area: _Area, trials: Sheet) -> tuple[Content, Content]:
    """Median and spread, reckoned from the trials' own sheet."""
    found = cell.figures
    if area is None or found.median is None:
        return found.median, "–"
    values = _values(area, trials)
    spread: Content = "–"
    if found.spread is not None:
        spread = Formula(f"MAX({values})/MIN({values})-1", found.spread)
    return Formula(f"MEDIAN({values})", found.median), spread


def _values(area: tuple[int, int], trials: Sheet) -> str:
    return trials.reference(f"{VALUE_COLUMN}{area[0]}:{VALUE_COLUMN}{area[1]}")


def _ratio(
    context: Context, told: tuple[CaseExperiment, CasePart, CaseCell], areas: tuple[_Area, _Area], trials: Sheet
) -> Content:
    """Geometric mean over that of the reference, whichever is better; the means where a run gave 0."""
    _each, part, cell = told
    own, base = (
        [trial.value for trial in part.trials if trial.stands and trial.cell == name and trial.value is not None]
        for name in (cell.name, next((one.name for one in part.cells if one.reference), ""))
    )
    if None in areas or not own or not base or not any(base):
        return context.text("change.not_computable")
    positive = min(*own, *base) > 0
    mean, function = (geometric_mean, "GEOMEAN") if positive else (fmean, "AVERAGE")
    first, second = (_values(area, trials) for area in areas if area is not None)
    return Formula(f"{function}({first})/{function}({second})", mean(own) / mean(base))
