"""Everything that came in, beside each other: host, run and time of each, what of that was assumed, what is asked.

Nothing is put to a host because of where it lies: a prompt, the name of a file, folder or archive only propose one.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime

from tunebench.capture.layouts import place_of, shipped_layouts, short_name
from tunebench.core.errors import UserError
from tunebench.core.grouping import by_key
from tunebench.core.progress import Progress
from tunebench.core.records import record
from tunebench.domain.assembly import Relation
from tunebench.domain.bundle import MemberState
from tunebench.domain.capturing.times import CaptureTimes, Correction
from tunebench.domain.engagement import Phase, Run, is_unnamed
from tunebench.domain.ledger import ONLY_BLOCK_SINCE_BOOT, ImportState, Ledger
from tunebench.domain.operating_systems import os_word
from tunebench.store import artefacts, bundles, hosts, overlaps, resolutions, runs
from tunebench.store.artefacts import ArtefactInfo
from tunebench.store.project import Project
from tunebench.usecases import services
from tunebench.usecases.importing import resolution
from tunebench.usecases.importing.host_evidence import archives_of, folders_of, hosts_in, laid_out_host
from tunebench.usecases.importing.host_names import prompted_host
from tunebench.usecases.importing.phases import said_phase, without_phase

WEIGHTS = {
    "file": 0.9,
    "host": 0.6,
    "system": 0.6,
    "overlap": 0.6,
    "start": 0.5,
    "date": 0.5,
    "phase": 0.4,
    "date_order": 0.3,
    "since_boot": 0.3,
    "interval_s": 0.2,
    "zone": 0.1,
}
"""What may be asked of a file, and how much of its worth as evidence hangs on the answer (0 to 1)."""
_NOT_TAKEN = (MemberState.UNRECOGNISED, MemberState.FAILED, MemberState.REFUSED)


@record
class Proposal:
    """A host that evidence speaks for: ``prompt``, ``file``, ``folder`` or ``archive``, the strongest there is.

    Attributes:
        is_known: a capture's own words or a person name this host, too.
        against: another host that weaker evidence speaks for, from a folder's name on; empty where none does.
    """

    host: str
    by: str
    is_known: bool = False
    against: str = ""

    @property
    def is_proved(self) -> bool:
        """Whether nobody has to be asked: the capture's prompt says it, or its name says a host that is known."""
        return not self.against and (self.by == "prompt" or (self.by == "file" and self.is_known))


@record
class Reviewed:
    """One file.

    Attributes:
        artefact: None where nothing of it is in the project; `refusal` says why.
        host_from: ``capture``, ``path`` (its layout), ``user``, ``import`` (said or told when it came), or ``none``.
        times: None where nothing of it has a time.
        questions: keys of `WEIGHTS`, the weightiest first; none where nothing is asked.
    """

    name: str
    path: str
    artefact: ArtefactInfo | None
    host: str
    host_from: str
    proposal: Proposal | None
    run: str
    phase: Phase | None
    times: CaptureTimes | None
    questions: tuple[str, ...]
    refusal: UserError | None = None

    @property
    def ledger(self) -> Ledger:
        return self.artefact.ledger if self.artefact else Ledger()

    @property
    def doubt(self) -> float:
        """0 (nothing is asked) to 1."""
        return 1 - math.prod(1 - WEIGHTS[question] for question in self.questions)


def reviewed(project: Project) -> list[Reviewed]:
    """Every file that is in, and those of bundles that are not; what is most in doubt first."""
    every = [capture for capture in artefacts.list_artefacts(project) if capture.state != ImportState.KEPT]
    rows = [*_Review(project, every).rows(), *_refused(project)]
    return sorted(rows, key=lambda row: (-row.doubt, row.path))


def _refused(project: Project) -> Iterable[Reviewed]:
    for bundle in bundles.list_bundles(project):
        for member in bundle.members:
            if member.state in _NOT_TAKEN and member.artefact_id is None and not member.cancelled:
                path = f"{bundle.path}{'/' if bundle.form == 'folder' else '!/'}{member.name}" if member.name else ""
                name = member.name.rpartition("/")[2] or bundle.name
                yield Reviewed(
                    name, path or bundle.path, None, "", "none", None, "", None, None, ("file",), member.refusal
                )


