"""What is pinned is complete, is what runs here, and is named in the third-party notices."""

from __future__ import annotations

import re
import runpy
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

from packaging.requirements import Requirement

PIN = re.compile(r"^(?P<name>[A-Za-z0-9._-]+)==(?P<version>[^;\s]+)(?: ; [^\\]+)? \\$", re.MULTILINE)
DIGEST = re.compile(r"    --hash=sha256:[0-9a-f]{64}( \\)?")
LOCKED = {
    "run.in": "requirements.txt",
    "cluster.in": "packaging/requirements/cluster.txt",
    "test.in": "requirements-dev.txt",
    "bundle.in": "packaging/requirements/bundle.txt",
    "sbom.in": "packaging/requirements/sbom.txt",
}


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


@pytest.mark.parametrize("file", LOCKED.values())
def test_every_requirement_is_an_exact_pin_with_digests(file: str, project_root: Path) -> None:
    """Every entry ends where its digests end, so that a pin without one is found as well."""
    text = (project_root / file).read_text(encoding="utf-8")
    entries = re.split(r"^(?=\w)", re.sub(r"^#.*\n", "", text, flags=re.MULTILINE), flags=re.MULTILINE)[1:]
    loose = [
        entry
        for entry in entries
        if not PIN.match(entry) or not (digests := entry.splitlines()[1:]) or not all(map(DIGEST.fullmatch, digests))
    ]
    assert entries and not loose


def test_what_is_wanted_is_what_is_locked(project_root: Path) -> None:
    for wanted, file in LOCKED.items():
        lines = (project_root / "packaging" / "requirements" / wanted).read_text(encoding="utf-8").splitlines()
        listed = dict(line.partition(" ;")[0].split("==") for line in lines if line and line[0] not in "#-")
        assert {canonical(name.partition("[")[0]): version for name, version in listed.items()}.items() <= pins(
            project_root, file
        ).items()


def test_a_changed_file_is_refused(tmp_path: Path) -> None:
    """What the digests are for: pip, told what the set-up tells it, does not install another file of the same name."""
    wheel = tmp_path / "six-1.17.0-py2.py3-none-any.whl"
    wheel.write_bytes(b"PK\x05\x06" + bytes(18))
    (tmp_path / "locked.txt").write_text(f"six==1.17.0 \\\n    --hash=sha256:{'0' * 64}\n")
    words = ["install", "--no-index", f"--find-links={tmp_path}", f"--target={tmp_path / 'in'}", "--require-hashes"]
    run = subprocess.run(
        [sys.executable, "-m", "pip", *words, "-r", tmp_path / "locked.txt"], capture_output=True, text=True
    )
    assert run.returncode != 0 and "DO NOT MATCH THE HASHES" in run.stderr


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
    wanted = pins(project_root, "requirements.txt", LOCKED["cluster.in"])
    assert {name: listed.get(name) for name in wanted} == wanted


def test_every_licence_is_on_the_owners_list(project_root: Path) -> None:
    notices = runpy.run_path(str(project_root / "packaging" / "notices.py"))
    licences = {name: notices["licence_of"](name) for name in notices["pinned"]()}
    assert {name: licence for name, licence in licences.items() if not notices["allowed"](licence)} == {}
    assert not notices["allowed"]("GPL-3.0-only")
    assert not notices["allowed"]("MIT AND AGPL-3.0-or-later")


def test_set_up_script_is_sound(project_root: Path) -> None:
    """It parses, and names no host: where packages come from is the machine's own business."""
    script = project_root / "packaging" / "setup.sh"
    assert subprocess.run(["bash", "-n", str(script)]).returncode == 0
    assert "://" not in script.read_text(encoding="utf-8")
    assert sys.version_info >= (3, 11)
