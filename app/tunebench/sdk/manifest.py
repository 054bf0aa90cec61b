"""`plugin.toml`: what a plug-in says of itself, read without importing any of its code.

id = "org.example.solaris_stat"
name = { en = "Solaris stat tools", ko = "솔라리스 통계 도구" }
version = "1.2.0"
api = ["1"]

[[parsers]]
id = "solaris.vmstat"
entry = "vmstat:VmstatParser"     # imported on first use
tools = ["vmstat"]
os = ["sunos"]
signs = ["kthr", "swap"]          # one of them stands in every head that `sniff` answers above 0, in capitals or not;
                                  # without signs the parser is asked about every file
at_most = 0.95                    # the most that its `sniff` ever answers; left out: 1

[[tables]]                        # simple tables that need no code, see `tunebench.sdk.table_definition`

[[probes]]                        # what it can capture from a host, see `tunebench.sdk.probes`

[messages.en]                     # sentences of the plug-in's own ledger keys, in both languages
"ledger.skipped.odd_heading" = "heading in an unknown form"

[[metrics]]                       # metrics of its own, see `tunebench.sdk.metrics`
[[maps]]                          # which of its columns is which metric

[[effects]]                       # what changes are known to do, see `tunebench.sdk.effects`
[[templates]]                     # what an iteration may begin with, see `tunebench.sdk.cycle_templates`
data = ["effects.toml"]           # further files of effects and templates, before the first table

matrices = ["fio.toml"]           # files of experiments that are ready to be run, before the first table

[[rules]]                         # rules of diagnosis in a file of their own, see `tunebench.sdk.rule_packs`
file = "disks.yaml"
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import field
from pathlib import Path

from tunebench.core.errors import UserError
from tunebench.core.messages import LANGUAGES, catalogue
from tunebench.core.patterns import lazy_pattern
from tunebench.core.records import record
from tunebench.core.toml_texts import table_of
from tunebench.sdk import API_VERSION
from tunebench.sdk.cycle_templates import CycleTemplate
from tunebench.sdk.effects import KnownEffect, read_effect_tables
from tunebench.sdk.metrics import ColumnMap, MetricDefinition, read_metric_tables
from tunebench.sdk.probe_tables import read_probe_tables
from tunebench.sdk.probes import Probe
from tunebench.sdk.table_definition import TableDefinition
from tunebench.sdk.table_reading import read_table_definitions
from tunebench.sdk.template_tables import read_template_tables
from tunebench.sdk.toml_tables import Problem, TableReader

MANIFEST_NAME = "plugin.toml"
SUPPORTED_API = frozenset({API_VERSION})
MESSAGE_PREFIXES = ("ledger.skipped.", "ledger.warning.", "ledger.need.")
"""A plug-in brings sentences for its own ledger keys, not for the program's."""

