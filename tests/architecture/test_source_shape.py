"""The shape of the sources: the entry point, sizes of files and functions, names that say nothing."""

from __future__ import annotations

import ast
import statistics

from tests.architecture import source_scan as scan

LONGEST_FILE_LINES = 700
LONGEST_FUNCTION_LINES = 80
EMPTY_NAMES = ("util", "utils", "helper", "helpers", "manager", "common", "misc")
PROGRAM = scan.sources("app", "plugins")


def test_main_finds_the_package_and_starts_it() -> None:
    lines = (scan.ROOT / "main.py").read_text(encoding="utf-8").splitlines()
    code = [line.partition("  #")[0] for line in lines if line.strip() and not line.startswith(("#", '"""'))]
    assert code == [
        "import sys",
        "from pathlib import Path",
        'sys.path.insert(0, str(Path(__file__).resolve().parent / "app"))',
        "from tunebench.bootstrap import main",
        'if __name__ == "__main__":',
        "    raise SystemExit(main())",
    ]


def test_no_file_is_too_long() -> None:
    files = scan.sources("app", "plugins", "tests", "packaging")
    lengths = {path.relative_to(scan.ROOT).as_posix(): path.read_text(encoding="utf-8").count("\n") for path in files}
    long = {name: lines for name, lines in lengths.items() if lines > LONGEST_FILE_LINES}
    assert not long


def test_functions_are_short() -> None:
    found = [item for path in PROGRAM for item in scan.function_lengths(path)]
    long = [f"{place} {name}: {lines} lines" for place, name, lines in found if lines > LONGEST_FUNCTION_LINES]
    assert not long, "\n".join(long)
    assert statistics.median(lines for _, _, lines in found) <= 12


def test_names_say_something() -> None:
    empty = [str(path.relative_to(scan.ROOT)) for path in PROGRAM if path.stem.lower() in EMPTY_NAMES]
    assert not empty


def test_the_command_line_has_one_door_to_the_terminal() -> None:
    """Past `tunebench.cli.console`, what hosts and files say would reach a terminal as it is."""
    others = {"print", "input", "getpass", "sys.stdout.buffer", "sys.__stdout__", "sys.__stderr__"}
    past = [
        f"{path.name}:{node.lineno} {ast.unparse(node)}"
        for path in scan.sources("app/tunebench/cli")
        if path.name != "console.py"
        for node in ast.walk(scan.tree_of(path))
        if isinstance(node, ast.Name | ast.Attribute) and ast.unparse(node) in others
    ]
    assert not past
    main = (scan.ROOT / "app/tunebench/cli/main.py").read_text(encoding="utf-8")
    assert "with guarded():" in main  # what others write to the streams goes through the door as well
