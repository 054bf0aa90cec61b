"""Names of devices, captures that overlap, and times said later, from the command line."""

from __future__ import annotations

import json
import shutil
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import Command
from tests.program import main
from tests.unit.usecases import daily_captures as made
from tests.unit.usecases import mixed_captures as mixed

DAY = datetime(2026, 7, 19)


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("captures")
    for day in range(2):
        made.sar_day(folder, DAY + timedelta(days=day), day * 144, disks=("dev253-3",))
    made.sar_day(folder, DAY, name="utc.txt", offset=-timedelta(hours=9))
    made.vmstat(folder, "vm.txt", 30)
    path = tmp_path_factory.mktemp("project") / "case.tune"
    assert main(["new", str(path), "--customer", "ACME", "--zone", "Asia/Seoul"]) == 0
    assert main(["import", str(path), str(folder), "--run", "week", "--host", "db1"]) == 0
    return path


@pytest.fixture
def project(prepared: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(prepared, tmp_path))


def told(tunebench: Command, *words: Any) -> Any:
    answer = tunebench(*words, "--json")
    assert answer.code == 0, answer.err
    return json.loads(answer.out)


def test_daily_files_are_one_series(tunebench: Command, project: Path) -> None:
    series = told(tunebench, "series", project, "--match", "%user")
    assert [(each["count"], each["attributes"]) for each in series] == [(288, {"cpu": "all", "state": "user"})]
    data = told(tunebench, "data", project, "--series", series[0]["id"], "--format", "json")
    assert len(data["series"][0]["values"]) == 288


def test_a_device_gets_a_name(tunebench: Command, project: Path) -> None:
    answer = told(tunebench, "host", project, "alias", "db1", "dev253-3=/oradata", "--from", "2026-07-20")
    assert answer["devices"] == ["dev253-3"]
    (name,) = answer["names"]
    assert (name["device"], name["name"], name["from"], name["to"], name["source"]) == (
        "dev253-3",
        "/oradata",
        "2026-07-20T00:00:00+09:00",
        None,
        "user",
    )
    assert "/oradata" in tunebench("host", project, "alias", "db1", "--lang", "ko").out
    assert "(/oradata)" in tunebench("series", project).out
    assert told(tunebench, "host", project, "alias", "db1", "--remove", "dev253-3")["names"] == []


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("nohost",), "no host nohost"),
        (("db1", "dm-3"), "DEVICE=NAME"),
        (("db1", "dm-3="), "Give both"),
        (("db1", "a=b", "--from", "2026-07-20", "--to", "2026-07-19"), "ends before it starts"),
    ],
)
def test_a_name_that_cannot_be_is_refused(
    tunebench: Command, project: Path, words: tuple[str, ...], sentence: str
) -> None:
    answer = tunebench("host", project, "alias", *words, "--lang", "en")
    assert (answer.code, sentence in answer.err) == (3, True)


def test_overlaps_are_listed_and_one_is_chosen(tunebench: Command, project: Path) -> None:
    found = told(tunebench, "host", project, "overlaps")
    assert {(each["relation"], each["shift_s"], each["counts"]) for each in found} == {
        ("same", 32400, False),
        ("same", -32400, True),
    }
    twin = next(each["capture"] for each in found if each["counts"] is False)
    again = told(tunebench, "host", project, "overlaps", "--count", twin)
    assert next(each["counts"] for each in again if each["capture"] == twin) is True
    assert "+9:00" in tunebench("host", project, "overlaps", "--lang", "en").out


def test_times_are_said_later_and_taken_back(tunebench: Command, project: Path) -> None:
    listed = told(tunebench, "import", project, "--again")
    (host,) = listed["hosts"]
    vm = next(each for each in host["captures"] if each["name"] == "vm.txt")
    assert vm["doubtful"] == ["zone", "start", "interval_s"]
    said = told(
        tunebench,
        "import",
        project,
        "--again",
        "vm.txt",
        "--tz",
        "Asia/Seoul",
        "--start",
        "2026-07-20T09:00:00",
        "--interval",
        "5",
    )
    assert said["said"] == [1]
    vm = next(each for each in said["hosts"][0]["captures"] if each["name"] == "vm.txt")
    assert (vm["first"], vm["last"], vm["doubtful"]) == ("2026-07-20T09:00:00+09:00", "2026-07-20T09:02:25+09:00", [])
    back = told(tunebench, "import", project, "--take-back", "1")
    assert back["hosts"][0]["said"][0]["in_force"] is False
    assert next(each for each in back["hosts"][0]["captures"] if each["name"] == "vm.txt")["given"] == {}
    words = tunebench("import", project, "--again", "--lang", "ko").out
    assert "취소됨" in words


