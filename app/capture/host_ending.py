"""The end of a host's capture: drained, asked once more, and proven clean. Belongs to the host's thread."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from app.capture.context import SessionContext
from app.capture.fetched_files import FetchedFiles
from app.capture.host_checks import HostChecks
from app.capture.host_links import HostLinks
from app.capture.host_streams import HostStreams
from app.capture.stream import StreamRun
from app.capture.tasks import Tasks
from app.domain.capturing.plan import CommandKind
from app.domain.capturing.run import GapCause, StreamState

_CLOSED_WITHIN_S = 3.0
_LEFTOVER_LOOKS = 4
_LEFTOVER_PAUSE_S = 0.5


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
        self._files = FetchedFiles(context, runs, checks)
        self._tasks_added = False

    def drain(self) -> None:
        """Closes the stdin of every stream and waits for their ends; what does not end in time is dropped."""
        self._streams.stop_all()
        self._pump_while_running(self._context.settings.drain_s)
        if self._streams.any_running:
            self._streams.close_all()
            self._pump_while_running(_CLOSED_WITHIN_S)
            self._streams.lost(GapCause.PROCESS_ENDED, "")

    def _pump_while_running(self, seconds: float) -> None:
        until_s = time.monotonic() + seconds
        while self._streams.any_running and time.monotonic() < until_s:
            self._pump()

    def run_tasks(self, links: HostLinks) -> None:
        """Once-commands a second time, then the files. After a lost connection only what is left of them."""
        if not self._tasks_added:
            self._tasks_added = True
            kinds = (CommandKind.ONCE, CommandKind.PULL)
            self._tasks.add(run for run in self._runs if run.command.kind in kinds)
        self._run_all()
        again = self._files.to_fetch_again(links)
        while again:
            self._tasks.add(again)
            self._run_all()
            again = self._files.to_fetch_again(links)

    def _run_all(self) -> None:
        while not self._tasks.done:
            self._tasks.go_on()
            self._pump()

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
