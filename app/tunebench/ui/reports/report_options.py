"""What an issue of the document is: shape, language, date, and the windows that it is about; where it was put, and
whether that file is still the same."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QCheckBox, QComboBox, QFrame, QLineEdit, QVBoxLayout

from tunebench.columns.formats import DASH, format_bytes, format_stamp, short_hash
from tunebench.core.messages import LANGUAGES
from tunebench.domain.engagement import WrittenReport
from tunebench.domain.translations import Untranslated
from tunebench.reporting.shapes import PRINTED, Shape
from tunebench.ui.look.language import error_text, text, translated
from tunebench.ui.look.theme import SPACE_M, SPACE_XS
from tunebench.ui.reports.details_form import is_date
from tunebench.ui.reports.redaction_dialog import ask_own, fill_profiles
from tunebench.ui.typing import never_stored
from tunebench.ui.widgets.parts import FactTable, button, column, label, panel, row, scrolling, set_tone
from tunebench.ui.widgets.window_picker import WindowPicker
from tunebench.ui.workspace import Workspace
from tunebench.usecases.redaction.profiles import SHIPPED

if TYPE_CHECKING:
    from tunebench.reporting.design import Design
    from tunebench.reporting.look import Look
    from tunebench.usecases.reports.register import FileState


STATE_SHAPES = {"same": "✓", "changed": "▲", "missing": "✕"}
STATE_TONES = {"same": "ok", "changed": "watch", "missing": "critical"}


def add_report_facts(table: FactTable, column: QVBoxLayout, report: WrittenReport, workspace: Workspace) -> None:
    table.add(text("ui.written_report.language"), text(f"ui.written_report.language.{report.language}"))
    table.add(text("ui.written_report.issued"), report.issued or DASH)
    table.add(text("ui.written_report.written_at"), format_stamp(report.written_at, workspace.zone))
    table.add("SHA-256", short_hash(report.sha256), tip=report.sha256)
    table.add(text("ui.written_report.size"), format_bytes(report.size_bytes))
    table.add(text("ui.written_report.program"), report.program_version)
    table.add(text("ui.written_report.path"), report.path, tip=report.path, elide=True)
    _add_state(column, report, workspace)
    folder = button(text("ui.written_report.open_folder"), on_click=lambda: open_folder_of(report))
    folder.setObjectName("report-folder")
    folder.setEnabled(Path(report.path).parent.is_dir())
    column.addWidget(folder, 0, Qt.AlignmentFlag.AlignLeft)


def _add_state(column: QVBoxLayout, report: WrittenReport, workspace: Workspace) -> None:
    """The file is read in a worker: it may be large, or on a drive that answers late."""
    from tunebench.usecases.reports import register as report_register

    shown = label(text("ui.written_report.looking"), "muted", wrap=True)
    shown.setObjectName("report-state")
    column.addWidget(shown)

    def say(state: FileState) -> None:
        shown.setText(f"{STATE_SHAPES[state]} {text(f'ui.written_report.state.{state}')}")
        set_tone(shown, STATE_TONES[state])

    workspace.jobs.run(
        "cpu",
        lambda _handle: report_register.file_state(report),
        owner=shown,
        slot="report-state",
        on_result=say,
        on_error=lambda error: shown.setText(error_text(error)),
    )


def open_folder_of(report: WrittenReport) -> None:
    QDesktopServices.openUrl(QUrl.fromLocalFile(str(Path(report.path).parent)))


class ReportOptions(QFrame):
    """Signals:
    changed: shape, language or date are others now.
    window_picked: (side, `Window`).
    export_asked: ``pdf``, ``xlsx``, ``html`` or ``pptx``.
    """

    changed = Signal()
    window_picked = Signal(str, object)
    export_asked = Signal(str)
    folder_asked = Signal()
    verify_asked = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("card", "true")
        self.shape = translated(QComboBox(), accessibleName="ui.report.shape")
        self.shape.addItems(list(PRINTED))
        self.language = translated(QComboBox(), accessibleName="ui.report.language")
        self.language.addItems(list(LANGUAGES))
        self.leave_out = translated(
            QCheckBox(), text="ui.report.leave_untranslated", toolTip="ui.report.leave_untranslated.tip"
        )
        self.both = translated(QCheckBox(), text="ui.report.both", toolTip="ui.report.both.tip")
        self.issued = translated(QLineEdit(), accessibleName="ui.report.issued", placeholderText="ui.report.draft")
        self.today = translated(button(kind="quiet", on_click=self._take_today), "ui.report.today")
        self.redaction = translated(
            QComboBox(), accessibleName="ui.report.redaction", toolTip="ui.report.redaction.tip"
        )
        self.redaction.addItem("", None)
        fill_profiles(self.redaction)
        self.redaction.activated.connect(lambda _place: ask_own(self.redaction, self))
        self.windows = {side: WindowPicker() for side in ("before", "after")}
        for side, picker in self.windows.items():
            picker.picked.connect(lambda window, of=side: self.window_picked.emit(of, window))
            translated(picker, accessibleName=f"ui.compare.side.{side}.run")
        for choice in (self.shape, self.language, self.redaction, *self.windows.values()):
            choice.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.export_pdf = translated(
            button(kind="primary", on_click=lambda: self.export_asked.emit("pdf")), "ui.report.export_pdf"
        )
        self.export_xlsx = translated(button(on_click=lambda: self.export_asked.emit("xlsx")), "ui.report.export_xlsx")
        self.export_html = translated(button(on_click=lambda: self.export_asked.emit("html")), "ui.report.export_html")
        self.export_pptx = translated(button(on_click=lambda: self.export_asked.emit("pptx")), "ui.report.export_pptx")
        self.exports = (self.export_pdf, self.export_pptx, self.export_xlsx, self.export_html)
        self.verify = translated(button(kind="quiet", on_click=self.verify_asked.emit), "ui.report.verify")
        self.result = label(role="muted", wrap=True)
        self.open_folder = translated(button(kind="link", on_click=self.folder_asked.emit), "ui.report.open_folder")
        self._titles = {
            name: translated(label(role="small"), f"ui.report.{name}")
            for name in ("shape", "language", "issued", "redaction", "facts")
        }
        self._sides = {
            side: translated(label(role="small", tone=side), f"ui.compare.side.{side}") for side in self.windows
        }
        self._facts = label(role="muted", wrap=True)
        self._glyphs = label(role="small", tone="warning", wrap=True)
        self.open_folder.hide()
        self._glyphs.hide()
        self._lay_out()
        for box in (self.shape, self.language):
            box.activated.connect(lambda _place: self.changed.emit())
        for check in (self.both, self.leave_out):
            check.clicked.connect(lambda _on: self.changed.emit())
        never_stored(self.issued)
        self.issued.editingFinished.connect(self._on_date)
        self._last_date = ""
        translated(self.shape, itemText=[f"ui.report.shape.{shape}" for shape in PRINTED])
        shipped = [f"ui.redaction.profile.{name}" for name in SHIPPED]
        translated(self.redaction, itemText=["ui.report.redaction.none", *shipped, "ui.redaction.own"])
        translated(self.language, itemText=[f"ui.language.{code}" for code in LANGUAGES])

    def _lay_out(self) -> None:
        dated = row((self.issued, 1), self.today, spacing=SPACE_XS)
        sides = (part for side, picker in self.windows.items() for part in (self._sides[side], picker))
        facts = (self._titles["facts"], self._facts, self._glyphs, 1)
        groups = (
            column(self._titles["shape"], self.shape, spacing=SPACE_XS),
            column(self._titles["language"], self.language, self.both, self.leave_out, spacing=SPACE_XS),
            column(self._titles["issued"], dated, spacing=SPACE_XS),
            column(self._titles["redaction"], self.redaction, spacing=SPACE_XS),
            column(*sides, spacing=SPACE_XS),
            (column(*facts, spacing=SPACE_XS), 1),
        )
        choices = scrolling(panel(column(*groups, spacing=SPACE_M)), framed=False)
        acts = column(self.result, row(self.open_folder, 1), *self.exports, self.verify, spacing=SPACE_XS)
        self.setLayout(column((choices, 1), acts, spacing=SPACE_M, margins=SPACE_M))
        fields = {"shape": self.shape, "language": self.language, "issued": self.issued, "redaction": self.redaction}
        for name, field in fields.items():
            self._titles[name].setBuddy(field)

    @property
    def wanted_shape(self) -> Shape:
        return PRINTED[max(self.shape.currentIndex(), 0)]

    @property
    def profile(self) -> str:
        """The profile by which names are replaced; empty where they stay."""
        return str(self.redaction.currentData() or "")

    @property
    def code(self) -> str:
        return LANGUAGES[max(self.language.currentIndex(), 0)]

    @property
    def untranslated(self) -> Untranslated:
        return Untranslated.LEAVE_OUT if self.leave_out.isChecked() else Untranslated.KEEP

    def design(self, own: str, left_out: Iterable[str], order: tuple[str, ...], look: Look) -> Design:
        """The layout that is chosen here, with what is chosen elsewhere; `own` is the engagement's language."""
        from tunebench.reporting.design import (
            Design,  # which knows every chapter, and this module is there at the start
        )

        code = "" if self.code == own else self.code
        look = replace(look, both=self.both.isChecked())
        return Design(self.wanted_shape, code, tuple(sorted(left_out)), order, self.untranslated, look)

    def choose_untranslated(self, untranslated: Untranslated) -> None:
        self.leave_out.setChecked(untranslated is Untranslated.LEAVE_OUT)

    def choose_shape(self, shape: Shape) -> None:
        self.shape.setCurrentIndex(PRINTED.index(shape))

    def choose_language(self, code: str) -> None:
        if code in LANGUAGES:
            self.language.setCurrentIndex(LANGUAGES.index(code))

    @property
    def date(self) -> str:
        """ISO, or empty for a draft."""
        words = self.issued.text().strip()
        return words if is_date(words) else ""

    def show_facts(self, pages: int, tables: int, figures: int) -> None:
        self._facts.setText(text("ui.report.counts", pages=pages, tables=tables, figures=figures))

    def warn_of_glyphs(self, characters: tuple[str, ...]) -> None:
        points = ", ".join(f"U+{ord(character):04X}" for character in characters[:8])
        self._glyphs.setText(text("ui.report.glyphs", points=points))
        self._glyphs.setVisible(bool(characters))

    def show_result(self, sentence: str, *, written: bool) -> None:
        self.result.setText(sentence)
        self.open_folder.setVisible(written)

    def set_busy(self, busy: bool) -> None:
        for control in (*self.exports, self.verify):
            control.setEnabled(not busy)

    def _take_today(self) -> None:
        self.issued.setText(date.today().isoformat())
        self._on_date()

    def _on_date(self) -> None:
        words = self.issued.text().strip()
        set_tone(self.issued, "" if is_date(words) else "wrong", "state")
        if is_date(words) and words != self._last_date:
            self._last_date = words
            self.changed.emit()
