"""What the readers of configuration give, and how it becomes facts with stable names.

An inventory of the house's own probes and a file that somebody mailed go through the same readers
(`tunebench.families.solaris.readings` and those of the inventory), so that one setting has one name however it came.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from tunebench.core.records import record
from tunebench.domain.capturing.run import SystemFact

VOLATILE = "volatile"
"""The section of facts that change by themselves: two hosts are not compared by them."""
MOST_FACTS = 50_000


@record
class Reading:
    """One fact of a section; `volatile` ones change by themselves and are left out of comparisons."""

    name: str
    value: str
    volatile: bool = False


def squeezed(text: str) -> str:
    """The text without padding: columns are as wide as their widest value."""
    return " ".join(text.split())


def read_lines(lines: Sequence[str], command: str = "") -> Iterator[Reading]:
    """One fact per line: ``line 1``, ``line 2``; named by the command where it is known (``getconf PAGESIZE``)."""
    for number, line in enumerate(lines, 1):
        name = f"{command} line {number}" if command and number > 1 else command or f"line {number}"
        yield Reading(name, squeezed(line))


def read_uname(lines: Sequence[str]) -> Iterator[Reading]:
    yield from read_lines(lines, "uname")


def read_ulimit(lines: Sequence[str]) -> Iterator[Reading]:
    """``open files                  (-n) 1024`` and ``nofiles                 1024``: the last word is the limit."""
    for line in lines:
        words = line.split()
        if len(words) > 1:
            yield Reading(" ".join(words[:-1]), words[-1])


def facts_of(readings: Iterable[tuple[str, Reading]]) -> list[SystemFact]:
    """The facts of (section, reading) pairs: each once; a second value under one name is ``name #2``."""
    facts: list[SystemFact] = []
    seen: set[tuple[str, Reading]] = set()
    taken: dict[tuple[str, str], int] = {}
    for section, one in readings:
        if (section, one) in seen:  # lsblk lists a disk below each of its parents
            continue
        seen.add((section, one))
        where = VOLATILE if one.volatile else section
        name = f"{section} {one.name}" if one.volatile else one.name
        times = taken[where, name] = taken.get((where, name), 0) + 1
        facts.append(SystemFact(where, name if times == 1 else f"{name} #{times}", one.value))
        if len(facts) == MOST_FACTS:
            break
    return facts
