"""The bounds of the catalogue name no value that a real tool printed rightly.

The figures are from captures among the fixtures and from the tools' manuals: a process on four processors, a busy disk
of FreeBSD's gstat, memory that was given back, a file system that says it has 2^63 - 1 inodes.
"""

from __future__ import annotations

import pytest

from tests.conftest import ROOT
from tunebench.plughost.catalogue import MetricCatalogue


@pytest.fixture(scope="module")
def catalogue() -> MetricCatalogue:
    return MetricCatalogue.load(ROOT / "resources" / "metrics")


@pytest.mark.parametrize(
    ("tool", "table", "native", "attributes", "value"),
    [
        ("pidstat", "cpu", "%CPU", {"process": "java"}, 413.0),
        ("gstat", "device", "%busy", {"device": "da0"}, 111.8),
        ("sar", "memory", "frmpg/s", {}, -181.47),
        ("sar", "memory", "%commit", {}, 320.0),
        ("df", "df", "ifree", {"mountpoint": "/"}, 9223372036854775807),
        ("iostat", "device", "%util", {"device": "sda"}, 100.4),
        ("mpstat", "cpu", "%steal", {"cpu": "0"}, 100.0),
        ("sar", "interface", "rxkB/s", {"interface": "eth0"}, 50e6),
        ("some-tool", "table", "balance", {}, -12.0),
    ],
)
def test_what_is_measured_is_within(
    catalogue: MetricCatalogue, tool: str, table: str, native: str, attributes: dict[str, str], value: float
) -> None:
    traits = catalogue.describe(tool, "", table, native, attributes)
    assert traits.least <= value <= traits.most


@pytest.mark.parametrize(
    ("tool", "table", "native", "attributes", "value"),
    [
        ("mpstat", "cpu", "%steal", {"cpu": "0"}, 300.0),
        ("iostat", "device", "%util", {"device": "sda"}, 4294967.3),
        ("sar", "interface", "rxkB/s", {"interface": "eth0"}, 2**64 / 1024 / 600),  # a wrap in ten minutes
        ("sar", "interface", "rxkB/s", {"interface": "eth0"}, -1.0),
        ("some-tool", "table", "items", {}, 2.0**64 - 2048),
        ("some-tool", "table", "items/s", {}, 2.0**64 / 300),
    ],
)
def test_what_cannot_be_is_beyond(
    catalogue: MetricCatalogue, tool: str, table: str, native: str, attributes: dict[str, str], value: float
) -> None:
    traits = catalogue.describe(tool, "", table, native, attributes)
    assert not traits.least <= value <= traits.most
