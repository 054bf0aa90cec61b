"""Finds plug-ins in their folders and gives their contributions, guarded.

Search order: the shipped `plugins/`, the user's folder, the engagement's folder. Reading is by manifest
alone; code is imported on first use. Whatever a plug-in does wrong costs it that contribution, and the
rest goes on.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, cast

from tunebench.core.errors import PluginError
from tunebench.core.messages import LANGUAGES, catalogue
from tunebench.core.paths import user_rules_folder
from tunebench.core.records import record
from tunebench.plughost.listing import Origin, PluginListing, PluginState, QuarantineRecord, quarantine_record
from tunebench.plughost.parser_entry import Candidate, Load, ParserEntry
from tunebench.plughost.plugin_folders import FoundPlugin, SearchFolder, hash_of, plugin_folders, standard_folders
from tunebench.plughost.recognition import Recogniser
from tunebench.plughost.rule_registry import PackSource, RuleRegistry, pack_files, read_registry
from tunebench.plughost.trust import TrustList
from tunebench.sdk.cycle_templates import CycleTemplate
from tunebench.sdk.effects import KnownEffect
from tunebench.sdk.loading import PluginCode
from tunebench.sdk.manifest import Manifest, ParserManifest, examine_manifest
from tunebench.sdk.parsing import Parser
from tunebench.sdk.probes import Probe
from tunebench.sdk.simple_table import table_parser
from tunebench.sdk.table_definition import TableDefinition
from tunebench.sdk.toml_tables import QUARANTINE, Problem

if TYPE_CHECKING:
    from tunebench.sdk.rules import Rule, RulePack

OWN_RULES = "own.rules"
"""Id under which the user's own files of rules are listed."""

_Data = TypeVar("_Data", Probe, KnownEffect, CycleTemplate)

_log = logging.getLogger(__name__)


@record(frozen=False)
class _Collected:
    plugins: list[FoundPlugin] = field(default_factory=list)
    parsers: dict[str, ParserEntry] = field(default_factory=dict)
    probes: dict[str, tuple[Probe, FoundPlugin]] = field(default_factory=dict)
    effects: dict[str, tuple[KnownEffect, FoundPlugin]] = field(default_factory=dict)
    templates: dict[str, tuple[CycleTemplate, FoundPlugin]] = field(default_factory=dict)
    registry: RuleRegistry | None = None
    reading: threading.Lock = field(default_factory=threading.Lock)


