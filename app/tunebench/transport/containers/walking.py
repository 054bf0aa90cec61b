"""Goes through a bundle once, container in container, and offers what is no container as a member."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Container, Generator, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import IO

from tunebench.core.errors import UserError
from tunebench.core.records import record
from tunebench.transport.containers import folder
from tunebench.transport.containers.compressed import FORMS, Unpacked
from tunebench.transport.containers.damage import damage_of
from tunebench.transport.containers.folder import FolderEntry
from tunebench.transport.containers.forms import form_of, name_inside
from tunebench.transport.containers.limits import Budget, Limits, OverLimit, gib
from tunebench.transport.containers.mail import mail_parts
from tunebench.transport.containers.members import PIECE_BYTES, ByteSource, Damaged, Entry, LeftOut, Member, Peekable
from tunebench.transport.containers.names import CleanName, clean_name, is_dropping, shown_name
from tunebench.transport.containers.tar import TarReader
from tunebench.transport.containers.zip import zip_entries
from tunebench.transport.containers.zip_salvage import salvage
from tunebench.transport.local import FileClock, SourceFile, as_modified, find_file, unreadable

_IN_MEMORY_BYTES = 16 << 20

Found = Member | LeftOut


@record
class _Spot:
    """Where something lies; see `Member`."""

    name: str
    place: str
    depth: int
    size_bytes: int | None
    modified_ns: int
    note: str = ""
    file: SourceFile | None = None


class _CountedFile:
    """A file of this machine as a source."""

    def __init__(self, file: IO[bytes], walk: Walk) -> None:
        self._file, self._walk = file, walk

    def read(self, size: int) -> bytes:
        self._walk.on_read()
        try:
            data = self._file.read(size)
        except OSError as error:
            raise damage_of(error) from error
        self._walk.done_bytes += len(data)
        return data


class Walk:
    """One pass over what the user gave: a folder, an archive, a compressed file or a plain one.

    Attributes:
        form: ``folder``, ``zip``, ``tar``, ``tar.gz``, ``gz`` ...; empty for a plain file. Known after the first step.
        done_bytes: how much of the files on disk was read so far.
    """

    def __init__(
        self,
        path: Path,
        limits: Limits | None = None,
        on_read: Callable[[], None] = lambda: None,
        apart: Container[Path] = (),
        clock: FileClock = as_modified,
        only: Sequence[str] | None = None,
    ) -> None:
        """`on_read` is called before each reading from disk, also of what is passed over; it may raise to end all.

        Files and folders `apart` below a folder are not part of it; files on disk are of the time that `clock` tells.
        `only`: relative names of the files that are looked at; None: all.
        """
        self.path = path
        self._apart = apart
        self._clock = clock
        self._only = only
        self.on_read = on_read
        self.form = ""
        self.done_bytes = 0
        self.limits = limits or Limits()
        self._budget = Budget(self.limits, str(path))

    @property
    def _name(self) -> str:
        return shown_name(self.path.name)

    def full_path(self, name: str) -> str:
        """A member's name as sentences and artefacts have it."""
        here = shown_name(str(self.path))
        if not name:
            return here
        return str(Path(here) / name) if self.form == "folder" else f"{here}!/{name}"

    def total_bytes(self) -> int:
        """What is to be read from disk."""
        if self.path.is_dir():
            return sum(entry.size_bytes for entry in self._entries())
        try:
            return self.path.stat().st_size
        except OSError:
            return 0

    def _entries(self) -> Iterator[FolderEntry]:
        if self._only is None:
            return folder.entries(self.path, self._apart)
        return folder.chosen(self.path, self._only)

    def count_files(self) -> int:
        """How many files on disk are to be looked at."""
        if self.path.is_dir():
            return sum(entry.kind == "file" for entry in self._entries())
        return 1

    def entries(self) -> Generator[Found]:
        """Members and what is left out, in order. A member's bytes are to be read before the next is asked for.

        Raises:
            UserError: there is no such path, or it is no regular file; or a limit of the whole bundle was reached.
        """
        if self.path.is_dir():
            self.form = "folder"
            yield from self._folder()
        else:
            yield from self._file(self.path, _Spot("", self._name, 0, 0, 0))

    # --- folders and files of this machine
    def _folder(self) -> Iterator[Found]:
        for entry in self._entries():
            self._budget.count_member()
            place = f"{self._name}/{entry.name}"
            if entry.error is not None:
                yield LeftOut(entry.name, entry.error)
            elif entry.kind == "file":
                yield from self._file(entry.path, _Spot(entry.name, place, 0, entry.size_bytes, 0))
            else:
                yield self._no_file(entry.name, entry.kind)

    def _file(self, path: Path, spot: _Spot) -> Iterator[Found]:
        try:
            source = find_file(path)
            file = path.open("rb")
        except UserError as error:
            if not spot.name:
                raise
            yield LeftOut(spot.name, error)
            return
        except OSError as error:
            yield LeftOut(spot.name, unreadable(path, error))
            return
        with file:
            modified_ns = self._clock(path, source.modified_ns)
            spot = replace(spot, size_bytes=source.size_bytes, modified_ns=modified_ns, file=source)
            yield from self._offered(Peekable(_CountedFile(file, self)), spot, file)

    # --- one file, wherever it lies
    def _offered(self, source: Peekable, spot: _Spot, file: IO[bytes] | None = None) -> Iterator[Found]:
        form = form_of(source.head(), spot.place)
        if not form:
            yield Member(
                spot.name, spot.place, spot.size_bytes, spot.modified_ns, source, self.limits, spot.note, spot.file
            )
        elif form.startswith("?"):
            yield LeftOut(spot.name, UserError("archive_format", path=self.full_path(spot.name), format=form[1:]))
        elif spot.depth >= self.limits.depth:
            yield LeftOut(
                spot.name, UserError("member_too_deep", path=self.full_path(spot.name), most=self.limits.depth)
            )
        else:
            if self.form != "folder" and not spot.name and spot.depth == 0:
                self.form = form
            yield from self._contained(form, source, spot, file)

    def _contained(self, form: str, source: Peekable, spot: _Spot, file: IO[bytes] | None) -> Iterator[Found]:
        """What a container holds; damage ends this container, not those around it."""
        try:
            if form == "zip":
                yield from self._zip(source, spot, file)
            elif form == "tar":
                yield from self._tar(source, spot)
            elif form == "mail":
                yield from self._mail(source, spot)
            else:
                yield from self._compressed(form, source, spot)
        except Damaged as damage:
            yield LeftOut(spot.name, self._damaged(spot, damage))
        except OverLimit as limit:
            yield LeftOut(spot.name, limit)
            if limit.ends_all:
                raise

    def _damaged(self, spot: _Spot, damage: Damaged) -> UserError:
        return damage.refusal("bundle_damaged", self.full_path(spot.name))

    def _compressed(self, form: str, source: Peekable, spot: _Spot) -> Iterator[Found]:
        assert form in FORMS
        unpacked = Peekable(Unpacked(source, form, self._budget, self.full_path(spot.name)))
        inner = form_of(unpacked.head(), name_inside(spot.place, form))
        before = name_inside(spot.place.rpartition("/")[2], form)
        folder_name = spot.place.rpartition("/")[0]
        place = f"{folder_name}/{before}" if folder_name else before
        if inner == "tar":
            if not spot.name and self.form == form:
                self.form = f"tar.{form}"
            yield from self._tar(unpacked, replace(spot, place=place))
            return
        name = f"{spot.name}!/{before}" if spot.name else before
        yield from self._offered(unpacked, _Spot(name, place, spot.depth + 1, None, spot.modified_ns, spot.note))

    # --- tar
    def _tar(self, source: ByteSource, spot: _Spot) -> Iterator[Found]:
        names = _Names(self, spot)
        for entry in TarReader(source).entries():
            if entry.kind == "damage":
                yield LeftOut(spot.name, self._damaged(spot, Damaged(entry.target)))
            else:
                yield from self._entry(entry, spot, names)

    def _entry(self, entry: Entry, spot: _Spot, names: _Names, *, size_known: bool = True) -> Iterator[Found]:
        """One entry of a tar or zip archive. `size_known`: what it tells of its size is believed before it is read."""
        if entry.kind == "folder":
            return
        self._budget.count_member(empty=size_known and entry.kind == "file" and not entry.size_bytes)
        names.count()
        given = names.take(entry.name)
        if isinstance(given, LeftOut):
            yield given
            return
        inner = _joined(spot.name, given.text)
        if is_dropping(given.text):
            yield self._no_file(inner, "hidden")
        elif entry.kind == "sparse":
            yield LeftOut(inner, UserError("member_sparse", path=self.full_path(inner)))
        elif entry.kind != "file":
            yield self._no_file(inner, entry.kind, entry.target)
        elif entry.error is not None:
            yield LeftOut(inner, entry.error, size_bytes=entry.size_bytes)
        elif size_known and entry.size_bytes > self.limits.member_bytes:
            most = gib(self.limits.member_bytes)
            error = OverLimit("member_too_large", path=self.full_path(inner), most=most)
            yield LeftOut(inner, error, size_bytes=entry.size_bytes)
        else:
            yield from self._offered(Peekable(entry.data), _inner(spot, given, entry.size_bytes, entry.modified_ns))

    # --- mails
    def _mail(self, source: Peekable, spot: _Spot) -> Iterator[Found]:
        names = _Names(self, spot)
        for part in mail_parts(source, self._budget, self.full_path(spot.name)):
            self._budget.count_member()
            given = names.take(part.name)
            if isinstance(given, LeftOut):
                yield given
            else:
                inner_spot = _inner(spot, given, len(part.data), spot.modified_ns)
                yield from self._offered(Peekable(BytesIO(part.data)), inner_spot)

    # --- zip
    def _zip(self, source: Peekable, spot: _Spot, file: IO[bytes] | None) -> Iterator[Found]:
        if file is not None:
            yield from self._zip_file(file, spot, counted=True)
            return
        with tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY_BYTES) as spool:
            self._spool(source, spool, spot)
            yield from self._zip_file(spool, spot, counted=False)

    def _spool(self, source: ByteSource, spool: IO[bytes], spot: _Spot) -> None:
        """A zip in another archive, where it can be sought in; the system removes the file even after a crash."""
        size = 0
        with suppress(Damaged):  # its own reader says what is missing
            while piece := source.read(PIECE_BYTES):
                size += len(piece)
                if size > self.limits.spool_bytes:
                    most = gib(self.limits.spool_bytes)
                    raise OverLimit("member_too_large", path=self.full_path(spot.name), most=most)
                spool.write(piece)

    def _zip_file(self, file: IO[bytes], spot: _Spot, counted: bool) -> Iterator[Found]:
        names = _Names(self, spot)
        title = self.full_path(spot.name)
        if counted:
            self.done_bytes -= min(file.tell(), self.done_bytes)  # the head is read again by its entries
        try:
            with closing(zip_entries(file, self._budget, title)) as entries:
                for entry in entries:
                    yield from self._entry(entry, spot, names)
                    self._budget.check()
                    self.done_bytes += entry.packed_bytes if counted else 0
            return
        except Damaged as damage:
            if names.seen:
                raise
            failure = damage
        with suppress(Damaged):  # it always ends so; why the table of contents was no use says more
            for entry in salvage(file, self._budget, title):
                yield from self._entry(entry, spot, names, size_known=False)
                self.done_bytes += entry.packed_bytes if counted else 0
        raise failure

    # --- what is left out
    def _no_file(self, name: str, kind: str, target: str = "") -> LeftOut:
        return LeftOut(name, UserError(f"member_{kind}", path=self.full_path(name), target=target or "-"), kind)


