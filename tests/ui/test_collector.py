from __future__ import annotations

import gc
import threading
import weakref
from collections.abc import Iterator
from typing import Any

import pytest

from tunebench.ui.application import Collector


@pytest.fixture
def collector(qapp: Any) -> Iterator[Collector]:
    made = Collector()
    yield made
    made.close()


def test_no_thread_collects_while_windows_are_tested() -> None:
    """The program has its collector, and so has every test of the window (conftest.py)."""
    assert not gc.isenabled()


class Loop:
    """Garbage that only a collection frees; tells the thread that freed it."""

    def __init__(self, told: list[str]) -> None:
        self.myself = self
        weakref.finalize(self, lambda: told.append(threading.current_thread().name))


def work_hard(told: list[str]) -> None:
    """More than makes Python collect by itself."""
    for _ in range(20):
        Loop(told)
    for _ in range(30):
        assert [[] for _ in range(2_000)]


def test_a_worker_never_frees_what_the_window_left(collector: Collector) -> None:
    told: list[str] = []
    worker = threading.Thread(target=work_hard, args=(told,), name="worker")
    worker.start()
    worker.join()
    assert told == []
    gc.collect()
    assert told == ["MainThread"] * 20


def test_the_timer_frees_it(collector: Collector, qtbot: Any) -> None:
    told: list[str] = []
    gc.collect()
    kept = [[] for _ in range(gc.get_threshold()[0] + 1)]
    Loop(told)
    qtbot.waitUntil(lambda: told == ["MainThread"], timeout=60_000)
    assert kept


def test_it_gives_collecting_back(qapp: Any) -> None:
    gc.enable()
    made = Collector()
    assert not gc.isenabled()
    made.close()
    assert gc.isenabled()
