"""What the verdicts rest on: the figures of every occurrence, and the parts of the load that both sides had."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import inf, isfinite, log

from tunebench.analysis.comparing.comparison import Grounds, Method, OccurrenceLevel
from tunebench.analysis.comparing.equal_load import PartLevel
from tunebench.analysis.comparing.occurrence_figures import Statistic
from tunebench.analysis.inference.occurrences import Source
from tunebench.analysis.inference.student import t_quantile
from tunebench.columns.comparing_words import measure_text
from tunebench.domain.engagement import Direction, Phase
from tunebench.reporting.cases.analysis import Judged
from tunebench.reporting.chapters.context import Context
from tunebench.reporting.xlsx.sheet import Book, Content, Formula, Head
from tunebench.reporting.xlsx.sheets_data import HEADER_ROW, known, local_moment, put_register

FIGURE_FORMAT, RATIO_FORMAT = "#,##0.###", "0.000"
_SHARE, _RECKONED, _LOGARITHM, _VARIANCE, _SD, _DF, _T, _RATIO = "LMNOQRST"
_SIDES = (Phase.BEFORE, Phase.AFTER)


def occurrence_sheet(context: Context, book: Book) -> None:
    """A line for each occurrence of each judged series; in the first of them its interval, reckoned by the sheet."""
    judged = [each for each in context.case.comparison if each.row.grounds is not None]
    text, name = context.text, context.text("sheet.occurrences")
    statistics = (text("statistic.mean"), text("statistic.p95"), "p99")
    heads = [
        Head(text("column.host")),
        Head(text("column.series")),
        Head(text("workbook.unit")),
        Head(text("column.phase"), width=14),
        Head(text("workbook.occurrence"), "tb integer", 11),
        Head(text("workbook.from"), "tb moment", 18),
        Head(text("workbook.to"), "tb moment", 18),
        Head("n", "tb integer", 9),
        *(Head(statistic, "tb number", 12, FIGURE_FORMAT) for statistic in statistics),
        Head(text("workbook.work_share"), "tb number", 12, "0.0000"),
        Head(text("workbook.reckoned"), "tb number", 13, FIGURE_FORMAT),
        Head("ln", "tb number", 11, "0.000000"),
        Head(text("workbook.inside_variance"), "tb number", 13, "0.00E+00"),
        Head(text("workbook.pair"), "tb integer", 7),
        Head("s0", "tb number", 10, "0.0000"),
        Head("d0", "tb number", 10, "0.0"),
        Head("t", "tb number", 10, "0.0000"),
        *(Head(text(f"workbook.{key}"), "tb number", 11, RATIO_FORMAT) for key in ("reckoned_ratio", "low", "high")),
        Head(text("column.evidence"), width=14),
    ]
    rows: list[list[Content]] = []
    for each in judged:
        rows += _block(context, each, HEADER_ROW + 1 + len(rows))
    put_register(book, name, (name, " ".join((text("workbook.occurrences_note"), *context.clocks()))), heads, rows)


def _block(context: Context, judged: Judged, down: int) -> Iterator[list[Content]]:
    """From row `down` on: the occurrences before, then those after."""
    row, words = judged.row, context.words
    assert row.grounds is not None
    paired = row.method is Method.PAIRED_OCCURRENCES
    summary = _summary(judged, row.grounds, down, paired)
    sides = (row.grounds.before, row.grounds.after)
    names = (words.host(row.series.host) or words.missing, judged.label, words.unit(row.unit))
    for phase, own, keys in zip(_SIDES, sides, (judged.before_evidence, judged.after_evidence), strict=True):
        for pair, level in enumerate(own, 1):
            yield [
                *names,
                context.text(f"phase.{phase.value}"),
                *_occurrence(context, phase, level),
                *_reckoned(level, down),
                pair if paired else "–",
                *summary,
                ", ".join(keys),
            ]
            summary, down = ["–"] * 6, down + 1


def _occurrence(context: Context, phase: Phase, level: OccurrenceLevel) -> Iterator[Content]:
    """Number, from, to, n, mean, p95, p99, share of the work."""
    window = next((each for each in context.case.windows if each.phase is phase), None)
    told = window.occurrences[level.place] if window and level.place < len(window.occurrences) else None
    yield level.place + 1
    yield local_moment(context, told.start_ns if told else None)
    yield local_moment(context, told.end_ns if told else None)
    yield level.found.n
    for statistic in Statistic:
        figure = level.found.figures.get(statistic)
        yield "–" if figure is None else figure.value
    yield level.share


def _reckoned(level: OccurrenceLevel, down: int) -> Iterator[Content]:
    """What the verdict reckons with, its logarithm, and the variance of that from inside the occurrence."""
    mean = level.found.figures[Statistic.MEAN].value
    value = mean / level.share if level.share else 0.0
    yield Formula(f"I{down}/{_SHARE}{down}", value) if level.share else "–"
    yield Formula(f"LN({_RECKONED}{down})", log(value)) if value > 0 else "–"
    yield known(level.variance)


def _summary(judged: Judged, grounds: Grounds, down: int, paired: bool) -> list[Content]:
    """s0, d0, t, ratio and interval; nothing where the verdict is not on logarithms."""
    row, counts = judged.row, (len(grounds.before), len(grounds.after))
    logs = all(each.variance is not None for each in (*grounds.before, *grounds.after))
    if not logs or row.estimate is None or row.interval is None or row.variation is None:
        return ["–"] * 6
    if not isfinite(row.interval.high) or not row.interval.low < row.interval.high:
        return ["–"] * 6
    own_df = counts[0] - 1 if paired else sum(counts) - 2
    prior_df = grounds.prior.df_beside(own_df)
    t = t_quantile((1 + row.interval.confidence) / 2, own_df + prior_df)
    before, after = (down, down + counts[0] - 1), (down + counts[0], down + sum(counts) - 1)
    upper, lower = (before, after) if row.direction is Direction.LOWER else (after, before)
    ratio = f"GEOMEAN({_cells(_RECKONED, upper)})/GEOMEAN({_cells(_RECKONED, lower)})"
    reach = _reach(grounds, row.interval.confidence, (before, after), down, paired)
    return [
        grounds.prior.sd,
        prior_df,
        t,
        Formula(ratio, row.estimate),
        Formula(f"{_RATIO}{down}*EXP(-{reach})", row.interval.low),
        Formula(f"{_RATIO}{down}*EXP({reach})", row.interval.high),
    ]


def _reach(grounds: Grounds, confidence: float, ranges: Sequence[tuple[int, int]], down: int, paired: bool) -> str:
    """Half the interval's width on logarithms, as `tunebench.analysis.inference.occurrences.reach_of` reckons it."""
    if grounds.prior.source is not Source.ASSUMED or len(grounds.before) > 1 or len(grounds.after) > 1:
        return f"{_T}{down}*SQRT({_variance(grounds, ranges, down, paired)})"
    inside = "+".join(f"{_VARIANCE}{own[0]}" for own in ranges)
    known = t_quantile((1 + confidence) / 2, inf)
    return f"SQRT(({_T}{down}*{_SD}{down})^2*2+{known!r}^2*({inside}))"


