"""Plug-in folders: where they are looked for, and what of a plug-in is used."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from tunebench.core.paths import builtin_plugins_folder, user_plugins_folder
from tunebench.core.records import record
from tunebench.plughost.listing import Origin
from tunebench.plughost.rule_registry import PackSource
from tunebench.sdk.loading import folder_hash
from tunebench.sdk.manifest import MANIFEST_NAME, Manifest
from tunebench.sdk.toml_tables import Problem

_log = logging.getLogger(__name__)


@record
class SearchFolder:
    """A folder whose sub-folders are plug-ins."""

    path: Path
    origin: Origin


def standard_folders() -> tuple[SearchFolder, ...]:
    """In the order of the search."""
    return SearchFolder(builtin_plugins_folder(), Origin.BUILTIN), SearchFolder(user_plugins_folder(), Origin.USER)


@record(frozen=False)
class FoundPlugin:
    """One plug-in folder, read but not imported."""

    folder: Path
    origin: Origin
    manifest: Manifest | None
    problems: tuple[Problem, ...]
    trusted: bool = True

    @property
    def id(self) -> str:
        return self.manifest.id if self.manifest else self.folder.name

    @property
    def refused(self) -> bool:
        return any(problem.level == "error" for problem in self.problems)

    @property
    def active(self) -> Manifest | None:
        """The part that is used: without trust only tables and rules, which are data that nothing runs."""
        if self.manifest is None or self.refused:
            return None
        if self.trusted:
            return self.manifest
        data = replace(self.manifest, parsers=(), probes=(), effects=(), templates=(), matrices=())
        return data if data.tables or data.rules else None

    def contributions(self) -> tuple[str, ...]:
        """Ids of all that it gives, and its files of rules; a probe is often called as its parser is."""
        manifest = self.manifest
        if manifest is None:
            return ()
        ids = [*(parser.id for parser in manifest.parsers), *(table.id for table in manifest.tables)]
        ids += [probe.id for probe in manifest.probes]
        ids += [*(effect.id for effect in manifest.effects), *(template.id for template in manifest.templates)]
        return tuple(dict.fromkeys([*ids, *manifest.rules, *manifest.matrices]))

    def matrix_files(self) -> Iterator[Path]:
        for name in self.active.matrices if self.active else ():
            yield self.folder / name

    def rule_files(self) -> Iterator[PackSource]:
        for name in self.active.rules if self.active else ():
            yield PackSource(self.id, self.folder / name, name)

    def tell_second(self, problem: str, id_: str, first_plugin: str) -> None:
        self.problems += (Problem("warning", problem, {"id": id_, "plugin": first_plugin}),)


def plugin_folders(root: Path) -> Iterator[Path]:
    """Sub-folders with a manifest, by name; a missing or unreadable place has none."""
    try:
        folders = sorted(root.iterdir())
    except OSError:
        return
    for folder in folders:
        if (folder / MANIFEST_NAME).is_file():
            yield folder


def hash_of(folder: Path) -> str:
    """The folder's hash; ``""``, which nobody trusts, where a file cannot be read."""
    try:
        return folder_hash(folder)
    except OSError as error:
        _log.warning("plug-in folder %s cannot be read: %s", folder, error)
        return ""
