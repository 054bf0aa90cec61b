"""The audit trail of an engagement: found, read in pages, verified, written for other programs.

ids = audit_trail.find(project, TrailFilter(host="db01"), sentence)      newest first
audit_trail.read_entries(project, ids[:200])
audit_trail.verify(project).whole
audit_trail.export_csv(project, path, headings, sentence)
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from datetime import datetime
from pathlib import Path
from types import MappingProxyType
from typing import Final, TextIO
from zoneinfo import ZoneInfo

from tunebench.core.progress import Progress, SilentProgress
from tunebench.core.records import record
from tunebench.core.whole_files import whole_file
from tunebench.domain.capturing.plan import PlannedHost
from tunebench.store import engagements, plans, profiles, sessions
from tunebench.store.audit import trail as audit
from tunebench.store.audit.chain import ChainedRow
from tunebench.store.audit.trail import AuditEntry
from tunebench.store.audit.trail import chain_head as head
from tunebench.store.project import Project

__all__ = [
    "COLUMNS",
    "GROUPS",
    "AuditEntry",
    "ChainState",
    "TrailFilter",
    "export_csv",
    "find",
    "head",
    "host_names",
    "read_entries",
    "verify",
]

Sentence = Callable[[AuditEntry], str]
"""What an entry says, in words."""

_STEP = 2_000  # rows between two looks at whether the work is still wanted

GROUPS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "connection": (
            "ssh_connected",
            "ssh_refused",
            "weak_algorithms",
            "host_key_accepted",
            "host_key_replaced",
            "host_key_forgotten",
            "profile_saved",
            "profile_removed",
        ),
        "plan": (
            "plan_saved",
            "plan_approved",
            "sheet_written",
            "script_written",
            "command_refused",
            "licence_confirmed",
        ),
        "session": (
            "session_added",
            "session_changed",
            "session_interrupted",
            "capture_started",
            "capture_stopped",
            "capture_extended",
            "capture_resumed",
            "capture_gap",
            "capture_mark",
            "capture_cleaned",
            "detached_started",
            "detached_pulled",
            "detached_removed",
        ),
        "command": ("capture_command", "capture_command_ended", "capture_file_checked"),
        "evidence": (
            "artefact_stored",
            "artefact_parsed",
            "artefact_kept",
            "artefact_removed",
            "samples_removed",
            "incomplete_artefact_discarded",
            "statements_written",
            "run_added",
            "run_changed",
            "run_removed",
            "host_added",
            "host_changed",
            "host_zone_changed",
            "device_names_changed",
            "counting_capture_chosen",
            "times_resolved",
            "resolution_taken_back",
            "resolution_renewed",
            "bundle_imported",
            "statements_linked",
            "statements_unlinked",
        ),
        "engagement": (
            "demo_begun",
            "project_created",
            "project_migrated",
            "project_encrypted",
            "project_rekeyed",
            "project_decrypted",
            "removed_wiped",
            "lock_taken_over",
            "engagement_changed",
            "narrative_changed",
            "measurements_changed",
            "note_added",
            "note_changed",
            "note_removed",
            "report_written",
            "trail_signed",
            "merged",
        ),
        "cycle": ("cycle_changed", "experiment_changed"),
    }
)
"""Every action of the trail in one group, by which it is filtered."""


# --- find and read


@record
class TrailFilter:
    """What is to be shown; what is empty or None does not narrow it.

    Attributes:
        words: all of them are in the entry's sentence, facts, user or action, in any case.
        group: one of `GROUPS`.
        host: name of a host's profile.
        session_id: the session's own entries, its plan's, its files', and the connections made for it.
    """

    words: str = ""
    group: str = ""
    host: str = ""
    session_id: int | None = None


def find(
    project: Project, wanted: TrailFilter, sentence: Sentence, progress: Progress | None = None
) -> tuple[int, ...]:
    """Ids of the entries that fit, newest first."""
    if wanted == TrailFilter():
        return tuple(reversed(audit.entry_ids(project)))
    progress = progress or SilentProgress()
    tests = _tests(project, wanted, sentence)
    ids: list[int] = []
    with closing(audit.stream_rows(project)) as rows:
        for number, chained in enumerate(rows):
            if number % _STEP == 0:
                progress.raise_if_cancelled()
            entry = audit.as_entry(chained)
            if all(test(entry, chained.row.facts) for test in tests):
                ids.append(entry.id)
    return tuple(reversed(ids))


_Test = Callable[[AuditEntry, str], bool]
"""Whether an entry fits; the text is that of its facts as they are stored."""


def _tests(project: Project, wanted: TrailFilter, sentence: Sentence) -> list[_Test]:
    """The session's first: it has to see every entry. Of the others the cheap ones first."""
    tests: list[_Test] = []
    if wanted.session_id is not None:
        tests.append(_OfSession(project, wanted.session_id))
    if wanted.group:
        actions = GROUPS[wanted.group]
        tests.append(lambda entry, _text: entry.action in actions)
    if wanted.host:
        tests.append(_OfHost(project, wanted.host))
    if wanted.words.split():
        tests.append(_Words(wanted.words, sentence))
    return tests


class _Words:
    def __init__(self, words: str, sentence: Sentence) -> None:
        self._words = tuple(words.casefold().split())
        self._sentence = sentence

    def __call__(self, entry: AuditEntry, text: str) -> bool:
        stored = f"{entry.user} {entry.action} {text}".casefold()
        missing = [word for word in self._words if word not in stored]
        if not missing:
            return True
        words = self._sentence(entry).casefold()
        return all(word in words for word in missing)


