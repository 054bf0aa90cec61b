"""What a merge asks as data: every conflict with both sides, written out, decided and read back."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from tunebench.contract.merging import conflict_shape, heads_shape
from tunebench.core.errors import UserError
from tunebench.core.whole_files import write_whole
from tunebench.usecases.merging.conflicts import Choice, Choices
from tunebench.usecases.merging.merge import Merge


def write(merge: Merge, choices: Choices, path: Path) -> None:
    """Raises UserError as `tunebench.core.whole_files.whole_file`."""
    document = {
        "merge": heads_shape(merge),
        "conflicts": [conflict_shape(conflict, choices) for conflict in merge.conflicts],
    }
    write_whole(path, (json.dumps(document, ensure_ascii=False, indent=1) + "\n").encode())


def read(merge: Merge, path: Path) -> dict[str, Choice]:
    """What was decided, of those conflicts of which anything was.

    Raises:
        UserError: file_unreadable, merge_plan_wrong; merge_plan_other where it was written of other copies, or of these
            before they were changed.
    """
    document = _document(path)
    if document.get("merge") != heads_shape(merge):
        raise UserError("merge_plan_other", plan=str(path))
    return dict(_decided(_entries(document, path), path))


def _document(path: Path) -> Mapping[str, Any]:
    try:
        document = json.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise UserError("file_unreadable", path=str(path), reason=error.strerror or str(error)) from None
    except (ValueError, RecursionError) as error:
        raise UserError("merge_plan_wrong", plan=str(path), field="JSON", value=str(error)) from None
    if not isinstance(document, dict):
        raise UserError("merge_plan_wrong", plan=str(path), field="JSON", value="-")
    return document


def _entries(document: Mapping[str, Any], path: Path) -> list[dict[str, Any]]:
    entries = document.get("conflicts")
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise UserError("merge_plan_wrong", plan=str(path), field="conflicts", value="-")
    return entries


def _decided(entries: Iterable[Mapping[str, Any]], path: Path) -> Iterable[tuple[str, Choice]]:
    for entry in entries:
        word = entry.get("choice") or ""
        if not word:
            continue
        if word not in tuple(Choice):
            raise UserError("merge_plan_wrong", plan=str(path), field=str(entry.get("conflict")), value=str(word))
        yield str(entry.get("conflict")), Choice(word)
