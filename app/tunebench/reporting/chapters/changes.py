"""What was changed, what moved the unwanted way, what is left open; and the evidence that was pinned."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from tunebench.analysis.comparing.improvement import Change, improvement
from tunebench.core.records import record
from tunebench.domain.cycle.evidence import EvidenceTarget
from tunebench.domain.cycle.recorded import Recorded, is_stated_otherwise
from tunebench.domain.cycle.records import CauseState, Figure, IssueState, Outcome
from tunebench.domain.cycle.worksheet import ActionState, ExecutedChange, InForce
from tunebench.domain.provenance import bare_state
from tunebench.reporting.cases.cycle import CaseGuard, CaseIteration, CaseTarget, PinnedEvidence
from tunebench.reporting.chapters.context import FIXED, TEXT, Context, table_of
from tunebench.reporting.chapters.cycle import change_text, figure_text, qualified, title_of
from tunebench.reporting.cycle_words import word
from tunebench.reporting.document import Block, Cell, NumberedList, Paragraph, Table, TableHead, Tone

WORSE_GUARDS = ("paid", "paid_assumed", "exceeded", "exceeded_assumed")


def change_log(context: Context) -> list[Block]:
    """Old and new as they were found and set, who and when, and whether it still held at the after-capture."""
    text = context.text
    columns = (
        TableHead(text("column.action"), FIXED),
        TableHead(text("column.parameter"), TEXT, 2),
        TableHead(text("column.old"), TEXT, 1.5),
        TableHead(text("column.new"), TEXT, 1.5),
        TableHead(text("column.executed"), TEXT, 1.4),
        TableHead(text("column.rollback"), TEXT, 1.5),
        TableHead(text("column.in_force"), TEXT, 1.5),
    )
    rows = tuple(
        _log_cells(context, iteration, number, line)
        for iteration in context.case.cycle.iterations
        for number, line in iteration.log
    )
    notes = (text("method.note_log"),)
    return [Table(text("caption.change_log", count=len(rows)), columns, rows, notes=notes, dense=True)]


def _log_cells(context: Context, iteration: CaseIteration, number: str, line: ExecutedChange) -> tuple[Cell, ...]:
    words = context.words
    when = stated_text(context, line.executed_at, context.case.cycle.recorded.get((line.id, "executed_at")))
    held = word(line.in_force, words.language)
    return (
        Cell(number),
        Cell(line.parameter),
        Cell(line.old or "–"),
        Cell(line.new or "–"),
        Cell(f"{when}\n{line.executed_by}"),
        Cell(_rolled_back(context, iteration, number, line)),
        Cell(
            "\n".join(part for part in (held, line.in_force_basis) if part),
            tone=Tone.BAD if line.in_force is InForce.NO else Tone.PLAIN,
        ),
    )


def stated_text(context: Context, stated: str, recorded: Recorded | None) -> str:
    """A moment as the person stated it, with the moment of its entry where that is another."""
    moment = context.words.iso_moment(stated) if stated else context.text("method.moment_unknown")
    if recorded is None or not is_stated_otherwise(stated, recorded):
        return moment
    return context.text("method.stated", stated=moment, recorded=context.words.iso_moment(recorded.at))


def _rolled_back(context: Context, iteration: CaseIteration, number: str, line: ExecutedChange) -> str:
    if line.rolled_back_at:
        entered = context.case.cycle.recorded.get((line.id, "rolled_back_at"))
        moment = stated_text(context, line.rolled_back_at, entered)
        return context.text("method.rolled_back", moment=moment, name=line.rolled_back_by or "–")
    tested = next((a.action.rollback.tested_on for a in iteration.actions if a.number == number), "")
    if tested:
        return context.text("method.rollback_was_tested", date=context.words.date(tested))
    return context.text("method.rollback_untested")


# --- side effects and what is left


def side_effects(context: Context, most: int | None = None, but: Sequence[str] = ()) -> Iterator[Block]:
    """What moved the unwanted way comes first and is never left out; an empty list is said, not skipped.

    Args:
        most: lines of a kind; how many more there are is said. None for all.
        but: kinds that are told elsewhere.
    """
    for key, sentences in (
        ("worse", worse(context)),
        ("unmeasured", _unmeasured(context)),
        ("told", _reported(context)),
        ("risks", _risks(context)),
        ("open", (point.sentence(context) for point in open_points(context))),
    ):
        items = () if key in but else tuple(sentences)
        if items or key == "worse":
            yield Paragraph(context.text(f"side_effects.{key}" if items else "side_effects.none_worse"))
        if items:
            more = len(items) - most if most is not None else 0
            rest = (context.text("result.more", count=more),) if more > 0 else ()
            yield NumberedList((*items[:most], *rest))


def _moved_badly(watched: CaseTarget | CaseGuard, before: Figure | None) -> bool:
    """Whether the figures as they stand got worse, whatever may be concluded; no where they may not be compared."""
    now, state = watched.now, watched.state
    if before is None or now is None or state == "not_comparable":
        return False
    change = improvement(
        before.value, now.value, watched.metric.direction, before_bound=before.bound, after_bound=now.bound
    )
    return change.change is Change.REGRESSED


def worse(context: Context) -> Iterator[str]:
    for iteration in context.case.cycle.iterations:
        for guard in iteration.guards:
            if guard.state in WORSE_GUARDS or _moved_badly(guard, guard.before):
                yield context.text(
                    "side_effects.guard",
                    iteration=iteration.iteration.number,
                    action=guard.action,
                    metric=guard.metric.name,
                    before=figure_text(context, guard.metric, guard.before),
                    after=figure_text(context, guard.metric, guard.now),
                    change=change_text(context, guard.metric, guard.change),
                )
        for target in iteration.targets:
            baseline = target.target.baseline if target.target else None
            if _moved_badly(target, baseline):
                yield context.text(
                    "side_effects.target",
                    iteration=iteration.iteration.number,
                    metric=target.metric.name,
                    before=figure_text(context, target.metric, baseline),
                    after=figure_text(context, target.metric, target.now),
                    change=change_text(context, target.metric, target.change),
                )


def _unmeasured(context: Context) -> Iterable[str]:
    """Prices that nobody looked at after the change."""
    return (
        context.text("side_effects.unmeasured_guard", action=guard.action, metric=guard.metric.name)
        for iteration in context.case.cycle.iterations
        for guard in iteration.guards
        if guard.state == "not_measured"
    )


def _reported(context: Context) -> Iterable[str]:
    """What the consultant says of an iteration as a whole."""
    return (
        f"{title_of(context, iteration)}: {iteration.summary.side_effects}"
        for iteration in context.case.cycle.iterations
        if iteration.summary is not None and iteration.summary.side_effects
    )


def _risks(context: Context) -> Iterable[str]:
    return (
        f"{action.number} {risk.text}" + (f" – {risk.detection}" if risk.detection else "")
        for action in context.case.cycle.actions
        if action.action.state is ActionState.EXECUTED
        for risk in action.action.risks
    )


@record
class OpenPoint:
    """What is left to do, with whom it waits for and the ISO day, where these are known; of a question also who asked
    it and when."""

    text: str
    owner: str = ""
    due_on: str = ""
    asked_by: str = ""
    asked_on: str = ""

    def sentence(self, context: Context) -> str:
        who, day = self.owner or self.asked_by, self.due_on or self.asked_on
        waits_for = ", ".join(part for part in (who, context.words.date(day)) if part)
        return f"{self.text} ({waits_for})" if waits_for else self.text


def open_points(context: Context) -> Iterator[OpenPoint]:
    """Issues that are not solved; of the last iteration targets that were not met, causes that are still open and
    questions without an answer."""
    cycle, text = context.case.cycle, context.text
    for one in cycle.issues:
        if one.issue.state is not IssueState.SOLVED:
            yield OpenPoint(text("side_effects.issue", number=one.issue.number, title=one.issue.title))
    for iteration in cycle.iterations:
        if iteration.iteration.outcome is Outcome.CONTINUED:
            continue
        yield from _open_targets(context, iteration)
        for cause in iteration.causes:
            if cause.state in (CauseState.OPEN, CauseState.CONFIRMED):
                yield OpenPoint(text("side_effects.cause", title=cause.title))
        for asked in iteration.questions:
            if not asked.answer.strip():
                question = text("side_effects.question", question=asked.text)
                yield OpenPoint(question, asked.owner, asked.due_on, asked.asked_by, asked.asked_on)


def _open_targets(context: Context, iteration: CaseIteration) -> Iterator[OpenPoint]:
    for measured in iteration.targets:
        target, is_met = measured.target, bare_state(measured.state) == "met"
        if target is not None and target.value is not None and not is_met:
            state = qualified(
                context, context.words.known(f"cycle.target_state.{measured.state}", measured.state), measured
            )
            sentence = context.text("side_effects.open_target", metric=measured.metric.name, state=state)
            yield OpenPoint(sentence, target.owner, target.due_on)


# --- the appendix


def pinned(context: Context) -> list[Block]:
    """Every piece of evidence under its number, with where it lies and what it supports."""
    text, pieces = context.text, context.case.cycle.evidence
    return [
        table_of(
            text("caption.pinned", count=len(pieces)),
            pieces,
            (TableHead(text("column.evidence"), FIXED), lambda piece: piece.evidence.code),
            (TableHead(text("column.pinned_caption"), TEXT, 2.4), lambda piece: piece.evidence.caption),
            (TableHead(text("column.where"), TEXT, 3), lambda piece: where(context, piece)),
            (TableHead(text("column.window"), FIXED), lambda piece: _window_text(context, piece.evidence.target)),
            (TableHead(text("column.supports"), TEXT, 2), lambda piece: "\n".join(piece.supports) or "–"),
            notes=(text("note.zone", zone=context.words.zone),),
            is_register=True,
        )
    ]


def where(context: Context, piece: PinnedEvidence) -> str:
    """Where a piece of evidence lies: kind, run, capture and lines, then its subjects."""
    lines, target = "", piece.evidence.target
    if target.first_line is not None:
        lines = context.text("method.lines", first=target.first_line, last=target.last_line or target.first_line)
    location = " · ".join(
        part for part in (word(target.kind, context.words.language), piece.run, piece.file, lines) if part
    )
    subjects = tuple(dict.fromkeys(piece.subject))  # of a window each of its days names it
    return "\n".join((location, *subjects[:3], *(("…",) if len(subjects) > 3 else ())))


def _window_text(context: Context, target: EvidenceTarget) -> str:
    if target.start_ns is None or target.end_ns is None:
        return "–"
    return f"{context.words.moment(target.start_ns)}\n– {context.words.moment(target.end_ns)}"


def glossary(context: Context) -> list[Block]:
    text, terms = context.text, context.case.cycle.terms
    return [
        table_of(
            text("caption.glossary", count=len(terms)),
            terms,
            (TableHead(text("column.korean"), TEXT, 1), lambda term: term.korean),
            (TableHead(text("column.english"), TEXT, 1), lambda term: term.english),
            (TableHead(text("column.meaning"), TEXT, 3), lambda term: term.meaning),
        )
    ]
