"""Answers that come before their turn are held, and what they take is counted until they are given on."""

from __future__ import annotations

from tunebench.capture.capture_reading import Step
from tunebench.capture.reading_pool import Event, _Held
from tunebench.core.processes import Died


def step(number: int, size: int) -> Event:
    return number, Step(size, ()), size


def numbers(held: _Held) -> list[tuple[int, int]]:
    return [(number, size) for number, _, size in held.in_turn()]


def test_answers_wait_for_their_turn_and_are_counted_while_they_do() -> None:
    held = _Held()
    for event in (step(1, 10), step(1, 20), (1, Died(), 5), step(2, 7)):
        held.add(event)
    assert (numbers(held), held.size_bytes, held.turn) == ([], 42, 0)
    held.add(step(0, 100))
    assert (numbers(held), held.size_bytes, held.turn) == ([(0, 100)], 42, 0)
    held.add((0, Died(), 1))
    assert numbers(held) == [(0, 1), (1, 10), (1, 20), (1, 5), (2, 7)]
    assert (held.size_bytes, held.turn) == (0, 2)
