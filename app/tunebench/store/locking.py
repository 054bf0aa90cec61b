"""The lock file beside a project: who has it open for writing."""

from __future__ import annotations

import contextlib
import getpass
import glob
import json
import os
import secrets
import socket
import stat
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO

from tunebench.core.errors import UserError
from tunebench.core.records import record

NOBODY = 0
_ATTEMPTS = 20
_SETTLE_S = 0.05  # a lock being written may look unreadable for a moment
_WRITTEN_WITHIN_S = 2.0
_MOST_BYTES = 4096


@record
class LockHolder:
    """Who holds a project. `since` is ISO time; `process_start` tells a reused pid apart, "" where unknown.

    `shares`: others on this computer may write beside.
    """

    user: str
    host: str
    pid: int
    since: str
    process_start: str = ""
    shares: bool = False

    @property
    def is_elsewhere(self) -> bool:
        """On another computer, where nobody here can ask whether it still runs."""
        return self.host != socket.gethostname()


class Locked(Exception):
    """Somebody else has the project open."""

    def __init__(self, holder: LockHolder) -> None:
        super().__init__(str(holder))
        self.holder = holder


def current_user() -> str:
    """Login name; "" where the system has none (a bare container)."""
    try:
        return getpass.getuser()
    except (KeyError, OSError, ImportError):
        return ""


def this_process() -> LockHolder:
    pid = os.getpid()
    since = datetime.now(UTC).isoformat(timespec="seconds")
    return LockHolder(current_user(), socket.gethostname(), pid, since, process_start(pid))


