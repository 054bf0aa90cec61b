"""The audit trail of the engagement: filters, the entries newest first, read in pages as they come into view, so that
their number costs nothing; the chosen one whole."""

from __future__ import annotations

from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Final
from zoneinfo import ZoneInfo

from PySide6.QtCore import QModelIndex, Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QFrame,
    QHeaderView,
    QLineEdit,
    QScrollArea,
    QSizePolicy,
    QWidget,
)

from tunebench.columns.capturing.sessions import session_title
from tunebench.columns.column import Column, Locale
from tunebench.columns.formats import DASH, format_count, format_stamp
from tunebench.core.errors import UserError
from tunebench.core.patterns import lazy_pattern
from tunebench.ui.look.language import has_text, text, translated
from tunebench.ui.look.theme import SPACE_M, SPACE_S
from tunebench.ui.tables.model import TableModel
from tunebench.ui.tables.view import TableView
from tunebench.ui.typing import never_stored
from tunebench.ui.widgets.parts import (
    EmptyState,
    FactTable,
    button,
    column,
    fact_table,
    label,
    panel,
    row,
    selectable,
    splitter,
    stacked,
)
from tunebench.ui.workspace import Workspace
from tunebench.usecases import audit_trail
from tunebench.usecases.audit_trail import AuditEntry, TrailFilter

if TYPE_CHECKING:
    from tunebench.domain.capturing.run import SessionRecord


SHORT_DIGEST = 12
_DIGEST = lazy_pattern(r"\b[0-9a-f]{64}\b")
_STAMPED: Final = ("start", "end", "time", "planned_start", "planned_end", "approved_at", "ended_at")
_COUNTED: Final = ("bytes", "count", "commands", "files")
_WORDED: Final = {
    "cause": "gap_cause.",
    "how": "report.approval.",
    "reason": "ui.audit.reason.",
    "state": "ui.state.",
    "leftovers": "report.leftovers.",
    "phase": "phase.",
}
"""Facts that are keys, and where their words are."""
WIDTHS = {"id": 72, "time": 164, "user": 96}
PAGE_ROWS = 100
PAGES_KEPT = 30
GRAVE = ("command_refused", "ssh_refused", "session_interrupted", "host_key_replaced")
WATCHED = ("capture_gap", "weak_algorithms", "host_key_accepted", "host_key_forgotten")
TYPING_MS = 250
GROUP_NAMES = ("session", "command", "connection", "plan", "evidence", "engagement")
PARTS = (330, 150)
VERBATIM = ("verbatim", "tool_line", "evidence", "command", "spool", "folder")
"""Facts set in the typewriter face."""


def entry_words(entry: AuditEntry, zone: ZoneInfo, *, brief: bool = True) -> str:
    """The sentence of an entry; of an action that no catalogue knows its name and facts.

    Args:
        brief: digests are cut to their first `SHORT_DIGEST` digits.
    """
    facts = _worded(entry, zone)
    key = f"audit.{entry.action}"
    if has_text(key):
        sentence = text(key, **facts)
    else:
        sentence = " ".join([entry.action, *(f"{name}={value}" for name, value in facts.items())])
    return _DIGEST.sub(lambda match: f"{match[0][:SHORT_DIGEST]}…", sentence) if brief else sentence


def _worded(entry: AuditEntry, zone: ZoneInfo) -> dict[str, str]:
    facts = {name: fact_words(name, value, zone) for name, value in entry.shown_facts().items()}
    changes = entry.facts.get("changes")
    if isinstance(changes, dict):
        facts["changes"] = "; ".join(_change_words(name, value, zone, entry.action) for name, value in changes.items())
    return facts


def _change_words(name: str, value: object, zone: ZoneInfo, action: str) -> str:
    """A field's [before, after] with an arrow."""
    sides = value if isinstance(value, list) and len(value) == 2 else [value]
    return f"{fact_name(name)}: {' → '.join(_side_words(name, side, zone, action) for side in sides)}"


def _side_words(name: str, side: object, zone: ZoneInfo, action: str) -> str:
    if side is None or side == "":
        return DASH
    key = f"session_state.{side}"
    if name == "state" and action == "session_changed" and has_text(key):
        return text(key)
    return fact_words(name, ", ".join(map(str, side)) if isinstance(side, list) else side, zone)


