"""Where the keyboard is: a ring around it, Tab from stop to stop, F6 from pane to pane of the window.

Buttons and cards that stand side by side are one stop; the arrows walk among them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from weakref import WeakKeyDictionary

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Qt
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent, QPen, QWindow
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QDialog,
    QMainWindow,
    QMenuBar,
    QPushButton,
    QScrollArea,
    QToolButton,
    QWidget,
)
from shiboken6 import isValid

from tunebench.ui.look.theme import RADIUS, current_theme
from tunebench.ui.widgets.parts import ClickableFrame

RING_PX = 2
Stop = list[QWidget]
_STEPS = {Qt.Key.Key_Left: -1, Qt.Key.Key_Up: -1, Qt.Key.Key_Right: 1, Qt.Key.Key_Down: 1}
_WALKS = frozenset(
    {*_STEPS, Qt.Key.Key_Tab, Qt.Key.Key_Backtab, Qt.Key.Key_F6, Qt.Key.Key_Home, Qt.Key.Key_End}
    | {Qt.Key.Key_PageUp, Qt.Key.Key_PageDown}
)
_PRESSES = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
_MOVES = frozenset({QEvent.Type.Move, QEvent.Type.Resize, QEvent.Type.Hide, QEvent.Type.Show})


class FocusRing(QWidget):
    """Lies over its window, around what has the keyboard, and takes no clicks."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def surround(self, widget: QWidget | None) -> None:
        """What is in sight of `widget`; nothing where none of it is."""
        if widget is None:
            self.hide()
            return
        seen = widget.visibleRegion().boundingRect()
        area = QRect(widget.mapTo(self.window(), QPoint(0, 0)) + seen.topLeft(), seen.size())
        around = area.adjusted(-RING_PX, -RING_PX, RING_PX, RING_PX)
        self.setGeometry(around.intersected(self.window().rect()))
        self.setVisible(seen.isValid())
        self.raise_()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(current_theme().accent, RING_PX))
        painter.drawRoundedRect(self.rect().adjusted(1, 1, -1, -1), RADIUS, RADIUS)


