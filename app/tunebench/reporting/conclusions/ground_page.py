"""What the other pages rest on: windows, comparability, counts, disclosures; the versions, and who signs."""

from __future__ import annotations

from collections.abc import Iterator

from tunebench.columns.answering.answer_words import counts_text
from tunebench.reporting.chapters.context import FIXED, TEXT, Context, shortened, table_of
from tunebench.reporting.chapters.front import load_notes, windows_table
from tunebench.reporting.chapters.verdicts import by_measured, comparability
from tunebench.reporting.conclusions.page import ConclusionPage, page
from tunebench.reporting.document import Block, Cell, Claim, NumberedList, Paragraph, Run, Table, TableHead

OCCURRENCES, DISCLOSED = 8, 5
"""Lines of the page: the annex has them all."""
_SIGN_LINES = ("organisation", "name", "date", "signature")


def grounds(context: Context) -> Iterator[ConclusionPage]:
    yield page(context.text("section.grounds"), _blocks(context))


def _blocks(context: Context) -> Iterator[Block]:
    text, case = context.text, context.case
    yield Claim((Run(text(f"grounds.{_comparability(context)}")),), lines=tuple(_counts(context)))
    yield comparability(context, short=True)
    if case.windows:
        yield shortened(context, windows_table(context), OCCURRENCES)
    if case.analysis.gate:
        yield _gate_table(context)
    disclosed = [sentence for iteration in case.cycle.iterations for sentence in iteration.disclosures]
    if disclosed:
        yield Paragraph(text("grounds.disclosed"))
        sentences = tuple(dict.fromkeys(disclosed))
        more = (text("result.more", count=len(sentences) - DISCLOSED),) if len(sentences) > DISCLOSED else ()
        yield NumberedList((*sentences[:DISCLOSED], *more))
    yield control_table(context)
    yield from signing(context)


def _comparability(context: Context) -> str:
    case = context.case
    if case.alone:
        return "alone"
    if case.analysis.refused:
        return "refused"
    if not (by_measured(context)[0] or case.series or case.databases):
        return "uncompared"
    if not case.analysis.gate:
        return "unchecked"
    return "passed" if all(check.state == "pass" for check in case.analysis.gate) else "compared"


def _counts(context: Context) -> Iterator[str]:
    if context.case.answer is not None:
        yield counts_text(context.case.answer.answer, context.words.locale)
    yield from load_notes(context)


def _gate_table(context: Context) -> Table:
    text = context.text
    return table_of(
        text("grounds.gate"),
        context.case.analysis.gate,
        (TableHead(text("column.check"), TEXT, 1.4), lambda check: f"{check.check} {check.title}"),
        (TableHead(text("column.state"), FIXED), lambda check: check.state_words),
        (TableHead(text("column.found"), TEXT, 4), lambda check: check.sentence),
    )


def control_table(context: Context) -> Table:
    """The edition of this document, when it was issued, and by what it was made."""
    text, case = context.text, context.case
    heads = ("edition", "issued", "made_with", "zone")
    issued = context.words.date(case.issued) if case.issued else text("cover.not_issued")
    cells = (context.edition, issued, f"TuneBench {case.program_version}".strip(), context.words.zone)
    columns = tuple(TableHead(text(f"cover.{name}"), TEXT, 1) for name in heads)
    return Table(text("cover.control"), columns, (tuple(map(Cell, cells)),), dense=True)


def signing(context: Context) -> Iterator[Table]:
    """A line for each who signs, to be filled in by hand; nothing where nobody does."""
    text = context.text
    columns = (TableHead("", TEXT, 1), *(TableHead(text(f"cover.sign.{line}"), TEXT, 1) for line in _SIGN_LINES))
    rows = tuple(
        (Cell(context.role(signer)), *(Cell(signer.name if line == "name" else "\n") for line in _SIGN_LINES))
        for signer in context.look.signers
    )
    if rows:
        yield Table(text("cover.sign"), columns, rows)
