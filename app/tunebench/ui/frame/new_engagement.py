"""The form that begins an engagement: who for, what about, which zone, where the file goes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QFileDialog, QFrame, QLineEdit, QWidget

from tunebench.core.messages import LANGUAGES
from tunebench.core.paths import documents_folder, file_name_for, free_path
from tunebench.core.records import record
from tunebench.domain.engagement import Engagement
from tunebench.ui.look.language import language, text, translated
from tunebench.ui.look.theme import SPACE_L, SPACE_M
from tunebench.ui.settings import Settings
from tunebench.ui.widgets.layouts import two_beside
from tunebench.ui.widgets.parts import ElidedLabel, button, column, label, row, set_tone
from tunebench.ui.widgets.zone_box import ZoneBox
from tunebench.ui.workspace import Workspace

SUFFIX = ".tune"


@record
class NewEngagement:
    path: Path
    engagement: Engagement


def default_folder(settings: Settings) -> Path:
    """Where projects went last time, else the user's documents."""
    remembered = settings.folder("projects")
    if remembered and Path(remembered).is_dir():
        return Path(remembered)
    return documents_folder()


def begin_with(
    paths: Sequence[Path], workspace: Workspace, parent: QWidget, create: Callable[[NewEngagement], bool]
) -> bool:
    """Whether these are before and after: then a project is made where a person says, and opens on what changed."""
    from tunebench.usecases.quick import gathering

    inputs = gathering.sides_in(paths)
    if inputs is None:
        return False
    where = text("ui.quick.where"), str(gathering.beside(inputs)), text("ui.file_filter", suffix=SUFFIX)
    path, code = Path(QFileDialog.getSaveFileName(parent, *where)[0]), language().code
    if path.name:
        workspace.jobs.run(
            "cpu",
            lambda handle: gathering.engagement_of(path, inputs, code, handle),
            owner=parent,
            slot="sides",
            on_result=lambda engagement: (
                workspace.show_page("captures", inputs) if create(NewEngagement(path, engagement)) else None
            ),
            title_key="ui.job.quick",
        )
    return True


class NewEngagementForm(QFrame):
    """`submitted` carries a `NewEngagement`."""

    submitted = Signal(object)
    closed = Signal()

    def __init__(self, settings: Settings) -> None:
        super().__init__()
        self.setProperty("card", "true")
        self._settings = settings
        self._chosen: Path | None = None
        self._title = translated(label(role="section"), "ui.new.heading")
        self.customer, self.title = (
            translated(QLineEdit(), placeholderText=f"ui.new.{name}.hint") for name in ("customer", "title")
        )
        self.firm, self.consultants = QLineEdit(), QLineEdit()
        self.zone = ZoneBox()
        self.report_language = QComboBox()
        self.report_language.addItems(list(LANGUAGES))
        self._fields: dict[str, QWidget] = {
            "customer": self.customer,
            "title": self.title,
            "firm": self.firm,
            "consultants": self.consultants,
            "zone": self.zone,
            "report_language": self.report_language,
        }
        self._where = ElidedLabel(role="muted")
        self._change = translated(button(kind="link", on_click=self.choose_path), "ui.new.change_path")
        self._create = translated(button(kind="primary", on_click=self.submit), "ui.new.create")
        self._cancel = translated(button(on_click=self._give_up), "ui.action.cancel")
        for field in (self.customer, self.title):
            field.textChanged.connect(self._on_edit)
        for edit in (self.customer, self.title, self.firm, self.consultants):
            edit.returnPressed.connect(self.submit)
        self._lay_out()
        language().changed.connect(self._show_path)
        translated(self.report_language, itemText=[f"ui.language.{code}" for code in LANGUAGES])
        self.begin()

    def _lay_out(self) -> None:
        fields = two_beside("ui.new", self._fields)
        where, buttons = row((self._where, 1), self._change), row(1, self._cancel, self._create)
        self.setLayout(column(self._title, fields, where, buttons, spacing=SPACE_M, margins=SPACE_L))

    def begin(self) -> None:
        """Empty fields, with what the consultant always enters already there."""
        self._chosen = None
        self.customer.clear()
        self.title.setText(text("ui.new.title.default", year=date.today().year))
        self.firm.setText(self._settings.firm)
        self.consultants.setText(self._settings.consultants)
        self.zone.set_zone("Asia/Seoul")
        self.report_language.setCurrentIndex(LANGUAGES.index(language().code))
        self._show_path()
        self.customer.setFocus()

    @property
    def path(self) -> Path:
        if self._chosen is not None:
            return self._chosen
        folder = default_folder(self._settings)
        name = file_name_for(self.customer.text(), self.title.text()) or "tuning"
        return free_path(folder / f"{name}{SUFFIX}")

    def choose_path(self) -> None:
        name, _ = QFileDialog.getSaveFileName(
            self, text("ui.new.heading"), str(self.path), text("ui.file_filter", suffix=SUFFIX)
        )
        if name:
            chosen = Path(name)
            self._chosen = chosen if chosen.suffix == SUFFIX else chosen.with_name(chosen.name + SUFFIX)
            self._show_path()

    def _on_edit(self) -> None:
        set_tone(self.customer, "", "state")
        self._show_path()

    def _show_path(self) -> None:
        self._where.set_words(text("ui.new.path", path=self.path))

    def submit(self) -> None:
        customer = self.customer.text().strip()
        if not customer:
            set_tone(self.customer, "wrong", "state")
            self.customer.setFocus()
            return
        self._settings.firm = self.firm.text().strip()
        self._settings.consultants = self.consultants.text().strip()
        names = tuple(n.strip() for n in self.consultants.text().split(",") if n.strip())
        engagement = Engagement(
            title=self.title.text().strip() or text("ui.new.title.default", year=date.today().year),
            customer=customer,
            firm=self.firm.text().strip(),
            consultants=names,
            zone=self.zone.zone(),
            language=LANGUAGES[self.report_language.currentIndex()],
        )
        self.submitted.emit(NewEngagement(self.path, engagement))

    def _give_up(self) -> None:
        self.begin()
        self.closed.emit()
