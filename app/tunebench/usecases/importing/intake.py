"""One pass over everything that the user gave: captures are stored verbatim, the rest is named."""

from __future__ import annotations

import hashlib
from collections.abc import Container, Sequence
from contextlib import closing, suppress
from pathlib import Path
from zoneinfo import ZoneInfo

from tunebench.capture import foreign_files
from tunebench.capture.layouts import Expected, Sighting, shipped_layouts, told_host
from tunebench.core.errors import Cancelled, UserError
from tunebench.core.progress import Progress
from tunebench.domain.bundle import REST_CANCELLED, MemberState
from tunebench.domain.ledger import ImportState
from tunebench.store import engagements
from tunebench.store.project import Project
from tunebench.transport.containers.limits import OverLimit
from tunebench.transport.containers.members import LeftOut, Member
from tunebench.transport.containers.names import shown_name
from tunebench.transport.containers.walking import Walk
from tunebench.transport.local import PIECE_BYTES
from tunebench.transport.sar.formats import sa_format
from tunebench.usecases import services
from tunebench.usecases.importing.outcomes import Delivery, Outcome, no_capture, refused
from tunebench.usecases.importing.results import ImportedFile, ImportOptions
from tunebench.usecases.importing.taking import Taker

_UNRECOGNISED = ("file_unrecognised", "file_binary", "file_empty", *foreign_files.REFUSALS)


class Intake:
    """Takes deliveries in, one after the other.

    Attributes:
        deliveries: what came so far.
    """

    def __init__(
        self,
        project: Project,
        options: ImportOptions,
        paths: Sequence[Path],
        apart: Container[Path],
        progress: Progress,
        only: Sequence[str] | None = None,
    ) -> None:
        """`only`: as of `Walk`."""
        zone = ZoneInfo(options.zone or engagements.read_engagement(project).zone)
        self.taker = Taker(project, options, services.current().plugins, zone, progress)
        self._progress = progress
        self._apart, self._only = apart, only
        self._total_bytes = sum(Walk(path, apart=apart, only=only).total_bytes() for path in paths)
        self._before_bytes = 0
        self._name = ""  # of the member that is being taken in
        self._layouts = shipped_layouts()
        self.deliveries: list[Delivery] = []

    def take(self, path: Path) -> None:
        """Everything at one path. What goes wrong is an outcome; only `Cancelled` gets through.

        What was taken in whole before that stands in the delivery, and that the rest was not looked at.
        """
        delivery = Delivery(shown_name(str(path)), shown_name(path.name or str(path)))
        self.deliveries.append(delivery)
        self.taker.given = path
        clock = services.current().file_clock
        walk = Walk(path, on_read=lambda: self._on_read(walk), apart=self._apart, clock=clock, only=self._only)
        try:
            with closing(walk.entries()) as entries:
                for entry in entries:
                    self._progress.raise_if_cancelled()
                    delivery.form = walk.form
                    delivery.outcomes += self._outcomes(entry, walk, delivery)
        except UserError as error:
            if all(outcome.reason is not error for outcome in delivery.outcomes):
                delivery.outcomes.append(refused("", str(path), error))
        except Cancelled:
            self._describe(delivery, walk)
            delivery.outcomes.append(refused("", str(path), UserError(REST_CANCELLED, path=str(path))))
            raise
        self._describe(delivery, walk)
        self._before_bytes += walk.total_bytes()
        self._add_digest(delivery, walk)

    def _describe(self, delivery: Delivery, walk: Walk) -> None:
        """What a bundle is known by at a glance."""
        delivery.form = walk.form or (delivery.outcomes[0].kind if len(delivery.outcomes) > 1 else "")
        if not delivery.form:
            return
        delivery.size_bytes = walk.total_bytes()
        with suppress(OSError):  # gone meanwhile: its members are there
            delivery.modified_ns = walk.path.stat().st_mtime_ns if walk.form != "folder" else 0

    def _add_digest(self, delivery: Delivery, walk: Walk) -> None:
        if delivery.form and walk.form != "folder":
            with suppress(OSError):
                delivery.sha256 = self._digest(walk.path)

    def _digest(self, path: Path) -> str:
        digest = hashlib.sha256()
        with path.open("rb") as file:
            while piece := file.read(PIECE_BYTES):
                self._progress.raise_if_cancelled()
                digest.update(piece)
        return digest.hexdigest()

    # --- one member
    def _outcomes(self, entry: Member | LeftOut, walk: Walk, delivery: Delivery) -> list[Outcome]:
        path = walk.full_path(entry.name)
        if isinstance(entry, LeftOut):
            return [self._left_out(entry, path)]
        seen = self._layouts.sight(entry.place)
        if seen.tells_host and (host := told_host(entry.head())):
            delivery.told_hosts[seen.root] = host
        outcomes = self._outcomes_of_member(entry, path, seen, walk)
        for outcome in outcomes:
            outcome.seen, outcome.place = seen, entry.place
            outcome.kind = outcome.kind or seen.kind
        return outcomes

    @staticmethod
    def _left_out(entry: LeftOut, path: str) -> Outcome:
        if entry.kind:
            return no_capture(entry.name, path, Sighting(), entry.kind, entry.size_bytes, entry.error)
        return refused(entry.name, path, entry.error, entry.size_bytes)

    def _outcomes_of_member(self, member: Member, path: str, seen: Sighting, walk: Walk) -> list[Outcome]:
        if seen.expected is Expected.NO and sa_format(member.head()) is None:
            return [no_capture(member.name, path, seen, seen.kind, member.size_bytes or 0, None)]
        try:
            return self.taker.take(member, path, seen, lambda done: self._report(member, walk, done))
        except OverLimit as limit:
            return [refused(member.name, path, limit, member.read_bytes)]
        except UserError as error:
            return [self._not_taken(member, path, seen, error)]

    @staticmethod
    def _not_taken(member: Member, path: str, seen: Sighting, error: UserError) -> Outcome:
        size = member.size_bytes or len(member.head())
        broken = member.source.broken
        if broken is not None:  # nobody can tell what it would have been
            reason = broken if isinstance(broken, OverLimit) else broken.refusal("bundle_damaged", path)
            return refused(member.name, path, reason, size)
        unrecognised = error.key in _UNRECOGNISED
        if unrecognised and seen.expected is Expected.PERHAPS:
            return no_capture(member.name, path, seen, seen.kind, size, None)
        state = ImportState.UNRECOGNISED if unrecognised else ImportState.FAILED
        file = ImportedFile(path, state, error=error)
        return Outcome(member.name, path, MemberState(state.value), seen, size_bytes=size, reason=error, file=file)

    def _on_read(self, walk: Walk) -> None:
        """Also while what nobody wants is passed over."""
        self._progress.raise_if_cancelled()
        self._say(walk, self._name or walk.path.name, 0)

    def _report(self, member: Member, walk: Walk, done: int) -> None:
        self._name = member.file_name
        self._say(walk, self._name, done)

    def _say(self, walk: Walk, name: str, done: int) -> None:
        so_far = self._before_bytes + walk.done_bytes
        self._progress.report(
            so_far,
            self._total_bytes,
            "progress.taking_in",
            name=name,
            bundle=walk.path.name,
            so_far=_size(so_far),
            whole=_size(self._total_bytes),
            unpacked=_size(done),
        )


def _size(size_bytes: int) -> str:
    return f"{size_bytes / 1e6:,.1f} MB" if size_bytes >= 1e6 else f"{size_bytes / 1e3:,.1f} kB"
