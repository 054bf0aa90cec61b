"""A project that is made out of others is there whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from tunebench.core.errors import UserError
from tunebench.store.errors import sorted_errors
from tunebench.store.locking import lock_path

T = TypeVar("T")


def written_whole(target: Path, write: Callable[[Path], T]) -> T:
    """What `write` gives, after its draft beside `target` has taken that name, which was nobody's.

    Raises:
        UserError: project_exists, folder_missing; what `write` raises.
    """
    if target.exists():
        raise UserError("project_exists", path=str(target))
    if not target.parent.is_dir():
        raise UserError("folder_missing", path=str(target), folder=str(target.parent))
    draft = target.with_name(f"{target.name}.merging")
    with sorted_errors(target):
        _discard(draft)
        try:
            outcome = write(draft)
            _give_name(draft, target)
        finally:
            _discard(draft)
    return outcome


def _give_name(draft: Path, target: Path) -> None:
    """Never another file's; where the file system knows no links, one that came between two looks is not seen."""
    try:
        os.link(draft, target)
    except FileExistsError:
        raise UserError("project_exists", path=str(target)) from None
    except OSError:
        if target.exists():
            raise UserError("project_exists", path=str(target)) from None
        draft.rename(target)


def _discard(draft: Path) -> None:
    """What is left of one that was killed."""
    for path in (draft, *(draft.with_name(draft.name + suffix) for suffix in ("-wal", "-shm")), lock_path(draft)):
        path.unlink(missing_ok=True)
