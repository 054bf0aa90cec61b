"""Temporary accounts with a password or another login shell. Only root can make them; each is removed again."""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
import uuid
from dataclasses import dataclass
from pathlib import Path

from tests.e2e.processes import processes, send
from tests.e2e.sshd_rig import Sshd, is_root
from tests.waiting import let_time_pass

_PASSES = re.compile("lock|currently used")


@dataclass(frozen=True)
class Account:
    name: str
    password: str
    home: Path
    shell: str


def missing() -> str:
    if not is_root():
        return "making temporary accounts needs root"
    return next(
        (f"{tool} is not installed" for tool in ("useradd", "userdel", "chpasswd") if not shutil.which(tool)), ""
    )


class Accounts:
    """`sshd`'s authorized keys let every account in, so a password is only needed where it is the subject."""

    def __init__(self, sshd: Sshd) -> None:
        self._sshd = sshd
        self._names: list[str] = []

    def add(self, shell: str = "/bin/sh", password: str = "Password-of-the-rig-3xk") -> Account:
        name = f"tb{uuid.uuid4().hex[:10]}"
        home = self._sshd.folder / name
        _run("useradd", "-M", "-N", "-g", "nogroup", "-d", str(home), "-s", shell, name)
        self._names.append(name)
        home.mkdir()
        shutil.chown(home, name)
        _run("chpasswd", typed=f"{name}:{password}\n")
        return Account(name, password, home, shell)

    def remove(self) -> None:
        for name in self._names:
            send(_pids_of(name), signal.SIGKILL)
            _run("userdel", name)
        self._names.clear()


def _pids_of(name: str) -> list[int]:
    number = int(subprocess.run(["id", "-u", name], check=True, capture_output=True, text=True, timeout=10).stdout)
    return [process.pid for process in processes() if _owner(process.pid) == number]


def _owner(pid: int) -> int:
    try:
        return Path(f"/proc/{pid}").stat().st_uid
    except OSError:
        return -1


def _run(*words: str, typed: str = "") -> None:
    """Another programme may hold the lock of the account files, or a killed process still be there, for a moment."""
    for attempt in range(20):
        done = subprocess.run(words, input=typed, capture_output=True, text=True, timeout=60)
        if done.returncode == 0:
            return
        if not _PASSES.search(done.stderr) or attempt == 19:
            raise RuntimeError(f"{words[0]}: {done.stderr.strip()}")
        let_time_pass(0.25, "the lock of the account files is another's")
