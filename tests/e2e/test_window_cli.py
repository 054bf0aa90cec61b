"""``window``: windows are made in each of three ways, listed, excluded from, removed; what cannot be says why."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.e2e.conftest import Answer, Command, iostat_capture, say

DAYS = ("2026-07-20", "2026-07-21", "2026-07-23", "2026-08-03")  # Monday, Tuesday, Thursday; a Monday


@pytest.fixture(scope="module")
def imported(new_project: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `filled` is a copy of: nobody writes into it."""
    folder = tmp_path_factory.mktemp("windows")
    project = Path(shutil.copy(new_project, folder / "acme.tune"))
    for day in DAYS:
        path = folder / f"{day}.txt"
        path.write_text(iostat_capture(day, 50, 10.0, 30.0))
        side = "after" if day == DAYS[-1] else "before"
        say("import", project, path, "--run", side, "--phase", side)
    return project


@pytest.fixture
def filled(imported: Path, tmp_path: Path) -> Path:
    """Each capture lasts from 09:00 to 09:49."""
    return Path(shutil.copy(imported, tmp_path / "acme.tune"))


def peak(filled: Path, tunebench: Command, *words: str) -> Answer:
    span = ("--days", "mon-fri", "--hours", "09:00-09:30", "--between", "2026-07-20", "2026-07-24")
    return tunebench("window", filled, "add", "Peak", "--role", "before", *span, *words)


def test_hours_of_weekdays(filled: Path, tunebench: Command) -> None:
    answer = peak(filled, tunebench, "--json")
    assert answer.code == 0
    assert "2026-07-22, 2026-07-24" in answer.err
    assert answer.json.pop("empty_days") == ["2026-07-22", "2026-07-24"]
    (listed,) = tunebench("window", filled, "list", "--json").json
    assert listed == {
        "name": "Peak",
        "role": "before",
        "kind": "production",
        "hosts": [],
        "zone": "Asia/Seoul",
        "occurrences": [
            {"from": f"{day}T09:00:00+09:00", "to": f"{day}T09:30:00+09:00", "run": None} for day in DAYS[:3]
        ],
        "exclusions": [],
    }


def test_a_run_and_stretches(filled: Path, tunebench: Command) -> None:
    words = ("--role", "after", "--kind", "controlled", "--host", "db01", "--run", "after")
    answer = tunebench("window", filled, "add", "of the run", *words, "--lang", "ko")
    assert answer.code == 0 and "2026-08-03 09:00 - 09:49" in answer.out
    stretches = ("--from", "2026-07-21T00:10:00+00:00", "--to", "2026-07-21T09:20", "--from", "2026-07-20T09:10")
    assert (
        tunebench(
            "window", filled, "add", "two", "--role", "other", *stretches, "--to", "2026-07-20T09:20", "--json"
        ).code
        == 0
    )
    run, two = tunebench("window", filled, "list", "--json").json
    assert (run["kind"], run["hosts"]) == ("controlled", ["db01"])
    assert run["occurrences"] == [
        {"from": "2026-08-03T09:00:00+09:00", "to": "2026-08-03T09:49:00+09:00", "run": "after"}
    ]
    assert [each["from"] for each in two["occurrences"]] == ["2026-07-20T09:10:00+09:00", "2026-07-21T09:10:00+09:00"]
    for language, role in (("en", "after"), ("ko", "튜닝 후")):
        assert role in tunebench("window", filled, "list", "--lang", language).out


def test_a_stretch_is_left_out_and_a_window_goes(filled: Path, tunebench: Command) -> None:
    peak(filled, tunebench)
    words = ("--from", "2026-07-20T09:10", "--to", "2026-07-20T09:15", "--reason", "batch")
    answer = tunebench("window", filled, "exclude", "Peak", *words, "--json")
    assert answer.json["exclusions"] == [
        {"from": "2026-07-20T09:10:00+09:00", "to": "2026-07-20T09:15:00+09:00", "reason": "batch"}
    ]
    assert tunebench("window", filled, "remove", "Peak", "--lang", "en").out == "Removed the window 'Peak'.\n"
    assert tunebench("window", filled, "list", "--json").json == []
    assert {each["state"] for each in tunebench("check", filled, "--json").json} == {"ok"}


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("add", "Peak", "--role", "before", "--run", "before"), "There is a window 'Peak' already"),
        (("add", "x", "--role", "before", "--run", "nothing"), "nothing"),
        (
            ("add", "x", "--role", "before", "--run", "before", "--host", "web9"),
            "The host 'web9' is not in the project",
        ),
        (("add", "x", "--role", "before"), "Say when in one way"),
        (("add", "x", "--role", "before", "--run", "before", "--days", "mon"), "Say when in one way"),
        (("add", "x", "--role", "before", "--from", "2026-07-20T09:00"), "--from is said 1 times and --to 0 times"),
        (
            ("add", "x", "--role", "before", "--from", "2026-07-20T09:20", "--to", "2026-07-20T09:00"),
            "ends before it begins (2026-07-20 09:20 - 09:00)",
        ),
        (
            ("add", "x", "--role", "before", "--from", "2026-07-20T15:00", "--to", "2026-07-20T16:00"),
            "Nothing was captured in the window 'x' (2026-07-20 15:00 - 16:00)",
        ),
        (
            ("exclude", "Peak", "--from", "2026-07-20T15:00", "--to", "2026-07-20T16:00", "--reason", "b"),
            "lies outside",
        ),
        (("exclude", "Peak", "--from", "2026-07-20T09:10", "--to", "2026-07-20T09:20", "--reason", " "), "a reason"),
        (("remove", "before"), "There is no window 'before'. Windows: Peak"),
    ],
)
def test_what_cannot_be_is_refused_and_nothing_is_lost(
    filled: Path, tunebench: Command, words: tuple[str, ...], says: str
) -> None:
    peak(filled, tunebench)
    before = tunebench("window", filled, "list", "--json").json
    answer = tunebench("window", filled, *words, "--lang", "en")
    assert (answer.code, answer.out) == (3, "")
    assert says in answer.err
    assert tunebench("window", filled, "list", "--json").json == before


