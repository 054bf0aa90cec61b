"""Import captures: files, folders and archives; one bad one never stops the rest."""

from __future__ import annotations

from collections.abc import Callable, Container, Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from tunebench.capture.truths import Told, Truths
from tunebench.core.errors import Cancelled, UserError
from tunebench.core.progress import LastMoments, PartOf, Progress, SilentProgress
from tunebench.domain.bundle import Bundle
from tunebench.domain.engagement import is_unnamed
from tunebench.domain.ledger import ImportState
from tunebench.store import artefacts, bundles, hosts, removal, resolutions
from tunebench.store.project import Project
from tunebench.usecases.importing import assembly, date_orders, interrupted
from tunebench.usecases.importing.date_orders import ProvenOrder
from tunebench.usecases.importing.host_names import HostGuess, names_for
from tunebench.usecases.importing.intake import Intake
from tunebench.usecases.importing.outcomes import Delivery, Outcome, files_of
from tunebench.usecases.importing.own_collections import import_collections
from tunebench.usecases.importing.parsing import ToParse, parse_stored, read_again
from tunebench.usecases.importing.results import ImportedFile, ImportOptions, ImportReport
from tunebench.usecases.importing.together import parse_together, workers_for
from tunebench.usecases.projects import check_zone, require_writing

if TYPE_CHECKING:
    from tunebench.usecases.workers import Where

LAST_READING_S = 4.0
_INTAKE_SHARE = 0.3
"""Of the whole progress; parsing takes the rest."""
_ReadAll = Callable[[Project, Sequence[ToParse], Progress], Generator[ImportedFile]]
"""Reads and stores captures; gives their results in order."""


def import_captures(
    project: Project,
    paths: Sequence[Path],
    options: ImportOptions,
    progress: Progress | None = None,
    at: Where | None = None,
) -> ImportReport:
    """Imports files, folders and archives into one run.

    Everything is taken in first, in one pass; what was recognised is then put to its host and parsed.

    Args:
        at: who parses; None where the size of the captures says it.

    Raises:
        UserError: nothing can be imported at all (no file given, project read-only, zone unknown, no such workers).
        Cancelled: the user gave up. What was read to its end stays, and what was taken in whole by then as far as it
            is read within `LAST_READING_S`; the accounts of the bundles say what is not in.
    """
    progress = progress or SilentProgress()
    require_writing(project)
    if options.zone:
        check_zone(options.zone)
    with _read_at(at) as read_all, interrupted.remembered(project, paths, options):
        collected, apart = import_collections(project, paths, options, progress)
        loose = [path for path in paths if path not in apart]
        own = tuple(file for one in collected for file in one.files)
        run, files, accounts = _import_loose(project, loose, apart, options, progress, read_all)
    if not own and not files and not accounts:
        raise UserError("nothing_to_import", path=", ".join(map(str, paths)) or "-")
    return ImportReport(run or next((one.run for one in collected), ""), (*own, *files), accounts)


def import_some(
    project: Project, folder: Path, names: Sequence[str], options: ImportOptions, progress: Progress
) -> ImportReport:
    """Imports the files of a folder that are called so, relative to it, as if nothing else lay there.

    Raises:
        UserError, Cancelled: as `import_captures`.
    """
    return ImportReport(*_import_loose(project, [folder], (), options, progress, None, names))


def _import_loose(
    project: Project,
    paths: Sequence[Path],
    apart: Container[Path],
    options: ImportOptions,
    progress: Progress,
    read_all: _ReadAll | None,
    only: Sequence[str] | None = None,
) -> tuple[str, tuple[ImportedFile, ...], tuple[Bundle, ...]]:
    """The run's label, the files and the bundles' accounts; what lies `apart` in a folder came in by itself."""
    intake = Intake(project, options, paths, apart, PartOf(progress, 0.0, _INTAKE_SHARE), only)
    try:
        _take_all(project, paths, intake, options, progress)
        _parse_all(project, intake.deliveries, options, PartOf(progress, _INTAKE_SHARE, 1.0), read_all)
    except Cancelled:
        _give_up(project, intake)
        raise
    intake.taker.remove_empty_runs()
    try:
        assembly.review(project, progress)
        _note_hosts(project, intake.deliveries)
    finally:
        accounts = _record(project, intake.deliveries)
    return intake.taker.run_label, files_of(intake.deliveries), accounts


