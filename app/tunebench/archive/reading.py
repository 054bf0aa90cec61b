"""What an archive answers: the parts that count as tables, without those that cannot be read, which are remembered."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, TypeVar

from tunebench.archive.base import enclosed, quoted
from tunebench.archive.layout import TABLES
from tunebench.archive.log import Log, State
from tunebench.archive.parts import Part, Tables, rows_query
from tunebench.archive.storage import Storage
from tunebench.core.errors import UserError
from tunebench.core.records import record

if TYPE_CHECKING:
    import duckdb

_Result = TypeVar("_Result")
_TRIES = 4


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


@record
class Unreadable:
    """What was left out of answers: `parts`, and commits of the log, which cannot be read.

    Attributes:
        of: parts of the tables that were asked.
        engagements: those with rows in such a part.
    """

    parts: tuple[str, ...]
    of: int
    engagements: tuple[str, ...]
    commits: tuple[str, ...]

    def __bool__(self) -> bool:
        return bool(self.parts or self.commits)


class Reader:
    """
    Attributes:
        bad: parts that cannot be read, or are not what the log says of them, by name.
    """

    def __init__(self, storage: Storage, log: Log) -> None:
        self._storage, self._log = storage, log
        self._asked: set[str] = set()
        self.bad: dict[str, Part] = {}

    def unreadable(self) -> Unreadable:
        """What of the tables asked since was left out."""
        state = self._log.state()
        bad = [state.parts[name] for name in sorted(self.bad) if name in state.parts]
        engagements = sorted({engagement for part in bad for engagement in part.engagements})
        of = sum(part.table in self._asked for part in state.parts.values())
        return Unreadable(tuple(part.name for part in bad), of, tuple(engagements), self._log.lost())

    def ask(self, query: str, values: Sequence[object] | Mapping[str, object] = ()) -> Answer:
        """
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

        named = {table for table in TABLES if re.search(rf"\b{table}\b", query, re.IGNORECASE)}
        try:
            return self._run(answer, named or set(TABLES))
        except ValueError:  # no statement at all
            raise UserError("archive_query_reads_only") from None

    def differences(self, engagement: str, tables: Tables) -> list[Difference]:
        """What the archive has of an engagement, row by row and bit by bit, against what it should have; what its parts
        hold counts as missing where one is not what was written."""
        self.compare_digests(part for part in self._log.state().parts.values() if engagement in part.engagements)
        with TemporaryDirectory(prefix="tunebench-") as private:  # an archive that is read only can be checked too
            drafts = Path(private)
            should = {table: rows_query(table, tables.get(table, ()), drafts) for table in TABLES}
            return self._run(partial(_differences, engagement, should), set(TABLES), engagement, drafts)

    def _run(
        self,
        work: Callable[[duckdb.DuckDBPyConnection], _Result],
        tables: set[str],
        engagement: str = "",
        *folders: Path,
    ) -> _Result:
        """Parts are read through only where something could not be: that takes as long as reading the tables whole.

        Args:
            engagement: only its parts are opened.
            folders: others that `work` reaches.

        Raises:
            UserError: archive_query_refused with DuckDB's own words.
        """
        import duckdb

        self._asked |= tables
        for _attempt in range(_TRIES):
            state = self._log.state()
            self._compare_sizes(state, tables)
            try:
                with self._tables(state, tables, engagement, *folders) as base:
                    return work(base)
            except duckdb.Error as error:
                if self._log.state().number != state.number:  # what was read may have been taken away meanwhile
                    continue
                faulty = isinstance(error, duckdb.ParserException | duckdb.BinderException | duckdb.CatalogException)
                if (faulty and self._has_views(state, tables)) or not self._read_through(state, tables):
                    raise _refused(error) from None
        raise UserError("archive_contended", address=self._storage.address)

    @contextmanager
    def _tables(
        self, state: State, tables: Iterable[str], engagement: str = "", *folders: Path
    ) -> Iterator[duckdb.DuckDBPyConnection]:
        """The open base with a view of what counts of each table."""
        parts_of = {
            table: [part for part in state.of(table) if not engagement or engagement in part.engagements]
            for table in tables
        }
        self._bring_near(part for parts in parts_of.values() for part in parts)
        with enclosed(self._storage, *folders) as base:
            for table, parts in parts_of.items():
                base.execute(f"CREATE VIEW {table} AS {self.rows_of(table, parts)}")
            yield base

    def _bring_near(self, parts: Iterable[Part]) -> None:
        self._storage.bring_near({part.name: part.size for part in parts if part.name not in self.bad})

    def rows_of(self, table: str, parts: Iterable[Part]) -> str:
        """A query of the rows that count of those parts of a table that can be read."""
        kinds = {"engagement": "VARCHAR", "content": "VARCHAR", **TABLES[table]}
        names = ", ".join(f'"{name}"' for name in kinds)
        readable = [part for part in parts if part.name not in self.bad]
        whole = [self._storage.location(part.name) for part in readable if not part.without]
        queries = [f"SELECT {names} FROM {_scan(whole)}"] if whole else []
        for part in readable:
            if part.without:
                scan = _scan([self._storage.location(part.name)])
                queries.append(f"SELECT {names} FROM {scan} WHERE engagement NOT IN ({_listed(part.without)})")
        if not queries:
            nulls = ", ".join(f'NULL::{kind} AS "{name}"' for name, kind in kinds.items())
            return f"SELECT {nulls} WHERE false"
        return " UNION ALL ".join(queries)

    # -- damage

    def _has_views(self, state: State, tables: set[str]) -> bool:
        """Whether the tables can be asked at all: then a question that is refused is faulty itself."""
        import duckdb

        try:
            with self._tables(state, tables):
                return True
        except duckdb.Error:
            return False

    def _compare_sizes(self, state: State, tables: Iterable[str]) -> None:
        """Notices parts that are gone, cut or exchanged, without reading any."""
        for table in tables:
            if parts := state.of(table):
                entries = self._storage.entries(table)
                for part in parts:
                    entry = entries.get(part.name)
                    if entry is None or entry.size != part.size:
                        self.bad[part.name] = part

    def _read_through(self, state: State, tables: Iterable[str]) -> bool:
        """Whether there are parts that cannot be read and were not noticed before."""
        before = len(self.bad)
        with enclosed(self._storage) as base:
            for table in tables:
                for part in state.of(table):
                    if part.name not in self.bad and not _is_readable(base, self._storage.location(part.name), table):
                        self.bad[part.name] = part
        return len(self.bad) > before

    def verify(self) -> None:
        """Compares every part with what the log has of it."""
        self._asked |= set(TABLES)
        self.compare_digests(self._log.state().parts.values())

    def trust(self, parts: Iterable[Part]) -> None:
        """Parts that were written just now; the same rows may make the file again that could not be read."""
        for part in parts:
            self.bad.pop(part.name, None)

    def compare_digests(self, parts: Iterable[Part]) -> None:
        for part in parts:
            if part.name not in self.bad and not self._is_whole(part):
                self.bad[part.name] = part

    def _is_whole(self, part: Part) -> bool:
        try:
            return self._storage.digest(part.name) == part.digest
        except OSError:
            return False


