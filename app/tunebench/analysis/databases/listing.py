"""What a list of statements says of those that it does not show."""

from __future__ import annotations

import numpy as np

from tunebench.analysis.databases.record import DatabaseRecord, statement_keys
from tunebench.analysis.databases.statement_subtraction import MARKS
from tunebench.domain.databases.records import Fault, StatementKey

NAMELESS = frozenset({"", "0"})
"""No ids: PostgreSQL's rows of other people, MySQL's row of everything that found no room."""
NESTED = "nested"
"""The module of rows that ran inside of other statements, whose figures hold theirs."""
OWN_FACT = "statements_of_tunebench"
"""The fact that tells how many statements of the capture itself were set apart."""
_WITH_GAPS = frozenset({Fault.EVICTED, Fault.TRUNCATED, Fault.PREPARED_UNSEEN, Fault.RESET})


def lists_everything(record: DatabaseRecord) -> bool:
    """Whether a statement that is not listed did not run: a view read whole, with nothing dropped from it."""
    table = record.table("statement")
    if not len(table) or "statement" in record.absent or _WITH_GAPS & set(record.faults):
        return False
    if len(record.table("statement_list")):
        return False
    return not any(words and not MARKS.issuperset(words.split()) for words in table.texts.get("seen_in", ()))


def ran_never(record: DatabaseRecord) -> frozenset[StatementKey]:
    """The statements a capture lists with no executions."""
    table = record.table("statement")
    keys = statement_keys(table)
    idle = (table.figure("executions") == 0) & ~(table.figure("elapsed_s") > 0)
    ran = {keys[row] for row in np.flatnonzero(~idle).tolist()}
    idle_keys = frozenset(keys[row] for row in np.flatnonzero(idle).tolist()) - ran
    return frozenset(key for key in idle_keys if key.id not in NAMELESS)


def most_unlisted(record: DatabaseRecord, figure: str) -> float:
    """The most that a statement absent from the list of `figure` may have cost; NaN where nothing limits it.

    The least value of the list; where that is not known, the share of DB time from which on statements are shown.
    """
    lists = record.table("statement_list")
    names = list(lists.text("figure"))
    if figure not in names:
        return float("nan")
    row = names.index(figure)
    least = float(lists.figure("least")[row])
    if np.isnan(least) and figure == "elapsed_s" and record.db_time_s:
        return float(lists.figure("threshold_pct")[row]) / 100.0 * record.db_time_s
    return least


def covered_pct(record: DatabaseRecord) -> float:
    """How much of DB time the listed statements explain: as the capture says, else their sum; NaN where unknown.

    Above 100 where statements run inside of others without being marked so (`NESTED`).
    """
    lists = record.table("statement_list")
    names = list(lists.text("figure"))
    printed = float(lists.figure("covered_pct")[names.index("elapsed_s")]) if "elapsed_s" in names else float("nan")
    table = record.table("statement")
    elapsed = table.figure("elapsed_s")
    if NESTED in table.texts.get("module", ()):
        elapsed = np.where(np.array(table.text("module")) == NESTED, np.nan, elapsed)
    if not np.isnan(printed) or not record.db_time_s or np.isnan(elapsed).all():
        return printed
    return float(np.nansum(elapsed)) / record.db_time_s * 100.0


def set_apart(record: DatabaseRecord) -> int | None:
    """How many statements the capture itself ran, which are no part of the workload; None where it does not say."""
    facts = record.table("fact")
    counts = [value for name, value in zip(facts.text("name"), facts.text("value"), strict=True) if name == OWN_FACT]
    return sum(int(value) for value in counts if value.isdigit()) if counts else None
