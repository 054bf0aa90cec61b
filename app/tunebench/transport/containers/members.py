"""What a container holds: members that can be read once, and what is left out with a reason."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from typing import Protocol

from tunebench.core.errors import UserError
from tunebench.core.records import record
from tunebench.transport.containers.limits import Limits, OverLimit, gib
from tunebench.transport.local import HEAD_BYTES, SourceFile

PIECE_BYTES = (2 << 20) - (4 << 10)
"""A line or two fewer than what is kept as one piece: whole lines of a piece are."""


class Damaged(Exception):
    """The bytes break off, or are not what was packed. What came before is as it was.

    Attributes:
        kind: of the damage; its words have the key ``damage.<kind>``.
        detail: what the reader of the format said, in its own words.
    """

    def __init__(self, kind: str, detail: str = "") -> None:
        super().__init__(kind)
        self.kind, self.detail = kind, detail

    def refusal(self, key: str, path: str) -> UserError:
        """The sentence of that key about the damaged file at `path`."""
        return UserError(key, path=path, reason=f"damage.{self.kind}", detail=self.detail)


class ByteSource(Protocol):
    def read(self, size: int) -> bytes:
        """`size` bytes, fewer only at the end.

        Raises:
            Damaged: the bytes break off.
            OverLimit: there are more than there may be.
        """
        ...


@record(frozen=False)
class Entry:
    """One entry of an archive, as its reader found it.

    Attributes:
        kind: ``file``, ``folder``, ``link``, ``special``, ``sparse`` or ``damage`` (`target` says what is wrong).
        error: why the bytes cannot be had.
    """

    name: str
    size_bytes: int
    modified_ns: int
    kind: str
    data: ByteSource
    target: str = ""
    error: UserError | None = None
    packed_bytes: int = 0


class Peekable:
    """A source whose first bytes can be looked at before they are read; `broken` is what is wrong within them."""

    def __init__(self, source: ByteSource) -> None:
        self._source = source
        self._ready = b""
        self._looked = False
        self.broken: Damaged | OverLimit | None = None

    def head(self) -> bytes:
        """The first 64 KiB; what is wrong behind them shows when it is read."""
        if not self._looked:
            self._looked = True
            try:
                while len(self._ready) < HEAD_BYTES and (piece := self._source.read(HEAD_BYTES - len(self._ready))):
                    self._ready += piece
            except (Damaged, OverLimit) as broken:
                self.broken = broken
        return self._ready

    def read(self, size: int) -> bytes:
        ready, self._ready = self._ready[:size], self._ready[size:]
        if len(ready) == size:
            return ready
        if self.broken is not None:
            if ready:
                return ready
            raise self.broken
        return ready + self._source.read(size - len(ready))


@record(frozen=False)
class Member:
    """One file in a bundle. Its bytes can be had once, before the next member is asked for.

    Attributes:
        name: inside the bundle, ``logs.tar.gz!/sa/sar21`` in a nested archive; empty for a bundle that is a file.
        place: the same as layouts see it: a compressed file under the name it had before, archives as folders.
        size_bytes: as its container tells; None where that is known at the end only.
        modified_ns: modification time, 0 where the container does not keep it.
        note: key of a remark about its name.
        file: where it lies on this machine by itself; None in an archive.
    """

    name: str
    place: str
    size_bytes: int | None
    modified_ns: int
    source: Peekable
    limits: Limits
    note: str = ""
    file: SourceFile | None = None
    read_bytes: int = field(default=0, init=False)

    @property
    def file_name(self) -> str:
        return self.place.rpartition("/")[2]

    def head(self) -> bytes:
        return self.source.head()

    def pieces(self) -> Iterator[bytes]:
        """The bytes of the member, in pieces.

        Raises:
            Damaged: they break off.
            OverLimit: there are more than there may be.
        """
        while piece := self.source.read(PIECE_BYTES):
            self.read_bytes += len(piece)
            if self.read_bytes > self.limits.member_bytes:
                raise OverLimit("member_too_large", path=self.name, most=gib(self.limits.member_bytes))
            yield piece


@record
class LeftOut:
    """Something in a bundle that is not read, and why.

    Attributes:
        kind: ``link``, ``special`` or ``hidden`` for what holds no bytes of a capture; empty where bytes were refused.
    """

    name: str
    error: UserError
    kind: str = ""
    size_bytes: int = 0
