"""The engagement itself and what stands beside its records: texts of the report, figures and statements by hand, notes,
written reports, and how its reports look."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from typing import TypeVar

from tunebench.domain.cycle.record_json import plain
from tunebench.domain.engagement import Engagement, Measurement, Note, Section, Statement
from tunebench.store import captured_columns, engagements, reports
from tunebench.store.audit.trail import AuditEntry
from tunebench.store.clean_copy import LOGO
from tunebench.usecases.merging.conflicts import BESIDE, Choice, Conflict, Side, Subject, what_stands
from tunebench.usecases.merging.fork import Copy, Fork
from tunebench.usecases.merging.hosts_and_runs import Runs
from tunebench.usecases.merging.into import THEIRS, Into
from tunebench.usecases.merging.three_way import DIFFER, UNKNOWN, Unknown, merged_value

T = TypeVar("T")
_LOOK = "report_design"
_NOTED = ("note_added", "note_changed", "note_removed")


def _base_of(mine: T, theirs: T, entries: Sequence[AuditEntry | None]) -> T | Unknown:
    """What was there before, as far as the trails tell which side changed it: the last entry of either about it."""
    touched = [entry is not None for entry in entries]
    if touched == [False, True]:
        return mine
    return theirs if touched == [True, False] else UNKNOWN


class EngagementFields:
    def __init__(self, fork: Fork) -> None:
        self._fork = fork
        self._mine, self._theirs = (engagements.read_engagement(copy.project) for copy in (fork.mine, fork.theirs))
        self._taken: list[str] = []
        self.conflicts = tuple(self._compared())

    def _compared(self) -> Iterator[Conflict]:
        changes = [_engagement_changes(copy) for copy in self._fork.copies]
        for name in (field.name for field in fields(Engagement)):
            mine, theirs = (plain(getattr(engagement, name)) for engagement in (self._mine, self._theirs))
            entries = [named.get(name) for named in changes]
            value = merged_value(_base_of(mine, theirs, entries), mine, theirs)
            if value is DIFFER:
                sides = self._fork.sides((mine, theirs), entries)
                yield Conflict(f"engagement {name}", Subject.ENGAGEMENT, "", name, *sides)
            elif value != mine:
                self._taken.append(name)

    def apply(self, into: Into) -> None:
        taken = [*self._taken, *(c.field for c in self.conflicts if into.choice(c) is Choice.THEIRS)]
        if not taken:
            return
        changes = {name: getattr(self._theirs, name) for name in taken}
        engagements.write_engagement(into.project, replace(engagements.read_engagement(into.project), **changes))


def _engagement_changes(copy: Copy) -> dict[str, AuditEntry]:
    changed: dict[str, AuditEntry] = {}
    for entry in copy.entries("engagement_changed"):
        changes = entry.facts.get("changes")
        changed |= dict.fromkeys(changes if isinstance(changes, dict) else (), entry)
    return changed


class Narratives:
    """The report's texts, section by section."""

    def __init__(self, fork: Fork) -> None:
        self._fork = fork
        self._mine, self._theirs = _narratives(fork.mine), _narratives(fork.theirs)
        self._taken: list[tuple[str, str]] = []
        self.conflicts = tuple(self._compared())

    def _compared(self) -> Iterator[Conflict]:
        for key in dict.fromkeys((*self._mine, *self._theirs)):
            mine, theirs = self._mine.get(key, []), self._theirs.get(key, [])
            value = merged_value(self._base(key), mine, theirs)
            if value is DIFFER:
                entries = [self._last(copy, key) for copy in self._fork.copies]
                sides = self._fork.sides((mine, theirs), entries)
                yield Conflict(f"narrative.{'.'.join(key)}", Subject.NARRATIVE, key[0], key[1], *sides, choices=BESIDE)
            elif value != mine:
                self._taken.append(key)

    def _base(self, key: tuple[str, str]) -> list[str] | Unknown:
        for copy, own in ((self._fork.mine, self._mine), (self._fork.theirs, self._theirs)):
            first = next(copy.entries("narrative_changed", section=key[0], language=key[1]), None)
            if first is None:
                return own.get(key, [])
            before = first.facts.get("before")
            if isinstance(before, list):
                return [str(text) for text in before]
        return UNKNOWN

    def _last(self, copy: Copy, key: tuple[str, str]) -> AuditEntry | None:
        return copy.last("narrative_changed", section=key[0], language=key[1])

    def apply(self, into: Into) -> None:
        texts = {key: self._theirs.get(key, []) for key in self._taken}
        for conflict in self.conflicts:
            key = (conflict.name, conflict.field)
            mine, theirs = self._mine.get(key, []), self._theirs.get(key, [])
            choice = into.choice(conflict)
            if choice is not Choice.MINE:
                both = [*mine, *(text for text in theirs if text not in mine)]
                texts[key] = theirs if choice is Choice.THEIRS else both
        for (section, language), paragraphs in texts.items():
            engagements.write_narrative(into.project, Section(section), language, paragraphs)


