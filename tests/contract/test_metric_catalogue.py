"""The metric catalogue: complete, consistent, and right about what the tools' manuals say."""

from __future__ import annotations

import re

import pytest

from tunebench.domain.engagement import Direction, Kind
from tunebench.domain.series import ATTRIBUTE_NAMES
from tunebench.plughost.catalogue import UNDETERMINED, MetricCatalogue
from tunebench.sdk.units import base_unit_of, factor_between, unit_of_heading


@pytest.fixture(scope="module")
def catalogue() -> MetricCatalogue:
    return MetricCatalogue.load()


def test_the_shipped_catalogue_has_no_problems(catalogue):
    assert [problem.text("en") for problem in catalogue.problems] == []
    assert len(catalogue.metrics()) > 150
    assert len(catalogue.maps()) > 600


def test_every_metric_is_named_and_explained_in_both_languages(catalogue):
    for metric in catalogue.metrics():
        for texts in (metric.name, metric.meaning):
            assert texts["en"].strip() and texts["ko"].strip(), metric.id
            assert re.search("[가-힣]", texts["ko"]) or re.fullmatch(r"[A-Z/ ()]+", texts["ko"]), metric.id
            assert not re.search("[가-힣]", texts["en"]), metric.id


def test_every_metric_is_measured_in_a_base_unit(catalogue):
    for metric in catalogue.metrics():
        assert base_unit_of(metric.unit) == metric.unit, metric.id
        if metric.kind is Kind.RATIO:
            assert metric.unit == "1", metric.id
        if metric.kind is Kind.RATE:
            assert metric.unit.endswith("/s"), metric.id


def test_time_that_the_hypervisor_took_has_one_name_in_every_tool(catalogue):
    known = [
        ("iostat", "linux", "cpu", "%steal"),
        ("vmstat", "linux", "vmstat", "st"),
        ("dstat", "linux", "cpu", "stl"),
        ("collectl", "linux", "CPU SUMMARY", "Steal"),
        ("nmon", "linux", "CPU", "Steal%"),
    ]
    for tool, os, table, native in known:
        attributes = {"group": "cpu"} if tool == "vmstat" else {}
        traits = catalogue.describe(tool, os, table, native, attributes)
        assert (traits.metric, dict(traits.implied)) == ("system.cpu.utilization", {"state": "steal"}), tool
    assert catalogue.describe("dool", "linux", "memory usage", "avai", {}).unit == "By"


def test_every_column_can_be_converted(catalogue):
    units = {metric.id: metric.unit for metric in catalogue.metrics()}
    for column in catalogue.maps():
        factor = column.to_base or factor_between(column.unit, units[column.metric])
        assert factor and factor > 0, column


def test_every_metric_is_used_and_every_map_has_a_source(catalogue):
    used = {column.metric for column in catalogue.maps()}
    assert {metric.id for metric in catalogue.metrics()} - used == set()
    assert [column.native for column in catalogue.maps() if not column.source] == []


def test_implied_attributes_do_not_collide_with_those_a_parser_gives(catalogue):
    for column in catalogue.maps():
        assert {name for name, _ in column.implied} <= set(ATTRIBUTE_NAMES)
        asked = {name for name, value in column.when if value}
        assert not asked & {name for name, _ in column.implied}, column.native


