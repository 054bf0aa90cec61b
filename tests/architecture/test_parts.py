"""Each test belongs to `make test` or to `make test-all`, and the run of that part reaches it."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

import pytest

from tests import parts

FILES = sorted(
    path.relative_to(Path(parts.__file__).parents[1]).as_posix()
    for path in Path(parts.__file__).parent.rglob("test_*.py")
)


def _is_reached(file: str, *, thorough: bool) -> bool:
    folders = [folder.as_posix() for folder in PurePosixPath(file).parents if len(folder.parts) > 1]
    return all(parts.may_hold(path, thorough=thorough) for path in (file, *folders))


def test_what_is_named_is_there(project_root: Path) -> None:
    named = {*parts.THOROUGH, *parts.DOORS, *parts.WAITING, *parts.LONGEST}
    assert not [path for path in named if not (project_root / path).exists()]
    assert all(parts.is_thorough(str(PurePosixPath(door).parent)) for door in parts.DOORS)


@pytest.mark.parametrize("thorough", [False, True])
def test_each_file_is_reached_by_its_part_alone(thorough: bool) -> None:
    reached = {file for file in FILES if _is_reached(file, thorough=thorough)}
    assert reached == {file for file in FILES if parts.is_thorough(file) == thorough}
    assert len(reached) > 50


def test_each_test_of_a_server_is_reached_by_the_second_half() -> None:
    assert parts.may_wait("tests/unit") and parts.may_wait("tests/e2e/test_cli_verbs.py")
    assert not parts.may_wait("tests/unit/core") and not parts.may_wait("tests/uix")
