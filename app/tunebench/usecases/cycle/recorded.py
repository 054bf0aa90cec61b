"""When approvals, executions and results were entered and captures came in, read from the audit trail: nothing is
stored for it."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import field, replace
from weakref import WeakKeyDictionary

from tunebench.core.grouping import by_key
from tunebench.core.records import record
from tunebench.domain.cycle.book import CycleBook
from tunebench.domain.cycle.record_json import BadRecord, value_from_json
from tunebench.domain.cycle.recorded import APPROVALS, POLICY, CameIn, Captures, Recorded, Told, Tries
from tunebench.domain.cycle.records import ExperimentSource, Metric, Result, SeriesSource
from tunebench.domain.cycle.worksheet import Consent
from tunebench.domain.engagement import Approvals, TwoRoles
from tunebench.domain.translations import FIELD as TRANSLATIONS
from tunebench.store import hosts, overlaps, runs
from tunebench.store.audit import trail as audit
from tunebench.store.audit.replay import entered_at, recorded_changes
from tunebench.store.project import Project
from tunebench.usecases.cycle.tried import recorded_at, tries_of
from tunebench.usecases.importing.contradicting import contradictions

_TIMES_SAID = frozenset({"start", "date"})
_STRICT = tuple(each.value for each in Approvals)
_OF_RECORDS = ("cycle_changed", "engagement_changed", "experiment_changed", "narrative_changed", "report_written")
_CAPTURE_ENTRIES = (
    "SELECT id, time, action, facts FROM audit"
    " WHERE action IN ('artefact_stored', 'artefact_parsed', 'artefact_removed', 'run_removed')"
    " AND json_valid(facts) ORDER BY id"
)
"""Those without a digest too: one that was put in can but add to what is told."""
_COLUMNS = (
    "SELECT DISTINCT artefact.id, artefact.run_id, series.native, series.metric FROM series"
    " JOIN clock ON clock.id = series.clock_id JOIN artefact ON artefact.id = clock.artefact_id WHERE complete = 1"
)
_STATEMENTS = (
    "SELECT run_id FROM statement UNION SELECT artefact.run_id FROM database_table AS t"
    " JOIN database_record AS r ON r.id = t.record_id JOIN artefact ON artefact.id = r.artefact_id"
    " WHERE t.name = 'statement'"
)
_TOLD = {
    (
        "executed",
        "action_id",
    ): "executed_at",  # a line is there since its action was carried out, with a time or without
    ("executed", "rolled_back_at"): "rolled_back_at",
    ("result", "after"): "after",
    ("target", "value"): "value",
    ("action", "consents"): "consents",
}


@record(frozen=False)
class _Read:
    """Entries are never changed, so that only those after the last are read again, those of the engagement apart."""

    last: int = 0
    last_of_all: int = 0
    found: dict[Told, Recorded] = field(default_factory=dict)
    laid: dict[int, tuple[Recorded, ...]] = field(default_factory=dict)
    consultants: set[str] = field(default_factory=set)
    strictest: int = 0
    captures: tuple[tuple[int, int, frozenset[str]], Captures] = ((-1, -1, frozenset()), Captures())
    tries: tuple[int, Tries] = (-1, Tries())


_read: WeakKeyDictionary[Project, _Read] = WeakKeyDictionary()


def with_recorded(project: Project, book: CycleBook) -> CycleBook:
    """The book with the entry of every approval, execution, rollback, target and result that the trail names, and where
    there is a result, with what it could have been taken from."""
    read = _read.setdefault(project, _Read())
    for entry, changes in recorded_changes(project, "cycle_changed", after=read.last):
        for fact, is_first, heading in _facts_of(changes):
            if not is_first or fact not in read.found:
                read.found[fact] = recorded_at(project, entry, heading)
        for window_id, heading in _laid(changes).items():
            read.laid[window_id] = (*read.laid.get(window_id, ()), recorded_at(project, entry, heading))
        read.last = entry.id
    newest = audit.last_entry(project)
    for entry, changes in recorded_changes(project, "engagement_changed", after=read.last_of_all):
        if changes.get("two_roles") == [TwoRoles.REFUSED, TwoRoles.DECLARED]:
            read.found[POLICY] = Recorded(entry.id, entry.time)
        _take_policy(read, changes.get("approvals"), Recorded(entry.id, entry.time))
        sides = changes.get("consultants")
        read.consultants |= {name for side in sides for name in side or ()} if isinstance(sides, list) else set()
    read.last_of_all = newest
    sources = [metric.source for metric in book.all(Metric) if isinstance(metric.source, SeriesSource)]
    wanted = frozenset(name for source in sources for name in (source.native, source.metric) if name)
    captures = _captures(project, read, wanted) if book.all(Result) else None
    tried = any(isinstance(metric.source, ExperimentSource) for metric in book.all(Metric))
    if tried and read.tries[0] != newest:
        read.tries = newest, tries_of(project)
    engagement = book.engagement
    if engagement is not None:  # who was a consultant once does not become the customer's
        consultants = tuple(dict.fromkeys((*engagement.consultants, *sorted(read.consultants))))
        engagement = replace(engagement, consultants=consultants)
    entries = dict(read.found)
    tries = read.tries[1] if tried else None
    return replace(book, recorded=entries, laid=dict(read.laid), captures=captures, tries=tries, engagement=engagement)


def _take_policy(read: _Read, pair: object, at: Recorded) -> None:
    """Remembers that approvals were eased, from what policy on, until it is at least as strict again."""
    if not isinstance(pair, list) or len(pair) != 2 or not set(pair) <= set(_STRICT):
        return
    old, new = (_STRICT.index(policy) for policy in pair)
    read.strictest = max(read.strictest, old)
    if new < read.strictest:
        read.found[APPROVALS] = at
    else:
        read.found.pop(APPROVALS, None)


def _laid(changes: Mapping[str, object]) -> dict[int, str]:
    """Ids of the windows whose stretches an entry laid, with a heading of it that says so."""
    places = ((heading, *heading.partition(" ")) for heading in changes)
    return {
        int(reference.partition(".")[2]): heading
        for heading, reference, _, name in places
        if reference.startswith("window.") and name in ("occurrences", "exclusions")
    }


def _captures(project: Project, read: _Read, wanted: frozenset[str]) -> Captures:
    state = audit.last_entry(project, _OF_RECORDS), overlaps.state_of(project)[2], wanted
    if read.captures[0] != state:
        read.captures = state, _read_captures(project, wanted)
    return read.captures[1]


def _read_captures(project: Project, wanted: Collection[str]) -> Captures:
    there = {id_: row for id_, *row in project.rows("SELECT id, run_id, first_ns, last_ns, sha256, name FROM artefact")}
    read: dict[int, _AsRead] = {}
    entered: dict[int, Recorded] = {}
    gone: list[tuple[str, str]] = []
    for id_, time, action, text in project.rows(_CAPTURE_ENTRIES):
        facts = json.loads(text)
        if action == "artefact_stored" and facts.get("artefact_id") in there:
            entered[facts["artefact_id"]] = Recorded(*entered_at(project, id_, time, facts.get("entered")))
        elif action == "artefact_parsed" and facts.get("artefact_id") in there:
            read.setdefault(facts["artefact_id"], _AsRead()).take(facts)
        elif action == "artefact_removed":
            gone.append((str(facts.get("name")), str(facts.get("sha256"))))
        elif action == "run_removed":
            gone += [
                (name, sha256) for name, _, sha256 in (capture.rpartition(" ") for capture in facts.get("captures", ()))
            ]
    kept = {sha256 for *_, sha256, _name in there.values()}  # what was taken in again is not gone
    removed = dict.fromkeys(name for name, sha256 in gone if sha256 not in kept)
    named = [(*ids, name) for *ids, native, metric in project.rows(_COLUMNS) for name in (native, metric) if name]
    columns = frozenset((run_id, name) for _id, run_id, name in named)
    of_capture = by_key((id_, name) for id_, _run_id, name in named)
    names, against = {host.id: host.name for host in hosts.list_hosts(project)}, _contradicting(project, wanted)
    came_in: list[CameIn] = []
    for artefact_id, recorded in entered.items():
        run_id, first_ns, last_ns, _sha256, name = there[artefact_id]
        as_read = read.get(artefact_id, _AsRead())
        came_in.append(
            CameIn(
                run_id,
                first_ns,
                last_ns,
                recorded,
                name,
                frozenset(of_capture.get(artefact_id, ())),
                tuple(names[host_id] for host_id in as_read.hosts if host_id in names),
                frozenset(as_read.said),
                tuple((there[other][4], columns) for other, columns in against.get(artefact_id, ()) if other in there),
            )
        )
    statements = frozenset(id_ for (id_,) in project.rows(_STATEMENTS))
    return Captures(tuple(runs.list_runs(project)), tuple(came_in), tuple(removed), columns, statements)


@record(frozen=False)
class _AsRead:
    """What the entries say of each time that a capture was read."""

    hosts: list[int] = field(default_factory=list)
    said: set[str] = field(default_factory=set)

    def take(self, facts: Mapping[str, object]) -> None:
        host_id, given = facts.get("host_id"), facts.get("given")
        if isinstance(host_id, int) and self.hosts[-1:] != [host_id]:
            self.hosts.append(host_id)
        if isinstance(given, dict):
            self.said |= _TIMES_SAID & given.keys()


def _contradicting(project: Project, names: Collection[str]) -> dict[int, list[tuple[int, frozenset[str]]]]:
    """Capture -> others that say something else of the same seconds, and in which columns."""
    pairs = [] if not names else contradictions(project, names)
    return by_key(
        [
            *((pair.one, (pair.other, pair.names)) for pair in pairs),
            *((pair.other, (pair.one, pair.names)) for pair in pairs),
        ]
    )


def _facts_of(changes: Mapping[str, object]) -> Iterator[tuple[Told, bool, str]]:
    """(fact, whether its first entry counts, heading) of one entry of the trail: of an execution the first, else the
    last."""
    for heading, sides in changes.items():
        reference, _, name = heading.partition(" ")
        kind, _, id_ = reference.partition(".")
        what = _TOLD.get((kind, name))
        pair = _as_written(sides)
        if what is None or not id_.isdecimal() or not isinstance(pair, list) or len(pair) != 2 or pair[1] in (None, ""):
            continue
        if pair[0] == pair[1]:  # but in another language
            continue
        if what == "consents":
            yield from (((int(id_), consent), False, heading) for consent in _added(*pair))
        else:
            yield (int(id_), what), what == "executed_at", heading


def _as_written(value: object) -> object:
    """Without translations: what says it in another language later is no later decision."""
    if isinstance(value, list):
        return [_as_written(part) for part in value]
    if isinstance(value, dict):
        return {name: _as_written(part) for name, part in value.items() if name != TRANSLATIONS}
    return value


def _added(old: object, new: object) -> Iterator[Consent]:
    there = [json.dumps(consent, sort_keys=True) for consent in old] if isinstance(old, list) else []
    for value in new if isinstance(new, list) else ():
        if json.dumps(value, sort_keys=True) not in there:
            try:
                consent = value_from_json(Consent, value, "consents")
            except BadRecord:
                continue
            assert isinstance(consent, Consent)
            yield consent
