"""Rows as the bytes of a text: tab between cells, a line for each row."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

_PIECE_BYTES = 128 << 10


def pieces_of(rows: Iterable[Iterable[str]]) -> Iterator[bytes]:
    """Each but the last at least as long as the first bytes that parsers look at."""
    lines: list[str] = []
    size = 0
    for cells in rows:
        lines.append("\t".join(cells) + "\n")
        size += len(lines[-1])
        if size >= _PIECE_BYTES:
            yield "".join(lines).encode("utf-8", "replace")
            lines, size = [], 0
    if lines:
        yield "".join(lines).encode("utf-8", "replace")
