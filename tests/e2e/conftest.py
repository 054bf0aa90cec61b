"""The command line as a person uses it, in this process: words in; exit code, stdout and stderr out."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.e2e import accounts_rig, network_rig, sshd_rig
from tests.e2e.accounts_rig import Accounts
from tests.e2e.network_rig import Network
from tests.e2e.ssh_people import Desk
from tests.e2e.sshd_rig import Sshd
from tests.program import compose, forget_approvers, main


@dataclass(frozen=True)
class Answer:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Command = Callable[..., Answer]


@pytest.fixture
def tunebench(capfd: pytest.CaptureFixture[str]) -> Iterator[Command]:
    def run(*words: object) -> Answer:
        capfd.readouterr()
        try:
            code = main([*(str(word) for word in words)])
        except SystemExit as stop:  # argparse
            code = int(stop.code or 0)
        captured = capfd.readouterr()
        return Answer(code, captured.out, captured.err)

    yield run
    compose()  # the plug-ins that the verbs found may be of a folder that was this test's own


def say(*words: object) -> None:
    """A command that is carried out, for what is made once for many tests."""
    assert main([str(word) for word in words]) == 0


@pytest.fixture(scope="session")
def new_project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `project` is a copy of: nobody writes into it."""
    path = tmp_path_factory.mktemp("new") / "acme.tune"
    say("new", path, "--customer", "ACME", "--zone", "Asia/Seoul", "--lang", "en")
    return path


@pytest.fixture
def project(tmp_path: Path, new_project: Path) -> Path:
    """A new engagement without anything in it."""
    forget_approvers()
    return Path(shutil.copy(new_project, tmp_path / "acme.tune"))


IOSTAT_BLOCK = """{stamp}
avg-cpu:  %user   %nice %system %iowait  %steal   %idle
          {user:5.2f}    0.00    2.00    1.00    0.00   {idle:5.2f}

Device            r/s     rkB/s   await  %util
sda            {reads:6.2f}   {kilobytes:7.2f}    1.25  10.00

"""


def iostat_capture(day: str, minutes: int, user: float, reads: float) -> str:
    """A small `iostat -xt` text of one-minute blocks from 09:00 on, written by hand so that its figures are known."""
    text = f"Linux 5.10.0-8 (db01) \t{day} \t_x86_64_\t(4 CPU)\n\n"
    for minute in range(minutes):
        text += IOSTAT_BLOCK.format(
            stamp=f"{day}T09:{minute:02d}:00+0900",
            user=user + minute,
            idle=97 - user - minute,
            reads=reads * (minute + 1),
            kilobytes=reads * 8 * (minute + 1),
        )
    return text


def _skip_where(reason: str) -> None:
    if reason:
        pytest.skip(reason)


@pytest.fixture
def make_sshd() -> Iterator[Callable[..., Sshd]]:
    """Servers that the test starts itself, with `Sshd`'s own arguments."""
    _skip_where(sshd_rig.missing())
    made: list[Sshd] = []

    def make(*arguments: Any, **named: Any) -> Sshd:
        made.append(Sshd(*arguments, **named))
        return made[-1]

    yield make
    for server in made:
        server.remove()


@pytest.fixture
def sshd(make_sshd: Callable[..., Sshd]) -> Sshd:
    """A running server on 127.0.0.1 with stock limits; `sshd.restart(options...)` changes it."""
    return make_sshd().start()


@pytest.fixture
def accounts(sshd: Sshd) -> Iterator[Accounts]:
    """Temporary accounts of this machine, reachable through `sshd`."""
    _skip_where(accounts_rig.missing())
    accounts = Accounts(sshd)
    yield accounts
    accounts.remove()


@pytest.fixture
def network() -> Iterator[Network]:
    """A network that may be cut off; start the server in it: ``make_sshd(network.address, network.prefix)``."""
    _skip_where(network_rig.missing())
    try:
        network = Network()
    except RuntimeError as failure:
        pytest.skip(f"no network namespace here: {failure}")
    yield network
    network.remove()


@pytest.fixture
def desk() -> Iterator[Desk]:
    """Opens links; every one is closed at the end."""
    desk = Desk()
    yield desk
    desk.close()
