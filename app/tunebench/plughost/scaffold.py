"""Writes a new plug-in that works at once; its author changes it step by step."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from string import Template

from tunebench.core.errors import UserError
from tunebench.core.paths import resources_folder, user_plugins_folder
from tunebench.core.patterns import lazy_pattern
from tunebench.plughost.table_guess import guess_table
from tunebench.plughost.table_writing import manifest_text
from tunebench.sdk import API_VERSION

_LARGEST_FIXTURE = 256 << 10
_NAME = lazy_pattern(r"[a-z][a-z0-9_]{0,39}")
_PARSER_FILES = {  # template -> where it goes
    "plugin.toml.template": "plugin.toml",
    "parser.py.template": "parser.py",
    "test_parser.py.template": "test_parser.py",
    "sample.txt.template": "fixtures/sample.txt",
    "README.md.template": "README.md",
}
_TABLE_FILES = {"table_README.md.template": "README.md"}
_METHOD_FILES = {
    "method_plugin.toml.template": "plugin.toml",
    "test_probe.py.template": "test_method.py",
    "method_README.md.template": "README.md",
}
_RULES_FILES = {
    "rules_plugin.toml.template": "plugin.toml",
    "rules.yaml.template": "rules.yaml",
    "test_probe.py.template": "test_rules.py",
    "rules_README.md.template": "README.md",
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


def create_rules_plugin(folder: Path | None, name: str) -> Path:
    """Writes a plug-in `name` with two rules of diagnosis; else as `create_parser_plugin`."""
    return _create(folder, name, _RULES_FILES)


def create_parser_from(folder: Path | None, name: str, sample: Path) -> Path:
    """`create_parser_plugin` with `sample` among the fixtures: the check names what it does not read yet."""
    data = _beginning(sample)
    target = create_parser_plugin(folder, name)
    _put(target, {f"fixtures/{_fixture_name(sample, taken='sample.txt')}": data})
    return target


def create_table_plugin(folder: Path | None, name: str, sample: Path, data: bytes | None = None) -> Path:
    """A plug-in without code: a definition of a simple table guessed from `sample`; else as `create_parser_plugin`.

    Args:
        data: the text of the table, where the sample itself is no text.
    """
    data = _beginning(sample) if data is None else data
    text = manifest_text(f"local.{name}", {"en": name, "ko": name}, "0.1.0", [guess_table(data, sample.name, name)])
    target = _create(folder, name, _TABLE_FILES)
    _put(target, {"plugin.toml": text.encode(), f"fixtures/{_fixture_name(sample)}": data})
    return target


def write_table_plugin(
    folder: Path | None, name: str, version: str, table: Mapping[str, object], fixture: tuple[str, bytes] | None
) -> Path:
    """Writes a definition into the plug-in `name`, which may be there already and has nothing but tables.

    Raises:
        UserError: ``plugin_name``, ``plugin_unwritable``; ``plugin_exists`` where that folder has code.
    """
    check_name(name)
    target = (folder or user_plugins_folder()) / name
    if target.exists() and any(target.rglob("*.py")):
        raise UserError("plugin_exists", folder=str(target))
    title = table.get("name")
    titles = title if isinstance(title, Mapping) else {"en": name, "ko": name}
    names = {language: str(text) for language, text in titles.items()}
    files = {"plugin.toml": manifest_text(f"local.{name}", names, version, [table]).encode()}
    if fixture is not None:
        files[f"fixtures/{_fixture_name(Path(fixture[0]))}"] = fixture[1]
    _put(target, files)
    return target


def check_name(name: str) -> None:
    """Raises ``plugin_name`` where a plug-in cannot be called so."""
    if not _NAME.fullmatch(name):
        raise UserError("plugin_name", name=name)


def _put(target: Path, files: Mapping[str, bytes]) -> None:
    try:
        for file_name, data in files.items():
            path = target / file_name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
    except OSError as error:
        raise UserError("plugin_unwritable", folder=str(target), reason=str(error)) from error


def _beginning(sample: Path) -> bytes:
    """The sample up to a line's end; enough to see what the file is, and small enough to go with the plug-in."""
    try:
        with sample.open("rb") as file:
            data = file.read(_LARGEST_FIXTURE)
    except OSError as error:
        raise UserError("file_unreadable", path=str(sample), reason=str(error)) from error
    if not data.strip():
        raise UserError("sample_empty", path=str(sample))
    return data[: data.rfind(b"\n") + 1] if len(data) == _LARGEST_FIXTURE and b"\n" in data else data


def _fixture_name(sample: Path, taken: str = "") -> str:
    name = re.sub(r"[^\w.-]", "_", sample.name)
    return f"own_{name}" if name in ("", taken) or name.endswith((".md", ".py")) else name


def _create(folder: Path | None, name: str, files: Mapping[str, str]) -> Path:
    check_name(name)
    target = (folder or user_plugins_folder()) / name
    if target.exists():
        raise UserError("plugin_exists", folder=str(target))
    names = {"name": name, "class_name": _class_name(name), "api": API_VERSION}
    _put(target, {file_name: _filled(template, names).encode() for template, file_name in files.items()})
    return target


def _filled(template: str, names: dict[str, str]) -> str:
    text = (resources_folder() / "plugin_template" / template).read_text(encoding="utf-8")
    return Template(text).substitute(names)


def _class_name(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_")) + "Parser"
