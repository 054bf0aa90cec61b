"""The annex with the audit trail: who did what when, and whether the chain is whole."""

from __future__ import annotations

from tunebench.reporting.cases.capture import AuditLine, AuditTrail
from tunebench.reporting.chapters.context import FIXED, NUMBER, TEXT, Context, cut_note, table_of
from tunebench.reporting.document import Block, Cell, KeyValueTable, Note, TableHead, Tone
from tunebench.reporting.wording import brief

AUDIT_SHOWN = 800
SENTENCE_SHOWN = 300


def has_audit(context: Context) -> bool:
    return context.case.live is not None and context.case.live.audit is not None


def trail_of(context: Context) -> AuditTrail:
    """The trail of what was captured live; an AssertionError where there is none."""
    assert context.case.live is not None and context.case.live.audit is not None  # `has_audit` was asked
    return context.case.live.audit


def audit(context: Context) -> list[Block]:
    """Every entry with time, person and sentence; first whether the chain is whole, with its last digest."""
    trail = trail_of(context)
    text = context.text
    verdicts = [Note(chain_text(context), Tone.PLAIN if trail.broken is None else Tone.WARNING)]
    if trail.changed_outside:
        names = ", ".join(trail.changed_outside)
        verdicts.append(Note(text("trail.changed_outside", records=brief(names, SENTENCE_SHOWN)), Tone.WARNING))
    heads = [(text("trail.last"), f"{trail.last_id:,}"), ("SHA-256", trail.digest)]
    for branch in trail.branches:
        heads += [(text("trail.branch"), f"{branch.last_id:,}"), ("SHA-256", branch.digest)]
    digest = KeyValueTable(tuple(heads))
    cut = cut_note(context, AUDIT_SHOWN, len(trail.lines))
    table = table_of(
        text("caption.audit", count=len(trail.lines)),
        trail.lines[:AUDIT_SHOWN],
        (TableHead("#", NUMBER), lambda line: Cell(str(line.id), line.id)),
        (TableHead(text("column.time"), FIXED), lambda line: context.words.moment(line.time_ns)),
        (TableHead(text("column.who"), TEXT, 0.8), lambda line: line.user),
        (TableHead(text("column.what"), TEXT, 5), lambda line: brief(audit_text(context, line), SENTENCE_SHOWN)),
        notes=(text("note.zone", zone=context.words.zone), text("trail.how"), *cut),
    )
    return [*verdicts, digest, table]


def chain_text(context: Context) -> str:
    """Whether the chain is whole, or at which entry it is not."""
    trail = trail_of(context)
    if trail.broken is None:
        return context.text("trail.whole", count=f"{len(trail.lines):,}")
    return context.text("trail.broken", entry=trail.broken)


def audit_text(context: Context, line: AuditLine) -> str:
    """The sentence of the action; of an action that no catalogue knows its name and facts."""
    facts = ", ".join(f"{name}={value}" for name, value in line.facts.items())
    return context.words.known(f"audit.{line.action}", f"{line.action} {facts}".strip(), **line.facts)
