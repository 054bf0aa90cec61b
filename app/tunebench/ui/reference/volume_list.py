"""What the reference page lists: entries, calculators and the worksheet, found by the same words; a field, a choice of
kinds, and what was found; headings where nothing is asked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import cache
from itertools import groupby

from PySide6.QtCore import QEvent, QObject, QRect, QSignalBlocker, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QPainter
from PySide6.QtWidgets import QComboBox, QLineEdit, QListWidget, QListWidgetItem, QStyleOptionViewItem, QWidget

from tunebench.analysis.calculators.calculator import Calculator
from tunebench.analysis.calculators.catalogue import CALCULATORS
from tunebench.core.messages import LANGUAGES, catalogue
from tunebench.core.records import record
from tunebench.domain.reference import Entry, EntryKind
from tunebench.ui.look import fonts
from tunebench.ui.look.language import language, text, translated
from tunebench.ui.look.theme import ROW_HEIGHT, SPACE_S, current_theme
from tunebench.ui.typing import never_stored
from tunebench.ui.widgets.parts import column, label
from tunebench.ui.widgets.row_list import ROW_HEIGHT_TWO_LINES, Index, TwoLineDelegate, paint_words
from tunebench.usecases.reference import entries as reference
from tunebench.usecases.reference.search import Indexed, best_first, indexed

CALCULATOR, WORKSHEET = "calculator", "worksheet"
KINDS = (WORKSHEET, CALCULATOR, *(kind.value for kind in EntryKind))
CLUSTERS = "clusters"
ASIDE, VOLUME, HEADING = Qt.ItemDataRole.UserRole + 1, Qt.ItemDataRole.UserRole, Qt.ItemDataRole.UserRole + 2
ROW = ROW_HEIGHT_TWO_LINES - 4


@record
class Volume:
    """One thing listed. `kind`: one of `KINDS`; `id`: of the entry or calculator."""

    kind: str
    id: str

    @property
    def title(self) -> str:
        if self.kind == CALCULATOR:
            return text(f"calculator.{self.id}.title")
        if self.kind == WORKSHEET:
            return text("ui.clusters.title")
        return reference.find(self.id).title[language().code]

    @property
    def aside(self) -> str:
        """The second line of a list: kind and id; a calculator's formula."""
        if self.kind == CALCULATOR:
            return text(f"calculator.{self.id}.formula").partition("\n")[0]
        kind = text(f"ui.reference.kind.{self.kind}")
        return kind if self.kind == WORKSHEET else f"{kind} · {self.id}"

    @property
    def address(self) -> str:
        """The volume's address, as links and other pages have it."""
        return f"{self.kind}:{self.id}" if self.kind in (CALCULATOR, WORKSHEET) else f"entry:{self.id}"


def volume_at(address: str) -> Volume | None:
    """The volume; None where there is no such volume."""
    scheme, _, name = address.partition(":")
    if scheme == "entry" and reference.known(name):
        return Volume(reference.find(name).kind.value, name)
    return next((volume for volume in (_clusters(), *_calculators()) if volume.address == address), None)


def found_volumes(words: str = "", kind: str = "") -> list[Volume]:
    """Best first; by kind where nothing is asked for."""
    return [volume for volume in best_first(_index(), words) if kind in ("", volume.kind)]


def counted(volumes: Iterable[Volume]) -> dict[str, int]:
    return dict.fromkeys(KINDS, 0) | Counter(volume.kind for volume in volumes)


def _clusters() -> Volume:
    return Volume(WORKSHEET, CLUSTERS)


def _calculators() -> tuple[Volume, ...]:
    return tuple(Volume(CALCULATOR, calculator.id) for calculator in CALCULATORS)


@cache
def _index() -> tuple[Indexed[Volume], ...]:
    sheet = indexed(_clusters(), strong=_in_all("ui.clusters.title"), middling=(), weak=_in_all("ui.clusters.about"))
    return (
        sheet,
        *(_of_calculator(calculator) for calculator in CALCULATORS),
        *(_of_entry(entry) for entry in reference.entries()),
    )


def _in_all(key: str) -> list[str]:
    return [catalogue(code).text(key) for code in LANGUAGES]


def _of_calculator(calculator: Calculator) -> Indexed[Volume]:
    names = [f"calculator.input.{field.name}" for field in calculator.inputs]
    names += [f"calculator.output.{output.name}" for output in calculator.outputs]
    return indexed(
        Volume(CALCULATOR, calculator.id),
        strong=[calculator.id, *_in_all(f"calculator.{calculator.id}.title")],
        middling=[words for name in names for words in _in_all(name)] + _in_all("ui.reference.kind.calculator"),
        weak=_in_all(f"calculator.{calculator.id}.formula"),
    )


def _of_entry(entry: Entry) -> Indexed[Volume]:
    strong, middling, weak = reference.words_of(entry)
    return indexed(Volume(entry.kind.value, entry.id), strong=strong, middling=middling, weak=weak)


class VolumeDelegate(TwoLineDelegate):
    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(160, ROW_HEIGHT + 2 if index.data(HEADING) else ROW)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        if not index.data(HEADING):
            super().paint(painter, option, index)
            return
        painter.save()
        room = option.rect.adjusted(SPACE_S, 4, -SPACE_S, 0)
        paint_words(painter, room, index.data(), current_theme().muted, fonts.font(fonts.SMALL_PX, bold=True))
        painter.restore()

    def paint_lines(self, painter: QPainter, upper: QRect, lower: QRect, index: Index) -> None:
        theme = current_theme()
        paint_words(painter, upper, index.data(), theme.text, fonts.font())
        paint_words(painter, lower, index.data(ASIDE), theme.muted, fonts.font(fonts.SMALL_PX))