class Panes(QObject):
    """One per window.

    Args:
        panes: the panes that there are now, in the order of F6; of two that hold a widget the later one has it.
    """

    def __init__(self, window: QMainWindow, panes: Callable[[], Sequence[QWidget]]) -> None:
        super().__init__(window)
        self._window, self._panes = window, panes
        self._last: WeakKeyDictionary[QWidget, QWidget] = WeakKeyDictionary()
        self._followed: list[QWidget] = []
        self._ring: FocusRing | None = None
        self.by_keyboard = self._tab_pressed = self.is_confined = False
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        application.focusChanged.connect(self._on_focus)

    # --- walking
    def go(self, by: int) -> None:
        """To the pane so many further, where it was left."""
        stops = self.stops(self._panes())
        panes = list(dict.fromkeys(pane for pane, _stop in stops if pane is not None))
        here = self._pane_of(self._window.focusWidget(), self._panes())
        if panes:
            pane = panes[(panes.index(here) + by) % len(panes) if here in panes else 0]
            own = [stop for owner, stop in stops if owner is pane]
            last = self._last.get(pane)
            self._focus(last if any(last in stop for stop in own) and last is not None else _entry(own[0]))

    def step(self, by: int) -> bool:
        """To the next stop, or the one before, where Tab was pressed; else Qt asks because something is taken away."""
        was_pressed, self._tab_pressed = self._tab_pressed, False
        if not was_pressed:
            return self._come_back()
        panes = self._panes()
        outer = (
            panes
            if self.is_confined
            else [pane for pane in panes if not any(_is_within(pane, other) for other in panes)]
        )
        stops = [stop for _pane, stop in self.stops(outer)]
        focused = self._window.focusWidget()
        if not stops:
            return False
        holders = [at for at, stop in enumerate(stops) if _holds(stop, focused)]  # a scrolled area holds its fields
        here = next((at for at in holders if focused in stops[at]), holders[-1] if holders else None)
        if here is None:
            pane = self._pane_of(focused, outer)
            first = next((at for at, (owner, _stop) in enumerate(self.stops(outer)) if owner is pane), 0)
            here = first - 1 if by > 0 else first
        self._focus(_entry(stops[(here + by) % len(stops)]))
        return True

    def _come_back(self) -> bool:
        """To what had the keyboard before and is still there; the next one of Qt's order may be anywhere."""
        shown = (widget for widget in reversed(list(self._last.values())) if isValid(widget) and widget.isVisible())
        next((widget for widget in shown if widget.isEnabled()), self._window).setFocus()
        return True

    def stops(self, panes: Sequence[QWidget]) -> list[tuple[QWidget | None, Stop]]:
        """All that Tab reaches, pane by pane; at the end what is in none, unless it is confined to the panes."""
        owned: dict[QWidget | None, list[Stop]] = {pane: [] for pane in [*panes, None]}
        for widget in _reached(self._window):
            stops = owned[self._pane_of(widget, panes)]
            if stops and _are_alike(stops[-1][-1], widget):
                stops[-1].append(widget)
            else:
                stops.append([widget])
        walked = [pane for pane in owned if pane is not None or not self.is_confined]
        return [(pane, stop) for pane in walked for stop in owned[pane]]

    @staticmethod
    def _pane_of(widget: QWidget | None, panes: Sequence[QWidget]) -> QWidget | None:
        inside = [pane for pane in panes if widget is not None and _is_in(pane, widget)]
        return inside[-1] if inside else None

    def _focus(self, widget: QWidget) -> None:
        """Where it is scrolled out of sight, what scrolls brings it back: Qt does so only for its own order of Tab."""
        self.by_keyboard = True
        widget.setFocus(Qt.FocusReason.TabFocusReason)
        for outer in _with_ancestors(widget):
            if isinstance(outer, QScrollArea) and outer is not widget:
                outer.ensureWidgetVisible(widget, RING_PX, RING_PX)

    # --- following
    def _on_focus(self, _before: QWidget | None, now: QWidget | None) -> None:
        for widget in filter(isValid, self._followed):
            widget.removeEventFilter(self)
        self._followed = []
        if self._ring is not None and isValid(self._ring):
            self._ring.hide()
        window = now.window() if now is not None else None  # held: one that Qt made takes its handle along otherwise
        if now is None or isinstance(now, QMenuBar) or not isinstance(window, QMainWindow | QDialog):
            return
        pane = self._pane_of(now, self._panes())
        if pane is not None:
            self._last.pop(pane, None)
            self._last[pane] = now
        self._followed = list(_with_ancestors(now))
        handle = window.windowHandle()
        for watched in (*self._followed, *filter(None, [handle])):  # none before the window is shown
            watched.installEventFilter(self)
        self._ring = window.findChild(FocusRing) or FocusRing(window)
        self._show_ring()

    def _show_ring(self) -> None:
        if self._ring is not None and self._followed:
            self._ring.surround(self._followed[0] if self.by_keyboard else None)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(watched, QWindow):
            pressed = event.type() is QEvent.Type.MouseButtonPress
            if pressed or (isinstance(event, QKeyEvent) and event.key() in _WALKS):
                self.by_keyboard = not pressed
                self._show_ring()
        elif event.type() in _MOVES:
            self._show_ring()
        elif isinstance(event, QKeyEvent) and event.type() is QEvent.Type.KeyPress and watched is self._followed[0]:
            self._tab_pressed = event.key() in (Qt.Key.Key_Tab, Qt.Key.Key_Backtab)
            if event.key() in _PRESSES and isinstance(watched, QPushButton | QToolButton):
                watched.click()  # the button that is focused, never the one that Enter stands for in its dialog
                return True
            return event.key() in _STEPS and self._walk(self._followed[0], _STEPS[Qt.Key(event.key())])
        return False

    def _walk(self, widget: QWidget, by: int) -> bool:
        """To its neighbour in the same stop; whether there is one at all."""
        stop = next((stop for _pane, stop in self.stops(self._panes()) if widget in stop), [widget])
        if isinstance(widget, ClickableFrame) and "keyPressEvent" in vars(type(widget)):  # it has arrows of its own
            return False
        if len(stop) > 1:
            self._focus(stop[(stop.index(widget) + by) % len(stop)])
        return len(stop) > 1


def _reached(window: QWidget) -> Iterator[QWidget]:
    """What Tab reaches, in the order of the focus chain."""
    widget = _after(window)
    while widget is not None and widget is not window:
        if (
            widget.focusPolicy() & Qt.FocusPolicy.TabFocus
            and widget.focusProxy() is None
            and widget.isEnabled()
            and widget.isVisible()
            and widget.window() is window
        ):
            yield widget
        widget = _after(widget)


def _after(widget: QWidget) -> QWidget | None:
    """The next in the focus chain. PySide takes it for a child of the one before it, with which it would be given up
    as deleted: it is given back to its parent."""
    following = widget.nextInFocusChain()
    if following is not None:
        following.setParent(following.parentWidget())
    return following


def _are_alike(one: QWidget, other: QWidget) -> bool:
    pressed = QAbstractButton | ClickableFrame
    return isinstance(one, pressed) and isinstance(other, pressed) and one.parentWidget() is other.parentWidget()


def _entry(stop: Stop) -> QWidget:
    """The one that is chosen among them, else the first."""
    return next((widget for widget in stop if isinstance(widget, QAbstractButton) and widget.isChecked()), stop[0])


def _holds(stop: Stop, focused: QWidget | None) -> bool:
    return focused is not None and any(_is_in(widget, focused) for widget in stop)


def _is_in(outer: QWidget, widget: QWidget) -> bool:
    return outer is widget or outer.isAncestorOf(widget)


def _is_within(widget: QWidget, outer: QWidget) -> bool:
    return outer is not widget and outer.isAncestorOf(widget)


def _with_ancestors(widget: QWidget) -> Iterator[QWidget]:
    within: QWidget | None = widget
    while within is not None and not within.isWindow():
        yield within
        within = within.parentWidget()
