"""A project file is created, opened or copied; what an interruption left behind is put right."""

from __future__ import annotations

import errno
import sqlite3
from collections.abc import Callable
from contextlib import ExitStack, closing, suppress
from datetime import UTC, datetime
from pathlib import Path

from tunebench.core.errors import UserError
from tunebench.core.sealing import Key, OpenedBy, held, salt_of
from tunebench.domain.capturing.run import SessionState
from tunebench.domain.engagement import Engagement
from tunebench.store import engagements, held_files
from tunebench.store.audit import trail as audit
from tunebench.store.audit.origins import engagement_facts
from tunebench.store.codec import CODEC_NAMES
from tunebench.store.connection import Connections, connect_reader, connect_writer
from tunebench.store.errors import sorted_errors
from tunebench.store.format import APPLICATION_ID, CURRENT, SQLITE_MAGIC, Version, schema_sql, split_statements
from tunebench.store.known_schema import require_columns, require_no_strangers
from tunebench.store.locking import Locked, LockHolder, ProjectLock, join_lock, take_lock, this_process
from tunebench.store.migration import PRIVATE, check_version, keep_copy, migrate, needs_migration, read_version
from tunebench.store.project import Project

_READ_ONLY_ERRNOS = {errno.EROFS, errno.EACCES, errno.EPERM}
_CANNOT_SHARE = {sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY}
_APPLICATION_ID_OFFSET = 68  # https://www.sqlite.org/fileformat.html, "The Database Header"
_HEADER_BYTES = 100


def create_project(path: Path, engagement: Engagement, story_clock: Callable[[], datetime] | None = None) -> Project:
    """A new project file.

    Args:
        story_clock: of a made-up engagement, whose trail goes by it and says first that all of it is made up.

    Raises:
        UserError: project_exists, folder_missing, medium_read_only, disk_full.
    """
    path = real_path(path)
    if not path.parent.is_dir():
        raise UserError("folder_missing", path=str(path), folder=str(path.parent))
    lock = _lock_new(path)
    with held_files.opening, ExitStack() as undo:
        undo.callback(lock.release)
        undo.callback(_discard, path)
        with sorted_errors(path):
            path.touch(mode=PRIVATE)  # SQLite gives its other files the same
            connections = Connections(path, _write_schema(path))
            undo.callback(_close_unfinished, connections)
            project = Project(path, connections, lock, clock=story_clock)
            with project.transaction():
                if story_clock is not None:
                    audit.record(project, "demo_begun", made_at=datetime.now(UTC).isoformat(timespec="seconds"))
                engagements.write_engagement(project, engagement)
                facts = engagement_facts(engagement)
                audit.record(project, "project_created", version=str(CURRENT), engagement=facts)
            connections.move_wal_into_file()  # whatever happens next, the file is a project
        undo.pop_all()
    return project


def _close_unfinished(connections: Connections) -> None:
    """The file goes anyway: that a full disk lets nothing be moved into it must not hide the first reason."""
    with suppress(sqlite3.Error):
        connections.close()


def open_project(path: Path, read_only: bool = False) -> Project:
    """Opens a project to write, or to read where that was asked or nothing else is possible.

    Raises:
        UserError: project_missing, not_a_project, project_newer, project_older, project_too_old, project_damaged;
            project_needs_passphrase, project_needs_key_file where it is encrypted and nobody gave its key (`unlock`).
    """
    path = real_path(path)
    with held_files.opening, sorted_errors(path):
        key = held_files.opened_with(path) if held_files.is_held(path) else _key_by_header(path)
        if read_only:
            return _open_as_asked(path, key)
        return _open_as_possible(path, key)


def _open_as_asked(path: Path, key: Key | None) -> Project:
    """The project, to be read; one of an older format is first brought to the present one where it can be written."""
    try:
        return _open_to_read(path, key, "asked")
    except UserError as error:
        if error.key != "project_older":
            raise
        project = _open_as_possible(path, key)
    if not project.read_only:
        project.close()
        project = _open_to_read(path, key, "asked")
    return project


def _open_as_possible(path: Path, key: Key | None) -> Project:
    try:
        _require_writable(path)
        lock = take_lock(path)
    except Locked as locked:
        guest = join_lock(path) if locked.holder.shares else None
        return _open_to_read(path, key, "locked", locked.holder) if guest is None else _open_beside(path, guest, key)
    except OSError as error:
        if error.errno not in _READ_ONLY_ERRNOS:
            raise
        return _open_to_read(path, key, "medium")
    return _open_to_write(path, lock, key)


