"""Commands that are run to their end, one after the other beside the streams: inventories, trials, fetched files.

What the connection cuts off is done again on the next one; a file goes on where it stopped.
"""

from __future__ import annotations

import time
from collections.abc import Iterable

from tunebench.capture.context import put_down_end
from tunebench.capture.host_links import reason_of
from tunebench.capture.host_streams import HostStreams
from tunebench.capture.stream import Begun, Ended, StreamRun
from tunebench.domain.capturing.plan import CommandKind
from tunebench.domain.capturing.run import StreamState
from tunebench.transport.ssh.link import LinkError


class Tasks:
    """Belongs to the host's thread."""

    def __init__(self, streams: HostStreams, once_deadline_s: float, pull_deadline_s: float) -> None:
        self._streams = streams
        self._deadlines_s = {CommandKind.PULL: pull_deadline_s}
        self._once_deadline_s = once_deadline_s
        self._waiting: list[StreamRun] = []
        self._active: StreamRun | None = None
        self._until_s = 0.0

    def add(self, runs: Iterable[StreamRun]) -> None:
        for run in runs:
            if not run.stopped and run.state is not StreamState.FAILED:
                run.state = StreamState.WAITING
                self._waiting.append(run)

    @property
    def done(self) -> bool:
        return self._active is None and not self._waiting

    def go_on(self) -> None:
        """Starts the next one, or ends one that takes too long.

        Raises:
            LinkError: the connection is gone.
        """
        if self._active is not None:
            if time.monotonic() > self._until_s:
                self._give_up(self._active)
            return
        while self._waiting and not self._send(self._waiting[0]):
            continue

    def _send(self, run: StreamRun) -> bool:
        """Whether it is under way."""
        try:
            start = self._streams.send(run)
        except LinkError as error:
            if error.key != "no_channel":
                raise
            run.fail(reason_of(error), **error.facts)
            start = None
        del self._waiting[0]
        if start is None:
            return False
        run.state = StreamState.STARTING
        self._active = run
        limit_s = run.command.limit_s or self._deadlines_s.get(run.command.kind, self._once_deadline_s)
        self._until_s = time.monotonic() + limit_s
        return True

    @property
    def active(self) -> StreamRun | None:
        return self._active

    def end_flood(self) -> None:
        """Drops what went beyond its bound."""
        run = self._active
        if run is not None and run.current is not None and run.state is not StreamState.FAILED:
            run.went_over(run.current)

    def _give_up(self, run: StreamRun) -> None:
        """A trial is stopped, so that it undoes what it prepared; what does not stop is dropped."""
        if run.remote is not None and run.command.kind is CommandKind.TRIAL and run.state is not StreamState.FAILED:
            run.remote.stop()
            self._until_s = time.monotonic() + self._streams.context.settings.drain_s
        elif run.remote is not None:
            run.remote.close()
        if time.monotonic() > self._until_s + 5.0:  # the link did not even tell that it closed the channel
            run.current = None
            self._active = None
        run.fail("capture_took_too_long", tool=run.command.tool_line)

    def begun(self, message: Begun) -> None:
        run = message.start.run
        if run.current is message.start and run.state is StreamState.STARTING:  # it may have been given up before
            run.state = StreamState.CAPTURING

    def ended(self, message: Ended) -> None:
        run = message.start.run
        put_down_end(self._streams.context, message.start)
        if run.current is not message.start:
            return
        run.current = None
        self._active = None
        if run.state is StreamState.FAILED or run.went_over(message.start):  # that its channel closed is our doing
            return
        if message.loss is not None:
            run.state = StreamState.LOST
            self._waiting.insert(0, run)
        else:
            self._judge(run, message)

    def _judge(self, run: StreamRun, message: Ended) -> None:
        facts = run.how_it_ended()
        if message.start.cannot_run:
            run.fail(message.start.cannot_run, **facts)
            return
        run.state = StreamState.ENDED
        run.error_key, run.error_facts = ("capture_process_ended", facts) if run.exit_status != 0 else ("", {})

    def lost(self) -> None:
        """The connection is gone; what was under way is done again."""
        run = self._active
        if run is not None:
            if run.current is not None:
                put_down_end(self._streams.context, run.current)
            run.current = None
            run.state = StreamState.LOST
            self._waiting.insert(0, run)
            self._active = None

    def stop_trials(self) -> None:
        """The one that runs is ended in good order, and those behind it are not begun."""
        self._waiting = [run for run in self._waiting if run.command.kind is not CommandKind.TRIAL]
        run = self._active
        if run is not None and run.command.kind is CommandKind.TRIAL and run.remote is not None:
            run.state = StreamState.DRAINING
            run.remote.stop()
            self._until_s = time.monotonic() + self._streams.context.settings.drain_s

    def drop(self) -> None:
        """Nothing more is run."""
        for run in self._waiting:
            if run.state in (StreamState.WAITING, StreamState.LOST):
                run.state = StreamState.ENDED if run.bytes else StreamState.PLANNED
        self._waiting.clear()
