"""An import that was killed, on the command line: how much is in is said, and one flag goes on as it was begun."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path

import pytest

from tests.program import compose
from tests.unit.usecases import daily_captures as made
from tests.unit.usecases.killed_imports import FILES, TAKEN, killed_import
from tunebench.cli.main import run

IMPORT = """
from tunebench.cli.main import run
run(["import", sys.argv[1], sys.argv[2], "--run", "july", "--phase", "after", "--tz", "Asia/Seoul", "--first-measured"])
"""
SAYS = {
    "en": f"The program was ended during an import: {TAKEN} of {FILES} files of ",
    "ko": f"의 파일 {FILES}개 중 {TAKEN}개를 가져왔습니다. 이어서 하려면: import ",
}


@pytest.fixture
def killed(tmp_path: Path) -> Path:
    compose()
    return killed_import(tmp_path, IMPORT)


@pytest.mark.parametrize("language", ["en", "ko"])
def test_info_says_how_much_is_in_and_how_to_go_on(
    killed: Path, language: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["info", str(killed), "--lang", language]) == 0
    said = capsys.readouterr().err
    assert SAYS[language] in said and f"import {killed} --go-on" in said
    assert run(["info", str(killed), "--json"]) == 0
    begun = json.loads(capsys.readouterr().out)["import_cut_off"]
    assert begun == {"paths": [str(killed.parent / "captures")], "arrived": TAKEN, "files": FILES}


def test_one_flag_goes_on_under_the_same_options(killed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["import", str(killed), "--go-on", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["run"] == "july" and len(document["files"]) == FILES
    assert run(["info", str(killed), "--json"]) == 0
    whole = json.loads(capsys.readouterr().out)
    (only,) = whole["runs"]
    assert (only["label"], only["phase"], len(only["artefacts"])) == ("july", "after", FILES)
    assert whole["import_cut_off"] is None
    assert run(["import", str(killed), "--go-on"]) == 3
    assert "nothing to go on with" in capsys.readouterr().err


def test_another_import_does_not_make_it_forgotten(killed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = killed.parent / "other"
    other.mkdir()
    made.sar_day(other, datetime(2026, 8, 3), 0)
    assert run(["import", str(killed), str(other), "--run", "august", "--lang", "en"]) == 0
    assert SAYS["en"] in capsys.readouterr().err
    assert run(["import", str(killed), str(killed.parent / "captures"), "--run", "july", "--lang", "en"]) == 0
    assert SAYS["en"] not in capsys.readouterr().err, "the same files again: it has gone on with that"
