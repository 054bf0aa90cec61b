"""What a capture cost its server: figures worked out by hand."""

from __future__ import annotations

import pytest

from tunebench.capture.server_cost import server_cost

BEGIN = (
    b"@tunebench 1a2b3c4d begin id=db01/house.overhead pid=%d interval=60 utc=2026-11-21T02:%s:00Z"
    b" local=2026-11-21T11:00:00 zone=KST\n"
)
END = b"\n@tunebench 1a2b3c4d end exit=143 utc=2026-11-21T02:59:00Z\n0m0.0s 0m0.0s\n0m0.0s 0m0.0s\n@tunebench 1a2b3c4d over\n"


def reading(minute: int, *times: str) -> bytes:
    lines = "".join(f"  77  78 {time} vmstat\n" for time in times)
    return f"@tunebench at 2026-11-21T02:{minute:02d}:00Z\n{lines}".encode()


def test_each_start_is_taken_by_itself() -> None:
    """A connection was lost for ten minutes; what used processor time then was not ours."""
    first = BEGIN % (1, b"00") + reading(0, "0:01.00") + reading(1, "0:01.00", "0:00.50") + reading(2, "0:02.50") + END
    second = BEGIN % (2, b"12") + reading(12, "0:00.10") + reading(13, "0:00.40") + END
    found = server_cost([first[:100], first[100:] + second])
    assert found is not None
    assert found.cpu_s == pytest.approx(1.5 + 0.3)
    assert (found.measured_s, found.processes) == (180.0, 2)
    assert found.cpu_pct == pytest.approx(1.0)


def test_a_process_that_ended_takes_nothing_away() -> None:
    text = BEGIN % (1, b"00") + reading(0, "0:05.00", "0:01.00") + reading(1, "0:01.20") + reading(2, "0:01.50") + END
    found = server_cost([text])
    assert found is not None
    assert found.cpu_s == pytest.approx(0.3)


def test_half_a_line_at_the_end_is_no_figure() -> None:
    text = BEGIN % (1, b"00") + reading(0, "0:00.00") + reading(1, "0:00.60") + b"  77  79 0:12.00 vm"
    found = server_cost([text])
    assert found is not None
    assert found.cpu_s == pytest.approx(0.6)


@pytest.mark.parametrize(
    ("last", "end", "cpu_s"),
    [
        (("0:00.60",), b"", 0.5),  # the connection was lost after a whole line
        (("0:00.10",), b"", 0.0),
        (("0:00.04",), END, 0.0),  # less than before, and that was all of the round: its time counts
        ((), END, 0.0),
    ],
)
def test_the_last_round_counts_with_its_time(last: tuple[str, ...], end: bytes, cpu_s: float) -> None:
    found = server_cost([BEGIN % (1, b"00") + reading(0, "0:00.10") + reading(1, *last) + end])
    assert found is not None
    assert found.cpu_s == pytest.approx(cpu_s)
    assert (found.measured_s, found.processes) == (60.0, 1)


def test_rounds_without_any_process_are_measured_all_the_same() -> None:
    found = server_cost([BEGIN % (1, b"00") + reading(0) + reading(1) + END])
    assert found is not None
    assert (found.cpu_pct, found.measured_s, found.processes) == (0.0, 60.0, 0)


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"no frames at all\n",
        BEGIN % (1, b"00") + reading(0, "0:01.00") + END,
        BEGIN % (1, b"00") + reading(0, "0:01.00") * 2 + END,  # of the same moment
    ],
)
def test_one_reading_is_no_measurement(text: bytes) -> None:
    assert server_cost([text]) is None
