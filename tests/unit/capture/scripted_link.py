"""A host that does what a test says, behind the same interface as a real connection."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from tunebench.domain.connection import HostProfile, ResolvedHost
from tunebench.transport.ssh.link import (
    Finished,
    LinkError,
    LinkFacts,
    LinkSettings,
    LinkWatcher,
    LossCause,
    Prompter,
    StreamSink,
)

NONCE = "0011aabb"


def begin(command_id: str, pid: int = 4711, utc: str = "") -> bytes:
    utc = utc or time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    local = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime())
    return f"@tunebench {NONCE} begin id={command_id} pid={pid} interval=1 utc={utc} local={local} zone=UTC\n".encode()


def end(exit_status: int = 0) -> bytes:
    utc = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    return (
        f"\n@tunebench {NONCE} end exit={exit_status} utc={utc}\n"
        f"0m0.010s 0m0.020s\n0m0.100s 0m0.070s\n@tunebench {NONCE} over\n"
    ).encode()


class Play:
    """One running command: what a script may do with it."""

    def __init__(self, link: ScriptedLink, command: str, sink: StreamSink) -> None:
        self.link, self.command, self.sink = link, command, sink
        self.stopped, self.gone = threading.Event(), threading.Event()
        self.renewed = 0
        self._over = threading.Lock()

    def send(self, data: bytes) -> None:
        if not self.gone.is_set():
            self.sink.received(data, time.time_ns())

    def lines(self, number: int, every_s: float, first: int = 0) -> bool:
        """Numbered lines; False where it was stopped or cut off before the last."""
        for position in range(first, first + number):
            self.send(b"line %d\n" % position)
            if self.stopped.wait(every_s) or self.gone.is_set():
                return False
        return True

    def finish(self, exit_status: int = 0) -> None:
        self.send(end(exit_status))
        self.over(exit_status)

    def over(self, exit_status: int | None, loss: LossCause | None = None) -> None:
        with self._over:
            if self.gone.is_set():
                return
            self.gone.set()
        self.stopped.set()
        self.sink.ended(exit_status, "", loss)

    # -- RemoteStream
    def renew(self) -> None:
        self.renewed += 1

    def stop(self) -> None:
        self.stopped.set()

    def close(self) -> None:
        self.over(None, LossCause.CLOSED_BY_US)


Script = Callable[[Play], None]


@dataclass
class ScriptedHost:
    """What every connection to it finds.

    Attributes:
        scripts: by command line; called on a thread of its own at each start.
        answers: of `run`, by command line.
        refusals: raised by the next connects, first to last.
        channels: per connection.
    """

    scripts: dict[str, Script] = field(default_factory=dict)
    answers: dict[str, Finished] = field(default_factory=dict)
    refusals: list[LinkError] = field(default_factory=list)
    channels: int = 100
    reconnects_alone: bool = True
    links: list[ScriptedLink] = field(default_factory=list)
    sent: list[str] = field(default_factory=list)
    threads: list[threading.Thread] = field(default_factory=list)

    def connect(
        self, host: ResolvedHost, prompter: Prompter, watcher: LinkWatcher, settings: LinkSettings
    ) -> ScriptedLink:
        if self.refusals:
            raise self.refusals.pop(0)
        link = ScriptedLink(self, watcher)
        self.links.append(link)
        return link

    def connector(self, _profile: HostProfile) -> ScriptedHost:
        return self

    def lose(self, cause: LossCause = LossCause.NETWORK_LOST) -> None:
        """Every connection dies, and every command with it."""
        for link in self.links:
            link.lose(cause)

    def join(self) -> None:
        for thread in self.threads:
            thread.join(10.0)


class ScriptedLink:
    def __init__(self, host: ScriptedHost, watcher: LinkWatcher) -> None:
        self._host, self._watcher = host, watcher
        self._lock = threading.Lock()
        self.plays: list[Play] = []
        self.alive = True
        self.facts = LinkFacts(
            "scripted",
            "SSH-2.0-scripted",
            ("192.0.2.1",),
            "ssh-ed25519",
            "SHA256:abc",
            "known",
            "publickey",
            reconnects_alone=host.reconnects_alone,
        )

    def run(self, command: str, deadline_s: float, *, stdin: bytes = b"", limit_bytes: int = 1 << 20) -> Finished:
        self._check()
        self._host.sent.append(command)
        return self._host.answers[command]

    def stream(self, command: str, sink: StreamSink) -> Play:
        self._check()
        with self._lock:
            if sum(not play.gone.is_set() for play in self.plays) >= self._host.channels:
                raise LinkError("no_channel", count=self._host.channels)
            play = Play(self, command, sink)
            self.plays.append(play)
        self._host.sent.append(command)
        thread = threading.Thread(target=self._host.scripts[command], args=(play,), daemon=True)
        self._host.threads.append(thread)
        thread.start()
        return play

    def pull(self, path: str, offset: int, sink: StreamSink) -> Play:
        return self.stream(f"pull {path} {offset}", sink)

    def lose(self, cause: LossCause) -> None:
        if self.alive:
            self.alive = False
            for play in list(self.plays):
                play.over(None, cause)
            self._watcher.link_lost(cause, "the test said so")

    def close(self) -> None:
        self.alive = False
        for play in list(self.plays):
            play.over(None, LossCause.CLOSED_BY_US)

    def _check(self) -> None:
        if not self.alive:
            raise LinkError("lost")
