"""A report that was written: what it is, where it was put, and whether that file is still the same."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QVBoxLayout

from app.domain.engagement import WrittenReport
from app.ui.look.formats import DASH, format_bytes, format_stamp, short_hash
from app.ui.look.language import error_text, text
from app.ui.widgets.facts import FactTable
from app.ui.widgets.parts import button, label, set_tone
from app.ui.workspace import Workspace

if TYPE_CHECKING:
    from app.usecases.reports.register import FileState

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
    from app.usecases.reports import register as report_register

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
