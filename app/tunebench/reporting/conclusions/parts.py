"""What several concluding pages share: coloured sentences, chips, rows of figures, notes at the foot."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tunebench.analysis.answering.answer import DatabaseAnswer
from tunebench.analysis.answering.ranking import tier
from tunebench.analysis.answering.resources import Figure
from tunebench.analysis.inference.verdict import Verdict
from tunebench.columns.answering.answer_words import AnswerText, ChipText
from tunebench.columns.answering.database_words import database_change_text, database_text
from tunebench.columns.answering.marks import runs_of
from tunebench.columns.answering.resource_words import change_text, figure_name, figure_values
from tunebench.columns.formats import decimals_for
from tunebench.reporting.chapters.context import FIXED, NUMBER, TEXT, Context
from tunebench.reporting.document import Block, Cell, Chip, Paragraph, Role, Run, Table, TableHead, Tone

_TONES = {"ok": Tone.STRONG, "watch": Tone.WARNING, "critical": Tone.BAD, "muted": Tone.PLAIN}
_ROLES = {"before": Role.BEFORE, "after": Role.AFTER, "": Role.PLAIN}


def runs(sentence: str) -> tuple[Run, ...]:
    return tuple(Run(text, _ROLES[role]) for text, role in runs_of(sentence))


def chip(shown: ChipText) -> Chip:
    return Chip(shown.text, _TONES[shown.tone])


def verdict_chip(context: Context, verdict: Verdict) -> Chip:
    return Chip(context.words.verdict(verdict), verdict_tone(verdict))


def verdict_tone(verdict: Verdict) -> Tone:
    if tier(verdict) == 0:
        return Tone.STRONG if verdict is Verdict.IMPROVED else Tone.BAD
    return Tone.WARNING if verdict is Verdict.NOT_COMPARABLE else Tone.PLAIN


def foot(context: Context, words: AnswerText | None) -> Iterator[Block]:
    """The windows whose figures stand on the page, and what these are never told without."""
    if words is not None:
        for sentence in words.disclosed:
            yield Paragraph(sentence, muted=True)
        yield Paragraph(context.text("answer.page_windows", windows=words.windows), muted=True)


def figure_table(
    context: Context, figures: Sequence[Figure], caption: str, databases: Sequence[DatabaseAnswer] = ()
) -> Table:
    """Each resource with its one verdict; databases, which users feel, before all others."""
    text = context.text
    columns = (
        TableHead(text("column.figure"), TEXT, 2.6),
        TableHead(text("column.before_short"), NUMBER),
        TableHead(text("column.after_short"), NUMBER),
        TableHead(text("answer.change"), TEXT, 2),
        TableHead(text("verdict.title"), FIXED),
    )
    rows = [_database_cells(context, database) for database in databases]
    rows += [figure_cells(context, figure) for figure in figures]
    return Table(caption, columns, tuple(rows), dense=True)


def _database_cells(context: Context, database: DatabaseAnswer) -> tuple[Cell, ...]:
    """Without sessions at work where a side tells none: what is judged then is the time of its statements."""
    sessions, verdict = database.sessions, database.verdict
    name = context.text("database.time_of" if sessions is None else "database.at_work", label=database.label)
    levels = [Cell("–"), Cell("–")]
    if sessions is not None:
        decimals = decimals_for(sessions)
        levels = [Cell(f"{value:,.{decimals}f}", value) for value in sessions]
    return (
        Cell(name),
        *levels,
        Cell(database_change_text(database, context.words.locale)),
        Cell(context.words.verdict(verdict), None, verdict_tone(verdict), is_chip=True),
    )


def figure_cells(context: Context, figure: Figure) -> tuple[Cell, ...]:
    locale = context.words.locale
    before, after, unit = figure_values(figure, locale)
    verdict = figure.lead.verdict
    return (
        Cell(figure_name(figure, locale)),
        Cell(before),
        Cell(f"{after} {unit}".strip()),
        Cell(change_text(figure, locale)),
        Cell(context.words.verdict(verdict), None, verdict_tone(verdict), is_chip=True),
    )


def database_sentence(context: Context, database: DatabaseAnswer) -> str:
    """As page one has it; where a side tells no sessions at work, what became of the time of its statements."""
    locale = context.words.locale
    if database.sessions is not None:
        return database_text(database, locale)
    return context.text("database.time_changed", label=database.label, change=database_change_text(database, locale))


def signed(value: float, decimals: int) -> str:
    return f"{value:+,.{decimals}f}"
