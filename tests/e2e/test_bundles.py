"""Archives on the command line: one account per bundle, in text and as JSON."""

from __future__ import annotations

import io
import signal
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from tests.e2e.conftest import Command, iostat_capture
from tests.waiting import let_time_pass

ROOT = Path(__file__).resolve().parents[2]
TREES = ROOT / "tests" / "fixtures" / "bundles"


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    path = tmp_path / "osw_db01.tar.gz"
    with tarfile.open(path, "w:gz") as packed:
        packed.add(TREES / "oswbb", "oswbb")
        strange = b"nothing that any tool prints\n" * 5
        info = tarfile.TarInfo("oswbb/archive/strange.out")
        info.size = len(strange)
        packed.addfile(info, io.BytesIO(strange))
    return path


def test_the_json_shape(project: Path, archive: Path, tunebench: Command) -> None:
    answer = tunebench("import", project, archive, "--run", "before", "--json")
    assert answer.code == 4, "what was not recognised is left to be looked at"
    assert {"run", "files", "bundles"} <= set(answer.json)
    (bundle,) = answer.json["bundles"]
    assert (bundle["name"], bundle["form"], bundle["layouts"]) == ("osw_db01.tar.gz", "tar.gz", ["oswatcher"])
    assert bundle["size_bytes"] == archive.stat().st_size and len(bundle["sha256"]) == 64
    assert {"db01", "db02", "db03"} == set(bundle["hosts"])
    assert set(bundle["totals"]) == {
        "imported",
        "duplicate",
        "unrecognised",
        "failed",
        "kept",
        "not_capture",
        "refused",
    }
    assert sum(bundle["totals"].values()) == len(bundle["members"]) == 13
    files = [file for file in answer.json["files"] if file["state"] == "imported"]
    assert len(files) == bundle["totals"]["imported"]
    assert all(file["path"].startswith(f"{archive}!/oswbb/") and file["host"] for file in files)


def test_the_text_in_both_languages(project: Path, archive: Path, tunebench: Command) -> None:
    english = tunebench("import", project, archive, "--lang", "en")
    assert "osw_db01.tar.gz (tar.gz," in english.out and "not a capture" in english.out
    assert "hosts: db01, db02, db03" in english.out and "SHA-256" in english.out
    assert "archive/strange.out" in english.err and "readme.me" not in english.err
    korean = tunebench("import", project, archive, "--lang", "ko")
    assert "중복" in korean.out and "수집 파일 아님" in korean.out
    assert tunebench("check", project).code == 0


def test_an_archive_of_nothing_but_refusals(project: Path, tmp_path: Path, tunebench: Command) -> None:
    path = tmp_path / "x.tar"
    with tarfile.open(path, "w") as packed:
        packed.addfile(tarfile.TarInfo("../../etc/cron.d/evil"))
    answer = tunebench("import", project, path, "--json", "--lang", "en")
    assert answer.code == 3
    assert answer.json["bundles"][0]["totals"]["refused"] == 1
    assert "leads out of the archive" in answer.json["bundles"][0]["members"][0]["reason"]


def test_many_files_of_many_hosts_in_one_zip(project: Path, tmp_path: Path, tunebench: Command) -> None:
    path = tmp_path / "site.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for host in ("was1", "was2", "db1"):
            for day in range(18, 21):
                text = iostat_capture(f"2026-07-{day}", 3, 10.0 + day, 5.0 + len(host)).replace("(db01)", f"({host})")
                packed.writestr(f"{host}/2026-07-{day}/iostat.txt", text)
        packed.writestr("installed.txt", "nothing to see\n")
    answer = tunebench("import", project, path, "--json")
    assert (answer.code, answer.json["bundles"][0]["totals"]["imported"]) == (4, 9)
    series = tunebench("series", project, "--match", "r/s", "--json").json
    assert {one["host"] for one in series} == {"was1", "was2", "db1"}


def test_killed_while_an_archive_comes_in(project: Path, tmp_path: Path, tunebench: Command) -> None:
    """What was stored before the end is read at the next start, under its host's name, and nothing twice."""
    path = tmp_path / "osw.tar.gz"
    body = (TREES / "oswbb/archive/oswvmstat/db01_vmstat_26.11.22.0300.dat").read_text()
    with tarfile.open(path, "w:gz") as packed:
        for number in range(150):
            file = tmp_path / "one"
            file.write_text(body.replace(" 03:38:", f" {number // 60:02d}:{number % 60:02d}:"))
            stamp = f"26.11.22.{number // 60:02d}{number % 60:02d}"
            packed.add(file, f"archive/oswvmstat/db{number % 3}_vmstat_{stamp}.dat")
    command = [sys.executable, "main.py", "import", str(project), str(path)]
    for wait_s in (0.9, 1.5):
        with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            let_time_pass(wait_s, "it is killed at another point each time")
            process.send_signal(signal.SIGKILL)
        assert tunebench("check", project).code == 0
    answer = tunebench("import", project, path, "--json")
    totals = answer.json["bundles"][0]["totals"]
    assert answer.code == 0 and totals["imported"] + totals["duplicate"] == 150
    assert tunebench("check", project).code == 0
    (run,) = tunebench("info", project, "--json").json["runs"]
    assert len(run["artefacts"]) == 150 and {a["host"] for a in run["artefacts"]} == {"db0", "db1", "db2"}
    assert {a["state"] for a in run["artefacts"]} == {"imported"}
