"""A network of its own: a namespace joined to this machine by a pair of virtual Ethernet interfaces.

The server runs inside, the client outside; packets are dropped by rules inside the namespace, so nothing else on
the machine is touched, and everything goes with the namespace. Beside it a relay that delays TCP, for machines
whose kernel cannot.
"""

from __future__ import annotations

import contextlib
import random
import shutil
import socket
import subprocess
import threading
import time
import uuid
from collections import deque

from tests.e2e.sshd_rig import is_root


def missing() -> str:
    if not is_root():
        return "network namespaces and packet rules need root"
    return next((f"{tool} is not installed" for tool in ("ip", "iptables") if shutil.which(tool) is None), "")


def _run(*words: str) -> str:
    done = subprocess.run(words, capture_output=True, text=True, timeout=30)
    if done.returncode:
        raise RuntimeError(f"{' '.join(words)}: {done.stderr.strip()}")
    return done.stdout


class Network:
    """`address` is the inner side (for the server); `prefix` runs a command inside."""

    def __init__(self) -> None:
        self.name = f"tb{uuid.uuid4().hex[:8]}"
        # 198.18.0.0/15 is set aside for measurements between networks (RFC 2544) and never routed.
        network = f"198.{random.choice((18, 19))}.{random.randint(0, 255)}"
        first = 4 * random.randint(0, 63)
        self.client_address, self.address = f"{network}.{first + 1}", f"{network}.{first + 2}"
        self.prefix = ("ip", "netns", "exec", self.name)
        _run("ip", "netns", "add", self.name)
        try:
            self._join()
        except RuntimeError:
            self.remove()
            raise

    def _join(self) -> None:
        outer, inner = f"{self.name}a", f"{self.name}b"
        _run("ip", "link", "add", outer, "type", "veth", "peer", "name", inner, "netns", self.name)
        _run("ip", "address", "add", f"{self.client_address}/30", "dev", outer)
        _run("ip", "link", "set", outer, "up")
        self._inside("ip", "address", "add", f"{self.address}/30", "dev", inner)
        self._inside("ip", "link", "set", inner, "up")
        self._inside("ip", "link", "set", "lo", "up")

    def _inside(self, *words: str) -> str:
        return _run(*self.prefix, *words)

    def drop_everything(self) -> None:
        for chain in ("INPUT", "OUTPUT"):
            self._inside("iptables", "-I", chain, "-j", "DROP")

    def lose(self, share: float) -> None:
        """Drops this share of the packets, in both directions."""
        for chain in ("INPUT", "OUTPUT"):
            rule = ("-m", "statistic", "--mode", "random", "--probability", f"{share:.3f}", "-j", "DROP")
            self._inside("iptables", "-I", chain, *rule)

    def restore(self) -> None:
        self._inside("iptables", "-F")

    def remove(self) -> None:
        """The interfaces go with the namespace; the outer one is deleted by name where that takes a moment."""
        subprocess.run(["ip", "netns", "delete", self.name], capture_output=True, timeout=30)
        subprocess.run(["ip", "link", "delete", f"{self.name}a"], capture_output=True, timeout=30)


class SlowRelay:
    """Listens on `address`:`port` and passes TCP on to a server, each piece `delay_s` later in both directions."""

    def __init__(self, server: tuple[str, int], delay_s: float = 0.0) -> None:
        self._server, self.delay_s = server, delay_s
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._listener.settimeout(0.2)
        self.address, self.port = self._listener.getsockname()[:2]
        self._sockets: list[socket.socket] = []
        self._closing = threading.Event()
        self._threads: list[threading.Thread] = []
        self._begin(self._accept)

    def _begin(self, work, *arguments) -> None:
        thread = threading.Thread(target=work, args=arguments, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        while not self._closing.is_set():
            try:
                client = self._listener.accept()[0]
            except OSError:
                continue
            client.settimeout(None)
            server = socket.create_connection(self._server, timeout=5)
            server.settimeout(None)
            self._sockets += [client, server]
            for source, target in ((client, server), (server, client)):
                pieces: deque[tuple[float, bytes]] = deque()
                self._begin(self._take, source, pieces)
                self._begin(self._give, target, pieces)

    def _take(self, source: socket.socket, pieces: deque[tuple[float, bytes]]) -> None:
        data = b"-"
        while data and not self._closing.is_set():
            try:
                data = source.recv(65536)
            except OSError:
                data = b""
            pieces.append((time.monotonic() + self.delay_s, data))

    def _give(self, target: socket.socket, pieces: deque[tuple[float, bytes]]) -> None:
        while not self._closing.is_set():
            if not pieces or pieces[0][0] > time.monotonic():
                self._closing.wait(0.005)
                continue
            data = pieces.popleft()[1]
            with contextlib.suppress(OSError):
                if not data:
                    target.shutdown(socket.SHUT_WR)
                    return
                target.sendall(data)

    def remove(self) -> None:
        self._closing.set()
        for each in [self._listener, *self._sockets]:
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()
        for thread in self._threads:
            thread.join(5)
