"""A file keeps its reader, whatever files were recognised before it."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

from tests.contract.conftest import PARSER, SAMPLE
from tests.contract.test_host import host_of
from tunebench.capture.readings import payload_head
from tunebench.plughost.host import HEAD_BYTES, PluginHost
from tunebench.sdk.line_stamps import without_line_stamps

TESTS = Path(__file__).parents[1]
FOLDERS = (TESTS / "fixtures", TESTS / "corpus", TESTS.parents[1] / "shared" / "corpus")
OTHER_DIGITS = bytes.maketrans(b"0123456789", b"0213465879")


def _readings(head: bytes) -> tuple[bytes, ...]:
    bare = without_line_stamps(head)
    return (head, bare) if bare else (head,)


def _captures() -> list[tuple[str, bytes]]:
    files = [
        path for folder in FOLDERS for path in sorted(folder.rglob("*")) if path.is_file() and path.suffix != ".py"
    ]
    heads = [(path.name, payload_head(path.read_bytes()[:HEAD_BYTES])) for path in files]
    return [(name, head) for name, head in heads if head]


def _first_of_all(host: PluginHost, readings: Sequence[bytes], name: str) -> tuple[str, float] | None:
    candidates = [one for text in readings for one in host.recognise(text, name)[:1]]
    best = max(candidates, key=lambda one: one.confidence, default=None)
    return (best.entry.id, best.confidence) if best else None


def _surest(host: PluginHost, readings: Sequence[bytes], name: str) -> tuple[str, float] | None:
    best = host.surest(readings, name)
    return (best.entry.id, best.confidence) if best else None


def test_each_file_keeps_its_reader_after_files_that_begin_alike(monkeypatch):
    captures = _captures()
    assert len(captures) > 100
    random.Random(5).shuffle(captures)
    host = PluginHost()
    for name, head in captures:  # files that differ in their numbers alone were there before
        host.surest(_readings(head.translate(OTHER_DIGITS)), name)
    asked = 0
    recognise = host.recognise

    def counted(head, name):
        nonlocal asked
        asked += 1
        return recognise(head, name)

    monkeypatch.setattr(host, "recognise", counted)
    answers = [_surest(host, _readings(head), name) for name, head in captures]
    by_itself = asked
    monkeypatch.undo()
    everybody = [_first_of_all(host, _readings(head), name) for name, head in captures]
    assert answers == everybody
    recognised = sum(answer is not None for answer in everybody)
    assert by_itself < 0.5 * recognised, "the memory was hardly used"


def test_a_parser_that_is_less_sure_than_before_has_the_others_asked(write_plugin, tmp_path):
    less = PARSER.replace("return 0.9", "return 0.4 if b'late' in head else 0.9")
    write_plugin("user/one", "test.one", "demo.one", source=less)
    write_plugin("user/two", "test.two", "demo.two", source=PARSER.replace("return 0.9", "return 0.6"))
    host = host_of(tmp_path)
    assert _surest(host, (SAMPLE,), "a.txt") == ("demo.one", 0.9)
    longer = SAMPLE * (2048 // len(SAMPLE) + 1)
    assert _surest(host, (longer,), "b.txt") == ("demo.one", 0.9)
    assert _surest(host, (longer + b"late\n",), "b.txt") == ("demo.two", 0.6)


def test_what_is_quarantined_is_not_asked_again(write_plugin, tmp_path):
    write_plugin()
    host = host_of(tmp_path)
    assert _surest(host, (SAMPLE,), "a.txt") == ("demo.demo", 0.9)
    host.quarantine("test.demo", "demo.demo", "told to")
    assert host.surest((SAMPLE,), "a.txt") is None
    host.readmit("test.demo", "demo.demo")
    assert _surest(host, (SAMPLE,), "a.txt") == ("demo.demo", 0.9)
