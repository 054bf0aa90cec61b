"""A real MariaDB server of its own: a fresh data folder in a temporary place, reached through a socket there only.

Where this process is root the server runs as the account ``mysql`` or ``nobody``.
"""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.waiting import wait_until

PROGRAMS = ("mariadbd", "mariadb-install-db", "mariadb", "mariadb-admin", "sysbench")
SETTINGS = (
    "--skip-networking",
    "--performance-schema=ON",
    "--innodb-buffer-pool-size=32M",
    "--innodb-log-file-size=8M",
    "--innodb-flush-log-at-trx-commit=0",
    "--skip-innodb-doublewrite",
    "--skip-name-resolve",
    "--max-connections=30",
    "--plugin-maturity=unknown",
    "--skip-log-bin",
    "--innodb-fast-shutdown=2",
)
_ACCOUNTS = ("mysql", "nobody")


def program(name: str) -> str:
    return shutil.which(name) or shutil.which(name, path="/usr/sbin:/usr/local/sbin") or ""


def missing() -> str:
    """Why no server can be started here; empty where one can."""
    absent = [name for name in PROGRAMS if not program(name)]
    if absent:
        return f"not on this machine: {', '.join(absent)} (Debian: mariadb-server, sysbench)"
    if os.geteuid() == 0 and not any(entry.pw_name in _ACCOUNTS for entry in pwd.getpwall()):
        return "MariaDB does not run as root, and there is no account to run it as"
    return ""


def account() -> pwd.struct_passwd | None:
    """Who runs the server; None for this process's own account."""
    if os.geteuid() != 0:
        return None
    known = {entry.pw_name: entry for entry in pwd.getpwall()}
    return next(known[name] for name in _ACCOUNTS if name in known)


class MariaDb:
    """The server.

    Attributes:
        options: an options file for clients: a superuser with a password.
        socket: where it listens.
    """

    user, password = "tuner", "s3cret-of-the-rig"

    def __init__(self, *settings: str) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="tunebench-my-"))
        self.socket = self.folder / "my.sock"
        self.data = self.folder / "data"
        self.log = self.folder / "server.log"
        self.slow_log = self.folder / "slow.log"
        self.options = self.folder / "client.cnf"
        self._settings = (*SETTINGS, f"--slow-query-log-file={self.slow_log}", *settings)
        self._who = account()
        self._process: subprocess.Popen[bytes] | None = None
        self._prepare()

    def _prepare(self) -> None:
        self.folder.chmod(0o755)
        if self._who is not None:
            shutil.chown(self.folder, self._who.pw_name)
        self._run(
            [
                program("mariadb-install-db"),
                "--no-defaults",
                f"--datadir={self.data}",
                "--auth-root-authentication-method=normal",
                "--skip-test-db",
                "--skip-name-resolve",
                "--innodb-log-file-size=8M",
            ],
            as_server=True,
        )
        self.options.write_text(f"[client]\nuser={self.user}\npassword={self.password}\nsocket={self.socket}\n")
        self.options.chmod(0o644)  # the SSH user of the rig reads it

    def _demoted(self) -> dict[str, object]:
        """How a program is started as the server's account."""
        if self._who is None:
            return {}
        return {"user": self._who.pw_uid, "group": self._who.pw_gid, "extra_groups": []}

    def _run(self, words: Sequence[str], as_server: bool = False) -> str:
        done = subprocess.run(
            list(words),
            cwd="/",
            env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C", "HOME": "/nonexistent"},
            capture_output=True,
            text=True,
            timeout=120,
            stdin=subprocess.DEVNULL,
            **(self._demoted() if as_server else {}),  # type: ignore[call-overload]
        )
        if done.returncode:
            raise RuntimeError(f"{words[0]}: {done.stdout[-1000:]}{done.stderr[-2000:]}")
        return str(done.stdout)

    def start(self) -> MariaDb:
        words = [
            program("mariadbd"),
            "--no-defaults",
            f"--datadir={self.data}",
            f"--socket={self.socket}",
            f"--pid-file={self.folder}/my.pid",
            *self._settings,
        ]
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                words,
                cwd="/",
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C"},
                **self._demoted(),  # type: ignore[call-overload]
            )
        if not wait_until(self._answers, 40.0, 0.1) or self._process.poll() is not None:
            raise RuntimeError(f"MariaDB did not start:\n{self.log.read_text()[-2000:]}")
        self.admin(
            f"create user if not exists {self.user} identified by '{self.password}'; "
            f"grant all on *.* to {self.user} with grant option; create database if not exists bench"
        )
        return self

    def _answers(self) -> bool:
        assert self._process is not None
        words = [program("mariadb-admin"), "--no-defaults", f"--socket={self.socket}", "-u", "root", "ping"]
        done = subprocess.run(words, capture_output=True, timeout=20, check=False)
        return self._process.poll() is not None or done.returncode == 0

    def stop(self, how: signal.Signals = signal.SIGTERM) -> None:
        if self._process is not None:
            self._process.send_signal(how)
            try:
                self._process.wait(20)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait(10)
            self._process = None

    def restart(self) -> None:
        self.stop()
        self.start()

    def remove(self) -> None:
        self.stop(signal.SIGKILL)
        shutil.rmtree(self.folder, ignore_errors=True)

    # -- clients
    def admin(self, statements: str) -> str:
        """As root of the server."""
        return self._run(
            [program("mariadb"), "--no-defaults", f"--socket={self.socket}", "-u", "root", "-e", statements]
        )

    def sql(self, statements: str, database: str = "bench") -> list[list[str]]:
        """Rows as texts, of the last statement that has some."""
        words = [
            program("mariadb"),
            f"--defaults-file={self.options}",
            "--batch",
            "--raw",
            "-N",
            database,
            "-e",
            statements,
        ]
        return [line.split("\t") for line in self._run(words).splitlines()]

    def told(self, *words: str) -> str:
        """What ``mariadb-admin`` prints."""
        return self._run([program("mariadb-admin"), f"--defaults-file={self.options}", *words])

    def exported(self, statements: str, *words: str) -> str:
        """What ``mariadb`` prints, as a customer would send it."""
        return self._run([program("mariadb"), f"--defaults-file={self.options}", *words, "-e", statements])

    def sysbench(self, script: str, *words: str) -> str:
        return self._run(
            [
                program("sysbench"),
                script,
                f"--mysql-socket={self.socket}",
                f"--mysql-user={self.user}",
                f"--mysql-password={self.password}",
                "--mysql-db=bench",
                *words,
            ]
        )
