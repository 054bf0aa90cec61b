"""Names of processes, and how many get series."""

from __future__ import annotations

import pytest

from tunebench.families.processes import FEW, MOST, ProcessLimit, process_key
from tunebench.sdk import NumberTable


@pytest.mark.parametrize(
    ("command", "key"),
    [
        (b"/usr/sbin/sshd -D", "sshd[7]"),
        (b"sshd: ann@pts/0", "sshd:[7]"),
        (b"[kworker/0:1H]", "[kworker/0:1H][7]"),
        (b"/", "/[7]"),
        (b"", "[7]"),
    ],
)
def test_a_process_is_its_program_and_pid(command, key):
    assert process_key(command, b"7") == key


def test_the_first_then_only_busy_ones_then_none():
    limit = ProcessLimit()
    assert all(limit.keeps(f"a[{number}]", 0.0) for number in range(FEW))
    assert not limit.keeps("idle[1]", 0.1)
    assert not limit.keeps("unknown[1]", float("nan"))
    assert all(limit.keeps(f"b[{number}]", 50.0) for number in range(MOST - FEW))
    assert not limit.keeps("late[1]", 100.0)
    assert limit.keeps("a[1]", 0.0)  # whoever has series keeps them


def test_rows_since_boot():
    table = NumberTable("cpu", ("sys",), "cpu")
    table.row(10, 1, "0", (1.0,), since_boot=True)
    table.row(10, 2, "1", (2.0,), since_boot=True)
    table.row(20, 3, "0", (3.0,))
    table.row(20, 4, "1", (4.0,), since_boot=True)
    (batch,) = table.flush()
    assert batch.times_ns.tolist() == [10, 20, 20]
    assert batch.since_boot.tolist() == [True, False, True]
    assert list(table.flush()) == []
