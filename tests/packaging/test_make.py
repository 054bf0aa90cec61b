"""What `make test` does with its two halves, beside a stand-in for Python."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

STAND_IN = """\
#!/bin/sh
case "$*" in *"not alone"*) echo "first: {first}"; exit {first};; *" -m alone"*) echo "second: {second}"; exit {second};; esac
exit 9
"""


@pytest.mark.parametrize(("first", "second"), [(0, 0), (1, 0), (0, 1), (2, 0)])
def test_the_second_half_runs_whatever_the_first_did_and_either_counts(
    project_root: Path, tmp_path: Path, first: int, second: int
) -> None:
    python = tmp_path / "python"
    python.write_text(STAND_IN.format(first=first, second=second))
    python.chmod(0o755)
    of_no_make = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    ran = subprocess.run(
        ["make", "-o", "setup-test", "test", f"VENV={python}", "ARGS="],
        cwd=project_root,
        capture_output=True,
        text=True,
        timeout=60,
        env=of_no_make,
    )
    assert ran.stdout.splitlines()[:2] == [f"first: {first}", f"second: {second}"]
    assert (ran.returncode == 0) == (first == second == 0)
