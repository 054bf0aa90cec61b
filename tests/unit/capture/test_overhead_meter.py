"""The figure that the live page shows, against the arithmetic of what the measurement printed."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from tunebench.capture.frames import cut_line
from tunebench.capture.server_cost import OverheadMeter, server_cost

NONCE = "1a2b3c4d"
BEGIN = (
    f"@tunebench {NONCE} begin id=db01/house.overhead pid=1 interval=10 utc=2026-11-21T02:48:00Z"
    " local=2026-11-21T11:48:00 zone=KST\n"
)
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
    say(BEGIN)
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
    for letter in BEGIN + "".join(ROUND.format(second=s, shell=s / 100, tool=0) for s in (0, 10, 20)):
        say(letter)
        assert made.share_pct is None or made.share_pct <= 1.0 + 1e-9
    assert made.share_pct == pytest.approx(1.0)


def test_over_a_reconnection_it_is_what_the_stored_output_will_say() -> None:
    """1.2 s in 30 s, where a process ended in between and took nothing away; the link was gone for 10 s; then 0.2 s in
    10 s, of processes that begin at nothing again."""
    rounds = [ROUND.format(second=s, shell=shell, tool=0) for s, shell in ((0, 1.0), (10, 2.0), (20, 1.5), (30, 1.7))]
    again = [ROUND.format(second=s, shell=shell, tool=0) for s, shell in ((40, 0.1), (50, 0.3))]
    said = [BEGIN, *rounds, cut_line(NONCE).decode(), BEGIN, *again]
    made, say = meter()
    for words in said:
        say(words)
    assert made.share_pct == pytest.approx(100 * (1.2 + 0.2) / 40)
    stored = server_cost(words.encode() for words in said)
    assert stored is not None
    assert stored.cpu_pct == pytest.approx(made.share_pct)


def test_half_a_round_is_not_taken_for_processes_that_ended() -> None:
    made, say = meter()
    say(BEGIN + ROUND.format(second=0, shell=1.0, tool=1.0))
    say(ROUND.format(second=10, shell=2.0, tool=1.0))
    stamp, first, second = ROUND.format(second=20, shell=2.5, tool=2.0).splitlines(keepends=True)
    for words, share in ((stamp, 10.0), (first, 10.0), (second, 100 * 2.5 / 20)):
        say(words)
        assert made.share_pct == pytest.approx(share)
