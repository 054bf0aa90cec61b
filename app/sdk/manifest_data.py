"""Data files of a plug-in beside its manifest: ``data = ["effects.toml"]``, each with effects and templates, and the
files of rules that ``[[rules]]`` names."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

from app.sdk.cycle_templates import CycleTemplate
from app.sdk.effects import KnownEffect, read_effect_tables
from app.sdk.template_tables import read_template_tables
from app.sdk.toml_tables import TableReader

_FILE = re.compile(r"[A-Za-z0-9_-]+(/[A-Za-z0-9_-]+)*\.toml")
"""A file inside the plug-in's folder: no ``..``, nothing absolute."""
_RULE_FILE = re.compile(r"[A-Za-z0-9_-]+(/[A-Za-z0-9_-]+)*\.ya?ml")
_DATA_KEYS = frozenset({"effects", "templates"})
_RULES_KEYS = frozenset({"file"})


def read_method_data(reader: TableReader, folder: Path) -> tuple[tuple[KnownEffect, ...], tuple[CycleTemplate, ...]]:
    """Effects and templates of the manifest itself and of its data files; an id stands once in all of them."""
    readers = [reader, *_data_files(reader, folder)]
    effects = tuple(effect for each in readers for effect in read_effect_tables(each, "effects"))
    templates = tuple(template for each in readers for template in read_template_tables(each, "templates"))
    for key, ids in (("effects", [each.id for each in effects]), ("templates", [each.id for each in templates])):
        for id_ in sorted({id_ for id_ in ids if id_ and ids.count(id_) > 1}):
            reader.problem("id_twice", key, value=id_)
    return effects, templates


def read_rule_files(reader: TableReader) -> tuple[str, ...]:
    """Their names; what stands in them is no fault of the manifest."""
    return tuple(dict.fromkeys(name for table in reader.tables("rules") if (name := _rule_file(table))))


def _rule_file(reader: TableReader) -> str:
    reader.refuse_unknown(_RULES_KEYS)
    name = reader.text("file")
    if name and not _RULE_FILE.fullmatch(name):
        reader.problem("rule_file_name", "file", value=name)
    return name


def _data_files(reader: TableReader, folder: Path) -> Iterator[TableReader]:
    for name in reader.texts("data", False):
        if not _FILE.fullmatch(name):
            reader.problem("data_file_name", "data", value=name)
            continue
        try:
            table = tomllib.loads((folder / name).read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            reader.problem("data_file", "data", value=name, reason=str(error))
            continue
        inner = TableReader(table, name, reader.problems)
        inner.refuse_unknown(_DATA_KEYS)
        yield inner
