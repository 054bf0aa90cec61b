"""A program that is killed in the middle of an import."""

from __future__ import annotations

import subprocess
import sys
from datetime import datetime, timedelta
from pathlib import Path

from tests.unit.usecases import daily_captures as made
from tunebench.domain.engagement import Engagement
from tunebench.usecases import projects

FILES, TAKEN = 7, 4
"""How many files the import is of, and how many are in when it is killed."""
_ROOT = Path(__file__).resolve().parents[3]
_TEXT = """\
import os, signal, sys
from tests.program import compose
from tunebench.usecases.importing import taking
compose()
whole, taken = taking.Taker.take, 0
def take(*given):
    global taken
    taken += 1
    if taken > {taken}:
        os.kill(os.getpid(), signal.SIGKILL)
    return whole(*given)
taking.Taker.take = take
{work}
"""


def killed_import(folder: Path, work: str) -> Path:
    """The project that is left, below `folder`; the files are in ``captures`` beside it.

    Args:
        work: the text of an import of sys.argv[2] into sys.argv[1].
    """
    captures, path = folder / "captures", folder / "case.tune"
    captures.mkdir()
    for number in range(FILES):
        made.sar_day(captures, datetime(2026, 7, 13) + timedelta(days=number), 200 * number)
    projects.close(projects.create(path, Engagement("Tuning", "ACME", zone="Asia/Seoul")))
    program = _TEXT.format(taken=TAKEN, work=work)
    ended = subprocess.run([sys.executable, "-c", program, str(path), str(captures)], cwd=_ROOT, check=False)
    assert ended.returncode == -9
    return path
