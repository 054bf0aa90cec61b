"""Parts: immutable Parquet files, each with rows of one table. They count once a commit of the log names them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Container, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeGuard

from tunebench.archive.addresses import storage_at
from tunebench.archive.base import enclosed, quoted
from tunebench.archive.layout import TABLES, WORDS
from tunebench.archive.searching import words_of
from tunebench.archive.storage import Storage
from tunebench.core.errors import UserError
from tunebench.core.patterns import lazy_pattern
from tunebench.core.records import record

if TYPE_CHECKING:
    import duckdb
    from numpy.typing import NDArray

Row = Mapping[str, object]
Tables = Mapping[str, Sequence[Row]]
Columns = Mapping[str, "NDArray[Any]"]

_DIGEST = lazy_pattern(r"[0-9a-f]{64}")
_NAME_DIGITS = 32


@record
class Part:
    """
    Attributes:
        digest: SHA-256 of the file, in hexadecimal digits; `size` its bytes.
        engagements: engagement -> content, of the rows that count.
        without: engagements whose rows in the file count no more.
    """

    table: str
    digest: str
    rows: int
    size: int
    engagements: Mapping[str, str]
    without: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return f"{self.table}/part-{self.digest[:_NAME_DIGITS]}.parquet"

    def lacking(self, engagements: Iterable[str]) -> Part:
        """The part when rows of these do not count."""
        gone = self.engagements.keys() & set(engagements)
        kept = {engagement: content for engagement, content in self.engagements.items() if engagement not in gone}
        return Part(self.table, self.digest, self.rows, self.size, kept, tuple(sorted({*self.without, *gone})))

    def as_json(self) -> dict[str, object]:
        facts = {name: getattr(self, name) for name in ("table", "digest", "rows", "size", "engagements")}
        return {**facts, **({"without": list(self.without)} if self.without else {})}

    @classmethod
    def from_json(cls, facts: object) -> Part:
        """
        Raises:
            ValueError: it describes no part of a table.
        """
        match facts:
            case {"table": str(table), "digest": str(digest), "rows": int(rows), "size": int(size), **rest}:
                engagements, without = rest.get("engagements"), rest.get("without", [])
                if table in TABLES and _DIGEST.fullmatch(digest) and _is_texts(engagements) and _is_texts(without):
                    return cls(table, digest, rows, size, dict(engagements), tuple(without))
        raise ValueError("no part")


def _is_texts(values: object) -> TypeGuard[Any]:
    """Whether that is a list of texts, or a mapping of texts to texts."""
    texts = [*values, *values.values()] if isinstance(values, dict) else values
    return isinstance(texts, list) and all(isinstance(text, str) for text in texts)


def write_parts(
    storage: Storage, engagement: str, content: str, tables: Tables, wanted: Container[str] = TABLES
) -> list[Part]:
    """Parts of all tables that have rows, the index of words among them, or of those `wanted`. Nothing names them yet.

    Raises:
        UserError: the store refuses: archive_full, archive_unwritable ...
    """
    with storage.drafts() as drafts, enclosed(storage, drafts) as base:
        return [
            _written(storage, base, drafts, table, engagement, content, rows)
            for table, rows in {**tables, WORDS: words_of(tables)}.items()
            if rows and table in wanted
        ]


def write_part(address: str | Path, table: str, engagement: str, content: str, rows: Iterable[Row] | Columns) -> Part:
    """One part of one engagement's rows, in any process of any machine. Nothing names it yet: the record that comes
    back goes to `Archive.enter`, or the file is swept after a day.

    Args:
        rows: each with every column of its table in `layout.TABLES`; or columns of one length, where millions of rows
            are to be written: arrays of numbers (NaN is null) or of objects (texts, None). One left out is null.

    Raises:
        UserError: as `storage_at` and `write_parts`.
    """
    storage = storage_at(address)
    with storage.drafts() as drafts, enclosed(storage, drafts) as base:
        if isinstance(rows, Mapping):
            query = _columns_query(base, table, rows)
            return copy_in(storage, base, drafts, table, _keyed(query, engagement, content), {engagement: content})
        return _written(storage, base, drafts, table, engagement, content, rows)


def _columns_query(base: duckdb.DuckDBPyConnection, table: str, columns: Columns) -> str:
    base.register("given", dict(columns))
    chosen = (
        f'NULL::{kind} AS "{name}"'
        if name not in columns
        else f'nullif("{name}", \'nan\')::DOUBLE AS "{name}"'
        if kind == "DOUBLE"
        else f'"{name}"::{kind} AS "{name}"'
        for name, kind in TABLES[table].items()
    )
    return f"SELECT {', '.join(chosen)} FROM given"


def _keyed(query: str, engagement: str, content: str) -> str:
    return f"SELECT {quoted(engagement)} AS engagement, {quoted(content)} AS content, * FROM ({query})"


def _written(
    storage: Storage,
    base: duckdb.DuckDBPyConnection,
    drafts: Path,
    table: str,
    engagement: str,
    content: str,
    rows: Iterable[Row],
) -> Part:
    query = _keyed(rows_query(table, rows, drafts), engagement, content)
    return copy_in(storage, base, drafts, table, query, {engagement: content})


def copy_in(
    storage: Storage,
    base: duckdb.DuckDBPyConnection,
    drafts: Path,
    table: str,
    query: str,
    engagements: Mapping[str, str],
) -> Part:
    """The rows of a query as a part that is in the store."""
    import duckdb

    draft = drafts / f"{table}.parquet"
    try:
        (rows,) = base.execute(f"COPY ({query}) TO {quoted(str(draft))} (FORMAT parquet, COMPRESSION zstd)").fetchall()
    except duckdb.IOException as error:
        draft.unlink(missing_ok=True)
        words = str(error)
        if "No space left" in words or "disk quota" in words.lower():
            raise UserError("archive_full", address=storage.address) from error
        raise
    with draft.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    part = Part(table, digest, int(rows[0]), draft.stat().st_size, engagements)
    storage.take(draft, part.name)
    return part


def rows_query(table: str, rows: Iterable[Row], folder: Path, *keys: str) -> str:
    """A query of `rows`, by way of a text that gives every number back to the bit.

    Args:
        keys: columns of text that they have beside those of the table.
    """
    text = folder / f"{table}.jsonl"
    with text.open("w", encoding="utf-8") as lines:
        lines.writelines(json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n" for row in rows)
    columns = {**dict.fromkeys(keys, "VARCHAR"), **TABLES[table]}
    kinds = ", ".join(f"'{name}': '{kind}'" for name, kind in columns.items())
    return f"SELECT * FROM read_json({quoted(str(text))}, format = 'newline_delimited', columns = {{{kinds}}})"
