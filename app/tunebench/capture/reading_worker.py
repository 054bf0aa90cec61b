"""The process that reads captures beside the one that has the project open to write.

    parent -> worker    Setup, then Job, Job, ...          each as 8 bytes of length and a pickle, on stdin
    worker -> parent    Ready, then Step, ..., Findings    of each job; or Failed or Unknown; on stdout

It opens the project to read, loads the plug-ins itself, and ends when its stdin does: so does the parent's death,
however sudden. Both ends are one program, started one by the other; nobody else speaks on these pipes.
"""

from __future__ import annotations

import os
import queue
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from tunebench.capture.capture_reading import Findings, Step, read_capture
from tunebench.core import records
from tunebench.core.beside import ONE_THREAD
from tunebench.core.errors import PluginError, UserError
from tunebench.core.processes import ends, receive, send
from tunebench.core.sealing import Key, hold
from tunebench.domain.ledger import Ledger
from tunebench.plughost.catalogue import MetricCatalogue
from tunebench.plughost.host import PluginHost
from tunebench.plughost.listing import QuarantineRecord
from tunebench.plughost.plugin_folders import SearchFolder
from tunebench.sdk import ParseContext
from tunebench.store import artefacts
from tunebench.store.opening import open_project
from tunebench.store.project import Project


@records.record
class Setup:
    """`key` of an encrypted project: the pipe is the only way on which it goes to another process."""

    project: Path
    folders: tuple[SearchFolder, ...]
    catalogue: MetricCatalogue
    key: Key | None = None


@records.record
class Job:
    """A stored capture and its parser; see `read_capture`."""

    artefact_id: int
    plugin_id: str
    parser_id: str
    parser_version: str
    context: ParseContext
    scouted: Ledger


@records.record
class Failed:
    """The parser failed with this, or the capture could not be read (`refusal`: key and facts of a `UserError`)."""

    quarantine: tuple[QuarantineRecord, ...] = ()
    cause: str = ""
    refusal: tuple[str, dict[str, object]] | None = None


@records.record
class Unknown:
    """The worker found another set of plug-ins than its parent has: the parent reads the capture itself."""


@records.record
class Ready:
    """The project is open and the plug-ins were found."""


Answer = Step | Findings | Failed | Unknown


def serve() -> int:
    """Reads captures until the parent closes the pipe."""
    os.environ[ONE_THREAD] = "1"  # there is a process for each processor
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C goes to all at the terminal; the parent decides
    orders, answers = ends()
    jobs: queue.Queue[Job] = queue.Queue()
    try:
        setup, _ = receive(orders)
        assert isinstance(setup, Setup)
        threading.Thread(target=_listen, args=(orders, jobs), daemon=True).start()
        reader = _Reader(setup)
        send(answers, Ready())
        while True:
            for answer in reader.answers(jobs.get()):
                send(answers, answer)
    except (BrokenPipeError, EOFError):
        return 0


def _listen(orders: IO[bytes], jobs: queue.Queue[Job]) -> None:
    """Takes the jobs; a parent that is gone needs no more answers, also in the middle of one."""
    try:
        while True:
            job, _ = receive(orders)
            assert isinstance(job, Job)
            jobs.put(job)
    except EOFError:
        os._exit(0)


class _Reader:
    def __init__(self, setup: Setup) -> None:
        self._plugins = PluginHost(setup.folders)
        self._catalogue = setup.catalogue
        if setup.key is not None:
            hold(setup.key)
        self._project: Project = open_project(setup.project, read_only=True)

    def answers(self, job: Job) -> Iterator[Answer]:
        entry = self._plugins.parser(job.parser_id)
        if entry is None or (entry.plugin_id, entry.version) != (job.plugin_id, job.parser_version):
            yield Unknown()
            return
        pieces = artefacts.read_artefact(self._project, job.artefact_id)
        try:
            yield from read_capture(entry, job.context, job.scouted, self._catalogue, pieces)
        except PluginError as error:
            yield Failed(tuple(self._plugins.quarantined()), str(error.cause))
            for record in self._plugins.quarantined():  # the parent decides who is asked again
                self._plugins.readmit(record.plugin_id, record.contribution)
        except UserError as error:
            yield Failed(refusal=(error.key, error.facts))
