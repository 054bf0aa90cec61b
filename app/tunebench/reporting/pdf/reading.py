"""Reads a delivered PDF: its key words, and the pages that differ from the same document made again."""

from __future__ import annotations

from collections.abc import Iterator

import pypdfium2

from tunebench.reporting.delivered import Difference, differing_words
from tunebench.reporting.pdf.preview import LOCK, page_count

_SCALE = 1.0
"""Pixels a point at which drawings are compared."""


def keywords_of(pdf: bytes) -> str:
    """
    Raises:
        ValueError: it is no PDF that can be read.
    """
    try:
        with LOCK, pypdfium2.PdfDocument(pdf) as document:
            return str(document.get_metadata_dict().get("Keywords", ""))
    except pypdfium2.PdfiumError as error:
        raise ValueError(str(error)) from error


def differences(delivered: bytes, rebuilt: bytes) -> Iterator[Difference]:
    """Page by page, in words; a page of the same words whose drawing differs is named alone.

    Others may draw between two pages.
    """
    for number in range(max(page_count(delivered), page_count(rebuilt))):
        yield from _of_page(number, delivered, rebuilt)


def _of_page(number: int, delivered: bytes, rebuilt: bytes) -> list[Difference]:
    page = str(number + 1)
    with LOCK, pypdfium2.PdfDocument(delivered) as one, pypdfium2.PdfDocument(rebuilt) as other:
        ours, theirs = (book[number] if number < len(book) else None for book in (one, other))
        differing = list(differing_words(page, _words(ours), _words(theirs)))
        if not differing and _picture(ours) != _picture(theirs):
            differing = [Difference(page, "", "")]
    return differing


def _words(page: pypdfium2.PdfPage | None) -> list[str]:
    return [] if page is None else page.get_textpage().get_text_range().split()


def _picture(page: pypdfium2.PdfPage | None) -> bytes:
    return b"" if page is None else bytes(page.render(scale=_SCALE).buffer)
