"""A program that is killed in the middle of an import."""

from __future__ import annotations

_TEXT = """\
import os, signal, sys
from app.bootstrap import compose
from app.usecases.importing import taking
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


def killed_import(taken: int, work: str) -> str:
    """The text of a program that does `work`, an import, and is killed by SIGKILL when so many files are in."""
    return _TEXT.format(taken=taken, work=work)