_ENTRY = lazy_pattern(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*:[A-Za-z_]\w*")
_MANIFEST_KEYS = frozenset(
    {
        "id",
        "name",
        "version",
        "api",
        "parsers",
        "tables",
        "probes",
        "messages",
        "metrics",
        "maps",
        "effects",
        "templates",
        "data",
        "matrices",
        "rules",
    }
)
_PARSER_KEYS = frozenset({"id", "entry", "tools", "os", "signs", "at_most"})


@record
class ParserManifest:
    """One ``[[parsers]]`` entry; `entry` is ``module:Class`` inside the plug-in's folder.

    Attributes:
        signs: ASCII; one at least, in capitals or not, stands in every head for which `sniff` answers above 0. Without
            signs the parser is asked about every file.
        at_most: the most that `sniff` ever answers.
    """

    id: str
    entry: str
    tools: tuple[str, ...] = ()
    os: tuple[str, ...] = ()
    signs: tuple[str, ...] = ()
    at_most: float = 1.0

    @property
    def module(self) -> str:
        return self.entry.partition(":")[0]

    @property
    def class_name(self) -> str:
        return self.entry.partition(":")[2]


@record
class Manifest:
    """A valid `plugin.toml`.

    Attributes:
        name: per language; a plug-in that gives one name has it under every language.
        api: the interface versions that the plug-in and this program share, never empty.
        messages: language -> key -> sentence.
        rules: files of rules below the plug-in's folder; they are read when somebody diagnoses.
        matrices: files of experiments below it; they are read when somebody wants one.
    """

    id: str
    name: Mapping[str, str]
    version: str
    api: tuple[str, ...]
    parsers: tuple[ParserManifest, ...] = ()
    tables: tuple[TableDefinition, ...] = ()
    probes: tuple[Probe, ...] = ()
    messages: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    metrics: tuple[MetricDefinition, ...] = ()
    maps: tuple[ColumnMap, ...] = ()
    effects: tuple[KnownEffect, ...] = ()
    templates: tuple[CycleTemplate, ...] = ()
    rules: tuple[str, ...] = ()
    matrices: tuple[str, ...] = ()

    def name_in(self, language: str) -> str:
        return self.name.get(language) or next(iter(self.name.values()), self.id)


def read_manifest(folder: Path) -> Manifest:
    """The manifest of the plug-in in `folder`.

    Raises:
        UserError: ``plugin_refused`` with the first error as its reason.
    """
    manifest, problems = examine_manifest(folder)
    if manifest is None:
        error = next(problem for problem in problems if problem.level == "error")
        reasons = {f"reason_{language}": error.text(language) for language in LANGUAGES}
        raise UserError("plugin_refused", folder=str(folder), reason=error.text("en"), **reasons)
    return manifest


def examine_manifest(folder: Path) -> tuple[Manifest | None, tuple[Problem, ...]]:
    """The manifest, None where an error forbids its use, and everything that is wrong with it."""
    path = folder / MANIFEST_NAME
    try:
        text = path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        return None, (Problem("error", "manifest_missing", {"path": str(path)}),)
    except (OSError, UnicodeDecodeError) as error:
        return None, (Problem("error", "manifest_unreadable", {"path": str(path), "reason": str(error)}),)
    try:
        table = table_of(text)
    except tomllib.TOMLDecodeError as error:
        return None, (Problem("error", "manifest_no_toml", {"path": str(path), "reason": str(error)}),)
    return _examine_table(table, folder)


def _examine_table(table: Mapping[str, object], folder: Path) -> tuple[Manifest | None, tuple[Problem, ...]]:
    reader = TableReader(table)
    reader.refuse_unknown(_MANIFEST_KEYS)
    plugin_id = reader.text("id")
    reader.check_id("id", plugin_id)
    api = reader.texts("api")
    shared = tuple(version for version in api if version in SUPPORTED_API)
    if api and not shared:
        reader.problem("api_unsupported", "api", value=", ".join(api), supported=", ".join(sorted(SUPPORTED_API)))
    metrics, maps = read_metric_tables(reader, "metrics", "maps")
    effects, templates = read_method_data(reader, folder)
    parsers = tuple(_read_parsers(reader, folder))
    tables = read_table_definitions(reader, "tables")
    _check_table_ids(reader, parsers, tables)
    manifest = Manifest(
        id=plugin_id,
        name=reader.one_or_texts("name", required=True),
        version=reader.text("version"),
        api=shared,
        parsers=parsers,
        tables=tables,
        probes=read_probe_tables(reader, "probes"),
        messages=_read_messages(reader),
        metrics=(*metrics, *(metric for table in tables for metric in table.metrics())),
        maps=(*maps, *(column for table in tables for column in table.maps())),
        effects=effects,
        templates=templates,
        rules=read_rule_files(reader),
        matrices=_read_matrix_files(reader, folder),
    )
    problems = tuple(reader.problems)
    refused = any(problem.level == "error" for problem in problems)
    return (None if refused else manifest), problems


def _read_parsers(reader: TableReader, folder: Path) -> Iterator[ParserManifest]:
    seen: set[str] = set()
    for entry in reader.tables("parsers"):
        entry.refuse_unknown(_PARSER_KEYS)
        parser = ParserManifest(
            entry.text("id"),
            entry.text("entry"),
            entry.texts("tools"),
            entry.texts("os", False),
            _read_signs(entry),
            _read_at_most(entry),
        )
        entry.check_id("id", parser.id)
        entry.check_once("id", parser.id, seen)
        if parser.entry:
            _check_entry(entry, parser, folder)
        yield parser


def _read_signs(entry: TableReader) -> tuple[str, ...]:
    signs = entry.texts("signs", False)
    for sign in signs:
        if not sign.isascii():  # other letters are written in another way in each encoding
            entry.problem("sign_form", "signs", value=sign)
    return signs


def _read_at_most(entry: TableReader) -> float:
    most = entry.finite("at_most")
    if most is not None and not 0.0 < most <= 1.0:
        entry.problem("at_most_range", "at_most", value=most)
    return 1.0 if most is None else most


def _check_table_ids(
    reader: TableReader, parsers: tuple[ParserManifest, ...], tables: tuple[TableDefinition, ...]
) -> None:
    """A definition is a parser as any other: no two of them share an id."""
    ids = [parser.id for parser in parsers] + [table.id for table in tables]
    for id_ in sorted({table.id for table in tables if ids.count(table.id) > 1}):
        reader.problem("id_twice", "tables", value=id_)


def _check_entry(reader: TableReader, parser: ParserManifest, folder: Path) -> None:
    if not _ENTRY.fullmatch(parser.entry):
        reader.problem("entry_form", "entry", value=parser.entry)
        return
    module = folder.joinpath(*parser.module.split("."))
    if not (module.with_suffix(".py").is_file() or (module / "__init__.py").is_file()):
        reader.problem("module_missing", "entry", value=parser.entry, file=f"{parser.module.replace('.', '/')}.py")


def _read_messages(reader: TableReader) -> dict[str, dict[str, str]]:
    messages: dict[str, dict[str, str]] = {}
    tables = reader.subtable("messages")
    if tables is None:
        return messages
    for language in tables.table:
        sentences = tables.subtable(language)
        if sentences is None:
            continue
        messages[language] = {key: sentences.text(key) for key in sentences.table}
        for key in sentences.table:
            if not key.startswith(MESSAGE_PREFIXES):
                sentences.problem("message_foreign", key, prefixes=", ".join(MESSAGE_PREFIXES))
    _check_languages(tables, messages)
    return messages


def _check_languages(reader: TableReader, messages: Mapping[str, Mapping[str, str]]) -> None:
    keys = {key for sentences in messages.values() for key in sentences}
    for language in LANGUAGES:
        for key in sorted(keys - set(messages.get(language, {}))):
            reader.problem("message_untranslated", f"{language}.{key}", "warning", message=key, language=language)


def message_keys(manifest: Manifest) -> frozenset[str]:
    """Ledger keys that have a sentence in every language: the program's and the plug-in's own."""
    complete: set[str] | None = None
    for language in LANGUAGES:
        keys = set(catalogue(language).keys()) | set(manifest.messages.get(language, {}))
        complete = keys if complete is None else complete & keys
    return frozenset(complete or ())


_FILE = lazy_pattern(r"[A-Za-z0-9_-]+(/[A-Za-z0-9_-]+)*\.toml")
"""A file inside the plug-in's folder: no ``..``, nothing absolute."""
_RULE_FILE = lazy_pattern(r"[A-Za-z0-9_-]+(/[A-Za-z0-9_-]+)*\.ya?ml")
_DATA_KEYS = frozenset({"effects", "templates"})
_RULES_KEYS = frozenset({"file"})


def read_method_data(reader: TableReader, folder: Path) -> tuple[tuple[KnownEffect, ...], tuple[CycleTemplate, ...]]:
    """Effects and templates of the manifest itself and of its data files; an id stands once in all of them."""
    readers = [reader, *_data_files(reader, folder)]
    effects = tuple(effect for source in readers for effect in read_effect_tables(source, "effects"))
    templates = tuple(template for source in readers for template in read_template_tables(source, "templates"))
    for key, ids in (("effects", [entry.id for entry in effects]), ("templates", [entry.id for entry in templates])):
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


def _read_matrix_files(reader: TableReader, folder: Path) -> tuple[str, ...]:
    """Their names; what stands in them is told when one is taken."""
    names = tuple(dict.fromkeys(reader.texts("matrices", False)))
    for name in names:
        if not _FILE.fullmatch(name):
            reader.problem("data_file_name", "matrices", value=name)
        elif not (folder / name).is_file():
            reader.problem("data_file", "matrices", value=name, reason="-")
    return names


def _data_files(reader: TableReader, folder: Path) -> Iterator[TableReader]:
    for name in reader.texts("data", False):
        if not _FILE.fullmatch(name):
            reader.problem("data_file_name", "data", value=name)
            continue
        try:
            table = table_of((folder / name).read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            reader.problem("data_file", "data", value=name, reason=str(error))
            continue
        inner = TableReader(table, name, reader.problems)
        inner.refuse_unknown(_DATA_KEYS)
        yield inner
