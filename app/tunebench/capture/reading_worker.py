"""The process that reads captures beside the one that has the project open to write.

It is given a `Setup`, then a `Job` after the other, and answers each with steps and findings, `Failed` or `Unknown`
(`tunebench.core.worker_process`). It opens the project to read and loads the plug-ins itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from tunebench.capture.capture_reading import Findings, Step, read_capture
from tunebench.core import records
from tunebench.core.errors import PluginError, UserError
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


Answer = Step | Findings | Failed | Unknown


def answers_of(plugins: PluginHost, catalogue: MetricCatalogue, job: Job, pieces: Iterable[bytes]) -> Iterator[Answer]:
    """What the capture of these bytes says: steps and findings, or why not. It rests on nothing but what is given."""
    entry = plugins.parser(job.parser_id)
    if entry is None or (entry.plugin_id, entry.version) != (job.plugin_id, job.parser_version):
        yield Unknown()
        return
    try:
        yield from read_capture(entry, job.context, job.scouted, catalogue, pieces)
    except PluginError as error:
        yield Failed(tuple(plugins.quarantined()), str(error.cause))
        for record in plugins.quarantined():  # who asked decides who is asked again
            plugins.readmit(record.plugin_id, record.contribution)
    except UserError as error:
        yield Failed(refusal=(error.key, error.facts))


def serve() -> int:
    """Reads captures until the parent closes the pipe."""
    from tunebench.core import worker_process  # who gives the jobs has no use for it

    return worker_process.serve(_Reader)


class _Reader:
    def __init__(self, setup: object) -> None:
        assert isinstance(setup, Setup)
        self._plugins = PluginHost(setup.folders)
        self._catalogue = setup.catalogue
        if setup.key is not None:
            hold(setup.key)
        self._project: Project = open_project(setup.project, read_only=True)

    def __call__(self, job: object) -> Iterator[Answer]:
        assert isinstance(job, Job)
        pieces = artefacts.read_artefact(self._project, job.artefact_id)
        return answers_of(self._plugins, self._catalogue, job, pieces)
