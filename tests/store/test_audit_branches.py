"""Trails of other copies, as they are kept beside the project's own."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from tests.store import golden
from tunebench.store.audit import branches
from tunebench.store.audit import trail as audit
from tunebench.store.check import check_project
from tunebench.store.opening import open_project


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return golden.write(tmp_path)


def damage(path: Path, statement: str) -> None:
    """Changes the file as somebody would who takes its triggers away and puts them back."""
    connection = sqlite3.connect(path)
    triggers = connection.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").fetchall()
    for name, _sql in triggers:
        connection.execute(f"DROP TRIGGER {name}")
    connection.execute(statement)
    for _name, sql in triggers:
        connection.execute(sql)
    connection.commit()
    connection.close()


def test_a_branch_is_named_by_its_last_digest_and_read_back_as_it_was_chained(path: Path) -> None:
    with open_project(path, read_only=True) as project:
        (branch,) = branches.list_branches(project)
        (chained,) = branches.branch_rows(project, branch.head)
        assert (branch.last_id, branch.entries, branch.head) == (2, 1, chained.digest)
        assert chained.previous == audit.first_digest(project)
        assert (chained.row.user, chained.row.time) == ("kang", golden.BRANCH_TIME)
        assert branches.holds_entry(project, branch.head)
        assert not branches.holds_entry(project, audit.first_digest(project))


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE audit_branch SET user = 'nobody'",
        "UPDATE audit_branch SET previous = 'f'",
        "UPDATE audit_branch SET head = 'f'",
        "DELETE FROM audit_branch",
        "INSERT INTO audit_branch SELECT head, 3, time, user, action, facts, digest, 'f' FROM audit_branch",
        "INSERT INTO audit_branch SELECT 'f', id, time, user, action, facts, previous, digest FROM audit_branch",
    ],
)
def test_what_somebody_did_to_a_branch_is_found(path: Path, statement: str) -> None:
    damage(path, statement)
    with open_project(path, read_only=True) as project:
        results = {result.check: result.state for result in check_project(project)}
    assert results.pop("audit_branches") == "failed"
    assert set(results.values()) == {"ok"}


@pytest.mark.parametrize("statement", ["UPDATE audit_branch SET user = 'x'", "DELETE FROM audit_branch"])
def test_a_branch_is_append_only(path: Path, statement: str) -> None:
    with open_project(path) as project, pytest.raises(sqlite3.Error), project.transaction() as connection:
        connection.execute(statement)
