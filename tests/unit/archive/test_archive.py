"""The archive's folder: what is put in comes out to the bit, what is half there is not there, queries only read."""

from __future__ import annotations

import errno
import hashlib
import json
import math
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest

from tunebench.archive import storage, upkeep
from tunebench.archive.archive import MARK, Archive
from tunebench.archive.layout import ENGAGEMENTS, LAYOUT, TABLES
from tunebench.archive.log import name_of
from tunebench.archive.parts import Part, write_part
from tunebench.archive.reading import Difference
from tunebench.archive.storage import Folder
from tunebench.archive.upkeep import LOOSE, compact
from tunebench.core.errors import UserError

ODD = [0.1, 1 / 3, 5e-324, 1.7976931348623157e308, -0.0, 2.0**53 + 2, math.pi * 1e-200, None]
TEXTS = ["", "가 나", "it's", 'a "b"', "line\nbreak", "tab\tand \\ backslash", "\u202eodd\x07", None]


def rows(table: str, **columns: Sequence[object]) -> list[dict[str, object]]:
    length = max(map(len, columns.values()))
    return [
        dict.fromkeys(TABLES[table]) | {name: values[index % len(values)] for name, values in columns.items()}
        for index in range(length)
    ]


def engagement(title: str = "A", added_ns: int = 1) -> list[dict[str, object]]:
    return rows(ENGAGEMENTS, title=[title], added_ns=[added_ns], layout=[LAYOUT])


def folder_of(archive: Archive) -> Path:
    assert isinstance(archive.storage, Folder)
    return archive.storage.folder


def file_of(archive: Archive, table: str, id_: str) -> Path:
    """The file of the one part that holds only this engagement's rows of a table."""
    (part,) = [part for part in archive.log.state().of(table) if set(part.engagements) == {id_}]
    return folder_of(archive) / part.name


@pytest.fixture
def archive(tmp_path: Path) -> Archive:
    return Archive.begun(tmp_path / "archive")


def put(archive: Archive, id_: str = "aa", content: str = "1", **tables: list[dict[str, object]]) -> None:
    archive.put(id_, content, {ENGAGEMENTS: engagement(id_.upper(), int(content)), **tables})


def test_numbers_and_texts_come_out_as_they_went_in(archive: Archive) -> None:
    days = rows("days", mean=ODD, host=TEXTS, samples=[9_007_199_254_740_993, -1, None])
    put(archive, days=days)
    found = archive.ask("SELECT mean, host, samples FROM days").rows
    assert [(repr(mean), host, samples) for mean, host, samples in found] == [
        (repr(row["mean"]), row["host"], row["samples"]) for row in days
    ]
    assert archive.differences("aa", {ENGAGEMENTS: engagement("AA"), "days": days}) == []


def test_a_difference_of_one_bit_is_found(archive: Archive) -> None:
    days = rows("days", mean=[1.0, 2.0], day=["2026-11-24"])
    put(archive, days=days)
    days[1]["mean"] = math.nextafter(2.0, 3.0)
    assert archive.differences("aa", {ENGAGEMENTS: engagement("AA"), "days": days}) == [Difference("days", 1, 1)]
    twice = [*days[:1], *days[:1], *days[1:]]
    assert Difference("days", 1, 2) in archive.differences("aa", {ENGAGEMENTS: engagement("AA"), "days": twice})


def test_an_engagement_takes_the_place_of_its_former_state(archive: Archive) -> None:
    put(archive, "aa", "1", hosts=rows("hosts", host=["old", "older"]))
    put(archive, "bb", "1", hosts=rows("hosts", host=["other"]))
    put(archive, "aa", "2", hosts=rows("hosts", host=["new"]))
    assert archive.content_of("aa") == "2"
    assert archive.ask("SELECT engagement, host FROM hosts ORDER BY 1").rows == (("aa", "new"), ("bb", "other"))
    archive.drop("aa")
    assert archive.content_of("aa") is None
    assert archive.ask("SELECT host FROM hosts").rows == (("other",),)


