"""Libraries that not every installation has: where one is wanted and absent, a sentence names what brings it."""

from __future__ import annotations

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


def refusal_of(error: ModuleNotFoundError) -> UserError | None:
    """The sentence for a module that could not be imported; None where no extra brings it, which is a bug."""
    module = (error.name or "").partition(".")[0]
    extra = _EXTRA_OF.get(module)
    return UserError("extra_missing", library=module, extra=extra) if extra else None