class _OfHost:
    """By name, or by the address and port under which profile and plans know the host."""

    def __init__(self, project: Project, name: str) -> None:
        self._name = name
        self._places = {(host.address, host.port) for host in _planned_hosts(project) if host.name == name}
        self._places |= {
            (profile.address, profile.port or 22) for profile in profiles.list_profiles(project) if profile.name == name
        }

    def __call__(self, entry: AuditEntry, _text: str) -> bool:
        facts = entry.facts
        several = facts.get("hosts")
        named = (facts.get("host"), facts.get("name"), *(several if isinstance(several, list) else ()))
        if self._name in named:
            return True
        if "host" in facts:
            return False
        name = str(facts.get("name", ""))
        return (facts.get("address"), facts.get("port")) in self._places or name.startswith(f"{self._name}/")


class _OfSession:
    """Entries are looked at in their order: connections name no session, but fall between its start and its end."""

    def __init__(self, project: Project, session_id: int) -> None:
        session = sessions.find_session(project, session_id)
        self._id, self._digest = session_id, session.digest
        self._hosts = {host.name for host in plans.find_plan(project, session.digest).hosts}
        self._artefacts = {stream.artefact_id for stream in sessions.list_streams(project, session_id)} - {None}
        self._running = False

    def __call__(self, entry: AuditEntry, _text: str) -> bool:
        facts = entry.facts
        if facts.get("session_id") == self._id:
            self._follow(entry.action)
            return True
        if facts.get("digest") == self._digest:
            return "session_id" not in facts
        if entry.action in GROUPS["connection"]:
            return self._running and facts.get("host") in self._hosts
        return facts.get("artefact_id") in self._artefacts

    def _follow(self, action: str) -> None:
        if action in ("capture_started", "capture_resumed", "detached_started"):
            self._running = True
        elif action in ("capture_stopped", "session_interrupted"):
            self._running = False


def _planned_hosts(project: Project) -> Iterable[PlannedHost]:
    return (host for record in plans.list_plans(project) for host in record.plan.hosts)


def host_names(project: Project) -> tuple[str, ...]:
    """Hosts that the trail may speak of: those with a profile and those of plans."""
    names = {profile.name for profile in profiles.list_profiles(project)}
    return tuple(sorted(names | {host.name for host in _planned_hosts(project)}))


def read_entries(project: Project, ids: Sequence[int]) -> tuple[AuditEntry, ...]:
    """The entries of these ids, in their order; an id that is not there is left out."""
    by_id = {chained.row.id: audit.as_entry(chained) for chained in audit.read_rows(project, ids)}
    return tuple(by_id[entry_id] for entry_id in ids if entry_id in by_id)


# --- verify


@record
class ChainState:
    """`broken_at`: id of the first entry that was changed, added or removed; None where the chain is whole."""

    entries: int
    last_id: int
    head: str
    broken_at: int | None

    @property
    def whole(self) -> bool:
        return self.broken_at is None


def verify(project: Project) -> ChainState:
    """Computes the whole chain again: half a second for 100,000 entries."""
    broken_at = audit.verify_chain(project)
    last_id, digest = head(project)
    return ChainState(len(audit.entry_ids(project)), last_id, digest, broken_at)


# --- write


COLUMNS: Final = ("id", "utc", "local", "user", "action", "sentence", "facts", "previous", "digest")
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def export_csv(
    project: Project, path: Path, headings: Mapping[str, str], sentence: Sentence, progress: Progress | None = None
) -> int:
    """The whole trail, oldest first; gives the number of entries.

    With a byte order mark, without which Excel on a Korean Windows reads CP949. A cell that a spreadsheet would
    take for a formula begins with an apostrophe. ``id``, ``utc``, ``user``, ``action`` and ``facts`` are as stored:
    from them anybody can compute the chain again (see `tunebench.store.audit.chain`).

    Args:
        headings: per name of `COLUMNS`.

    Raises:
        UserError: as `whole_file`.
        Cancelled: what was written so far is removed.
    """
    with whole_file(path) as draft, draft.open("w", encoding="utf-8-sig", errors="backslashreplace", newline="") as out:
        return _write(project, out, headings, sentence, progress or SilentProgress())


def _write(project: Project, out: TextIO, headings: Mapping[str, str], sentence: Sentence, progress: Progress) -> int:
    zone = ZoneInfo(engagements.read_engagement(project).zone)
    total = head(project)[0]
    writer = csv.writer(out)
    writer.writerow([headings[name] for name in COLUMNS])
    count = 0
    with closing(audit.stream_rows(project)) as rows:
        for count, chained in enumerate(rows, 1):
            if count % _STEP == 0:
                progress.raise_if_cancelled()
                progress.report(count, total)
            writer.writerow([_cell(value) for value in _values(chained, sentence, zone)])
    return count


def _values(chained: ChainedRow, sentence: Sentence, zone: ZoneInfo) -> tuple[str, ...]:
    """The cells of an entry, in the order of `COLUMNS`."""
    row = chained.row
    words = sentence(audit.as_entry(chained))
    return (
        str(row.id),
        row.time,
        _local(row.time, zone),
        row.user,
        row.action,
        words,
        row.facts,
        chained.previous,
        chained.digest,
    )


def _local(iso: str, zone: ZoneInfo) -> str:
    """Empty where the stored time is none (somebody changed it)."""
    try:
        return datetime.fromisoformat(iso).astimezone(zone).strftime("%Y-%m-%d %H:%M:%S")
    except ValueError:
        return ""


def _cell(text: str) -> str:
    return f"'{text}" if text.lstrip(" ").startswith(_FORMULA_STARTS) else text
