"""The rule packs of all plug-ins and of the user's own folder.

A file with a fault is left out and told with its line; nothing else is lost by it. The first rule of an id stands:
nobody's findings change because a pack was added.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from tunebench.core.records import record
from tunebench.sdk.toml_tables import QUARANTINE, Problem

if TYPE_CHECKING:
    from tunebench.sdk.rules import Rule, RulePack

SUFFIXES = (".yaml", ".yml")


@record
class PackSource:
    """A file of rules; `owner` is the id of its plug-in, `name` what problems call it."""

    owner: str
    path: Path
    name: str


@record
class RuleRegistry:
    """What was read; `problems` by owner."""

    packs: tuple[RulePack, ...] = ()
    problems: Mapping[str, tuple[Problem, ...]] = field(default_factory=dict)

    @property
    def rules(self) -> tuple[Rule, ...]:
        return tuple(rule for pack in self.packs for rule in pack.rules)


def pack_files(folder: Path) -> tuple[Path, ...]:
    """Files of rules in `folder`, by name; a missing or unreadable folder has none."""
    try:
        return tuple(path for path in sorted(folder.iterdir()) if path.suffix in SUFFIXES and path.is_file())
    except OSError:
        return ()


def read_registry(sources: Iterable[PackSource]) -> RuleRegistry:
    packs: list[RulePack] = []
    problems: dict[str, list[Problem]] = {}
    taken: dict[str, str] = {}  # id of a rule -> its pack
    for source in sources:
        pack, faults = read_source(source)
        problems.setdefault(source.owner, []).extend(faults)
        if pack is not None:
            problems[source.owner].extend(_second_ones(pack, source.name, taken))
            packs.append(_without_second_ones(pack, taken))
    return RuleRegistry(tuple(packs), {owner: tuple(own) for owner, own in problems.items()})


def read_source(source: PackSource) -> tuple[RulePack | None, tuple[Problem, ...]]:
    try:
        data = source.path.read_bytes()
    except OSError as error:
        facts = {"where": source.name, "reason": str(error)}
        return None, (Problem(QUARANTINE, "pack_unreadable", facts),)
    from tunebench.sdk.rule_packs import read_rule_pack  # YAML and expressions, for who diagnoses

    return read_rule_pack(data, source.name)


def _second_ones(pack: RulePack, name: str, taken: Mapping[str, str]) -> Iterator[Problem]:
    for rule in pack.rules:
        if rule.id in taken:
            facts = {"where": f"{name}:{rule.line}", "id": rule.id, "pack": taken[rule.id]}
            yield Problem("warning", "rule_twice", facts)


def _without_second_ones(pack: RulePack, taken: dict[str, str]) -> RulePack:
    rules = tuple(rule for rule in pack.rules if rule.id not in taken)
    taken.update(dict.fromkeys((rule.id for rule in rules), pack.id))
    return replace(pack, rules=rules)
