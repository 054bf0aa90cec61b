"""Every verb against captures whose figures are known because they were written by hand."""

from __future__ import annotations

import csv
import hashlib
import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.conftest import Command, iostat_capture
from tunebench.store.opening import open_project

ROOT = Path(__file__).resolve().parents[2]
FIXTURES = ROOT / "tests" / "fixtures"


@pytest.fixture
def captures(tmp_path: Path) -> tuple[Path, Path]:
    before, after = tmp_path / "before" / "iostat.txt", tmp_path / "after" / "iostat.txt"
    for path, day, user, reads in ((before, "2026-07-19", 80.0, 30.0), (after, "2026-07-26", 10.0, 3.0)):
        path.parent.mkdir()
        path.write_text(iostat_capture(day, 6, user, reads))
    return before, after


@pytest.fixture
def filled(project: Path, captures: tuple[Path, Path], tunebench: Command) -> Path:
    for path, phase in zip(captures, ("before", "after"), strict=True):
        answer = tunebench("import", project, path, "--run", phase, "--phase", phase, "--lang", "en")
        assert answer.code == 0, answer.err
    return project


def test_import_accounts_for_every_line(project: Path, captures: tuple[Path, Path], tunebench: Command) -> None:
    answer = tunebench("import", project, captures[0], "--phase", "before", "--json")
    assert answer.code == 0
    assert answer.json["run"] == "before"
    (file,) = answer.json["files"]
    text = captures[0].read_text()
    assert file["sha256"] == hashlib.sha256(text.encode()).hexdigest()
    assert (file["state"], file["tool"], file["os"], file["host"]) == ("imported", "iostat", "linux", "db01")
    lines = file["lines"]
    assert lines["total"] == text.count("\n")
    assert lines["total"] == lines["data"] + lines["header"] + lines["blank"] + lines["skipped"]
    assert lines["data"] == 12  # 6 blocks: one CPU row and one disk row each
    assert (file["first"], file["last"]) == ("2026-07-19T09:00:00+09:00", "2026-07-19T09:05:00+09:00")
    assert (file["interval_s"], file["zone_source"], file["gaps"], file["restarts"]) == (60.0, "stamp", 0, 0)


def test_the_same_file_twice_is_a_duplicate(filled: Path, captures: tuple[Path, Path], tunebench: Command) -> None:
    answer = tunebench("import", filled, captures[0], "--run", "again", "--json")
    assert answer.code == 0
    assert [file["state"] for file in answer.json["files"]] == ["duplicate"]
    runs = tunebench("info", filled, "--json").json["runs"]
    assert [(run["label"], len(run["artefacts"])) for run in runs] == [("before", 1), ("after", 1)]


def test_series_gives_the_figures_of_the_text(filled: Path, tunebench: Command) -> None:
    found = tunebench("series", filled, "--run", "before", "--match", "r/s", "--json").json
    (reads,) = found
    # r/s is 30, 60 ... 180; the first block is since boot and does not count: 60, 90, 120, 150, 180
    assert (reads["count"], reads["min"], reads["mean"], reads["p50"], reads["max"]) == (5, 60.0, 120.0, 120.0, 180.0)
    assert reads["p95"] == pytest.approx(174.0)  # 150 + 0.8 * 30
    assert reads["attributes"]["device"] == "sda"
    assert reads["native"] == "r/s"
    assert reads["metric"] == "system.disk.operations"


def test_data_as_json_csv_and_parquet(filled: Path, tmp_path: Path, tunebench: Command) -> None:
    number = tunebench("series", filled, "--run", "before", "--match", "r/s", "--json").json[0]["id"]
    (series,) = tunebench("data", filled, "--series", number, "--format", "json").json["series"]
    assert series["values"] == [60.0, 90.0, 120.0, 150.0, 180.0]
    assert series["times"][0] == "2026-07-19T09:01:00+09:00"
    rows = list(csv.reader(io.StringIO(tunebench("data", filled, "--series", number, "--format", "csv").out)))
    assert rows[0][2] == f"{rows[0][1]} (likely since boot)"
    assert [row[1] for row in rows[1:]] == ["", "60.0", "90.0", "120.0", "150.0", "180.0"]
    assert [row[2] for row in rows[1:]] == ["30.0", "", "", "", "", ""]
    binned = tunebench(
        "data", filled, "--series", number, "--format", "json", "--every", "120", "--from", "2026-07-19T09:01:00"
    ).json["series"][0]
    assert binned["values"] == [75.0, 105.0 + 30.0, 180.0]
    out = tmp_path / "samples.parquet"
    assert tunebench("data", filled, "--series", number, "--format", "parquet", "--out", out).code == 0
    import duckdb  # not while tests are collected: what is frozen then is reported as leaked at the end

    frame = duckdb.read_parquet(str(out))
    assert frame.columns[0] == "time" and str(frame.types[0]) == "TIMESTAMPTZ_NS"
    shown = [value for (value,) in frame.select(f'"{frame.columns[1]}"').fetchall() if value is not None]
    assert shown == [60.0, 90.0, 120.0, 150.0, 180.0]


