"""A copy of a project that may leave the customer: rewritten row by row into a new file, so that no page of it ever
held what it must not.

What a capture looked like stays out (`LEFT_OUT`): its bytes hold whatever the server printed. Its digest stays, so
that on site anybody can tell which file it was, and so does the number of processors that it told: rules judge by it.
The trail is rewritten and chained anew; its first entry says of which one it is the copy. A plan has another digest
once its hosts are called otherwise, and so has all that names it; signatures were of the words before, and go.
"""

# ruff: noqa: S608 - only names of our own schema are put into queries; values are bound

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from tunebench.analysis.databases.record import FigureTable
from tunebench.analysis.redaction.redactor import Redactor
from tunebench.core.errors import UserError
from tunebench.core.progress import Progress
from tunebench.core.records import record
from tunebench.core.sealing import Key
from tunebench.store import banners
from tunebench.store.audit.chain import GENESIS, HEAD, Row, digest_of, head_text
from tunebench.store.codec import compress_bytes, decompress_bytes
from tunebench.store.connection import connect_writer
from tunebench.store.errors import sorted_errors
from tunebench.store.format import APPLICATION_ID, CURRENT, schema_sql, split_statements
from tunebench.store.imports_under_way import UNDER_WAY
from tunebench.store.known_schema import known_columns
from tunebench.store.migration import PRIVATE
from tunebench.store.name_places import SQL_COLUMNS, UNTOUCHED, learn_names, rewritten_cell
from tunebench.store.opening import open_project
from tunebench.store.project import Project
from tunebench.store.shared_texts import TextReader, TextWriter
from tunebench.store.table_packing import FORM, pack_table, unpack_table

MARK = "redacted_copy"
"""Property: JSON of profile, the first digest of the trail it is a copy of, and what was left out."""
LEFT_OUT = ("artefact_chunk", "host_profile", "accepted_key", "audit_branch")
LOGO = "report_logo:"
"""Begins the name of a property that holds a picture, in base64; the SHA-256 follows. It shows whose report it is, and
stays out of a copy with the layout that names it."""
_OWN_WAY = ("property", "audit", "attachment", "database_table", "shared_text", "shared_text_block")
_ROWS = 512


@record
class LeftOut:
    """Counts of what a copy lacks; `bytes` are those of captures and attachments."""

    captures: int
    attachments: int
    bytes: int
    profiles: int
    host_keys: int
    signatures: int


def write_clean_copy(
    project: Project, target: Path, redactor: Redactor, label: str, progress: Progress, key: Key | None = None
) -> LeftOut:
    """Writes the copy to `target`, which is not there yet.

    Args:
        redactor: knows the names of the profile; learns those of the project here.
        label: what the copy calls itself beside its confidentiality.
        key: with which it is encrypted.

    Raises:
        UserError: redaction_collides where two names cannot be told apart any more; disk_full and the like.
    """
    counts = banners.counts_to_keep(project)
    with project.reading() as connection, sorted_errors(target):
        learn_names(connection, redactor)
        redactor.settle()
        target.touch(mode=PRIVATE)
        writer = connect_writer(target, create=True, key=key)
        try:
            writer.execute("PRAGMA foreign_keys = OFF")
            writer.execute("BEGIN IMMEDIATE")
            for statement in split_statements(schema_sql()):
                writer.execute(statement)
            left_out = _Copying(connection, writer, redactor, progress).all(label, counts)
            writer.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            writer.execute(f"PRAGMA user_version = {CURRENT.pack()}")
            writer.execute("COMMIT")
            writer.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        except sqlite3.IntegrityError as error:
            raise UserError("redaction_collides", detail=str(error)) from error
        finally:
            writer.close()
    return left_out


def mark_of(project: Project) -> dict[str, Any] | None:
    """What a redacted copy says of itself; None for any other project."""
    row = project.row("SELECT value FROM property WHERE name = ?", (MARK,))
    mark = json.loads(row[0]) if row is not None else None
    return mark if isinstance(mark, dict) else None


