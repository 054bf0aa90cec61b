"""Older projects hold two words for one system; read, they hold one."""

from __future__ import annotations

from app.domain.ledger import Ledger
from app.store import hosts
from app.store.artefacts import ledger_from_json, ledger_to_json
from app.store.project import Project


def test_an_older_word_for_a_host_is_read_as_the_one_of_today(project: Project) -> None:
    made = hosts.ensure_host(project, "dbhp1", "hp-ux", "B.11.31")
    with project.transaction() as connection:
        connection.execute("UPDATE host SET os = 'hpux' WHERE id = ?", (made.id,))
    assert [host.os for host in hosts.list_hosts(project)] == ["hp-ux"]
    assert hosts.ensure_host(project, "dbhp1", "linux").os == "hp-ux"
    assert hosts.ensure_host(project, "dbhp2", "hpux").os == "hp-ux"


def test_an_older_word_in_a_ledger_is_read_as_the_one_of_today() -> None:
    written = ledger_to_json(Ledger(tool="vmstat", os="hpux"))
    assert ledger_from_json(written) == Ledger(tool="vmstat", os="hp-ux")
    assert ledger_from_json(ledger_to_json(Ledger(os="linux"))).os == "linux"
    assert ledger_from_json("{}") == Ledger()
