"""Sessions at work, painted: stacked over time (before above after, one scale), overlaid by hour of the day, as a map
of hours and days, and statements by period. A stretch of periods is chosen by dragging."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field
from enum import StrEnum
from zoneinfo import ZoneInfo

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QBrush, QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QPixmap, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from tunebench.analysis.databases.profile_lines import LineKind
from tunebench.analysis.databases.record import Numbers
from tunebench.analysis.databases.sessions import ByHour, Layer, SessionsOverTime, StatementMap, by_hour
from tunebench.columns.formats import format_span, format_value, moment
from tunebench.columns.statement_names import key_name
from tunebench.columns.time_ticks import stamp_text
from tunebench.core.messages import catalogue
from tunebench.core.records import record
from tunebench.ui.look.fonts import SMALL_PX
from tunebench.ui.look.language import language, text, translated
from tunebench.ui.look.painting import CENTRE, RIGHT, TippedWidget, font_of, write
from tunebench.ui.look.theme import current_theme, faded
from tunebench.ui.widgets.exhibit import Exhibit, Exhibited, window_words

LEFT_PX, RIGHT_PX, HEAD_PX, FOOT_PX, ROW_PX, GAP_PX = 54, 12, 18, 18, 18, 6
NAME_PX = 150
_PATTERNS = (Qt.BrushStyle.SolidPattern, Qt.BrushStyle.Dense4Pattern)
_GAP = 1.5
"""Periods apart by more than so many of them stand apart; how long nothing was captured takes no room."""


class Look(StrEnum):
    """How sessions are shown."""

    CLASSES = "classes"
    STATEMENTS = "statements"
    HOURS = "hours"
    DAYS = "days"
    MAP = "map"


@record(frozen=False, eq=False)
class Panel:
    """One side. `chosen`: first and last of the chosen periods, both included."""

    side: str
    over: SessionsOverTime
    statements: StatementMap | None = None
    chosen: tuple[int, int] | None = None
    box: QRectF = field(default_factory=QRectF)
    edges: Numbers = field(default_factory=lambda: np.zeros(0))
    """float64[2, n]: where each period begins and ends, from 0 to 1."""

    def __post_init__(self) -> None:
        self.edges = _edges(self.over)

    def across(self) -> Numbers:
        return self.box.left() + self.edges * self.box.width()


def _edges(over: SessionsOverTime) -> Numbers:
    """Begins and ends of the periods as shares of the width; where nothing was captured, a gap of half a period."""
    lengths = over.seconds
    usual = float(np.median(lengths)) if len(lengths) else 1.0
    apart = (over.begins_ns[1:] - over.ends_ns[:-1]) / 1e9
    gaps = np.concatenate([[0.0], np.where(apart > _GAP * usual, 0.5 * usual, np.clip(apart, 0.0, None))])
    ends = np.cumsum(lengths + gaps)
    return np.stack([ends - lengths, ends]) / (float(ends[-1]) or 1.0)


def layer_name(layer: Layer) -> str:
    if layer.kind is None:
        return text("ui.sessions.others")
    if layer.kind is LineKind.UNACCOUNTED:
        return text("ui.profile.unaccounted")
    if layer.statement is not None:
        return key_name(layer.statement, layer.text, catalogue(language().code))
    return text("database.time.db_cpu") if layer.kind is LineKind.CPU else layer.name or text("ui.sessions.others")


class StackedSessions(TippedWidget):
    """Stacks, painted once until something else is shown."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.look, self.panels = Look.CLASSES, list[Panel]()
        self._layers: tuple[Layer, ...] = ()
        self._zone = ZoneInfo("UTC")
        self._picture: QPixmap | None = None
        self._boxes: list[tuple[QRectF, Callable[[], str]]] = []
        Exhibited(self, self.exhibit)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumHeight(150)
        translated(self, accessibleName="ui.sessions.chart")

    def show_panels(self, look: Look, panels: Sequence[Panel], zone: ZoneInfo) -> None:
        self.look, self.panels, self._zone = look, list(panels), zone
        self._layers = tuple(dict.fromkeys(layer for panel in panels for layer in panel.over.layers))
        self.repaint_all()

    def exhibit(self) -> Exhibit:
        """Every period of either side with what each layer is in it."""
        rows = [
            [
                text(f"ui.phase.{panel.side}"),
                stamp_text(int(begin), self._zone),
                *(f"{amount:.6g}" for amount in amounts),
            ]
            for panel in self.panels
            for begin, amounts in zip(panel.over.begins_ns, panel.over.amounts.T.tolist(), strict=True)
        ]
        heading = ["", text("ui.charts.table.time"), *self.legend_words()]
        return Exhibit(self.accessibleName(), [heading, *rows], window_words(self))

    def repaint_all(self) -> None:
        self._picture = None
        self.setAccessibleDescription("\n".join(self.legend_words()))
        self.update()

    def legend_words(self) -> list[str]:
        return [layer_name(layer) for layer in self._layers]

    @property
    def brushable(self) -> bool:
        return self.look in (Look.CLASSES, Look.STATEMENTS)

    # --- painting: what stands still is painted once
    def resizeEvent(self, _event: object) -> None:
        self._picture = None

    def paintEvent(self, _event: QPaintEvent) -> None:
        if self._picture is None:
            ratio = self.devicePixelRatioF()
            self._picture = QPixmap(self.size() * ratio)
            self._picture.setDevicePixelRatio(ratio)
            self._picture.fill(current_theme().surface)
            inside = QPainter(self._picture)
            inside.setFont(font_of(self, SMALL_PX))
            self._boxes = []
            self._paint(inside)
            inside.end()
        painter = QPainter(self)
        painter.drawPixmap(0, 0, self._picture)
        for panel in self.panels if self.brushable else ():
            if panel.chosen is not None:
                self._paint_brush(painter, panel, panel.chosen)
        painter.end()

    def _paint_brush(self, painter: QPainter, panel: Panel, chosen: tuple[int, int]) -> None:
        theme, across = current_theme(), panel.across()
        left, right = float(across[0, chosen[0]]), float(across[1, chosen[1]])
        box = panel.box
        shade = faded(theme.background, 0.72)
        painter.fillRect(QRectF(box.left(), box.top(), left - box.left(), box.height()), shade)
        painter.fillRect(QRectF(right, box.top(), box.right() - right, box.height()), shade)
        painter.setPen(QPen(theme.accent, 1.5))
        painter.drawRect(QRectF(left, box.top(), right - left, box.height()))

    def _paint(self, painter: QPainter) -> None:
        if self.panels:
            self._paint_stacks(painter)

    # --- stacks
    def _paint_stacks(self, painter: QPainter) -> None:
        top = self._paint_legend(painter)
        highest = self._highest()
        room = (self.height() - top) / len(self.panels)
        for number, panel in enumerate(self.panels):
            head = top + number * room
            panel.box = QRectF(
                LEFT_PX, head + HEAD_PX, self.width() - LEFT_PX - RIGHT_PX, max(room - HEAD_PX - FOOT_PX, 10)
            )
            self._paint_head(painter, panel, head)
            self._paint_axis(painter, panel.box, highest)
            self._paint_layers(painter, panel, highest)
            self._paint_processors(painter, panel, highest)
            self._paint_days(painter, panel)

    def _highest(self) -> float:
        """The top of one scale for all; it holds the processors where sessions reach half of them."""
        sessions = max((float(np.nanmax(panel.over.totals, initial=0.0)) for panel in self.panels), default=0.0)
        processors = max((panel.over.processors or 0 for panel in self.panels), default=0)
        return (max(sessions, processors) if processors <= 2 * sessions else sessions) * 1.08 or 1.0

    def _paint_head(self, painter: QPainter, panel: Panel, head: float) -> None:
        theme, over = current_theme(), panel.over
        words = text(f"ui.phase.{panel.side}") if panel.side else ""
        span = format_span(int(over.begins_ns[0]), int(over.ends_ns[-1]), self._zone)
        mean = text("ui.profile.sessions", sessions=format_value(over.mean, 3)) if over.mean == over.mean else ""
        shown = " · ".join(part for part in (words, span, mean) if part)
        write(painter, QRectF(LEFT_PX, head, self.width() - LEFT_PX, HEAD_PX), shown, theme.phase_colour(panel.side))

    def _paint_axis(self, painter: QPainter, box: QRectF, highest: float) -> None:
        theme = current_theme()
        for part in (0.0, 0.5, 1.0):
            level = box.bottom() - part * box.height() / 1.08
            painter.setPen(theme.grid)
            painter.drawLine(QPointF(box.left(), level), QPointF(box.right(), level))
            area = QRectF(0, level - 8, LEFT_PX - 5, 16)
            write(painter, area, format_value(part * highest / 1.08, 2), theme.muted, RIGHT)

    def _paint_layers(self, painter: QPainter, panel: Panel, highest: float) -> None:
        across, box, over = panel.across(), panel.box, panel.over
        measured = ~np.isnan(over.totals)
        foot = np.zeros(len(over))
        painter.save()
        painter.setClipRect(box.adjusted(-1, -1, 1, 1))
        painter.setPen(Qt.PenStyle.NoPen)
        for layer in self._layers:
            if layer not in over.layers:
                continue
            top = foot + np.nan_to_num(over.amounts[over.layers.index(layer)])
            painter.setBrush(self.brush_of(layer))
            lower, upper = (box.bottom() - level / highest * box.height() for level in (foot, top))
            painter.drawRects(
                [
                    QRectF(left, high, max(right - left, 1.0), low - high)
                    for left, right, low, high, present in zip(
                        across[0].tolist(),
                        across[1].tolist(),
                        lower.tolist(),
                        upper.tolist(),
                        measured.tolist(),
                        strict=True,
                    )
                    if present and low > high
                ]
            )
            foot = top
        painter.restore()

    def _paint_processors(self, painter: QPainter, panel: Panel, highest: float) -> None:
        """Paints how many processors the host has, and how many of them were busy."""
        theme, box, across, over = current_theme(), panel.box, panel.across(), panel.over
        if over.processors and over.processors <= highest:
            level = box.bottom() - over.processors / highest * box.height()
            painter.setPen(QPen(theme.critical, 1.2, Qt.PenStyle.DashLine))
            painter.drawLine(QPointF(box.left(), level), QPointF(box.right(), level))
        painter.setPen(QPen(theme.text, 1.4))
        for left, right, busy in zip(across[0].tolist(), across[1].tolist(), over.busy.tolist(), strict=True):
            if busy == busy and busy <= highest:
                level = box.bottom() - busy / highest * box.height()
                painter.drawLine(QPointF(left, level), QPointF(right, level))

    def _paint_days(self, painter: QPainter, panel: Panel) -> None:
        """Writes the days where they begin; the hours where all is of one day."""
        theme, across, box = current_theme(), panel.across()[0], panel.box
        begins = [moment(int(begin), self._zone) for begin in panel.over.begins_ns]
        several = begins[0].date() != begins[-1].date()
        last, before = -100.0, ""
        for at, begin in zip(across.tolist(), begins, strict=True):
            words = f"{begin:%m-%d}" if several else f"{begin:%H:%M:%S}"
            if words != before and at - last > 64:
                painter.setPen(theme.border)
                painter.drawLine(QPointF(at, box.top()), QPointF(at, box.bottom() + 3))
                write(painter, QRectF(at, box.bottom() + 1, 80, FOOT_PX - 2), words, theme.muted)
                last = at
            before = words

    def brush_of(self, layer: Layer) -> QBrush:
        theme = current_theme()
        if layer.kind in (None, LineKind.UNACCOUNTED):
            return QBrush(theme.muted, Qt.BrushStyle.BDiagPattern if layer.kind else Qt.BrushStyle.Dense5Pattern)
        coloured = [layer for layer in self._layers if layer.kind not in (None, LineKind.UNACCOUNTED)]
        index, count = coloured.index(layer), len(theme.series)
        return QBrush(theme.series[index % count], _PATTERNS[min(index // count, 1)])

    def _paint_legend(self, painter: QPainter) -> float:
        """Paints the legend; how far down it reaches, in pixels."""
        theme, left, top = current_theme(), float(LEFT_PX), 2.0
        entries = [(self.brush_of(layer), layer_name(layer)) for layer in self._layers]
        lines = []
        if any((~np.isnan(panel.over.busy)).any() for panel in self.panels):
            lines.append((theme.text, text("ui.sessions.busy")))
        processors = next((panel.over.processors for panel in self.panels if panel.over.processors), None)
        if processors and processors <= self._highest():
            lines.append((theme.critical, text("ui.sessions.processors", n=processors)))
        for mark, words in (*entries, *lines):
            wide = painter.fontMetrics().horizontalAdvance(words)
            if left + wide + 22 > self.width() and left > LEFT_PX:
                left, top = float(LEFT_PX), top + ROW_PX
            if isinstance(mark, QBrush):
                painter.fillRect(QRectF(left, top + 4, 10, 10), mark)
            else:
                painter.fillRect(QRectF(left, top + 8, 12, 2), mark)
            write(painter, QRectF(left + 15, top, wide + 4, ROW_PX), words, theme.text)
            left += wide + 30
        return top + ROW_PX + GAP_PX


class PaintedSessions(StackedSessions):
    """All looks, and what is said of a place."""

    def _paint(self, painter: QPainter) -> None:
        if not self.panels:
            return
        if self.look is Look.HOURS:
            self._paint_hours(painter)
        elif self.look in (Look.DAYS, Look.MAP):
            self._paint_maps(painter)
        else:
            self._paint_stacks(painter)

    # --- by hour of the day
    def _paint_hours(self, painter: QPainter) -> None:
        theme = current_theme()
        pairs = [(panel, by_hour(panel.over, self._zone)) for panel in self.panels]
        ranges = [hours.range_of_day() for _, hours in pairs]
        highest = max((float(np.nanmax(high, initial=0.0)) for _, high in ranges), default=0.0) * 1.08 or 1.0
        box = QRectF(LEFT_PX, HEAD_PX + ROW_PX, self.width() - LEFT_PX - RIGHT_PX, self.height() - 2 * HEAD_PX - ROW_PX)
        self._paint_axis(painter, box, highest)
        for hour in range(0, 25, 3):
            words, at = f"{hour:02d}", box.left() + hour / 24 * box.width()
            write(painter, QRectF(at - 12, box.bottom() + 1, 24, FOOT_PX - 2), words, theme.muted, CENTRE)
        left = float(LEFT_PX)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for (panel, hours), (low, high) in zip(pairs, ranges, strict=True):
            colour = theme.phase_colour(panel.side)
            self._paint_band(painter, box, (low, high), highest, colour)
            self._paint_line(painter, box, hours.of_day(), highest, panel.side, colour)
            words = f"{text(f'ui.phase.{panel.side}')} · {text('ui.sessions.days', n=len(hours.days))}"
            write(painter, QRectF(left, 2, 300, ROW_PX), words, colour)
            left += painter.fontMetrics().horizontalAdvance(words) + 24
            self._say_hours(box, panel, hours)

    def _paint_band(
        self, painter: QPainter, box: QRectF, ends: tuple[Numbers, Numbers], highest: float, colour: QColor
    ) -> None:
        for hour, (low, high) in enumerate(zip(ends[0].tolist(), ends[1].tolist(), strict=True)):
            if low == low:
                left, wide = box.left() + hour / 24 * box.width(), box.width() / 24
                top = box.bottom() - high / highest * box.height()
                area = QRectF(left, top, wide, max((high - low) / highest * box.height(), 1.0))
                painter.fillRect(area, faded(colour, 0.16))

    def _paint_line(
        self, painter: QPainter, box: QRectF, values: Numbers, highest: float, side: str, colour: QColor
    ) -> None:
        dashed = Qt.PenStyle.DashLine if side == "after" else Qt.PenStyle.SolidLine
        painter.setPen(QPen(colour, 2, dashed))
        points: list[QPointF] = []
        for hour, value in enumerate((*values.tolist(), float("nan"))):
            if value == value:
                level = box.bottom() - value / highest * box.height()
                points += [QPointF(box.left() + (hour + end) / 24 * box.width(), level) for end in (0, 1)]
            elif points:
                painter.drawPolyline(QPolygonF(points))
                points = []

    def _say_hours(self, box: QRectF, panel: Panel, hours: ByHour) -> None:
        for hour, value in enumerate(hours.of_day().tolist()):
            if value == value:
                area = QRectF(box.left() + hour / 24 * box.width(), box.top(), box.width() / 24, box.height())
                sentence = f"{text(f'ui.phase.{panel.side}')} {hour:02d}: {format_value(value, 3)}"
                self._boxes.append((area, lambda sentence=sentence: sentence))

    # --- maps
    def _paint_maps(self, painter: QPainter) -> None:
        top = 0.0
        room = self.height() / len(self.panels)
        if self.look is Look.DAYS:
            maps = [(panel, by_hour(panel.over, self._zone)) for panel in self.panels]
            highest = max((float(np.nanmax(hours.totals, initial=0.0)) for _, hours in maps), default=0.0) or 1.0
            for panel, hours in maps:
                rows = [f"{day:%m-%d}" for day in hours.days]
                unit = text("ui.sessions.unit")
                self._paint_map(painter, panel, top, room, rows, hours.totals, hours.totals / highest, unit)
                for hour in range(0, 24, 3):
                    area = QRectF(panel.box.left() + hour / 24 * panel.box.width(), panel.box.bottom(), 30, FOOT_PX)
                    write(painter, area, f"{hour:02d}", current_theme().muted)
                top += room
            return
        for panel in self.panels:
            history = panel.statements
            if history is not None and len(history.statements):
                with np.errstate(invalid="ignore", divide="ignore"):
                    usual = np.array(
                        [np.nanmedian(row) if (~np.isnan(row)).any() else np.nan for row in history.each_s]
                    )
                    shares = np.clip(0.5 + np.log2(history.each_s / usual[:, None]) / 4, 0.02, 1.0)
                messages = catalogue(language().code)
                rows = [key_name(key, history.texts.get(key.id, ""), messages) for key in history.statements]
                self._paint_map(painter, panel, top, room, rows, history.each_s * 1e3, shares, "ms")
                self._paint_days(painter, panel)
            top += room

    def _paint_map(
        self,
        painter: QPainter,
        panel: Panel,
        top: float,
        room: float,
        rows: Sequence[str],
        values: Numbers,
        shares: Numbers,
        unit: str,
    ) -> None:
        """A cell per value, as dark as its share (0 to 1); nothing is painted where nothing was measured."""
        theme = current_theme()
        self._paint_head(painter, panel, top)
        fitting = max(int((room - HEAD_PX - FOOT_PX) // 12), 1)
        rows, values, shares = rows[:fitting], values[:fitting], shares[:fitting]
        left = NAME_PX if self.look is Look.MAP else LEFT_PX
        panel.box = QRectF(left, top + HEAD_PX, self.width() - left - RIGHT_PX, room - HEAD_PX - FOOT_PX)
        tall = min(panel.box.height() / max(len(rows), 1), 22.0)
        panel.box.setHeight(tall * len(rows))
        columns = values.shape[1]
        edges = panel.across() if self.look is Look.MAP else None
        for index, name in enumerate(rows):
            above = panel.box.top() + index * tall
            shown = painter.fontMetrics().elidedText(name, Qt.TextElideMode.ElideRight, left - 8)
            write(painter, QRectF(4, above, left - 8, tall), shown, theme.text)
            for at in range(columns):
                value, share = float(values[index, at]), float(shares[index, at])
                if value != value:
                    continue
                start = edges[0, at] if edges is not None else panel.box.left() + at / columns * panel.box.width()
                end = edges[1, at] if edges is not None else panel.box.left() + (at + 1) / columns * panel.box.width()
                area = QRectF(start, above, max(end - start - 0.5, 1.0), tall - 1)
                painter.fillRect(area, theme.tint(theme.accent, 0.05 + 0.85 * min(max(share, 0.0), 1.0)))
                sentence = f"{name} · {format_value(value, 3)} {unit}"
                self._boxes.append(
                    (area, lambda sentence=sentence, panel=panel, at=at: self._with_time(sentence, panel, at))
                )

    def _with_time(self, sentence: str, panel: Panel, at: int) -> str:
        if self.look is not Look.MAP:
            return f"{sentence} · {at:02d}"
        return f"{sentence}\n{self._span(panel, at)}"

    def _span(self, panel: Panel, index: int) -> str:
        return format_span(int(panel.over.begins_ns[index]), int(panel.over.ends_ns[index]), self._zone)

    # --- what is said of a place
    def tip_at(self, position: QPointF) -> str:
        if not self.brushable:
            return "\n".join(words() for box, words in self._boxes if box.contains(position))
        panel = self._panel_at(position)
        number = None if panel is None else self._period_at(panel, position.x())
        if panel is None or number is None:
            return ""
        over = panel.over
        lines = [self._span(panel, number)]
        for layer, amount in zip(over.layers, over.amounts[:, number].tolist(), strict=True):
            lines.append(f"{layer_name(layer)}: {format_value(amount, 3) if amount == amount else '–'}")
        busy = float(over.busy[number])
        if busy == busy:
            lines.append(f"{text('ui.sessions.busy')}: {format_value(busy, 3)}")
        return "\n".join(lines)

    def _panel_at(self, position: QPointF) -> Panel | None:
        return next(
            (panel for panel in self.panels if panel.box.adjusted(-4, -HEAD_PX, 4, FOOT_PX).contains(position)), None
        )

    def _period_at(self, panel: Panel, x: float) -> int:
        """The one under a place, or the nearest."""
        return int(np.clip(np.searchsorted(panel.across()[1], x), 0, len(panel.over) - 1))


class SessionsChart(PaintedSessions):
    """Signals:
    brushed: other periods were chosen; of which side it is told.
    """

    brushed = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._drag: tuple[Panel, int] | None = None

    def choose(self, panel: Panel, first: int, last: int) -> None:
        panel.chosen = min(first, last), max(first, last)
        self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        panel = self._panel_at(event.position()) if self.brushable else None
        if panel is not None and event.button() == Qt.MouseButton.LeftButton:
            at = self._period_at(panel, event.position().x())
            self._drag = panel, at
            self.choose(panel, at, at)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._drag is not None:
            panel, first = self._drag
            self.choose(panel, first, self._period_at(panel, event.position().x()))

    def mouseReleaseEvent(self, _event: QMouseEvent) -> None:
        if self._drag is not None:
            panel, _ = self._drag
            self._drag = None
            self.brushed.emit(panel.side)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        panel = self._panel_at(event.position()) if self.brushable else None
        if panel is not None:
            self._all_of(panel)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Arrows move what is chosen by a period, with Shift its end; Escape chooses all."""
        step = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()), 0)
        if event.key() == Qt.Key.Key_Escape:
            for panel in self.panels:
                self._all_of(panel)
        elif step and self.panels and self.brushable:
            for panel in self.panels:
                first, last = panel.chosen or (0, 0)
                most = len(panel.over) - 1
                shift = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
                moved = (first if shift else min(max(first + step, 0), most), min(max(last + step, 0), most))
                self.choose(panel, *moved)
                self.brushed.emit(panel.side)
        else:
            super().keyPressEvent(event)

    def _all_of(self, panel: Panel) -> None:
        panel.chosen = None
        self.update()
        self.brushed.emit(panel.side)
