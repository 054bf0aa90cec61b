"""A folder that holds an archive: engagements put in, taken out, compared with what they should be, and asked.

DuckDB reads and writes inside of that folder alone: no query of a user and no file of the archive reaches another one.
"""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, TypeVar

from tunebench.archive import queries
from tunebench.archive.base import ALONE
from tunebench.archive.layout import ENGAGEMENTS, LAYOUT, TABLES
from tunebench.core.errors import UserError
from tunebench.core.plain_files import read_plain
from tunebench.core.records import record
from tunebench.core.whole_files import write_whole

if TYPE_CHECKING:
    import duckdb

Row = Mapping[str, object]
Tables = Mapping[str, Sequence[Row]]

MARK = "archive.json"
_FORMAT = "tunebench-archive"
_FILE = "rows.parquet"
_TEMPORARY = ".part-"
_DAY_S = 86_400
_Result = TypeVar("_Result")


@record
class Answer:
    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]

    def as_records(self) -> list[dict[str, Any]]:
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]


@record
class Difference:
    """Rows of a table that the archive has and should not, and that it should have and has not."""

    table: str
    surplus: int
    missing: int


class Place:
    """An archive's folder. Several may put engagements in at a time: each engagement has files of its own.

    Attributes:
        damaged: files of it that cannot be read or are another table's, and the folders of entries that are gone: what
            they hold was left out of what was answered since. `put` mends those of its engagement.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.damaged: tuple[Path, ...] = ()

    @classmethod
    def existing(cls, folder: Path) -> Place:
        """
        Raises:
            UserError: archive_missing, archive_damaged; archive_newer where another version wrote it.
        """
        try:
            mark = json.loads(read_plain(folder / MARK))
        except FileNotFoundError:
            raise UserError("archive_missing", path=str(folder)) from None
        except (OSError, ValueError, RecursionError):
            raise UserError("archive_damaged", path=str(folder / MARK)) from None
        layout = mark.get("layout") if isinstance(mark, dict) and mark.get("format") == _FORMAT else None
        if not isinstance(layout, int):
            raise UserError("archive_damaged", path=str(folder / MARK))
        if layout > LAYOUT:
            raise UserError("archive_newer", path=str(folder), layout=layout, known=LAYOUT)
        return cls(folder)

    @classmethod
    def made(cls, folder: Path) -> Place:
        """The archive of that folder, begun where the folder is empty or not there.

        Raises:
            UserError: as `existing`; archive_not_empty.
        """
        if (folder / MARK).exists():
            return cls.existing(folder)
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise UserError("archive_not_empty", path=str(folder))
        write_whole(folder / MARK, json.dumps({"format": _FORMAT, "layout": LAYOUT}).encode() + b"\n")
        return cls(folder)

    def put(self, engagement: str, content: str, tables: Tables) -> None:
        """Puts an engagement in the place of what is there of it. A kill leaves what was there."""
        self._sweep()
        with TemporaryDirectory(prefix=_TEMPORARY, dir=self.folder) as draft, self._base() as base:
            for table in (*(name for name in TABLES if name != ENGAGEMENTS), ENGAGEMENTS):
                target = self._part(table, engagement, content)
                if (target / _FILE).is_dir():
                    shutil.rmtree(target / _FILE)
                if tables.get(table):
                    _write_rows(base, table, tables[table], Path(draft) / _FILE)
                    target.mkdir(mode=0o700, parents=True, exist_ok=True)
                    (Path(draft) / _FILE).replace(target / _FILE)
                else:
                    (target / _FILE).unlink(missing_ok=True)
        own = f"engagement={engagement}"
        self.damaged = tuple(file for file in self.damaged if own not in file.parts)
        for table in (ENGAGEMENTS, *TABLES):
            for old in (self.folder / table / f"engagement={engagement}").glob("content=*"):
                if old.name != f"content={content}":
                    shutil.rmtree(old)

    def _sweep(self) -> None:
        """Drafts of writers that were killed; nobody writes for a day."""
        for draft in self.folder.glob(f"{_TEMPORARY}*"):
            if draft.stat().st_mtime < time.time() - _DAY_S:
                shutil.rmtree(draft, ignore_errors=True)

    def drop(self, engagement: str) -> None:
        for table in (ENGAGEMENTS, *TABLES):
            shutil.rmtree(self.folder / table / f"engagement={engagement}", ignore_errors=True)

    def content_of(self, engagement: str) -> str | None:
        """Digest of the engagement's content; None where the archive has none of it."""
        rows = self.ask(queries.CONTENT, [engagement]).rows
        return str(rows[0][0]) if rows else None

    def differences(self, engagement: str, tables: Tables) -> list[Difference]:
        """What the archive has of an engagement, row by row and bit by bit, against what it should have."""
        return self._read(partial(self._compare, engagement, tables))

    def _compare(self, engagement: str, tables: Tables, base: duckdb.DuckDBPyConnection) -> list[Difference]:
        differences = []
        with TemporaryDirectory(prefix=_TEMPORARY, dir=self.folder) as draft:
            for table, columns in TABLES.items():
                names = ", ".join(f'"{name}"' for name in columns)
                should = f"SELECT {names} FROM ({_read_rows(table, tables.get(table, ()), Path(draft))})"
                there = f"SELECT {names} FROM {table} WHERE engagement = {_quoted(engagement)}"
                surplus, missing = (
                    base.execute(f"SELECT count(*) FROM ({one} EXCEPT ALL {other})").fetchall()[0][0]
                    for one, other in ((there, should), (should, there))
                )
                if surplus or missing:
                    differences.append(Difference(table, surplus, missing))
        return differences

    def ask(self, query: str, values: Sequence[object] | Mapping[str, object] = ()) -> Answer:
        """The answer to one SELECT over the tables, without the files that are `damaged`.

        Raises:
            UserError: archive_query_refused with DuckDB's own words; archive_query_reads_only.
        """
        import duckdb

        def answer(base: duckdb.DuckDBPyConnection) -> Answer:
            (statement, *further) = base.extract_statements(query)
            if further or statement.type not in (duckdb.StatementType.SELECT, duckdb.StatementType.EXPLAIN):
                raise UserError("archive_query_reads_only")
            done = base.execute(query, values)
            return Answer(tuple(column[0] for column in done.description or ()), tuple(done.fetchall()))

        try:
            return self._read(answer)
        except ValueError:  # no statement at all
            raise UserError("archive_query_reads_only") from None

    def _read(self, work: Callable[[duckdb.DuckDBPyConnection], _Result]) -> _Result:
        """Every file is looked at only where one cannot be read: that takes as long as reading the whole archive.

        Raises:
            UserError: archive_query_refused with DuckDB's own words.
        """
        import duckdb

        try:
            return self._work(work)
        except duckdb.Error as error:
            faulty = isinstance(error, duckdb.ParserException | duckdb.BinderException | duckdb.CatalogException)
            if faulty and self._has_views():
                raise _refused(error) from None
            unreadable = self._unreadable()
            if not unreadable:
                raise _refused(error) from None
            self.damaged = tuple(sorted({*unreadable, *self.damaged}))
        try:
            return self._work(work)
        except duckdb.Error as error:
            raise _refused(error) from None

    def _work(self, work: Callable[[duckdb.DuckDBPyConnection], _Result]) -> _Result:
        with self._asked() as base:
            return work(base)

    def _has_views(self) -> bool:
        """Whether the tables can be asked at all: then a question that is refused is faulty itself."""
        import duckdb

        try:
            return self._work(lambda base: True)
        except duckdb.Error:
            return False

    def _unreadable(self) -> tuple[Path, ...]:
        with self._base() as base:
            return tuple(
                file
                for table, columns in TABLES.items()
                for file in self._files(table)
                if file not in self.damaged and not _is_readable(base, file, columns)
            )

    def _look(self) -> Mapping[str, Sequence[Path]]:
        """The files of each table. Finds what needs no reading: rows of an engagement without the entry that makes them
        count, and what stands in the place of a file and would never end."""
        listed = {table: self._files(table) for table in TABLES}
        files = [file for own in listed.values() for file in own]
        entered = {file.parts[-3] for file in listed[ENGAGEMENTS]}
        lost = [self.folder / ENGAGEMENTS / file.parts[-3] for file in files if file.parts[-3] not in entered]
        odd = [file for file in files if not file.is_file()]
        self.damaged = tuple(sorted({*self.damaged, *lost, *odd}))
        return listed

    def _files(self, table: str) -> list[Path]:
        return sorted((self.folder / table).glob(f"engagement=*/content=*/{_FILE}"))

    def _part(self, table: str, engagement: str, content: str) -> Path:
        return self.folder / table / f"engagement={engagement}" / f"content={content}"

    @contextmanager
    def _base(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """A base in memory that reaches no file outside of the archive."""
        import duckdb  # 70 MB on disk and 0.3 s to import: only where it is wanted

        with duckdb.connect(config=ALONE) as base:
            base.execute(f"SET allowed_directories = [{_quoted(str(self.folder) + os.sep)}]")
            base.execute("SET enable_external_access = false")
            base.execute("SET lock_configuration = true")
            yield base

    @contextmanager
    def _asked(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """The open base with a view of what counts of each table."""
        listed = self._look()
        with self._base() as base:
            for table, columns in TABLES.items():
                base.execute(f"CREATE VIEW {table} AS {self._counting(table, columns, listed[table])}")
            yield base

    def _counting(self, table: str, columns: Mapping[str, str], listed: Sequence[Path]) -> str:
        names = ", ".join(["engagement", "content", *(f'"{name}"' for name in columns)])
        readable = [str(file) for file in listed if file not in self.damaged]
        if not readable:
            kinds = ", ".join(
                f'NULL::{kind} AS "{name}"'
                for name, kind in {"engagement": "VARCHAR", "content": "VARCHAR", **columns}.items()
            )
            return f"SELECT {kinds} WHERE false"
        files = (
            f"[{', '.join(map(_quoted, readable))}]" if self.damaged else _quoted(f"{self.folder}/{table}/*/*/{_FILE}")
        )
        partitions = "{'engagement': VARCHAR, 'content': VARCHAR}"
        read = f"SELECT {names} FROM read_parquet({files}, hive_partitioning = true, hive_types = {partitions})"
        if table == ENGAGEMENTS:
            return f"{read} QUALIFY row_number() OVER (PARTITION BY engagement ORDER BY added_ns DESC) = 1"
        return f"{read} WHERE (engagement, content) IN (SELECT (engagement, content) FROM {ENGAGEMENTS})"


def _refused(error: Exception) -> UserError:
    return UserError("archive_query_refused", reason=(str(error).splitlines() or [""])[0])


def _is_readable(base: duckdb.DuckDBPyConnection, file: Path, columns: Iterable[str]) -> bool:
    """Whether every value of the columns that its table has can be read."""
    import duckdb

    own = ", ".join(f'"{name}"' for name in columns)
    try:
        base.execute(f"SELECT bit_xor(hash(({own}))) FROM read_parquet({_quoted(str(file))})").fetchall()
    except duckdb.Error:
        return False
    return True


def _write_rows(base: duckdb.DuckDBPyConnection, table: str, rows: Iterable[Row], path: Path) -> None:
    chosen = _read_rows(table, rows, path.parent)
    base.execute(f"COPY ({chosen}) TO {_quoted(str(path))} (FORMAT parquet, COMPRESSION zstd)")


def _read_rows(table: str, rows: Iterable[Row], folder: Path) -> str:
    """A query of `rows`, by way of a text that gives every number back to the bit."""
    text = folder / f"{table}.jsonl"
    with text.open("w", encoding="utf-8") as lines:
        lines.writelines(json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n" for row in rows)
    kinds = ", ".join(f"'{name}': '{kind}'" for name, kind in TABLES[table].items())
    return f"SELECT * FROM read_json({_quoted(str(text))}, format = 'newline_delimited', columns = {{{kinds}}})"


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
