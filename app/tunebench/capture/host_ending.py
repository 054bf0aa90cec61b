"""The end of a host's capture: drained, asked once more, and proven clean. Belongs to the host's thread.

Whether the files that were fetched are those on the server is asked by an approved command: size and checksum.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from tunebench.capture.checksum import posix_cksum
from tunebench.capture.context import SessionContext
from tunebench.capture.host_checks import HostChecks
from tunebench.capture.host_links import HostLinks
from tunebench.capture.host_streams import HostStreams
from tunebench.capture.journal import read_streams
from tunebench.capture.stream import StreamRun
from tunebench.capture.tasks import Tasks
from tunebench.domain.capturing.plan import CommandKind
from tunebench.domain.capturing.run import GapCause, StreamState

_CLOSED_WITHIN_S = 3.0
_LEFTOVER_LOOKS = 4
_LEFTOVER_PAUSE_S = 0.5
_FLUSH_S = 30.0


class HostEnding:
    """`pump` hears what there is to hear for a moment; it raises LinkError when the connection is gone."""

    def __init__(
        self,
        context: SessionContext,
        runs: Sequence[StreamRun],
        streams: HostStreams,
        tasks: Tasks,
        checks: HostChecks,
        pump: Callable[[], None],
    ) -> None:
        self._context = context
        self._runs = runs
        self._streams = streams
        self._tasks = tasks
        self._checks = checks
        self._pump = pump
        self._tasks_added = False
        self._fetched_again: set[str] = set()
        self._agreed: set[str] = set()

    def drain(self) -> None:
        """Closes the stdin of every stream and waits for their ends; what does not end in time is dropped."""
        self._streams.stop_all()
        self._tasks.stop_trials()
        self._pump_while_running(self._context.settings.drain_s)
        while not self._tasks.done:
            self._tasks.go_on()
            self._pump()
        if self._streams.any_running:
            self._streams.close_all()
            self._pump_while_running(_CLOSED_WITHIN_S)
            self._streams.lost(GapCause.PROCESS_ENDED, "")

    def _pump_while_running(self, seconds: float) -> None:
        until_s = time.monotonic() + seconds
        while self._streams.any_running and time.monotonic() < until_s:
            self._pump()

    def run_tasks(self, links: HostLinks) -> None:
        """Runs once-commands a second time, then fetches the files; after a lost connection what is left of them."""
        if not self._tasks_added:
            self._tasks_added = True
            kinds = (CommandKind.ONCE, CommandKind.PULL)
            self._tasks.add(run for run in self._runs if run.command.kind in kinds)
        self._run_all()
        while again := self._to_fetch_again(links):
            self._tasks.add(again)
            self._run_all()

    def _run_all(self) -> None:
        while not self._tasks.done:
            self._tasks.go_on()
            self._pump()

    def _to_fetch_again(self, links: HostLinks) -> list[StreamRun]:
        """Files that differ from those on the server, each once; it may have grown meanwhile.

        What differs a second time is kept as it came, and said so.
        """
        files = [run for run in self._runs if run.command.kind is CommandKind.PULL]
        whole = [run for run in files if run.state is StreamState.ENDED and run.exit_status == 0]
        wrong = [run for run in whole if run.id not in self._agreed and not self._agrees(run, links)]
        again = [run for run in wrong if run.id not in self._fetched_again]
        for run in wrong:
            if run in again:
                self._fetched_again.add(run.id)
                run.begin_anew()
            else:
                run.error_key, run.error_facts = "capture_checksum_differs", {"path": run.command.remote_path}
        return again

    def _agrees(self, run: StreamRun, links: HostLinks) -> bool:
        """True as well where nobody can tell: the approved plan has no command to ask with, or no answer came."""
        path = run.command.remote_path
        question = self._checks.checksum_command(path)
        if question is None:
            return True
        checksum = self._checks.checksum(links, question)
        if checksum is None or not self._context.spool.flush(_FLUSH_S):
            run.error_key, run.error_facts = "capture_checksum_unknown", {"path": path}
            agrees = None
        else:
            agrees = checksum == (self._kept_cksum(run), run.bytes)
        self._context.audit(
            "capture_file_checked",
            session_id=self._context.session_id,
            host=run.command.host,
            path=path,
            bytes=run.bytes,
            verdict={None: "unknown", True: "equal", False: "different"}[agrees],
        )
        if agrees is not False:
            self._agreed.add(run.id)
        return agrees is not False

    def _kept_cksum(self, run: StreamRun) -> int:
        """Checksum of the bytes since the file was last begun, from the journal: what is compared is what is kept."""
        kept = read_streams(self._context.spool.folder / run.folder, {run.id: run.void_bytes})
        return posix_cksum(piece for _, piece in kept)

    def verify(self, links: HostLinks) -> None:
        """Looks for our processes until there is none; they take a moment to go."""
        left = self._checks.leftovers(links)
        for _ in range(_LEFTOVER_LOOKS):
            if not left:
                break
            time.sleep(_LEFTOVER_PAUSE_S)
            left = self._checks.leftovers(links)
        if left == 0:
            for run in self._runs:
                if run.state is StreamState.ENDED:
                    run.state = StreamState.VERIFIED