def test_what_is_likely_since_boot_is_shown_apart(project: Path, tunebench: Command) -> None:
    """The first row of "Impact of Swap Space": printed there as a sample, and the average that vmstat prints first."""
    capture = FIXTURES / "founding" / "vmstat_swap_1.txt"
    tunebench("import", project, capture, "--start", "2008-02-01T09:00", "--tz", "Asia/Seoul")
    (swap,) = [each for each in tunebench("series", project, "--json").json if each["native"] == "swap"]
    assert (swap["count"], swap["max"]) == (2, 17876888.0)
    (series,) = tunebench("data", project, "--series", swap["id"], "--format", "json").json["series"]
    assert series["values"] == [17876888.0, 17876696.0]
    assert series["likely_since_boot"] == {"times": ["2008-02-01T09:00:00+09:00"], "values": [17767520.0]}
    means = tunebench("data", project, "--series", swap["id"], "--format", "json", "--every", "60").json["series"][0]
    assert (means["values"], means["likely_since_boot"]["values"]) == ([17876792.0], [])


def test_a_first_row_counts_once_a_person_says_that_it_was_measured(project: Path, tunebench: Command) -> None:
    """Step 6 of the same study prints three samples of 3 s; po of the first is 17,927."""
    capture = FIXTURES / "founding" / "vmstat_swap_7.txt"

    def paged_out() -> list[float]:
        (po,) = [each for each in tunebench("series", project, "--json").json if each["native"] == "po"]
        return tunebench("data", project, "--series", po["id"], "--format", "json").json["series"][0]["values"]

    (file,) = tunebench("import", project, capture, "--json").json["files"]
    assert (file["warnings"], paged_out()) == ([], [13998.0, 25417.0])
    (number,) = tunebench("import", project, "--again", "1", "--first-measured", "--json").json["said"]
    assert paged_out() == [17927.0, 13998.0, 25417.0]
    (known,) = tunebench("info", project, "--json").json["runs"][0]["artefacts"]
    assert known["warnings"] == ["first_measured"]
    tunebench("import", project, "--take-back", str(number))
    assert paged_out() == [13998.0, 25417.0]
    tunebench("remove", project, "--run", "import", "--yes")
    tunebench("import", project, capture, "--first-measured")
    assert paged_out() == [17927.0, 13998.0, 25417.0]


def test_compare_gives_no_verdict_on_five_samples_and_knows_directions(filled: Path, tunebench: Command) -> None:
    found = tunebench("compare", filled, "--before", "before", "--after", "after", "--json").json
    assert found["before"] == {
        "window": None,
        "run": "before",
        "zone": "Asia/Seoul",
        "windows": [{"from": "2026-07-19T09:00:00+09:00", "to": "2026-07-19T09:05:00+09:00"}],
        "left_out": [],
    }
    by_native = {row["native"]: row for row in found["series"]}
    user = by_native["%user"]
    assert user["before"]["mean"] == 83.0
    assert user["after"]["mean"] == 13.0
    assert {(row["verdict"], row["reason"]) for row in found["series"]} == {("insufficient_data", "few_samples")}
    assert user["ci95"] is None
    assert [one["check"] for one in found["comparability"]] == [f"C{number}" for number in range(1, 11)]
    assert {one["state"] for one in found["comparability"]} <= {"pass", "adjust", "refuse", "unknown"}
    assert (user["before"]["p95"], found["estimators"]["p95"]) == (
        pytest.approx(84.8),
        "type7",
    )  # of 81 to 85: 84 + 0.8
    assert by_native["%idle"]["direction"] == "higher"
    assert by_native["%idle"]["ratio"] == pytest.approx(84.0 / 14.0)


