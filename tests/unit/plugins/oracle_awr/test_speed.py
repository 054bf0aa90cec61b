"""A report of 2 MB is read while somebody waits for it."""

from __future__ import annotations

import time
from dataclasses import replace

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


@pytest.mark.alone
@pytest.mark.parametrize(("make", "most_s"), [(long_texts, 0.3), (many_statements, 0.6)])
def test_a_report_of_2_mb(outcome, make, most_s):
    data = make()
    assert 1_900_000 < len(data) < 2_600_000
    taken = []
    for _ in range(3):
        started = time.thread_time()
        found = outcome(data, piece=1 << 20)
        taken.append(time.thread_time() - started)
    assert len(found.records) == 1
    assert min(taken) < most_s
