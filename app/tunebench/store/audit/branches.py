"""Trails of other copies that were merged in: what theirs says after the entry that both have, row by row.

A branch is named by the digest of its last row, which the entry ``merged`` gives too. Its first row names, as the one
before it, the digest of an entry of this trail or of another branch; from there on it is chained as the trail is.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from tunebench.core.records import record
from tunebench.store.audit.chain import ChainedRow, Row, digest_of
from tunebench.store.audit.trail import MERGED

if TYPE_CHECKING:
    from tunebench.store.project import Project

_COLUMNS = "id, time, user, action, facts, previous, digest"
_INSERT = (
    "INSERT INTO audit_branch (head, id, time, user, action, facts, previous, digest) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
)


@record
class Branch:
    """A trail that was merged in; `entries` of it come after the entry that both had, `last_id` is its last."""

    head: str
    last_id: int
    entries: int


def list_branches(project: Project) -> list[Branch]:
    """In the order of their last entries' times."""
    rows = project.rows("SELECT head, max(id), count(*) FROM audit_branch GROUP BY head ORDER BY max(time), head")
    return [Branch(*row) for row in rows]


def branch_rows(project: Project, head: str) -> list[ChainedRow]:
    """Oldest first; empty where there is no such branch."""
    rows = project.rows(f"SELECT {_COLUMNS} FROM audit_branch WHERE head = ? ORDER BY id", (head,))  # noqa: S608
    return [ChainedRow(Row(*row), previous, digest) for *row, previous, digest in rows]


def add_branch(project: Project, rows: Iterable[ChainedRow]) -> str:
    """Takes the rows in, oldest first, unless they are there; gives their head, "" where there is none."""
    rows = list(rows)
    if not rows:
        return ""
    head = rows[-1].digest
    with project.transaction() as connection:
        if connection.execute("SELECT 1 FROM audit_branch WHERE head = ? LIMIT 1", (head,)).fetchone():
            return head
        connection.executemany(_INSERT, [(head, *chained.row, chained.previous, chained.digest) for chained in rows])
    return head


def carry_branches(project: Project, other: Project) -> None:
    """Takes in the branches of another copy, which were merged there."""
    for branch in list_branches(other):
        add_branch(project, branch_rows(other, branch.head))


def holds_entry(project: Project, digest: str) -> bool:
    """Whether an entry of that digest stands in a branch."""
    return project.row("SELECT 1 FROM audit_branch WHERE digest = ? LIMIT 1", (digest,)) is not None


# -- checking ------------------------------------------------------------------------------------------


def broken_branches(project: Project) -> list[str]:
    """What is wrong: branches whose chain is not whole, that grow out of nothing or that no entry took in, and entries
    whose branch is gone."""
    branches = {branch.head: branch_rows(project, branch.head) for branch in list_branches(project)}
    anchors = {digest for (digest,) in project.rows("SELECT digest FROM audit")}
    anchors |= {chained.digest for rows in branches.values() for chained in rows}
    wanted = _heads_taken_in(project, branches.values())
    problems = [f"{head[:12]} #{at}" for head, rows in branches.items() if (at := _broken_at(head, rows, anchors))]
    problems += [f"{head[:12]}: no entry" for head in branches.keys() - wanted]
    problems += [f"{head[:12]}: missing" for head in wanted - branches.keys()]
    return sorted(problems)


def _broken_at(head: str, rows: list[ChainedRow], anchors: set[str]) -> int:
    """Id of the first row that does not fit; 0 where all do."""
    before = rows[0].previous
    if before not in anchors:
        return rows[0].row.id
    for row, previous, stated in rows:
        computed = digest_of(before, row)
        if (previous, stated) != (before, computed):
            return row.id
        before = computed
    return 0 if before == head else rows[-1].row.id


def _heads_taken_in(project: Project, branches: Iterable[list[ChainedRow]]) -> set[str]:
    texts = [text for (text,) in project.rows("SELECT facts FROM audit WHERE action = ?", (MERGED,))]
    texts += [chained.row.facts for rows in branches for chained in rows if chained.row.action == MERGED]
    return set(_branch_heads(texts))


def _branch_heads(texts: Iterable[str]) -> Iterator[str]:
    for text in texts:
        try:
            facts: Any = json.loads(text)
        except ValueError:
            continue
        if isinstance(facts, dict) and facts.get("branch"):
            yield str(facts["branch"])
