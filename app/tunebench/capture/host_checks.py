"""Our own questions to a host: what it is, which versions its tools have, what its clock says, what is left of us.

Belongs to the host's thread; `clock` may be read from any.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable
from dataclasses import asdict

from tunebench.capture.checksum import told_cksum
from tunebench.capture.clock import measure_clock
from tunebench.capture.context import SessionContext, iso, put_down_command
from tunebench.capture.frames import Data, frames_of, is_framed
from tunebench.capture.host_links import CannotCapture, HostLinks
from tunebench.capture.house_commands import read_leftovers
from tunebench.capture.survey import read_survey, recognise_refusal
from tunebench.core.records import record
from tunebench.domain.capturing.plan import PlannedCommand, PlannedHost
from tunebench.domain.capturing.run import ClockCheck
from tunebench.transport.ssh.link import Finished, LinkError

_NOT_RUN = (126, 127)  # what the shell says of a tool that is not there or may not be run


@record
class ClockFinding:
    """What a clock check says beside the last one.

    `before_ns` and `after_ns` are one moment by the old and by the new clock.
    """

    rebooted: bool = False
    stepped: bool = False
    before_ns: int = 0
    after_ns: int = 0
    evidence: str = ""


class HostChecks:
    def __init__(self, context: SessionContext, host: PlannedHost, folder: str) -> None:
        self.clock: ClockCheck | None = None
        self._context = context
        self._host = host
        self._folder = folder
        self._checked_s = -math.inf
        self._versions_asked = self._surveyed = False
        self._commands: dict[str, list[PlannedCommand]] = {}
        for command in context.plan.on(host.name):
            self._commands.setdefault(command.probe, []).append(command)

    def take_over(self, clocks: Iterable[ClockCheck]) -> None:
        """The checks of a session that was cut off."""
        for check in clocks:
            if check.host == self._host.name:
                self.clock = check

    def offset_ns(self) -> int:
        """The server's clock minus this machine's; 0 before the first check."""
        return self.clock.offset_ns if self.clock else 0

    def latest_offset_ns(self) -> int:
        """The most that it can be, by the check's own error."""
        return self.clock.offset_ns + self.clock.error_ns if self.clock else 0

    # -- survey ------------------------------------------------------------------------------------

    def survey(self, links: HostLinks) -> None:
        """Asks the host what it is, once.

        Raises:
            LinkError: the connection is gone, or its account runs no command of ours.
            CannotCapture: what we start there could not be ended without ending others.
        """
        command = self._one("house.survey")
        if command is None or self._surveyed:
            return
        finished = self._run(links, command)
        survey = read_survey(finished.stdout)
        self._event("survey", exit_status=finished.exit_status, **asdict(survey))
        refusal = recognise_refusal(finished)
        if refusal is not None and finished.exit_status is not None:
            host = self._host
            raise LinkError("shell_refused", final=True, host=host.name, user=host.user, detail=str(refusal))
        if survey.complete and not survey.own_group:
            raise CannotCapture("capture_not_own_group", final=True, host=self._host.name)
        self._surveyed = True

    def versions(self, links: HostLinks) -> None:
        """Asks each tool for its version, once in the life of this host.

        Raises:
            LinkError: the connection is gone.
        """
        if self._versions_asked:
            return
        for command in self._commands.get("house.version", ()):
            finished = self._run(links, command)
            absent = finished.exit_status in _NOT_RUN
            answer = b"" if absent else payload(finished.stdout) or finished.stderr
            self._event("version", tool=command.tool, text=answer.decode("utf-8", "replace").strip()[:400])
        self._versions_asked = True

    def checksum_command(self, path: str) -> PlannedCommand | None:
        """The approved plan's question for the checksum of that file; None where it has none."""
        return next((command for command in self._commands.get("house.cksum", ()) if command.remote_path == path), None)

    def checksum(self, links: HostLinks, command: PlannedCommand) -> tuple[int, int] | None:
        """POSIX checksum and size of a file there; None where no answer came.

        Raises:
            LinkError: the connection is gone.
        """
        return told_cksum(payload(self._run(links, command).stdout).decode("ascii", "replace"))

    # -- clock -------------------------------------------------------------------------------------

    def clock_is_due(self) -> bool:
        return time.monotonic() - self._checked_s >= self._context.settings.clock_every_s

    def check_clock(self, links: HostLinks) -> ClockFinding:
        """Measures the clock and compares it with the check before.

        Raises:
            LinkError: the connection is gone.
        """
        command = self._one("house.clock")
        self._checked_s = time.monotonic()
        if command is None:
            return ClockFinding()
        put_down_command(self._context, self._host.name, command)
        deadline_s = self._context.settings.run_deadline_s
        check = measure_clock(
            lambda line: links.run(line, deadline_s), command.verbatim, time.time_ns, host=self._host.name
        )
        if check is None:
            return ClockFinding()
        before, self.clock = self.clock, check
        self._event("clock", **asdict(check))
        return ClockFinding() if before is None else self._compared(before, check)

    def _compared(self, before: ClockCheck, now: ClockCheck) -> ClockFinding:
        if before.boot_id and now.boot_id and before.boot_id != now.boot_id:
            return ClockFinding(rebooted=True, evidence=f"boot {before.boot_id} -> {now.boot_id}")
        moved_ns = now.offset_ns - before.offset_ns
        allowed_ns = before.error_ns + now.error_ns + round(self._context.settings.clock_step_s * 1e9)
        if abs(moved_ns) <= allowed_ns:
            return ClockFinding()
        local_ns = time.time_ns()
        return ClockFinding(
            stepped=True,
            before_ns=local_ns + before.offset_ns,
            after_ns=local_ns + now.offset_ns,
            evidence=f"{moved_ns / 1e9:+.3f} s since {before.taken_at}",
        )

    # -- what is left of us ------------------------------------------------------------------------

    def leftovers(self, links: HostLinks) -> int | None:
        """How many processes of ours run there besides those that this thread knows of; None: could not be asked.

        Raises:
            LinkError: the connection is gone.
        """
        command = self._one("house.leftovers")
        if command is None:
            return None
        finished = self._run(links, command)
        leftovers = read_leftovers(payload(finished.stdout)) if finished.exit_status is not None else None
        count = None if leftovers is None else len(leftovers)
        evidence = "; ".join(leftovers or ())[:500]
        self._event("leftovers", count=count, evidence=evidence)
        self._context.audit(
            "capture_cleaned",
            session_id=self._context.session_id,
            host=self._host.name,
            leftovers="unknown" if count is None else "found" if count else "none",
            count=count,
            evidence=evidence,
        )
        return count

    # -- asking ------------------------------------------------------------------------------------

    def _one(self, probe: str) -> PlannedCommand | None:
        return next(iter(self._commands.get(probe, ())), None)

    def _run(self, links: HostLinks, command: PlannedCommand) -> Finished:
        put_down_command(self._context, self._host.name, command)
        return links.run(command.verbatim, self._context.settings.run_deadline_s)

    def _event(self, name: str, **facts: object) -> None:
        self._context.spool.event(self._folder, name, {"at": iso(time.time_ns()), **facts})


def payload(stdout: bytes) -> bytes:
    """What a command that ran in our wrapper itself wrote."""
    if not is_framed(stdout):
        return stdout
    return b"".join(frame.data for frame in frames_of([stdout]) if isinstance(frame, Data))
