"""The firm's archive: what other engagements found, changed, gained and paid, and this one put beside them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from PySide6.QtWidgets import QComboBox, QFileDialog, QLineEdit, QWidget

from tunebench.archive.archive import Archive
from tunebench.columns.column import Column, Row
from tunebench.columns.formats import COUNT
from tunebench.core.errors import UserError
from tunebench.ui.look.language import language, text, translated
from tunebench.ui.look.theme import SPACE_L, SPACE_M
from tunebench.ui.pages.base import Page
from tunebench.ui.settings import Settings
from tunebench.ui.tables.view import FigureTable
from tunebench.ui.typing import never_stored
from tunebench.ui.widgets.forest import Forest
from tunebench.ui.widgets.parts import (
    button,
    caption,
    card,
    column,
    label,
    row,
    scrolling,
    search_field,
    splitter,
    tab_bar,
)
from tunebench.ui.workspace import Change, Workspace
from tunebench.usecases.archiving import experience, words
from tunebench.usecases.archiving import facade as archiving
from tunebench.usecases.jobs import JobHandle

TABS = ("find", "seen", "effects", "engagements")
FACETS = ("system", "change", "state")
LEAST_FOREST = 240  # px
MOST_ROWS = 5_000
"""More take the window a second to lay out, and nobody reads them."""
_FOLDER = "archive"


class ArchivePage(Page):
    page_id = "archive"
    title_key = "ui.page.archive"
    icon = "reference"

    def __init__(self, workspace: Workspace, settings: Settings, parent: QWidget | None = None) -> None:
        super().__init__(workspace, parent)
        never_stored(self)
        self._settings, self._shown = settings, ""
        self.tabs = translated(tab_bar(*TABS), tabText=[f"ui.archive.tab.{name}" for name in TABS])
        self.words = search_field("ui.archive.search", least=260)
        self.facets = {name: translated(QComboBox(), accessibleName=f"archive.facet.{name}") for name in FACETS}
        for choice in self.facets.values():
            choice.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
            choice.setMinimumContentsLength(14)
            choice.activated.connect(self.ask)
        self.table = translated(FigureTable(), accessibleName="ui.page.archive")
        self.table.horizontalHeader().setStretchLastSection(True)
        self.address = translated(
            QLineEdit(),
            placeholderText="ui.archive.address",
            accessibleName="ui.archive.address",
            toolTip="archive.help.place",
        )
        self.mend = translated(button(kind="quiet", on_click=self.repair), "ui.archive.repair")
        self.mend.hide()
        self.forest = Forest()
        self.table.chosen.connect(self._on_row)
        self.consent = translated(
            QLineEdit(),
            placeholderText="ui.archive.consent",
            accessibleName="ui.archive.consent",
            toolTip="archive.help.consent",
        )
        self.put_in = translated(button(kind="primary", on_click=self.add), "ui.archive.add")
        self._note = label(role="muted", wrap=True)
        self._lay_out()
        self.tabs.currentChanged.connect(self.ask)
        self.words.textChanged.connect(self.ask)
        self.consent.textChanged.connect(self._allow)
        self.address.returnPressed.connect(lambda: self.use(self.address.text().strip()))
        self.start()

    def _lay_out(self) -> None:
        choose = translated(button(kind="quiet", on_click=self.choose), "ui.archive.choose")
        head = row(self.title(), (self.address, 1), choose, spacing=SPACE_L)
        self._below = scrolling(self.forest, sideways=False)
        self._below.hide()
        parts = splitter(self.table, self._below, down=True, shares=(3, 2))
        tables = card(
            column(row(self.tabs, 1, *self.facets.values(), self.words), (parts, 1), spacing=0, margins=(1, 2, 1, 1))
        )
        own = row(caption("ui.archive.own", "strong"), (self.consent, 1), self.put_in, spacing=SPACE_M)
        notes = row((self._note, 1), self.mend, spacing=SPACE_M)
        column(head, (tables, 1), notes, own, spacing=SPACE_M, margins=(SPACE_L, SPACE_M), of=self)

    # --- the page's life
    def enter(self) -> None:
        self._allow()
        self.ask()

    def retranslate(self, language: str) -> None:
        self.ask()

    def project_changed(self, change: Change) -> None:
        self._allow()

    # --- where it lies
    @property
    def archive_address(self) -> str:
        """The folder or the address of the archive; empty where none was ever chosen on this computer."""
        return self.workspace.archive_address()

    def choose(self) -> None:
        chosen = QFileDialog.getExistingDirectory(self, text("ui.archive.choose"), self.archive_address)
        if chosen:
            self.use(chosen)

    def use(self, address: str) -> None:
        """Takes a folder or an address as the archive from now on; where nothing is, one begins."""
        if not address:
            return
        self.workspace.jobs.run(
            "cpu",
            lambda _handle: words.notices(archiving.opened(address, make=True), language().code),
            owner=self,
            slot="use",
            on_result=lambda notices: self._used(address, notices),
            on_error=self._not_used,
        )

    def _used(self, address: str, notices: Sequence[str]) -> None:
        self._settings.remember_folder(_FOLDER, address)
        for notice in notices:
            self.workspace.say(notice, "info")
        self.enter()

    def _not_used(self, error: UserError) -> None:
        self.address.setText(self.archive_address)
        self.workspace.say_error(error)

    # --- what it answers
    def ask(self) -> None:
        """The chosen tab's question; the newest answer counts."""
        tab, asked, address, project = (
            TABS[self.tabs.currentIndex()],
            self.words.text(),
            self.archive_address,
            self.workspace.project,
        )
        if not self.address.hasFocus():
            self.address.setText(address)
        if not address or not self.isVisible() or tab != self._shown:  # nothing stands below another tab's name
            self._show(tab, ())
        if not address or not self.isVisible():
            return
        self._note.setText(text("ui.archive.asking"))

        narrowed = {name: str(choice.currentData() or "") for name, choice in self.facets.items()}

        def rows_of(archive: Archive, handle: JobHandle) -> Sequence[object]:
            if tab == "find":
                return archiving.find(archive, asked.split(), **narrowed)
            if tab == "seen":
                return experience.seen(archive, project, handle) if project else ()
            if tab == "effects":
                return experience.effects(archive, asked)
            return archiving.engagements(archive).as_records()

        def work(handle: JobHandle) -> tuple[Sequence[object], Sequence[archiving.Facet], Sequence[str]]:
            archive = archiving.opened(address)
            rows = rows_of(archive, handle)
            facets = archiving.facets(archive) if tab == "find" else ()
            return rows, facets, words.unreadable_texts(archive.unreadable(), language().code)

        self.workspace.jobs.run(
            "db" if tab == "seen" else "cpu",  # a project is read where projects are read
            work,
            owner=self,
            slot="ask",
            on_result=lambda answer: self._show(tab, *answer),
            on_error=self._refused,
        )

    def _show(
        self, tab: str, rows: Sequence[object], facets: Sequence[archiving.Facet] = (), warnings: Sequence[str] = ()
    ) -> None:
        self._shown = tab
        self._offer(tab, facets)
        self._on_row(None)
        self.table.show_rows(_COLUMNS[tab](), rows[:MOST_ROWS])
        self.table.narrow(self.words.text() if tab in ("seen", "engagements") else "")
        note = f"ui.archive.note.{tab}" if rows else "ui.archive.empty"
        more = [text("ui.archive.more", most=MOST_ROWS, count=len(rows))] if len(rows) > MOST_ROWS else []
        self._note.setText("\n".join([text(note if self.archive_address else "ui.archive.none"), *more, *warnings]))
        self.mend.setVisible(bool(warnings))

    def _offer(self, tab: str, facets: Sequence[archiving.Facet]) -> None:
        """What the answers can be narrowed by; what is chosen stays, also where nothing has it any more."""
        for name, choice in self.facets.items():
            choice.setVisible(tab == "find" and (bool(facets) or choice.count() > 0))
            if not facets:
                continue
            chosen = choice.currentData()
            choice.clear()
            choice.addItem(text(f"ui.archive.all.{name}"), "")
            for facet in facets:
                if facet.facet == name:
                    choice.addItem(f"{words.facet_text(facet, language().code)} ({facet.engagements})", facet.value)
            choice.setCurrentIndex(max(choice.findData(chosen), 0))

    def _on_row(self, chosen: object) -> None:
        """An effect that engagements measured is drawn below the table, each engagement with its interval."""
        effect = chosen if isinstance(chosen, experience.Effect) else None
        self.forest.show_effect(effect)
        self._below.setMinimumHeight(min(self.forest.sizeHint().height() + SPACE_M, LEAST_FOREST))
        self._below.setVisible(effect is not None and bool(effect.ratios))

    def _refused(self, error: UserError) -> None:
        self._show(TABS[self.tabs.currentIndex()], ())
        self.workspace.say_error(error)

    # --- this engagement
    def _allow(self) -> None:
        consented = len(self.consent.text().strip()) >= archiving.LEAST_CONSENT
        self.put_in.setEnabled(bool(self.archive_address) and self.workspace.project is not None and consented)

    def add(self) -> None:
        address, project, consent = self.archive_address, self.workspace.opened, self.consent.text()

        def work(handle: JobHandle) -> tuple[archiving.Added, Sequence[str]]:
            archive = archiving.opened(address)
            return archiving.add(archive, project, consent, None, handle), words.notices(archive, language().code)

        self.workspace.jobs.run(
            "db", work, owner=self, slot="add", on_result=lambda both: self._added(*both), title_key="ui.archive.adding"
        )

    def _added(self, added: archiving.Added, notices: Sequence[str]) -> None:
        key = "archive.unchanged" if added.rows is None else "archive.added"
        self.workspace.say(text(key, title=added.title, engagement=added.engagement, rows=added.rows), "ok")
        for notice in notices:
            self.workspace.say(notice, "info")
        self.ask()

    # --- damage
    def repair(self) -> None:
        """Gives back what the archive itself and the open project can, and says what stays incomplete."""
        address, project = self.archive_address, self.workspace.project

        def work(handle: JobHandle) -> Sequence[str]:
            archive = archiving.opened(address)
            archive.repair()
            if project is not None:
                archiving.mend(archive, project, None, handle)
            return words.incomplete_texts(archive, language().code)

        self.workspace.jobs.run(
            "db", work, owner=self, slot="repair", on_result=self._repaired, title_key="ui.archive.repairing"
        )

    def _repaired(self, sentences: Sequence[str]) -> None:
        self.workspace.say("\n".join(sentences), "info")
        self.ask()


