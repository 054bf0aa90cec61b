"""Many captures read at once, in processes of their own; this one alone writes to the project.

What is stored is the same as when they are read one after the other, down to the numbers of the rows: the answers of
the processes are taken in the order of the captures.
"""

from __future__ import annotations

import os
from collections.abc import Generator, Sequence

from tunebench.capture.capture_reading import Findings, Step
from tunebench.capture.ingest import CaptureStore, context_of
from tunebench.capture.reading_worker import Answer, Failed, Job, Setup
from tunebench.core.beside import ONE_THREAD, cores
from tunebench.core.errors import PluginError, UserError
from tunebench.core.processes import Died
from tunebench.core.progress import Progress
from tunebench.store.project import Project
from tunebench.usecases import services
from tunebench.usecases.importing.parsing import Prepared, ToParse, concluded, parse_prepared, prepare
from tunebench.usecases.importing.results import ImportedFile

MOST_WORKERS = 8
LEAST_BYTES = 24 << 20
"""Less than this is read sooner than processes are started for it."""
_BYTES_OF_A_WORKER = 8 << 20
_MOST_HELD_BYTES = 64 << 20
"""Packed samples that wait for captures before them; some 500 MB of text."""


def workers_for(sizes_bytes: Sequence[int]) -> int:
    """How many processes read captures of these sizes; 0: this one does."""
    total = sum(sizes_bytes)
    if os.environ.get(ONE_THREAD):  # others work beside this one
        return 0
    if total < LEAST_BYTES or len(sizes_bytes) < 2 or cores() < 2:
        return 0
    return min(cores(), len(sizes_bytes), MOST_WORKERS, max(2, total // _BYTES_OF_A_WORKER))


def parse_together(
    project: Project, jobs: Sequence[ToParse], workers: int, progress: Progress
) -> Generator[ImportedFile]:
    """The results, in the order of the jobs.

    Raises:
        Cancelled: the user gave up; the capture that is being stored then is pending, as are those after it.
    """
    from tunebench.capture.reading_pool import ReadingPool  # small imports need none

    prepared = [prepare(project, job) for job in jobs]
    plugins, catalogue = services.current().plugins, services.current().catalogue
    reading = [job_of(job) for job in prepared]
    total = sum(job.artefact.size_bytes for job in prepared) or 1
    done = 0
    with ReadingPool(Setup(project.path, plugins.folders, catalogue, project.key), workers) as pool:
        current: CaptureInTurn | None = None
        try:
            for event in pool.read(reading, _MOST_HELD_BYTES):
                progress.raise_if_cancelled()
                if event is None:
                    continue
                number, answer, _ = event
                if current is None:
                    current = CaptureInTurn(project, prepared[number])
                result = current.take(answer, progress)
                artefact = prepared[number].artefact
                facts = {"name": artefact.name, "number": number + 1, "count": len(jobs)}
                progress.report(done + current.done_bytes, total, "progress.parsing", **facts)
                if result is not None:
                    done += artefact.size_bytes
                    current = None
                    yield result
        finally:
            if current is not None:
                current.abandon()


def job_of(prepared: Prepared) -> Job:
    """What a process needs to read the capture."""
    job = prepared.job
    context = context_of(prepared.artefact, prepared.zone, job.truths, job.told)
    entry = job.entry
    return Job(job.artefact_id, entry.plugin_id, entry.id, entry.version, context, job.known)


class CaptureInTurn:
    """The capture whose turn it is to be stored."""

    def __init__(self, project: Project, prepared: Prepared) -> None:
        job = prepared.job
        self._project, self._prepared = project, prepared
        self._refusal: UserError | None = None
        self.done_bytes = 0
        self._store = CaptureStore(
            project,
            prepared.artefact,
            job.entry,
            known=job.known,
            host_id=prepared.host_id,
            truths=job.truths,
            told=job.told,
            catalogue=services.current().catalogue,
            extra_warnings=job.warnings,
            extra_needs=job.needs,
        )

    def abandon(self) -> None:
        self._store.abandon()

    def set_aside(self, error: UserError) -> ImportedFile:
        """It could not be read: the capture stays, without what was read of it."""
        self._store.fail()
        return self._prepared.failed(error)

    def take(self, answer: Answer | Died, progress: Progress) -> ImportedFile | None:
        """The capture's result once it is known."""
        if self._refusal is not None:  # the project could not take it; what the process still says is let go
            return None if isinstance(answer, Step) else self._prepared.failed(self._refusal)
        try:
            return self._take(answer, progress)
        except UserError as error:
            self._store.abandon()
            self._refusal = error
            return None if isinstance(answer, Step) else self._prepared.failed(error)

    def _take(self, answer: Answer | Died, progress: Progress) -> ImportedFile | None:
        match answer:
            case Step():
                self.done_bytes = answer.done_bytes
                self._store.take(answer)
                return None
            case Findings():
                return concluded(self._project, self._prepared, self._store.finish(answer))
            case Failed():
                return self._failed(answer)
            case Died():
                parser = self._prepared.job.entry.id
                return self.set_aside(UserError("parser_died", path=self._prepared.artefact.name, parser=parser))
        self._store.abandon()  # the processes know other plug-ins, or do not start
        return parse_prepared(self._project, self._prepared, progress)

    def _failed(self, answer: Failed) -> ImportedFile:
        if answer.refusal is not None:
            key, facts = answer.refusal
            raise UserError(key, **facts)
        plugins = services.current().plugins
        for record in answer.quarantine:
            plugins.quarantine_as(record)
        self._store.fail()
        entry = self._prepared.job.entry
        return self._prepared.parser_failed(PluginError(entry.plugin_id, entry.id, answer.cause))
