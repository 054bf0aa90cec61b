"""Two copies of an engagement made one again."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from tunebench.contract.document import as_values
from tunebench.contract.merging import merge_shape
from tunebench.library.computing import called
from tunebench.library.project import Path_
from tunebench.library.refusing import refusing
from tunebench.usecases.merging.conflicts import Conflict
from tunebench.usecases.merging.merge import Merged, opened


@refusing
def merge(mine: Path_, theirs: Path_, *, base: Path_ | None = None) -> Merge:
    """Two copies compared; nothing is written, and neither is changed. To be closed or used in a ``with``.

    Args:
        base: a copy that both come from; asked only whether it is one.

    Raises:
        Refused: merge_same, merge_unrelated, merge_again, merge_base_outside, project_in_use ...
    """
    return Merge(Path(mine), Path(theirs), None if base is None else Path(base))


class Merge:
    """
    Attributes:
        conflicts: what both copies say differently: each with a `key`, both sides with who and when, and what may be
            decided.
    """

    def __init__(self, mine: Path, theirs: Path, base: Path | None) -> None:
        self._paths = mine, theirs, base
        self._opened = opened(mine, theirs, base)
        self.conflicts: tuple[Conflict, ...] = self._opened.conflicts

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Others may write to both copies from now on."""
        self._opened.close()

    @refusing
    def as_dict(self) -> dict[str, Any]:
        """The JSON of ``merge`` without a place for the result."""
        document: dict[str, Any] = as_values(merge_shape(self._opened, {}, None))
        return document

    @refusing
    def apply(self, choices: Mapping[str, str], to: Path_) -> Merged:
        """Writes the merged project, which appears whole or not at all.

        Args:
            choices: key of a conflict -> ``mine``, ``theirs`` or ``both``; what is not in it has its usual outcome.

        Raises:
            Refused: project_exists, merge_choice_unknown, merge_choice_wrong, disk_full ...
        """
        return called(self._paths[:2], _merged, *self._paths, dict(choices), Path(to))


def _merged(mine: Path, theirs: Path, base: Path | None, choices: Mapping[str, str], to: Path) -> Merged:
    with opened(mine, theirs, base) as comparison:
        return comparison.apply(choices, to)
