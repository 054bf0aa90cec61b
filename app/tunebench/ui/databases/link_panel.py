"""By hand: this statement before and that one after are one, rewritten."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QLineEdit, QListWidget, QListWidgetItem, QWidget

from tunebench.analysis.databases.matching import LinkMethod
from tunebench.analysis.databases.statement_rows import StatementRows
from tunebench.columns.formats import format_stamp
from tunebench.core.patterns import lazy_pattern
from tunebench.domain.databases.choices import KeptLink
from tunebench.domain.databases.records import StatementKey
from tunebench.ui.look.language import text, translated, window_locale
from tunebench.ui.look.theme import ROW_HEIGHT_DENSE, SPACE_XS
from tunebench.ui.tables.model import matches_words
from tunebench.ui.typing import mark_stored
from tunebench.ui.undo import CaseEdit
from tunebench.ui.widgets.parts import button, caption, column, label, lock, panel, row, search_field
from tunebench.ui.workspace import Change, Workspace
from tunebench.usecases.databases.choices import add_link, link_statements, list_links, remove_link
from tunebench.usecases.databases.comparison import DatabaseComparison
from tunebench.usecases.databases.statement_columns import method_words, name_of, pair_ids, pair_name
from tunebench.usecases.databases.statement_words import figure_words

MOST_PARTNERS, MOST_RANKED = 300, 5000
"""As many are listed, and as many of the costliest are ranked by their likeness."""
PLACE = Qt.ItemDataRole.UserRole
_WORD = lazy_pattern(r"[^\W\d]\w{2,}")


class _Link:
    """A link that comes and goes: after the first time with its author, its time and another number."""

    def __init__(self, workspace: Workspace, link: KeptLink) -> None:
        self._workspace, self._link = workspace, link

    def make(self) -> None:
        link, project = self._link, self._workspace.opened
        if link.made_at:
            self._link = add_link(project, link)
        else:
            self._link = link_statements(project, link.engine, link.before_id, link.after_id, link.author, link.note)

    def take_back(self) -> None:
        self._link = remove_link(self._workspace.opened, self._link.id)


def _nothing() -> None:
    """A refusal leaves nothing on screen to put back."""


class LinkPanel(QWidget):
    """Offers a statement of one side its possible partners; shows of a linked one who linked it, and unlinks it."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self._workspace = workspace
        self._rows: StatementRows | None = None
        self._engine = ""
        self._place = -1
        self._partners: list[int] = []
        self._kept: KeptLink | None = None
        self._message = label(wrap=True)
        self.search = search_field("ui.statements.link.search")
        self.partners = translated(QListWidget(), accessibleName="ui.statements.link.partners")
        self.partners.setUniformItemSizes(True)
        self.name = translated(QLineEdit(), accessibleName="ui.statements.link.name")
        self.note = translated(QLineEdit(), accessibleName="ui.statements.link.note")
        self.link_button = translated(button(kind="primary", on_click=self._link), "ui.statements.link.make")
        self.link_button.setEnabled(False)
        self.unlink_button = translated(button(on_click=self._unlink), "ui.statements.link.take_back")
        name_word, note_word = caption("ui.statements.link.name"), caption("ui.statements.link.note")
        fields = row(name_word, (self.name, 1), note_word, (self.note, 2), self.link_button)
        self._form = panel(column(self.search, (self.partners, 1), fields, spacing=SPACE_XS))
        column(row(self._message, self.unlink_button), (self._form, 1), 0, spacing=SPACE_XS, of=self)
        self.search.textChanged.connect(self._fill)
        self.partners.currentRowChanged.connect(self._enable)
        self.name.textChanged.connect(self._enable)

    # --- what is shown
    def show_statement(self, rows: StatementRows | None, place: int, comparison: DatabaseComparison | None) -> None:
        self._rows, self._place = rows, place
        record = comparison.before.record if comparison else None
        self._engine = str(record.identity.engine) if record else ""
        self.search.clear()
        self.refresh()

    def refresh(self) -> None:
        """Shows the statement again, in the current language."""
        rows = self._rows
        self._kept, self._partners = None, []
        if rows is None or rows.comparison is None or not 0 <= self._place < len(rows):
            self._message.setText(text("ui.statements.link.only_compared"))
            self._form.hide()
            self.unlink_button.hide()
            return
        pair = rows.pairs[self._place]
        alone = not (pair.before_ids and pair.after_ids)
        self._kept = self._kept_link(pair.before, pair.after)
        self._message.setText(self._words(rows, alone))
        self.unlink_button.setVisible(self._kept is not None)
        self.unlink_button.setEnabled(self._workspace.writable)
        self._form.setVisible(alone)
        if alone:
            self._partners = _ranked(rows, self._place)
            self._fill()
        for field in (self.name, self.note):
            field.setReadOnly(not self._workspace.writable)
            lock(field, not self._workspace.writable)

    def _words(self, rows: StatementRows, alone: bool) -> str:
        if self._kept is not None:
            kept, zone = self._kept, self._workspace.zone
            facts = {"by": kept.author, "at": format_stamp(kept.made_at, zone), "note": kept.note or "–"}
            return text("ui.statements.link.made", before=kept.before_id, after=kept.after_id, **facts)
        if not alone:
            return text("ui.statements.link.matched", how=method_words(rows, self._place, window_locale()))
        side = "before" if rows.pairs[self._place].before_ids else "after"
        return text(f"ui.statements.link.alone_{side}", id=pair_name(rows, self._place, window_locale()))

    def _kept_link(self, before: Sequence[StatementKey], after: Sequence[StatementKey]) -> KeptLink | None:
        rows, project = self._rows, self._workspace.project
        assert rows is not None
        by_hand = any(link.method is LinkMethod.MANUAL for link in rows.pairs[self._place].links)
        if not by_hand or project is None:
            return None
        links = list_links(project, self._engine)
        return next((link for link in links if _meant(link.before_id, before) and _meant(link.after_id, after)), None)

    def _fill(self, *_: object) -> None:
        rows = self._rows
        self.partners.clear()
        if rows is None:
            return
        words, own = self.search.text(), rows.pairs[self._place] if 0 <= self._place < len(rows) else None
        side = "after" if own is not None and own.before_ids else "before"
        matching = (index for index in self._partners if matches_words(rows.search[index], words))
        locale = window_locale()
        for index in islice(matching, MOST_PARTNERS):
            name, cost = name_of(rows, index, locale), figure_words(rows, index, side, "elapsed_s", False, locale)
            item = QListWidgetItem(
                "  ·  ".join(filter(None, (name, f"{cost} s", rows.texts[index][:200], pair_ids(rows, index))))
            )
            item.setData(PLACE, index)
            item.setSizeHint(QSize(0, ROW_HEIGHT_DENSE))
            item.setToolTip(rows.texts[index][:1000])
            self.partners.addItem(item)
        self._enable()

    def _enable(self, *_: object) -> None:
        chosen = self.partners.currentItem() is not None
        self.link_button.setEnabled(chosen and bool(self.name.text().strip()) and self._workspace.writable)

    # --- edits
    def _link(self) -> None:
        rows, item = self._rows, self.partners.currentItem()
        if rows is None or item is None:
            return
        places = self._place, int(item.data(PLACE))
        before = next(rows.reference_of("before", index) for index in places if rows.pairs[index].before)
        after = next(rows.reference_of("after", index) for index in places if rows.pairs[index].after)
        kept = KeptLink(0, self._engine, before, after, self.name.text().strip(), note=self.note.text().strip())
        self.note.clear()
        mark_stored(self.name)
        link = _Link(self._workspace, kept)
        self._push("ui.undo.link_statements", link.make, link.take_back)

    def _unlink(self) -> None:
        if self._kept is not None:
            link = _Link(self._workspace, self._kept)
            self._push("ui.undo.unlink_statements", link.take_back, link.make)

    def _push(self, key: str, do: Callable[[], None], undo: Callable[[], None]) -> None:
        self._workspace.undo.push(CaseEdit(self._workspace, key, Change.STATEMENTS, do, undo, _nothing))


def _meant(reference: str, keys: Sequence[StatementKey]) -> bool:
    return any(key.answers_to(reference) for key in keys)


def _ranked(rows: StatementRows, place: int) -> list[int]:
    """Statements of the other side without a partner, those that speak of the same things first."""
    before = bool(rows.pairs[place].before_ids)
    others = [
        other
        for other, pair in enumerate(rows.pairs)
        if bool(pair.before_ids) != bool(pair.after_ids) and bool(pair.before_ids) != before
    ]
    own = _words_of(rows, place)
    alike = {other: _likeness(own, _words_of(rows, other)) for other in others[:MOST_RANKED]}
    return [*sorted(alike, key=lambda other: -alike[other]), *others[MOST_RANKED:]]


def _words_of(rows: StatementRows, place: int) -> frozenset[str]:
    return frozenset(_WORD.findall(rows.texts[place].casefold()))


def _likeness(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / len(one | other) if one and other else 0.0
