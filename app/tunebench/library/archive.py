"""A firm's archive as a script asks it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

import numpy as np

from tunebench.archive.archive import Archive as Opened
from tunebench.archive.reading import Answer, Unreadable
from tunebench.core.messages import system_language
from tunebench.core.progress import SilentProgress
from tunebench.library.computing import called, is_late
from tunebench.library.project import Path_, opened_to_read
from tunebench.library.refusing import refusing
from tunebench.usecases import projects
from tunebench.usecases.archiving import experience, facade, words
from tunebench.usecases.archiving.experience import Effect, Similar
from tunebench.usecases.archiving.facade import Added, Checked, Facet, Hit, Mended

P = ParamSpec("P")
R = TypeVar("R")


@refusing
def open_archive(address: str | PathLike[str], *, make: bool = False) -> Archive:
    """The archive in a folder, or at an address (``s3://bucket/firm``) with the credentials of the environment.

    Args:
        make: begins one where nothing is there.

    Raises:
        Refused: archive_missing, archive_damaged, archive_newer, archive_not_empty; scheme_unknown, scheme_missing,
            archive_no_credentials, archive_unreachable ...
    """
    return Archive(facade.opened(fspath(address), make=make))


class Table:
    """Rows that an archive answered."""

    def __init__(self, answer: Answer) -> None:
        self.columns: tuple[str, ...] = answer.columns
        self.rows: tuple[tuple[Any, ...], ...] = answer.rows

    def as_records(self) -> list[dict[str, Any]]:
        """A dictionary for each row; what is not measured is None."""
        return Answer(self.columns, self.rows).as_records()

    @refusing
    def __arrow_c_stream__(self, requested_schema: object = None) -> Any:
        """For whatever takes the Arrow PyCapsule interface."""
        from tunebench.archive.arrow import stream

        names = enumerate(self.columns)
        columns = {name: np.array([row[at] for row in self.rows], dtype=object) for at, name in names}
        return stream(columns, requested_schema)


class Archive:
    """What an archive answers is what its verbs print as JSON, as values; `damage` says what was left out of it."""

    def __init__(self, opened: Opened) -> None:
        self._opened = opened
        self._unreadable: Unreadable | None = None

    @property
    def address(self) -> str:
        """The folder, or the address."""
        return self._opened.storage.address

    def __repr__(self) -> str:
        return f"<tunebench archive {self.address}>"

    def damage(self, language: str = "") -> tuple[str, ...]:
        """What could not be read for the last answer and is not in it, a sentence each, in ``ko`` or ``en``."""
        if self._unreadable is None:
            return ()
        return tuple(words.unreadable_texts(self._unreadable, language or system_language()))

    @refusing
    def engagements(self) -> Table:
        """All of them, with systems, consent and iterations."""
        return Table(self._ask(facade.engagements))

    @refusing
    def find(self, *sought: str, system: str = "", change: str = "", state: str = "") -> list[Hit]:
        """Findings, causes and countermeasures that hold every word; of a system, a parameter, a state
        (``finding.critical``)."""
        return self._ask(facade.find, sought, system=system, change=change, state=state)

    @refusing
    def facets(self) -> list[Facet]:
        """By what `find` can be narrowed, with their engagements."""
        return self._ask(facade.facets)

    @refusing
    def effects(self, change: str = "") -> list[Effect]:
        """What a change brought and cost, over all engagements that carried it out, rolled back or not."""
        return self._ask(experience.effects, change)

    @refusing
    def compare(self, series: str, host: str = "*") -> Table:
        """What the same metric became in every engagement; `series` and `host` are globs."""
        return Table(self._ask(facade.compare, series, host))

    @refusing
    def trend(self, host: str, series: str) -> Table:
        """Each day of a host's series, over all engagements."""
        return Table(self._ask(facade.trend, host, series))

    @refusing
    def sql(self, query: str) -> Table:
        """One SELECT over the archive's tables.

        Raises:
            Refused: archive_query_refused, archive_query_reads_only.
        """
        return Table(self._ask(Opened.ask, query))

    @refusing
    def seen(self, project: Path_) -> list[Similar]:
        """Engagements that have most in common with a project, which need not be inside."""
        return self._of_project(project, _seen)

    @refusing
    def add(self, project: Path_, consent: str) -> Added:
        """Puts a project in; `consent`: who allowed it.

        Raises:
            Refused: archive_consent_missing, archive_full, archive_denied ...
        """
        return self._of_project(project, _add, consent)

    @refusing
    def check(self, project: Path_) -> Checked:
        """Whether every row is what the project says now, to the bit."""
        return self._of_project(project, _check)

    @refusing
    def repair(self, *given: Path_) -> list[Mended]:
        """Gives back what was lost: from the archive itself, and from the projects, of which each result is one."""
        return self._answer(map(Path, given), _repair, given)

    def _ask(self, work: Callable[Concatenate[Opened, P], R], *args: P.args, **kwargs: P.kwargs) -> R:
        return self._answer((), work, *args, **kwargs)

    def _of_project(self, project: Path_, work: Callable[..., R], *args: object) -> R:
        answer: R = self._answer([Path(project)], _with_project, work, project, *args)
        return answer

    def _answer(self, paths: Iterable[Path], work: Callable[..., R], *args: object, **kwargs: object) -> R:
        """Here by the archive that is open, in the other process by one that is opened for each question."""
        opened = self.address if is_late() else self._opened
        answer: R
        answer, self._unreadable = called(paths, _answered, opened, work, *args, **kwargs)
        return answer


def _answered(archive: Opened | str, work: Callable[..., R], *args: object, **kwargs: object) -> tuple[R, Unreadable]:
    opened = facade.opened(archive) if isinstance(archive, str) else archive
    return work(opened, *args, **kwargs), opened.unreadable()


def _with_project(opened: Opened, work: Callable[..., R], path: Path_, *args: object) -> R:
    with opened_to_read(path) as project:
        return work(opened, project, *args)


def _seen(opened: Opened, project: projects.Project) -> list[Similar]:
    return experience.seen(opened, project, SilentProgress())


def _add(opened: Opened, project: projects.Project, consent: str) -> Added:
    return facade.add(opened, project, consent, None, SilentProgress())


def _check(opened: Opened, project: projects.Project) -> Checked:
    return facade.check(opened, project, None, SilentProgress())


def _repair(opened: Opened, paths: Sequence[Path_]) -> list[Mended]:
    opened.repair()
    mended = []
    for path in paths:
        with opened_to_read(path) as project:
            mended.append(facade.mend(opened, project, None, SilentProgress()))
    return mended
