"""Answers come on the main thread, the newest wins, nobody gets an answer who is gone."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import shiboken6
from PySide6.QtCore import QObject

from tunebench.core.errors import UserError
from tunebench.ui.jobs_bridge import JobsBridge, Ticket
from tunebench.usecases.jobs import JobHandle, JobLanes


@pytest.fixture
def bridge(qapp: Any, lanes: JobLanes) -> JobsBridge:
    return JobsBridge(lanes)


@pytest.fixture
def gate() -> Iterator[threading.Event]:
    """Holds work back until the test lets it go."""
    event = threading.Event()
    yield event
    event.set()


def wait_idle(qtbot: Any, bridge: JobsBridge) -> None:
    qtbot.waitUntil(lambda: not bridge.busy, timeout=60_000)


def test_result_comes_on_the_main_thread(qtbot: Any, bridge: JobsBridge) -> None:
    owner, seen = QObject(), []
    bridge.run(
        "cpu",
        lambda _h: threading.current_thread().name,
        owner=owner,
        slot="a",
        on_result=lambda where: seen.append((where, threading.current_thread() is threading.main_thread())),
    )
    wait_idle(qtbot, bridge)
    assert len(seen) == 1
    assert seen[0][0].startswith("cpu") and seen[0][1]


def test_only_the_newest_answer_of_a_slot_arrives(qtbot: Any, bridge: JobsBridge, gate: threading.Event) -> None:
    owner, seen = QObject(), []

    def slow(_handle: JobHandle) -> str:
        gate.wait(60)
        return "old"

    bridge.run("cpu", slow, owner=owner, slot="view", on_result=seen.append)
    bridge.run("cpu", lambda _h: "new", owner=owner, slot="view", on_result=seen.append)
    bridge.run("cpu", lambda _h: "other", owner=owner, slot="elsewhere", on_result=seen.append)
    qtbot.waitUntil(lambda: len(seen) == 2, timeout=60_000)
    gate.set()
    wait_idle(qtbot, bridge)
    assert sorted(seen) == ["new", "other"]


def test_nobody_is_told_who_is_gone(qtbot: Any, bridge: JobsBridge, gate: threading.Event) -> None:
    owner, seen = QObject(), []
    bridge.run("cpu", lambda _h: gate.wait(60), owner=owner, slot="a", on_result=seen.append)
    shiboken6.delete(owner)
    gate.set()
    wait_idle(qtbot, bridge)
    assert seen == []


def test_what_was_asked_of_something_else_is_dropped(qtbot: Any, bridge: JobsBridge, gate: threading.Event) -> None:
    owner, other, seen = QObject(), QObject(), []
    bridge.run("cpu", lambda _h: gate.wait(60) and "dropped", owner=owner, slot="a", on_result=seen.append)
    bridge.run("cpu", lambda _h: "of another", owner=other, slot="a", on_result=seen.append)
    bridge.drop(owner)
    gate.set()
    wait_idle(qtbot, bridge)
    bridge.run("cpu", lambda _h: "later", owner=owner, slot="a", on_result=seen.append)
    wait_idle(qtbot, bridge)
    assert seen == ["of another", "later"]


def test_refusals_go_to_the_asker_or_to_everybody(qtbot: Any, bridge: JobsBridge) -> None:
    owner, asked, everybody = QObject(), [], []
    bridge.failed.connect(everybody.append)

    def refuse(_handle: JobHandle) -> None:
        raise UserError("disk_full", path="x")

    bridge.run("cpu", refuse, owner=owner, slot="a", on_error=asked.append)
    bridge.run("cpu", refuse, owner=owner, slot="b")
    wait_idle(qtbot, bridge)
    assert [e.key for e in asked] == ["disk_full"]
    assert [e.key for e in everybody] == ["disk_full"]


def test_what_a_change_has_replaced_meanwhile_is_not_said_to_be_missing(
    qtbot: Any, bridge: JobsBridge, gate: threading.Event
) -> None:
    owner, asked, cancelled, everybody = QObject(), [], [], []
    bridge.failed.connect(everybody.append)

    def refuse(key: str) -> Callable[[JobHandle], None]:
        def work(_handle: JobHandle) -> None:
            gate.wait(60)
            raise UserError(key, series_id=49, path="x")

        return work

    bridge.run(
        "cpu",
        refuse("series_missing"),
        owner=owner,
        slot="a",
        on_error=asked.append,
        on_cancelled=lambda: cancelled.append("a"),
    )
    bridge.run("cpu", refuse("disk_full"), owner=owner, slot="b")
    bridge.overtake()
    gate.set()
    bridge.run("cpu", refuse("series_missing"), owner=owner, slot="c")
    wait_idle(qtbot, bridge)
    assert (asked, cancelled) == ([], ["a"])
    assert sorted(e.key for e in everybody) == ["disk_full", "series_missing"], "a read after the change is refused"


def test_bugs_are_told_even_when_the_answer_is_late(qtbot: Any, bridge: JobsBridge) -> None:
    owner, crashes, errors = QObject(), [], []
    bridge.crashed.connect(crashes.append)

    def crash(_handle: JobHandle) -> None:
        raise ZeroDivisionError

    bridge.run("db", crash, owner=owner, slot="a", on_error=errors.append)
    wait_idle(qtbot, bridge)
    assert [type(e) for e in crashes] == [ZeroDivisionError]
    assert errors == []


def test_progress_and_cancel(qtbot: Any, bridge: JobsBridge) -> None:
    owner = QObject()
    fractions: list[float] = []
    cancelled: list[bool] = []
    results: list[object] = []

    def count(handle: JobHandle) -> None:
        for step in range(1000):
            handle.raise_if_cancelled()
            handle.report(step, 1000)
            threading.Event().wait(0.01)

    def on_progress(ticket: Ticket) -> None:
        fractions.append(ticket.fraction or 0.0)

    ticket = bridge.run(
        "db",
        count,
        owner=owner,
        slot="a",
        title_key="ui.job.import",
        on_progress=on_progress,
        on_cancelled=lambda: cancelled.append(True),
        on_result=results.append,
    )
    qtbot.waitUntil(lambda: len(fractions) >= 2, timeout=60_000)
    assert bridge.titled() == [ticket]
    ticket.cancel()
    wait_idle(qtbot, bridge)
    assert cancelled == [True] and results == [] and bridge.titled() == []
    assert all(0 <= f < 1 for f in fractions) and fractions == sorted(fractions)
