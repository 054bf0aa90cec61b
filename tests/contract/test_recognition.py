"""A file has the reader that it has when everybody is asked, whole and damaged: nothing is missed by its signs."""

from __future__ import annotations

import codecs
import random
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.conftest import CORPUS, ROOT
from tests.fuzz.mutations import MUTATIONS
from tunebench.capture.ingest import readings
from tunebench.capture.readings import payload_head
from tunebench.core.paths import builtin_plugins_folder
from tunebench.plughost.host import PluginHost
from tunebench.plughost.listing import Origin
from tunebench.plughost.parser_entry import HEAD_BYTES, Candidate
from tunebench.plughost.plugin_folders import SearchFolder
from tunebench.sdk.line_stamps import SURE_ENOUGH
from tunebench.sdk.signs import SignFinder

PLACES = (ROOT / "tests" / "fixtures", ROOT / "plugins", CORPUS)
STAMP = b"2026-07-20 09:00:01 "
TALK = b"Last login: Mon Jul 20 09:00:01 2026 from 10.0.0.5\n$ these are the files that you asked for\n\n"
MOST_DAMAGED_BYTES = 8192


@cache
def host() -> PluginHost:
    return PluginHost([SearchFolder(builtin_plugins_folder(), Origin.BUILTIN)])


@cache
def finder() -> SignFinder:
    return SignFinder(sign for entry in host().parsers() for sign in entry.signs)


@cache
def heads() -> tuple[tuple[Path, bytes], ...]:
    files = [path for place in PLACES for path in sorted(place.rglob("*")) if path.is_file()]
    return tuple((path, head) for path in files if path.suffix not in (".py", ".pyc") and (head := _head(path)))


def _head(path: Path) -> bytes:
    with path.open("rb") as file:
        return payload_head(file.read(HEAD_BYTES))


def _surest_of_all(head: bytes, name: str) -> tuple[str, float] | None:
    """Everybody is asked; who answers has a sign in what was asked about, and is not surer than its manifest says."""
    for texts in readings(head):
        firsts: list[Candidate] = []
        for text in texts:
            candidates = host().recognise(text, name)
            there = finder().standing_in(text[:HEAD_BYTES])
            for one in candidates:
                assert not one.entry.signs or one.entry.signs & there, (one, name, text[:2000])
                assert one.confidence <= one.entry.at_most, (one, name)
            firsts += candidates[:1]
        best = max(firsts, key=lambda one: one.confidence, default=None)
        if best is not None and best.confidence >= SURE_ENOUGH:
            return best.entry.id, best.confidence
    return None


def _surest(head: bytes, name: str) -> tuple[str, float] | None:
    best = host().surest(head, name, readings(head))
    return (best.entry.id, best.confidence) if best else None


def _damaged(data: bytes, chance: random.Random) -> Iterator[bytes]:
    lines = data.split(b"\n")
    yield b"\r\n".join(lines)
    yield STAMP + (b"\n" + STAMP).join(lines)
    yield b"\n".join(b"> " + line for line in lines)
    yield TALK + data
    yield data.decode("utf-8", "replace").encode("utf-16-le")
    yield codecs.BOM_UTF16_BE + data.decode("utf-8", "replace").encode("utf-16-be")
    yield data[: len(data) // 3]
    yield data[len(data) // 3 :]
    for mutation in chance.sample(MUTATIONS, 4):
        yield mutation(data, chance)


def test_whole_files():
    assert len(heads()) > 100
    shuffled = list(heads())
    random.Random(5).shuffle(shuffled)  # whoever was sure of the file before is asked first
    answers = [(_surest(head, path.name), _surest_of_all(head, path.name), path.name) for path, head in shuffled]
    assert [answer for answer in answers if answer[0] != answer[1]] == []


@pytest.mark.parametrize("part", range(8))
def test_damaged_files(part: int):
    for number, (path, head) in enumerate(heads()):
        if number % 8 != part:
            continue
        chance = random.Random(number)
        for damaged in _damaged(head[:MOST_DAMAGED_BYTES], chance):
            head_of_it = damaged[:HEAD_BYTES]
            if head_of_it:
                assert _surest(head_of_it, path.name) == _surest_of_all(head_of_it, path.name), path


def test_two_tools_in_one_file():
    """The signs of both stand there."""
    chance = random.Random(7)
    own = [(path, head) for path, head in heads() if path.is_relative_to(ROOT)]
    for path, head in own:
        joined = head[:8192] + b"\n" + chance.choice(own)[1][:8192]
        assert _surest(joined, path.name) == _surest_of_all(joined, path.name), path
