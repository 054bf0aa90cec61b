"""Units of work of an import: each rests on its argument alone, so that any process may run it."""

from __future__ import annotations

from tunebench.capture.reading_worker import Answer, Job, answers_of
from tunebench.core.records import record
from tunebench.store.codec import decompress_bytes
from tunebench.usecases import services


@record
class Packed:
    """A stored capture as it goes to a worker: `pieces` are (size, compressed bytes)."""

    job: Job
    pieces: tuple[tuple[int, bytes], ...]


def read_packed(asked: Packed) -> tuple[Answer, ...]:
    """A unit: all that a capture says, in the order in which it is to be stored."""
    pieces = (decompress_bytes(data, size_bytes) for size_bytes, data in asked.pieces)
    current = services.current()
    return tuple(answers_of(current.plugins, current.catalogue, asked.job, pieces))
