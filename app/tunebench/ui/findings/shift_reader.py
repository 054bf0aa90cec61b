"""Where the bottleneck lies on the two sides that are compared, read once for each pair of windows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from tunebench.core.progress import Progress
from tunebench.domain.engagement import Run
from tunebench.domain.finding import Shift
from tunebench.domain.windows import Window, proposed_window
from tunebench.ui.comparing.window_book import SIDES, WindowBook
from tunebench.ui.workspace import Workspace

if TYPE_CHECKING:
    from tunebench.usecases.projects import Project


class ShiftReader(QObject):
    """
    Attributes:
        shift: None while it is not read, and where a side has nothing.

    Signals:
        changed: `shift` is another.
    """

    changed = Signal()

    def __init__(self, workspace: Workspace, book: WindowBook) -> None:
        super().__init__(workspace)
        self._workspace, self._book = workspace, book
        self._asked: object = None
        self.shift: Shift | None = None

    def forget(self) -> None:
        self._asked = None

    def ask(self, project: Project, runs: Sequence[Run]) -> None:
        """Reads it in the background, where it is of other windows than before; `runs` for a side nobody chose."""
        before, after = (self._side(side, runs) for side in SIDES)
        asked = (id(project), before, after)
        if asked == self._asked:
            return
        self._asked, self.shift = asked, None
        if before is None or after is None:
            self.changed.emit()
            return

        def compare(handle: Progress) -> Shift:
            from tunebench.usecases.comparing import windows
            from tunebench.usecases.findings.diagnose import shift

            return shift(project, windows.ready(project, before), windows.ready(project, after), handle)

        self._workspace.jobs.run(
            "cpu",
            compare,
            owner=self,
            slot="shift",
            on_result=self._take,
            on_cancelled=self.forget,
            title_key="ui.findings.shift.job",
        )

    def _side(self, side: str, runs: Sequence[Run]) -> Window | None:
        return self._book.side(side) or proposed_window(self._book.windows, runs, SIDES[side])

    def _take(self, shift: Shift) -> None:
        self.shift = shift
        self.changed.emit()
