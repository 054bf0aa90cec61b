"""A whole pass on the command line, from an empty project to its report, never loads Qt.

The import contracts cannot see `importlib` or a lazy import that a library makes, so the pass is made for real,
in an interpreter where importing Qt fails and is written down.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

PASS = """
import contextlib, io, json, sys

class NoQt:
    asked = []
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("PySide6", "shiboken6", "pyqtgraph"):
            self.asked.append(name)
            raise ImportError(f"{name} must not be needed")

sys.meta_path.insert(0, NoQt())
from tunebench.bootstrap import main

def verb(*words):
    sys.argv = ["main.py", *words]
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        code = main()
    assert code == 0, (words, code, out.getvalue())
    return out.getvalue()

folder, before, after = sys.argv[1:]
project = f"{folder}/pass.tune"
verb("new", project, "--customer", "ACME")
verb("import", project, before, "--run", "before", "--phase", "before", "--json")
verb("import", project, after, "--run", "after", "--phase", "after", "--json")
info = json.loads(verb("info", project, "--json"))
series = json.loads(verb("series", project, "--json"))
verb("data", project, "--series", str(series[0]["id"]), "--format", "csv", "--out", f"{folder}/data.csv")
compared = json.loads(verb("compare", project, "--before", "before", "--after", "after", "--json"))
for language in ("ko", "en"):
    verb("report", project, "--pdf", f"{folder}/r-{language}.pdf", "--xlsx", f"{folder}/r-{language}.xlsx",
         "--lang", language)
verb("check", project, "--json")
verb("plugin", "list")
loaded = sorted(name for name in sys.modules if name.startswith(("PySide6", "shiboken6", "pyqtgraph")))
print(json.dumps({"loaded": loaded, "asked": NoQt.asked, "runs": len(info["runs"]), "series": len(series),
                  "compared": len(compared["series"])}))
"""


@pytest.fixture(scope="module")
def captures(project_root: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Two stamped iostat captures that differ, so that the second is no duplicate of the first."""
    folder = tmp_path_factory.mktemp("captures")
    banner = "Linux 6.1.0 (db01) \t2026-11-21 \t_x86_64_\t(2 CPU)\n"
    paths = []
    for name, hour, busy in (("before.txt", 9, 80.0), ("after.txt", 14, 20.0)):
        blocks = [_iostat_block(hour, minute, busy + minute) for minute in range(4)]
        path = folder / name
        path.write_text(banner + "".join(blocks), encoding="utf-8")
        paths.append(path)
    return paths[0], paths[1]


def _iostat_block(hour: int, minute: int, busy: float) -> str:
    return (
        f"\n2026-11-21T{hour:02d}:{minute:02d}:00+0900\n"
        "avg-cpu:  %user   %nice %system %iowait  %steal   %idle\n"
        f"          {busy:5.2f}    0.00    1.00    0.00    0.00   {99 - busy:5.2f}\n"
    )


def test_the_command_line_never_loads_qt(project_root: Path, tmp_path: Path, captures: tuple[Path, Path]) -> None:
    result = subprocess.run(
        [sys.executable, "-c", PASS, str(tmp_path), *map(str, captures)],
        cwd=project_root,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    found = json.loads(result.stdout.splitlines()[-1])
    assert found["loaded"] == []
    assert found["asked"] == []
    assert (found["runs"], found["series"] > 0, found["compared"] > 0) == (2, True, True)
    for language in ("ko", "en"):
        assert (tmp_path / f"r-{language}.pdf").read_bytes().startswith(b"%PDF-")
        assert (tmp_path / f"r-{language}.xlsx").read_bytes().startswith(b"PK")
