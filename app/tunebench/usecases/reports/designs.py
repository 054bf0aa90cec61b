"""The layout of a report: remembered by its engagement, shared as a template file."""

from __future__ import annotations

from pathlib import Path

from tunebench.core.errors import UserError
from tunebench.core.whole_files import write_whole
from tunebench.reporting.design import Design, design_in
from tunebench.store.captured_columns import read_state, write_state
from tunebench.store.project import Project

_REMEMBERED = "report_design"  # name of the property
_LARGEST = 64 << 10


def design_of(project: Project) -> Design:
    """What was remembered; the plain one where nothing was, or by a version that knew other parts."""
    try:
        return design_in(read_state(project, _REMEMBERED))
    except ValueError:
        return Design()


def remember_design(project: Project, design: Design) -> None:
    """A read-only project remembers nothing."""
    if not project.read_only and design != design_of(project):
        write_state(project, _REMEMBERED, design.words)


def read_template(path: Path) -> Design:
    """
    Raises:
        UserError: file_unreadable, report_template_foreign.
    """
    try:
        with path.open("rb") as file:
            words = file.read(_LARGEST + 1)
    except OSError as error:
        raise UserError("file_unreadable", path=str(path), reason=error.strerror or str(error)) from error
    try:
        if len(words) > _LARGEST:
            raise ValueError("too large")
        return design_in(words.decode("utf-8-sig"))
    except ValueError as error:
        raise UserError("report_template_foreign", path=str(path)) from error


def write_template(path: Path, design: Design) -> None:
    """
    Raises:
        UserError: path_missing, file_unwritable, file_is_project.
    """
    write_whole(path, design.words.encode())
