"""What the verdicts rest on: the figures of every occurrence, and the parts of the load that both sides had."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import inf, isfinite, log

from tunebench.analysis.comparing.comparison import Grounds, Method, OccurrenceLevel
from tunebench.analysis.comparing.equal_load import LoadPart, PartLevel
from tunebench.analysis.comparing.occurrence_figures import Statistic
from tunebench.analysis.inference.occurrences import Source
from tunebench.analysis.inference.student import t_quantile
from tunebench.columns.column import Cells, Column, Locale
from tunebench.columns.comparing_words import measure_text
from tunebench.columns.formats import COUNT, MEASURED, RATIO
from tunebench.domain.engagement import Direction, Phase
from tunebench.reporting.cases.analysis import Judged
from tunebench.reporting.chapters.context import Context
from tunebench.reporting.xlsx.columns import HEADER_ROW, Part, Register, put_rows, serial_day
from tunebench.reporting.xlsx.sheet import Book, Content, Formula, Head
from tunebench.reporting.xlsx.verdict_columns import evidence_keys, name_columns

_SHARE, _RECKONED, _LOGARITHM, _VARIANCE, _SD, _DF, _T, _RATIO = "LMNOQRST"
_SIDES = (Phase.BEFORE, Phase.AFTER)


def occurrence_sheet(context: Context, book: Book) -> None:
    """A line for each occurrence of each judged series; in the first of them its interval, reckoned by the sheet."""
    text, name = context.text, context.text("sheet.occurrences")
    ratios = ("reckoned_ratio", "low", "high")
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
        *(Head(statistic, "tb number", 12, MEASURED.number_format) for statistic in statistics),
        Head(text("workbook.work_share"), "tb number", 12, "0.0000"),
        Head(text("workbook.reckoned"), "tb number", 13, MEASURED.number_format),
        Head("ln", "tb number", 11, "0.000000"),
        Head(text("workbook.inside_variance"), "tb number", 13, "0.00E+00"),
        Head(text("workbook.pair"), "tb integer", 7),
        Head("s0", "tb number", 10, "0.0000"),
        Head("d0", "tb number", 10, "0.0"),
        Head("t", "tb number", 10, "0.0000"),
        *(Head(text(f"workbook.{key}"), "tb number", 11, RATIO.number_format) for key in ratios),
        Head(text("column.evidence"), width=14),
    ]
    rows: list[list[Content]] = []
    for judged in context.case.comparison:
        if judged.row.grounds is not None:
            rows += _block(context, judged, HEADER_ROW + 1 + len(rows))
    if rows:
        sheet = book.sheet(name, landscape=True)
        sheet.title(name, " ".join((text("workbook.occurrences_note"), *context.clocks())))
        put_rows(sheet, heads, rows)


def _block(context: Context, judged: Judged, down: int) -> Iterator[list[Content]]:
    """From row `down` on: the occurrences before, then those after."""
    row, words = judged.row, context.words
    assert row.grounds is not None
    paired = row.method is Method.PAIRED_OCCURRENCES
    summary = _summary(judged, row.grounds, down, paired)
    sides = (row.grounds.before, row.grounds.after)
    infos = (row.before, row.after)
    evidence = (judged.before_evidence, judged.after_evidence)
    for phase, info, own, keys in zip(_SIDES, infos, sides, evidence, strict=True):
        host = words.host(info.host) if info is not None else ""
        for pair, level in enumerate(own, 1):
            yield [
                host or words.missing,
                judged.label,
                words.unit(row.unit),
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
    window = next((window for window in context.case.windows if window.phase is phase), None)
    occurrence = window.occurrences[level.place] if window and level.place < len(window.occurrences) else None
    yield level.place + 1
    for end in ("start_ns", "end_ns"):
        moment = getattr(occurrence, end, None)
        yield context.words.missing if moment is None else serial_day(moment, context.words.zoneinfo)
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
    yield "–" if level.variance is None else level.variance


def _summary(judged: Judged, grounds: Grounds, down: int, paired: bool) -> list[Content]:
    """s0, d0, t, ratio and interval; nothing where the verdict is not on logarithms."""
    row, counts = judged.row, (len(grounds.before), len(grounds.after))
    logs = all(level.variance is not None for level in (*grounds.before, *grounds.after))
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
    normal = t_quantile((1 + confidence) / 2, inf)
    return f"SQRT(({_T}{down}*{_SD}{down})^2*2+{normal!r}^2*({inside}))"


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


_AtLoad = Part[Judged, LoadPart]


def load_sheet(context: Context, book: Book) -> None:
    """Response against load: a line for each part of the range that both sides visited."""
    text = context.text

    def measure(row: _AtLoad) -> str:
        curve = row.whole.row.curve
        return "" if curve is None else measure_text(curve.measure, context.words.language)

    def figure(phase: Phase, name: str) -> Column[_AtLoad]:
        heading = f"{text(f'workbook.part_{name}')} {text(f'column.{phase}_short')}"
        format_ = COUNT if name == "occurrences" else MEASURED
        return Column(
            f"{phase}.{name}", lambda _: heading, lambda row: getattr(_level(row, phase), name, None), format_, width=13
        )

    Register(
        context,
        book,
        "sheet.at_load",
        text("sheet.at_load"),
        text("workbook.at_load_note"),
        (
            Part(judged, part)
            for judged in context.case.comparison
            if judged.row.curve is not None
            for part in judged.row.curve.parts
        ),
    ).write(
        *(column.over(lambda row: row.whole) for column in name_columns(context.words)),
        Column("measure", "report.workbook.load_measure", measure, width=26),
        Column("from", "report.workbook.load_from", lambda row: row.part.low, MEASURED, width=13),
        Column("to", "report.workbook.load_to", lambda row: row.part.high, MEASURED, width=13),
        *(figure(phase, name) for phase in _SIDES for name in ("mean", "lowest", "highest", "occurrences")),
        Column("ratio", "report.workbook.part_ratio", _part_ratio, RATIO, formula=_part_formula, width=11),
        Column("evidence", "report.column.evidence", lambda row: evidence_keys(row.whole), width=14),
    )


def _level(row: _AtLoad, phase: Phase) -> PartLevel | None:
    return row.part.before if phase is Phase.BEFORE else row.part.after


def _part_ratio(row: _AtLoad) -> float | None:
    """How many times better."""
    upper, lower = (_level(row, phase) for phase in _worse_first(row))
    return upper.mean / lower.mean if upper is not None and lower is not None and lower.mean else None


def _part_formula(row: _AtLoad, cells: Cells, _: Locale) -> str:
    upper, lower = (cells[f"{phase}.mean"] for phase in _worse_first(row))
    return f"{upper}/{lower}"


def _worse_first(row: _AtLoad) -> tuple[Phase, Phase]:
    return (Phase.BEFORE, Phase.AFTER) if row.whole.row.direction is Direction.LOWER else (Phase.AFTER, Phase.BEFORE)
