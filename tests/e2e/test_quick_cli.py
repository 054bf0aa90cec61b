"""``quick`` on the command line: what it writes and prints, when it refuses, how it goes on after it was killed."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.conftest import Command
from tests.made import two_sides

ROOT = Path(__file__).resolve().parents[2]
MIXED = {
    "db01": "{side}/db01/vmstat_{day}.log",
    "web01": "{side}/vmstat_web01_{day}.txt",
    "app01": "{side}/sar_{day}.txt",
}
SURE = {"db01": "{side}/sar_{day}.txt"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return two_sides.write(tmp_path / "in", MIXED)


def written(out: Path) -> list[str]:
    return sorted(path.name for path in out.iterdir())


def test_two_folders_become_project_page_workbook_and_what_is_in_doubt(
    folder: Path, tmp_path: Path, tunebench: Command
) -> None:
    out = tmp_path / "acme"
    answer = tunebench("quick", folder / "before", folder / "after", "-o", out, "--json", "--lang", "en")
    assert answer.code == 4, answer.err
    assert written(out) == ["acme.pdf", "acme.tune", "acme.xlsx", "review.json"]
    assert (out / "acme.pdf").read_bytes().startswith(b"%PDF") and (out / "acme.xlsx").read_bytes().startswith(b"PK")
    document = json.loads((out / "review.json").read_text(encoding="utf-8"))
    assert answer.json == document, "what is printed is what is kept"
    assert document.keys() == {"state", "inputs", "written", "clear", "hosts", "files", "answer"}
    assert (document["state"], document["clear"]) == ("done", False)
    assert document["inputs"] == {"paths": [str(folder / "before"), str(folder / "after")], "swap": False, "zone": None}
    assert document["hosts"] == {"compared": ["app01", "db01 (by folder)", "web01 (by file name)"], "left_out": []}
    assert len(document["files"]) == 24
    sar = next(file for file in document["files"] if file["path"].endswith("sar_0706.txt"))
    assert (sar["host"], sar["host_from"], sar["compared"]) == ("app01", "capture", True)
    assert sar["doubts"] == [
        {
            "about": "zone",
            "assumed": "Asia/Seoul",
            "from": "stamped",
            "why": "Zone Asia/Seoul, which other captures here print: this one prints none.",
        }
    ]
    tiles = document["answer"]["tiles"][:3]
    assert ("db01 (by folder)", "improved") in [(tile["host"], tile["verdict"]) for tile in tiles]
    assert any("db01 (by folder)" in note for note in document["answer"]["text"]["disclosed"])


def test_people_read_the_answer_the_figures_and_the_doubts(folder: Path, tmp_path: Path, tunebench: Command) -> None:
    answer = tunebench("quick", folder, "-o", tmp_path / "acme", "--lang", "ko")
    assert answer.code == 4, answer.err
    lines = answer.out.splitlines()
    assert lines[0].startswith("db01 (폴더 이름)의 CPU 사용률") and "낮아짐" in lines[0]
    assert any(line.startswith("나빠짐") for line in lines)
    places = [
        next(at for at, line in enumerate(lines) if words in line) for words in ("판정", "확인할 것이 있는 파일 24개")
    ]
    assert places == sorted(places) and str(tmp_path / "acme" / "acme.pdf") in answer.out
    assert "폴더 이름만으로" in tunebench("compare", tmp_path / "acme" / "acme.tune", *SIDES, "--lang", "ko").out


SIDES = ("--before", "before", "--after", "after")


def test_nothing_in_doubt_is_clear(tmp_path: Path, tunebench: Command) -> None:
    folder = two_sides.write(tmp_path / "in", SURE)
    answer = tunebench("quick", folder, "-o", tmp_path / "a", "--tz", "Asia/Seoul", "--json")
    assert (answer.code, answer.json["clear"], answer.json["files"]) == (0, True, [])


def test_nothing_comparable_leaves_the_project_and_says_why(tmp_path: Path, tunebench: Command) -> None:
    folder = two_sides.write(tmp_path / "in", {"a": "{side}/x/{side}1.vmstat.{day}", "b": "{side}/y/vm{side}.{day}"})
    answer = tunebench("quick", folder, "-o", tmp_path / "a", "--lang", "en", "--json")
    assert answer.code == 3 and "Nothing can be compared" in answer.err
    assert written(tmp_path / "a") == ["a.tune", "review.json"]
    assert answer.json["answer"] is None and answer.json["hosts"]["compared"] == []
    assert {host["why"] for host in answer.json["hosts"]["left_out"]} == {"unnamed"}
    assert tunebench("check", tmp_path / "a" / "a.tune").code == 0


def test_what_lies_there_is_not_written_over(folder: Path, tmp_path: Path, tunebench: Command) -> None:
    out = tmp_path / "a"
    out.mkdir()
    (out / "letter.txt").write_text("ours", encoding="utf-8")
    refused = tunebench("quick", folder, "-o", out, "--lang", "en")
    assert refused.code == 3 and refused.err.count("\n") == 1 and "-o" in refused.err
    assert written(out) == ["letter.txt"]
    assert tunebench("quick", folder, "-o", tmp_path / "b").code == 4
    assert tunebench("quick", folder, "-o", tmp_path / "b").code == 3, "it came to its end"


def test_the_wrong_way_round_names_the_flag_and_leaves_nothing(
    folder: Path, tmp_path: Path, tunebench: Command
) -> None:
    words = ["quick", folder / "after", folder / "before", "-o", tmp_path / "a"]
    refused = tunebench(*words, "--lang", "en")
    assert refused.code == 3 and "--swap" in refused.err and not (tmp_path / "a").exists()
    swapped = tunebench(*words, "--swap", "--json")
    assert swapped.code == 4 and swapped.json["answer"]["tiles"][0]["verdict"] == "improved"


KILLED = """
import os, signal, sys
from tunebench import bootstrap
if sys.argv[1] == "importing":
    from tunebench.usecases.importing import taking as room
    name, last = "take", 5
    room = room.Taker
