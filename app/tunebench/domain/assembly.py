"""How captures of one host go together: devices that go by several names, stretches that were captured twice."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import StrEnum

from tunebench.core.records import record

EVER_NS = 1 << 62
"""Beyond every time a capture can have: an open end of a stretch."""

Span = tuple[int, int]
"""UTC nanoseconds, both ends included."""


@record
class DeviceAlias:
    """What a device of a host is, and when: ``dm-3`` is ``/oradata``.

    Two devices of the same name are the same thing (``sdb`` until the reboot, ``sdc`` after it).

    Attributes:
        start_ns, end_ns: the period it holds for; None leaves that end open.
        source: ``user`` where a person said it, ``facts`` where an inventory of the host did.
    """

    device: str
    name: str
    start_ns: int | None = None
    end_ns: int | None = None
    source: str = "user"
    author: str = ""
    written_at: str = ""

    @property
    def span(self) -> Span:
        return (-EVER_NS if self.start_ns is None else self.start_ns, EVER_NS if self.end_ns is None else self.end_ns)


class Relation(StrEnum):
    """What two captures that cover the same stretch have to do with each other."""

    SAME = "same"
    DIFFERS = "differs"


@record
class CaptureOverlap:
    """A stretch that two captures of a host cover both; the one imported later is `artefact_id`.

    Attributes:
        shift_ns: this capture's time + shift = the other's time of the same measurement; 0 where they differ.
        start_ns, end_ns: the stretch, in this capture's times.
        columns: how many columns were compared.
    """

    artefact_id: int
    other_id: int
    relation: Relation
    shift_ns: int
    start_ns: int
    end_ns: int
    columns: int


def overlap_of(first: Span, second: Span) -> Span | None:
    start, end = max(first[0], second[0]), min(first[1], second[1])
    return (start, end) if start <= end else None


def without(span: Span, taken: Iterable[Span]) -> list[Span]:
    """The pieces of a span without others; both ends of a span belong to it."""
    left = [span]
    for start, end in taken:
        left = [
            piece
            for whole in left
            for piece in ((whole[0], min(whole[1], start - 1)), (max(whole[0], end + 1), whole[1]))
            if piece[0] <= piece[1]
        ]
        left = sorted(set(left))
    return left


def named_spans(device: str, aliases: Sequence[DeviceAlias], span: Span) -> list[tuple[str, Span]]:
    """Names of a device over a span with their stretches, in the order of time; ``""`` where it has none.

    The first alias that holds for a moment counts.
    """
    named: list[tuple[str, Span]] = []
    left = [span]
    for alias in aliases:
        if alias.device == device:
            held = [cut for piece in left if (cut := overlap_of(piece, alias.span)) is not None]
            named += [(alias.name, cut) for cut in held]
            left = [rest for piece in left for rest in without(piece, held)]
    named += [("", piece) for piece in left]
    return sorted(named, key=lambda cut: cut[1])
