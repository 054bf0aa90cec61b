"""Writes a new plug-in that works at once; its author changes it step by step."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from string import Template

from app.core.errors import UserError
from app.core.paths import resources_folder, user_plugins_folder
from app.sdk import API_VERSION

_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
_PARSER_FILES = {  # template -> where it goes
    "plugin.toml.template": "plugin.toml",
    "parser.py.template": "parser.py",
    "test_parser.py.template": "test_parser.py",
    "sample.txt.template": "fixtures/sample.txt",
    "README.md.template": "README.md",
}
_METHOD_FILES = {
    "method_plugin.toml.template": "plugin.toml",
    "test_probe.py.template": "test_method.py",
    "method_README.md.template": "README.md",
}
_PROBE_FILES = {
    "probe_plugin.toml.template": "plugin.toml",
    "test_probe.py.template": "test_probe.py",
    "probe_README.md.template": "README.md",
}


def create_parser_plugin(folder: Path | None, name: str) -> Path:
    """Writes a plug-in `name` with one parser into a new folder of that name.

    Args:
        folder: where to; None for the user's plug-in folder, where the program finds it.

    Returns:
        The plug-in's folder.

    Raises:
        UserError: ``plugin_name``, ``plugin_exists``, ``plugin_unwritable``.
    """
    return _create(folder, name, _PARSER_FILES)


def create_probe_plugin(folder: Path | None, name: str) -> Path:
    """Writes a plug-in `name` with one probe, which needs no code; else as `create_parser_plugin`."""
    return _create(folder, name, _PROBE_FILES)


def create_method_plugin(folder: Path | None, name: str) -> Path:
    """Writes a plug-in `name` with a known effect and a template of the cycle; else as `create_parser_plugin`."""
    return _create(folder, name, _METHOD_FILES)


def _create(folder: Path | None, name: str, files: Mapping[str, str]) -> Path:
    if not _NAME.fullmatch(name):
        raise UserError("plugin_name", name=name)
    target = (folder or user_plugins_folder()) / name
    if target.exists():
        raise UserError("plugin_exists", folder=str(target))
    names = {"name": name, "class_name": _class_name(name), "api": API_VERSION}
    try:
        for template, place in files.items():
            path = target / place
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(_filled(template, names), encoding="utf-8", newline="\n")
    except OSError as error:
        raise UserError("plugin_unwritable", folder=str(target), reason=str(error)) from error
    return target


def _filled(template: str, names: dict[str, str]) -> str:
    text = (resources_folder() / "plugin_template" / template).read_text(encoding="utf-8")
    return Template(text).substitute(names)


def _class_name(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_")) + "Parser"
