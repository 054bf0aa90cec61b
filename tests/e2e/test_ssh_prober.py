"""The prober alone, with a transport that answers as told: when a missing answer is a loss, and when it is not."""

from __future__ import annotations

import threading
import time

from tests.waiting import let_time_pass, wait_until
from tunebench.transport.ssh.link import Deadlines
from tunebench.transport.ssh.prober import Courier, Prober

LATE_S = 5.0
"""Of a busy machine; what blocks the courier, does so for ten seconds."""
QUICK = Deadlines(probe_interval_s=0.05, probe_allowance_s=0.3)


class ToldTransport:
    """Answers probes while `answers`; `blocks` the courier instead where told."""

    def __init__(self, answers: bool = True, blocks: threading.Event | None = None) -> None:
        self.gone, self.answered = threading.Event(), threading.Event()
        self.heard_at = self.answered_at = time.monotonic()
        self._answers, self._blocks = answers, blocks

    def send_probe(self) -> None:
        if self._blocks:
            self._blocks.wait(10)
        if self._answers:
            self.heard_at = self.answered_at = time.monotonic()
            self.answered.set()

    def close(self) -> None:
        self.gone.set()
        self.answered.set()


class Heard:
    def __init__(self, transport: ToldTransport) -> None:
        self.round_trips: list[float] = []
        self.missed_at: list[float] = []
        self.ended = threading.Event()
        self.started_at = time.monotonic()
        Prober(
            transport,  # type: ignore[arg-type]
            Courier(),
            QUICK,
            self.round_trips.append,
            lambda: self.missed_at.append(time.monotonic()),
            self.ended.set,
        )


def test_without_an_answer_the_transport_is_closed_after_interval_and_allowance() -> None:
    transport = ToldTransport(answers=False)
    heard = Heard(transport)
    assert heard.ended.wait(30.0) and transport.gone.is_set()
    assert 0.3 < heard.missed_at[0] - heard.started_at < LATE_S and not heard.round_trips


def test_with_answers_it_stays_open() -> None:
    transport = ToldTransport()
    heard = Heard(transport)
    let_time_pass(0.8, "longer than interval and allowance")
    assert wait_until(lambda: len(heard.round_trips) > 5) and not heard.missed_at
    transport.close()
    assert heard.ended.wait(30.0) and not heard.missed_at


def test_data_that_keeps_coming_is_a_sign_of_life_and_its_end_is_not() -> None:
    """On a slow line an answer queues behind megabytes of a file."""
    transport = ToldTransport(answers=False)
    heard = Heard(transport)
    for _ in range(10):
        let_time_pass(0.1, "data comes ten times a second")
        transport.heard_at = time.monotonic()
    assert not heard.missed_at
    silent_at = time.monotonic()
    assert heard.ended.wait(30.0)
    assert heard.missed_at[0] - silent_at < LATE_S


def test_a_probe_that_cannot_even_be_sent_is_missed_in_time() -> None:
    stuck = threading.Event()
    heard = Heard(ToldTransport(answers=False, blocks=stuck))
    assert heard.ended.wait(30.0) and heard.missed_at[0] - heard.started_at < LATE_S
    stuck.set()
