"""A server with keyboard-interactive prompts, in this process: stock sshd would need PAM for them."""

from __future__ import annotations

import socket
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

import paramiko
from paramiko.common import AUTH_FAILED, AUTH_PARTIALLY_SUCCESSFUL, AUTH_SUCCESSFUL

from tunebench.domain.connection import HostProfile


class InteractiveServer(paramiko.ServerInterface):
    """Lets "tester" in with the right answers; with `key`, only after that key was shown; with `steps`, by these."""

    def __init__(
        self,
        prompts: Sequence[tuple[str, bool]],
        answers: Sequence[str],
        key: Path | None = None,
        steps: Sequence[str] = (),
    ) -> None:
        self._steps = tuple(steps) or (*(("publickey",) if key else ()), "keyboard-interactive")
        self._prompts, self._answers = prompts, list(answers)
        self._key = paramiko.Ed25519Key.from_private_key_file(str(key)) if key else None
        self._host_key = paramiko.ECDSAKey.generate()
        self.seen: list[str] = []
        self._transports: list[paramiko.Transport] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._listener.settimeout(0.1)
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def profile(self, **changes: Any) -> HostProfile:
        values = {
            "name": "interactive",
            "address": "127.0.0.1",
            "port": self._listener.getsockname()[1],
            "user": "tester",
            "use_config": False,
            **changes,
        }
        return HostProfile(**values)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._closing.set()
        self._thread.join(5)
        self._listener.close()
        for transport in self._transports:
            transport.close()
            transport.join(5)

    def _serve(self) -> None:
        while not self._closing.is_set():
            try:
                client = self._listener.accept()[0]
            except TimeoutError:
                continue
            transport = paramiko.Transport(client)
            transport.add_server_key(self._host_key)
            transport.start_server(event=threading.Event(), server=self)
            self._transports.append(transport)

    # -- paramiko's questions
    def get_allowed_auths(self, username: str) -> str:
        return self._steps[min(len(self.seen), len(self._steps) - 1)]

    def check_auth_publickey(self, username: str, key: paramiko.PKey) -> int:
        if key != self._key:
            return AUTH_FAILED
        asked_before = "publickey" in self.seen  # whether a key would do, before it is shown
        return self._took() if asked_before else self._took("publickey")

    def check_auth_password(self, username: str, password: str) -> int:
        return self._took("password")

    def check_auth_interactive(self, username: str, submethods: str) -> Any:
        self.seen.append("keyboard-interactive")
        return paramiko.InteractiveQuery("the title", "the instructions", *self._prompts)

    def check_auth_interactive_response(self, responses: list[str]) -> int:
        return self._took() if responses == self._answers else AUTH_FAILED

    def _took(self, *method: str) -> int:
        self.seen += method
        return AUTH_SUCCESSFUL if len(self.seen) >= len(self._steps) else AUTH_PARTIALLY_SUCCESSFUL
