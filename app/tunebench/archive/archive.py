"""An archive: engagements put in, taken out, compared with what they should be, and asked.

DuckDB reads and writes inside of the archive alone: no query of a user and no file of the archive reaches another one.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from pathlib import Path

from tunebench.archive import older, repairing, upkeep
from tunebench.archive.addresses import storage_at
from tunebench.archive.layout import ENGAGEMENTS, LAYOUT, WORDS
from tunebench.archive.log import Change, Log, State
from tunebench.archive.parts import Part, Tables, write_parts
from tunebench.archive.reading import Answer, Difference, Reader, Unreadable
from tunebench.archive.searching import words_of
from tunebench.archive.storage import TEMPORARY, Storage
from tunebench.core.errors import UserError
from tunebench.core.grouping import by_key

MARK = "archive.json"
_FORMAT = "tunebench-archive"
_SWEPT_EVERY = 16
"""Commits after which one looks for what was left lying: that looks at every file."""
_MARK_OF = {"format": _FORMAT, "layout": LAYOUT}


class Archive:
    """Several may put engagements in at a time, on several machines: who is second reads the log again.

    Attributes:
        rewritten: engagements of an archive of the first layout, where opening it has rewritten it; else None.
        skew_s: how far this computer's clock was ahead of the store's when something was written; 0 before.
    """

    def __init__(self, storage: Storage, rewritten: int | None = None) -> None:
        self.storage = storage
        self.log = Log(storage)
        self.reader = Reader(storage, self.log)
        self.rewritten = rewritten
        self.skew_s = 0.0

    @classmethod
    def existing(cls, address: str | Path) -> Archive:
        """
        Raises:
            UserError: archive_missing, archive_damaged; archive_newer where another version wrote it; as `storage_at`.
        """
        storage = storage_at(address)
        try:
            mark = json.loads(storage.read(MARK))
        except FileNotFoundError:
            raise UserError("archive_missing", path=storage.address) from None
        except (OSError, ValueError, RecursionError):
            raise UserError("archive_damaged", path=storage.location(MARK)) from None
        layout = mark.get("layout") if isinstance(mark, dict) and mark.get("format") == _FORMAT else None
        if not isinstance(layout, int):
            raise UserError("archive_damaged", path=storage.location(MARK))
        if layout > LAYOUT:
            raise UserError("archive_newer", path=storage.address, layout=layout, known=LAYOUT)
        if layout == LAYOUT:
            return cls(storage)
        rewritten = older.rewrite(storage)
        storage.replace(MARK, _mark())
        older.remove_files(storage)
        return cls(storage, rewritten)

    @classmethod
    def begun(cls, address: str | Path) -> Archive:
        """The archive at that address, begun where nothing is there.

        Raises:
            UserError: as `existing`; archive_not_empty.
        """
        storage = storage_at(address)
        entries = [name for name in storage.entries("") if not name.startswith(TEMPORARY)]
        if MARK not in entries:
            if entries:
                raise UserError("archive_not_empty", path=storage.address)
            storage.create(MARK, _mark())
        return cls.existing(address)

    # -- writing

    def put(self, engagement: str, content: str, tables: Tables) -> None:
        """Puts an engagement in the place of what is there of it. A kill leaves what was there."""
        self.enter(engagement, write_parts(self.storage, engagement, content, tables))

    def enter(self, engagement: str, parts: Sequence[Part]) -> None:
        """Lets parts count that `write_part` gave, in the place of everything that is there of their engagement."""
        self.reader.trust(parts)
        self._commit(lambda state: upkeep.replacing(state, [engagement], parts))

    def mend(self, engagement: str, content: str, tables: Tables, damaged: Container[str]) -> None:
        """Writes those tables of an engagement again that are `damaged`; its others stay."""
        parts = write_parts(self.storage, engagement, content, tables, damaged)
        self.reader.trust(parts)
        self._commit(lambda state: upkeep.replacing(state, [engagement], parts, damaged))

    def commit(self, added: Sequence[Part], removed: Iterable[str]) -> None:
        """Lets parts count, and others, by name, count no more."""
        gone = set(removed)
        self._commit(lambda state: Change(added, gone & state.parts.keys()))

    def drop(self, engagement: str) -> None:
        """Takes an engagement out, and its rows out of every file."""
        upkeep.erase(self.storage, self.log, self.reader, engagement)

    def compact(self) -> int:
        """Makes one part of all of a table; gives how many were left out by that."""
        before = len(self.log.state().parts)
        upkeep.compact(self.storage, self.log, self.reader, least=2)
        upkeep.sweep(self.storage, self.log)
        return before - len(self.log.state().parts)

    def repair(self) -> Mapping[str, frozenset[str]]:
        """Reads everything and gives back what the archive itself can: lost commits, the index of words. What is still
        lost after that: the tables of each engagement that have to be written again from its project."""
        repairing.recover(self.storage, self.log, self.reader)
        self.reader.verify()
        repairing.index_again(self.storage, self.log, self.reader)
        return self.lost()

    def lost(self) -> Mapping[str, frozenset[str]]:
        """Tables of engagements that were noticed to have rows in parts that cannot be read."""
        bad = [part for name, part in self.log.state().parts.items() if name in self.reader.bad]
        tables = by_key((engagement, part.table) for part in bad for engagement in part.engagements)
        return {engagement: frozenset(names) for engagement, names in tables.items()}

    def _commit(self, change_of: Callable[[State], Change]) -> None:
        number = self.log.commit(change_of).number
        self.skew_s = upkeep.skew_s(self.storage, self.log)
        upkeep.compact(self.storage, self.log, self.reader)
        if number % _SWEPT_EVERY == 0:
            upkeep.sweep(self.storage, self.log)

    # -- asking

    def content_of(self, engagement: str) -> str | None:
        """Digest of the engagement's content; None where the archive has none of it."""
        return self.contents().get(engagement)

    def contents(self) -> Mapping[str, str]:
        """Digests of the contents of all engagements, those in parts that cannot be read too."""
        return {key: value for part in self.log.state().of(ENGAGEMENTS) for key, value in part.engagements.items()}

    def ask(self, query: str, values: Sequence[object] | Mapping[str, object] = ()) -> Answer:
        """The answer to one SELECT over the tables, without the parts that are `unreadable`.

        Raises:
            UserError: archive_query_refused with DuckDB's own words; archive_query_reads_only.
        """
        return self.reader.ask(query, values)

    def unreadable(self) -> Unreadable:
        return self.reader.unreadable()

    def differences(self, engagement: str, tables: Tables) -> list[Difference]:
        """What the archive has of an engagement, row by row and bit by bit, against what it should have."""
        return self.reader.differences(engagement, {**tables, WORDS: words_of(tables)})


def _mark() -> bytes:
    return json.dumps(_MARK_OF).encode() + b"\n"
