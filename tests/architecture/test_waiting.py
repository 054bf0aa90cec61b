"""Tests wait for a state: what merely sleeps is too short on a busy machine and too long on any other."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.architecture.source_scan import ROOT, sources

MAY_SLEEP = (
    "tests/waiting.py",  # where it is done for a reason that is said
    "tests/made/",  # programs of their own, which hosts of tests run
    "tests/faults/record/",
    "tests/perf/",
    "tests/soak/",
)
SLEEPING = re.compile(r"\bsleep\(|\bqWait\(|qtbot\.wait\(|\bimport sleep\b")


def sleeps(source: str) -> Iterator[int]:
    """Lines that sleep; code for another process is a string and no call."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and SLEEPING.search(ast.unparse(node.func) + "("):
            yield node.lineno


def test_only_one_module_sleeps() -> None:
    wrong = []
    for path in sources("tests"):
        name, source = path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")
        if not name.startswith(MAY_SLEEP) and SLEEPING.search(source):
            wrong += [f"{name}:{line}" for line in sleeps(source)]
    assert wrong == [], "wait for a state, or say why time must pass (tests/waiting.py)"


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("import time\ntime.sleep(1)", [2]),
        ("from time import sleep\nsleep(1)", [2]),
        ("QTest.qWait(1)", [1]),
        ("self._qtbot.wait(1)", [1]),
        ("CHILD = 'time.sleep(60)'", []),
        ("qtbot.waitUntil(lambda: True)\nprocess.wait(10)", []),
        ("let_time_pass(1, 'why')", []),
    ],
)
def test_what_sleeps_is_seen(source: str, expected: list[int]) -> None:
    assert list(sleeps(source)) == expected


def test_what_may_sleep_is_there() -> None:
    assert [name for name in MAY_SLEEP if not Path(ROOT / name).exists()] == []
