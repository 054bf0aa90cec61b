"""Right: what is selected: its meaning, its figures, where they come from, and the consultant's notes on it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QScrollArea, QVBoxLayout, QWidget

from tunebench.analysis.statistics import Statistics
from tunebench.columns.formats import DASH, format_count, format_span, format_time, format_value, short_hash
from tunebench.domain.engagement import Host, StoredEvent, WrittenReport
from tunebench.domain.series import SeriesInfo
from tunebench.ui.frame.inspected_fields import HostZoneField, RunFields
from tunebench.ui.frame.notes_panel import NotesPanel
from tunebench.ui.frame.project_tree import os_words
from tunebench.ui.importing.ledger_view import add_evidence_facts, state_words
from tunebench.ui.inspected import (
    Inspected,
    InspectedCapture,
    InspectedComparison,
    InspectedEvent,
    InspectedHost,
    InspectedReport,
    InspectedRun,
    InspectedSeries,
)
from tunebench.ui.look.formats import format_interval, host_words, unit_text
from tunebench.ui.look.language import error_text, has_text, language, text
from tunebench.ui.look.theme import SPACE_L, SPACE_M, themes
from tunebench.ui.reports.report_options import add_report_facts
from tunebench.ui.undo import NoteTarget
from tunebench.ui.widgets.capture_lines import CaptureLines
from tunebench.ui.widgets.parts import ElidedLabel, FactTable, button, column, label, line, row, selectable
from tunebench.ui.workspace import Change, Workspace

if TYPE_CHECKING:
    from tunebench.analysis.comparing.comparison import ComparedSeries
    from tunebench.usecases.browse import Evidence
    from tunebench.usecases.projects import ArtefactInfo, RunView

MOST_UNBROKEN = 22
"""A name with a longer word than this many characters (a file of OSWatcher) cannot wrap: it is shortened instead."""


class Inspector(QWidget):
    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self.setObjectName("dock")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._workspace = workspace
        self._shown: Inspected | None = None
        self._run_fields = RunFields(workspace, self)
        self._host_zone = HostZoneField(workspace, self)
        self._scroll = QScrollArea()
        self._scroll.setWidgetResizable(True)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._notes = NotesPanel(workspace)
        self.setLayout(column((self._scroll, 1), line(), self._notes, spacing=0))
        workspace.inspected.connect(self.show_thing)
        workspace.project_changed.connect(self._on_change)
        language().changed.connect(self.refresh)
        themes().follow(self.refresh)

    @property
    def shown(self) -> Inspected | None:
        return self._shown

    def show_thing(self, thing: Inspected | None) -> None:
        self._shown = thing
        self.refresh()

    def _on_change(self, change: Change) -> None:
        if change in (Change.OPENED, Change.CLOSED):
            self.show_thing(None)
        elif change is Change.NOTES:
            self._notes.refresh()
        elif change is Change.REPORTS and not isinstance(self._shown, InspectedReport):
            return  # the register says nothing of other things
        else:
            self._find_again()
            if not self._run_fields.is_naming:
                self.refresh()

    def _find_again(self) -> None:
        """Looks up what is shown as it is now, after a change of the project."""
        overview = self._workspace.overview
        if overview is None:
            return
        match self._shown:
            case InspectedRun(view):
                views = (InspectedRun(listed) for listed in overview.runs if listed.run.id == view.run.id)
                self._shown = next(views, None)
            case InspectedHost(host):
                hosts = (InspectedHost(listed) for listed in overview.hosts if listed.id == host.id)
                self._shown = next(hosts, None)
            case InspectedCapture(artefact):
                captures = (listed for view in overview.runs for listed in view.artefacts if listed.id == artefact.id)
                self._shown = next(map(InspectedCapture, captures), None)

    def refresh(self, *_: object) -> None:
        self.setAccessibleName(text("ui.inspector.name"))
        body = QWidget()
        self._column = column(margins=SPACE_L)
        body.setLayout(self._column)
        target = self._build()
        self._column.addStretch(1)
        self._scroll.setWidget(body)
        self._notes.show_target(target)

    # --- the kinds of things
    def _build(self) -> NoteTarget | None:
        """What notes on the thing that is shown are on; None where it takes none."""
        match self._shown:
            case InspectedSeries():
                return self._build_series(self._shown)
            case InspectedComparison(row):
                return self._build_comparison(row)
            case InspectedCapture(artefact):
                return self._build_capture(artefact)
            case InspectedRun(view):
                return self._build_run(view)
            case InspectedHost(host):
                return self._build_host(host)
            case InspectedEvent(stored):
                return self._build_event(stored)
            case InspectedReport(report):
                self._build_report(report)
            case None:
                self._build_nothing()
        return None

    def _build_nothing(self) -> None:
        self._column.addWidget(label(text("ui.inspector.nothing"), "muted", wrap=True))

    def _build_series(self, shown: InspectedSeries) -> NoteTarget:
        info = shown.series
        self._head(info.label, text("ui.inspector.of_host", host=host_words(info.host), run=info.run))
        self._meaning(info)
        self._definition(info)
        self._figures(shown)
        if shown.time_ns is not None:
            self._evidence(shown)
        return NoteTarget("series", info.id, shown.time_ns)

    def _definition(self, info: SeriesInfo) -> None:
        self._table(
            ("ui.inspector.metric", info.metric),
            ("ui.inspector.native", f"{info.tool} {info.native}"),
            ("ui.inspector.unit", unit_text(info.unit) or DASH),
            ("ui.inspector.better", text(f"ui.direction.{info.direction}")),
            ("ui.inspector.interval", format_interval(info.interval_s)),
            ("ui.inspector.captures", format_count(info.captures) if info.captures > 1 else ""),
        )

    def _figures(self, shown: InspectedSeries) -> None:
        from tunebench.usecases import browse

        info, table, project = shown.series, FactTable(), self._workspace.opened
        whole = shown.start_ns is None and shown.end_ns is None
        first, last = (info.first_ns, info.last_ns) if whole else (shown.start_ns, shown.end_ns)
        span = label(format_span(first, last, self._workspace.zone), "small", wrap=True)
        self._section("ui.inspector.statistics", span, table)
        self._workspace.jobs.run(
            "cpu",
            lambda _handle: browse.statistics(project, info.id, shown.start_ns, shown.end_ns),
            owner=table,
            slot="statistics",
            on_result=lambda statistics: fill_statistics(table, statistics, info.unit),
        )

    def _evidence(self, shown: InspectedSeries) -> None:
        from tunebench.usecases import browse

        holder, inside = QWidget(), column()
        holder.setLayout(inside)
        self._section("ui.inspector.evidence", holder)
        project, series_id, time_ns = self._workspace.opened, shown.series.id, shown.time_ns
        assert time_ns is not None
        self._workspace.jobs.run(
            "cpu",
            lambda _handle: browse.evidence(project, series_id, time_ns),
            owner=holder,
            slot="evidence",
            on_result=lambda evidence: self._fill_evidence(inside, evidence, time_ns),
            on_error=lambda error: inside.addWidget(label(error_text(error), "muted", wrap=True)),
        )

    def _fill_evidence(self, inside: QVBoxLayout, evidence: Evidence, time_ns: int) -> None:
        artefact, table = evidence.artefact, FactTable()
        inside.addWidget(label(format_time(time_ns, self._workspace.zone), "small"))
        inside.addWidget(CaptureLines(evidence.first_line, evidence.lines, evidence.line_number))
        inside.addWidget(table)
        table.add(text("ui.evidence.file"), artefact.name, elide=True)
        table.add(text("ui.evidence.line"), format_count(evidence.line_number))
        table.add("SHA-256", short_hash(artefact.sha256), tip=artefact.sha256)
        table.add(text("ui.evidence.parser"), evidence.parser)
        self._link_to_ledger(inside, artefact.id)

    def _link_to_ledger(self, inside: QVBoxLayout, artefact_id: int) -> None:
        act = partial(self._workspace.show_page, "captures", artefact_id)
        inside.addWidget(button(text("ui.inspector.show_ledger"), "link", act), 0, Qt.AlignmentFlag.AlignLeft)

    def _build_comparison(self, compared: ComparedSeries) -> NoteTarget:
        from tunebench.ui.comparing.row_facts import RowFacts

        series = compared.series
        self._head(series.label, host_words(series.host))
        RowFacts(self._column, compared, self._workspace.zone).add_verdict()
        self._meaning(series)
        RowFacts(self._column, compared, self._workspace.zone).add_figures()
        return NoteTarget("series", series.id)

    def _meaning(self, info: SeriesInfo) -> None:
        from tunebench.usecases import browse

        meaning = browse.metric_meaning(info, language().code)
        if meaning:
            self._column.addWidget(selectable(label(meaning, "muted", wrap=True)))

    def _build_capture(self, artefact: ArtefactInfo) -> NoteTarget:
        ledger = artefact.ledger
        self._head(artefact.name, state_words(str(artefact.state)))
        self._table(
            ("ui.inspector.tool", " ".join(w for w in (ledger.tool, ledger.tool_version) if w) or DASH),
            ("ui.ledger.lines", format_count(ledger.lines.total)),
            ("ui.captures.column.skipped", format_count(ledger.lines.skipped)),
            ("ui.inspector.series_count", format_count(ledger.series)),
            ("ui.inspector.samples", format_count(ledger.samples)),
        )
        span = format_span(ledger.first_ns, ledger.last_ns, self._workspace.zone)
        self._section("ui.ledger.span", label(span, wrap=True))
        self._section("ui.ledger.evidence")
        add_evidence_facts(FactTable(), artefact, self._workspace.zone, self._column)
        self._link_to_ledger(self._column, artefact.id)
        return NoteTarget("artefact", artefact.id)

    def _build_run(self, view: RunView) -> NoteTarget:
        run = view.run
        self._head(run.label, ", ".join(map(host_words, view.host_names)))
        table = self._table()
        self._run_fields.add_to(table, run)
        table.add(text("ui.inspector.captures"), format_count(len(view.artefacts)))
        span = format_span(run.first_ns, run.last_ns, self._workspace.zone)
        self._section("ui.ledger.span", label(span, wrap=True))
        if view.dated_by_file:
            words = text("ledger.dated_by_file", count=format_count(view.dated_by_file))
            self._column.addWidget(label(words, "small", wrap=True))
        return NoteTarget("run", run.id)

    def _build_host(self, host: Host) -> NoteTarget:
        self._head(host_words(host.name), os_words(host))
        table = self._table()
        self._host_zone.add_to(table, host)
        if host.zone_source:
            key = f"ui.source.{host.zone_source}"
            table.add(text("ui.inspector.zone_source"), text(key) if has_text(key) else host.zone_source)
        self._column.addWidget(label(text("ui.inspector.zone_hint"), "small", wrap=True))
        for key, tab in (("ui.devices.edit", "devices"), ("ui.resolution.open", "times")):
            show = button(text(key), "link", lambda tab=tab: self._workspace.show_page("resolution", (host.id, tab)))
            show.setObjectName(f"host-{tab}")
            self._column.addWidget(show, 0, Qt.AlignmentFlag.AlignLeft)
        return NoteTarget("host", host.id)

    def _build_event(self, stored: StoredEvent) -> NoteTarget:
        event, zone = stored.event, self._workspace.zone
        self._head(text(f"ui.event.{event.kind}"), format_time(event.start_ns, zone))
        if event.end_ns is not None:
            self._column.addWidget(label(format_span(event.start_ns, event.end_ns, zone), wrap=True))
        if event.text:
            self._column.addWidget(selectable(label(event.text, wrap=True)))
        overview = self._workspace.overview
        for artefact in (capture for view in overview.runs for capture in view.artefacts) if overview else ():
            if artefact.id == stored.artefact_id:
                self._table().add(text("ui.evidence.file"), artefact.name, elide=True)
        return NoteTarget("artefact", stored.artefact_id, event.start_ns)

    def _build_report(self, report: WrittenReport) -> None:
        self._head(report.file_name, text(f"ui.written_report.kind.{report.kind}"))
        add_report_facts(self._table(), self._column, report, self._workspace)

    # --- pieces
    def _head(self, words: str, aside: str) -> None:
        unbroken = max(map(len, words.split()), default=0) > MOST_UNBROKEN
        title = selectable(ElidedLabel(words, "section") if unbroken else label(words, "section", wrap=True))
        title.setObjectName("inspector-title")
        self._column.addWidget(title)
        if aside:
            self._column.addWidget(label(aside, "muted", wrap=True))

    def _section(self, key: str, *parts: QWidget) -> None:
        self._column.addLayout(row(label(text(key), "strong"), 1, margins=(0, SPACE_M, 0, 0)))
        for part in parts:
            self._column.addWidget(part)

    def _table(self, *facts: tuple[str, str]) -> FactTable:
        """A table of (key of the name, value), of those that have a value."""
        table = FactTable()
        self._column.addWidget(table)
        for key, value in facts:
            if value:
                table.add(text(key), value)
        return table


def fill_statistics(table: FactTable, statistics: Statistics, unit: str) -> None:
    """n, mean, percentiles and extremes; the unit stands once per value."""
    unit = unit_text(unit)
    table.add(text("ui.statistic.n"), format_count(statistics.n))
    for name in ("mean", "p50", "p95", "minimum", "maximum"):
        table.add(text(f"ui.statistic.{name}"), f"{format_value(getattr(statistics, name))} {unit}".strip())
    if statistics.missing:
        table.add(text("ui.inspector.missing"), format_count(statistics.missing), "watch")
