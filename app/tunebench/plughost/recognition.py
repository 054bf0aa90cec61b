"""Which parser reads a file: few are asked, and the answer is that of all.

A manifest names words of which one stands in every head that the parser's `sniff` answers above 0, and the most that it
ever answers (`sdk.manifest`). Those whose signs stand there are asked; a file that begins as one before, with the same
signs in it, keeps its parser where that is as sure as before.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from pathlib import PurePath

from tunebench.core.patterns import lazy_pattern
from tunebench.plughost.parser_entry import Candidate, ParserEntry
from tunebench.sdk.line_stamps import SURE_ENOUGH
from tunebench.sdk.signs import SignFinder

ASK_ALL = "TUNEBENCH_ASK_ALL"
"""An environment variable: where it is set, every parser is asked about every file."""
_MOST_ANSWERS = 4096
_BEGINNING_BYTES = 1024
_DIGITS, _BLANKS = lazy_pattern(rb"\d+"), lazy_pattern(rb"[ \t]+")

Ask = Callable[[ParserEntry, bytes, str], Candidate | None]
AskAll = Callable[[bytes, str], list[Candidate]]
_Kind = tuple[bytes, str, frozenset[bytes]]
"""What files of one kind have alike: their first lines but for the numbers, the name's end, and the signs in them."""


class Recogniser:
    """Asks the parsers of a host, and remembers what they said. May be used from several threads.

    Args:
        parsers: those that may be used, in search order.
        ask: one of them; None where it is not sure at all.
        ask_all: all of them, the surest first.
    """

    def __init__(self, parsers: Callable[[], list[ParserEntry]], ask: Ask, ask_all: AskAll) -> None:
        self._parsers, self._ask, self._ask_all = parsers, ask, ask_all
        self._asks_all = bool(os.environ.get(ASK_ALL))
        self._last_sure = ""
        self.forget()

    def forget(self) -> None:
        """There are other parsers than before."""
        self._answers: dict[tuple[bytes, str, bool], Candidate | None] = {}
        self._usual: dict[_Kind, Candidate] = {}
        self._finder: SignFinder | None = None

    def surest_by_signs(self, text: bytes) -> Candidate | None:
        """See `PluginHost.surest_by_signs`."""
        if self._asks_all:
            return next(iter(self._ask_all(text, "")), None)
        return self._surest_by_signs((text,), "")[0]

    def surest(self, head: bytes, file_name: str, ways: Iterable[Sequence[bytes]]) -> Candidate | None:
        """See `PluginHost.surest`."""
        key = (hashlib.blake2b(head, digest_size=16).digest(), file_name, bool(ways))
        answers = self._answers
        if key in answers:
            return answers[key]
        answer = self._usual_of(head, file_name) or self._surest(iter(ways or ((head,),)), file_name)
        if len(answers) >= _MOST_ANSWERS:
            self.forget()
        self._answers[key] = answer
        return answer

    def _usual_of(self, head: bytes, file_name: str) -> Candidate | None:
        """The answer for the last file of this kind, where its parser is as sure of this one."""
        usual = None if self._asks_all else self._usual.get(self._kind_of(head, file_name))
        return usual if usual is not None and self._ask(usual.entry, head, file_name) == usual else None

    def _kind_of(self, head: bytes, file_name: str) -> _Kind:
        first = _BLANKS.sub(b" ", _DIGITS.sub(b"0", head[:_BEGINNING_BYTES]))
        return first, PurePath(file_name).suffix, self._signs_in(head)

    def _surest(self, ways: Iterator[Sequence[bytes]], file_name: str) -> Candidate | None:
        """Those whose signs stand there are asked, and all others only where none of them is sure of any reading."""
        tried: list[Sequence[bytes]] = []
        for readings in () if self._asks_all else ways:
            best, text = self._surest_by_signs(readings, file_name)
            if best is not None and best.confidence >= SURE_ENOUGH:
                self._last_sure = best.entry.id
                if not tried and text is readings[0]:
                    self._usual[self._kind_of(text, file_name)] = best
                return best
            tried.append(readings)
        for readings in chain(tried, ways):
            firsts = [candidate for text in readings for candidate in self._ask_all(text, file_name)[:1]]
            best = max(firsts, key=lambda candidate: candidate.confidence, default=None)
            if best is not None and best.confidence >= SURE_ENOUGH:
                return best
        return None

    def _surest_by_signs(self, readings: Sequence[bytes], file_name: str) -> tuple[Candidate | None, bytes]:
        """The surest, and of which reading. Who was sure of the file before is asked first: then hardly another may be
        surer."""
        asked = [(text, entry) for text in readings for entry in self._with_signs(text)]

        def promise(place: int) -> tuple[bool, bool, float]:
            entry = asked[place][1]
            return entry.id != self._last_sure, not entry.signs, -entry.at_most

        best: Candidate | None = None
        best_place = 0
        for place in sorted(range(len(asked)), key=promise):
            text, entry = asked[place]
            if best is not None and (entry.at_most, -place) < (best.confidence, -best_place):
                continue
            candidate = self._ask(entry, text, file_name)
            if candidate is not None and (
                best is None or (candidate.confidence, -place) > (best.confidence, -best_place)
            ):
                best, best_place = candidate, place
        return best, asked[best_place][0] if best else b""

    def _with_signs(self, text: bytes) -> list[ParserEntry]:
        """The parsers that may know a text, in search order."""
        there = self._signs_in(text)
        return [entry for entry in self._parsers() if not entry.signs or not there.isdisjoint(entry.signs)]

    def _signs_in(self, text: bytes) -> frozenset[bytes]:
        finder = self._finder
        if finder is None:
            finder = self._finder = SignFinder(sign for entry in self._parsers() for sign in entry.signs)
        return finder.standing_in(text)
