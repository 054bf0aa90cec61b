"""2.0 -> 2.1: the trails of other copies that were merged in. What was there was merged with none."""

from __future__ import annotations

import sqlite3

_TABLE = """CREATE TABLE audit_branch (
    head TEXT NOT NULL,
    id INTEGER NOT NULL,
    time TEXT NOT NULL,
    user TEXT NOT NULL,
    action TEXT NOT NULL,
    facts TEXT NOT NULL,
    previous TEXT NOT NULL,
    digest TEXT NOT NULL,
    PRIMARY KEY (head, id)
) WITHOUT ROWID"""
_TRIGGERS = (
    """CREATE TRIGGER audit_branch_is_not_changed BEFORE UPDATE ON audit_branch
BEGIN
    SELECT RAISE(ABORT, 'the audit trail is append-only');
END""",
    """CREATE TRIGGER audit_branch_is_not_removed BEFORE DELETE ON audit_branch
BEGIN
    SELECT RAISE(ABORT, 'the audit trail is append-only');
END""",
    """CREATE TRIGGER audit_branch_is_not_replaced BEFORE INSERT ON audit_branch
WHEN EXISTS (SELECT 1 FROM audit_branch WHERE head = NEW.head AND id = NEW.id)
BEGIN
    SELECT RAISE(ABORT, 'the audit trail is append-only');
END""",
)


def upgrade(connection: sqlite3.Connection) -> None:
    for statement in (_TABLE, *_TRIGGERS):
        connection.execute(statement)
