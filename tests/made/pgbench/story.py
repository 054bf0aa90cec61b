"""Its tuning cycles, told by `cycle.toml`; every act passes the gates that a person's would."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from tunebench.core.messages import LANGUAGES
from tunebench.domain.cycle.book import CycleBook, CycleEdit, Record, RecordChange
from tunebench.domain.cycle.evidence import EvidenceTarget
from tunebench.domain.cycle.records import (
    Cause,
    CauseDomain,
    CauseState,
    Confidence,
    CustomerIssue,
    Figure,
    IssueState,
    MeasurementSource,
    Metric,
    MetricSource,
    Question,
    ResultSummary,
    Severity,
    StatementSource,
    StepNumber,
    StepState,
    SystemInScope,
    SystemKind,
    Target,
    Term,
)
from tunebench.domain.cycle.worksheet import (
    Action,
    Basis,
    ChangeMode,
    Consent,
    Decision,
    ExecutedChange,
    Impact,
    InForce,
    Level,
    ParameterChange,
    Resource,
    Risk,
    Rollback,
    Verification,
)
from tunebench.domain.engagement import Direction, Run, Statement
from tunebench.domain.schema import schema
from tunebench.domain.translations import other_language, with_translations
from tunebench.store import engagements, merged_series, runs
from tunebench.store.project import Project
from tunebench.usecases.cycle import applying, comparable, edits, reading
from tunebench.usecases.cycle import evidence as cycle_evidence
from tunebench.usecases.cycle.acts import (
    approve_action,
    close_iteration,
    continue_iteration,
    execute_action,
    record_result,
    step_of,
)
from tunebench.usecases.cycle.edits import open_iteration
from tunebench.usecases.cycle.figures import Broken, figure_of
from tunebench.usecases.cycle.values import parse
from tunebench.usecases.databases.run_statements import read_statements

Table = Mapping[str, Any]
"""A table of the story; texts are ``{ ko = ..., en = ... }`` or the same in both languages."""


def both_languages(story: object, language: str) -> Iterator[tuple[str, str]]:
    """Every text of the story in `language`, with what it is in the other one."""
    if isinstance(story, Mapping):
        if story.keys() == set(LANGUAGES):
            own, other = story[language], story[other_language(language)]
            yield from zip(own, other, strict=True) if isinstance(own, list) else [(str(own), str(other))]
        else:
            for part in story.values():
                yield from both_languages(part, language)
    elif isinstance(story, list):
        for part in story:
            yield from both_languages(part, language)


AUTHOR = "TuneBench"
_OF_CHANGE = ("parameter", "old", "new", "scope")
CARRIED = "carried:"
"""Before the key of a record of an earlier iteration: its copy in this one."""


def tell_cycles(project: Project, path: Path, language: str) -> None:
    """Adds the cycles of the story at `path` to an engagement that has the story's captures and measurements."""
    story = tomllib.loads(path.read_text(encoding="utf-8"))
    teller = _Teller(project, language, dict(both_languages(story, language)))
    teller.register(story)
    for number, table in enumerate(story["iterations"]):
        following = story["iterations"][number + 1 : number + 2]
        teller.iteration(table, following[0] if following and following[0].get("continues") else None)


