"""What runs on this machine, read from /proc: for finding and ending what a rig started, and nothing else."""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Process:
    pid: int
    parent: int
    state: str
    name: str


def read_process(pid: int) -> Process | None:
    """None where it is gone or a zombie (a lazy init keeps those for a while)."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None
    name, rest = text[text.index("(") + 1 : text.rindex(")")], text[text.rindex(")") + 2 :].split()
    return None if rest[0] in "ZX" else Process(pid, int(rest[1]), rest[0], name)


def processes() -> list[Process]:
    found = (read_process(int(entry.name)) for entry in Path("/proc").iterdir() if entry.name.isdigit())
    return [process for process in found if process is not None]


def descendants(ancestor: int) -> list[Process]:
    """Every living process below `ancestor`, parents before children."""
    children: dict[int, list[Process]] = {}
    for process in processes():
        children.setdefault(process.parent, []).append(process)
    found, waiting = [], [ancestor]
    while waiting:
        below = children.get(waiting.pop(), [])
        found += below
        waiting += [process.pid for process in below]
    return found


def marked(mark: str) -> list[int]:
    """Processes that carry `mark` (``NAME=value``) in the environment they were started with."""
    wanted, found = mark.encode(), []
    for process in processes():
        with contextlib.suppress(OSError):
            if wanted in Path(f"/proc/{process.pid}/environ").read_bytes().split(b"\0"):
                found.append(process.pid)
    return found


def command_line(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
    except OSError:
        return ""


def send(pids: Iterable[int], number: signal.Signals) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)
