"""Makes a delivered report again from the project and names each figure that differs."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from pathlib import Path

from tunebench.core.errors import UserError
from tunebench.core.progress import Progress
from tunebench.core.records import record
from tunebench.domain.translations import other_language
from tunebench.reporting.cases.case import SuccessCase
from tunebench.reporting.delivered import Difference, Recipe, recipe_in
from tunebench.reporting.html import reading as html_reading
from tunebench.reporting.html.writing import html_bytes
from tunebench.reporting.look import Look
from tunebench.reporting.packages import holds_slides
from tunebench.reporting.pdf import reading as pdf_reading
from tunebench.reporting.pdf.writing import pdf_bytes
from tunebench.reporting.pptx import reading as pptx_reading
from tunebench.reporting.pptx.deck import slides_bytes
from tunebench.reporting.xlsx import reading as xlsx_reading
from tunebench.reporting.xlsx.workbook import workbook_bytes
from tunebench.store import clean_copy
from tunebench.store.project import Project
from tunebench.usecases.reports.designs import look_of
from tunebench.usecases.reports.recipes import window_in
from tunebench.usecases.reports.success_case import build_case, pdf_document, slides_document, workbook_document

MOST = 1000
"""Differences that are named: a project that has moved on since differs everywhere."""
LARGEST = 2 << 30


@record
class Verification:
    """
    Attributes:
        same: to the last byte.
        differences: the first of them, at most `MOST`; `further`: there are more.
    """

    recipe: Recipe
    same: bool
    differences: tuple[Difference, ...] = ()
    further: bool = False

    @property
    def key(self) -> str:
        """The key of the sentence that sums it up."""
        if self.differences:
            return "verify.further" if self.further else "verify.differences"
        return "verify.same" if self.same else "verify.equal"


def verify(project: Project, path: Path, progress: Progress | None = None) -> Verification:
    """
    Raises:
        UserError: report_unreadable, report_foreign, report_redacted where names were replaced and `project` is not the
            copy in which they are, window_or_run_unknown, report_window_lost, report_logo_lost, and those of a report.
    """
    delivered = _bytes_of(path)
    form = _form_of(delivered)
    recipe = _recipe_of(delivered, form, path)
    if recipe.redacted and clean_copy.mark_of(project) is None:
        raise UserError("report_redacted", path=str(path), profile=recipe.redacted)
    anew = _made_again(project, recipe, form, progress)
    if anew == delivered:
        return Verification(recipe, same=True)
    try:
        different = tuple(islice(form.differences(delivered, anew), MOST + 1))
    except (zipfile.BadZipFile, LookupError, ValueError, SyntaxError) as error:  # a part of it is damaged
        raise UserError("report_unreadable", path=str(path)) from error
    return Verification(recipe, False, different[:MOST], len(different) > MOST)


def _bytes_of(path: Path) -> bytes:
    try:
        if path.stat().st_size > LARGEST:
            raise UserError("report_unreadable", path=str(path))
        return path.read_bytes()
    except OSError as error:
        raise UserError("file_unreadable", path=str(path), reason=error.strerror or str(error)) from error


@record
class _Form:
    """How a kind of document is read, and made again.

    Attributes:
        bytes_of: of the case, what it was made with, and the case in the other language where that is bound behind.
        binds: it may hold both languages.
    """

    keywords_of: Callable[[bytes], str]
    differences: Callable[[bytes, bytes], Iterator[Difference]]
    bytes_of: Callable[[SuccessCase, Recipe, Look, SuccessCase | None], bytes]
    binds: bool = False


_PDF = _Form(
    pdf_reading.keywords_of,
    pdf_reading.differences,
    lambda *made_of: pdf_bytes(pdf_document(*made_of)).data,
    binds=True,
)
_WORKBOOK = _Form(
    xlsx_reading.keywords_of,
    xlsx_reading.differences,
    lambda case, recipe, look, _: workbook_bytes(workbook_document(case, recipe, look)),
)
_HTML = _Form(
    html_reading.keywords_of, html_reading.differences, lambda *made_of: html_bytes(pdf_document(*made_of)), binds=True
)
_SLIDES = _Form(
    pptx_reading.keywords_of,
    pptx_reading.differences,
    lambda case, recipe, look, _: slides_bytes(slides_document(case, recipe, look)),
)


def _form_of(delivered: bytes) -> _Form:
    if delivered.startswith(b"%PDF"):
        return _PDF
    if delivered.lstrip()[:15].lower() == b"<!doctype html>":
        return _HTML
    return _SLIDES if holds_slides(delivered) else _WORKBOOK


def _recipe_of(delivered: bytes, form: _Form, path: Path) -> Recipe:
    try:
        recipe = recipe_in(form.keywords_of(delivered))
    except ValueError as error:
        raise UserError("report_unreadable", path=str(path)) from error
    if recipe is None:
        raise UserError("report_foreign", path=str(path))
    return recipe


def _made_again(project: Project, recipe: Recipe, form: _Form, progress: Progress | None) -> bytes:
    before, after = (window_in(project, words) for words in (recipe.before, recipe.after))
    look = look_of(project, recipe.look)
    build = partial(
        build_case,
        project,
        issued=recipe.issued,
        progress=progress,
        before=before,
        after=after,
        trail=recipe.trail,
        untranslated=recipe.untranslated,
    )
    other = build(other_language(recipe.language)) if look.both and form.binds else None
    return form.bytes_of(build(recipe.language), recipe, look, other)
