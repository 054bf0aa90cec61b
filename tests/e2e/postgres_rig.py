"""A real PostgreSQL server of its own: a fresh cluster in a temporary folder, reached through a socket there only.

PostgreSQL refuses to run as root; then it runs as the account ``postgres`` or ``nobody``. The programs are those of
Debian's packages (``/usr/lib/postgresql``) or what ``pg_config`` names.
"""

from __future__ import annotations

import contextlib
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from tests.waiting import wait_until

PROGRAMS = ("initdb", "postgres", "psql", "pgbench", "pg_basebackup")
SETTINGS: Mapping[str, str] = {
    "listen_addresses": "''",
    "shared_preload_libraries": "'pg_stat_statements'",
    "pg_stat_statements.track_planning": "on",
    "track_io_timing": "on",
    "shared_buffers": "32MB",
    "max_connections": "20",
    "dynamic_shared_memory_type": "mmap",  # in its own folder, whatever its end
    "cluster_name": "'rig'",
    # a commit takes two milliseconds, whatever the disk: what waits for it waits alike on every machine
    "commit_delay": "2000",
    "commit_siblings": "0",
}
_IN_MEMORY = Path("/dev/shm")
_ROOM_BYTES = 1 << 30
_ACCOUNTS = ("postgres", "nobody")


@cache
def binaries() -> Path | None:
    """The folder with all of `PROGRAMS`; the newest version where there are several."""
    places = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda place: float(place.parent.name))
    config = shutil.which("pg_config")
    if config is not None:
        told = subprocess.run([config, "--bindir"], capture_output=True, text=True, timeout=20, check=False)
        places.insert(0, Path(told.stdout.strip() or "/"))
    return next((place for place in reversed(places) if all((place / name).exists() for name in PROGRAMS)), None)


def account() -> pwd.struct_passwd | None:
    """Who runs the server; None for this process's own account."""
    if os.geteuid() != 0:
        return None
    known = {entry.pw_name: entry for entry in pwd.getpwall()}
    return next(known[name] for name in _ACCOUNTS if name in known)


def missing() -> str:
    """Why no server can be started here; empty where one can."""
    if binaries() is None:
        return "no PostgreSQL server with pgbench on this machine (Debian: postgresql)"
    if os.geteuid() == 0 and not any(entry.pw_name in _ACCOUNTS for entry in pwd.getpwall()):
        return "PostgreSQL does not run as root, and there is no account to run it as"
    return ""


def _place() -> Path | None:
    """Where files cost no disk, so that other work on the machine's disk does not delay the tests."""
    with contextlib.suppress(OSError):
        if shutil.disk_usage(_IN_MEMORY).free > _ROOM_BYTES and os.access(_IN_MEMORY, os.W_OK):
            return _IN_MEMORY
    return None


class Postgres:
    """The server.

    Attributes:
        socket: folder of its socket, for ``psql -h``.
        user: superuser of the cluster; everybody on this machine may log in as it.
    """

    user = "postgres"

    def __init__(self, primary: Postgres | None = None, **settings: str) -> None:
        """`primary`: of which this one is a standby; settings are then the primary's, changed by these."""
        found = binaries()
        assert found is not None
        self.programs = found
        self.folder = Path(tempfile.mkdtemp(prefix="tunebench-pg-", dir=_place()))
        self.socket = self.folder / "socket"
        self.data = self.folder / "data"
        self.log = self.folder / "server.log"
        self._who = account()
        self._process: subprocess.Popen[bytes] | None = None
        self._prepare(settings if primary else {**SETTINGS, **settings}, primary)

    def _prepare(self, settings: Mapping[str, str], primary: Postgres | None) -> None:
        self.folder.chmod(0o755)
        self.socket.mkdir()
        if self._who is not None:
            for folder in (self.folder, self.socket):
                shutil.chown(folder, self._who.pw_name)
        if primary is None:
            self._run("initdb", "-D", str(self.data), "-A", "trust", "-U", self.user, "-E", "UTF8", "-N", "--no-locale")
        else:
            where = ("-h", str(primary.socket), "-U", self.user)
            self._run("pg_basebackup", *where, "-D", str(self.data), "-R", "-X", "stream", "-c", "fast", "-N")
        lines = [f"{name} = {value}\n" for name, value in settings.items()]
        with (self.data / "postgresql.conf").open("a") as file:
            file.writelines([*lines, f"unix_socket_directories = '{self.socket}'\n"])

    def _demoted(self) -> dict[str, object]:
        """How a program is started as the server's account."""
        if self._who is None:
            return {}
        return {"user": self._who.pw_uid, "group": self._who.pw_gid, "extra_groups": []}

    def _run(self, program: str, *words: str) -> None:
        done = subprocess.run(
            [str(self.programs / program), *words],
            cwd="/",
            env={"PATH": os.environ.get("PATH", ""), "LC_ALL": "C"},
            capture_output=True,
            text=True,
            timeout=120,
            **self._demoted(),  # type: ignore[call-overload]
        )
        if done.returncode:
            raise RuntimeError(f"{program}: {done.stderr[-2000:]}")

    def start(self) -> Postgres:
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                [str(self.programs / "postgres"), "-D", str(self.data)],
                cwd="/",
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env={"PATH": os.environ.get("PATH", ""), "LC_ALL": "C"},
                **self._demoted(),  # type: ignore[call-overload]
            )
        if not wait_until(self._answers, 30.0, 0.1):
            raise RuntimeError(f"PostgreSQL did not start:\n{self.log.read_text()[-2000:]}")
        return self

    def _answers(self) -> bool:
        assert self._process is not None
        return self._process.poll() is not None or self._psql("select 1").returncode == 0

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """Clients are cut off; what is written stays, unless it is ended with SIGQUIT."""
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
        self.stop(signal.SIGQUIT)
        shutil.rmtree(self.folder, ignore_errors=True)

    # -- clients
    def sql(self, statement: str, database: str = "postgres") -> list[list[str]]:
        """Rows as texts."""
        done = self._psql(statement, database)
        if done.returncode:
            raise RuntimeError(done.stderr)
        return [line.split("\x1f") for line in done.stdout.splitlines()]

    def _psql(self, statement: str, database: str = "postgres") -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [
                str(self.programs / "psql"),
                "-X",
                "-q",
                "-A",
                "-t",
                "-F",
                "\x1f",
                "-v",
                "ON_ERROR_STOP=1",
                "-h",
                str(self.socket),
                "-U",
                self.user,
                "-d",
                database,
                "-c",
                statement,
            ],
            capture_output=True,
            text=True,
            timeout=60,
            stdin=subprocess.DEVNULL,
            check=False,
        )

    def pgbench(self, *words: str, database: str = "bench") -> str:
        done = subprocess.run(
            [str(self.programs / "pgbench"), "-h", str(self.socket), "-U", self.user, *words, database],
            capture_output=True,
            text=True,
            timeout=120,
            check=True,
        )
        return done.stdout
