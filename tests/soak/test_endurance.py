"""The pinned Qt survives a day's worth of calls on this interpreter, and the window does not grow while it is used."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest


def run_qt_calls(project_root: Path, calls: int, timeout_s: float) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-X", "faulthandler", "-m", "tests.soak.qt_calls", str(calls)],
        cwd=project_root,
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
        capture_output=True,
        text=True,
        timeout=timeout_s,
    )


def test_twenty_thousand_calls(project_root: Path) -> None:
    """PySide6 6.12.0 on Python 3.11 dies after about 5,000."""
    result = run_qt_calls(project_root, 20_000, timeout_s=60)
    assert result.returncode == 0, result.stderr
    assert result.stdout.strip() == "20000"


@pytest.mark.soak
def test_five_million_calls(project_root: Path) -> None:
    result = run_qt_calls(project_root, 5_000_000, timeout_s=900)
    assert result.returncode == 0, result.stderr
    assert result.stdout.strip() == "5000000"


@pytest.mark.soak
def test_window_does_not_grow(project_root: Path, tmp_path: Path) -> None:
    """A hundred rounds through every page; caches may fill, but not without end."""
    project = tmp_path / "demo.tune"
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    subprocess.run([sys.executable, "main.py", "demo", str(project)], cwd=project_root, check=True, timeout=300)
    result = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-m", "tests.soak.window_life", str(project), "100"],
        cwd=project_root,
        env=environment,
        capture_output=True,
        text=True,
        timeout=1_800,
    )
    assert result.returncode == 0, result.stderr
    found = json.loads(result.stdout.splitlines()[-1])
    assert found["late_mb"] - found["early_mb"] < 60, found
