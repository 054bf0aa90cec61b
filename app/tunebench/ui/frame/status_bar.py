"""What the window says around its page: why nothing can be changed, above it; and the line at the bottom: saved state,
hosts and runs, zone, what runs in the background, captures first, and what was said lately."""

from __future__ import annotations

import time
from collections.abc import Callable

from PySide6.QtWidgets import QFrame, QLabel, QProgressBar, QPushButton, QStatusBar, QWidget

from tunebench.columns.capturing.live_rows import running_words
from tunebench.columns.capturing.live_states import span_words
from tunebench.columns.formats import format_count, format_stamp, zone_name
from tunebench.ui.capturing.capture_controller import CaptureController
from tunebench.ui.jobs_bridge import JobsBridge, Ticket
from tunebench.ui.look.icons import pixmap
from tunebench.ui.look.language import has_text, language, text, translated, window_locale
from tunebench.ui.look.theme import ICON_SIZE_SMALL, SPACE_L, SPACE_M, SPACE_S, current_theme, themes
from tunebench.ui.widgets.parts import IconButton, button, label, name_button, row, set_tone
from tunebench.ui.workspace import Workspace

SHOWN_JOBS = 2
HEIGHT = 28


class ReadOnlyBanner(QFrame):
    """Says why nothing can be changed in this project; where another computer holds it, `take_over` is offered."""

    def __init__(self, workspace: Workspace, take_over: Callable[[], object]) -> None:
        super().__init__()
        self.setObjectName("messages")
        set_tone(self, "warning")
        self._workspace = workspace
        self._picture = QLabel()
        self._words = label(wrap=True)
        self.take_over = button("", on_click=take_over)
        translated(self.take_over, text="ui.readonly.take_over")
        margins = (SPACE_M, SPACE_S, SPACE_M, SPACE_S)
        self.setLayout(row(self._picture, (self._words, 1), self.take_over, margins=margins))
        workspace.project_changed.connect(self.refresh)
        language().changed.connect(self.refresh)
        themes().follow(self.refresh)

    def words(self) -> str:
        return "" if self.isHidden() else self._words.text()

    def refresh(self, *_: object) -> None:
        overview = self._workspace.overview
        self.setVisible(overview is not None and overview.read_only)
        self._picture.setPixmap(pixmap("lock", current_theme().warning, ICON_SIZE_SMALL))
        if overview is None or not overview.read_only:
            return
        holder = overview.lock_holder
        self.take_over.setVisible(holder is not None and holder.is_elsewhere)
        facts = {name: getattr(holder, name, "") for name in ("user", "host", "pid")}
        facts["since"] = format_stamp(getattr(holder, "since", ""), self._workspace.zone)
        self._words.setText(text(f"ui.readonly.{overview.read_only_reason or 'asked'}", **facts))
        self.setAccessibleName(self._words.text())


class CaptureStatus(QPushButton):
    """Hidden where nothing runs, waits or was cut off."""

    def __init__(self, workspace: Workspace, controller: CaptureController) -> None:
        super().__init__()
        self.setObjectName("capturestatus")
        self.setFlat(True)
        self._controller = controller
        self.clicked.connect(lambda: workspace.show_page("collect", "live"))
        controller.changed.connect(self.refresh)
        controller.unfinished.changed.connect(self.refresh)
        language().changed.connect(self.refresh)
        themes().follow(self.refresh)

    def refresh(self) -> None:
        words, tone = self._words()
        self.setVisible(bool(words))
        if self.text() != words:
            self.setText(words)
            self.setAccessibleName(words)
        self.setToolTip(text("ui.live.status.tip"))
        set_tone(self, tone)

    def _words(self) -> tuple[str, str]:
        controller = self._controller
        if controller.running_views:
            return running_words(controller.running_views, window_locale())
        if controller.awaited:
            left_s = (controller.awaited[0].next_ns - time.time_ns()) / 1e9
            return f"◷ {text('ui.live.status.waiting', label=controller.awaited[0].label, left=span_words(left_s))}", ""
        if controller.unfinished.sessions:
            return f"✕ {text('ui.live.status.unfinished', count=len(controller.unfinished.sessions))}", "warning"
        return "", ""


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
    def __init__(self, workspace: Workspace, bell: QWidget) -> None:
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
        self.addPermanentWidget(bell)
        self._jobs.jobs_changed.connect(self._show_jobs)
        workspace.project_changed.connect(self.refresh)
        workspace.typing_changed.connect(self.refresh)
        language().follow(self.refresh)

    def refresh(self, *_: object) -> None:
        overview = self._workspace.overview
        for widget in (self._saved, self._counts, self._zone):
            widget.setVisible(overview is not None)
        self._right.setText(text("ui.status.no_project") if overview is None else "")
        if overview is not None:
            state = "readonly" if overview.read_only else "unsaved" if self._workspace.unsaved else "saved"
            self._saved.setText(("✓ " if state == "saved" else "") + text(f"ui.status.{state}"))
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
