"""What the check of a project finds wrong in its cycle: no verdict rests on it, no report prints it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from zoneinfo import ZoneInfo

from tunebench.core.messages import catalogue
from tunebench.diagnosis.cycle.board import Standing
from tunebench.domain.cycle.book import CycleBook
from tunebench.domain.cycle.recorded import Contradictions
from tunebench.domain.cycle.records import ExperimentSource, Metric, Result, Target
from tunebench.domain.record_labels import own_words, reference_of
from tunebench.domain.visible_text import harmless_line
from tunebench.store import runs
from tunebench.store.audit import trail as audit
from tunebench.store.audit.replay import Difference
from tunebench.store.cycle import records as cycle_records
from tunebench.store.cycle.check import changed_outside
from tunebench.store.experiments import check as experiments
from tunebench.store.experiments.records import TABLES, stored_records
from tunebench.store.project import Project
from tunebench.usecases import signatures
from tunebench.usecases.cycle.figures import Broken, Remeasured, remeasured
from tunebench.usecases.cycle.words import disclosure_text

_BEARING = ("action", "amendment", "executed", "iteration", "run", "seal", "step", "summary", "window")
"""Kinds that what every verdict rests on may be told by: when something was changed, what is compared, by what word."""
_TRIES = 3
_OF_ENGAGEMENT = ("consultants", "two_roles", "zone")


def contradictions(project: Project, book: CycleBook) -> Contradictions:
    """What `check` finds wrong in the cycle: figures that their captures contradict, also where those were read anew
    or the hours are of another zone since (they are to be measured again); records that the audit trail contradicts;
    a trail that was changed itself, which vouches for nothing; and signatures of other words than stand there now.

    Records and trail are read one after the other: what was written between them contradicts nothing.
    """
    for _try in range(_TRIES):
        before = audit.last_entry(project)
        answer = _contradictions(project, book)
        if audit.last_entry(project) == before:
            break
    return answer


def _contradictions(project: Project, book: CycleBook) -> Contradictions:
    every = frozenset(metric.id for metric in book.all(Metric))
    measured = remeasured(project, book, {run.id: run for run in runs.list_runs(project)})
    wrong = [figure for figure in measured if figure.differs or _is_lost(figure)]
    changed = changed_outside(project, cycle_records.stored_records(project))
    of_trials = frozenset(metric.id for metric in book.all(Metric) if isinstance(metric.source, ExperimentSource))
    if of_trials:
        changed += experiments.changed_outside(project, *stored_records(project))
    findings: list[object] = [told(figure) for figure in wrong]
    findings += [{**asdict(difference), "record": _named(book, difference.record)} for difference in changed]
    metrics = {figure.metric.id for figure in wrong}
    metrics |= {id_ for difference in changed for id_ in _concerned(book, difference, every, of_trials)}
    broken = audit.verify_chain(project)
    if broken is not None:
        findings.append({"entry": broken})
        metrics = set(every)
    forged = signatures.forged(project)
    if forged:
        findings += forged
        metrics = set(every)
    return Contradictions(tuple(findings), frozenset(metrics))


def _is_lost(figure: Remeasured) -> bool:
    """Trials are records of the project: figures that they do not bear out any more rest on nothing."""
    return isinstance(figure.metric.source, ExperimentSource) and isinstance(figure.now, Broken)


def _named(book: CycleBook, reference: str) -> str:
    """``Order time (result.7)``: a target and a result by their metric."""
    record = book.records.get(int(reference.partition(".")[2] or 0))
    metric = book.find(Metric, record.metric_id) if isinstance(record, Target | Result) else None
    if record is None or reference_of(record) != reference:
        return reference
    return f"{own_words(metric or record)} ({reference})"


def _concerned(
    book: CycleBook, difference: Difference, every: frozenset[int], of_trials: frozenset[int]
) -> Iterator[int]:
    """Ids of the metrics whose figures or verdicts rest on the record; all `of_trials` on any trial."""
    kind, _, id_ = difference.record.partition(".")
    if kind in TABLES:
        yield from of_trials
        return
    is_gone = not difference.field and difference.stored is None  # what an iteration came to bears on those after it
    if is_gone or kind in _BEARING or (kind == "engagement" and difference.field in _OF_ENGAGEMENT):
        yield from every
    elif kind == "metric":
        yield int(id_)
    elif kind in ("target", "result"):
        record = book.records.get(int(id_))
        ids = [getattr(record, "metric_id", None)]
        ids += [side.get("metric_id") for side in (difference.written, difference.stored) if isinstance(side, dict)]
        ids += [difference.written] if difference.field == "metric_id" else []
        yield from (metric_id for metric_id in ids if isinstance(metric_id, int))


def told(figure: Remeasured) -> dict[str, object]:
    """The facts of a figure computed again; `why` is the key of the reason where nothing can be computed."""
    recomputed, why = (None, figure.now.key) if isinstance(figure.now, Broken) else (figure.now.value, None)
    return {
        "record": reference_of(figure.record),
        "metric": figure.metric.name,
        "run": figure.measured_over,
        "stored": figure.figure.value,
        "recomputed": recomputed,
        "why": why,
    }


def disclosure_sentences(standing: Standing, language: str, zone: ZoneInfo) -> list[str]:
    """What the check contradicts of an iteration, and what an auditor asks first."""
    wrong = [found_text(contradiction, language) for contradiction in standing.contradicted]
    return [*wrong, *(disclosure_text(disclosure, language, zone) for disclosure in standing.disclosures)]


def found_text(finding: object, language: str) -> str:
    """One of the things that a check found, as people read it: a name, or a record with both values."""
    if not isinstance(finding, dict):
        return str(finding)
    messages = catalogue(language)
    if "entry" in finding:
        return messages.text("report.trail.broken", entry=finding["entry"])
    if "signature" in finding:
        return _signature_text(finding, language)
    facts = {name: _value_text(value) for name, value in finding.items()}
    if "here" in finding:
        return messages.text("check.found.copy", **facts)
    if "recomputed" in finding:
        key = "figure" if finding["recomputed"] is not None else "figure_lost"
        return messages.text(f"check.found.{key}", **facts)
    key = "changed" if finding["field"] else ("removed" if finding["stored"] is None else "added")
    return messages.text(f"check.found.{key}", **facts)


def _signature_text(finding: Mapping[str, object], language: str) -> str:
    messages = catalogue(language)
    why = messages.text(f"signature.lack.{finding['lack']}")
    what, name = (_value_text(finding[key] or None) for key in ("signature", "name"))
    return messages.text("signature.unverified", what=what, name=name, why=why)


_LONGEST = 80


def _value_text(value: object) -> str:
    """Short, and without what could move a terminal's cursor."""
    text = "–" if value is None else f"{value:.10g}" if isinstance(value, float) else str(value)
    return harmless_line(text)[:_LONGEST]
