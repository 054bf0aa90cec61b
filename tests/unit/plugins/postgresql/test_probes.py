"""The probes' shell text, with a psql that writes down what it is given: no server is needed."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest

from tunebench.core.paths import builtin_plugins_folder
from tunebench.sdk.manifest import read_manifest
from tunebench.sdk.probes import Probe

SHELLS = [shell for shell in ("dash", "bash", "ksh", "mksh", "yash", "posh") if shutil.which(shell)]
FAKE = '#!/bin/sh\n: >"$0.words"; for word; do printf "%s\\n" "$word" >>"$0.words"; done; cat >"$0.text"; exit 3\n'


@cache
def probes() -> dict[str, Probe]:
    return {probe.id: probe for probe in read_manifest(builtin_plugins_folder() / "postgresql").probes}


@pytest.fixture
def psql(tmp_path: Path) -> Path:
    path = tmp_path / "psql"
    path.write_text(FAKE)
    path.chmod(0o755)
    return path


def run(psql: Path, probe: str, shell: str = "sh", **values: str) -> tuple[list[str], list[str]]:
    """The words of psql's command line, and the lines it reads."""
    chosen = {"database": "postgres", "user": "", "host": "", "port": "", **values}
    line = probes()[probe].command.format(**{name: shlex.quote(text) if text else "" for name, text in chosen.items()})
    done = subprocess.run(
        [shell, "-c", line], env={"PATH": f"{psql.parent}:/usr/bin:/bin"}, capture_output=True, timeout=30
    )
    assert (done.returncode, done.stdout, done.stderr) == (3, b"", b""), "the status is psql's"
    return Path(f"{psql}.words").read_text().splitlines(), Path(f"{psql}.text").read_text().splitlines()


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("probe", ["postgresql.snapshot", "postgresql.activity"])
def test_every_shell_gives_psql_the_same(psql, shell, probe):
    values = {"database": "my-db", "user": "mon", "host": "/var/run/postgresql", "port": "5433"}
    words, lines = run(psql, probe, shell, **values)
    assert words == [
        "-X",
        "-q",
        "-w",
        "-v",
        "ON_ERROR_STOP=1",
        "-d",
        "my-db",
        "-U",
        "mon",
        "-h",
        "/var/run/postgresql",
        "-p",
        "5433",
    ]
    assert lines == run(psql, probe, **values)[1]


def test_what_is_not_chosen_is_left_to_psql(psql):
    assert run(psql, "postgresql.snapshot")[0] == ["-X", "-q", "-w", "-v", "ON_ERROR_STOP=1", "-d", "postgres"]


@pytest.mark.parametrize("probe", ["postgresql.snapshot", "postgresql.snapshots", "postgresql.activity"])
def test_the_session_is_read_only_bounded_and_marked(psql, probe):
    _, lines = run(psql, probe)
    orders = [line for line in lines if not line.startswith("\\")]
    assert orders[:3] == [
        "set /* tunebench */ default_transaction_read_only=on;",
        "set /* tunebench */ statement_timeout=30000;",
        "set /* tunebench */ lock_timeout=1000;",
    ]
    assert all(re.match(r"(set|select|copy) /\* tunebench \*/ ", order) for order in orders)
    copies = [order for order in orders if order.startswith("copy")]
    assert all(
        re.fullmatch(r"copy /\* tunebench \*/ \(select /\* tunebench \*/ .*\) to stdout csv header;", copy)
        for copy in copies
    )
    assert "reset(" not in "".join(lines) and "query," not in "".join(copies)
    sections = [line.split()[2] for line in lines if line.startswith("\\echo @section")]
    assert sections[0] == "postgresql" and len(sections) == len(set(sections)) == len(copies)
    assert lines[-1] == "\\echo @end"
    depth = 0
    for line in lines:
        depth += line.startswith("\\if ") - (line == "\\endif")
        assert 0 <= depth <= 2
    assert depth == 0


def test_a_view_is_asked_for_only_where_the_version_has_it(psql):
    _, lines = run(psql, "postgresql.snapshot")
    asked: dict[str, list[str]] = {}
    open_: list[str] = []
    for line in lines:
        if line.startswith("\\if "):
            open_.append(line.removeprefix("\\if :"))
        elif line == "\\endif":
            open_.pop()
        elif line.startswith("\\echo @section"):
            asked[line.split()[2]] = list(open_)
    conditions = {name: needed for name, needed in asked.items() if needed}
    assert conditions == {
        "pg_stat_statements": ["statements"],
        "pg_stat_statements_info": ["statements", "info"],
        "pg_stat_wal": ["v14"],
        "pg_stat_io": ["v16"],
        "pg_stat_checkpointer": ["v17"],
        "pg_recovery": ["standby"],
        "pg_stat_wal_receiver": ["standby"],
    }
    text = "\n".join(lines)
    assert all(f"v >= {number}0000 as v{number}" in text for number in (14, 16, 17))


def test_both_snapshots_are_the_same(psql):
    assert run(psql, "postgresql.snapshot")[1] == run(psql, "postgresql.snapshots")[1]


def test_activity_asks_for_no_statement(psql):
    """Neither the list of statements nor the texts of running ones, which hold literals."""
    text = "\n".join(run(psql, "postgresql.activity")[1])
    assert "copy /* tunebench */ (select /* tunebench */ * from pg_stat_activity" not in text
    assert ".pg_stat_statements " not in text and re.search(r"\bquery\b", text) is None, "ids of statements only"