def test_a_run_that_a_window_names_stays(filled: Path, tunebench: Command) -> None:
    tunebench("window", filled, "add", "Later", "--role", "after", "--run", "after")
    answer = tunebench("remove", filled, "--run", "after", "--yes", "--lang", "en")
    assert answer.code == 3 and "Later (window." in answer.err


def test_windows_are_compared_occurrence_by_occurrence(filled: Path, tunebench: Command) -> None:
    peak(filled, tunebench)
    words = ("--from", "2026-07-20T09:10", "--to", "2026-07-20T09:15", "--reason", "batch")
    tunebench("window", filled, "exclude", "Peak", *words)
    found = tunebench("compare", filled, "--before", "Peak", "--after", "after", "--json").json
    assert (found["before"]["window"], found["before"]["run"], found["after"]["window"]) == ("Peak", "before", None)
    assert [each["from"] for each in found["before"]["windows"]] == [f"{day}T09:00:00+09:00" for day in DAYS[:3]]
    (user,) = [row for row in found["series"] if row["native"] == "%user"]
    # %user is 10 + the minute; each capture's first block, since boot, does not count: 1 to 30, on the 20th not 10 to 15
    minutes = [*range(1, 10), *range(16, 31), *range(1, 31), *range(1, 31)]
    assert (user["before"]["n"], user["before"]["max"]) == (len(minutes), 40.0)
    assert user["before"]["mean"] == pytest.approx(10 + sum(minutes) / len(minutes))
    assert user["after"]["max"] == 59.0


def test_a_window_is_diagnosed_and_its_statements_are_listed(filled: Path, tunebench: Command) -> None:
    peak(filled, tunebench)
    assert tunebench("diagnose", filled, "--run", "Peak", "--json").code == 0
    assert tunebench("statements", filled, "--run", "Peak", "--json").json == []


@pytest.mark.parametrize("words", [("compare", "--before", "x", "--after", "after"), ("diagnose", "--run", "x")])
def test_a_name_of_nothing_is_told_what_there_is(filled: Path, tunebench: Command, words: tuple[str, ...]) -> None:
    peak(filled, tunebench)
    answer = tunebench(words[0], filled, *words[1:], "--lang", "en")
    assert answer.code == 3
    assert "neither a window nor a run 'x'. Windows: Peak. Runs: before, after" in answer.err


def test_a_metric_is_measured_over_a_window(filled: Path, tunebench: Command) -> None:
    peak(filled, tunebench)
    tunebench("cycle", filled, "start", "--title", "one")
    (user,) = tunebench("series", filled, "--run", "before", "--match", "%user", "--json").json
    words = ("add", "metric", f"source=series:{user['id']}", "statistic=max", "--json")
    (made,) = tunebench("cycle", filled, *words).json["records"]
    metric = f"metric.{made['id']}"
    answer = tunebench("cycle", filled, "measure", metric, "--run", "Peak", "--json")
    assert answer.code == 0, answer.err
    (target,) = [each for each in answer.json["records"] if each["kind"] == "target"]
    assert (target["baseline"]["value"], target["baseline"]["samples"]) == (40.0, 90)
    answer = tunebench("window", filled, "remove", "Peak", "--lang", "en")
    assert answer.code == 3 and "target." in answer.err
    assert {each["state"] for each in tunebench("check", filled, "--json").json} == {"ok"}
    early = tunebench("cycle", filled, "measure", metric, "--run", "Peak", "--as", "after", "--lang", "en")
    assert early.code == 3 and "Peak" in early.err
