"""Engagements put into an archive, proven, asked and taken out, on the command line."""

from __future__ import annotations

from pathlib import Path
from statistics import fmean

import duckdb
import pytest

from tests.e2e.conftest import Command, iostat_capture
from tunebench.archive.archive import Archive
from tunebench.archive.parts import write_part

ASKED = ("--consent", "Lee, customer, 2026-11-20")


def engagement(tunebench: Command, folder: Path, name: str, user: float) -> Path:
    """Half an hour of one day before and one after, every figure known."""
    path = folder / f"{name}.tune"
    assert tunebench("new", path, "--customer", name, "--title", f"{name} tuning", "--zone", "Asia/Seoul").code == 0
    for run, day, level in (("before", "2026-11-16", user), ("after", "2026-11-17", user / 2)):
        (text := folder / f"{name}-{run}.txt").write_text(iostat_capture(day, 30, level, 100))
        assert tunebench("import", path, text, "--run", run, "--phase", run).code == 0
    return path


@pytest.fixture
def two(tunebench: Command, tmp_path: Path) -> tuple[Path, Path, Path]:
    """The archive's place, with both engagements in it."""
    place = tmp_path / "archive"
    acme, bolt = engagement(tunebench, tmp_path, "Acme", 40), engagement(tunebench, tmp_path, "Bolt", 20)
    answer = tunebench("archive", place, "add", acme, bolt, *ASKED, "--json")
    assert answer.code == 0, answer.err
    assert [row["title"] for row in answer.json] == ["Acme tuning", "Bolt tuning"]
    return place, acme, bolt


def test_what_is_there_is_what_the_projects_say(tunebench: Command, two: tuple[Path, Path, Path]) -> None:
    place, acme, bolt = two
    assert tunebench("archive", place, "check", acme, bolt).code == 0
    again = tunebench("archive", place, "add", acme, bolt, *ASKED, "--json")
    assert [row["rows"] for row in again.json] == [None, None]  # nothing to do
    days = tunebench("archive", place, "trend", "--host", "db0*", "--series", "%user", "--json").json
    told = {(row["title"], row["day"]): (row["samples"], row["mean"]) for row in days}
    assert told == {
        (f"{name} tuning", day): (
            29,
            pytest.approx(fmean(level + minute for minute in range(1, 30))),
        )  # the first block is since boot
        for name, user in (("Acme", 40), ("Bolt", 20))
        for day, level in (("2026-11-16", user), ("2026-11-17", user / 2))
    }
    compared = tunebench("archive", place, "compare", "--series", "%user", "--json").json
    own = tunebench("compare", acme, "--before", "before", "--after", "after", "--json").json
    (row,) = [row for row in own["series"] if row["native"] == "%user"]
    assert (compared[0]["verdict"], compared[0]["ratio"]) == (row["verdict"], row["ratio"])


def test_a_figure_that_was_changed_is_found(tunebench: Command, two: tuple[Path, Path, Path]) -> None:
    place, acme, bolt = two
    archive = Archive.existing(place)
    for part in archive.log.state().of("days"):
        query = f"SELECT * EXCLUDE (engagement, content) REPLACE (mean * 1.0000000000000002 AS mean) FROM '{place / part.name}'"
        answer = duckdb.execute(query)
        names = [column[0] for column in answer.description]
        rows = [dict(zip(names, row, strict=True)) for row in answer.fetchall()]
        (engagement, content), *_others = part.engagements.items()
        archive.commit(
            [write_part(place, "days", engagement, content, rows)], [part.name]
        )  # as if it had always been so
    checked = tunebench("archive", place, "check", acme, bolt, "--json")
    assert checked.code == 3
    assert all([row["table"] for row in file["differences"]] == ["days"] for file in checked.json)


def test_a_project_that_went_on_is_put_in_again(
    tunebench: Command, two: tuple[Path, Path, Path], tmp_path: Path
) -> None:
    place, acme, _bolt = two
    (text := tmp_path / "later.txt").write_text(iostat_capture("2026-11-18", 30, 10, 100))
    assert tunebench("import", acme, text, "--run", "later", "--phase", "other").code == 0
    assert tunebench("archive", place, "check", acme).code == 3
    assert tunebench("archive", place, "add", acme, *ASKED).code == 0
    assert tunebench("archive", place, "check", acme).code == 0
    runs = tunebench("archive", place, "sql", "SELECT count(DISTINCT run) AS n FROM series JOIN engagements USING (engagement)"
                     " WHERE title = 'Acme tuning'", "--json")  # fmt: skip
    assert runs.json == [{"n": 3}]


