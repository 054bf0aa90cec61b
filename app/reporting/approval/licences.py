"""What the plan reads that a customer must be licensed for, and who confirmed it."""

from __future__ import annotations

from app.domain.databases.choices import LicenceConfirmation
from app.reporting.approval.context import SheetContext
from app.reporting.chapters.context import CODE, TEXT
from app.reporting.document import Block, Cell, Column, Note, Paragraph, Table, Tone


def licence_blocks(context: SheetContext) -> list[Block]:
    """Nothing where no command needs a licence."""
    text, plan = context.text, context.plan
    if not plan.licences:
        return []
    columns = (
        Column(text("plan.column.host"), TEXT),
        Column(text("plan.column.licence"), TEXT, 1.4),
        Column(text("plan.column.confirmed"), TEXT, 1.6),
        Column(text("plan.column.evidence"), TEXT, 2),
        Column(text("plan.column.probe"), CODE, 1.4),
    )
    rows = tuple(_cells(context, host, licence) for host, licence in plan.licences)
    blocks: list[Block] = [Paragraph(text("plan.sheet.licence")), Table(text("plan.caption.licences"), columns, rows)]
    if any(confirmation_of(context, host, licence) is None for host, licence in plan.licences):
        blocks.append(Note(text("plan.note.licence_missing"), Tone.WARNING))
    return blocks


def _cells(context: SheetContext, host: str, licence: str) -> tuple[Cell, ...]:
    text = context.text
    given = confirmation_of(context, host, licence)
    probes = dict.fromkeys(command.probe for command in context.plan.on(host) if command.licence == licence)
    confirmed, evidence = text("plan.value.not_confirmed"), ""
    if given is not None:
        confirmed = text("plan.value.confirmed", by=given.confirmed_by, at=context.moment(given.confirmed_at))
        evidence = given.evidence
    tone = Tone.WARNING if given is None else Tone.PLAIN
    named = Cell(licence_name(context, licence))
    return Cell(host), named, Cell(confirmed, None, tone), Cell(evidence), Cell(", ".join(probes))


def licence_name(context: SheetContext, licence: str) -> str:
    """What a licence is called; one that a plug-in brings along is called as it says."""
    return context.words.known(f"licence.{licence}", licence)


def confirmation_of(context: SheetContext, host: str, licence: str) -> LicenceConfirmation | None:
    fitting = [each for each in context.licences if each.covers(licence, host)]
    return fitting[-1] if fitting else None