def _take_all(
    project: Project, paths: Sequence[Path], intake: Intake, options: ImportOptions, progress: Progress
) -> None:
    """A cancel ends the taking in; what came whole by then is worth the few seconds that its reading may take."""
    try:
        for path in paths:
            progress.raise_if_cancelled()
            intake.take(path)
    except Cancelled:
        _parse_all(project, intake.deliveries, options, LastMoments(LAST_READING_S))
        raise


def _note_hosts(project: Project, deliveries: Sequence[Delivery]) -> None:
    """A capture that names no host may have become a host of its own when it was compared with others."""
    names = {host.id: host.name for host in hosts.list_hosts(project)}
    now = {capture.id: names.get(capture.host_id or 0, "") for capture in artefacts.list_artefacts(project)}
    for outcome in (outcome for delivery in deliveries for outcome in delivery.outcomes):
        file = outcome.file
        if file is not None and is_unnamed(file.host):
            outcome.file = replace(file, host=now.get(file.artefact_id or 0, file.host))


def _record(project: Project, deliveries: Sequence[Delivery]) -> tuple[Bundle, ...]:
    """The accounts of this import; those in the project go on from what was there."""
    accounts = [account for delivery in deliveries if (account := delivery.account()) is not None and account.members]
    return tuple(replace(account, id=bundles.record_bundle(project, account).id) for account in accounts)


def _give_up(project: Project, intake: Intake) -> None:
    """What was stored and not yet parsed goes; what was finished stays, with the account of its bundle."""
    for outcome in _waiting(intake.deliveries):
        outcome.give_up()
    finished = {file.artefact_id for file in files_of(intake.deliveries)}
    for artefact_id in sorted(intake.taker.fresh - finished):
        removal.remove_artefact(project, artefact_id)
    intake.taker.remove_empty_runs()
    _record(
        project, [delivery for delivery in intake.deliveries if any(file.artefact_id for file in files_of([delivery]))]
    )


# --- parsing what was taken in
@contextmanager
def _read_at(at: Where | None) -> Iterator[_ReadAll | None]:
    """What reads there; None where nobody said where."""
    if at is None:
        yield None
    elif at.address is None:
        count = at.processes or 1
        yield lambda project, jobs, progress: parse_together(project, jobs, count, progress)
    else:
        from tunebench.usecases import workers
        from tunebench.usecases.importing.elsewhere import parse_elsewhere

        with workers.engine(at) as engine:
            yield lambda project, jobs, progress: parse_elsewhere(project, jobs, engine, progress)


def _parse_all(
    project: Project,
    deliveries: Sequence[Delivery],
    options: ImportOptions,
    progress: Progress,
    read_all: _ReadAll | None = None,
) -> None:
    """Each on its own, or many at once; the hosts are settled before, so that the order does not matter."""
    waiting = [(outcome, outcome.taken.size_bytes) for outcome in _waiting(deliveries) if outcome.taken is not None]
    outcomes = [outcome for outcome, _ in waiting]
    jobs = _jobs(project, deliveries, outcomes, options)
    count = workers_for([size for _, size in waiting])
    if read_all or count:
        parsing = read_all(project, jobs, progress) if read_all else parse_together(project, jobs, count, progress)
        with closing(parsing) as results:
            for outcome, parsed in zip(outcomes, results, strict=True):
                _finish(project, outcome, parsed)
        return
    total = sum(size for _, size in waiting) or 1
    done = 0
    for number, ((outcome, size), job) in enumerate(zip(waiting, jobs, strict=True), 1):
        progress.raise_if_cancelled()
        part = PartOf(progress, done / total, (done + size) / total, number=number, count=len(waiting))
        _finish(project, outcome, parse_stored(project, job, part))
        done += size


def _waiting(deliveries: Sequence[Delivery]) -> list[Outcome]:
    return [outcome for delivery in deliveries for outcome in delivery.outcomes if outcome.taken is not None]


def _jobs(
    project: Project, deliveries: Sequence[Delivery], waiting: Sequence[Outcome], options: ImportOptions
) -> list[ToParse]:
    jobs: list[ToParse] = []
    named = _named(project, deliveries, waiting, options)
    ids = _host_ids(project, named)
    truths: dict[tuple[str, str, bool], Truths] = {}
    for outcome, name in named:
        taken = outcome.taken
        assert taken is not None
        about = (name, taken.known.tool, taken.has_intervals)
        if about not in truths:
            truths[about] = _with_remembered(project, *about, options.truths())
        laid_out = Told(interval_s=outcome.seen.interval_s)
        hints = date_orders.told(project, ids[name], taken.known, truths[about], laid_out)
        jobs.append(ToParse(taken.artefact_id, taken.entry, name, taken.known, truths[about], hints, taken.warnings))
    artefacts.put_to_hosts(project, [(job.artefact_id, ids[job.host_name]) for job in jobs])
    return jobs


