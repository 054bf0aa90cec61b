"""A parser of a plug-in as the program uses it: guarded, its code imported when it is first asked."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from tunebench.core.records import record
from tunebench.plughost.guard import GuardedParser, guarded
from tunebench.sdk.manifest import Manifest, ParserManifest
from tunebench.sdk.parsing import ParseContext, Parser
from tunebench.sdk.signs import folded
from tunebench.sdk.table_definition import TableDefinition

HEAD_BYTES = 65536
"""How much of a file a parser is asked about."""
Load = Callable[[], type[Parser]]
"""Gives the parser's class; imports its code on first use."""
Report = Callable[[str, str, BaseException | str], None]
"""Told the plug-in, the contribution, and what it did wrong."""


class ParserEntry:
    """A parser that may be used; its code, where it has some, is imported by `sniff` or `create`."""

    def __init__(self, plugin: Manifest, parser: ParserManifest | TableDefinition, load: Load, report: Report) -> None:
        self.plugin_id = plugin.id
        self.version = plugin.version
        self.id = parser.id
        self.tools = parser.tools
        self.os = parser.os
        self.signs = frozenset(map(folded, parser.signs))
        self.at_most = parser.at_most
        self.definition = parser if isinstance(parser, TableDefinition) else None
        self._plugin = plugin
        self._load = load
        self._report = partial(report, plugin.id, parser.id)

    def __repr__(self) -> str:
        return f"ParserEntry({self.id} of {self.plugin_id} {self.version})"

    def name_in(self, language: str) -> str:
        return self._plugin.name_in(language)

    def load_fault(self) -> str:
        """The kind of error with which the code of the parser cannot be loaded; empty where it can. Nothing is
        quarantined by it."""
        try:
            self._load()
        except (Exception, SystemExit) as error:  # noqa: BLE001  whatever a plug-in does
            return f"{type(error).__name__} {getattr(error, 'name', '') or ''}".strip()
        return ""

    def sniff(self, head: bytes, file_name: str) -> float:
        """How sure the parser is, 0..1.

        Raises:
            PluginError: the plug-in raised or answered something else; it is quarantined.
        """
        with guarded(self.plugin_id, self.id, self._report):
            confidence = float(self._load().sniff(head[:HEAD_BYTES], file_name))
            if not 0.0 <= confidence <= 1.0:
                raise ValueError(f"sniff gave {confidence}")
        return confidence

    def create(self, context: ParseContext) -> GuardedParser:
        """A fresh parser for one capture.

        Raises:
            PluginError: the plug-in raised; it is quarantined.
        """
        with guarded(self.plugin_id, self.id, self._report):
            parser = self._load()(context)
        return GuardedParser(parser, self.plugin_id, self.id, self._report)


@record
class Candidate:
    """A parser that knows a file, and how sure it is."""

    entry: ParserEntry
    confidence: float
