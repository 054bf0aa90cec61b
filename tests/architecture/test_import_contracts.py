"""The import contracts hold, and each of them catches a violation planted in a copy of the program."""

from __future__ import annotations

import configparser
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest


@dataclass(frozen=True)
class Planted:
    """An import statement put into a module of the copy; a module that is not there is created."""

    contract: str
    module: str
    statement: str


PLANTED = (
    Planted("layers", "app/domain/planted.py", "import app.store"),
    Planted("layers", "app/attic/__init__.py", "import app.core"),  # a room without a place
    Planted("layers", "app/cli/planted.py", "import app.ui"),
    Planted("no-qt-below", "app/usecases/planted.py", "from PySide6 import QtCore"),
    Planted("no-qt-below", "app/analysis/planted.py", "import pyqtgraph"),
    Planted("no-qt-below", "app/cli/planted.py", "from app.ui.look import theme"),  # through another module
    Planted("store-door", "app/usecases/planted.py", "import sqlite3"),
    Planted("store-door", "app/capture/planted.py", "import pcodec"),
    Planted("zstandard-door", "app/reporting/planted.py", "from zstandard import ZstdCompressor"),
    Planted("zstandard-door", "app/store/planted.py", "import zstandard"),
    Planted("transport-door", "app/usecases/planted.py", "import paramiko"),
    Planted("transport-door", "app/capture/planted.py", "import keyring"),
    Planted("reporting-door", "app/ui/planted.py", "from reportlab.pdfgen import canvas"),
    Planted("reporting-door", "app/usecases/planted.py", "import openpyxl"),
    Planted("reporting-door", "app/ui/planted.py", "import pypdfium2"),
    Planted("reporting-door", "app/usecases/planted.py", "import polars"),
    Planted("html-door", "app/sdk/planted.py", "from lxml import etree"),
    Planted("html-door", "app/store/planted.py", "import lxml.html"),
    Planted("yaml-door", "app/sdk/planted.py", "import yaml"),
    Planted("yaml-door", "app/diagnosis/planted.py", "from yaml import safe_load"),
    Planted("messages-door", "app/cli/planted.py", "import polib"),
    Planted("fronts-through-usecases", "app/ui/planted.py", "from app.store import queries"),
    Planted("fronts-through-usecases", "app/cli/planted.py", "import app.plughost"),
    Planted("fronts-through-usecases", "app/cli/planted.py", "import app.transport"),
    Planted("fronts-through-usecases", "app/ui/planted.py", "import app.capture"),
    Planted("plugins-only-sdk", "plugins/planted_one/reader.py", "from app.domain import ledger"),
    Planted("plugins-only-sdk", "plugins/planted_one/reader.py", "import plugins.planted_two.reader"),
    Planted("plugins-only-sdk", "plugins/planted_one/reader.py", "import sqlite3"),
    Planted("plugins-only-sdk", "plugins/planted_one/reader.py", "import reportlab"),
    Planted("app-never-plugins", "app/plughost/planted.py", "import plugins.planted_two.reader"),
    Planted("pages-independent", "app/ui/pages/planted_page.py", "import app.ui.pages.other"),
    Planted("pages-independent", "app/ui/widgets/planted.py", "import app.ui.pages.other"),  # through a widget
)


def run_lint(folder: Path, *contracts: str) -> subprocess.CompletedProcess[str]:
    """`lint-imports` in `folder`, on the sources that lie there and no others."""
    code = "from importlinter.cli import lint_imports_command; lint_imports_command()"
    command = [sys.executable, "-c", code, "--no-cache", "--no-logo"]
    for contract in contracts:
        command += ["--contract", contract]
    environment = {**os.environ, "PYTHONPATH": str(folder), "COLUMNS": "200", "NO_COLOR": "1"}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120)


def contract_ids(project_root: Path) -> list[str]:
    parser = configparser.ConfigParser()
    parser.read(project_root / ".importlinter", encoding="utf-8")
    prefix = "importlinter:contract:"
    return [name.removeprefix(prefix) for name in parser.sections() if name.startswith(prefix)]


@pytest.fixture
def copy_of_program(project_root: Path, tmp_path: Path) -> Path:
    """The importable sources and the contracts, with modules that a planted import can aim at."""
    only_code = shutil.ignore_patterns("__pycache__", "*.pyc", "*.txt", "*.out")
    for name in ("app", "plugins", "tests/architecture"):
        shutil.copytree(project_root / name, tmp_path / name, ignore=only_code)
    shutil.copy(project_root / ".importlinter", tmp_path)
    for target in ("plugins/planted_two/reader.py", "app/ui/pages/other.py"):
        _write(tmp_path / target, "")
    if not (tmp_path / "app/ui/pages/__init__.py").exists():
        _write(tmp_path / "app/ui/pages/__init__.py", "")
    return tmp_path


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def test_every_contract_is_kept(project_root: Path) -> None:
    result = run_lint(project_root)
    assert result.returncode == 0, result.stdout + result.stderr


def test_every_contract_has_a_planted_violation(project_root: Path) -> None:
    assert {planted.contract for planted in PLANTED} == set(contract_ids(project_root))


def test_the_copy_itself_is_clean(copy_of_program: Path) -> None:
    result = run_lint(copy_of_program)
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.parametrize("planted", PLANTED, ids=lambda planted: f"{planted.contract}:{planted.statement}")
def test_planted_violation_is_caught(copy_of_program: Path, planted: Planted) -> None:
    _write(copy_of_program / planted.module, f"{planted.statement}\n")
    if planted.module.startswith("app/ui/widgets/"):
        _write(copy_of_program / "app/ui/pages/planted_page.py", "import app.ui.widgets.planted\n")
    result = run_lint(copy_of_program, planted.contract)
    assert result.returncode == 1
    assert "BROKEN" in result.stdout, result.stdout + result.stderr