KILLED = """
import os, sys
from pathlib import Path
from tests.unit.archive.test_archive import Archive, ENGAGEMENTS, Folder, REST, engagement, rows
left = int(sys.argv[2])
def counted(step):
    def taken(*args, **named):
        global left
        left -= 1
        if left < 0:
            os.kill(os.getpid(), 9)
        return step(*args, **named)
    return taken
for owner, name in ((Path, "replace"), (os, "link"), (Folder, "remove")):
    setattr(owner, name, counted(getattr(owner, name)))
archive = Archive.existing(sys.argv[1])
archive.put("aa", "2", {**REST, ENGAGEMENTS: engagement("new", 2), "hosts": rows("hosts", host=["new"])})
archive.compact()
"""
REST = {"causes": rows("causes", title=["Shared volume"])}


@pytest.mark.parametrize("steps", range(12))
def test_a_kill_at_any_step_leaves_what_was_there_or_what_was_put_in(archive: Archive, steps: int) -> None:
    """Every way to the disk is a step: a file taken in, a link, a removal. Four parts, a commit, four merged ones, a
    commit; the last process ends by itself."""
    archive.put("bb", "1", {**REST, ENGAGEMENTS: engagement("other", 1), "hosts": rows("hosts", host=["other"])})
    archive.put("aa", "1", {**REST, ENGAGEMENTS: engagement("old", 1), "hosts": rows("hosts", host=["old"])})
    words = [sys.executable, "-c", KILLED, str(folder_of(archive)), str(steps)]
    killed = subprocess.run(words, env={**os.environ, "PYTHONPATH": "app:."}, timeout=300, check=False)
    assert killed.returncode == (0 if steps > 9 else -9)
    titles = "SELECT engagement, title, host FROM engagements JOIN hosts USING (engagement) ORDER BY 1"
    again = Archive.existing(folder_of(archive))
    aa = ("aa", "new", "new") if steps > 4 else ("aa", "old", "old")
    assert again.ask(titles).rows == (aa, ("bb", "other", "other"))
    assert not again.unreadable()
    again.put("aa", "3", {**REST, ENGAGEMENTS: engagement("later", 3), "hosts": rows("hosts", host=["later"])})
    assert again.ask(titles).rows == (("aa", "later", "later"), ("bb", "other", "other"))


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
def test_a_query_reads_the_archive_and_nothing_else(archive: Archive, tmp_path: Path, query: str, key: str) -> None:
    (outside := tmp_path / "secret.csv").write_text("a\n1\n")
    before = sorted(folder_of(archive).rglob("*"))
    with pytest.raises(UserError, match=key):
        archive.ask(query.format(folder=folder_of(archive), outside=outside))
    assert sorted(folder_of(archive).rglob("*")) == before


def test_another_programs_reader_understands_the_files(archive: Archive) -> None:
    """The layout is open: no view of ours is needed."""
    put(archive, hosts=rows("hosts", host=["db01"], os=["linux"]))
    query = f"SELECT engagement, content, host FROM read_parquet('{folder_of(archive)}/hosts/*.parquet')"
    assert duckdb.execute(query).fetchall() == [("aa", "1", "db01")]
    commit = json.loads((folder_of(archive) / name_of(1)).read_text())
    assert {part["table"] for part in commit["added"]} == {ENGAGEMENTS, "hosts"}
    for part in commit["added"]:
        (file,) = (folder_of(archive) / part["table"]).iterdir()
        assert hashlib.sha256(file.read_bytes()).hexdigest() == part["digest"]
        assert file.name.removeprefix("part-").removesuffix(".parquet") == part["digest"][:32]


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
        Archive.existing(tmp_path)
    if mark is None:
        (tmp_path / "letter.txt").write_text("not ours")
        with pytest.raises(UserError, match="archive_not_empty"):
            Archive.begun(tmp_path)


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
def test_a_damaged_file_is_left_out_named_and_mended(archive: Archive, damage: Callable[[bytes], bytes]) -> None:
    for id_ in ("aa", "bb"):
        put(archive, id_, hosts=rows("hosts", host=[f"{id_}-{number}" for number in range(300)]))
    part = file_of(archive, "hosts", "aa")
    part.write_bytes(damage(part.read_bytes()))
    query = "SELECT DISTINCT engagement FROM hosts WHERE host <> ''"
    assert archive.ask(query).rows == (("bb",),)
    unreadable = archive.unreadable()
    assert (len(unreadable.parts), unreadable.of, unreadable.engagements) == (1, 2, ("aa",))
    again = Archive.existing(folder_of(archive))
    should = {ENGAGEMENTS: engagement("AA"), "hosts": rows("hosts", host=[f"aa-{number}" for number in range(300)])}
    assert again.differences("aa", should) == [Difference("hosts", 0, 300)]
    assert again.ask("SELECT count(*) FROM hosts WHERE engagement = 'bb'").rows == ((300,),)
    put(again, "aa", hosts=should["hosts"])
    assert not again.unreadable()
    assert again.ask(f"{query} ORDER BY 1").rows == (("aa",), ("bb",))
    assert again.differences("aa", should) == []