def _scan(locations: Sequence[str]) -> str:
    return f"read_parquet([{_listed(locations)}], hive_partitioning = false)"


def _listed(texts: Iterable[str]) -> str:
    return ", ".join(map(quoted, texts))


def _refused(error: Exception) -> UserError:
    return UserError("archive_query_refused", reason=(str(error).splitlines() or [""])[0])


def _is_readable(base: duckdb.DuckDBPyConnection, location: str, table: str) -> bool:
    """Whether every value of the columns that its table has can be read."""
    import duckdb

    try:
        base.execute(f"SELECT {row_digest(table)} FROM {_scan([location])}").fetchall()
    except duckdb.Error:
        return False
    return True


def row_digest(table: str) -> str:
    """Columns of a query: the number of rows, and a digest of them that does not depend on their order."""
    names = ", ".join(f'"{name}"' for name in ("engagement", "content", *TABLES[table]))
    return f"count(*), sum(hash(({names}))::HUGEINT)"


def _differences(engagement: str, should: Mapping[str, str], base: duckdb.DuckDBPyConnection) -> list[Difference]:
    differences = []
    for table, columns in TABLES.items():
        names = ", ".join(f'"{name}"' for name in columns)
        expected = f"SELECT {names} FROM ({should[table]})"
        stored = f"SELECT {names} FROM {table} WHERE engagement = {quoted(engagement)}"
        surplus, missing = (
            base.execute(f"SELECT count(*) FROM ({one} EXCEPT ALL {other})").fetchall()[0][0]
            for one, other in ((stored, expected), (expected, stored))
        )
        if surplus or missing:
            differences.append(Difference(table, surplus, missing))
    return differences
