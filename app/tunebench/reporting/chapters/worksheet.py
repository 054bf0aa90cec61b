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
from tunebench.reporting.document import Block, Cell, Heading, KeyValueTable, Note, Table, TableHead, Tone
from tunebench.reporting.forms.worksheet_sheet import symbol
from tunebench.reporting.wording import grouped


def worksheet(context: Context) -> Iterator[Block]:
    """One matrix per iteration, then its actions."""
    yield Note(context.text("method.worksheet_intro"))
    for iteration in context.case.cycle.iterations:
        if iteration.actions:
            yield _heading(context, iteration)
            yield _matrix(context, iteration)
            for action in iteration.actions:
                yield Heading(f"{action.number} {action.action.title}", "", 3)
                yield _card(context, action)


def _heading(context: Context, iteration: CaseIteration) -> Heading:
    return Heading(title_of(context, iteration), f"worksheet-{iteration.iteration.number}", 2)


def _matrix(context: Context, iteration: CaseIteration) -> Table:
    text = context.text
    columns = (
        TableHead(text("column.action"), FIXED),
        TableHead(text("column.title"), TEXT, 2.5),
        *(TableHead(text(f"resource.{resource.value}"), FIXED) for resource in Resource),
        TableHead(text("column.state"), FIXED),
    )
    rows = tuple(
        (
            Cell(action.number),
            Cell(action.action.title),
            *(_symbol_cell(action, resource) for resource in Resource),
            Cell(word(action.action.state, context.words.language)),
        )
        for action in iteration.actions
    )
    notes = (text("method.symbols"),)
    return Table(text("caption.worksheet", title=title_of(context, iteration)), columns, rows, notes=notes, dense=True)


def _symbol_cell(action: CaseAction, resource: Resource) -> Cell:
    pays = any(impact.resource is resource for impact in action.action.prices)
    return Cell(symbol(action.action, resource), tone=Tone.WARNING if pays else Tone.PLAIN)


def _card(context: Context, planned: CaseAction) -> KeyValueTable:
    """The row in full; a part that was not filled in is said where the method asks for it."""
    action, text = planned.action, context.text
    missing = text("method.not_filled_in")
    reliefs = [_impact(context, planned, index) for index, impact in enumerate(action.impacts) if impact.direction >= 0]
    prices = [_impact(context, planned, index) for index, impact in enumerate(action.impacts) if impact.is_price]
    none = text("method.no_price", reason=action.no_price_reason) if action.no_price_reason else missing
    lines = [
        (text("card.changes"), "\n".join(_change(context, change) for change in action.changes) or missing),
        (text("card.hypothesis"), action.hypothesis),
        (text("card.causes"), "\n".join(planned.causes)),
        (text("card.reliefs"), "\n".join(reliefs)),
        (text("card.prices"), "\n".join(prices) or none),
        (text("card.guards"), "\n".join(planned.guards)),
        (text("card.risks"), "\n".join(_risk(context, risk) for risk in action.risks)),
        (text("card.rollback"), "\n".join(_rollback(context, planned)) or missing),
        (text("card.verification"), "\n".join(_verification(context, planned)) or missing),
        (text("card.approval"), "\n".join(_approval(context, planned)) or missing),
        (text("card.caveat"), action.caveat),
        (text("card.evidence"), evidence_text(planned.evidence, 12)),
    ]
    return KeyValueTable(tuple((name, value) for name, value in lines if value))


def _change(context: Context, change: ParameterChange) -> str:
    values = f"{change.old or '–'} → {change.new or '–'}"
    scope = ", ".join(part for part in (change.scope, word(change.mode, context.words.language)) if part)
    return f"{change.parameter}: {values} ({scope})"


def _impact(context: Context, planned: CaseAction, index: int) -> str:
    """``CPU: price · 5 / 10.7 / 15 % · founding document (000, 4.4) [E-3]: note``"""
    impact, language = planned.action.impacts[index], context.words.language
    basis = word(impact.basis, language) + (f" ({impact.source})" if impact.source else "")
    expected = " · ".join((expected_text(impact, context.words), basis))
    codes = planned.impact_evidence[index] if index < len(planned.impact_evidence) else ()
    return expected + (f" [{evidence_text(codes)}]" if codes else "") + (f" – {impact.note}" if impact.note else "")


def _risk(context: Context, risk: Risk) -> str:
    language = context.words.language
    levels = context.text(
        "method.risk", likelihood=word(risk.likelihood, language), severity=word(risk.severity, language)
    )
    return f"{risk.text} ({levels})" + (f" – {risk.detection}" if risk.detection else "")


def _rollback(context: Context, planned: CaseAction) -> Iterator[str]:
    back = planned.action.rollback
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


def _verification(context: Context, planned: CaseAction) -> Iterator[str]:
    for verification in planned.verifications:
        margin = "–" if verification.margin_pct is None else f"{verification.margin_pct:g} %"
        state = context.words.known(f"cycle.verification_state.{verification.state}", verification.state)
        yield context.text("method.verification", metric=verification.metric, margin=margin, state=state)


def _approval(context: Context, planned: CaseAction) -> Iterator[str]:
    for consent in planned.action.consents:
        who = " ".join(part for part in (consent.role, consent.name) if part)
        sentence = f"{who}: {word(consent.decision, context.words.language)}"
        if consent.decided_at:
            entered = context.case.cycle.recorded.get((planned.action.id, consent))
            sentence += f" ({stated_text(context, consent.decided_at, entered)})"
        if as_signature(consent.signature):
            sentence += f" · {context.text('method.signed_by_key')}"
        elif consent.signature:
            sentence += f" · {context.text('method.signature', signature=consent.signature)}"
        yield sentence + (f" – {consent.note}" if consent.note else "")
