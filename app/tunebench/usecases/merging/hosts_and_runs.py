"""Hosts and runs: one of a name is the same in both copies."""

from __future__ import annotations

from collections.abc import Iterator

from tunebench.domain.engagement import Host, Phase, Run
from tunebench.store import hosts, runs
from tunebench.usecases.merging.conflicts import Choice, Conflict, Subject
from tunebench.usecases.merging.fork import Fork
from tunebench.usecases.merging.into import Into, free_name
from tunebench.usecases.merging.three_way import DIFFER, UNKNOWN, Unknown, merged_value

_FACTS = ("os", "os_version", "zone")


class Hosts:
    def __init__(self, fork: Fork) -> None:
        self._fork = fork
        self._mine = {host.name: host for host in hosts.list_hosts(fork.mine.project)}
        self._theirs = hosts.list_hosts(fork.theirs.project)
        self._zones: dict[str, Host] = {}
        self.conflicts = tuple(self._compared())

    def _compared(self) -> Iterator[Conflict]:
        for theirs in self._theirs:
            mine = self._mine.get(theirs.name)
            for name in _FACTS if mine is not None else ():
                values = getattr(mine, name), getattr(theirs, name)
                if all(values) and values[0] != values[1]:
                    yield from self._of_fact(theirs, name, *values)

    def _of_fact(self, host: Host, name: str, mine: str, theirs: str) -> Iterator[Conflict]:
        action = "host_zone_changed" if name == "zone" else "host_changed"
        entries = [copy.last(action, name=host.name) for copy in self._fork.copies]
        touched = [entry is not None for entry in entries]
        base = UNKNOWN if touched[0] is touched[1] else mine if touched[1] else theirs
        value = merged_value(base, mine, theirs)
        if value is DIFFER:
            sides = self._fork.sides((mine, theirs), entries)
            yield Conflict(f"host.{host.name} {name}", Subject.HOST, host.name, name, *sides)
        elif value == theirs and name == "zone":
            self._zones[host.name] = host

    def apply(self, into: Into) -> None:
        for theirs in self._theirs:
            host = hosts.ensure_host(
                into.project, theirs.name, theirs.os, theirs.os_version, theirs.zone, theirs.zone_source
            )
            into.put("host", theirs.id, host.id)
        for conflict in self.conflicts:
            if conflict.field == "zone" and into.choice(conflict) is Choice.THEIRS:
                self._zones[conflict.name] = next(host for host in self._theirs if host.name == conflict.name)
            elif into.choice(conflict) is Choice.THEIRS:
                self._set_system(into, conflict)
        for theirs in self._zones.values():
            here = into.place("host", theirs.id)
            assert here is not None
            hosts.set_host_zone(into.project, here, theirs.zone, theirs.zone_source)

    def _set_system(self, into: Into, conflict: Conflict) -> None:
        hosts.set_host_system(into.project, conflict.name, **{conflict.field: str(conflict.theirs.value)})


class Runs:
    """`mine_of`: id of a run in theirs -> the run of mine that it is."""

    def __init__(self, fork: Fork) -> None:
        self._fork = fork
        self._added = {
            entry.facts.get("run_id"): (str(entry.facts.get("label")), str(entry.facts.get("phase")))
            for entry in fork.mine.common
            if entry.action == "run_added"
        }
        for entry in fork.mine.common:
            after = entry.facts.get("after")
            if entry.action == "run_changed" and isinstance(after, list):
                self._added[entry.facts.get("run_id")] = (str(after[0]), str(after[1]))
        mine = runs.list_runs(fork.mine.project)
        self._mine = {run.id: run for run in mine}
        self._by_label = {run.label: run for run in mine}
        self.theirs = {run.id: run for run in runs.list_runs(fork.theirs.project)}
        self.mine_of = {run.id: match for run in self.theirs.values() if (match := self._match(run)) is not None}
        self._changed: dict[int, tuple[str, str]] = {}
        self.conflicts = tuple(self._compared())

    def _match(self, run: Run) -> Run | None:
        if run.id in self._added:
            return self._mine.get(run.id)
        match = self._by_label.get(run.label)
        return None if match is None or match.id in self._added else match

    def _compared(self) -> Iterator[Conflict]:
        for theirs in self.theirs.values():
            mine = self.mine_of.get(theirs.id)
            if mine is None:
                continue
            label, phase = self._added.get(theirs.id, (UNKNOWN, UNKNOWN))
            merged = []
            for name, base in (("label", label), ("phase", phase)):
                value = self._merged(name, base, mine, theirs)
                if isinstance(value, Conflict):
                    yield value
                    value = str(value.mine.value)
                merged.append(value)
            if merged != [mine.label, str(mine.phase)]:
                self._changed[theirs.id] = (merged[0], merged[1])

    def _merged(self, name: str, base: str | Unknown, mine: Run, theirs: Run) -> str | Conflict:
        values = [str(getattr(run, name)) for run in (mine, theirs)]
        value = merged_value(base, *values)
        if value is not DIFFER:
            return str(value)
        named = zip(self._fork.copies, (mine, theirs), strict=True)
        entries = [copy.last("run_changed", "run_added", run_id=run.id) for copy, run in named]
        sides = self._fork.sides(values, entries)
        return Conflict(f"run.{mine.label} {name}", Subject.RUN, mine.label, name, *sides)

    def apply(self, into: Into) -> None:
        for theirs_id, mine in self.mine_of.items():
            into.put("run", theirs_id, mine.id)
            self._change(into, self.theirs[theirs_id], mine)
        for theirs in self.theirs.values():
            if theirs.id not in self.mine_of and theirs.id not in self._added:
                self.needed(into, theirs.id)  # one that mine removed is made anew when something of theirs is in it

    def _change(self, into: Into, theirs: Run, mine: Run) -> None:
        label, phase = self._changed.get(theirs.id, (mine.label, str(mine.phase)))
        for conflict in self.conflicts:
            if conflict.name == mine.label and into.choice(conflict) is Choice.THEIRS:
                value = str(conflict.theirs.value)
                label, phase = (value, phase) if conflict.field == "label" else (label, value)
        others = {run.label for run in runs.list_runs(into.project) if run.id != mine.id}
        runs.change_run(into.project, mine.id, free_name(label, others) if label in others else label, Phase(phase))

    def needed(self, into: Into, theirs_id: int) -> int:
        """The id here of a run that something is brought into, made anew where mine has removed it."""
        here = into.place("run", theirs_id)
        if here is None:
            theirs = self.theirs[theirs_id]
            taken = {run.label for run in runs.list_runs(into.project)}
            label = free_name(theirs.label, taken) if theirs.label in taken else theirs.label
            here = runs.ensure_run(into.project, label, theirs.phase).id
            into.put("run", theirs_id, here)
        return here

    def remove_gone(self, into: Into) -> None:
        """The runs that theirs removed, where nothing is left in them."""
        for entry in self._fork.theirs.entries("run_removed"):
            run_id = entry.facts.get("run_id")
            if run_id in self._added and isinstance(run_id, int) and run_id not in self.theirs:
                runs.remove_empty_run(into.project, run_id)
