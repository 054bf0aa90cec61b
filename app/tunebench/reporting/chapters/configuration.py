"""What differed between the servers' configurations before and after, and within each run."""

from __future__ import annotations

from collections.abc import Iterator

from tunebench.reporting.cases.capture import FactChange, FactComparison
from tunebench.reporting.chapters.capture import live
from tunebench.reporting.chapters.context import FIXED, TEXT, Context, cut_note, table_of
from tunebench.reporting.document import Block, Heading, Note, Paragraph, Table, TableHead, Tone
from tunebench.reporting.wording import brief

CHANGES_SHOWN = 120
VALUE_SHOWN = 160
"""Characters of a fact in a printed table; the workbook has them whole."""


def configuration(context: Context) -> Iterator[Block]:
    """Facts that changed between the runs, then within each run; "nothing" and "not captured" are said."""
    comparisons = live(context).comparisons
    yield Paragraph(context.text("configuration.intro"))
    between = [comparison for comparison in comparisons if not comparison.within_run]
    within = [comparison for comparison in comparisons if comparison.within_run]
    if not between:
        yield Note(context.text("configuration.one_side"), Tone.WARNING)
    for part, anchor in ((between, "between"), (within, "within")):
        if part:
            yield Heading(context.text(f"configuration.{anchor}"), f"configuration-{anchor}", 2)
        for comparison in part:
            yield from _comparison(context, comparison)


def _comparison(context: Context, comparison: FactComparison) -> Iterator[Block]:
    text = context.text
    sides = {"host": context.words.host(comparison.host), "earlier": comparison.earlier, "later": comparison.later}
    if not comparison.complete:
        yield Note(_not_captured(context, comparison), Tone.WARNING)
        return
    if not comparison.changes:
        key = "configuration.same_within" if comparison.within_run else "configuration.same"
        yield Paragraph(text(key, **sides, count=f"{comparison.compared:,}"))
    else:
        yield _changes(context, comparison)
    if comparison.one_sided:
        yield Note(_one_sided(context, comparison), Tone.WARNING)


def _not_captured(context: Context, comparison: FactComparison) -> str:
    sides = {"host": context.words.host(comparison.host), "earlier": comparison.earlier, "later": comparison.later}
    if comparison.earlier_ns is None and comparison.later_ns is None:
        key = "configuration.none_within" if comparison.within_run else "configuration.none"
        return context.text(key, **sides)
    if comparison.within_run:
        return context.text("configuration.once_only", **sides)
    missing = comparison.earlier if comparison.earlier_ns is None else comparison.later
    return context.text("configuration.missing_side", host=context.words.host(comparison.host), run=missing)


def _one_sided(context: Context, comparison: FactComparison) -> str:
    def names(side: str) -> str:
        return ", ".join(section_name(context, section) for section, has in comparison.one_sided if has == side)

    host, parts = context.words.host(comparison.host), []
    for side, run in (("earlier", comparison.earlier), ("later", comparison.later)):
        if names(side):
            parts.append(context.text("configuration.only_in", host=host, run=run, sections=names(side)))
    return " ".join(parts)


def section_name(context: Context, section: str) -> str:
    return context.words.known(f"report.fact_section.{section}", section)


def _changes(context: Context, comparison: FactComparison) -> Table:
    text = context.text
    heads = ("column.at_start", "column.at_end") if comparison.within_run else ("column.before", "column.after")
    moments = [context.words.moment(moment) for moment in (comparison.earlier_ns, comparison.later_ns)]
    note = text("configuration.compared", count=f"{comparison.compared:,}", earlier=moments[0], later=moments[1])
    key = "caption.changes_within" if comparison.within_run else "caption.changes"
    host = context.words.host(comparison.host)
    return table_of(
        text(key, host=host, earlier=comparison.earlier, later=comparison.later, count=len(comparison.changes)),
        comparison.changes[:CHANGES_SHOWN],
        (TableHead(text("column.section"), TEXT, 0.9), lambda change: section_name(context, change.section)),
        (TableHead(text("column.item"), TEXT, 1.6), lambda change: _value(change.name)),
        (TableHead(text(heads[0]), TEXT, 2), lambda change: _value(change.before)),
        (TableHead(text(heads[1]), TEXT, 2), lambda change: _value(change.after)),
        (TableHead(text("column.change_kind"), FIXED), lambda change: text(f"change_kind.{change_kind(change)}")),
        notes=(note, *cut_note(context, CHANGES_SHOWN, len(comparison.changes))),
    )


def change_kind(change: FactChange) -> str:
    if change.before is None:
        return "added"
    return "removed" if change.after is None else "changed"


def _value(value: str | None) -> str:
    return "–" if value is None else brief(value, VALUE_SHOWN)
