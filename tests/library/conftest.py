"""One installed environment and one demo for the tests of the library."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.library.environment import Environment, core_libraries, wheel_of


@pytest.fixture(scope="session")
def environment(project_root: Path, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """The library with its core alone."""
    folder = tmp_path_factory.mktemp("installed")
    wheel = wheel_of(project_root, folder / "wheel")
    return Environment(folder / "environment", wheel, core_libraries(project_root))


@pytest.fixture(scope="session")
def told_demo(project_root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo as the program writes it; nobody writes into it."""
    path = tmp_path_factory.mktemp("demo") / "demo.tune"
    subprocess.run([sys.executable, "main.py", "demo", str(path)], cwd=project_root, check=True, capture_output=True)
    return path


@pytest.fixture
def demo(tmp_path: Path, told_demo: Path) -> Path:
    return Path(shutil.copy(told_demo, tmp_path / "demo.tune"))
