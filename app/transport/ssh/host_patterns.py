"""Host patterns of OpenSSH: ``*``, ``?`` and a leading ``!`` (ssh_config(5), PATTERNS)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache


def matches_list(name: str, patterns: Iterable[str]) -> bool:
    """Whether a pattern matches and no negated one does. Letter case is the caller's."""
    matched = False
    for pattern in patterns:
        negated = pattern.startswith("!")
        if _expression(pattern[negated:]).fullmatch(name):
            if negated:
                return False
            matched = True
    return matched


@cache
def _expression(pattern: str) -> re.Pattern[str]:
    """Only the two wildcards are special: ``[`` is part of a name with a port."""
    return re.compile("".join({"*": ".*", "?": "."}.get(letter) or re.escape(letter) for letter in pattern))
