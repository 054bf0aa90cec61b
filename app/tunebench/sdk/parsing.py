"""What the house gives a parser and expects of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date, datetime
from typing import Protocol
from zoneinfo import ZoneInfo

from tunebench.analysis.databases.record import DatabaseRecord
from tunebench.core.records import record
from tunebench.domain.capturing.run import SystemFact
from tunebench.domain.engagement import CaptureEvent
from tunebench.domain.ledger import Ledger
from tunebench.sdk.batches import SampleBatch


@record
class ParseContext:
    """What is known of a capture besides its bytes.

    Attributes:
        file_name: name the file had at the customer's.
        modified_ns: its modification time, UTC nanoseconds (0 where unknown).
        zone: zone of the host, used for stamps without an offset.
        zone_source: ``user``, ``host`` (remembered for this host) or ``engagement`` (assumed).
        start: the user's word on when an unstamped capture starts; naive means `zone`.
        date: the user's word on the first day of a capture whose stamps have no date.
        interval_s: the interval of an unstamped capture, seconds.
        interval_source: whose word that is: ``user``, or ``path`` (the layout of its bundle).
        day_first: the user's word on a banner date such as 05/06/11; None means not said.
        first_measured: the user's word that first blocks are of an interval, and no averages since boot.
    """

    file_name: str = ""
    path: str = ""
    modified_ns: int = 0
    zone: ZoneInfo = ZoneInfo("UTC")
    zone_source: str = "engagement"
    start: datetime | None = None
    date: date | None = None
    interval_s: float | None = None
    day_first: bool | None = None
    interval_source: str = "user"
    first_measured: bool = False


class Parser(Protocol):
    """Turns the bytes of one capture into samples and an account of every line.

    A parser is pure: no files, no network, no clock. The same instance sees a live tail, a replay or a
    mailed file, in pieces of any size; the pieces' boundaries must not change the result. It never raises
    on bad input: what cannot be read is skipped with a reason.
    """

    def __init__(self, context: ParseContext) -> None: ...

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:
        """How sure (0..1) this parser is that a file with these first bytes (up to 64 KiB) is its own."""
        ...

    def feed(self, data: bytes) -> Iterable[SampleBatch]:
        """Takes the next bytes; gives the batches that are complete."""
        ...

    def finish(self) -> Iterable[SampleBatch]:
        """No more bytes; gives the remaining batches."""
        ...

    def ledger(self) -> Ledger:
        """The account; valid after `finish`."""
        ...

    def events(self) -> Sequence[CaptureEvent]:
        """Restarts, gaps and the like; valid after `finish`."""
        ...

    def facts(self) -> Sequence[SystemFact]:
        """Facts of the host's configuration, where the capture tells some; valid after `finish`.

        A parser may leave this method out: it has no facts then.
        """
        ...

    def take_records(self) -> Sequence[DatabaseRecord]:
        """What the capture says of databases: the records completed since this was last asked, in its order.

        Asked after every `feed` and when the batches of `finish` are taken, so that a long capture of snapshots is
        never held whole. A parser may leave this method out: it reads no database then.
        """
        ...
