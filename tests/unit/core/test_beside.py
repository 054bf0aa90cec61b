"""What a second thread does is the same as what one does alone, in the same order."""

from __future__ import annotations

import threading

import pytest

from tunebench.core import beside as module
from tunebench.core.beside import ONE_THREAD, Asked, beside, cores, in_order


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


def test_who_wants_a_result_that_nobody_works_on_makes_it_himself(threads):
    go_on = threading.Event()
    busy = beside(go_on.wait) if threads == "two" else None
    assert Asked(threading.get_ident).result() == threading.get_ident()
    go_on.set()
    assert busy is None or busy.result()


def test_while_the_first_is_worked_on_the_later_ones_are_begun(threads):
    first_begun, others_done = threading.Event(), threading.Event()
    workers = {}

    def work(number):
        workers[number] = threading.get_ident()
        if number == 2:
            others_done.set()
        if number == 0:
            first_begun.set()
            assert threads == "one" or others_done.wait(10)
        return number

    def items():
        yield 0
        assert first_begun.wait(10)
        yield 1
        yield 2

    assert list(in_order(work, items(), ahead=2)) == [0, 1, 2]
    assert workers[1] == workers[2] == threading.get_ident()
    assert (workers[0] == threading.get_ident()) == (threads == "one")


def test_work_that_was_taken_over_raises_at_its_result(threads):
    failed = Asked(lambda: int("no number"))
    failed.take_over()
    with pytest.raises(ValueError, match="no number"):
        failed.result()


def test_a_process_has_at_least_one_core():
    assert cores() >= 1
