"""How hosts are reached, plans of captures with their approvals, and what became of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict

from tunebench.store import plans, profiles, sessions
from tunebench.usecases.merging.conflicts import ONE_SIDE, Choice, Conflict, Subject
from tunebench.usecases.merging.fork import Fork
from tunebench.usecases.merging.hosts_and_runs import Runs
from tunebench.usecases.merging.into import Into


class Profiles:
    """Ways to reach hosts, by name, and the host keys in force, by address and type."""

    def __init__(self, fork: Fork) -> None:
        self._fork = fork
        self._mine, self._theirs = (
            {profile.name: profile for profile in profiles.list_profiles(copy.project)}
            for copy in (fork.mine, fork.theirs)
        )
        self._keys, self._their_keys = (
            {(key.key.address, key.key.port, key.key.key_type): key for key in profiles.accepted_keys(copy.project)}
            for copy in (fork.mine, fork.theirs)
        )
        self._taken: list[str] = []
        self.conflicts = (*self._of_profiles(), *self._of_keys())

    def _of_profiles(self) -> Iterator[Conflict]:
        actions = ("profile_saved", "profile_removed")
        for name in dict.fromkeys((*self._mine, *self._theirs)):
            mine, theirs = self._mine.get(name), self._theirs.get(name)
            entries = [copy.last(*actions, name=name) for copy in self._fork.copies]
            if mine == theirs or entries[1] is None:
                continue
            if entries[0] is None:
                self._taken.append(name)
                continue
            values = [None if own is None else asdict(own) for own in (mine, theirs)]
            usual = Choice.THEIRS if mine is None else Choice.MINE
            sides = self._fork.sides(values, entries)
            yield Conflict(f"profile.{name}", Subject.PROFILE, name, "", *sides, ONE_SIDE, usual)

    def _of_keys(self) -> Iterator[Conflict]:
        for slot, theirs in self._their_keys.items():
            mine = self._keys.get(slot)
            if mine is not None and mine.key.blob != theirs.key.blob:
                named = {"address": slot[0], "port": slot[1], "key_type": slot[2]}
                actions = ("host_key_accepted", "host_key_replaced")
                entries = [copy.last(*actions, **named) for copy in self._fork.copies]
                sides = self._fork.sides((mine.key.fingerprint, theirs.key.fingerprint), entries)
                name = f"{slot[0]}:{slot[1]} {slot[2]}"
                yield Conflict(f"host_key.{name}", Subject.PROFILE, name, "", *sides)

    def apply(self, into: Into) -> None:
        chosen = [c.name for c in self.conflicts if c.key.startswith("profile.") and into.choice(c) is Choice.THEIRS]
        for name in (*self._taken, *chosen):
            theirs = self._theirs.get(name)
            if theirs is None:
                profiles.remove_profile(into.project, name)
            else:
                profiles.save_profile(into.project, theirs)
        replaced = {conflict.name for conflict in self.conflicts if into.choice(conflict) is Choice.THEIRS}
        for slot, theirs_key in self._their_keys.items():
            named = {"address": slot[0], "port": slot[1], "key_type": slot[2]}
            forgotten = self._fork.mine.touched("host_key_forgotten", **named)
            if slot not in self._keys and not forgotten:
                profiles.accept_key(into.project, theirs_key.key, theirs_key.accepted_by)
            elif f"{slot[0]}:{slot[1]} {slot[2]}" in replaced:
                profiles.replace_key(into.project, theirs_key.key, theirs_key.accepted_by)


class Plans:
    """Plans by their digests, with every consent that either trail proves."""

    conflicts: tuple[Conflict, ...] = ()

    def __init__(self, fork: Fork) -> None:
        self._theirs = plans.list_plans(fork.theirs.project)
        self._proven = plans.proven_approvals(fork.theirs.project)

    def apply(self, into: Into) -> None:
        for kept in self._theirs:
            plans.save_plan(into.project, kept.plan)
            for approval in kept.approvals:
                if approval in self._proven:
                    plans.approve(into.project, approval)


class Sessions:
    """Runnings of plans, after the captures that came of them."""

    def __init__(self, fork: Fork, runs: Runs) -> None:
        self._fork, self._runs = fork, runs
        self._base = {entry.facts.get("session_id") for entry in fork.mine.common if entry.action == "session_added"}
        self._taken: list[int] = []
        self.conflicts = tuple(self._compared())

    def _compared(self) -> Iterator[Conflict]:
        actions = ("session_changed", "session_interrupted")
        mine = {session.id: session for session in sessions.list_sessions(self._fork.mine.project)}
        for theirs in sessions.list_sessions(self._fork.theirs.project):
            entries = [copy.last(*actions, session_id=theirs.id) for copy in self._fork.copies]
            if theirs.id not in self._base or entries[1] is not None and entries[0] is None:
                self._taken.append(theirs.id)
            elif None not in entries and mine[theirs.id] != theirs:
                values = [
                    {"state": str(own.state), "label": own.label, "note": own.note} for own in (mine[theirs.id], theirs)
                ]
                sides = self._fork.sides(values, entries)
                yield Conflict(f"session.{theirs.id}", Subject.SESSION, theirs.label, "", *sides)

    def apply(self, into: Into) -> None:
        chosen = [int(c.key.partition(".")[2]) for c in self.conflicts if into.choice(c) is Choice.THEIRS]
        run_of = {session.id: session.run_id for session in sessions.list_sessions(self._fork.theirs.project)}
        for session_id in (*self._taken, *chosen):
            self._runs.needed(into, run_of[session_id])
            here = into.transplant.session(session_id, session_id if session_id in self._base else None)
            into.put("session", session_id, here)
