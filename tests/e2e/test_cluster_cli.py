"""The verb that starts what works, and what it says where nothing can."""

from __future__ import annotations

import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.conftest import Command, iostat_capture
from tunebench.cluster import engine


def test_what_it_costs_is_reckoned(tunebench: Command) -> None:
    words = ("cluster", "cost", "--hosts", 1000, "--days", 365, "--series", 459, "--workers", 16, "--mb", 1.02)
    cost = tunebench(*words, "--json").json
    assert cost["wall_s"] == pytest.approx(cost["core_s"] / 16, rel=0.05)
    assert cost["worker_bytes"] < 1e9 and cost["bounds"] == ["project"]
    assert "20." in tunebench(*words).out
    assert tunebench("cluster", "cost", "--hosts", 0).code == 2


def test_workers_without_a_scheduler_are_a_sentence(tunebench: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "CONNECT_S", 1.0)
    answer = tunebench("cluster", "worker", "tcp://127.0.0.1:9", "--lang", "en")
    assert answer.code == 3 and "No scheduler answers at tcp://127.0.0.1:9" in answer.err
    for act in ("scheduler", "worker"):
        refused = tunebench("cluster", act, "tcp://10.0.0.1:8786", "--lang", "ko")
        assert refused.code == 3 and "tls://" in refused.err


def test_a_port_that_is_taken_is_a_sentence(project_root: Path) -> None:
    """In a process of its own: Dask leaves the socket that it could not bind to the end of it."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        address = f"tcp://127.0.0.1:{taken.getsockname()[1]}"
        words = [sys.executable, "main.py", "cluster", "scheduler", address, "--lang", "en"]
        answer = subprocess.run(words, cwd=project_root, capture_output=True, text=True, timeout=60)
    assert (answer.returncode, answer.stdout) == (3, "")
    assert f"No scheduler can listen at {address}" in answer.stderr and "in use" in answer.stderr


def test_without_dask_a_sentence_names_what_brings_it(
    tunebench: Command, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    capture = tmp_path / "iostat.txt"
    capture.write_text(iostat_capture("2026-11-16", 5, 1, 100), encoding="utf-8")
    monkeypatch.setitem(sys.modules, "distributed", None)
    for words in (
        ("import", project, capture, "--on", "tcp://127.0.0.1:8786"),
        ("cluster", "worker", "tcp://127.0.0.1:8786"),
        ("cluster", "scheduler", "tcp://127.0.0.1:8786"),
    ):
        answer = tunebench(*words, "--lang", "en")
        assert answer.code == 3 and "distributed is not installed" in answer.err and "`cluster`" in answer.err
    assert tunebench("import", project, capture, "--on", "local:1").code == 0


def test_no_place_to_work_at(tunebench: Command, project: Path, tmp_path: Path) -> None:
    answer = tunebench("import", project, tmp_path, "--on", "everywhere", "--lang", "ko")
    assert answer.code == 3 and "everywhere" in answer.err
