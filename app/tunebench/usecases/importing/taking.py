"""One member: recognised by its first bytes, stored verbatim, remembered until its turn with the parser comes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import cast
from zoneinfo import ZoneInfo

from tunebench.capture import ingest
from tunebench.capture.frames import is_framed
from tunebench.capture.layouts import Expected, Sighting
from tunebench.capture.readings import payload_head
from tunebench.capture.sections import Watched, whole_lines
from tunebench.core.errors import PluginError, UserError
from tunebench.core.progress import Progress
from tunebench.domain.bundle import MemberState
from tunebench.domain.engagement import Phase, Run
from tunebench.domain.ledger import ImportState
from tunebench.plughost.host import PluginHost
from tunebench.plughost.parser_entry import ParserEntry
from tunebench.sdk import ParseContext
from tunebench.sdk.line_stamps import SURE_ENOUGH
from tunebench.store import artefacts, removal, runs
from tunebench.store.artefacts import PENDING, StoredArtefact
from tunebench.store.project import Project
from tunebench.transport import tables
from tunebench.transport.containers.limits import OverLimit
from tunebench.transport.containers.members import Damaged, Member
from tunebench.transport.local import HEAD_BYTES
from tunebench.transport.sar.formats import SaFormat, sa_format
from tunebench.transport.tables import TextTable
from tunebench.usecases.importing import date_orders, hosted, sa_files, sectioned
from tunebench.usecases.importing.date_orders import ProvenOrder
from tunebench.usecases.importing.outcomes import Outcome, Taken
from tunebench.usecases.importing.parsing import host_name_of
from tunebench.usecases.importing.phases import said_phase
from tunebench.usecases.importing.results import ImportedFile, ImportOptions
from tunebench.usecases.importing.sectioned import Cut, Part


class Taker:
    """Stores what is recognised.

    Attributes:
        fresh: ids of the artefacts that came in here.
        given: the path that the user gave and that members come from now.
    """

    def __init__(
        self, project: Project, options: ImportOptions, plugins: PluginHost, zone: ZoneInfo, progress: Progress
    ) -> None:
        self._project = project
        self._options = options
        self._plugins = plugins
        self._zone = zone
        self._progress = progress
        self._runs: dict[tuple[Phase, str], Run] = {}
        self._run_id = 0
        self.given = Path()
        self.fresh: set[int] = set()
        self._by_kind: dict[tuple[str, str], ParserEntry] = {}

    @property
    def run_label(self) -> str:
        """Of all runs that captures came into."""
        return ", ".join(run.label for run in self._runs.values())

    def _begin(self, member: Member) -> None:
        """What is stored from now on goes into the member's run, which is made when its first capture comes."""
        phase, words = self._options.side_of(self.given) or self._options.phase, ""
        if phase is None:
            phase, words = said_phase([*self.given.parts[-2:], *member.place.split("/")])
        key = phase, re.sub(r"\D", "", words)  # the number of the round
        if key not in self._runs:
            label = words or self._options.run or run_label(phase)
            self._runs[key] = runs.ensure_run(self._project, label, phase)
        self._run_id = self._runs[key].id

    def remove_empty_runs(self) -> None:
        """Nothing but duplicates and failures came in."""
        for run in self._runs.values():
            runs.remove_empty_run(self._project, run.id)

    def take(self, member: Member, path: str, seen: Sighting, note_piece: Callable[[int], None]) -> list[Outcome]:
        """The member's outcomes: one; two for a binary file that is kept beside its text; for a text of several tools
        one for the text itself, which is kept, and one for each tool.

        Args:
            seen: what the layouts say of it.
            note_piece: told after each piece how many bytes of the member came so far.

        Raises:
            UserError: no parser knows it; it is more than it may be; it cannot be stored.
        """
        head = member.head()
        binary = sa_format(head)
        if binary is not None:
            sa_files.check_readable(binary, path)
            self._begin(member)
            return self._take_sa(member, path, binary, note_piece)
        form = tables.form_of(head, member.file_name)
        if form:
            self._begin(member)
            return self._take_tables(member, path, form, note_piece)
        entry = self._recognised_in_part(member, path, seen, head)
        self._begin(member)
        lines = WholeLines(self._noted(member.pieces(), note_piece))
        watched = Watched(lines)
        stored = ingest.store_pieces(self._project, self._run_id, member.file_name, path, member.modified_ns, watched)
        if stored.duplicate_of is None:
            self.fresh.add(stored.artefact_id)
        reason, warnings = self._reservations(member, path, lines)
        warnings += (member.note,) if member.note else ()
        outcome = Outcome(member.name, path, MemberState.IMPORTED, size_bytes=stored.size_bytes, reason=reason)
        if watched.may_be_several and not is_framed(head):
            cut = sectioned.cut(self._project, stored, self._plugins, entry, self._progress, is_alike=watched.is_alike)
            if cut is not None:
                return self._put_sections(outcome, stored, cut, member, warnings)
        if entry is not None and (of_hosts := hosted.cut(self._project, stored, entry, self._progress)) is not None:
            return self._put_sections(outcome, stored, of_hosts, member, warnings)
        if entry is None:  # its only known section went on behind the first bytes, as something else
            self._drop(stored)
            raise UserError("file_unrecognised", path=path)
        context = ParseContext(member.file_name, path, member.modified_ns, self._zone)
        self._put(outcome, stored, entry, head, context, warnings)
        return [outcome]

    def _recognised_in_part(self, member: Member, path: str, seen: Sighting, head: bytes) -> ParserEntry | None:
        """The parser that knows the beginning; None where nobody does, and there are sections that somebody knows."""
        try:
            return self._recognised(member, path, seen, head)
        except UserError as error:
            if error.key != "file_unrecognised" or not sectioned.has_sections(self._plugins, head):
                raise
            return None

    def _recognised(self, member: Member, path: str, seen: Sighting, head: bytes) -> ParserEntry:
        """The reader of the file; files of one kind in one layout have one: it is asked before all others are."""
        kind = (seen.layout, seen.kind)
        usual = self._by_kind.get(kind)
        if usual is not None and self._is_sure(usual, head, member.file_name):
            return usual
        entry = ingest.recognise(self._plugins, head, member.file_name, path)
        if seen.expected is Expected.YES:
            self._by_kind[kind] = entry
        return entry

    @staticmethod
    def _is_sure(entry: ParserEntry, head: bytes, name: str) -> bool:
        try:
            return entry.sniff(payload_head(head), name) >= SURE_ENOUGH
        except PluginError:  # quarantined; the others are asked
            return False

    def _noted(self, pieces: Iterator[bytes], note_piece: Callable[[int], None]) -> Iterator[bytes]:
        done = 0
        for piece in pieces:
            self._progress.raise_if_cancelled()
            done += len(piece)
            note_piece(done)
            yield piece

    @staticmethod
    def _reservations(member: Member, path: str, lines: WholeLines) -> tuple[UserError | None, tuple[str, ...]]:
        if lines.damage is not None:
            return lines.damage.refusal("member_damaged", path), ("source_damaged",)
        if member.file is not None and member.file.changed():
            return UserError("file_changed_while_read", path=path), ("changed_while_read",)
        return None, ()

    def _put(
        self,
        outcome: Outcome,
        stored: StoredArtefact,
        entry: ParserEntry,
        head: bytes,
        context: ParseContext,
        warnings: tuple[str, ...],
    ) -> None:
        """To be parsed, unless the project has it already."""
        there = None if stored.duplicate_of is None else artefacts.find_artefact(self._project, stored.duplicate_of)
        if there is not None and (there.id in self.fresh or there.state != PENDING):
            outcome.finish(self._duplicate(outcome.path, there.id))
            return
        # bytes that came in before an interruption are read now
        self.fresh.add(stored.artefact_id)
        ledger = ingest.scout(entry, head, context)
        day_first = date_orders.proven(entry, head, context)
        order = None if day_first is None else ProvenOrder(ledger.tool, day_first, stored.sha256, context.file_name)
        outcome.taken = Taken(stored.artefact_id, entry, ledger, stored.size_bytes, warnings, order)

    def _duplicate(self, path: str, artefact_id: int) -> ImportedFile:
        there = artefacts.find_artefact(self._project, artefact_id)
        return ImportedFile(
            path,
            ImportState.DUPLICATE,
            there.sha256,
            there.parser_id,
            host_name_of(self._project, there.host_id),
            there.id,
            duplicate_of=there.name,
            ledger=there.ledger,
        )

    def _drop(self, stored: StoredArtefact) -> None:
        if stored.duplicate_of is None:
            removal.remove_artefact(self._project, stored.artefact_id)

    # --- texts of several tools
    def _put_sections(
        self, whole: Outcome, stored: StoredArtefact, cut: Cut, member: Member, warnings: tuple[str, ...]
    ) -> list[Outcome]:
        there = artefacts.find_artefact(self._project, stored.artefact_id)
        if there.state == ImportState.KEPT:
            kept = self._duplicate(whole.path, there.id)
        else:
            self.fresh.add(there.id)
            sectioned.keep(self._project, cut)
            kept = ImportedFile(whole.path, ImportState.KEPT, stored.sha256, artefact_id=there.id, ledger=cut.ledger)
        whole.finish(replace(kept, error=whole.reason))
        whole.kind = sectioned.FORM
        if unknown := [[block.first_line, block.example] for block in cut.ledger.skipped]:
            whole.facts = {"unknown_sections": unknown}
        parts = [self._put_part(whole, stored, part, cut, member, warnings) for part in cut.parts]
        waiting = [(part, outcome.taken) for part, outcome in zip(cut.parts, parts, strict=True) if outcome.taken]
        sectioned.tell_hosts(waiting)
        return [whole, *parts]

    def _put_part(
        self, whole: Outcome, of: StoredArtefact, part: Part, cut: Cut, member: Member, warnings: tuple[str, ...]
    ) -> Outcome:
        path, name = f"{whole.path}!/{part.name}", f"{member.file_name}.{part.name}"
        inner = f"{whole.name}!/{part.name}" if whole.name else part.name
        outcome = Outcome(inner, path, MemberState.IMPORTED, kind=part.name, original=whole)
        outcome.facts = {"of": of.sha256}
        stored = ingest.store_pieces(
            self._project,
            self._run_id,
            name,
            path,
            member.modified_ns,
            cut.text_of(part, self._project, self._progress),
        )
        outcome.size_bytes = stored.size_bytes
        head = ingest.artefact_head(self._project, stored.artefact_id)
        context = ParseContext(name, path, member.modified_ns, self._zone)
        self._put(outcome, stored, part.entry, head, context, (*warnings, cut.warning))
        return outcome

    # --- workbooks, and series in JSON
    def _take_tables(self, member: Member, path: str, form: str, note_piece: Callable[[int], None]) -> list[Outcome]:
        original, stored = self._keep_original(member, path, form, note_piece)
        pieces = sectioned.stored_pieces(self._project, stored.artefact_id, self._progress)
        outcomes = [original]
        try:
            for table in tables.tables_of(form, pieces, member.file_name, path):
                outcomes += self._take_table(table, member, original)
            if len(outcomes) == 1:
                raise UserError("file_without_tables", path=path)
        except UserError as error:
            if len(outcomes) == 1 and not isinstance(error, OverLimit):
                self._drop(stored)
                raise
            original.finish(replace(cast("ImportedFile", original.file), error=error))  # what came before it stays
        return outcomes

    def _take_table(self, table: TextTable, member: Member, original: Outcome) -> list[Outcome]:
        """A table of a file that is kept: one outcome, or one for the table and one for each host in it."""
        path = f"{original.path}!/{table.name}"
        inner = f"{original.name}!/{table.name}" if original.name else table.name
        name = f"{member.file_name}.{table.name}"
        outcome = Outcome(inner, path, MemberState.IMPORTED, kind=original.kind, original=original)
        first = next(table.pieces, b"")
        if not tables.has_figures(first):
            return []
        try:
            entry = ingest.recognise(self._plugins, first[:HEAD_BYTES], name, path)
        except UserError:
            outcome.finish(ImportedFile(path, ImportState.UNRECOGNISED, error=UserError("table_unknown", path=path)))
            outcome.size_bytes = len(first)
            return [outcome]
        pieces = chain((first,), table.pieces)
        stored = ingest.store_pieces(self._project, self._run_id, name, path, member.modified_ns, pieces)
        outcome.size_bytes = stored.size_bytes
        of_hosts = hosted.cut(self._project, stored, entry, self._progress)
        if of_hosts is not None:
            return self._put_sections(outcome, stored, of_hosts, member, ())
        context = ParseContext(name, path, member.modified_ns, self._zone)
        self._put(outcome, stored, entry, first[:HEAD_BYTES], context, ())
        return [outcome]

    def _keep_original(
        self, member: Member, path: str, form: str, note_piece: Callable[[int], None]
    ) -> tuple[Outcome, StoredArtefact]:
        """The file itself is evidence that no parser reads."""
        lines = WholeLines(self._noted(member.pieces(), note_piece))
        stored = ingest.store_pieces(self._project, self._run_id, member.file_name, path, member.modified_ns, lines)
        sa_files.keep(self._project, stored)
        if stored.duplicate_of is None:
            self.fresh.add(stored.artefact_id)
        original = Outcome(member.name, path, MemberState.KEPT, kind=form, size_bytes=stored.size_bytes)
        if stored.duplicate_of is not None:
            original.finish(self._duplicate(path, stored.artefact_id))
        else:
            original.finish(ImportedFile(path, ImportState.KEPT, stored.sha256, artefact_id=stored.artefact_id))
        return original, stored

    # --- binary files of sar
    def _take_sa(self, member: Member, path: str, binary: SaFormat, note_piece: Callable[[int], None]) -> list[Outcome]:
        original, stored = self._keep_original(member, path, sa_files.FORM, note_piece)
        text = self._text_of_sa(member, path, binary, stored)
        text.original = original
        return [original, text]

    def _text_of_sa(self, member: Member, path: str, binary: SaFormat, original: StoredArtefact) -> Outcome:
        text = sa_files.converted(self._project, original.artefact_id, binary, member.file_name, path)
        inner = f"{path}!/{text.name}"
        name = f"{member.name}!/{text.name}" if member.name else text.name
        outcome = Outcome(name, inner, MemberState.IMPORTED, kind="sadf")
        outcome.facts = {"same_as": text.same_as, "of": original.sha256}
        outcome.without_data = sa_files.without_data(binary, path)
        try:
            stored = ingest.store_pieces(
                self._project, self._run_id, text.name, inner, member.modified_ns, text.pieces(self._progress)
            )
            outcome.size_bytes = stored.size_bytes
            outcome.reason = text.reservation()
            head = ingest.artefact_head(self._project, stored.artefact_id)
            entry = ingest.recognise(self._plugins, head, text.name, inner)
        except UserError as error:
            outcome.finish(ImportedFile(inner, ImportState.FAILED, error=error))
            return outcome
        context = ParseContext(text.name, inner, member.modified_ns, self._zone)
        warnings = ("source_damaged",) if text.is_damaged else ()
        self._put(outcome, stored, entry, head, context, warnings)
        return outcome


def run_label(phase: Phase) -> str:
    return phase.value if phase is not Phase.OTHER else "import"


class WholeLines:
    """Passes pieces on; where they break off, the torn line at the end is left out: half a number looks like one.

    Attributes:
        damage: what went wrong, None where all came.
    """

    def __init__(self, pieces: Iterable[bytes]) -> None:
        self._pieces = pieces
        self.damage: Damaged | None = None

    def __iter__(self) -> Iterator[bytes]:
        try:
            yield from whole_lines(self._pieces)
        except Damaged as damage:
            self.damage = damage
