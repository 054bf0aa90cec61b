"""Whether the files that were fetched are those on the server: size and checksum, asked by an approved command."""

from __future__ import annotations

from collections.abc import Sequence

from app.capture.checksum import posix_cksum
from app.capture.context import SessionContext
from app.capture.host_checks import HostChecks
from app.capture.host_links import HostLinks
from app.capture.journal import read_streams
from app.capture.stream import StreamRun
from app.domain.capturing.plan import CommandKind
from app.domain.capturing.run import StreamState

CHECKSUM_PROBE = "house.cksum"
"""Probe of the command whose `remote_path` names the file and whose output is that of ``cksum``."""
_FLUSH_S = 30.0


class FetchedFiles:
    """Belongs to the host's thread."""

    def __init__(self, context: SessionContext, runs: Sequence[StreamRun], checks: HostChecks) -> None:
        self._context = context
        self._runs = [run for run in runs if run.command.kind is CommandKind.PULL]
        self._checks = checks
        self._again: set[str] = set()
        self._agreed: set[str] = set()

    def to_fetch_again(self, links: HostLinks) -> list[StreamRun]:
        """Files that differ from those on the server, each once; it may have grown meanwhile.

        What differs a second time is kept as it came, and said so.

        Raises:
            LinkError: the connection is gone.
        """
        whole = [run for run in self._runs if run.state is StreamState.ENDED and run.exit_status == 0]
        wrong = [run for run in whole if run.id not in self._agreed and not self._agrees(run, links)]
        for run in wrong:
            if run.id in self._again:
                run.error_key, run.error_facts = "capture_checksum_differs", {"path": run.command.remote_path}
        again = [run for run in wrong if run.id not in self._again]
        for run in again:
            self._again.add(run.id)
            run.begin_anew()
        return again

    def _agrees(self, run: StreamRun, links: HostLinks) -> bool:
        """True as well where nobody can tell: the approved plan has no command to ask with, or no answer came."""
        path = run.command.remote_path
        if not self._checks.can_ask(CHECKSUM_PROBE, path):
            return True
        told = self._checks.checksum(links, CHECKSUM_PROBE, path)
        if told is None or not self._context.spool.flush(_FLUSH_S):
            run.error_key, run.error_facts = "capture_checksum_unknown", {"path": path}
            agrees = None
        else:
            agrees = told == (self._kept_cksum(run), run.bytes)
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
        """Of the bytes since the file was last begun, from the journal: what is compared is what is kept."""
        kept = read_streams(self._context.spool.folder / run.folder, {run.id: run.void_bytes})
        return posix_cksum(piece for _, piece in kept)
