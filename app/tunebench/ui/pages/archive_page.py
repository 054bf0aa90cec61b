"""The firm's archive: what other engagements found, changed, gained and paid, and this one put beside them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from PySide6.QtWidgets import QFileDialog, QLineEdit, QWidget

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
from tunebench.ui.widgets.parts import ElidedLabel, button, caption, card, column, label, row, search_field, tab_bar
from tunebench.ui.workspace import Change, Workspace
from tunebench.usecases.archiving import experience, words
from tunebench.usecases.archiving import facade as archiving
from tunebench.usecases.jobs import JobHandle

TABS = ("find", "seen", "effects", "engagements")
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
        self.table = translated(FigureTable(), accessibleName="ui.page.archive")
        self.table.horizontalHeader().setStretchLastSection(True)
        self.place = ElidedLabel(role="muted")
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
        self.start()

    def _lay_out(self) -> None:
        choose = translated(button(kind="quiet", on_click=self.choose), "ui.archive.choose")
        head = row(self.title(), (self.place, 1), choose, spacing=SPACE_L)
        tables = card(column(row(self.tabs, 1, self.words), (self.table, 1), spacing=0, margins=(1, 2, 1, 1)))
        own = row(caption("ui.archive.own", "strong"), (self.consent, 1), self.put_in, spacing=SPACE_M)
        column(head, (tables, 1), self._note, own, spacing=SPACE_M, margins=(SPACE_L, SPACE_M), of=self)

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
    def folder(self) -> Path | None:
        """The folder of the archive; None where none was ever chosen on this computer."""
        stored = self._settings.folder(_FOLDER)
        return Path(stored) if stored else None

    def choose(self) -> None:
        chosen = QFileDialog.getExistingDirectory(self, text("ui.archive.choose"), str(self.folder or ""))
        if chosen:
            self.use(Path(chosen))

    def use(self, folder: Path) -> None:
        """Takes a folder as the archive from now on; an empty one becomes an archive."""
        if not self.workspace.attempt(lambda: archiving.opened(folder, make=True)):
            return
        self._settings.remember_folder(_FOLDER, folder)
        self.enter()

    # --- what it answers
    def ask(self) -> None:
        """The chosen tab's question; the newest answer counts."""
        tab, asked, folder, project = (
            TABS[self.tabs.currentIndex()],
            self.words.text(),
            self.folder,
            self.workspace.project,
        )
        self.place.setText(str(folder or ""))
        if folder is None or not self.isVisible() or tab != self._shown:  # nothing stands below another tab's name
            self._show(tab, ())
        if folder is None or not self.isVisible():
            return
        self._note.setText(text("ui.archive.asking"))

        def rows_of(archive: Archive, handle: JobHandle) -> Sequence[object]:
            if tab == "find":
                return archiving.find(archive, asked.split())
            if tab == "seen":
                return experience.seen(archive, project, handle) if project else ()
            if tab == "effects":
                return experience.effects(archive, asked)
            return archiving.engagements(archive).as_records()

        def work(handle: JobHandle) -> tuple[Sequence[object], Sequence[str]]:
            archive = archiving.opened(folder)
            return rows_of(archive, handle), words.unreadable_texts(archive.unreadable(), language().code)

        self.workspace.jobs.run(
            "db" if tab == "seen" else "cpu",  # a project is read where projects are read
            work,
            owner=self,
            slot="ask",
            on_result=lambda both: self._show(tab, *both),
            on_error=self._refused,
        )

    def _show(self, tab: str, rows: Sequence[object], warnings: Sequence[str] = ()) -> None:
        self._shown = tab
        self.table.show_rows(_COLUMNS[tab](), rows)
        self.table.narrow(self.words.text() if tab in ("seen", "engagements") else "")
        note = f"ui.archive.note.{tab}" if rows else "ui.archive.empty"
        self._note.setText("\n".join([text(note if self.folder else "ui.archive.none"), *warnings]))

    def _refused(self, error: UserError) -> None:
        self._show(TABS[self.tabs.currentIndex()], ())
        self.workspace.say_error(error)

    # --- this engagement
    def _allow(self) -> None:
        consented = len(self.consent.text().strip()) >= archiving.LEAST_CONSENT
        self.put_in.setEnabled(self.folder is not None and self.workspace.project is not None and consented)

    def add(self) -> None:
        folder, project, consent = self.folder, self.workspace.opened, self.consent.text()
        if folder is None:
            return
        self.workspace.jobs.run(
            "db",
            lambda handle: archiving.add(archiving.opened(folder), project, consent, None, handle),
            owner=self,
            slot="add",
            on_result=self._added,
            title_key="ui.archive.adding",
        )

    def _added(self, added: archiving.Added) -> None:
        key = "archive.unchanged" if added.rows is None else "archive.added"
        self.workspace.say(text(key, title=added.title, engagement=added.engagement, rows=added.rows), "ok")
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
