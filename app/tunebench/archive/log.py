"""The log of an archive: which parts count. A commit creates the next number if nobody has; who loses reads again."""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field

import tunebench
from tunebench.archive.layout import ENGAGEMENTS
from tunebench.archive.parts import Part
from tunebench.archive.storage import Storage
from tunebench.core.errors import UserError
from tunebench.core.patterns import lazy_pattern
from tunebench.core.records import record

FOLDER = "log"
_NAME = lazy_pattern(r"log/(\d{8})\.json")
_WHOLE_EVERY = 32
"""Commits after which one tells all parts: no reader needs more of them."""
_READ_AT_ONCE = 8
_TRIES = 200
_FIRST_WRITER_S = 600.0
"""So long the first writer of an archive may take from its parts to its commit."""


@record
class Change:
    """What a commit does. `removed` are names of parts; one of the same name may be added in another form."""

    added: Sequence[Part] = ()
    removed: Iterable[str] = ()


@record
class State:
    """
    Attributes:
        number: of the newest commit; 0 before the first.
        base: of the newest commit that tells all parts.
        parts: those that count, by name.
        lost: commits since `base` that cannot be read. What they added and removed is not known.
    """

    number: int = 0
    base: int = 0
    parts: Mapping[str, Part] = field(default_factory=dict)
    lost: tuple[str, ...] = ()

    def of(self, table: str) -> list[Part]:
        return [part for part in self.parts.values() if part.table == table]

    def with_change(self, change: Change) -> dict[str, Part]:
        removed = set(change.removed)
        kept = {name: part for name, part in self.parts.items() if name not in removed}
        return kept | {part.name: part for part in change.added}


@record
class _Commit:
    added: tuple[Part, ...]
    removed: tuple[str, ...]
    whole: tuple[Part, ...] | None


class Log:
    """Reads what is new only."""

    def __init__(self, storage: Storage) -> None:
        self._storage = storage
        self._state = State()

    def state(self) -> State:
        state = self._state
        if state.number and not state.lost and not self._storage.read_all([name_of(state.number + 1)]):
            return state  # to list a thousand commits takes longer than to ask for the next one
        numbers = (int(match[1]) for name in self._storage.entries(FOLDER) if (match := _NAME.fullmatch(name)))
        last = max(numbers, default=0)
        if last != self._state.number or self._state.lost:
            self._state = _read_state(self._storage, last)
        return self._state

    def lost(self) -> tuple[str, ...]:
        """What of the log cannot be read; its folder where there is none of it beside engagements that were put in."""
        return self._lost_of(self.state(), 0.0)

    def _lost_of(self, state: State, least_age_s: float) -> tuple[str, ...]:
        """`least_age_s`: of an engagement beside no log. One that is newer may be another first writer's."""
        if state.number:
            return state.lost
        written = [entry.modified_s for entry in self._storage.entries(ENGAGEMENTS).values()]
        return (FOLDER,) if written and time.time() - min(written) >= least_age_s else ()

    def commit(self, change_of: Callable[[State], Change | None], *, whole: bool = False) -> State:
        """Writes the change of the newest state, worked out again where another writer was first.

        Args:
            change_of: None where there is nothing to do.
            whole: the commit tells all parts.

        Raises:
            UserError: archive_log_damaged, unless `whole`: a commit is lost, and `repair` wanted first;
                archive_contended where others were first every time.
        """
        for attempt in range(_TRIES):
            state = self.state()
            lost = () if whole else self._lost_of(state, _FIRST_WRITER_S)
            if lost:
                raise UserError("archive_log_damaged", path=self._storage.location(lost[0]))
            change = change_of(state)
            if change is None:
                return state
            number, parts = state.number + 1, state.with_change(change)
            base = number if whole or number - state.base >= _WHOLE_EVERY else state.base
            facts = {
                "program": tunebench.__version__,
                "time_ns": time.time_ns(),
                "rows": sum(part.rows for part in change.added),
                "added": [part.as_json() for part in change.added],
                "removed": sorted(change.removed),
                **({"parts": [part.as_json() for part in parts.values()]} if base == number else {}),
            }
            if self._storage.create(name_of(number), json.dumps(facts, ensure_ascii=False).encode() + b"\n"):
                self._state = State(number, base, parts)
                return self._state
            time.sleep(secrets.randbelow(20) * min(attempt, 10) / 1000)
        raise UserError("archive_contended", address=self._storage.address)


def name_of(number: int) -> str:
    return f"{FOLDER}/{number:08}.json"


def _read_state(storage: Storage, last: int) -> State:
    """Goes back from the newest commit to one that tells all parts, or to the beginning."""
    since: list[tuple[int, _Commit | None]] = []
    parts: dict[str, Part] = {}
    base, contents = 0, dict[str, bytes]()
    for number in range(last, 0, -1):
        if (last - number) % _READ_AT_ONCE == 0:
            earlier = range(max(1, number - _READ_AT_ONCE + 1), number + 1)
            contents = dict(storage.read_all([name_of(one) for one in earlier]))
        commit = _commit_of(contents.get(name_of(number)))
        if commit is not None and commit.whole is not None:
            base, parts = number, {part.name: part for part in commit.whole}
            break
        since.append((number, commit))
    state = State(base, base, parts)
    for number, commit in reversed(since):
        if commit is None:
            state = State(number, base, state.parts, (*state.lost, name_of(number)))
        else:
            state = State(number, base, state.with_change(Change(commit.added, commit.removed)), state.lost)
    return state


def _commit_of(content: bytes | None) -> _Commit | None:
    """None of what cannot be read or is no commit."""
    try:
        facts = json.loads(content or b"")
        whole = facts.get("parts")
        return _Commit(
            tuple(map(Part.from_json, facts["added"])),
            tuple(map(str, facts["removed"])),
            None if whole is None else tuple(map(Part.from_json, whole)),
        )
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return None
