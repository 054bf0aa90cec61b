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
    Planted("layers", "app/tunebench/domain/planted.py", "import tunebench.store"),
    Planted("layers", "app/tunebench/attic/__init__.py", "import tunebench.core"),  # a room without a place
    Planted("layers", "app/tunebench/cli/planted.py", "import tunebench.ui"),
    Planted("no-qt-below", "app/tunebench/usecases/planted.py", "from PySide6 import QtCore"),
    Planted("no-qt-below", "app/tunebench/analysis/planted.py", "import pyqtgraph"),
    Planted(
        "no-qt-below", "app/tunebench/cli/planted_2.py", "from tunebench.ui.look import theme"
    ),  # through another module
    Planted("store-door", "app/tunebench/usecases/planted_2.py", "import sqlite3"),
    Planted("store-door", "app/tunebench/capture/planted.py", "import pcodec"),
    Planted("sqlcipher-door", "app/tunebench/store/planted_3.py", "from sqlcipher3 import dbapi2"),
    Planted("zstandard-door", "app/tunebench/reporting/planted.py", "from backports import zstd"),
    Planted("zstandard-door", "app/tunebench/store/planted.py", "import backports.zstd"),
    Planted("signing-door", "app/tunebench/capture/planted_3.py", "from cryptography import exceptions"),
    Planted("transport-door", "app/tunebench/usecases/planted_3.py", "import paramiko"),
    Planted("transport-door", "app/tunebench/capture/planted_2.py", "import keyring"),
    Planted("reporting-door", "app/tunebench/ui/planted.py", "from reportlab.pdfgen import canvas"),
    Planted("reporting-door", "app/tunebench/usecases/planted_4.py", "import openpyxl"),
    Planted("reporting-door", "app/tunebench/ui/planted_2.py", "import pypdfium2"),
    Planted("parquet-door", "app/tunebench/reporting/planted_5.py", "import duckdb"),
    Planted("addresses-door", "app/tunebench/archive/planted.py", "import fsspec"),
    Planted("addresses-door", "app/tunebench/usecases/planted_7.py", "from s3fs import S3FileSystem"),
    Planted("cluster-door", "app/tunebench/usecases/planted_8.py", "from distributed import Client"),
    Planted("cluster-door", "app/tunebench/capture/planted_4.py", "import dask"),
    Planted("workbook-door", "app/tunebench/reporting/planted_2.py", "import python_calamine"),
    Planted("workbook-door", "app/tunebench/transport/planted.py", "from python_calamine import CalamineWorkbook"),
    Planted("html-door", "app/tunebench/sdk/planted.py", "from lxml import etree"),
    Planted("html-door", "app/tunebench/store/planted_2.py", "import lxml.html"),
    Planted("yaml-door", "app/tunebench/sdk/planted_2.py", "import yaml"),
    Planted("yaml-door", "app/tunebench/diagnosis/planted.py", "from yaml import safe_load"),
    Planted("messages-door", "app/tunebench/cli/planted_3.py", "import polib"),
    Planted("holidays-door", "app/tunebench/usecases/planted_6.py", "from holidays import country_holidays"),
    Planted("fronts-through-usecases", "app/tunebench/ui/planted_3.py", "from tunebench.store import queries"),
    Planted("fronts-through-usecases", "app/tunebench/cli/planted_4.py", "import tunebench.plughost"),
    Planted("fronts-through-usecases", "app/tunebench/cli/planted_5.py", "import tunebench.transport"),
    Planted("fronts-through-usecases", "app/tunebench/cli/planted_6.py", "import tunebench.cluster"),
    Planted("fronts-through-usecases", "app/tunebench/ui/planted_4.py", "import tunebench.capture"),
    Planted("plugins-only-sdk", "plugins/planted_one/reader.py", "from tunebench.domain import ledger"),
    Planted("plugins-only-sdk", "plugins/planted_one/reader_2.py", "import plugins.planted_two.reader"),
    Planted("plugins-only-sdk", "plugins/planted_one/reader_3.py", "import sqlite3"),
    Planted("plugins-only-sdk", "plugins/planted_one/reader_4.py", "import reportlab"),
    Planted(
        "plugins-only-sdk", "plugins/planted_one/reader_5.py", "from tunebench.sdk.spans import leading"
    ),  # not pinned
    Planted(
        "program-never-families", "app/tunebench/plughost/planted_2.py", "from tunebench.families.oracle import dates"
    ),
    Planted("program-never-families", "app/tunebench/sdk/planted_3.py", "import tunebench.families.runs"),
    Planted(
        "migrations-frozen",
        "app/tunebench/store/migrations/v9_9.py",
        "from tunebench.store.databases.records import insert_records",
    ),
    Planted(
        "migrations-frozen", "app/tunebench/store/migrations/v9_8.py", "from tunebench.store.migrations import v1_8"
    ),
    Planted("migrations-frozen", "app/tunebench/store/migrations/v9_7.py", "from tunebench.core import errors"),
    Planted("program-never-plugins", "app/tunebench/plughost/planted.py", "import plugins.planted_two.reader"),
    Planted("pages-independent", "app/tunebench/ui/pages/planted_page.py", "import tunebench.ui.pages.other"),
    Planted(
        "pages-independent", "app/tunebench/ui/widgets/planted.py", "import tunebench.ui.pages.other"
    ),  # through a widget
)


def run_lint(folder: Path) -> subprocess.CompletedProcess[str]:
    """`lint-imports` in `folder`, on the sources that lie there and no others."""
    code = "from importlinter.cli import lint_imports_command; lint_imports_command()"
    command = [sys.executable, "-c", code, "--no-cache", "--no-logo"]
    environment = {
        **os.environ,
        "PYTHONPATH": f"{folder}{os.pathsep}{folder / 'app'}",
        "COLUMNS": "200",
        "NO_COLOR": "1",
    }
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
    for target in ("plugins/planted_two/reader.py", "app/tunebench/ui/pages/other.py"):
        _write(copy / target, "")
    result = run_lint(copy)
    assert result.returncode == 0, result.stdout + result.stderr
    for planted in PLANTED:
        _write(copy / planted.module, f"{planted.statement}\n")
    _write(copy / "app/tunebench/ui/pages/asking_page.py", "import tunebench.ui.widgets.planted\n")
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
    importer = planted.module.removeprefix("app/").removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    if planted.module.startswith("app/tunebench/ui/widgets/"):
        importer = "tunebench.ui.pages.asking_page"
    assert re.search(rf"{re.escape(importer)}\b", found[planted.contract]), found[planted.contract]