def _named(
    project: Project, deliveries: Sequence[Delivery], waiting: Sequence[Outcome], options: ImportOptions
) -> list[tuple[Outcome, str]]:
    """Each with the name of its host."""
    guess = HostGuess(deliveries)
    named = [(outcome, guess.name(outcome, options.host)) for outcome in waiting]
    systems = {taken.artefact_id: taken.known.os for outcome, name in named if not name and (taken := outcome.taken)}
    unnamed = names_for(project, systems)
    return [
        (outcome, name or unnamed[taken.artefact_id]) for outcome, name in named if (taken := outcome.taken) is not None
    ]


def _host_ids(project: Project, named: Sequence[tuple[Outcome, str]]) -> dict[str, int]:
    """The hosts by name; what their captures prove of the order of day and month is kept."""
    ids: dict[str, int] = {}
    orders: dict[str, list[ProvenOrder]] = {}
    for outcome, name in named:
        taken = outcome.taken
        assert taken is not None
        if name not in ids:
            ids[name] = hosts.ensure_host(project, name, taken.known.os, taken.known.os_version).id
        if taken.order is not None:
            orders.setdefault(name, []).append(taken.order)
    for name, proven in orders.items():
        date_orders.keep(project, ids[name], proven)
    return ids


def _finish(project: Project, outcome: Outcome, parsed: ImportedFile) -> None:
    """Takes the result under the name that the file was given by, and with it what was wrong with the file's bytes."""
    if outcome.without_data is not None and parsed.error is None and not parsed.ledger.samples:
        parsed = replace(parsed, state=ImportState.FAILED, error=outcome.without_data)
    reason = outcome.reason if parsed.error is None else parsed.error
    outcome.finish(replace(parsed, path=outcome.path, error=reason))
    original = outcome.original
    if original is not None and original.file is not None and original.file.artefact_id is not None:
        host = hosts.ensure_host(project, parsed.host)
        artefacts.put_to_hosts(project, [(original.file.artefact_id, host.id)])
        original.file = replace(original.file, host=parsed.host)


# --- later
def reparse(
    project: Project, artefact_id: int, options: ImportOptions, progress: Progress | None = None
) -> ImportedFile:
    """Reads a stored artefact again under the user's corrections; the evidence itself never changes.

    What the user said at earlier imports still holds unless said anew.

    Raises:
        UserError: the project is read-only, or no installed parser recognises the artefact.
    """
    artefact = artefacts.find_artefact(project, artefact_id)
    truths = Truths.from_text({**artefact.given, **options.truths().as_text()})
    read = read_again(project, artefact_id, truths, options.host, progress)
    assembly.review(project, progress)
    return read


def finish_pending(project: Project, progress: Progress | None = None) -> tuple[ImportedFile, ...]:
    """Parses the artefacts whose bytes were stored before the program was interrupted."""
    if project.read_only:
        return ()
    read = tuple(
        reparse(project, artefact.id, ImportOptions(), progress) for artefact in artefacts.pending_artefacts(project)
    )
    assembly.review(project, progress)  # nor were those compared that were read before it
    return read


def _with_remembered(project: Project, host_name: str, tool: str, has_intervals: bool, truths: Truths) -> Truths:
    """The truths of one import, filled up with what was stated of this host before.

    The host's zone is kept with the host itself. The order of day and month holds for all its captures, an interval
    for captures of the same tool that have intervals at all: of an average since boot it would make a measurement.
    """
    host = next((host for host in hosts.list_hosts(project) if host.name == host_name), None)
    if host is None or is_unnamed(host.name):  # unnamed captures that come later are of nobody knows which machine
        return truths
    tools = {
        capture.id: capture.ledger.tool for capture in artefacts.list_artefacts(project) if capture.host_id == host.id
    }
    for resolution in reversed(resolutions.list_resolutions(project, host.id)):
        if not resolution.in_force:
            continue
        stated = Truths.from_text({k: v for k, v in resolution.said.items() if k in ("day_first", "interval_s")})
        if truths.day_first is None and stated.day_first is not None:
            truths = replace(truths, day_first=stated.day_first)
        same_tool = has_intervals and any(tools.get(change.artefact_id) == tool for change in resolution.changes)
        if truths.interval_s is None and stated.interval_s is not None and same_tool:
            truths = replace(truths, interval_s=stated.interval_s)
    return truths
