"""Engagements put into an archive, proven, asked and taken out, on the command line."""

from __future__ import annotations

from pathlib import Path
from statistics import fmean

import duckdb
import pytest

from tests.e2e.conftest import Command, iostat_capture

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
    assert [each["title"] for each in answer.json] == ["Acme tuning", "Bolt tuning"]
    return place, acme, bolt


def test_what_is_there_is_what_the_projects_say(tunebench: Command, two: tuple[Path, Path, Path]) -> None:
    place, acme, bolt = two
    assert tunebench("archive", place, "check", acme, bolt).code == 0
    again = tunebench("archive", place, "add", acme, bolt, *ASKED, "--json")
    assert [each["rows"] for each in again.json] == [None, None]  # nothing to do
    days = tunebench("archive", place, "trend", "--host", "db0*", "--series", "%user", "--json").json
    told = {(each["title"], each["day"]): (each["samples"], each["mean"]) for each in days}
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
    (row,) = [each for each in own["series"] if each["native"] == "%user"]
    assert (compared[0]["verdict"], compared[0]["ratio"]) == (row["verdict"], row["ratio"])


def test_a_figure_that_was_changed_is_found(tunebench: Command, two: tuple[Path, Path, Path]) -> None:
    place, acme, bolt = two
    for part in place.glob("days/*/*/*.parquet"):
        query = f"SELECT * REPLACE (mean * 1.0000000000000002 AS mean) FROM read_parquet('{part}', hive_partitioning = false)"
        duckdb.execute(f"COPY ({query}) TO '{part}.new' (FORMAT parquet)")
        Path(f"{part}.new").replace(part)
    answer = tunebench("archive", place, "check", acme, bolt, "--json")
    assert answer.code == 3
    assert all([each["table"] for each in file["differences"]] == ["days"] for file in answer.json)


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
    (gone,) = [each["engagement"] for each in listed if each["customer"] == "Acme"]
    assert tunebench("archive", place, "remove", gone[:6]).code == 0
    assert not list(place.glob(f"*/engagement={gone}"))
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
    days = sorted(place.glob("days/*/*/*.parquet"))
    assert len(days) == 2
    days[0].write_bytes(days[0].read_bytes()[:100])  # half written
    (lost,) = place.glob(f"series/{days[1].parts[-3]}/*/*.parquet")
    lost.unlink()
    shown = tunebench("archive", place, "trend", "--host", "db0*", "--series", "%user", "--lang", "en")
    assert (shown.code, str(days[0]) in shown.err) == (4, True)
    assert ("Acme tuning" in shown.out) is not ("Bolt tuning" in shown.out)  # the other engagement answers
    checked = tunebench("archive", place, "check", acme, bolt, "--lang", "en")
    assert checked.code == 3 and "bug" not in checked.err
    again = tunebench("archive", place, "add", acme, bolt, *ASKED, "--json")
    assert again.code == 0 and all(each["rows"] for each in again.json)
    assert tunebench("archive", place, "check", acme, bolt).code == 0


def test_an_address_is_no_folder(tunebench: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    acme = engagement(tunebench, tmp_path, "Acme", 40)
    before = sorted(tmp_path.iterdir())
    for address in ("s3://bucket/firm", "gs://bucket", "https://example.test/x"):
        refused = tunebench("archive", address, "add", acme, *ASKED, "--lang", "en")
        assert (refused.code, address in refused.err) == (3, True), refused.err
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
