"""The archive's folder: what is put in comes out to the bit, what is half there is not there, queries only read."""

from __future__ import annotations

import json
import math
import os
import shutil
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tunebench.archive.layout import ENGAGEMENTS, LAYOUT, TABLES
from tunebench.archive.place import MARK, Difference, Place
from tunebench.core.errors import UserError

ODD = [0.1, 1 / 3, 5e-324, 1.7976931348623157e308, -0.0, 2.0**53 + 2, math.pi * 1e-200, None]
TEXTS = ["", "가 나", "it's", 'a "b"', "line\nbreak", "tab\tand \\ backslash", "\u202eodd\x07", None]


def rows(table: str, **columns: Sequence[object]) -> list[dict[str, object]]:
    length = max(map(len, columns.values()))
    return [
        dict.fromkeys(TABLES[table]) | {name: told[place % len(told)] for name, told in columns.items()}
        for place in range(length)
    ]


def engagement(title: str = "A", added_ns: int = 1) -> list[dict[str, object]]:
    return rows(ENGAGEMENTS, title=[title], added_ns=[added_ns], layout=[LAYOUT])


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place.made(tmp_path / "archive")


def put(place: Place, id_: str = "aa", content: str = "1", **tables: list[dict[str, object]]) -> None:
    place.put(id_, content, {ENGAGEMENTS: engagement(id_.upper(), int(content)), **tables})


def test_numbers_and_texts_come_out_as_they_went_in(place: Place) -> None:
    days = rows("days", mean=ODD, host=TEXTS, samples=[9_007_199_254_740_993, -1, None])
    put(place, days=days)
    found = place.ask("SELECT mean, host, samples FROM days").rows
    assert [(repr(mean), host, samples) for mean, host, samples in found] == [
        (repr(row["mean"]), row["host"], row["samples"]) for row in days
    ]
    assert place.differences("aa", {ENGAGEMENTS: engagement("AA"), "days": days}) == []


def test_a_difference_of_one_bit_is_found(place: Place) -> None:
    days = rows("days", mean=[1.0, 2.0], day=["2026-11-24"])
    put(place, days=days)
    days[1]["mean"] = math.nextafter(2.0, 3.0)
    assert place.differences("aa", {ENGAGEMENTS: engagement("AA"), "days": days}) == [Difference("days", 1, 1)]
    twice = [*days[:1], *days[:1], *days[1:]]
    assert Difference("days", 1, 2) in place.differences("aa", {ENGAGEMENTS: engagement("AA"), "days": twice})


def test_an_engagement_takes_the_place_of_its_former_state(place: Place) -> None:
    put(place, "aa", "1", hosts=rows("hosts", host=["old", "older"]))
    put(place, "bb", "1", hosts=rows("hosts", host=["other"]))
    put(place, "aa", "2", hosts=rows("hosts", host=["new"]))
    assert place.content_of("aa") == "2"
    assert place.ask("SELECT engagement, host FROM hosts ORDER BY 1").rows == (("aa", "new"), ("bb", "other"))
    assert len(list(place.folder.glob("*/engagement=aa/*"))) == 2  # the former state's files are gone
    place.drop("aa")
    assert place.content_of("aa") is None
    assert place.ask("SELECT host FROM hosts").rows == (("other",),)


