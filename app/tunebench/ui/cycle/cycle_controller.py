"""The cycle of the open engagement: read once for all pages, edited in one place, undone in one place."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer, Signal

from tunebench.core.errors import UserError
from tunebench.domain.cycle.book import CycleBook, CycleEdit
from tunebench.domain.cycle.records import Iteration
from tunebench.domain.translations import in_both_languages, other_language
from tunebench.reporting.cycle_words import amendment_text
from tunebench.ui.cycle.amendment_dialog import ask_reason
from tunebench.ui.cycle.figure_words import wording
from tunebench.ui.look.language import language, text
from tunebench.ui.undo import DoneEdit
from tunebench.ui.workspace import Change, PerWorkspace, Workspace

if TYPE_CHECKING:
    from tunebench.diagnosis.cycle.board import Standing
    from tunebench.diagnosis.cycle.gate import Gate
    from tunebench.diagnosis.cycle.results import TargetStanding
    from tunebench.usecases.cycle.due import Due, Measured
    from tunebench.usecases.cycle.figures import Broken, BrokenRecord

_READ_ANEW = (Change.OPENED, Change.CLOSED, Change.CYCLE, Change.RUNS)
_MAY_BREAK = (*_READ_ANEW, Change.CAPTURES, Change.MEASUREMENTS, Change.STATEMENTS)
_MAY_REFUSE = (*_MAY_BREAK, Change.ENGAGEMENT, Change.NOTES)
_LOOK_FOR_BROKEN_MS = 400


class CycleController(PerWorkspace):
    """One per workspace: `CycleController.of(workspace)`.

    Signals:
        changed: another book, or another iteration looked at; after edits, undo, redo, opening, closing. Again when
            the gate of comparability has answered in the background: until then a verdict on its windows is undecided.
        broken_changed: `broken` is another; it is looked for in the background.
    """

    changed = Signal()
    broken_changed = Signal()

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self._chosen: int | None = None
        self.book = CycleBook()
        self.standing: Standing | None = None
        self._in_words: tuple[Standing, str, Standing] | None = None
        self.broken: dict[int, Broken] = {}
        self.ask_reason = ask_reason
        self._look_soon = QTimer(self, singleShot=True, interval=_LOOK_FOR_BROKEN_MS)
        self._look_soon.timeout.connect(self._look_for_broken)
        workspace.project_changed.connect(self._on_project)
        if workspace.project is not None:
            self._on_project(Change.OPENED)

    # --- what there is
    @property
    def today(self) -> str:
        """The date on the clock of the engagement."""
        return datetime.now(self._workspace.zone).date().isoformat()

    @property
    def second_language(self) -> str:
        """Of the records, where the engagement has one; else empty."""
        engagement = self._workspace.overview.engagement if self._workspace.overview else None
        return other_language(engagement.language) if engagement and engagement.second_language else ""

    @property
    def consultant(self) -> str:
        """Who decides where nobody else is named: the engagement's first consultant."""
        overview = self._workspace.overview
        return next(iter(overview.engagement.consultants), "") if overview else ""

    @property
    def gates(self) -> Sequence[Gate]:
        """What is in the way of the iteration looked at."""
        return self.standing.gates if self.standing else ()

    @property
    def iteration(self) -> Iteration | None:
        """The one looked at: the chosen one, else the current one."""
        return self.book.find(Iteration, self._chosen) or self.book.current

    def choose(self, iteration_id: int | None) -> None:
        """Look at another iteration; None for the current one, whichever that will be."""
        if iteration_id != self._chosen:
            self._chosen = iteration_id
            self._judge()
            self.changed.emit()

    def gate_sentences(self, gates: Iterable[Gate]) -> list[str]:
        from tunebench.diagnosis.words import gate_text

        return [gate_text(gate, language().code) for gate in gates]

    def shown(self) -> Standing | None:
        """The standing as the window's language has what people wrote, where records are in two: to be read alone."""
        from tunebench.usecases.cycle.reading import in_language

        project, standing = self._workspace.project, self.standing
        if project is None or standing is None or not self.second_language:
            return standing
        code = language().code
        if self._in_words is None or self._in_words[0] is not standing or self._in_words[1] != code:
            self._in_words = standing, code, in_language(project, standing, code)
        return self._in_words[2]

    def amendment_sentences(self, standing: Standing | None) -> list[str]:
        """Sentences on the changed sealed records of the iteration looked at."""
        words = wording(self._workspace)
        return [amendment_text(amendment, words) for amendment in (standing.amendments if standing else ())]

    def disclosure_sentences(self, standing: Standing | None) -> list[str]:
        """Sentences on what the check contradicts, and on what an auditor asks first of the iteration looked at."""
        from tunebench.usecases.cycle.contradicted import disclosure_sentences

        return disclosure_sentences(standing, language().code, self._workspace.zone) if standing else []

    def target_text(self, standing: TargetStanding) -> str:
        """The state of a target of the iteration looked at, with what it is subject to."""
        from tunebench.usecases.cycle.words import target_text

        board = self.standing
        amendments, disclosures = (board.amendments, board.disclosures) if board is not None else ((), ())
        return target_text(standing, amendments, disclosures, language().code)

    def why_broken(self, record_id: int | None) -> str:
        """Why what a record rests on is no longer found; nothing where it is."""
        from tunebench.usecases.cycle.figures import broken_text

        why = self.broken.get(record_id or 0)
        return broken_text(why, language().code) if why else ""

    def next_sentence(self) -> str:
        from tunebench.usecases.cycle.words import next_sentence

        return next_sentence(self.standing, language().code) if self.standing else ""

    # --- edits
    def edit(self, edit: CycleEdit) -> bool:
        """Does the edit and lays it on the undo stack; a refusal is said. Whether it was done.

        An edit without changes is done already, and leaves nothing to undo.
        """
        return self.attempt(lambda: edit)

    def attempt(self, build: Callable[[], CycleEdit]) -> bool:
        """`edit` of what `build` makes; what the builder refuses (a closed gate) is said as well."""
        return self.applied(build) is not None

    def applied(self, build: Callable[[], CycleEdit]) -> CycleEdit | None:
        """`attempt`, giving the edit as it was kept: with the ids of new records. None where it was refused."""
        from tunebench.usecases.cycle import applying

        try:
            edit = build()
            done = edit
            if edit.changes:
                done = self._with_reason(partial(applying.apply, self._workspace.opened, edit))
        except UserError as error:
            to_begin = ("ui.cycle.new_iteration", lambda: self._workspace.show_page("cycle", "new"))
            self._workspace.say_error(error, Change.CYCLE, to_begin if error.key == "cycle_no_iteration" else None)
            return None
        if done.changes:
            self._workspace.undo.push(
                DoneEdit(
                    text(f"cycle.edit.{done.name}"),
                    lambda: self.repeat(applying.undo, done),
                    lambda: self.repeat(applying.redo, done),
                    self._workspace.typing_number,
                )
            )
            self._take(done)
        return done

    def repeat(self, act: Callable[..., CycleEdit], done: CycleEdit) -> bool:
        """Undo or redo, for the undo stack; whether it was done."""
        again = partial(act, self._workspace.project, done)
        return self._workspace.attempt(lambda: self._take(self._with_reason(again)), Change.CYCLE)

    def _with_reason(self, act: Callable[..., CycleEdit]) -> CycleEdit:
        """What `act` gives; where it changes what is sealed, it is done by the person and with the reason asked for.

        Raises:
            UserError: what `act` refuses, or nobody gave a reason.
        """
        from tunebench.usecases.cycle.sealing import SealedRefusal

        try:
            return act()
        except SealedRefusal as refusal:
            if self.is_typing:
                raise
            why_asked = text("ui.cycle.amendment.why", **refusal.facts_in(language().code))
            asked = self.ask_reason(why_asked, self.consultant)
            if asked is None:
                raise
        return act(who=asked[1], reason=asked[0])

    def _take(self, done: CycleEdit) -> None:
        """Publishes the change, to this controller too; a new iteration is then the one to look at."""
        if any(change.before is None and isinstance(change.after, Iteration) for change in done.changes):
            self._chosen = None
        self._workspace.announce(Change.CYCLE)

    def written(self, build: Callable[[str], CycleEdit], done_key: str) -> None:
        """`attempt` of what `build` writes in the engagement's language, with its words in the other one beside them;
        says that it was done."""
        overview = self._workspace.overview
        own = overview.engagement.language if overview is not None else language().code
        if self.attempt(lambda: in_both_languages(build, own)):
            self._workspace.say_done(text(done_key))

    # --- what can be measured now
    def due(self) -> Sequence[Due]:
        """What the iteration looked at lacks and the windows that are compared have."""
        from tunebench.usecases.cycle.due import due_now

        project, chosen = self._workspace.project, self._workspace.selection
        if project is None or not self.writable:
            return ()
        return due_now(project, self.book, self.iteration, chosen.before, chosen.after)

    def due_next(self) -> Sequence[Due]:
        """`due`, where the next thing to do is to measure."""
        from tunebench.diagnosis.cycle.next_step import MEASURES

        return self.due() if self.standing is not None and self.standing.next_action.key in MEASURES else ()

    def measure_due(self, *, on_board: bool = False) -> None:
        """Measures all of it in the background; one step of undo."""
        from tunebench.usecases.cycle import due

        project, wanted = self._workspace.opened, self.due()

        def keep(measured: Measured) -> None:
            if wanted and self.attempt(lambda: due.due_edit(project, self.book, measured)):
                to_board = "ui.changed.go.board", lambda: self._workspace.show_page("board")
                self._workspace.say(due.measured_text(measured, language().code), act=None if on_board else to_board)

        self._workspace.jobs.run(
            "db", lambda _handle: due.measured_due(project, wanted), owner=self, slot="due", on_result=keep
        )

    # --- reading
    def _on_project(self, change: Change) -> None:
        if change in (Change.OPENED, Change.CLOSED):
            self._chosen = None
        if change in _READ_ANEW:
            self._read()
            self.changed.emit()
        if change in _MAY_BREAK:
            self._look_soon.start()
        if change in _MAY_REFUSE:
            self._ask_the_gate()

    def _read(self) -> None:
        from tunebench.usecases.cycle import reading

        project = self._workspace.project
        book = self._workspace.answer_of(lambda: reading.read(project), Change.CYCLE) if project is not None else None
        self.book = book or CycleBook()
        self._judge()

    def _judge(self) -> None:
        from tunebench.diagnosis.cycle import board as cycle_board

        if self._workspace.project is None:
            self.standing = None
            return
        self.standing = cycle_board.standing(self.book, self.iteration)

    # --- what is not comparable
    def _ask_the_gate(self) -> None:
        """Asks the gate for what it has not answered yet, or might answer otherwise now."""
        from tunebench.usecases.cycle import comparable

        project = self._workspace.project
        if project is None:
            return
        self._take_asked(comparable.remembered(project, self.book))
        book = self.book
        if comparable.is_asked(book):
            return
        self._workspace.jobs.run(
            "db",
            lambda handle: comparable.asked(project, book, handle),
            owner=self,
            slot="comparable",
            on_result=self._take_asked,
        )

    def _take_asked(self, book: CycleBook) -> None:
        """Takes an answer; one for a book that has been edited since is asked for again by that edit."""
        answers = (book.refused, book.intervals, book.contradicted)
        if book == self.book and answers != (self.book.refused, self.book.intervals, self.book.contradicted):
            self.book = book
            self._judge()
            self.changed.emit()

    # --- what is no longer found
    def _look_for_broken(self) -> None:
        from tunebench.usecases.cycle.figures import broken_records

        project, book = self._workspace.project, self.book
        if project is None or not book.records:
            self._take_broken(())
            return
        self._workspace.jobs.run(
            "db", lambda _handle: broken_records(project, book), owner=self, slot="broken", on_result=self._take_broken
        )

    def _take_broken(self, records: Iterable[BrokenRecord]) -> None:
        broken = {entry.record.id: entry.why for entry in records}
        if broken != self.broken:
            self.broken = broken
            self.broken_changed.emit()
