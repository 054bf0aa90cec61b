"""Copies of one engagement that are edited apart, and what is in them: for tests of merging.

Every edit writes a word of its own, so that a word that is nowhere afterwards was lost.
"""

from __future__ import annotations

import json
import random
import re
import shutil
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from tests.store import cases, experiment_cases, golden
from tunebench.domain.assembly import DeviceAlias
from tunebench.domain.cycle.book import CycleEdit, Record, RecordChange
from tunebench.domain.cycle.evidence import Evidence, EvidenceKind, EvidenceTarget
from tunebench.domain.cycle.record_json import all_fields_of
from tunebench.domain.cycle.records import (
    Attachment,
    Cause,
    CauseDomain,
    Contact,
    CustomerIssue,
    Iteration,
    ManualSource,
    Metric,
    Question,
    StepNumber,
    SystemInScope,
    SystemKind,
    Target,
)
from tunebench.domain.cycle.seals import Amendment, Seal
from tunebench.domain.cycle.worksheet import Action, Consent, Decision, ExecutedChange
from tunebench.domain.databases.choices import KeptLink, LicenceConfirmation
from tunebench.domain.engagement import Direction, Phase, Section
from tunebench.domain.experiments.book import ExperimentChange, ExperimentEdit
from tunebench.domain.experiments.records import Reading, Trial, TrialState
from tunebench.domain.ledger import ImportState, Ledger, LineCounts
from tunebench.domain.windows import Occurrence, Window
from tunebench.store import aliases, engagements, removal, runs
from tunebench.store.artefacts import list_artefacts, set_parse_result
from tunebench.store.attachments import keep_attachment
from tunebench.store.audit.trail import MERGED, list_audit
from tunebench.store.cycle import records as cycle_records
from tunebench.store.databases import licences, statement_links
from tunebench.store.experiments import records as experiments
from tunebench.store.hosts import ensure_host
from tunebench.store.known_schema import known_columns
from tunebench.store.opening import open_project
from tunebench.store.project import Project
from tunebench.usecases.cycle import applying

REASON = "a slip of the pen was put right"
_TRAILS = ("audit", "audit_branch")


def base_project(folder: Path) -> Path:
    """A closed project with something of every kind; its seal, which is a text of nothing, is left out."""
    path = golden.write(folder)
    with open_project(path) as project:
        book = cycle_records.read_book(project)
        gone: tuple[Record, ...] = (*book.all(Amendment), *book.all(Seal))
        edit = CycleEdit("remove", tuple(RecordChange(record, None) for record in gone))
        cycle_records.apply(project, edit, "lee")
    return path


def copy_of(base: Path, name: str) -> Path:
    target = base.with_name(name)
    shutil.copy(base, target)
    return target


def edited(base: Path, name: str, *edits: Callable[[Project], object]) -> Path:
    """A copy in which something was done."""
    path = copy_of(base, name)
    with open_project(path) as project:
        for edit in edits:
            edit(project)
    return path


# -- edits ---------------------------------------------------------------------------------------------


def add(*records: Record) -> Callable[[Project], CycleEdit]:
    edit = CycleEdit("add", tuple(RecordChange(None, record) for record in records))
    return lambda project: applying.apply(project, edit, "kim", REASON)


def change(kind: type[Any], **values: object) -> Callable[[Project], CycleEdit]:
    """Changes the first record of a kind."""

    def edit(project: Project) -> CycleEdit:
        record = cycle_records.read_book(project).all(kind)[0]
        changes = (RecordChange(record, replace(record, **values)),)
        return applying.apply(project, CycleEdit("change", changes), "kim", REASON)

    return edit


def remove(kind: type[Any]) -> Callable[[Project], CycleEdit]:
    """Removes the last record of a kind."""

    def edit(project: Project) -> CycleEdit:
        record = cycle_records.read_book(project).all(kind)[-1]
        return applying.apply(project, CycleEdit("remove", (RecordChange(record, None),)), "kim", REASON)

    return edit