def _variance(grounds: Grounds, ranges: Sequence[tuple[int, int]], down: int, paired: bool) -> str:
    """Of the difference of the mean logarithms, as `analysis.inference.occurrences.change_between` reckons it."""
    (before, after), counts = ranges, (len(grounds.before), len(grounds.after))
    logs = [_cells(_LOGARITHM, own) for own in ranges]
    if paired:
        df = counts[0] - 1
        squares = f"(SUMXMY2({logs[1]},{logs[0]})-{counts[0]}*(AVERAGE({logs[1]})-AVERAGE({logs[0]}))^2)/2"
    else:
        df = sum(counts) - 2
        squares = f"DEVSQ({logs[0]})+DEVSQ({logs[1]})"
    assumed = grounds.prior.source is Source.ASSUMED
    inside = f"+AVERAGE({_cells(_VARIANCE, (before[0], after[1]))})" if assumed else ""
    between = f"({squares}+{_DF}{down}*({_SD}{down}^2{inside}))/({df}+{_DF}{down})*(1/{counts[0]}+1/{counts[1]})"
    least = "+".join(f"SUM({_cells(_VARIANCE, own)})/{count}^2" for own, count in zip(ranges, counts, strict=True))
    return f"MAX({between},{least})"


def _cells(column: str, rows: tuple[int, int]) -> str:
    return f"{column}{rows[0]}:{column}{rows[1]}"


# -- equal load ------------------------------------------------------------------------------------------


def load_sheet(context: Context, book: Book) -> None:
    """Response against load: a line for each part of the range that both sides visited."""
    judged = [each for each in context.case.comparison if each.row.curve is not None]
    text, title = context.text, context.text("sheet.at_load")
    heads = [
        Head(text("column.host")),
        Head(text("column.series")),
        Head(text("workbook.unit")),
        Head(text("workbook.load_measure"), width=26),
        Head(text("workbook.load_from"), "tb number", 13, FIGURE_FORMAT),
        Head(text("workbook.load_to"), "tb number", 13, FIGURE_FORMAT),
        *(head for phase in _SIDES for head in _part_heads(context, phase)),
        Head(text("workbook.part_ratio"), "tb number", 11, RATIO_FORMAT),
        Head(text("column.evidence"), width=14),
    ]
    rows: list[list[Content]] = []
    for each in judged:
        rows += _parts(context, each, HEADER_ROW + 1 + len(rows))
    put_register(book, title, (title, text("workbook.at_load_note")), heads, rows)


def _part_heads(context: Context, phase: Phase) -> Iterator[Head]:
    side = context.text(f"column.{phase}_short")
    for name in ("mean", "lowest", "highest"):
        yield Head(f"{context.text(f'workbook.part_{name}')} {side}", "tb number", 13, FIGURE_FORMAT)
    yield Head(f"{context.text('workbook.part_occurrences')} {side}", "tb integer", 13)


def _parts(context: Context, judged: Judged, down: int) -> Iterator[list[Content]]:
    row, words = judged.row, context.words
    assert row.curve is not None
    measure = measure_text(row.curve.measure, words.language)
    names = (words.host(row.series.host) or words.missing, judged.label, words.unit(row.unit), measure)
    keys = ", ".join((*judged.before_evidence, *judged.after_evidence))
    for place, part in enumerate(row.curve.parts, down):
        upper, lower = (part.before, part.after) if row.direction is Direction.LOWER else (part.after, part.before)
        cells = ("G", "K") if row.direction is Direction.LOWER else ("K", "G")
        ratio: Content = "–"
        if upper is not None and lower is not None and lower.mean:
            ratio = Formula(f"{cells[0]}{place}/{cells[1]}{place}", upper.mean / lower.mean)
        yield [*names, part.low, part.high, *_part_cells(part.before), *_part_cells(part.after), ratio, keys]


def _part_cells(level: PartLevel | None) -> Sequence[Content]:
    return ("–",) * 4 if level is None else (level.mean, level.lowest, level.highest, level.occurrences)
