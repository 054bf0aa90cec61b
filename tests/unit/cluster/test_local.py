"""Processes of this machine: every task is answered, and one that ends its process is given up alone."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from tests.unit.cluster import units
from tunebench.cluster.local import LocalEngine
from tunebench.cluster.work import ATTEMPTS, Done, Task, Unit, always
from tunebench.core import processes
from tunebench.core.errors import UserError


def task(asked: object, name: str = "a.txt") -> Task:
    return Task(name, 1, str(asked), asked)


def events(engine: LocalEngine, unit: Unit, tasks: Iterable[Task]) -> dict[int, object]:
    """Number -> value, or the refusal."""
    came = [event for event in engine.run(unit, tasks, always) if event is not None]
    by_number = {event.number: event.value if isinstance(event, Done) else event.error for event in came}
    assert len(by_number) == len(came), "no task is answered twice"
    return by_number


def test_every_task_is_answered_by_its_number() -> None:
    with LocalEngine(2) as engine:
        assert events(engine, units.doubled, map(task, range(20))) == {number: 2 * number for number in range(20)}
        ids = set(events(engine, units.process_of, map(task, range(8))).values())
    assert os.getpid() not in ids and 1 <= len(ids) <= 2


def test_tasks_are_asked_for_when_there_is_room() -> None:
    """So many captures lie in memory as there are processes."""
    asked: list[int] = []

    def tasks() -> Iterator[Task]:
        for number in range(6):
            asked.append(number)
            yield task(number)

    with LocalEngine(2) as engine:
        for done, event in enumerate(event for event in engine.run(units.doubled, tasks(), always) if event):
            assert isinstance(event, Done)
            assert len(asked) <= done + 2


def test_nothing_new_is_begun_while_there_is_no_room_for_results() -> None:
    with LocalEngine(2) as engine:
        begun = [event for event in engine.run(units.process_of, map(task, range(5)), lambda: False) if event]
    assert sorted(event.number for event in begun) == [0, 1, 2, 3, 4], "one after the other, but to the end"
    assert len({event.value for event in begun if isinstance(event, Done)}) == 1


def test_a_task_that_ends_its_process_is_set_aside_and_the_others_go_on(tmp_path: Path) -> None:
    fatal = tmp_path / "fatal"
    tasks = [task(None), task(fatal, "bad.txt"), *[task(None)] * 6]
    with LocalEngine(2) as engine:
        outcomes = events(engine, units.dies, tasks)
    error = outcomes.pop(1)
    assert isinstance(error, UserError) and (error.key, error.facts) == ("work_died", {"path": "bad.txt"})
    assert outcomes == dict.fromkeys((0, 2, 3, 4, 5, 6, 7), "lives")
    assert fatal.read_text().count("begun") == ATTEMPTS + 1


def test_a_process_that_ended_once_costs_nothing(tmp_path: Path) -> None:
    with LocalEngine(1) as engine:
        assert events(engine, units.dies_once, [task(tmp_path / "once")]) == {0: "lives"}


def test_what_a_unit_raises_is_said_of_its_task() -> None:
    with LocalEngine(1) as engine:
        (error,) = events(engine, units.raised, [task("no such thing", "c.txt")]).values()
        assert isinstance(error, UserError)
        assert (error.key, error.facts) == ("work_failed", {"path": "c.txt", "reason": "ValueError: no such thing"})
        assert events(engine, units.doubled, [task(4)]) == {0: 8}


def test_processes_that_cannot_start_are_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "program_words", lambda word: [sys.executable, "-c", f"raise SystemExit('{word}')"])
    with LocalEngine(1) as engine, pytest.raises(UserError, match="work_cannot_start"):
        events(engine, units.doubled, [task(1)])
