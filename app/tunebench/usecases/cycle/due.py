"""What is due to be measured of an iteration, measured at once: baselines over the window before, limits of guards from
what the worksheet expects, results over the window after as soon as a change has been carried out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import count

from tunebench.core.errors import UserError
from tunebench.core.messages import catalogue
from tunebench.core.records import record
from tunebench.diagnosis.cycle.gates import may_begin_result
from tunebench.diagnosis.cycle.results import baseline_of, latest_figure, value_of
from tunebench.domain.cycle.book import CycleBook, CycleEdit, Record, RecordChange
from tunebench.domain.cycle.evidence import EvidenceTarget
from tunebench.domain.cycle.records import Figure, Iteration, Metric, Outcome, SeriesSource, StatementSource, Target
from tunebench.domain.cycle.worksheet import Action, ActionState
from tunebench.domain.engagement import Direction, Phase, Run
from tunebench.domain.record_ids import book_after
from tunebench.domain.translations import in_both_languages
from tunebench.domain.windows import Window
from tunebench.store import engagements, runs
from tunebench.store.project import Project
from tunebench.usecases.answering.chosen import windows_to_answer
from tunebench.usecases.cycle.figures import phase_of, title_of
from tunebench.usecases.cycle.measuring import FIRST_FREE, apart, figure_edit, taken

_DIGITS = 3


@record
class Due:
    """A figure that an iteration lacks and the window that has it."""

    metric: Metric
    over: Window | Run
    is_baseline: bool


@record
class Measured:
    """What `measured_due` found: figures to keep, and why others could not be measured."""

    figures: tuple[tuple[Due, Figure, EvidenceTarget | None], ...]
    refusals: tuple[UserError, ...]


def sides(
    project: Project, before: Window | None = None, after: Window | None = None
) -> tuple[Window | Run | None, Window | Run | None]:
    """The window or run before and the one after: those that somebody chose, else those that are proposed. None on a
    side that has none, or what is called otherwise."""
    by_id = {run.id: run for run in runs.list_runs(project)}
    first, second = (_kept(window, by_id) for window in windows_to_answer(project, before, after))
    return (
        None if first is None or phase_of(first) is Phase.AFTER else first,
        None if second is None or phase_of(second) is Phase.BEFORE else second,
    )


def _kept(window: Window | None, runs_by_id: dict[int, Run]) -> Window | Run | None:
    """A kept window as it is, one that means a run as the run."""
    if window is None or window.id:
        return window
    return next((runs_by_id[id_] for id_ in window.run_ids if id_ in runs_by_id), None)


def due(
    book: CycleBook, iteration: Iteration, before: Window | Run | None, after: Window | Run | None
) -> tuple[Due, ...]:
    """What the iteration lacks; no result before a change was carried out, nothing of a price that nobody pays."""
    return tuple(_due(book, iteration, before, after)) if iteration.outcome is Outcome.OPEN else ()


def due_now(
    project: Project, book: CycleBook, iteration: Iteration | None, before: Window | None, after: Window | None
) -> tuple[Due, ...]:
    """`due` over the `sides`."""
    return due(book, iteration, *sides(project, before, after)) if iteration is not None else ()


def _due(
    book: CycleBook, iteration: Iteration, before: Window | Run | None, after: Window | Run | None
) -> Iterator[Due]:
    actions = book.in_iteration(Action, iteration.id)
    executed = {action.id for action in actions if action.state is ActionState.EXECUTED}
    for metric in book.in_iteration(Metric, iteration.id):
        if not isinstance(metric.source, SeriesSource | StatementSource):
            continue
        if before is not None and baseline_of(book, metric.id) is None:
            yield Due(metric, before, is_baseline=True)
        carried_out = metric.guards in executed if metric.guards is not None else bool(executed)
        has_result = value_of(latest_figure(book, metric.id)) is not None
        if after is not None and carried_out and not has_result and not may_begin_result(book, metric):
            yield Due(metric, after, is_baseline=False)


def measured_due(project: Project, wanted: Sequence[Due]) -> Measured:
    """Reads the samples of all that is due; what cannot be measured does not hold up the rest."""
    figures, refusals = [], []
    for one in wanted:
        try:
            figures.append((one, *taken(project, one.metric, one.over)))
        except UserError as error:
            refusals.append(error)
    return Measured(tuple(figures), tuple(refusals))


def due_edit(project: Project, book: CycleBook, measured: Measured) -> CycleEdit:
    """Keeps what was measured with its evidence, as one step of undo.

    Raises:
        UserError: the first refusal where nothing could be measured, and what a gate bars.
    """
    if not measured.figures and measured.refusals:
        raise measured.refusals[0]
    language = engagements.read_engagement(project).language
    return in_both_languages(lambda code: _due_edit(book, measured, code), language)


def _due_edit(book: CycleBook, measured: Measured, language: str) -> CycleEdit:
    changes: dict[int, RecordChange] = {}
    free = count(FIRST_FREE, -1)
    for one, figure, target in measured.figures:
        edit = figure_edit(book, one.metric, one.over, figure, target, one.is_baseline, language)
        edit = apart(edit, lambda: next(free))
        book = book_after(book, edit)
        for change in edit.changes:
            assert change.after is not None  # figures are put into records, none is taken away by them
            before = changes[change.after.id].before if change.after.id in changes else change.before
            changes[change.after.id] = RecordChange(before, _with_limit(book, one.metric, change.after, language))
    return CycleEdit("measure_due", tuple(changes.values()))


def _with_limit(book: CycleBook, metric: Metric, kept: Record, language: str) -> Record:
    """The target of a guard with the limit that its worksheet expects, as long as the change is only planned: a limit
    that is set when the price is known would limit nothing."""
    action = book.find(Action, metric.guards)
    if not isinstance(kept, Target) or kept.value is not None or action is None:
        return kept
    share = _expected_share(action, metric.resource)
    baseline = value_of(kept.baseline)
    if share is None or baseline is None or action.state not in (ActionState.DRAFT, ActionState.PROPOSED):
        return kept
    factor = 1 + share if metric.direction is Direction.LOWER else 1 - share
    note = catalogue(language).text("cycle.proposed_limit", percent=f"{100 * share:g}")
    return replace(kept, value=float(f"{baseline * factor:.{_DIGITS}g}"), note=note)


def _expected_share(action: Action, resource: str) -> float | None:
    """The highest price that the worksheet names for the resource, as a share of the baseline; None without one in
    per cent."""
    priced = [impact for impact in action.prices if impact.resource.value == resource and impact.unit == "%"]
    shares = [size for impact in priced for size in (impact.low, impact.expected, impact.high) if size is not None]
    return max(map(abs, shares)) / 100 if shares else None


def over_titles(wanted: Sequence[Due]) -> str:
    """The windows that are measured over, each once."""
    return ", ".join(dict.fromkeys(title_of(one.over) for one in wanted))


def measured_text(measured: Measured, language: str) -> str:
    """How many figures were measured over which windows; what could not be, with the first reason."""
    say = catalogue(language).text
    done = say("cycle.measured_due", n=len(measured.figures), windows=over_titles([one[0] for one in measured.figures]))
    if not measured.refusals:
        return done
    why = catalogue(language).error(measured.refusals[0])
    return f"{done} {say('cycle.not_measured_due', n=len(measured.refusals), why=why)}"
