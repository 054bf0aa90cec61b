"""The layout of a report: remembered by its engagement, shared as a template file."""

from __future__ import annotations

import base64
import hashlib
import json
from pathlib import Path

from tunebench.core.errors import UserError
from tunebench.core.whole_files import write_whole
from tunebench.reporting.design import Design, design_in
from tunebench.reporting.look import LARGEST_LOGO, PLAIN_LOOK, Look, checked_logo, look_in
from tunebench.store.captured_columns import read_state, write_state
from tunebench.store.clean_copy import LOGO
from tunebench.store.project import Project

_REMEMBERED = "report_design"  # name of the property
_LARGEST = 2 * LARGEST_LOGO


def design_of(project: Project) -> Design:
    """What was remembered; the plain one where nothing was, or by a version that knew other parts."""
    try:
        return design_in(read_state(project, _REMEMBERED), lambda digest: kept_logo(project, digest))
    except (UserError, ValueError):
        return Design()


def remember_design(project: Project, design: Design) -> None:
    """A read-only project remembers nothing."""
    if not project.read_only and design != design_of(project):
        keep_logo(project, design.look)
        write_state(project, _REMEMBERED, design.words(with_logo=False))


def keep_logo(project: Project, look: Look) -> None:
    """Keeps the picture under its digest, so that a document can be made again when the house has another."""
    name = LOGO + look.logo_digest
    if look.logo and not project.read_only and not read_state(project, name):
        write_state(project, name, base64.b64encode(look.logo).decode())


def kept_logo(project: Project, digest: str) -> bytes:
    """
    Raises:
        UserError: report_logo_lost.
    """
    data = base64.b64decode(read_state(project, LOGO + digest))
    if hashlib.sha256(data).hexdigest() != digest:
        raise UserError("report_logo_lost")
    return data


def look_of(project: Project, words: str) -> Look:
    """The look that a recipe names.

    Raises:
        UserError: report_look_unreadable, report_logo_lost.
    """
    try:
        return look_in(json.loads(words), lambda digest: kept_logo(project, digest)) if words else PLAIN_LOOK
    except ValueError as error:
        raise UserError("report_look_unreadable") from error


def read_logo(path: Path) -> bytes:
    """
    Raises:
        UserError: file_unreadable, report_logo_large, report_logo_broken.
    """
    return checked_logo(_bytes_of(path, LARGEST_LOGO))


def read_template(path: Path) -> Design:
    """
    Raises:
        UserError: file_unreadable, report_template_foreign; report_colour, report_logo_broken and the like.
    """
    words = _bytes_of(path, _LARGEST)
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
    write_whole(path, design.words().encode())


def _bytes_of(path: Path, most: int) -> bytes:
    """As many as tell that there are too many."""
    try:
        with path.open("rb") as file:
            return file.read(most + 1)
    except OSError as error:
        raise UserError("file_unreadable", path=str(path), reason=error.strerror or str(error)) from error
