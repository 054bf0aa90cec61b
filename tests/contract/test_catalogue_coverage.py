"""Every column the shipped parsers read out of the captures has a metric, or a reason why not."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from app.core.paths import builtin_plugins_folder
from app.plughost import MetricCatalogue, Origin, PluginHost, SearchFolder
from app.plughost.host import HEAD_BYTES
from app.sdk import ParseContext
from app.sdk.testkit import SURE
from tests.conftest import CORPUS, ROOT

UNMAPPED = {
    ("pgbench", "duration"): "a setting of the run, not a measurement",
    ("pgbench", "maximum number of tries"): "a setting of the run",
    ("pgbench", "number of threads"): "a setting of the run",
    ("pgbench", "number of transactions per client"): "a setting of the run",
    ("pgbench", "scaling factor"): "a setting of the run",
    ("pgbench", "sum_latency_2"): "a sum of squares: of use only for the deviation",
    ("pgbench", "sum_lag_2"): "a sum of squares: of use only for the deviation",
    ("mpstat", "CORE"): "the processor's place in the machine, not a measurement",
    ("mpstat", "SOCK"): "the processor's place in the machine",
    ("mpstat", "NODE"): "the processor's place in the machine",
    ("vmstat", "toolong"): "names too long for Solaris' directory name cache: of interest in no tuning",
    ("vmstat", "Num"): "slab caches: one table per cache, no metric common to other systems",
    ("vmstat", "Total"): "slab caches",
    ("vmstat", "Size"): "slab caches",
    ("vmstat", "Pages"): "slab caches",
    ("meminfo", "Hugepagesize"): "a setting of the machine",
    ("pidstat", "CPU"): "the processor the process last ran on, not a measurement",
}
"""(tool, heading) -> why it has no metric."""

PLACES = {
    "fixtures": ROOT / "tests" / "fixtures",
    "made": CORPUS / "made",
    "iostat": CORPUS / "wild" / "iostat-linux-x",
    "iostat-plain": CORPUS / "wild" / "iostat-linux",
    "mpstat": CORPUS / "wild" / "mpstat-linux",
    "sar": CORPUS / "wild" / "sar-linux",
    "sar-solaris": CORPUS / "wild" / "sar-solaris",
    "iostat-solaris": CORPUS / "wild" / "iostat-solaris",
    "vmstat": CORPUS / "wild" / "vmstat-linux",
    "vmstat-d": CORPUS / "wild" / "vmstat-d",
    "vmstat-solaris": CORPUS / "wild" / "vmstat-solaris",
    "pgbench": CORPUS / "wild" / "pgbench",
    "pidstat": CORPUS / "wild" / "pidstat",
    "df": CORPUS / "wild" / "df",
    "diskstats": CORPUS / "wild" / "diskstats",
    "time": CORPUS / "wild" / "time",
}
MOST_BYTES = 200_000  # the headings stand at the beginning of every section


@cache
def host() -> PluginHost:
    return PluginHost([SearchFolder(builtin_plugins_folder(), Origin.BUILTIN)])


@cache
def catalogue() -> MetricCatalogue:
    return MetricCatalogue.load()


def unknown_columns(path: Path) -> set[tuple[str, str]]:
    """(tool, heading) of the columns of one capture that the catalogue does not know."""
    data = path.read_bytes()[:MOST_BYTES]
    found = host().recognise(data[:HEAD_BYTES], path.name)
    if not found or found[0].confidence <= SURE:
        return set()
    parser = found[0].entry.create(ParseContext(file_name=path.name, zone=ZoneInfo("Asia/Seoul")))
    series = {key for batch in [*parser.feed(data), *parser.finish()] for key in batch.series}
    ledger = parser.ledger()
    return {
        (ledger.tool, key.native)
        for key in series
        if not catalogue()
        .describe(ledger.tool, ledger.os, key.table, key.native, dict(key.attributes), ledger.tool_version)
        .metric
    }


@pytest.mark.parametrize("name", PLACES)
def test_every_heading_maps_or_has_a_reason(name):
    if not PLACES[name].is_dir():
        pytest.skip("these captures are not beside the project")
    files = [path for path in sorted(PLACES[name].rglob("*")) if path.is_file()]
    unknown = set().union(*(unknown_columns(path) for path in files))
    assert unknown - UNMAPPED.keys() == set()
