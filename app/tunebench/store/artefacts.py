"""Captures kept verbatim: written in pieces, read back in pieces or by line."""

# ruff: noqa: S608 - only names written in this module are put into queries; values are bound

from __future__ import annotations

import codecs
import hashlib
import json
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from tunebench.core.beside import beside, in_order
from tunebench.core.errors import UserError
from tunebench.core.records import record
from tunebench.domain.engagement import CaptureEvent
from tunebench.domain.ledger import Assumption, ImportState, ImpossibleValues, Ledger, LineCounts, SkippedLines
from tunebench.domain.operating_systems import os_word
from tunebench.sdk.lines import LineReader
from tunebench.sdk.scanning.rows import count_line_ends
from tunebench.sdk.text import utf16_of
from tunebench.store.audit import trail as audit
from tunebench.store.codec import compress_bytes, decompress_bytes
from tunebench.store.errors import sorted_errors
from tunebench.store.events import replace_events

if TYPE_CHECKING:
    from tunebench.store.project import Project

PIECE_BYTES = 2 << 20
_PIECES_PER_TRANSACTION, _PIECES_BESIDE = 4, 2
_FIRST_BYTES = 64 << 10  # in which the first lines mostly are
PENDING: Final = "pending"
_RECEIVING = "receiving"
_MOST_PARTS = 256  # of a piece that waits
_COLUMNS = (
    "id, run_id, host_id, name, source_path, sha256, size_bytes, stored_bytes, modified_ns, imported_at,"
    " parser_id, parser_version, state, ledger, given"
)


@record
class ArtefactInfo:
    """A stored capture.

    Attributes:
        stored_bytes: what its compressed bytes take in the file.
        modified_ns: modification time of the source, 0 where unknown.
        state: ``"pending"`` while its bytes are complete but not parsed.
        given: what the user said about it: subject (see `Assumption`) -> value.
    """

    id: int
    run_id: int
    host_id: int | None
    name: str
    source_path: str
    sha256: str
    size_bytes: int
    stored_bytes: int
    modified_ns: int
    imported_at: str
    parser_id: str
    parser_version: str
    state: ImportState | Literal["pending"]
    ledger: Ledger
    given: dict[str, str]


@record
class StoredArtefact:
    """What became of written bytes; for a duplicate `artefact_id` is the one that was there before."""

    artefact_id: int
    sha256: str
    size_bytes: int
    duplicate_of: int | None = None


_Packed = tuple[int, int, bytes]  # line ends, size, and what it became


class ArtefactWriter:
    """Takes a capture's bytes in pieces of any size; a few MiB at a time reach the file."""

    def __init__(self, project: Project, artefact_id: int, name: str) -> None:
        self.artefact_id = artefact_id
        self.name = name
        self._project = project
        self._digest = hashlib.sha256()
        self._rest: list[memoryview] = []  # less than a piece
        self._rest_bytes = 0
        self._waiting: deque[Future[_Packed]] = deque()
        self._pieces = 0
        self._line_ends = 0
        self._size_bytes = 0
        self._stored_bytes = 0

    def write(self, data: bytes) -> None:
        self._size_bytes += len(data)
        if not self._rest and PIECE_BYTES // 2 <= len(data) <= PIECE_BYTES:
            self._add_piece(data)
            return
        view = memoryview(data)
        while self._rest_bytes + len(view) >= PIECE_BYTES:
            wanted = PIECE_BYTES - self._rest_bytes
            self._add_piece(b"".join([*self._rest, view[:wanted]]))
            self._rest, self._rest_bytes, view = [], 0, view[wanted:]
        if view:
            self._rest.append(view)
            self._rest_bytes += len(view)
        if len(self._rest) > _MOST_PARTS:
            self._rest = [memoryview(b"".join(self._rest))]

    def finish(self) -> StoredArtefact:
        """Closes the capture: state pending, or nothing kept where the project has these bytes already."""
        if self._rest:
            self._add_piece(b"".join(self._rest))
            self._rest = []
        self._store_pieces(ahead=0)
        sha256 = self._digest.hexdigest()
        with self._project.transaction() as connection:
            row = connection.execute("SELECT id FROM artefact WHERE sha256 = ?", (sha256,)).fetchone()
            if row is not None:
                self.abandon()
                return StoredArtefact(int(row[0]), sha256, self._size_bytes, int(row[0]))
            connection.execute(
                "UPDATE artefact SET sha256 = ?, size_bytes = ?, stored_bytes = ?, state = ? WHERE id = ?",
                (sha256, self._size_bytes, self._stored_bytes, PENDING, self.artefact_id),
            )
            audit.record(self._project, "artefact_stored", artefact_id=self.artefact_id, name=self.name, sha256=sha256)
        return StoredArtefact(self.artefact_id, sha256, self._size_bytes)

    def abandon(self) -> None:
        """Removes what was written so far."""
        self._waiting.clear()
        with self._project.transaction() as connection:
            connection.execute("DELETE FROM artefact WHERE id = ? AND state = ?", (self.artefact_id, _RECEIVING))

    def _add_piece(self, piece: bytes) -> None:
        self._waiting.append(beside(_pack, piece))
        self._digest.update(piece)
        if len(self._waiting) >= _PIECES_PER_TRANSACTION + _PIECES_BESIDE:
            self._store_pieces(_PIECES_BESIDE)

    def _store_pieces(self, ahead: int) -> None:
        """Stores all but the last pieces, which are yet to be packed."""
        rows = []
        while len(self._waiting) > ahead:
            line_ends, size_bytes, data = self._waiting.popleft().result()
            rows.append((self.artefact_id, self._pieces, self._line_ends, size_bytes, data))
            self._pieces += 1
            self._line_ends += line_ends
            self._stored_bytes += len(data)
        with self._project.transaction() as connection:
            connection.executemany(
                "INSERT INTO artefact_chunk (artefact_id, position, line_ends, size_bytes, data)"
                " VALUES (?, ?, ?, ?, ?)",
                rows,
            )