def test_an_unknown_capture_is_refused_and_nothing_is_read(tunebench: Command, project: Path) -> None:
    answer = tunebench("import", project, "--again", "nothing.txt", "--interval", "5", "--lang", "en")
    assert (answer.code, "nothing.txt" in answer.err) == (3, True)
    assert tunebench("import", project).code == 2, "a path or --again"


def test_the_review_goes_out_and_comes_back_as_data(tunebench: Command, tmp_path: Path) -> None:
    """Forty captures, half of them without a host: a script takes what is proposed and names what no name speaks for."""
    truth = mixed.make(tmp_path / "acme")
    project, plan = tmp_path / "forty.tune", tmp_path / "review.json"
    tunebench("new", project, "--customer", "ACME")
    answer = tunebench("import", project, tmp_path / "acme", "--review", plan, "--lang", "en")
    assert answer.code == 4 and "web01? (its folder)" in answer.out
    review = json.loads(plan.read_text("utf-8"))
    files = {Path(file["path"]).relative_to(tmp_path / "acme").as_posix(): file for file in review["files"]}
    assert files[mixed.TABLE]["sha256"] is None and "Describe" in files[mixed.TABLE]["error"]
    nameless = {path for path, true in truth.items() if not true.named and true.host not in Path(path).parts}
    assert nameless and all(Path(path).parts[-2] in ("was", "solaris_before", "solaris_after") for path in nameless)
    for path, true in truth.items():
        file = files[path]
        expected = None if path in nameless else true.host
        assert (file["host_proposed"] if file["host"].startswith("unknown") else file["host"]) == expected, path
        file["host"], file["confirmed"] = true.host, True
    plan.write_text(json.dumps(review), "utf-8")
    said = told(tunebench, "import", project, "--plan", plan)["said"]
    assert hosts_of(tunebench, project) == {"db01", "sol01", "was01", "web01"}
    for number in reversed(said):
        told(tunebench, "import", project, "--take-back", str(number))
    assert "unknown (web01)" in hosts_of(tunebench, project)
    made.vmstat(tmp_path, "later.txt", 12, first_row=77)
    later = told(tunebench, "import", project, tmp_path / "later.txt", "--run", "late")
    [file], [row] = later["files"], later["review"]
    assert (file["host_from"], file["date_from"], row["questions"][0]) == ("none", "mtime", "host") and file[
        "doubt"
    ] > 0.5
    moved = told(tunebench, "import", project, "--again", "*/web01/*", "--to-host", "web01", "--to-run", "r2")
    assert len(moved["said"]) == 1 and "unknown (web01)" not in hosts_of(tunebench, project)


@pytest.mark.parametrize(
    ("plan", "words"),
    [
        ("{", "JSON"),
        ('{"files": [{"sha256": "0", "path": "x.txt"}]}', "x.txt is not in this project"),
        ('{"files": [{"sha256": "%s", "date": "13 July"}]}', "date"),
        ('{"files": [{"sha256": "%s", "phase": "after"}]}', "phase"),
        ('{"files": [{"sha256": "%s", "host": 7}]}', "host"),
    ],
)
def test_a_wrong_plan_is_refused_whole(
    tunebench: Command, project: Path, tmp_path: Path, plan: str, words: str
) -> None:
    before = told(tunebench, "info", project)
    digest = next(each["sha256"] for run in before["runs"] for each in run["artefacts"])
    path = tmp_path / "plan.json"
    path.write_text(plan.replace("%s", digest), "utf-8")
    answer = tunebench("import", project, "--plan", path, "--lang", "en")
    assert answer.code == 3 and words in answer.err
    assert told(tunebench, "info", project) == before


def hosts_of(tunebench: Command, project: Path) -> set[str]:
    return {host["name"] for host in told(tunebench, "info", project)["hosts"]}
