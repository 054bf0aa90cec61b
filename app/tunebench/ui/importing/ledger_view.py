"""The ledger of one capture: what became of every line, what was assumed, what would help; which other captures hold
the same stretch, and which of them counts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLabel, QScrollArea, QVBoxLayout, QWidget

from tunebench.columns.formats import (
    DASH,
    format_bytes,
    format_count,
    format_span,
    format_stamp,
    format_time,
    short_hash,
)
from tunebench.core.errors import UserError
from tunebench.core.records import record
from tunebench.domain.assembly import Relation
from tunebench.domain.bundle import Bundle
from tunebench.domain.ledger import Ledger
from tunebench.domain.operating_systems import os_name
from tunebench.ui.importing.bundle_view import add_bundle, add_origin
from tunebench.ui.look.formats import format_interval, host_words
from tunebench.ui.look.language import error_text, has_text, language, text
from tunebench.ui.look.theme import SPACE_L, SPACE_M, SPACE_XS, current_theme, themes
from tunebench.ui.undo import CaseEdit
from tunebench.ui.widgets.capture_lines import PARTS, LineBar, part_colour
from tunebench.ui.widgets.layouts import STYLE_SPACING
from tunebench.ui.widgets.notice import notice
from tunebench.ui.widgets.parts import ElidedLabel, FactTable, button, column, fact_table, label, panel, row
from tunebench.ui.widgets.zone_box import zone_names
from tunebench.ui.workspace import Change, Workspace

if TYPE_CHECKING:
    from tunebench.usecases.importing.assembly import OverlapView
    from tunebench.usecases.projects import ArtefactInfo


MOST_SHOWN = 5
STATE_SHAPES = {
    "imported": "✓",
    "duplicate": "=",
    "unrecognised": "?",
    "failed": "✕",
    "pending": "…",
    "kept": "○",
    "bundle": "▣",
    "bundle_trouble": "▣",
    "bundle_unread": "▣",
    "not_capture": "○",
}
STATE_TONES = {
    "imported": "ok",
    "duplicate": "",
    "unrecognised": "watch",
    "failed": "critical",
    "pending": "watch",
    "kept": "",
    "bundle": "ok",
    "bundle_trouble": "watch",
    "bundle_unread": "critical",
    "not_capture": "",
}


def add_overlaps(column: QVBoxLayout, workspace: Workspace, artefact: ArtefactInfo) -> None:
    from tunebench.usecases.importing import assembly

    for overlap in assembly.overlaps_of(workspace.opened).get(artefact.id, ())[:MOST_SHOWN]:
        column.addWidget(notice(_words(overlap, workspace), "watch" if _odd(overlap) else "accent", "="))
        if overlap.counts is False and workspace.writable:
            choose = button(text("ui.overlap.choose"), "link", lambda: _choose(workspace, artefact.id))
            choose.setObjectName(f"count-{artefact.id}")
            column.addWidget(choose, 0, Qt.AlignmentFlag.AlignLeft)


def _odd(overlap: OverlapView) -> bool:
    return overlap.relation is Relation.DIFFERS or bool(overlap.shift_ns)


def _words(overlap: OverlapView, workspace: Workspace) -> str:
    from tunebench.usecases.importing import assembly

    key = "differs" if overlap.relation is Relation.DIFFERS else "shifted" if overlap.shift_ns else "same"
    span = format_span(overlap.start_ns, overlap.end_ns, workspace.zone)
    shift = assembly.shift_words(overlap.shift_ns)
    words = text(f"ui.overlap.{key}", name=_name(overlap.other, workspace), span=span, shift=shift)
    if overlap.counts is None:
        return words
    return f"{words} {text('ui.overlap.counts' if overlap.counts else 'ui.overlap.counts_not')}"


def _name(other: ArtefactInfo, workspace: Workspace) -> str:
    """The name with the bundle it came in: captures of two archives often have the same names."""
    overview = workspace.overview
    for bundle in overview.bundles if overview else ():
        if bundle.name != other.name and any(member.artefact_id == other.id for member in bundle.members):
            return f"{bundle.name}!/{other.name}"
    return str(other.name)


def _choose(workspace: Workspace, artefact_id: int) -> None:
    from tunebench.usecases.importing import assembly

    before = assembly.choices(workspace.opened)
    after = [artefact_id, *(id_ for id_ in before if id_ != artefact_id)]
    workspace.undo.push(
        CaseEdit(
            workspace,
            "ui.undo.choose_capture",
            Change.CAPTURES,
            lambda: assembly.set_choices(workspace.opened, after),
            lambda: assembly.set_choices(workspace.opened, before),
        )
    )


@record
class LedgerEntry:
    """One line of the captures page: an artefact of the project, or a file that was refused.

    Attributes:
        key: artefact id, the path of a refused file, or ("bundle", its id).
        bundle: set where the line is a bundle; `inside` where the capture came in one.
        folded: whether the lines of the bundle's captures are hidden; `holds` how many there are.
    """

    key: object
    name: str
    path: str
    state: str
    run: str = ""
    host: str = ""
    parser: str = ""
    ledger: Ledger = Ledger()
    artefact: ArtefactInfo | None = None
    error: UserError | None = None
    duplicate_of: str = ""
    bundle: Bundle | None = None
    inside: Bundle | None = None
    folded: bool = False
    holds: int = 0

    @property
    def open_questions(self) -> int:
        return len(self.ledger.needs) if self.state == "imported" else 0


def state_words(state: str) -> str:
    return f"{STATE_SHAPES.get(state, '')} {text(f'ui.state.{state}')}".strip()


def sentence(kind: str, key: str, **facts: object) -> str:
    """``ledger.<kind>.<key>`` in the window's language; the bare key where a stranger's plug-in made it up."""
    full = f"ledger.{kind}.{key}"
    return text(full, **facts) if has_text(full) else key.replace("_", " ")


class LedgerView(QScrollArea):
    """`describe_asked` carries the path of a file that nobody knows, `member_asked` the bundle and the name of a member
    that nobody knows."""

    describe_asked = Signal(str)
    member_asked = Signal(object, str)

    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self._workspace = workspace
        self.entry: LedgerEntry | None = None
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.refresh()
        language().changed.connect(self.refresh)
        themes().theme_changed.connect(self.refresh)

    def show_entry(self, entry: LedgerEntry | None) -> None:
        self.entry = entry
        self.refresh()

    def refresh(self) -> None:
        self._column = column(spacing=SPACE_M, margins=(SPACE_L, SPACE_M, SPACE_L, SPACE_L))
        body = panel(self._column)
        if self.entry is not None:
            self._build(self.entry)
        self._column.addStretch(1)
        self.setWidget(body)

    # --- parts, top to bottom
    def _build(self, entry: LedgerEntry) -> None:
        self._add_head(entry)
        if entry.bundle is not None:
            add_bundle(self._column, entry.bundle, self.member_asked.emit)
            return
        if entry.error is not None:
            tone, shape = ("accent", "○") if entry.state == "not_capture" else ("critical", "✕")
            self._column.addWidget(notice(error_text(entry.error), tone, shape))
        is_unread = entry.error is not None and entry.error.key == "file_is_unread"
        if (entry.state == "unrecognised" or is_unread) and Path(entry.path).is_file():
            self._add_describing(entry.path)
        if entry.duplicate_of:
            self._column.addWidget(notice(text("ui.ledger.duplicate_of", name=entry.duplicate_of), "accent", "="))
        self._add_needs(entry)
        if entry.artefact is not None and self._workspace.project is not None:
            add_overlaps(self._column, self._workspace, entry.artefact)
        if entry.artefact is not None and self._workspace.writable:
            self._add_correction(entry.artefact)
        if entry.ledger.lines.total:
            self._add_lines(entry.ledger)
            self._add_skipped(entry.ledger)
        if entry.ledger.samples:
            self._add_time(entry.ledger)
        self._add_assumptions(entry)
        self._add_warnings(entry.ledger)
        if entry.artefact is not None:
            self._add_evidence(entry.artefact)
            if entry.inside is not None:
                add_origin(self._column, entry.inside, entry.artefact.id)

    def _add_head(self, entry: LedgerEntry) -> None:
        state = label(state_words(entry.state), tone=STATE_TONES.get(entry.state, ""))
        self._column.addLayout(row((ElidedLabel(entry.name, "section"), 1), state, spacing=SPACE_M))
        if entry.bundle is None and entry.state != "not_capture":
            self._column.addWidget(label(self._recognised_words(entry), "muted", wrap=True))

    @staticmethod
    def _recognised_words(entry: LedgerEntry) -> str:
        ledger = entry.ledger
        tool = " ".join(w for w in (ledger.tool, ledger.tool_version) if w)
        system = " ".join(w for w in (os_name(ledger.os), ledger.os_version) if w)
        host = host_words(entry.host) or ledger.hostname
        words = [tool, ledger.variant, system, host, entry.run]
        recognised = " · ".join(w for w in words if w)
        return text("ui.ledger.recognised", what=recognised) if tool else text("ui.ledger.not_recognised")

    def _add_describing(self, path: str) -> None:
        """The way on from a simple table that no parser knows."""
        ask = button(text("ui.tables.describe"), "primary", lambda: self.describe_asked.emit(path))
        ask.setObjectName("describe")
        self._column.addWidget(label(text("ui.tables.describe.explain"), "muted", wrap=True))
        self._column.addWidget(ask, 0, Qt.AlignmentFlag.AlignLeft)

    def _add_needs(self, entry: LedgerEntry) -> None:
        for need in entry.ledger.needs:
            words = text("ui.ledger.need", what=sentence("need", need))
            self._column.addWidget(notice(words, "watch", "?"))
        if {*entry.ledger.needs} - {"host"} and entry.artefact is not None and entry.artefact.host_id is not None:
            host_id = entry.artefact.host_id
            settle = button(
                text("ui.resolution.open"), "link", lambda: self._workspace.show_page("resolution", host_id)
            )
            settle.setObjectName("settle")
            self._column.addWidget(settle, 0, Qt.AlignmentFlag.AlignLeft)

    def _add_correction(self, artefact: ArtefactInfo) -> None:
        """Host, run and times are corrected in one place, for one file or many."""
        ask = button(text("ui.ledger.correct"), "link", lambda: self._workspace.show_page("review", artefact.id))
        ask.setObjectName("correct")
        self._column.addWidget(ask, 0, Qt.AlignmentFlag.AlignLeft)

    def _add_lines(self, ledger: Ledger) -> None:
        lines = ledger.lines
        self._section("ui.ledger.lines", text("ui.ledger.lines.total", count=format_count(lines.total)))
        bar = LineBar()
        bar.show_counts(lines)
        self._column.addWidget(bar)
        if ledger.unaccounted:
            balance = label(text("ui.ledger.unaccounted", share=f"{ledger.unaccounted:.1%}"), "", "critical")
        else:
            balanced = "balanced" if lines.balanced else "unbalanced"
            balance = label(text(f"ui.ledger.{balanced}"), "", "ok" if lines.balanced else "critical")
        legend = (_legend(part, getattr(lines, part)) for part in PARTS)
        self._column.addLayout(row(*legend, 1, balance, spacing=SPACE_L))

    def _add_skipped(self, ledger: Ledger) -> None:
        for skipped in ledger.skipped:
            words = text(
                "ui.ledger.skipped_line",
                reason=sentence("skipped", skipped.reason),
                count=format_count(skipped.count),
                line=format_count(skipped.first_line) if skipped.first_line else "–",
            )
            self._column.addWidget(label(words, tone="warning", wrap=True))
            example = ElidedLabel(skipped.example, "code", Qt.TextElideMode.ElideRight)
            example.setContentsMargins(SPACE_L, 0, 0, 0)
            self._column.addWidget(example)

    def _add_time(self, ledger: Ledger) -> None:
        zone = ZoneInfo(ledger.zone) if ledger.zone in zone_names() else self._workspace.zone
        self._section("ui.ledger.time")
        source = text(f"ui.source.{ledger.zone_source}") if ledger.zone_source else ""
        counts = {"series": format_count(ledger.series), "samples": format_count(ledger.samples)}
        facts = (
            ("span", format_span(ledger.first_ns, ledger.last_ns, zone), ""),
            ("zone", " · ".join(w for w in (ledger.zone or zone.key, source) if w), ""),
            ("interval", format_interval(ledger.interval_s), ""),
            ("samples", text("ui.ledger.samples.value", **counts), ""),
            ("gaps", format_count(ledger.gaps), "watch" if ledger.gaps else ""),
            ("restarts", format_count(ledger.restarts), "watch" if ledger.restarts else ""),
        )
        self._column.addWidget(fact_table(*((text(f"ui.ledger.{name}"), words, tone) for name, words, tone in facts)))

    def _add_assumptions(self, entry: LedgerEntry) -> None:
        if not entry.ledger.assumptions:
            return
        self._section("ui.ledger.assumptions")
        facts = (
            (
                text(f"ui.subject.{assumption.subject}"),
                f"{assumption.value} · {text(f'ui.source.{assumption.source}')}",
                "" if assumption.source == "user" else "watch",
            )
            for assumption in entry.ledger.assumptions
        )
        self._column.addWidget(fact_table(*facts))

    def _add_warnings(self, ledger: Ledger) -> None:
        if not ledger.warnings:
            return
        self._section("ui.ledger.warnings")
        for key in ledger.warnings:
            words = sentence("warning", key, **ledger.warning_facts)
            self._column.addWidget(label("▲ " + words, tone="warning", wrap=True))

    def _add_evidence(self, artefact: ArtefactInfo) -> None:
        self._section("ui.ledger.evidence")
        add_evidence_facts(FactTable(right=False), artefact, self._workspace.zone, self._column)

    def _section(self, key: str, aside: str = "") -> None:
        words = [label(text(key), "strong"), *([label(aside, "muted")] if aside else [])]
        self._column.addLayout(row(*words, 1, spacing=STYLE_SPACING, margins=(0, SPACE_XS, 0, 0)))


def add_evidence_facts(table: FactTable, artefact: ArtefactInfo, zone: ZoneInfo, column: QVBoxLayout) -> None:
    """File, hash, sizes, times and parser of an artefact."""
    table.add(text("ui.evidence.file"), artefact.source_path or artefact.name, elide=True)
    table.add("SHA-256", short_hash(artefact.sha256), tip=artefact.sha256)
    raw, stored = format_bytes(artefact.size_bytes), format_bytes(artefact.stored_bytes)
    table.add(text("ui.evidence.size"), text("ui.evidence.size.value", raw=raw, stored=stored))
    table.add(text("ui.evidence.modified"), format_time(artefact.modified_ns, zone))
    table.add(text("ui.evidence.imported"), format_stamp(artefact.imported_at, zone))
    parser = " ".join(w for w in (artefact.parser_id, artefact.parser_version) if w)
    table.add(text("ui.evidence.parser"), parser or DASH)
    column.addWidget(table)


def _legend(part: str, count: int) -> QWidget:
    swatch = QLabel()
    swatch.setFixedSize(8, 8)
    swatch.setStyleSheet(f"background: {part_colour(current_theme(), part).name()}; border-radius: 2px;")
    words = label(f"{text(f'ui.ledger.lines.{part}')} {format_count(count)}")
    return panel(row(swatch, words, spacing=SPACE_XS + 2))
