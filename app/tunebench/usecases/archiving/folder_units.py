"""Units of work of an archive that is made from a folder of captures; any process may run them.

What belongs together is read together: all captures of a host become a project of its own, in a folder that nobody
keeps, and its rows are those that the same project would give by itself. Each host is judged by itself.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import field
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from zoneinfo import ZoneInfo

from tunebench.archive.addresses import storage_at
from tunebench.archive.layout import TABLES
from tunebench.archive.parts import Part, Row, write_part, write_parts
from tunebench.capture import ingest
from tunebench.capture.layouts import shipped_layouts, short_name, told_host
from tunebench.core import zstd
from tunebench.core.errors import UserError
from tunebench.core.progress import SilentProgress
from tunebench.core.records import record
from tunebench.domain.bundle import BundleMember, MemberState
from tunebench.domain.engagement import UNNAMED_HOST, Engagement, unnamed_host
from tunebench.sdk import ParseContext
from tunebench.store.opening import create_project
from tunebench.transport.containers.members import Damaged, Member
from tunebench.transport.containers.walking import Walk
from tunebench.transport.local import HEAD_BYTES
from tunebench.usecases import services
from tunebench.usecases.archiving.rows import day_rows, records_of, series_rows
from tunebench.usecases.importing import imports
from tunebench.usecases.importing.host_evidence import laid_out_host
from tunebench.usecases.importing.phases import folder_of
from tunebench.usecases.importing.results import ImportOptions
from tunebench.usecases.reports.success_case import build_case

SHARED = ("hosts", "runs")
"""Tables of which rows of several hosts may be one: who asked puts them together."""
_OF_HOSTS = frozenset({"host", "hosts"})
_ZSTD_LEVEL = 3
_LONGEST_KEY = 12


@record
class Content:
    """The bytes of a file, packed, where workers do not see it."""

    size_bytes: int
    modified_ns: int
    packed: bytes


@record
class Files:
    """Files of a folder.

    Attributes:
        folder: absolute, as who asks sees it.
        names: relative, in the order in which they are read.
        contents: of each; None where the workers see the folder.
    """

    folder: str
    names: tuple[str, ...]
    contents: tuple[Content, ...] | None = None


@record
class Asked:
    """
    Attributes:
        archive: where the rows' parts are written; empty where nothing is.
    """

    files: Files
    zone: str
    archive: str
    engagement: str
    content: str


@record
class Refused:
    """A file of which no row came, or not all, and why."""

    name: str
    error: UserError


@record
class Given:
    """
    Attributes:
        hosts: their names.
        shared: rows of the tables of which rows of several hosts may be one.
        parts: of all others, which are written.
        came: how many files came in.
    """

    hosts: tuple[str, ...]
    shared: dict[str, list[Row]] = field(default_factory=dict)
    parts: tuple[Part, ...] = ()
    came: int = 0
    refused: tuple[Refused, ...] = ()


def packed(folder: Path, names: Sequence[str]) -> tuple[Content, ...]:
    contents = []
    for name in names:
        data = (folder / name).read_bytes()
        modified_ns = (folder / name).stat().st_mtime_ns
        contents.append(Content(len(data), modified_ns, zstd.compress(data, _ZSTD_LEVEL)))
    return tuple(contents)


def head_digest(file: str) -> str:
    """A unit: of the beginning of a file and its size; empty where this process does not see it."""
    path = Path(file)
    try:
        with path.open("rb") as opened:
            return hashlib.sha256(opened.read(HEAD_BYTES) + str(path.stat().st_size).encode()).hexdigest()
    except OSError:
        return ""


@contextmanager
def _here(files: Files) -> Iterator[Path]:
    """The folder with the files in it: itself, or what was sent, below folders of the same names."""
    folder = Path(files.folder)
    if files.contents is None:
        if not folder.is_dir():  # another worker sees it
            raise FileNotFoundError(files.folder)
        yield folder
        return
    with TemporaryDirectory(prefix="tunebench-captures-") as scratch:
        copy = Path(scratch) / (folder.parent.name or "captures") / folder.name
        for name, content in zip(files.names, files.contents, strict=True):
            path = copy / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(zstd.decompress(content.packed, content.size_bytes))
            os.utime(path, ns=(content.modified_ns, content.modified_ns))
        yield copy


# -- which files are of one host -----------------------------------------------------------------------


def look(files: Files) -> tuple[frozenset[str], ...]:
    """A unit: what every file has in common with others of its host. Only beginnings are read."""
    with _here(files) as folder:
        return tuple(frozenset(_ties(folder, name)) for name in files.names)


def _ties(folder: Path, name: str) -> Iterator[str]:
    walk = Walk(folder, only=(name,))
    try:
        for entry in walk.entries():
            if isinstance(entry, Member):
                yield from _ties_of(entry, walk.full_path(entry.name))
    except (UserError, Damaged):
        return  # said when it is read


def _ties_of(member: Member, path: str) -> Iterator[str]:
    seen = shipped_layouts().sight(member.place)
    if seen.root:
        yield f"root {seen.root}"
    host = told_host(member.head()) if seen.tells_host else _own_host(member) or laid_out_host(seen)
    yield f"host {short_name(host)}" if host else f"folder {folder_of(path)}"


def _own_host(member: Member) -> str:
    """What the beginning of a capture says of its host; empty where it says nothing, or is none."""
    head = member.head()
    try:
        entry = ingest.recognise(services.current().plugins, head, member.file_name, member.place)
    except UserError:
        return ""
    return ingest.scout(entry, head, ParseContext(member.file_name, member.place, member.modified_ns)).hostname


# -- the rows of a host --------------------------------------------------------------------------------


def host_rows(asked: Asked) -> Given:
    """A unit: reads the captures of a host, judges and compares them as a report does, and writes the parts."""
    engagement = Engagement(title="-", customer="-", zone=asked.zone)
    with (
        _here(asked.files) as folder,
        TemporaryDirectory(prefix="tunebench-host-") as scratch,
        closing(create_project(Path(scratch) / "host.tune", engagement)) as project,
    ):
        options, progress = ImportOptions(phase=None), SilentProgress()
        report = imports.import_some(project, folder, asked.files.names, options, progress)
        members = [member for account in report.bundles for member in account.members]
        refused = tuple(_refused(members, folder))
        came = sum(member.state is MemberState.IMPORTED for member in members)
        if not came:
            return Given((), refused=refused)
        case = build_case(project, "en", progress=progress, as_written=True, compared_once=True)
        tables = {**records_of(case), "series": series_rows(project)}
        own = {name: list(_own(name, rows, asked.files)) for name, rows in tables.items()}
        days = _own("days", day_rows(project, ZoneInfo(case.zone), progress), asked.files)
        parts = tuple(_written(asked, own, days)) if asked.archive else ()
    shared = {name: own[name] for name in SHARED}
    return Given(tuple(str(row["host"]) for row in shared["hosts"]), shared, parts, came, refused)


def _written(asked: Asked, tables: dict[str, list[Row]], days: Iterator[Row]) -> Iterator[Part]:
    """The shared tables are there for the index of words alone; days go out as they come."""
    storage = storage_at(asked.archive)
    yield from write_parts(storage, asked.engagement, asked.content, tables, TABLES.keys() - set(SHARED))
    for first in days:
        yield write_part(asked.archive, "days", asked.engagement, asked.content, chain((first,), days))


def _own(table: str, rows: Iterable[Row], files: Files) -> Iterator[Row]:
    """Rows as they can stand beside those of other hosts: a host that nobody names is called after its folder, and
    evidence after its bytes."""
    name = unnamed_host(files.names[0].rpartition("/")[0] or Path(files.folder).name)
    for row in rows:
        key = {"key": str(row["sha256"])[:_LONGEST_KEY]} if table == "evidence" else {}
        yield {**row, **{column: _named(row[column], name) for column in _OF_HOSTS & row.keys()}, **key}


def _named(hosts: object, name: str) -> object:
    """Names of hosts, with commas between them."""
    if not isinstance(hosts, str):
        return hosts
    return ", ".join(name if host == UNNAMED_HOST else host for host in hosts.split(", "))


def _refused(members: Sequence[BundleMember], folder: Path) -> Iterator[Refused]:
    """Files that are not in, or not wholly, by their names in the folder."""
    for member in members:
        if member.reason:
            yield Refused(member.name, _as_named(UserError(member.reason, **member.facts), folder))


def _as_named(error: UserError, folder: Path) -> UserError:
    """The refusal by the file's name in the folder: where the folder lies on a worker is nobody's business."""
    facts = {key: _name(fact, folder) if isinstance(fact, str) else fact for key, fact in error.facts.items()}
    return UserError(error.key, **facts)


def _name(path: str, folder: Path) -> str:
    return path.removeprefix(f"{folder}/")
