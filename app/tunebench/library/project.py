"""A project as a script has it open."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from zoneinfo import ZoneInfo

from tunebench.contract.databases import listed_statements as statements_shape
from tunebench.contract.document import as_values
from tunebench.contract.engagement import overview_shape
from tunebench.core.errors import UserError
from tunebench.domain.engagement import Engagement, Host, Phase, Run
from tunebench.domain.windows import Window
from tunebench.library.comparison import Comparison, Diagnosis
from tunebench.library.computing import P, R, Work, computed, computed_beside, is_late
from tunebench.library.importing import Imported
from tunebench.library.refusing import refusing
from tunebench.library.series import Series
from tunebench.usecases import browse, encrypting, projects, workers
from tunebench.usecases.answering.chosen import windows_to_answer
from tunebench.usecases.answering.compared import compare_windows
from tunebench.usecases.comparing import windows
from tunebench.usecases.databases.compared_statements import AskedStatements, listed_statements
from tunebench.usecases.findings import diagnose
from tunebench.usecases.importing import imports
from tunebench.usecases.importing.results import ImportOptions

Path_ = str | PathLike[str]


@refusing
def open(  # noqa: A001  read as tunebench.open
    path: Path_, *, write: bool = False, passphrase: str = "", key_file: Path_ | None = None
) -> Project:
    """An existing project, to be closed or used in a ``with``, by the thread that opened it.

    Args:
        path: ``acme`` means ``acme.tune``.
        write: where captures are to be imported; nobody else can write to it meanwhile.
        passphrase, key_file: of an encrypted project.

    Raises:
        Refused: not_a_project, project_damaged, project_newer; project_in_use where it is to be written;
            project_needs_passphrase, project_needs_key_file, project_key_wrong.
    """
    if passphrase or key_file is not None:
        encrypting.unlock(Path(path), passphrase=passphrase, key_file=None if key_file is None else Path(key_file))
    opened = projects.open_(Path(path), read_only=not write)
    if write:
        try:
            projects.require_writing(opened)
        except BaseException:
            opened.close()
            raise
    return Project(opened)


@refusing
def create(path: Path_, *, customer: str, title: str = "", zone: str = "Asia/Seoul", language: str = "ko") -> Project:
    """A new project, open to be written.

    Raises:
        Refused: project_exists, folder_missing, zone_unknown.
    """
    engagement = Engagement(title=title or customer, customer=customer, zone=zone, language=language)
    return Project(projects.create(Path(path), engagement))


@contextmanager
def opened_to_read(path: Path_) -> Iterator[projects.Project]:
    """A project that a function asks for a moment; one that is encrypted was opened before, with what opens it."""
    with closing(projects.open_(Path(path), read_only=True)) as opened:
        yield opened


class Project:
    """An open project. What it gives are values that stay when it is closed; `Series` alone reads when asked."""

    def __init__(self, opened: projects.Project) -> None:
        self._opened = opened

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<tunebench project {self.path}>"

    def close(self) -> None:
        """Others may write to it from now on; its series cannot be read any more."""
        self._opened.close()

    @property
    def path(self) -> Path:
        """The file."""
        return self._opened.path

    @property
    def zone(self) -> ZoneInfo:
        """The engagement's."""
        return projects.engagement_zone(self._opened)

    @property
    @refusing
    def engagement(self) -> Engagement:
        """Title, customer, period and zone."""
        return projects.read_engagement(self._opened)

    @property
    @refusing
    def hosts(self) -> tuple[Host, ...]:
        """Those that captures are of."""
        return projects.overview(self._opened).hosts

    @property
    @refusing
    def runs(self) -> tuple[Run, ...]:
        """What captures were imported as, by label and phase."""
        return tuple(view.run for view in projects.overview(self._opened).runs)

    @property
    @refusing
    def windows(self) -> tuple[Window, ...]:
        """The named ones. What asks for a window takes the name of one, or of a run."""
        return windows.list_windows(self._opened)

    @refusing
    def as_dict(self) -> dict[str, Any]:
        """What is in the project: members of the JSON of ``info``."""
        overview = projects.overview(self._opened)
        values: dict[str, Any] = as_values(overview_shape(overview, self.zone))
        return values

    @refusing
    def series(self, match: str = "", *, run: str = "") -> list[Series]:
        """
        Args:
            match: a glob, without case, against heading, metric, label, devices and tool: ``"*svc_t*"``.
            run: label of a run; empty for all.

        Raises:
            Refused: run_unknown.
        """
        return [Series(self._opened, info) for info in browse.list_series(self._opened, run or None, match or None)]

    @refusing
    def statements(self, window: str, *, database: str = "", source: str = "", container: str = "") -> list[Any]:
        """What ``statements`` gives as JSON: every SQL statement of a window or a run, with its totals.

        Raises:
            Refused: window_or_run_unknown, database_unknown.
        """
        one = windows.find_window(self._opened, window)
        listed = listed_statements(self._opened, one, database, source)
        rows: list[Any] = as_values(statements_shape(listed, container))
        return rows

    @refusing
    def compare(
        self,
        before: str = "",
        after: str = "",
        *,
        database: str = "",
        after_database: str = "",
        source: str = "",
        container: str = "",
    ) -> Comparison:
        """Two windows in full, with the answer that the report begins with.

        Args:
            before, after: names of windows or runs; without them those of the tuning cycle, as in the report.
            database, after_database, source, container: whose statements are compared, of several.

        Raises:
            Refused: window_or_run_unknown, window_no_samples, window_overlap, nothing_to_compare.
        """
        project = self._opened
        named = (windows.find_window(project, name) if name else None for name in (before, after))
        first, second = windows_to_answer(project, *named)
        if first is None or second is None:
            raise UserError("nothing_to_compare", path=str(self.path))
        asked = AskedStatements(database, after_database, source, container)
        return Comparison(computed(project, compare_windows, first, second, asked))

    @refusing
    def diagnose(self, window: str) -> Diagnosis:
        """What the rules say of a window or a run.

        Raises:
            Refused: window_or_run_unknown, window_no_samples.
        """
        judged = windows.chosen(self._opened, window)
        diagnosis = computed(self._opened, diagnose.diagnose, judged)
        return Diagnosis(diagnosis, self.zone)

    @refusing
    def import_(
        self,
        paths: Path_ | Sequence[Path_],
        *,
        run: str = "",
        phase: str = "",
        host: str = "",
        zone: str = "",
        on: str = "",
        tls: Path_ | None = None,
    ) -> Imported:
        """Captures, folders and archives of them, into a project that is open to be written. One bad file stops no
        other.

        Args:
            run: label of their run; without it and `phase` folders called before and after make runs of their own.
            phase: ``before``, ``after`` or ``other``.
            host, zone: of captures that do not tell.
            on: where they are read: ``local:4``, ``tcp://127.0.0.1:8786``, ``tls://host:8786`` with the folder `tls` of
                certificates; the rows are the same everywhere.

        Raises:
            Refused: nothing_to_import, project_read_only, zone_unknown; on_unknown, cluster_unreachable,
                cluster_other_worker ...
        """
        stated = Phase(phase) if phase else Phase.OTHER if run else None
        options = ImportOptions(run=run, phase=stated, host=host, zone=zone)
        every = [Path(path) for path in ([paths] if isinstance(paths, str | PathLike) else paths)]
        at = workers.where(on, None if tls is None else Path(tls)) if on else None
        return Imported(self._writing(imports.import_captures, every, options, at=at), self.zone)

    def _writing(self, work: Work[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        """What the work makes of the project, to which it writes; the process that computes has it open meanwhile."""
        if not is_late():
            return work(self._opened, *args, **kwargs)
        projects.require_writing(self._opened)
        path, key = self.path, self._opened.key
        self._opened.close()
        try:
            return computed_beside(path, key, False, work, *args, **kwargs)
        finally:
            self._opened = projects.open_(path)
