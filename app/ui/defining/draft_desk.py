"""The definition that is being written, every change of which can be taken back."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QUndoCommand, QUndoStack

Path = tuple[str | int, ...]
_MERGED_FROM = 1_000


class _Change(QUndoCommand):
    """The whole draft before and after: it is small. Strokes in one field are one change."""

    def __init__(self, desk: DraftDesk, path: Path, after: dict[str, Any]) -> None:
        super().__init__()
        self._desk, self.path = desk, path
        self._before, self.after = desk.draft, after

    def id(self) -> int:
        return _MERGED_FROM + hash(self.path) % 1_000_000 if self.path else -1

    def mergeWith(self, other: QUndoCommand) -> bool:
        if not isinstance(other, _Change) or other.path != self.path:
            return False
        self.after = other.after
        return True

    def redo(self) -> None:
        self._desk.show(self.after)

    def undo(self) -> None:
        self._desk.show(self._before)


class DraftDesk(QObject):
    """`changed` after every change, made or taken back."""

    changed = Signal()

    def __init__(self, draft: dict[str, Any]) -> None:
        super().__init__()
        self.draft = draft
        self.stack = QUndoStack(self)

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
            self.stack.push(_Change(self, next(iter(values)) if merged else (), after))

    def replace(self, draft: dict[str, Any]) -> None:
        if draft != self.draft:
            self.stack.push(_Change(self, (), copy.deepcopy(draft)))


def _put(draft: dict[str, Any], path: Path, value: Any) -> None:
    place: Any = draft
    for step in path[:-1]:
        place = place.setdefault(step, {}) if isinstance(place, dict) else place[step]
    if value is None or value in ("", [], {}):
        if isinstance(place, dict):
            place.pop(path[-1], None)
        return
    place[path[-1]] = value
