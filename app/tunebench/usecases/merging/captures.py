"""Captures: known by their bytes, whatever number a copy gives them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from tunebench.core.errors import UserError
from tunebench.store import artefacts, removal
from tunebench.store.artefacts import ArtefactInfo
from tunebench.store.audit.trail import AuditEntry
from tunebench.store.cycle.records import users_of_artefact
from tunebench.store.experiments.records import experiments_on
from tunebench.store.hosts import list_hosts
from tunebench.store.parts import left_out
from tunebench.store.project import Project
from tunebench.usecases.merging.conflicts import Choice, Conflict, Side, Subject
from tunebench.usecases.merging.fork import Copy, Fork
from tunebench.usecases.merging.hosts_and_runs import Runs
from tunebench.usecases.merging.into import Into

_READ = ("artefact_parsed", "artefact_kept", "samples_removed")
_SHORT = 12


class _Captures:
    """The captures of one copy by SHA-256, and what became of them since the copies parted."""

    def __init__(self, copy: Copy) -> None:
        self.copy = copy
        self.by_digest = {info.sha256: info for info in artefacts.list_artefacts(copy.project)}
        self.hosts = {host.id: host.name for host in list_hosts(copy.project)}

    def host_of(self, info: ArtefactInfo) -> str:
        return self.hosts.get(info.host_id or 0, "")

    def last(self, info: ArtefactInfo) -> AuditEntry | None:
        return self.copy.last(*_READ, "artefact_stored", artefact_id=info.id)

    def is_read_since(self, info: ArtefactInfo) -> bool:
        return self.copy.touched(*_READ, artefact_id=info.id)

    def is_used(self, info: ArtefactInfo) -> bool:
        """Whether records of the cycle or trials rest on the capture."""
        project = self.copy.project
        return bool(users_of_artefact(project, info.id)) or bool(experiments_on(project, None, (info.id,)))

    @cached_property
    def removed(self) -> dict[str, AuditEntry]:
        """SHA-256 of what was removed since, and is not there again."""
        gone: dict[str, AuditEntry] = {}
        for entry in self.copy.entries("artefact_removed", "run_removed"):
            digests = [entry.facts.get("sha256"), *(str(name).rpartition(" ")[2] for name in _captures_of(entry))]
            gone |= {str(digest): entry for digest in digests if digest and digest not in self.by_digest}
        return gone


def _captures_of(entry: AuditEntry) -> list[object]:
    captures = entry.facts.get("captures")
    return captures if isinstance(captures, list) else []


class Captures:
    def __init__(self, fork: Fork, runs: Runs) -> None:
        self._runs = runs
        self._mine, self._theirs = _Captures(fork.mine), _Captures(fork.theirs)
        self._base = {str(entry.facts.get("sha256")) for entry in fork.mine.common if entry.action == "artefact_stored"}
        self._left_out = left_out(fork.theirs.project)
        self._reading_of_theirs: list[str] = []
        self._read_again: list[str] = []
        self._to_remove: list[str] = []
        self._to_bring: list[str] = []
        self.conflicts = (*self._of_theirs(), *self._of_mine())

    # -- comparing -------------------------------------------------------------------------------------

    def _of_theirs(self) -> Iterator[Conflict]:
        for digest, theirs in self._theirs.by_digest.items():
            mine = self._mine.by_digest.get(digest)
            if mine is not None:
                yield from self._of_both(mine, theirs)
            elif digest in self._mine.removed and digest in self._base:
                yield from self._removed_in_mine(digest, theirs)
            elif digest not in self._left_out:
                self._to_bring.append(digest)

    def _removed_in_mine(self, digest: str, theirs: ArtefactInfo) -> Iterator[Conflict]:
        if digest in self._left_out or not (self._theirs.is_read_since(theirs) or self._theirs.is_used(theirs)):
            return
        gone = self._mine.copy.side(None, self._mine.removed[digest])
        kept = self._side(self._theirs, theirs)
        yield Conflict(_key(digest), Subject.CAPTURE, theirs.name, "", gone, kept, usual=Choice.THEIRS)

    def _of_mine(self) -> Iterator[Conflict]:
        for digest, mine in self._mine.by_digest.items():
            if digest in self._theirs.by_digest or digest not in self._theirs.removed or digest not in self._base:
                continue
            if self._mine.is_read_since(mine) or self._mine.is_used(mine):
                gone = self._theirs.copy.side(None, self._theirs.removed[digest])
                yield Conflict(_key(digest), Subject.CAPTURE, mine.name, "", self._side(self._mine, mine), gone)
            else:
                self._to_remove.append(digest)

    def _of_both(self, mine: ArtefactInfo, theirs: ArtefactInfo) -> Iterator[Conflict]:
        digest = mine.sha256
        sides = self._side(self._mine, mine), self._side(self._theirs, theirs)
        read_since = self._mine.is_read_since(mine), self._theirs.is_read_since(theirs)
        if self._is_said_alike(mine, theirs):
            if digest not in self._left_out and _reader(mine) != _reader(theirs):
                if digest in self._base and read_since == (False, True):
                    self._reading_of_theirs.append(digest)
                elif digest not in self._base or read_since != (True, False):
                    self._read_again.append(digest)
        elif digest in self._base and read_since == (False, True):
            self._reading_of_theirs.append(digest)
        elif digest not in self._base or read_since != (True, False):
            yield Conflict(_key(digest), Subject.CAPTURE, mine.name, "", *sides)

    def _is_said_alike(self, mine: ArtefactInfo, theirs: ArtefactInfo) -> bool:
        run = self._runs.mine_of.get(theirs.run_id)
        return (self._mine.host_of(mine), mine.run_id, mine.given) == (
            self._theirs.host_of(theirs),
            run.id if run is not None else None,
            theirs.given,
        )

    def _side(self, captures: _Captures, info: ArtefactInfo) -> Side:
        project = captures.copy.project
        run = project.row("SELECT label, phase FROM run WHERE id = ?", (info.run_id,))
        value = {"host": captures.host_of(info), "run": run[0], "phase": run[1], "given": info.given}
        return captures.copy.side(value, captures.last(info))

    # -- bringing in -----------------------------------------------------------------------------------

    def apply(self, into: Into) -> None:
        bring, reading = list(self._to_bring), list(self._reading_of_theirs)
        for conflict in self.conflicts:
            digest = next(digest for digest in self._digests if _key(digest) == conflict.key)
            if into.choice(conflict) is Choice.MINE:
                continue
            if conflict.mine.value is None:
                bring.append(digest)
            elif conflict.theirs.value is None:
                self._to_remove.append(digest)
            else:
                reading.append(digest)
        for digest, theirs in self._theirs.by_digest.items():
            if digest in self._mine.by_digest:
                into.put("artefact", theirs.id, self._mine.by_digest[digest].id)
        for index, digest in enumerate(bring):
            into.progress.raise_if_cancelled()
            into.progress.report(index, len(bring), "progress.merging_captures")
            theirs = self._theirs.by_digest[digest]
            self._runs.needed(into, theirs.run_id)
            stored = self._theirs.copy.last("artefact_stored", artefact_id=theirs.id)
            entered = (stored.id, stored.time) if stored is not None else None
            into.put("artefact", theirs.id, into.transplant.capture(theirs.id, entered))
        for digest in reading:
            theirs = self._theirs.by_digest[digest]
            self._runs.needed(into, theirs.run_id)
            if digest in self._left_out:
                raise UserError("merge_part_lacks", path=str(self._theirs.copy.project.path), name=theirs.name)
            into.transplant.reading(theirs.id, self._mine.by_digest[digest].id)
        into.again.extend(self._mine.by_digest[digest].id for digest in self._read_again)

    @property
    def _digests(self) -> tuple[str, ...]:
        return (*self._mine.by_digest, *self._theirs.by_digest)

    def remove_gone(self, into: Into) -> None:
        """What theirs removed, after all that could rest on it came in: what does rests on it, and it stays."""
        for digest in self._to_remove:
            mine = self._mine.by_digest[digest]
            try:
                removal.remove_artefact(into.project, mine.id)
            except UserError:
                into.kept.append(mine.name)


def _reader(info: ArtefactInfo) -> tuple[str, str]:
    return info.parser_id, info.parser_version


def _key(digest: str) -> str:
    return f"capture.{digest[:_SHORT]}"


def read_again(project: Project, artefact_ids: list[int], into: Into) -> None:
    """Reads captures with the reader that is installed here; what it cannot read stays as mine has it."""
    from tunebench.usecases.importing.imports import reparse  # most merges read nothing
    from tunebench.usecases.importing.results import ImportOptions

    for artefact_id in artefact_ids:
        try:
            reparse(project, artefact_id, ImportOptions(), into.progress)
        except UserError:
            into.unread.append(artefacts.find_artefact(project, artefact_id).name)