class PluginHost:
    """All plug-ins of one session. May be used from several threads."""

    def __init__(
        self,
        folders: Sequence[SearchFolder] | None = None,
        trust: TrustList | None = None,
        rules_folder: Path | None = None,
    ) -> None:
        """`folders`: where plug-ins are looked for; `rules_folder`: the user's own files of rules; with the standard
        folders the standard one."""
        self.folders = tuple(standard_folders() if folders is None else folders)
        self._rules_folder = rules_folder or (user_rules_folder() if folders is None else None)
        self._trust = trust or TrustList()
        self._lock = threading.Lock()
        self._quarantine: dict[tuple[str, str], QuarantineRecord] = {}
        self._collected = self._search()
        self._recogniser = Recogniser(self.parsers, self.ask, self.recognise)

    # -- parsers -----------------------------------------------------------------------------------

    def parsers(self) -> list[ParserEntry]:
        """The parsers that may be used, in search order."""
        return [
            entry for entry in self._collected.parsers.values() if (entry.plugin_id, entry.id) not in self._quarantine
        ]

    def parser(self, parser_id: str) -> ParserEntry | None:
        """The parser of that id; None where none may be used."""
        return next((entry for entry in self.parsers() if entry.id == parser_id), None)

    def recognise(self, head: bytes, file_name: str) -> list[Candidate]:
        """The parsers that know a file by its first 64 KiB, surest first; equals keep the search order."""
        asked = (self.ask(entry, head, file_name) for entry in self.parsers())
        return sorted(filter(None, asked), key=lambda candidate: -candidate.confidence)

    def surest(self, head: bytes, file_name: str, ways: Iterable[Sequence[bytes]] = ()) -> Candidate | None:
        """The surest of all parsers of a file with this head, where one is sure enough; of equals that of the first
        reading, and of its equals the first in search order.

        Args:
            ways: how the head may be read, the most likely first: several readings each, of which the surest is right.
                Without any it is read as it is.
        """
        return self._recogniser.surest(head, file_name, ways)

    def surest_by_signs(self, text: bytes) -> Candidate | None:
        """The surest of the parsers whose signs stand in a text, however sure; None where no such one knows it. Of what
        may be anything, a part of a file, that is enough."""
        return self._recogniser.surest_by_signs(text)

    def ask(self, entry: ParserEntry, head: bytes, file_name: str) -> Candidate | None:
        """How sure one parser is; None where it is not at all, or left out by now."""
        if (entry.plugin_id, entry.id) in self._quarantine:
            return None
        try:
            confidence = entry.sniff(head, file_name)
        except PluginError:  # quarantined and logged where it was raised; the others are asked
            return None
        return Candidate(entry, confidence) if confidence > 0.0 else None

    # -- probes ------------------------------------------------------------------------------------

    def probes(self) -> tuple[Probe, ...]:
        """All probes, in search order; pure data, so that nothing of it can be quarantined."""
        return tuple(probe for probe, _ in self._collected.probes.values())

    # -- the method --------------------------------------------------------------------------------

    def effects(self) -> tuple[KnownEffect, ...]:
        """Rows of the known-effect matrix, in search order; pure data."""
        return tuple(effect for effect, _ in self._collected.effects.values())

    def templates(self) -> tuple[CycleTemplate, ...]:
        """Templates that an iteration of the tuning cycle may start from, in search order; pure data."""
        return tuple(template for template, _ in self._collected.templates.values())

    def matrices(self) -> tuple[Path, ...]:
        """Files of experiments that are ready to be run, in search order."""
        return tuple(path for plugin in self._collected.plugins for path in plugin.matrix_files())

    # -- what went wrong -----------------------------------------------------------------------------

    def quarantine(self, plugin_id: str, contribution: str, cause: BaseException | str) -> None:
        """Leaves a contribution out for the rest of the session; the first cause is kept."""
        self.quarantine_as(quarantine_record(plugin_id, contribution, cause))

    def quarantine_as(self, record: QuarantineRecord) -> None:
        """See `quarantine`; also for what a process that reads captures had to leave out."""
        _log.warning("plug-in %s: %s quarantined\n%s", record.plugin_id, record.contribution, record.traceback)
        with self._lock:
            self._quarantine.setdefault((record.plugin_id, record.contribution), record)
            self._recogniser.forget()

    def quarantined(self) -> list[QuarantineRecord]:
        with self._lock:
            return list(self._quarantine.values())

    def readmit(self, plugin_id: str, contribution: str) -> None:
        """The user wants to try again."""
        with self._lock:
            self._quarantine.pop((plugin_id, contribution), None)
            self._recogniser.forget()

    def listings(self) -> list[PluginListing]:
        """Every plug-in folder that was found, usable or not, in search order."""
        return [*(self._listing(plugin) for plugin in self._collected.plugins), *self._own_rules()]

    # -- trust ---------------------------------------------------------------------------------------

    def trust(self, listing: PluginListing) -> None:
        """The user agrees to run exactly these files; takes effect at once."""
        self._trust.trust(listing.hash, listing.id, listing.folder)
        self.search_again()

    def search_again(self) -> None:
        """Looks into the folders anew; what is quarantined stays so."""
        self._collected = self._search()
        self._recogniser.forget()

    # -- sentences and metrics -----------------------------------------------------------------------

    def messages(self, language: str) -> dict[str, str]:
        """Sentences for the plug-ins' own ledger keys; the program's own keys cannot be replaced."""
        own = catalogue(language)
        sentences: dict[str, str] = {}
        for manifest in self.manifests():
            for key, sentence in manifest.messages.get(language, {}).items():
                if key not in own:
                    sentences.setdefault(key, sentence)
        return sentences

    def manifests(self) -> list[Manifest]:
        """Manifests of the plug-ins in use."""
        return [plugin.active for plugin in self._collected.plugins if plugin.active is not None]

    # -- search --------------------------------------------------------------------------------------

    def _search(self) -> _Collected:
        collected = _Collected()
        taken: dict[str, Path] = {}
        for root in self.folders:
            for folder in plugin_folders(root.path):
                plugin = self._examine(folder, root.origin, taken)
                collected.plugins.append(plugin)
                active = plugin.active
                if active is not None:
                    taken[plugin.id] = folder
                    self._add_parsers(plugin, active, collected)
                    _add_firsts(plugin, active.probes, collected.probes, "probe_twice")
                    _add_firsts(plugin, active.effects, collected.effects, "effect_twice")
                    _add_firsts(plugin, active.templates, collected.templates, "template_twice")
        _name_missing_parsers(collected)
        _name_missing_of_templates(collected)
        return collected

    def _examine(self, folder: Path, origin: Origin, taken: Mapping[str, Path]) -> FoundPlugin:
        manifest, problems = examine_manifest(folder)
        plugin = FoundPlugin(folder, origin, manifest, problems)
        if manifest is not None and origin is Origin.ENGAGEMENT:
            plugin.trusted = self._trust.trusts(hash_of(folder))
        if manifest is not None and plugin.id in taken:
            facts = {"id": plugin.id, "folder": str(taken[plugin.id])}
            plugin.problems += (Problem("error", "plugin_twice", facts),)
        return plugin

    def _add_parsers(self, plugin: FoundPlugin, active: Manifest, collected: _Collected) -> None:
        code = PluginCode(plugin.id, plugin.folder, cached=plugin.origin is Origin.BUILTIN)
        loads: list[tuple[ParserManifest | TableDefinition, Load]] = [
            *((parser, partial(_load_code, code, parser)) for parser in active.parsers),
            *((table, partial(table_parser, table)) for table in active.tables),
        ]
        for parser, load in loads:
            entry = ParserEntry(active, parser, load, self.quarantine)
            first = collected.parsers.setdefault(parser.id, entry)
            if first is not entry:
                plugin.tell_second("parser_twice", parser.id, first.plugin_id)

    def _listing(self, plugin: FoundPlugin) -> PluginListing:
        manifest = plugin.manifest
        return PluginListing(
            id=plugin.id,
            name=manifest.name if manifest else dict.fromkeys(LANGUAGES, plugin.folder.name),
            version=manifest.version if manifest else "",
            folder=plugin.folder,
            origin=plugin.origin,
            hash=hash_of(plugin.folder),
            state=self._state(plugin),
            contributions=plugin.contributions(),
            problems=(*plugin.problems, *self._registry().problems.get(plugin.id, ())),
        )

    def _own_rules(self) -> list[PluginListing]:
        """The user's own files of rules as one entry, where there are some."""
        files = pack_files(self._rules_folder) if self._rules_folder else ()
        if not files or self._rules_folder is None:
            return []
        problems = self._registry().problems.get(OWN_RULES, ())
        faulty = any(problem.level == QUARANTINE for problem in problems)
        return [
            PluginListing(
                id=OWN_RULES,
                name={language: catalogue(language).text("plughost.own_rules") for language in LANGUAGES},
                version="",
                folder=self._rules_folder,
                origin=Origin.USER,
                hash=hash_of(self._rules_folder),
                state=PluginState.QUARANTINED if faulty else PluginState.OK,
                contributions=tuple(path.name for path in files),
                problems=problems,
            )
        ]

    # -- rules ---------------------------------------------------------------------------------------

    def rule_packs(self) -> tuple[RulePack, ...]:
        """The packs that may be used, in search order, the user's own files last; read when first asked for."""
        return self._registry().packs

    def rules(self) -> tuple[Rule, ...]:
        """All rules of `rule_packs`; the first of an id stands."""
        return self._registry().rules

    def rule_problems(self) -> tuple[Problem, ...]:
        """Problems of the files of rules: a diagnosis has to say what was left out."""
        return tuple(problem for problems in self._registry().problems.values() for problem in problems)

    def _registry(self) -> RuleRegistry:
        collected = self._collected
        with collected.reading:
            if collected.registry is None:
                collected.registry = read_registry(self._rule_files(collected))
            return collected.registry

    def _rule_files(self, collected: _Collected) -> Iterator[PackSource]:
        for plugin in collected.plugins:
            yield from plugin.rule_files()
        for path in pack_files(self._rules_folder) if self._rules_folder else ():
            yield PackSource(OWN_RULES, path, path.name)

    def _state(self, plugin: FoundPlugin) -> PluginState:
        if plugin.refused:
            return PluginState.REFUSED
        if not plugin.trusted and plugin.manifest != plugin.active:
            return PluginState.UNTRUSTED
        if any(record.plugin_id == plugin.id for record in self.quarantined()):
            return PluginState.QUARANTINED
        if any(problem.level == QUARANTINE for problem in self._registry().problems.get(plugin.id, ())):
            return PluginState.QUARANTINED
        return PluginState.OK


