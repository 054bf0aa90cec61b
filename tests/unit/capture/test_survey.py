"""What hosts say of themselves, and how far their clocks are."""

from __future__ import annotations

import shutil
import subprocess
import time

import pytest

from tunebench.capture.clock import measure_clock
from tunebench.capture.house_commands import clock_line, read_leftovers, read_overhead, survey_line
from tunebench.capture.survey import Refusal, moment_ns, read_answers, read_survey, recognise_refusal
from tunebench.domain.capturing.run import ClockCheck
from tunebench.transport.ssh.link import Finished

NOON_NS = 1_795_229_280_000_000_000  # date -d 2026-11-21T02:48:00Z +%s

SOLARIS = b"""Last login: Fri
@survey hostname=sol10
@survey os=SunOS
@survey release=5.10
@survey version=Generic_147147-26
@survey os_release=Oracle Solaris 10 1/13 s10s_u11wos_24a SPARC
@survey cpus=      64
noise@survey login_shell=/bin/csh
@survey utc=1795229280.250000
@survey local=2026-11-21T11:48:00
@survey zone=KST
@survey tz=ROK
@survey tzfile=TZ="Asia/Seoul"
@survey boot=   .       system boot  Nov 01 10:22
@survey group=own
@survey perl=5.008004
@survey tmp_kb=swap 41943040 1024 41942016 1% /tmp
@survey file_limit=unlimited
@survey tool.kstat=/usr/bin/kstat
@survey end=1
"""


def sent(line: str, shell: str = "sh") -> Finished:
    done = subprocess.run([shell, "-c", line], capture_output=True, timeout=20, start_new_session=True)
    return Finished(done.stdout, done.stderr, done.returncode)


def test_a_solaris_answer() -> None:
    found = read_survey(SOLARIS)
    assert (found.hostname, found.os, found.kernel, found.cpu_count) == ("sol10", "sunos", "5.10", 64)
    assert found.os_version.startswith("Oracle Solaris 10 1/13")
    assert (found.zone, found.utc_offset_s) == ("Asia/Seoul", 9 * 3600)
    assert (found.has_perl, found.own_group, found.login_shell) == (True, True, "/bin/csh")
    assert found.free_tmp_bytes == 41942016 * 1024
    assert found.max_file_bytes is None
    assert found.tools == {"kstat": "/usr/bin/kstat"}
    assert found.kills_user_processes is None


def test_what_is_missing_stays_empty() -> None:
    found = read_survey(b"command not found\n")
    assert (found.os, found.cpu_count, found.utc_offset_s, found.complete) == ("", None, None, False)


def test_facts_that_change_what_is_possible() -> None:
    assert read_survey(b"@survey kills=b true\n").kills_user_processes is True
    assert read_survey(b"@survey kills=KillUserProcesses=no\n").kills_user_processes is False
    assert read_survey(b"@survey kills=b true\n@survey linger=oracle\n").kills_user_processes is False
    assert read_survey(b"@survey group=other\n").own_group is False
    assert read_survey(b"@survey file_limit=2048\n").max_file_bytes == 1 << 20
    assert read_survey(b"@survey os=AIX\n@survey version=7\n@survey release=2\n").os_version == "7.2"
    assert read_survey(b"@survey os=HP-UX\n").os == "hp-ux"


@pytest.mark.parametrize("shell", ["dash", "bash", "ksh93", "mksh", "yash", "posh", "tcsh"])
def test_this_machine_as_every_shell_tells_it(shell: str) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    finished = sent(survey_line("1a2b3c4d", ("sed", "no-such-tool")), shell)
    found = read_survey(finished.stdout)
    assert finished.stderr == b""
    assert found.complete
    assert found.hostname == subprocess.run(["uname", "-n"], capture_output=True, text=True, check=True).stdout.strip()
    assert found.tools == {"sed": shutil.which("sed", path=found.path)}
    assert found.free_tmp_bytes is not None


@pytest.mark.parametrize(
    ("out", "err", "expected"),
    [
        (b"", b"rbash: line 1: exec: restricted\n", Refusal.RESTRICTED),
        (b"This account is currently not available.\n", b"", Refusal.NO_LOGIN),
        (b"", b"", Refusal.NO_SHELL),
        (b"@survey end=1\n", b"restricted", None),
    ],
)
def test_refusals(out: bytes, err: bytes, expected: Refusal | None) -> None:
    assert recognise_refusal(Finished(out, err, 1)) is expected


