"""What people said beside the records: names of devices, which capture counts, times of captures, links between
statements, licences; and bundles, whose accounts say where captures came from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from tunebench.domain.assembly import DeviceAlias
from tunebench.domain.bundle import Bundle
from tunebench.domain.capturing.times import Resolution
from tunebench.domain.databases.choices import KeptLink
from tunebench.store import aliases, bundles, overlaps, resolutions
from tunebench.store.databases import licences, statement_links
from tunebench.store.hosts import list_hosts
from tunebench.usecases.merging.conflicts import Choice, Conflict, Subject
from tunebench.usecases.merging.fork import Copy, Fork
from tunebench.usecases.merging.into import Into
from tunebench.usecases.merging.three_way import merged_members

_RESOLVED = ("resolution_taken_back", "resolution_renewed")


class Devices:
    """Names of devices: each stands for itself, but a device has one name at a time."""

    def __init__(self, fork: Fork) -> None:
        self._fork = fork
        self._mine, self._theirs = _aliases(fork.mine), _aliases(fork.theirs)
        self._clashes: dict[str, list[tuple[DeviceAlias, DeviceAlias]]] = {}
        self.conflicts = tuple(self._compared())

    def _compared(self) -> Iterator[Conflict]:
        for host in self._theirs.keys() & self._mine.keys():
            mine, theirs = self._mine[host], self._theirs[host]
            only_mine = [alias for alias in mine if alias not in theirs]
            only_theirs = [alias for alias in theirs if alias not in mine and alias not in self._base(host)]
            for one in only_theirs:
                for other in only_mine:
                    if other.device == one.device and other.name != one.name and _overlap(one, other):
                        self._clashes.setdefault(host, []).append((other, one))
                        yield self._conflict(host, other, one)

    def _conflict(self, host: str, mine: DeviceAlias, theirs: DeviceAlias) -> Conflict:
        entries = [copy.last("device_names_changed", name=host) for copy in self._fork.copies]
        sides = self._fork.sides((mine.name, theirs.name), entries)
        key = f"devices.{host} {theirs.device}" + (f" {theirs.start_ns}" if theirs.start_ns is not None else "")
        return Conflict(key, Subject.DEVICES, host, theirs.device, *sides)

    def _base(self, host: str) -> list[DeviceAlias]:
        """Those of either copy that stood there before: the trail gives them in words."""
        entries = [next(copy.entries("device_names_changed", name=host), None) for copy in self._fork.copies]
        stated = [entry.facts.get("before") for entry in entries if entry is not None]
        words = stated[0] if stated and isinstance(stated[0], list) else None
        every = [*self._mine.get(host, ()), *self._theirs.get(host, ())]
        if words is None:
            return every
        return [alias for alias in every if aliases.alias_words(alias) in words]

    def apply(self, into: Into) -> None:
        by_key = {conflict.key: into.choice(conflict) for conflict in self.conflicts}
        hosts = {host.name: host.id for host in list_hosts(into.project)}
        for host, theirs in self._theirs.items():
            mine = self._mine.get(host, ())
            names = merged_members(self._base(host), mine, theirs)
            for one, other in self._clashes.get(host, ()):
                lost = one if by_key[self._conflict(host, one, other).key] is Choice.THEIRS else other
                names = [alias for alias in names if alias != lost]
            aliases.replace_aliases(into.project, hosts[host], names)
        for host in self._mine.keys() - self._theirs.keys():
            names = merged_members(self._base(host), self._mine[host], ())
            aliases.replace_aliases(into.project, hosts[host], names)


def _aliases(copy: Copy) -> dict[str, tuple[DeviceAlias, ...]]:
    names = {host.id: host.name for host in list_hosts(copy.project)}
    return {names[host_id]: own for host_id, own in aliases.list_aliases(copy.project).items()}


def _overlap(one: DeviceAlias, other: DeviceAlias) -> bool:
    begins, ends = (one.start_ns, other.start_ns), (one.end_ns, other.end_ns)
    start = max((moment for moment in begins if moment is not None), default=None)
    end = min((moment for moment in ends if moment is not None), default=None)
    return start is None or end is None or start < end


class Counting:
    """Captures that a person chose to count before others."""

    def __init__(self, fork: Fork) -> None:
        self._fork = fork
        self._mine, self._theirs = _chosen(fork.mine), _chosen(fork.theirs)
        self._taken = False
        self.conflicts = tuple(self._compared())

    def _compared(self) -> Iterator[Conflict]:
        action = "counting_capture_chosen"
        if self._mine == self._theirs or not self._fork.theirs.touched(action):
            return
        if not self._fork.mine.touched(action):
            self._taken = True
            return
        names = [[name for _digest, name in own] for own in (self._mine, self._theirs)]
        sides = self._fork.sides(names, [copy.last(action) for copy in self._fork.copies])
        yield Conflict("counting", Subject.COUNTING, "", "", *sides)

    def apply(self, into: Into) -> None:
        ids = dict(into.project.rows("SELECT sha256, id FROM artefact"))
        taken = self._taken or any(into.choice(conflict) is Choice.THEIRS for conflict in self.conflicts)
        first, then = (self._theirs, self._mine) if taken else (self._mine, self._theirs)
        rest = [] if self._taken or not self.conflicts else [own for own in then if own not in first]
        if taken or rest:
            overlaps.replace_choices(into.project, [ids[digest] for digest, _ in (*first, *rest) if digest in ids])


def _chosen(copy: Copy) -> list[tuple[str, str]]:
    """SHA-256 and name, the last chosen first."""
    return copy.project.rows(
        "SELECT a.sha256, a.name FROM capture_choice AS c JOIN artefact AS a ON a.id = c.artefact_id"
        " ORDER BY c.position DESC"
    )


class Resolutions:
    """What was said of times: with what it changed, which came in with the captures."""

    conflicts: tuple[Conflict, ...] = ()

    def __init__(self, fork: Fork) -> None:
        self._fork = fork
        self._new = {entry.facts.get("resolution_id") for entry in fork.theirs.entries("times_resolved")}

    def apply(self, into: Into) -> None:
        before = {resolution.id: resolution for resolution in resolutions.list_resolutions(into.project)}
        for theirs in resolutions.list_resolutions(self._fork.theirs.project):
            if theirs.id in self._new:
                number = resolutions.carry_resolution(into.project, _placed(theirs, into))
                into.put("resolution", theirs.id, number)
            elif self._is_decided_anew(theirs, before.get(theirs.id)):
                resolutions.mark_taken_back(into.project, theirs.id, not theirs.in_force)

    def _is_decided_anew(self, theirs: Resolution, here: Resolution | None) -> bool:
        touched = self._fork.theirs.touched(*_RESOLVED, resolution_id=theirs.id)
        return touched and here is not None and here.in_force != theirs.in_force


def _placed(resolution: Resolution, into: Into) -> Resolution:
    changes = tuple(
        replace(change, artefact_id=here)
        for change in resolution.changes
        if (here := into.place("artefact", change.artefact_id)) is not None
    )
    host = into.place("host", resolution.host_id)
    assert host is not None
    return replace(resolution, host_id=host, changes=changes)


class Links:
    """Statements that are the same, and licences that were confirmed: each stands for itself."""

    conflicts: tuple[Conflict, ...] = ()

    def __init__(self, fork: Fork) -> None:
        self._fork = fork

    def apply(self, into: Into) -> None:
        theirs = self._fork.theirs
        here = {_pair(link): link for link in statement_links.list_links(into.project)}
        unlinked = {_named(entry.facts) for entry in theirs.entries("statements_unlinked")}
        for link in statement_links.list_links(theirs.project):
            is_new = _pair(link) in {_named(entry.facts) for entry in theirs.entries("statements_linked")}
            if is_new and _pair(link) not in here:
                statement_links.add_link(into.project, replace(link, id=0))
        added = {_named(entry.facts) for entry in self._fork.mine.entries("statements_linked")}
        linked = {_pair(link) for link in statement_links.list_links(theirs.project)}
        for pair in unlinked - linked - added:
            if pair in here:
                statement_links.remove_link(into.project, here[pair].id)
        confirmed = [replace(given, id=0) for given in licences.list_confirmations(into.project)]
        for given in licences.list_confirmations(theirs.project):
            if replace(given, id=0) not in confirmed:
                licences.add_confirmation(into.project, given)


def _pair(link: KeptLink) -> tuple[object, ...]:
    return link.engine, link.before_id, link.after_id


def _named(facts: dict[str, object]) -> tuple[object, ...]:
    return facts.get("engine"), facts.get("before_id"), facts.get("after_id")


class Bundles:
    """Accounts of archives and folders; one that came in twice has what both say of it."""

    conflicts: tuple[Conflict, ...] = ()

    def __init__(self, fork: Fork) -> None:
        self._theirs = bundles.list_bundles(fork.theirs.project)
        self._mine = {_place_of(bundle): bundle for bundle in bundles.list_bundles(fork.mine.project)}

    def apply(self, into: Into) -> None:
        for theirs in self._theirs:
            mine = self._mine.get(_place_of(theirs))
            if mine is not None and _members(mine.members) >= _members(theirs.members):
                continue
            members = tuple(
                replace(member, artefact_id=into.place("artefact", member.artefact_id)) for member in theirs.members
            )
            bundles.record_bundle(into.project, replace(theirs, id=0, members=members))


def _place_of(bundle: Bundle) -> tuple[str, ...]:
    return (bundle.sha256,) if bundle.sha256 else (bundle.form, bundle.path)


def _members(members: Iterable[object]) -> set[str]:
    return {str(getattr(member, "name", "")) for member in members}
