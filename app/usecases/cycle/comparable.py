"""What the gate of comparability says of the windows that the cycle's figures were measured in."""

from __future__ import annotations

from dataclasses import replace
from weakref import WeakKeyDictionary

from app.core.progress import Progress
from app.diagnosis.cycle.results import windows_to_compare
from app.domain.comparability import GateCheck, WindowPair
from app.domain.cycle.book import CycleBook
from app.domain.cycle.worksheet import Action, ExecutedChange
from app.store.audit import trail as audit
from app.store.project import Project
from app.usecases.comparing.compare import compare

_OF_NO_MATTER = ("cycle_changed", "experiment_changed", "narrative_changed", "report_written")
"""Changes of the project that the gate does not look at; of the cycle it looks at the change log."""

_State = tuple[object, ...]
_remembered: WeakKeyDictionary[Project, dict[WindowPair, tuple[_State, tuple[GateCheck, ...]]]] = WeakKeyDictionary()
"""What refuses each pair, with the state of the project that it was asked in: an answer takes a second or more."""


def asked(project: Project, book: CycleBook, progress: Progress | None = None) -> CycleBook:
    """The book with the gate's answer for every pair of windows that a verdict rests on."""
    known, state = _remembered.setdefault(project, {}), _state(project, book)
    for pair in windows_to_compare(book):
        if pair not in known or known[pair][0] != state:
            known[pair] = state, compare(project, *pair, progress).refusals
    return remembered(project, book)


def is_asked(book: CycleBook) -> bool:
    """Whether no answer is missing."""
    return book.refused is not None and all(pair in book.refused for pair in windows_to_compare(book))


def remembered(project: Project, book: CycleBook) -> CycleBook:
    """The book with the answers that are there already: nothing is read but where the project stands."""
    known, state = _remembered.get(project, {}), _state(project, book)
    found = {pair: known[pair] for pair in windows_to_compare(book) if pair in known}
    return replace(book, refused={pair: refusals for pair, (then, refusals) in found.items() if then == state})


def _state(project: Project, book: CycleBook) -> _State:
    titles = tuple((action.id, action.title) for action in book.all(Action))
    return audit.last_entry(project, _OF_NO_MATTER), book.all(ExecutedChange), titles
