"""Pages of a PDF as pictures, for the window's preview."""

from __future__ import annotations

import threading
from io import BytesIO

import pypdfium2

_LOCK = threading.Lock()
"""PDFium may be used by one thread at a time."""


def page_count(pdf: bytes) -> int:
    with _LOCK, pypdfium2.PdfDocument(pdf) as document:
        return len(document)


def render_page(pdf: bytes, page: int, width_px: int) -> bytes:
    """PNG of one page (0-based), `width_px` wide."""
    with _LOCK, pypdfium2.PdfDocument(pdf) as document:
        return _png(document, page, width_px)


def render_pages(pdf: bytes, width_px: int) -> list[bytes]:
    """PNG of every page, each `width_px` wide."""
    return [render_page(pdf, page, width_px) for page in range(page_count(pdf))]


def _png(document: pypdfium2.PdfDocument, number: int, width_px: int) -> bytes:
    page = document[number]
    try:
        bitmap = page.render(scale=width_px / page.get_width())
        picture = bitmap.to_pil()
        target = BytesIO()
        picture.save(target, "PNG", compress_level=1)
        return target.getvalue()
    finally:
        page.close()
