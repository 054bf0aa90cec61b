"""A folder of captures of many hosts straight into an archive, on as many processes and machines as there are.

Files are put together by what they say of their host, then every host is read by itself, on a worker that also writes
the parts of its rows; here they are let count, all at once. Until then nothing of it is in the archive.
"""

from __future__ import annotations

import hashlib
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import tunebench
from tunebench.archive.archive import MARK, Archive
from tunebench.archive.layout import ENGAGEMENTS, LAYOUT, TABLES
from tunebench.archive.parts import Row, write_parts
from tunebench.cluster.work import Done, Engine, SetAside, Task, Unit, always
from tunebench.core.errors import UserError
from tunebench.core.grouping import by_key
from tunebench.core.progress import PartOf, Progress
from tunebench.core.records import record
from tunebench.transport.containers import folder as folders
from tunebench.usecases.archiving.facade import LEAST_CONSENT
from tunebench.usecases.archiving.folder_units import Asked, Files, Given, Refused, head_digest, host_rows, look, packed
from tunebench.usecases.projects import check_zone

MOST_SENT_BYTES = 256 << 20
"""Of the captures of one host, where workers do not see the folder."""
_FILES_OF_A_LOOK = 32
_LOOKING = 0.1
"""Share of the progress."""


@record
class Said:
    """What people say of the captures."""

    title: str
    customer: str
    zone: str
    consent: str

    @property
    def engagement(self) -> str:
        """The same for the same customer and title: what is there of it is replaced."""
        return hashlib.sha256(f"folder {self.customer} {self.title}".encode()).hexdigest()[:16]


@record
class Taken:
    """What came of a folder.

    Attributes:
        files: how many are in the folder; `came`: members of them that are in.
        rows: None where the archive has the same already.
        refused: files, and what is in them, that are not in, with the reason.
    """

    engagement: str
    title: str
    hosts: tuple[str, ...]
    files: int
    came: int
    rows: int | None
    refused: tuple[Refused, ...] = ()


@record
class _File:
    name: str
    size_bytes: int
    modified_ns: int


_Files = Sequence[_File]
"""Those that are read together, by name."""


def take_folder(archive: Archive, folder: Path, said: Said, engine: Engine, progress: Progress) -> Taken:
    """Puts the captures of a folder in, in the place of what is there of the same customer and title.

    Raises:
        UserError: archive_consent_missing, zone_unknown, nothing_to_import, cluster_archive_unseen,
            cluster_folder_unseen; what the engine refuses.
        Cancelled: nothing of it is in the archive; parts that were written are swept after a day.
    """
    if len(said.consent.strip()) < LEAST_CONSENT:
        raise UserError("archive_consent_missing")
    check_zone(said.zone)
    folder = folder.absolute()
    files, unreadable = _files_in(folder)
    if not files:
        raise UserError("nothing_to_import", path=str(folder))
    content = _content(files, said)
    if archive.content_of(said.engagement) == content:
        return Taken(said.engagement, said.title, (), len(files), 0, None)
    readers = _Readers(folder, said, content, archive, engine)
    groups = readers.groups(files, PartOf(progress, 0.0, _LOOKING))
    read = readers.read(groups, PartOf(progress, _LOOKING, 1.0))
    given = [given for _, given in sorted(read, key=lambda pair: pair[0][0].name)]
    refused = (*unreadable, *readers.refused, *(refused for one in given for refused in one.refused))
    hosts = tuple(host for one in given for host in one.hosts)
    rows = _enter(archive, said, content, given) if hosts else 0
    return Taken(said.engagement, said.title, hosts, len(files), sum(one.came for one in given), rows, refused)


def _files_in(folder: Path) -> tuple[list[_File], list[Refused]]:
    """All regular files, by name; those that cannot be looked at."""
    files, unreadable = [], []
    for entry in folders.entries(folder):
        if entry.error is not None:
            unreadable.append(Refused(entry.name, entry.error))
        elif entry.kind == "file":
            name = entry.path.relative_to(folder).as_posix()
            files.append(_File(name, entry.size_bytes, entry.path.stat().st_mtime_ns))
    return files, unreadable


