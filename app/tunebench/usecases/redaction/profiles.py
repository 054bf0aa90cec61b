"""Profiles as data: those that are shipped, and a firm's own as a YAML file of the same form."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tunebench.analysis.redaction.redactor import words_of
from tunebench.core.errors import UserError
from tunebench.core.paths import builtin_plugins_folder, resources_folder
from tunebench.domain.redaction import NameKind, RedactionProfile, SqlTexts
from tunebench.sdk.yaml_text import YamlFault, read_yaml

SHIPPED = ("strict", "names-only", "sql-only")
_FIELDS = frozenset({"name", "replace", "sql", "names", "keep"})
_NOT_PRINTED = ("cli", "ui", "core", "startup", "ssh", "plughost", "plugins")
"""Beginnings of files with sentences that stand in no document."""


def profile_named(words: str) -> RedactionProfile:
    """A shipped one by its name, any other by its file.

    Raises:
        UserError: redaction_profile_unknown; redaction_profile_wrong with its line.
    """
    path = resources_folder() / "redaction" / f"{words}.yaml" if words in SHIPPED else Path(words)
    try:
        content = read_yaml(path.read_bytes())
    except OSError as error:
        raise UserError("redaction_profile_unknown", profile=words, known=", ".join(SHIPPED)) from error
    except YamlFault as error:
        raise UserError("redaction_profile_wrong", path=str(path), line=error.line, word=error.reason) from error
    return _profile(content, path)


def _profile(content: object, path: Path) -> RedactionProfile:
    def wrong(word: object, key: str = "") -> UserError:
        line = getattr(content, "lines", {}).get(key, 1)
        return UserError("redaction_profile_wrong", path=str(path), line=line, word=str(word))

    if not isinstance(content, dict):
        raise wrong(path.name)
    for key in content:
        if key not in _FIELDS:
            raise wrong(key, key)
    lists: dict[str, tuple[str, ...]] = {}
    for key in ("replace", "names", "keep"):
        value = content.get(key) or []
        if not isinstance(value, list):
            raise wrong(key, key)
        lists[key] = tuple(str(word) for word in value)
    kinds = {kind.name.lower(): kind for kind in NameKind if kind is not NameKind.STATEMENT}
    for word in lists["replace"]:
        if word not in kinds:
            raise wrong(word, "replace")
    sql = str(content.get("sql") or SqlTexts.KEEP)
    if sql not in list(SqlTexts):
        raise wrong(sql, "sql")
    name = str(content.get("name") or path.stem)
    replaced = frozenset(kinds[word] for word in lists["replace"])
    return RedactionProfile(name, replaced, SqlTexts(sql), lists["names"], frozenset(lists["keep"]))


@cache
def everybodys() -> frozenset[str]:
    lines = (resources_folder() / "redaction" / "everybodys.txt").read_text(encoding="utf-8").splitlines()
    return frozenset(word for line in lines if not line.startswith("#") for word in line.split())


@cache
def printed_words() -> frozenset[str]:
    """Every word that the program itself writes into documents, folded."""
    resources = resources_folder()
    sentences = [
        path.read_text(encoding="utf-8")
        for path in sorted((resources / "locale").glob("*/*.po"))
        if not path.stem.startswith(_NOT_PRINTED) or path.stem == "ui_audit"
    ]
    spoken = {word for word in words_of(sentences) if not any(map(str.isdigit, word))}
    return frozenset(spoken | words_of(_catalogues(resources)))


def _catalogues(resources: Path) -> Iterator[str]:
    for folder, pattern in ((resources, "metrics/*.toml"), (resources, "signals/*"), (resources, "report/*")):
        yield from (path.read_text(encoding="utf-8") for path in sorted(folder.glob(pattern)) if path.is_file())
    for pattern in ("*/plugin.toml", "practice_rules/*.yaml"):
        yield from (path.read_text(encoding="utf-8") for path in sorted(builtin_plugins_folder().glob(pattern)))
