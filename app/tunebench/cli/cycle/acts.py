"""What ``cycle`` changes: each act builds one edit, does it and says what came of it."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from datetime import datetime
from functools import partial
from zoneinfo import ZoneInfo

from tunebench.cli.asked_keys import given_key, given_signature
from tunebench.cli.console import Console
from tunebench.cli.cycle import view as cycle_view
from tunebench.contract import cycle as cycle_shapes
from tunebench.core.errors import ExitCode, UserError
from tunebench.diagnosis.cycle import board
from tunebench.diagnosis.cycle.gates import closing_advice
from tunebench.diagnosis.cycle.steps_left import StepsLeft, steps_left
from tunebench.diagnosis.words import advice_text, gate_text
from tunebench.domain import record_labels
from tunebench.domain.cycle.book import CycleBook, CycleEdit, Record
from tunebench.domain.cycle.evidence import EvidenceTarget
from tunebench.domain.cycle.measured_over import Over, TrialCell
from tunebench.domain.cycle.moments import typed_moment
from tunebench.domain.cycle.records import ExperimentSource, Figure, Iteration, Metric, ResultSummary, Step, StepNumber
from tunebench.domain.cycle.worksheet import Action, Consent, Decision
from tunebench.domain.engagement import Engagement, Phase
from tunebench.domain.schema import schema
from tunebench.domain.translations import in_both_languages
from tunebench.domain.windows import Window
from tunebench.reporting import cycle_words
from tunebench.reporting.forms.reading import problem_text
from tunebench.usecases import projects, signatures
from tunebench.usecases.comparing import windows
from tunebench.usecases.cycle import acts, applying, approving, comparable, due, edits, reading, saved_templates
from tunebench.usecases.cycle import evidence as cycle_evidence
from tunebench.usecases.cycle import exchange as cycle_exchange
from tunebench.usecases.cycle import measuring as cycle_measuring
from tunebench.usecases.cycle import templates as cycle_templates
from tunebench.usecases.cycle import trials as cycle_trials
from tunebench.usecases.cycle.acts import (
    abandon_iteration,
    approve_action,
    close_iteration,
    continue_iteration,
    execute_action,
)
from tunebench.usecases.cycle.edits import add_typed, change_typed, open_iteration
from tunebench.usecases.cycle.engagement import set_engagement
from tunebench.usecases.cycle.figures import check_after, check_before, phase_of
from tunebench.usecases.cycle.lookup import iteration_of, look_up, with_ids, with_series
from tunebench.usecases.cycle.questionnaire import export_questionnaire, import_questionnaire
from tunebench.usecases.cycle.values import parse
from tunebench.usecases.projects import Project

_NS_PER_S = 1_000_000_000


# -- doing and saying ----------------------------------------------------------------------------------


def _do(project: Project, edit: CycleEdit, console: Console, who: str = "", reason: str = "") -> ExitCode:
    """Applies the edit, with the reason for changing what is sealed, and lists what was added, changed and removed."""
    done = applying.apply(project, edit, who, reason)
    console.result(cycle_shapes.done(done))
    for change in done.changes:  # the seven steps come and go with their iteration
        if change.after is None and change.before is not None:
            console.say("cli.cycle.removed", record=record_labels.label(change.before))
        elif change.after is not None and not (change.before is None and isinstance(change.after, Step)):
            key = "cli.cycle.added" if change.before is None else "cli.cycle.changed"
            console.say(key, record=record_labels.label(change.after))
    for action in applying.withdrawn(done):
        console.notice("cli.cycle.withdrawn", action=action.title)
    if not done.changes:
        console.say("cli.cycle.nothing")
    return ExitCode.DONE


def _today(project: Project) -> str:
    return projects.today(project).isoformat()


def _at(args: argparse.Namespace, project: Project) -> str:
    """The moment that was said, the engagement's zone added where none was; now where none was said."""
    zone = ZoneInfo(projects.read_engagement(project).zone)
    moment: datetime = args.at or datetime.now(zone)
    return (moment if moment.tzinfo else moment.replace(tzinfo=zone)).isoformat(timespec="seconds")


def _pairs(words: Sequence[str]) -> list[tuple[str, str]]:
    """``FIELD=VALUE``: the first equals sign parts them; a list's field may come several times."""
    pairs = []
    for word in words:
        name, equals, value = word.partition("=")
        if not equals or not name:
            raise UserError("cycle_value_pairs", value=word, known="FIELD=VALUE")
        pairs.append((name.strip(), value))
    return pairs


def _here(book: CycleBook, args: argparse.Namespace) -> Iteration | None:
    number = getattr(args, "iteration", None)
    return iteration_of(book, number) if number is not None or book.current else None


def _look_up(book: CycleBook, args: argparse.Namespace) -> Record:
    return look_up(book, args.record, _here(book, args))


