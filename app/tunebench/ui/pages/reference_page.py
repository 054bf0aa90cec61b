"""Reference: what is known, searchable in both languages; calculators; the worksheet of cluster sizes."""

from __future__ import annotations

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QSplitter, QWidget

from tunebench.analysis.calculators import catalogue
from tunebench.ui.look.language import text, translated
from tunebench.ui.look.theme import SPACE_M, SPACE_S, Theme
from tunebench.ui.pages.base import Page
from tunebench.ui.reference.calculator_form import CalculatorForm
from tunebench.ui.reference.cluster_sheet import ClusterSheet
from tunebench.ui.reference.entry_view import EntryView, plain_text
from tunebench.ui.reference.volume_list import CALCULATOR, WORKSHEET, Volume, VolumeList, volume_at
from tunebench.ui.typing import never_stored
from tunebench.ui.widgets.parts import button, column, panel, row, stacked
from tunebench.ui.workspace import Change, Workspace
from tunebench.usecases.projects import Project
from tunebench.usecases.reference import cluster_worksheet
from tunebench.usecases.reference import entries as reference

LIST_WIDTH, LEAST_LIST_WIDTH = 330, 240


class ReferencePage(Page):
    page_id = "reference"
    title_key = "ui.page.reference"
    icon = "reference"

    def __init__(self, workspace: Workspace, parent: QWidget | None = None) -> None:
        super().__init__(workspace, parent)
        never_stored(self)
        self._project: Project | None = None
        self._volume: Volume | None = None
        self.listing = VolumeList()
        self.browser = translated(EntryView(), accessibleName="ui.reference.entry")
        self.calculator = CalculatorForm()
        self.clusters = ClusterSheet()
        self._lay_out()
        self._connect()
        self.add_commands(
            "help",
            1,
            "ui.reference.command",
            ("find", ("Ctrl+F",), self.search),
            ("copy", ("Ctrl+Shift+C",), self.copy),
        )
        self.start()

    def _lay_out(self) -> None:
        left = panel(column(self.title(), (self.listing, 1), margins=(SPACE_M, SPACE_S, SPACE_S, SPACE_S)))
        left.setMinimumWidth(LEAST_LIST_WIDTH)
        self._copy = translated(button(on_click=self.copy), "ui.reference.copy", toolTip="ui.reference.copy.tip")
        entry = panel(column((self.browser, 1), row(1, self._copy), margins=(0, SPACE_S, SPACE_M, SPACE_S)))
        self.views = stacked(entry, self.calculator, self.clusters)
        across = QSplitter()
        across.setChildrenCollapsible(False)
        across.addWidget(left)
        across.addWidget(self.views)
        across.setStretchFactor(1, 1)
        across.setSizes([LIST_WIDTH, 900])
        column(across, of=self)

    def _connect(self) -> None:
        self.listing.chosen.connect(self.show_volume)
        self.listing.opened.connect(self._open)
        self.browser.anchorClicked.connect(lambda url: self.show_argument(url.toString()))
        self.calculator.entry_asked.connect(lambda name: self.show_argument(f"entry:{name}"))
        self.calculator.said.connect(self.workspace.say)
        self.clusters.said.connect(self.workspace.say)

    # --- the page's life
    def enter(self) -> None:
        project = self.workspace.opened
        if project is not self._project:
            self._project = project
            self._read_trees()
        self.listing.field.setFocus()

    def project_changed(self, change: Change) -> None:
        if change in (Change.OPENED, Change.CLOSED, Change.CAPTURES, Change.RUNS):
            self._project = None
        if self.isVisible() and self._project is None and self.workspace.project is not None:
            self._project = self.workspace.project
            self._read_trees()

    def _read_trees(self) -> None:
        project = self._project
        if project is None:
            self.clusters.use_trees(())
            return
        self.workspace.jobs.run(
            "db",
            lambda _handle: cluster_worksheet.counted_trees(project),
            owner=self,
            slot="trees",
            on_result=self.clusters.use_trees,
        )

    def show_argument(self, argument: object) -> None:
        """The address of an entry (``entry:SF-052``), a calculator (``calculator:dnlc``) or the worksheet."""
        volume = volume_at(str(argument))
        if volume is not None:
            self.listing.show_volume(volume)
            self.show_volume(volume)

    # --- showing
    def show_volume(self, volume: Volume) -> None:
        if volume == self._volume:
            return
        self._volume = volume
        if volume.kind == CALCULATOR:
            self.calculator.show_calculator(catalogue.find(volume.id))
            self.views.setCurrentIndex(1)
        elif volume.kind == WORKSHEET:
            self.views.setCurrentIndex(2)
        else:
            self.browser.show_entry(reference.find(volume.id))
            self.views.setCurrentIndex(0)

    def _open(self, volume: Volume) -> None:
        """Moves the focus from the list into what it shows."""
        self.show_volume(volume)
        if volume.kind == CALCULATOR:
            self.calculator.focus_first()
        elif volume.kind == WORKSHEET:
            self.clusters.source.setFocus()
        else:
            self.browser.setFocus()

    def search(self) -> None:
        self.listing.field.setFocus()
        self.listing.field.selectAll()

    def copy(self) -> None:
        if self._volume is None:
            return
        if self._volume.kind == CALCULATOR:
            self.calculator.copy()
        elif self._volume.kind == WORKSHEET:
            self.clusters.copy()
        else:
            QGuiApplication.clipboard().setText(plain_text(reference.find(self._volume.id)))
            self.workspace.say(text("ui.reference.copied"))

    # --- words and colours
    def retranslate(self, code: str) -> None:
        self.clusters.retranslate()
        self.calculator.retranslate()
        self.listing.retranslate()
        self._show_again()

    def apply_theme(self, theme: Theme) -> None:
        self._show_again()

    def _show_again(self) -> None:
        if self._volume is not None and self._volume.kind not in (CALCULATOR, WORKSHEET):
            self.browser.show_entry(reference.find(self._volume.id))