def _narratives(copy: Copy) -> dict[tuple[str, str], list[str]]:
    texts: dict[tuple[str, str], list[str]] = {}
    for section, language, text in copy.project.rows(
        "SELECT section, language, text FROM narrative ORDER BY section, language, position"
    ):
        texts.setdefault((section, language), []).append(text)
    return texts


class Measurements:
    """Figures by hand, by their keys."""

    def __init__(self, fork: Fork) -> None:
        self._fork = fork
        self._mine, self._theirs = _measurements(fork.mine), _measurements(fork.theirs)
        self._taken: dict[str, Measurement | None] = {}
        self.conflicts = tuple(self._compared())

    def _compared(self) -> Iterator[Conflict]:
        for key in dict.fromkeys((*self._mine, *self._theirs)):
            mine, theirs = self._mine.get(key), self._theirs.get(key)
            entries = [_last_measured(copy, key) for copy in self._fork.copies]
            value = merged_value(_base_of(mine, theirs, entries), mine, theirs)
            if value is DIFFER:
                sides = self._fork.sides((plain(mine), plain(theirs)), entries)
                yield Conflict(f"measurement.{key}", Subject.MEASUREMENT, key, "", *sides, *what_stands(mine, theirs))
            elif value != mine:
                self._taken[key] = theirs

    def apply(self, into: Into) -> None:
        taken, beside = dict(self._taken), []
        for conflict in self.conflicts:
            theirs = self._theirs.get(conflict.name)
            if into.choice(conflict) is Choice.THEIRS:
                taken[conflict.name] = theirs
            elif into.choice(conflict) is Choice.BOTH and theirs is not None:
                key, korean, english = (f"{word}{THEIRS}" for word in (theirs.key, theirs.label_ko, theirs.label_en))
                beside.append(replace(theirs, key=key, label_ko=korean, label_en=english))
        if not taken and not beside:
            return
        merged = {**self._mine, **taken}
        measurements = [measurement for measurement in merged.values() if measurement is not None]
        engagements.write_measurements(into.project, [*measurements, *beside])


def _measurements(copy: Copy) -> dict[str, Measurement]:
    return {measurement.key: measurement for measurement in engagements.read_measurements(copy.project)}


def _last_measured(copy: Copy, key: str) -> AuditEntry | None:
    last = None
    for entry in copy.entries("measurements_changed"):
        named = [name for fact in ("changes", "added", "removed") for name in _list_of(entry.facts.get(fact))]
        last = entry if key in named else last
    return last


def _list_of(value: object) -> list[object]:
    return list(value) if isinstance(value, list | dict) else []


class Statements:
    """Statements that were entered by hand, run by run."""

    def __init__(self, fork: Fork, runs: Runs) -> None:
        self._fork, self._runs = fork, runs
        self._taken: list[int] = []
        self.conflicts = tuple(self._compared())

    def _compared(self) -> Iterator[Conflict]:
        for run in self._runs.theirs.values():
            theirs = _by_hand(self._fork.theirs, run.id)
            mine_run = self._runs.mine_of.get(run.id)
            mine = _by_hand(self._fork.mine, mine_run.id) if mine_run is not None else []
            entries = [
                copy.last("statements_written", run_id=id_)
                for copy, id_ in ((self._fork.mine, mine_run.id if mine_run else None), (self._fork.theirs, run.id))
            ]
            value = merged_value(_base_of(mine, theirs, entries), mine, theirs) if mine_run is not None else theirs
            if value is DIFFER:
                sides = self._fork.sides((_words(mine), _words(theirs)), entries)
                yield Conflict(f"statements.{run.id}", Subject.STATEMENTS, run.label, "", *sides, BESIDE, Choice.BOTH)
            elif value != mine:
                self._taken.append(run.id)

    def apply(self, into: Into) -> None:
        for run_id in self._taken:
            here = self._runs.needed(into, run_id)
            engagements.write_statements(into.project, here, _by_hand(self._fork.theirs, run_id))
        for conflict in self.conflicts:
            run_id = int(conflict.key.partition(".")[2])
            here, choice = self._runs.needed(into, run_id), into.choice(conflict)
            theirs = _by_hand(self._fork.theirs, run_id)
            mine = [] if choice is Choice.THEIRS else _by_hand(self._fork.mine, self._runs.mine_of[run_id].id)
            if choice is not Choice.MINE:
                engagements.write_statements(into.project, here, [*mine, *(one for one in theirs if one not in mine)])


