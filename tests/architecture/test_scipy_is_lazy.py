"""SciPy takes a third of a second to import, its statistics a whole one: it is loaded when a number needs it; and so are
the holidays of the countries.

Every module is imported for real, in an interpreter of its own: what a look at the sources would miss is found too.
"""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

from tests.architecture import source_scan as scan

IMPORT_ALL = """
import importlib, json, pkgutil, sys
import tunebench.analysis, tunebench.cli, tunebench.usecases

for package in (tunebench.analysis, tunebench.cli, tunebench.usecases):
    for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        importlib.import_module(module.name)
print(json.dumps(sorted(name for name in sys.modules if name.partition(".")[0] in ("scipy", "holidays"))))
"""
START = """
import contextlib, io, json, sys
from tests.program import main
from tunebench.cli.verb_names import VERB_NAMES

for words in (["--help"], ["calc", "--list"], *([verb, "--help"] for verb in VERB_NAMES)):
    for language in ("ko", "en"):
        with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
            main([*words, "--lang", language])
print(json.dumps(sorted(name for name in sys.modules if name.partition(".")[0] in ("scipy", "holidays"))))
"""
ALLOWED = ("scipy.special", "scipy.optimize")


def loaded_by(code: str, root: Path) -> list[str]:
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    found: list[str] = json.loads(done.stdout.splitlines()[-1])
    return found


def test_importing_the_program_loads_no_scipy(project_root: Path) -> None:
    assert loaded_by(IMPORT_ALL, project_root) == []


def test_starting_any_verb_loads_no_scipy(project_root: Path) -> None:
    """Their helps are printed, in both languages."""
    assert loaded_by(START, project_root) == []


def test_a_number_that_needs_it_does_load_it(project_root: Path) -> None:
    """Or the two tests above would prove nothing."""
    code = (
        "import json, sys\nfrom tunebench.analysis.inference.student import t_quantile\nt_quantile(0.975, 5)\n"
        "print(json.dumps([name for name in ('scipy.special', 'scipy.stats') if name in sys.modules]))"
    )
    assert loaded_by(code, project_root) == ["scipy.special"]


def test_only_special_functions_and_optimisation_are_used() -> None:
    """`scipy.stats` takes a second to import, and its tests take samples as independent."""
    found = {
        f"{path.relative_to(scan.ROOT)}: {name}"
        for path in scan.sources("app", "plugins")
        for node in ast.walk(scan.tree_of(path))
        for name in imported(node)
        if name.partition(".")[0] == "scipy" and not name.startswith(ALLOWED)
    }
    assert not found


def imported(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom) and node.module:
        return [f"{node.module}.{alias.name}" for alias in node.names] if node.module == "scipy" else [node.module]
    return []
