"""The engagement, its narrative, figures and statements entered by hand, notes."""

# ruff: noqa: S608 - only names written in this module are put into queries; values are bound

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, cast

from tunebench.domain.cycle.record_json import plain, value_from_json
from tunebench.domain.engagement import (
    Approvals,
    Direction,
    Engagement,
    Measurement,
    Narrative,
    Note,
    Section,
    Statement,
    TwoRoles,
)
from tunebench.domain.translations import FIELD as TRANSLATIONS
from tunebench.domain.translations import Translation
from tunebench.domain.visible_text import visible
from tunebench.store.audit import trail as audit

if TYPE_CHECKING:
    from tunebench.store.project import Project

_PROPERTIES = ("holidays", "two_roles", "approvals", "second_language")
_ENGAGEMENT_COLUMNS = tuple(
    field.name for field in fields(Engagement) if field.name not in ("consultants", *_PROPERTIES)
)
_MEASUREMENT_COLUMNS = tuple(field.name for field in fields(Measurement))
_OF_CAPTURES = ("artefact_id", "container", "executed")
_STATEMENT_COLUMNS = tuple(field.name for field in fields(Statement) if field.name not in _OF_CAPTURES)
_NOTE_COLUMNS = tuple(field.name for field in fields(Note))


def _names(columns: Sequence[str]) -> str:
    return ", ".join(f'"{column}"' for column in columns)


def _marks(columns: Sequence[str]) -> str:
    return ", ".join("?" * len(columns))


# -- engagement ----------------------------------------------------------------------------------------


def read_engagement(project: Project) -> Engagement:
    row = project.row(f"SELECT {_names(_ENGAGEMENT_COLUMNS)} FROM engagement")
    names = project.rows("SELECT name FROM consultant ORDER BY position")
    marks = _marks(_PROPERTIES)
    properties = dict(project.rows(f"SELECT name, value FROM property WHERE name IN ({marks})", _PROPERTIES))
    # a document cannot carry the characters that `visible` leaves out
    values = dict(zip(_ENGAGEMENT_COLUMNS, (visible(value) for value in row), strict=True))
    translations = _translations(str(values.pop(TRANSLATIONS)))
    consultants = tuple(visible(name) for (name,) in names)
    return Engagement(
        **values,
        translations=translations,
        consultants=consultants,
        holidays=visible(properties.get("holidays", "")),
        two_roles=TwoRoles.REFUSED if properties.get("two_roles") == TwoRoles.REFUSED else TwoRoles.DECLARED,
        approvals=_approvals(properties.get("approvals", Approvals.NONE)),
        second_language=properties.get("second_language") == str(True),
    )


def _translations(text: str) -> tuple[Translation, ...]:
    """Those in a JSON text; what somebody else put there is none."""
    try:
        kept = value_from_json(tuple[Translation, ...], json.loads(text), TRANSLATIONS)
    except ValueError:
        return ()
    return cast("tuple[Translation, ...]", kept)


def _stored(value: object) -> object:
    """A field as its column has it."""
    return json.dumps(plain(value), ensure_ascii=False) if isinstance(value, tuple) else value


def _approvals(word: str) -> Approvals:
    """A word that somebody else put there eases nothing."""
    return Approvals(word) if word in tuple(Approvals) else Approvals.FOUR_EYES


def write_engagement(project: Project, engagement: Engagement) -> None:
    """Replaces the engagement; the audit trail keeps old and new of each field that changed."""
    with project.transaction() as connection:
        exists = connection.execute("SELECT 1 FROM engagement").fetchone() is not None
        before = read_engagement(project) if exists else None
        values = [_stored(getattr(engagement, column)) for column in _ENGAGEMENT_COLUMNS]
        connection.execute(
            f"INSERT OR REPLACE INTO engagement (id, {_names(_ENGAGEMENT_COLUMNS)})"
            f" VALUES (1, {_marks(_ENGAGEMENT_COLUMNS)})",
            values,
        )
        connection.execute("DELETE FROM consultant")
        connection.executemany(
            "INSERT INTO consultant (position, name) VALUES (?, ?)", enumerate(engagement.consultants)
        )
        for name in _PROPERTIES:
            connection.execute("DELETE FROM property WHERE name = ?", (name,))
            if getattr(engagement, name):
                value = str(getattr(engagement, name))
                connection.execute("INSERT INTO property (name, value) VALUES (?, ?)", (name, value))
        if before is not None and before != engagement:
            audit.record(project, "engagement_changed", changes=_changes(before, engagement))


def _changes(before: object, after: object) -> dict[str, list[object]]:
    """Name -> [old, new] of the dataclass fields that differ."""
    names = [field.name for field in fields(before)]  # type: ignore[arg-type]
    pairs = {name: [plain(getattr(side, name)) for side in (before, after)] for name in names}
    return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}


# -- narrative -----------------------------------------------------------------------------------------


def read_narrative(project: Project, language: str) -> list[Narrative]:
    """Paragraphs in the order of the success case's sections."""
    rows = project.rows("SELECT section, position, language, text FROM narrative WHERE language = ?", (language,))
    order = {section: index for index, section in enumerate(Section)}
    paragraphs = [Narrative(Section(section), *rest) for section, *rest in rows]
    return sorted(paragraphs, key=lambda paragraph: (order[paragraph.section], paragraph.position))


