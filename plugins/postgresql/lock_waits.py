"""Who waits for whose lock at the moment of a round: the section `pg_lock_waits` of our capture.

A row for each session that waits and each that it waits for. Queues are followed to the session at their head, which
holds the lock and waits for none itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tunebench.families.views.cells import number
from tunebench.families.views.dump import Dump
from tunebench.sdk import record
from tunebench.sdk.databases import FigureTable, TableRows

from .cells import Row, is_true
from .views import LOCK_WAITS


@record
class LockWait:
    """One session that waits.

    Attributes:
        texts: keys of the table `lock_wait`.
        held_s: for how long the transaction at the head of the queue is open.
    """

    line: int
    texts: Mapping[str, str]
    held_s: float | None = None


def read_lock_waits(dump: Dump) -> Iterator[LockWait]:
    view = dump.view(LOCK_WAITS)
    if view is None:
        return
    waiting: dict[str, list[tuple[int, Row]]] = {}
    for line, row in zip(view.lines, view.records(), strict=True):
        waiting.setdefault(row["pid"], []).append((line, row))
    for rows in waiting.values():
        line, first = rows[0]
        texts = {"event": first["wait_event"], "object": first["object"]}
        texts |= {"statement_id": first["query_id"], "container": first["datname"]}
        head = _head(first["pid"], waiting)
        if head is None:
            yield LockWait(line, texts)
            continue
        texts |= {"holder": head["holder_pid"], "holder_state": head["holder_state"]}
        texts["holder_statement_id"] = head["holder_query_id"]
        yield LockWait(line, texts, number(head.get("holder_xact_s")))


def added_up(lock_waits: Sequence[LockWait]) -> FigureTable:
    """Sightings of the same in several rounds as one row."""
    rows, alike = TableRows("lock_wait"), dict[tuple[str, ...], list[LockWait]]()
    for wait in lock_waits:
        alike.setdefault(tuple(wait.texts.values()), []).append(wait)
    for own in alike.values():
        held_s = max((wait.held_s for wait in own if wait.held_s is not None), default=None)
        rows.add(own[0].line, own[0].texts, {"samples": float(len(own)), "held_s": held_s})
    return rows.close()


def _head(pid: str, waiting: Mapping[str, list[tuple[int, Row]]]) -> Row | None:
    """The row that tells of the one session at the head of the queue; None where none or several are there."""
    heads: dict[str, Row] = {}
    seen, ahead = {pid}, [pid]
    while ahead:
        for _, row in waiting.get(ahead.pop(), ()):
            holder = row["holder_pid"]
            if is_true(row["holder_waits"]) and holder in waiting:
                ahead += [] if holder in seen else [holder]
                seen.add(holder)
            elif holder:
                heads[holder] = row
    return next(iter(heads.values())) if len(heads) == 1 else None