class _Review:
    """The captures of a project beside each other, and the hosts that they speak for."""

    def __init__(self, project: Project, every: Sequence[ArtefactInfo]) -> None:
        self._project, self._every = project, every
        self._hosts = {host.id: host.name for host in hosts.list_hosts(project)}
        self._runs = {run.id: run for run in runs.list_runs(project)}
        self._stated = {
            change.artefact_id: change.after["host"]
            for decision in resolutions.list_resolutions(project)
            for change in decision.changes
            if decision.in_force and "host" in change.after
        }
        self._differ = set(self._at_odds())
        self._systems = {
            host_id: Counter(system for capture in own if (system := os_word(capture.ledger.os)))
            for host_id, own in by_key((capture.host_id, capture) for capture in every).items()
        }
        self._prompts = {
            capture.id: prompted_host(project, capture.id) for capture in every if is_unnamed(self._host(capture))
        }
        self._named = dict(self._known_names())
        self._tools = {tool for entry in services.current().plugins.parsers() for tool in entry.tools}

    def rows(self) -> Iterable[Reviewed]:
        for capture in self._every:
            host, run = self._host(capture), self._runs[capture.run_id]
            proposal = self._proposal(capture) if is_unnamed(host) else None
            times = resolution.times_of_capture(capture)
            asked = self._asked(capture, host, run, times)
            questions = tuple(sorted(asked, key=lambda key: (-WEIGHTS[key], key)))
            path = capture.source_path or capture.name
            source = self._host_from(capture, host)
            yield Reviewed(capture.name, path, capture, host, source, proposal, run.label, run.phase, times, questions)

    def _at_odds(self) -> Iterable[int]:
        """Captures of one host by the same tool at the same interval that measured different things at once.

        Where no interval is known they may have looked at other moments, as two probes of one database do.
        """
        every = (capture for capture in self._every if capture.ledger.interval_s is not None)
        how = {capture.id: (capture.ledger.tool, capture.ledger.interval_s) for capture in every}
        for overlap in overlaps.list_overlaps(self._project):
            one, other = overlap.artefact_id, overlap.other_id
            if overlap.relation is Relation.DIFFERS and one in how and how[one] == how.get(other):
                yield from (one, other)

    def _host(self, capture: ArtefactInfo) -> str:
        return self._hosts.get(capture.host_id or 0, "")

    def _host_from(self, capture: ArtefactInfo, host: str) -> str:
        if self._stated.get(capture.id) == host:
            return "user"
        if capture.ledger.hostname and short_name(capture.ledger.hostname) == short_name(host):
            return "capture"
        if not host or is_unnamed(host):
            return "none"
        seen = laid_out_host(shipped_layouts().sight(place_of(capture.source_path)))
        return "path" if seen and short_name(seen) == short_name(host) else "import"

    def _asked(self, capture: ArtefactInfo, host: str, run: Run, times: CaptureTimes | None) -> set[str]:
        if capture.state != ImportState.IMPORTED:
            return {"file"}
        stated = said_phase(place_of(capture.source_path).split("/")[-3:])[0]
        systems = self._systems.get(capture.host_id, Counter())
        own = os_word(capture.ledger.os)
        usual = [system for system, count in systems.items() if count == max(systems.values())]
        asked = {
            "host": is_unnamed(host),
            "system": bool(own) and len(systems) > 1 and usual != [own],
            "overlap": capture.id in self._differ and self._stated.get(capture.id) != host,
            "phase": stated is not Phase.OTHER and stated is not run.phase,
            "since_boot": ONLY_BLOCK_SINCE_BOOT in capture.ledger.warnings,
        }
        return {key for key, is_asked in asked.items() if is_asked} | set(times.doubtful if times else ())

    # --- which host an unnamed capture may be of
    def _known_names(self) -> Iterable[tuple[str, str]]:
        """Hosts by short name that captures name themselves or a person named; what a file's place told is none."""
        for capture in self._every:
            host = self._host(capture)
            own = "" if self._host_from(capture, host) in ("path", "none") else host
            if name := self._prompts.get(capture.id) or own:
                yield short_name(name), name

    def _proposal(self, capture: ArtefactInfo) -> Proposal | None:
        """The best evidence that there is; none where it names two, or a known host speaks against a mere word.

        What a capture says itself made it a named one; then its prompt, and its names from the nearest to the widest.
        """
        statements = [(by, *tell(capture)) for by, tell in self._evidence()]
        statements = [(by, sure, like) for by, sure, like in statements if sure or like]
        if not statements:
            return None
        (by, sure, like), *weaker = statements
        names = sure or like
        if len(names) > 1 or (not sure and self._is_known_elsewhere(capture)):
            return None
        [host] = names
        others = [own for name, *both in weaker if name != "archive" for own in both[0] or both[1]]
        against = next((own for own in others if short_name(own) != short_name(host)), "")
        return Proposal(host, by, short_name(host) in self._named, against)

    def _evidence(self) -> tuple[tuple[str, Callable[[ArtefactInfo], tuple[set[str], set[str]]]], ...]:
        """What tells of a host, the strongest first: the hosts that it names, and words that look like a new one's."""
        return (
            ("prompt", self._prompted),
            ("file", lambda capture: self._hosts_in([capture.name])),
            ("folder", self._of_folders),
            ("archive", lambda capture: self._hosts_in(archives_of(capture.source_path))),
        )

    def _prompted(self, capture: ArtefactInfo) -> tuple[set[str], set[str]]:
        host = self._prompts.get(capture.id)
        return ({self._named.get(short_name(host), host)} if host else set()), set()

    def _of_folders(self, capture: ArtefactInfo) -> tuple[set[str], set[str]]:
        """Known hosts in all names; a new one in the nearest alone, for the others are those of the one who copied."""
        folders = folders_of(capture.source_path)
        return self._hosts_in(folders)[0], self._hosts_in(self._nearest(folders))[1]

    @staticmethod
    def _nearest(folders: Sequence[str]) -> Sequence[str]:
        return [folder for folder in folders if without_phase(folder)][-1:]

    def _is_known_elsewhere(self, capture: ArtefactInfo) -> bool:
        """Whether a folder or an archive names a host that is there: it contradicts a word that only looks like one."""
        return bool(self._hosts_in([*folders_of(capture.source_path), *archives_of(capture.source_path)])[0])

    def _hosts_in(self, names: Iterable[str]) -> tuple[set[str], set[str]]:
        both = [hosts_in(name, self._named, self._tools) for name in names]
        return {host for sure, _ in both for host in sure}, {word for _, like in both for word in like}


