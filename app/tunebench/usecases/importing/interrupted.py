"""An import that was cut off with the program: how much of it is in, and how it goes on."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tunebench.capture.truths import Truths
from tunebench.core.errors import UserError
from tunebench.core.records import record
from tunebench.domain.engagement import Phase
from tunebench.store import artefacts
from tunebench.store.imports_under_way import read_under_way, write_under_way
from tunebench.store.project import Project
from tunebench.transport.containers.names import shown_name
from tunebench.usecases import projects
from tunebench.usecases.importing.results import ImportOptions


@record
class CutOff:
    """
    Attributes:
        paths, options: as they were given; the same import goes on with what is not in.
        arrived, files: how many of how many files are in the project; an archive counts as one.
    """

    paths: tuple[Path, ...]
    options: ImportOptions
    arrived: int
    files: int


@contextmanager
def remembered(project: Project, paths: Sequence[Path], options: ImportOptions) -> Iterator[None]:
    """While an import is under way the project says so; only where the program itself ends it goes on saying it.

    Another import that was cut off before is still to go on afterwards; the same one has gone on with this.
    """
    before, now = read_under_way(project), _as_text([path.absolute() for path in paths], options)
    write_under_way(project, now)
    try:
        yield
    finally:
        write_under_way(project, before if before and _paths(before) != _paths(now) else "")


def cut_off(project: Project) -> CutOff | None:
    """The import that was cut off; None where none was."""
    words = read_under_way(project)
    if not words:
        return None
    kept, paths = json.loads(words), _paths(words)
    return CutOff(paths, _options(kept["options"]), _arrived(project, paths), kept["files"])


@record
class Card:
    """What is shown of a project that is closed: customer and title, and its import that was cut off."""

    title: str
    begun: CutOff | None


def read_card(path: Path) -> Card:
    """Of a project file that stays closed otherwise.

    Raises:
        UserError: as `projects.open_`.
    """
    with projects.open_(path, read_only=True) as project:
        engagement = projects.read_engagement(project)
        return Card(" · ".join(filter(None, (engagement.customer, engagement.title))), cut_off(project))


def to_go_on(project: Project) -> CutOff:
    """`cut_off`.

    Raises:
        UserError: import_not_cut_off.
    """
    begun = cut_off(project)
    if begun is None:
        raise UserError("import_not_cut_off", path=str(project.path))
    return begun


def forget(project: Project) -> None:
    """Nobody wants it to go on."""
    write_under_way(project, "")


def _paths(words: str) -> tuple[Path, ...]:
    return tuple(map(Path, json.loads(words)["paths"]))


def _arrived(project: Project, paths: Sequence[Path]) -> int:
    given = [shown_name(str(path)) for path in paths]
    files = {capture.source_path.partition("!/")[0] for capture in artefacts.list_artefacts(project)}
    return sum(any(file == path or Path(path) in Path(file).parents for path in given) for file in files)


def _as_text(paths: Sequence[Path], options: ImportOptions) -> str:
    from tunebench.transport.containers.walking import Walk  # only where an import begins

    stated = {
        "run": options.run,
        "phase": options.phase,
        "host": options.host,
        "truths": options.truths().as_text(),
        "settles": options.settles,
        "sides": [[str(path), phase] for path, phase in options.sides],
    }
    files = sum(Walk(path).count_files() for path in paths)
    return json.dumps({"paths": [str(path) for path in paths], "options": stated, "files": files})


def _options(stated: dict[str, Any]) -> ImportOptions:
    truths = Truths.from_text(stated["truths"])
    return ImportOptions(
        run=stated["run"],
        phase=Phase(stated["phase"]) if stated["phase"] else None,
        host=stated["host"],
        zone=truths.zone,
        start=truths.start,
        date=truths.date,
        interval_s=truths.interval_s,
        day_first=truths.day_first,
        first_measured=truths.first_measured,
        settles=stated.get("settles", False),
        sides=tuple((Path(path), Phase(phase)) for path, phase in stated.get("sides", ())),
    )
