"""The printed pages as they will be exported, below each other, at any zoom."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QPixmap, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QLabel, QScrollArea, QWidget

from tunebench.core.progress import Progress
from tunebench.ui.look.language import text
from tunebench.ui.look.theme import SPACE_M
from tunebench.ui.widgets.parts import column
from tunebench.ui.workspace import Workspace

PAGE_SHAPE = 297 / 210
ZOOMS = (50, 75, 100, 125, 150, 200)
FULL_WIDTH_PX = 794
"""A4 at 96 px per inch: 100 %."""
SETTLE_MS, SCROLLED_MS = 180, 40


class PageView(QScrollArea):
    """`zoomed` carries the zoom in per cent; `page_shown` the number of the page at the top (from 1)."""

    zoomed = Signal(int)
    page_shown = Signal(int)

    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self._workspace = workspace
        self._pdf = b""
        self._pages: list[QLabel] = []
        self._zoom_pct: int | None = None
        self._aimed = 0
        self._settle = QTimer(self, singleShot=True, interval=SETTLE_MS)
        self._settle.timeout.connect(self.render_pages)
        self._scrolled = QTimer(self, singleShot=True, interval=SCROLLED_MS)
        self._scrolled.timeout.connect(self._render_near)
        self._drawn: set[int] = set()
        self._inner = QWidget()
        self._column = column(spacing=SPACE_M, margins=SPACE_M)
        self._inner.setLayout(self._column)
        self.setWidget(self._inner)
        self.setWidgetResizable(True)
        self.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self.verticalScrollBar().actionTriggered.connect(self._forget_aim)
        self.verticalScrollBar().valueChanged.connect(self._on_scrolled)

    @property
    def zoom_pct(self) -> int:
        return self._zoom_pct or round(self._page_width() / FULL_WIDTH_PX * 100)

    @property
    def pages(self) -> int:
        return len(self._pages)

    def show_pdf(self, pdf: bytes) -> None:
        """Shows another document; the place scrolled to is kept where it still exists."""
        from tunebench.reporting.pdf import preview

        scrolled = self.verticalScrollBar().value()
        self._pdf = pdf
        self._set_count(preview.page_count(pdf))
        self.render_pages()
        self.verticalScrollBar().setValue(scrolled)

    def show_page(self, number: int) -> None:
        """Scrolls to a page (from 1), again whenever pages are drawn anew, until somebody scrolls."""
        self._aimed = number
        self._aim()
        self._scrolled.start()

    def _aim(self) -> None:
        if 1 <= self._aimed <= len(self._pages):
            self.verticalScrollBar().setValue(max(self._pages[self._aimed - 1].y() - SPACE_M, 0))

    def _forget_aim(self, *_: object) -> None:
        self._aimed = 0

    def page(self) -> int:
        """The page that fills most of the upper half, from 1; 0 without a document."""
        middle = self.verticalScrollBar().value() + self.viewport().height() // 3
        above = [number for number, page in enumerate(self._pages, 1) if page.y() <= middle]
        return above[-1] if above else min(len(self._pages), 1)

    def set_zoom(self, pct: int | None) -> None:
        """Per cent of the printed size; None fits the width."""
        self._zoom_pct = pct
        self.render_pages()

    def step_zoom(self, steps: int) -> None:
        now = self.zoom_pct
        wanted = [pct for pct in ZOOMS if (pct > now if steps > 0 else pct < now)]
        if wanted:
            self.set_zoom(wanted[0] if steps > 0 else wanted[-1])

    def render_pages(self) -> None:
        """Draws the pages that are near the screen anew at the present width, in a worker."""
        if not self._pdf:
            return
        across = self._page_width()
        for page in self._pages:
            page.setFixedSize(across, round(across * PAGE_SHAPE))
        self._drawn.clear()
        self._render_near()
        self.zoomed.emit(self.zoom_pct)

    def _on_scrolled(self) -> None:
        self.page_shown.emit(self.page())
        self._scrolled.start()

    def _render_near(self) -> None:
        """What comes near the screen is drawn, what went away from it is forgotten: a page takes four megabytes."""
        near = self._near()
        for number, page in enumerate(self._pages, 1):
            if number not in near and not page.pixmap().isNull():
                page.setPixmap(QPixmap())
        self._drawn &= set(near)
        missing = [number for number in near if number not in self._drawn]
        if missing:
            self._render(missing)

    def _near(self) -> list[int]:
        """Numbers of the pages on the screen, or that come there when what was aimed at does, and of one around."""
        first = self._aimed or max(self.page(), 1)
        seen = max(1, -(-self.viewport().height() // max(self._pages[0].height(), 1))) if self._pages else 0
        order = [*range(first, first + seen + 2), first - 1]
        return [number for number in order if 1 <= number <= len(self._pages)]

    def _render(self, numbers: Sequence[int]) -> None:
        pdf, pixels, ratio = self._pdf, self.pixels_across, self.devicePixelRatioF()

        def render(handle: Progress) -> dict[int, bytes]:
            from tunebench.reporting.pdf import preview

            pictures = {}
            for number in numbers:
                handle.raise_if_cancelled()
                pictures[number] = preview.render_page(pdf, number - 1, pixels)
            return pictures

        def show(pictures: dict[int, bytes]) -> None:
            self._drawn.update(pictures)
            self._show_pictures(pictures, ratio)

        self._workspace.jobs.run("cpu", render, owner=self, slot="render", on_result=show)

    @property
    def pixels_across(self) -> int:
        return round(self._page_width() * self.devicePixelRatioF())

    def show_draft(self, number: int, picture: bytes) -> None:
        """Shows one page of a document whose others are still to come."""
        if number <= len(self._pages):
            self._show_pictures({number: picture}, self.devicePixelRatioF())

    def _show_pictures(self, pictures: Mapping[int, bytes], ratio: float) -> None:
        for number, picture in pictures.items():
            page, pixmap = self._pages[number - 1], QPixmap()
            pixmap.loadFromData(picture)
            pixmap.setDevicePixelRatio(ratio)
            page.setPixmap(pixmap)
            page.setAccessibleName(text("ui.report.page", page=number, pages=len(self._pages)))
        QTimer.singleShot(0, self, self._aim)
        self.page_shown.emit(self.page())  # only now do the pages stand in their places

    def _page_width(self) -> int:
        if self._zoom_pct is not None:
            return round(FULL_WIDTH_PX * self._zoom_pct / 100)
        return max(self.viewport().width() - 2 * SPACE_M - 2, 200)

    def _set_count(self, count: int) -> None:
        while len(self._pages) > count:
            self._pages.pop().deleteLater()
        while len(self._pages) < count:
            page = QLabel()
            page.setProperty("card", "true")
            page.setStyleSheet("background: white")
            page.setAlignment(Qt.AlignmentFlag.AlignCenter)
            self._column.addWidget(page, 0, Qt.AlignmentFlag.AlignHCenter)
            self._pages.append(page)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._zoom_pct is None and event.size().width() != event.oldSize().width():
            self._settle.start()

    def wheelEvent(self, event: QWheelEvent) -> None:
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.step_zoom(1 if event.angleDelta().y() > 0 else -1)
            event.accept()
            return
        self._forget_aim()
        super().wheelEvent(event)
