"""Processes as series: how one is named, and how many of a capture get series of their own."""

from __future__ import annotations

from app.sdk.text import decode_text

FEW, MOST = 300, 2000
BUSY_PCT = 0.5
"""Beyond the first `FEW`, a process needs this share of a processor; beyond `MOST` none is added."""


def process_key(command: bytes, pid: bytes) -> str:
    """``init[1]``: the program's name and its pid.

    ``/usr/sbin/sshd -D`` is ``sshd``, ``sshd: ann@pts/0`` is ``sshd:``, ``[kworker/0:1H]`` stays.
    """
    return f"{program_of(command)}[{decode_text(pid)}]"


def program_of(command: bytes) -> str:
    word = decode_text((command.split() or [b""])[0])
    return word.rsplit("/", 1)[-1] or word if word.startswith("/") else word


class ProcessLimit:
    """Keeps the series of one capture bounded: a day of a busy host sees tens of thousands of short-lived processes."""

    def __init__(self) -> None:
        self._kept: set[str] = set()

    def keeps(self, key: str, busy_pct: float) -> bool:
        """Whether this process has, or gets, series of its own."""
        if key in self._kept:
            return True
        count = len(self._kept)
        if count >= MOST or (count >= FEW and not busy_pct >= BUSY_PCT):
            return False
        self._kept.add(key)
        return True