def _pack(piece: bytes) -> _Packed:
    return count_line_ends(piece), len(piece), compress_bytes(piece)


def begin_artefact(project: Project, run_id: int, name: str, source_path: str, modified_ns: int) -> ArtefactWriter:
    with project.transaction() as connection:
        cursor = connection.execute(
            "INSERT INTO artefact (run_id, name, source_path, modified_ns, imported_at, state)"
            " VALUES (?, ?, ?, ?, ?, ?)",
            (run_id, name, source_path, modified_ns, audit.now_iso(project), _RECEIVING),
        )
    return ArtefactWriter(project, int(cursor.lastrowid or 0), name)


# -- reading -------------------------------------------------------------------------------------------


def read_artefact(project: Project, artefact_id: int) -> Iterator[bytes]:
    """The bytes as they were captured, in pieces of up to 2 MiB."""
    yield from _pieces_from(project, artefact_id, 0)


def read_ahead(project: Project, artefact_id: int) -> Iterator[bytes]:
    """`read_artefact` for who reads all of it: the next pieces are unpacked meanwhile."""
    yield from in_order(partial(_unpacked, project.path), packed_pieces(project, artefact_id), _PIECES_BESIDE)


def artefact_lines(project: Project, artefact_id: int, first: int, last: int) -> list[bytes]:
    """Lines `first` to `last` (1-based, both included), numbered and cleaned as parsers see them.

    A UTF-16 capture is read from its start and gives UTF-8; any other is unpacked only around the lines.
    """
    first = max(first, 1)
    if last < first:
        return []
    head = next(_pieces_from(project, artefact_id, 0), b"")
    if utf16_of(head):
        return _lines_of_all(project, artefact_id)[first - 1 : last]
    position, line_ends = _piece_before_line(project, artefact_id, first)
    text = bytearray()
    for piece in _pieces_from(project, artefact_id, position):
        text += piece
        if line_ends + text.count(b"\n") >= last:
            break
    lines = bytes(text.removeprefix(codecs.BOM_UTF8) if position == 0 else text).split(b"\n")
    if not lines[-1]:
        lines.pop()  # what follows the last line end is no line
    return [line.removesuffix(b"\r") for line in lines[first - 1 - line_ends : last - line_ends]]


def first_lines(project: Project, artefact_id: int, most: int) -> list[bytes]:
    """The first lines with text in them: what one tool printed in a file of several begins far down."""
    reader = LineReader()
    lines: list[bytes] = []
    pieces = _pieces_from(project, artefact_id, 0)
    for part in (piece[at : at + _FIRST_BYTES] for piece in pieces for at in range(0, len(piece), _FIRST_BYTES)):
        lines += [line for line in reader.feed(part) if line.strip()][: most - len(lines)]
        if len(lines) == most:
            return lines
    return [*lines, *reader.finish()][:most]


