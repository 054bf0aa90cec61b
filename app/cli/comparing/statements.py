"""The statements of ``compare``: those of a database in both runs, else whatever was entered by hand."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from zoneinfo import ZoneInfo

from app.analysis.databases.statement_comparison import StatementChange
from app.cli import database_shapes, shapes
from app.cli.console import Console
from app.cli.figure_text import amount, short
from app.cli.shapes import Shape
from app.core.errors import UserError
from app.domain.engagement import Run, Statement
from app.usecases import projects
from app.usecases.databases import facade as databases
from app.usecases.databases.entered_statements import paired
from app.usecases.databases.facade import DatabaseComparison, Project
from app.usecases.databases.words import caution_text

MOST_SHOWN = 50
"""Lines of text; JSON has all of them."""


@dataclass(frozen=True, slots=True)
class ComparedStatements:
    """What is said of statements.

    Attributes:
        found: None where no database is in both runs.
        by_hand: of both runs.
        databases: pairs that can be compared, the one that was first.
        refusal: why nothing could be compared although there is something.
    """

    found: DatabaseComparison | None
    by_hand: tuple[Sequence[Statement], Sequence[Statement]]
    databases: list[Shape]
    refusal: UserError | None = None

    def shape(self, zone: ZoneInfo, console: Console) -> Shape | None:
        if self.refusal is not None:
            return {"error": console.messages.error(self.refusal), "rows": []}
        if self.found is None:
            return _of_hand(*self.by_hand)
        return {**database_shapes.comparison(self.found, zone), "by_hand": _of_hand(*self.by_hand)}

    def show(self, zone: ZoneInfo, console: Console) -> None:
        if self.refusal is not None:
            console.refuse(self.refusal)
        if self.found is None:
            return
        found = self.found
        console.say("cli.compare.database", before=found.before.database.label, after=found.after.database.label)
        container = ("container",) if found.statements.several_containers else ()
        keys = (
            "change",
            "id",
            *container,
            "each_before",
            "each_after",
            "executions_before",
            "executions_after",
            "impact_s",
            "text",
        )
        assert found.before.record is not None and found.after.record is not None  # a comparison has both
        texts = found.before.record.statement_texts() | found.after.record.statement_texts()
        count = min(len(found.statements), MOST_SHOWN)
        rows = [_cells(found.statements.row(place), texts, console, bool(container)) for place in range(count)]
        if rows:
            headings = [console.text(f"cli.compare.column.{key}") for key in keys]
            first = 2 + len(container)
            console.table(headings, rows, right=frozenset(range(first, first + 5)))
        for key, cautions in (
            ("cli.compare.warning_before", found.before.cautions),
            ("cli.compare.warning_after", found.after.cautions),
            ("cli.statements.warning", found.cautions),
        ):
            for caution in cautions:
                console.notice(key, text=caution_text(caution, console.language, zone))


def compared_statements(
    project: Project, before: Run, after: Run, wanted: str, wanted_after: str, source: str
) -> ComparedStatements:
    """Of several databases the one that was asked for, else the one with the most statements.

    Raises:
        UserError: no database answers to what was asked for.
    """
    by_hand = projects.statements_by_hand(project, before.id), projects.statements_by_hand(project, after.id)
    pairs = databases.largest_first(project, before.id, after.id)
    if wanted or wanted_after:
        chosen = databases.choose(project, before.id, after.id, wanted, wanted_after)
        pairs = [chosen, *(pair for pair in pairs if pair != chosen)]
    names: list[Shape] = [{"before": one.id, "after": other.id} for one, other in pairs]
    if not pairs:
        return ComparedStatements(None, by_hand, names)
    try:
        found = databases.compare_pair(project, before.id, after.id, *pairs[0], source)
    except UserError as error:
        return ComparedStatements(None, by_hand, names, error)
    return ComparedStatements(found, by_hand, names)


def _cells(row: StatementChange, texts: dict[str, str], console: Console, container: bool) -> list[str]:
    elapsed = row.changes["elapsed_s"]
    ids = (*row.pair.before_ids, *row.pair.after_ids)
    ends = dict.fromkeys((ids[0], ids[-1]))
    return [
        console.text(f"database.change.{row.outcome.value}"),
        " → ".join(ends),
        *((row.pair.container,) if container else ()),
        amount(elapsed.before_each, 6),
        amount(elapsed.after_each, 6),
        amount(row.before_executions),
        amount(row.after_executions),
        amount(elapsed.impact, 3),
        short(next((texts[id_] for id_ in ids if id_ in texts), "")),
    ]


# -- entered by hand -----------------------------------------------------------------------------------


def _of_hand(before: Sequence[Statement], after: Sequence[Statement]) -> Shape | None:
    if not before and not after:
        return None
    elapsed, blocks = (
        tuple(_sum(getattr(each, name) for each in side) for side in (before, after))
        for name in ("elapsed_s", "block_gets")
    )
    ratio = _ratio(*elapsed)
    return {
        "raw_ratio": ratio,
        "fisher": None,
        "elapsed": {"before_s": elapsed[0], "after_s": elapsed[1], "ratio": ratio},
        "blocks": {"before": blocks[0], "after": blocks[1], "ratio": _ratio(*blocks)},
        "rows": [
            {"before": shapes.statement(old) if old else None, "after": shapes.statement(new) if new else None}
            for old, new in paired(before, after)
        ],
    }


def _sum(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) if known else None


def _ratio(before: float | None, after: float | None) -> float | None:
    return before / after if before is not None and after else None
