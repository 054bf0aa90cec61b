"""What bad input gets: one sentence, exit 3 or 4, and nothing already stored is harmed."""

from __future__ import annotations

import os
import random
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from tests.e2e.conftest import Command, iostat_capture

GOOD = iostat_capture("2026-07-19", 3, 50.0, 10.0)


def one_sentence(text: str) -> bool:
    return text.count("\n") == 1 and "Traceback" not in text and "⟨" not in text


@pytest.mark.parametrize("language", ["ko", "en"])
@pytest.mark.parametrize(
    "content",
    [
        b"",
        bytes(range(256)) * 64,
        b"\0" * 5000,
        b"Dear consultant,\nplease find the files attached.\nRegards\n" * 20,
        b"PK\x03\x04" + random.Random(1).randbytes(4000),
        b"PING db1 (10.0.0.7) 56(84) bytes of data.\n64 bytes from db1: icmp_seq=1 ttl=64 time=0.045 ms\n" * 3,
    ],
    ids=["empty", "binary", "nul", "letter", "zip", "other-tool"],
)
def test_a_file_that_is_no_capture(
    project: Path, tmp_path: Path, tunebench: Command, content: bytes, language: str
) -> None:
    path = tmp_path / "what"
    path.write_bytes(content)
    answer = tunebench("import", project, path, "--lang", language)
    assert answer.code == 3
    assert one_sentence(answer.err), answer.err
    assert tunebench("info", project, "--json").json["runs"] == []


def test_one_bad_file_among_forty_never_stops_the_rest(project: Path, tmp_path: Path, tunebench: Command) -> None:
    folder = tmp_path / "captures"
    folder.mkdir()
    for number in range(39):
        text = iostat_capture("2026-07-19", 2 + number % 5, 1.0, number + 1.0)
        (folder / f"iostat-{number:02d}.txt").write_text(text)
    (folder / "iostat-17b.txt").write_bytes(b"\x7fELF" + bytes(2000))
    answer = tunebench("import", project, folder, "--json", "--lang", "en")
    assert answer.code == 4
    states = [file["state"] for file in answer.json["files"]]
    assert (states.count("imported"), states.count("unrecognised")) == (39, 1)
    assert tunebench("check", project).code == 0


def test_a_truncated_capture_keeps_what_it_has(project: Path, tmp_path: Path, tunebench: Command) -> None:
    path = tmp_path / "iostat.txt"
    path.write_text(GOOD[: GOOD.rindex("sda") + 12])
    (file,) = tunebench("import", project, path, "--json").json["files"]
    assert file["state"] == "imported"
    lines = file["lines"]
    assert lines["total"] == lines["data"] + lines["header"] + lines["blank"] + lines["skipped"]
    assert (lines["data"], lines["skipped"]) == (5, 1)  # 3 CPU rows, 2 whole disk rows, the third cut short


def test_a_block_of_nuls_costs_only_its_own_lines(project: Path, tmp_path: Path, tunebench: Command) -> None:
    path = tmp_path / "iostat.txt"
    middle = GOOD.index("2026-07-19T09:01")
    path.write_bytes(GOOD[:middle].encode() + b"\0" * 4096 + b"\n" + GOOD[middle:].encode())
    (file,) = tunebench("import", project, path, "--json").json["files"]
    assert (file["state"], file["lines"]["data"]) == ("imported", 6)
    assert file["lines"]["skipped"] == 1


def test_a_missing_path_and_a_pipe(project: Path, tmp_path: Path, tunebench: Command) -> None:
    os.mkfifo(tmp_path / "pipe")
    for name in ("nowhere.txt", "pipe"):
        answer = tunebench("import", project, tmp_path / name, "--lang", "ko")
        assert answer.code == 3
        assert one_sentence(answer.err)


@pytest.mark.parametrize("content", [b"no database at all" * 100, b""], ids=["text", "empty"])
def test_a_tune_that_is_no_project(tmp_path: Path, tunebench: Command, content: bytes) -> None:
    path = tmp_path / "x.tune"
    path.write_bytes(content)
    for verb in ("info", "check", "series"):
        answer = tunebench(verb, path, "--lang", "en")
        assert answer.code == 3
        assert one_sentence(answer.err)
        assert "not a TuneBench project" in answer.err
    assert path.read_bytes() == content


