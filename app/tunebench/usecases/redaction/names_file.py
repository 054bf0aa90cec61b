"""The file that says who stands behind a stand-in: sealed, beside the project, and never part of what leaves."""

from __future__ import annotations

import json
from pathlib import Path

from tunebench.core import sealing
from tunebench.core.errors import UserError
from tunebench.core.whole_files import write_whole
from tunebench.store.project import Project

SUFFIX = ".names"


def names_path(project: Project) -> Path:
    """Where the file is kept unless the user names another place."""
    return project.path.with_name(project.path.name + SUFFIX)


def read_names(path: Path, passphrase: str) -> dict[str, str]:
    """Original -> stand-in; nothing where there is no file yet.

    Raises:
        UserError: redaction_names_unreadable; seal_refused.
    """
    try:
        blob = path.read_bytes()
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise UserError("file_unreadable", path=str(path), reason=error.strerror or str(error)) from error
    stand_ins = json.loads(sealing.opened(blob, passphrase))
    return {str(original): str(stand_in) for original, stand_in in stand_ins.items()}


def write_names(path: Path, names: dict[str, str], passphrase: str) -> None:
    """Takes the place of the names that are there, and of nothing else that is sealed.

    Raises:
        UserError: key_passphrase_short, file_unwritable; as `read_names` where another sealed file is there, such as
            an encrypted project.
    """
    read_names(path, passphrase)  # an encrypted project begins alike; only what opens as names may be replaced
    data = json.dumps(names, ensure_ascii=False, separators=(",", ":")).encode()
    write_whole(path, sealing.sealed(data, passphrase), replaces_sealed=True)
    path.chmod(0o600)
