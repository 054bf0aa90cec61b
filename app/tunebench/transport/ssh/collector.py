"""What a command that runs to its end sent, gathered."""

from __future__ import annotations

import threading

from tunebench.transport.ssh.link import Finished, LinkError, LossCause


class Collector:
    """A sink that keeps what comes, up to a limit; `done` is set when it is full or the command ended."""

    def __init__(self, limit_bytes: int) -> None:
        self.done = threading.Event()
        self._limit_bytes = limit_bytes
        self._out, self._err = bytearray(), bytearray()
        self._truncated = False
        self._status: int | None = None
        self._signal = ""
        self._loss: LossCause | None = None

    def received(self, data: bytes, arrived_ns: int) -> None:
        self._out += data[: self._limit_bytes - len(self._out)]
        if len(self._out) >= self._limit_bytes:
            self._truncated = True
            self.done.set()

    def complained(self, data: bytes, arrived_ns: int) -> None:
        self._err += data[: self._limit_bytes - len(self._err)]

    def ended(self, exit_status: int | None, signal: str, loss: LossCause | None) -> None:
        self._status, self._signal, self._loss = exit_status, signal, loss
        self.done.set()

    def finished(self, host: str, detail: str) -> Finished:
        """Raises:
        LinkError: ``lost``.
        """
        if self._loss is not None and not self._truncated:
            raise LinkError("lost", host=host, detail=detail)
        return Finished(bytes(self._out), bytes(self._err), self._status, self._signal, self._truncated)
