"""The demo's tuning cycles, told by `resources/demo/cycle.toml`; every act passes the gates that a person's would."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from tunebench.core.errors import UserError
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

Told = Mapping[str, Any]
"""A table of the story; texts are ``{ ko = ..., en = ... }`` or the same in both languages."""
AUTHOR = "TuneBench"
_OF_CHANGE = ("parameter", "old", "new", "scope")
CARRIED = "carried:"
"""Before the key of a record of an earlier iteration: its copy in this one."""


def tell_cycles(project: Project, path: Path, language: str) -> None:
    """Adds the cycles of the story at `path` to an engagement that has the story's captures and measurements.

    Raises:
        UserError: demo_incomplete where the story or a run of it is not there.
    """
    try:
        story = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UserError("demo_incomplete", path=str(path)) from error
    teller = _Teller(project, language)
    teller.register(story)
    for number, told in enumerate(story["iterations"]):
        following = story["iterations"][number + 1 : number + 2]
        teller.iteration(told, following[0] if following and following[0].get("continues") else None)


class _Teller:
    """Plays the acts one after the other; `_ids` remembers the records by the story's keys."""

    def __init__(self, project: Project, language: str) -> None:
        self._project = project
        self._language = language
        self._runs = {run.label: run for run in runs.list_runs(project)}
        self._ids: dict[str, int] = {}
        self._issues: dict[int, int] = {}
        self._iteration_id = 0

    # -- small things

    def _say(self, told: Told, name: str) -> str:
        text = told.get(name, "")
        return str(text[self._language] if isinstance(text, Mapping) else text)

    def _said(self, told: Told, *names: str) -> dict[str, str]:
        return {name: self._say(told, name) for name in names}

    def _book(self) -> CycleBook:
        return reading.read(self._project)

    def _do(self, edit: CycleEdit) -> CycleEdit:
        return applying.apply(self._project, edit, AUTHOR)

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

    def _run(self, told: Told, side: str) -> Run:
        label = told[side]
        if label not in self._runs:
            raise UserError("demo_incomplete", path=label)
        return self._runs[label]

    # -- the engagement

    def register(self, story: Told) -> None:
        """Issues, systems and terms: one edit."""
        records: list[Record] = [self._issue(told) for told in story["issues"]]
        records += [
            SystemInScope(0, SystemKind(told["kind"]), **self._said(told, "name", "role", "product", "detail", "host"))
            for told in story["systems"]
        ]
        records += [Term(0, **self._said(told, "korean", "english", "meaning")) for told in story["terms"]]
        done = self._do(CycleEdit("import_questionnaire", tuple(RecordChange(None, record) for record in records)))
        for change in done.changes:
            if isinstance(change.after, CustomerIssue):
                self._issues[change.after.number] = change.after.id

    def _issue(self, told: Told) -> CustomerIssue:
        severity, state = Severity(told.get("severity", "medium")), IssueState(told["state"])
        return CustomerIssue(0, told["number"], severity=severity, state=state, **self._said(told, "title", "text"))

    # -- an iteration

    def iteration(self, told: Told, following: Told | None) -> None:
        """From opening it to closing it, or to the iteration that goes on."""
        if not told.get("continues"):
            self._do(open_iteration(self._book(), self._say(told, "title"), on=told["opened_on"]))
        current = self._book().current
        assert current is not None
        self._iteration_id = current.id
        for metric in told["metrics"]:
            self._metric(told, metric)
        for cause in told["causes"]:
            self._cause(told, cause)
        for action in told["actions"]:
            self._action(told, action)
        self._results(told)
        for question in told.get("questions", ()):
            self._add(Question(0, self._iteration_id, StepNumber(question["step"]), self._say(question, "text")))
        for evidence in told["evidence"]:
            self._pin(told, evidence)
        for step in told["steps"]:
            self._step(told, step)
        self._decide(told, following)

    def _decide(self, told: Told, following: Told | None) -> None:
        book = comparable.asked(self._project, self._book())
        if following is not None:
            title, on = self._say(following, "title"), following["opened_on"]
            self._do(continue_iteration(book, self._iteration_id, title, on=on, by=told["closed_by"]))
            return
        how = {"by": told["closed_by"], "on": told["closed_on"], "reason": self._say(told, "reason")}
        self._do(close_iteration(book, self._iteration_id, **how))

    def _step(self, told: Told, step: Told) -> None:
        known = step_of(self._book(), self._iteration_id, StepNumber(step["number"]))
        after = replace(
            known,
            state=StepState(step.get("state", "done")),
            owner=step.get("owner", ""),
            started_on=step.get("started_on", told["opened_on"]),
            ended_on=step.get("ended_on", told["opened_on"]),
            notes=self._say(step, "notes"),
            skip_reason=self._say(step, "skip_reason"),
        )
        self._do(edits.change(self._book(), after))

    # -- metrics and targets

    def _metric(self, told: Told, metric: Told) -> None:
        record = Metric(
            0,
            self._iteration_id,
            self._say(metric, "name"),
            self._source(told, metric),
            metric["statistic"],
            metric["unit"],
            Direction(metric["direction"]),
            self._say(metric, "definition"),
            decimals=metric["decimals"],
        )
        id_ = self._ids[metric["key"]] = self._add(record)
        baseline = self._figure(replace(record, id=id_), told, "before")
        self._add(
            Target(
                0, self._iteration_id, id_, baseline, metric.get("target"), metric["priority"], metric.get("due_on", "")
            )
        )

    def _source(self, told: Told, metric: Told) -> MetricSource:
        if "statement" in metric:
            found = self._statement(told, metric["statement"], "after")
            return StatementSource("elapsed_s", found.engine, found.statement_id, per_execution=True)
        return cast("MetricSource", parse(MetricSource, schema(Metric)["source"], metric["source"]))

    def _statement(self, told: Told, words: str, side: str) -> Statement:
        """The statement that begins so, in the run of that side."""
        found = read_statements(self._project, self._run(told, side).id)
        return next(each for each in found if each.text.startswith(words))

    def _figure(self, metric: Metric, told: Told, side: str) -> Figure:
        """Computed from the run of that side; of a published measurement without a run, which it does not have."""
        if isinstance(metric.source, MeasurementSource):
            return self._published(metric.source.key, side)
        found = figure_of(self._project, metric, self._run(told, side))
        if isinstance(found, Broken):
            raise UserError("demo_incomplete", path=str(found.facts))
        return found

    def _published(self, key: str, side: str) -> Figure:
        measured = next(each for each in engagements.read_measurements(self._project) if each.key == key)
        value, bound = getattr(measured, side), getattr(measured, f"{side}_bound")
        return Figure(value, bound, samples=measured.samples, source=measured.source)

    def _results(self, told: Told) -> None:
        """What every metric came to; a guard that nothing was captured for has none."""
        for metric in self._book().in_iteration(Metric, self._iteration_id):
            if metric.guards is None:
                self._do(record_result(self._book(), metric.id, self._figure(metric, told, "after")))
        for guard in (guard for action in told["actions"] for guard in action.get("guards", ())):
            known = self._book().find(Metric, self._ids[guard["key"]])
            assert known is not None
            typed = guard.get("result")
            after = Figure(**typed) if typed else self._figure(known, told, "after")
            self._do(record_result(self._book(), known.id, after, self._say(guard, "remark")))
        summary = told["summary"]
        said: dict[str, Any] = self._said(
            summary, "bottleneck_before", "bottleneck_after", "basis", "side_effects", "conclusion"
        )
        self._add(ResultSummary(0, self._iteration_id, **said))

    # -- causes and countermeasures

    def _cause(self, told: Told, cause: Told) -> None:
        share = self._share(told, cause["share_of"]) if "share_of" in cause else None
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

    def _share(self, told: Told, beginnings: Sequence[str]) -> float:
        """Per cent of all statements' time before the change."""
        found = read_statements(self._project, self._run(told, "before").id)
        whole = sum(each.elapsed_s or 0.0 for each in found)
        part = sum(each.elapsed_s or 0.0 for each in found if each.text.startswith(tuple(beginnings)))
        return round(100 * part / whole, 1)

    def _action(self, told: Told, action: Told) -> None:
        made = self._made(action)
        guards = [self._guard(told, guard) for guard in action.get("guards", ())]
        records: tuple[Record, ...] = (made, *guards)
        edit = CycleEdit("add_action", tuple(RecordChange(None, record) for record in records))
        added = [change.after for change in self._do(edit).changes if change.after is not None]
        id_ = self._ids[action["key"]] = added[0].id
        for guard, metric in zip(action.get("guards", ()), added[1:], strict=False):
            assert isinstance(metric, Metric)
            self._ids[guard["key"]] = metric.id
            self._watch(told, guard, metric)
        for consent in action["consents"]:
            said, at = self._said(consent, "role", "note"), consent.get("decided_at", "")
            given = Consent(name=consent["name"], decision=Decision.APPROVED, decided_at=at, **said)
            self._do(approve_action(self._book(), id_, given))
        by, at = action["executed_by"], action.get("executed_at", "")
        self._do(execute_action(self._book(), id_, by, at, self._say(action, "commands")))
        self._note_in_force(action, id_)

    def _made(self, action: Told) -> Action:
        back = action["rollback"]
        margin = action.get("margin_pct")
        return Action(
            id=-1,
            iteration_id=self._iteration_id,
            changes=tuple(
                ParameterChange(**self._said(each, *_OF_CHANGE), mode=ChangeMode(each.get("mode", "online")))
                for each in action["changes"]
            ),
            cause_ids=tuple(self._ids[key] for key in action["causes"]),
            impacts=tuple(self._impact(each) for each in action["impacts"]),
            risks=tuple(self._risk(each) for each in action.get("risks", ())),
            rollback=Rollback(self._say(back, "command"), back.get("duration_min"), self._say(back, "precondition")),
            verifications=tuple(Verification(self._id(key), margin) for key in action["verifies"]),
            known_effect=action.get("known_effect", ""),
            title=self._say(action, "title"),
            hypothesis=self._say(action, "hypothesis"),
            no_price_reason=self._say(action, "no_price_reason"),
            caveat=self._say(action, "caveat"),
        )

    def _impact(self, told: Told) -> Impact:
        return Impact(
            Resource(told["resource"]),
            told["direction"],
            expected=told.get("expected"),
            unit=told.get("unit", ""),
            basis=Basis(told["basis"]),
            source=told.get("source", ""),
            note=self._say(told, "note"),
        )

    def _risk(self, told: Told) -> Risk:
        likelihood, severity = Level(told["likelihood"]), Level(told["severity"])
        return Risk(self._say(told, "text"), likelihood, severity, self._say(told, "detection"))

    def _guard(self, told: Told, guard: Told) -> Metric:
        return Metric(
            0,
            self._iteration_id,
            self._say(guard, "name"),
            self._source(told, guard),
            "mean",
            guard["unit"],
            Direction.LOWER,
            decimals=guard["decimals"],
            guards=-1,
            resource=guard["resource"],
        )

    def _watch(self, told: Told, guard: Told, metric: Metric) -> None:
        typed = guard.get("baseline")
        baseline = Figure(**typed) if typed else self._figure(metric, told, "before")
        self._add(Target(0, self._iteration_id, metric.id, baseline, guard.get("limit"), 3))

    def _note_in_force(self, action: Told, id_: int) -> None:
        if "in_force" not in action:
            return
        for line in self._book().all(ExecutedChange):
            if line.action_id == id_:
                held = replace(line, in_force=InForce(action["in_force"]), in_force_basis=action["in_force_basis"])
                self._do(edits.change(self._book(), held))

    # -- evidence

    def _pin(self, told: Told, evidence: Told) -> None:
        supports = [self._id(key) for key in evidence["supports"]]
        target = self._target(told, evidence)
        self._do(cycle_evidence.pin(self._book(), target, self._say(evidence, "caption"), supports, AUTHOR))

    def _target(self, told: Told, evidence: Told) -> EvidenceTarget:
        if "measurement" in evidence:
            return cycle_evidence.measurement(self._project, evidence["measurement"])
        run = self._run(told, evidence["run"])
        if "statement" in evidence:
            found = self._statement(told, evidence["statement"], evidence["run"])
            return cycle_evidence.statement(self._project, run, found.engine, found.statement_id)
        tool = evidence.get("tool", "pgbench")
        listed = merged_series.list_merged(self._project, run.id)
        series = [info.id for info in listed if info.tool == tool and info.native in evidence["series"]]
        return cycle_evidence.window(self._project, series)
