"""Times: per host the captures that leave a date, zone, start or interval open; and what its devices are called."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import UTC
from zoneinfo import ZoneInfo

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QLineEdit, QListWidget, QListWidgetItem, QTabWidget, QWidget

from tunebench.analysis.exploring.time_range import from_local
from tunebench.columns.formats import format_count, format_time
from tunebench.core.errors import UserError
from tunebench.domain.capturing.times import Correction
from tunebench.ui.importing.capture_table import CaptureTable
from tunebench.ui.importing.correction_form import CorrectCaptures, CorrectionForm, TakeBack
from tunebench.ui.importing.device_panel import DevicePanel
from tunebench.ui.importing.import_form import read_time
from tunebench.ui.importing.time_strip import Bar, SaidList, TimeStrip
from tunebench.ui.look.formats import host_words
from tunebench.ui.look.language import has_text, text, translated
from tunebench.ui.look.theme import SPACE_L, SPACE_M, SPACE_S, current_theme
from tunebench.ui.pages.base import CAPTURED, Page
from tunebench.ui.typing import mark_stored
from tunebench.ui.widgets.parts import ElidedLabel, button, caption, card, column, label, panel, row, set_tone, splitter
from tunebench.ui.workspace import Change, Workspace
from tunebench.usecases.importing import resolution
from tunebench.usecases.importing.resolution import Effect, Landmark, OpenHost

HOSTS_PX = 200
_HOST = Qt.ItemDataRole.UserRole


class AlignForm(QWidget):
    """`aligned` carries (seen, really), UTC nanoseconds."""

    aligned = Signal(object, object)
    refused = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self._zone = ZoneInfo("UTC")
        self._landmarks: list[Landmark] = []
        self._seen_of: list[Landmark] = []
        self._other_of: list[Landmark] = []
        self.seen = translated(QComboBox(), accessibleName="ui.resolution.align.seen")
        self.other = translated(QComboBox(), accessibleName="ui.resolution.align.other")
        self.really = translated(QLineEdit(), accessibleName="ui.resolution.align.really")
        for box in (self.seen, self.other):
            box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
            box.setMinimumContentsLength(18)
        self.really.setPlaceholderText("2026-11-21 14:32:05")
        self.use = translated(button(on_click=self._use), "ui.resolution.align.use")
        layout = row()
        for name, field, share in (("seen", self.seen, 3), ("really", self.really, 2), ("other", self.other, 3)):
            layout.addWidget(translated(label(role="small"), f"ui.resolution.align.{name}"))
            layout.addWidget(field, share)
        layout.addWidget(self.use)
        self.setLayout(layout)
        self.really.textEdited.connect(lambda: self.other.setCurrentIndex(0))
        self.other.activated.connect(lambda: self.really.clear())
        for changed in (self.seen.activated, self.really.textEdited, self.other.activated):
            changed.connect(self._enable)

    def show_landmarks(self, landmarks: Sequence[Landmark], zone: ZoneInfo) -> None:
        self._landmarks, self._zone = list(landmarks), zone
        self.retranslate()

    def offer(self, chosen: Collection[int]) -> None:
        """Offers the landmarks of the chosen captures on one side, those of all dated others on the other."""
        self._seen_of = [landmark for landmark in self._landmarks if landmark.artefact_id in chosen]
        self._other_of = [
            landmark for landmark in self._landmarks if landmark.artefact_id not in chosen and landmark.known
        ]
        for box, landmarks in ((self.seen, self._seen_of), (self.other, self._other_of)):
            kept = box.currentText()
            box.clear()
            box.addItem(text("ui.resolution.align.none"))
            box.addItems([self._words(landmark) for landmark in landmarks])
            box.setCurrentIndex(max(box.findText(kept), 0))
        self.setEnabled(bool(self._seen_of))
        self._enable()

    def retranslate(self) -> None:
        self.offer({landmark.artefact_id for landmark in self._seen_of})

    def _words(self, landmark: Landmark) -> str:
        key = f"ui.charts.event.{landmark.kind}"
        kind = text(key) if has_text(key) else text("ui.resolution.landmark.peak")
        words = " ".join(part for part in (kind, landmark.text) if part)
        return f"{format_time(landmark.time_ns, self._zone)}  {words} · {landmark.name}"

    def _enable(self) -> None:
        other = bool(self.really.text().strip()) or self.other.currentIndex() > 0
        self.use.setEnabled(self.seen.currentIndex() > 0 and other)

    def _use(self) -> None:
        seen = self._seen_of[self.seen.currentIndex() - 1]
        if self.other.currentIndex() > 0:
            self.aligned.emit(seen.time_ns, self._other_of[self.other.currentIndex() - 1].time_ns)
            return
        really = _read_local(self.really.text().strip(), self._zone)
        set_tone(self.really, "wrong" if really is None else "", "state")
        if really is None:
            self.refused.emit("ui.resolution.start.wrong")
        else:
            self.aligned.emit(seen.time_ns, really)
            mark_stored(self.really)


def _read_local(words: str, zone: ZoneInfo) -> int | None:
    try:
        moment = read_time(words)
    except ValueError:
        return None
    return from_local(moment.replace(tzinfo=zone).astimezone(UTC))


class ResolutionPage(Page):
    page_id = "resolution"
    title_key = "ui.page.resolution"
    icon = "timeline"

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self._hosts: dict[int, OpenHost] = {}
        self._make_parts()
        self._lay_out()
        self._connect()
        self.start()

    # --- building
    def _make_parts(self) -> None:
        self._title, self._summary = translated(label(role="title"), "ui.resolution.title"), label(role="muted")
        self.back = translated(
            button(kind="quiet", on_click=lambda: self.workspace.show_page("captures")), "ui.resolution.back"
        )
        self.hosts = translated(QListWidget(), accessibleName="ui.resolution.hosts")
        self.hosts.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.table = CaptureTable()
        self.strip = TimeStrip()
        self.form = CorrectionForm()
        self.align = AlignForm()
        self.said = SaidList()
        self.devices = DevicePanel(self.workspace)
        self.apply = translated(button(kind="primary", on_click=self.submit), "ui.resolution.apply")
        self._effect = ElidedLabel(role="muted")
        self._strip_title = ElidedLabel(role="small")
        self._nothing = translated(label(role="muted", wrap=True), "ui.resolution.empty")

    def _lay_out(self) -> None:
        times = (self._nothing, (self.table, 3), self._strip_title, (self.strip, 2), self._say_card(), self.said)
        self.tabs = QTabWidget(documentMode=True)
        self.tabs.addTab(panel(column(*times, margins=(0, SPACE_S, 0, 0))), "")
        self.tabs.addTab(self.devices, "")
        translated(self.tabs, tabText=("ui.page.resolution", "ui.devices.section"))
        sides = splitter(self.hosts, self.tabs, sizes=(HOSTS_PX, 1000), shares=(0, 1))
        head = row(self._title, (self._summary, 1), self.back, spacing=SPACE_L)
        column(head, (sides, 1), spacing=SPACE_M, margins=(SPACE_L, SPACE_M), of=self)

    def _say_card(self) -> QWidget:
        foot = row((self._effect, 1), self.apply, spacing=SPACE_M)
        say, align = caption("ui.resolution.say", "strong"), caption("ui.resolution.align", "strong")
        parts = say, self.form, align, self.align, foot
        return card(column(*parts, margins=(SPACE_M, SPACE_S)))

    def _connect(self) -> None:
        self.hosts.currentItemChanged.connect(lambda _now, _then: self._show_host())
        self.table.chosen_changed.connect(self._on_chosen)
        self.form.changed.connect(self.show_effect)
        self.align.aligned.connect(self._on_aligned)
        self.align.refused.connect(lambda key: self.workspace.say(text(key), "error"))
        self.strip.picked.connect(self.table.reveal)
        self.said.toggled.connect(self._on_toggled)
        self.tabs.currentChanged.connect(self._on_tab)

    # --- page
    def show_argument(self, argument: object) -> None:
        """Takes a host's id, or (host's id, "devices")."""
        host_id, tab = argument if isinstance(argument, tuple) else (argument, "times")
        self.tabs.setCurrentIndex(1 if tab == "devices" else 0)
        for index in range(self.hosts.count()):
            if self.hosts.item(index).data(_HOST) == host_id:
                self.hosts.setCurrentRow(index)

    def project_changed(self, change: Change) -> None:
        if change in CAPTURED:
            self.outdate()

    def retranslate(self, code: str) -> None:
        self._strip_title.set_words(text("ui.resolution.strip"))
        for part in (self.table, self.align, self.devices):
            part.retranslate()
        self.outdate()

    def apply_theme(self, theme: object) -> None:
        if self.isVisible():
            self._show_host()

    # --- content
    def fill(self) -> None:
        chosen = self._host_id()
        open_hosts = resolution.open_hosts(self.workspace.project) if self.workspace.project is not None else []
        self._hosts = {open_host.host.id: open_host for open_host in open_hosts}
        every = self.workspace.overview.hosts if self.workspace.overview else ()
        ordered = [open_host.host for open_host in open_hosts] + [host for host in every if host.id not in self._hosts]
        self.hosts.blockSignals(True)
        self.hosts.clear()
        for host in ordered:
            item = QListWidgetItem(self._host_words(host.id, host_words(host.name)))
            item.setData(_HOST, host.id)
            if host.id in self._hosts and self._hosts[host.id].doubtful:
                item.setForeground(current_theme().watch)
            self.hosts.addItem(item)
        doubtful = sum(open_host.doubtful for open_host in open_hosts)
        words = (
            text("ui.resolution.badge", count=format_count(doubtful)) if doubtful else text("ui.resolution.all_known")
        )
        self._summary.setText(words)
        indexes = [index for index, host in enumerate(ordered) if host.id == chosen]
        self.hosts.setCurrentRow(indexes[0] if indexes else 0)
        self.hosts.blockSignals(False)
        self._show_host()

    def _host_words(self, host_id: int, name: str) -> str:
        open_host = self._hosts.get(host_id)
        if open_host is None or not open_host.captures:
            return name
        if open_host.doubtful:
            return text("ui.resolution.host_open", host=name, count=format_count(open_host.doubtful))
        return text("ui.resolution.host_settled", host=name)

    def _host_id(self) -> int | None:
        row_number = self.hosts.currentRow()
        return self.hosts.item(row_number).data(_HOST) if row_number >= 0 else None

    def _show_host(self) -> None:
        host_id = self._host_id()
        open_host = self._hosts.get(host_id or 0)
        captures = list(open_host.captures) if open_host else []
        zone = self.workspace.zone
        self._nothing.setVisible(not captures)
        self.table.show_captures(captures, zone)
        self.said.show_said(open_host.said if open_host else (), zone, self.workspace.writable)
        self.align.show_landmarks(
            resolution.landmarks(self.workspace.opened, open_host.host.id) if open_host and captures else (), zone
        )
        self.form.clear_fields()
        self._on_chosen()
        if self.tabs.currentIndex() == 1:
            self._show_devices()

    def _on_tab(self, index: int) -> None:
        if index == 1:
            self._show_devices()

    def _show_devices(self) -> None:
        overview = self.workspace.overview
        hosts = overview.hosts if overview else ()
        self.devices.show_host(next((host for host in hosts if host.id == self._host_id()), None))

    def _on_chosen(self) -> None:
        chosen = self.table.chosen()
        self.form.offer([capture.times for capture in chosen])
        self.align.offer({capture.artefact.id for capture in chosen})
        self.show_effect()

    # --- the effect, live
    def show_effect(self) -> None:
        chosen, correction = self.table.chosen(), self.form.correction()
        effects = resolution.effects(chosen, correction or Correction())
        self.table.show_effects(effects)
        self.strip.show_bars(self._bars(effects), self.workspace.zone)
        changed = sum(effect.changed for effect in effects)
        words = text("ui.resolution.changes", count=format_count(changed)) if changed else ""
        if self.form.wrong:
            words = text(self.form.wrong)
        self._effect.set_words(words if self.workspace.writable else text("ui.resolution.read_only"))
        set_tone(self._effect, "critical" if self.form.wrong else "")
        self.apply.setEnabled(bool(changed) and self.workspace.writable and correction is not None)

    def _bars(self, effects: list[Effect]) -> list[Bar]:
        """Bars of the chosen captures, and of the host's others as something to aim at."""
        moved = {effect.capture.artefact.id for effect in effects}
        bars = [
            Bar(e.capture.artefact.id, e.capture.artefact.name, e.before, e.after, e.changed, chosen=True)
            for e in effects
        ]
        for artefact in (artefact for view in self.workspace.run_views for artefact in view.artefacts):
            first, last = artefact.ledger.first_ns, artefact.ledger.last_ns
            if artefact.host_id == self._host_id() and artefact.id not in moved and first is not None:
                span = (first, last if last is not None else first)
                bars.append(Bar(artefact.id, artefact.name, span, span, known=True))
        return bars

    def _on_aligned(self, seen_ns: int, really_ns: int) -> None:
        try:
            self.form.take(resolution.aligned(self.table.chosen(), seen_ns, really_ns))
        except UserError as error:
            self.workspace.say_error(error)

    # --- saying it
    def submit(self) -> None:
        chosen, correction, host_id = self.table.chosen(), self.form.correction(), self._host_id()
        if correction is None or host_id is None or not chosen:
            return
        open_host = self._hosts[host_id]
        done = text("ui.resolution.applied", count=format_count(len(chosen)), host=host_words(open_host.host.name))
        ids = [capture.artefact.id for capture in chosen]
        say = CorrectCaptures(self.workspace, lambda *to: resolution.correct(to[0], ids, correction, to[1]), done)
        self.workspace.undo.push(say)

    def _on_toggled(self, number: int, back: bool) -> None:
        self.workspace.undo.push(TakeBack(self.workspace, number, back))
