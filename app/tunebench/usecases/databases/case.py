"""The databases of a success case: every pair that is on both sides, compared, with where its figures stand."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import field
from typing import Protocol
from zoneinfo import ZoneInfo

from tunebench.analysis.databases.record import DatabaseRecord, statement_keys
from tunebench.analysis.databases.statement_changes import compare_statements
from tunebench.core import records
from tunebench.core.errors import UserError
from tunebench.core.messages import catalogue
from tunebench.domain.cycle.book import CycleBook
from tunebench.domain.cycle.evidence import Evidence, EvidenceKind
from tunebench.domain.databases.records import StatementKey
from tunebench.domain.engagement import Run
from tunebench.domain.windows import Window
from tunebench.reporting.cases.databases import CasePeriod, CaseSide, DatabaseCase, LicenceNotes
from tunebench.store import artefacts, engagements
from tunebench.store.databases import licences
from tunebench.store.project import Project
from tunebench.usecases.comparing import windows
from tunebench.usecases.cycle import reading
from tunebench.usecases.databases.comparison import (
    DatabaseComparison,
    compare_pair,
    host_names,
    is_unconfirmed,
    manual_links,
    pairs,
)
from tunebench.usecases.databases.entered_statements import are_left_out, by_engine, entered_record
from tunebench.usecases.databases.periods import Period
from tunebench.usecases.databases.sessions import session_history
from tunebench.usecases.databases.sides import Caution, Side
from tunebench.usecases.databases.snapshots import databases
from tunebench.usecases.databases.words import caution_text, source_text

FileKey = Callable[[int | None], str]
"""Id of a capture -> its key in the report, empty where it has none."""
_READ = ("statement", "wait_event", "time_model", "parameter")


@records.record
class CaseDatabases:
    """The databases of the report.

    Attributes:
        remarks: sentences on why a captured one is not compared.
        alone: names of those that were captured on one side only.
        comparisons: what the captured ones of `compared` are made of.
    """

    compared: tuple[DatabaseCase, ...] = ()
    remarks: tuple[str, ...] = ()
    alone: tuple[str, ...] = ()
    licences: LicenceNotes = field(default_factory=LicenceNotes)
    comparisons: tuple[DatabaseComparison, ...] = ()


class Titled(Protocol):
    """A window and what it is called."""

    @property
    def title(self) -> str: ...
    @property
    def window(self) -> Window: ...


def case_databases(
    project: Project, before: Titled | None, after: Titled | None, language: str, file_key: FileKey
) -> CaseDatabases:
    builder = _Builder(project, language, file_key)
    compared, remarks = builder.compared(before, after)
    notes = licence_notes(project, file_key)
    return CaseDatabases(tuple(compared), tuple(remarks), tuple(builder.alone), notes, tuple(builder.comparisons))


class _Builder:
    def __init__(self, project: Project, language: str, file_key: FileKey) -> None:
        self._project, self._language, self._file_key = project, language, file_key
        self._words = catalogue(language)
        self._zone = ZoneInfo(engagements.read_engagement(project).zone)
        self._pinned = _pinned_statements(reading.read(project))
        self.comparisons: list[DatabaseComparison] = []
        self.alone: list[str] = []

    def compared(self, before: Titled | None, after: Titled | None) -> tuple[list[DatabaseCase], list[str]]:
        cases: list[DatabaseCase] = []
        remarks: list[str] = []
        matched = pairs(self._project, before.window, after.window) if before and after else []
        for first, second in matched:
            assert before is not None and after is not None  # pairs are of both
            try:
                compared = compare_pair(self._project, before.window, after.window, first, second)
                cases.append(self._case(compared, before.title, after.title))
                self.comparisons.append(compared)
            except UserError as error:
                remarks.append(f"{first.label}: {self._words.error(error)}")
        remarks += self._one_sided(before, after, {database.id for pair in matched for database in pair})
        runs = [windows.whole_runs(self._project, side.window) for side in (before, after) if side]
        if [len(own) for own in runs] == [1, 1]:
            entered = list(self._entered(runs[0][0], runs[1][0]))
            cases += entered
            if entered and any(side.window.name for side in (before, after) if side):
                labels = {"before": runs[0][0].label, "after": runs[1][0].label}
                remarks.append(self._words.text("cli.compare.statements_of_runs", **labels))
        if are_left_out(self._project, runs):
            remarks.append(self._words.text("cli.compare.statements_left_out"))
        return cases, remarks

    def _one_sided(self, before: Titled | None, after: Titled | None, paired: set[str]) -> Iterator[str]:
        for phase, side in (("before", before), ("after", after)):
            for database in databases(self._project, side.window) if side else ():
                if database.id not in paired:
                    self.alone.append(database.label)
                    yield self._words.text(f"report.db.only_{phase}", database=database.label)

    def _case(self, comparison: DatabaseComparison, before: str, after: str) -> DatabaseCase:
        labels = dict.fromkeys((comparison.before.database.label, comparison.after.database.label))
        return DatabaseCase(
            " → ".join(labels),
            self._side(comparison.before, before),
            self._side(comparison.after, after),
            comparison.statements,
            comparison.profile,
            self._sentences(comparison.cautions),
            self._pinned,
            comparison.time,
            comparison.explanation,
        )

    def _side(self, side: Side, title: str) -> CaseSide:
        record = side.record
        assert record is not None  # a comparison has both
        keys = dict.fromkeys(self._file_key(id_) for name in _READ for id_ in side.artefacts.get(name, ()))
        history = session_history(self._project, side.database)
        return CaseSide(
            title,
            side.database.label,
            record.identity.version,
            (
                *(self._period(period, True) for period in side.used),
                *(self._period(period, False) for period in side.left_out),
            ),
            self._sentences(side.cautions),
            record.elapsed_s,
            record.db_time_s,
            record.statement_texts(),
            _modules(record),
            _plans(record),
            self._places(side.used),
            tuple(key for key in keys if key),
            history.over if history else None,
            bool(history and history.sampled),
        )

    def _period(self, period: Period, used: bool) -> CasePeriod:
        keys = dict.fromkeys(self._file_key(part.artefact_id) for part in period.parts)
        return CasePeriod(
            source_text(period.record.source, self._language),
            period.begin_ns,
            period.end_ns,
            period.length_s,
            period.record.db_time_s,
            used,
            tuple(self._words.text(f"database.fault.{fault}") for fault in period.record.faults),
            tuple(key for key in keys if key),
        )

    def _places(self, used: Sequence[Period]) -> dict[StatementKey, str]:
        """Statement -> capture and line of its latest row."""
        places: dict[StatementKey, str] = {}
        for period in reversed(used):
            holders = period.artefacts_of("statement")
            key = self._file_key(holders[0]) if holders else ""
            table = period.record.table("statement")
            for statement, line in zip(statement_keys(table), table.lines.tolist(), strict=True):
                if key and statement not in places:
                    places[statement] = f"{key}:{line}" if line else key
        return places

    def _entered(self, before: Run, after: Run) -> Iterator[DatabaseCase]:
        """Statements that were entered by hand, of the engines that are in both runs."""
        sides = [by_engine(engagements.read_statements_by_hand(self._project, run.id)) for run in (before, after)]
        for engine in sides[0]:
            if engine in sides[1]:
                earlier, later = (entered_record(engine, side[engine]) for side in sides)
                statements = compare_statements(earlier, later, manual_links(self._project, engine))
                label = self._words.text("report.db.entered", engine=engine)
                old, new = (
                    CaseSide(run.label, label, texts=record.statement_texts(), modules=_modules(record))
                    for run, record in ((before, earlier), (after, later))
                )
                yield DatabaseCase(label, old, new, statements, pinned=self._pinned)

    def _sentences(self, cautions: Sequence[Caution]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(caution_text(caution, self._language, self._zone) for caution in cautions))


def _modules(record: DatabaseRecord) -> dict[StatementKey, str]:
    table = record.table("statement")
    modules: dict[StatementKey, str] = {}
    for key, module in zip(statement_keys(table), table.text("module"), strict=True):
        if module:
            modules.setdefault(key, module)
    return modules


def _plans(record: DatabaseRecord) -> dict[tuple[str, str], str]:
    table = record.table("plan")
    ids = zip(table.text("statement_id"), table.text("plan"), strict=True)
    return dict(zip(ids, table.text("text"), strict=True))


def _pinned_statements(book: CycleBook) -> frozenset[str]:
    targets = (evidence.target for evidence in book.all(Evidence))
    return frozenset(target.key.partition(":")[2] for target in targets if target.kind is EvidenceKind.STATEMENT)


def licence_notes(project: Project, file_key: FileKey) -> LicenceNotes:
    """What was confirmed, and the captures that nobody confirmed anything for."""
    given = licences.list_confirmations(project)
    names = host_names(project)
    captures = {artefact.id: artefact for artefact in artefacts.list_artefacts(project)}
    missing: dict[str, None] = {}
    for database in databases(project):
        for stored in database.records:
            if is_unconfirmed(stored, database, given, names):
                key, artefact = file_key(stored.artefact_id), captures.get(stored.artefact_id)
                missing[f"{key} {artefact.name}".strip() if artefact else key] = None
    return LicenceNotes(tuple(given), tuple(missing))