def _load_code(code: PluginCode, parser: ParserManifest) -> type[Parser]:
    return cast("type[Parser]", code.load(parser.module, parser.class_name))


def _add_firsts(
    plugin: FoundPlugin, given: Iterable[_Data], known: dict[str, tuple[_Data, FoundPlugin]], problem: str
) -> None:
    """The first of an id stands: nobody's approval sheet changes because a plug-in was added."""
    for entry in given:
        if entry.id in known:
            plugin.tell_second(problem, entry.id, known[entry.id][1].id)
        known.setdefault(entry.id, (entry, plugin))


def _name_missing_of_templates(collected: _Collected) -> None:
    """A template may name another plug-in's probes and effects; missing ones become a problem, the rest serves."""
    for template, plugin in collected.templates.values():
        for probe in template.probes:
            if probe not in collected.probes:
                plugin.problems += (Problem("warning", "template_probe", {"id": template.id, "probe": probe}),)
        for effect in {action.known_effect for action in template.actions} - {"", *collected.effects}:
            plugin.problems += (Problem("warning", "template_effect", {"id": template.id, "effect": effect}),)


def _name_missing_parsers(collected: _Collected) -> None:
    """A probe may be read by another plug-in's parser; a missing one becomes a problem, its output is kept."""
    for probe, plugin in collected.probes.values():
        if probe.parser and probe.parser not in collected.parsers:
            plugin.problems += (Problem("warning", "probe_parser", {"id": probe.id, "parser": probe.parser}),)
