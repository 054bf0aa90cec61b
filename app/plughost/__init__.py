"""Finds, checks, loads and quarantines plug-ins; knows the metric catalogue."""

from app.plughost.catalogue import MetricCatalogue
from app.plughost.guard import GuardedParser
from app.plughost.host import Candidate, ParserEntry, PluginHost
from app.plughost.listing import Origin, PluginListing, PluginState, QuarantineRecord
from app.plughost.plugin_folders import SearchFolder, standard_folders
from app.plughost.scaffold import create_method_plugin, create_parser_plugin, create_probe_plugin, create_rules_plugin
from app.plughost.trust import TrustList

__all__ = [
    "Candidate",
    "GuardedParser",
    "MetricCatalogue",
    "Origin",
    "ParserEntry",
    "PluginHost",
    "PluginListing",
    "PluginState",
    "QuarantineRecord",
    "SearchFolder",
    "TrustList",
    "create_method_plugin",
    "create_parser_plugin",
    "create_probe_plugin",
    "create_rules_plugin",
    "standard_folders",
]
