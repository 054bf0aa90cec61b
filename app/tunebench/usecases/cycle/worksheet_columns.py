"""The columns of the worksheet, and of the tables below it that show one row in full."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from enum import Enum
from typing import Any

from tunebench.columns.column import Column, Edit, Locale
from tunebench.core.patterns import lazy_pattern
from tunebench.domain.cycle.evidence import Evidence
from tunebench.domain.cycle.moments import typed_moment
from tunebench.domain.cycle.worksheet import (
    Action,
    ActionState,
    Consent,
    ExecutedChange,
    Impact,
    InForce,
    ParameterChange,
    Resource,
    Risk,
    Verification,
)
from tunebench.reporting.cycle_words import member_called, word
from tunebench.reporting.forms.form import FieldKind, FormField, form_of
from tunebench.usecases.cycle import worksheet_text as texts
from tunebench.usecases.cycle.worksheet_cells import field_column, sheet_of, words_of
from tunebench.usecases.grid_cells import Wrong

DONE = (ActionState.EXECUTED, ActionState.ROLLED_BACK)
"""What was executed stays as it was approved."""

_EVIDENCE = lazy_pattern(r"[Ee]-([0-9]{1,9})")


# --- the grid


def _state(action: Action, text: str, locale: Locale) -> Action:
    member = member_called(ActionState, text) if text else ActionState.DRAFT
    if member is None:
        choices = ", ".join(word(choice, locale.language) for choice in ActionState if choice not in DONE)
        raise Wrong("form.problem.cell_choice", value=text, choices=choices)
    state = ActionState(member.value)
    if state in DONE:
        raise Wrong("form.problem.state_not_here", value=word(state, locale.language))
    return replace(action, state=state)


def _resource(resource: Resource) -> Column[Action]:
    return Column(
        resource.value,
        f"ui.tradeoffs.resource.{resource.value}",
        text=lambda action, _: texts.impacts_text(action, resource),
        pixels=67,
        edit=Edit(lambda action, text, _: texts.with_impacts(action, resource, text), hint="ui.tradeoffs.hint.effect"),
    )


def _causes(action: Action, locale: Locale) -> str:
    titles = {cause.id: cause.title for cause in sheet_of(locale).causes}
    return "\n".join(titles.get(id_, f"#{id_}") for id_ in action.cause_ids)


def _with_causes(action: Action, text: str, locale: Locale) -> Action:
    ids = []
    for line in texts.lines_of(text):
        cause_id = sheet_of(locale).cause_called(line)
        if cause_id is None:
            raise Wrong("ui.tradeoffs.wrong.cause", value=line)
        ids.append(cause_id)
    return replace(action, cause_ids=tuple(dict.fromkeys(ids)))


def _price(action: Action, locale: Locale) -> str:
    paid = [resource for resource in Resource if any(impact.resource is resource for impact in action.prices)]
    return ", ".join(word(resource, locale.language) for resource in paid) or action.no_price_reason


def _verifications(action: Action, locale: Locale) -> str:
    names = {metric.id: metric.name for metric in sheet_of(locale).metrics}
    return "\n".join(
        texts.verification_text(
            names.get(verification.metric_id, f"#{verification.metric_id}"), verification.margin_pct
        )
        for verification in action.verifications
    )


def _judging(locale: Locale) -> list[str]:
    """Guards say what a change costs, not whether it worked."""
    return [metric.name for metric in sheet_of(locale).metrics if metric.guards is None]


def _with_verifications(action: Action, text: str, locale: Locale) -> Action:
    verifications = (texts.verification_of(line, sheet_of(locale).metric_called) for line in texts.lines_of(text))
    return replace(action, verifications=tuple(verifications))


def _approval(action: Action, locale: Locale) -> str:
    last = {consent.name.strip(): consent for consent in action.consents if consent.name.strip()}
    return "\n".join(
        f"{word(consent.decision, locale.language)} · {name} ({consent.role})" for name, consent in last.items()
    )


def _fields(form: str, made: type[Any], write: bool = True, **widths: int) -> Iterator[Column[Any]]:
    """Columns of fields that the sheet of the worksheet as a workbook has as well; their width in pixels."""
    by_name = {field.name: field for field in form_of(form, made).fields}
    return (field_column(form, by_name[name], width=width, write=write) for name, width in widths.items())


def _with_others(form: str, record_type: type[Any], *columns: Column[Any]) -> tuple[Column[Any], ...]:
    """`columns`, and those of the fields of the form that none of them shows."""
    shown = {column.id for column in columns} | _ELSEWHERE
    others = (field for field in form_of(form, record_type).fields if field.name not in shown)
    return (*columns, *(field_column(form, field, width=120) for field in others))


def _hinted(column: Column[Any], hint: str) -> Column[Any]:
    return replace(column, edit=replace(column.edit, hint=hint) if column.edit else None)


TITLE, STATE = "title", "state"
_ELSEWHERE = frozenset({TITLE, STATE, "known_effect"})
"""Fields of a countermeasure that its own row in the grid shows, and the row of effects that it was made from."""
GRID: tuple[Column[Action], ...] = (
    *(
        replace(_hinted(column, "ui.tradeoffs.hint.title"), heading="ui.tradeoffs.column.action")
        for column in _fields("actions", Action, title=208)
    ),
    Column(
        STATE,
        "form.actions.state",
        text=lambda action, locale: word(action.state, locale.language),
        pixels=92,
        edit=Edit(_state, choices=words_of([state for state in ActionState if state not in DONE])),
    ),
    *(_resource(resource) for resource in Resource),
    Column(
        "changes",
        "form.changes.sheet",
        text=lambda action, _: texts.changes_text(action),
        pixels=210,
        edit=Edit(
            lambda action, text, _: texts.with_changes(action, text), hint="ui.tradeoffs.hint.change", lines=True
        ),
    ),
    *_fields("actions", Action, hypothesis=230),
    Column(
        "causes",
        "form.actions.causes",
        text=_causes,
        pixels=170,
        edit=Edit(
            _with_causes,
            offers=lambda locale: [cause.title for cause in sheet_of(locale).causes],
            hint="ui.tradeoffs.hint.cause",
            lines=True,
        ),
    ),
    Column(
        "price",
        "ui.tradeoffs.column.price",
        text=_price,
        pixels=150,
        edit=Edit(
            lambda action, text, _: replace(action, no_price_reason=text),
            closed=lambda action: bool(action.prices),
            hint="ui.tradeoffs.hint.price",
            lines=True,
        ),
    ),
    Column(
        "risks",
        "form.risks.sheet",
        text=lambda action, _: texts.risks_text(action),
        pixels=200,
        edit=Edit(lambda action, text, _: texts.with_risks(action, text), hint="ui.tradeoffs.hint.lines", lines=True),
    ),
    *_fields("actions", Action, rollback_command=200),
    Column(
        "verifications",
        "form.verifications.sheet",
        text=_verifications,
        pixels=180,
        edit=Edit(_with_verifications, offers=_judging, hint="ui.tradeoffs.hint.metric", lines=True),
    ),
    Column("approval", "form.consents.sheet", text=_approval, pixels=170),
)
RESOURCES = frozenset(resource.value for resource in Resource)


# --- one row in full


def _on_clock(stored: str, locale: Locale, to_the_minute: bool = False) -> str:
    """A moment on the clock of the sheet's zone; as it is stored where there is none, or where it is no moment."""
    clock = sheet_of(locale).clock
    try:
        moment = datetime.fromisoformat(stored).astimezone(clock).replace(tzinfo=None)
    except (ValueError, OverflowError):
        return stored
    if clock is None:
        return stored
    return moment.isoformat(" ", "minutes" if to_the_minute or not moment.second else "seconds")