def test_somebody_elses_database_is_left_alone(tmp_path: Path, tunebench: Command) -> None:
    path = tmp_path / "x.tune"
    with sqlite3.connect(path) as connection:
        connection.execute("create table customer(name)")
    connection.close()
    before = path.read_bytes()
    answer = tunebench("info", path, "--lang", "ko")
    assert answer.code == 3
    assert one_sentence(answer.err)
    assert path.read_bytes() == before


def test_a_project_of_a_newer_version_is_refused_unharmed(project: Path, tunebench: Command) -> None:
    with sqlite3.connect(project) as connection:
        (version,) = connection.execute("pragma user_version").fetchone()
        connection.execute(f"pragma user_version = {((version >> 16) + 1) << 16}")
    connection.close()
    answer = tunebench("info", project, "--lang", "en")
    assert answer.code == 3
    assert one_sentence(answer.err)


@pytest.mark.parametrize("language", ["ko", "en"])
def test_a_project_of_a_version_before_the_oldest_is_refused_unharmed(
    project: Path, tunebench: Command, language: str
) -> None:
    with sqlite3.connect(project) as connection:
        connection.execute(f"pragma user_version = {1 << 16 | 6}")
    connection.close()
    before = project.read_bytes()
    for verb in ("info", "check"):
        answer = tunebench(verb, project, "--lang", language)
        assert answer.code == 3
        assert one_sentence(answer.err)
        assert "1.6" in answer.err and "1.7" in answer.err
    assert project.read_bytes() == before
    assert sorted(path.name for path in project.parent.glob(f"{project.name}*")) == [project.name]


def test_a_project_that_exists_is_not_overwritten(project: Path, tunebench: Command) -> None:
    before = project.read_bytes()
    answer = tunebench("new", project, "--customer", "other", "--lang", "ko")
    assert answer.code == 3
    assert one_sentence(answer.err)
    assert project.read_bytes() == before


def test_an_unknown_zone_run_and_series(project: Path, tmp_path: Path, tunebench: Command) -> None:
    path = tmp_path / "iostat.txt"
    path.write_text(GOOD)
    for words in (
        ("import", project, path, "--tz", "Mars/Olympus"),
        ("compare", project, "--before", "x", "--after", "y"),
        ("data", project, "--series", "99", "--format", "csv"),
        ("data", project, "--series", "1", "--format", "parquet"),
    ):
        answer = tunebench(*words, "--lang", "en")
        assert answer.code == 3, words
        assert one_sentence(answer.err), answer.err


