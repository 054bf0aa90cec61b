"""See, create and check plug-ins."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from tunebench.core.errors import UserError
from tunebench.plughost.catalogue import MetricCatalogue
from tunebench.plughost.listing import PluginListing
from tunebench.plughost.scaffold import (
    create_method_plugin,
    create_parser_from,
    create_parser_plugin,
    create_probe_plugin,
    create_rules_plugin,
    create_table_plugin,
)
from tunebench.sdk.manifest import examine_manifest
from tunebench.sdk.testkit import Finding, check_plugin
from tunebench.usecases import services
from tunebench.usecases.importing import table_definitions


def listings() -> list[PluginListing]:
    return services.current().plugins.listings()


CREATE: Mapping[str, Callable[[Path | None, str], Path]] = {
    "parser": create_parser_plugin,
    "probe": create_probe_plugin,
    "method": create_method_plugin,
    "rules": create_rules_plugin,
}
"""Kind of plug-in -> what writes one that works, to start from: in a folder, or where the program looks for the user's
own, under a name."""


def create_from_sample(name: str, sample: Path, table: bool, folder: Path | None = None) -> Path:
    """A plug-in for captures such as `sample`: a definition without code where `table`, else code to go on with."""
    if not table:
        return create_parser_from(folder, name, sample)
    text = table_definitions.table_text(sample)
    return create_table_plugin(folder, name, Path(text.name) if text else sample, text.data if text else None)


def check(name: str) -> list[Finding]:
    """Runs the testkit on a plug-in's folder, or on the plug-in that has this id or this name.

    Raises:
        UserError: there is no such folder or plug-in.
    """
    by_id = {listing.id: listing.folder for listing in listings()}
    by_name = {folder.name: folder for folder in by_id.values()}
    folder = by_id.get(name) or (Path(name) if Path(name).is_dir() else by_name.get(name, Path(name)))
    if not folder.is_dir():
        raise UserError("plugin_unknown", name=name, known=", ".join(by_id) or "-")
    return [*_metric_findings(folder), *check_plugin(folder)]


def _metric_findings(folder: Path) -> list[Finding]:
    """Metrics that nobody defines, and units that do not fit them."""
    manifest, _ = examine_manifest(folder)
    if manifest is None:
        return []
    before = len(MetricCatalogue.load().problems)
    problems = MetricCatalogue.load(manifests=[manifest]).problems[before:]
    return [Finding(problem.level, f"problem.{problem.key}", problem.facts) for problem in problems]
