"""The system's ssh: which one it is and what it knows."""

from __future__ import annotations

import os
import shutil
import subprocess
from functools import cache
from pathlib import Path

from tunebench.core.patterns import lazy_pattern
from tunebench.core.records import record
from tunebench.transport.ssh.link import LinkError

_DEADLINE_S = 5.0
_VERSION = lazy_pattern(r"OpenSSH_(?:for_Windows_)?(\d+)\.(\d+)")
_QUERIES = ("kex", "key", "cipher", "mac")


@record
class SshBinary:
    """`algorithms` is everything it was built with, weak ones included (``ssh -Q``)."""

    path: str
    version: tuple[int, int]
    algorithms: frozenset[str]

    @property
    def old_option_names(self) -> bool:
        return self.version < (8, 5)

    @property
    def learns_new_keys(self) -> str:
        """The value of StrictHostKeyChecking that takes a first key and no changed one."""
        return "accept-new" if self.version >= (7, 6) else "no"


def find_ssh(host: str) -> SshBinary:
    """The ssh of this machine.

    Raises:
        LinkError: ``backend_missing``: there is none, or one that cannot share a connection (Windows).
    """
    path = shutil.which("ssh")
    if path is None or os.name != "posix":
        reason = "ssh" if path is None else "ControlMaster"
        raise LinkError("backend_missing", final=True, host=host, detail=reason)
    binary = _ask(path, Path(path).stat().st_mtime_ns)
    if binary is None:
        raise LinkError("backend_missing", final=True, host=host, detail=path)
    return binary


@cache
def _ask(path: str, _changed_ns: int) -> SshBinary | None:
    """The binary with its version and algorithms; None for an ssh that is not OpenSSH."""
    version = _VERSION.search(_output_of([path, "-V"]))
    if not version:
        return None
    algorithms = frozenset(name for query in _QUERIES for name in _output_of([path, "-Q", query]).split())
    return SshBinary(path, (int(version[1]), int(version[2])), algorithms)


def _output_of(command: list[str]) -> str:
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_DEADLINE_S,
            check=False,
            env={**os.environ, "LC_ALL": "C"},
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return (done.stdout + done.stderr).decode("utf-8", "replace")
