"""A capture in its original form beside what was read from it: its sections, its pages, the row in question."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QSizePolicy

from tunebench.core.errors import UserError
from tunebench.ui.databases.original_browser import OriginalBrowser, OriginalText
from tunebench.ui.jobs_bridge import JobsBridge
from tunebench.ui.look.language import error_text, text, translated
from tunebench.ui.look.theme import SPACE_S, SPACE_XS
from tunebench.ui.widgets.parts import Card, ElidedLabel, IconButton, button, column, label, panel, row, stacked
from tunebench.usecases.importing import originals
from tunebench.usecases.importing.originals import Original, Place
from tunebench.usecases.importing.report_pages import ReportPages, Section, row_at
from tunebench.usecases.projects import Project


class OriginalView(Card):
    """Signals:
    ledger_asked: the capture that is shown, to see its ledger.
    said: a sentence to be said.
    """

    ledger_asked = Signal(int)
    said = Signal(str)

    def __init__(self, jobs: JobsBridge) -> None:
        super().__init__()
        self._jobs = jobs
        self._project: Project | None = None
        self._place: Place | None = None
        self._kept: tuple[int, ReportPages] | None = None
        self.original: Original | None = None
        self.page = -1
        self.sections = translated(QComboBox(maxVisibleItems=24), accessibleName="ui.profile.original.sections")
        self.sections.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.browser, self.lines = OriginalBrowser(), OriginalText()
        self._file = ElidedLabel(role="strong")
        self._where = label(role="small")
        self._one_of = label(role="small")
        self._words = label(role="muted", wrap=True)
        self._words.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._previous = IconButton("back", lambda: self._turn(-1), key="ui.profile.original.previous")
        self._next = IconButton("forward", lambda: self._turn(1), key="ui.profile.original.next")
        self._ledger = translated(button(kind="link", on_click=self._ask_ledger), "ui.inspector.show_ledger")
        self._stack = stacked(self._words, self.browser, self.lines)
        self._head = panel(row((self.sections, 1), self._previous, self._where, self._next, spacing=SPACE_XS))
        column(
            row((self._file, 1), self._ledger),
            self._one_of,
            self._head,
            (self._stack, 1),
            spacing=SPACE_XS,
            margins=(SPACE_S, SPACE_XS, SPACE_S, SPACE_S),
            of=self,
        )
        self._show_nothing()
        self.sections.activated.connect(self._choose_section)
        self.browser.followed.connect(self._follow)
        self.browser.refused.connect(lambda url: self.said.emit(text("ui.profile.original.outside", link=url)))

    # --- what is shown
    def use(self, project: Project | None) -> None:
        self._project, self._place, self._kept, self.original, self.page = project, None, None, None, -1
        self._show_nothing()

    def _show_nothing(self) -> None:
        self._file.set_words("")
        self._head.hide()
        self._ledger.hide()
        self._one_of.hide()
        self._words.setText(text("ui.profile.original.nothing"))
        self._stack.setCurrentIndex(0)

    def show_place(self, place: Place) -> None:
        """Reads the capture where it is not at hand; the newest wish wins."""
        project = self._project
        if project is None or not place.artefact_ids or place == self._place:
            return
        self._place = place
        kept = self._kept
        self._jobs.run(
            "cpu",
            lambda _handle: _read(project, place, kept),
            owner=self,
            slot="original",
            on_result=lambda answer: self._take(place, *answer),
            on_error=self._say,
            on_cancelled=self._forget_place,
        )

    def _forget_place(self) -> None:
        self._place = None

    def _say(self, error: UserError) -> None:
        self._forget_place()
        self._show_nothing()
        self._words.setText(error_text(error))

    def _take(self, place: Place, original: Original, pages: ReportPages | None) -> None:
        if place != self._place:
            return
        self.original = original
        self._file.set_words(original.artefact.name)
        self._ledger.show()
        self._say_place()
        if pages is None or not pages.count:
            self._head.hide()
            self.lines.show_lines(original.first_line, original.lines, place.line)
            self._stack.setCurrentIndex(2)
            return
        if self._kept is None or self._kept[1] is not pages:
            self._kept, self.page = (original.artefact.id, pages), -1
            self._list_sections(pages.sections)
        self._head.show()
        self._stack.setCurrentIndex(1)
        self._show_line(pages, place)

    def _say_place(self) -> None:
        """Shows the line of the capture, and of how many captures this is one."""
        place = self._place
        words = [text("ui.profile.original.line", line=place.line)] if place is not None and place.line else []
        if place is not None and len(place.artefact_ids) > 1:
            words.append(text("ui.profile.original.one_of", n=len(place.artefact_ids)))
        self._one_of.setText(" · ".join(words))
        self._one_of.setVisible(bool(words))

    def _list_sections(self, sections: Sequence[Section]) -> None:
        self.sections.clear()
        for section in sections:
            self.sections.addItem(section.title or text("ui.profile.original.untitled"))

    def _show_line(self, pages: ReportPages, place: Place) -> None:
        section = pages.section_at(max(place.line, 1))
        if section is None:
            self._show_page(pages, 0)
            return
        cells = row_at(section, place.line, place.words) if place.line else ()
        self._show_page(pages, pages.page_of(section, place.line, cells))
        self.browser.go(section.anchor, cells)
        self.sections.setCurrentIndex(pages.sections.index(section))

    def _show_page(self, pages: ReportPages, page: int) -> None:
        if page != self.page or self.browser.marked_cells:
            self.page = page
            self.browser.show_page(pages.html(page))
        self._say_page(pages)

    def _say_page(self, pages: ReportPages) -> None:
        self._where.setText(text("ui.profile.original.page", page=self.page + 1, pages=pages.count))
        self._previous.setEnabled(self.page > 0)
        self._next.setEnabled(self.page + 1 < pages.count)

    # --- moving about
    def _choose_section(self, number: int) -> None:
        if self._kept is not None:
            pages = self._kept[1]
            section = pages.sections[number]
            self._place = None
            self._say_place()
            self._show_page(pages, section.page)
            self.browser.go(section.anchor)

    def _turn(self, by: int) -> None:
        if self._kept is None:
            return
        pages = self._kept[1]
        self._place = None
        self._say_place()
        self._show_page(pages, min(max(self.page + by, 0), pages.count - 1))
        self.browser.verticalScrollBar().setValue(0)
        first = next((n for n, section in enumerate(pages.sections) if section.page >= self.page), -1)
        self.sections.setCurrentIndex(first)

    def _follow(self, name: str) -> None:
        target = self._kept[1].link(name) if self._kept is not None else None
        if target is None or self._kept is None:
            self.said.emit(text("ui.profile.original.no_place", name=name))
            return
        self._place = None
        self._show_page(self._kept[1], target[0])
        self.browser.scrollToAnchor(target[1])

    def _ask_ledger(self) -> None:
        if self.original is not None:
            self.ledger_asked.emit(self.original.artefact.id)

    def retranslate(self) -> None:
        self._say_place()
        if self.original is None:
            self._show_nothing()
        elif self._kept is not None:
            self._say_page(self._kept[1])


def _read(project: Project, place: Place, kept: tuple[int, ReportPages] | None) -> tuple[Original, ReportPages | None]:
    wanted = originals.holding(project, place.artefact_ids, place.line, place.words)
    assert wanted is not None
    original = originals.original(project, wanted, place.line)
    if original.report is None:
        return original, None
    pages = kept[1] if kept is not None and kept[0] == wanted else ReportPages(original.report)
    return original, pages
