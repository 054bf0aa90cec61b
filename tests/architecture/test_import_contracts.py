"""The import contracts hold, and each of them catches a violation planted in a copy of the program."""

from __future__ import annotations

import configparser
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest


@dataclass(frozen=True)
class Planted:
    """An import statement put into a new module of the copy; each has one of its own, so that all lie there at once."""

    contract: str
    module: str
    statement: str


PLANTED = (
    Planted("layers", "app/domain/planted.py", "import app.store"),
    Planted("layers", "app/attic/__init__.py", "import app.core"),  # a room without a place
    Planted("layers", "app/cli/planted.py", "import app.ui"),
    Planted("no-qt-below", "app/usecases/planted.py", "from PySide6 import QtCore"),
    Planted("no-qt-below", "app/analysis/planted.py", "import pyqtgraph"),
    Planted("no-qt-below", "app/cli/planted_2.py", "from app.ui.look import theme"),  # through another module
    Planted("store-door", "app/usecases/planted_2.py", "import sqlite3"),
    Planted("store-door", "app/capture/planted.py", "import pcodec"),
    Planted("sqlcipher-door", "app/store/planted_3.py", "from sqlcipher3 import dbapi2"),
    Planted("zstandard-door", "app/reporting/planted.py", "from zstandard import ZstdCompressor"),
    Planted("zstandard-door", "app/store/planted.py", "import zstandard"),
    Planted("signing-door", "app/capture/planted_3.py", "from cryptography import exceptions"),
    Planted("transport-door", "app/usecases/planted_3.py", "import paramiko"),
    Planted("transport-door", "app/capture/planted_2.py", "import keyring"),
    Planted("reporting-door", "app/ui/planted.py", "from reportlab.pdfgen import canvas"),
    Planted("reporting-door", "app/usecases/planted_4.py", "import openpyxl"),
    Planted("reporting-door", "app/ui/planted_2.py", "import pypdfium2"),
    Planted("parquet-door", "app/reporting/planted_5.py", "import duckdb"),
    Planted("workbook-door", "app/reporting/planted_2.py", "import python_calamine"),
    Planted("workbook-door", "app/transport/planted.py", "from python_calamine import CalamineWorkbook"),
    Planted("html-door", "app/sdk/planted.py", "from lxml import etree"),
    Planted("html-door", "app/store/planted_2.py", "import lxml.html"),
    Planted("yaml-door", "app/sdk/planted_2.py", "import yaml"),
    Planted("yaml-door", "app/diagnosis/planted.py", "from yaml import safe_load"),
    Planted("messages-door", "app/cli/planted_3.py", "import polib"),
    Planted("holidays-door", "app/usecases/planted_6.py", "from holidays import country_holidays"),
    Planted("fronts-through-usecases", "app/ui/planted_3.py", "from app.store import queries"),
    Planted("fronts-through-usecases", "app/cli/planted_4.py", "import app.plughost"),
    Planted("fronts-through-usecases", "app/cli/planted_5.py", "import app.transport"),
    Planted("fronts-through-usecases", "app/ui/planted_4.py", "import app.capture"),
    Planted("plugins-only-sdk", "plugins/planted_one/reader.py", "from app.domain import ledger"),
    Planted("plugins-only-sdk", "plugins/planted_one/reader_2.py", "import plugins.planted_two.reader"),
    Planted("plugins-only-sdk", "plugins/planted_one/reader_3.py", "import sqlite3"),
    Planted("plugins-only-sdk", "plugins/planted_one/reader_4.py", "import reportlab"),
    Planted("plugins-only-sdk", "plugins/planted_one/reader_5.py", "from app.sdk.spans import leading"),  # not pinned
    Planted("app-never-families", "app/plughost/planted_2.py", "from app.families.oracle import dates"),
    Planted("app-never-families", "app/sdk/planted_3.py", "import app.families.runs"),
    Planted(
        "migrations-frozen", "app/store/migrations/v9_9.py", "from app.store.databases.records import insert_records"
    ),
    Planted("migrations-frozen", "app/store/migrations/v9_8.py", "from app.store.migrations import v1_8"),
    Planted("migrations-frozen", "app/store/migrations/v9_7.py", "from app.core import errors"),
    Planted("app-never-plugins", "app/plughost/planted.py", "import plugins.planted_two.reader"),
    Planted("pages-independent", "app/ui/pages/planted_page.py", "import app.ui.pages.other"),
    Planted("pages-independent", "app/ui/widgets/planted.py", "import app.ui.pages.other"),  # through a widget
)


def run_lint(folder: Path) -> subprocess.CompletedProcess[str]:
    """`lint-imports` in `folder`, on the sources that lie there and no others."""
    code = "from importlinter.cli import lint_imports_command; lint_imports_command()"
    command = [sys.executable, "-c", code, "--no-cache", "--no-logo"]
    environment = {**os.environ, "PYTHONPATH": str(folder), "COLUMNS": "200", "NO_COLOR": "1"}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120)


def contracts(project_root: Path) -> dict[str, str]:
    """Id -> name."""
    parser = configparser.ConfigParser()
    parser.read(project_root / ".importlinter", encoding="utf-8")
    prefix = "importlinter:contract:"
    return {name.removeprefix(prefix): part["name"] for name, part in parser.items() if name.startswith(prefix)}


@pytest.fixture(scope="module")
def found(project_root: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What each contract says of a copy of the program in which every violation is planted; without them it is clean."""
    copy = tmp_path_factory.mktemp("planted")
    only_code = shutil.ignore_patterns("__pycache__", "*.pyc", "*.txt", "*.out")
    for name in ("app", "plugins", "tests/architecture"):
        shutil.copytree(project_root / name, copy / name, ignore=only_code)
    shutil.copy(project_root / ".importlinter", copy)
    for target in ("plugins/planted_two/reader.py", "app/ui/pages/other.py"):
        _write(copy / target, "")
    result = run_lint(copy)
    assert result.returncode == 0, result.stdout + result.stderr
    for planted in PLANTED:
        _write(copy / planted.module, f"{planted.statement}\n")
    _write(copy / "app/ui/pages/asking_page.py", "import app.ui.widgets.planted\n")
    result = run_lint(copy)
    assert result.returncode == 1
    return sections(project_root, result.stdout.partition("Broken contracts")[2])


def sections(project_root: Path, told: str) -> dict[str, str]:
    """Contract -> what stands below its name."""
    names = contracts(project_root)
    parts = re.split("|".join(f"^({re.escape(name)})$" for name in names.values()), told, flags=re.MULTILINE)
    ids = {name: contract for contract, name in names.items()}
    texts = [part for part in parts if part is not None]
    return {ids[name]: text for name, text in zip(texts[1::2], texts[2::2], strict=True)}


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def test_every_contract_is_kept(project_root: Path) -> None:
    result = run_lint(project_root)
    assert result.returncode == 0, result.stdout + result.stderr


def test_every_contract_has_a_planted_violation(project_root: Path) -> None:
    assert {planted.contract for planted in PLANTED} == set(contracts(project_root))


@pytest.mark.parametrize("planted", PLANTED, ids=lambda planted: f"{planted.contract}:{planted.statement}")
def test_planted_violation_is_caught(found: dict[str, str], planted: Planted) -> None:
    importer = planted.module.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    if planted.module.startswith("app/ui/widgets/"):
        importer = "app.ui.pages.asking_page"
    assert re.search(rf"{re.escape(importer)}\b", found[planted.contract]), found[planted.contract]
