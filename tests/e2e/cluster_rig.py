"""A scheduler and workers of Dask as people start them, in processes of their own on this machine."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from tests.e2e.processes import descendants
from tests.waiting import PATIENCE_S, wait_until

ROOT = Path(__file__).resolve().parents[2]

MANIFEST = """\
id = "test.fateful"
name = { en = "Fateful", ko = "운명" }
version = "1.0.0"
api = ["1"]

[[parsers]]
id = "test.fateful"
entry = "parser:Fateful"
tools = ["fateful"]
os = ["linux"]
"""
PARSER = """\
import os
import time

from tunebench.sdk.lines import LineParser


class Fateful(LineParser):
    @staticmethod
    def sniff(head, file_name):
        return 0.99 if head.startswith(b"fateful") else 0.0

    def read_lines(self, first_line, lines):
        for line in lines:
            self.book.header()
            if line == b"die":
                os.kill(os.getpid(), 9)
            if line == b"sleep":
                time.sleep(60)
        return ()
"""


def install_plugin(data_home: Path, manifest: str = MANIFEST, parser: str = PARSER) -> None:
    """A reader of ``fateful`` captures among the user's plug-ins."""
    folder = data_home / "TuneBench" / "plugins" / "fateful"
    folder.mkdir(parents=True)
    (folder / "plugin.toml").write_text(manifest, encoding="utf-8")
    (folder / "parser.py").write_text(parser, encoding="utf-8")


def fate(path: Path, word: str) -> Path:
    """A capture whose reader does as it says; not at its beginning, which the client looks at."""
    path.write_text(f"fateful {path.name}\n" + "nothing yet\n" * 10_000 + f"{word}\n", encoding="utf-8")
    return path


@dataclass
class Started:
    """A process that says where it is, a line each."""

    process: subprocess.Popen[str]
    said: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.listener = threading.Thread(target=self.listen, daemon=True)

    def listen(self) -> None:
        stream = self.process.stderr
        assert stream is not None
        with stream:
            for line in stream:
                self.said.append(line)

    def addresses(self, count: int) -> list[str]:
        """The addresses that it said."""

        def so_far() -> list[str]:
            return [word.rstrip(".") for line in list(self.said) for word in line.split() if "://" in word]

        assert wait_until(lambda: len(so_far()) >= count or self.process.poll() is not None), self.said
        assert len(so_far()) >= count, self.said
        return so_far()


class Cluster:
    """Used in a ``with``.

    Args:
        data_home: where the user's plug-ins lie, of scheduler and workers.
    """

    def __init__(self, data_home: Path, scheme: str = "tcp", tls: Path | None = None) -> None:
        self._started: list[Started] = []
        self._data_home = data_home
        self._tls = () if tls is None else ("--tls", str(tls))
        self.address = self._start("scheduler", f"{scheme}://127.0.0.1:0").addresses(1)[0]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        for started in reversed(self._started):
            started.process.send_signal(signal.SIGTERM)
        for started in self._started:
            try:
                started.process.wait(PATIENCE_S)
            except subprocess.TimeoutExpired:
                started.process.kill()
                started.process.wait()
            started.listener.join()

    def _start(self, *words: str, data_home: Path | None = None) -> Started:
        process = subprocess.Popen(
            [sys.executable, "main.py", "cluster", *words, *self._tls, "--lang", "en"],
            cwd=ROOT,
            env={**os.environ, "XDG_DATA_HOME": str(data_home or self._data_home)},
            stderr=subprocess.PIPE,
            text=True,
        )
        started = Started(process)
        self._started.append(started)
        started.listener.start()
        return started

    def add_workers(self, count: int = 1, data_home: Path | None = None) -> Started:
        """Started, and known to the scheduler."""
        started = self._start("worker", self.address, "--count", str(count), data_home=data_home)
        started.addresses(count)
        return started

    @property
    def scheduler_process(self) -> int:
        return self._started[0].process.pid

    def end_scheduler(self) -> None:
        self._started[0].process.kill()

    def worker_processes(self) -> list[int]:
        """The processes in which captures are read."""
        return [
            process.pid
            for started in self._started
            for process in descendants(started.process.pid)
            if b"spawn_main" in (Path("/proc") / str(process.pid) / "cmdline").read_bytes()
        ]