def test_times_in_seconds_are_times_too() -> None:
    assert moment_ns("1795229280.25") == NOON_NS + 250_000_000
    assert moment_ns("N") is None


def clock(answers: list[tuple[int, bytes]], sent_ns: int = NOON_NS) -> ClockCheck | None:
    """Round trips of given lengths; the server answers whatever is given."""
    trips = iter(answers)
    now = [sent_ns]

    def run(line: str) -> Finished:
        length_ns, told = next(trips)
        now[0] += length_ns
        return Finished(told, b"", 0)

    return measure_clock(run, "line", lambda: now[0], rounds=len(answers), host="db01")


def test_the_shortest_round_trip_counts() -> None:
    millisecond = 1_000_000
    found = clock(
        [
            (400 * millisecond, b"@survey utc=2026-11-21T02:48:09Z\n"),
            (10 * millisecond, b"noise\n@survey utc=2026-11-21T02:53:00.405Z\n@survey zone=KST\n@survey boot=b1\n"),
            (200 * millisecond, b"@survey utc=2026-11-21T02:48:09Z\n"),
        ]
    )
    assert found is not None
    assert (found.host, found.zone, found.boot_id) == ("db01", "KST", "b1")
    assert found.offset_ns == 300 * 10**9  # 02:53:00.405 against 02:48:00.405
    assert found.error_ns == 5 * millisecond


@pytest.mark.parametrize(
    ("second", "offset_ns", "error_ns"),
    [
        ("00", 499_000_000, 501_000_000),
        ("01", 1_499_000_000, 501_000_000),
        ("00.500", 499_000_000, 1_000_000),
        ("01.500", 1_499_000_000, 1_000_000),
    ],
)
def test_whole_seconds_cost_half_a_second(second: str, offset_ns: int, error_ns: int) -> None:
    """Asked at 02:48:00, answered 2 ms later."""
    found = clock([(2_000_000, f"@survey utc=2026-11-21T02:48:{second}Z\n".encode())])
    assert found is not None
    assert (found.offset_ns, found.error_ns) == (offset_ns, error_ns)
    assert found.taken_at == "2026-11-21T02:48:00.001+00:00"


def test_half_of_an_odd_round_trip_is_never_too_little() -> None:
    found = clock([(3, b"@survey utc=2026-11-21T02:48:00.250Z\n")])
    assert found is not None
    for read_after_ns in (0, 3):
        assert abs(found.offset_ns - (250_000_000 - read_after_ns)) <= found.error_ns == 2


def test_a_host_that_tells_no_time() -> None:
    assert clock([(1, b"date: illegal option\n")]) is None


@pytest.mark.parametrize("os", ["linux", "sunos"])
def test_this_machines_clock_is_its_own(os: str) -> None:

    found = measure_clock(sent, clock_line("1a2b3c4d", os), time.time_ns, rounds=3)
    assert found is not None
    assert abs(found.offset_ns) <= found.error_ns
    assert found.boot_id == read_answers(sent(clock_line("1a2b3c4d", os)).stdout)["boot"] != ""


def test_answers_about_our_own_processes() -> None:
    assert read_leftovers(b"motd\nleft-end\n") == []
    assert read_leftovers(b"left pgid=7 pid=8 vmstat 1\nleft-end\n") == ["pgid=7 pid=8 vmstat 1"]
    assert read_leftovers(b"left pgid=7 pid=8 vmstat 1\n") is None
    text = (
        b"@tunebench at 2026-11-21T02:48:00Z\n  77  78 00:01:02 sh -c : cap\n  77  79 1-02:00:03 vmstat 1\n"
        b"@tunebench at 2026-11-21T02:49:00Z\n  77  78    0:05.50 sh\n"
    )
    first, second = read_overhead(text)
    assert (first.moment_ns, first.processes, first.cpu_s) == (NOON_NS, 2, 62 + 26 * 3600 + 3)
    assert (second.moment_ns - NOON_NS, second.cpu_s) == (60 * 10**9, 5.5)
