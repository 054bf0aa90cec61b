"""How sure a heading makes a parser that a text is its own."""

from __future__ import annotations

import re

CERTAIN, AMONG_PROSE = 0.95, 0.6
_LINES_BEFORE = 12


def confidence(pattern: re.Pattern[bytes], head: bytes, others: re.Pattern[bytes], times: int = 1) -> float:
    """`CERTAIN` where the heading stands near the beginning, `AMONG_PROSE` further below, 0 where it is not there.

    Args:
        pattern: what only this tool prints, found `times` times at least.
        others: what another system prints; a text with it is somebody else's.
    """
    if not head or others.search(head):
        return 0.0
    found = list(pattern.finditer(head))[:times]
    if len(found) < times:
        return 0.0
    lines_before = sum(1 for line in head[: found[0].start()].splitlines() if line.strip())
    return CERTAIN if lines_before <= _LINES_BEFORE else AMONG_PROSE
