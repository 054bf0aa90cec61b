"""Bytes of a member that may break off: what is stored ends with a whole line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from app.transport.containers import Damaged

_LONGEST_LINE = 1 << 20


class WholeLines:
    """Passes pieces on; where they break off, the torn line at the end is left out: half a number looks like one.

    Attributes:
        damage: what went wrong, None where all came.
        size_bytes: how much was passed on.
    """

    def __init__(self, pieces: Iterable[bytes]) -> None:
        self._pieces = pieces
        self.damage: Damaged | None = None
        self.size_bytes = 0

    def __iter__(self) -> Iterator[bytes]:
        held = b""
        try:
            for piece in self._pieces:
                data = held + piece
                end = data.rfind(b"\n") + 1
                if not end and len(data) > _LONGEST_LINE:
                    end = len(data)
                held = data[end:]
                yield from self._passed(data[:end])
        except Damaged as damage:
            self.damage = damage
            return
        yield from self._passed(held)

    def _passed(self, data: bytes) -> Iterator[bytes]:
        if data:
            self.size_bytes += len(data)
            yield data
