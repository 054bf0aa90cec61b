"""real, user and sys in every shell's words."""

from __future__ import annotations

import pytest

from tests.conftest import ROOT

FIXTURES = ROOT / "tests" / "fixtures" / "linux_system"
STAMP = "@tunebench at 2026-11-21T00:0{}:00Z\n"


@pytest.fixture
def timed(load, read):
    return lambda data, **context: read(load("house_formats", "timed_command:TimedCommandParser"), data, **context)


def figures(reading) -> tuple[float, ...]:
    return tuple(reading.values("timed", f"{name}_s")[0] for name in ("real", "user", "sys"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("real 0.80\nuser 0.73\nsys 0.17\n", (0.80, 0.73, 0.17)),  # POSIX time -p
        ("\nreal\t0m0.803s\nuser\t0m0.732s\nsys\t0m0.166s\n", (0.803, 0.732, 0.166)),  # bash, ksh93
        ("\nreal    0m0.80s\nuser    0m0.73s\nsys     0m0.17s\n", (0.80, 0.73, 0.17)),  # ksh88
        ("real        0.8\nuser        0.7\nsys         0.2\n", (0.8, 0.7, 0.2)),  # Solaris /usr/bin/time
        ("real     1:26.2\nuser        0.1\nsys         5.2\n", (86.2, 0.1, 5.2)),
        ("real  1:02:03.4\nuser        0.1\nsys         5.2\n", (3723.4, 0.1, 5.2)),
        ("\nreal\t0m0,186s\nuser\t0m0,157s\nsys\t0m0,004s\n", (0.186, 0.157, 0.004)),  # a German bash
        ("real 0m0.803s user 0m0.732s sys 0m0.166s\n", (0.803, 0.732, 0.166)),  # joined by a script
        ("real\t1m2.310s\tuser\t0m1.200s\tsys\t0m0.300s\n", (62.31, 1.2, 0.3)),
        ("real 62.31, user 1.20, sys 0.30\n", (62.31, 1.2, 0.3)),
        ("real: 1:02.31 user: 1.20 system: 0.30\n", (62.31, 1.2, 0.3)),
        ("real=62,31 user=1,20 sys=0,30\n", (62.31, 1.2, 0.3)),
        ("0.7u 0.1s 0:00.80 100%\n", (0.80, 0.7, 0.1)),  # csh
        ("0.732u 0.166s 1:26.18 111.2%\t0+0k 0+0io 0pf+0w\n", (86.18, 0.732, 0.166)),  # tcsh
        ("    0m0.80s real     0m0.73s user     0m0.17s system\n", (0.80, 0.73, 0.17)),  # mksh
        ("nm /dev/ksyms  0.73s user 0.17s system 112% cpu 0.803 total\n", (0.803, 0.73, 0.17)),  # zsh
        ("0.16user 0.00system 1:00.18elapsed 86%CPU (0avgtext+0avgdata 1700maxresident)k\n", (60.18, 0.16, 0.0)),
        ("        0.80 real         0.73 user         0.17 sys\n", (0.80, 0.73, 0.17)),  # BSD
    ],
)
def test_every_shell(timed, text, expected):
    reading = timed((STAMP.format(0) + text).encode())
    assert figures(reading) == pytest.approx(expected)
    assert reading.ledger.lines.skipped == 0


def test_a_capture_of_times_on_one_line_is_known(load):
    text = b"real 62.31 user 1.20 sys 0.30\nreal 48.46 user 0.73 sys 0.17\n"
    assert load("house_formats", "timed_command:TimedCommandParser").sniff(text, "") == 0.9


# Founding document 003: `time nm /dev/ksyms | wc -l` while /tmp fills and swap runs out.
NM = [
    (0.803, 0.732, 0.166),
    (0.799, 0.736, 0.162),
    (0.775, 0.744, 0.169),
    (0.837, 0.736, 0.168),
    (0.763, 0.736, 0.166),
    (48.465, 0.738, 0.176),
    (47.474, 0.744, 0.171),
]