def _piece_before_line(project: Project, artefact_id: int, line: int) -> tuple[int, int]:
    """Position and line ends before it of the piece in which the line before `line` ends."""
    row = project.row(
        "SELECT position, line_ends FROM artefact_chunk WHERE artefact_id = ? AND line_ends < ?"
        " ORDER BY position DESC LIMIT 1",
        (artefact_id, line - 1),
    )
    return row if row is not None else (0, 0)


def _lines_of_all(project: Project, artefact_id: int) -> list[bytes]:
    reader = LineReader()
    lines: list[bytes] = []
    for piece in _pieces_from(project, artefact_id, 0):
        lines += reader.feed(piece)
    return lines + reader.finish()


def _pieces_from(project: Project, artefact_id: int, position: int) -> Iterator[bytes]:
    return map(partial(_unpacked, project.path), packed_pieces(project, artefact_id, position))


def packed_pieces(project: Project, artefact_id: int, position: int = 0) -> Iterator[tuple[int, bytes]]:
    """Size and compressed bytes of each piece, from the one at `position`."""
    # one short query per piece: an open cursor would keep an old state of the file alive between pieces
    query = "SELECT size_bytes, data FROM artefact_chunk WHERE artefact_id = ? AND position = ?"
    while (row := project.row(query, (artefact_id, position))) is not None:
        yield row
        position += 1


def packed_bytes(project: Project, artefact_id: int) -> int:
    """What the pieces take in the project."""
    row = project.row("SELECT total(length(data)) FROM artefact_chunk WHERE artefact_id = ?", (artefact_id,))
    return 0 if row is None else int(row[0])


def _unpacked(path: Path, piece: tuple[int, bytes]) -> bytes:
    size_bytes, data = piece
    with sorted_errors(path):
        return decompress_bytes(data, size_bytes)


def list_artefacts(project: Project, run_id: int | None = None) -> list[ArtefactInfo]:
    """Complete captures, oldest first."""
    return _select(project, "run_id = ?", run_id) if run_id is not None else _select(project)


def pending_artefacts(project: Project) -> list[ArtefactInfo]:
    """Captures whose bytes are complete and whose parsing is not."""
    return _select(project, "state = ?", PENDING)


def holds(project: Project, sha256: str) -> bool:
    """Whether a capture of these bytes is in the project."""
    return project.row("SELECT 1 FROM artefact WHERE sha256 = ?", (sha256,)) is not None


def find_artefact(project: Project, artefact_id: int) -> ArtefactInfo:
    """Raises UserError artefact_missing where there is none."""
    matches = _select(project, "id = ?", artefact_id)
    if not matches:
        raise UserError("artefact_missing", artefact_id=artefact_id)
    return matches[0]


def _select(project: Project, condition: str = "1 = ?", value: object = 1) -> list[ArtefactInfo]:
    return [
        _info(row)
        for row in project.rows(
            f"SELECT {_COLUMNS} FROM artefact WHERE state <> ? AND {condition} ORDER BY id", (_RECEIVING, value)
        )
    ]


def _info(row: tuple[Any, ...]) -> ArtefactInfo:
    state, ledger, given = row[12:]
    import_state: ImportState | Literal["pending"] = PENDING if state == PENDING else ImportState(state)
    values = (*row[:12], import_state, ledger_from_json(ledger), json.loads(given))
    return ArtefactInfo(*values)


# -- parsing -------------------------------------------------------------------------------------------


def set_parse_result(
    project: Project,
    artefact_id: int,
    *,
    host_id: int | None,
    parser_id: str,
    parser_version: str,
    state: ImportState,
    ledger: Ledger,
    events: Sequence[CaptureEvent],
    given: Mapping[str, str],
) -> None:
    """Writes what parsing an artefact came to; an earlier result of it is replaced."""
    with project.transaction() as connection:
        connection.execute(
            "UPDATE artefact SET host_id = ?, parser_id = ?, parser_version = ?, state = ?, ledger = ?, given = ?,"
            " first_ns = ?, last_ns = ? WHERE id = ?",
            (
                host_id,
                parser_id,
                parser_version,
                str(state),
                ledger_to_json(ledger),
                json.dumps(dict(given), ensure_ascii=False),
                ledger.first_ns,
                ledger.last_ns,
                artefact_id,
            ),
        )
        replace_events(project, artefact_id, events)
        record_reading(project, artefact_id)


