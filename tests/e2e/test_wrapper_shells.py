"""The wrapper against a real server: whatever shell runs it and however it ends, nothing is left, and every byte told."""

from __future__ import annotations

import os
import secrets
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.accounts_rig import Accounts
from tests.e2e.processes import marked
from tests.e2e.sshd_rig import Sshd
from tests.waiting import let_time_pass, wait_until
from tunebench.capture.frames import STAMP, Begin, Data, End, Frame, FrameReader, Over, Preamble
from tunebench.capture.house_commands import leftovers_line, overhead_line, read_leftovers, read_overhead, survey_line
from tunebench.capture.survey import Refusal, read_survey, recognise_refusal
from tunebench.capture.wrapper import stop_by_hand, wrap
from tunebench.domain.capturing.plan import CommandKind
from tunebench.transport.ssh.link import Finished

pytestmark = pytest.mark.alone  # commands are counted by the second

NONCE = secrets.token_hex(4)  # processes are found by it
MARK = f"TUNEBENCH=cap{NONCE}"
SHELLS = ("dash", "bash", "ksh93", "mksh", "yash", "posh", "busybox")
LOGIN_SHELLS = ("bash", "ksh", "tcsh")


def wrapped(line: str, **changes: Any) -> str:
    facts: dict[str, Any] = {"command_id": "db01/linux.tool", "nonce": NONCE, "os": "linux", "kind": CommandKind.STREAM}
    return wrap(line, **{**facts, **changes})


