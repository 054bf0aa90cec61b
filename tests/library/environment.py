"""An environment as `pip install tunebench` makes one: the wheel of this tree, and no libraries but those of its core.

The libraries are those of the tests' own environment, linked, so that nothing is fetched; what the core brings along is read
from what each of them says of itself.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterable, Mapping
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement


def wheel_of(root: Path, folder: Path) -> Path:
    """The wheel of the tree."""
    words = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(words, cwd=root, check=True, capture_output=True)
    return next(folder.glob("tunebench-*.whl"))


def core_libraries(root: Path) -> list[str]:
    """Distributions of the core and what they bring along."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    waiting, names = list(map(Requirement, project["dependencies"])), []
    while waiting:
        one = waiting.pop()
        if one.name not in names and (one.marker is None or one.marker.evaluate({"extra": ""})):
            names.append(one.name)
            waiting += map(Requirement, metadata.requires(one.name) or [])
    return names


class Environment:
    """A virtual environment with the wheel and the libraries."""

    def __init__(self, folder: Path, wheel: Path, libraries: Iterable[str]) -> None:
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
        self.python = folder / "bin" / "python"
        self.packages = folder / "lib" / f"python3.{sys.version_info.minor}" / "site-packages"
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(self.packages)
        for name in libraries:
            self._link(name)

    def _link(self, name: str) -> None:
        for file in metadata.files(name) or []:
            top = self.packages / file.parts[0]
            if file.parts[0] in ("..", "__pycache__") or top.exists():
                continue
            top.symlink_to(
                Path(str(file.locate())).parents[len(file.parts) - 2] if len(file.parts) > 1 else file.locate()
            )

    def size_bytes(self) -> int:
        """Of all that is installed, without what Python compiles of it; links are followed."""
        files = (Path(folder, name) for folder, _, names in os.walk(self.packages, followlinks=True) for name in names)
        return sum(file.stat().st_size for file in files if file.suffix != ".pyc")

    def run(
        self, *words: str | Path, folder: Path, environment: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Python with these words, in that folder and nobody's home."""
        own = {name: os.environ[name] for name in ("PATH", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME")}
        return subprocess.run(
            [self.python, *words],
            cwd=folder,
            env={**own, "LC_ALL": "C.UTF-8", **(environment or {})},
            capture_output=True,
            text=True,
            timeout=180,
            stdin=subprocess.DEVNULL,
        )