def capture(
    data: bytes, run: str = "before", host: str = "db1", given: dict[str, str] | None = None, version: str = "1.0"
) -> Callable[[Project], int]:
    """Imports a capture with samples of its own, as a reader would have."""

    def edit(project: Project) -> int:
        artefact_id = cases.store_artefact(project, data, run, f"{data.decode().strip()}.txt")
        if not list(project.rows("SELECT 1 FROM clock WHERE artefact_id = ?", (artefact_id,))):
            writer = cases.sample_writer(project, artefact_id, host)
            values = np.arange(40, dtype=np.float64).reshape(20, 2) + len(data)
            writer.append(cases.batch(values, ("svc_t", "%b")))
            writer.finish()
        set_parse_result(
            project,
            artefact_id,
            host_id=ensure_host(project, host).id,
            parser_id="sun.iostat",
            parser_version=version,
            state=ImportState.IMPORTED,
            ledger=Ledger(lines=LineCounts(2, 1, 1)),
            events=[],
            given=given or {},
        )
        return artefact_id

    return edit


def window(name: str, start: int = 10) -> Window:
    return Window(0, name, occurrences=(Occurrence(start, start + 100),))


class Editor:
    """Does edits by chance, each with a word that is nowhere else."""

    def __init__(self, project: Project, chance: random.Random, side: str) -> None:
        self.project, self._chance, self._side, self._count = project, chance, side, 0
        self._edits: tuple[Callable[[], object], ...] = (
            self._add_question,
            self._change_question,
            self._remove_question,
            self._add_cause,
            self._change_cause,
            self._add_window,
            self._change_window,
            self._remove_window,
            self._add_issue,
            self._change_issue,
            self._add_contact,
            self._add_iteration,
            self._change_target,
            self._capture,
            self._same_capture,
            self._run,
            self._rename_run,
            self._device,
            self._note,
            self._change_note,
            self._remove_note,
            self._narrative,
            self._engagement,
            self._measurement,
            self._link,
            self._licence,
            self._experiment,
            self._trial,
            self._system,
            self._attach,
            self._evidence,
            self._approve,
            self._execute,
            self._remove_capture,
            self._remove_run,
        )

    def run(self, count: int) -> None:
        for edit in self._chance.choices(self._edits, k=count):
            edit()

    def _word(self) -> str:
        self._count += 1
        return f"word{self._side}{self._count}x"

    def _any(self, kind: type[Any]) -> Any:
        own = cycle_records.read_book(self.project).all(kind)
        return self._chance.choice(own) if own else None

    def _iteration(self) -> int:
        return int(self._any(Iteration).id)

    def _put(self, before: Record | None, after: Record | None) -> None:
        applying.apply(self.project, CycleEdit("edit", (RecordChange(before, after),)), self._side, REASON)

    def _add_question(self) -> None:
        self._put(None, Question(0, self._iteration(), StepNumber.CAUSES, self._word()))

    def _change_question(self) -> None:
        if question := self._any(Question):
            field = self._chance.choice(("text", "answer", "owner", "asked_by"))
            self._put(question, replace(question, **{field: self._word()}))

    def _remove_question(self) -> None:
        if question := self._any(Question):
            self._put(question, None)

    def _add_cause(self) -> None:
        self._put(None, Cause(0, self._iteration(), CauseDomain.SYSTEM, self._word()))

    def _change_cause(self) -> None:
        if cause := self._any(Cause):
            self._put(cause, replace(cause, **{self._chance.choice(("title", "text")): self._word()}))

    def _add_window(self) -> None:
        name = self._chance.choice((self._word(), "shared"))
        if name not in {own.name for own in cycle_records.read_book(self.project).all(Window)}:
            self._put(None, replace(window(name, self._chance.randrange(10**6)), hosts=(self._word(),)))

    def _change_window(self) -> None:
        if own := self._any(Window):
            self._put(own, replace(own, hosts=(self._word(),)))

    def _remove_window(self) -> None:
        own = self._any(Window)
        if own is not None and not cycle_records.read_book(self.project).users_of(own.id):
            self._put(own, None)

    def _add_issue(self) -> None:
        issues = cycle_records.read_book(self.project).all(CustomerIssue)
        self._put(None, CustomerIssue(0, max((one.number for one in issues), default=0) + 1, self._word()))

    def _change_issue(self) -> None:
        if issue := self._any(CustomerIssue):
            self._put(issue, replace(issue, text=self._word()))

    def _add_contact(self) -> None:
        self._put(None, Contact(0, self._chance.choice((self._word(), "Kim")), self._word()))

    def _system(self) -> None:
        self._put(None, SystemInScope(0, SystemKind.HOST, self._word()))

    def _attach(self) -> None:
        sha256 = keep_attachment(self.project, self._word().encode())
        self._put(None, Attachment(0, self._iteration(), StepNumber.PROBLEM, self._word(), sha256, 6))

    def _evidence(self) -> None:
        info = self._chance.choice(list_artefacts(self.project))
        target = EvidenceTarget(EvidenceKind.CAPTURE, info.run_id, info.id, first_line=1, last_line=1)
        self._put(None, Evidence(0, 0, self._word(), target, (self._iteration(),)))

    def _approve(self) -> None:
        action = self._any(Action)
        consent = Consent("DBA", self._word(), Decision.APPROVED, "2026-11-30T10:00:00+09:00")
        self._put(action, replace(action, consents=(*action.consents, consent)))

    def _execute(self) -> None:
        action = self._any(Action)
        moment = "2026-11-30T10:00:00+09:00"
        self._put(None, ExecutedChange(0, action.id, self._word(), "1", "2", moment, self._side))

    def _remove_capture(self) -> None:
        for info in list_artefacts(self.project):
            if removal.going_with_artefact(self.project, info.id).refusal is None:
                removal.remove_artefact(self.project, info.id)
                return

    def _remove_run(self) -> None:
        for run in runs.list_runs(self.project):
            if removal.going_with_run(self.project, run.id).refusal is None:
                removal.remove_run(self.project, run.id)
                return

    def _add_iteration(self) -> None:
        number = max(own.number for own in cycle_records.read_book(self.project).all(Iteration)) + 1
        iteration = Iteration(-1, number, self._word())
        metric = Metric(-2, -1, self._word(), ManualSource(), "value", "s", Direction.LOWER)
        target = Target(-3, -1, -2, None, 1.0, note=self._word())
        add(iteration, metric, target)(self.project)

    def _change_target(self) -> None:
        if target := self._any(Target):
            self._put(target, replace(target, note=self._word()))

    def _capture(self) -> None:
        capture(
            self._word().encode(),
            self._chance.choice(("before", "after", "extra")),
            self._chance.choice(("db1", "db2")),
        )(self.project)

    def _same_capture(self) -> None:
        data = f"shared{self._chance.randrange(3)}x".encode()
        if f"{data.decode()}.txt" not in {info.name for info in list_artefacts(self.project)}:
            capture(data, "before", self._chance.choice(("db1", "db2")), {"zone": "Asia/Seoul"})(self.project)

    def _run(self) -> None:
        runs.ensure_run(self.project, self._chance.choice((self._word(), "third")), self._chance.choice(tuple(Phase)))

    def _rename_run(self) -> None:
        run = self._chance.choice(runs.list_runs(self.project))
        runs.change_run(self.project, run.id, self._word(), run.phase)

    def _device(self) -> None:
        own = aliases.list_aliases(self.project).get(1, ())
        device = self._chance.choice(("ssd1", "ssd2", "ssd3"))
        kept = [alias for alias in own if alias.device != device]
        aliases.replace_aliases(self.project, 1, [*kept, DeviceAlias(device, f"/{self._word()}")])

    def _note(self) -> None:
        engagements.add_note(self.project, "run", 1, None, self._word(), self._side)

    def _change_note(self) -> None:
        if notes := engagements.list_notes(self.project):
            engagements.change_note(self.project, self._chance.choice(notes).id, self._word())

    def _remove_note(self) -> None:
        if notes := engagements.list_notes(self.project):
            engagements.remove_note(self.project, self._chance.choice(notes).id)

    def _narrative(self) -> None:
        section = self._chance.choice(tuple(Section))
        engagements.write_narrative(self.project, section, self._chance.choice(("ko", "en")), [self._word()])

    def _engagement(self) -> None:
        field: Any = {self._chance.choice(("title", "site", "firm")): self._word()}
        engagements.write_engagement(self.project, replace(engagements.read_engagement(self.project), **field))

    def _measurement(self) -> None:
        own = engagements.read_measurements(self.project)
        first = replace(own[0], source=self._word())
        added = replace(own[0], key=self._word()) if self._chance.random() < 0.5 else None
        engagements.write_measurements(self.project, [first, *own[1:], *([added] if added else [])])

    def _link(self) -> None:
        statement_links.add_link(self.project, KeptLink(0, "oracle", self._word(), "after", self._side, "", ""))

    def _licence(self) -> None:
        licences.add_confirmation(
            self.project, LicenceConfirmation(0, "oracle.diagnostics_pack", "", "", self._word(), "paper", "", "")
        )

    def _experiment(self) -> None:
        body = replace(experiment_cases.EXPERIMENT, title=self._word())
        trial = Trial(0, -1, body.cells[0], 1, 1, body.caches[0], note=self._word())
        changes = tuple(ExperimentChange(None, own) for own in (body, trial))
        experiments.apply(self.project, ExperimentEdit("add", changes), self._side)

    def _trial(self) -> None:
        trials = [own for own in experiments.read_book(self.project).trials.values() if not own.is_recorded]
        if trials:
            trial = self._chance.choice(trials)
            done = replace(trial, state=TrialState.DONE, values=(Reading("real_s", 1.5),), note=self._word())
            experiments.apply(self.project, ExperimentEdit("record", (ExperimentChange(trial, done),)), self._side)


