"""A report of 2 MB is read while somebody waits for it: measured beside Python's own reader of HTML, not by the clock."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from tests.made.awr import report, workload


def long_texts() -> bytes:
    """As reports of this size are: long statements, and as much again in sections that are not read."""
    work = workload(statements=70)
    work = replace(work, statements=tuple(replace(one, text=one.text + " or a = :b" * 1200) for one in work.statements))
    latches = "".join(
        f"<tr><td scope='row'>latch {number}</td><td align='right'>{number:,}</td></tr>\n" for number in range(300)
    )
    section = f'<h3>Latch Activity</h3>\n<table summary="This table displays latch statistics"><tr><th>Latch Name</th></tr>\n{latches}</table>\n'
    return report(workload=work, top=15).data.replace(b"End of Report", (section * 65).encode() + b"End of Report")


def many_statements() -> bytes:
    """Twice as many rows as any report has."""
    return report(workload=workload(statements=1500), top=400).data


def took_s(work: Callable[[], object]) -> float:
    started = time.thread_time()
    work()
    return time.thread_time() - started


@pytest.mark.alone
@pytest.mark.parametrize(("make", "at_most"), [(long_texts, 1.0), (many_statements, 1.8)])
def test_a_report_of_2_mb(outcome, make, at_most):
    data = make()
    assert 1_900_000 < len(data) < 2_600_000
    assert len(outcome(data, piece=1 << 20).records) == 1
    rounds = [
        (took_s(lambda: outcome(data, piece=1 << 20)), took_s(lambda: HTMLParser().feed(data.decode())))
        for _ in range(3)
    ]
    ours, pythons = map(min, zip(*rounds, strict=True))
    assert ours < at_most * pythons