elif sys.argv[1] == "settling":
    from tunebench.usecases.quick import settling as room
    name, last = "_windows", 0
else:
    from tunebench.reporting.xlsx import workbook as room
    name, last = "write_workbook", 0
whole, done = getattr(room, name), 0
def wrapped(*given, **more):
    global done
    done += 1
    if done > last:
        os.kill(os.getpid(), getattr(signal, sys.argv[2]))
    return whole(*given, **more)
setattr(room, name, wrapped)
sys.exit(bootstrap.main(["quick", *sys.argv[3:], "--lang", "en"]))
"""


@pytest.mark.parametrize("stage", ["importing", "settling", "reporting"])
@pytest.mark.parametrize("how", ["SIGKILL", "SIGINT"])
def test_a_second_call_goes_on_where_the_first_was_ended(
    folder: Path, tmp_path: Path, tunebench: Command, stage: str, how: str
) -> None:
    out = tmp_path / "a"
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}/app"}
    command = [sys.executable, "-c", KILLED, stage, how, str(folder), "-o", str(out)]
    ended = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, check=False)
    assert ended.returncode == (-9 if how == "SIGKILL" else 4), ended.stderr
    assert json.loads((out / "review.json").read_text(encoding="utf-8"))["state"] == "begun"
    assert tunebench("quick", folder / "before", folder / "after", "-o", out).code == 3, "of other inputs it is not"
    again = tunebench("quick", folder, "-o", out, "--json")
    assert again.code == 4, again.err
    whole = tunebench("quick", folder, "-o", tmp_path / "b", "--json")
    assert len(again.json["files"]) == len(whole.json["files"]) == 24
    assert [again.json[part] for part in ("hosts", "answer")] == [whole.json[part] for part in ("hosts", "answer")]


def test_at_a_terminal_at_most_three_questions_are_asked(tmp_path: Path) -> None:
    places = {f"h{number}": f"{{side}}/srv{number}/vmstat_{{day}}.log" for number in range(5)}
    folder = two_sides.write(tmp_path / "in", {**places, "db01": SURE["db01"]})
    command = [sys.executable, "main.py", "quick", str(folder), "-o", str(tmp_path / "a"), "--lang", "en", "--json"]
    master, terminal = pty.openpty()
    with subprocess.Popen(
        command, cwd=ROOT, stdin=terminal, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        os.write(master, b"db01\n\n\n")
        out, err = process.communicate(timeout=120)
    assert process.returncode == 4, err
    assert err.count("Whose are they?") == 3
    compared = json.loads(out)["hosts"]["compared"]
    assert "db01" in compared and sum("(by folder)" in host for host in compared) == 4
    silent = subprocess.run(
        [*command[:5], str(tmp_path / "b"), *command[6:], "--yes"],
        cwd=ROOT,
        stdin=terminal,
        capture_output=True,
        text=True,
        check=False,
    )
    assert silent.returncode == 4 and "Whose" not in silent.stderr
    os.close(master)
    os.close(terminal)


def test_its_review_is_a_plan_that_import_takes_back(folder: Path, tmp_path: Path, tunebench: Command) -> None:
    out = tmp_path / "a"
    assert tunebench("quick", folder, "-o", out).code == 4
    plan = json.loads((out / "review.json").read_text(encoding="utf-8"))
    for file in plan["files"]:
        if file["host_proposed"] == "db01":
            file["host"] = "db01"
    (tmp_path / "plan.json").write_text(json.dumps(plan), encoding="utf-8")
    assert tunebench("import", out / "a.tune", "--plan", tmp_path / "plan.json").code == 0
    hosts = {run_host for run in tunebench("info", out / "a.tune", "--json").json["runs"] for run_host in run["hosts"]}
    assert hosts == {"app01", "db01", "web01 (by file name)"}
