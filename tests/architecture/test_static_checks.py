"""The linters are part of the tests: what they find is mended, not postponed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def run_module(project_root: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", *words], cwd=project_root, capture_output=True, text=True, timeout=600)


def test_ruff_is_content(project_root: Path) -> None:
    result = run_module(project_root, "ruff", "check", "--output-format", "concise", ".")
    assert result.returncode == 0, result.stdout + result.stderr


def test_the_formatter_has_nothing_to_do(project_root: Path) -> None:
    result = run_module(project_root, "ruff", "format", "--check", ".")
    assert result.returncode == 0, result.stdout + result.stderr


def test_types_are_right(project_root: Path) -> None:
    result = run_module(project_root, "mypy")
    assert result.returncode == 0, result.stdout + result.stderr
