"""Two texts of a statement, or two plans, line by line beside each other, with what differs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from itertools import accumulate

from tunebench.core.patterns import lazy_pattern
from tunebench.core.records import record

MOST_COMPARED = 4000
"""Lines of either text beyond which nothing is marked: comparing takes too long."""
LONG_LINE = 100
_CLAUSE = lazy_pattern(
    r"\s+(?=(?:from|where|and|or|group by|order by|having|union|set|values|inner join|left join|right join|"
    r"left outer join|join|on|limit|returning|connect by|start with|minus|intersect)\b)",
    re.IGNORECASE,
)
_QUOTED = lazy_pattern(r"'[^']*'|\"[^\"]*\"|/\*.*?\*/|--[^\n]*", re.DOTALL)


@record
class TextLine:
    """A line of one side; `sign` is ``-`` gone, ``+`` new, ``~`` changed, empty where both sides say the same.

    `spans` are the changed characters (from, to) of a changed line; `filler` stands where only the other side has one.
    """

    words: str
    sign: str = ""
    spans: tuple[tuple[int, int], ...] = ()
    filler: bool = False


def broken_up(statement: str) -> str:
    """A long line of SQL with a line for each clause; quotes and comments stay as they are."""
    return "\n".join(_broken(line) if len(line) > LONG_LINE else line for line in statement.splitlines())


def _broken(line: str) -> str:
    quoted = [match.span() for match in _QUOTED.finditer(line)]
    clauses, last = [], 0
    for match in _CLAUSE.finditer(line):
        if not any(start < match.end() <= end for start, end in quoted):
            clauses.append(line[last : match.start()])
            last = match.end()
    return "\n  ".join([*clauses, line[last:]])


def aligned(before: Sequence[str], after: Sequence[str]) -> tuple[list[TextLine], list[TextLine]]:
    """The lines of both sides at equal heights."""
    if max(len(before), len(after)) > MOST_COMPARED:
        return [TextLine(line) for line in before], [TextLine(line) for line in after]
    left: list[TextLine] = []
    right: list[TextLine] = []
    old, new = ([" ".join(line.split()) for line in lines] for lines in (before, after))
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            left += [TextLine(line) for line in before[i1:i2]]
            right += [TextLine(line) for line in after[j1:j2]]
            continue
        both = min(i2 - i1, j2 - j1)
        for offset in range(both):
            one, other = changed_spans(before[i1 + offset], after[j1 + offset])
            left.append(TextLine(before[i1 + offset], "~", one))
            right.append(TextLine(after[j1 + offset], "~", other))
        for line in before[i1 + both : i2]:
            left.append(TextLine(line, "-"))
            right.append(TextLine("", filler=True))
        for line in after[j1 + both : j2]:
            left.append(TextLine("", filler=True))
            right.append(TextLine(line, "+"))
    return left, right


def changed_spans(one: str, other: str) -> tuple[tuple[tuple[int, int], ...], tuple[tuple[int, int], ...]]:
    """Characters of either line that the other has not, by whole words."""
    words = [re.findall(r"\w+|\s+|[^\w\s]", line) for line in (one, other)]
    starts = [[0, *accumulate(map(len, parts))] for parts in words]
    codes = SequenceMatcher(None, words[0], words[1], autojunk=False).get_opcodes()
    left = tuple((starts[0][i1], starts[0][i2]) for tag, i1, i2, _, _ in codes if tag != "equal" and i2 > i1)
    right = tuple((starts[1][j1], starts[1][j2]) for tag, _, _, j1, j2 in codes if tag != "equal" and j2 > j1)
    return left, right
