"""Experiments and their trials: those that both copies have field by field, what is new of theirs under new numbers."""

from __future__ import annotations

import json
from collections.abc import Iterator

from tunebench.core.errors import UserError
from tunebench.domain.cycle.record_json import all_fields_of
from tunebench.domain.experiments.book import ExperimentBook, ExperimentChange, ExperimentEdit, Record
from tunebench.domain.experiments.records import Experiment, Trial
from tunebench.store.experiments import records as experiments
from tunebench.store.experiments.records import TABLES, name_of, record_from_json
from tunebench.store.locking import current_user
from tunebench.usecases.merging.conflicts import ONE_SIDE, Choice, Conflict, Subject
from tunebench.usecases.merging.fork import Fork
from tunebench.usecases.merging.hosts_and_runs import Runs
from tunebench.usecases.merging.into import Into
from tunebench.usecases.merging.placing import Fields
from tunebench.usecases.merging.replaying import Replayed, highest_id
from tunebench.usecases.merging.three_way import DIFFER, merged_value

_ACTION = "experiment_changed"
_NAMING = {"artefact_id": "artefact", "load_run_id": "run", "experiment_id": "experiment"}


class Experiments:
    def __init__(self, fork: Fork, runs: Runs) -> None:
        self._fork, self._runs = fork, runs
        self._books = tuple(experiments.read_book(copy.project) for copy in fork.copies)
        self._now = tuple(_records_of(book) for book in self._books)
        fields = [{ref: all_fields_of(own) for ref, own in now.items()} for now in self._now]
        self._since = tuple(Replayed(copy, _ACTION, TABLES, now) for copy, now in zip(fork.copies, fields, strict=True))
        self._highest = {table: highest_id(fork.mine, _ACTION, {table: None}) for table in TABLES}
        self._captures = dict(fork.mine.project.rows("SELECT sha256, id FROM artefact WHERE sha256 <> ''"))
        self._digests = dict(fork.theirs.project.rows("SELECT id, sha256 FROM artefact"))
        self._taken: dict[str, list[str]] = {}  # reference -> fields of theirs; all of them where none is named
        self.conflicts = tuple(self._compared())

    def _is_new(self, reference: str) -> bool:
        table, _, id_ = reference.partition(".")
        return int(id_) > self._highest[table]

    def _compared(self) -> Iterator[Conflict]:
        for reference in dict.fromkeys((*self._now[0], *self._now[1])):
            if self._is_new(reference):
                continue
            mine, theirs = (self._fields(side, reference) for side in (0, 1))
            base = self._base(reference)
            value = merged_value(base, mine, theirs)
            if value is DIFFER and mine is not None and theirs is not None and reference.startswith("experiment."):
                yield from self._of_fields(reference, base or {}, mine, theirs)
            elif value is DIFFER:
                usual = Choice.THEIRS if mine is None else Choice.MINE
                yield self._conflict(reference, "", mine, theirs, usual)
            elif value != mine:
                self._taken[reference] = []

    def _of_fields(self, reference: str, base: Fields, mine: Fields, theirs: Fields) -> Iterator[Conflict]:
        for name in theirs:
            value = merged_value(base.get(name), mine.get(name), theirs[name])
            if value is DIFFER:
                yield self._conflict(reference, name, mine.get(name), theirs[name])
            elif value != mine.get(name):
                self._taken.setdefault(reference, []).append(name)

    def _fields(self, side: int, reference: str) -> Fields | None:
        """The fields of a record, of theirs in the numbers of mine as far as it has any."""
        record = self._now[side].get(reference)
        if record is None:
            return None
        body = all_fields_of(record)
        return body if side == 0 or isinstance(record, Experiment) else self._as_mine(body)

    def _as_mine(self, body: Fields) -> Fields:
        artefact, run = body["artefact_id"], self._runs.mine_of.get(body["load_run_id"] or 0)
        return {
            **body,
            "artefact_id": artefact and self._captures.get(self._digests[artefact], -artefact),
            "load_run_id": run.id if run is not None else body["load_run_id"] and -body["load_run_id"],
        }

    def _base(self, reference: str) -> Fields | None:
        """As it was where the copies parted; of one whose fields the trail of one copy does not tell, by the other."""
        states = [
            since.base[reference] if reference in since.base else self._plain(side, reference)
            for side, since in enumerate(self._since)
        ]
        stated = [state for state, since in zip(states, self._since, strict=True) if reference not in since.in_part]
        if not stated:
            return self._plain(0, reference)
        if stated[0] != stated[-1]:
            raise UserError("merge_unexplained", record=reference, path=str(self._fork.theirs.project.path))
        return stated[0]

    def _plain(self, side: int, reference: str) -> Fields | None:
        record = self._now[side].get(reference)
        return None if record is None else all_fields_of(record)

    def _conflict(
        self, reference: str, field: str, mine: object, theirs: object, usual: Choice = Choice.MINE
    ) -> Conflict:
        heading = f"{reference} {field}".strip()
        entries = [since.last.get(heading) or since.last.get(reference) for since in self._since]
        sides = self._fork.sides((mine, theirs), entries)
        subject = Subject.TRIAL if reference.startswith("trial.") else Subject.EXPERIMENT
        record = self._now[0].get(reference) or self._now[1][reference]
        return Conflict(heading, subject, name_of(record), field, *sides, ONE_SIDE, usual)

    # -- bringing in -----------------------------------------------------------------------------------

    def apply(self, into: Into) -> None:
        taken = {reference: list(names) for reference, names in self._taken.items()}
        for conflict in self.conflicts:
            reference = conflict.key.partition(" ")[0]
            if into.choice(conflict) is Choice.THEIRS:
                taken.setdefault(reference, []).extend([conflict.field] if conflict.field else [])
        for table in TABLES:
            for reference in self._now[1]:
                if reference.startswith(f"{table}.") and not self._is_new(reference):
                    id_ = int(reference.partition(".")[2])
                    into.put(table, id_, id_)
        after: dict[str, Record] = {**self._now[0]}
        for reference, names in taken.items():
            self._take(into, after, reference, names)
        self._keep_what_is_used(into, after)
        changes = [
            ExperimentChange(self._now[0].get(reference), after.get(reference))
            for reference in dict.fromkeys((*self._now[0], *after))
            if self._now[0].get(reference) != after.get(reference)
        ]
        changes.sort(key=_order)
        self._apply(into, changes, [self._entered(change.after or change.before) for change in changes])
        self._add_new(into)

    def _take(self, into: Into, after: dict[str, Record], reference: str, names: list[str]) -> None:
        theirs = self._now[1].get(reference)
        if theirs is None:
            after.pop(reference, None)
            return
        body = self._here(into, theirs)
        if names:
            body = {**all_fields_of(after[reference]), **{name: body[name] for name in names}}
        after[reference] = _read(_table_of(theirs), theirs.id, body)

    def _keep_what_is_used(self, into: Into, after: dict[str, Record]) -> None:
        """An experiment that one copy removed and of which the other has trials stays, and so do these."""
        trials = [trial for trial in after.values() if isinstance(trial, Trial)]
        trials += [own for ref, own in self._now[1].items() if isinstance(own, Trial) and self._is_new(ref)]
        for trial in trials:
            reference = f"experiment.{trial.experiment_id}"
            if reference not in after and not self._is_new(reference):
                kept = self._now[0].get(reference) or self._now[1][reference]
                after[reference] = kept
                into.kept.append(name_of(kept))

    def _add_new(self, into: Into) -> None:
        """Every experiment with its trials in an edit of its own, so that each gets its number."""
        new = [own for reference, own in self._now[1].items() if self._is_new(reference)]
        for experiment in (own for own in new if isinstance(own, Experiment)):
            added = _read("experiment", -experiment.id, self._here(into, experiment))
            done = self._apply(into, [ExperimentChange(None, added)], [self._entered(experiment)])
            into.put("experiment", experiment.id, done[0].id)
        trials = [own for own in new if isinstance(own, Trial)]
        added_trials = [_read("trial", 0, self._here(into, trial)) for trial in trials]
        entered = [self._entered(trial) for trial in trials]
        done = self._apply(into, [ExperimentChange(None, trial) for trial in added_trials], entered)
        for trial, stored in zip(trials, done, strict=True):
            into.put("trial", trial.id, stored.id)

    def _entered(self, record: Record | None) -> tuple[int, str] | None:
        """Id and time of the last entry of theirs about a record."""
        last = self._since[1].last.get(f"{_table_of(record)}.{record.id}") if record is not None else None
        return (last.id, last.time) if last is not None else None

    def _apply(
        self, into: Into, changes: list[ExperimentChange], entered: list[tuple[int, str] | None]
    ) -> list[Record]:
        """What the records are afterwards."""
        if not changes:
            return []
        edit = ExperimentEdit("merge", tuple(changes))
        done = experiments.apply(into.project, edit, current_user(), entered)
        return [change.after for change in done.changes if change.after is not None]

    def _here(self, into: Into, record: Record) -> Fields:
        body: Fields = all_fields_of(record)
        if isinstance(record, Trial) and record.load_run_id is not None:
            self._runs.needed(into, record.load_run_id)
        placed = {name: into.place(kind, body[name]) for name, kind in _NAMING.items() if name in body}
        return {**body, **placed}


def _records_of(book: ExperimentBook) -> dict[str, Record]:
    own: dict[str, Record] = {f"experiment.{id_}": experiment for id_, experiment in book.experiments.items()}
    return own | {f"trial.{id_}": trial for id_, trial in sorted(book.trials.items())}


def _table_of(record: Record) -> str:
    return "experiment" if isinstance(record, Experiment) else "trial"


def _read(table: str, id_: int, body: Fields) -> Record:
    return record_from_json(table, id_, json.dumps(body, ensure_ascii=False))


def _order(change: ExperimentChange) -> tuple[bool, bool]:
    """Trials go before their experiment, and come after it."""
    is_removed, is_trial = change.after is None, isinstance(change.before or change.after, Trial)
    return not is_removed, is_trial is not is_removed
