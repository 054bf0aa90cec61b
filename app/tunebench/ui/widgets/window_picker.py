"""Which window is meant: the kept ones first, then the runs, each as a whole; last, where that may be, none of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QComboBox

from tunebench.domain.engagement import Run
from tunebench.domain.windows import Window, run_window
from tunebench.ui.look.icons import icon

LIST_PX = 260


class WindowPicker(QComboBox):
    """`picked` carries the `Window` that was chosen by hand; None for none of them."""

    picked = Signal(object)

    def __init__(self, run_words: Callable[[Run], str] = lambda run: run.label) -> None:
        super().__init__()
        self._run_words = run_words
        self._listed: list[Window | None] = []
        self.view().setMinimumWidth(LIST_PX)
        self.activated.connect(self._pick)

    def show_windows(
        self, windows: Sequence[Window], runs: Sequence[Run], chosen: Window | None, none: str = ""
    ) -> None:
        """Lists the windows; a stretch of a run stands for itself where it has a name, else under its run's.

        Args:
            none: what it is called to choose none of them; empty where one must be.
        """
        with QSignalBlocker(self):
            self.clear()
            self._listed = []
            own = [chosen] if chosen is not None and chosen.name and not chosen.id else []
            for window in (*windows, *own):
                self._add(window.name, window, "pin" if window.id else "")
            if self._listed and runs:
                self._listed.append(None)
                self.insertSeparator(self.count())
            for run in runs:
                self._add(self._run_words(run), run_window(run.id), "")
            if none:
                self._add(none, None, "")
            nothing = len(self._listed) - 1 if none and chosen is None else -1
            self.setCurrentIndex(
                next((i for i, listed in enumerate(self._listed) if _is_meant(listed, chosen)), nothing)
            )
            self.setToolTip(self.currentText())

    def chosen(self) -> Window | None:
        index = self.currentIndex()
        return self._listed[index] if 0 <= index < len(self._listed) else None

    def _add(self, words: str, window: Window | None, drawing: str) -> None:
        self._listed.append(window)
        self.addItem(words)
        self.setItemData(self.count() - 1, words, Qt.ItemDataRole.ToolTipRole)
        if drawing:
            self.setItemIcon(self.count() - 1, icon(drawing))

    def _pick(self, index: int) -> None:
        self.picked.emit(self._listed[index])


def _is_meant(listed: Window | None, chosen: Window | None) -> bool:
    if listed is None or chosen is None:
        return False
    return listed == chosen if listed.name or chosen.name else listed.run_ids == chosen.run_ids
