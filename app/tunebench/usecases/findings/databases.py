"""The rules of databases, on what the captures of a run or a window say of each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from tunebench.analysis.databases.record import DatabaseRecord
from tunebench.analysis.expressions.figures import Figures
from tunebench.core.errors import UserError
from tunebench.core.records import record
from tunebench.diagnosis.judging import Judged, Unjudged
from tunebench.diagnosis.rules.evaluation import Evaluation, Outcome, evaluate
from tunebench.diagnosis.rules.guards import Subject
from tunebench.diagnosis.signals.database_figures import (
    PROBES,
    STATEMENT_NAMES,
    database_figures,
    family,
    statement_figures,
)
from tunebench.diagnosis.signals.lock_queues import lock_queue
from tunebench.domain.engagement import Run
from tunebench.domain.finding import Caution, Fact, Finding, FindingEvidence, LockQueue, Missing, Severity
from tunebench.domain.windows import Window
from tunebench.sdk.rules import Rule
from tunebench.store.project import Project
from tunebench.usecases.databases.sides import Side, side
from tunebench.usecases.databases.snapshots import databases

_MOST_STATEMENTS = 10


@record
class _Case:
    """A database of a run: what rules are judged on."""

    run: Run
    side: Side
    record: DatabaseRecord
    subject: Subject

    @property
    def host(self) -> str:
        return self.side.database.host or self.side.database.id


def judge_databases(project: Project, run: Run, window: Window, rules: Sequence[Rule]) -> Judged:
    """Every rule of databases on every database of the window that has a valid period; findings name the run."""
    judged = Judged()
    for case in _cases(project, run, window):
        figures = database_figures(case.record)
        for rule in rules:
            if STATEMENT_NAMES & set(rule.metrics):
                judged.add(_on_statements(rule, case, figures))
            else:
                judged.add(_on_database(rule, case, figures))
    if rules and not judged.findings and not judged.passed and not judged.unjudged:
        judged.unjudged += [_no_database(rule) for rule in rules]
    return judged


def _cases(project: Project, run: Run, window: Window) -> Iterator[_Case]:
    for database in databases(project, window):
        try:
            own = side(project, window, database)
        except UserError:
            continue  # none of its captures can be used; the page of databases says why
        if own.record is not None:
            identity = own.record.identity
            subject = Subject(database=family(str(identity.engine)), database_version=identity.version)
            yield _Case(run, own, own.record, subject)


def _no_database(rule: Rule) -> Unjudged:
    """No capture of any database: what would be needed is named by the engine that the rule is about."""
    probes = tuple(probe for engine in rule.guard.databases for probe in PROBES.get(engine, ()))
    missing = tuple(Missing(name, probes) for name in rule.metrics)
    return Unjudged(rule, Outcome.NOT_CAPTURED, "", missing, "no_database")


# -- one database --------------------------------------------------------------------------------------


def _on_database(rule: Rule, case: _Case, figures: Mapping[str, Fact]) -> Judged:
    answer = evaluate(rule, Figures(dict(figures)), case.subject)
    if not answer.outcome.judged:
        return Judged(unjudged=[_unjudged(answer, case)])
    finding = _finding(answer, case, figures)
    return Judged([finding]) if answer.outcome is Outcome.HELD else Judged(passed=[finding])


def _unjudged(answer: Evaluation, case: _Case) -> Unjudged:
    probes = PROBES.get(case.subject.database, ())
    missing = tuple(Missing(name, probes) for name in answer.missing)
    return Unjudged(answer.rule, answer.outcome, case.host, missing)


def _on_statements(rule: Rule, case: _Case, figures: Mapping[str, Fact]) -> Judged:
    """What the rule finds on statements, those with most work first; one record where it holds on none."""
    judged, last = Judged(), None
    for statement in statement_figures(case.record):
        own: dict[str, Fact] = {**figures, **statement.figures}
        answer = evaluate(rule, Figures(own), case.subject)
        last = last if last is not None and last.outcome.judged else answer
        if answer.outcome is Outcome.HELD and len(judged.findings) < _MOST_STATEMENTS:
            judged.findings.append(_finding(answer, case, own, statement.statement))
    if judged.findings:
        return judged
    if last is None or not last.outcome.judged:
        last = last or Evaluation(rule, Outcome.NOT_CAPTURED, missing=rule.metrics)
        return Judged(unjudged=[_unjudged(last, case)])
    return Judged(passed=[_finding(last, case, figures)])


def _finding(answer: Evaluation, case: _Case, figures: Mapping[str, Fact], statement: str = "") -> Finding:
    rule, held = answer.rule, answer.outcome is Outcome.HELD
    attributes = {"database": case.side.database.id} | ({"statement": statement} if statement else {})
    facts = {name: figures[name] for name in rule.metrics if name in figures}
    severity = answer.severity if held and answer.severity is not None else Severity.OK
    cautions = [*(Caution(key, {"n": answer.n}) for key in answer.cautions), Caution("whole_period")]
    cautions += [
        Caution(f"database_{caution.key}") for caution in case.side.cautions if caution.key == "fault_since_start"
    ]
    return Finding(
        rule.id,
        rule.pack,
        severity,
        case.run.id,
        case.run.label,
        case.host,
        "statement" if statement else "database",
        attributes,
        case.side.database.label,
        None,
        answer.n,
        answer.n_held,
        facts,
        _evidence(case, statement) if held else (),
        tuple(cautions),
        lock_queue=_lock_queue(case, rule, facts) if held else None,
        statements=_texts(case, (statement, *(facts[name] for name in facts if name.endswith("_statement")))),
    )


def _texts(case: _Case, statements: Sequence[Fact]) -> dict[str, str]:
    """The texts of the statements that a finding names, by their ids or references."""
    named = [str(statement) for statement in statements if statement]
    if not named:
        return {}
    texts = case.record.statement_texts()
    return {name: texts[id_] for name in named if (id_ := name.partition("@")[0]) in texts}


def _lock_queue(case: _Case, rule: Rule, facts: Mapping[str, Fact]) -> LockQueue | None:
    queue = lock_queue(case.record, rule.metrics, facts)
    if queue is None or not queue.all_sightings:
        return queue
    return replace(queue, artefact_ids=case.side.artefacts.get("lock_wait", ()))


def _evidence(case: _Case, statement: str) -> tuple[FindingEvidence, ...]:
    ends = [period.end_ns for period in case.side.used if period.end_ns is not None]
    begins = [period.begin_ns for period in case.side.used if period.begin_ns is not None]
    end = max(ends, default=0)
    tables = ("statement",) if statement else tuple(case.side.artefacts)
    artefacts = tuple(dict.fromkeys(id_ for table in tables for id_ in case.side.artefacts.get(table, ())))
    name = f"{case.record.identity.engine}:{statement}" if statement else case.side.database.id
    return (FindingEvidence(None, name, artefacts, min(begins, default=end), end),)
