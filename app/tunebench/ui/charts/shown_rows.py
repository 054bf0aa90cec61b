"""Which series are drawn: what is shown first, what the tree, the search and a click add."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

from PySide6.QtCore import QObject, Signal

from tunebench.analysis.comparing.comparison import thing_key
from tunebench.analysis.exploring.arrangement import Arrangement
from tunebench.domain.assembly import Span
from tunebench.domain.engagement import Run
from tunebench.domain.series import SeriesInfo
from tunebench.ui.inspected import Inspected, InspectedCapture, InspectedRun
from tunebench.ui.workspace import Workspace
from tunebench.usecases.exploring.first_rows import FirstRows, rows_of_database, rows_of_run, run_to_show
from tunebench.usecases.exploring.strands import Strand
from tunebench.usecases.projects import Project


class ShownRows(QObject):
    """
    Signals:
        arranged: other rows are shown.
        revealed: ids of the series that are shown first.
    """

    arranged = Signal()
    revealed = Signal(object)

    def __init__(self, workspace: Workspace, arrangement: Arrangement, parent: QObject) -> None:
        super().__init__(parent)
        self._workspace, self.arrangement = workspace, arrangement
        self._series: Mapping[int, SeriesInfo] = {}
        self._busy_sharing = False
        self.pieces: Sequence[Span] = ()
        self.judged: Collection[int] = ()
        workspace.selection.series_changed.connect(self.follow)

    def use(self, series: Mapping[int, SeriesInfo]) -> None:
        """The series of a project as they are now; what is gone is not shown any more."""
        self._workspace.jobs.drop(self)
        self._series = series
        self.arrangement.show_only([key for key in self.arrangement.keys if key in series])
        self.follow(self._workspace.selection.series)

    # --- what is shown first
    def show_first(self) -> None:
        """CPU, queue, a disk and memory of a host of the run that is looked at, what is judged before them."""
        run = self._run()
        if run is not None:
            self.show_run(run)

    def show_run(self, run: Run) -> None:
        series, pieces, judged = self._series, self.pieces, self.judged
        if any(info.run_id == run.id for info in series.values()) and pieces:
            self._read(lambda project: rows_of_run(project, run.id, series, pieces, judged), self._take)

    def show_database(self) -> None:
        """Shows only a database's waits and what its host did in the same hours, through all runs."""
        run, series = self._run(of_databases=True), self._series
        if run is not None:
            self._read(lambda project: rows_of_database(project, run.id, series), self._take_alone)

    def _run(self, *, of_databases: bool = False) -> Run | None:
        view = (self.pieces[0][0], self.pieces[-1][1]) if self.pieces else (0, 0)
        looked_at = _run_of(self._workspace.looked_at)
        return run_to_show(
            self._workspace.runs, list(self._series.values()), view, looked_at, of_databases=of_databases
        )

    def _read(self, work: Callable[[Project], FirstRows], take: Callable[[FirstRows], None]) -> None:
        project = self._workspace.opened
        self._workspace.jobs.run("cpu", lambda _handle: work(project), owner=self, slot="first", on_result=take)

    def _take_alone(self, rows: FirstRows) -> None:
        self.arrangement.show_only([])
        self._take(rows)

    def _take(self, rows: FirstRows) -> None:
        wanted = [key for keys in rows.own for key in keys]
        if not set(self.arrangement.keys) & set(wanted):
            for keys in rows.through_all_runs:
                self.arrangement.add(keys)
            self.share()
            self.revealed.emit(wanted)

    # --- what is added and taken away
    def toggle(self, keys: Sequence[int], wanted: bool) -> None:
        if wanted:
            self.add(keys)
        else:
            self.arrangement.remove(keys)
            self.share()

    def add(self, keys: Sequence[int]) -> None:
        """Show series; one that continues a shown line (another capture of the same thing) joins its row."""
        for key in (key for key in keys if key in self._series):
            own = thing_key(self._series[key])
            shown = (k for k in self.arrangement.keys if k in self._series)
            kin = next((k for k in shown if thing_key(self._series[k]) == own), None)
            home = self.arrangement.row_of(kin) if kin is not None else None
            if home is not None:
                self.arrangement.overlay([key], home.id)
            else:
                self.arrangement.add([key])
        self.share()

    def show_strand(self, strand: Strand) -> None:
        """Its line, first of all rows."""
        self.arrangement.remove(strand.ids)
        self.arrangement.add(strand.ids, at=0)
        self.share()

    def follow(self, keys: Sequence[int]) -> None:
        """Follows the search or the tree, which changed the series that are shown."""
        if self._busy_sharing:
            return
        shown = [key for key in keys if key in self._series]
        self.arrangement.remove([key for key in self.arrangement.keys if key not in shown])
        self.add([key for key in shown if self.arrangement.row_of(key) is None])

    def share(self) -> None:
        """Tells the others what is shown now."""
        self.arranged.emit()
        self._busy_sharing = True
        self._workspace.selection.set_series(self.arrangement.keys)
        self._busy_sharing = False


def _run_of(shown: Inspected | None) -> int | None:
    match shown:
        case InspectedRun(view):
            return view.run.id
        case InspectedCapture(artefact):
            return artefact.run_id
    return None
