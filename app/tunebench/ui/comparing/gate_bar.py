"""Whether the two windows may be compared: one sentence, ten checks as chips, the sentence of the chosen one."""

from __future__ import annotations

from collections.abc import Sequence
from zoneinfo import ZoneInfo

from PySide6.QtCore import QPoint, QRect, QSize, Qt, Signal
from PySide6.QtWidgets import QLayout, QLayoutItem, QMenu, QPushButton, QToolButton, QWidgetAction

from tunebench.analysis.comparing.comparison import SplitOffer
from tunebench.columns import comparing_words
from tunebench.columns.comparing import STATE_MARKS, STATE_TONES
from tunebench.columns.time_ticks import stamp_text
from tunebench.domain.comparability import Check, CheckState, GateCheck
from tunebench.ui.look.language import language, text
from tunebench.ui.look.theme import SPACE_L, SPACE_M, SPACE_S, SPACE_XS, current_theme, tone_colour
from tunebench.ui.widgets.parts import Card, ElidedLabel, button, column, label, name_button, panel, row, selectable

_ORDER = (CheckState.REFUSE, CheckState.ADJUST, CheckState.UNKNOWN)


class FlowLayout(QLayout):
    def __init__(self, spacing: int = SPACE_XS) -> None:
        super().__init__()
        self._items: list[QLayoutItem] = []
        self.setSpacing(spacing)
        self.setContentsMargins(0, 0, 0, 0)

    def addItem(self, item: QLayoutItem) -> None:
        self._items.append(item)

    def count(self) -> int:
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:  # type: ignore[override]
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:  # type: ignore[override]
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return self._lay_out(QRect(0, 0, width, 0), place=False)

    def setGeometry(self, rect: QRect) -> None:
        super().setGeometry(rect)
        self._lay_out(rect, place=True)

    def sizeHint(self) -> QSize:
        return self.minimumSize()

    def minimumSize(self) -> QSize:
        size = QSize()
        for item in self._items:
            size = size.expandedTo(item.minimumSize())
        return size

    def _lay_out(self, rect: QRect, place: bool) -> int:
        """The height that is needed."""
        x, y, tall = rect.x(), rect.y(), 0
        for item in self._items:
            hint = item.sizeHint()
            if x > rect.x() and x + hint.width() > rect.right() + 1:
                x, y, tall = rect.x(), y + tall + self.spacing(), 0
            if place:
                item.setGeometry(QRect(QPoint(x, y), hint))
            x, tall = x + hint.width() + self.spacing(), max(tall, hint.height())
        return y + tall - rect.y()


class GateChip(QPushButton):
    """A check in a word, in the colour of what came of it."""

    def __init__(self, check: Check) -> None:
        super().__init__()
        self.check = check
        self.setCheckable(True)

    def show_check(self, check: GateCheck, sentence: str) -> None:
        code = language().code
        title, state = comparing_words.check_title(check.check, code), comparing_words.state_text(check.state, code)
        self.setText(f"{STATE_MARKS[check.state]} {text(f'ui.compare.chip.{check.check}')}")
        self.setToolTip(f"{check.check} {title} · {state}\n{sentence}")
        self.setAccessibleName(f"{title}: {state}")
        self.setAccessibleDescription(sentence)
        theme, colour = current_theme(), tone_colour(STATE_TONES[check.state])
        self.setStyleSheet(
            f"QPushButton {{ background: {theme.tint(colour, 0.10).name()}; color: {theme.text.name()};"
            f" border: 1px solid {theme.tint(colour, 0.55).name()}; border-radius: 9px; padding: 0 5px;"
            f" min-height: 18px; font-size: 11px; }}"
            f"QPushButton:checked {{ background: {theme.tint(colour, 0.30).name()}; }}"
            f"QPushButton:hover {{ border-color: {colour.name()}; }}"
            f"QPushButton:focus {{ border: 1px solid {theme.accent.name()}; }}"
        )


