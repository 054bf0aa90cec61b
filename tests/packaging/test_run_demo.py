"""`make run` without a display goes the whole way: engagement, comparison, reports in both languages, pictures."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from openpyxl import load_workbook
from pypdfium2 import PdfDocument
from PySide6.QtGui import QImage

PAGES = ("timeline", "compare")
"""The others are drawn in both languages and looks by the tests of the window."""


def run_demo(project_root: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")}
    return subprocess.run(
        [sys.executable, "packaging/run_demo.py", "--folder", str(folder), "--pages", *PAGES],
        cwd=project_root,
        env={**environment, "LC_ALL": "C.UTF-8"},
        capture_output=True,
        text=True,
        timeout=600,
    )


@pytest.fixture(scope="module")
def first_run(project_root: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The folder, and all that was printed."""
    folder = tmp_path_factory.mktemp("demo")
    result = run_demo(project_root, folder)
    assert result.returncode == 0, result.stdout + result.stderr
    for name in ("report-ko.pdf", "report-en.pdf", "report-ko.xlsx", "report-en.xlsx", "screenshots"):
        assert name in result.stdout
    return folder, result.stdout + result.stderr


@pytest.fixture(scope="module")
def demo_folder(first_run: tuple[Path, str]) -> Path:
    return first_run[0]


def test_what_is_printed_can_be_read_by_a_newcomer(first_run: tuple[Path, str]) -> None:
    """What was made, where, and the result; no ids of statements, no remarks on snapshots."""
    folder, printed = first_run
    lines = [line for line in printed.splitlines() if line.strip()]
    assert len(lines) <= 15 and not re.search(r"\d{12}", printed.replace(str(folder), ""))
    assert not any("Note" in line or "Occurrences" in line for line in lines)
    (result,) = (line for line in lines if line.startswith("Result of the demo engagement: "))
    values = [float(word) for word in re.findall(r"(?<= )\d[\d.]*(?= )", result)]
    assert values == pytest.approx([48, 26, 30], rel=0.02)  # what the demo's world is made to be, and the target
    assert "target met" in result
    assert re.search(r"Checks of the project file: (\d+) of \1 passed", printed)


def test_statements_are_told_by_their_texts(first_run: tuple[Path, str]) -> None:
    folder, _ = first_run
    windows = {
        one["role"]: one["name"] for one in json.loads(_program(folder, "window", "demo.tune", "list", "--json"))
    }
    words = (
        "compare",
        "demo.tune",
        "--before",
        windows["before"],
        "--after",
        windows["after"],
        "--lang",
        "en",
        "--rows",
    )
    judged = re.findall(r"(?m)^(.+?): Occurrences: 4 before, 4 after", _program(folder, *words))[
        -5:
    ]  # those above are of all
    assert len(judged) == 5
    assert all(re.match(r"(?i)(select|update|insert|delete|begin|end|commit)\b", text) for text in judged), judged


def _program(folder: Path, *words: str | Path) -> str:
    root = Path(__file__).parents[2]
    command = [sys.executable, str(root / "main.py"), *map(str, words)]
    done = subprocess.run(command, cwd=folder, capture_output=True, encoding="utf-8", timeout=120, check=True)
    return done.stdout if "--json" in words else done.stdout + done.stderr


def test_both_windows_are_compared(demo_folder: Path) -> None:
    found = json.loads((demo_folder / "compare.json").read_text(encoding="utf-8"))
    both = [row for row in found["series"] if row["before"] and row["after"]]
    assert len(both) > 20


@pytest.mark.parametrize("language", ["ko", "en"])
def test_documents_can_be_opened(demo_folder: Path, language: str) -> None:
    with PdfDocument(demo_folder / f"report-{language}.pdf") as pdf:
        assert len(pdf) >= 5
    assert len(load_workbook(demo_folder / f"report-{language}.xlsx").sheetnames) >= 3


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("look", ["ko", "ko-dark", "en", "en-dark"])
def test_every_page_has_a_picture(demo_folder: Path, page: str, look: str) -> None:
    picture = QImage(str(demo_folder / "screenshots" / f"{page}-{look}.png"))
    size = (1600, 900) if look.endswith("dark") else (1366, 768)
    assert (picture.width(), picture.height()) == size
    colours = {picture.pixel(x, y) for x in range(0, picture.width(), 7) for y in range(0, picture.height(), 7)}
    assert len(colours) > 8, "an empty window"


def test_a_second_run_keeps_the_engagement(project_root: Path, demo_folder: Path) -> None:
    """What the user did in the demo is still there the next day."""
    before = (demo_folder / "demo.tune").stat().st_mtime_ns
    code = (
        "import sys; sys.path.insert(0, 'packaging'); import run_demo, pathlib;"
        "run_demo.build_engagement(run_demo.Demo(pathlib.Path(sys.argv[1])))"
    )
    subprocess.run([sys.executable, "-c", code, str(demo_folder)], cwd=project_root, check=True, timeout=60)
    assert (demo_folder / "demo.tune").stat().st_mtime_ns == before
