"""What is pinned is complete, is what runs here, and is named in the third-party notices."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement

PIN = re.compile(r"^(?P<name>[A-Za-z0-9._-]+)==(?P<version>[^;\s]+)(?:;\s*(?P<marker>.+))?$", re.MULTILINE)


def pins(project_root: Path, *files: str) -> dict[str, str]:
    text = "\n".join((project_root / file).read_text(encoding="utf-8") for file in files)
    return {canonical(found["name"]): found["version"] for found in PIN.finditer(text)}


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def needed_by(name: str) -> set[str]:
    """Libraries that an installed one requires here, extras left out."""
    found = map(Requirement, metadata.requires(name) or [])
    return {canonical(one.name) for one in found if one.marker is None or one.marker.evaluate({"extra": ""})}


def _installed(name: str) -> bool:
    try:
        metadata.version(name)
    except metadata.PackageNotFoundError:
        return False
    return True


def test_every_requirement_is_an_exact_pin(project_root: Path) -> None:
    for file in ("requirements.txt", "requirements-dev.txt"):
        lines = (project_root / file).read_text(encoding="utf-8").splitlines()
        loose = [line for line in lines if line and not line.startswith(("#", "-r ")) and not PIN.match(line)]
        assert not loose


def test_indirect_requirements_are_pinned_too(project_root: Path) -> None:
    """An unpinned one would differ between two set-ups of the same day's program."""
    direct = pins(project_root, "requirements.txt")
    unpinned = {needed for name in direct if _installed(name) for needed in needed_by(name)} - set(direct)
    assert not unpinned


def test_what_runs_here_is_what_is_pinned(project_root: Path) -> None:
    wanted = pins(project_root, "requirements.txt", "requirements-dev.txt")
    here = {name: metadata.version(name) for name in wanted if _installed(name)}
    differ = {name: version for name, version in here.items() if wanted[name] != version}
    assert not differ


def test_dev_tools_stay_apart(project_root: Path) -> None:
    assert not {"pytest", "mypy", "ruff", "import-linter"} & set(pins(project_root, "requirements.txt"))


def test_every_library_is_in_the_notices(project_root: Path) -> None:
    text = (project_root / "THIRD-PARTY-NOTICES.md").read_text(encoding="utf-8")
    listed = {canonical(name): version for name, version in re.findall(r"^\| (\S+) \| (\S+) \|", text, re.MULTILINE)}
    wanted = pins(project_root, "requirements.txt")
    assert {name: listed.get(name) for name in wanted} == wanted


def test_set_up_script_is_sound(project_root: Path) -> None:
    """It parses, and names no host: where packages come from is the machine's own business."""
    script = project_root / "packaging" / "setup.sh"
    assert subprocess.run(["bash", "-n", str(script)]).returncode == 0
    assert "://" not in script.read_text(encoding="utf-8")
    assert sys.version_info >= (3, 11)
