"""The line at the bottom: saved state, hosts and runs, zone, what runs in the background."""

from __future__ import annotations

from PySide6.QtWidgets import QLabel, QProgressBar, QStatusBar, QWidget

from app.ui.capturing.capture_controller import CaptureController
from app.ui.capturing.live_status import CaptureStatus
from app.ui.jobs_bridge import JobsBridge, Ticket
from app.ui.look.formats import format_count, zone_name
from app.ui.look.language import has_text, language, text
from app.ui.look.theme import SPACE_L
from app.ui.widgets.parts import IconButton, name_button, row, set_tone
from app.ui.workspace import Workspace

SHOWN_JOBS = 2
HEIGHT = 28


class JobLine(QWidget):
    """One running job: name, bar, cancel."""

    def __init__(self, ticket: Ticket) -> None:
        super().__init__()
        self.ticket = ticket
        self._name = QLabel()
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        self._bar.setFixedWidth(120)
        self._cancel = IconButton("close", ticket.cancel)
        self.setLayout(row(self._name, self._bar, self._cancel))
        self.refresh()

    def refresh(self) -> None:
        title = text(self.ticket.title_key, **self.ticket.facts)
        fraction = self.ticket.fraction
        share = "" if fraction is None else f" {fraction:.0%}"
        self._name.setText(text("ui.status.cancelling", job=title) if self.ticket.cancel_asked else title + share)
        self._bar.setRange(0, 0 if fraction is None else 1000)
        self._bar.setValue(round((fraction or 0) * 1000))
        self._bar.setAccessibleName(title)
        name_button(self._cancel, text("ui.status.cancel_job", job=title))
        self._cancel.setEnabled(not self.ticket.cancel_asked)
        if has_text(self.ticket.progress_key):
            self.setToolTip(text(self.ticket.progress_key, **self.ticket.progress_facts))


class StatusBar(QStatusBar):
    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self.setSizeGripEnabled(False)
        self.setFixedHeight(HEIGHT)
        self._workspace = workspace
        self._jobs: JobsBridge = workspace.jobs
        self._lines: dict[int, JobLine] = {}
        self._saved, self._counts, self._zone, self._more = QLabel(), QLabel(), QLabel(), QLabel()
        self.captures = CaptureStatus(workspace, CaptureController.of(workspace))
        self._job_area = row(spacing=SPACE_L)
        running = (self._job_area, self._more, self.captures)
        left = QWidget()
        left.setLayout(
            row(self._saved, self._counts, self._zone, *running, 1, spacing=SPACE_L, margins=(SPACE_L, 0, 0, 0))
        )
        self.addWidget(left, 1)
        self._right = QLabel()
        self._right.setContentsMargins(0, 0, SPACE_L, 0)
        self.addPermanentWidget(self._right)
        self._jobs.jobs_changed.connect(self._show_jobs)
        workspace.project_changed.connect(self.refresh)
        language().changed.connect(self.refresh)
        self.refresh()

    def refresh(self, *_: object) -> None:
        overview = self._workspace.overview
        for widget in (self._saved, self._counts, self._zone):
            widget.setVisible(overview is not None)
        self._right.setText(text("ui.status.no_project") if overview is None else "")
        if overview is not None:
            state = "readonly" if overview.read_only else "saved"
            self._saved.setText(("" if overview.read_only else "✓ ") + text(f"ui.status.{state}"))
            set_tone(self._saved, "warning" if overview.read_only else "")
            self._saved.setToolTip(text(f"ui.status.{state}.tip"))
            self._counts.setText(
                text(
                    "ui.status.counts",
                    hosts=format_count(len(overview.hosts)),
                    runs=format_count(len(overview.runs)),
                    samples=format_count(overview.samples),
                )
            )
            self._zone.setText(zone_name(self._workspace.zone))
            self._zone.setToolTip(text("ui.status.zone.tip"))
            path = self._workspace.project_path
            self._right.setText(path.name if path else "")
            self._right.setToolTip(str(path or ""))
        self._show_jobs()

    def _show_jobs(self) -> None:
        running = {t.id: t for t in self._jobs.titled()}
        for job_id in [i for i in self._lines if i not in running]:
            self._lines.pop(job_id).deleteLater()
        for job_id, ticket in list(running.items())[:SHOWN_JOBS]:
            if job_id not in self._lines:
                self._lines[job_id] = JobLine(ticket)
                self._job_area.addWidget(self._lines[job_id])
        for job_line in self._lines.values():
            job_line.refresh()
        hidden = len(running) - len(self._lines)
        self._more.setText(text("ui.status.more_jobs", count=hidden) if hidden > 0 else "")
