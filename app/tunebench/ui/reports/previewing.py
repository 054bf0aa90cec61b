"""Makes the documents that the preview shows, and keeps what they were made of while the project stays the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from PySide6.QtCore import QObject, Signal

from tunebench.core.progress import Progress
from tunebench.core.records import record
from tunebench.ui.workspace import Workspace
from tunebench.usecases.reports.drawing import Cases, Drawn, Wanted, draw, draw_page

_Outcome = TypeVar("_Outcome")


@record
class _Made:
    """
    Attributes:
        key: for whom, and after how many changes of the project.
        texts: after how many changes of the consultant's paragraphs.
    """

    key: tuple[object, ...]
    texts: int
    cases: Cases


class Previewer(QObject):
    """Signals:
    page_drawn: (number, PNG) of the page that is looked at.
    drawn: the whole document, a `Drawn`.
    refused: a `UserError`.
    """

    page_drawn = Signal(int, bytes)
    drawn = Signal(object)
    refused = Signal(object)

    def __init__(self, workspace: Workspace, parent: QObject) -> None:
        super().__init__(parent)
        self._jobs = workspace.jobs
        self._changes = self._texts = 0
        self._made = _Made((), 0, ())
        self.latest: Drawn | None = None

    def forget(self) -> None:
        """The project is another since."""
        self._changes += 1

    def take_new_texts(self) -> None:
        """No more than the consultant's paragraphs are others since."""
        self._texts += 1

    def show(self, wanted: Wanted, page_of: Callable[[], int], pixels: int) -> None:
        """Draws a page, then the whole document.

        Args:
            page_of: which one, from 1, where the latest document has its pages in the same order; 0 for none.
            pixels: its width.
        """
        key, texts, latest = (*wanted.case_key, self._changes), self._texts, self.latest
        kept, new_texts = self._made.cases if self._made.key == key else (), self._made.texts != texts
        page = page_of() if latest is not None and wanted.runs_like(latest.wanted) else 0

        def work(handle: Progress) -> tuple[Cases, bytes]:
            cases = wanted.cases(kept, new_texts=new_texts)
            handle.raise_if_cancelled()
            picture = draw_page(wanted, cases, latest.written, page, pixels) if latest is not None and page else b""
            return cases, picture

        def go_on(outcome: tuple[Cases, bytes]) -> None:
            cases, picture = outcome
            self._made = _Made(key, texts, cases)
            if picture:
                self.page_drawn.emit(page, picture)
            self._run(lambda handle: draw(wanted, cases, handle), self._finish)

        self._run(work, go_on)

    def _finish(self, drawn: Drawn) -> None:
        self.latest = drawn
        self.drawn.emit(drawn)

    def _run(self, work: Callable[[Progress], _Outcome], on_result: Callable[[_Outcome], object]) -> None:
        self._jobs.run("db", work, owner=self, slot="preview", on_result=on_result, on_error=self.refused.emit)
