"""What a second thread does is the same as what one does alone, in the same order."""

from __future__ import annotations

import threading

import pytest

from tunebench.core import beside as module
from tunebench.core.beside import ONE_THREAD, beside, cores, in_order


@pytest.fixture(params=["two", "one"])
def threads(request, monkeypatch):
    monkeypatch.setattr(module, "cores", lambda: 2)
    if request.param == "one":
        monkeypatch.setenv(ONE_THREAD, "1")
    else:
        monkeypatch.delenv(ONE_THREAD, raising=False)
    return request.param


def test_work_is_done_by_another_thread_where_there_may_be_one(threads):
    worker = beside(threading.get_ident).result()
    assert (worker == threading.get_ident()) == (threads == "one")


def test_work_is_done_in_the_order_in_which_it_is_asked_for(threads):
    done = []
    asked = [beside(done.append, number) for number in range(200)]
    for future in asked:
        future.result()
    assert done == list(range(200))


def test_what_work_raises_is_raised_where_its_result_is_asked_for(threads):
    failed = beside(int, "no number")
    with pytest.raises(ValueError, match="no number"):
        failed.result()


def test_results_come_in_order_and_no_further_ahead_than_asked(threads):
    taken, begun = [], []

    def squared(number):
        begun.append(number)
        return number * number

    for result in in_order(squared, range(10), ahead=3):
        taken.append(result)
        assert len(begun) <= len(taken) + 3
    assert taken == [number * number for number in range(10)]


def test_a_process_has_at_least_one_core():
    assert cores() >= 1