@pytest.mark.parametrize(
    "damage", ["another table's", "another part's", "a folder", "a pipe that nobody writes", "gone"]
)
def test_what_stands_in_the_place_of_a_part_blocks_nothing_else(archive: Archive, damage: str) -> None:
    for id_ in ("aa", "bb"):
        put(
            archive,
            id_,
            hosts=rows("hosts", host=[f"{id_}-1", "more"][: 1 + (id_ == "bb")]),
            runs=rows("runs", run=["one"]),
        )
    part = file_of(archive, "hosts", "aa")
    part.unlink()
    if damage == "a folder":
        part.mkdir()
    elif damage == "another table's":
        shutil.copy(file_of(archive, "runs", "aa"), part)
    elif damage == "another part's":
        shutil.copy(file_of(archive, "hosts", "bb"), part)
    elif damage != "gone":
        os.mkfifo(part)
    assert archive.ask("SELECT host FROM hosts ORDER BY 1").rows == (("bb-1",), ("more",))
    assert archive.unreadable().parts == (f"hosts/{part.name}",)
    put(archive, "aa", hosts=rows("hosts", host=["aa-1"]))
    assert not archive.unreadable()
    assert archive.ask("SELECT host FROM hosts ORDER BY 1").rows == (("aa-1",), ("bb-1",), ("more",))


def test_of_a_part_of_many_only_what_is_written_again_is_missed_no_more(archive: Archive) -> None:
    for id_ in ("aa", "bb", "cc"):
        put(archive, id_, hosts=rows("hosts", host=[f"{id_}-1"]))
    archive.compact()
    (part,) = [folder_of(archive) / part.name for part in archive.log.state().of("hosts")]
    part.write_bytes(part.read_bytes()[:-9])
    again = Archive.existing(folder_of(archive))
    assert again.repair() == {id_: {"hosts"} for id_ in ("aa", "bb", "cc")}
    again.mend("bb", "1", {ENGAGEMENTS: engagement("lost"), "hosts": rows("hosts", host=["bb-1"])}, {"hosts"})
    assert again.ask("SELECT title, host FROM hosts JOIN engagements USING (engagement)").rows == (("BB", "bb-1"),)
    assert set(again.lost()) == {"aa", "cc"}
    assert set(Archive.existing(folder_of(archive)).repair()) == {"aa", "cc"}


def test_a_faulty_question_is_not_taken_for_damage(archive: Archive) -> None:
    put(archive, hosts=rows("hosts", host=["db01"]))
    for query in ("SELECT nothing FROM hosts", "SELECT CAST(host AS INTEGER) FROM hosts"):
        with pytest.raises(UserError, match="archive_query_refused"):
            archive.ask(query)
    assert not archive.unreadable()


def test_drafts_and_unnamed_parts_go_a_day_after_they_were_written_by_the_stores_clock(archive: Archive) -> None:
    folder = folder_of(archive)
    named = write_part(folder, "hosts", "aa", "1", rows("hosts", host=["named"]))
    archive.enter("aa", [named])
    left = [write_part(folder, "hosts", "zz", "1", rows("hosts", host=[name])).name for name in ("old", "young")]
    drafts = [folder / ".part-old", folder / ".part-young"]
    for draft in drafts:
        draft.mkdir()
        (draft / "rows.parquet").write_bytes(b"half")
    for old in (folder / named.name, folder / left[0], drafts[0]):
        os.utime(old, (time.time() - 90_000,) * 2)
    for number in range(2, 17):  # one commit of sixteen looks
        assert all(path.exists() for path in drafts)
        put(archive, f"e{number}")
    paths = [folder / named.name, *(folder / name for name in left), *drafts]
    assert [path.exists() for path in paths] == [True, False, True, False, True]
    assert archive.ask("SELECT host FROM hosts").rows == (("named",),)


