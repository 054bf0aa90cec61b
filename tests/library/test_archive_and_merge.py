"""A script's archive and merge: the same as the verbs', as values."""

from __future__ import annotations

import json
import shutil
from dataclasses import asdict
from pathlib import Path

import duckdb
import pytest

import tunebench
from tests import program
from tests.program import main


@pytest.fixture
def services(monkeypatch: pytest.MonkeyPatch) -> None:
    program.compose()
    monkeypatch.setattr(tunebench, "numpy_came_first", False)


@pytest.fixture
def firm(services: None, demo: Path, tmp_path: Path) -> tunebench.Archive:
    archive = tunebench.open_archive(tmp_path / "firm", make=True)
    assert archive.add(demo, "Lee, 2026-09-02").rows
    return archive


def verb(capsys: pytest.CaptureFixture[str], act: str, place: str, *words: str) -> object:
    capsys.readouterr()
    assert main(["archive", place, act, *words, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_an_archive_answers_as_its_verbs_do(
    firm: tunebench.Archive, demo: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def plain(values: object) -> object:
        return json.loads(json.dumps(values))

    assert [plain(asdict(hit)) for hit in firm.find("sdb")] == verb(capsys, "find", firm.address, "sdb")
    assert [plain(asdict(effect)) for effect in firm.effects()] == verb(capsys, "effects", firm.address)
    assert firm.compare("*util*").as_records() == verb(capsys, "compare", firm.address, "--series", "*util*")
    days = firm.trend("db01", "%util")
    assert days.as_records() == verb(capsys, "trend", firm.address, "--host", "db01", "--series", "%util")
    assert duckdb.sql("SELECT count(*), sum(samples) FROM days").fetchall() == [  # type: ignore[union-attr]
        (len(days.rows), sum(row["samples"] for row in days.as_records()))
    ]
    assert firm.seen(demo) == [] and firm.check(demo).differences == () and firm.damage() == ()
    assert [row["title"] for row in firm.engagements().as_records()] == ["[Demo] Order system tuning"]
    assert firm.sql("SELECT count(*) AS n FROM engagements").as_records() == [{"n": 1}]
    assert {facet.facet for facet in firm.facets()} == {"change", "state", "system"}


def test_what_was_lost_is_said_and_comes_back(firm: tunebench.Archive, demo: Path) -> None:
    part = next(Path(firm.address).glob("verdicts/part-*.parquet"))
    part.write_bytes(part.read_bytes()[:-100])
    assert firm.compare("*").rows == () and len(firm.damage("ko")) == 1
    assert [mended.value for mended in firm.repair(demo)] == ["mended"]
    assert firm.compare("*").rows and firm.damage() == ()


def test_refusals_of_an_archive(firm: tunebench.Archive, demo: Path, tmp_path: Path) -> None:
    for work, key in (
        (lambda: tunebench.open_archive(tmp_path / "nothing"), "archive_missing"),
        (lambda: tunebench.open_archive("nope://firm", make=True), "scheme_unknown"),
        (lambda: firm.add(demo, ""), "archive_consent_missing"),
        (lambda: firm.sql("DROP VIEW engagements"), "archive_query_reads_only"),
    ):
        with pytest.raises(tunebench.Refused) as refusal:
            work()
        assert refusal.value.key == key


def test_two_copies_are_merged(services: None, demo: Path, tmp_path: Path) -> None:
    mine, theirs = tmp_path / "mine.tune", tmp_path / "theirs.tune"
    for path, day in ((mine, "19"), (theirs, "20")):
        shutil.copy(demo, path)
        words = ["window", str(path), "add", "peak", "--role", "before"]
        assert main([*words, "--from", f"2026-08-{day}T09:00", "--to", f"2026-08-{day}T18:00"]) == 0
    with tunebench.merge(mine, theirs, base=demo) as merge:
        (conflict,) = merge.conflicts
        assert merge.as_dict()["undecided"] == [conflict.key]
        with pytest.raises(tunebench.Refused) as refusal:
            merge.apply({conflict.key: "neither"}, tmp_path / "merged.tune")
        merged = merge.apply({}, tmp_path / "merged.tune")
    assert refusal.value.key == "merge_choice_wrong" and merged.undecided == (conflict,)
    with tunebench.open(merged.path) as project:
        names = [window.name for window in project.windows]
    assert names[-2:] == ["peak", "peak (theirs)"]