class _Copying:
    def __init__(
        self, reader: sqlite3.Connection, writer: sqlite3.Connection, redactor: Redactor, progress: Progress
    ) -> None:
        self._from, self._to, self._redactor, self._progress = reader, writer, redactor, progress
        self._digests: dict[str, str] = {}
        """Of plans, seals and attachments, before and after."""

    def all(self, label: str, processor_counts: str) -> LeftOut:
        self._new_digests()
        tables = [name for name in known_columns() if name not in (*_OWN_WAY, *LEFT_OUT)]
        for index, table in enumerate(tables):
            self._progress.raise_if_cancelled()
            self._progress.report(index, len(tables), "redaction.copying")
            self._copy(table, list(known_columns()[table]))
        self._attachments()
        self._database_tables()
        signatures = self._trail(label)
        self._say_so(label)
        self._keep_numbering()
        left_out = self._left_out(signatures)
        self._properties(left_out, processor_counts)
        return left_out

    def _copy(self, table: str, columns: Sequence[str]) -> None:
        names = ", ".join(f'"{name}"' for name in columns)
        insert = f'INSERT INTO "{table}" ({names}) VALUES ({", ".join("?" * len(columns))})'
        cursor = self._from.execute(f'SELECT {names} FROM "{table}" ORDER BY 1')
        while rows := cursor.fetchmany(_ROWS):
            self._to.executemany(insert, [self._row(table, columns, row) for row in rows])

    def _row(self, table: str, columns: Sequence[str], row: Sequence[Any]) -> list[Any]:
        self._redactor.engine = str(row[columns.index("engine")]) if "engine" in columns else ""
        return [self._cell(table, name, value) for name, value in zip(columns, row, strict=True)]

    def _cell(self, table: str, column: str, value: Any) -> Any:
        if not isinstance(value, str) or not value:
            return value
        if value in self._digests:
            return self._digests[value]
        return rewritten_cell(self._redactor, table, column, value, self._digests)

    def _new_digests(self) -> None:
        for digest, plan in self._from.execute("SELECT digest, plan FROM capture_plan ORDER BY id"):
            words = rewritten_cell(self._redactor, "capture_plan", "plan", plan, {})
            self._digests[digest] = hashlib.sha256(words.encode()).hexdigest()
        for (body,) in self._from.execute("SELECT body FROM cycle_record WHERE kind = 'seal' ORDER BY id"):
            seal = json.loads(body)
            words = rewritten_cell(self._redactor, "cycle_record", "content", seal["content"], self._digests)
            self._digests[seal["digest"]] = hashlib.sha256(words.encode()).hexdigest()
        for number, (sha256,) in enumerate(self._from.execute("SELECT sha256 FROM attachment ORDER BY sha256"), 1):
            self._digests[sha256] = hashlib.sha256(_instead(number)).hexdigest()

    def _attachments(self) -> None:
        for number, (sha256,) in enumerate(self._from.execute("SELECT sha256 FROM attachment ORDER BY sha256"), 1):
            data = _instead(number)
            self._to.execute(
                "INSERT INTO attachment (sha256, size_bytes, data) VALUES (?, ?, ?)",
                (self._digests[sha256], len(data), compress_bytes(data)),
            )

    def _database_tables(self) -> None:
        texts, writer = TextReader(self._from), TextWriter(self._to)
        rows = self._from.execute(
            "SELECT t.record_id, t.name, t.form, t.data, d.engine FROM database_table AS t"
            " JOIN database_record AS d ON d.id = t.record_id ORDER BY t.rowid"
        )
        for record_id, name, form, data, engine in rows:
            self._progress.raise_if_cancelled()
            self._redactor.engine = engine
            table = self._table(unpack_table(name, form, data, texts.texts))
            self._to.execute(
                "INSERT INTO database_table (record_id, name, row_count, form, data) VALUES (?, ?, ?, ?, ?)",
                (record_id, name, len(table), FORM, pack_table(table, writer.numbers)),
            )

    def _table(self, table: FigureTable) -> FigureTable:
        texts = {
            name: [self._figure_text(table.name, name, text) for text in column] for name, column in table.texts.items()
        }
        return FigureTable(table.name, texts, table.figures, table.lines)

    def _figure_text(self, table: str, column: str, text: str) -> str:
        if not text or column in UNTOUCHED:
            return text
        if (table, column) in SQL_COLUMNS:
            return self._redactor.statement(text)
        return self._redactor.place(text)

    def _trail(self, label: str) -> int:
        """The entries with their own times, rewritten and chained anew; gives how many signatures went."""
        digest, last, signatures = GENESIS, 0, 0
        rows = self._from.execute("SELECT id, time, user, action, facts, digest FROM audit ORDER BY id")
        for id_, time, user, action, facts, before in rows:
            signatures += '"signature":"' in facts and '"signature":""' not in facts
            rewritten = rewritten_cell(self._redactor, "audit", "facts", facts, self._digests)
            if action in ("project_created", "engagement_changed"):
                rewritten = _with_label(rewritten, label)
            if not last:
                rewritten = _compact(
                    {**json.loads(rewritten), "copy_of": before, "redacted": self._redactor.profile.name}
                )
            row = Row(id_, time, self._redactor.place(user), action, rewritten)
            previous, digest, last = digest, digest_of(digest, row), id_
            self._to.execute(
                "INSERT INTO audit (id, time, user, action, facts, previous, digest) VALUES (?, ?, ?, ?, ?, ?, ?)",
                (*row, previous, digest),
            )
        self._to.execute("INSERT INTO property (name, value) VALUES (?, ?)", (HEAD, head_text(last, digest)))
        return signatures

    def _say_so(self, label: str) -> None:
        (confidentiality,) = self._to.execute("SELECT confidentiality FROM engagement").fetchone()
        self._to.execute("UPDATE engagement SET confidentiality = ?", (_labelled(confidentiality, label),))

    def _properties(self, left_out: LeftOut, processor_counts: str) -> None:
        first = self._from.execute("SELECT digest FROM audit ORDER BY id LIMIT 1").fetchone()
        mark = {
            "profile": self._redactor.profile.name,
            "copy_of": first[0] if first else "",
            "captures": left_out.captures,
        }
        kept = [
            (name, self._redactor.text(value))
            for name, value in self._from.execute(
                "SELECT name, value FROM property WHERE name NOT IN (?, ?, 'report_design') AND name NOT LIKE ?",
                (HEAD, UNDER_WAY, f"{LOGO}%"),
            )
        ]
        self._to.executemany(
            "INSERT OR REPLACE INTO property (name, value) VALUES (?, ?)",
            [*kept, (MARK, _compact(mark)), (banners.KEPT_COUNTS, processor_counts)],
        )

    def _keep_numbering(self) -> None:
        """Ids of rows that were removed are not given again in the copy either."""
        for name, last in self._from.execute("SELECT name, seq FROM sqlite_sequence").fetchall():
            changed = self._to.execute("UPDATE sqlite_sequence SET seq = ? WHERE name = ?", (last, name)).rowcount
            if not changed and name in known_columns():
                self._to.execute("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", (name, last))

    def _left_out(self, signatures: int) -> LeftOut:
        def counted(query: str) -> int:
            return int(self._from.execute(query).fetchone()[0] or 0)

        return LeftOut(
            captures=counted("SELECT count(*) FROM artefact"),
            attachments=counted("SELECT count(*) FROM attachment"),
            bytes=counted("SELECT sum(size_bytes) FROM artefact") + counted("SELECT sum(size_bytes) FROM attachment"),
            profiles=counted("SELECT count(*) FROM host_profile"),
            host_keys=counted("SELECT count(*) FROM accepted_key"),
            signatures=signatures,
        )


