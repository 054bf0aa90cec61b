"""What a verb loads before it does anything: its own modules, and of their patterns those that it searches with.

Each verb runs for real, in a process of its own; `starts.toml` holds how many modules of the program it may load and how
many patterns it may compile. Plug-ins and what their families share are loaded by what is recognised, and not counted.
"""

from __future__ import annotations

import ast
import json
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.architecture import source_scan as scan

LIMITS: dict[str, dict[str, int]] = tomllib.loads(Path(__file__).with_name("starts.toml").read_text(encoding="utf-8"))
RUN = """
import json, re, sys

compiled, really = [], re.compile
apart = ("tunebench.families", "tunebench_plugins")

def is_counted(name):
    return name.startswith("tunebench") and not name.startswith(apart)

def counted(pattern, flags=0):
    frame = sys._getframe(1)
    if frame.f_globals["__name__"] == "tunebench.core.patterns":  # who uses the lazy pattern
        frame = frame.f_back
    if is_counted(frame.f_globals["__name__"]):
        compiled.append(pattern)
    return really(pattern, flags)

re.compile = counted
from tunebench.bootstrap import main
try:
    code = main(sys.argv[1:])
except SystemExit as end:
    code = end.code or 0
modules = sorted(filter(is_counted, sys.modules))
print("\\n" + json.dumps({"code": code, "modules": modules, "compiled": len(compiled)}))
"""
NOT_FOR = {
    "--version": ("analysis", "archive", "capture", "diagnosis", "plughost", "reporting", "sdk", "store"),
    "new": ("archive", "capture", "diagnosis", "families", "plughost", "reporting"),
    "info": ("archive", "diagnosis", "plughost", "reporting", "usecases.browse", "usecases.exports", "cli.cycle"),
    "import": (
        "archive",
        "diagnosis",
        "reporting",
        "usecases.browse",
        "usecases.exports",
        "analysis.comparing.judging",
    ),
    "compare": ("archive", "reporting.pdf", "reporting.xlsx"),
    "report": ("archive",),
}
"""Rooms that a verb has nothing to do with."""


def _capture(hour: int, busy: float) -> str:
    blocks = [
        f"\n2026-11-21T{hour:02d}:{minute:02d}:00+0900\n"
        "avg-cpu:  %user   %nice %system %iowait  %steal   %idle\n"
        f"          {busy + minute:5.2f}    0.00    1.00    0.00    0.00   {99 - busy - minute:5.2f}\n"
        for minute in range(4)
    ]
    return "Linux 6.1.0 (db01) \t2026-11-21 \t_x86_64_\t(2 CPU)\n" + "".join(blocks)


def _verbs(folder: Path) -> Iterator[tuple[str, list[str]]]:
    project = str(folder / "start.tune")
    yield "--version", ["--version"]
    yield "new", ["new", project, "--customer", "ACME"]
    for run, hour, busy in (("before", 9, 80.0), ("after", 14, 20.0)):
        capture = folder / f"{run}.txt"
        capture.write_text(_capture(hour, busy), encoding="utf-8")
        yield "import", ["import", project, str(capture), "--run", run, "--phase", run]
    yield "info", ["info", project]
    yield "compare", ["compare", project, "--before", "before", "--after", "after"]
    yield "report", ["report", project, "--pdf", str(folder / "start.pdf")]


@pytest.fixture(scope="module")
def starts(project_root: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, object]]:
    """Verb -> its exit code, the modules that it loaded and how many patterns it compiled."""
    answers = {}
    for verb, words in _verbs(tmp_path_factory.mktemp("start")):
        done = subprocess.run(
            [sys.executable, "-c", RUN, *words], cwd=project_root, capture_output=True, text=True, timeout=300
        )
        assert done.returncode == 0, (verb, done.stderr)
        answers[verb] = json.loads(done.stdout.splitlines()[-1])
    return answers


@pytest.mark.parametrize("verb", NOT_FOR)
def test_a_verb_loads_no_more_than_it_did(starts, verb):
    answer, limit = starts[verb], LIMITS[verb]
    assert answer["code"] == 0
    assert len(answer["modules"]) <= limit["modules"], "modules"
    assert answer["compiled"] <= limit["patterns"], "patterns"


@pytest.mark.parametrize("verb", NOT_FOR)
def test_what_was_won_is_written_down(starts, verb):
    """A limit far above what is needed holds nothing."""
    answer, limit = starts[verb], LIMITS[verb]
    assert len(answer["modules"]) >= 0.95 * limit["modules"], "lower it in starts.toml"
    assert answer["compiled"] >= 0.8 * limit["patterns"] - 5, "lower it in starts.toml"


@pytest.mark.parametrize("verb", NOT_FOR)
def test_a_verb_loads_no_room_that_it_has_nothing_to_do_with(starts, verb):
    modules = starts[verb]["modules"]
    for room in NOT_FOR[verb]:
        assert [name for name in modules if f"{name}.".startswith(f"tunebench.{room}.")] == []


def test_no_module_compiles_a_pattern_when_it_is_loaded():
    """`lazy_pattern` stands there instead."""
    assert [
        f"{path.relative_to(scan.ROOT)}:{call.lineno}"
        for path in scan.sources("app", "plugins")
        for call in _at_loading(scan.tree_of(path))
        if ast.unparse(call.func) == "re.compile"
    ] == []


def test_no_match_is_asked_whether_its_pattern_is_a_lazy_one():
    """It is the compiled one, equal to the lazy one and not the same."""
    assert [
        f"{path.relative_to(scan.ROOT)}:{node.lineno}"
        for path in scan.sources("app", "plugins")
        for node in ast.walk(scan.tree_of(path))
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Is | ast.IsNot)
        if isinstance(node.left, ast.Attribute) and node.left.attr == "re"
    ] == []


def _at_loading(node: ast.AST) -> Iterator[ast.Call]:
    """Calls outside of functions."""
    for inner in ast.iter_child_nodes(node):
        if isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        if isinstance(inner, ast.Call):
            yield inner
        yield from _at_loading(inner)
