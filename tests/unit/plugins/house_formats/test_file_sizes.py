"""Distribution of file sizes: facts, and series where it was taken again."""

from __future__ import annotations

import pytest

from tunebench.sdk import ParseContext, SystemFact

ROUND = """@tunebench at 2026-11-21T0{hour}:00:00Z
@tree /oradata
@bucket 0 1 3 0
@bucket 4096 8192 {files} 1289531
@bucket 4611686018427387904 9223372036854775808 1 4611686018427387904
@total 214 1289531 {state}
"""


@pytest.fixture
def parser(load):
    return load("house_formats", "file_sizes:FileSizesParser")


def test_one_round_gives_facts_only(parser):
    running = parser(ParseContext())
    batches = [*running.feed(ROUND.format(hour=1, files=210, state="complete").encode()), *running.finish()]
    assert batches == []
    assert running.facts() == [
        SystemFact("file_sizes", "/oradata 0-1 files", "3"),
        SystemFact("file_sizes", "/oradata 0-1 bytes", "0"),
        SystemFact("file_sizes", "/oradata 4096-8192 files", "210"),
        SystemFact("file_sizes", "/oradata 4096-8192 bytes", "1289531"),
        SystemFact("file_sizes", "/oradata 4611686018427387904-9223372036854775808 files", "1"),
        SystemFact("file_sizes", "/oradata 4611686018427387904-9223372036854775808 bytes", "4611686018427387904"),
        SystemFact("file_sizes", "/oradata total files", "214"),
        SystemFact("file_sizes", "/oradata total bytes", "1289531"),
        SystemFact("file_sizes", "/oradata state", "complete"),
    ]
    assert running.ledger().lines.data == 4


def test_repeated_rounds_give_series(parser, read):
    text = ROUND.format(hour=1, files=210, state="complete") + ROUND.format(hour=2, files=250, state="truncated")
    reading = read(parser, text.encode())
    table = "file_sizes /oradata"
    attributes = {"mountpoint": "/oradata", "state": "4096-8192"}
    assert reading.values(table, "files", **attributes) == [210.0, 250.0]
    assert reading.times(table, "files", **attributes) == ["2026-11-21 01:00:00", "2026-11-21 02:00:00"]
    running = parser(ParseContext())
    list(running.feed(text.encode()))
    list(running.finish())
    assert SystemFact("file_sizes", "/oradata 4096-8192 files", "250") in running.facts()
    assert SystemFact("file_sizes", "/oradata state", "truncated") in running.facts()


def test_two_trees_without_a_repetition_are_no_series(parser):
    other = ROUND.replace("/oradata", "/redo").format(hour=1, files=5, state="complete").split("\n", 1)[1]
    running = parser(ParseContext())
    batches = [*running.feed((ROUND.format(hour=1, files=210, state="complete") + other).encode()), *running.finish()]
    assert batches == []
    assert SystemFact("file_sizes", "/redo 4096-8192 files", "5") in running.facts()


def test_without_trees_and_stamps_the_first_bucket_after_a_total_begins_a_round(parser, read):
    text = "@bucket 1 2 {0} 4\n@total {0} 4 complete\n"
    reading = read(parser, (text.format(3) + text.format(4)).encode(), interval_s=3600.0)
    assert reading.values("file_sizes", "files", state="1-2") == [3.0, 4.0]