def _content(files: _Files, said: Said) -> str:
    """The digest of what the rows are made of, as far as it is known without reading it."""
    facts = [said.zone, said.consent.strip(), tunebench.__version__, str(LAYOUT), _words_of(files)]
    return _digest("\n".join(facts))[:16]


def _words_of(files: _Files) -> str:
    return "\n".join(f"{file.name} {file.size_bytes} {file.modified_ns}" for file in files)


def _digest(words: str) -> str:
    return hashlib.sha256(words.encode("utf-8", "surrogateescape")).hexdigest()


def _size_of(files: _Files) -> int:
    return sum(file.size_bytes for file in files)


class _Readers:
    """The engine, and what all its tasks here have in common.

    Attributes:
        refused: files whose reader ended its process, or failed.
    """

    def __init__(self, folder: Path, said: Said, content: str, archive: Archive, engine: Engine) -> None:
        self._folder, self._said, self._content, self._engine = folder, said, content, engine
        self._address = _absolute(archive.storage.address)
        self._is_seen: bool | None = None
        self.refused: list[Refused] = []
        mark = Path(self._address) / MARK
        if mark.is_file() and not engine.agree(head_digest, str(mark)):
            raise UserError("cluster_archive_unseen", address=self._address)

    def groups(self, files: _Files, progress: Progress) -> list[_Files]:
        """Files that have a host, a folder of nameless captures or a collector's root in common."""
        self._is_seen = self._engine.agree(head_digest, str(self._folder / files[0].name))
        batches = [files[at : at + _FILES_OF_A_LOOK] for at in range(0, len(files), _FILES_OF_A_LOOK)]
        ties: dict[str, frozenset[str]] = {}
        for number, event in self._events(look, batches, self._sent, progress, "archive.progress.looking"):
            if isinstance(event, Done):
                assert isinstance(event.value, tuple)
                ties |= zip((file.name for file in batches[number]), event.value, strict=True)
        return _tied([[file] for file in files], lambda group: ties.get(group[0].name, frozenset()))

    def read(self, groups: Sequence[_Files], progress: Progress) -> list[tuple[_Files, Given]]:
        """The rows of every group. Groups that turn out to have a host in common are read again, as one."""
        read: list[tuple[_Files, Given]] = []
        waiting = list(groups)
        while waiting:
            failed: list[tuple[_Files, UserError]] = []
            for number, event in self._events(host_rows, waiting, self._asked, progress, "archive.progress.hosts"):
                if isinstance(event, Done):
                    assert isinstance(event.value, Given)
                    read.append((waiting[number], event.value))
                else:
                    failed.append((waiting[number], event.error))
            rest = (self._without_fatal(files, error, progress) for files, error in failed)
            waiting = [*filter(None, rest), *_with_hosts_in_common(read)]
        return read

    def _without_fatal(self, files: _Files, error: UserError, progress: Progress) -> _Files:
        """The files of a group that could not be read, but for those that cannot be read by themselves either."""
        errors = {files[0].name: error} if len(files) == 1 else self._fatal(files, progress)
        if not errors:  # each can be read, and all of them together cannot
            errors = {file.name: error for file in files}
        self.refused += (Refused(name, why) for name, why in errors.items())
        return [file for file in files if file.name not in errors]

    def _fatal(self, files: _Files, progress: Progress) -> dict[str, UserError]:
        singles = [[file] for file in files]
        events = self._events(host_rows, singles, self._asked_alone, progress, "archive.progress.fatal")
        return {files[number].name: event.error for number, event in events if isinstance(event, SetAside)}

    def _events(
        self, unit: Unit, groups: Sequence[_Files], asked_of: Callable[[_Files], object], progress: Progress, key: str
    ) -> Iterator[tuple[int, Done | SetAside]]:
        total, done_bytes, done = sum(map(_size_of, groups)) or 1, 0, 0
        tasks = (self._task(files, asked_of(files)) for files in groups)
        for event in self._engine.run(unit, tasks, always):
            progress.raise_if_cancelled()
            if event is not None:
                done_bytes, done = done_bytes + _size_of(groups[event.number]), done + 1
                progress.report(done_bytes, total, key, number=done, count=len(groups))
                yield event.number, event

    def _task(self, files: _Files, asked: object) -> Task:
        name = files[0].name if len(files) == 1 else files[0].name.rpartition("/")[0] or self._folder.name
        digest = _digest(f"{self._folder} {self._said} {self._content} {self._address}\n{_words_of(files)}")
        return Task(name, _size_of(files), digest, asked)

    def _sent(self, files: _Files) -> Files:
        names = tuple(file.name for file in files)
        if self._is_seen:
            return Files(str(self._folder), names)
        if _size_of(files) > MOST_SENT_BYTES:
            raise UserError("cluster_folder_unseen", folder=str(self._folder), most=f"{MOST_SENT_BYTES >> 20} MB")
        return Files(str(self._folder), names, packed(self._folder, names))

    def _asked(self, files: _Files) -> Asked:
        engagement = self._said.engagement
        return Asked(self._sent(files), self._said.zone, self._address, engagement, self._content)

    def _asked_alone(self, files: _Files) -> Asked:
        return replace(self._asked(files), archive="")