# -- what is in a project ------------------------------------------------------------------------------


def words_in(project: Project) -> set[str]:
    """Every word of the edits that stands in the project: not in its trail, but in what the merge's entry tells."""
    return words_of("\n".join(_texts(project)))


def words_of(text: str) -> set[str]:
    return set(re.findall(r"word[a-z]+\d+x", text))


def _texts(project: Project) -> list[str]:
    texts: list[str] = []
    for table, columns in known_columns().items():
        names = ", ".join(f'"{name}"' for name, kind in columns.items() if kind == "TEXT")
        if names and table not in _TRAILS:
            texts += [" ".join(map(str, row)) for row in project.rows(f'SELECT {names} FROM "{table}"')]
    merged = [entry.facts for entry in list_audit(project, MERGED)]
    return [*texts, json.dumps(merged, ensure_ascii=False)]


def captures_in(project: Project) -> dict[str, bytes]:
    """SHA-256 -> what its samples are, as they are stored."""
    rows = project.rows(
        "SELECT a.sha256, group_concat(hex(k.data), '') FROM artefact AS a LEFT JOIN clock AS c ON c.artefact_id = a.id"
        " LEFT JOIN series AS s ON s.clock_id = c.id LEFT JOIN sample_chunk AS k ON k.series_id = s.id GROUP BY a.sha256"
    )
    return {digest: str(data).encode() for digest, data in rows}


def captures_of(path: Path) -> set[str]:
    """SHA-256 of the captures of a closed project."""
    with open_project(path, read_only=True) as project:
        return set(captures_in(project))


def contents(project: Project) -> Counter[str]:
    """The records of the cycle as texts without numbers, and how often each is there."""
    return Counter(_without_numbers(record) for record in cycle_records.read_book(project))


def _without_numbers(record: Record) -> str:
    if isinstance(record, Seal):  # its text is of numbers too
        return f"Seal of {len(json.loads(record.content))} records by {record.sealed_by}"
    texts = [value for value in _leaves(all_fields_of(record)) if isinstance(value, str)]
    return f"{type(record).__name__} {' | '.join(texts)}"


def _leaves(value: object) -> list[object]:
    if isinstance(value, dict):
        return [leaf for part in value.values() for leaf in _leaves(part)]
    if isinstance(value, list):
        return [leaf for part in value for leaf in _leaves(part)]
    return [value]
