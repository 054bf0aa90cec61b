"""The connections to one host: one, and a further one where the server allows no more channels on it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from tunebench.transport.ssh.link import Finished, Link, LinkError, RemoteStream, StreamSink

T = TypeVar("T")


class CannotCapture(LinkError):
    """The host cannot be captured from for a reason of ours, not of its connection; final."""


def reason_of(error: LinkError) -> str:
    """Key of its sentence, below ``error.``."""
    return error.key if isinstance(error, CannotCapture) else f"ssh.{error.key}"


class HostLinks:
    """Belongs to the host's thread.

    Args:
        connect: opens one connection.
        limit: how many there may be.
        answer_bytes: that a question is answered with, at most.
    """

    def __init__(self, connect: Callable[[], Link], limit: int, answer_bytes: int) -> None:
        self._connect = connect
        self._limit = limit
        self._answer_bytes = answer_bytes
        self._links: list[Link] = []

    def open(self) -> Link:
        """The first connection.

        Raises:
            LinkError: whatever it failed of.
        """
        link = self._connect()
        self._links.append(link)
        return link

    @property
    def alive(self) -> bool:
        return bool(self._links) and all(link.alive for link in self._links)

    @property
    def reconnects_alone(self) -> bool:
        return all(link.facts.reconnects_alone for link in self._links)

    def run(self, command: str, deadline_s: float) -> Finished:
        """Raises CannotCapture where the answer has no end: nothing of it is believed."""
        finished = self._on_any(lambda link: link.run(command, deadline_s, limit_bytes=self._answer_bytes))
        if finished.truncated:
            raise CannotCapture("capture_endless_answer", final=True, size=f"{self._answer_bytes / (1 << 20):g}")
        return finished

    def stream(self, command: str, sink: StreamSink) -> RemoteStream:
        return self._on_any(lambda link: link.stream(command, sink))

    def pull(self, path: str, offset: int, sink: StreamSink) -> RemoteStream:
        return self._on_any(lambda link: link.pull(path, offset, sink))

    def close(self) -> None:
        for link in self._links:
            link.close()
        self._links.clear()

    def _on_any(self, work: Callable[[Link], T]) -> T:
        """On the first connection that has a channel left; on a new one where none has."""
        for link in self._links:
            try:
                return work(link)
            except LinkError as error:
                if error.key != "no_channel":
                    raise
        if len(self._links) >= self._limit:
            raise LinkError("no_channel", count=len(self._links))
        return work(self.open())