def _by_hand(copy: Copy, run_id: int) -> list[Statement]:
    """Without the number of their run, which differs."""
    return [replace(one, run_id=0) for one in engagements.read_statements_by_hand(copy.project, run_id)]


def _words(statements: list[Statement]) -> list[str]:
    return [f"{statement.engine} {statement.statement_id}".strip() for statement in statements]


class Notes:
    """A note is known by its number where both have it; what is new of theirs is added."""

    def __init__(self, fork: Fork, runs: Runs) -> None:
        self._fork, self._runs = fork, runs
        self._base = {entry.facts.get("note_id") for entry in fork.mine.common if entry.action == "note_added"}
        self._mine, self._theirs = (
            {note.id: note for note in engagements.list_notes(copy.project)} for copy in (fork.mine, fork.theirs)
        )
        self._taken: list[int] = []
        self.conflicts = tuple(self._compared())

    def _compared(self) -> Iterator[Conflict]:
        for id_ in sorted(id_ for id_ in self._base if isinstance(id_, int)):
            mine, theirs = (own[id_].text if id_ in own else None for own in (self._mine, self._theirs))
            entries = [copy.last(*_NOTED, note_id=id_) for copy in self._fork.copies]
            value = merged_value(_base_of(mine, theirs, entries), mine, theirs)
            if value is DIFFER:
                sides, name = self._fork.sides((mine, theirs), entries), str(mine or theirs)
                yield Conflict(f"note.{id_}", Subject.NOTE, name, "", *sides, *what_stands(mine, theirs))
            elif value != mine:
                self._taken.append(id_)

    def apply(self, into: Into) -> None:
        for id_ in self._taken:
            self._take(into, id_)
        for conflict in self.conflicts:
            id_, choice = int(conflict.key.partition(".")[2]), into.choice(conflict)
            if choice is Choice.THEIRS:
                self._take(into, id_)
            elif choice is Choice.BOTH:
                self._add(into, self._theirs[id_])
        new = [note for id_, note in self._theirs.items() if id_ not in self._base]
        for note in new:
            self._add(into, note)

    def _take(self, into: Into, id_: int) -> None:
        present = {note.id for note in engagements.list_notes(into.project)}
        theirs = self._theirs.get(id_)
        if theirs is None and id_ in present:
            engagements.remove_note(into.project, id_)
        elif theirs is not None and id_ in present:
            engagements.change_note(into.project, id_, theirs.text)
        elif theirs is not None:
            self._add(into, theirs)

    def _add(self, into: Into, note: Note) -> None:
        target = self._runs.needed(into, note.target_id) if note.target_kind == "run" and note.target_id else None
        target = target or into.place(note.target_kind, note.target_id)
        if note.target_id is not None and target is None:
            into.kept.append(note.text)
        engagements.add_note(
            into.project,
            note.target_kind if target is not None or note.target_id is None else "",
            target,
            note.time_ns,
            note.text,
            note.author,
            note.written_at,
        )


class Reports:
    """What was written out of either copy."""

    conflicts: tuple[Conflict, ...] = ()

    def __init__(self, fork: Fork) -> None:
        self._theirs = reports.list_reports(fork.theirs.project)

    def apply(self, into: Into) -> None:
        present = [replace(report, id=0) for report in reports.list_reports(into.project)]
        for report in self._theirs:
            if replace(report, id=0) not in present:
                reports.carry_report(into.project, report)


class Looks:
    """How reports look: no trail tells who changed it."""

    def __init__(self, fork: Fork) -> None:
        self._fork = fork
        self._mine, self._theirs = (
            captured_columns.read_state(copy.project, _LOOK) for copy in (fork.mine, fork.theirs)
        )
        differs = bool(self._mine and self._theirs and self._mine != self._theirs)
        sides = Side(self._mine), Side(self._theirs)
        self.conflicts = (Conflict("look", Subject.LOOK, "", "", *sides),) if differs else ()

    def apply(self, into: Into) -> None:
        taken = not self._mine or any(into.choice(conflict) is Choice.THEIRS for conflict in self.conflicts)
        if self._theirs and taken:
            captured_columns.write_state(into.project, _LOOK, self._theirs)
        query = "SELECT name, value FROM property WHERE name LIKE ?"
        for name, value in self._fork.theirs.project.rows(query, (f"{LOGO}%",)):
            captured_columns.write_state(into.project, name, value)