def test_info_shows_ledgers(filled: Path, tunebench: Command) -> None:
    found = tunebench("info", filled, "--json").json
    assert [(run["label"], run["phase"]) for run in found["runs"]] == [("before", "before"), ("after", "after")]
    assert found["runs"][0]["artefacts"][0]["lines"]["data"] == 12
    text = tunebench("info", filled, "--lang", "ko").out
    assert "ACME" in text
    assert "튜닝 전" in text


def test_a_run_goes_over_the_time_that_its_captures_tell(
    filled: Path, captures: tuple[Path, Path], tmp_path: Path, tunebench: Command
) -> None:
    """A vmstat that prints no time lies where its file's date puts it, and neither its run nor the comparison goes there."""
    path = tmp_path / "vmstat.txt"
    path.write_bytes((FIXTURES / "linux" / "vmstat.txt").read_bytes())
    os.utime(path, (1_795_300_000, 1_795_300_000))  # 2026-11-22 07:26:40 in Seoul
    assert tunebench("import", filled, path, "--run", "before", "--host", "db01").code == 0
    own = {"from": "2026-07-19T09:00:00+09:00", "to": "2026-07-19T09:05:00+09:00"}
    run = tunebench("info", filled, "--json").json["runs"][0]
    assert ({"from": run["first"], "to": run["last"]}, len(run["artefacts"])) == (own, 2)
    words = tunebench("info", filled, "--lang", "en").out
    assert words.count("have no date but their file's: 1") == 1
    found = tunebench("compare", filled, "--before", "before", "--after", "after", "--json").json
    assert found["before"]["windows"] == [own]
    samples = tunebench("series", filled, "--run", "before", "--match", "swpd", "--json").json
    assert (samples[0]["count"], samples[0]["first"]) == (5, "2026-11-22T07:26:41+09:00"), "it is all there"
    said = tunebench("import", filled, "--again", "vmstat.txt", "--host", "db01", "--start", "2026-07-19T09:10:00")
    assert said.code == 0, said.err
    assert tunebench("info", filled, "--json").json["runs"][0]["last"] == "2026-07-19T09:10:05+09:00"
    assert "but their file's" not in tunebench("info", filled, "--lang", "en").out


def test_check_finds_a_whole_project_whole_and_a_damaged_one_damaged(filled: Path, tunebench: Command) -> None:
    import sqlite3

    answer = tunebench("check", filled, "--json")
    assert answer.code == 0
    assert {result["state"] for result in answer.json} == {"ok"}
    with sqlite3.connect(filled) as connection:
        connection.execute("update artefact set sha256 = replace(sha256, substr(sha256, 1, 4), '0000')")
    connection.close()
    answer = tunebench("check", filled, "--json")
    assert answer.code == 3
    assert "failed" in {result["state"] for result in answer.json}


def test_report_in_both_languages_is_the_same_twice(filled: Path, tmp_path: Path, tunebench: Command) -> None:
    for language in ("ko", "en"):
        made = []
        for attempt in ("a", "b"):
            pdf, xlsx = tmp_path / f"{attempt}-{language}.pdf", tmp_path / f"{attempt}-{language}.xlsx"
            answer = tunebench(
                "report", filled, "--pdf", pdf, "--xlsx", xlsx, "--lang", language, "--issued", "2026-08-01"
            )
            assert answer.code == 0, answer.err
            made.append((pdf.read_bytes(), xlsx.read_bytes()))
        assert made[0] == made[1]
        assert made[0][0].startswith(b"%PDF")


def test_info_lists_the_reports_that_were_written(filled: Path, tmp_path: Path, tunebench: Command) -> None:
    assert tunebench("info", filled, "--json").json["reports"] == []
    files = {"pdf": tmp_path / "case.pdf", "xlsx": tmp_path / "case.xlsx"}
    answer = tunebench(
        "report", filled, "--pdf", files["pdf"], "--xlsx", files["xlsx"], "--lang", "en", "--issued", "2026-08-01"
    )
    assert answer.code == 0, answer.err
    found = tunebench("info", filled, "--json").json["reports"]
    assert [report["kind"] for report in found] == ["pdf", "xlsx"]
    for report in found:
        data = files[report["kind"]].read_bytes()
        assert report["sha256"] == hashlib.sha256(data).hexdigest()
        assert report["size_bytes"] == len(data)
        assert report["file"] == str(files[report["kind"]])
        assert (report["language"], report["issued"]) == ("en", "2026-08-01")
        assert report["written_at"].endswith("+00:00")
    told = tunebench("info", filled, "--lang", "ko").out
    for report in found:
        (line,) = [line for line in told.splitlines() if Path(report["file"]).name in line]
        assert "2026-08-01" in line and report["sha256"][:12] in line