def _weight(impact: Impact, text: str, _locale: Locale) -> Impact:
    effect = texts.with_impacts(Action(0, 0, ""), impact.resource, text).impacts
    if len(effect) != 1 or effect[0].expected is not None or effect[0].low is not None:
        raise Wrong("form.problem.cell_weight", value=text)
    return replace(impact, direction=effect[0].direction)


def _pinned(impact: Impact, locale: Locale) -> str:
    pinned = (sheet_of(locale).book.find(Evidence, id_) for id_ in impact.evidence_ids)
    return ", ".join(evidence.code for evidence in pinned if evidence is not None)


def _with_pinned(impact: Impact, text: str, locale: Locale) -> Impact:
    ids = []
    for part in (part.strip() for part in re.split(r"[,;\n]", text)):
        match = _EVIDENCE.fullmatch(part)
        id_ = sheet_of(locale).evidence_numbered(int(match[1])) if match else None
        if part and id_ is None:
            raise Wrong("form.problem.record_unknown", value=part)
        ids += [id_] if id_ else []
    return replace(impact, evidence_ids=tuple(dict.fromkeys(ids)))


def _metric_name(verification: Verification, locale: Locale) -> str:
    name = next((metric.name for metric in sheet_of(locale).metrics if metric.id == verification.metric_id), None)
    return name or (f"#{verification.metric_id}" if verification.metric_id else "")


def _with_metric(verification: Verification, text: str, locale: Locale) -> Verification:
    metric_id = sheet_of(locale).metric_called(text)
    if text and metric_id is None:
        raise Wrong("ui.tradeoffs.wrong.metric", value=text)
    return replace(verification, metric_id=metric_id or 0)