class _Names:
    """The names of one archive: clean, and each only once."""

    def __init__(self, walk: Walk, spot: _Spot) -> None:
        self._walk = walk
        self._spot = spot
        self.seen: set[str] = set()
        self._count = 0

    def count(self) -> None:
        """Raises OverLimit where there are more than an archive may hold."""
        self._count += 1
        most = self._walk.limits.archive_members
        if self._count > most:
            path = self._walk.full_path(self._spot.name)
            raise OverLimit("archive_too_many_read", path=path, most=f"{most:,}")

    def take(self, stored_name: str) -> CleanName | LeftOut:
        where = self._walk.full_path(self._spot.name) + "!/"
        try:
            name = clean_name(stored_name, where, self._walk.limits.name_length)
        except UserError as error:
            return LeftOut(_joined(self._spot.name, stored_name[: self._walk.limits.name_length]), error)
        if not name.text or name.text in self.seen:
            inner = _joined(self._spot.name, name.text)
            return LeftOut(inner, UserError("member_name_twice", path=self._walk.full_path(inner)))
        self.seen.add(name.text)
        return name


def _joined(container: str, name: str) -> str:
    return f"{container}!/{name}" if container else name


def _inner(spot: _Spot, name: CleanName, size_bytes: int, modified_ns: int) -> _Spot:
    return _Spot(
        _joined(spot.name, name.text), f"{spot.place}/{name.text}", spot.depth + 1, size_bytes, modified_ns, name.note
    )
