"""What must be true of the machine before anything else is loaded.

PySide6 6.12.0 aborts CPython older than 3.12: its ordinary void methods (`QPainter.setPen`, `drawLine`,
`setRenderHint` ...) each take one reference to None too many, and after some thousand calls the interpreter
ends with ``Fatal Python error: none_dealloc``. From 3.12 on None is immortal and nothing happens. PyPI's
metadata does not say so, so the installed version is looked at before Qt is imported.
"""

from __future__ import annotations

import sys
from pathlib import Path

from tunebench.core.errors import UserError

OLDEST_PYTHON = (3, 11)
PYTHON_WITH_IMMORTAL_NONE = (3, 12)
BROKEN_QT = "6.12.0"
PINNED_QT = "6.11.3"
QT_DISTRIBUTIONS = ("PySide6_Essentials", "PySide6", "shiboken6")


def check_platform(python: tuple[int, ...] | None = None) -> UserError | None:
    """The reason why TuneBench cannot start here, or None. Imports no Qt.

    Args:
        python: version of the interpreter; the running one where left out.
    """
    python = tuple(sys.version_info[:3]) if python is None else python
    if python[:2] < OLDEST_PYTHON:
        return UserError("python_too_old", found=_dotted(python), needed=_dotted(OLDEST_PYTHON))
    if python[:2] < PYTHON_WITH_IMMORTAL_NONE and _may_be_installed() and BROKEN_QT in installed_qt_versions():
        return UserError("qt_breaks_python", qt=BROKEN_QT, python=_dotted(python), good=PINNED_QT)
    return None


def _may_be_installed() -> bool:
    """Whether a file name shows the broken version; reading metadata would take as long as all else here."""
    folders = [folder for folder in map(Path, sys.path) if folder.is_dir()]
    return any(BROKEN_QT in entry.name for folder in folders for entry in folder.iterdir())


def installed_qt_versions() -> frozenset[str]:
    """Versions of the Qt distributions that are installed, from their metadata."""
    from importlib import metadata

    versions = set()
    for name in QT_DISTRIBUTIONS:
        try:
            versions.add(metadata.version(name))
        except metadata.PackageNotFoundError:
            continue
    return frozenset(versions)


def _dotted(version: tuple[int, ...]) -> str:
    return ".".join(str(part) for part in version)
