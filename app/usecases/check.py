"""Is everything in the project whole, and does it say what was measured and written?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass

from app.core.errors import UserError
from app.core.messages import catalogue
from app.core.progress import Progress, SilentProgress
from app.domain.cycle.book import CycleBook
from app.domain.cycle.records import Metric, Result, Target
from app.domain.record_labels import own_words, reference_of
from app.domain.visible_text import harmless_line
from app.store import runs
from app.store.audit import trail as audit
from app.store.audit.replay import Difference
from app.store.check import CheckResult, check_project, result
from app.store.cycle import records as cycle_records
from app.store.cycle.check import changed_outside, read_anew
from app.store.project import Project
from app.usecases.cycle import facade as cycle
from app.usecases.cycle.figures import Broken, Remeasured, remeasured

__all__ = ["CheckResult", "Contradictions", "contradictions", "found_text"]

_FIGURES, _SOURCES = "cycle_figures", "cycle_sources"


def check(project: Project, progress: Progress | None = None) -> list[CheckResult]:
    """SQLite's own check, every artefact's hash recomputed, ledgers balanced, references sound, records of the cycle
    as the audit trail wrote them, and every measured figure of the cycle computed again."""
    progress = progress or SilentProgress()
    found = check_project(project, progress)
    progress.raise_if_cancelled()
    progress.report(len(found), len(found) + 1, f"check.{_FIGURES}")
    return [*found, *_figures(project)]


def _figures(project: Project) -> tuple[CheckResult, ...]:
    """Those that differ from what their captures say, and apart those that cannot be told: their captures are gone, or
    were read anew since."""
    try:
        book = cycle.read(project)
        measured = list(remeasured(project, book, {run.id: run for run in runs.list_runs(project)}))
    except UserError as error:
        return (CheckResult(_FIGURES, "failed", {"found": [str(error)], "count": 1}),)
    differing = [each for each in measured if each.differs]
    lost = [each for each in measured if isinstance(each.now, Broken)]
    changed = [each for each in differing if read_anew(project, each.figure)]
    wrong = [each for each in differing if each not in changed]
    return (
        result(_FIGURES, [_told(each) for each in wrong], len(measured)),
        result(_SOURCES, [_told(each) for each in (*lost, *changed)], len(measured), bad="warning"),
    )


# -- what a report may not print -----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Contradictions:
    """
    Attributes:
        found: as a check finds them, see `found_text`.
        metrics: ids of those whose figures and verdicts rest on them.
    """

    found: tuple[object, ...] = ()
    metrics: frozenset[int] = frozenset()


_BEARING = ("action", "amendment", "executed", "iteration", "seal", "step", "window")
"""Kinds that what every verdict rests on may be told by: when something was changed, what is compared, by what word."""


def contradictions(project: Project, book: CycleBook) -> Contradictions:
    """What `check` finds wrong in the cycle: figures that their captures contradict, also where those were read anew
    or the hours are of another zone since (they are to be measured again); records that the audit trail contradicts;
    and a trail that was changed itself, which vouches for nothing."""
    every = frozenset(metric.id for metric in book.all(Metric))
    measured = remeasured(project, book, {run.id: run for run in runs.list_runs(project)})
    wrong = [each for each in measured if each.differs]
    changed = changed_outside(project, cycle_records.stored_records(project))
    found: list[object] = [_told(each) for each in wrong]
    found += [{**asdict(each), "record": _named(book, each.record)} for each in changed]
    metrics = {each.metric.id for each in wrong} | {id_ for each in changed for id_ in _concerned(book, each, every)}
    broken = audit.verify_chain(project)
    if broken is not None:
        found.append({"entry": broken})
        metrics = set(every)
    return Contradictions(tuple(found), frozenset(metrics))


def _named(book: CycleBook, reference: str) -> str:
    """``Order time (result.7)``: a target and a result by their metric."""
    record = book.records.get(int(reference.partition(".")[2]))
    metric = book.find(Metric, record.metric_id) if isinstance(record, Target | Result) else None
    return reference if record is None else f"{own_words(metric or record)} ({reference})"


def _concerned(book: CycleBook, each: Difference, every: frozenset[int]) -> Iterator[int]:
    """Ids of the metrics whose figures or verdicts rest on the record."""
    kind, _, id_ = each.record.partition(".")
    if kind in _BEARING:
        yield from every
    elif kind == "metric":
        yield int(id_)
    elif kind in ("target", "result"):
        record = book.records.get(int(id_))
        told = [getattr(record, "metric_id", None)]
        told += [side.get("metric_id") for side in (each.written, each.stored) if isinstance(side, dict)]
        told += [each.written] if each.field == "metric_id" else []
        yield from (found for found in told if isinstance(found, int))


def _told(each: Remeasured) -> dict[str, object]:
    """`why` has the key of the reason where nothing can be computed."""
    recomputed, why = (None, each.now.key) if isinstance(each.now, Broken) else (each.now.value, None)
    return {
        "record": reference_of(each.record),
        "metric": each.metric.name,
        "run": each.measured_over,
        "stored": each.figure.value,
        "recomputed": recomputed,
        "why": why,
    }


def found_text(found: object, language: str) -> str:
    """One of the things that a check found, as people read it: a name, or a record with both values."""
    if not isinstance(found, dict):
        return str(found)
    messages = catalogue(language)
    if "entry" in found:
        return messages.text("report.trail.broken", entry=found["entry"])
    facts = {name: _value_text(value) for name, value in found.items()}
    if "recomputed" in found:
        key = "figure" if found["recomputed"] is not None else "figure_lost"
        return messages.text(f"check.found.{key}", **facts)
    key = "changed" if found["field"] else ("removed" if found["stored"] is None else "added")
    return messages.text(f"check.found.{key}", **facts)


_LONGEST = 80


def _value_text(value: object) -> str:
    """Short, and without what could move a terminal's cursor."""
    text = "–" if value is None else f"{value:.10g}" if isinstance(value, float) else str(value)
    return harmless_line(text)[:_LONGEST]