# Expected values: iostat(1), sar(1), vmstat(8), mpstat(1) of sysstat 12.6 and procps 4.0, SunOS 5.10 man pages.
@pytest.mark.parametrize(
    ("tool", "os", "native", "attributes", "metric", "unit", "to_base", "direction", "implied"),
    [
        ("iostat", "linux", "r/s", {}, "system.disk.operations", "1/s", 1, "neutral", {"direction": "read"}),
        ("iostat", "linux", "wkB/s", {}, "system.disk.io", "KiBy/s", 1024, "neutral", {"direction": "write"}),
        ("iostat", "linux", "wMB/s", {}, "system.disk.io", "MiBy/s", 1048576, "neutral", {"direction": "write"}),
        ("iostat", "linux", "rsec/s", {}, "system.disk.io", "{sector}/s", 512, "neutral", {"direction": "read"}),
        ("iostat", "linux", "await", {}, "system.disk.response_time", "ms", 0.001, "lower", {}),
        ("iostat", "linux", "avgqu-sz", {}, "system.disk.queue_length", "{request}", 1, "lower", {}),
        ("iostat", "linux", "aqu-sz", {}, "system.disk.queue_length", "{request}", 1, "lower", {}),
        ("iostat", "linux", "avgrq-sz", {}, "system.disk.operation_size", "{sector}", 512, "neutral", {}),
        (
            "iostat",
            "linux",
            "rareq-sz",
            {},
            "system.disk.operation_size",
            "KiBy",
            1024,
            "neutral",
            {"direction": "read"},
        ),
        ("iostat", "linux", "%util", {}, "system.disk.utilization", "%", 0.01, "lower", {}),
        ("iostat", "linux", "%idle", {}, "system.cpu.utilization", "%", 0.01, "higher", {"state": "idle"}),
        ("sar", "linux", "%idle", {}, "system.cpu.utilization", "%", 0.01, "higher", {"state": "idle"}),
        ("sar", "linux", "pgpgin/s", {}, "system.block.io", "KiBy/s", 1024, "neutral", {"direction": "read"}),
        ("sar", "linux", "bread/s", {}, "system.disk.io", "{sector}/s", 512, "neutral", {"direction": "read"}),
        ("sar", "linux", "rxkB/s", {}, "system.network.io", "KiBy/s", 1024, "neutral", {"direction": "receive"}),
        ("sar", "linux", "ldavg-5", {}, "system.cpu.load_average.5m", "{thread}", 1, "lower", {}),
        ("sar", "linux", "MBfsfree", {}, "system.filesystem.usage", "MiBy", 1048576, "higher", {"state": "free"}),
        ("sar", "linux", "fch_rxw/s", {}, "system.fc.io", "{word}/s", 4, "neutral", {"direction": "receive"}),
        ("vmstat", "linux", "sy", {"group": "cpu"}, "system.cpu.utilization", "%", 0.01, "lower", {"state": "system"}),
        ("vmstat", "linux", "si", {}, "system.swap.io", "KiBy/s", 1024, "lower", {"direction": "in"}),
        ("vmstat", "linux", "free", {}, "system.memory.usage", "KiBy", 1024, "higher", {"state": "free"}),
        ("vmstat", "sunos", "sy", {"group": "faults"}, "system.system_calls", "1/s", 1, "neutral", {}),
        ("vmstat", "sunos", "sy", {"group": "cpu"}, "system.cpu.utilization", "%", 0.01, "lower", {"state": "system"}),
        ("vmstat", "sunos", "sr", {}, "system.memory.scan_rate", "{page}/s", 1, "lower", {}),
        ("vmstat", "sunos", "po", {}, "system.paging.io", "KiBy/s", 1024, "lower", {"direction": "out"}),
        ("vmstat", "sunos", "s0", {"device": "s0"}, "system.disk.operations", "1/s", 1, "neutral", {}),
        (
            "vmstat",
            "sunos",
            "apo",
            {},
            "system.paging.io",
            "KiBy/s",
            1024,
            "lower",
            {"direction": "out", "state": "anonymous"},
        ),
        ("iostat", "sunos", "svc_t", {}, "system.disk.response_time", "ms", 0.001, "lower", {}),
        ("iostat", "sunos", "asvc_t", {}, "system.disk.active_time", "ms", 0.001, "lower", {}),
        ("iostat", "sunos", "wsvc_t", {}, "system.disk.wait_time", "ms", 0.001, "lower", {}),
        ("iostat", "sunos", "kw/s", {}, "system.disk.io", "KiBy/s", 1024, "neutral", {"direction": "write"}),
        ("iostat", "sunos", "%b", {}, "system.disk.utilization", "%", 0.01, "lower", {}),
        ("sar", "sunos", "blks/s", {}, "system.disk.io", "{sector}/s", 512, "neutral", {}),
        ("sar", "sunos", "%wio", {}, "system.cpu.utilization", "%", 0.01, "lower", {"state": "iowait"}),
        ("sar", "sunos", "freeswap", {}, "system.paging.usage", "{sector}", 512, "higher", {"state": "free"}),
        ("mpstat", "sunos", "smtx", {}, "system.lock.mutex_spins", "1/s", 1, "lower", {}),
    ],
)
def test_a_column_is_what_its_manual_says(
    catalogue, tool, os, native, attributes, metric, unit, to_base, direction, implied
):
    traits = catalogue.describe(tool, os, "any", native, attributes)
    assert (traits.metric, traits.unit, traits.direction) == (metric, unit, Direction(direction))
    assert traits.to_base == pytest.approx(to_base, rel=1e-12)
    assert dict(traits.implied) == implied


def test_the_same_heading_differs_by_table(catalogue):
    def metric(table: str) -> str:
        return catalogue.describe("sar", "linux", table, "retrans/s", {}).metric

    assert metric("nfs_client") == "system.nfs.client.retransmissions"
    assert metric("tcp_errors") == "system.tcp.retransmissions"
    log = catalogue.describe("pgbench", "", "log", "latency average", {})
    summary = catalogue.describe("pgbench", "", "summary", "latency average", {})
    assert (log.unit, summary.unit) == ("us", "ms")
    assert log.metric == summary.metric


