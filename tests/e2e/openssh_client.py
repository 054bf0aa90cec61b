"""What the tests of the system's ssh share: a client that leaves nothing behind, and those it talks to."""

from __future__ import annotations

import os
import shutil
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.processes import command_line, descendants
from tests.waiting import wait_until
from tunebench.core.messages import catalogue
from tunebench.domain.connection import AcceptedKey, HostKeyQuestion, HostProfile, PromptsQuestion, SecretQuestion
from tunebench.transport.ssh.link import LinkError, LinkSettings, LossCause
from tunebench.transport.ssh.openssh_backend import OpenSshConnector
from tunebench.transport.ssh.openssh_link import OpenSshLink
from tunebench.transport.ssh.resolve import resolve

needs_ssh = pytest.mark.skipif(shutil.which("ssh") is None, reason="no OpenSSH client (ssh) on this machine")


class Person:
    """Answers as told and remembers what was asked."""

    def __init__(self, *, accepts: bool = False, secret: str | None = None, code: str | None = None) -> None:
        self.accepts, self.given, self.code = accepts, secret, code
        self.host_keys: list[HostKeyQuestion] = []
        self.secrets: list[SecretQuestion] = []
        self.prompts: list[PromptsQuestion] = []

    def accepts_host_key(self, question: HostKeyQuestion) -> bool:
        self.host_keys.append(question)
        return self.accepts

    def secret(self, question: SecretQuestion) -> str | None:
        self.secrets.append(question)
        return self.given

    def answers(self, question: PromptsQuestion) -> list[str] | None:
        self.prompts.append(question)
        return None if self.code is None else [self.code]


class Watcher:
    def __init__(self) -> None:
        self.round_trips_s: list[float] = []
        self.losses: list[tuple[LossCause, str, float]] = []
        self.lost = threading.Event()

    def link_lost(self, cause: LossCause, detail: str) -> None:
        self.losses.append((cause, detail, time.monotonic()))
        self.lost.set()

    def probe_answered(self, round_trip_s: float) -> None:
        self.round_trips_s.append(round_trip_s)


class Sink:
    def __init__(self) -> None:
        self.data, self.errors = bytearray(), bytearray()
        self.end: tuple[int | None, str, LossCause | None] | None = None
        self.done = threading.Event()
        self.arrived_ns: list[int] = []

    def received(self, data: bytes, arrived_ns: int) -> None:
        self.data += data
        self.arrived_ns.append(arrived_ns)

    def complained(self, data: bytes, arrived_ns: int) -> None:
        self.errors += data

    def ended(self, exit_status: int | None, signal: str, loss: LossCause | None) -> None:
        assert self.end is None
        self.end = (exit_status, signal, loss)
        self.done.set()


class Client:
    """Connects with the system's ssh and closes what it opened."""

    def __init__(self) -> None:
        self.links: list[OpenSshLink] = []
        self.watcher = Watcher()
        self.accepted: list[AcceptedKey] = []
        self.connector = OpenSshConnector(lambda: self.accepted)

    def connect(
        self, profile: HostProfile, person: Person | None = None, others: tuple[HostProfile, ...] = (), **settings: Any
    ) -> OpenSshLink:
        host = resolve(profile, others)
        link = self.connector.connect(host, person or Person(), self.watcher, LinkSettings(**settings))
        self.links.append(link)
        return link

    def refused(self, profile: HostProfile, person: Person | None = None, **named: Any) -> LinkError:
        with pytest.raises(LinkError) as caught:
            self.connect(profile, person, **named)
        for language in ("ko", "en"):
            sentence = catalogue(language).text(f"error.ssh.{caught.value.key}", **caught.value.facts)
            assert not set(sentence) & set("{}⟨⟩"), sentence
        return caught.value

    def close(self) -> None:
        for link in self.links:
            link.close()


@contextmanager
def own_temporary_folder(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The connections' folders lie below one of the test's own, so that a forgotten one is seen."""
    folder = Path(tempfile.mkdtemp(prefix="tbt-", dir="/tmp"))
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def clean_client(folder: Path) -> Iterator[Client]:
    client = Client()
    yield client
    client.close()
    assert wait_until(lambda: not our_processes() and not left_in(folder))


def our_processes(ancestor: int = 0) -> list[str]:
    lines = [command_line(process.pid) for process in descendants(ancestor or os.getpid())]
    return [line for line in lines if line.startswith(("ssh ", "/usr/bin/ssh ")) or "tunebench-guard" in line]


def left_in(folder: Path) -> list[str]:
    """The folders of connections."""
    return [path.name for path in folder.iterdir() if path.name.startswith("tunebench-link-")]
