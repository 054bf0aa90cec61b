"""Keys of approvers are looked at while somebody else works in the project."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.program import compose
from tests.store import cases
from tunebench.cli.main import run as run_verb
from tunebench.store.opening import open_project
from tunebench.store.project import Project
from tunebench.usecases import signatures


@pytest.mark.parametrize(("act", "asked"), [("list", "listed"), ("trust", "trust")])
def test_who_looks_at_the_keys_keeps_nobody_from_writing(
    act: str, asked: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    compose()
    project = cases.new_project(tmp_path)
    project.close()
    others: list[bool] = []

    def listed(own: Project) -> tuple[tuple[str, str], ...]:
        with open_project(project.path) as other:
            others.append(own.read_only and not other.read_only)
        return (("Park", "SHA256:abc"),)

    monkeypatch.setattr(signatures, asked, listed)
    assert run_verb(["key", act, str(project.path), "--lang", "en"]) == 0
    assert others == [True]
    assert "Park  SHA256:abc" in capsys.readouterr().out
