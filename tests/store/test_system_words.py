"""A system has two words in captures and plug-ins, and one in the project."""

from __future__ import annotations

from tunebench.domain.ledger import Ledger
from tunebench.store import hosts
from tunebench.store.artefacts import ledger_from_json, ledger_to_json
from tunebench.store.project import Project


def test_another_word_for_a_host_is_kept_as_the_one_of_the_project(project: Project) -> None:
    assert hosts.ensure_host(project, "dbhp1", "hpux", "B.11.31").os == "hp-ux"
    assert hosts.ensure_host(project, "dbhp1", "linux").os == "hp-ux"
    assert [host.os for host in hosts.list_hosts(project)] == ["hp-ux"]


def test_another_word_in_a_ledger_is_read_as_the_one_of_the_project() -> None:
    written = ledger_to_json(Ledger(tool="vmstat", os="hpux"))
    assert ledger_from_json(written) == Ledger(tool="vmstat", os="hp-ux")
    assert ledger_from_json(ledger_to_json(Ledger(os="linux"))).os == "linux"
    assert ledger_from_json("{}") == Ledger()
