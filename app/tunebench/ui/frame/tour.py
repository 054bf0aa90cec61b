"""The tour: ten steps over the demo, each beside the part of a page that it speaks of. All else is veiled meanwhile."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QSize, Qt, QTimer
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QColor,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QRegion,
)
from PySide6.QtWidgets import QApplication, QProgressBar, QScrollArea, QWidget

from tunebench.ui.frame.tour_steps import STEPS, Step, peak
from tunebench.ui.look.language import language, text, translated
from tunebench.ui.look.theme import RADIUS, SPACE_L, SPACE_M, SPACE_S, current_theme, faded
from tunebench.ui.widgets.parts import Card, button, caption, column, label, row
from tunebench.ui.workspace import Change

LOOK_MS, WIDTH, EDGE_PX, VEIL = 100, 400, 4, 0.55
_PRESSED = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)


class Tour(QWidget):
    """Lies over the window, but for the part of the step: what is done there is done to the page."""

    def __init__(self, window: Any) -> None:
        """
        Args:
            window: the main window, which makes it and is not known here by its type.
        """
        super().__init__(window)
        self._window, self._index, self._waits = window, 0, False
        self._acted = self._answered = False
        self._pressed_at, self.clear = QPoint(), QRect()
        self._part: QWidget | None = None
        self._said: object = None
        self._placed: object = None
        self._make_bubble()
        self._timer = QTimer(self, interval=LOOK_MS)
        self._timer.timeout.connect(self.look)
        window.workspace.project_changed.connect(self._on_change)
        self.hide()

    def _make_bubble(self) -> None:
        self._count, self._progress = label(role="small"), QProgressBar(maximum=len(STEPS), textVisible=False)
        self._sentence, self._about = label(role="section", wrap=True), label(role="muted", wrap=True)
        self._quote = label(tone="accent", wrap=True)
        self.skip = translated(button(kind="link", on_click=self._skip), "ui.tour.skip")
        self.back = translated(button(on_click=lambda: self._go(-1)), "ui.tour.back")
        self.next = button(kind="primary", on_click=lambda: self._go(1))
        foot = row(self.skip, caption("ui.tour.later"), 1, self.back, self.next)
        head = row(self._count, 1, (self._progress, 1))
        parts = head, self._sentence, self._about, self._quote, foot
        self._parts = column(*parts, margins=(SPACE_L, SPACE_M))
        self.bubble = Card(self._parts)
        self.bubble.setParent(self)

    # --- from step to step
    @property
    def step(self) -> Step:
        return STEPS[self._index]

    def begin(self) -> None:
        """At the step that was reached, over the demo."""
        self._waits = not self._window.controller.is_demo
        if self._waits:
            self._window.controller.open_demo()
        else:
            self._show_step(max(self._window.settings.tour_step - 1, 0))

    def _on_change(self, change: Change) -> None:
        if change is Change.CLOSED:
            self.end()
        elif change is Change.OPENED and self._waits:
            self._waits = False
            QTimer.singleShot(0, self, self._begin_if_demo)

    def _begin_if_demo(self) -> None:
        if self._window.controller.is_demo:
            self.begin()

    def _go(self, by: int) -> None:
        if self._index + by < len(STEPS):
            self._show_step(self._index + by)
        else:
            self._skip()
            self._window.controller.leave()
            self._window.welcome.starts["folder"].setFocus()

    def _show_step(self, index: int) -> None:
        window, self._index = self._window, min(index, len(STEPS) - 1)
        window.settings.tour_step = self._index + 1
        self._acted = self._answered = False
        self._part = None
        window.show_page(self.step.page_id, self.step.argument)
        self.step.prepare(window.page(self.step.page_id))
        self.show()
        self.raise_()
        self._turn(True)
        self.look()
        self.next.setFocus()

    def _skip(self) -> None:
        self._window.settings.tour_step = 0
        self.end()

    def end(self) -> None:
        """Until it is gone on with, at the same step."""
        if self.isVisible():
            self.hide()
            self._turn(False)

    def _turn(self, on: bool) -> None:
        """The keyboard goes round in bubble and part; what is done in the part is noticed at the window's door."""
        self._window.panes.is_confined = on
        self._window.commands.refresh()
        handle = self._window.windowHandle()
        (handle.installEventFilter if on else handle.removeEventFilter)(self)
        (self._timer.start if on else self._timer.stop)()

    def panes(self) -> list[QWidget]:
        return [self.bubble, *filter(None, [self._part])]

    # --- looking
    def look(self) -> None:
        """Follows the page: what it shows, where, and what was done there."""
        if not self.isVisible() or QApplication.activeModalWidget() is not None:
            return
        page = self._window.page(self.step.page_id) if self._window.current_page == self.step.page_id else None
        if self._acted and not self._answered:
            self._answered = page is not None and self.step.answer(page) is not None
            if not self._answered:
                self._go(1)
                return
        before, self._part = self._part, self._find(page)
        if before is not None and self._part is None and page is not None:
            self.step.prepare(page)
        if self._part is not None and self._part is not before:
            _reveal(self._part)
        words = self._index, language().code, self._answered, self.step.quote(page) if page is not None else ""
        if words != self._said:
            self._said = words
            self._say(words[-1])
        place = self._window.rect(), self._seen(), self._parts.totalHeightForWidth(WIDTH)
        if place != self._placed:
            self._placed = place
            self._place(*place)

    def _find(self, page: object) -> QWidget | None:
        ways = (self.step.answer, self.step.part) if self._answered else (self.step.part,)
        parts = [way(page) for way in ways] if page is not None else []
        return next((part for part in parts if part is not None and part.isVisible()), None)

    def _say(self, quote: str) -> None:
        from tunebench.columns.time_ticks import stamp_text

        number, name = self._index + 1, f"ui.tour.{self.step.name}"
        about = f"{name}.done" if self._answered else f"{name}.about"
        start, end = (stamp_text(at_ns, self._window.workspace.zone, with_zone=False)[:-3] for at_ns in peak().ends)
        self._count.setText(text("ui.tour.count", step=number, steps=len(STEPS)))
        self._progress.setValue(number)
        self._sentence.setText(text(name))
        self._about.setText(text(about, start=start, end=end[-5:]))
        self._quote.setText(quote)
        self._quote.setVisible(bool(quote))
        self.back.setEnabled(self._index > 0)
        self.next.setText(text("ui.tour.next" if number < len(STEPS) else "ui.tour.finish"))
        words = f"{self._count.text()}. {self._sentence.text()} {self._about.text()} {quote}".rstrip()
        self.bubble.setAccessibleName(words)
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self.bubble, words))

    def _place(self, whole: QRect, seen: QRect, height: int) -> None:
        self.setGeometry(whole)
        room = whole.adjusted(SPACE_M, SPACE_M, -SPACE_M, -SPACE_M)
        self.clear, bubble = _beside(room, seen, QSize(WIDTH, height))
        self.bubble.setGeometry(bubble)
        self.setMask(QRegion(self.rect()) - QRegion(self.clear))
        self.update()

    def _seen(self) -> QRect:
        """What is in sight of the part, in the window; empty where there is none."""
        if self._part is None:
            return QRect()
        seen = self._part.visibleRegion().boundingRect()
        return QRect(self._part.mapTo(self._window, seen.topLeft()), seen.size())

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        """Where the mouse is let go, and which key is pressed in the part."""
        if isinstance(event, QMouseEvent) and event.type() is QEvent.Type.MouseButtonPress:
            self._pressed_at = event.position().toPoint()
        elif isinstance(event, QMouseEvent) and event.type() is QEvent.Type.MouseButtonRelease:
            far = (event.position().toPoint() - self._pressed_at).manhattanLength() >= QApplication.startDragDistance()
            self._note(self.clear.contains(self._pressed_at) and (far or not self.step.is_dragged))
        elif isinstance(event, QKeyEvent) and event.type() is QEvent.Type.KeyPress and event.key() in _PRESSED:
            focused, part = QApplication.focusWidget(), self._part
            inside = part is not None and focused is not None and (part is focused or part.isAncestorOf(focused))
            self._note(inside and not self.step.is_dragged)
        return False

    def _note(self, acted: bool) -> None:
        self._acted = self._acted or (acted and self._index + 1 < len(STEPS))

    def paintEvent(self, _event: QPaintEvent) -> None:
        theme, painter = current_theme(), QPainter(self)
        painter.fillRect(self.rect(), faded(min(theme.text, theme.background, key=QColor.lightness), VEIL))
        painter.setPen(QPen(theme.accent, 2 * EDGE_PX))
        if not self.clear.isEmpty():
            painter.drawRoundedRect(self.clear, RADIUS, RADIUS)