def _words(name: str, shown: Callable[[Row], str]) -> Column[Row]:
    return Column(name, f"archive.column.{name}", shown, elided=True)


def _figure(name: str, value: Callable[[Row], float | None], shown: Callable[[Row], str] | None = None) -> Column[Row]:
    """`shown`: the words; None where whole numbers are counted."""
    return Column(
        name, f"archive.column.{name}", value, COUNT, text=None if shown is None else lambda row, _: shown(row)
    )


def _hit_columns() -> list[Column[archiving.Hit]]:
    return [
        _words("title", lambda hit: hit.title),
        _words("kind", lambda hit: text(f"archive.kind.{hit.kind}")),
        _words("text", lambda hit: hit.text),
        _words("state", lambda hit: words.state_text(hit, language().code)),
        _words("detail", lambda hit: hit.detail),
    ]


def _seen() -> list[Column[experience.Similar]]:
    return [
        _words("title", lambda similar: similar.title),
        _figure("alike", lambda similar: similar.score, lambda similar: f"{similar.score:.0%}"),
        _words("shared", lambda similar: words.shared_text(similar, language().code)),
        _words("done", lambda similar: _done(similar) or words.NOTHING),
    ]


def _done(similar: experience.Similar) -> str:
    return " / ".join(words.done_text(done, language().code) for done in similar.done)


