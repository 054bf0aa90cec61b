"""What the user says about captures that are imported, and what became of them."""

from __future__ import annotations

from datetime import date, datetime
from pathlib import Path

from tunebench.capture.truths import Truths
from tunebench.core.errors import UserError
from tunebench.core.records import record
from tunebench.domain.bundle import Bundle
from tunebench.domain.engagement import Phase, is_unnamed
from tunebench.domain.ledger import NOTHING_KEPT, ImportState, Ledger

_TAKEN = (ImportState.IMPORTED, ImportState.DUPLICATE, ImportState.KEPT)


@record
class ImportOptions:
    """What the user says about the captures; empty means not said.

    Attributes:
        phase: None where the names of folders and files say it; then `run` is that of those whose names say nothing.
        sides: (path, phase) of given paths whose phase somebody said; each is a run of its own.
        settles: hosts and windows are settled afterwards (see `usecases.quick`).
    """

    run: str = ""
    phase: Phase | None = Phase.OTHER
    host: str = ""
    zone: str = ""
    start: datetime | None = None
    date: date | None = None
    interval_s: float | None = None
    day_first: bool | None = None
    first_measured: bool = False
    sides: tuple[tuple[Path, Phase], ...] = ()
    settles: bool = False

    def side_of(self, path: Path) -> Phase | None:
        return dict(self.sides).get(path)

    def truths(self) -> Truths:
        return Truths(self.zone, self.start, self.date, self.interval_s, self.day_first, self.first_measured)


@record
class ImportedFile:
    """What became of one file. `error` is the sentence where it was refused or failed.

    Attributes:
        path: of a member of an archive ``archive.tar.gz!/inner/name``.
    """

    path: str
    state: ImportState
    sha256: str = ""
    parser: str = ""
    host: str = ""
    artefact_id: int | None = None
    duplicate_of: str = ""
    ledger: Ledger = Ledger()
    error: UserError | None = None
    facts: int = 0  # of the system's configuration

    @property
    def complete(self) -> bool:
        """Whether nothing is left to be done about this file."""
        return self.state in _TAKEN and self.error is None and NOTHING_KEPT not in self.ledger.warnings


@record
class ImportReport:
    """Attributes:
    files: every file that is a capture or should have been one; members of bundles among them.
    bundles: each archive and folder with the account of all its members.
    """

    run: str
    files: tuple[ImportedFile, ...]
    bundles: tuple[Bundle, ...] = ()

    @property
    def complete(self) -> bool:
        return all(file.complete for file in self.files)

    @property
    def imported(self) -> int:
        """How many files came in of whose numbers any was kept, or that hold none."""
        return sum(file.state is ImportState.IMPORTED and file.complete for file in self.files)

    @property
    def losses(self) -> list[tuple[str, int]]:
        """(key of the sentence, count) of files of whose numbers none was kept, and of rows that were lost."""
        came = [file.ledger for file in self.files if file.state is ImportState.IMPORTED]
        files, rows = sum(NOTHING_KEPT in file.warnings for file in came), sum(file.rows_lost for file in came)
        counts = (("ledger.lost.files", files), ("ledger.lost.rows", rows))
        return [(key, count) for key, count in counts if count]

    @property
    def unnamed(self) -> tuple[ImportedFile, ...]:
        """Captures that came in and of whose host nobody knows the name."""
        return tuple(file for file in self.files if file.state is ImportState.IMPORTED and is_unnamed(file.host))

    @property
    def nothing_done(self) -> bool:
        return not any(file.state in _TAKEN for file in self.files)
