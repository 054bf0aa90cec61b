"""What changed between the two windows, first: the sentence, how sure it is, the figures, what got worse, what next."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QGridLayout, QLabel, QPushButton, QScrollArea, QWidget

from tunebench.analysis.answering.answer import Answer, KindAnswer, NextStep, WorseAnswer
from tunebench.analysis.answering.groups import Group
from tunebench.analysis.answering.profiles import Profile
from tunebench.analysis.answering.resources import Figure
from tunebench.analysis.comparing.comparison import ComparedSeries
from tunebench.analysis.comparing.deciding import margin_of
from tunebench.analysis.inference.verdict import Verdict
from tunebench.columns.answering.answer_words import AnswerText, ChipText, answer_text, notes_for
from tunebench.columns.answering.kind_words import member_name
from tunebench.columns.answering.marks import plain, runs_of
from tunebench.columns.column import Locale
from tunebench.columns.comparing import VERDICT_TONES
from tunebench.ui.comparing.change_plots import Dot, StripPlot
from tunebench.ui.comparing.change_tile import FigureTile
from tunebench.ui.look.language import text
from tunebench.ui.look.theme import SPACE_M, SPACE_S, SPACE_XS, current_theme, tone_colour
from tunebench.ui.widgets.parts import Card, button, clear_layout, column, label, panel, row, scrolling, selectable

PAGES = {"capture": "collect", **{page: page for page in ("findings", "statements", "report", "board", "review")}}
"""What an answer calls an act -> the page on which it is done; the cycle does others at once."""
_AT_ONCE = ("measure", "price")
_TILE_PX, _MOST_COLUMNS = 250, 4
_HEADLINE_PX = 17


class ChangedView(QWidget):
    """Signals:
    series_asked: a `ComparedSeries` whose row is to be shown.
    asked: the `NextStep` that is to be done.
    """

    series_asked = Signal(object)
    asked = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.answer: Answer | None = None
        self.words: AnswerText | None = None
        self._profiles: dict[int, Profile | None] = {}
        self._locale = Locale("en")
        self.tiles: list[FigureTile] = []
        self.worse: Card | None = None
        self._head, self._foot = column(spacing=SPACE_XS), column(spacing=SPACE_S)
        self._grid = QGridLayout()
        self._grid.setSpacing(SPACE_S)
        inside = panel(column(self._head, self._grid, self._foot, 1, spacing=SPACE_M, margins=(SPACE_XS, SPACE_S)))
        self._area: QScrollArea = scrolling(inside, sideways=False, framed=False)
        column(self._area, of=self)
        self.setFocusProxy(self._area)

    def show_answer(self, answer: Answer | None, profiles: Sequence[Profile | None], locale: Locale) -> None:
        """
        Args:
            profiles: of the answer's tiles, in their order.
        """
        self.answer, self._locale = answer, locale
        figures = answer.tiles if answer is not None else ()
        self._profiles = {id(figure): own for figure, own in zip(figures, profiles, strict=True)}
        self.refresh()

    def refresh(self) -> None:
        """After answer, language or theme changed."""
        for layout in (self._head, self._grid, self._foot):
            clear_layout(layout)
        self.tiles, self.worse = [], None
        if self.answer is None:
            self.words = None
            return
        self.words = answer_text(self.answer, self._locale)
        self._fill_head(self.words)
        self.tiles = [FigureTile(figure, self._profiles.get(id(figure)), self._locale) for figure in self.answer.tiles]
        for tile in self.tiles:
            tile.clicked.connect(lambda figure=tile.figure: self.series_asked.emit(captured(figure)))
        self._lay_out_tiles()
        self._fill_foot(self.answer, self.words)

    def use_language(self, locale: Locale) -> None:
        self._locale = locale
        self.refresh()

    # -- parts

    def _fill_head(self, words: AnswerText) -> None:
        headline = _rich(words.headline)
        font = headline.font()
        font.setPixelSize(_HEADLINE_PX)
        font.setBold(True)
        headline.setFont(font)
        headline.setAccessibleName(plain(words.headline))
        sure = selectable(label(f"{words.sure} {words.load}", role="muted", wrap=True))
        self._head.addWidget(headline)
        self._head.addLayout(row(_chip(words.chip), (sure, 1)))
        for sentence in words.further:
            self._head.addWidget(_rich(sentence))
        for sentence in words.many:
            if sentence != words.headline:
                self._head.addWidget(selectable(label(plain(sentence), wrap=True)))
        for note in (*words.disclosed, *notes_for(words.notes, words.headline, *words.further, *words.price)):
            self._head.addWidget(selectable(label(note, role="small", wrap=True)))
        for kind in self.answer.kinds if self.answer is not None else ():
            if kind.changed or kind.parts.apart:
                self._head.addWidget(self._many(kind))

    def _fill_foot(self, answer: Answer, words: AnswerText) -> None:
        self.worse = self._worse(answer, words)
        cards: list[QWidget] = [self._why(words), self.worse]
        cards += [self._many(kind) for kind in answer.kinds if not (kind.changed or kind.parts.apart)]
        cards.append(self._next(answer, words))
        for start in range(0, len(cards), 2):
            self._foot.addLayout(row(*((card, 1) for card in cards[start : start + 2])))
        self._foot.addWidget(selectable(label(words.windows, role="small", wrap=True)))

    def _why(self, words: AnswerText) -> Card:
        sentences = [*([words.bottleneck] if words.bottleneck else []), *words.why]
        prices = [text("ui.changed.price", price=price) for price in words.price]
        lines = [_rich(sentence) for sentence in (*sentences, *prices)]
        title = label(text("ui.changed.why"), role="strong")
        return Card(column(title, *lines, 1, spacing=SPACE_XS, margins=(SPACE_M, SPACE_S)))

    def _worse(self, answer: Answer, words: AnswerText) -> Card:
        links = [self._link(shown.text, worse) for worse, shown in zip(answer.worse, words.worse, strict=True)]
        more = text("answer.worse.more", count=answer.more_worse) if answer.more_worse else ""
        inside = column(
            label(text("ui.changed.worse"), role="strong"),
            label(words.worse_title, tone="critical" if any(worse.judged for worse in answer.worse) else "muted"),
            *links,
            *([label(more, role="small")] if more else []),
            1,
            spacing=SPACE_XS,
            margins=(SPACE_M, SPACE_S),
        )
        return Card(inside)

    def _link(self, words: str, worse: WorseAnswer) -> QWidget:
        """A line that shows its series where it is of one."""
        subject = worse.subject
        if not isinstance(subject, Figure):
            return _rich(words)
        shown = button(plain(words), "link", lambda: self.series_asked.emit(captured(subject)))
        shown.setToolTip(plain(words))
        return shown

    def _many(self, kind: KindAnswer) -> Card:
        strip = StripPlot()
        tones = {id(member): _tone_of(group) for group in kind.parts.groups for member in group.members}
        members = [*(member for group in kind.parts.groups for member in group.members), *kind.parts.apart]
        dots = [Dot(own.change, member_name(kind, own), tones.get(id(own), "watch")) for own in members]
        margin = max(margin_of(figure.lead.series) for figure in kind.figures)
        strip.show_dots(dots, [member_name(kind, own) for own in kind.parts.apart], margin)
        strip.setAccessibleName(text(f"ui.changed.many.{kind.kind}"))
        title = text(f"ui.changed.many.{kind.kind}", host=kind.host, count=kind.parts.count)
        return Card(column(label(title, role="strong"), (strip, 1), spacing=SPACE_XS, margins=(SPACE_M, SPACE_S)))

    def _next(self, answer: Answer, words: AnswerText) -> Card:
        steps: list[QWidget] = []
        for step, shown in zip(answer.next, words.next, strict=True):
            sentence = selectable(label(shown.sentence, wrap=True))
            acts = [self._act(step, "" if steps else "primary")] if step.action in (*PAGES, *_AT_ONCE) else []
            steps.append(panel(row((sentence, 1), *acts)))
        inside = column(
            label(text("ui.changed.next"), role="strong"), *steps, 1, spacing=SPACE_XS, margins=(SPACE_M, SPACE_S)
        )
        return Card(inside)

    def _act(self, step: NextStep, kind: str) -> QPushButton:
        return button(text(f"ui.changed.go.{PAGES.get(step.action, step.action)}"), kind, lambda: self.asked.emit(step))

    # -- how wide

    def _lay_out_tiles(self) -> None:
        columns = max(min(self.width() // _TILE_PX, _MOST_COLUMNS), 1)
        for index, tile in enumerate(self.tiles):
            self._grid.addWidget(tile, index // columns, index % columns)
        for at in range(_MOST_COLUMNS):
            self._grid.setColumnStretch(at, 1 if at < columns else 0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() // _TILE_PX != event.oldSize().width() // _TILE_PX:
            for tile in self.tiles:
                self._grid.removeWidget(tile)
            self._lay_out_tiles()

    # -- out

    def copied(self) -> str:
        """The whole answer as lines."""
        words = self.words
        if words is None:
            return ""
        lines: Iterable[str] = (
            words.headline,
            *words.further,
            f"{words.chip.text}: {words.sure} {words.load}",
            words.bottleneck,
            *words.why,
            *words.many,
            words.worse_title,
            *(worse.text for worse in words.worse),
            *words.price,
            *(step.sentence for step in words.next),
            words.counts,
            words.windows,
            *words.notes,
        )
        return "\n".join(plain(line) for line in lines if line)


def captured(figure: Figure) -> ComparedSeries:
    """The row of a figure that tools print."""
    return figure.lead if figure.derived is None else figure.derived.parts[0]


def _tone_of(group: Group) -> str:
    return VERDICT_TONES[group.verdict] if group.verdict in (Verdict.IMPROVED, Verdict.REGRESSED) else "muted"


def _rich(sentence: str) -> QLabel:
    """What came before and what came after in the colours of the sides."""
    theme = current_theme()
    shown = label(
        "".join(
            f'<span style="color:{theme.phase_colour(role).name()}">{escape(words)}</span>' if role else escape(words)
            for words, role in runs_of(sentence)
        ),
        wrap=True,
    )
    shown.setProperty("escaped", True)  # else the style shows markup as it is, whoever wrote it
    shown.setTextFormat(Qt.TextFormat.RichText)
    return selectable(shown)


def _chip(chip: ChipText) -> QLabel:
    colour, theme = tone_colour(chip.tone), current_theme()
    shown = label(chip.text)
    shown.setStyleSheet(
        f"background: {theme.tint(colour, 0.12).name()}; color: {colour.name()}; border-radius: 9px; padding: 2px 8px;"
        f" border: 1px solid {theme.tint(colour, 0.5).name()};"
    )
    shown.setAlignment(Qt.AlignmentFlag.AlignCenter)
    return shown
