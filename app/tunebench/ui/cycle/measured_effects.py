"""What the firm's archive measured of a countermeasure's changes, beside what documents say of them."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QWidget

from tunebench.core.errors import UserError
from tunebench.domain.cycle.worksheet import Action
from tunebench.ui.look.language import error_text, language, text
from tunebench.ui.look.theme import SPACE_XS
from tunebench.ui.widgets.parts import caption, column, label, selectable
from tunebench.ui.workspace import Workspace
from tunebench.usecases.archiving import experience, words
from tunebench.usecases.archiving import facade as archiving
from tunebench.usecases.jobs import JobHandle


class MeasuredEffects(QWidget):
    """Hidden where no archive was chosen on this computer, or none of its engagements made such a change."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self._workspace = workspace
        self._asked: tuple[object, ...] = ()
        self.lines = selectable(label(wrap=True))
        self.lines.setMinimumWidth(1)
        self.setLayout(column(caption("ui.tradeoffs.measured", "strong"), self.lines, spacing=SPACE_XS))
        self.hide()

    def show_action(self, action: Action | None) -> None:
        address, code = self._workspace.archive_address(), language().code
        asked = (address, code, action and (action.changes, action.known_effect))
        if asked == self._asked:
            return
        self._asked = asked
        self._show([])
        if not address or action is None:
            return

        def work(_handle: JobHandle) -> Sequence[str]:
            archive = archiving.opened(address)
            effects = experience.effects_of(archive, action)
            lines = [words.measured_text(effect, code) for effect in effects]
            return [*lines, *words.unreadable_texts(archive.unreadable(), code)] if lines else []

        self._workspace.jobs.run(
            "cpu", work, owner=self, slot="ask", on_result=self._show, on_error=lambda error: self._refused(error)
        )

    def _show(self, lines: Sequence[str]) -> None:
        self.lines.setText("\n".join(lines))
        self.setVisible(bool(lines))

    def _refused(self, error: UserError) -> None:
        """Said here, not as a message: nobody asked for it."""
        self._show([text("ui.tradeoffs.measured.refused", reason=error_text(error))])