def backup_project(project: Project, target: Path) -> None:
    """Copies the project, open or not, with everything written so far, into the single file `target`.

    Raises:
        UserError: folder_missing, medium_read_only, disk_full; target_is_project where `target` is the project.
    """
    target = Path(target).absolute()
    if not target.parent.is_dir():
        raise UserError("folder_missing", path=str(target), folder=str(target.parent))
    if target.exists() and target.samefile(project.path):
        raise UserError("target_is_project", path=str(target))
    with project.reading() as connection:
        keep_copy(connection, target, project.key)


def real_path(path: Path) -> Path:
    """Where the file itself is: whoever opens it through a link meets the same lock."""
    return path.resolve() if path.is_symlink() else path.absolute()


# -- creating ------------------------------------------------------------------------------------------


def _lock_new(path: Path) -> ProjectLock:
    with sorted_errors(path):
        try:
            lock = take_lock(path)
        except Locked as locked:
            raise UserError("project_exists", path=str(path)) from locked
        if path.exists():
            lock.release()
            raise UserError("project_exists", path=str(path))
        return lock


def _discard(path: Path) -> None:
    for suffix in ("", "-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)


def _write_schema(path: Path) -> sqlite3.Connection:
    """The writer of a new file, with what marks it as a project."""
    writer = connect_writer(path, create=True)
    try:
        writer.execute("BEGIN IMMEDIATE")
        for statement in split_statements(schema_sql()):
            writer.execute(statement)
        writer.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        writer.execute(f"PRAGMA user_version = {CURRENT.pack()}")
        writer.executemany("INSERT INTO property (name, value) VALUES (?, ?)", CODEC_NAMES.items())
        writer.execute("COMMIT")
    except BaseException:
        writer.close()
        raise
    return writer


# -- opening -------------------------------------------------------------------------------------------


def read_salt(path: Path) -> bytes | None:
    """The salt of an encrypted project, None of a plain one. Refuses, before SQLite touches it, a file that is neither.

    Raises:
        UserError: project_missing, not_a_project.
    """
    if not path.exists():
        raise UserError("project_missing", path=str(path))
    if not path.is_file():
        raise UserError("not_a_project", path=str(path))
    with path.open("rb") as stream:
        header = stream.read(_HEADER_BYTES)
    salt = salt_of(header)
    if salt is not None:
        return salt
    mark = header[_APPLICATION_ID_OFFSET : _APPLICATION_ID_OFFSET + 4]
    if not header.startswith(SQLITE_MAGIC) or mark != APPLICATION_ID.to_bytes(4, "big"):
        raise UserError("not_a_project", path=str(path))
    return None


def _key_by_header(path: Path) -> Key | None:
    """Raises UserError project_needs_passphrase, project_needs_key_file where nobody gave the key yet."""
    salt = read_salt(path)
    key = held(salt) if salt is not None else None
    if salt is not None and key is None:
        by_file = Key(salt, b"").opened_by is OpenedBy.KEY_FILE
        raise UserError("project_needs_key_file" if by_file else "project_needs_passphrase", path=str(path))
    return key


def _has_wal(path: Path) -> bool:
    """Whether changes wait beside the file: it is open, or was not closed."""
    try:
        return path.with_name(path.name + "-wal").stat().st_size > 0
    except FileNotFoundError:
        return False


def _open_to_write(path: Path, lock: ProjectLock, key: Key | None) -> Project:
    unclean = lock.taken_over or _has_wal(path)
    try:
        version = _checked_version(path, key)
        writer = connect_writer(path, key=key)
        try:
            require_no_strangers(writer, path)
            if unclean:
                _quick_check(writer, path)
            if needs_migration(version):
                migrate(writer, path, key=key)
            require_columns(writer, path)
        except BaseException:
            writer.close()
            raise
        project = Project(path, Connections(path, writer, key=key), lock, recovered=unclean)
        if needs_migration(version):
            audit.record(project, "project_migrated", before=str(version), after=str(CURRENT))
        discard_unfinished(project)
        if unclean:
            interrupt_sessions(project)
        return project
    except BaseException:
        lock.release(unclean)
        raise


def _open_beside(path: Path, guest: ProjectLock, key: Key | None) -> Project:
    """The project, to be written beside a holder who shares: what that one has not finished is left alone."""
    try:
        _require_readable(path, "rw", immutable=False, key=key)
        return Project(path, Connections(path, connect_writer(path, key=key), key=key), guest)
    except BaseException:
        guest.release()
        raise


def _quick_check(connection: sqlite3.Connection, path: Path) -> None:
    findings = [row[0] for row in connection.execute("PRAGMA quick_check(3)")]
    if findings != ["ok"]:
        raise UserError("project_damaged", path=str(path), detail="; ".join(findings))


def _checked_version(path: Path, key: Key | None) -> Version:
    """Asked before anybody could write: the connection of a writer leaves its mark in the file, also in one refused."""
    with closing(connect_reader(path, "ro", not _has_wal(path), key)) as connection:
        version = _version_of_project(connection, path)
    check_version(path, version)
    return version


def _version_of_project(connection: sqlite3.Connection, path: Path) -> Version:
    """What the header of an encrypted file says can only be asked here."""
    if connection.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
        raise UserError("not_a_project", path=str(path))
    return read_version(connection)


def _open_to_read(path: Path, key: Key | None, reason: str, holder: LockHolder | None = None) -> Project:
    for mode, immutable in _ways_to_read(path, reason, holder):
        try:
            _require_readable(path, mode, immutable, key)
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF not in _CANNOT_SHARE:
                raise
            continue
        return Project(path, Connections(path, None, mode, immutable, key), None, reason, holder)
    raise UserError("project_not_closed", path=str(path))


def _ways_to_read(path: Path, reason: str, holder: LockHolder | None) -> list[tuple[str, bool]]:
    """Modes of connection, and whether the file is taken as unchanging, to be tried in this order.

    A reader beside a writer shares the writer's WAL index, which takes a folder that can be written. A writer
    on another computer shares no memory with us: to meddle with its WAL could damage the file, so only what
    it has moved into the file is read. Without a WAL the file itself is all there is.
    """
    if holder is not None and holder.host != this_process().host:
        return [("ro", True)]
    if held_files.is_held(path):
        return [("rw", False)]  # SQLite minds its own locks, but not those of a connection that takes none
    alone = ("ro", not _has_wal(path))
    if reason == "medium" or not _opens_to_write(path):
        return [alone]  # SQLite would leave the WAL it made beside a file that it cannot write
    return [("rw", False), alone]


def _opens_to_write(path: Path) -> bool:
    try:
        _require_writable(path)
    except OSError:
        return False
    return True


def _require_writable(path: Path) -> None:
    """Raises OSError where the file cannot be written; one that this process holds is not touched."""
    if not held_files.is_held(path):
        path.open("r+b").close()


def _require_readable(path: Path, mode: str, immutable: bool, key: Key | None) -> None:
    with closing(connect_reader(path, mode, immutable, key)) as connection:
        version = _version_of_project(connection, path)
        check_version(path, version)
        require_no_strangers(connection, path)
        if needs_migration(version):
            raise UserError("project_older", path=str(path), file_version=str(version), program_version=str(CURRENT))
        require_columns(connection, path)


def discard_unfinished(project: Project) -> None:
    """Drops captures whose bytes are incomplete, and samples of captures whose parsing was not finished.

    The first are no evidence: their source is still where it was. The bytes of the others stay, and
    `pending_artefacts` lists them for parsing.
    """
    with project.transaction() as connection:
        for artefact_id, name in connection.execute(
            "SELECT id, name FROM artefact WHERE state = 'receiving'"
        ).fetchall():
            connection.execute("DELETE FROM artefact WHERE id = ?", (artefact_id,))
            audit.record(project, "incomplete_artefact_discarded", artefact_id=artefact_id, name=name)
        connection.execute(
            "DELETE FROM clock WHERE complete = 0 OR artefact_id IN (SELECT id FROM artefact WHERE state = 'pending')"
        )


def interrupt_sessions(project: Project) -> None:
    """Marks the sessions that ran when the project was not closed; their spools wait to be taken up."""
    with project.transaction() as connection:
        sessions = connection.execute(
            "UPDATE capture_session SET state = ? WHERE state = ? RETURNING id, label",
            (str(SessionState.INTERRUPTED), str(SessionState.RUNNING)),
        ).fetchall()
        for session_id, label in sorted(sessions):
            audit.record(project, "session_interrupted", session_id=session_id, label=label)
