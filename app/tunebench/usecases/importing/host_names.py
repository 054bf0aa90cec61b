"""Which host a capture is of, and what those are called meanwhile whose host nobody knows.

Unnamed captures that lie in one folder of a run and tell of the same system may be of one machine; those of another
folder, another archive or another system are of another host, and so are those below another prompt and those that
measured something else at the same time. In two runs they are of one host where their folders are the same but for what
says before and after. Nothing that two machines measured becomes one series.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from tunebench.capture.layouts import host_name, short_name
from tunebench.core.patterns import lazy_pattern
from tunebench.core.records import record
from tunebench.domain.assembly import Relation
from tunebench.domain.engagement import UNNAMED_HOST, Host, is_unnamed, unnamed_host
from tunebench.domain.operating_systems import os_word
from tunebench.domain.visible_text import harmless_line
from tunebench.sdk.text import decode_text
from tunebench.store import artefacts, hosts, overlaps
from tunebench.store.artefacts import ArtefactInfo
from tunebench.store.project import Project
from tunebench.usecases.importing.host_evidence import laid_out_host
from tunebench.usecases.importing.outcomes import Delivery, Outcome
from tunebench.usecases.importing.phases import folder_of

_HEAD_LINES = 6
_PROMPT = lazy_pattern(r"^\s*\[?[a-z_][\w.-]*@([A-Za-z][\w.-]*?)(?:[:\s\]]|$)")
"""``[oracle@db01 ~]$ vmstat 5``"""


@record(frozen=False)
class _Unnamed:
    """A host without a name: `file` is one of its captures; `name` empty until it is called something.

    Attributes:
        folder: where its captures lie, and below it the host that their prompt names.
    """

    folder: str
    os: str
    file: str
    name: str = ""


def names_for(project: Project, systems: Mapping[int, str]) -> dict[int, str]:
    """What the hosts of these captures are called; `systems`: capture -> the system that it tells of."""
    stored = [capture for capture in artefacts.list_artefacts(project) if capture.id in systems]
    names: dict[int, str] = {}
    everywhere = list(_existing(project))
    for run_id in dict.fromkeys(capture.run_id for capture in stored):
        existing = list(_existing(project, run_id))
        unnamed = list(existing)
        own = {
            capture.id: _host_of(_where(project, capture), capture.name, os_word(systems[capture.id]), unnamed)
            for capture in stored
            if capture.run_id == run_id
        }
        new = unnamed[len(existing) :]
        _name(new, {host.name for host in existing}, everywhere)
        everywhere += new
        names |= {id_: host.name for id_, host in own.items()}
    return names


def _existing(project: Project, run_id: int | None = None) -> Iterable[_Unnamed]:
    for capture, host in _unnamed(project, run_id):
        yield _Unnamed(_where(project, capture), host.os, capture.name, host.name)


def _unnamed(project: Project, run_id: int | None) -> Iterable[tuple[ArtefactInfo, Host]]:
    named = {host.id: host for host in hosts.list_hosts(project)}
    for capture in artefacts.list_artefacts(project, run_id):
        host = named.get(capture.host_id or 0)
        if host is not None and is_unnamed(host.name):
            yield capture, host


def _where(project: Project, artefact: ArtefactInfo) -> str:
    folder, prompted = folder_of(artefact.source_path), prompted_host(project, artefact.id)
    return f"{folder}/{prompted}" if prompted else folder


def prompted_host(project: Project, artefact_id: int) -> str:
    """The host that a prompt in the first lines names; empty where there is none, or several differ."""
    lines = map(decode_text, artefacts.first_lines(project, artefact_id, _HEAD_LINES))
    prompts = {host_name(match[1]) for line in lines if (match := _PROMPT.match(line))}
    return prompts.pop() if len(prompts) == 1 else ""


def _host_of(folder: str, file: str, os: str, unnamed: list[_Unnamed]) -> _Unnamed:
    for host in unnamed:
        if host.folder == folder and (not os or host.os in ("", os)):
            host.os = host.os or os
            return host
    unnamed.append(_Unnamed(folder, os, file))
    return unnamed[-1]


def _name(unnamed: Sequence[_Unnamed], taken: set[str], everywhere: Sequence[_Unnamed]) -> None:
    """Gives each a name; the only one of its run is just unknown: it can be compared with that of another run then, if
    that lies in the same folder.

    Args:
        taken: names of others in the run.
        everywhere: hosts of all runs; no name is used again for another folder.
    """
    is_only = len(unnamed) == 1 and not taken
    for host in unnamed:
        here = {other.name for other in everywhere if other.folder == host.folder}
        others = {other.name for other in everywhere} - here
        if is_only and UNNAMED_HOST not in others:
            host.name = UNNAMED_HOST
            return
        host.name = _free_name(taken | others, _last(host.folder), host.file, f"{_last(host.folder)}/{host.file}")
        taken.add(host.name)


def _free_name(taken: set[str], *places: str) -> str:
    """The name after the first of these places that no other is called after; else after the last, with a number."""
    wanted = [*places, *(f"{places[-1]} {number}" for number in range(2, len(taken) + 3))]
    names = (unnamed_host(harmless_line(folder)) for folder in wanted if folder)
    return next(name for name in names if name not in taken)


def _last(folder: str) -> str:
    return folder.rpartition("/")[2]


# -- what was measured tells ---------------------------------------------------------------------------


def keep_apart(project: Project, host: Host) -> bool:
    """Captures of an unnamed host that measured something else at the same time become hosts of their own.

    Returns: whether there were any.
    """
    own = [capture for capture in artefacts.list_artefacts(project) if capture.host_id == host.id]
    differ = {
        frozenset((overlap.artefact_id, overlap.other_id))
        for overlap in overlaps.list_overlaps(project)
        if overlap.relation is Relation.DIFFERS
    }
    moved = False
    for run_id in {capture.run_id for capture in own}:
        _, *others = _alike([capture for capture in own if capture.run_id == run_id], differ)
        taken = {host.name for _, host in _unnamed(project, run_id)}
        for group in others:
            moved = True
            taken.add(_move(project, host, group, taken))
    return moved


def _alike(own: Sequence[ArtefactInfo], differ: set[frozenset[int]]) -> list[list[ArtefactInfo]]:
    """Groups in which no two differ; the first capture is in the first."""
    groups: list[list[ArtefactInfo]] = []
    for capture in own:
        fitting = [g for g in groups if all(frozenset((capture.id, other.id)) not in differ for other in g)]
        if fitting:
            fitting[0].append(capture)
        else:
            groups.append([capture])
    return groups


def _move(project: Project, host: Host, group: Sequence[ArtefactInfo], taken: set[str]) -> str:
    first = group[0]
    name = _free_name(taken, first.name, f"{_last(folder_of(first.source_path))}/{first.name}")
    new = hosts.ensure_host(project, name, host.os, host.os_version, host.zone, host.zone_source)
    artefacts.put_to_hosts(project, [(capture.id, new.id) for capture in group])
    return name


class HostGuess:
    """Which host a capture is of, where somebody says it (vmstat prints no name).

    The user's word; the capture's own; what its layout tells (a file's name, the report's ``hostname``). A layout's
    ``db1`` is the ``db1.example.com`` of the captures beside it. What merely lies beside it tells nothing: a folder
    or a mail holds captures of several machines. Of a text of several hosts no part is put to another than its own.
    """

    def __init__(self, deliveries: Sequence[Delivery]) -> None:
        self._full_names: dict[str, str] = {}
        self._laid_out: dict[int, str] = {}  # by the outcome's id
        for delivery in deliveries:
            for outcome in delivery.outcomes:
                self._laid_out[id(outcome)] = _named_above(outcome, delivery.told_hosts)
                own = outcome.taken.known.hostname if outcome.taken else ""
                if own:
                    self._full_names.setdefault(short_name(own), own)

    def name(self, outcome: Outcome, stated: str) -> str:
        """The name of the outcome's host; empty where nothing names it.

        Args:
            stated: what the user called the host; empty where they did not.
        """
        own = outcome.taken.known.hostname if outcome.taken else ""
        if outcome.taken is not None and outcome.taken.is_one_of_several:
            return own
        laid_out = self._laid_out[id(outcome)] or laid_out_host(outcome.seen)
        return stated or own or self._full_names.get(short_name(laid_out), laid_out)


def _named_above(outcome: Outcome, names: dict[str, str]) -> str:
    """The name in the nearest ``hostname`` file above it; empty where there is none."""
    roots = [root for root in names if outcome.place.startswith(root)]
    return names[max(roots, key=len)] if roots else ""