def write_narrative(project: Project, section: Section, language: str, texts: Sequence[str]) -> None:
    """Replaces the paragraphs of one section in one language; positions count from 0."""
    key = (str(section), language)
    with project.transaction() as connection:
        old = connection.execute(
            "SELECT text FROM narrative WHERE section = ? AND language = ? ORDER BY position", key
        ).fetchall()
        before = [text for (text,) in old]
        if before == list(texts):
            return
        connection.execute("DELETE FROM narrative WHERE section = ? AND language = ?", key)
        connection.executemany(
            "INSERT INTO narrative (section, language, position, text) VALUES (?, ?, ?, ?)",
            [(*key, position, text) for position, text in enumerate(texts)],
        )
        audit.record(project, "narrative_changed", section=key[0], language=language, before=before, after=list(texts))


# -- measurements --------------------------------------------------------------------------------------


def read_measurements(project: Project) -> list[Measurement]:
    return [
        _measurement(dict(zip(_MEASUREMENT_COLUMNS, row, strict=True)))
        for row in project.rows(f"SELECT {_names(_MEASUREMENT_COLUMNS)} FROM measurement ORDER BY position")
    ]


def _measurement(facts: dict[str, object]) -> Measurement:
    facts["direction"] = Direction(str(facts["direction"]))
    facts[TRANSLATIONS] = _translations(str(facts[TRANSLATIONS]))
    return Measurement(**facts)  # type: ignore[arg-type]


def write_measurements(project: Project, measurements: Sequence[Measurement]) -> None:
    """Replaces all; their order is kept."""
    with project.transaction() as connection:
        before = {measurement.key: measurement for measurement in read_measurements(project)}
        connection.execute("DELETE FROM measurement")
        connection.executemany(
            f"INSERT INTO measurement (position, {_names(_MEASUREMENT_COLUMNS)})"
            f" VALUES (?, {_marks(_MEASUREMENT_COLUMNS)})",
            [(position, *_columns_of(measurement)) for position, measurement in enumerate(measurements)],
        )
        after = {measurement.key: measurement for measurement in measurements}
        changes = {
            key: _changes(before[key], after[key]) for key in before.keys() & after.keys() if before[key] != after[key]
        }
        added, removed = sorted(after.keys() - before.keys()), sorted(before.keys() - after.keys())
        if changes or added or removed:
            audit.record(project, "measurements_changed", changes=changes, added=added, removed=removed)


def _columns_of(measurement: Measurement) -> list[object]:
    return [_stored(getattr(measurement, column)) for column in _MEASUREMENT_COLUMNS]


# -- statements entered by hand ------------------------------------------------------------------------


def read_statements_by_hand(project: Project, run_id: int | None = None) -> list[Statement]:
    return [
        Statement(**dict(zip(_STATEMENT_COLUMNS, row, strict=True)))
        for row in project.rows(
            f"SELECT {_names(_STATEMENT_COLUMNS)} FROM statement WHERE ?1 IS NULL OR run_id = ?1 ORDER BY id", (run_id,)
        )
    ]


def write_statements(project: Project, run_id: int, statements: Sequence[Statement]) -> None:
    """Replaces the statements of a run that were entered by hand; `run_id` wins over what they themselves say."""
    with project.transaction() as connection:
        connection.execute("DELETE FROM statement WHERE run_id = ?", (run_id,))
        connection.executemany(
            f"INSERT INTO statement ({_names(_STATEMENT_COLUMNS)}) VALUES ({_marks(_STATEMENT_COLUMNS)})",
            [
                [run_id if column == "run_id" else getattr(statement, column) for column in _STATEMENT_COLUMNS]
                for statement in statements
            ],
        )
        audit.record(project, "statements_written", run_id=run_id, artefact_id=None, count=len(statements))


# -- notes ---------------------------------------------------------------------------------------------


def list_notes(project: Project) -> list[Note]:
    return [Note(*row) for row in project.rows(f"SELECT {_names(_NOTE_COLUMNS)} FROM note ORDER BY id")]


def add_note(
    project: Project,
    target_kind: str,
    target_id: int | None,
    time_ns: int | None,
    text: str,
    author: str = "",
    written_at: str = "",
) -> Note:
    """Writes a note on a time, a series, a run, an artefact; without a time of its own it is written now."""
    with project.transaction() as connection:
        written_at = written_at or audit.now_iso(project)
        cursor = connection.execute(
            "INSERT INTO note (target_kind, target_id, time_ns, text, author, written_at) VALUES (?, ?, ?, ?, ?, ?)",
            (target_kind, target_id, time_ns, text, author, written_at),
        )
        note = Note(int(cursor.lastrowid or 0), target_kind, target_id, time_ns, text, author, written_at)
        audit.record(project, "note_added", note_id=note.id, target_kind=target_kind, target_id=target_id, text=text)
    return note


def change_note(project: Project, note_id: int, text: str) -> None:
    with project.transaction() as connection:
        before = _note_text(connection, note_id)
        connection.execute("UPDATE note SET text = ? WHERE id = ?", (text, note_id))
        audit.record(project, "note_changed", note_id=note_id, before=before, after=text)


def remove_note(project: Project, note_id: int) -> None:
    with project.transaction() as connection:
        before = _note_text(connection, note_id)
        connection.execute("DELETE FROM note WHERE id = ?", (note_id,))
        audit.record(project, "note_removed", note_id=note_id, before=before)


def _note_text(connection: sqlite3.Connection, note_id: int) -> str:
    row = connection.execute("SELECT text FROM note WHERE id = ?", (note_id,)).fetchone()
    if row is None:
        raise LookupError(f"no note {note_id}")
    return str(row[0])
