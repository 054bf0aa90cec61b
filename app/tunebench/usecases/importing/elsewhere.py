"""Stored captures read on the workers of a cluster; this process alone writes to the project.

The bytes go as they lie in the project, packed; what is stored is the same as when this process reads them, down to the
numbers of the rows.
"""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Generator, Iterator, Sequence

from tunebench.capture.reading_worker import Answer
from tunebench.cluster.work import Done, Engine, SetAside, Task
from tunebench.core.progress import Progress
from tunebench.store import artefacts
from tunebench.store.project import Project
from tunebench.usecases.importing.parsing import Prepared, ToParse, parse_prepared, prepare
from tunebench.usecases.importing.results import ImportedFile
from tunebench.usecases.importing.together import CaptureInTurn, job_of
from tunebench.usecases.importing.units import Packed, read_packed

MOST_SENT_BYTES = 8 << 20
"""Packed; a longer capture is read here, as it would not fit into a worker's memory with all that it says."""
_MOST_HELD_BYTES = 256 << 20
"""Of captures that were read before their turn came, unpacked."""


def parse_elsewhere(
    project: Project, jobs: Sequence[ToParse], engine: Engine, progress: Progress
) -> Generator[ImportedFile]:
    """The results, in the order of the jobs.

    Raises:
        Cancelled: the user gave up; captures whose turn had not come are pending.
    """
    prepared = [prepare(project, job) for job in jobs]
    sent = [
        number
        for number, job in enumerate(prepared)
        if artefacts.packed_bytes(project, job.artefact.id) <= MOST_SENT_BYTES
    ]
    turns = _Turns(project, prepared, frozenset(sent), progress)
    tasks = (_task(project, prepared[number]) for number in sent)
    yield from turns.results()
    for event in engine.run(read_packed, tasks, turns.has_room):
        progress.raise_if_cancelled()
        if event is not None:
            turns.add(sent[event.number], event)
            yield from turns.results()


def _task(project: Project, prepared: Prepared) -> Task:
    job, artefact = job_of(prepared), prepared.artefact
    hints = f"{job.plugin_id} {job.parser_id} {job.parser_version} {job.context} {job.scouted}"
    digest = hashlib.sha256(f"{artefact.sha256} {hints}".encode()).hexdigest()
    packed = Packed(job, tuple(artefacts.packed_pieces(project, artefact.id)))
    return Task(artefact.name, artefact.size_bytes, digest, packed)


class _Turns:
    """Results that wait for those before them, and the captures that this process reads at their turn."""

    def __init__(
        self, project: Project, prepared: Sequence[Prepared], sent: frozenset[int], progress: Progress
    ) -> None:
        self._project, self._prepared, self._sent, self._progress = project, prepared, sent, progress
        self._events: dict[int, Done | SetAside] = {}
        self._held_bytes = self._done_bytes = 0
        self._total_bytes = sum(map(_size_of, prepared)) or 1
        self._waiting = deque(range(len(prepared)))

    def has_room(self) -> bool:
        return self._held_bytes <= _MOST_HELD_BYTES

    def add(self, number: int, event: Done | SetAside) -> None:
        self._events[number] = event
        self._held_bytes += _size_of(self._prepared[number])

    def results(self) -> Iterator[ImportedFile]:
        while self._waiting and (self._waiting[0] in self._events or self._waiting[0] not in self._sent):
            number = self._waiting.popleft()
            prepared = self._prepared[number]
            event = self._events.pop(number, None)
            if event is None:
                result = parse_prepared(self._project, prepared, self._progress)
            else:
                self._held_bytes -= _size_of(prepared)
                result = self._stored(prepared, event)
            self._done_bytes += _size_of(prepared)
            facts = {"name": prepared.artefact.name, "number": number + 1, "count": len(self._prepared)}
            self._progress.report(self._done_bytes, self._total_bytes, "progress.parsing", **facts)
            yield result

    def _stored(self, prepared: Prepared, event: Done | SetAside) -> ImportedFile:
        capture = CaptureInTurn(self._project, prepared)
        if isinstance(event, SetAside):
            return capture.set_aside(event.error)
        try:
            return next(filter(None, (capture.take(answer, self._progress) for answer in _answers(event))))
        except BaseException:
            capture.abandon()
            raise


def _answers(event: Done) -> Iterator[Answer]:
    assert isinstance(event.value, tuple)
    yield from event.value


def _size_of(prepared: Prepared) -> int:
    return prepared.artefact.size_bytes
