"""What is to be compared, and its project: made, filled, gone on with after it was cut off."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from tunebench.core.errors import UserError
from tunebench.core.messages import catalogue
from tunebench.core.moments import machine_zone
from tunebench.core.paths import free_path
from tunebench.core.progress import PartOf, Progress, SilentProgress
from tunebench.core.records import record
from tunebench.domain.engagement import Engagement, Phase
from tunebench.store.runs import list_runs
from tunebench.usecases import projects
from tunebench.usecases.importing import first_glance, imports
from tunebench.usecases.importing.phases import said_phase
from tunebench.usecases.importing.results import ImportOptions, ImportReport
from tunebench.usecases.projects import Project
from tunebench.usecases.quick.doubts import doubted
from tunebench.usecases.quick.settling import Ask, Settled, settle

_OTHER_SIDE = {Phase.BEFORE: Phase.AFTER, Phase.AFTER: Phase.BEFORE}
_IMPORTED = 0.9
_PACKED = (".zip", ".tar", ".tgz", ".gz", ".bz2", ".xz")


@record
class Inputs:
    """
    Attributes:
        paths: before and after, or one that holds both; absolute.
        swap: the names say it the wrong way round.
        zone: of the captures that print none, as somebody says; empty where nobody does.
    """

    paths: tuple[Path, ...]
    swap: bool = False
    zone: str = ""

    @property
    def options(self) -> ImportOptions:
        if len(self.paths) == 1:
            return ImportOptions(phase=None, zone=self.zone, settles=True)
        sides = (Phase.AFTER, Phase.BEFORE) if self.swap else (Phase.BEFORE, Phase.AFTER)
        return ImportOptions(zone=self.zone, settles=True, sides=tuple(zip(self.paths, sides, strict=True)))


def inputs_of(paths: Sequence[Path], swap: bool = False, zone: str = "") -> Inputs:
    """
    Raises:
        UserError: quick_paths where there are more than two; path_missing; quick_inside where one holds the other;
            quick_no_sides where the names below a single path do not say what is before and what after.
    """
    absolute = tuple(path.absolute() for path in paths)
    if not 0 < len(absolute) < 3:
        raise UserError("quick_paths", count=len(absolute))
    for path in absolute:
        if not path.exists():
            raise UserError("path_missing", path=str(path))
    if len(absolute) == 2 and any(
        absolute[side] in (absolute[1 - side], *absolute[1 - side].parents) for side in (0, 1)
    ):
        raise UserError("quick_inside", before=str(absolute[0]), after=str(absolute[1]))
    if len(absolute) == 1 and absolute[0].suffix not in _PACKED:
        missing = {Phase.BEFORE, Phase.AFTER} - set(_phases_in(absolute[0]))
        if missing:
            raise UserError("quick_no_sides", path=str(absolute[0]))
    return Inputs(absolute, swap, zone)


def sides_in(paths: Sequence[Path]) -> Inputs | None:
    """As `inputs_of`; None where these are not two sides."""
    try:
        return inputs_of(paths)
    except UserError:
        return None


def _phases_in(folder: Path) -> Iterator[Phase]:
    """An archive may hold either side, whatever it is called; a single capture is none."""
    for path in folder.rglob("*"):
        phase = said_phase(path.relative_to(folder.parent.parent).parts)[0]
        yield from (_OTHER_SIDE if phase is Phase.OTHER and path.suffix in _PACKED else [phase])


def beside(inputs: Inputs) -> Path:
    """Where the project of these folders is kept if nobody says otherwise."""
    first, *_ = inputs.paths
    stem = first.stem if len(inputs.paths) == 1 else " - ".join(path.stem for path in inputs.paths)
    return free_path(first.with_name(f"{stem}.tune"))


def engagement_of(path: Path, inputs: Inputs, language: str, progress: Progress | None = None) -> Engagement:
    """Called as its file, in the zone that is stated, else that of the captures' stamps, else this machine's."""
    zone = inputs.zone or first_glance.told_zone(inputs.paths, progress or SilentProgress()) or machine_zone()
    title = catalogue(language).text("quick.title")
    return Engagement(title=title, customer=path.stem, zone=zone, language=language)


def create(path: Path, inputs: Inputs, language: str, progress: Progress | None = None) -> Project:
    """A project for these captures.

    Raises:
        UserError: as `projects.create`.
    """
    return projects.create(path, engagement_of(path, inputs, language, progress))


@record
class Brought:
    """What an import brought.

    Attributes:
        settled: None where nothing was to be settled after it; `refusal` says why nothing could.
        in_doubt: files of which something was not proved (see `doubts`).
    """

    report: ImportReport
    settled: Settled | None = None
    refusal: UserError | None = None
    in_doubt: int = 0


def bring(project: Project, paths: Sequence[Path], options: ImportOptions, progress: Progress) -> Brought:
    """An import, and what is settled after it where its options say so.

    Raises:
        UserError, Cancelled: as `imports.import_captures`.
    """
    report = imports.import_captures(project, paths, options, progress)
    if not options.settles:
        return Brought(report)
    try:
        settled = settle(project, progress)
    except UserError as error:  # everything is in: a person says of which side it is
        return Brought(report, refusal=UserError("sides_out_of_order", **error.facts))
    return Brought(report, settled, in_doubt=len(doubted(project, settled)))


def gather(project: Project, inputs: Inputs, progress: Progress | None = None, ask: Ask | None = None) -> Settled:
    """Everything that the folders hold, put to its hosts as far as these are proved, in two windows that are kept.

    What is there already stays: cut off in the middle, the same call goes on.

    Raises:
        UserError: as `imports.import_captures` and `settle`.
        Cancelled: the person gave up; what was read stays.
    """
    progress = progress or SilentProgress()
    imports.finish_pending(project, progress)
    imports.import_captures(project, inputs.paths, inputs.options, PartOf(progress, 0.0, _IMPORTED))
    if inputs.swap and len(inputs.paths) == 1:
        _swap(project)
    return settle(project, PartOf(progress, _IMPORTED, 1.0), ask)


def _swap(project: Project) -> None:
    """By what their names say, so that a second call changes nothing."""
    for run in list_runs(project):
        phase = _OTHER_SIDE.get(said_phase([run.label])[0])
        if phase is not None:
            projects.change_run(project, run.id, run.label, phase)
