"""The figure that the live page shows, against the arithmetic of what the measurement printed."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from app.capture.overhead_meter import OverheadMeter

ROUND = "@tunebench at 2026-11-21T02:48:{second:02d}Z\n 900 901 0:{shell:.2f} sh\n 900 902 0:{tool:.2f} vmstat\n"


def meter() -> tuple[OverheadMeter, Any]:
    other: Any = SimpleNamespace(command=SimpleNamespace(probe="linux.vmstat"), listeners=())
    house: Any = SimpleNamespace(command=SimpleNamespace(probe="house.overhead"), listeners=())
    made = OverheadMeter([other, house])
    assert other.listeners == ()
    (hear,) = house.listeners

    def say(words: str) -> None:
        hear(SimpleNamespace(payload=words.encode()))

    return made, say


def test_the_share_is_the_growth_over_the_time() -> None:
    """0.30 s of processor time in 20 s: 1.5 % of a core."""
    made, say = meter()
    say(ROUND.format(second=0, shell=0.1, tool=0.1))
    assert made.share_pct is None
    say(ROUND.format(second=10, shell=0.1, tool=0.3))
    assert made.share_pct == pytest.approx(100 * 0.2 / 10)
    say(ROUND.format(second=20, shell=0.2, tool=0.3))
    assert made.share_pct == pytest.approx(100 * 0.3 / 20)
    say("@tunebench at 2026-11-21T02:48:30Z\n")
    assert made.share_pct == pytest.approx(100 * 0.3 / 20)


def test_a_round_may_come_in_any_pieces() -> None:
    made, say = meter()
    for letter in "".join(ROUND.format(second=s, shell=s / 100, tool=0) for s in (0, 10, 20)):
        say(letter)
        assert made.share_pct is None or made.share_pct <= 1.0 + 1e-9
    assert made.share_pct == pytest.approx(1.0)


def test_after_a_new_start_it_is_counted_anew() -> None:
    made, say = meter()
    for second, shell in ((0, 1.0), (10, 2.0), (20, 0.1), (30, 0.2), (40, 0.3)):
        say(ROUND.format(second=second, shell=shell, tool=0))
    assert made.share_pct == pytest.approx(100 * 0.2 / 20)