def fact_words(name: str, value: object, zone: ZoneInfo) -> str:
    """One fact, as `AuditEntry.shown_facts` gives it."""
    shown = str(value)
    if name in _STAMPED and _is_stamp(shown):
        return format_stamp(shown, zone)
    if name in _COUNTED and isinstance(value, int):
        return format_count(value)
    key = _WORDED.get(name, "") + shown
    return text(key) if name in _WORDED and has_text(key) else shown


def _is_stamp(words: str) -> bool:
    """A time with its offset; a time without one is not moved into a zone."""
    try:
        return datetime.fromisoformat(words).tzinfo is not None
    except ValueError:
        return False


def sentences(zone: ZoneInfo, *, brief: bool = True) -> Callable[[AuditEntry], str]:
    """`entry_words` for work on another thread."""
    return lambda entry: entry_words(entry, zone, brief=brief)


def fact_name(name: str) -> str:
    key = f"ui.audit.fact.{name}"
    return text(key) if has_text(key) else name


def plain_facts(entry: AuditEntry, zone: ZoneInfo) -> list[tuple[str, str]]:
    """(name, value) of every fact, whole; what is not known as a dash."""
    return [(fact_name(name), words or DASH) for name, words in _worded(entry, zone).items()]


class AuditModel(TableModel[int]):
    """Rows are the numbers of the entries, newest first."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        super().__init__(self._columns())
        self._broken_at: int | None = None
        self._pages: OrderedDict[int, dict[int, AuditEntry]] = OrderedDict()

    def show_ids(self, ids: Sequence[int]) -> None:
        self._pages.clear()
        self.show_rows(ids)

    def show_broken(self, entry_id: int | None) -> None:
        """The entry at which the chain is broken is marked."""
        if entry_id != self._broken_at:
            self._broken_at = entry_id
            self.refresh()

    def entry(self, entry_id: int) -> AuditEntry | None:
        """The entry of that id; None where it cannot be read."""
        page = (self.row_of(entry_id) or 0) // PAGE_ROWS
        if page not in self._pages:
            self._pages[page] = self._read(page)
            if len(self._pages) > PAGES_KEPT:
                self._pages.popitem(last=False)
        return self._pages[page].get(entry_id)

    def _read(self, page: int) -> dict[int, AuditEntry]:
        """A page is read on the main thread: about a millisecond."""
        if self._workspace.project is None:
            return {}
        ids = self.rows[page * PAGE_ROWS : (page + 1) * PAGE_ROWS]
        try:
            return {entry.id: entry for entry in audit_trail.read_entries(self._workspace.project, ids)}
        except UserError:  # the rows show a dash; whoever checks the chain is told why
            return {}

    def row_of(self, entry_id: int) -> int | None:
        index = bisect_left(self.rows, -entry_id, key=lambda row_id: -row_id)
        return index if index < len(self.rows) and self.rows[index] == entry_id else None

    def _columns(self) -> tuple[Column[int], ...]:
        def column(id_: str, words: Callable[[AuditEntry], str], tone: Callable[[int], str]) -> Column[int]:
            def shown(entry_id: int) -> str:
                entry = self.entry(entry_id)
                return DASH if entry is None else words(entry)

            return Column(id_, f"ui.audit.column.{id_}", shown, tone=self._marked(tone))

        def faint(_entry_id: int) -> str:
            return "muted"

        return (
            Column("id", "ui.audit.column.id", int, text=self._number, tone=self._marked(faint)),
            column("time", lambda entry: format_stamp(entry.time, self._workspace.zone), faint),
            column("user", lambda entry: entry.user, faint),
            column("words", lambda entry: entry_words(entry, self._workspace.zone).replace("\n", " "), self._gravity),
        )

    def _number(self, entry_id: int, _locale: Locale) -> str:
        return f"{'✕ ' if entry_id == self._broken_at else ''}{entry_id:,}"

    def _marked(self, tone: Callable[[int], str]) -> Callable[[int], str]:
        return lambda entry_id: "critical" if entry_id == self._broken_at else tone(entry_id)

    def _gravity(self, entry_id: int) -> str:
        entry = self.entry(entry_id)
        if entry is None:
            return "muted"
        return "critical" if entry.action in GRAVE else "watch" if entry.action in WATCHED else ""


class AuditTable(TableView):
    """Selected rows are copied as tab-separated text."""

    def __init__(self, model: AuditModel) -> None:
        super().__init__(model)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        head = self.horizontalHeader()
        head.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        head.setSectionResizeMode(model.column("words"), QHeaderView.ResizeMode.Stretch)
        for id_, width in WIDTHS.items():
            self.setColumnWidth(model.column(id_), width)


class AuditEntryPanel(QFrame):
    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self.setProperty("card", "true")
        self._workspace = workspace
        self.entry: AuditEntry | None = None
        self._scroll = QScrollArea()
        self._scroll.setWidgetResizable(True)
        self.setLayout(column(self._scroll, margins=(1, 1, 1, 1)))
        self.retranslate()

    def show_entry(self, entry: AuditEntry | None) -> None:
        if entry != self.entry:
            self.entry = entry
            self.retranslate()

    def retranslate(self) -> None:
        parts: list[QWidget] = [label(text("ui.audit.no_entry"), "muted", wrap=True)]
        if self.entry is not None:
            words = _cut(entry_words(self.entry, self._workspace.zone))
            parts = [selectable(label(words, "strong", wrap=True)), self._facts(self.entry)]
        self._scroll.setWidget(panel(column(*parts, 1, margins=(SPACE_M, SPACE_S, SPACE_M, SPACE_S))))

    def _facts(self, entry: AuditEntry) -> FactTable:
        zone = self._workspace.zone
        table = fact_table((text("ui.audit.entry"), f"{entry.id:,} · {format_stamp(entry.time, zone)} · {entry.user}"))
        for (name, value), stored in zip(plain_facts(entry, zone), entry.facts, strict=True):
            shown = table.add(name, value)
            if stored in VERBATIM:
                shown.setProperty("role", "code")
            if " " not in value and len(value) > 60:
                shown.setWordWrap(True)
                shown.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        for key, digest in (("ui.audit.digest", entry.digest), ("ui.audit.previous", entry.previous)):
            table.add(text(key), digest or DASH).setProperty("role", "code")
        return table


def _cut(words: str, most: int = 400) -> str:
    return words if len(words) <= most else f"{words[: most - 1]}…"


class AuditFilters(QWidget):
    """`changed` when another selection of entries is wanted."""

    changed = Signal()

    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self._workspace = workspace
        self.words = translated(
            QLineEdit(), placeholderText="ui.audit.search", accessibleName="ui.audit.search", toolTip="ui.audit.search"
        )
        self.words.setClearButtonEnabled(True)
        self.group = translated(QComboBox(), accessibleName="ui.audit.group", toolTip="ui.audit.group")
        self.host = translated(QComboBox(), accessibleName="ui.audit.host", toolTip="ui.audit.host")
        self.session = translated(QComboBox(), accessibleName="ui.audit.session", toolTip="ui.audit.session")
        for name in ("", *GROUP_NAMES):
            self.group.addItem("", name)
        translated(self.group, itemText=[f"ui.audit.group.{name}" for name in ("every", *GROUP_NAMES)])
        for box in (self.host, self.session):
            box.addItem("", None)
        translated(self.host, itemText=("ui.audit.every_host",))
        translated(self.session, itemText=("ui.audit.every_session",))
        self.count = label(role="small")
        self.reset = translated(button(kind="link", on_click=self.clear), "ui.audit.clear")
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(TYPING_MS)
        self._pause.timeout.connect(self.changed)
        never_stored(self.words)
        self.words.textEdited.connect(lambda: self._pause.start())
        self.words.textChanged.connect(self._on_cleared)
        for box in (self.group, self.host, self.session):
            box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
            box.setMaximumWidth(250)
            box.activated.connect(self._ask)
        self.setLayout(row((self.words, 1), self.session, self.host, self.group, self.count, self.reset))
        self.words.setMinimumWidth(180)

    # --- what is wanted
    def wanted(self) -> TrailFilter:
        return TrailFilter(
            words=self.words.text().strip(),
            group=self.group.currentData() or "",
            host=self.host.currentData() or "",
            session_id=self.session.currentData(),
        )

    def clear(self) -> None:
        self.words.clear()
        for box in (self.group, self.host, self.session):
            box.setCurrentIndex(0)
        self._ask()

    def show_session(self, session_id: int) -> None:
        """Shows only the entries of this session."""
        self.words.clear()
        self.group.setCurrentIndex(0)
        self.host.setCurrentIndex(0)
        self.session.setCurrentIndex(max(0, self.session.findData(session_id)))
        self._ask()

    def _ask(self) -> None:
        self._pause.stop()
        self.changed.emit()

    def _on_cleared(self, words: str) -> None:
        if not words:
            self._pause.start()

    # --- what there is to choose
    def fill(self, sessions: Sequence[SessionRecord], hosts: Sequence[str]) -> None:
        zone = self._workspace.zone
        titled = [(session_title(session, zone), session.id) for session in reversed(sessions)]
        _refill(self.host, [(text("ui.audit.every_host"), None), *((name, name) for name in hosts)])
        _refill(self.session, [(text("ui.audit.every_session"), None), *titled])

    def show_count(self, shown: int, total: int) -> None:
        key = "ui.audit.count_of" if shown != total else "ui.audit.count"
        self.count.setText(text(key, shown=f"{shown:,}", total=f"{total:,}"))


def _refill(box: QComboBox, choices: Sequence[tuple[str, object]]) -> None:
    """What was chosen stays chosen where it is still there."""
    chosen = box.currentData()
    box.clear()
    for words, value in choices:
        box.addItem(words, value)
    box.setCurrentIndex(max(0, box.findData(chosen)) if chosen is not None else 0)


class AuditTrailView(QWidget):
    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self._workspace = workspace
        self._total = 0
        self._wanted_id: int | None = None
        self.filters = AuditFilters(workspace)
        self.model = AuditModel(workspace)
        self.table = translated(AuditTable(self.model), accessibleName="ui.audit.trail")
        self.panel = translated(AuditEntryPanel(workspace), accessibleName="ui.audit.entry")
        nothing = EmptyState("search", "ui.audit.nothing", (("ui.audit.clear", self.filters.clear),))
        self._parts = stacked(self.table, nothing)
        split = splitter(self._parts, self.panel, down=True, shares=(2, 1), sizes=PARTS)
        self.setLayout(column(self.filters, (split, 1)))
        self.filters.changed.connect(self.search)
        self.table.selectionModel().currentRowChanged.connect(self._on_row)

    def begin(self) -> None:
        """Another project, or none: nothing of the one before stays."""
        self.filters.fill((), ())
        self.filters.words.clear()
        self.filters.group.setCurrentIndex(0)
        self._total, self._wanted_id = 0, None
        self.model.show_broken(None)
        self._show_found(())

    def fill(self, sessions: Sequence[SessionRecord], hosts: Sequence[str], total: int) -> None:
        self._total = total
        self.filters.fill(sessions, hosts)
        self.search()

    def search(self) -> None:
        project = self._workspace.project
        if project is None:
            return
        wanted, sentence = self.filters.wanted(), sentences(self._workspace.zone)
        self.filters.reset.setVisible(wanted != audit_trail.TrailFilter())
        self._workspace.jobs.run(
            "cpu",
            lambda handle: audit_trail.find(project, wanted, sentence, handle),
            owner=self,
            slot="find",
            on_result=self._show_found,
        )

    def show_entry(self, entry_id: int) -> None:
        """That entry among all of them; the newest where it is gone."""
        self._wanted_id = entry_id
        self.filters.clear()

    def _show_found(self, ids: Sequence[int]) -> None:
        """The chosen entry stays chosen; where the newest was looked at, the newest is shown again."""
        before = self.panel.entry
        on_top = self.table.currentIndex().row() <= 0
        self.model.show_ids(ids)
        self._total = max(self._total, len(ids))
        self.filters.show_count(len(ids), self._total)
        self._parts.setCurrentIndex(0 if ids or not self._total else 1)
        kept = self.model.row_of(before.id) if before is not None and not on_top else None
        if self._wanted_id is not None:
            kept, self._wanted_id = self.model.row_of(self._wanted_id), None
        if ids:
            self.table.selectRow(kept or 0)
            self.table.scrollTo(self.model.index(kept or 0, 0))
        else:
            self.panel.show_entry(None)

    def _on_row(self, current: QModelIndex, _old: QModelIndex) -> None:
        self.panel.show_entry(self.model.entry(self.model.row_at(current)) if current.isValid() else None)

    def retranslate(self) -> None:
        self.filters.show_count(self.model.rowCount(), self._total)
        self.panel.retranslate()
