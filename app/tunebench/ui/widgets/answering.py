"""A part of a page that shows what a job found, and until then that it is being computed."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QStackedWidget, QWidget

from tunebench.core.errors import UserError
from tunebench.ui.jobs_bridge import JobsBridge
from tunebench.ui.widgets.parts import EmptyState

if TYPE_CHECKING:
    from tunebench.usecases.jobs import JobHandle

T = TypeVar("T")
_FOUND, _READING, _STOPPED = range(3)


class Answering(QStackedWidget):
    """Nothing stands there as a result (a count of 0, an empty axis, "none") before it is one.

    Args:
        inside: what shows the answer.
        again: asks once more; offered where the job was stopped or refused.
    """

    def __init__(self, inside: QWidget, drawing: str, again: Callable[[], object]) -> None:
        super().__init__()
        self.addWidget(inside)
        self.addWidget(EmptyState(drawing, "ui.answering.reading"))
        self.addWidget(EmptyState(drawing, "ui.answering.stopped", (("ui.answering.again", again),)))

    @property
    def waits(self) -> bool:
        return self.currentIndex() == _READING

    def wait(self) -> None:
        self.setCurrentIndex(_READING)

    def stop(self) -> None:
        self.setCurrentIndex(_STOPPED)

    def reveal(self) -> None:
        self.setCurrentIndex(_FOUND)

    def run(
        self,
        jobs: JobsBridge,
        lane: str,
        work: Callable[[JobHandle], T],
        *,
        owner: QObject,
        slot: str,
        on_result: Callable[[T], object],
        on_stopped: Callable[[], object],
        on_error: Callable[[UserError], object] | None = None,
        title_key: str = "",
    ) -> None:
        """Runs a job as `JobsBridge.run` does, and shows meanwhile that it runs.

        Args:
            on_stopped: it was cancelled, or refused where `on_error` does not show that as an answer.
        """

        def answer(value: T) -> None:
            self.reveal()
            on_result(value)

        def stopped() -> None:
            self.stop()
            on_stopped()

        def refused(error: UserError) -> None:
            if on_error is not None:
                self.reveal()
                on_error(error)
                return
            stopped()
            jobs.failed.emit(error)

        self.wait()
        jobs.run(
            lane,
            work,
            owner=owner,
            slot=slot,
            on_result=answer,
            on_error=refused,
            on_cancelled=stopped,
            title_key=title_key,
        )