def _action(book: CycleBook, args: argparse.Namespace) -> Action:
    record = _look_up(book, args)
    if not isinstance(record, Action):
        raise UserError("cycle_reference_unknown", words=args.record)
    return record


# -- records -------------------------------------------------------------------------------------------


def set_(args: argparse.Namespace, project: Project, console: Console) -> ExitCode:
    values = _pairs(args.values)
    if not values:
        raise UserError("cycle_values_wanted", record=args.record)
    if args.record == "engagement":
        return _set_engagement(project, dict(values), console)
    book = reading.read(project)
    here = _here(book, args)
    values = _moments(project, with_ids(book, values, here))
    if args.record == "summary" and here is not None and not book.in_iteration(ResultSummary, here.id):
        return _do(project, add_typed(book, "summary", values, here.id), console, args.by)
    record = look_up(book, args.record, here)
    if isinstance(record, Metric):
        values = with_series(project, values, new=False)
    return _do(project, change_typed(book, record.id, values), console, args.by, args.reason)


def _moments(project: Project, values: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """The values with their moments in a zone: the engagement's where none was said."""
    zone = ZoneInfo(projects.read_engagement(project).zone)
    return [(name, _zoned(text, zone) if name.endswith("_at") else text) for name, text in values]


def _zoned(text: str, zone: ZoneInfo) -> str:
    try:
        return typed_moment(text, zone).isoformat()
    except ValueError:
        return text  # refused with a sentence where it is read


def _set_engagement(project: Project, values: Mapping[str, str], console: Console) -> ExitCode:
    engagement: Engagement = set_engagement(project, values)
    console.result({field.name: getattr(engagement, field.name) for field in fields(engagement)})
    console.say("cli.cycle.engagement_set", title=engagement.title)
    return ExitCode.DONE


def add(args: argparse.Namespace, project: Project, console: Console) -> ExitCode:
    book = reading.read(project)
    here = _here(book, args)
    values = _moments(project, with_ids(book, _pairs(args.values), here))
    if args.kind == "metric":
        values = with_series(project, values)
    edit = add_typed(book, args.kind, values, here.id if here else None)
    return _do(project, edit, console, args.by, args.reason)


def remove(args: argparse.Namespace, project: Project, console: Console) -> ExitCode:
    book = reading.read(project)
    edit = edits.remove(book, _look_up(book, args).id, args.with_dependents)
    return _do(project, edit, console, args.by, args.reason)


# -- the cycle -----------------------------------------------------------------------------------------


def start(args: argparse.Namespace, project: Project, console: Console) -> ExitCode:
    book, on = reading.read(project), args.on or _today(project)
    if args.template:
        language = projects.read_engagement(project).language
        edit = cycle_templates.start(book, args.template, language, title=args.title, on=on)
    else:
        title = args.title or console.text("cli.cycle.untitled", number=len(book.iterations) + 1)
        edit = open_iteration(book, title, introduction=args.introduction, on=on)
    return _do(project, edit, console)


def continue_(args: argparse.Namespace, project: Project, console: Console) -> ExitCode:
    book = comparable.asked(project, reading.read(project))
    act = partial(continue_iteration, title=args.title)
    return _end(args, project, console, book, iteration_of(book, None), act)


def close(args: argparse.Namespace, project: Project, console: Console) -> ExitCode:
    book = comparable.asked(project, reading.read(project))
    iteration = iteration_of(book, args.iteration)
    if not args.abandon:
        key = given_key(args, console)
        signatures.refuse_unsigned(project, args.by, key)
        code = _end(args, project, console, book, iteration, partial(close_iteration, reason=args.reason))
        if key is not None:
            signatures.sign_trail(project, args.by, key)
        return code
    on = args.on or _today(project)
    edit = abandon_iteration(book, iteration.id, by=args.by, on=on, reason=args.reason)
    return _do(project, edit, console, args.by)


def _end(
    args: argparse.Namespace,
    project: Project,
    console: Console,
    book: CycleBook,
    iteration: Iteration,
    act: Callable[..., CycleEdit],
) -> ExitCode:
    """Ends an iteration; says what was amended, what became of its steps, and the prices that nobody has measured."""
    zone = ZoneInfo(projects.read_engagement(project).zone)
    for sentence in cycle_view.amendment_texts(board.standing(book, iteration), console, zone):
        console.complain(sentence)
    left, on = steps_left(book, iteration), args.on or _today(project)
    edit = act(book, iteration.id, on=on, by=args.by, finish_steps=not args.leave_steps)
    code = _do(project, edit, console, args.by)
    _say_left(left, args.leave_steps, console)
    for advice in closing_advice(book, iteration):
        console.complain(advice_text(advice, console.language))
    return code


def _say_left(left: StepsLeft, as_they_are: bool, console: Console) -> None:
    """Which steps were finished with the iteration, and what the others would have needed."""
    if left.ready:
        names = ", ".join(
            f"{int(step.number)} {cycle_words.word(step.number, console.language)}" for step in left.ready
        )
        console.notice("cli.cycle.steps_left" if as_they_are else "cli.cycle.steps_finished", steps=names)
    for unready in left.lacking:
        number = unready.step.number
        why = " ".join(gate_text(gate, console.language) for gate in unready.gates)
        name = cycle_words.word(number, console.language)
        console.notice("cli.cycle.step_lacking", number=int(number), name=name, why=why)


# -- figures -------------------------------------------------------------------------------------------


def measure(args: argparse.Namespace, project: Project, console: Console) -> ExitCode:
    """Takes the figure from the run and pins what it rests on; a typed one says itself where it stands."""
    book = reading.read(project)
    metric = _look_up(book, args)
    if not isinstance(metric, Metric):
        raise UserError("cycle_reference_unknown", words=args.record)
    over = _over(project, metric, args.run)
    phase = phase_of(over)
    baseline = args.side == "baseline" or (args.side is None and phase is Phase.BEFORE)
    if baseline:
        check_before(book, metric, over)
    else:
        check_after(over)

    def put(figure: Figure, target: EvidenceTarget | None, language: str) -> CycleEdit:
        return cycle_measuring.figure_edit(book, metric, over, figure, target, baseline, language, remark=args.remark)

    written = projects.read_engagement(project).language
    taken = (_typed(args.value, over), None) if args.value else cycle_measuring.taken(project, metric, over)
    edit = in_both_languages(lambda language: put(*taken, language), written)
    return _do(project, edit, console, args.by, args.reason)


def measure_due(args: argparse.Namespace, project: Project, console: Console) -> ExitCode:
    """Baselines, limits of guards and results that the iteration lacks, and why any cannot be measured."""
    book = reading.read(project)
    wanted = due.due_now(project, book, _here(book, args), None, None)
    measured = due.measured_due(project, wanted)
    code = _do(project, due.due_edit(project, book, measured), console)
    if wanted:
        console.complain(due.measured_text(measured, console.language))
    return ExitCode.PARTLY if measured.refusals else code


def _over(project: Project, metric: Metric, name: str) -> Over:
    """A cell of the metric's experiment, a kept window or a run."""
    if isinstance(metric.source, ExperimentSource):
        return cycle_trials.find_cell(project, metric.source, name)
    window = windows.find_window(project, name)
    return window if window.id else projects.find_run(project, name)


def _typed(value: str, over: Over) -> Figure:
    """A figure that was measured by hand, said to be of that run, window or cell."""
    typed = parse(Figure, schema(Figure)["value"], value)
    assert isinstance(typed, Figure)
    if isinstance(over, TrialCell):
        return replace(typed, cell=over.cell)
    return replace(typed, window_id=over.id) if isinstance(over, Window) else replace(typed, run_id=over.id)


# -- countermeasures -----------------------------------------------------------------------------------


def approve(args: argparse.Namespace, project: Project, console: Console) -> ExitCode:
    book = reading.read(project)
    action, key, signature = _action(book, args), given_key(args, console), given_signature(args)
    consent = Consent(args.role, args.name, Decision(args.decision), _at(args, project), args.note, signature)
    if key is not None:
        consent = approving.signed(project, book, action, consent, key)
    return _do(project, approve_action(book, action.id, consent), console, args.name)


def execute(args: argparse.Namespace, project: Project, console: Console) -> ExitCode:
    book = reading.read(project)
    pairs = _pairs(args.found) if args.found else []
    actual = {name: (text.partition(":")[0], text.partition(":")[2]) for name, text in pairs}
    edit = execute_action(book, _action(book, args).id, args.by, _at(args, project), args.commands, actual)
    return _do(project, edit, console, args.by)


def effects(args: argparse.Namespace, project: Project, console: Console) -> ExitCode:
    """What is known about the changes of an action; with ``--take`` its rows go into the worksheet."""
    book = reading.read(project)
    action, language = _action(book, args), projects.read_engagement(project).language
    if args.take:
        return _do(project, cycle_templates.take_effect(book, action, args.take, language), console)
    proposals = cycle_templates.proposals(action)
    console.result([cycle_shapes.effect(one) for one in proposals])
    for one in proposals:
        console.say("cli.cycle.effect", id=one.id, change=one.change_in(console.language), source=one.source)
    if not proposals:
        console.say("cli.cycle.no_effect")
    return ExitCode.DONE


def roll_back(args: argparse.Namespace, project: Project, console: Console) -> ExitCode:
    book = reading.read(project)
    return _do(project, acts.roll_back(book, _action(book, args).id, args.by, _at(args, project)), console, args.by)


def check_changes(args: argparse.Namespace, project: Project, console: Console) -> ExitCode:
    run = projects.find_run(project, args.run)
    return _do(project, cycle_evidence.check_in_force(project, reading.read(project), run), console)


def save_template(args: argparse.Namespace, project: Project, console: Console) -> ExitCode:
    """Saves a closed iteration, to begin others with."""
    book = reading.read(project)
    path = saved_templates.save(project, book, iteration_of(book, args.iteration))
    console.result({"file": str(path)})
    console.say("cli.cycle.template_saved", path=path)
    return ExitCode.DONE


# -- evidence ------------------------------------------------------------------------------------------


def pin(args: argparse.Namespace, project: Project, console: Console) -> ExitCode:
    book = reading.read(project)
    here = _here(book, args)
    attached = [look_up(book, words, here).id for words in args.to]
    return _do(
        project, cycle_evidence.pin(book, _evidence(args, project), args.caption, attached, args.by), console, args.by
    )


def _evidence(args: argparse.Namespace, project: Project) -> EvidenceTarget:
    run = projects.find_run(project, args.run) if args.run else None
    if args.series:
        zone = ZoneInfo(projects.read_engagement(project).zone)
        return cycle_evidence.window(project, _ids(args.series), _ns(args.start, zone), _ns(args.end, zone))
    if args.capture is not None:
        first, last = _lines(args.lines)
        return cycle_evidence.capture(project, args.capture, first, last)
    if args.statement and run is not None:
        engine, colon, statement = args.statement.rpartition(":")
        return cycle_evidence.statement(project, run, engine if colon else "", statement)
    if args.experiment is not None:
        return cycle_evidence.experiment(project, args.experiment)
    if args.measurement:
        return cycle_evidence.measurement(project, args.measurement)
    if args.finding:
        return cycle_evidence.finding(args.finding, run)
    if run is None or args.statement:
        raise UserError("evidence_unsaid")
    return cycle_evidence.whole_run(run)


def _ids(text: str) -> list[int]:
    words = [word.strip() for word in text.split(",") if word.strip()]
    if not all(word.isdecimal() for word in words):
        raise UserError("cycle_value_reference", field="series", value=text)
    return [int(word) for word in words]


def _lines(text: str) -> tuple[int | None, int | None]:
    if not text:
        return None, None
    first, _, last = text.partition("-")
    if not first.isdecimal() or (last and not last.isdecimal()):
        raise UserError("cycle_value_reference", field="lines", value=text)
    return int(first), int(last or first)


def _ns(moment: datetime | None, zone: ZoneInfo) -> int | None:
    if moment is None:
        return None
    return int((moment if moment.tzinfo else moment.replace(tzinfo=zone)).timestamp()) * _NS_PER_S


def attach(args: argparse.Namespace, project: Project, console: Console) -> ExitCode:
    book = reading.read(project)
    iteration = iteration_of(book, args.iteration)
    step = StepNumber(args.step)
    edit = cycle_evidence.attach_file(project, book, iteration.id, step, args.file, args.caption, args.by)
    return _do(project, edit, console, args.by)


# -- spreadsheets --------------------------------------------------------------------------------------


def export(args: argparse.Namespace, project: Project, console: Console) -> ExitCode:
    """Writes the questionnaire for the customer, or the worksheet of an iteration."""
    language = args.form_language or projects.read_engagement(project).language
    if args.form == "questionnaire":
        path = export_questionnaire(project, args.file, language, _today(project))
    else:
        iteration = iteration_of(reading.read(project), args.iteration)
        path = cycle_exchange.export_worksheet(project, args.file, iteration.id, language, _today(project))
    console.result({"file": str(path)})
    console.say("cli.cycle.written", path=path)
    return ExitCode.DONE


def import_(args: argparse.Namespace, project: Project, console: Console) -> ExitCode:
    """Takes a filled-in form in, all of it or nothing."""
    if args.form == "questionnaire":
        taken = import_questionnaire(project, args.file, args.by)
    else:
        iteration = iteration_of(reading.read(project), args.iteration)
        taken = cycle_exchange.import_worksheet(project, args.file, iteration.id, args.by)
    remarks = [problem_text(remark, console.language) for remark in taken.remarks]
    console.result(
        {
            "added": dict(taken.added),
            "changed": dict(taken.changed),
            "records": cycle_shapes.done(taken.done)["records"] if taken.done else [],
            "remarks": len(remarks),
        }
    )
    for key, counts in (("cli.cycle.taken_added", taken.added), ("cli.cycle.taken_changed", taken.changed)):
        if counts:
            console.say(key, counts=", ".join(f"{kind} {n}" for kind, n in counts.items()))
    if not taken.added and not taken.changed:
        console.say("cli.cycle.nothing")
    for remark in remarks:
        console.complain(remark)
    return ExitCode.DONE
