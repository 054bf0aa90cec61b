"""Tables of which a row may be taller than a page."""

from __future__ import annotations

from typing import Any

from reportlab.platypus import LongTable

from app.reporting.pdf.style import BODY_HEIGHT


class PagedTable(LongTable):  # type: ignore[misc]  # reportlab has no types
    """Breaks between rows, and inside of one only where even an empty page would not hold it."""

    def split(self, width: float, height: float) -> list[Any]:
        found: list[Any] = super().split(width, height)
        if not found and height >= BODY_HEIGHT - 1:
            found = self._splitRows(height, doInRowSplit=1)
        return found
