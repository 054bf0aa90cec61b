"""What is at an address: a folder, or a store that fsspec reaches."""

from __future__ import annotations

from pathlib import Path

from tunebench.archive.remote import Remote
from tunebench.archive.storage import Folder, Storage
from tunebench.core.patterns import lazy_pattern

_SCHEME = lazy_pattern(r"([A-Za-z][A-Za-z0-9+.-]+):/+(.*)")  # one letter is a drive; a path has one slash left of two


def storage_at(address: str | Path) -> Storage:
    """
    Raises:
        UserError: scheme_unknown; scheme_missing where a library is wanted for it. Nothing is made.
    """
    match = _SCHEME.fullmatch(str(address))
    if match is None:
        return Folder(Path(address))
    scheme, rest = match.groups()
    if scheme == "file":
        return Folder(Path("/" + rest))
    return Remote(scheme, rest)
