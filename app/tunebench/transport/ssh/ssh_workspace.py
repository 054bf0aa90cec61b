"""The private folder of one connection made by the system's ssh, and the guard that ends everything with us.

The guard is a small shell that reads from a pipe only we hold. When the pipe ends, because the connection was closed or
because this process was killed, it ends every ssh it was told of and removes the folder.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import IO

# ssh appends 17 characters to a control socket's path while it makes it; a path may have 104 bytes (macOS, BSD).
_LONGEST_FOLDER = 70
_GUARD = r"""
trap "" HUP INT TERM
cd /
list=" "
while read -r sign group; do
  case $sign in
    +) list="$list$group " ;;
    -) case $list in *" $group "*) list="${list%% $group *} ${list#* $group }" ;; esac ;;
  esac
done
for group in $list; do kill -TERM "-$group"; done
for turn in 1 2 3 4 5 6 7 8 9 10; do
  left=
  for group in $list; do kill -0 "-$group" && left=1; done
  test -z "$left" && break
  sleep 0.1 || sleep 1
done
for group in $list; do kill -KILL "-$group"; done
rm -rf "$1"
"""


class Workspace:
    """A folder with mode 0700, and the ssh processes that were started for it.

    Raises:
        OSError: neither the temporary folder nor a shell is to be had.
    """

    def __init__(self) -> None:
        self.folder = _private_folder()
        self._lock = threading.Lock()
        self._closed = False
        self._numbers = 0
        try:
            self._guard = subprocess.Popen(
                ["/bin/sh", "-c", _GUARD, "tunebench-guard", str(self.folder)],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        except OSError:
            shutil.rmtree(self.folder, ignore_errors=True)
            raise

    def path(self, name: str) -> Path:
        """A new path in the folder; numbered, so that it is never used twice."""
        with self._lock:
            self._numbers += 1
            return self.folder / f"{name}{self._numbers}"

    def start(
        self,
        command: Sequence[str],
        *,
        environment: dict[str, str],
        stdin: int = subprocess.DEVNULL,
        stdout: int = subprocess.DEVNULL,
        stderr: int = subprocess.PIPE,
    ) -> subprocess.Popen[bytes]:
        """Starts `command` in a session of its own, so that it has no terminal to ask on; the guard knows of it.

        Raises:
            OSError: it cannot be started, or the workspace is closed.
        """
        with self._lock:
            if self._closed:
                raise OSError("closed")
            process = subprocess.Popen(
                command, stdin=stdin, stdout=stdout, stderr=stderr, env=environment, start_new_session=True, bufsize=0
            )
            self._tell(f"+ {process.pid}\n")
            return process

    def reap(self, process: subprocess.Popen[bytes], timeout_s: float = 5.0) -> int | None:
        """Waits for a process that is ending; kills what does not end. None where even that took too long."""
        for wait_s in (timeout_s, 2.0):
            try:
                status = process.wait(wait_s)
                break
            except subprocess.TimeoutExpired:
                kill_group(process, signal.SIGKILL)
        else:
            return None
        with self._lock:
            if not self._closed:
                self._tell(f"- {process.pid}\n")
        return status

    def close(self) -> None:
        """Returns at once; the guard does the rest. Twice is once."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            assert self._guard.stdin is not None
            with contextlib.suppress(OSError):
                self._guard.stdin.close()
        threading.Thread(target=self._guard.wait, name="ssh-guard", daemon=True).start()

    def _tell(self, line: str) -> None:
        pipe: IO[bytes] | None = self._guard.stdin
        assert pipe is not None
        with contextlib.suppress(OSError):  # the guard was killed by somebody: the connection goes on without it
            pipe.write(line.encode("ascii"))
            pipe.flush()


def kill_group(process: subprocess.Popen[bytes], number: signal.Signals = signal.SIGTERM) -> None:
    """Sends a signal to `process` and whatever it started, while it has not been waited for."""
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, number)


def _private_folder() -> Path:
    """Never below a folder whose name ssh would have to quote or whose path is too long for a socket."""
    usual = tempfile.gettempdir()
    plain = len(usual) <= _LONGEST_FOLDER - 24 and not set(usual) & set(" '\"%$\\")
    return Path(tempfile.mkdtemp(prefix="tunebench-link-", dir=usual if plain else "/tmp"))  # noqa: S108 - 0700, random name
