"""This program again, as a process beside this one that is asked through its stdin and answers on its stdout."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from contextlib import suppress
from typing import IO

from tunebench.core.program_words import program_words

_LENGTH_BYTES = 8


class Died:
    """What comes of a job in the middle of which its process ended."""


def started(word: str, errors: IO[bytes] | int) -> subprocess.Popen[bytes]:
    """`word`: what it becomes; see `tunebench.core.program_words`."""
    return subprocess.Popen(
        program_words(word),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=errors,
        creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
    )


def ends() -> tuple[IO[bytes], IO[bytes]]:
    """(what comes from the parent, what goes to it): stdin and stdout of a process that another one asks."""
    answers = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)  # whatever a plug-in prints must not stand between the messages
    return os.fdopen(0, "rb", closefd=False), answers  # there is no sys.stdin in a frozen program without a console


def read_exactly(pipe: IO[bytes], size: int) -> bytes:
    """Raises EOFError where the other end is gone."""
    data = pipe.read(size)
    if len(data) < size:
        raise EOFError
    return data


def send(pipe: IO[bytes], message: object) -> None:
    """A message between two processes of this program: its length in eight bytes, and a pickle."""
    data = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    pipe.write(len(data).to_bytes(_LENGTH_BYTES, "little") + data)
    pipe.flush()


def receive(pipe: IO[bytes]) -> tuple[object, int]:
    """The next message and its size. Only what this program itself sends comes on such a pipe.

    Raises:
        EOFError: the other end is gone.
    """
    length = int.from_bytes(read_exactly(pipe, _LENGTH_BYTES), "little")
    return pickle.loads(read_exactly(pipe, length)), length  # noqa: S301  see above


def bound(memory_bytes: int, processor_s: int) -> None:
    """This process takes no more than that from now on, writes no file and leaves no dump of its memory. Windows
    knows no such bounds, and macOS not all of them."""
    if sys.platform == "win32":
        return
    import resource

    for what, most in (
        (resource.RLIMIT_AS, memory_bytes),
        (resource.RLIMIT_CPU, processor_s),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
    ):
        hard = resource.getrlimit(what)[1]
        with suppress(OSError, ValueError):
            resource.setrlimit(what, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))
