"""Merges two copies of an engagement into a new project.

with opened(a, b) as merge:
    for conflict in merge.conflicts: ...
    merge.apply({"window.3": Choice.THEIRS}, target)

Mine is the copy whose trail goes on: everything that is brought in from theirs is entered there, by whoever merges. The
trail of theirs after the entry that both have is kept beside it, row by row.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from functools import cached_property
from pathlib import Path
from typing import Protocol, Self

from tunebench.core.errors import UserError
from tunebench.core.progress import Progress, SilentProgress
from tunebench.core.records import record
from tunebench.store.audit import branches
from tunebench.store.audit import trail as audit
from tunebench.store.opening import backup_project, open_project
from tunebench.store.project import Project
from tunebench.usecases import projects
from tunebench.usecases.importing import assembly
from tunebench.usecases.merging import captures as captured
from tunebench.usecases.merging.actions import refuse_unknown
from tunebench.usecases.merging.by_people import Bundles, Counting, Devices, Links, Resolutions
from tunebench.usecases.merging.captures import Captures
from tunebench.usecases.merging.conflicts import Choice, Choices, Conflict, chosen
from tunebench.usecases.merging.engagement import (
    EngagementFields,
    Looks,
    Measurements,
    Narratives,
    Notes,
    Reports,
    Statements,
)
from tunebench.usecases.merging.experiments import Experiments
from tunebench.usecases.merging.fork import Fork, Opened
from tunebench.usecases.merging.hosts_and_runs import Hosts, Runs
from tunebench.usecases.merging.into import Into
from tunebench.usecases.merging.plans import Plans, Profiles, Sessions
from tunebench.usecases.merging.records import Records
from tunebench.usecases.merging.whole_project import written_whole


class _Part(Protocol):
    """One kind of thing: compared when it is made, brought into the project that is written."""

    @property
    def conflicts(self) -> tuple[Conflict, ...]: ...

    def apply(self, into: Into) -> None: ...


@record
class Merged:
    """What a merge wrote.

    Attributes:
        undecided: the conflicts that nobody decided: mine holds, theirs stands beside it or in the trail.
        kept: what one copy removed and the other rests on: it is there.
        unread: captures that two readers read, and none here could read again: they are as mine has them.
        entries: of theirs, which are kept as a branch of the trail.
    """

    path: Path
    base: str
    mine: str
    theirs: str
    entries: int
    undecided: tuple[Conflict, ...]
    kept: tuple[str, ...]
    unread: tuple[str, ...]
    renumbered: Mapping[str, str]


class Merge:
    """Two copies compared. They stay open, and as they are, until it is closed."""

    def __init__(self, opened: Opened) -> None:
        self._opened, self.fork = opened, opened.fork
        refuse_unknown(self.fork.theirs.since, str(self.fork.theirs.project.path))
        self._hosts, self._runs = Hosts(self.fork), Runs(self.fork)
        self._captures = Captures(self.fork, self._runs)

    @cached_property
    def _parts(self) -> tuple[_Part, ...]:
        """In the order in which each finds what it names."""
        fork, runs = self.fork, self._runs
        return (
            EngagementFields(fork),
            Looks(fork),
            Narratives(fork),
            Measurements(fork),
            self._hosts,
            runs,
            Profiles(fork),
            Plans(fork),
            self._captures,
            Sessions(fork, runs),
            Bundles(fork),
            Devices(fork),
            Counting(fork),
            Resolutions(fork),
            Links(fork),
            Statements(fork, runs),
            Experiments(fork, runs),
            Records(fork, runs),
            Notes(fork, runs),
            Reports(fork),
        )

    @cached_property
    def conflicts(self) -> tuple[Conflict, ...]:
        """What both copies say differently, to be decided by a person."""
        return tuple(conflict for part in self._parts for conflict in part.conflicts)

    def checked_choices(self, choices: Mapping[str, str]) -> Choices:
        """Raises UserError merge_choice_unknown, merge_choice_wrong."""
        by_key = {conflict.key: conflict for conflict in self.conflicts}
        for key, choice in choices.items():
            if key not in by_key:
                raise UserError("merge_choice_unknown", conflict=key)
            if choice not in by_key[key].choices:
                allowed = ", ".join(by_key[key].choices)
                raise UserError("merge_choice_wrong", conflict=key, choice=str(choice), choices=allowed)
        return {key: Choice(choice) for key, choice in choices.items()}

    def apply(self, choices: Mapping[str, str], to: Path, progress: Progress | None = None) -> Merged:
        """Writes the merged project, which appears whole or not at all.

        Args:
            choices: key of a conflict -> what was decided (``mine``, ``theirs``, ``both``); what is not in it has its
                usual outcome.

        Raises:
            UserError: project_exists, folder_missing; merge_choice_unknown, merge_choice_wrong;
                merge_changed_meanwhile where mine was written to since it was compared; merge_signed; disk_full ...
        """
        decided, target = self.checked_choices(choices), projects.with_suffix(to).absolute()
        return written_whole(target, lambda draft: self._write(draft, target, decided, progress or SilentProgress()))

    def _write(self, draft: Path, target: Path, choices: Choices, progress: Progress) -> Merged:
        backup_project(self.fork.mine.project, draft)
        with open_project(draft) as project:
            if audit.chain_head(project) != self.fork.mine.head:
                raise UserError("merge_changed_meanwhile", path=str(self.fork.mine.project.path))
            into = Into(project, self.fork, choices, progress)
            for number, part in enumerate(self._parts):
                progress.raise_if_cancelled()
                progress.report(number, len(self._parts), "progress.merging")
                part.apply(into)
                if part is self._captures:
                    into.learn_series()
            self._captures.remove_gone(into)
            self._runs.remove_gone(into)
            self._take_trail_in(into)
            captured.read_again(project, into.again, into)
            assembly.review(project, progress)
        return Merged(
            target,
            str(self.fork.base),
            str(self.fork.mine.head),
            str(self.fork.theirs.head),
            len(self.fork.theirs.rows),
            tuple(conflict for conflict in self.conflicts if conflict.key not in choices),
            tuple(into.kept),
            tuple(into.unread),
            dict(into.renumbered),
        )

    def _take_trail_in(self, into: Into) -> None:
        fork = self.fork
        with into.project.transaction():
            head = branches.add_branch(into.project, fork.theirs.rows)
            branches.carry_branches(into.project, fork.theirs.project)
            audit.record(
                into.project,
                audit.MERGED,
                base=fork.base.id,
                base_digest=fork.base.digest,
                mine=fork.mine.head.id,
                mine_digest=fork.mine.head.digest,
                theirs=fork.theirs.head.id,
                theirs_digest=fork.theirs.head.digest,
                branch=head,
                entries=len(fork.theirs.rows),
                decisions=[_decision(conflict, into.choices) for conflict in self.conflicts],
                kept=into.kept,
                renumbered=into.renumbered,
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    def close(self) -> None:
        self._opened.close()


def _decision(conflict: Conflict, choices: Choices) -> dict[str, object]:
    return {
        "conflict": conflict.key,
        "choice": str(chosen(conflict, choices)),
        "decided": conflict.key in choices,
        "mine": asdict(conflict.mine),
        "theirs": asdict(conflict.theirs),
    }


def opened(mine: Path, theirs: Path, base: Path | None = None) -> Merge:
    """Two copies, compared.

    Args:
        base: a copy that both come from; asked only whether it is one.

    Raises:
        UserError: as opening each; project_in_use; merge_same, merge_unrelated, merge_again, merge_base_outside;
            merge_redacted, merge_unfinished, merge_part_first, merge_unexplained, merge_action_unknown.
    """
    both = Opened(mine, theirs, base)
    try:
        return Merge(both)
    except BaseException:
        both.close()
        raise


__all__ = ["Choice", "Conflict", "Fork", "Merge", "Merged", "Project", "opened"]
