"""Captures that cover the same stretch, which of them counts, and what comparing neighbours found."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from tunebench.domain.assembly import CaptureOverlap, Relation, Span
from tunebench.domain.engagement import CaptureEvent
from tunebench.store.audit import trail as audit

if TYPE_CHECKING:
    from tunebench.store.project import Project

_COMPARED = "captures_compared"  # name of the property: how often captures were compared with each other
_SURE_ZONES = ("stamp", "user")


def list_overlaps(project: Project) -> list[CaptureOverlap]:
    return [
        CaptureOverlap(row[0], row[1], Relation(row[2]), *row[3:])
        for row in project.rows(
            "SELECT artefact_id, other_id, relation, shift_ns, start_ns, end_ns, columns FROM capture_overlap"
            " ORDER BY artefact_id, other_id"
        )
    ]


def state_of(project: Project) -> tuple[int, int, int]:
    """Differs after every change that series, their names or what counts could have come from."""
    row = project.row(
        "SELECT (SELECT max(id) FROM audit), (SELECT max(id) FROM series),"
        " (SELECT CAST(value AS INTEGER) FROM property WHERE name = ?)",
        (_COMPARED,),
    )
    return row[0] or 0, row[1] or 0, row[2] or 0


def replace_findings(
    project: Project,
    artefact_ids: Iterable[int],
    overlaps: Sequence[CaptureOverlap],
    events: Mapping[int, Sequence[CaptureEvent]],
) -> None:
    """Stores what a comparison of these captures found, in place of what an earlier one did."""
    own = [(id_,) for id_ in artefact_ids]
    with project.transaction() as connection:
        connection.execute(
            "INSERT INTO property (name, value) VALUES (?, '1') ON CONFLICT (name) DO UPDATE SET value = value + 1",
            (_COMPARED,),
        )
        connection.executemany("DELETE FROM capture_overlap WHERE artefact_id = ?", own)
        connection.executemany("DELETE FROM host_event WHERE artefact_id = ?", own)
        connection.executemany(
            "INSERT INTO capture_overlap (artefact_id, other_id, relation, shift_ns, start_ns, end_ns, columns)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            [
                (o.artefact_id, o.other_id, str(o.relation), o.shift_ns, o.start_ns, o.end_ns, o.columns)
                for o in overlaps
            ],
        )
        connection.executemany(
            "INSERT INTO host_event (artefact_id, kind, start_ns, end_ns, text) VALUES (?, ?, ?, ?, ?)",
            [
                (artefact_id, str(event.kind), event.start_ns, event.end_ns, event.text)
                for artefact_id, of_capture in events.items()
                for event in of_capture
            ],
        )


def list_choices(project: Project) -> list[int]:
    """Captures that a person chose to count, the last chosen first."""
    return [int(row[0]) for row in project.rows("SELECT artefact_id FROM capture_choice ORDER BY position DESC")]


def replace_choices(project: Project, artefact_ids: Sequence[int]) -> None:
    """These captures count before others that hold the same measurements, the first of them first."""
    with project.transaction() as connection:
        before = list_choices(project)
        if before == list(artefact_ids):
            return
        connection.execute("DELETE FROM capture_choice")
        connection.executemany(
            "INSERT INTO capture_choice (artefact_id, position) VALUES (?, ?)",
            [(artefact_id, position) for position, artefact_id in enumerate(reversed(artefact_ids), start=1)],
        )
        names = dict(connection.execute("SELECT id, name FROM artefact").fetchall())
        audit.record(
            project,
            "counting_capture_chosen",
            before=[names[id_] for id_ in before],
            after=[names[id_] for id_ in artefact_ids],
        )


def set_aside(project: Project) -> dict[int, list[tuple[int, Span]]]:
    """Capture -> (another capture of the run, the stretch that it holds too, which counts there and not here).

    Of two, the one counts that a person chose; else the one whose zone is sure, the longer one, the earlier one.
    The order is the same for all pairs, so that of any number of captures one counts.
    """
    rows = project.rows(
        "SELECT o.artefact_id, o.other_id, o.shift_ns, o.start_ns, o.end_ns FROM capture_overlap AS o"
        " JOIN artefact AS a ON a.id = o.artefact_id JOIN artefact AS b ON b.id = o.other_id"
        " WHERE o.relation = 'same' AND a.run_id = b.run_id"
    )
    if not rows:
        return {}
    order = _precedence(project)
    by_capture: dict[int, list[tuple[int, Span]]] = {}
    for artefact_id, other_id, shift_ns, start_ns, end_ns in rows:
        if order[artefact_id] > order[other_id]:
            by_capture.setdefault(artefact_id, []).append((other_id, (start_ns, end_ns)))
        else:
            by_capture.setdefault(other_id, []).append((artefact_id, (start_ns + shift_ns, end_ns + shift_ns)))
    return by_capture


def _precedence(project: Project) -> dict[int, tuple[int, int, int, int]]:
    """Capture -> its place; the lesser counts."""
    return {
        id_: (-(chosen or 0), source not in _SURE_ZONES, -((last or 0) - (first or 0)), id_)
        for id_, chosen, source, first, last in project.rows(
            "SELECT a.id, c.position, json_extract(a.ledger, '$.zone_source'), a.first_ns, a.last_ns"
            " FROM artefact AS a LEFT JOIN capture_choice AS c ON c.artefact_id = a.id"
        )
    }
