"""Finds, checks, loads and quarantines plug-ins; knows the metric catalogue."""

from app.plughost.catalogue import MetricCatalogue as MetricCatalogue
from app.plughost.host import Candidate as Candidate
from app.plughost.host import ParserEntry as ParserEntry
from app.plughost.host import PluginHost as PluginHost
from app.plughost.listing import Origin as Origin
from app.plughost.listing import PluginState as PluginState
from app.plughost.plugin_folders import SearchFolder as SearchFolder
from app.plughost.plugin_folders import standard_folders as standard_folders
from app.plughost.scaffold import create_method_plugin as create_method_plugin
from app.plughost.scaffold import create_parser_plugin as create_parser_plugin
from app.plughost.scaffold import create_probe_plugin as create_probe_plugin
from app.plughost.scaffold import create_rules_plugin as create_rules_plugin
from app.plughost.trust import TrustList as TrustList