def test_the_operating_system_may_be_spelt_otherwise_or_unknown(catalogue):
    expected = catalogue.describe("vmstat", "sunos", "vmstat", "sr", {})
    assert catalogue.describe("vmstat", "Solaris", "vmstat", "sr", {}) == expected
    assert catalogue.describe("vmstat", "SunOS", "vmstat", "sr", {}) == expected
    assert catalogue.describe("vmstat", "", "vmstat", "sr", {}) == expected
    assert catalogue.describe("vmstat", "linux", "vmstat", "sr", {}).metric == ""


# sysstat's CHANGES: 11.7.4 and 12.7.8 redefined used memory.
@pytest.mark.parametrize(
    ("version", "definition"),
    [
        ("10.1.5", "total-free"),
        ("11.7.3", "total-free"),
        ("11.7.4", "total-free-caches"),
        ("sysstat version 12.6.1", "total-free-caches"),
        ("12.7.7", "total-free-caches"),
        ("12.7.8", "total-available"),
        ("12.10.0", "total-available"),
        ("", UNDETERMINED),
    ],
)
def test_a_changed_definition_is_told_by_version(catalogue, version, definition):
    for native in ("kbmemused", "%memused"):
        traits = catalogue.describe("sar", "linux", "memory", native, {}, version)
        assert traits.definition == definition
        assert dict(traits.implied) == {"state": "used"}


@pytest.mark.parametrize(
    ("heading", "unit", "base", "factor"),
    [
        ("xkB/s", "KiBy/s", "By/s", 1024),
        ("%new", "%", "1", 0.01),
        ("new/s", "1/s", "1/s", 1),
        ("kbnew", "KiBy", "By", 1024),
        ("took_ms", "ms", "s", 0.001),
        ("whatever", "1", "1", 1),
    ],
)
def test_an_unknown_column_keeps_its_name_and_what_its_heading_tells(catalogue, heading, unit, base, factor):
    traits = catalogue.describe("newtool", "linux", "t", heading, {})
    assert (traits.metric, traits.unit, traits.base_unit) == ("", unit, base)
    assert (traits.kind, traits.direction, traits.implied) == (Kind.GAUGE, Direction.NEUTRAL, ())
    assert traits.to_base == pytest.approx(factor)
    assert unit_of_heading(heading) == unit


def test_meaning_is_given_in_both_languages(catalogue):
    english = catalogue.meaning("system.disk.response_time", "svc_t", "en", tool="iostat", os="sunos")
    assert english.startswith("Disk response time (svc_t).") and "iostat -x" in english
    korean = catalogue.meaning("system.disk.response_time", "svc_t", "ko", tool="iostat", os="sunos")
    assert korean.startswith("디스크 응답시간 (svc_t).") and "대기열" in korean
    assert "[iostat(1M), SunOS 5.10" in korean
    assert "kbnew" in catalogue.meaning("", "kbnew", "ko")
    assert catalogue.name("system.memory.scan_rate", "ko") == "스캔 비율"


def test_every_definition_is_told_where_the_version_is_not_known(catalogue):
    def told(version: str) -> str:
        return catalogue.meaning(
            "system.memory.usage", "kbmemused", "en", tool="sar", os="linux", table="memory", tool_version=version
        )

    assert all(words in told("") for words in ("before 11.7.4", "11.7.4 to 12.7.7", "12.7.8 and later"))
    assert "12.7.8 and later" in told("12.7.9") and "before 11.7.4" not in told("12.7.9")


def test_a_damaged_catalogue_file_is_a_problem_and_the_rest_is_read(tmp_path):
    (tmp_path / "a.toml").write_text("[[metrics]\n", encoding="utf-8")
    (tmp_path / "b.toml").write_text(
        """
[[metrics]]
id = "x.y"
kind = "gage"
unit = "furlong"
direction = "lower"
name = { en = "X", ko = "엑스" }
meaning = { en = "X" }
[[maps]]
tools = ["t"]
[maps.columns]
"a" = { metric = "x.y", unit = "s" }
"b" = { metric = "x.z", unit = "s" }
"c" = { metric = "x.y", unit = "s", implied = { colour = "red" } }
""",
        encoding="utf-8",
    )
    catalogue = MetricCatalogue.load(tmp_path)
    keys = {problem.key for problem in catalogue.problems}
    assert keys == {
        "manifest_no_toml",
        "not_one_of",
        "unit_unknown",
        "key_missing",
        "metric_unknown",
        "unit_mismatch",
        "attribute_unknown",
    }