def _reveal(part: QWidget) -> None:
    """Scrolls to it."""
    within = part.parentWidget()
    while within is not None:
        if isinstance(within, QScrollArea):
            within.ensureWidgetVisible(part, 0, SPACE_S)
        within = within.parentWidget()


def _beside(room: QRect, part: QRect, size: QSize) -> tuple[QRect, QRect]:
    """What stays clear of the part, and the bubble of that `size`, inside `room`: right, below, left or above, where
    there is room beside the whole part, else where the end of it that is veiled is the smaller one; in the middle where
    there is no part."""
    wide, high = size.width() + SPACE_M, size.height() + SPACE_M
    rooms = ((0, 0, -wide, 0), (0, 0, 0, -high), (wide, 0, 0, 0), (0, high, 0, 0))
    cuts = [part.intersected(room.adjusted(*edges)) for edges in rooms]
    spared = [at for at, cut in enumerate(cuts) if cut == part]
    side = spared[0] if spared else max(range(2), key=lambda at: cuts[at].width() * cuts[at].height())
    clear, bubble = cuts[side], QRect(QPoint(), size)
    if clear.isEmpty():
        bubble.moveCenter(room.center())
        return QRect(), bubble
    x = (clear.right() + SPACE_M, clear.left(), clear.left() - wide, clear.left())[side]
    y = (clear.top(), clear.bottom() + SPACE_M, clear.top(), clear.top() - high)[side]
    bubble.moveTo(min(x, room.right() - size.width()), min(y, room.bottom() - size.height()))
    return clear, bubble