CHANGES = _with_others(
    "changes",
    ParameterChange,
    *_fields("changes", ParameterChange, parameter=200, old=150, new=150, scope=190, mode=110),
)
IMPACTS = _with_others(
    "impacts",
    Impact,
    *_fields("impacts", Impact, resource=150),
    Column(
        "direction",
        "form.impacts.direction",
        text=lambda impact, _: texts.ARROWS[impact.direction],
        pixels=76,
        edit=Edit(_weight, hint="ui.tradeoffs.hint.weight"),
    ),
    *_fields("impacts", Impact, low=58, expected=74, high=58, unit=58, basis=90, source=126, note=240),
    Column(
        "evidence",
        "form.impacts.evidence",
        text=_pinned,
        pixels=80,
        edit=Edit(_with_pinned, hint="ui.tradeoffs.hint.evidence"),
    ),
)
RISKS = _with_others("risks", Risk, *_fields("risks", Risk, text=340, likelihood=90, severity=90, detection=300))
VERIFICATIONS = _with_others(
    "verifications",
    Verification,
    Column(
        "metric",
        "form.verifications.metric",
        text=_metric_name,
        pixels=380,
        edit=Edit(_with_metric, offers=_judging, hint="ui.tradeoffs.hint.metric", required=True),
    ),
    *_fields("verifications", Verification, margin_pct=110),
)


def _decided(consent: Consent, locale: Locale) -> str:
    return _on_clock(consent.decided_at, locale, to_the_minute=True)


CONSENTS: tuple[Column[Any], ...] = (
    *_fields("consents", Consent, write=False, role=80, name=100, decision=84),
    *(replace(column, text=_decided) for column in _fields("consents", Consent, write=False, decided_at=136)),
    *_fields("consents", Consent, write=False, note=110),
    Column("signature", "ui.tradeoffs.decision.signature", text=lambda consent, _: consent.signature, pixels=140),
)
FIELDS = _with_others(
    "actions",
    Action,
    *(column for column in GRID if column.id in ("hypothesis", "causes")),
    *_fields("actions", Action, finding=120, no_price_reason=120, rollback_command=120, rollback_duration_min=120),
    *_fields("actions", Action, rollback_precondition=120, rollback_tested_on=120, rollback_tested_by=120, caveat=120),
)
PARTS: Mapping[str, tuple[tuple[Column[Any], ...], Callable[[], Any]]] = {
    "changes": (CHANGES, lambda: ParameterChange("")),
    "impacts": (IMPACTS, lambda: Impact(Resource.CPU, 0)),
    "risks": (RISKS, lambda: Risk("")),
    "verifications": (VERIFICATIONS, lambda: Verification(0)),
}
"""Field of the action -> its columns, and what a new line begins as."""


# --- the change log


_LINE, _TEXT, _CHOICE = FieldKind.LINE, FieldKind.TEXT, FieldKind.CHOICE


def _log(
    name: str, kind: FieldKind, width: int, write: bool = False, choices: type[Enum] | None = None
) -> Column[ExecutedChange]:
    column = field_column("changes", FormField(name, kind, choices), width=width, write=write)
    return replace(column, heading=f"ui.tradeoffs.log.{name}")


def _moment(name: str, width: int) -> Column[ExecutedChange]:
    """A moment that was set: the minute is shown, the second copied and edited; one typed with a zone is taken as it
    is."""

    def local(line: ExecutedChange, locale: Locale) -> str:
        return _on_clock(getattr(line, name), locale)

    def put(line: ExecutedChange, text: str, locale: Locale) -> ExecutedChange:
        try:
            moment = typed_moment(text, sheet_of(locale).clock or UTC)
        except ValueError as error:
            raise Wrong("ui.tradeoffs.wrong.moment", value=text[:60]) from error
        changed: dict[str, Any] = {name: moment.isoformat(timespec="seconds")}
        return replace(line, **changed)

    return Column(
        name,
        f"ui.tradeoffs.log.{name}",
        text=lambda line, locale: _on_clock(getattr(line, name), locale, to_the_minute=True),
        pixels=width,
        edit=Edit(
            put, text=local, closed=lambda line: not getattr(line, name), hint="ui.tradeoffs.hint.moment", whole=True
        ),
    )


def _action_title(line: ExecutedChange, locale: Locale) -> str:
    action = sheet_of(locale).book.find(Action, line.action_id)
    return action.title if action is not None else ""


LOG: tuple[Column[ExecutedChange], ...] = (
    Column("action", "ui.tradeoffs.log.action", text=_action_title, pixels=160),
    _log("parameter", _LINE, 110), _log("old", _LINE, 76, write=True), _log("new", _LINE, 76, write=True),
    _moment("executed_at", 140), _log("executed_by", _LINE, 84), _log("commands", _TEXT, 140, write=True),
    _moment("rolled_back_at", 140), _log("rolled_back_by", _LINE, 70),
    _log("in_force", _CHOICE, 84, write=True, choices=InForce), _log("in_force_basis", _TEXT, 200, write=True),
)  # fmt: skip
