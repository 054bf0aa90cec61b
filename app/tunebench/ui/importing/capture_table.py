"""The captures of one host that leave something open: what they print, what is assumed, now and then."""

from __future__ import annotations

from collections.abc import Sequence
from zoneinfo import ZoneInfo

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableWidget, QTableWidgetItem

from tunebench.columns.formats import format_short_span, format_span
from tunebench.domain.capturing.times import CaptureTimes
from tunebench.domain.ledger import Assumption
from tunebench.ui.look.language import has_text, text, translated
from tunebench.ui.look.theme import ROW_HEIGHT, current_theme
from tunebench.usecases.importing.resolution import Effect, OpenCapture

COLUMNS = ("name", "found", "assumed", "now", "then")


class CaptureTable(QTableWidget):
    """`chosen_changed` when a box is ticked or not."""

    chosen_changed = Signal()

    def __init__(self) -> None:
        super().__init__(0, len(COLUMNS))
        self._captures: list[OpenCapture] = []
        self._zone = ZoneInfo("UTC")
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.setTabKeyNavigation(False)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(ROW_HEIGHT)
        self.horizontalHeader().setHighlightSections(False)
        self.horizontalHeader().setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        self.horizontalHeader().setSectionResizeMode(COLUMNS.index("found"), QHeaderView.ResizeMode.Stretch)
        self.itemChanged.connect(self._on_item)
        translated(self, accessibleName="ui.resolution.captures")

    def retranslate(self) -> None:
        self.setHorizontalHeaderLabels([text(f"ui.resolution.column.{name}") for name in COLUMNS])

    def show_captures(self, captures: Sequence[OpenCapture], zone: ZoneInfo) -> None:
        """Lists the captures and ticks those in doubt; where none is, all."""
        self._captures, self._zone = list(captures), zone
        any_doubt = any(capture.doubtful for capture in captures)
        with QSignalBlocker(self):
            self.setRowCount(len(captures))
            for row, capture in enumerate(captures):
                name = QTableWidgetItem(capture.artefact.name)
                ticked = bool(capture.doubtful) or not any_doubt
                name.setFlags(name.flags() | Qt.ItemFlag.ItemIsUserCheckable)
                name.setCheckState(Qt.CheckState.Checked if ticked else Qt.CheckState.Unchecked)
                name.setToolTip(capture.artefact.source_path or capture.artefact.name)
                stamps = ", ".join(capture.stamps)
                original = QTableWidgetItem(
                    stamps or text("ui.resolution.no_stamps", line=(capture.lines or ("",))[0].strip())
                )
                original.setToolTip("\n".join(capture.lines))
                original.setForeground(current_theme().muted)
                assumed = QTableWidgetItem(assumed_words(capture.times))
                assumed.setToolTip(assumed_words(capture.times, "\n"))
                if capture.doubtful:
                    assumed.setForeground(current_theme().watch)
                now = QTableWidgetItem(format_short_span(*capture.times.span, zone, with_year=True))
                now.setToolTip(format_span(*capture.times.span, zone))
                for column, item in enumerate((name, original, assumed, now, QTableWidgetItem(""))):
                    self.setItem(row, column, item)
        self._share_width()

    def _share_width(self) -> None:
        room = max(self.viewport().width(), 400)
        for name, share in (("name", 0.15), ("assumed", 0.24), ("now", 0.22), ("then", 0.22)):
            self.setColumnWidth(COLUMNS.index(name), round(room * share))

    def resizeEvent(self, event) -> None:  # type: ignore[no-untyped-def]
        super().resizeEvent(event)
        self._share_width()

    def cell(self, row: int, column: str) -> QTableWidgetItem:
        cell = self.item(row, COLUMNS.index(column))
        assert cell is not None
        return cell

    def show_effects(self, effects: Sequence[Effect]) -> None:
        after = {effect.capture.artefact.id: effect for effect in effects}
        theme = current_theme()
        with QSignalBlocker(self):
            for row, capture in enumerate(self._captures):
                effect = after.get(capture.artefact.id)
                changed = effect is not None and effect.changed
                item = self.cell(row, "then")
                first_ns, last_ns = effect.after if effect is not None and changed else (None, None)
                item.setText(format_short_span(first_ns, last_ns, self._zone, with_year=True) if changed else "")
                item.setToolTip(format_span(first_ns, last_ns, self._zone) if changed else "")
                item.setForeground(theme.accent)

    def chosen(self) -> list[OpenCapture]:
        ticked = Qt.CheckState.Checked
        return [capture for row, capture in enumerate(self._captures) if self.cell(row, "name").checkState() is ticked]

    def choose(self, artefact_ids: Sequence[int]) -> None:
        """Ticks these and no others."""
        for row, capture in enumerate(self._captures):
            wanted = capture.artefact.id in artefact_ids
            self.cell(row, "name").setCheckState(Qt.CheckState.Checked if wanted else Qt.CheckState.Unchecked)

    def reveal(self, artefact_id: int) -> None:
        for row, capture in enumerate(self._captures):
            if capture.artefact.id == artefact_id:
                self.selectRow(row)

    def _on_item(self, item: QTableWidgetItem) -> None:
        if item.column() == 0:
            self.chosen_changed.emit()


def assumed_words(times: CaptureTimes, between: str = ", ") -> str:
    """``zone Asia/Seoul (default of the engagement), start ...``: what is open, and by which rule it was assumed."""
    return between.join(_subject_words(times, subject) for subject in times.open_subjects)


def _subject_words(times: CaptureTimes, subject: str) -> str:
    value = times.zone if subject == "zone" else times.local_first.date().isoformat()
    assumption = times.assumed.get(subject) or Assumption(subject, value, times.zone_source or "default")
    source = f"ui.source.{assumption.source}"
    return text(
        "ui.resolution.assumed",
        subject=text(f"ui.subject.{subject}"),
        value=assumption.value,
        source=text(source) if has_text(source) else assumption.source,
    )
