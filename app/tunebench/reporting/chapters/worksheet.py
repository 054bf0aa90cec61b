"""The trade-off worksheet as pages of the report: who pays, then every action with its row in full."""

from __future__ import annotations

from collections.abc import Iterator

from tunebench.core.signing import as_signature
from tunebench.domain.cycle.worksheet import ParameterChange, Resource, Risk
from tunebench.reporting.cases.cycle import CaseAction, CaseIteration
from tunebench.reporting.chapters.changes import stated_text
from tunebench.reporting.chapters.context import FIXED, TEXT, Context, evidence_text
from tunebench.reporting.chapters.cycle import title_of
from tunebench.reporting.cycle_words import expected_text, word
from tunebench.reporting.document import Block, Cell, Column, Heading, KeyValueTable, Note, Table, Tone
from tunebench.reporting.forms.worksheet_sheet import symbol
from tunebench.reporting.wording import grouped


def worksheet(context: Context) -> Iterator[Block]:
    """One matrix per iteration, then its actions."""
    yield Note(context.text("method.worksheet_intro"))
    for each in context.case.cycle.iterations:
        if each.actions:
            yield _heading(context, each)
            yield _matrix(context, each)
            for action in each.actions:
                yield Heading(f"{action.number} {action.action.title}", "", 3)
                yield _card(context, action)


def _heading(context: Context, each: CaseIteration) -> Heading:
    return Heading(title_of(context, each), f"worksheet-{each.iteration.number}", 2)


def _matrix(context: Context, each: CaseIteration) -> Table:
    text = context.text
    columns = (
        Column(text("column.action"), FIXED),
        Column(text("column.title"), TEXT, 2.5),
        *(Column(text(f"resource.{resource.value}"), FIXED) for resource in Resource),
        Column(text("column.state"), FIXED),
    )
    rows = tuple(
        (
            Cell(action.number),
            Cell(action.action.title),
            *(_symbol_cell(action, resource) for resource in Resource),
            Cell(word(action.action.state, context.words.language)),
        )
        for action in each.actions
    )
    notes = (text("method.symbols"),)
    return Table(text("caption.worksheet", title=title_of(context, each)), columns, rows, notes=notes, dense=True)


def _symbol_cell(action: CaseAction, resource: Resource) -> Cell:
    pays = any(impact.resource is resource for impact in action.action.prices)
    return Cell(symbol(action.action, resource), tone=Tone.WARNING if pays else Tone.PLAIN)


def _card(context: Context, each: CaseAction) -> KeyValueTable:
    """The row in full; a part that was not filled in is said where the method asks for it."""
    action, text = each.action, context.text
    missing = text("method.not_filled_in")
    reliefs = [_impact(context, each, place) for place, impact in enumerate(action.impacts) if impact.direction >= 0]
    prices = [_impact(context, each, place) for place, impact in enumerate(action.impacts) if impact.is_price]
    none = text("method.no_price", reason=action.no_price_reason) if action.no_price_reason else missing
    lines = [
        (text("card.changes"), "\n".join(_change(context, change) for change in action.changes) or missing),
        (text("card.hypothesis"), action.hypothesis),
        (text("card.causes"), "\n".join(each.causes)),
        (text("card.reliefs"), "\n".join(reliefs)),
        (text("card.prices"), "\n".join(prices) or none),
        (text("card.guards"), "\n".join(each.guards)),
        (text("card.risks"), "\n".join(_risk(context, risk) for risk in action.risks)),
        (text("card.rollback"), "\n".join(_rollback(context, each)) or missing),
        (text("card.verification"), "\n".join(_verification(context, each)) or missing),
        (text("card.approval"), "\n".join(_approval(context, each)) or missing),
        (text("card.caveat"), action.caveat),
        (text("card.evidence"), evidence_text(each.evidence, 12)),
    ]
    return KeyValueTable(tuple((name, value) for name, value in lines if value))


def _change(context: Context, change: ParameterChange) -> str:
    values = f"{change.old or '–'} → {change.new or '–'}"
    place = ", ".join(part for part in (change.scope, word(change.mode, context.words.language)) if part)
    return f"{change.parameter}: {values} ({place})"


def _impact(context: Context, each: CaseAction, place: int) -> str:
    """``CPU: price · 5 / 10.7 / 15 % · founding document (000, 4.4) [E-3]: note``"""
    impact, language = each.action.impacts[place], context.words.language
    basis = word(impact.basis, language) + (f" ({impact.source})" if impact.source else "")
    told = " · ".join((expected_text(impact, context.words), basis))
    codes = each.impact_evidence[place] if place < len(each.impact_evidence) else ()
    return told + (f" [{evidence_text(codes)}]" if codes else "") + (f" – {impact.note}" if impact.note else "")


def _risk(context: Context, risk: Risk) -> str:
    language = context.words.language
    levels = context.text(
        "method.risk", likelihood=word(risk.likelihood, language), severity=word(risk.severity, language)
    )
    return f"{risk.text} ({levels})" + (f" – {risk.detection}" if risk.detection else "")


def _rollback(context: Context, each: CaseAction) -> Iterator[str]:
    back = each.action.rollback
    if not back.command:
        return
    yield back.command
    if back.duration_min is not None:
        yield context.text("method.rollback_takes", minutes=grouped(back.duration_min, 0))
    if back.precondition:
        yield context.text("method.rollback_needs", precondition=back.precondition)
    if back.tested_on:
        yield context.text(
            "method.rollback_tested", date=context.words.date(back.tested_on), name=back.tested_by or "–"
        )
    else:
        yield context.text("method.rollback_untested")


def _verification(context: Context, each: CaseAction) -> Iterator[str]:
    for found in each.verifications:
        margin = "–" if found.margin_pct is None else f"{found.margin_pct:g} %"
        state = context.words.known(f"cycle.verification_state.{found.state}", found.state)
        yield context.text("method.verification", metric=found.metric, margin=margin, state=state)


def _approval(context: Context, each: CaseAction) -> Iterator[str]:
    for consent in each.action.consents:
        who = " ".join(part for part in (consent.role, consent.name) if part)
        told = f"{who}: {word(consent.decision, context.words.language)}"
        if consent.decided_at:
            entered = context.case.cycle.recorded.get((each.action.id, consent))
            told += f" ({stated_text(context, consent.decided_at, entered)})"
        if as_signature(consent.signature):
            told += f" · {context.text('method.signed_by_key')}"
        elif consent.signature:
            told += f" · {context.text('method.signature', signature=consent.signature)}"
        yield told + (f" – {consent.note}" if consent.note else "")