def _instead(number: int) -> bytes:
    return f"TuneBench: attachment {number} was left out of this redacted copy.\n".encode()


def _labelled(confidentiality: str, label: str) -> str:
    return f"{confidentiality} · {label}" if confidentiality else label


def _with_label(facts: str, label: str) -> str:
    """The facts of an entry about the engagement, its confidentiality labelled as in the copy."""
    entry = json.loads(facts)
    if "confidentiality" in (engagement := entry.get("engagement", {})):
        engagement["confidentiality"] = _labelled(engagement["confidentiality"], label)
    changed = entry.get("changes", {}).get("confidentiality")
    if isinstance(changed, list):
        entry["changes"]["confidentiality"] = [_labelled(str(value or ""), label) for value in changed]
    return _compact(entry)


def _compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


# -- proof ---------------------------------------------------------------------------------------------


def readable_parts(path: Path) -> Iterator[tuple[str, str | bytes]]:
    """Everything that a project file holds, unpacked: place and text, for whoever looks for what must not be there."""
    with open_project(path, read_only=True) as project, project.reading() as connection:
        for table, columns in known_columns().items():
            names = ", ".join(f'"{name}"' for name, kind in columns.items() if kind == "TEXT")
            if names:
                for row in connection.execute(f'SELECT {names} FROM "{table}"'):
                    yield table, "\n".join(str(value) for value in row if value)
        texts = TextReader(connection)
        for name, form, data in connection.execute("SELECT name, form, data FROM database_table"):
            for column, values in unpack_table(name, form, data, texts.texts).texts.items():
                yield f"database_table {name}.{column}", "\n".join(values)
        for sha256, size_bytes, data in connection.execute("SELECT sha256, size_bytes, data FROM attachment"):
            yield f"attachment {sha256[:12]}", decompress_bytes(data, size_bytes)
    yield "file", path.read_bytes()