def test_every_table_is_there_before_anything_is(archive: Archive) -> None:
    answers: dict[str, Any] = {name: archive.ask(f"SELECT * FROM {name}") for name in TABLES}
    assert {name: answer.columns for name, answer in answers.items()} == {
        name: ("engagement", "content", *columns) for name, columns in TABLES.items()
    }
    assert not any(answer.rows for answer in answers.values())


# -- the log


def test_a_part_of_another_process_counts_once_it_is_entered(archive: Archive) -> None:
    part = write_part(folder_of(archive), "hosts", "aa", "7", rows("hosts", host=["db01", "db02"]))
    assert Part.from_json(json.loads(json.dumps(part.as_json()))) == part
    assert (part.rows, part.engagements) == (2, {"aa": "7"})
    assert archive.ask("SELECT * FROM hosts").rows == ()
    archive.enter("aa", [part])
    assert archive.ask("SELECT engagement, content, host FROM hosts ORDER BY host").rows == (
        ("aa", "7", "db01"),
        ("aa", "7", "db02"),
    )
    archive.commit([], [part.name])
    assert archive.ask("SELECT * FROM hosts").rows == ()


def test_columns_make_the_same_part_as_rows(archive: Archive) -> None:
    """As of a worker that has arrays: what is no number is null, a column that nobody gives too."""
    columns: dict[str, Any] = {
        "host": np.array(["db01", "가 나", None, "it's"], object),
        "day": np.array(["2026-11-24"] * 4, object),
        "samples": np.array([9_007_199_254_740_993, -1, 0, 7]),
        "mean": np.array([0.1, np.nan, 5e-324, -0.0]),
        "maximum": np.array([1.7976931348623157e308, 1 / 3, math.pi * 1e-200, 2.0**53 + 2]),
    }
    plain = {name: [None if value != value else value for value in column.tolist()] for name, column in columns.items()}
    one = write_part(folder_of(archive), "days", "aa", "1", columns)
    archive.enter("aa", [one])
    assert archive.differences("aa", {"days": rows("days", **plain)}) == []
    assert write_part(folder_of(archive), "days", "aa", "1", rows("days", **plain)) == one  # byte for byte


@pytest.mark.parametrize(
    "facts",
    [
        None,
        [],
        {},
        {"table": "nothing"},
        {"digest": "../../x"},
        {"engagements": {"aa": 1}},
        {"without": [1]},
        {"rows": "2"},
    ],
)
def test_what_describes_no_part_is_refused(facts: Any) -> None:
    good = {"table": "hosts", "digest": "0" * 64, "rows": 1, "size": 2, "engagements": {"aa": "1"}}
    assert Part.from_json(good).name == f"hosts/part-{'0' * 32}.parquet"
    with pytest.raises(ValueError, match="no part"):
        Part.from_json({**good, **facts} if isinstance(facts, dict) and facts else facts)


def test_who_is_second_reads_the_log_again(archive: Archive) -> None:
    others = [Archive.existing(folder_of(archive)) for _ in range(3)]
    for number in range(12):
        put(others[number % 3], f"e{number}", hosts=rows("hosts", host=[f"db{number}"]))
    assert sorted(path.name for path in (folder_of(archive) / "log").iterdir()) == [
        f"{n:08}.json" for n in range(1, 13)
    ]
    assert archive.ask("SELECT count(DISTINCT engagement), count(*) FROM hosts").rows == ((12, 12),)


def test_two_processes_write_a_hundred_engagements_in_turn_without_losing_one(archive: Archive) -> None:
    script = (
        "import sys; from tests.unit.archive.test_archive import *\n"
        "archive = Archive.existing(sys.argv[1])\n"
        "for n in range(50): put(archive, f'{sys.argv[2]}{n}', hosts=rows('hosts', host=[f'{sys.argv[2]}{n}']))"
    )
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", script, str(folder_of(archive)), name], env={**os.environ, "PYTHONPATH": "app:."}
        )
        for name in "ab"
    ]
    assert [writer.wait(timeout=300) for writer in writers] == [0, 0]
    expected = {f"{name}{number}" for name in "ab" for number in range(50)}
    assert {row[0] for row in archive.ask("SELECT host FROM hosts").rows} == expected
    assert set(archive.contents()) == expected and not archive.unreadable()
    assert len(archive.log.state().of("hosts")) < LOOSE  # it was compacted on the way


