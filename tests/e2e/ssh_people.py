"""Stand-ins for whoever uses a link: a person with prepared answers, a watcher, and sinks that keep everything."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from tests.waiting import wait_until
from tunebench.domain.connection import AcceptedKey, HostKeyQuestion, HostProfile, PromptsQuestion, SecretQuestion
from tunebench.transport.ssh import connector_for
from tunebench.transport.ssh.link import Connector, Link, LinkSettings, LossCause
from tunebench.transport.ssh.resolve import resolve


class Person:
    """Says yes to host keys if told so, gives the secrets in order, then nothing; remembers what was asked."""

    def __init__(self, accepts: bool = False, secrets: Sequence[str | None] = (), answers: Sequence[str] | None = None):
        self.accepts, self.secrets_left, self.prepared = accepts, list(secrets), answers
        self.host_keys: list[HostKeyQuestion] = []
        self.secrets: list[SecretQuestion] = []
        self.forms: list[PromptsQuestion] = []

    def accepts_host_key(self, question: HostKeyQuestion) -> bool:
        self.host_keys.append(question)
        return self.accepts

    def secret(self, question: SecretQuestion) -> str | None:
        self.secrets.append(question)
        return self.secrets_left.pop(0) if self.secrets_left else None

    def answers(self, question: PromptsQuestion) -> Sequence[str] | None:
        self.forms.append(question)
        return self.prepared

    @property
    def asked(self) -> int:
        return len(self.host_keys) + len(self.secrets) + len(self.forms)


class Watcher:
    def __init__(self) -> None:
        self.losses: list[tuple[LossCause, str]] = []
        self.lost_at = 0.0
        self.round_trips: list[float] = []
        self.lost = threading.Event()

    def link_lost(self, cause: LossCause, detail: str) -> None:
        self.losses.append((cause, detail))
        self.lost_at = time.monotonic()
        self.lost.set()

    def probe_answered(self, round_trip_s: float) -> None:
        self.round_trips.append(round_trip_s)


class Sink:
    """Keeps bytes, arrival times and how it ended; `on_data` may hold it up."""

    def __init__(self, on_data: Callable[[bytes], object] | None = None) -> None:
        self.out, self.err = bytearray(), bytearray()
        self.arrivals: list[float] = []
        self.ends: list[tuple[int | None, str, LossCause | None]] = []
        self.done = threading.Event()
        self._on_data = on_data

    def received(self, data: bytes, arrived_ns: int) -> None:
        self.out += data
        self.arrivals.append(time.monotonic())
        if self._on_data:
            self._on_data(data)

    def complained(self, data: bytes, arrived_ns: int) -> None:
        self.err += data

    def ended(self, exit_status: int | None, signal: str, loss: LossCause | None) -> None:
        self.ends.append((exit_status, signal, loss))
        self.done.set()

    @property
    def end(self) -> tuple[int | None, str, LossCause | None]:
        assert len(self.ends) == 1, self.ends
        return self.ends[0]

    def longest_gap_s(self) -> float:
        return max((b - a for a, b in zip(self.arrivals, self.arrivals[1:], strict=False)), default=0.0)


class Desk:
    """Opens links and closes them all at the end."""

    def __init__(self) -> None:
        self.links: list[Link] = []
        self.accepted: list[AcceptedKey] = []
        self.watcher = Watcher()
        self.connector: Connector = connector_for(HostProfile("", "").backend, lambda: self.accepted)

    def open(
        self,
        profile: HostProfile,
        person: Person | None = None,
        settings: LinkSettings | None = None,
        watcher: Watcher | None = None,
        profiles: Sequence[HostProfile] = (),
        connector: Connector | None = None,
    ) -> Link:
        link = (connector or self.connector).connect(
            resolve(profile, profiles), person or Person(), watcher or self.watcher, settings or LinkSettings()
        )
        self.links.append(link)
        return link

    def close(self) -> None:
        """Nothing of a link may outlive it; a person's late answer and the system's resolver may."""
        for link in self.links:
            link.close()
        assert wait_until(lambda: not ssh_threads()), ssh_threads()


def ssh_threads() -> list[str]:
    ours = (thread.name for thread in threading.enumerate() if thread.name.startswith("ssh-"))
    return [name for name in ours if name not in {"ssh-question", "ssh-resolver"}]


def open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))