class GateBar(Card):
    """Signals:
    split_asked: (`SplitOffer`, ``after`` or ``before``: which part of the window is to be kept).
    undo_asked: take the last split back.
    """

    split_asked = Signal(object, str)
    undo_asked = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.gate: tuple[GateCheck, ...] = ()
        self.offers: tuple[SplitOffer, ...] = ()
        self._zone = ZoneInfo("UTC")
        self._undoable = False
        self.folded = False
        self.fold_button = QToolButton()
        self.fold_button.setProperty("kind", "icon")
        self.sentence = ElidedLabel(role="strong", mode=Qt.TextElideMode.ElideRight)
        self.split = button(kind="link", on_click=lambda: self.split_asked.emit(self.offers[0], "after"))
        self.more = QToolButton()
        self.more.setProperty("kind", "quiet")
        self.more.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.menu = QMenu(self.more)
        self.more.setMenu(self.menu)
        self.undo = button(kind="link", on_click=self.undo_asked.emit)
        self.chips = [GateChip(check) for check in Check]
        self.detail = selectable(label(wrap=True))
        self._lay_out()
        self._connect()
        self.show_gate((), (), self._zone)

    def _lay_out(self) -> None:
        flow = FlowLayout()
        for chip in self.chips:
            flow.addWidget(chip)
        self._chip_holder = panel(flow)
        head = row(self.fold_button, (self.sentence, 1), self.undo, self.split, self.more)
        column(head, self._chip_holder, self.detail, spacing=SPACE_XS, margins=(SPACE_S, SPACE_XS), of=self)

    def _connect(self) -> None:
        self.fold_button.clicked.connect(lambda: self.fold(not self.folded))
        for index, chip in enumerate(self.chips):
            chip.clicked.connect(lambda _on, at=index: self._choose(at))

    # --- what is shown
    def show_gate(self, gate: Sequence[GateCheck], offers: Sequence[SplitOffer], zone: ZoneInfo) -> None:
        """Shows the checks; the bar is hidden where there is nothing to compare."""
        self.gate, self.offers, self._zone = tuple(gate), tuple(offers), zone
        self.refresh()

    def offer_undo(self, undoable: bool) -> None:
        self._undoable = undoable
        self.undo.setVisible(undoable)

    def fold(self, folded: bool) -> None:
        self.folded = folded
        self.refresh()

    def refresh(self) -> None:
        """After language or theme changed, too."""
        self.setVisible(bool(self.gate))
        self._fill_chips()
        self._say()
        self._say_split()

    def _fill_chips(self) -> None:
        by_check = {entry.check: entry for entry in self.gate}
        for chip in self.chips:
            chip.setVisible(chip.check in by_check)
            if chip.check in by_check:
                chip.show_check(by_check[chip.check], self._check_words(by_check[chip.check]))
        self._chip_holder.setVisible(not self.folded)

    def _check_words(self, check: GateCheck) -> str:
        return comparing_words.check_text(check, language().code, self._zone)

    def _say(self) -> None:
        state = overall(self.gate)
        self.sentence.set_words(f"{STATE_MARKS[state]} {gate_sentence(self.gate)}" if self.gate else "")
        self.sentence.setStyleSheet(f"color: {tone_colour(STATE_TONES[state]).name()};")
        self.sentence.setAccessibleName(self.sentence.words())
        self.fold_button.setText("▸" if self.folded else "▾")
        name_button(self.fold_button, text("ui.compare.gate.unfold" if self.folded else "ui.compare.gate.fold"))
        chosen = next((chip.check for chip in self.chips if chip.isChecked()), None)
        shown = next((entry for entry in self.gate if entry.check is chosen), None)
        self.detail.setVisible(shown is not None and not self.folded)
        if shown is not None:
            code = language().code
            title, kind = comparing_words.check_title(shown.check, code), comparing_words.state_text(shown.state, code)
            self.detail.setText(f"{shown.check} {title} · {kind}: {self._check_words(shown)}")

    def _choose(self, index: int) -> None:
        """The sentence of one check at a time; the same chip once more takes it away."""
        for at, chip in enumerate(self.chips):
            chip.setChecked(at == index and chip.isChecked())
        self._say()

    # --- splits
    def _say_split(self) -> None:
        self.undo.setText(text("ui.compare.split.undo"))
        self.undo.setVisible(self._undoable)
        self.split.setVisible(bool(self.offers))
        self.more.setVisible(bool(self.offers))
        self.menu.clear()
        if not self.offers:
            return
        first = self.offers[0]
        self.split.setText(text("ui.compare.split.after.short", side=_side_words(first), time=self._time(first)))
        self.split.setToolTip(self._split_words(first))
        self.more.setText(f"{len(self.offers)} ▾")
        name_button(self.more, text("ui.compare.split.more"))
        for offer in self.offers:
            if not self.menu.isEmpty():
                self.menu.addSeparator()
            what = QWidgetAction(self.menu)  # what changed then, over the two ways to go on
            words = label(self._split_words(offer), "small")
            words.setContentsMargins(SPACE_L, SPACE_XS, SPACE_M, 0)
            what.setDefaultWidget(words)
            self.menu.addAction(what)
            for kept in ("after", "before"):
                way = text(f"ui.compare.split.{kept}", side=_side_words(offer), time=self._time(offer))
                self.menu.addAction(way, lambda o=offer, k=kept: self.split_asked.emit(o, k))

    def _split_words(self, offer: SplitOffer) -> str:
        return comparing_words.split_text(offer, language().code, self._zone)

    def _time(self, offer: SplitOffer) -> str:
        return stamp_text(offer.at_ns // 1_000_000_000 * 1_000_000_000, self._zone, with_date=False, with_zone=False)


def overall(gate: Sequence[GateCheck]) -> CheckState:
    """The gravest of all checks; `CheckState.UNKNOWN` only where nothing speaks against the comparison."""
    states = {check.state for check in gate}
    return next((state for state in _ORDER if state in states), CheckState.PASS)


def gate_sentence(gate: Sequence[GateCheck]) -> str:
    """What the checks of comparability say together."""
    state = overall(gate)
    named = state if state in (CheckState.REFUSE, CheckState.ADJUST) else None
    words = text(f"ui.compare.gate.{(named or CheckState.PASS).value}", checks=_titles(gate, named))
    unknown = _titles(gate, CheckState.UNKNOWN)
    return f"{words} {text('ui.compare.gate.unknown', checks=unknown)}" if unknown else words


def _titles(gate: Sequence[GateCheck], state: CheckState | None) -> str:
    return ", ".join(text(f"ui.compare.chip.{check.check}") for check in gate if check.state is state)


def _side_words(offer: SplitOffer) -> str:
    return text(f"ui.compare.side.{offer.side}")