def test_a_report_of_a_project_in_use_is_written_but_not_remembered(
    filled: Path, tmp_path: Path, tunebench: Command
) -> None:
    holder = open_project(filled)
    try:
        pdf = tmp_path / "case.pdf"
        assert tunebench("report", filled, "--pdf", pdf, "--issued", "2026-08-01").code == 0
        assert pdf.read_bytes().startswith(b"%PDF")
    finally:
        holder.close()
    assert tunebench("info", filled, "--json").json["reports"] == []


def test_a_report_that_cannot_be_put_there_says_so_and_missing_glyphs_are_told(
    tmp_path: Path, tunebench: Command
) -> None:
    project, folder = tmp_path / "made.tune", tmp_path / "folder.pdf"
    folder.mkdir()
    assert tunebench("new", project, "--customer", "Söhne \U0001f600", "--title", "Tuning").code == 0
    answer = tunebench("report", project, "--pdf", folder, "--lang", "en")
    assert answer.code == 3 and answer.err.count("\n") == 1 and "folder.pdf" in answer.err, answer.err
    answer = tunebench("report", project, "--pdf", tmp_path / "case.pdf", "--lang", "en", "--json")
    assert answer.code == 0 and answer.json["missing_glyphs"] == ["U+1F600"] and "U+1F600" in answer.err


def test_usage_errors_are_exit_2_in_the_users_language(tunebench: Command) -> None:
    answer = tunebench("import", "--lang", "ko")
    assert answer.code == 2
    assert "사용법" in answer.err
    assert tunebench("import", "x.tune", "y", "--interval", "-3").code == 2


@pytest.mark.parametrize(("language", "word"), [("ko", "확인한 수"), ("en", "looked at")])
def test_check_speaks_one_language(project: Path, tunebench: Command, language: str, word: str) -> None:
    lines = tunebench("check", project, "--lang", language).out.splitlines()
    assert lines and all(word in line for line in lines)
    assert "⟨" not in "".join(lines)


OBEYED = "\x1b[31m\u202e\x9b"


def test_nothing_that_a_terminal_obeys_comes_out(project: Path, tmp_path: Path, tunebench: Command) -> None:
    """Names of files, and what people named an engagement, are shown with stand-ins; as JSON they say the same."""
    folder = tmp_path / "brought"
    folder.mkdir()
    (folder / f"{OBEYED}iostat\nerror.txt").write_text(iostat_capture("2026-07-19", 3, 80.0, 30.0))
    (folder / f"{OBEYED}notes.txt").write_text("of no tool\n")
    named = tmp_path / "named.tune"
    answers = [
        tunebench("import", project, folder, "--lang", "en"),
        tunebench("info", project),
        tunebench("info", project, "--json"),
        tunebench("new", named, "--customer", f"ACME{OBEYED}", "--title", f"Tuning{OBEYED}"),
        tunebench("info", named),
        tunebench("import", project, f"{OBEYED}gone.txt"),
        tunebench(f"{OBEYED}verb"),
        tunebench("series", project, "--run", f"{OBEYED}run", f"{OBEYED}more"),
    ]
    for answer in answers:
        assert answer.code != 1, answer.err
        shown = (answer.out + answer.err).replace("\n", "").replace("\t", "")
        assert shown.isprintable(), ascii(shown)
    assert not any(line.startswith("error.txt") for line in answers[0].err.splitlines())
    told = tunebench("info", named, "--json").json["engagement"]
    assert (told["customer"], told["title"]) == ("ACME[31m", "Tuning[31m")  # a person's words, without what nobody sees
    captures = [each["name"] for run in answers[2].json["runs"] for each in run["artefacts"]]
    assert any(name.startswith(OBEYED) for name in captures), captures


def test_a_reader_that_goes_away_is_no_fault(filled: Path) -> None:
    """What is written is kept back until the end, as in any pipe."""
    words = [sys.executable, "main.py", "info", str(filled), "--json"]
    buffered = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    with subprocess.Popen(words, cwd=ROOT, env=buffered, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        assert running.stdout is not None and running.stderr is not None
        running.stdout.close()
        assert running.stderr.read() == b""
    assert running.returncode == 0