class VolumeList(QWidget):
    """`chosen` carries a `Volume`; `opened` too, when Enter or a double click says that one wants to work with it."""

    chosen = Signal(object)
    opened = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.field = translated(
            QLineEdit(), placeholderText="ui.reference.search", accessibleName="ui.reference.search"
        )
        self.field.setClearButtonEnabled(True)
        self.field.installEventFilter(self)
        self.kinds = translated(QComboBox(), accessibleName="ui.reference.kind.tip", toolTip="ui.reference.kind.tip")
        self.list = translated(QListWidget(), accessibleName="ui.reference.results")
        self.list.setItemDelegate(VolumeDelegate(self.list))
        self.list.setVerticalScrollMode(QListWidget.ScrollMode.ScrollPerPixel)
        self.list.installEventFilter(self)
        self.count = label(role="small")
        self._none = translated(label(role="muted", wrap=True), "ui.reference.none")
        self._timer = QTimer(self, singleShot=True, interval=60)
        self.setLayout(column(self.field, self.kinds, (self.list, 1), self._none, self.count))
        never_stored(self.field)
        self.field.textChanged.connect(lambda _words: self._timer.start())
        self._timer.timeout.connect(self.fill)
        self.kinds.activated.connect(lambda _at: self.fill())
        self.list.currentItemChanged.connect(self._on_current)
        self.list.itemDoubleClicked.connect(lambda _item: self._open())

    # --- filling
    def fill(self) -> None:
        """Finds again; what was chosen stays chosen where it is still there, else the first is."""
        self._timer.stop()
        before = self.current()
        words, kind = self.field.text(), self.kinds.currentData() or ""
        matches = found_volumes(words, kind)
        with QSignalBlocker(self.list):
            self.list.clear()
            if words.strip() or kind:
                for volume in matches:
                    self._add(volume)
            else:
                for of_kind, volumes in groupby(matches, key=lambda volume: volume.kind):
                    self._add_group(of_kind, list(volumes))
        self.count.setText(text("ui.reference.found", n=len(matches)))
        self._none.setVisible(not matches)
        if before is None or words.strip() or not self.choose(before):
            self._choose_first()

    def _add_group(self, kind: str, volumes: list[Volume]) -> None:
        heading = QListWidgetItem(f"{text(f'ui.reference.kind.{kind}')} ({len(volumes)})")
        heading.setFlags(Qt.ItemFlag.NoItemFlags)
        heading.setData(HEADING, True)
        self.list.addItem(heading)
        for volume in volumes:
            self._add(volume)

    def _add(self, volume: Volume) -> None:
        item = QListWidgetItem(volume.title)
        item.setData(VOLUME, volume)
        item.setData(ASIDE, volume.aside)
        item.setToolTip(volume.title)
        item.setData(Qt.ItemDataRole.AccessibleTextRole, f"{volume.title}, {volume.aside}")
        self.list.addItem(item)

    # --- choosing
    def current(self) -> Volume | None:
        at = self.list.currentRow()
        return self.list.item(at).data(VOLUME) if at >= 0 else None

    def volumes(self) -> list[Volume]:
        """What is listed, in order."""
        every = (self.list.item(at).data(VOLUME) for at in range(self.list.count()))
        return [volume for volume in every if volume is not None]

    def choose(self, wanted: Volume) -> bool:
        for at in range(self.list.count()):
            if self.list.item(at).data(VOLUME) == wanted:
                self.list.setCurrentRow(at)
                return True
        return False

    def show_volume(self, wanted: Volume) -> None:
        """Choose it even where what is asked for now would not find it."""
        if not self.choose(wanted):
            self.field.clear()
            self.kinds.setCurrentIndex(0)
            self.fill()
            self.choose(wanted)

    def _choose_first(self) -> None:
        first = next((at for at in range(self.list.count()) if self.list.item(at).data(VOLUME) is not None), -1)
        self.list.setCurrentRow(first)

    def _on_current(self, item: QListWidgetItem | None, _before: QListWidgetItem | None) -> None:
        if item is not None and item.data(VOLUME) is not None:
            self.chosen.emit(item.data(VOLUME))

    def _open(self) -> None:
        if self._timer.isActive():
            self.fill()
        volume = self.current()
        if volume is not None:
            self.opened.emit(volume)

    # --- keys
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._open()
                return True
            if watched is self.field:
                return self._in_field(event)
        return super().eventFilter(watched, event)

    def _in_field(self, event: QKeyEvent) -> bool:
        """The arrows walk the list while one types; Escape asks for everything again."""
        steps = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1, Qt.Key.Key_PageDown: 8, Qt.Key.Key_PageUp: -8}
        if event.key() in steps:
            self._walk(steps[Qt.Key(event.key())])
            return True
        if event.key() == Qt.Key.Key_Escape and self.field.text():
            self.field.clear()
            return True
        return False

    def _walk(self, steps: int) -> None:
        listed, now = self.volumes(), self.current()
        if listed:
            at = listed.index(now) if now in listed else 0
            self.choose(listed[max(0, min(at + steps, len(listed) - 1))])

    # --- words
    def retranslate(self) -> None:
        at, counts = max(self.kinds.currentIndex(), 0), counted(found_volumes())
        self.kinds.clear()
        self.kinds.addItem(f"{text('ui.reference.kind.all')} ({sum(counts.values())})", "")
        for kind in KINDS:
            self.kinds.addItem(f"{text(f'ui.reference.kind.{kind}')} ({counts[kind]})", kind)
        self.kinds.setCurrentIndex(at)
        self.fill()