@pytest.mark.parametrize("killed_after", range(len(TABLES)))
def test_a_half_written_engagement_leaves_what_was_there(
    place: Place, monkeypatch: pytest.MonkeyPatch, killed_after: int
) -> None:
    """A kill after any number of files: the former state answers, or the new one, never a mixture."""
    every = {name: rows(name, **{next(iter(columns)): [None]}) for name, columns in TABLES.items()}
    place.put("aa", "1", {**every, ENGAGEMENTS: engagement("old", 1), "hosts": rows("hosts", host=["old"])})
    moved, replace = 0, Path.replace

    def dying(self: Path, target: Path) -> Path:
        nonlocal moved
        if moved == killed_after:
            raise KeyboardInterrupt
        moved += 1
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", dying)
    with pytest.raises(KeyboardInterrupt):
        place.put("aa", "2", {**every, ENGAGEMENTS: engagement("new", 2), "hosts": rows("hosts", host=["new"])})
    monkeypatch.undo()
    assert place.ask("SELECT title, host FROM engagements JOIN hosts USING (engagement)").rows == (("old", "old"),)
    place.put("aa", "2", {**every, ENGAGEMENTS: engagement("new", 2), "hosts": rows("hosts", host=["new"])})
    assert place.ask("SELECT title, host FROM engagements JOIN hosts USING (engagement)").rows == (("new", "new"),)


def test_what_stays_of_a_former_state_does_not_count(place: Place, tmp_path: Path) -> None:
    put(place, "aa", "1", hosts=rows("hosts", host=["old"]))
    shutil.copytree(place.folder, kept := tmp_path / "kept")
    put(place, "aa", "2", hosts=rows("hosts", host=["new"]))
    shutil.copytree(kept, place.folder, dirs_exist_ok=True)  # as if removing it had been interrupted
    assert place.content_of("aa") == "2"
    assert place.ask("SELECT host FROM hosts").rows == (("new",),)


@pytest.mark.parametrize(
    ("query", "key"),
    [
        ("SELECT 1; SELECT 2", "archive_query_reads_only"),
        ("", "archive_query_reads_only"),
        ("COPY hosts TO '{folder}/out.csv'", "archive_query_reads_only"),
        ("DROP VIEW hosts", "archive_query_reads_only"),
        ("SET enable_external_access = true", "archive_query_reads_only"),
        ("SELECT * FROM read_text('{outside}')", "archive_query_refused"),
        ("SELECT * FROM '{outside}'", "archive_query_refused"),
        ("SELECT nothing FROM hosts", "archive_query_refused"),
        ("SELEC", "archive_query_refused"),
    ],
)
def test_a_query_reads_the_archive_and_nothing_else(place: Place, tmp_path: Path, query: str, key: str) -> None:
    (outside := tmp_path / "secret.csv").write_text("a\n1\n")
    before = sorted(place.folder.rglob("*"))
    with pytest.raises(UserError, match=key):
        place.ask(query.format(folder=place.folder, outside=outside))
    assert sorted(place.folder.rglob("*")) == before


def test_another_programs_reader_understands_the_files(place: Place) -> None:
    """The layout is open: no view of ours is needed."""
    put(place, hosts=rows("hosts", host=["db01"], os=["linux"]))
    query = f"SELECT engagement, host FROM read_parquet('{place.folder}/hosts/*/*/*.parquet', hive_partitioning = true)"
    assert duckdb.execute(query).fetchall() == [("aa", "db01")]


