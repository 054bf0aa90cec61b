"""A real OpenSSH server on the loopback interface, with keys, configuration, log and port of its own.

Works as root and as an ordinary user (the server then lets in that user only). Whatever a session starts carries
a mark in its environment, so that `stop` leaves nothing behind: not the server, its sessions, nor their commands.
"""

from __future__ import annotations

import os
import pwd
import random
import shutil
import signal
import socket
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.e2e.processes import Process, descendants, marked, processes, read_process, send
from tests.waiting import let_time_pass, wait_until
from tunebench.domain.connection import HostProfile

PASSPHRASE = "Passphrase-of-the-rig-7ty"
SSHD = shutil.which("sshd", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin:/sbin")
RUN_FOLDER = Path("/run/sshd")
TOOLS = ("ssh-keygen",)


def missing() -> str:
    """Why no server can be started here; empty where one can."""
    if SSHD is None:
        return "no OpenSSH server (sshd) on this machine"
    if not Path("/proc/self/stat").exists():
        return "no /proc: what a server started could not be found again and ended"
    shell = pwd.getpwuid(os.geteuid()).pw_shell
    if Path(shell).name in {"nologin", "false"}:
        return f"this account may not log in ({shell})"
    return next((f"{tool} is not installed" for tool in TOOLS if shutil.which(tool) is None), "")


def is_root() -> bool:
    return os.geteuid() == 0


def free_port(address: str = "127.0.0.1") -> int:
    """Outside the range the system gives to clients, so that it stays free across a restart."""
    for _ in range(200):
        port = random.randint(20000, 32000)
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((address, port))
            except OSError:
                continue
            return port
    raise RuntimeError("no free port between 20000 and 32000")


def make_key(path: Path, key_type: str = "ed25519", passphrase: str = "", bits: int = 0) -> Path:
    size = ["-b", str(bits)] if bits else []
    subprocess.run(
        # One round of the key derivation: quick to make and to open, and no test rests on its strength.
        ["ssh-keygen", "-q", "-a", "1", "-t", key_type, *size, "-N", passphrase, "-C", path.name, "-f", str(path)],
        check=True,
        timeout=60,
        stdin=subprocess.DEVNULL,
    )
    return path


def public_key(path: Path) -> str:
    """``type base64`` of the key whose private half is at `path`."""
    return " ".join(Path(f"{path}.pub").read_text().split()[:2])


def fingerprint_of(path: Path) -> str:
    """What `ssh-keygen -lf` says, ``SHA256:...``."""
    told = subprocess.run(["ssh-keygen", "-lf", f"{path}.pub"], check=True, capture_output=True, text=True, timeout=30)
    return told.stdout.split()[1]


class Sshd:
    """The server.

    Attributes:
        folder: everything of it; readable by every account, removed by `remove`.
        user, user_key: the account that may log in with that key (this process's own).
        other_key: a key that may not.
        encrypted_key: may log in; its passphrase is `PASSPHRASE`.
        known_hosts: holds the server's keys from the start; `forget_host` empties it.
        tools: first folder of the sessions' PATH; put fake tools there.
        home: the HOME of this account's sessions: empty, so that nobody's rc files disturb; write your own there.
        environment: of every session, on top of PATH and the mark; change it before `start`.
    """

    def __init__(self, address: str = "127.0.0.1", prefix: Sequence[str] = ()) -> None:
        self.address, self.prefix = address, tuple(prefix)
        self.folder = Path(tempfile.mkdtemp(prefix="tunebench-sshd-"))
        self.folder.chmod(0o755)
        self.port = free_port() if prefix else free_port(address)
        self.user = pwd.getpwuid(os.geteuid()).pw_name
        self.mark = f"TUNEBENCH_RIG={self.folder.name}"
        self.environment: dict[str, str] = {}
        self._log_start, self._own_home = 0, True
        self.process: subprocess.Popen[bytes] | None = None
        self.options: tuple[str, ...] = ()
        self.tools, self.home = self.folder / "tools", self.folder / "home"
        for folder in (self.tools, self.home):
            folder.mkdir()
            folder.chmod(0o755)
        self.log_path = self.folder / "sshd.log"
        self.known_hosts = self.folder / "known_hosts"
        self.authorized_keys = self.folder / "authorized_keys"
        self.user_key = make_key(self.folder / "user_ed25519")
        self.other_key = make_key(self.folder / "other_ed25519")
        self.encrypted_key = make_key(self.folder / "encrypted_ed25519", passphrase=PASSPHRASE)
        self.host_keys: list[Path] = []
        self.authorize(self.user_key, self.encrypted_key)
        self.make_host_keys("ed25519")

    # -- keys
    def authorize(self, *keys: Path) -> None:
        self.authorized_keys.write_text("".join(public_key(key) + "\n" for key in keys))
        self.authorized_keys.chmod(0o644)

    def make_host_keys(self, *types: str) -> list[Path]:
        """New host keys of these types; `known_hosts` is left as it is if a server was known before."""
        known_before = bool(self.host_keys)
        number = len(list(self.folder.glob("host_*.pub")))
        self.host_keys = [make_key(self.folder / f"host_{number + i}_{kind}", kind) for i, kind in enumerate(types)]
        if not known_before:
            self.know_host()
        return self.host_keys

    def swap_host_key(self, *types: str) -> list[Path]:
        """The server shows other keys from now on; what was known stays written."""
        self.make_host_keys(*(types or ("ed25519",)))
        if self.process is not None:
            self.restart()
        return self.host_keys

    @property
    def fingerprint(self) -> str:
        return fingerprint_of(self.host_keys[0])

    def know_host(self) -> None:
        lines = [f"[{self.address}]:{self.port} {public_key(key)}\n" for key in self.host_keys]
        self.known_hosts.write_text("".join(lines))

    def forget_host(self) -> None:
        self.known_hosts.write_text("")

    # -- life
    def start(self, *options: str, environment: Mapping[str, str] | None = None, own_home: bool = True) -> Sshd:
        """Starts (with extra lines of sshd_config, which come first and so win) and waits until it listens.

        Args:
            environment: further variables of the sessions; ``PATH`` replaces what comes after `tools`.
            own_home: False for the account's real one. Other accounts always have their own.
        """
        self.options = options
        self.environment.update(environment or {})
        self._own_home = own_home
        self._launch()
        return self

    def _launch(self) -> None:
        assert SSHD is not None
        if is_root():
            RUN_FOLDER.mkdir(exist_ok=True, mode=0o755)
        config = self.folder / "sshd_config"
        config.write_text("\n".join(self._config_lines()) + "\n")
        self._log_start = len(self.log)
        # Not to its stderr: that would be the sessions' stderr as well.
        self.process = subprocess.Popen(
            [*self.prefix, SSHD, "-D", "-E", str(self.log_path), "-f", str(config)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            env={"PATH": os.environ.get("PATH", ""), "LC_ALL": "C"},
        )
        if not wait_until(lambda: self._gone() or self._listens()) or self._gone():
            raise RuntimeError(f"sshd did not start:\n{self.log[-2000:]}")

    def _gone(self) -> bool:
        return self.process is None or self.process.poll() is not None

    def _listens(self) -> bool:
        return f"Server listening on {self.address} port {self.port}" in self.log[self._log_start :]

    def _config_lines(self) -> list[str]:
        path = f"{self.tools}:{self.environment.get('PATH', os.environ.get('PATH', '/usr/bin:/bin'))}"
        sets = " ".join(f'"{name}={value}"' for name, value in {**self.environment, "PATH": path}.items())
        home = [f"Match User {self.user}", f'SetEnv {sets} "HOME={self.home}" {self.mark}'] if self._own_home else []
        return [
            *self.options,
            f"ListenAddress {self.address}:{self.port}",
            *(f"HostKey {key}" for key in self.host_keys),
            f"AuthorizedKeysFile {self.authorized_keys}",
            f"SetEnv {sets} {self.mark}",
            "PidFile none",
            "UsePAM no",
            "StrictModes no",
            "LogLevel DEBUG1",
            "UseDNS no",
            "PermitRootLogin yes",
            "PubkeyAuthentication yes",
            "PasswordAuthentication no",
            "KbdInteractiveAuthentication no",
            "PermitUserEnvironment no",
            "PrintMotd no",
            "AcceptEnv none",
            "Subsystem sftp internal-sftp",
            *home,
        ]

    def restart(self, *options: str) -> None:
        """Same port, same log; every session ends. Without `options` the configuration stays."""
        self.stop()
        if options:
            self.options = options
        self._launch()

    def stop(self, sessions: bool = True) -> None:
        """Ends the server; with `sessions` also every session and whatever they started."""
        if self.process is None:
            return
        started = self.server_pids() if sessions else []
        self.process.kill()
        self.process.wait(10)
        self.process = None
        if sessions:
            self._sweep(started)

    def _sweep(self, started: Sequence[int]) -> None:
        """A frozen process dies of KILL as well. Twice, because a shell may just have been starting something."""
        send(started, signal.SIGKILL)
        for _ in range(50):
            left = self.account_pids()
            if not left:
                break
            send(left, signal.SIGKILL)
            let_time_pass(0.02, "a shell that is about to start something has started it")
        wait_until(lambda: not any(read_process(pid) for pid in started))

    def remove(self) -> None:
        self.stop()
        self._sweep(())
        shutil.rmtree(self.folder, ignore_errors=True)

    # -- processes
    def server_pids(self) -> list[int]:
        """The listener and every sshd below it (also where it was started through `ip netns exec`)."""
        if self._gone():
            return []
        assert self.process is not None
        return [self.process.pid, *(process.pid for process in self._below())]

    def _below(self) -> list[Process]:
        assert self.process is not None
        return [process for process in descendants(self.process.pid) if process.name.startswith("sshd")]

    def session_pids(self) -> list[int]:
        """The sshd processes that serve connections, parents before children; not what they run."""
        return [] if self._gone() else [process.pid for process in self._below()]

    def account_pids(self) -> list[int]:
        """What the sessions' commands left running, without the server's own processes."""
        return marked(self.mark)

    def running(self, name: str) -> list[int]:
        """Processes called `name` that sessions of this server started."""
        names = {process.pid: process.name for process in processes()}
        return [pid for pid in self.account_pids() if names.get(pid) == name]

    def kill_sessions(self, number: signal.Signals = signal.SIGKILL) -> None:
        send(self.session_pids(), number)

    def freeze(self) -> None:
        """Everything of the server stands still; its system still answers on TCP."""
        send(self.server_pids(), signal.SIGSTOP)

    def thaw(self) -> None:
        send(self.server_pids(), signal.SIGCONT)

    def freeze_sessions(self) -> None:
        send(self.session_pids(), signal.SIGSTOP)

    # -- what a client needs
    @property
    def log(self) -> str:
        return self.log_path.read_text(errors="replace") if self.log_path.exists() else ""

    def tool(self, name: str, script: str) -> Path:
        """A fake tool in front of PATH; `script` is a POSIX shell script without its first line."""
        path = self.tools / name
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
        return path

    def profile(self, **changes: Any) -> HostProfile:
        values: dict[str, Any] = {
            "name": "server",
            "address": self.address,
            "port": self.port,
            "user": self.user,
            "identity": str(self.user_key),
            "use_config": False,
            "user_known_hosts": str(self.known_hosts),
        }
        return HostProfile(**{**values, **changes})
