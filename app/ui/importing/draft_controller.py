"""The definition that is being written, every change of which can be taken back."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QUndoCommand, QUndoStack

Path = tuple[str | int, ...]


class _Change(QUndoCommand):
    """The whole draft before and after: it is small."""

    def __init__(self, controller: DraftController, path: Path, after: dict[str, Any]) -> None:
        super().__init__()
        self._controller, self.path = controller, path
        self._before, self.after = controller.draft, after

    def redo(self) -> None:
        self._controller.show(self.after)

    def undo(self) -> None:
        self._controller.show(self._before)


class DraftController(QObject):
    """`changed` after every change, made or taken back."""

    changed = Signal()

    def __init__(self, draft: dict[str, Any]) -> None:
        super().__init__()
        self.draft = draft
        self.stack = QUndoStack(self)
        self._last: _Change | None = None
        self._last_at = -1

    def show(self, draft: dict[str, Any]) -> None:
        self.draft = draft
        self.changed.emit()

    def value(self, *path: str | int) -> Any:
        """What stands at `path`; None where nothing does."""
        found: Any = self.draft
        for step in path:
            try:
                found = found[step]
            except (KeyError, IndexError, TypeError):
                return None
        return found

    def text(self, *path: str | int) -> str:
        found = self.value(*path)
        return found if isinstance(found, str) else ""

    def texts(self, *path: str | int) -> list[str]:
        found = self.value(*path)
        return [str(each) for each in found] if isinstance(found, list | tuple) else []

    def put(self, path: Sequence[str | int], value: Any) -> None:
        """Sets, or with None or an empty text takes away, what stands at `path`."""
        self.put_all({tuple(path): value}, merged=True)

    def put_all(self, values: dict[Path, Any], merged: bool = False) -> None:
        """Several values as one change."""
        after = copy.deepcopy(self.draft)
        for path, value in values.items():
            _put(after, path, value)
        if after != self.draft:
            self._push(next(iter(values)) if merged else (), after)

    def _push(self, path: Path, after: dict[str, Any]) -> None:
        """A stroke in the field of the last change belongs to that change."""
        last, at_the_end = self._last, self.stack.index() == self._last_at == self.stack.count()
        if path and last is not None and last.path == path and at_the_end:
            last.after = after
            self.show(after)
            return
        self._last = _Change(self, path, after)
        self.stack.push(self._last)
        self._last_at = self.stack.index()

    def replace(self, draft: dict[str, Any]) -> None:
        if draft != self.draft:
            self._push((), copy.deepcopy(draft))


def _put(draft: dict[str, Any], path: Path, value: Any) -> None:
    place: Any = draft
    for step in path[:-1]:
        place = place.setdefault(step, {}) if isinstance(place, dict) else place[step]
    if value is None or value in ("", [], {}):
        if isinstance(place, dict):
            place.pop(path[-1], None)
        return
    place[path[-1]] = value
