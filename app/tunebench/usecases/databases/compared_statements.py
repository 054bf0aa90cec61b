"""The statements of two windows: those of a database that both have, else what was entered by hand."""

from __future__ import annotations

from collections.abc import Sequence

from tunebench.core.errors import UserError
from tunebench.core.records import record
from tunebench.domain.engagement import Statement
from tunebench.domain.windows import Window
from tunebench.store.engagements import read_statements_by_hand
from tunebench.store.project import Project
from tunebench.usecases.comparing import windows
from tunebench.usecases.databases import sides, snapshots
from tunebench.usecases.databases.comparison import DatabaseComparison, choose, compare_pair, largest_first


@record
class AskedStatements:
    """Which statements are wanted; empty for all, or for what there is most of.

    Attributes:
        database, after_database: a name or an id, of the second window where it differs.
        source: of a database that several kinds of captures tell of.
    """

    database: str = ""
    after_database: str = ""
    source: str = ""
    container: str = ""


@record
class ComparedStatements:
    """
    Attributes:
        compared: None where no database is in both windows.
        by_hand: of both windows, where either is of one run.
        pairs: ids of the databases that can be compared, the one that was first.
        container: the one whose statements are wanted; empty for all.
        refusal: why nothing could be compared although there is something.
    """

    compared: DatabaseComparison | None
    by_hand: tuple[Sequence[Statement], Sequence[Statement]]
    pairs: Sequence[tuple[str, str]]
    refusal: UserError | None = None
    container: str = ""


@record
class ListedStatements:
    """The statements of one window: a side of each database, and what was entered by hand of its runs."""

    sides: tuple[sides.Side, ...]
    by_hand: tuple[Statement, ...]


def listed_statements(project: Project, window: Window, database: str = "", source: str = "") -> ListedStatements:
    """
    Args:
        database: the only one that is wanted, and then nothing by hand; `source` likewise.

    Raises:
        UserError: no database answers to what was asked for.
    """
    existing = snapshots.databases(project, window)
    wanted = [snapshots.find_database(existing, database)] if database else existing
    own = (one for one in wanted if not source or database or source in one.sources)
    runs = () if database or source else windows.whole_runs(project, window)
    return ListedStatements(
        tuple(sides.side(project, window, one, source=source) for one in own),
        tuple(statement for run in runs for statement in read_statements_by_hand(project, run.id)),
    )


def compared_statements(project: Project, before: Window, after: Window, asked: AskedStatements) -> ComparedStatements:
    """The statements of one database: of several the one that was asked for, else the one with the most statements.

    Raises:
        UserError: no database answers to what was asked for.
    """
    runs = [windows.whole_runs(project, side) for side in (before, after)]
    alone = all(len(own) == 1 for own in runs)
    old, new = (read_statements_by_hand(project, own[0].id) if alone else [] for own in runs)
    pairs = largest_first(project, before, after)
    if asked.database or asked.after_database:
        chosen = choose(project, before, after, asked.database, asked.after_database)
        pairs = [chosen, *(pair for pair in pairs if pair != chosen)]
    ids = [(one.id, other.id) for one, other in pairs]
    if not pairs:
        return ComparedStatements(None, (old, new), ids)
    try:
        compared = compare_pair(project, before, after, *pairs[0], asked.source)
    except UserError as error:
        return ComparedStatements(None, (old, new), ids, error)
    return ComparedStatements(compared, (old, new), ids, container=asked.container)
