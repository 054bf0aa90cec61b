"""Libraries that not every installation has: where one is wanted and absent, a sentence names what brings it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from tunebench.core.errors import UserError

EXTRAS = {
    "archive": ("duckdb", "fsspec"),
    "cluster": ("dask", "distributed"),
    "encryption": ("sqlcipher3", "cryptography"),
    "readers": ("lxml", "python_calamine"),
    "report": ("reportlab", "openpyxl", "pptx", "pypdfium2"),
    "s3": ("s3fs",),
    "ssh": ("paramiko", "keyring"),
    "window": ("PySide6", "pyqtgraph"),
}
"""The extras of the library's distribution, by the modules that each brings."""
_EXTRA_OF = {module: extra for extra, modules in EXTRAS.items() for module in modules}


@contextmanager
def absence_named() -> Iterator[None]:
    """
    Raises:
        UserError: extra_missing, where something inside imports a library of an extra that is not installed.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        module = (error.name or "").partition(".")[0]
        if module not in _EXTRA_OF:  # which is a bug
            raise
        raise UserError("extra_missing", library=module, extra=_EXTRA_OF[module]) from error
