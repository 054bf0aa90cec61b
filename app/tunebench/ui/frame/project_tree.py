"""Left: the engagement as a tree: its hosts, its runs, every capture with its state, and the reports written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPoint, QRect, QSignalBlocker, QSize, Qt, QTimer
from PySide6.QtGui import QAction, QFontMetrics, QPainter
from PySide6.QtWidgets import (
    QMenu,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from tunebench.columns.formats import format_span, format_stamp, years_to_name
from tunebench.domain.engagement import Host, Phase, Run, WrittenReport
from tunebench.domain.operating_systems import os_name
from tunebench.domain.windows import Window, WindowRole
from tunebench.ui.comparing.window_book import WindowBook
from tunebench.ui.comparing.window_editor import WindowEditor
from tunebench.ui.inspected import Inspected, InspectedCapture, InspectedHost, InspectedReport, InspectedRun
from tunebench.ui.look import fonts
from tunebench.ui.look.formats import engagement_words, format_day, host_words
from tunebench.ui.look.language import language, text
from tunebench.ui.look.painting import RIGHT, write
from tunebench.ui.look.theme import ROW_HEIGHT, SPACE_L, SPACE_S, Theme, current_theme
from tunebench.ui.reports.report_options import open_folder_of
from tunebench.ui.undo import ChangeRun
from tunebench.ui.widgets.parts import ElidedLabel, column, row
from tunebench.ui.workspace import Change, Workspace
from tunebench.usecases.exploring.window_ranges import occurrence_lines
from tunebench.usecases.projects import ArtefactInfo, Overview, RunView

ASIDE_BREAK = "  "
MOST_GIVEN, LEAST_NAME = 48, 84
THING, KIND, ASIDE, TONE = (Qt.ItemDataRole.UserRole + i for i in range(1, 5))

STATE_TONES = {
    "imported": "",
    "duplicate": "muted",
    "unrecognised": "watch",
    "failed": "critical",
    "pending": "watch",
    "kept": "muted",
}


class TwoPartDelegate(QStyledItemDelegate):
    """Name left, a muted word right; the name gives way first."""

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        self.initStyleOption(option, index)
        name, option.text = option.text, ""
        style = option.widget.style()
        style.drawControl(QStyle.ControlElement.CE_ItemViewItem, option, painter, option.widget)
        theme = current_theme()
        area = option.rect.adjusted(SPACE_S // 2, 0, -SPACE_S, 0)
        metrics = QFontMetrics(option.font)
        aside = fitting_aside(str(index.data(ASIDE) or ""), area.width() - SPACE_S, metrics.horizontalAdvance(name))
        painter.save()
        room = self._paint_aside(painter, area, aside, theme)
        painter.setFont(option.font)
        shown = metrics.elidedText(name, Qt.TextElideMode.ElideMiddle, area.width() - room)
        write(painter, area, shown, getattr(theme, index.data(TONE) or "text"))
        painter.restore()

    def _paint_aside(self, painter: QPainter, area: QRect, aside: str, theme: Theme) -> int:
        if not aside:
            return 0
        small = fonts.font(fonts.SMALL_PX)
        painter.setFont(small)
        write(painter, area, aside, theme.muted, RIGHT)
        return QFontMetrics(small).horizontalAdvance(aside) + SPACE_S

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(super().sizeHint(option, index).width(), ROW_HEIGHT)


def fitting_aside(aside: str, room_px: int, name_px: int) -> str:
    """As many of its parts as fit; for the first, the name gives up `MOST_GIVEN` px but keeps `LEAST_NAME`."""
    metrics = QFontMetrics(fonts.font(fonts.SMALL_PX))
    parts, spare = aside.split(ASIDE_BREAK), room_px - name_px
    while len(parts) > 1 and metrics.horizontalAdvance(ASIDE_BREAK.join(parts)) > spare:
        parts.pop()
    kept = ASIDE_BREAK.join(parts)
    return kept if metrics.horizontalAdvance(kept) <= spare + min(MOST_GIVEN, max(name_px - LEAST_NAME, 0)) else ""


class ProjectTree(QWidget):
    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self.setObjectName("dock")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._workspace = workspace
        self.book = WindowBook.of(workspace)
        self._title = ElidedLabel(role="strong", mode=Qt.TextElideMode.ElideRight)
        self.tree = QTreeWidget()
        self.tree.setHeaderHidden(True)
        self.tree.setIndentation(14)
        self.tree.setItemDelegate(TwoPartDelegate(self.tree))
        self.tree.setEditTriggers(QTreeWidget.EditTrigger.EditKeyPressed)
        self.tree.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.tree.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.tree.currentItemChanged.connect(self._on_current)
        self.tree.itemActivated.connect(self._on_activated)
        self.tree.itemChanged.connect(self._on_edited)
        self.tree.customContextMenuRequested.connect(self._show_menu)
        head = row(self._title, margins=(SPACE_L, 0, SPACE_S, 0))
        self.setLayout(column(head, self.tree, margins=(0, SPACE_L, 0, 0)))
        workspace.project_changed.connect(self._on_change)
        self.book.changed.connect(self.fill)
        workspace.inspected.connect(self._on_inspected)
        language().follow(self.fill)

    # --- content
    def _on_change(self, change: Change) -> None:
        if change is not Change.NOTES:
            self.fill()

    def fill(self, *_: object) -> None:
        """Build the tree again, keeping what was chosen and folded."""
        chosen, folded = self._chosen_key(), self._folded_keys()
        with QSignalBlocker(self.tree):
            self.tree.clear()
            overview = self._workspace.overview
            if overview is not None:
                engagement = overview.engagement
                self._title.set_words(engagement_words(engagement))
                self._add_hosts(overview)
                self._add_runs(overview)
                self._add_windows()
                self._add_reports(overview)
                self._restore(chosen, folded)
            self.tree.setAccessibleName(text("ui.tree.name"))

    def _add_hosts(self, overview: Overview) -> None:
        group = self._group("hosts", text("ui.tree.hosts"), len(overview.hosts))
        for host in overview.hosts:
            self._add(group, "host", host, host_words(host.name), os_words(host, ASIDE_BREAK))

    def _add_runs(self, overview: Overview) -> None:
        group = self._group("runs", text("ui.tree.runs"), len(overview.runs))
        zone = self._workspace.zone
        with_year = years_to_name((view.run.first_ns for view in overview.runs), zone)
        for view in overview.runs:
            run = view.run
            day = format_day(run.first_ns, zone, with_year).replace(" ", ASIDE_BREAK)  # the weekday gives way first
            phase = text(f"ui.phase.{run.phase}") if run.phase is not Phase.OTHER else ""
            word = "" if phase.lower() in run.label.lower() else phase
            aside = ASIDE_BREAK.join(w for w in (word, day) if w)
            tone = run.phase.value if run.phase is not Phase.OTHER else ""
            item = self._add(group, "run", view, run.label, aside, tone)
            span = format_span(run.first_ns, run.last_ns, zone)
            item.setToolTip(0, "\n".join(part for part in (run.label, phase, span) if part))
            if self._workspace.writable:
                item.setFlags(item.flags() | Qt.ItemFlag.ItemIsEditable)
            for artefact in view.artefacts:
                state = str(artefact.state)
                state_words = "" if state == "imported" else text(f"ui.state.{state}")
                leaf = self._add(item, "artefact", artefact, artefact.name, state_words, STATE_TONES.get(state, ""))
                leaf.setToolTip(0, f"{artefact.name}\n{text(f'ui.state.{state}')}")

    def _add_windows(self) -> None:
        """The kept ones; nothing where there are none yet."""
        if not self.book.windows:
            return
        group = self._group("windows", text("ui.tree.windows"), len(self.book.windows))
        for window in self.book.windows:
            tone = window.role.value if window.role is not WindowRole.OTHER else ""
            times = text("ui.tree.occurrences", n=len(window.occurrences))
            item = self._add(group, "window", window, window.name, times, tone)
            lines = occurrence_lines(window, self._workspace.zone)
            item.setToolTip(0, "\n".join((window.name, text(f"window.role.{window.role}"), *lines)))
            if self._workspace.writable:
                item.setFlags(item.flags() | Qt.ItemFlag.ItemIsEditable)

    def _add_reports(self, overview: Overview) -> None:
        """The newest first; nothing where none was written yet."""
        if not overview.reports:
            return
        group = self._group("reports", text("ui.tree.reports"), len(overview.reports))
        for report in reversed(overview.reports):
            written = format_stamp(report.written_at, self._workspace.zone)
            leaf = self._add(group, "report", report, report.file_name, written.partition(" ")[0])
            leaf.setToolTip(0, f"{report.path}\n{written}")

    def _group(self, kind: str, words: str, count: int) -> QTreeWidgetItem:
        item = self._add(self.tree.invisibleRootItem(), "group", kind, words, str(count))
        item.setExpanded(True)
        return item

    def _add(
        self, parent: QTreeWidgetItem, kind: str, thing: object, words: str, aside: str = "", tone: str = ""
    ) -> QTreeWidgetItem:
        item = QTreeWidgetItem(parent, [words])
        accessible = f"{words} {aside}".strip()
        roles = {KIND: kind, THING: thing, ASIDE: aside, TONE: tone, Qt.ItemDataRole.AccessibleTextRole: accessible}
        for role, value in roles.items():
            item.setData(0, role, value)
        if kind == "run":
            item.setExpanded(True)
        return item

    # --- what was chosen and folded survives a refill
    def items(self) -> list[QTreeWidgetItem]:
        items: list[QTreeWidgetItem] = []
        waiting = [self.tree.invisibleRootItem()]
        while waiting:
            parent = waiting.pop()
            children = [c for i in range(parent.childCount()) if (c := parent.child(i)) is not None]
            items += children
            waiting += children
        return items

    def _chosen_key(self) -> tuple[str, object] | None:
        item = self.tree.currentItem()
        return _key(item) if item is not None else None

    def _folded_keys(self) -> set[tuple[str, object]]:
        return {_key(i) for i in self.items() if i.childCount() and not i.isExpanded()}

    def _restore(self, chosen: tuple[str, object] | None, folded: set[tuple[str, object]]) -> None:
        for item in self.items():
            if item.childCount():
                item.setExpanded(_key(item) not in folded)
            if _key(item) == chosen:
                self.tree.setCurrentItem(item)

    def _on_inspected(self, shown: Inspected | None) -> None:
        """What was chosen elsewhere is marked here."""
        match shown:
            case InspectedHost(host):
                self._mark("host", host.id)
            case InspectedRun(view):
                self._mark("run", view.run.id)
            case InspectedCapture(artefact):
                self._mark("artefact", artefact.id)
            case InspectedReport(report):
                self._mark("report", report.id)

    def _mark(self, kind: str, thing_id: int) -> None:
        if self._chosen_key() != (kind, thing_id):
            with QSignalBlocker(self.tree):
                self.choose(kind, thing_id)
            self.tree.viewport().update()

    def choose(self, kind: str, thing_id: int) -> None:
        for item in self.items():
            if _key(item) == (kind, thing_id):
                self.tree.setCurrentItem(item)
                return

    # --- what the user does
    def _on_current(self, item: QTreeWidgetItem | None, _old: QTreeWidgetItem | None) -> None:
        shown = _inspected(item.data(0, THING)) if item is not None else None
        if shown is not None:
            self._workspace.inspect(shown)

    def _on_activated(self, item: QTreeWidgetItem) -> None:
        kind, thing = item.data(0, KIND), item.data(0, THING)
        if kind == "artefact":
            self._workspace.show_page("captures", thing.id)
        elif kind == "report":
            self._workspace.show_page("report")
        elif kind == "window" and self._workspace.writable:
            WindowEditor(self._workspace, thing, parent=self.window()).open()

    def _on_edited(self, item: QTreeWidgetItem) -> None:
        kind, thing, label = item.data(0, KIND), item.data(0, THING), item.text(0).strip()
        if kind == "run":
            QTimer.singleShot(0, self, lambda: self.rename(thing.run, label))
        elif kind == "window":
            QTimer.singleShot(0, self, lambda: self.rename_window(thing, label))

    def rename_window(self, window: Window, name: str) -> None:
        if name != window.name:
            self._workspace.attempt(lambda: self.book.keep(replace(window, name=name), window))
        self.fill()

    def rename(self, run: Run, label: str) -> None:
        if label and label != run.label:
            self._workspace.undo.push(ChangeRun(self._workspace, run, label, run.phase))
        self.fill()

    def _show_menu(self, where: QPoint) -> None:
        item = self.tree.itemAt(where)
        if item is None:
            return
        menu, kind, thing = QMenu(self), item.data(0, KIND), item.data(0, THING)
        if kind == "run":
            self._fill_run_menu(menu, item)
        elif kind == "artefact":
            self._fill_capture_menu(menu, item)
        elif kind == "report":
            menu.addAction(text("ui.tree.show_report"), lambda: self._on_activated(item))
            menu.addAction(text("ui.written_report.open_folder"), lambda: open_folder_of(thing))
        elif kind == "window":
            self._fill_window_menu(menu, item)
        elif kind == "group" and thing not in ("reports", "windows"):
            menu.addAction(self._workspace.commands.action("capture.import"))
        if not menu.isEmpty():
            menu.exec(self.tree.viewport().mapToGlobal(where))

    def _fill_run_menu(self, menu: QMenu, item: QTreeWidgetItem) -> None:
        run = item.data(0, THING).run
        self._offer(menu, "ui.tree.rename_run", lambda: self.tree.editItem(item, 0))
        menu.addSeparator()
        for phase in Phase:
            action = self._offer(menu, f"ui.phase.{phase}", lambda p=phase: self.set_phase(run, p))
            action.setCheckable(True)
            action.setChecked(run.phase is phase)
        menu.addSeparator()
        self._offer(menu, "ui.command.capture.remove_run", lambda: self.remove_chosen("run"))

    def _fill_window_menu(self, menu: QMenu, item: QTreeWidgetItem) -> None:
        self._offer(menu, "ui.window.rename", lambda: self.tree.editItem(item, 0))
        self._offer(menu, "ui.window.change", lambda: self._on_activated(item))
        self._offer(menu, "ui.window.remove", lambda: self.book.remove(item.data(0, THING)))

    def _fill_capture_menu(self, menu: QMenu, item: QTreeWidgetItem) -> None:
        menu.addAction(text("ui.tree.show_ledger"), lambda: self._on_activated(item))
        menu.addSeparator()
        self._offer(menu, "ui.command.capture.remove_capture", lambda: self.remove_chosen("artefact"))

    def _offer(self, menu: QMenu, key: str, act: Callable[[], object]) -> QAction:
        """What changes the project, where it may be changed."""
        action = menu.addAction(text(key), act)
        action.setEnabled(self._workspace.writable)
        return action

    def remove_chosen(self, kind: str) -> None:
        """Asks for the ``run`` or ``artefact`` that is chosen; of a chosen capture, its run may be meant."""
        from tunebench.ui.importing import removal

        item = self.tree.currentItem()
        if item is not None and kind == "run" and item.data(0, KIND) == "artefact":
            item = item.parent()
        if item is None or item.data(0, KIND) != kind:
            self._workspace.say(text("ui.removal.nothing"), "warning")
        elif kind == "run":
            removal.ask_run(self._workspace, item.data(0, THING).run, self.window())
        else:
            removal.ask_capture(self._workspace, item.data(0, THING), self.window())

    def set_phase(self, run: Run, phase: Phase) -> None:
        if run.phase is not phase:
            self._workspace.undo.push(ChangeRun(self._workspace, run, run.label, phase))


def _inspected(thing: object) -> Inspected | None:
    """None for a group and a kept window, of which the inspector says nothing."""
    match thing:
        case Host():
            return InspectedHost(thing)
        case RunView():
            return InspectedRun(thing)
        case ArtefactInfo():
            return InspectedCapture(thing)
        case WrittenReport():
            return InspectedReport(thing)
    return None


def _key(item: QTreeWidgetItem) -> tuple[str, object]:
    kind, thing = item.data(0, KIND), item.data(0, THING)
    if kind == "run":
        return kind, thing.run.id
    return kind, thing if kind == "group" else thing.id


def os_words(host: Host, between: str = " ") -> str:
    return between.join(w for w in (os_name(host.os), host.os_version) if w)
