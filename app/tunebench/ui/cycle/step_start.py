"""A new iteration: empty, carried over, or from a template; what it brings is shown before it is begun, every record
with its words, quotations and caveats."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import escape

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QTextBrowser, QWidget

from tunebench.core.errors import UserError
from tunebench.diagnosis.cycle.gates import may_continue
from tunebench.domain.cycle.book import CycleBook, CycleEdit, Record
from tunebench.domain.cycle.records import Cause, Iteration, Metric, Question, Step, Target
from tunebench.domain.cycle.worksheet import Action, Impact
from tunebench.reporting import cycle_words
from tunebench.ui.cycle.cycle_controller import CycleController
from tunebench.ui.cycle.record_fields import Choice, Flag, Line
from tunebench.ui.cycle.record_sources import source_words
from tunebench.ui.cycle.sentence_list import SentenceList
from tunebench.ui.look.formats import host_words
from tunebench.ui.look.language import error_text, language, text, translated
from tunebench.ui.look.theme import SPACE_L, SPACE_M, SPACE_S, Theme, current_theme, themes
from tunebench.ui.typing import mark_stored
from tunebench.ui.widgets.parts import button, column, label, row
from tunebench.ui.workspace import Workspace
from tunebench.usecases.cycle import templates as cycle_templates
from tunebench.usecases.cycle.acts import continue_iteration
from tunebench.usecases.cycle.edits import open_iteration

KINDS: tuple[type[Record], ...] = (Step, Question, Metric, Target, Cause, Action)
ARROWS = {2: "↑↑", 1: "↑", 0: "–", -1: "↓", -2: "↓↓"}
EMPTY, CARRY = "", "carry"
LIST_WIDTH = 300


class EditPreview(QTextBrowser):
    """Groups by kind, each with its count; what watches a price is told apart from what is judged. Hidden where there
    is nothing to tell."""

    def __init__(self) -> None:
        super().__init__()
        self._edit: CycleEdit | None = None
        self.setOpenLinks(False)
        themes().theme_changed.connect(self._recolour)

    def show_edit(self, edit: CycleEdit | None) -> None:
        self._edit = edit
        self._recolour(current_theme())

    def _recolour(self, theme: Theme) -> None:
        kept = self.verticalScrollBar().value()
        html = "".join(_body(self._edit, theme)) if self._edit else ""
        self.setHtml(html)
        self.setVisible(bool(html))
        self.verticalScrollBar().setValue(kept)


def _body(edit: CycleEdit, theme: Theme) -> Iterator[str]:
    added = [change.after for change in edit.changes if change.before is None and change.after is not None]
    by_id = {record.id: record for record in added}
    by_kind = {kind: [record for record in added if type(record) is kind and _is_shown(record)] for kind in KINDS}
    if not any(by_kind.values()):
        return
    yield f'<div style="color:{theme.text.name()}">'
    for kind, records in by_kind.items():
        if records:
            name = text(f"ui.cycle.preview.{kind.__name__.lower()}", n=len(records))
            yield f'<p style="margin:10px 0 2px 0"><b>{escape(name)}</b></p>'
        for record in records:
            yield from _of_record(record, by_id, theme)
    yield "</div>"


def _is_shown(record: Record) -> bool:
    return not isinstance(record, Step) or bool(record.notes.strip())


def _of_record(record: Record, by_id: Mapping[int, Record], theme: Theme) -> Iterator[str]:
    head, aside, body = _record_texts(record, by_id)
    yield f'<p style="margin:4px 0 0 12px">{escape(head)}'
    if aside:
        yield f' <span style="color:{theme.muted.name()}">{escape(aside)}</span>'
    yield "</p>"
    if body.strip():
        lines = "<br>".join(escape(line) for line in body.strip().splitlines())
        yield f'<p style="margin:1px 0 0 28px;color:{theme.muted.name()}">{lines}</p>'


def _record_texts(record: Record, by_id: Mapping[int, Record]) -> tuple[str, str, str]:
    """Name, aside and text of a record; empty for a kind that is not shown."""
    code = language().code
    match record:
        case Step():
            return text(f"cycle.step_number.{int(record.number)}"), "", record.notes
        case Question():
            return record.text, text(f"cycle.step_number.{int(record.step)}"), ""
        case Metric():
            parts = (source_words(record.source), text(f"cycle.statistic.{record.statistic}"), record.unit)
            return record.name, " · ".join(filter(None, parts)), record.definition
        case Target():
            metric = by_id.get(record.metric_id)
            top = text("ui.cycle.priority.top") if record.priority == 1 else ""
            return metric.name if isinstance(metric, Metric) else "", top, record.note
        case Cause():
            about = f"{cycle_words.word(record.domain, code)} · {cycle_words.word(record.confidence, code)}"
            return record.title, about, record.text
        case Action():
            return _action(record)
    return "", "", ""


def _action(action: Action) -> tuple[str, str, str]:
    changes = ", ".join(
        f"{change.parameter} → {change.new}" if change.new else change.parameter for change in action.changes
    )
    effects = "  ".join(_effect(impact) for impact in action.impacts)
    notes = [f"{_effect(impact)} ({impact.source})\n{impact.note}" for impact in action.impacts if impact.source]
    return action.title, changes, "\n".join(filter(None, (effects, *notes, action.caveat)))


def _effect(impact: Impact) -> str:
    return f"{cycle_words.word(impact.resource, language().code)} {ARROWS.get(impact.direction, '')}"


class StartSheet(QWidget):
    """Signals: `done` when an iteration was begun or the sheet is left."""

    done = Signal()

    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self._workspace, self._controller = workspace, CycleController.of(workspace)
        self.list = translated(QListWidget(), accessibleName="ui.cycle.start.head")
        self.list.setFixedWidth(LIST_WIDTH)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.title = translated(Line(), accessibleName="ui.cycle.start.title")
        self.host = translated(Choice(), accessibleName="ui.cycle.start.host")
        self.introduction = translated(Flag(), "ui.cycle.field.introduction")
        self._head = translated(label(role="section", wrap=True), "ui.cycle.start.head")
        self.about = label(role="muted", wrap=True)
        self._title_name = translated(label(role="small"), "ui.cycle.start.title")
        self._host_name = translated(label(role="small"), "ui.cycle.start.host")
        self.preview = translated(EditPreview(), accessibleName="ui.cycle.start.preview")
        self.error = SentenceList()
        self.start_button = translated(button(kind="primary", on_click=self.start), "ui.cycle.start.begin")
        self.cancel_button = translated(button(on_click=self.done.emit), "ui.cycle.start.cancel")
        self._lay_out()
        self.list.currentItemChanged.connect(self._on_chosen)
        self.list.itemActivated.connect(lambda _item: self.title.setFocus())
        self.host.finished.connect(self._show_preview)
        self.title.returnPressed.connect(self.start)
        self.done.connect(lambda: mark_stored(self.title))
        language().changed.connect(self.retranslate)

    def _lay_out(self) -> None:
        names = column(self._title_name, self.title, spacing=SPACE_S // 4)
        hosts = column(self._host_name, self.host, spacing=SPACE_S // 4)
        right = column(
            self.about,
            row((names, 3), (hosts, 1), spacing=SPACE_M),
            self.introduction,
            (self.preview, 1000),
            self.error,
            row(1, self.cancel_button, self.start_button),
            1,
        )
        self.setLayout(column(self._head, (row(self.list, (right, 1), spacing=SPACE_L), 1), spacing=SPACE_M))

    def retranslate(self) -> None:
        if self.list.count():
            self.begin()

    # --- what there is to begin with
    def begin(self, carry: bool = False) -> None:
        """Fill the list; the carry-over is chosen where it was asked for."""
        kept = CARRY if carry else self._chosen()
        with QSignalBlocker(self.list):
            self.list.clear()
            self._offer(EMPTY, text("ui.cycle.start.empty"))
            source = self._source()
            if source is not None:
                self._offer(CARRY, text("ui.cycle.start.carry", number=source.number, title=source.title))
            for template in cycle_templates.listed(language().code):
                self._offer(template.id, template.name)
        places = [self.list.item(at).data(Qt.ItemDataRole.UserRole) for at in range(self.list.count())]
        self.list.setCurrentRow(places.index(kept) if kept in places else 0)
        self._offer_hosts()
        self._on_chosen()
        self.list.setFocus()

    def _offer(self, id_: str, words: str) -> None:
        item = QListWidgetItem(words)
        item.setData(Qt.ItemDataRole.UserRole, id_)
        item.setToolTip(words)
        self.list.addItem(item)

    def _offer_hosts(self) -> None:
        overview = self._workspace.overview
        hosts = [host.name for host in overview.hosts] if overview else []
        self.host.fill([("", text("ui.cycle.start.any_host")), *((name, host_words(name)) for name in hosts)])
        self.host.setCurrentIndex(1 if len(hosts) == 1 else 0)

    def _source(self) -> Iteration | None:
        """The last iteration, where it can still be carried over."""
        iterations = self._controller.book.iterations
        last = iterations[-1] if iterations else None
        return last if last and not may_continue(self._controller.book, last) else None

    def _chosen(self) -> str:
        index = self.list.currentRow()
        return str(self.list.item(index).data(Qt.ItemDataRole.UserRole)) if index >= 0 else EMPTY

    # --- showing
    def _on_chosen(self, *_: object) -> None:
        id_ = self._chosen()
        template = next((template for template in cycle_templates.listed(language().code) if template.id == id_), None)
        source = self._source()
        number = 1 + max((iteration.number for iteration in self._controller.book.iterations), default=0)
        if template is not None:
            about = f"{template.summary}\n{text('cycle.template.source', source=template.source)}"
            title = template.name
        elif id_ == CARRY and source is not None:
            about, title = text("ui.cycle.start.carry.about", number=source.number), source.title
        else:
            about, title = text("ui.cycle.start.empty.about"), text("ui.cycle.start.new_title", number=number)
        self.about.setText(about)
        self.title.write(title)
        for part in (self._host_name, self.host):
            part.setVisible(template is not None)
        self.introduction.setVisible(id_ == EMPTY)
        self._show_preview()

    def _show_preview(self) -> None:
        """What it would bring, even while another iteration is open; what bars it stands below."""
        _, refused = self._tried(self._controller.book)
        edit, wrong = self._tried(self._free_book())
        self.start_button.setEnabled(self._controller.writable and not refused)
        self.preview.show_edit(edit)
        self.error.show_sentences([words for words in (wrong or refused,) if words])

    def _free_book(self) -> CycleBook:
        """The book for a preview, as if no iteration were open."""
        if self._chosen() == CARRY:
            return self._controller.book
        return CycleBook.of(record for record in self._controller.book if not isinstance(record, Iteration))

    def _tried(self, book: CycleBook) -> tuple[CycleEdit | None, str]:
        """The edit, or why it is refused."""
        try:
            return self._edit(book), ""
        except UserError as error:
            return None, error_text(error)

    def _edit(self, book: CycleBook) -> CycleEdit:
        """Raises UserError."""
        id_, on, title = self._chosen(), self._controller.today, self.title.text().strip()
        source = self._source()
        if id_ == CARRY and source is not None:
            return continue_iteration(book, source.id, title or source.title, on=on, by=self._controller.consultant)
        if id_ in (EMPTY, CARRY):
            return open_iteration(book, title, introduction=self.introduction.isChecked(), on=on)
        return cycle_templates.start(book, id_, language().code, title=title, on=on, host=self.host.read())

    def start(self) -> None:
        if self.start_button.isEnabled() and self._controller.attempt(lambda: self._edit(self._controller.book)):
            self.done.emit()
