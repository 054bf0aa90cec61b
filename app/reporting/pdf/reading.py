"""Reads a delivered PDF: its key words, and the pages that differ from the same document made again."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest

import pypdfium2

from app.reporting.delivered import Difference, differing_words
from app.reporting.pdf.preview import LOCK

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


def differences(delivered: bytes, made: bytes) -> Iterator[Difference]:
    """Page by page, in words; a page of the same words whose drawing differs is named alone."""
    with LOCK, pypdfium2.PdfDocument(delivered) as one, pypdfium2.PdfDocument(made) as other:
        for number, (ours, theirs) in enumerate(zip_longest(one, other), 1):
            found = list(differing_words(str(number), _words(ours), _words(theirs)))
            if not found and _picture(ours) != _picture(theirs):
                found = [Difference(str(number), "", "")]
            yield from found


def _words(page: pypdfium2.PdfPage | None) -> list[str]:
    return [] if page is None else page.get_textpage().get_text_range().split()


def _picture(page: pypdfium2.PdfPage | None) -> bytes:
    return b"" if page is None else bytes(page.render(scale=_SCALE).buffer)
