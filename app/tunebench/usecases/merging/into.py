"""The project that a merge writes: a copy of mine, into which what theirs has more is brought."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable

from tunebench.core.progress import Progress
from tunebench.store.project import Project
from tunebench.store.transplant import Transplant
from tunebench.usecases.merging.conflicts import Choice, Choices, Conflict, chosen
from tunebench.usecases.merging.fork import Fork

_SERIES = (
    "SELECT s.id, a.sha256, c.table_name, s.native, s.attributes FROM series AS s"
    " JOIN clock AS c ON c.id = s.clock_id JOIN artefact AS a ON a.id = c.artefact_id"
)
THEIRS = " (theirs)"


class Into:
    """
    Attributes:
        ids: per kind (``run``, ``host``, ``artefact``, ``record`` ...) id in theirs -> id here.
        renumbered: ``metric.7`` in theirs -> ``metric.12`` here, of all that is called otherwise.
        kept: names of what one copy removed and the other still rests on: it is kept.
        unread: names of captures that were to be read again and that no reader here knows: they stay as mine has them.
        again: captures that are read again, as the two copies read them with different readers.
    """

    def __init__(self, project: Project, fork: Fork, choices: Choices, progress: Progress) -> None:
        self.project, self.fork, self.choices, self.progress = project, fork, choices, progress
        self.ids: dict[str, dict[int, int]] = defaultdict(dict)
        self.renumbered: dict[str, str] = {}
        self.kept: list[str] = []
        self.unread: list[str] = []
        self.again: list[int] = []
        self.transplant = Transplant(fork.theirs.project, project, self.place)

    def choice(self, conflict: Conflict) -> Choice:
        return chosen(conflict, self.choices)

    def put(self, kind: str, theirs: int, here: int) -> None:
        self.ids[kind][theirs] = here
        if theirs != here:
            self.renumbered[f"{kind}.{theirs}"] = f"{kind}.{here}"

    def place(self, kind: str, theirs: int | None) -> int | None:
        """The id here of what theirs calls by that number; None where it is not here, or nothing was named."""
        return None if theirs is None else self.ids[kind].get(theirs)

    def learn_series(self) -> None:
        """Which series here is which of theirs, after all captures came in: the one of the same column and capture."""
        here = {tuple(names): id_ for id_, *names in self.project.rows(_SERIES)}
        for id_, *names in self.fork.theirs.project.rows(_SERIES):
            if tuple(names) in here:
                self.ids["series"][id_] = here[tuple(names)]


def free_name(name: str, taken: Collection[str]) -> str:
    """The name, marked as theirs and counted where others have it too."""
    free, count = f"{name}{THEIRS}", 2
    while free in taken:
        free, count = f"{name}{THEIRS} {count}", count + 1
    return free


def words_of(values: Iterable[object]) -> str:
    return ", ".join(str(value) for value in values)