def test_a_reader_needs_no_more_commits_than_since_one_that_tells_all(archive: Archive) -> None:
    for number in range(70):
        archive.commit([write_part(folder_of(archive), "hosts", f"e{number}", "1", rows("hosts", host=["h"]))], [])
    for number in range(1, 60):
        commit = folder_of(archive) / name_of(number)
        if "parts" not in json.loads(commit.read_text()):
            commit.write_text("{")
    again = Archive.existing(folder_of(archive))
    assert again.ask("SELECT count(*) FROM hosts").rows == ((70,),)
    assert not again.unreadable()


@pytest.mark.parametrize("damage", [b"", b"{", b'{"added": [{}], "removed": []}', None])
def test_a_lost_commit_is_named_stops_writers_and_is_made_up_for(archive: Archive, damage: bytes | None) -> None:
    for id_ in ("aa", "bb", "cc"):
        put(archive, id_, hosts=rows("hosts", host=[f"{id_}-1"]))
    commit = folder_of(archive) / name_of(2)
    if damage is None:
        commit.unlink()
    else:
        commit.write_bytes(damage)
    again = Archive.existing(folder_of(archive))
    assert again.ask("SELECT host FROM hosts ORDER BY 1").rows == (("aa-1",), ("cc-1",))
    assert again.unreadable().commits == (name_of(2),)
    with pytest.raises(UserError, match="archive_log_damaged"):
        put(again, "dd")
    assert again.repair() == {}
    assert again.ask("SELECT host FROM hosts ORDER BY 1").rows == (("aa-1",), ("bb-1",), ("cc-1",))
    assert not again.unreadable()
    put(again, "dd")


def test_a_log_that_is_gone_is_no_empty_archive(archive: Archive) -> None:
    for id_ in ("aa", "bb"):
        put(archive, id_, hosts=rows("hosts", host=[f"{id_}-1"]))
    shutil.rmtree(folder_of(archive) / "log")
    again = Archive.existing(folder_of(archive))
    assert again.ask("SELECT host FROM hosts").rows == () and again.unreadable().commits == ("log",)
    for part in (folder_of(archive) / "engagements").iterdir():
        os.utime(part, (part.stat().st_mtime - 700,) * 2)
    with pytest.raises(UserError, match="archive_log_damaged"):  # else what is there would be swept after a day
        put(again, "cc")
    assert again.repair() == {}
    assert again.ask("SELECT host FROM hosts ORDER BY 1").rows == (("aa-1",), ("bb-1",))
    put(again, "cc", hosts=rows("hosts", host=["cc-1"]))
    assert not again.unreadable()


def test_an_index_that_is_lost_is_made_again_of_the_records(archive: Archive) -> None:
    causes = rows("causes", title=["Shared volume"], state=["confirmed"], text=["with the log writer"])
    for id_ in ("aa", "bb"):
        put(archive, id_, causes=causes, systems=rows("systems", name=["DB"], product=["Oracle 19c"]))
    archive.compact()
    before = archive.ask("SELECT * FROM words ORDER BY engagement").rows
    assert before[0][-3:] == ("shared volume confirmed with the log writer", "DB Oracle 19c", None)
    (part,) = archive.log.state().of("words")
    (folder_of(archive) / part.name).unlink()
    again = Archive.existing(folder_of(archive))
    assert again.repair() == {}
    assert again.ask("SELECT * FROM words ORDER BY engagement").rows == before


# -- compaction


def test_compaction_keeps_every_row_and_makes_one_sorted_part(archive: Archive) -> None:
    days = rows("days", mean=ODD, host=TEXTS, samples=[9_007_199_254_740_993, -1, None])
    for number in range(LOOSE - 1):
        put(archive, f"e{number % 20}", str(number), days=days)  # eleven of them a second time
    every = "SELECT * FROM days ORDER BY ALL"
    before, parts = archive.ask(every).rows, archive.log.state().of("days")
    assert len(parts) == 20
    archive.compact()
    (part,) = archive.log.state().of("days")
    assert [repr(row) for row in archive.ask(every).rows] == [repr(row) for row in before]
    assert (part.rows, len(part.engagements), part.without) == (len(before), 20, ())
    in_file = duckdb.execute(f"SELECT host FROM read_parquet('{folder_of(archive) / part.name}')").fetchall()
    assert in_file == sorted(in_file, key=lambda row: (row[0] is None, (row[0] or "").encode()))
    put(archive, "e3", "99", days=days[:1])
    (part, new) = sorted(archive.log.state().of("days"), key=lambda part: -part.rows)
    assert (part.without, new.rows) == (("e3",), 1)
    assert archive.ask("SELECT count(*) FROM days").rows == ((len(before) - len(days) + 1,),)


