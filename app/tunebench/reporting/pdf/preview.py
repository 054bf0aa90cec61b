"""Pages of a PDF as pictures, for the window's preview."""

from __future__ import annotations

import threading
from io import BytesIO

import pypdfium2

LOCK = threading.Lock()
"""PDFium may be used by one thread at a time."""


def page_count(pdf: bytes) -> int:
    with LOCK, pypdfium2.PdfDocument(pdf) as document:
        return len(document)


def render_page(pdf: bytes, page: int, width_px: int) -> bytes:
    """PNG of one page (0-based), `width_px` wide."""
    with LOCK, pypdfium2.PdfDocument(pdf) as document:
        shown = document[page]
        try:
            target = BytesIO()
            bitmap = shown.render(scale=width_px / shown.get_width())  # the picture shares its memory
            bitmap.to_pil().save(target, "PNG", compress_level=1)
            return target.getvalue()
        finally:
            shown.close()
