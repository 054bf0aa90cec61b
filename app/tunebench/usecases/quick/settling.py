"""Which hosts are compared, and over which windows: what is proved is taken, what only names tell is marked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum

from tunebench.core.errors import UserError
from tunebench.core.grouping import by_key
from tunebench.core.progress import Progress, SilentProgress
from tunebench.core.records import record
from tunebench.domain.capturing.times import Correction, deciding
from tunebench.domain.engagement import PRESUMED_BY, UNNAMED_HOST, Phase, is_unnamed, presumed_host, presumed_parts
from tunebench.domain.windows import Window, WindowRole, last_kept
from tunebench.store import artefacts, hosts
from tunebench.store.artefacts import ArtefactInfo
from tunebench.store.project import Project
from tunebench.store.runs import list_runs
from tunebench.usecases.comparing import windows
from tunebench.usecases.cycle import applying
from tunebench.usecases.importing import assembly, import_review
from tunebench.usecases.importing.import_review import Reviewed

_SIDES = (Phase.BEFORE, Phase.AFTER)


class Left(StrEnum):
    """Why a host is not compared."""

    UNNAMED = "unnamed"  # nothing tells which machine it is
    ONE_SIDE = "one_side"
    ORDER = "order"  # what is called after was not measured after what is called before


@record
class Settled:
    """
    Attributes:
        compared: names of the hosts that the windows are of.
        left: the others, and why each is left out.
        windows: before and after; none where nothing can be compared.
    """

    compared: tuple[str, ...]
    left: Mapping[str, Left]
    windows: tuple[Window, Window] | None


@record
class Question:
    """Whose captures are these? One word of a person settles it.

    Attributes:
        host: what theirs is called by now.
        proposed: a host that is likely; empty where none is.
    """

    host: str
    proposed: str
    rows: tuple[Reviewed, ...]

    @property
    def samples(self) -> int:
        return sum(row.ledger.samples for row in self.rows)


Ask = Callable[[Sequence[Question]], Mapping[str, str]]
"""What a person says to such questions: `Question.host` -> a name; nothing of those that stay open."""


def settle(project: Project, progress: Progress | None = None, ask: Ask | None = None) -> Settled:
    """Takes the hosts that are proved, marks those that only names tell on both sides, keeps the windows of both sides.

    Windows that are kept already stay.

    Raises:
        UserError: quick_reversed, quick_overlap where most of what was measured says so.
    """
    progress = progress or SilentProgress()
    _settle_hosts(project, progress)
    if ask is not None and _say(project, ask, progress):
        _settle_hosts(project, progress)
    by_host = _by_host(project)
    both = {name: sides for name, sides in by_host.items() if all(sides)}
    named = {name: sides for name, sides in both.items() if not _is_nobody(name)}
    candidates = named or _alone(project, by_host)
    late = _not_in_order(candidates)
    compared = tuple(sorted(candidates.keys() - late))
    left = {
        name: Left.ORDER if name in late else Left.UNNAMED if _is_nobody(name) else Left.ONE_SIDE
        for name in sorted(by_host.keys() - set(compared))
    }
    return Settled(compared, left, _windows(project, compared if left else (), bool(compared)))


def _is_nobody(name: str) -> bool:
    """Whether not even names of files or folders tell which machine it is."""
    return is_unnamed(name) and presumed_parts(name) is None


def _settle_hosts(project: Project, progress: Progress) -> None:
    import_review.correct_each(project, import_review.proposed(import_review.reviewed(project)), progress)
    presume(project, progress)


def _say(project: Project, ask: Ask, progress: Progress) -> bool:
    """Whether a person said anything."""
    rows = [row for row in import_review.reviewed(project) if row.artefact and is_unnamed(row.host)]
    by_name = by_key(((row.host, row.proposal.host if row.proposal else ""), row) for row in rows)
    questions = [Question(host, proposed, tuple(own)) for (host, proposed), own in by_name.items()]
    answers = ask(sorted(questions, key=lambda question: -question.samples))
    corrections = {
        row.artefact.id: Correction(host=answers[row.host]) for row in rows if row.artefact and row.host in answers
    }
    import_review.correct_each(project, corrections, progress)
    return bool(corrections)


_Sides = tuple[list[ArtefactInfo], list[ArtefactInfo]]


def _by_host(project: Project) -> dict[str, _Sides]:
    """Captures with series of either side, by the host's name."""
    names = {host.id: host.name for host in hosts.list_hosts(project)}
    phases = {run.id: run.phase for run in list_runs(project)}
    captures = [capture for capture in artefacts.list_artefacts(project) if capture.ledger.series]
    by_name = by_key((names.get(capture.host_id or 0, UNNAMED_HOST), capture) for capture in captures)
    of_sides = {
        name: tuple([capture for capture in own if phases[capture.run_id] is side] for side in _SIDES)
        for name, own in by_name.items()
    }
    return {name: (before, after) for name, (before, after) in of_sides.items() if before or after}


