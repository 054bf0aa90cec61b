"""What somebody does who edits a project with any SQLite tool and recomputes its audit trail."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path


def forge(project: Path, edit: Callable[[sqlite3.Connection], None]) -> None:
    """Takes the guards of the trail off, edits, and chains every row anew as `store.audit.chain` tells anybody."""
    connection = sqlite3.connect(project)
    guards = connection.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").fetchall()
    for name, _sql in guards:
        connection.execute(f"DROP TRIGGER {name}")
    edit(connection)
    digest, last = "0" * 64, 0
    for row in connection.execute("SELECT id, time, user, action, facts FROM audit ORDER BY id").fetchall():
        text = json.dumps(row, ensure_ascii=False, separators=(",", ":"))
        previous, digest, last = digest, sha256(f"{digest}\n{text}".encode()).hexdigest(), row[0]
        connection.execute("UPDATE audit SET previous = ?, digest = ? WHERE id = ?", (previous, digest, last))
    connection.execute("UPDATE property SET value = ? WHERE name = 'audit_head'", (f"{last} {digest}",))
    for _name, sql in guards:
        connection.execute(sql)
    connection.commit()
    connection.close()


def entered(connection: sqlite3.Connection, action: str, **facts: object) -> None:
    """An entry as the program would have written it."""
    connection.execute(
        "INSERT INTO audit (id, time, user, action, facts, previous, digest)"
        " SELECT max(id) + 1, max(time), 'root', ?, ?, '', '' FROM audit",
        (action, json.dumps(facts, ensure_ascii=False, sort_keys=True, separators=(",", ":"))),
    )


def said_otherwise(connection: sqlite3.Connection, old: str, new: str) -> None:
    """Words replaced wherever they stand: in records, seals (their digests too) and the trail."""
    for table, column in (("cycle_record", "body"), ("audit", "facts")):
        connection.execute(f"UPDATE {table} SET {column} = replace({column}, ?, ?)", (old, new))
    for id_, body in connection.execute("SELECT id, body FROM cycle_record WHERE kind = 'seal'").fetchall():
        seal = json.loads(body)
        digest, seal["digest"] = seal["digest"], sha256(seal["content"].encode()).hexdigest()
        text = json.dumps(seal, ensure_ascii=False, separators=(",", ":"))
        connection.execute("UPDATE cycle_record SET body = ? WHERE id = ?", (text, id_))
        connection.execute("UPDATE audit SET facts = replace(facts, ?, ?)", (digest, seal["digest"]))