# -- what a person says of many files at once ----------------------------------------------------------


def correct_each(
    project: Project, corrections: Mapping[int, Correction], progress: Progress | None = None
) -> list[int]:
    """Makes every correction, or on an error none; the ids of the resolutions.

    Raises:
        UserError: as `resolution.correct`.
    """
    together = by_key((_alike(id_, correction), id_) for id_, correction in corrections.items())
    numbers: list[int] = []
    try:
        for ids in together.values():
            numbers += resolution.correct(project, ids, corrections[ids[0]], progress)
    except BaseException:
        for number in reversed(numbers):
            resolution.take_back(project, number)
        raise
    return numbers


def _alike(artefact_id: int, correction: Correction) -> tuple[Correction, int]:
    """Days and times are each capture's own: together the others would only move along with the first."""
    return correction, artefact_id if correction.first_day or correction.start else 0


def proposed(rows: Iterable[Reviewed]) -> dict[int, Correction]:
    """What has to be said so that every capture is of the host that is proved for it; no other proposal is taken."""
    return _as_proposed(row for row in rows if row.proposal and row.proposal.is_proved)


def proposed_alike(rows: Iterable[Reviewed], chosen: Iterable[Reviewed]) -> dict[int, Correction]:
    """What has to be said so that all whose names propose what those of the chosen ones do are of that host."""
    wanted = {row.proposal for row in chosen if row.proposal and not row.proposal.is_proved}
    return _as_proposed(row for row in rows if row.proposal in wanted)


def _as_proposed(rows: Iterable[Reviewed]) -> dict[int, Correction]:
    pairs = ((row.artefact, row.proposal) for row in rows)
    return {artefact.id: Correction(host=proposal.host) for artefact, proposal in pairs if artefact and proposal}


@record
class Planned:
    """What a plan says of one file; None and empty mean that it says nothing. `confirmed`: all of it is sure now."""

    host: str = ""
    run: str = ""
    phase: Phase | None = None
    zone: str = ""
    day: date | None = None
    start: datetime | None = None
    interval_s: float | None = None
    confirmed: bool = False


def correction_of(row: Reviewed, planned: Planned) -> Correction | None:
    """What has to be said so that a file is as planned; None where it is.

    Raises:
        UserError: plan_phase where the plan wants another phase for the run that the file is in.
    """
    if planned.phase is not None and planned.run in ("", row.run) and planned.phase is not row.phase:
        raise UserError("plan_phase", path=row.path, run=row.run)
    correction = Correction(host=planned.host if planned.host != row.host else "")
    if planned.run not in ("", row.run):
        correction = replace(correction, run=planned.run, phase=planned.phase or row.phase or Phase.OTHER)
    if row.times is not None:
        correction = _timed(correction, row.times, planned)
    return None if correction == Correction() else correction


def confirmed(rows: Iterable[Reviewed]) -> dict[int, Correction]:
    """What has to be said so that what was assumed of the times of these files is sure."""
    corrections: dict[int, Correction] = {}
    for row in rows:
        if row.artefact is not None and row.times is not None:
            correction = correction_of(row, replace(values_of(row.times), confirmed=True))
            corrections |= {row.artefact.id: correction} if correction else {}
    return corrections


def _timed(correction: Correction, times: CaptureTimes, planned: Planned) -> Correction:
    current, open_ = values_of(times), times.doubtful if planned.confirmed else ()
    if planned.zone and (planned.zone != times.zone or "zone" in open_):
        correction = replace(correction, zone=planned.zone)
    if planned.start and (planned.start != current.start or "start" in open_):
        correction = replace(correction, start=planned.start)
    if planned.day and (planned.day != current.day or not {"date", "date_order"}.isdisjoint(open_)):
        correction = replace(correction, first_day=planned.day)
    if planned.interval_s and (planned.interval_s != current.interval_s or "interval_s" in open_):
        correction = replace(correction, interval_s=planned.interval_s)
    return correction


def values_of(times: CaptureTimes) -> Planned:
    """Day, start and interval of a capture as far as they can be said of it, and its zone."""
    start = times.assumed.get("start")
    open_ = times.open_subjects
    return Planned(
        zone=times.zone,
        day=times.local_first.date() if start is None and "date" in open_ else None,
        start=datetime.fromisoformat(start.value).replace(tzinfo=None) if start else None,
        interval_s=times.interval_s,
    )