# -- hosts that only names tell ------------------------------------------------------------------------


def presume(project: Project, progress: Progress) -> None:
    """Captures whose names tell the same new host on both sides become one that is called so and marked."""
    rows = [row for row in import_review.reviewed(project) if row.proposal and not row.proposal.against]
    groups = by_key((row.proposal.host, row) for row in rows if row.proposal and presumed_parts(row.host) is None)
    for name, own in groups.items():
        if {Phase.BEFORE, Phase.AFTER} <= {row.phase for row in own}:
            _presume(project, name, own, progress)


def _presume(project: Project, name: str, rows: Sequence[Reviewed], progress: Progress) -> None:
    """Where they measured different things at once they are of several machines, and stay as they were."""
    weakest = max((row.proposal.by for row in rows if row.proposal), key=list(PRESUMED_BY).index)
    host = hosts.ensure_host(project, presumed_host(name, weakest))
    captures = [row.artefact for row in rows if row.artefact]
    artefacts.put_to_hosts(project, [(capture.id, host.id) for capture in captures])
    assembly.review(project, progress)
    now = {capture.id: capture.host_id for capture in artefacts.list_artefacts(project)}
    if any(now[capture.id] != host.id for capture in captures):
        back = [(capture.id, capture.host_id) for capture in captures if capture.host_id is not None]
        artefacts.put_to_hosts(project, back)
        assembly.review(project, progress)


def _alone(project: Project, by_host: Mapping[str, _Sides]) -> dict[str, _Sides]:
    """The one host of either side where nothing names any; none where there are more, on whichever side."""
    of_sides = [[name for name, sides in by_host.items() if sides[side]] for side in (0, 1)]
    if any(len(names) != 1 or not is_unnamed(names[0]) for names in of_sides):
        return {}
    host = hosts.ensure_host(project, UNNAMED_HOST)
    every = [capture for sides in by_host.values() for side in sides for capture in side]
    artefacts.put_to_hosts(project, [(capture.id, host.id) for capture in every if capture.host_id != host.id])
    assembly.review(project)
    return {name: sides for name, sides in _by_host(project).items() if name == UNNAMED_HOST and all(sides)}


# -- order ---------------------------------------------------------------------------------------------


def _not_in_order(by_host: Mapping[str, _Sides]) -> set[str]:
    """Hosts whose captures after do not come after those before, where others do; those without dates are none.

    Raises:
        UserError: quick_reversed, quick_overlap where this holds of most samples.
    """
    weights: dict[str, dict[str, int]] = {"": {}, "quick_overlap": {}, "quick_reversed": {}}
    for name, sides in by_host.items():
        before, after = (_span(side) for side in sides)
        if before is not None and after is not None:
            refusal = "" if before[1] <= after[0] else "quick_reversed" if after[1] <= before[0] else "quick_overlap"
            weights[refusal][name] = sum(capture.ledger.samples for side in sides for capture in side)
    in_order, *late = (sum(own.values()) for own in weights.values())
    if sum(late) > in_order:
        refusal = max(("quick_overlap", "quick_reversed"), key=lambda key: sum(weights[key].values()))
        raise UserError(refusal, hosts=", ".join(sorted(weights[refusal])))
    return {*weights["quick_overlap"], *weights["quick_reversed"]}


def _span(captures: Iterable[ArtefactInfo]) -> tuple[int, int] | None:
    """None where only the files' own dates say when it was."""
    ledgers = [capture.ledger for capture in deciding(captures)]
    if not ledgers or any(ledger.dated_by_file for ledger in ledgers):
        return None
    return min(ledger.first_ns or 0 for ledger in ledgers), max(ledger.last_ns or 0 for ledger in ledgers)


# -- windows -------------------------------------------------------------------------------------------


def _windows(project: Project, host_names: Sequence[str], any_compared: bool) -> tuple[Window, Window] | None:
    """Those that are kept, else the proposed ones, which are kept then."""
    kept = _pair(windows.list_windows(project))
    if kept is not None or not any_compared:
        return kept
    proposed = _pair(windows.proposals(project, host_names))
    if proposed is not None:
        applying.apply(project, windows.add_all(project, proposed))
    return proposed and _pair(windows.list_windows(project))


def _pair(own: Sequence[Window]) -> tuple[Window, Window] | None:
    sides = [last_kept(own, role) for role in (WindowRole.BEFORE, WindowRole.AFTER)]
    before, after = sides
    return None if before is None or after is None else (before, after)
