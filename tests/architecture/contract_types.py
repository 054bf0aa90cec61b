"""Kinds of import contract that `.importlinter` uses beside the stock ones."""

from __future__ import annotations

import sys
from abc import abstractmethod
from collections.abc import Iterable, Iterator
from typing import Any

from grimp import ImportGraph
from importlinter import Contract, ContractCheck, fields, output

Breach = tuple[str, str]


def _within(module: str, packages: Iterable[str]) -> bool:
    return any(module == package or module.startswith(f"{package}.") for package in packages)


class _BreachContract(Contract):
    """A contract whose check is a list of (importing module, what it must not import)."""

    @abstractmethod
    def breaches(self, graph: ImportGraph) -> Iterator[Breach]:
        """Every import that breaks this contract."""

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:
        found = sorted(set(self.breaches(graph)))
        return ContractCheck(kept=not found, metadata={"breaches": found})

    def render_broken_contract(self, check: ContractCheck) -> None:
        for importer, imported in check.metadata["breaches"]:
            output.print_error(f"- {importer} must not reach {imported}", bold=False)


class DoorContract(_BreachContract):
    """Libraries that only certain rooms may import; a room added later is covered without being named.

    Options: `libraries`; `doors`, the modules that may import them; `transitive`, whether reaching a library
    through other modules counts as well; `everywhere_in`, the package that is watched.
    """

    libraries: Any = fields.SetField(subfield=fields.StringField())
    doors: Any = fields.SetField(subfield=fields.StringField())
    everywhere_in: Any = fields.StringField(required=False, default="tunebench")
    transitive: Any = fields.BooleanField(required=False, default=False)

    def breaches(self, graph: ImportGraph) -> Iterator[Breach]:
        for library in sorted(module for module in graph.modules if _within(module, self.libraries)):
            importers = graph.find_modules_that_directly_import(library)
            if self.transitive:
                importers = graph.find_downstream_modules(library)
            for importer in importers:
                if _within(importer, [self.everywhere_in]) and not _within(importer, self.doors):
                    yield importer, library


class PluginContract(_BreachContract):
    """A folder's parts import themselves and the standard library, never each other.

    Options: `pinned`, further modules they may import, without what lies inside of these; `allowed`, further packages
    with all that is inside; `refused`, what they must not import of the standard library.
    """

    folder: Any = fields.StringField()
    allowed: Any = fields.SetField(subfield=fields.StringField())
    pinned: Any = fields.SetField(subfield=fields.StringField(), required=False, default=frozenset())
    refused: Any = fields.SetField(subfield=fields.StringField(), required=False, default=frozenset())

    def breaches(self, graph: ImportGraph) -> Iterator[Breach]:
        for plugin in graph.find_children(self.folder):
            for module in {plugin} | graph.find_descendants(plugin):
                for imported in graph.find_modules_directly_imported_by(module):
                    if not self._may_import(plugin, imported):
                        yield module, imported

    def _may_import(self, plugin: str, imported: str) -> bool:
        if _within(imported, self.refused):
            return False
        top = imported.partition(".")[0]
        own = imported in self.pinned or _within(imported, {plugin, *self.allowed})
        return own or top in sys.stdlib_module_names


class IndependentPagesContract(_BreachContract):
    """Pages do not reach each other, not even through others.

    A page may consist of several modules whose names begin alike (`timeline`, `timeline_rows`). Options:
    `folder`; `shared`, modules of that folder which belong to no page and know none.
    """

    folder: Any = fields.StringField()
    shared: Any = fields.SetField(subfield=fields.StringField(), required=False, default=frozenset())

    def breaches(self, graph: ImportGraph) -> Iterator[Breach]:
        if self.folder not in graph.modules:
            return
        modules = sorted(graph.find_descendants(self.folder))
        for importer in modules:
            for imported in graph.find_upstream_modules(importer) & set(modules):
                if imported not in self.shared and self._page_of(importer) != self._page_of(imported):
                    yield importer, imported

    def _page_of(self, module: str) -> str:
        return module.removeprefix(f"{self.folder}.").partition(".")[0].partition("_")[0]
