"""Texts that many snapshots share (statements, plans, names), each kept once.

A text's number says where it stands: block and place in it. A block holds the texts that came new with one table, so
that names are read without the statements beside them.
"""

# ruff: noqa: S608 - only names written in this module are put into queries; values are bound

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from tunebench.store.codec import compress_bytes, decompress_bytes
from tunebench.store.errors import DamagedData

Numbers = NDArray[np.int64]

_POSITION_BITS = 24
_POSITIONS = (1 << _POSITION_BITS) - 1
_BLOCK_TEXTS = 1 << 16
_BLOCK_CHARACTERS = 4 << 20
_DIGEST_BYTES = 16
_ASKED_AT_ONCE = 500
EMPTY = 0
"""The number of the empty text, which is not stored."""


class TextWriter:
    """Gives texts their numbers; one for all tables that are written in a transaction."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._by_text: dict[str, int] = {"": EMPTY}

    def numbers(self, texts: Sequence[str]) -> Numbers:
        """int64[n]; texts that were never seen are stored."""
        new = [text for text in dict.fromkeys(texts) if text not in self._by_text]
        if new:
            self._find(new)
            for block in _blocks([text for text in new if text not in self._by_text]):
                self._store(block)
        return np.array([self._by_text[text] for text in texts], dtype=np.int64)

    def _find(self, texts: Sequence[str]) -> None:
        """Notes those that the project has."""
        for start in range(0, len(texts), _ASKED_AT_ONCE):
            by_digest = {_digest(text): text for text in texts[start : start + _ASKED_AT_ONCE]}
            rows = self._connection.execute(
                f"SELECT digest, number FROM shared_text WHERE digest IN ({', '.join('?' * len(by_digest))})",
                list(by_digest),
            )
            self._by_text.update((by_digest[digest], number) for digest, number in rows)

    def _store(self, texts: Sequence[str]) -> None:
        size_bytes, data = _packed(texts)
        cursor = self._connection.execute(
            "INSERT INTO shared_text_block (text_count, size_bytes, data) VALUES (?, ?, ?)",
            (len(texts), size_bytes, data),
        )
        first = int(cursor.lastrowid or 0) << _POSITION_BITS
        numbered = [(_digest(text), first | position) for position, text in enumerate(texts)]
        self._connection.executemany("INSERT INTO shared_text (digest, number) VALUES (?, ?)", numbered)
        self._by_text.update((text, first | position) for position, text in enumerate(texts))


class TextReader:
    """Texts by their numbers; keeps the blocks it unpacked."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._blocks: dict[int, list[str]] = {0: [""]}

    def texts(self, numbers: Numbers) -> tuple[str, ...]:
        """Raises DamagedData where one is not in the project."""
        for block in np.unique(numbers >> _POSITION_BITS).tolist():
            if block not in self._blocks:
                self._blocks[block] = self._unpacked(block)
        blocks = self._blocks
        try:
            return tuple([blocks[number >> _POSITION_BITS][number & _POSITIONS] for number in numbers.tolist()])
        except IndexError as error:
            raise DamagedData("a text of a database record is not in its block") from error

    def _unpacked(self, block: int) -> list[str]:
        row = self._connection.execute(
            "SELECT size_bytes, data FROM shared_text_block WHERE id = ?", (block,)
        ).fetchone()
        if row is None:
            raise DamagedData(f"block {block} of texts is not in the project")
        return unpacked_block(row[0], row[1])


def unpacked_block(size_bytes: int, data: bytes) -> list[str]:
    texts: list[str] = json.loads(decompress_bytes(data, size_bytes).decode("utf-8", "surrogatepass"))
    return texts


def remove_unused(connection: sqlite3.Connection, used: Iterable[Numbers]) -> None:
    """Takes every text out of the project that none of `used` names: a customer's SQL goes with its capture."""
    kept: dict[int, set[int]] = {}
    for numbers in used:
        for number in np.unique(numbers).tolist():
            kept.setdefault(number >> _POSITION_BITS, set()).add(number & _POSITIONS)
    for (block,) in connection.execute("SELECT id FROM shared_text_block ORDER BY id").fetchall():
        _thin_out(connection, block, kept.get(block, set()))


def _thin_out(connection: sqlite3.Connection, block: int, kept: set[int]) -> None:
    """Empties the places of a block that nobody names; a block without any goes."""
    first = block << _POSITION_BITS
    if not kept:
        connection.execute("DELETE FROM shared_text_block WHERE id = ?", (block,))
        connection.execute("DELETE FROM shared_text WHERE number BETWEEN ? AND ?", (first, first | _POSITIONS))
        return
    size_bytes, data = connection.execute(
        "SELECT size_bytes, data FROM shared_text_block WHERE id = ?", (block,)
    ).fetchone()
    texts = unpacked_block(size_bytes, data)
    gone = [position for position, text in enumerate(texts) if text and position not in kept]
    if gone:
        connection.executemany(
            "DELETE FROM shared_text WHERE digest = ?", [(_digest(texts[position]),) for position in gone]
        )
        for position in gone:
            texts[position] = ""
        connection.execute(
            "UPDATE shared_text_block SET size_bytes = ?, data = ? WHERE id = ?", (*_packed(texts), block)
        )


def _blocks(texts: Sequence[str]) -> Iterator[Sequence[str]]:
    block: list[str] = []
    characters = 0
    for text in texts:
        block.append(text)
        characters += len(text)
        if len(block) >= _BLOCK_TEXTS or characters >= _BLOCK_CHARACTERS:
            yield block
            block, characters = [], 0
    if block:
        yield block


def _packed(texts: Sequence[str]) -> tuple[int, bytes]:
    """Size and bytes of a block: the JSON list of its texts, compressed."""
    data = json.dumps(texts, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
    return len(data), compress_bytes(data)


def _digest(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=_DIGEST_BYTES).digest()
