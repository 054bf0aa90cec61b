"""What ``cycle show`` prints: where the engagement stands, and what its records say."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from enum import Enum
from zoneinfo import ZoneInfo

from tunebench.cli.answering import show_answer
from tunebench.cli.console import Console
from tunebench.columns.answering.answer_words import answer_text
from tunebench.columns.column import Locale
from tunebench.contract import cycle as cycle_shapes
from tunebench.core.errors import ExitCode, UserError
from tunebench.diagnosis.cycle import board
from tunebench.diagnosis.cycle.board import Standing
from tunebench.diagnosis.cycle.gate import Gate
from tunebench.diagnosis.cycle.results import GuardStanding, TargetStanding
from tunebench.diagnosis.words import gate_text
from tunebench.domain import record_labels
from tunebench.domain.cycle.book import CycleBook, Record, kind_of
from tunebench.domain.cycle.evidence import Evidence
from tunebench.domain.cycle.record_json import fields_of
from tunebench.domain.cycle.records import Cause, CustomerIssue, Figure, Iteration, Metric, Question, Target
from tunebench.domain.cycle.worksheet import Action, ExecutedChange
from tunebench.domain.engagement import Engagement
from tunebench.domain.record_labels import reference_of
from tunebench.domain.translations import translated_texts, without_translations
from tunebench.reporting import cycle_words
from tunebench.reporting.cycle_words import amendment_text, field_word
from tunebench.reporting.wording import Wording
from tunebench.usecases import projects
from tunebench.usecases.answering.chosen import answer_for
from tunebench.usecases.cycle import comparable, reading, saved_templates
from tunebench.usecases.cycle import templates as cycle_templates
from tunebench.usecases.cycle.contradicted import found_text
from tunebench.usecases.cycle.figures import BrokenRecord, broken_records, broken_text
from tunebench.usecases.cycle.lookup import iteration_of, look_up
from tunebench.usecases.cycle.words import (
    basis_text,
    disclosure_text,
    next_text,
    outcome_text,
    refusal_texts,
    state_text,
    target_text,
)
from tunebench.usecases.projects import Project


def show(args: argparse.Namespace, project: Project, console: Console) -> ExitCode:
    if args.record == "engagement":
        return _show_engagement(projects.read_engagement(project), console)
    book = comparable.asked(project, reading.read(project))
    here = iteration_of(book, args.iteration) if args.iteration is not None or book.current else None
    if args.record:
        return _show_record(look_up(book, args.record, here), book, console)
    standing = board.standing(book, here)
    broken = broken_records(project, book, here.id if here else None)
    engagement = projects.read_engagement(project)
    console.result(cycle_shapes.whole(engagement, book, standing, broken))
    if not console.json_wanted:
        zone = ZoneInfo(engagement.zone)
        if args.iteration is None:
            _say_answer(project, console, zone, str(args.project))
        _say_whole(book, standing, broken, console, zone)
    return ExitCode.DONE


def templates(_args: argparse.Namespace, _project: Project, console: Console) -> ExitCode:
    """Lists what an iteration can be started from."""
    offered = cycle_templates.listed(console.language)
    console.result([{"id": one.id, "name": one.name, "summary": one.summary, "source": one.source} for one in offered])
    keys = ("template", "name", "source")
    console.table(_headings(console, *keys), [[one.id, one.name, one.source] for one in offered])
    for path in saved_templates.unreadable():
        console.complain(console.text("cli.cycle.template_unreadable", path=path))
    return ExitCode.DONE


def say_gates(gates: Sequence[Gate], console: Console) -> None:
    """Prints every gate that is in the way, on stderr."""
    for gate in gates:
        console.complain(gate_text(gate, console.language))


# -- one record ----------------------------------------------------------------------------------------


def _show_record(record: Record, book: CycleBook, console: Console) -> ExitCode:
    evidence = book.evidence_of(record.id)
    console.result(
        {
            **cycle_shapes.record(record),
            "evidence": [one.code for one in evidence],
            "named_by": [reference_of(one) for one in book.users_of(record.id)],
        }
    )
    console.print(f"{console.text(f'cycle.kind.{kind_of(record)}')}: {record_labels.label(record)}")
    for name, value in fields_of(without_translations(record)).items():
        if value not in (None, "", []):
            console.print(f"  {field_word(name, console.language)} ({name}): {_shown(value)}")
    _say_translations(record, console)
    if evidence:
        console.print("  " + ", ".join(record_labels.label(one) for one in evidence))
    return ExitCode.DONE


def _show_engagement(engagement: Engagement, console: Console) -> ExitCode:
    console.result(fields_of(engagement))
    for name, value in fields_of(without_translations(engagement)).items():
        shown = ", ".join(value) if isinstance(value, list) else _shown(value)
        console.print(f"{field_word(name, console.language)} ({name}): {shown or '-'}")
    _say_translations(engagement, console)
    return ExitCode.DONE


def _say_translations(record: Record | Engagement, console: Console) -> None:
    """A line for each text in the second language, by the name that ``cycle edit`` takes."""
    for name, text in translated_texts(record):
        console.print(f"{field_word(name, console.language)} ({name}): {', '.join(text.splitlines())}")


def _shown(value: object) -> str:
    if isinstance(value, dict):
        return "; ".join(f"{name}={_shown(part)}" for name, part in value.items() if part not in (None, "", []))
    if isinstance(value, list):
        return "".join(f"\n    {number}. {_shown(part)}" for number, part in enumerate(value, start=1))
    return str(value)


def say_stand(standing: Standing, console: Console) -> None:
    """Prints two lines for ``info``; nothing before the first iteration."""
    if standing.iteration is not None:
        _say_head(standing.iteration, standing, console)
        console.say("cli.cycle.next", sentence=next_text(standing.next_action, console.language))


# -- the whole -----------------------------------------------------------------------------------------


def _say_answer(project: Project, console: Console, zone: ZoneInfo, path: str) -> None:
    """What the windows of the iteration say, before what is recorded of it; nothing where they cannot be compared."""
    try:
        answer = answer_for(project)
    except UserError as error:
        console.refuse(error)
        return
    if answer is not None:
        show_answer(answer_text(answer, Locale(console.language, zone, missing="-")), path, console)
        console.print()


def _say_whole(
    book: CycleBook, standing: Standing, broken: Sequence[BrokenRecord], console: Console, zone: ZoneInfo
) -> None:
    for issue in book.all(CustomerIssue):
        console.say(
            "cli.cycle.issue",
            number=issue.number,
            title=issue.title,
            severity=_word(console, issue.severity),
            state=_word(console, issue.state),
        )
    if standing.iteration is not None:
        _say_iteration(book, standing.iteration, standing, console, zone)
    for fault in broken:
        why = broken_text(fault.why, console.language)
        console.say("cli.cycle.broken", record=record_labels.label(fault.record), why=why)
    for gate in standing.gates:
        console.say("cli.cycle.gate", step=int(gate.step), sentence=gate_text(gate, console.language))
    console.say("cli.cycle.next", sentence=next_text(standing.next_action, console.language))


def _say_iteration(book: CycleBook, iteration: Iteration, standing: Standing, console: Console, zone: ZoneInfo) -> None:
    _say_head(iteration, standing, console)
    if iteration.reason:
        console.say("cli.cycle.reason", by=iteration.closed_by, reason=iteration.reason)
    console.table(
        _headings(console, "step", "name", "state", "owner", "content"),
        [
            [
                str(int(step.number)),
                _word(console, step.number),
                _word(console, step.state),
                step.record.owner if step.record else "",
                _counts(console, step.counts),
            ]
            for step in standing.steps
        ],
    )
    if standing.targets or standing.guards:
        console.print()
        _say_judged(standing, console, zone)
    for wrong in standing.contradicted:
        console.say("cli.cycle.amended", sentence=found_text(wrong, console.language))
    for sentence in amendment_texts(standing, console, zone):
        console.say("cli.cycle.amended", sentence=sentence)
    for disclosure in standing.disclosures:
        console.say("cli.cycle.amended", sentence=disclosure_text(disclosure, console.language, zone))
    _say_lists(book, iteration, console)


def amendment_texts(standing: Standing, console: Console, zone: ZoneInfo) -> list[str]:
    words = Wording(console.language, zone.key)
    return [amendment_text(amendment, words) for amendment in standing.amendments]


def _say_head(iteration: Iteration, standing: Standing, console: Console) -> None:
    console.say(
        "cli.cycle.iteration",
        number=iteration.number,
        title=iteration.title,
        outcome=outcome_text(standing, console.language),
        opened=iteration.opened_on or "-",
        closed=iteration.closed_on or "-",
    )


def _counts(console: Console, counts: Mapping[str, int]) -> str:
    return ", ".join(console.text(f"cycle.count.{key}", n=n) for key, n in counts.items() if n)


def _say_judged(standing: Standing, console: Console, zone: ZoneInfo) -> None:
    """Targets, then guards; below them what the verdicts rest on, and why windows are not comparable, each once."""
    words = Wording(console.language, zone.key)
    headings = _headings(console, "priority", "metric", "baseline", "now", "target", "unit", "state", "ratio")
    judged: list[tuple[str, Figure | None, float | None, TargetStanding | GuardStanding]] = [
        *((str(one.target.priority), one.baseline, one.target.value, one) for one in standing.targets),
        *(("-", one.before, one.limit, one) for one in standing.guards),
    ]
    rows = [
        [
            priority,
            record_labels.label(one.metric),
            _figure(before, one.metric),
            _figure(one.now, one.metric),
            _number(goal, one.metric),
            one.metric.unit,
            _state_text(one, standing, console),
            "-" if one.improvement.ratio is None else words.ratio(one.improvement),
        ]
        for priority, before, goal, one in judged
    ]
    console.table(headings, rows, right=frozenset({0, 2, 3, 4, 7}))
    for *_, one in judged:
        basis = basis_text(one, console.language, zone)
        if basis:
            console.print(f"{record_labels.label(one.metric)}: {basis}")
    refusals = [sentence for one in standing.targets for sentence in refusal_texts(one, console.language, zone)]
    for sentence in dict.fromkeys(refusals):
        console.print(sentence)


def _state_text(one: TargetStanding | GuardStanding, standing: Standing, console: Console) -> str:
    if isinstance(one, TargetStanding):
        return target_text(one, standing.amendments, standing.disclosures, console.language)
    return state_text(one, console.language)


def _figure(figure: Figure | None, metric: Metric) -> str:
    return "-" if figure is None else f"{figure.bound}{_number(figure.value, metric)}"


def _number(value: float | None, metric: Metric) -> str:
    return "-" if value is None else f"{value:,.{metric.decimals}f}"


def _say_lists(book: CycleBook, iteration: Iteration, console: Console) -> None:
    kinds: Mapping[str, type[Record]] = {"metrics": Metric, "targets": Target, "causes": Cause, "actions": Action}
    for key, kind in kinds.items():
        _say_list(console, book, key, book.in_iteration(kind, iteration.id))
    actions = {action.id for action in book.in_iteration(Action, iteration.id)}
    _say_list(console, book, "executed", [line for line in book.all(ExecutedChange) if line.action_id in actions])
    questions = [question for question in book.in_iteration(Question, iteration.id) if not question.answer]
    _say_list(console, book, "questions", questions)
    _say_list(console, book, "evidence", book.all(Evidence))


def _say_list(console: Console, book: CycleBook, key: str, records: Sequence[Record]) -> None:
    if records:
        console.print()
        console.print(console.text(f"cli.cycle.list.{key}"))
    for record in records:
        state = getattr(record, "state", None)
        words = [
            record_labels.label(record),
            _word(console, state) if isinstance(state, Enum) else "",
            _also(record, book),
        ]
        console.print("  " + " · ".join(word for word in words if word))


def _also(record: Record, book: CycleBook) -> str:
    match record:
        case Target():
            metric = book.find(Metric, record.metric_id)
            return metric.name if metric is not None else ""
        case ExecutedChange():
            return f"{record.old or '-'} -> {record.new}, {record.executed_at}, {record.executed_by}"
        case Question():
            owed = " ".join(filter(None, (record.owner, record.due_on)))
            asked = " ".join(filter(None, (record.asked_by, record.asked_on)))
            return " → ".join(filter(None, (asked, owed)))
        case Cause() if record.share_pct is not None:
            return f"{record.share_pct:g} %"
    return ""


def _word(console: Console, member: Enum) -> str:
    return cycle_words.word(member, console.language)


def _headings(console: Console, *keys: str) -> list[str]:
    return [console.text(f"cli.cycle.column.{key}") for key in keys]
