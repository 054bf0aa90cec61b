"""How this program starts itself again, from source or frozen."""

from __future__ import annotations

import sys

from tunebench.core.paths import is_installed, program_folder

READ_CAPTURES = "read-captures"
"""The word by which it becomes a process that reads captures for another."""
WORK = "work"
"""The same, one that runs whatever units of work it is given."""
READ_WORKBOOK = "read-workbook"
"""The same, one that reads a single workbook within bounds of memory and time."""

COMPUTE = "compute-beside"
"""The same, one that computes for a script which imported NumPy before the program could switch parts of it off."""


def program_words(*words: str) -> list[str]:
    """The command line of this program with `words`."""
    if getattr(sys, "frozen", False):
        return [sys.executable, *words]
    if is_installed():
        return [sys.executable, "-m", "tunebench", *words]
    return [sys.executable, str(program_folder() / "main.py"), *words]
