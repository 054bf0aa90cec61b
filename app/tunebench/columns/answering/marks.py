"""What came before and what came after, marked in a sentence for a front that colours them."""

from __future__ import annotations

from tunebench.core.patterns import lazy_pattern

BEFORE, AFTER, END = "\ue000", "\ue001", "\ue002"


_MARKED = lazy_pattern(f"([{BEFORE}{AFTER}])([^{END}]*){END}")


def plain(text: str) -> str:
    """Without the marks of colours."""
    return _MARKED.sub(r"\2", text)


def runs_of(text: str) -> list[tuple[str, str]]:
    """(text, ``before``, ``after`` or empty), in order."""
    runs, position = [], 0
    for match in _MARKED.finditer(text):
        runs.append((text[position : match.start()], ""))
        runs.append((match[2], "before" if match[1] == BEFORE else "after"))
        position = match.end()
    return [(run, role) for run, role in (*runs, (text[position:], "")) if run]


def as_before(text: str) -> str:
    return f"{BEFORE}{text}{END}"


def as_after(text: str) -> str:
    return f"{AFTER}{text}{END}"