def test_an_engagement_is_taken_out_for_good(tunebench: Command, two: tuple[Path, Path, Path]) -> None:
    place, acme, _bolt = two
    listed = tunebench("archive", place, "find", "--json").json
    (gone,) = [row["engagement"] for row in listed if row["customer"] == "Acme"]
    assert tunebench("archive", place, "remove", gone[:6]).code == 0
    assert not any(b"Acme" in file.read_bytes() for file in place.rglob("*.parquet"))
    assert tunebench("archive", place, "check", acme).code == 3
    assert tunebench("archive", place, "remove", gone).code == 3


def test_names_stay_on_site_where_it_is_redacted(tunebench: Command, tmp_path: Path) -> None:
    acme, place = engagement(tunebench, tmp_path, "Acme", 40), tmp_path / "archive"
    (secret := tmp_path / "words").write_text("a long enough passphrase\n")
    redacted = ("--redact", "strict", "--names-passphrase-file", secret)
    assert tunebench("archive", place, "add", acme, *ASKED, *redacted).code == 0
    assert tunebench("archive", place, "check", acme, *redacted).code == 0
    shown = tunebench("archive", place, "sql", "SELECT * FROM engagements, hosts, evidence, series", "--json").out
    assert "%user" in shown and not any(name in shown for name in ("Acme", "db01"))


def test_what_is_lost_is_named_and_put_in_again(tunebench: Command, two: tuple[Path, Path, Path]) -> None:
    place, acme, bolt = two
    days = sorted(place.glob("days/*.parquet"))
    assert len(days) == 2
    days[0].write_bytes(days[0].read_bytes()[:100])  # half written
    (lost, _other) = place.glob("series/*.parquet")
    lost.unlink()
    trend = tunebench("archive", place, "trend", "--host", "db0*", "--series", "%user", "--lang", "en")
    assert (trend.code, "1 of 4 parts unreadable" in trend.err, "concerned: 1" in trend.err) == (4, True, True), (
        trend.err
    )
    assert ("Acme tuning" in trend.out) is not ("Bolt tuning" in trend.out)  # the other engagement answers
    assert tunebench("archive", place, "find", "cpu").code == 0  # what needs neither is whole
    named = tunebench("archive", place, "check", "--json")
    assert (named.code, sorted(named.json["parts"])) == (
        4,
        sorted(f"{path.parent.name}/{path.name}" for path in (days[0], lost)),
    )
    checked = tunebench("archive", place, "check", acme, bolt, "--lang", "en")
    assert checked.code == 3 and "bug" not in checked.err
    again = tunebench("archive", place, "add", acme, bolt, *ASKED, "--json")
    assert again.code == 0 and any(row["rows"] for row in again.json)
    assert tunebench("archive", place, "check", acme, bolt).code == 0
    assert tunebench("archive", place, "check").code == 0


def test_a_repair_takes_projects_of_the_same_content_and_names_the_rest(
    tunebench: Command, two: tuple[Path, Path, Path]
) -> None:
    place, acme, bolt = two
    assert tunebench("archive", place, "compact", "--json").json["fewer"] > 5
    archive = Archive.existing(place)
    for table in ("days", "words"):
        for part in archive.log.state().of(table):
            (place / part.name).write_bytes(b"PAR1")
    first = tunebench("archive", place, "repair", acme, "--lang", "en")
    assert first.code == 4 and "Bolt tuning" in first.out and "lost: days" in first.out, (
        first.out
    )  # words came by themselves
    assert "Acme tuning" not in first.out
    (text := place.parent / "later.txt").write_text(iostat_capture("2026-11-18", 30, 10, 100))
    kept = bolt.read_bytes()
    assert tunebench("import", bolt, text, "--run", "later", "--phase", "other").code == 0
    other = tunebench("archive", place, "repair", bolt, "--json")
    assert (other.code, other.json["projects"][0]["state"]) == (4, "outdated")
    bolt.write_bytes(kept)
    last = tunebench("archive", place, "repair", bolt, "--json")
    assert (last.code, last.json["projects"][0]["state"], last.json["incomplete"]) == (0, "mended", [])
    assert tunebench("archive", place, "check", acme, bolt).code == 0