@pytest.mark.parametrize(
    ("mark", "key"),
    [
        (None, "archive_missing"),
        ("{", "archive_damaged"),
        ("[]", "archive_damaged"),
        ('{"format": "other", "layout": 1}', "archive_damaged"),
        (json.dumps({"format": "tunebench-archive", "layout": LAYOUT + 1}), "archive_newer"),
    ],
)
def test_what_is_no_archive_is_refused(tmp_path: Path, mark: str | None, key: str) -> None:
    if mark is not None:
        (tmp_path / MARK).write_text(mark)
    with pytest.raises(UserError, match=key):
        Place.existing(tmp_path)
    if mark is None:
        (tmp_path / "letter.txt").write_text("not ours")
        with pytest.raises(UserError, match="archive_not_empty"):
            Place.made(tmp_path)


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data[: len(data) // 2],  # half written
        lambda data: data[:-40],
        lambda data: b"",
        lambda data: b"no Parquet at all " * 9,
        lambda data: data[:12] + bytes(60) + data[72:],  # the pages, not the footer
    ],
)
def test_a_damaged_file_is_left_out_named_and_mended(place: Place, damage: Callable[[bytes], bytes]) -> None:
    for id_ in ("aa", "bb"):
        put(place, id_, hosts=rows("hosts", host=[f"{id_}-{number}" for number in range(300)]))
    (part,) = place.folder.glob("hosts/engagement=aa/*/*.parquet")
    part.write_bytes(damage(part.read_bytes()))
    query = "SELECT DISTINCT engagement FROM hosts WHERE host <> ''"
    assert place.ask(query).rows == (("bb",),)
    assert place.damaged == (part,)
    again = Place.existing(place.folder)
    should = {ENGAGEMENTS: engagement("AA"), "hosts": rows("hosts", host=[f"aa-{number}" for number in range(300)])}
    assert again.differences("aa", should) == [Difference("hosts", 0, 300)]
    assert again.ask("SELECT count(*) FROM hosts WHERE engagement = 'bb'").rows == ((300,),)
    put(again, "aa", hosts=should["hosts"])
    assert again.damaged == ()
    assert again.ask(f"{query} ORDER BY 1").rows == (("aa",), ("bb",))
    assert again.differences("aa", should) == []


@pytest.mark.parametrize("damage", ["another table's", "a folder", "a pipe that nobody writes"])
def test_what_stands_in_the_place_of_a_file_blocks_nothing_else(place: Place, damage: str) -> None:
    for id_ in ("aa", "bb"):
        put(place, id_, hosts=rows("hosts", host=[f"{id_}-1"]), runs=rows("runs", label=["one"]))
    (part,) = place.folder.glob("hosts/engagement=aa/*/*.parquet")
    part.unlink()
    if damage == "a folder":
        part.mkdir()
    elif damage == "another table's":
        shutil.copy(next(place.folder.glob("runs/engagement=aa/*/*.parquet")), part)
    else:
        os.mkfifo(part)
    assert place.ask("SELECT host FROM hosts").rows == (("bb-1",),)
    assert place.damaged == (part,)
    put(place, "aa", hosts=rows("hosts", host=["aa-1"]))
    assert not place.damaged
    assert place.ask("SELECT host FROM hosts ORDER BY 1").rows == (("aa-1",), ("bb-1",))


def test_rows_whose_entry_is_gone_are_named_and_not_passed_over(place: Place) -> None:
    for id_ in ("aa", "bb"):
        put(place, id_, hosts=rows("hosts", host=[f"{id_}-1"]))
    entry = place.folder / ENGAGEMENTS / "engagement=aa"
    shutil.rmtree(entry)
    assert place.ask("SELECT host FROM hosts").rows == (("bb-1",),)
    assert place.damaged == (entry,)
    put(place, "aa", hosts=rows("hosts", host=["aa-1"]))
    assert not place.damaged


def test_a_faulty_question_is_not_taken_for_damage(place: Place) -> None:
    put(place, hosts=rows("hosts", host=["db01"]))
    for query in ("SELECT nothing FROM hosts", "SELECT CAST(host AS INTEGER) FROM hosts"):
        with pytest.raises(UserError, match="archive_query_refused"):
            place.ask(query)
    assert place.damaged == ()


def test_drafts_of_killed_writers_go_after_a_day(place: Place) -> None:
    old, new = place.folder / ".part-old", place.folder / ".part-new"
    for draft in (old, new):
        draft.mkdir()
        (draft / "rows.parquet").write_bytes(b"half")
    os.utime(old, (time.time() - 90_000,) * 2)
    put(place)
    assert (old.exists(), new.exists()) == (False, True)


def test_every_table_is_there_before_anything_is(place: Place) -> None:
    found: dict[str, Any] = {name: place.ask(f"SELECT * FROM {name}") for name in TABLES}
    assert {name: answer.columns for name, answer in found.items()} == {
        name: ("engagement", "content", *columns) for name, columns in TABLES.items()
    }
    assert not any(answer.rows for answer in found.values())
