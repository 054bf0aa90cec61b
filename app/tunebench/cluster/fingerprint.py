"""What has to be the same at both ends for the results to be the same to the bit."""

from __future__ import annotations

import hashlib
import os
import sys
import zoneinfo
from collections.abc import Iterator, Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import numpy as np

import tunebench
from tunebench.core.paths import resources_folder
from tunebench.core.records import record
from tunebench.plughost.host import PluginHost
from tunebench.sdk.scanning.choice import is_compiled
from tunebench.sdk.scanning.compiled import SOURCE

Fingerprint = Mapping[str, str]
"""Part -> its version or digest."""
_LIBRARIES = ("numpy", "scipy", "pcodec", "backports.zstd", "tzdata")
_DATA = ("metrics", "layouts")
_DIGITS = 12
_NOTHING = "-"


@record
class Difference:
    """A part that is not the same; ``-`` where it is missing."""

    part: str
    mine: str
    theirs: str

    def __str__(self) -> str:
        return f"{self.part} ({self.mine} / {self.theirs})"


def fingerprint_of(plugins: PluginHost) -> Fingerprint:
    """Imports the code of all readers: one that cannot be loaded reads nothing, and nobody would notice."""
    parts = {
        "program": f"{tunebench.__version__} {_digest_of_files(_program_files())}",
        "python": ".".join(map(str, sys.version_info[:2])),
        **{name: _version_of(name) for name in _LIBRARIES},
        "time-zones": _digest_of_files(_zone_files()),
        "scanner": f"compiled {_digest_of_files((SOURCE,))}" if is_compiled() else "plain",
        "arithmetic": arithmetic(),
    }
    for listing in plugins.listings():
        parts[f"plug-in {listing.id}"] = f"{listing.version} {listing.hash[:_DIGITS]} {listing.state}"
    for entry in plugins.parsers():
        if fault := entry.load_fault():
            parts[f"reader {entry.id}"] = fault
    return parts


def differences(mine: Fingerprint, theirs: Fingerprint) -> list[Difference]:
    """In the order of mine, what only they have last."""
    return [
        Difference(part, mine.get(part, _NOTHING), theirs.get(part, _NOTHING))
        for part in dict.fromkeys((*mine, *theirs))
        if mine.get(part) != theirs.get(part)
    ]


def digest_of(fingerprint: Fingerprint) -> str:
    return hashlib.sha256(repr(sorted(fingerprint.items())).encode()).hexdigest()


def arithmetic() -> str:
    """The digest of a calculation whose last digits hang on the processor's instructions and on who chose among them:
    logarithms, exponentials, powers, products, sums."""
    values = np.linspace(1e-6, 50.0, 20_003)
    square = np.log(values[:4096]).reshape(64, 64)
    results = (np.log(values), np.exp(-values), np.power(values, 0.37), square @ square, np.array([values.sum()]))
    return hashlib.sha256(b"".join(result.tobytes() for result in results)).hexdigest()[:_DIGITS]


def _version_of(library: str) -> str:
    try:
        return version(library)
    except PackageNotFoundError:
        return _NOTHING


def _program_files() -> Iterator[Path]:
    """The code of all rooms but the window, and the data that says what columns and files are."""
    if getattr(sys, "frozen", False):
        yield Path(sys.executable)
        return
    code = Path(tunebench.__file__).parent
    yield from (path for path in sorted(code.rglob("*.py")) if path.relative_to(code).parts[0] != "ui")
    for name in _DATA:
        yield from sorted((resources_folder() / name).rglob("*.toml"))


def _zone_files() -> Iterator[Path]:
    """Where this machine's rules of time zones lie; those of the library count by its version."""
    for name in sorted(zoneinfo.available_timezones()):
        paths = (Path(folder) / name for folder in zoneinfo.TZPATH)
        yield from (path for path in paths if path.is_file())


def _digest_of_files(paths: Iterator[Path] | tuple[Path, ...]) -> str:
    digest = hashlib.sha256()
    for path in paths:
        digest.update(os.fsencode(path.name) + b"\0" + path.read_bytes())
    return digest.hexdigest()[:_DIGITS]