def test_nm_of_the_founding_document(timed):
    """The figures rise sixty-fold where the swap space ends."""
    text = "".join(
        STAMP.format(minute)
        + f"   35039\n\nreal    0m{real:.3f}s\nuser    0m{user:.3f}s\nsys     0m{system:.3f}s\n@exit 0\n"
        for minute, (real, user, system) in enumerate(NM)
    )
    reading = timed(text.encode())
    for column, name in enumerate(("real_s", "user_s", "sys_s")):
        assert reading.values("timed", name) == [row[column] for row in NM]
    assert reading.values("timed", "exit_status") == [0.0] * 7
    assert reading.times("timed", "real_s")[5] == "2026-11-21 00:05:00"
    assert reading.skipped() == {"command_output": 7}
    assert max(reading.values("timed", "real_s")) / NM[0][0] == pytest.approx(60.36, abs=0.01)


def test_mkfile_of_the_founding_document(timed):
    """Document 000: mkfile 500m with maxcontig 6 and 128, ksh88's minutes; 3.1 times as fast."""
    before = "real    1m26.18s\nuser    0m0.11s\nsys     0m5.21s\n"
    after = "real    0m27.59s\nuser    0m0.14s\nsys     0m5.77s\n"
    reading = timed((STAMP.format(0) + before + STAMP.format(5) + after).encode())
    real = reading.values("timed", "real_s")
    assert real == pytest.approx([86.18, 27.59])
    assert real[0] / real[1] == pytest.approx(3.1236, abs=1e-4)
    assert reading.values("timed", "sys_s") == [5.21, 5.77]


def test_runs_without_stamps_are_told_apart(timed):
    text = "real 1.00\nuser 0.10\nsys 0.20\nreal 2.00\nuser 0.30\nsys 0.40\n"
    reading = timed(text.encode(), interval_s=60.0)
    assert reading.values("timed", "real_s") == [1.0, 2.0]
    assert reading.values("timed", "user_s") == [0.1, 0.3]
    first, second = reading.of("timed", "real_s")
    assert (second.time_ns - first.time_ns) == 60 * 10**9
    assert (first.line, second.line) == (1, 4)


@pytest.mark.parametrize(
    ("line", "status"),
    [("@exit 3", 3.0), ("Command exited with non-zero status 1", 1.0), ("Command terminated by signal 9", 137.0)],
)
def test_exit_status(timed, line, status):
    reading = timed(f"{STAMP.format(0)}real 1.00\nuser 0.10\nsys 0.20\n{line}\n".encode())
    assert reading.values("timed", "exit_status") == [status]


def test_gnu_time_in_full(timed):
    reading = timed((FIXTURES / "time-gnu-v.txt").read_bytes())
    assert figures(reading) == (0.18, 0.15, 0.0)
    assert reading.values("timed", "exit_status") == [0.0]
    assert reading.values("timed_resources", "max_resident_kb") == [1872.0]
    assert reading.values("timed_resources", "minor_faults") == [215.0]
    assert reading.values("timed_resources", "involuntary_switches") == [38.0]
    assert reading.skipped() == {}


def test_gnu_time_in_short(timed):
    reading = timed((FIXTURES / "time-gnu.txt").read_bytes())
    assert figures(reading) == (0.18, 0.16, 0.0)
    assert reading.values("timed_resources", "minor_faults") == [213.0]


def test_sniffing_leaves_prose_and_other_tools_alone(load):
    parser = load("house_formats", "timed_command:TimedCommandParser")
    assert parser.sniff(b"real 0.80\nuser 0.73\nsys 0.17\n", "") > 0.8
    assert parser.sniff(b"real estate\nuser manual\nsys admin\n", "") == 0.0
    assert parser.sniff(b"real 0.80\n", "") == 0.0
