"""Taking a run or a capture out of the project: what goes with it is said first, and what keeps it leads on."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QPushButton, QScrollArea, QWidget

from tunebench.columns.formats import format_bytes, format_count
from tunebench.core.errors import UserError
from tunebench.domain.cycle.book import Record, kind_of
from tunebench.domain.cycle.evidence import Evidence
from tunebench.domain.cycle.records import Metric
from tunebench.domain.engagement import Run
from tunebench.domain.record_labels import label as record_label
from tunebench.ui.cycle.cycle_controller import CycleController
from tunebench.ui.cycle.places import go_to, step_of
from tunebench.ui.look.language import error_text, text
from tunebench.ui.look.theme import SPACE_L, SPACE_M, SPACE_S, SPACE_XL
from tunebench.ui.widgets.parts import button, column, label, panel, row
from tunebench.ui.workspace import Change, Workspace
from tunebench.usecases import projects
from tunebench.usecases.projects import ArtefactInfo, Going

WIDTH, MOST_LIST_HEIGHT = 540, 220


class RemovalQuestion(QDialog):
    """Accepted where it is to go. What cannot go has no such button: its users are listed, each a way to it."""

    def __init__(self, workspace: Workspace, going: Going, kind: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._workspace, self._going = workspace, going
        self.setModal(True)
        self.setWindowTitle(text(f"ui.removal.{kind}"))
        self.question = label(text(f"ui.removal.{kind}.question", name=going.name), role="section", wrap=True)
        self.facts = label(_facts(going), wrap=True)
        self.warning = label(text("ui.removal.final"), tone="warning", wrap=True)
        self.links = [button(self._words(user), "link", self._leads_to(user)) for user in going.users]
        self.remove_button = button(text("ui.removal.remove"), "danger", self.accept)
        self.keep_button = button(text("ui.removal.keep"), on_click=self.reject)
        refusal = going.refusal
        if refusal is not None:
            self.question.setText(text(f"ui.removal.{kind}.refused", name=going.name))
            self.facts.setText(text("ui.removal.users") if going.users else error_text(refusal))
            self.warning.hide()
            self.remove_button.hide()
            self.keep_button.setText(text("ui.removal.close"))
        self._lay_out()
        self.keep_button.setFocus()

    def _lay_out(self) -> None:
        listed = [_listed(self.links)] if self.links else []
        acts = row(1, self.keep_button, self.remove_button)
        margins = (SPACE_XL, SPACE_L, SPACE_XL, SPACE_L)
        self.setLayout(column(self.question, self.facts, *listed, self.warning, acts, spacing=SPACE_M, margins=margins))
        self.setFixedWidth(WIDTH)

    def _words(self, record: Record) -> str:
        """A figure has no name of its own: its metric's."""
        metric = CycleController.of(self._workspace).book.find(Metric, getattr(record, "metric_id", None))
        return record_label(record) if metric is None else f"{text(f'cycle.kind.{kind_of(record)}')} · {metric.name}"

    def _leads_to(self, record: Record) -> Callable[[], None]:
        def follow() -> None:
            self.reject()
            if isinstance(record, Evidence):
                self._workspace.show_page("board", record)
            else:
                go_to(self._workspace, step_of(record), (record.id,))

        return follow


def _listed(links: Sequence[QPushButton]) -> QScrollArea:
    lines = column(*links, margins=(SPACE_M, 0, 0, 0))
    for link in links:
        lines.setAlignment(link, Qt.AlignmentFlag.AlignLeft)
    inside, area = panel(lines), QScrollArea()
    area.setWidgetResizable(True)
    area.setWidget(inside)
    area.setFixedHeight(min(inside.sizeHint().height() + SPACE_S, MOST_LIST_HEIGHT))
    return area


def _facts(going: Going) -> str:
    """What is removed, without the kinds of which there is none."""
    counts = (
        ("captures", len(going.captures)),
        ("series", going.series),
        ("samples", going.samples),
        ("records", going.records),
        ("statements", going.statements),
        ("notes", len(going.notes)),
    )
    parts = [text(f"ui.removal.goes.{key}", n=format_count(n)) for key, n in counts if n]
    return text("ui.removal.goes", parts=" · ".join(parts), size=format_bytes(going.bytes))


def ask_run(workspace: Workspace, run: Run, parent: QWidget | None = None) -> bool:
    """Asks, and removes the run with its captures; whether it went."""
    project = workspace.opened
    return _ask(
        workspace,
        "run",
        lambda: projects.going_with_run(project, run.id),
        lambda: projects.remove_run(project, run.id),
        Change.RUNS,
        parent,
    )


def ask_capture(workspace: Workspace, artefact: ArtefactInfo, parent: QWidget | None = None) -> bool:
    project = workspace.opened
    return _ask(
        workspace,
        "capture",
        lambda: projects.going_with_artefact(project, artefact.id),
        lambda: projects.remove_artefact(project, artefact.id),
        Change.CAPTURES,
        parent,
    )


def _ask(
    workspace: Workspace,
    kind: str,
    look: Callable[[], Going],
    remove: Callable[[], Going],
    change: Change,
    parent: QWidget | None,
) -> bool:
    try:
        going = look()
        question = RemovalQuestion(workspace, going, kind, parent)
        agreed = question.exec() == QDialog.DialogCode.Accepted
        question.deleteLater()
        if not agreed:
            return False
        remove()
    except UserError as error:
        workspace.say_error(error, change)
        return False
    workspace.inspect(None)
    workspace.announce(change)
    workspace.say(text(f"ui.removal.{kind}.done", name=going.name))
    return True