def test_what_is_full_is_not_written_again(archive: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    for id_ in ("aa", "bb", "cc", "dd", "ee"):
        put(archive, id_, hosts=rows("hosts", host=[f"{id_}-1"] * (1 + 200_000 * (id_ == "cc"))))
    big = file_of(archive, "hosts", "cc")
    size = file_of(archive, "hosts", "aa").stat().st_size
    monkeypatch.setattr(upkeep, "FULL_BYTES", 2 * size)
    archive.compact()
    names = {part.name: len(part.engagements) for part in archive.log.state().of("hosts")}
    assert names[f"hosts/{big.name}"] == 1 and sorted(names.values()) == [1, 1, 1, 2]  # two small ones make a full one
    assert archive.ask("SELECT count(DISTINCT engagement) FROM hosts").rows == ((5,),)


def test_a_part_that_is_damaged_is_not_compacted_into_others(archive: Archive) -> None:
    for id_ in ("aa", "bb", "cc"):
        put(archive, id_, hosts=rows("hosts", host=[f"{id_}-1"] * 50))
    part = file_of(archive, "hosts", "bb")
    content = bytearray(part.read_bytes())
    content[-30] ^= 1  # in the footer's texts: it can be read all the same
    part.write_bytes(content)
    Archive.existing(folder_of(archive)).compact()
    again = Archive.existing(folder_of(archive))
    again.reader.verify()
    assert again.unreadable().engagements == ("bb",)
    assert again.ask("SELECT DISTINCT engagement FROM hosts ORDER BY 1").rows == (("aa",), ("cc",))


def test_what_another_writer_changed_meanwhile_is_not_compacted_away(
    archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    for id_ in ("aa", "bb"):
        put(archive, id_, hosts=rows("hosts", host=[f"{id_}-1"]))
    other, merge = Archive.existing(folder_of(archive)), upkeep._merged

    def interrupted(*args: Any) -> Any:
        merged = merge(*args)
        put(other, "bb", "2", hosts=rows("hosts", host=["bb-new"]))
        monkeypatch.undo()
        return merged

    monkeypatch.setattr(upkeep, "_merged", interrupted)
    compact(archive.storage, archive.log, archive.reader, least=2)
    assert archive.ask("SELECT host FROM hosts ORDER BY 1").rows == (("aa-1",), ("bb-new",))


def test_what_is_taken_out_is_in_no_file(archive: Archive) -> None:
    for id_ in ("aa", "bb"):
        put(archive, id_, hosts=rows("hosts", host=[f"secret-of-{id_}"]))
    archive.compact()
    put(archive, "aa", "2", hosts=rows("hosts", host=["secret-of-aa, later"]))
    archive.drop("aa")
    held = b"".join(path.read_bytes() for path in folder_of(archive).rglob("*.parquet"))
    assert b"secret-of-bb" in held and b"secret-of-aa" not in held
    assert archive.ask("SELECT host FROM hosts").rows == (("secret-of-bb",),)
    assert archive.content_of("aa") is None and not archive.unreadable()


# -- what the store refuses


@pytest.mark.parametrize(("code", "key"), [(errno.ENOSPC, "archive_full"), (errno.EROFS, "archive_unwritable")])
@pytest.mark.parametrize("step", ["link", "replace"])
def test_a_store_that_refuses_leaves_the_archive_as_it_was(
    archive: Archive, monkeypatch: pytest.MonkeyPatch, step: str, code: int, key: str
) -> None:
    put(archive, "aa", "1", hosts=rows("hosts", host=["old"]))

    def refusing(*_args: object) -> None:
        raise OSError(code, os.strerror(code))

    with monkeypatch.context() as patch:
        if step == "replace":
            patch.setattr(Path, "replace", refusing)
        else:
            patch.setattr(os, "link", refusing)
            patch.setattr(storage, "_create_plainly", refusing)
        with pytest.raises(UserError, match=key):
            put(archive, "aa", "2", hosts=rows("hosts", host=["new"]))
    assert Archive.existing(folder_of(archive)).ask("SELECT host FROM hosts").rows == (("old",),)


def test_where_files_cannot_be_linked_a_commit_is_created_all_the_same(
    archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refusing(*_args: object) -> None:
        raise OSError(errno.EPERM, os.strerror(errno.EPERM))

    monkeypatch.setattr(os, "link", refusing)
    put(archive, "aa", hosts=rows("hosts", host=["db01"]))
    assert not archive.storage.create(name_of(1), b"somebody else's")
    assert Archive.existing(folder_of(archive)).ask("SELECT host FROM hosts").rows == (("db01",),)


def test_a_clock_that_is_off_is_noticed_and_decides_nothing(archive: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    put(archive, "aa", "1", hosts=rows("hosts", host=["first"]))
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now - 7200)
    put(archive, "aa", "0", hosts=rows("hosts", host=["second"]))
    assert archive.skew_s == pytest.approx(-7200, abs=60)
    assert archive.ask("SELECT host FROM hosts").rows == (("second",),)


# -- the first layout


def first_layout(folder: Path, id_: str, content: str, added_ns: int, host: str) -> None:
    """As that program wrote it: a file for each table of each engagement, the columns in front of it in its folders."""
    (folder / MARK).write_text(json.dumps({"format": "tunebench-archive", "layout": 1}))
    tables = {
        ENGAGEMENTS: f"'{id_.upper()}' AS title, {added_ns}::BIGINT AS added_ns",
        "hosts": f"'{host}' AS host, 'linux' AS os",
        "causes": "'Shared volume' AS title, 'confirmed' AS state",
    }
    for table, values in tables.items():
        nulls = ", ".join(
            f'NULL::{kind} AS "{name}"' for name, kind in TABLES[table].items() if f"AS {name}" not in values
        )
        target = folder / table / f"engagement={id_}" / f"content={content}"
        target.mkdir(parents=True)
        duckdb.execute(f"COPY (SELECT {values}, {nulls}) TO '{target / 'rows.parquet'}' (FORMAT parquet)")


def test_an_archive_of_the_first_layout_is_rewritten(tmp_path: Path) -> None:
    first_layout(tmp_path, "aa", "2", 2, "new")
    first_layout(tmp_path, "aa", "1", 1, "old")
    first_layout(tmp_path, "bb", "1", 1, "db")
    archive = Archive.existing(tmp_path)
    assert archive.rewritten == 2
    assert archive.ask("SELECT engagement, content, host FROM hosts ORDER BY 1").rows == (
        ("aa", "2", "new"),
        ("bb", "1", "db"),
    )
    assert archive.ask(
        "SELECT title, what, systems FROM words JOIN engagements USING (engagement) ORDER BY 1"
    ).rows == (("AA", "Shared volume", "linux"), ("BB", "Shared volume", "linux"))
    assert not list(tmp_path.glob("*/engagement=*"))
    assert Archive.existing(tmp_path).rewritten is None


@pytest.mark.parametrize("step", [(Folder, "replace"), (Folder, "remove"), (Folder, "create")])
def test_a_kill_while_it_is_rewritten_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: tuple[Any, str]
) -> None:
    first_layout(tmp_path, "aa", "1", 1, "db")

    def dying(*_args: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(*step, dying)
        with pytest.raises(KeyboardInterrupt):
            Archive.existing(tmp_path)
    assert Archive.existing(tmp_path).ask("SELECT host FROM hosts").rows == (("db",),)


def test_what_cannot_be_read_of_the_first_layout_goes_on_being_missed(tmp_path: Path) -> None:
    for id_ in ("aa", "bb", "cc"):
        first_layout(tmp_path, id_, "1", 1, id_)
    (tmp_path / "hosts" / "engagement=aa" / "content=1" / "rows.parquet").write_bytes(b"half")
    shutil.rmtree(tmp_path / ENGAGEMENTS / "engagement=bb")
    archive = Archive.existing(tmp_path)
    assert archive.ask("SELECT host FROM hosts ORDER BY 1").rows == (("bb",), ("cc",))
    assert archive.unreadable().engagements == ("aa",)
    assert archive.repair() == {"aa": {"hosts"}, "bb": {ENGAGEMENTS}}