class _Teller:
    """Plays the acts one by one; `_ids` has records by the story's keys, `_other` its texts in the other language."""

    def __init__(self, project: Project, language: str, other: Mapping[str, str]) -> None:
        self._project = project
        self._language, self._other = language, other
        self._runs = {run.label: run for run in runs.list_runs(project)}
        self._ids: dict[str, int] = {}
        self._issues: dict[int, int] = {}
        self._iteration_id = 0

    # -- small things

    def _say(self, table: Table, name: str) -> str:
        text = table.get(name, "")
        return str(text[self._language] if isinstance(text, Mapping) else text)

    def _texts(self, table: Table, *names: str) -> dict[str, Any]:
        return {name: self._say(table, name) for name in names}

    def _book(self) -> CycleBook:
        return reading.read(self._project)

    def _do(self, edit: CycleEdit) -> CycleEdit:
        """Every text comes in both languages at once."""
        changes = tuple(RecordChange(change.before, self._in_both(change.after)) for change in edit.changes)
        return applying.apply(self._project, CycleEdit(edit.name, changes), AUTHOR)

    def _in_both(self, record: Record | None) -> Record | None:
        return with_translations(record, other_language(self._language), self._other)

    def _add(self, record: Record) -> int:
        done = self._do(edits.add(self._book(), record))
        added = done.changes[0].after
        assert added is not None
        return added.id

    def _id(self, key: str) -> int:
        """The record of that key, or the copy that was carried over into this iteration."""
        if not key.startswith(CARRIED):
            return self._ids[key]
        first = self._ids[key.removeprefix(CARRIED)]
        copies = self._book().in_iteration(Metric, self._iteration_id)
        return next(metric.id for metric in copies if metric.carried_from == first)

    def _run(self, table: Table, side: str) -> Run:
        return self._runs[table[side]]

    # -- the engagement

    def register(self, story: Table) -> None:
        """Issues, systems and terms: one edit."""
        records: list[Record] = [self._issue(row) for row in story["issues"]]
        records += [
            SystemInScope(0, SystemKind(row["kind"]), **self._texts(row, "name", "role", "product", "detail", "host"))
            for row in story["systems"]
        ]
        records += [Term(0, **self._texts(row, "korean", "english", "meaning")) for row in story["terms"]]
        done = self._do(CycleEdit("import_questionnaire", tuple(RecordChange(None, record) for record in records)))
        for change in done.changes:
            if isinstance(change.after, CustomerIssue):
                self._issues[change.after.number] = change.after.id

    def _issue(self, table: Table) -> CustomerIssue:
        severity, state = Severity(table.get("severity", "medium")), IssueState(table["state"])
        return CustomerIssue(0, table["number"], severity=severity, state=state, **self._texts(table, "title", "text"))

    # -- an iteration

    def iteration(self, table: Table, following: Table | None) -> None:
        """Plays an iteration from its opening to its end, or to the iteration that goes on."""
        if not table.get("continues"):
            self._do(open_iteration(self._book(), self._say(table, "title"), on=table["opened_on"]))
        current = self._book().current
        assert current is not None
        self._iteration_id = current.id
        for metric in table["metrics"]:
            self._metric(table, metric)
        for cause in table["causes"]:
            self._cause(table, cause)
        for action in table["actions"]:
            self._action(table, action)
        self._results(table)
        for question in table.get("questions", ()):
            self._add(Question(0, self._iteration_id, StepNumber(question["step"]), self._say(question, "text")))
        for evidence in table["evidence"]:
            self._pin(table, evidence)
        for step in table["steps"]:
            self._step(table, step)
        self._decide(table, following)

    def _decide(self, table: Table, following: Table | None) -> None:
        book = comparable.asked(self._project, self._book())
        if following is not None:
            title, on = self._say(following, "title"), following["opened_on"]
            self._do(continue_iteration(book, self._iteration_id, title, on=on, by=table["closed_by"]))
            return
        how = {"by": table["closed_by"], "on": table["closed_on"], "reason": self._say(table, "reason")}
        self._do(close_iteration(book, self._iteration_id, **how))

    def _step(self, table: Table, step: Table) -> None:
        current = step_of(self._book(), self._iteration_id, StepNumber(step["number"]))
        after = replace(
            current,
            state=StepState(step.get("state", "done")),
            owner=self._say(step, "owner"),
            started_on=step.get("started_on", table["opened_on"]),
            ended_on=step.get("ended_on", table["opened_on"]),
            notes=self._say(step, "notes"),
            skip_reason=self._say(step, "skip_reason"),
        )
        self._do(edits.change(self._book(), after))

    # -- metrics and targets

    def _metric(self, table: Table, metric: Table) -> None:
        record = Metric(
            0,
            self._iteration_id,
            self._say(metric, "name"),
            self._source(table, metric),
            metric["statistic"],
            metric["unit"],
            Direction(metric["direction"]),
            self._say(metric, "definition"),
            decimals=metric["decimals"],
        )
        id_ = self._ids[metric["key"]] = self._add(record)
        baseline = self._figure(replace(record, id=id_), table, "before")
        self._add(
            Target(
                0, self._iteration_id, id_, baseline, metric.get("target"), metric["priority"], metric.get("due_on", "")
            )
        )

    def _source(self, table: Table, metric: Table) -> MetricSource:
        if "statement" in metric:
            statement = self._statement(table, metric["statement"], "after")
            return StatementSource("elapsed_s", statement.engine, statement.statement_id, per_execution=True)
        return cast("MetricSource", parse(MetricSource, schema(Metric)["source"], metric["source"]))

    def _statement(self, table: Table, words: str, side: str) -> Statement:
        """The statement that begins so, in the run of that side."""
        statements = read_statements(self._project, self._run(table, side).id)
        return next(statement for statement in statements if statement.text.startswith(words))

    def _figure(self, metric: Metric, table: Table, side: str) -> Figure:
        """Computed from the run of that side; of a published measurement without a run, which it does not have."""
        if isinstance(metric.source, MeasurementSource):
            return _published(self._project, metric.source.key, side)
        figure = figure_of(self._project, metric, self._run(table, side))
        assert not isinstance(figure, Broken), figure.facts
        return figure

    def _results(self, table: Table) -> None:
        """What every metric came to; a guard that nothing was captured for has none."""
        for metric in self._book().in_iteration(Metric, self._iteration_id):
            if metric.guards is None:
                self._do(record_result(self._book(), metric.id, self._figure(metric, table, "after")))
        for guard in (guard for action in table["actions"] for guard in action.get("guards", ())):
            measured = self._book().find(Metric, self._ids[guard["key"]])
            assert measured is not None
            typed = guard.get("result")
            after = Figure(**typed) if typed else self._figure(measured, table, "after")
            self._do(record_result(self._book(), measured.id, after, self._say(guard, "remark")))
        summary = table["summary"]
        texts: dict[str, Any] = self._texts(
            summary, "bottleneck_before", "bottleneck_after", "basis", "side_effects", "conclusion"
        )
        self._add(ResultSummary(0, self._iteration_id, **texts))

    # -- causes and countermeasures

    def _cause(self, table: Table, cause: Table) -> None:
        share = self._share(table, cause["share_of"]) if "share_of" in cause else None
        record = Cause(
            0,
            self._iteration_id,
            CauseDomain(cause["domain"]),
            self._say(cause, "title"),
            self._say(cause, "text"),
            Confidence(cause["confidence"]),
            CauseState(cause["state"]),
            share,
            tuple(self._issues[number] for number in cause["issues"]),
        )
        self._ids[cause["key"]] = self._add(record)

    def _share(self, table: Table, beginnings: Sequence[str]) -> float:
        """Per cent of all statements' time before the change."""
        every = read_statements(self._project, self._run(table, "before").id)
        whole = sum(statement.elapsed_s or 0.0 for statement in every)
        part = sum(statement.elapsed_s or 0.0 for statement in every if statement.text.startswith(tuple(beginnings)))
        return round(100 * part / whole, 1)

    def _action(self, table: Table, action: Table) -> None:
        planned = self._action_of(action)
        guards = [self._guard(table, guard) for guard in action.get("guards", ())]
        records: tuple[Record, ...] = (planned, *guards)
        edit = CycleEdit("add_action", tuple(RecordChange(None, record) for record in records))
        added = [change.after for change in self._do(edit).changes if change.after is not None]
        id_ = self._ids[action["key"]] = added[0].id
        for guard, metric in zip(action.get("guards", ()), added[1:], strict=False):
            assert isinstance(metric, Metric)
            self._ids[guard["key"]] = metric.id
            self._watch(table, guard, metric)
        for consent in action["consents"]:
            texts, at = self._texts(consent, "role", "note"), consent.get("decided_at", "")
            given = Consent(name=consent["name"], decision=Decision.APPROVED, decided_at=at, **texts)
            self._do(approve_action(self._book(), id_, given))
        by, at = action["executed_by"], action.get("executed_at", "")
        self._do(execute_action(self._book(), id_, by, at, self._say(action, "commands")))
        self._note_in_force(action, id_)

    def _action_of(self, action: Table) -> Action:
        back = action["rollback"]
        margin = action.get("margin_pct")
        return Action(
            id=-1,
            iteration_id=self._iteration_id,
            changes=tuple(
                ParameterChange(**self._texts(change, *_OF_CHANGE), mode=ChangeMode(change.get("mode", "online")))
                for change in action["changes"]
            ),
            cause_ids=tuple(self._ids[key] for key in action["causes"]),
            impacts=tuple(self._impact(impact) for impact in action["impacts"]),
            risks=tuple(self._risk(risk) for risk in action.get("risks", ())),
            rollback=Rollback(self._say(back, "command"), back.get("duration_min"), self._say(back, "precondition")),
            verifications=tuple(Verification(self._id(key), margin) for key in action["verifies"]),
            known_effect=action.get("known_effect", ""),
            title=self._say(action, "title"),
            hypothesis=self._say(action, "hypothesis"),
            no_price_reason=self._say(action, "no_price_reason"),
            caveat=self._say(action, "caveat"),
        )

    def _impact(self, table: Table) -> Impact:
        return Impact(
            Resource(table["resource"]),
            table["direction"],
            expected=table.get("expected"),
            unit=table.get("unit", ""),
            basis=Basis(table["basis"]),
            source=table.get("source", ""),
            note=self._say(table, "note"),
        )

    def _risk(self, table: Table) -> Risk:
        likelihood, severity = Level(table["likelihood"]), Level(table["severity"])
        return Risk(self._say(table, "text"), likelihood, severity, self._say(table, "detection"))

    def _guard(self, table: Table, guard: Table) -> Metric:
        return Metric(
            0,
            self._iteration_id,
            self._say(guard, "name"),
            self._source(table, guard),
            "mean",
            guard["unit"],
            Direction.LOWER,
            decimals=guard["decimals"],
            guards=-1,
            resource=guard["resource"],
        )

    def _watch(self, table: Table, guard: Table, metric: Metric) -> None:
        typed = guard.get("baseline")
        baseline = Figure(**typed) if typed else self._figure(metric, table, "before")
        self._add(Target(0, self._iteration_id, metric.id, baseline, guard.get("limit"), 3))

    def _note_in_force(self, action: Table, id_: int) -> None:
        if "in_force" not in action:
            return
        for line in self._book().all(ExecutedChange):
            if line.action_id == id_:
                held = replace(line, in_force=InForce(action["in_force"]), in_force_basis=action["in_force_basis"])
                self._do(edits.change(self._book(), held))

    # -- evidence

    def _pin(self, table: Table, evidence: Table) -> None:
        supports = [self._id(key) for key in evidence["supports"]]
        target = self._target(table, evidence)
        self._do(cycle_evidence.pin(self._book(), target, self._say(evidence, "caption"), supports, AUTHOR))

    def _target(self, table: Table, evidence: Table) -> EvidenceTarget:
        if "measurement" in evidence:
            return cycle_evidence.measurement(self._project, evidence["measurement"])
        run = self._run(table, evidence["run"])
        if "statement" in evidence:
            statement = self._statement(table, evidence["statement"], evidence["run"])
            return cycle_evidence.statement(self._project, run, statement.engine, statement.statement_id)
        tool = evidence.get("tool", "pgbench")
        listed = merged_series.list_merged(self._project, run.id)
        series = [info.id for info in listed if info.tool == tool and info.native in evidence["series"]]
        return cycle_evidence.window(self._project, series)


def _published(project: Project, key: str, side: str) -> Figure:
    measured = next(stored for stored in engagements.read_measurements(project) if stored.key == key)
    value, bound = getattr(measured, side), getattr(measured, f"{side}_bound")
    both = measured.translations
    return Figure(value, bound, samples=measured.samples, source=measured.source, translations=both)