@pytest.fixture
def small_disk(tmp_path: Path):  # type: ignore[no-untyped-def]
    """A file system of 1.8 MB: twice a new project, and some captures."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=1800k", "tmpfs", str(folder)], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("needs the right to mount a tmpfs")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def test_a_new_project_that_finds_no_room_is_refused_and_leaves_nothing(small_disk: Path, tunebench: Command) -> None:
    ballast = small_disk / "ballast"
    ballast.write_bytes(bytes(1_000_000))
    answer = tunebench("new", small_disk / "acme.tune", "--customer", "ACME", "--lang", "en")
    assert answer.code == 3
    assert "full" in answer.err
    assert list(small_disk.iterdir()) == [ballast]


def test_a_full_disk_refuses_and_harms_nothing(small_disk: Path, tmp_path: Path, tunebench: Command) -> None:
    project = small_disk / "acme.tune"
    assert tunebench("new", project, "--customer", "ACME").code == 0
    good = tmp_path / "iostat.txt"
    good.write_text(GOOD)
    assert tunebench("import", project, good, "--run", "good").code == 0
    noise = random.Random(7)
    big = tmp_path / "big.txt"
    header, block = GOOD[: GOOD.index("2026")], ""
    text = [header]
    for minute in range(20000):
        block = "\n".join(
            (
                f"2026-07-{1 + minute // 1440:02d}T{minute // 60 % 24:02d}:{minute % 60:02d}:00+0900",
                "Device            r/s     rkB/s   await  %util",
                *(
                    f"sd{d:<14} {noise.random() * 1000:8.2f} {noise.random() * 9999:9.2f} {noise.random():7.2f} 10.00"
                    for d in "abcdef"
                ),
                "",
                "",
            )
        )
        text.append(block)
    big.write_text("".join(text))
    answer = tunebench("import", project, big, "--run", "big", "--lang", "en")
    assert answer.code == 3, answer.err
    assert one_sentence(answer.err), answer.err
    found = tunebench("info", project, "--json")
    assert found.code == 0, found.err
    assert found.json["runs"][0]["artefacts"][0]["lines"]["data"] == 6
    assert tunebench("check", project).code == 0


@pytest.fixture
def read_only_disk(tmp_path: Path, project: Path):  # type: ignore[no-untyped-def]
    folder = tmp_path / "cd"
    folder.mkdir()
    source = tmp_path / "source"
    source.mkdir()
    (source / "acme.tune").write_bytes(project.read_bytes())
    steps = (["mount", "--bind", str(source), str(folder)], ["mount", "-o", "remount,ro,bind", str(folder)])
    if any(subprocess.run(step, capture_output=True, check=False).returncode for step in steps):
        pytest.skip("needs the right to mount read-only")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def test_a_project_on_a_read_only_disk_opens_to_look_at(
    read_only_disk: Path, tmp_path: Path, tunebench: Command
) -> None:
    project = read_only_disk / "acme.tune"
    assert tunebench("info", project, "--json").json["engagement"]["customer"] == "ACME"
    good = tmp_path / "iostat.txt"
    good.write_text(GOOD)
    answer = tunebench("import", project, good, "--lang", "en")
    assert answer.code == 3
    assert one_sentence(answer.err)
    assert tunebench("new", read_only_disk / "other.tune", "--customer", "x", "--lang", "ko").code == 3


def test_a_capture_that_grows_while_it_is_read(project: Path, tmp_path: Path, tunebench: Command) -> None:
    """A writer appends all the time, as a running iostat does; what was read is stored, and said so."""
    path = tmp_path / "iostat.txt"
    path.write_text(GOOD)
    code = (
        "import sys, time\nend = time.time() + 20\nwhile time.time() < end:\n    open(sys.argv[1], 'a').write('x\\n')\n"
    )
    with subprocess.Popen([sys.executable, "-c", code, str(path)]) as writer:
        try:
            size = path.stat().st_size
            while path.stat().st_size == size:
                pass
            answer = tunebench("import", project, path, "--json", "--lang", "en")
        finally:
            writer.kill()
    assert answer.code == 4
    (file,) = answer.json["files"]
    assert file["state"] == "imported"
    assert "changed_while_read" in file["warnings"]
    assert tunebench("check", project).code == 0


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("UPDATE artefact SET ledger = '{'", "artefact"),
        ("UPDATE engagement SET zone = '../..'", "zone"),
        ("UPDATE engagement SET title = x'00ff'", "engagement.title"),
        ("UPDATE engagement SET title = CAST(x'ff41' AS TEXT)", "UTF-8"),
        ("DROP TABLE note", "note.author"),
    ],
)
def test_a_damaged_project_is_no_bug(
    project: Path, tmp_path: Path, tunebench: Command, statement: str, words: str
) -> None:
    path = tmp_path / "iostat.txt"
    path.write_text(GOOD)
    assert tunebench("import", project, path).code == 0
    with closing(sqlite3.connect(project)) as connection, connection:
        connection.execute(statement)
    verbs = (["info"], ["series"], ["report", "--pdf", tmp_path / "case.pdf"])
    answers = [tunebench(verb[0], project, *verb[1:], "--lang", "en") for verb in verbs]
    refused = [answer for answer in answers if answer.code]  # a series is listed whatever the title is
    assert refused
    for answer in refused:
        assert answer.code == 3
        assert one_sentence(answer.err), answer.err
        assert "damaged" in answer.err and words in answer.err


def test_a_bug_is_called_a_bug(project: Path, tunebench: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tunebench.usecases.projects.overview", lambda _project: 1 / 0)
    answer = tunebench("info", project, "--lang", "en")
    assert answer.code == 1
    assert "bug" in answer.err


def test_who_holds_a_project_is_said_with_the_way_to_take_it_over(
    project: Path, tmp_path: Path, tunebench: Command
) -> None:
    path = tmp_path / "iostat.txt"
    path.write_text(GOOD)
    lock = project.with_name(f"{project.name}.lock")
    lock.write_text('{"user": "lee", "host": "laptop-of-lee", "pid": 1, "since": "2026-01-02T03:04:05+00:00"}')
    refused = tunebench("import", project, path, "--lang", "en")
    assert refused.code == 3
    assert "lee has been working in it on laptop-of-lee" in refused.err
    assert "--take-over laptop-of-lee" in refused.err
    assert tunebench("check", project, "--take-over", "laptop-of-kim").code == 3
    assert tunebench("check", project, "--take-over", "laptop-of-lee").code == 0
    assert not lock.exists()
    assert tunebench("import", project, path).code == 0
