"""Imports the code of a plug-in's folder under a private package name.

Two plug-ins may both have a `tables.py`: each folder becomes a package of its own below
``tunebench_plugins``, so that relative imports work and nothing meets by accident. Sources are compiled
from what stands in the folder; cached bytecode is neither read nor written, so that the code that runs is
the code whose hash was shown. Only for the plug-ins that are part of the program itself it is used as for the
program's other modules: to compile dozens of parsers takes a third of a second. All of it works in a frozen program.
"""

from __future__ import annotations

import hashlib
import importlib
import re
import sys
import threading
from collections.abc import Iterator, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location
from pathlib import Path
from types import CodeType, ModuleType

ROOT_PACKAGE = "tunebench_plugins"
_IGNORED = frozenset({"__pycache__", ".git", ".mypy_cache", ".pytest_cache", ".ruff_cache"})
_lock = threading.RLock()


class _Loader(SourceFileLoader):
    """Compiles the source each time; never touches ``__pycache__``."""

    def get_code(self, fullname: str) -> CodeType | None:
        path = self.get_filename(fullname)
        return self.source_to_code(self.get_data(path), path)


class _Finder(MetaPathFinder):
    """Finds modules of the registered folders."""

    def __init__(self) -> None:
        self.folders: dict[str, Path] = {}  # private package name -> folder
        self.cached: set[str] = set()  # packages of the program itself

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        root, _, rest = fullname.partition(".")
        if root != ROOT_PACKAGE:
            return None
        if not rest:
            return ModuleSpec(ROOT_PACKAGE, None, is_package=True)
        package, _, inner = rest.partition(".")
        folder = self.folders.get(package)
        if folder is None:
            return None
        file = folder.joinpath(*inner.split(".")) if inner else folder
        return _spec(fullname, file, not inner, SourceFileLoader if package in self.cached else _Loader)


def _spec(fullname: str, file: Path, top: bool, loader: type[SourceFileLoader]) -> ModuleSpec | None:
    package_file, module_file = file / "__init__.py", file.with_suffix(".py")
    if package_file.is_file():
        return spec_from_file_location(
            fullname, package_file, loader=loader(fullname, str(package_file)), submodule_search_locations=[str(file)]
        )
    if not top and module_file.is_file():
        return spec_from_file_location(fullname, module_file, loader=loader(fullname, str(module_file)))
    if file.is_dir():
        return ModuleSpec(fullname, None, is_package=True)
    return None


_finder = _Finder()


class PluginCode:
    """The code of one plug-in's folder; nothing is imported before `load`. `cached`: it is part of the program."""

    def __init__(self, plugin_id: str, folder: Path, cached: bool = False) -> None:
        self.cached = cached
        self.folder = folder.resolve()
        digest = hashlib.sha256(str(self.folder).encode()).hexdigest()[:8]
        self.package = f"{re.sub(r'[^a-z0-9]', '_', plugin_id.lower())}_{digest}"

    def load(self, module: str, name: str) -> object:
        """Imports `module` of the folder and gives its `name`.

        Raises:
            Whatever the plug-in's code raises while it is imported; AttributeError where the name is missing.
        """
        with _lock:
            if _finder not in sys.meta_path:
                sys.meta_path.insert(0, _finder)
            _finder.folders[self.package] = self.folder
            if self.cached:
                _finder.cached.add(self.package)
            loaded = importlib.import_module(f"{ROOT_PACKAGE}.{self.package}.{module}")
        return getattr(loaded, name)

    def forget(self) -> None:
        """The next `load` reads the folder anew: an author edits and checks again."""
        prefix = f"{ROOT_PACKAGE}.{self.package}"
        with _lock:
            for name in [name for name in sys.modules if name == prefix or name.startswith(f"{prefix}.")]:
                del sys.modules[name]


def plugin_files(folder: Path) -> Iterator[Path]:
    """The files that belong to a plug-in, in a fixed order; caches are left out (they are never run)."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not _IGNORED.intersection(path.relative_to(folder).parts):
            yield path


def folder_hash(folder: Path) -> str:
    """sha256 over names and contents of a plug-in's files; what trust is given to."""
    digest = hashlib.sha256()
    for path in plugin_files(folder):
        name = path.relative_to(folder).as_posix().encode()
        content = path.read_bytes()
        digest.update(b"%d:%s%d:" % (len(name), name, len(content)))
        digest.update(content)
    return digest.hexdigest()