def record_reading(project: Project, artefact_id: int) -> None:
    """Enters into the trail what is stored of how an artefact was read."""
    artefact = find_artefact(project, artefact_id)
    if artefact.state is ImportState.KEPT:
        audit.record(project, "artefact_kept", artefact_id=artefact_id, name=artefact.name)
        return
    audit.record(
        project,
        "artefact_parsed",
        artefact_id=artefact_id,
        name=artefact.name,
        parser_id=artefact.parser_id,
        parser_version=artefact.parser_version,
        state=str(artefact.state),
        given=artefact.given,
        first_ns=artefact.ledger.first_ns,
        last_ns=artefact.ledger.last_ns,
        host_id=artefact.host_id,
    )


def set_failed(project: Project, artefact_id: int) -> None:
    """A capture that was read to its end gave nothing; its ledger stays."""
    with project.transaction() as connection:
        connection.execute("UPDATE artefact SET state = ? WHERE id = ?", (str(ImportState.FAILED), artefact_id))
        artefact = find_artefact(project, artefact_id)
        audit.record(
            project,
            "artefact_parsed",
            artefact_id=artefact_id,
            name=artefact.name,
            parser_id=artefact.parser_id,
            parser_version=artefact.parser_version,
            state=str(ImportState.FAILED),
            given=artefact.given,
            first_ns=artefact.ledger.first_ns,
            last_ns=artefact.ledger.last_ns,
        )


def put_to_hosts(project: Project, pairs: Sequence[tuple[int, int]]) -> None:
    """Notes the hosts (artefact id, host id) of captures, and of what was read of them.

    Also before they are parsed: one that is interrupted is parsed later, when what told its host is no longer at hand.
    """
    with project.transaction() as connection:
        connection.executemany("UPDATE artefact SET host_id = ?2 WHERE id = ?1", pairs)
        connection.executemany("UPDATE system_fact SET host_id = ?2 WHERE artefact_id = ?1", pairs)


def put_to_run(project: Project, artefact_id: int, run_id: int) -> None:
    """Moves a capture with all that was read of it."""
    with project.transaction() as connection:
        connection.execute("UPDATE artefact SET run_id = ? WHERE id = ?", (run_id, artefact_id))


def remove_samples(project: Project, artefact_id: int) -> None:
    """Removes what parsing gave (samples, events, database records, facts) before it is done anew; the bytes stay.

    The artefact is pending again, so that an interrupted re-parse is noticed.
    """
    with project.transaction() as connection:
        before = connection.total_changes
        connection.execute("DELETE FROM clock WHERE artefact_id = ?", (artefact_id,))
        connection.execute("DELETE FROM event WHERE artefact_id = ?", (artefact_id,))
        connection.execute("DELETE FROM database_record WHERE artefact_id = ?", (artefact_id,))
        connection.execute("DELETE FROM system_fact WHERE artefact_id = ?", (artefact_id,))
        connection.execute(
            "UPDATE artefact SET state = ?1 WHERE id = ?2 AND state NOT IN (?1, ?3)", (PENDING, artefact_id, _RECEIVING)
        )
        if connection.total_changes > before:
            audit.record(
                project, "samples_removed", artefact_id=artefact_id, name=find_artefact(project, artefact_id).name
            )


def ledger_to_json(ledger: Ledger) -> str:
    return json.dumps(asdict(ledger), ensure_ascii=False)


def ledger_from_json(text: str) -> Ledger:
    """The ledger that was written; what an older program did not write has its default."""
    facts: dict[str, Any] = json.loads(text)
    facts["os"] = os_word(facts.get("os", ""))
    nested: dict[str, Any] = {
        "lines": LineCounts(**facts.pop("lines", {})),
        "impossible": ImpossibleValues(**facts.pop("impossible", {})),
        "skipped": tuple(SkippedLines(**entry) for entry in facts.pop("skipped", ())),
        "assumptions": tuple(Assumption(**entry) for entry in facts.pop("assumptions", ())),
        "warnings": tuple(facts.pop("warnings", ())),
        "needs": tuple(facts.pop("needs", ())),
    }
    return Ledger(**facts, **nested)