def _effects() -> list[Column[experience.Effect]]:
    return [
        _words("change", lambda effect: effect.change),
        _words("metric", lambda effect: effect.metric or words.NOTHING),
        _words("price", lambda effect: words.side_text(effect, language().code)),
        _figure("cases", lambda effect: effect.cases),
        _figure("rolled_back", lambda effect: effect.rolled_back),
        _figure("measured", lambda effect: effect.measured),
        _figure("median", lambda effect: effect.median, lambda effect: words.ratio_text(effect.median)),
        _figure("mean", lambda effect: effect.mean, words.mean_text),
        _words("states", lambda effect: words.states_text(effect, language().code)),
        _words("unmeasured", lambda effect: ", ".join(effect.unmeasured)),
    ]


def _engagements() -> list[Column[Mapping[str, Any]]]:
    names = ("title", "customer", "systems", "consent", "profile", "engagement")
    columns: list[Column[Mapping[str, Any]]]
    columns = [_words(name, lambda row, name=name: str(row[name] or "")) for name in names]  # type: ignore[misc]
    iterations: Column[Mapping[str, Any]]
    iterations = _figure("iterations", lambda row: row["iterations"] or 0)
    return [*columns[:3], iterations, *columns[3:]]


_COLUMNS: dict[str, Callable[[], list[Column[Any]]]] = {
    "find": _hit_columns,
    "seen": _seen,
    "effects": _effects,
    "engagements": _engagements,
}
