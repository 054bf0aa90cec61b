"""The statements that the lists of a report show, merged into one row each, with their texts and plans."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from tunebench.core.records import record
from tunebench.families.oracle.rows import Collected

OWN_MARK = "/* tunebench */"
StatementText = tuple[int, str, bool]
"""Line, text, and whether it is whole."""


@record(frozen=False)
class ListedStatement:
    """`figures` hold the digits that a figure is printed with as well."""

    line: int
    module: str = ""
    seen_in: dict[str, None] = field(default_factory=dict)
    figures: dict[str, tuple[float, int]] = field(default_factory=dict)

    def take(self, name: str, figure: tuple[float, int]) -> None:
        """Keeps the figure that is printed with more digits."""
        if name not in self.figures or figure[1] > self.figures[name][1]:
            self.figures[name] = figure


def add_statements(
    into: Collected,
    found: Mapping[tuple[str, str], ListedStatement],
    texts: Mapping[str, StatementText],
    plans: Mapping[str, Mapping[str, int]],
) -> None:
    """Adds what is not of our own capturing.

    Args:
        found: by statement and container.
        texts, plans: by statement; plans with the line that names them.
    """
    own = {statement_id for statement_id, (_, text, _) in texts.items() if OWN_MARK in text}
    if own:
        line = min(texts[statement_id][0] for statement_id in own)
        into.fact(line, "capture", "own_statements", str(len(own)))
    for (statement_id, container), statement in found.items():
        if statement_id not in own:
            _add(into, statement_id, container, statement, plans.get(statement_id, {}))
    for statement_id, (line, text, complete) in texts.items():
        if statement_id not in own:
            named = {"statement_id": statement_id, "text": text}
            into.add("statement_text", line, named, {"complete": float(complete)})
    for statement_id, of_statement in plans.items():
        for plan, line in of_statement.items() if statement_id not in own else ():
            into.add("plan", line, {"statement_id": statement_id, "plan": plan}, {})


def _add(
    into: Collected, statement_id: str, container: str, statement: ListedStatement, plans: Mapping[str, int]
) -> None:
    texts = {
        "statement_id": statement_id,
        "plan": next(iter(plans)) if len(plans) == 1 else "",  # of several, which one ran how often is not told
        "container": container,
        "module": statement.module,
        "seen_in": " ".join(statement.seen_in),
    }
    into.add("statement", statement.line, texts, {name: value for name, (value, _) in statement.figures.items()})
