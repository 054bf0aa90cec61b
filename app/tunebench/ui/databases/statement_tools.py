"""What narrows the table of statements: words, who ran them, how much they weigh; and what its figures are per."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QComboBox, QWidget

from tunebench.analysis.databases.statement_comparison import StatementClass
from tunebench.analysis.databases.statement_rows import OWNERS, Places, StatementRows
from tunebench.ui.databases.headline import ClassChips
from tunebench.ui.look.language import text, translated
from tunebench.ui.look.theme import SPACE_L, SPACE_XS
from tunebench.ui.widgets.parts import button, label, row, search_field

LEAST_PCT = (0.0, 0.1, 1.0, 5.0)


class StatementTools(QWidget):
    """`narrowed` carries changes of `Narrowing`; `each_chosen` whether figures are per execution."""

    narrowed = Signal(object)
    each_chosen = Signal(bool)

    def __init__(self) -> None:
        super().__init__()
        self.chips = ClassChips()
        self.words = search_field("ui.statements.find", 150, 320)
        self.owner, self.container = _choice("ui.statements.tool.owner"), _choice("ui.statements.column.container")
        self.least, self.basis = _choice("ui.statements.tool.least"), _choice("ui.statements.tool.basis")
        self.count = label(role="small")
        self.hidden = button(kind="link", on_click=self._show_hidden)
        self.hidden.hide()
        self._rows: StatementRows | None = None
        combos = self.container, self.owner, self.least, self.basis
        self._fields = row(self.count, self.hidden, 1, (self.words, 2), *combos)
        self._box = row(self.chips, (self._fields, 1), spacing=SPACE_XS, of=self)
        self._connect()

    def _connect(self) -> None:
        self.words.textChanged.connect(lambda words: self.narrowed.emit({"words": words}))
        for name, combo in (("container", self.container), ("owner", self.owner), ("least_pct", self.least)):
            combo.activated.connect(lambda _at, name=name, of=combo: self.narrowed.emit({name: of.currentData()}))
        self.basis.activated.connect(lambda _at: self.each_chosen.emit(self.basis.currentData()))
        self.chips.chosen.connect(lambda classes: self.narrowed.emit({"classes": classes}))

    def fit(self) -> None:
        """Puts the chips above the fields where there is no room for all side by side."""
        wide = self.chips.sizeHint().width() + self._fields.sizeHint().width() + SPACE_L <= self.width()
        self._box.setDirection(QBoxLayout.Direction.LeftToRight if wide else QBoxLayout.Direction.TopToBottom)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit()

    # --- words
    def retranslate(self) -> None:
        self.chips.retranslate()
        _relabel(
            self.least,
            [
                (pct, text("ui.statements.least", pct=f"{pct:g}") if pct else text("ui.statements.least.all"))
                for pct in LEAST_PCT
            ],
        )
        bases = ((False, "total"), (True, "each"))
        _relabel(self.basis, [(each, text(f"ui.statements.basis.{name}")) for each, name in bases])
        self._fill_owners()

    def show_rows(self, rows: StatementRows | None) -> None:
        self._rows = rows
        compared = rows is not None and rows.comparison is not None
        self.chips.setVisible(compared)
        self.chips.show_counts(rows.counts() if rows is not None else {})
        self._fill_owners()

    def _fill_owners(self) -> None:
        owners = self._rows.owners if self._rows is not None else {}
        items: list[tuple[object, str]] = [(None, text("ui.statements.owner.all"))]
        for kind in OWNERS[:-1]:
            items += _named(kind, owners)
        _relabel(self.owner, items)
        self.owner.setVisible(len(items) > 1)
        containers = _named(OWNERS[-1], owners)
        _relabel(self.container, [(None, text("ui.statements.container.all")), *containers])
        self.container.setVisible(len(containers) > 1)

    def show_counts(self, shown: int, every: int, hidden_regressions: int) -> None:
        facts = {"shown": f"{shown:,}", "every": f"{every:,}"}
        self.count.setText(text("ui.statements.count", **facts) if shown != every else "")
        self.hidden.setText(text("ui.statements.hidden_regressions", count=f"{hidden_regressions:,}"))
        self.hidden.setVisible(hidden_regressions > 0)
        self.fit()

    # --- choosing
    def clear(self) -> None:
        """Everything is shown again."""
        self.words.clear()
        for combo in (self.container, self.owner, self.least):
            combo.setCurrentIndex(0)
        self.chips.clear()
        self.narrowed.emit({"container": None, "owner": None, "least_pct": 0.0})

    def _show_hidden(self) -> None:
        self.clear()
        self.chips.show_only(StatementClass.REGRESSED)


def _choice(key: str) -> QComboBox:
    small = QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
    box = QComboBox(minimumContentsLength=8, sizeAdjustPolicy=small)
    return translated(box, accessibleName=key, toolTip=f"{key}.tip")


def _named(kind: str, owners: Mapping[str, Mapping[str, Places]]) -> list[tuple[object, str]]:
    """The items of one kind of owner, with how many statements each has."""
    return [
        ((kind, name), text(f"ui.statements.owner.{kind}", name=name, count=f"{len(places):,}"))
        for name, places in owners.get(kind, {}).items()
    ]


def _relabel(combo: QComboBox, items: Sequence[tuple[object, str]]) -> None:
    """Fills it anew and keeps what is chosen where it is still there."""
    kept = combo.currentData()
    combo.clear()
    for value, words in items:
        combo.addItem(words, value)
    combo.setCurrentIndex(next((at for at, (value, _) in enumerate(items) if value == kept), 0))