def process_start(pid: int) -> str:
    """Boot id and start tick of a process on Linux, "" elsewhere or where there is no such process."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        # the command name in parentheses may itself hold blanks and parentheses: count from the last one
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
    except OSError:
        return ""
    return f"{boot}:{fields[19]}"


def is_alive(holder: LockHolder) -> bool:
    """Whether the holder still runs; a holder on another host counts as alive."""
    if holder.pid == NOBODY:
        return False
    if holder.is_elsewhere:
        return True
    if not _pid_exists(holder.pid):
        return False
    started = process_start(holder.pid)
    return not (started and holder.process_start) or started == holder.process_start


if sys.platform == "win32":

    def _pid_exists(pid: int) -> bool:
        # os.kill(pid, 0) would send Ctrl+C on Windows
        import ctypes

        still_active = 259
        query_limited_information = 0x1000
        handle = ctypes.windll.kernel32.OpenProcess(query_limited_information, False, pid)
        if not handle:
            return False
        code = ctypes.c_ulong()
        answered = ctypes.windll.kernel32.GetExitCodeProcess(handle, ctypes.byref(code))
        ctypes.windll.kernel32.CloseHandle(handle)
        return not answered or code.value == still_active

else:

    def _pid_exists(pid: int) -> bool:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return False
        except PermissionError:
            return True
        return True


class ProjectLock:
    """Holds ``NAME.tune.lock`` until released; beside one that shares, a file of its own tells of a guest.

    Args:
        guest: that file; None for who holds the lock.
    """

    def __init__(self, path: Path, holder: LockHolder, taken_over: bool, guest: Path | None = None) -> None:
        self.path = path
        self.holder = holder
        self.taken_over = taken_over
        self._guest = guest

    def share(self) -> None:
        """Lets other processes of this computer write beside: SQLite puts their transactions one behind the other."""
        shared = replace(self.holder, shares=True)
        if self._guest is None and _read(self.path) == self.holder:
            with _draft(self.path, json.dumps(asdict(shared))) as draft:
                draft.replace(self.path)
            self.holder = shared

    def release(self, unclean: bool = False) -> None:
        """Removes the lock file, if it is still ours; `unclean` leaves one of nobody: the next opener checks.

        A guest that stays becomes the holder; one that ended without a word makes it unclean.
        """
        if self._guest is not None:
            self._guest.unlink(missing_ok=True)
        with contextlib.suppress(FileNotFoundError), _queue_on(self.path):
            if _read(self.path) != self.holder:
                return
            guests, all_in_order = _guests(self.path)
            heir = guests[0] if guests else replace(self.holder, pid=NOBODY)
            if not guests and all_in_order and not unclean:
                self.path.unlink(missing_ok=True)
                return
            with _draft(self.path, json.dumps(asdict(heir))) as draft:
                draft.replace(self.path)


def join_lock(project: Path) -> ProjectLock | None:
    """A place beside the holder of a lock who shares it; None where nobody does, or it was given up meanwhile."""
    path, me = lock_path(project), replace(this_process(), shares=True)
    try:
        with _queue_on(path) as first:
            holder = _read(path)
            if not first or holder is None or not holder.shares or holder.is_elsewhere or not _is_held(path, holder):
                return None
            guest = path.with_name(f"{path.name}.guest-{secrets.token_hex(4)}")
            guest.write_text(json.dumps(asdict(me)), encoding="utf-8")
            return ProjectLock(path, me, taken_over=False, guest=guest)
    except FileNotFoundError:
        return None


def _is_held(path: Path, holder: LockHolder) -> bool:
    return is_alive(holder) or (holder.shares and bool(_guests(path)[0]))


def _guests(path: Path) -> tuple[list[LockHolder], bool]:
    """The live guests beside the holder; whether all others left in good order. What the dead left is removed."""
    files = {guest: _read(guest) for guest in sorted(path.parent.glob(f"{glob.escape(path.name)}.guest-*"))}
    dead = [guest for guest, holder in files.items() if holder is None or not is_alive(holder)]
    for guest in dead:
        guest.unlink(missing_ok=True)
    return [holder for guest, holder in files.items() if holder is not None and guest not in dead], not dead


def lock_path(project: Path) -> Path:
    return project.with_name(project.name + ".lock")


def holder_of(project: Path) -> LockHolder | None:
    """Who else has the project open to write: another living process; None where nobody has, or this one."""
    path = lock_path(project)
    holder = _read(path)
    if holder is None or not _is_held(path, holder):
        return None
    me = this_process()
    return None if (holder.pid, holder.host) == (me.pid, me.host) else holder


def take_lock(project: Path) -> ProjectLock:
    """Creates the lock file atomically; takes a dead holder's over.

    Raises:
        Locked: a living process, or one on another host, holds it.
        UserError: lock_is_no_file.
        OSError: the folder cannot be written.
    """
    path = lock_path(project)
    if path.is_dir():
        raise _no_file(path)
    me = this_process()
    for _attempt in range(_ATTEMPTS):
        if _create(path, me):
            return ProjectLock(path, me, taken_over=False)
        holder = _read(path)
        if holder is not None and _is_held(path, holder):
            raise Locked(holder)
        if (holder is not None or _stays_unreadable(path)) and _take_over(path, holder, me):
            return ProjectLock(path, me, taken_over=True)
    raise Locked(_read(path) or LockHolder("", "", 0, ""))


def give_up(project: Path, host: str) -> LockHolder | None:
    """Makes the lock of a process on the computer `host`, of which a person says that it is gone, one of nobody's.

    The next opener takes it over and checks the file. Gives whose it was; None where nobody alive holds the project.

    Raises:
        Locked: a process on another computer than `host` holds it, or a living one here: that is asked, not said.
        UserError: lock_is_no_file.
        OSError: the folder cannot be written.
    """
    path = lock_path(project)
    holder = _read(path)
    if holder is None or not is_alive(holder):
        return None
    if holder.host != host or not holder.is_elsewhere:
        raise Locked(holder)
    if not _take_over(path, holder, replace(holder, pid=NOBODY)):
        raise Locked(_read(path) or holder)
    return holder


def _create(path: Path, holder: LockHolder) -> bool:
    """Whether the lock file could be created with its content; never overwrites one."""
    text = json.dumps(asdict(holder))
    try:
        with _draft(path, text) as draft:
            _link(draft, path)
        return True
    except FileExistsError:
        return False
    except _NoHardLinks:
        return _create_exclusively(path, text)


@contextlib.contextmanager
def _draft(path: Path, text: str) -> Iterator[Path]:
    """The text in a file beside `path`, from where it can be put in place whole."""
    draft = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
    try:
        draft.write_text(text, encoding="utf-8")
        yield draft
    finally:
        draft.unlink(missing_ok=True)


class _NoHardLinks(Exception):
    """A file system such as FAT or some network shares."""


def _link(source: Path, target: Path) -> None:
    try:
        os.link(source, target)
    except FileExistsError:
        raise
    except OSError as error:
        raise _NoHardLinks from error


def _create_exclusively(path: Path, text: str) -> bool:
    try:
        with path.open("x", encoding="utf-8") as stream:
            stream.write(text)
    except FileExistsError:
        return False
    return True


def _read(path: Path) -> LockHolder | None:
    """The holder a lock file names; None where the file is gone or unreadable."""
    try:
        with _opened(path) as stream:
            facts = json.loads(stream.read(_MOST_BYTES))
        pid, since = int(facts["pid"]), str(facts["since"])
        if pid >> 31:
            return None
        if since:
            datetime.fromisoformat(since)  # whoever shows it relies on it
        start, shares = str(facts.get("process_start", "")), facts.get("shares") is True
        return LockHolder(str(facts["user"]), str(facts["host"]), pid, since, start, shares)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError):
        return None


def _opened(path: Path) -> BinaryIO:
    """Without waiting: anybody may have put a pipe in the place of the lock, or something that never ends.

    Raises:
        UserError: lock_is_no_file.
    """
    stream = open(path, "rb", opener=_without_waiting)  # noqa: SIM115 - the caller closes it
    if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
        stream.close()
        raise _no_file(path)
    return stream


def _without_waiting(name: str, flags: int) -> int:
    return os.open(name, flags | getattr(os, "O_NONBLOCK", 0))


def _no_file(path: Path) -> UserError:
    return UserError("lock_is_no_file", path=str(path))


def _stays_unreadable(path: Path) -> bool:
    """Waits for a lock that is just being written; whether it is there, unreadable, and old."""
    time.sleep(_SETTLE_S)
    try:
        return _read(path) is None and time.time() - path.stat().st_mtime > _WRITTEN_WITHIN_S
    except FileNotFoundError:
        return False


def _take_over(path: Path, stale: LockHolder | None, me: LockHolder) -> bool:
    """Puts our lock in place of a dead holder's (None: of one nobody can read); False if another was quicker."""
    try:
        with _draft(path, json.dumps(asdict(me))) as draft, _queue_on(path) as first:
            if not first or _read(path) != stale:
                return False
            draft.replace(path)
            return True
    except FileNotFoundError:
        return False


if sys.platform == "win32":

    @contextlib.contextmanager
    def _queue_on(path: Path) -> Iterator[bool]:
        """Windows does not replace an open file: nothing to queue on."""
        yield path.exists()

else:
    import fcntl

    @contextlib.contextmanager
    def _queue_on(path: Path) -> Iterator[bool]:
        """Lets those who would replace a file do so one by one; False for who finds it replaced already."""
        with _opened(path) as stream:
            with contextlib.suppress(OSError):  # some network file systems cannot lock
                fcntl.flock(stream, fcntl.LOCK_EX)
            yield os.path.samestat(os.fstat(stream.fileno()), path.stat())
