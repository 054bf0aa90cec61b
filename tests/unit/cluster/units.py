"""Units that the processes of tests run."""

from __future__ import annotations

import os
from pathlib import Path


def doubled(number: int) -> int:
    return 2 * number


def process_of(_asked: object) -> int:
    return os.getpid()


def raised(words: str) -> object:
    raise ValueError(words)


def dies(file: Path | None) -> str:
    """Writes a line into the file, and ends its process; None lives."""
    if file is None:
        return "lives"
    with file.open("a") as lines:
        lines.write("begun\n")
    os.kill(os.getpid(), 9)
    return ""


def dies_once(file: Path) -> str:
    if file.exists():
        return "lives"
    file.touch()
    os.kill(os.getpid(), 9)
    return ""
