"""Where the bottleneck lies on either side, whether it moved, and what relieving it can gain at the most."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from tunebench.domain.finding import DataCheck, DropOff, Ranking, ResourceScore, Shift
from tunebench.ui.look.language import language, text
from tunebench.ui.look.painting import painter_on
from tunebench.ui.look.theme import SPACE_S, current_theme
from tunebench.ui.tables.view import FigureTable
from tunebench.ui.widgets.exhibit import Exhibited
from tunebench.ui.widgets.notice import CautionList
from tunebench.ui.widgets.parts import column, label, selectable
from tunebench.usecases.findings.finding_columns import RankedPair, ranking_columns
from tunebench.usecases.findings.words import (
    broken_laws,
    drop_off_texts,
    gain_text,
    ranking_text,
    resource_text,
    score_text,
    shift_text,
)

MOST_BARS, BAR_PX, GAP_PX, NAME_PX, FIGURE_PX = 6, 12, 8, 210, 56


class ScoreBars(QWidget):
    """The tightest resources as bars, a pair each; a line at 1, where a response takes twice its service time."""

    def __init__(self) -> None:
        super().__init__()
        self._pairs: tuple[RankedPair, ...] = ()
        self._sides: tuple[str, ...] = ()
        Exhibited(self)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_pairs(self, pairs: Sequence[RankedPair], sides: tuple[str, ...]) -> None:
        self._pairs, self._sides = tuple(pairs[:MOST_BARS]), sides
        names = "; ".join(score_text(pair.any, language().code) for pair in self._pairs)
        self.setAccessibleName(text("ui.findings.bars", names=names))
        self.setVisible(bool(self._pairs))
        self.updateGeometry()
        self.update()

    def _pair_px(self) -> int:
        return max(len(self._sides), 1) * (BAR_PX + 2) + GAP_PX

    def sizeHint(self) -> QSize:
        return QSize(400, len(self._pairs) * self._pair_px() + self.fontMetrics().height() + 4)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = painter_on(self, smooth=True)
        scores = [s.score for pair in self._pairs for s in (pair.before, pair.after) if s is not None]
        room = max(self.width() - NAME_PX - FIGURE_PX, 40)
        scale = room / max(1.1, *scores, 1.1)
        top = float(self.fontMetrics().height() + 2)
        self._draw_knee(painter, NAME_PX + scale)
        for pair in self._pairs:
            self._draw_pair(painter, pair, top, scale)
            top += self._pair_px()

    def _draw_knee(self, painter: QPainter, x: float) -> None:
        painter.setPen(QPen(current_theme().muted, 1, Qt.PenStyle.DashLine))
        painter.drawLine(int(x), 0, int(x), self.height())
        words = text("ui.findings.knee")
        wide = self.fontMetrics().horizontalAdvance(words)
        painter.drawText(int(max(x - wide - 6, 0)), self.fontMetrics().ascent(), words)

    def _draw_pair(self, painter: QPainter, pair: RankedPair, top: float, scale: float) -> None:
        theme = current_theme()
        name = self.fontMetrics().elidedText(
            score_text(pair.any, language().code), Qt.TextElideMode.ElideRight, NAME_PX - SPACE_S
        )
        high = self._pair_px() - GAP_PX
        painter.setPen(theme.text)
        painter.drawText(QRectF(0, top - 3, NAME_PX - SPACE_S, high + 6), Qt.AlignmentFlag.AlignVCenter, name)
        for index, side in enumerate(self._sides):
            score = pair.after if side == "after" else pair.before
            y = top + index * (BAR_PX + 2)
            self._draw_bar(painter, score, side, y, scale)

    def _draw_bar(self, painter: QPainter, score: ResourceScore | None, side: str, y: float, scale: float) -> None:
        theme = current_theme()
        if score is None:
            painter.setPen(theme.muted)
            painter.drawText(QRectF(NAME_PX, y - 3, 200, BAR_PX + 6), Qt.AlignmentFlag.AlignVCenter, "–")
            return
        wide = max(scale * score.score, 1.0)
        painter.fillRect(QRectF(NAME_PX, y, wide, BAR_PX), theme.phase_colour(side) if side else theme.accent)
        painter.setPen(theme.text)
        beside = QRectF(NAME_PX + wide + 4, y - 3, FIGURE_PX, BAR_PX + 6)
        painter.drawText(beside, Qt.AlignmentFlag.AlignVCenter, f"{score.score:.2f}")


class BottleneckView(QWidget):
    def __init__(self) -> None:
        super().__init__()
        self.sentence = selectable(label(role="section", wrap=True))
        self.gain = selectable(label(wrap=True))
        self.explained = label(role="small", wrap=True)
        self.bars = ScoreBars()
        self.cautions = CautionList()
        self.table = FigureTable()
        parts = self.sentence, self.gain, self.bars, self.explained, self.cautions, (self.table, 1)
        column(*parts, margins=(SPACE_S, SPACE_S, SPACE_S, 0), of=self)

    def show_ranking(self, ranking: Ranking, checks: Sequence[DataCheck], drops: Sequence[DropOff]) -> None:
        """Shows the ranking of one run by itself."""
        self.sentence.setText(ranking_text(ranking, language().code))
        self._say_gain(drop_off_texts(drops, language().code))
        self._fill([RankedPair(score, None) for score in ranking.scores], ("",), checks)

    def show_shift(self, shift: Shift) -> None:
        """Shows both sides, the tightest of either first."""
        self.sentence.setText(shift_text(shift, language().code))
        self._say_gain([gain_text(shift, language().code)])
        self._fill(paired(shift), ("before", "after"), shift.checks)

    def _say_gain(self, sentences: Sequence[str]) -> None:
        words = "\n".join(sentence for sentence in sentences if sentence)
        self.gain.setText(words)
        self.gain.setVisible(bool(words))

    def _fill(self, pairs: Sequence[RankedPair], sides: tuple[str, ...], checks: Sequence[DataCheck]) -> None:
        self.explained.setText(text("ui.findings.score.explained"))
        self.bars.show_pairs(pairs, sides)
        self.table.show_rows(ranking_columns(sides), pairs)
        self.cautions.show_sentences(broken_laws(checks, _check_words, language().code))


def paired(shift: Shift) -> list[RankedPair]:
    """Pairs the scores by host, resource and name; the resource that is tightest on either side first."""
    sides = [{(s.host, s.resource, s.name): s for s in ranking.scores} for ranking in (shift.before, shift.after)]
    keys = dict.fromkeys((*sides[0], *sides[1]))
    pairs = [RankedPair(sides[0].get(key), sides[1].get(key)) for key in keys]
    return sorted(pairs, key=lambda pair: -max(s.score for s in (pair.before, pair.after) if s is not None))


def _check_words(check: DataCheck) -> str:
    thing = " ".join(part for part in (resource_text(check.resource, language().code), check.name) if part)
    return text(
        f"ui.findings.check.{check.law}",
        thing=f"{thing} [{check.host}]",
        deviation=f"{100 * check.deviation:.0f}",
        n=check.n,
    )
