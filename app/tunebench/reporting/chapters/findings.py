"""What the rules found, what they could not judge, the USE table, and how the bottleneck moved."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import isinf

from tunebench.domain.finding import Severity
from tunebench.reporting.cases.analysis import CaseFinding, CaseResource, CaseUse, CaseUseRow, RuleNote
from tunebench.reporting.chapters.context import FIXED, NUMBER, TEXT, Context, cut_note, evidence_text, table_of
from tunebench.reporting.document import Badge, Block, Cell, Heading, Note, Paragraph, Table, TableHead, Tone
from tunebench.reporting.wording import grouped

FINDINGS_SHOWN = 15
RESOURCES_SHOWN = 40
_SENTENCES = 10
_TONES = {Severity.CRITICAL: Tone.BAD, Severity.WARNING: Tone.WARNING, Severity.WATCH: Tone.STRONG}


# -- findings --------------------------------------------------------------------------------------------


def has_findings(context: Context) -> bool:
    """Whether the rules were applied to anything that they could say something of."""
    analysis = context.case.analysis
    return bool(analysis.findings or analysis.use or any(count for _, count in analysis.rules_passed))


def findings(context: Context) -> Iterator[Block]:
    """The findings by severity, the rules behind them with their caveats and sources, and the USE table."""
    analysis = context.case.analysis
    yield Paragraph(_lead(context))
    if analysis.findings:
        yield findings_table(context, analysis.findings)
        yield _rules_table(context, analysis.rules)
    if analysis.use:
        yield Heading(context.text("case_use.title"), "", level=2)
        yield _use_table(context, analysis.use)
    if analysis.unjudged:
        yield Note(context.text("finding.unjudged", count=len({gap.rule for gap in analysis.unjudged})))


def _lead(context: Context) -> str:
    """What was judged, and how much of it held."""
    analysis = context.case.analysis
    passed = dict(analysis.rules_passed)
    sides = []
    for phase, label in analysis.runs_diagnosed:
        held = sum(1 for finding in analysis.findings if finding.phase == phase)
        name = context.text(f"phase.{phase}")
        sides.append(context.text("finding.side", phase=name, run=label, found=held, passed=passed.get(phase, 0)))
    return " ".join((*sides, context.text("finding.lead")))


def findings_table(context: Context, rows: tuple[CaseFinding, ...]) -> Table:
    text = context.text
    notes = [text("finding.note"), text("note.zone", zone=context.words.zone)]
    if len(rows) > FINDINGS_SHOWN:
        notes.insert(0, text("finding.more", count=len(rows) - FINDINGS_SHOWN))
    return table_of(
        text("finding.caption", count=len(rows)),
        rows[:FINDINGS_SHOWN],
        (
            TableHead(text("column.severity"), FIXED),
            lambda finding: Cell(finding.severity_words, tone=_TONES.get(finding.found.severity, Tone.PLAIN)),
        ),
        (
            TableHead(text("finding.what"), TEXT, 2.6),
            lambda finding: "\n".join(
                filter(None, (f"{finding.title} ({finding.found.rule})", finding.thing, finding.figures, finding.queue))
            ),
        ),
        (
            TableHead(text("finding.share"), TEXT, 1.5),
            lambda finding: Cell("\n".join((finding.share_words, *finding.cautions)), finding.found.share),
        ),
        (
            TableHead(text("finding.where"), TEXT, 2.3),
            lambda finding: "\n".join((text(f"phase.{finding.phase}"), *finding.stretches)),
        ),
        (TableHead(text("finding.later"), TEXT, 1), lambda finding: finding.later or "–"),
        (TableHead(text("column.evidence"), FIXED), lambda finding: evidence_text(finding.evidence, 2)),
        notes=notes,
    )


def _rules_table(context: Context, rules: tuple[RuleNote, ...]) -> Table:
    """Each rule once: condition, where it misleads, what to do, and the words it stands on."""
    text = context.text
    return table_of(
        text("finding.caption_rules"),
        rules,
        (TableHead(text("finding.rule"), FIXED), lambda rule: rule.id),
        (TableHead(text("finding.condition"), TEXT, 1.6), lambda rule: rule.condition or "–"),
        (TableHead(text("finding.caveat"), TEXT, 2.2), lambda rule: rule.caveat or "–"),
        (TableHead(text("finding.action"), TEXT, 1.8), lambda rule: rule.action or "–"),
        (
            TableHead(text("finding.source"), TEXT, 2.2),
            lambda rule: "\n".join(filter(None, (rule.source, quoted(rule)))),
        ),
    )


def quoted(rule: RuleNote) -> str:
    """The words of the source, and what they say where they are in another language."""
    meaning = f" ({rule.quote_meaning})" if rule.quote_meaning else ""
    return f"“{rule.quote}”{meaning}" if rule.quote else ""


def unjudged(context: Context) -> list[Block]:
    """What nobody could judge, and what to capture so that the next engagement can."""
    text, gaps = context.text, context.case.analysis.unjudged
    return [
        table_of(
            text("finding.caption_unjudged", count=len(gaps)),
            gaps,
            (TableHead(text("finding.rule"), FIXED), lambda gap: gap.rule),
            (TableHead(text("finding.title"), TEXT, 2), lambda gap: gap.title),
            (
                TableHead(text("column.phase"), TEXT, 0.8),
                lambda gap: "\n".join(text(f"phase.{phase}") for phase in gap.phases),
            ),
            (TableHead(text("finding.why"), TEXT, 1.4), lambda gap: gap.reason),
            (TableHead(text("finding.missing"), TEXT, 3), lambda gap: gap.missing or "–"),
            notes=(text("finding.note_unjudged"),),
        )
    ]


# -- USE table -------------------------------------------------------------------------------------------


def _use_table(context: Context, rows: tuple[CaseUseRow, ...]) -> Table:
    text = context.text
    shown = sorted([row for row in rows if not row.idle] or rows, key=_severity)
    columns = (
        TableHead(text("column.host"), TEXT, 0.9),
        TableHead(text("case_use.resource"), TEXT, 1),
        TableHead("", FIXED),
        *(TableHead(text(f"case_use.{aspect}"), TEXT, 2) for aspect in ("utilisation", "saturation", "errors")),
    )
    notes = [text("case_use.note")]
    if len(shown) < len(rows):
        idle = [row.resource for row in rows if row.idle]
        more = " …" if len(idle) > RESOURCES_SHOWN else ""
        names = ", ".join(idle[:RESOURCES_SHOWN]) + more
        notes.append(text("case_use.idle", count=f"{len(idle):,}", names=names))
    cells = tuple(_use_cells(context, row) for row in shown[:RESOURCES_SHOWN])
    notes += cut_note(context, RESOURCES_SHOWN, len(shown))
    return Table(text("case_use.caption"), columns, cells, notes=tuple(notes), dense=True)


def _severity(row: CaseUseRow) -> int:
    """A sort key: the graver a row, the smaller; rows of the same gravity keep their order."""
    severities = {used.cell.severity for cells in (row.before, row.after) for used in cells or ()}
    return next((rank for rank, severity in enumerate(_TONES) if severity in severities), len(_TONES))


def _use_cells(context: Context, row: CaseUseRow) -> tuple[Cell, ...]:
    sides = [
        (context.text(f"column.{name}_short"), cells)
        for name, cells in (("before", row.before), ("after", row.after))
        if cells is not None
    ]
    return (
        Cell(row.host),
        Cell(row.resource),
        Cell("\n".join(name for name, _ in sides)),
        *(_use_cell([cells[aspect] for _, cells in sides]) for aspect in range(3)),
    )


def _use_cell(used: list[CaseUse]) -> Cell:
    """One line for each side; what neither side measured is said once."""
    lines = [f"{cell.words} [{cell.severity_words}]" if cell.severity_words else cell.words for cell in used]
    worst = next((_TONES[name] for name in _TONES if any(cell.cell.severity is name for cell in used)), Tone.PLAIN)
    if not any(cell.cell.measured for cell in used):
        lines = list(dict.fromkeys(lines))
    return Cell("\n".join(lines), None, worst)


# -- bottleneck ------------------------------------------------------------------------------------------


def bottleneck(context: Context) -> Iterator[Block]:
    """Where it was, where it is, and the bound on what relieving the old one could gain."""
    shift = context.case.analysis.shift
    if shift is None:
        return
    text = context.text
    yield Badge(text("bottleneck.label"), shift.sentence, Tone.PLAIN)
    yield Paragraph(
        "\n".join(
            f"{text(f'phase.{name}')}: {sentence}"
            for name, sentence in (("before", shift.before), ("after", shift.after))
        )
    )
    if shift.gain:
        yield Note(shift.gain)
    yield scores_table(context, shift.resources)
    notes = (*_first(context, shift.drop_offs), *_first(context, shift.laws))
    if notes:
        yield Note("\n".join(notes), Tone.WARNING)


def _first(context: Context, sentences: tuple[str, ...]) -> Iterator[str]:
    """The first ten sentences, and how many more the workbook holds."""
    yield from sentences[:_SENTENCES]
    if len(sentences) > _SENTENCES:
        yield context.text("bottleneck.more", count=f"{len(sentences) - _SENTENCES:,}")


def scores_table(context: Context, rows: tuple[CaseResource, ...]) -> Table:
    text = context.text
    measures = ("rank", "score", "utilisation", "knee", "wait_share", "queue")
    columns = (
        TableHead(text("bottleneck.resource"), TEXT, 2),
        TableHead("", FIXED),
        *(TableHead(text(f"bottleneck.{name}"), NUMBER) for name in measures),
        TableHead("n", NUMBER),
        TableHead(text("column.evidence"), FIXED),
    )
    cells = tuple(_score_cells(context, row) for row in rows[:RESOURCES_SHOWN])
    notes = (text("bottleneck.note"), *cut_note(context, RESOURCES_SHOWN, len(rows)))
    return Table(text("bottleneck.caption"), columns, cells, notes=notes, dense=True)


def _score_cells(context: Context, row: CaseResource) -> tuple[Cell, ...]:
    sides = (row.before, row.after)
    missing = context.words.missing

    def stacked(lines: Iterable[str]) -> Cell:
        return Cell("\n".join(lines))

    def each(name: str, decimals: int, percent: bool = False) -> Cell:
        values = (getattr(side.score, name) if side else None for side in sides)
        return stacked(_measure(value, decimals, percent, missing) for value in values)

    return (
        Cell(row.name),
        stacked(context.text(f"column.{name}_short") for name in ("before", "after")),
        stacked(_measure(side.place if side else None, 0, False, missing) for side in sides),
        each("score", 2),
        each("utilisation", 1, percent=True),
        each("knee", 1, percent=True),
        each("wait_share", 1, percent=True),
        each("queue", 2),
        each("n", 0),
        Cell("\n".join(evidence_text(side.evidence, 2) for side in sides if side and side.evidence)),
    )


def _measure(value: float | None, decimals: int, percent: bool, missing: str) -> str:
    if value is None:
        return missing
    if isinf(value):
        return "∞"
    return f"{grouped(100 * value, decimals)} %" if percent else grouped(value, decimals)
