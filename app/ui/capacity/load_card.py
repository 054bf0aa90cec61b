"""What if the load grows: the factor that fits within the limit, and what the asked one would need."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.ui.capacity.subject_picker import NumberField, SubjectPicker
from app.ui.look.fonts import SMALL_PX
from app.ui.look.language import language, text, translated
from app.ui.look.painting import painter_on
from app.ui.look.theme import SPACE_M, SPACE_S, SPACE_XS, current_theme
from app.ui.widgets.parts import Card, caption, column, label, row, selectable
from app.usecases.capacity.outlook import LoadOutlook, Subject
from app.usecases.capacity.words import figure, no_what_if_text

FACTOR = 2.0
_HEIGHT = 46
_BAR_TOP, _BAR_PX = 18, 12


class FactorBar(QWidget):
    """Filled up to the possible factor; a mark at 1 (today) and one at what is asked."""

    def __init__(self) -> None:
        super().__init__()
        self.possible: float | None = None
        self.asked = 1.0
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        return QSize(240, _HEIGHT)

    def show_factors(self, possible: float | None, asked: float) -> None:
        self.possible, self.asked = possible, asked
        self.update()

    def _x(self, factor: float) -> float:
        most = max(self.asked, self.possible or 0.0, 1.0) * 1.12
        return 1 + factor / most * (self.width() - 2)

    def paintEvent(self, _event: QPaintEvent) -> None:
        if self.possible is None:
            return
        theme, painter = current_theme(), painter_on(self, pixels=SMALL_PX)
        painter.fillRect(QRectF(1, _BAR_TOP, self.width() - 2, _BAR_PX), theme.pressed)
        colour = theme.ok if self.asked <= self.possible else theme.warning
        painter.fillRect(QRectF(1, _BAR_TOP, self._x(self.possible) - 1, _BAR_PX), colour)
        self._mark(painter, 1.0, text("ui.capacity.load.today"), above=False)
        words = text("ui.capacity.load.possible", factor=figure(self.possible, 3))
        self._mark(painter, self.possible, words, above=True)
        if abs(self.asked - 1) > 1e-9:
            self._mark(painter, self.asked, text("ui.capacity.load.asked", factor=figure(self.asked, 3)), above=False)
        painter.end()

    def _mark(self, painter: QPainter, factor: float, words: str, *, above: bool) -> None:
        theme, x = current_theme(), self._x(factor)
        painter.setPen(QPen(theme.text, 1.5))
        top = _BAR_TOP - 3 if above else _BAR_TOP
        painter.drawLine(round(x), top, round(x), _BAR_TOP + _BAR_PX + (0 if above else 3))
        width = painter.fontMetrics().horizontalAdvance(words) + 4
        left = min(max(x - width / 2, 0), self.width() - width)
        box = QRectF(left, 0 if above else _BAR_TOP + _BAR_PX + 2, width, 15)
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, words)


class LoadCard(Card):
    """Signal `asked`: another load or factor was chosen."""

    asked = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.picker = SubjectPicker("ui.capacity.load.pick")
        self.factor_field = translated(
            NumberField(56), accessibleName="ui.capacity.load.factor", toolTip="ui.capacity.load.factor"
        )
        self.bar = FactorBar()
        self.words, self.small = selectable(label(wrap=True)), selectable(label(role="small", wrap=True))
        self.found: LoadOutlook | None = None
        self._factor = FACTOR
        self._why = ""
        self.factor_field.show_number(figure(FACTOR))
        self.factor_field.taken.connect(self._on_factor)
        self.picker.picked.connect(lambda _id: self.asked.emit())
        title = caption("ui.capacity.load", "strong")
        head = row(title, caption("ui.capacity.load.pick"), (self.picker, 1), self.factor_field, label("×"))
        column(head, self.words, self.bar, self.small, 1, spacing=SPACE_XS, margins=(SPACE_M, SPACE_S), of=self)
        language().changed.connect(self._say)
        self._say()

    @property
    def factor(self) -> float:
        return self._factor

    def fill(self, loads: Sequence[Subject], chosen: int | None) -> None:
        self.picker.fill(loads, chosen)
        self.setEnabled(bool(loads))

    def show_found(self, found: LoadOutlook | None, why: str = "") -> None:
        """`why` there is none, as a sentence."""
        self.found, self._why = found, why
        self._say()

    def _say(self) -> None:
        found = self.found
        answer = found.factors[0] if found is not None and found.factors else None
        self.bar.show_factors(answer.possible_factor if answer is not None else None, self._factor)
        self.bar.setVisible(answer is not None and answer.possible_factor is not None)
        if found is None or answer is None:
            reasons = [no_what_if_text(each, language().code) for each in found.model.refusals] if found else []
            self.words.setText("\n".join(reasons) or self._why)
            self.small.setText("")
            return
        fit = found.model.fit
        assert fit is not None
        feasible = text(f"capacity.feasible.{'yes' if answer.feasible else 'no'}")
        self.words.setText(
            text(
                "ui.capacity.load.answer",
                factor=figure(answer.factor, 3),
                need=figure(answer.utilisation_pct, 3),
                low=figure(answer.low_pct, 3),
                high=figure(answer.high_pct, 3),
                verdict=feasible,
                limit=figure(found.limit_pct, 3),
                possible=figure(answer.possible_factor, 3),
            )
        )
        notes = [
            text(
                "ui.capacity.load.basis",
                n=f"{len(found.loads):,}",
                r=f"{fit.r:.2f}",
                now=figure(found.model.reference_load, 3),
            )
        ]
        if answer.sure_factor is not None:
            notes.append(text("ui.capacity.load.sure", sure=figure(answer.sure_factor, 3)))
        if answer.extrapolated:
            notes.append(text("ui.capacity.load.extrapolated"))
        if answer.stretch_then is not None and answer.stretch_now is not None:
            notes.append(
                text(
                    "ui.capacity.load.stretch",
                    now=f"{answer.stretch_now:.2f}",
                    then=f"{answer.stretch_then:.2f}",
                    servers=fit.servers,
                )
            )
        self.small.setText(" ".join(notes))

    def _on_factor(self, factor: float) -> None:
        self._factor = factor
        self.asked.emit()