def test_other_tools_take_the_files_that_count(tunebench: Command, two: tuple[Path, Path, Path]) -> None:
    place, acme, _bolt = two
    (text := place.parent / "later.txt").write_text(iostat_capture("2026-11-18", 30, 10, 100))
    assert tunebench("archive", place, "compact").code == 0
    assert tunebench("import", acme, text, "--run", "later", "--phase", "other").code == 0
    assert tunebench("archive", place, "add", acme, *ASKED).code == 0
    stale = tunebench("archive", place, "files", "days", "--lang", "en")
    assert (stale.code, "archive compact" in stale.err) == (4, True)
    assert tunebench("archive", place, "compact").code == 0
    files = tunebench("archive", place, "files", "days")
    assert files.code == 0
    rows = "engagement, host, native, day, mean"
    alone = duckdb.execute(f"SELECT {rows} FROM read_parquet({files.out.split()}) ORDER BY ALL").fetchall()
    own = tunebench("archive", place, "sql", f"SELECT {rows} FROM days ORDER BY ALL", "--json").json
    assert [list(row) for row in alone] == [list(row.values()) for row in own] != []


def test_seen_asks_for_a_project_that_is_not_in_the_archive(
    tunebench: Command, two: tuple[Path, Path, Path], tmp_path: Path
) -> None:
    place, acme, _bolt = two
    other = engagement(tunebench, tmp_path, "Core", 40)
    inside, outside = (tunebench("archive", place, "seen", path, "--json").json for path in (acme, other))
    assert {row["title"] for row in outside} == {"Acme tuning", "Bolt tuning"}
    assert [row["title"] for row in inside] == ["Bolt tuning"]
    (bolt,) = [row for row in outside if row["title"] == "Bolt tuning"]
    assert bolt["shared"] == inside[0]["shared"]  # the same captures, but for who they are of
    assert tunebench("archive", place, "check", other).code == 3  # it was not put in by that


def test_a_system_in_scope_is_found_by_its_product(tunebench: Command, tmp_path: Path) -> None:
    acme, place = engagement(tunebench, tmp_path, "Acme", 97), tmp_path / "archive"
    assert tunebench("cycle", acme, "add", "system", "kind=database", "name=ORCL", "product=Oracle 19c").code == 0
    assert tunebench("archive", place, "add", acme, *ASKED).code == 0
    hits = tunebench("archive", place, "find", "--system", "oracle", "--json").json
    assert hits and hits == tunebench("archive", place, "find", "--system", "ORCL", "--json").json
    assert tunebench("archive", place, "find", "--system", "mysql", "--json").json == []


def test_an_unknown_address_is_refused_before_anything_is_made(
    tunebench: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    acme = engagement(tunebench, tmp_path, "Acme", 40)
    before = sorted(tmp_path.iterdir())
    for address, word in (("foo://bucket/firm", "foo://"), ("gs://bucket", "gcsfs"), ("abfs://firm/x", "adlfs")):
        refused = tunebench("archive", address, "add", acme, *ASKED, "--lang", "en")
        assert (refused.code, word in refused.err) == (3, True), refused.err
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize("language", ["ko", "en"])
def test_refusals_are_sentences(tunebench: Command, tmp_path: Path, language: str) -> None:
    place = tmp_path / "archive"
    (other := tmp_path / "other.txt").write_text("no project")
    for words in (
        ("find",),
        ("check", tmp_path / "absent.tune"),
        ("add", other, *ASKED),
        ("add", other, "--consent", " "),
        ("seen", other),
        ("sql", "DROP TABLE hosts"),
    ):
        answer = tunebench("archive", place, *words, "--lang", language)
        assert answer.code == 3 and answer.err.strip() and "Traceback" not in answer.err
        assert any("가" <= character <= "힣" for character in answer.err) is (language == "ko")
