"""Which scanner reads: the compiled one where it was built, else the plain one."""

from __future__ import annotations

import ctypes
import os
from functools import cache

from tunebench.sdk.scanning import compiled
from tunebench.sdk.scanning.reference import ReferenceReader
from tunebench.sdk.scanning.scanner import Dialect, Reader, Scanner

PLAIN = "TUNEBENCH_PLAIN_SCANNER"
"""An environment variable: where it is set, the plain scanner reads."""


def new_scanner(dialect: Dialect) -> Scanner:
    return Scanner(dialect, new_reader(dialect))


def new_reader(dialect: Dialect) -> Reader:
    library = chosen_library()
    return ReferenceReader(dialect) if library is None else compiled.CompiledReader(dialect, library)


def chosen_library() -> ctypes.CDLL | None:
    """What was compiled; None where nothing was, or the plain implementation is asked for."""
    return None if os.environ.get(PLAIN) else _compiled_library()


@cache
def _compiled_library() -> ctypes.CDLL | None:
    return compiled.load(compiled.library_path())


def is_compiled() -> bool:
    """Whether captures are read by the compiled scanner."""
    return isinstance(new_reader(Dialect()), compiled.CompiledReader)