def _absolute(address: str) -> str:
    return address if "://" in address else str(Path(address).absolute())


# -- what belongs together -----------------------------------------------------------------------------


def _tied(groups: Sequence[_Files], ties_of: Callable[[_Files], Iterable[str]]) -> list[_Files]:
    """Groups with a tie in common as one, also by way of others; files and groups by name."""
    leader = list(range(len(groups)))

    def first(number: int) -> int:
        while leader[number] != number:
            leader[number] = leader[leader[number]]
            number = leader[number]
        return number

    holder: dict[str, int] = {}
    for number, group in enumerate(groups):
        for tie in ties_of(group):
            one, other = sorted((first(number), first(holder.setdefault(tie, number))))
            leader[other] = one
    merged = by_key((first(number), file) for number, group in enumerate(groups) for file in group)
    return [sorted(files, key=lambda file: file.name) for files in merged.values()]


def _with_hosts_in_common(read: list[tuple[_Files, Given]]) -> list[_Files]:
    """Takes out what was read apart of one host; gives its files, to be read together."""
    counts = Counter(host for _, given in read for host in given.hosts)
    shared = [pair for pair in read if any(counts[host] > 1 for host in pair[1].hosts)]
    read[:] = [pair for pair in read if pair not in shared]
    hosts = {id(files): given.hosts for files, given in shared}
    return _tied([files for files, _ in shared], lambda files: hosts[id(files)])


# -- letting it count ----------------------------------------------------------------------------------


def _enter(archive: Archive, said: Said, content: str, given: Sequence[Given]) -> int:
    """Gives the number of rows."""
    tables = {ENGAGEMENTS: [_engagement_row(said)], "hosts": _rows_of(given, "hosts"), "runs": _runs(given)}
    own = write_parts(archive.storage, said.engagement, content, tables)
    parts = [*own, *(part for one in given for part in one.parts)]
    archive.enter(said.engagement, parts)
    return sum(part.rows for part in parts)


def _engagement_row(said: Said) -> Row:
    stated = {"title": said.title, "customer": said.customer, "zone": said.zone, "consent": said.consent.strip()}
    own = {"program": tunebench.__version__, "layout": LAYOUT, "added_ns": time.time_ns()}
    return {**dict.fromkeys(TABLES[ENGAGEMENTS]), **stated, "profile": "", **own}


def _rows_of(given: Sequence[Given], table: str) -> list[Row]:
    return [row for one in given for row in one.shared.get(table, ())]


def _runs(given: Sequence[Given]) -> list[Row]:
    """One row for the captures of all hosts that are of one run."""
    return [_one_run(rows) for rows in by_key((row["run"], row) for row in _rows_of(given, "runs")).values()]


def _one_run(rows: Sequence[Row]) -> Row:
    begins = [row["begin_ns"] for row in rows if row["begin_ns"] is not None]
    ends = [row["end_ns"] for row in rows if row["end_ns"] is not None]
    hosts = ", ".join(str(row["hosts"]) for row in rows if row["hosts"])
    files = sum(int(str(row["files"] or 0)) for row in rows)
    times = {"begin_ns": min(begins, default=None), "end_ns": max(ends, default=None)}  # type: ignore[type-var]
    return {**rows[0], **times, "hosts": hosts or None, "files": files}
