"""How many processors a capture says that its machine has: in its first lines, which a redacted copy lacks and yet
remembers the count of.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tunebench.core.patterns import lazy_pattern
from tunebench.sdk.text import decode_text
from tunebench.store import artefacts

if TYPE_CHECKING:
    from tunebench.store.project import Project

KEPT_COUNTS = "banner_processors"
"""Property of a redacted copy: JSON of captures' ids and the processors that their first lines told."""
_BANNER = lazy_pattern(r"\((\d+) ?(?:CPU|lcpu)s?\)|\blcpu=(\d+)")
_BANNER_LINES = 6


def count_in(words: str) -> int | None:
    count = _BANNER.search(words)
    return int(count.group(1) or count.group(2)) if count else None


def count_of_capture(project: Project, artefact_id: int) -> int | None:
    lines = artefacts.first_lines(project, artefact_id, _BANNER_LINES)
    return count_in(decode_text(b" ".join(lines))) if lines else kept_counts(project).get(artefact_id)


def kept_counts(project: Project) -> dict[int, int]:
    """Empty but in a redacted copy."""
    row = project.row("SELECT value FROM property WHERE name = ?", (KEPT_COUNTS,))
    counts: dict[str, int] = json.loads(row[0]) if row is not None else {}
    return {int(artefact_id): count for artefact_id, count in counts.items()}


def counts_to_keep(project: Project) -> str:
    """What the copy is to remember, as `kept_counts` reads it."""
    counts = {
        capture.id: count
        for capture in artefacts.list_artefacts(project)
        if (count := count_of_capture(project, capture.id)) is not None
    }
    return json.dumps(counts, separators=(",", ":"))
