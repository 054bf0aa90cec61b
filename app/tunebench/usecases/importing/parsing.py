"""From stored bytes to samples, at the first import and at every later reading."""

from __future__ import annotations

from dataclasses import replace

from tunebench.capture import ingest
from tunebench.capture.frames import is_framed
from tunebench.capture.ingest import HostZone
from tunebench.capture.layouts import place_of, shipped_layouts
from tunebench.capture.truths import Told, Truths
from tunebench.core.errors import PluginError, UserError
from tunebench.core.progress import Progress, SilentProgress
from tunebench.core.records import record
from tunebench.domain.engagement import UNNAMED_HOST, is_unnamed
from tunebench.domain.ledger import ImportState, Ledger
from tunebench.plughost.parser_entry import ParserEntry
from tunebench.sdk import ParseContext
from tunebench.store import artefacts, engagements, hosts, sessions
from tunebench.store.artefacts import ArtefactInfo
from tunebench.store.databases import records as database_records
from tunebench.store.project import Project
from tunebench.usecases import services
from tunebench.usecases.importing import date_orders, sectioned
from tunebench.usecases.importing.host_evidence import laid_out_host
from tunebench.usecases.importing.results import ImportedFile
from tunebench.usecases.projects import check_zone, refuse_read_only

_WARNINGS_OF_INTAKE = frozenset({"changed_while_read", "source_damaged", sectioned.WARNING})


@record
class ToParse:
    """One stored capture and all that its parser needs; the order among several does not matter.

    Attributes:
        truths: what the user said; `told` what the bundle's layout and other captures of the host tell.
    """

    artefact_id: int
    entry: ParserEntry
    host_name: str
    known: Ledger
    truths: Truths
    told: Told
    warnings: tuple[str, ...] = ()

    @property
    def needs(self) -> tuple[str, ...]:
        return ("host",) if is_unnamed(self.host_name) else ()


@record
class Prepared:
    """A job whose host and zone are settled; what is known of its result before it is read."""

    job: ToParse
    artefact: ArtefactInfo
    host_id: int
    zone: HostZone
    result: ImportedFile

    def failed(self, error: UserError) -> ImportedFile:
        return replace(self.result, state=ImportState.FAILED, error=error)

    def parser_failed(self, error: PluginError) -> ImportedFile:
        name, reason = self.artefact.name, str(error.cause)
        return self.failed(UserError("parser_failed", path=name, parser=error.plugin_id, reason=reason))


def prepare(project: Project, job: ToParse) -> Prepared:
    artefact = artefacts.find_artefact(project, job.artefact_id)
    host = hosts.ensure_host(project, job.host_name, job.known.os, job.known.os_version)
    if job.truths.zone and not is_unnamed(job.host_name):  # another unnamed capture's machine may be elsewhere
        hosts.set_host_zone(project, host.id, job.truths.zone, "user")
    zone = (
        HostZone(host.zone, "host") if host.zone else HostZone(engagements.read_engagement(project).zone, "engagement")
    )
    result = ImportedFile(
        artefact.source_path, ImportState.IMPORTED, artefact.sha256, job.entry.id, job.host_name, artefact.id
    )
    return Prepared(job, artefact, host.id, zone, result)


def parse_stored(project: Project, job: ToParse, progress: Progress) -> ImportedFile:
    """Samples, events, statements and facts of one stored capture; a parser that fails is a result."""
    return parse_prepared(project, prepare(project, job), progress)


def parse_prepared(project: Project, prepared: Prepared, progress: Progress) -> ImportedFile:
    job = prepared.job
    try:
        ledger = ingest.parse_artefact(
            project,
            prepared.artefact,
            job.entry,
            known=job.known,
            host_id=prepared.host_id,
            host_zone=prepared.zone,
            truths=job.truths,
            told=job.told,
            catalogue=services.current().catalogue,
            extra_warnings=job.warnings,
            extra_needs=job.needs,
            progress=progress,
        )
    except PluginError as error:
        return prepared.parser_failed(error)
    except UserError as error:
        return prepared.failed(error)
    return concluded(project, prepared, ledger)


def concluded(project: Project, prepared: Prepared, ledger: Ledger) -> ImportedFile:
    """The result of a capture that was read to its end."""
    result, artefact = prepared.result, prepared.artefact
    facts = count_facts(project, artefacts.find_artefact(project, artefact.id))
    if not ledger.samples and not facts and not database_records.count_records(project, artefact.id):
        artefacts.set_failed(project, artefact.id)
        return replace(prepared.failed(UserError("file_without_data", path=artefact.name)), ledger=ledger)
    return replace(result, ledger=ledger, facts=facts)


def count_facts(project: Project, artefact: ArtefactInfo) -> int:
    """How many facts of the system's configuration came from this artefact; asked where it gave no samples."""
    if artefact.ledger.samples or artefact.state != ImportState.IMPORTED:
        return 0
    return sum(stored.artefact_id == artefact.id for stored in sessions.list_facts(project, artefact.run_id))


def host_name_of(project: Project, host_id: int | None) -> str:
    return next((host.name for host in hosts.list_hosts(project) if host.id == host_id), "")


def read_again(
    project: Project, artefact_id: int, truths: Truths, host: str = "", progress: Progress | None = None
) -> ImportedFile:
    """Reads a stored artefact again under these truths alone.

    Raises:
        UserError: the project is read-only, or no installed parser recognises the artefact.
    """
    progress = progress or SilentProgress()
    refuse_read_only(project)
    artefact = artefacts.find_artefact(project, artefact_id)
    head = ingest.artefact_head(project, artefact_id)
    entry = _entry_of(artefact, head)
    if truths.zone:
        check_zone(truths.zone)
    context = ParseContext(artefact.name, artefact.source_path, artefact.modified_ns)
    ledger = ingest.scout(entry, head, context)
    seen = shipped_layouts().sight(place_of(artefact.source_path))
    before = host_name_of(project, artefact.host_id)
    named = "" if is_unnamed(before) else before
    kept = tuple(key for key in artefact.ledger.warnings if key in _WARNINGS_OF_INTAKE)
    own = "" if sectioned.WARNING in kept else ledger.hostname  # of a part the whole text told when it was cut
    name = host or named or own or laid_out_host(seen) or before or UNNAMED_HOST
    host_id = hosts.ensure_host(project, name, ledger.os, ledger.os_version).id
    hints = date_orders.told(project, host_id, ledger, truths, Told(interval_s=seen.interval_s))
    return parse_stored(project, ToParse(artefact.id, entry, name, ledger, truths, hints, kept), progress)


def _entry_of(artefact: ArtefactInfo, head: bytes) -> ParserEntry:
    """The reader of a stored capture; what a plan or the cutting of a text told is not guessed again."""
    plugins = services.current().plugins
    is_told = is_framed(head) or sectioned.WARNING in artefact.ledger.warnings
    named = plugins.parser(artefact.parser_id) if artefact.parser_id and is_told else None
    return named or ingest.recognise(plugins, head, artefact.name, artefact.name)
