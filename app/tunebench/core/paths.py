"""Where the program's own files are, run from source, frozen, or installed as a library."""

from __future__ import annotations

import re
import sys
from pathlib import Path

APP_NAME = "TuneBench"

# `platformdirs` is imported where a folder of the user is asked for: `--version` asks for none.


_DATA = Path(__file__).resolve().parents[1] / "_data"
"""Where the library's distribution lays what stands beside `app` in the program's folder."""


def is_installed() -> bool:
    """Whether this is the library, as pip installs it."""
    return _DATA.is_dir()


def program_folder() -> Path:
    """Folder that holds `resources/` and `plugins/`."""
    if getattr(sys, "frozen", False):
        return Path(sys.executable).resolve().parent
    return _DATA if is_installed() else Path(__file__).resolve().parents[3]


def resources_folder() -> Path:
    bundled = getattr(sys, "_MEIPASS", None)
    if bundled and (Path(bundled) / "resources").is_dir():
        return Path(bundled) / "resources"
    return program_folder() / "resources"


def builtin_plugins_folder() -> Path:
    return program_folder() / "plugins"


def compiled_folder() -> Path:
    """Where the set-up puts what it compiled."""
    bundled = getattr(sys, "_MEIPASS", None)
    if bundled or is_installed():
        return Path(bundled or program_folder()) / "compiled"
    return program_folder() / "build" / "compiled"


def user_plugins_folder() -> Path:
    return _user_data() / "plugins"


def user_rules_folder() -> Path:
    """Where the user's own rule packs lie, files without a plug-in around them."""
    return _user_data() / "rules"


def user_templates_folder() -> Path:
    """Where iterations that were saved as templates lie."""
    return _user_data() / "templates"


def _user_data() -> Path:
    import platformdirs

    return Path(platformdirs.user_data_dir(APP_NAME, appauthor=False))


def user_config_folder() -> Path:
    import platformdirs

    return Path(platformdirs.user_config_dir(APP_NAME, appauthor=False))


def documents_folder() -> Path:
    """The user's documents, or the home folder where there is no such folder yet."""
    import platformdirs

    documents = platformdirs.user_documents_path()
    return documents if documents.is_dir() else Path.home()


def user_log_folder() -> Path:
    import platformdirs

    return Path(platformdirs.user_log_dir(APP_NAME, appauthor=False))


def free_path(path: Path) -> Path:
    """The path, or the first numbered one that does not exist yet."""
    number, free = 2, path
    while free.exists():
        free = path.with_name(f"{path.stem} ({number}){path.suffix}")
        number += 1
    return free


def file_name_for(*words: str) -> str:
    """A name that every system takes, without a suffix: ``ACME은행 2007 튜닝``; empty where no word has any letter of
    one."""
    joined = " ".join(word for word in map(str.strip, words) if word)
    safe = re.sub(r"\s+", " ", re.sub(r'[\\/:*?"<>|\x00-\x1f]', " ", joined)).strip(" .")
    return safe[:80].strip()