class Client:
    """The system's ssh with one command; its input stays open until `stop`."""

    def __init__(self, sshd: Sshd, command: str, user: str = "") -> None:
        self.process = subprocess.Popen(
            [
                "ssh",
                "-F",
                "none",
                "-p",
                str(sshd.port),
                "-i",
                str(sshd.user_key),
                "-o",
                "IdentitiesOnly=yes",
                "-o",
                "BatchMode=yes",
                "-o",
                f"UserKnownHostsFile={sshd.known_hosts}",
                "-o",
                "GlobalKnownHostsFile=none",
                f"{user or sshd.user}@{sshd.address}",
                command,
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self._heard = b""

    def finish(self) -> Finished:
        out, err = self.process.communicate(timeout=20)
        return Finished(self._heard + out, err, self.process.returncode)

    def hear(self, count: int, mark: bytes) -> None:
        """Reads until the command has printed `mark` so often."""
        assert self.process.stdout is not None
        while self._heard.count(mark) < count:
            more = os.read(self.process.stdout.fileno(), 65_536)
            assert more, "the command ended before"
            self._heard += more

    def wait(self) -> Finished:
        """To the command's own end, with the input open all the while."""
        assert self.process.stdout is not None
        out = self.process.stdout.read()
        self.process.wait(20)
        rest, err = self.process.communicate()
        return Finished(out + rest, err, self.process.returncode)

    def renew(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(b".")
        self.process.stdin.flush()

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate(timeout=10)


@pytest.fixture
def clients(sshd: Sshd) -> Iterator[Callable[..., Client]]:
    made: list[Client] = []

    def start(command: str, user: str = "") -> Client:
        made.append(Client(sshd, command, user))
        return made[-1]

    yield start
    for client in made:
        if client.process.poll() is None:
            client.kill()


@pytest.fixture(params=SHELLS)
def shell(request: pytest.FixtureRequest, sshd: Sshd) -> str:
    """What ``sh`` is on the server."""
    found = shutil.which(request.param)
    if found is None:
        pytest.skip(f"{request.param} is not installed")
    (sshd.tools / "sh").symlink_to(found)
    return str(request.param)


@pytest.fixture(params=["perl", "no perl"])
def with_perl(request: pytest.FixtureRequest, sshd: Sshd) -> bool:
    if request.param == "no perl":
        sshd.tool("perl", "exit 127")
    elif shutil.which("perl") is None:
        pytest.skip("perl is not installed")
    return request.param == "perl"


def ours() -> list[int]:
    return marked(MARK)


def runs(number: int = 1) -> bool:
    """Whether so many commands run: the script, its part that runs the tool, the tool and the watcher of each."""
    begun = wait_until(lambda: len(ours()) >= 3 * number)
    let_time_pass(0.3, "each of them has set its traps")
    return begun


def gone(within_s: float = 10.0) -> bool:
    return wait_until(lambda: not ours(), within_s, 0.01)


def frames_of(finished: Finished) -> list[Frame]:
    reader = FrameReader(NONCE)
    return reader.feed(finished.stdout) + reader.finish()


def data_of(finished: Finished) -> bytes:
    return b"".join(frame.data for frame in frames_of(finished) if isinstance(frame, Data))


def end_of(finished: Finished) -> End:
    (end,) = (frame for frame in frames_of(finished) if isinstance(frame, End))
    return end


def is_over(finished: Finished) -> bool:
    return any(isinstance(frame, Over) for frame in frames_of(finished))


def test_a_tools_own_end_in_every_shell(shell: str, with_perl: bool, clients: Callable[..., Client]) -> None:
    finished = clients(wrapped("printf 'a\\nit'\"'\"'s b!'; exit 3", environment={"LC_ALL": "C"})).wait()
    assert data_of(finished) == b"a\nit's b!"
    assert (finished.exit_status, end_of(finished).exit_status, is_over(finished)) == (3, 3, True)
    assert end_of(finished).cpu_s is not None
    assert finished.stderr == b""
    assert gone()


def test_the_end_of_the_input_stops_the_tool_in_every_shell(
    shell: str, with_perl: bool, clients: Callable[..., Client]
) -> None:
    client = clients(wrapped("iostat 20"))
    assert runs()
    started = time.monotonic()
    finished = client.finish()
    assert gone()
    assert time.monotonic() - started < 15
    assert (end_of(finished).exit_status, is_over(finished)) == (143, True)
    assert b"Linux" in data_of(finished)


def test_a_killed_client_leaves_nothing_in_any_shell(
    shell: str, with_perl: bool, clients: Callable[..., Client], tmp_path: Path
) -> None:
    if shutil.which("sar") is None:
        pytest.skip("sysstat is not installed")
    for line in ("iostat 20", f"sar -o {tmp_path}/sa 1 100 >/dev/null", "vmstat 1 >/dev/null"):
        client = clients(wrapped(line))
        assert runs()
        client.kill()
        assert gone(), line


def test_a_loop_keeps_its_rhythm_in_every_shell(shell: str, clients: Callable[..., Client]) -> None:
    loop = wrapped("sleep .3; echo x", kind=CommandKind.LOOP, interval_s=0.5, count=4)
    began = time.monotonic()
    data = data_of(clients(loop).wait())
    assert 1.8 <= time.monotonic() - began < 10
    assert data.count(b"@tunebench at ") == data.count(b"x\n") == 4
    seconds = [float(line[31:37]) for line in data.splitlines() if line.startswith(b"@tunebench at ")]
    steps = [(b - a) % 60 for a, b in pairwise(seconds)]
    # a busy machine may leave out a beat, and the next one comes on the beat again: the rhythm does not drift
    assert all(step == pytest.approx(0.5 * max(round(step / 0.5), 1), abs=0.15) for step in steps), steps


@pytest.mark.parametrize("login", LOGIN_SHELLS)
def test_every_login_shell_passes_the_line_on(login: str, accounts: Accounts, clients: Callable[..., Client]) -> None:
    path = shutil.which(login)
    if path is None:
        pytest.skip(f"{login} is not installed")
    user = accounts.add(path).name
    finished = clients(wrapped("echo 'it''s'; echo $HOME | wc -l; echo !5 \"!!\"", os=""), user).wait()
    assert data_of(finished) == b"its\n1\n!5 !!\n"
    survey = read_survey(clients(survey_line(NONCE, ("vmstat",)), user).wait().stdout)
    assert (survey.complete, survey.own_group, survey.login_shell) == (True, True, path)
    client = clients(wrapped("vmstat 1 >/dev/null"), user)
    assert runs()
    client.kill()
    assert gone()


@pytest.mark.parametrize(
    ("name", "refusal"), [("rbash", Refusal.RESTRICTED), ("nologin", Refusal.NO_LOGIN), ("false", Refusal.NO_SHELL)]
)
def test_an_account_without_a_usable_shell_is_recognised(
    name: str, refusal: Refusal, accounts: Accounts, clients: Callable[..., Client]
) -> None:
    path = shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin:/sbin")
    if path is None:
        pytest.skip(f"{name} is not installed")
    user = accounts.add(path).name
    assert recognise_refusal(clients(wrapped("vmstat"), user).wait()) is refusal


def test_a_working_shell_is_no_refusal(clients: Callable[..., Client]) -> None:
    assert recognise_refusal(clients(wrapped("exit 1")).wait()) is None


def test_the_lease_ends_a_silent_client_and_only_that(clients: Callable[..., Client]) -> None:
    if shutil.which("perl") is None:
        pytest.skip("the lease needs perl")
    silent, living = (clients(wrapped("vmstat 1", lease_s=2)) for _ in range(2))
    for _ in range(8):
        let_time_pass(0.5, "a living client renews its lease so often")
        living.renew()
    assert silent.process.poll() == 143
    assert living.process.poll() is None
    finished = silent.finish()
    assert (end_of(finished).exit_status, is_over(finished)) == (143, True)
    living.finish()
    assert gone()


def test_of_two_streams_the_other_goes_on(clients: Callable[..., Client]) -> None:
    one, other = clients(wrapped("vmstat 1")), clients(wrapped("iostat 1"))
    assert runs(2)
    one.finish()
    let_time_pass(0.5, "the end of one would have ended the other by now")
    assert other.process.poll() is None
    left = read_leftovers(clients(wrapped(leftovers_line(NONCE, "linux"), kind=CommandKind.HOUSE)).wait().stdout)
    assert left
    assert any("iostat" in line for line in left)
    assert not any("vmstat" in line for line in left)
    assert b"Linux" in data_of(other.finish())
    assert gone()
    nothing = clients(wrapped(leftovers_line(NONCE, "linux"), kind=CommandKind.HOUSE)).wait()
    assert read_leftovers(data_of(nothing)) == []


@pytest.mark.parametrize("line", ["trap '' 15; while :; do sleep 1; done", "sh -c 'trap \"\" 15; sleep 60; sleep 60'"])
def test_a_tool_that_ignores_the_signal_is_killed(line: str, clients: Callable[..., Client]) -> None:
    client = clients(wrapped(line))
    assert runs()
    finished = client.finish()
    assert gone()
    assert is_over(finished)


def test_an_administrator_ends_everything_by_hand(clients: Callable[..., Client]) -> None:
    client = clients(wrapped("vmstat 1"))
    assert runs()
    subprocess.run(["sh", "-c", stop_by_hand(NONCE, "linux")], check=True, timeout=10, start_new_session=True)
    finished = client.wait()
    assert (end_of(finished).exit_status, is_over(finished)) == (143, True)
    assert gone()


def test_noise_of_the_login_is_preamble(make_sshd: Callable[..., Sshd]) -> None:
    noise = "환영합니다\n".encode("euc-kr") + b"no newline"
    sshd = make_sshd()
    (sshd.home / ".bashrc").write_bytes(b"printf '%s' '" + noise + b"'\n")
    (sshd.home / ".kshrc").write_bytes(b"printf '%s' '" + noise + b"'\n")
    sshd.start(environment={"LANG": "ko_KR.EUC-KR", "BASH_ENV": str(sshd.home / ".bashrc")}, own_home=True)
    line = wrapped("printf '\\307\\321\\n'")
    finished = Client(sshd, line).wait()
    assert data_of(finished) == b"\xc7\xd1\n"
    preamble = b"".join(frame.data for frame in frames_of(finished) if isinstance(frame, Preamble))
    assert preamble in (b"", noise, noise * 2, noise * 3)
    assert next(frame for frame in frames_of(finished) if isinstance(frame, Begin)).command_id == "db01/linux.tool"
    assert read_survey(Client(sshd, survey_line(NONCE)).wait().stdout).locale == "ko_KR.EUC-KR"


def test_a_tool_that_is_not_there_says_so(clients: Callable[..., Client]) -> None:
    for kind in (CommandKind.STREAM, CommandKind.LOOP):
        finished = clients(wrapped("no-such-tool 1", kind=kind, interval_s=1)).wait()
        assert end_of(finished).exit_status == 127
        assert b"no-such-tool" in finished.stderr


def test_the_overhead_is_told_until_it_is_stopped(clients: Callable[..., Client]) -> None:
    client = clients(wrapped(overhead_line(NONCE, "linux", 1), kind=CommandKind.HOUSE))
    client.hear(3, STAMP)
    readings = read_overhead(data_of(client.finish()))
    assert len(readings) >= 2
    assert all(reading.processes >= 2 for reading in readings[:-1])  # the last look may be cut off
    assert gone()


def test_the_overhead_is_that_of_everything_we_started_and_of_nothing_else(clients: Callable[..., Client]) -> None:
    """A child that spins for one second of processor time, waited for by its shell before we look again."""
    busy = clients(wrapped("sh -c 'ulimit -t 1; while :;do :;done'; echo spent; sleep 30"))
    assert busy.process.stdout is not None
    while busy.process.stdout.readline() not in (b"spent\n", b""):  # it may be slow to get its second
        pass
    client = clients(wrapped(overhead_line(NONCE, "linux", 1), kind=CommandKind.HOUSE))
    client.hear(3, STAMP)
    readings = read_overhead(data_of(client.finish()))
    busy.finish()
    # the kernel ends it by ticks that it met at work, which may be few of a busy machine's; the last look may be cut off
    assert 0.6 <= max(reading.cpu_s for reading in readings) <= 1.6
    assert gone()


def test_the_system_folders_are_in_the_path(sshd: Sshd) -> None:
    sshd.restart("SetEnv PATH=/usr/bin:/bin")
    finished = Client(sshd, wrapped("command -v sshd; echo $PATH")).wait()
    assert b"/usr/sbin" in data_of(finished)
