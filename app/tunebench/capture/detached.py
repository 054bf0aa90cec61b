"""A capture that runs on the server without us and is fetched later: for bad lines, and hosts with one-time codes.

What runs is the collection script of `tunebench.capture.offline_script`, unpacked (``-n``): the same files, the same
manifest. Each file is bounded by ``ulimit -f``; a count bounds each tool. Answers are ``@survey name=value`` lines,
so that noise of the login does no harm. Where the system has neither setsid nor perl the script shares the process
group of its starter and ends its tools one by one.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection
from enum import StrEnum
from pathlib import Path
from typing import BinaryIO

from tunebench.capture.checksum import posix_cksum, told_cksum
from tunebench.capture.house_commands import ANSWER, BOOT, alone
from tunebench.capture.offline_script import MANIFEST_FILE, last_over, render_script
from tunebench.capture.survey import free_bytes, read_answers
from tunebench.capture.wrapper import SYSTEM_PATH, UNIX_WITH_OLD_SH, quoted
from tunebench.core.errors import UserError
from tunebench.core.patterns import lazy_pattern
from tunebench.core.records import record
from tunebench.core.whole_files import make_private_folder
from tunebench.domain.capturing.plan import CapturePlan
from tunebench.transport.ssh.link import Finished, Link, LinkError, LossCause

_SCRIPT, _OURS_ONLY = "run.sh", ("run.sh", "run.log", "state", "pid", "boot", "limit", "trials.over")
_RUN_DEADLINE_S = 30.0
_PULL_SILENCE_S = 20.0
_FULL_BYTES = 64 << 10
_UNTOLD = (-1, -1)  # of a file whose checksum was not to be had: nothing fetched agrees with it
_READ_BYTES = 1 << 20
_FILE_NAME = lazy_pattern(r"[A-Za-z0-9][A-Za-z0-9._-]*")  # what the server says becomes a name on this machine

_HEAD = ": cap{nonce};PATH=$PATH:{path};export PATH;umask 077;{answer}"
_UPLOAD = 'mkdir -m 700 {folder}&&cat >{folder}/run.sh&&s cksum "`cksum <{folder}/run.sh`";s end 1'
# The script may not have written its first lines yet: up to five seconds are given to it.
_START = (
    "cd {folder}||exit 1;d=;if command -v setsid >/dev/null 2>&1;then d=setsid;"
    'elif perl -e 1 >/dev/null 2>&1;then d="perl -e setpgrp(0,0);exec@ARGV";fi;'
    "nohup $d ${{TUNEBENCH_SHELL-sh}} ./run.sh -n -d {folder} -F 0 </dev/null >run.log 2>&1 & "
    "for x in 1 2 3 4 5 6 7 8 9;do test -s state&&break;sleep .5 2>/dev/null||sleep 1;done;{status}"
)
_STATUS = (
    'cd {folder}||exit 1;s pid "`cat pid 2>/dev/null`";s state "`cat state 2>/dev/null`";'
    's limit "`cat limit 2>/dev/null|tr "\\n" " "`";s boot_then "`cat boot 2>/dev/null`";s boot_now "`{boot}`";'
    "test -s pid&&kill -0 `cat pid` 2>/dev/null&&s alive 1;"
    's free "`(df -kP . 2>/dev/null||df -k .)|tail -1`";s log "`tail -1 run.log 2>/dev/null`";'
    's full "`grep -ci "no space" run.log`";s end 1'
)
_LIST = 'cd {folder}||exit 1;for f in *;do test -f $f&&s file.$f "`cksum <$f`";done;s end 1'
_STOP = "cd {folder}&&test -s pid&&kill -15 `cat pid`;s end 1"
_REMOVE = "test -f {folder}/run.sh&&rm -rf {folder};test -d {folder}&&s left 1;s end 1"


class DetachedState(StrEnum):
    RUNNING = "running"
    ENDED = "ended"
    LIMIT_REACHED = "limit_reached"  # ended, and a file was ended before by its limit
    DISK_FULL = "disk_full"
    REBOOTED = "rebooted"  # the server started anew while it ran
    DIED = "died"  # killed from outside
    ABSENT = "absent"  # no folder of ours


@record
class DetachedStatus:
    """`limited` are the files that reached their limit, `log` the last line that the script said.

    `last_over`: id of the last trial that is over, "" where the log tells of none.
    """

    state: DetachedState
    pid: int | None = None
    limited: tuple[str, ...] = ()
    free_bytes: int | None = None
    log: str = ""
    last_over: str = ""


@record
class PulledFile:
    """`verified`: size and checksum are those that the server told."""

    path: Path
    size_bytes: int
    verified: bool


@record
class PulledRun:
    """`status` is the one before the files were fetched; `missing` could not be fetched or verified."""

    status: DetachedStatus
    files: tuple[PulledFile, ...]
    missing: tuple[str, ...]

    @property
    def whole(self) -> bool:
        return not self.missing and any(file.path.name == MANIFEST_FILE for file in self.files)


def detached_folder(nonce: str) -> str:
    return f"/tmp/tunebench-{nonce}"  # noqa: S108 - made with mkdir -m 700, which fails where the name is taken


def detached_commands(nonce: str, os: str, folder: str = "") -> dict[str, str]:
    """Name -> command line, verbatim, of all that a detached run sends. Files are fetched with `Link.pull`."""
    folder = folder or detached_folder(nonce)
    status = _STATUS.format(folder=folder, boot=BOOT)
    texts = {
        "upload": _UPLOAD.format(folder=folder),
        "start": _START.format(folder=folder, status=status),
        "status": status,
        "list": _LIST.format(folder=folder),
        "stop": _STOP.format(folder=folder),
        "remove": _REMOVE.format(folder=folder),
    }
    head = _HEAD.format(nonce=nonce, path=SYSTEM_PATH, answer=ANSWER)
    return {name: _line(head + text, os) for name, text in texts.items()}


def _line(script: str, os: str) -> str:
    return f"exec {alone(script)}" if os in UNIX_WITH_OLD_SH else f"exec sh -c {quoted(script)}"


class DetachedRun:
    """Belongs to one thread.

    Args:
        permit: is asked with every line before it is sent (the policy of the approved plan); raises to refuse.
    """

    def __init__(
        self, link: Link, plan: CapturePlan, host: str, folder: str = "", permit: Callable[[str], object] = str
    ) -> None:
        planned = next(one for one in plan.hosts if one.name == host)
        self._link, self._plan, self._host, self._permit = link, plan, host, permit
        self.folder = folder or detached_folder(plan.nonce)
        self._commands = detached_commands(plan.nonce, planned.os, self.folder)

    def start(self, language: str = "en", leave_out: Collection[str] = ()) -> DetachedStatus:
        """Uploads the collection script and starts it.

        Args:
            leave_out: trials of the plan that are not run this time.

        Raises:
            LinkError: of the link.
            UserError: ``detached_not_started``: the folder is there already, or no space.
        """
        script = render_script(self._plan, language, self._host, leave_out).encode()
        finished = self._send("upload", script)
        checksum = told_cksum(read_answers(finished.stdout).get("cksum", ""))
        if checksum != (posix_cksum([script]), len(script)):
            raise UserError(
                "detached_not_started", host=self._host, folder=self.folder, detail=_last_complaint(finished)
            )
        status = self._status(self._send("start"))
        if status.state not in (DetachedState.RUNNING, DetachedState.ENDED):
            raise UserError("detached_not_started", host=self._host, folder=self.folder, detail=status.log)
        return status

    def find(self) -> DetachedStatus | None:
        """A run of this plan that was begun before; None where there is none, and what never began is removed."""
        status = self.status()
        if status.state is DetachedState.DIED and status.pid is None:
            self.clear()
            return None
        return None if status.state is DetachedState.ABSENT else status

    def status(self) -> DetachedStatus:
        return self._status(self._send("status"))

    def stop(self) -> None:
        """TERM to the script, which ends all that it started."""
        self._send("stop")

    def pull(self, target: Path, progress: Callable[[int, int], object] = max) -> PulledRun:
        """Fetches what is not here yet; may be called again after a loss.

        Args:
            target: a folder of this run alone; what a former call left there is gone on with.
            progress: called with bytes so far and bytes in all.

        Raises:
            LinkError: the connection is gone.
            UserError: ``detached_still_running``.
        """
        status = self.status()
        if status.state is DetachedState.RUNNING:
            raise UserError("detached_still_running", host=self._host)
        listed = self._list()
        total, sofar = sum(size for _, size in listed.values()), 0
        make_private_folder(target)
        files: list[PulledFile] = []
        for name, (crc, size) in listed.items():
            files.append(self._fetch(name, crc, size, target))
            sofar += size
            progress(sofar, total)
        missing = tuple(file.path.name for file in files if not file.verified)
        return PulledRun(status, tuple(file for file in files if file.verified), missing)

    def remove(self, pulled: PulledRun) -> bool:
        """Nothing is removed where a file could not be verified, or where there was nothing to verify."""
        if pulled.missing or not pulled.files or pulled.status.state is DetachedState.RUNNING:
            return False
        return self.clear()

    def clear(self) -> bool:
        """Removes what was stored already, or never began; False: something is left."""
        answers = read_answers(self._send("remove").stdout)
        return "end" in answers and "left" not in answers

    def _send(self, name: str, stdin: bytes = b"") -> Finished:
        line = self._commands[name]
        self._permit(line)
        return self._link.run(line, _RUN_DEADLINE_S, stdin=stdin)

    def _list(self) -> dict[str, tuple[int, int]]:
        answers = read_answers(self._send("list").stdout)
        files = {name.removeprefix("file."): value for name, value in answers.items() if "file." in name}
        names = (name for name in files if name not in _OURS_ONLY and _FILE_NAME.fullmatch(name))
        return {name: told_cksum(files[name]) or _UNTOLD for name in names}

    def _fetch(self, name: str, crc: int, size: int, target: Path) -> PulledFile:
        """A file whose checksum differs is fetched once more from its beginning."""
        path = target / name
        for attempt in range(2):
            part = path if path.exists() else target / f"{name}.part"
            if part.exists() and (attempt or part.stat().st_size > size):
                part.unlink()
                part = target / f"{name}.part"
            if not part.exists() or part.stat().st_size < size:
                self._append(f"{self.folder}/{name}", part)
            if part.stat().st_size == size and _cksum_of(part) == crc:
                part.replace(path)
                return PulledFile(path, size, verified=True)
        return PulledFile(path, part.stat().st_size, verified=False)

    def _append(self, remote: str, part: Path) -> None:
        with part.open("ab") as file:
            sink = _FileSink(file)
            stream = self._link.pull(remote, file.tell(), sink)
            try:
                sink.wait(self._host)
            finally:
                stream.close()

    def _status(self, finished: Finished) -> DetachedStatus:
        answers = read_answers(finished.stdout)
        pid, free = answers.get("pid", ""), free_bytes(answers.get("free", ""))
        return DetachedStatus(
            state=_state(answers, free),
            pid=int(pid) if pid.isdigit() else None,
            limited=tuple(answers.get("limit", "").split()),
            free_bytes=free,
            log=answers.get("log", ""),
            last_over=last_over(answers.get("log", ""), self._plan, self._host),
        )


def _state(answers: dict[str, str], free: int | None) -> DetachedState:
    if "end" not in answers:
        return DetachedState.ABSENT
    rebooted = bool(answers.get("boot_then")) and answers["boot_then"] != answers.get("boot_now")
    # A process id of another boot is somebody else's.
    if answers.get("alive") and not rebooted and answers.get("state") not in ("ended", "limit"):
        return DetachedState.RUNNING
    full = (free is not None and free < _FULL_BYTES) or answers.get("full", "0") not in ("", "0")
    if answers.get("state") in ("ended", "limit") and not full:
        return DetachedState.LIMIT_REACHED if answers.get("limit") else DetachedState.ENDED
    if rebooted:
        return DetachedState.REBOOTED
    return DetachedState.DISK_FULL if full else DetachedState.DIED


def _last_complaint(finished: Finished) -> str:
    return finished.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2][:200]


def _cksum_of(path: Path) -> int:
    with path.open("rb") as file:
        return posix_cksum(iter(lambda: file.read(_READ_BYTES), b""))


class _FileSink:
    """Bytes go to the file as they come; the waiting thread is woken by each."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._heard = threading.Event()
        self._over = threading.Event()
        self._loss: LossCause | None = None

    def received(self, data: bytes, arrived_ns: int) -> None:
        self._file.write(data)
        self._heard.set()

    def complained(self, data: bytes, arrived_ns: int) -> None:
        """What the command says of its troubles shows in size and checksum."""

    def ended(self, exit_status: int | None, signal: str, loss: LossCause | None) -> None:
        self._loss = loss
        self._over.set()
        self._heard.set()

    def wait(self, host: str) -> None:
        """Raises LinkError ``lost`` or ``deadline`` (no byte for a while)."""
        while not self._over.is_set():
            self._heard.clear()
            if not self._over.is_set() and not self._heard.wait(_PULL_SILENCE_S):
                raise LinkError("deadline", host=host, seconds=f"{_PULL_SILENCE_S:g}")
        if self._loss is not None:
            raise LinkError("lost", host=host, detail=str(self._loss))
