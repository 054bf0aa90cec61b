"""Two copies of one engagement, where they parted, and who changed what since."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from functools import cached_property
from pathlib import Path
from typing import NamedTuple, Self

from tunebench.core.errors import UserError
from tunebench.store import clean_copy
from tunebench.store.audit import branches
from tunebench.store.audit import trail as audit
from tunebench.store.audit.chain import ChainedRow
from tunebench.store.audit.trail import AuditEntry
from tunebench.store.damage import damage_of
from tunebench.store.locking import holder_of
from tunebench.store.parts import part_of
from tunebench.store.project import Project
from tunebench.usecases import projects
from tunebench.usecases.merging.conflicts import Side

_MIGRATED = "project_migrated"
_UNREADY = ("receiving", "pending")


class Head(NamedTuple):
    """The last entry of a trail, or of what two have in common."""

    id: int
    digest: str

    def __str__(self) -> str:
        return f"#{self.id} {self.digest[:12]}"


class Copy:
    """One of the two projects, with what its trail says after the last entry that both have."""

    def __init__(self, project: Project, rows: list[ChainedRow], shared: int) -> None:
        self.project = project
        self.rows = rows[shared:]
        self._common = rows[:shared]

    @cached_property
    def common(self) -> tuple[AuditEntry, ...]:
        """The entries that both copies have."""
        return tuple(map(audit.as_entry, self._common))

    @cached_property
    def since(self) -> tuple[AuditEntry, ...]:
        return tuple(map(audit.as_entry, self.rows))

    @cached_property
    def head(self) -> Head:
        return Head(*audit.chain_head(self.project))

    def entries(self, *actions: str, **facts: object) -> Iterator[AuditEntry]:
        """Those since the copies parted, of one of the actions and with these facts; oldest first."""
        for entry in self.since:
            if entry.action in actions and all(entry.facts.get(name) == value for name, value in facts.items()):
                yield entry

    def last(self, *actions: str, **facts: object) -> AuditEntry | None:
        return next(iter(reversed(tuple(self.entries(*actions, **facts)))), None)

    def touched(self, *actions: str, **facts: object) -> bool:
        return any(True for _entry in self.entries(*actions, **facts))

    def side(self, value: object, entry: AuditEntry | None) -> Side:
        if entry is None:
            return Side(value)
        return Side(value, str(entry.facts.get("by") or entry.user), entry.time)


class Fork:
    """
    Attributes:
        mine: the copy whose trail goes on.
        base: the last entry that both have.
    """

    def __init__(self, mine: Project, theirs: Project) -> None:
        rows = [list(audit.stream_rows(project)) for project in (mine, theirs)]
        shared = _shared(*rows)
        if not shared:
            raise UserError("merge_unrelated", path=str(theirs.path), mine=str(mine.path))
        last = rows[0][shared - 1]
        self.base = Head(last.row.id, last.digest)
        self.mine, self.theirs = Copy(mine, rows[0], shared), Copy(theirs, rows[1], shared)
        self._refuse_what_was_merged()

    @property
    def copies(self) -> tuple[Copy, Copy]:
        return self.mine, self.theirs

    def sides(self, values: Sequence[object], entries: Sequence[AuditEntry | None] = (None, None)) -> tuple[Side, Side]:
        """What either copy says, with who entered it last and when."""
        return self.mine.side(values[0], entries[0]), self.theirs.side(values[1], entries[1])

    def _refuse_what_was_merged(self) -> None:
        if self.mine.head == self.theirs.head:
            raise UserError("merge_same", path=str(self.theirs.project.path), mine=str(self.mine.project.path))
        for one, other in ((self.mine, self.theirs), (self.theirs, self.mine)):
            if one.rows and branches.holds_entry(other.project, one.rows[0].digest):
                raise UserError("merge_again", path=str(one.project.path), other=str(other.project.path))

    def require_base(self, base: Project) -> None:
        """Raises UserError merge_base_outside where the project is no common ancestor of both; that it was written in a
        newer format since, as each copy was for itself, changes nothing of what it is."""
        *_, head = (Head(row.row.id, row.digest) for row in audit.stream_rows(base) if not _is_migration(row))
        if not any((entry.id, entry.digest) == head for entry in self.mine.common):
            raise UserError("merge_base_outside", path=str(base.path), head=str(head), base=str(self.base))


def _is_migration(row: ChainedRow) -> bool:
    return audit.as_entry(row).action == _MIGRATED


def _shared(one: list[ChainedRow], other: list[ChainedRow]) -> int:
    """How many entries both trails begin with."""
    for count, (left, right) in enumerate(zip(one, other, strict=False)):
        if not left.digest or left.digest != right.digest:
            return count
    return min(len(one), len(other))


# -- opening -------------------------------------------------------------------------------------------


class Opened:
    """The projects of a merge, open to be read; they are not changed."""

    def __init__(self, mine: Path, theirs: Path, base: Path | None = None) -> None:
        mine, theirs = projects.existing(mine), projects.existing(theirs)
        _refuse_one_file(mine, theirs)
        with ExitStack() as stack:
            self.mine = stack.enter_context(_open(mine))
            self.theirs = stack.enter_context(_open(theirs))
            self.fork = Fork(self.mine, self.theirs)
            if part_of(self.mine) is not None:
                raise UserError("merge_part_first", path=str(mine))
            if base is not None:
                with _open(projects.existing(base)) as ancestor:
                    self.fork.require_base(ancestor)
            self._stack = stack.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    def close(self) -> None:
        self._stack.close()


def _refuse_one_file(mine: Path, theirs: Path) -> None:
    if mine.exists() and theirs.exists() and mine.samefile(theirs):
        raise UserError("merge_same", path=str(theirs), mine=str(mine))


def _open(path: Path) -> Project:
    """The project, of which nothing is left to do.

    Raises:
        UserError: as `projects.open_`; project_in_use where somebody else has it open; project_damaged;
            merge_redacted, merge_unfinished.
    """
    project = projects.open_(path, read_only=True)
    try:
        holder = holder_of(project.path)
        if holder is not None:
            raise projects.in_use(path, holder)
        _require_whole(project)
    except BaseException:
        project.close()
        raise
    return project


def _require_whole(project: Project) -> None:
    path = str(project.path)
    damages = damage_of(project)
    broken = audit.verify_chain(project)
    if damages or broken is not None:
        detail = ", ".join(damages[:3]) or f"audit #{broken}"
        raise UserError("project_damaged", path=path, detail=detail)
    if clean_copy.mark_of(project) is not None:
        raise UserError("merge_redacted", path=path)
    unready = project.row("SELECT name FROM artefact WHERE state IN (?, ?) LIMIT 1", _UNREADY)
    running = project.row("SELECT label FROM capture_session WHERE state = 'running' LIMIT 1")
    for row in (unready, running):
        if row is not None:
            raise UserError("merge_unfinished", path=path, name=row[0])
