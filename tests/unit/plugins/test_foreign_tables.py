"""Tables of other tools by shipped definitions: every value against the text, read with the standard library alone."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta, timezone
from functools import cache
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from tunebench.core.paths import builtin_plugins_folder
from tunebench.plughost.catalogue import MetricCatalogue
from tunebench.plughost.host import PluginHost
from tunebench.plughost.listing import Origin
from tunebench.plughost.parser_entry import HEAD_BYTES
from tunebench.plughost.plugin_folders import SearchFolder
from tunebench.sdk import ParseContext, SampleBatch
from tunebench.sdk.testkit_runs import merged
from tunebench.transport import tables

FOLDER = builtin_plugins_folder()
SEOUL = timezone(timedelta(hours=9))


@cache
def host() -> PluginHost:
    return PluginHost([SearchFolder(FOLDER, Origin.BUILTIN)])


class Read:
    """A file as an import reads it, whole and in pieces, which must agree."""

    def __init__(self, path: Path | None = None, data: bytes = b"", name: str = "") -> None:
        data, name = (path.read_bytes(), path.name) if path else (data, name)
        form = tables.form_of(data[:HEAD_BYTES], name)
        if form:
            (table,) = tables.tables_of(form, [data], name, name)
            data, name = b"".join(table.pieces), table.name
        self.text = data.decode("cp949" if "cp949" in name else "utf-8-sig" if data[:2] != b"\xff\xfe" else "utf-16")
        best = host().recognise(data[:HEAD_BYTES], name)[0]
        assert best.confidence >= 0.6
        self.parser_id = best.entry.id
        context = ParseContext(file_name=name, zone=ZoneInfo("Asia/Seoul"))
        self.batches = self._fed(best.entry.create(context), [data])
        in_pieces = self._fed(best.entry.create(context), [data[at : at + 97] for at in range(0, len(data), 97)])
        assert merged(self.batches) == merged(in_pieces)

    def _fed(self, parser, pieces: Sequence[bytes]) -> list[SampleBatch]:
        batches = [batch for piece in pieces for batch in parser.feed(piece)] + list(parser.finish())
        self.ledger = parser.ledger()
        assert self.ledger.lines.balanced
        return batches

    def series(self) -> dict[tuple[str, tuple[tuple[str, str], ...]], list[tuple[int, float]]]:
        """(native name, attributes) -> (UTC ns, value)."""
        return {
            (key.native, key.attributes): [(time_ns, value) for time_ns, value, _, _ in rows]
            for key, rows in merged(self.batches).items()
        }

    def metric(self, native: str) -> tuple[str, str]:
        keys = [key for batch in self.batches for key in batch.series if key.native == native]
        catalogue = MetricCatalogue.load(manifests=host().manifests())
        ledger = self.ledger
        found = catalogue.describe(ledger.tool, ledger.os, keys[0].table, native, dict(keys[0].attributes))
        return found.metric, found.unit

    def rows(self, separator: str) -> list[list[str]]:
        """The lines as the standard library's reader has them."""
        return list(csv.reader(self.text.splitlines(), delimiter=separator))


def ns(text: str, form: str, zone: timezone = SEOUL) -> int:
    moment = datetime.strptime(text, form).replace(tzinfo=zone)
    return (moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1) * 1000


def values(rows: Sequence[Sequence[str]], column: int, form: str, zone: timezone = SEOUL) -> list[tuple[int, float]]:
    """What a column of a table holds; an empty cell is no value."""
    return [
        (ns(row[0], form, zone), float(row[column].replace(",", ".").rstrip("%")))
        for row in rows
        if row[column].strip()
    ]


PDH = "%m/%d/%Y %H:%M:%S.%f"
PERFMON_NATIVE = {
    r"\\WEB01\Processor(_Total)\% Processor Time": (r"Processor\% Processor Time", (("state", "busy"),)),
    r"\\WEB01\Processor(_Total)\% 프로세서 시간": (r"Processor\% 프로세서 시간", (("state", "busy"),)),
    r"\\WEB01\Memory\Available MBytes": (r"Memory\Available MBytes", ()),
    r"\\WEB01\PhysicalDisk(0 C:)\Avg. Disk sec/Read": (
        r"PhysicalDisk\Avg. Disk sec/Read",
        (("device", "0 C:"), ("direction", "read")),
    ),
    r"\\WEB01\System\Processor Queue Length": (r"System\Processor Queue Length", ()),
}


@pytest.mark.parametrize("name", ["perfmon_utf8.csv", "perfmon_ko_cp949.csv", "typeperf.txt"])
def test_windows_counters(name):
    read = Read(FOLDER / "windows_counters/fixtures" / name)
    heading, *rows = [row for row in read.rows(",") if len(row) == 5]
    assert read.series() == {PERFMON_NATIVE[path]: values(rows, at, PDH) for at, path in enumerate(heading) if at}
    assert (read.ledger.hostname, read.ledger.os, read.parser_id) == ("WEB01", "windows", "windows.counters")
    assert read.metric(r"Memory\Available MBytes") == ("system.memory.available", "MiBy")
    assert read.metric(r"PhysicalDisk\Avg. Disk sec/Read") == ("system.disk.response_time", "s")
    assert read.ledger.needs == ()


@pytest.mark.parametrize("host_name", ["WEB02", "대한서버", "a.b-c"])
def test_a_definition_is_of_no_one_host(host_name):
    text = (FOLDER / "windows_counters/fixtures/perfmon_utf8.csv").read_text(encoding="utf-8")
    assert Read(data=text.replace("WEB01", host_name).encode(), name="x.csv").ledger.hostname == host_name


def test_windows_counters_as_utf16_with_tabs():
    text = (FOLDER / "windows_counters/fixtures/perfmon_utf8.csv").read_text(encoding="utf-8")
    tabbed = text.replace('","', '"\t"').replace("PDH-CSV", "PDH-TSV")
    assert Read(data=tabbed.encode("utf-16"), name="x.tsv").series() == Read(data=text.encode(), name="x.csv").series()


def test_decimal_commas_and_the_zone_of_the_heading():
    read = Read(FOLDER / "windows_counters/fixtures/made_two_hosts_decimal_comma.tsv")
    summer = timezone(timedelta(minutes=120))
    _, *rows = read.rows("\t")
    assert read.series() == {
        (r"Memory\Available MBytes", ()): values(rows, 1, PDH, summer),
        (r"Processor\% Idle Time", (("cpu", "0"), ("state", "idle"))): values(rows, 3, PDH, summer),
    }
    assert "table_other_hosts" in read.ledger.warnings, "a reading of one host never takes another's columns"


def test_the_word_of_a_person_on_the_zone_wins():
    data = (FOLDER / "windows_counters/fixtures/perfmon_utf8.csv").read_bytes()
    entry = host().recognise(data, "x.csv")[0].entry
    parser = entry.create(ParseContext(zone=ZoneInfo("UTC"), zone_source="user"))
    batches = [*parser.feed(data), *parser.finish()]
    assert int(batches[0].times_ns[0]) == ns("07/20/2026 09:00:00.123", PDH, UTC)


def test_esxtop_prints_utc():
    read = Read(FOLDER / "esxtop/fixtures/esxtop_batch.csv")
    heading, *rows = read.rows(",")
    natives = [
        (r"Memory\Memory Overcommit (1 Minute Avg)", ()),
        (r"Physical Cpu\% Processor Time", (("state", "busy"),)),
        (r"Physical Disk Adapter\Average Guest MilliSec/Command", (("device", "vmhba0"),)),
        (r"Group Cpu\% Ready", (("group", "12345:dbvm01"),)),
    ]
    assert len(heading) == 5
    form = "%m/%d/%Y %H:%M:%S"
    assert read.series() == {native: values(rows, at, form, UTC) for at, native in enumerate(natives, 1)}
    assert (read.ledger.hostname, read.parser_id) == ("esx01.corp", "vmware.esxtop")


def test_a_heading_of_many_thousand_counters():
    """3,000 paths are 150 kB: no row stands among the first bytes that a parser is shown."""
    paths = [rf"\\esx01\Group Cpu({at}:vm{at})\% Ready" for at in range(3_000)]
    lines = [["(PDH-CSV 4.0) (UTC)(0)", r"\\esx01\Physical Cpu(_Total)\% Util Time", *paths]]
    for row in range(4):
        lines.append([f"07/20/2026 09:00:0{row}", "1", *(f"{at % 97 + row / 10:.1f}" for at in range(3_000))])
    text = "\n".join(",".join(f'"{cell}"' for cell in line) for line in lines) + "\n"
    read = Read(data=text.encode(), name="esxtop.csv")
    assert (read.parser_id, len(read.series())) == ("vmware.esxtop", 3_001)
    for at in (0, 1_234, 2_999):
        found = read.series()[(r"Group Cpu\% Ready", (("group", f"{at}:vm{at}"),))]
        assert [value for _, value in found] == [float(line[at + 2]) for line in lines[1:]]


def test_zabbix():
    read = Read(FOLDER / "monitoring_exports/fixtures/history_export.csv")
    _, *rows = read.rows(";")
    assert read.series() == {(rows[0][4], ()): [(int(row[1]) * 10**9, float(row[2])) for row in rows]}
    assert read.ledger.hostname == "db01"
    hosts = Read(FOLDER / "monitoring_exports/fixtures/made_zabbix_hosts.csv")
    assert hosts.series() == {
        ("system.cpu.util", (("state", "idle"),)): [(1784538000 * 10**9, 91.0), (1784538060 * 10**9, 93.0)]
    }
    assert [(each.reason, each.count) for each in hosts.ledger.skipped] == [("table_other_host", 2)]
    assert hosts.metric("system.cpu.util") == ("system.cpu.utilization", "%")


def test_grafana_both_ways():
    form = "%Y-%m-%d %H:%M:%S"
    read = Read(FOLDER / "monitoring_exports/fixtures/grafana_row_value.csv")
    _, *rows = read.rows(",")
    assert {row[2] for row in rows} == {"cpu"}
    assert read.series() == {("cpu", ()): values(rows, 1, form)}
    joined = Read(FOLDER / "monitoring_exports/fixtures/made_grafana_joined.csv")
    heading, *rows = joined.rows(",")
    assert joined.series() == {
        (heading[at], ()): [(int(row[0]) * 10**6, float(row[at])) for row in rows if row[at]] for at in (1, 2)
    }


def test_cloudwatch_console():
    read = Read(FOLDER / "monitoring_exports/fixtures/cloudwatch_console.csv")
    rows = [row for row in read.rows(",") if re.match(r"\d{4}/", row[0])]
    assert read.series() == {("CPUUtilization", (("state", "busy"),)): values(rows, 1, "%Y/%m/%d %H:%M:%S")}


CLOUDWATCH = b"""{"MetricDataResults": [
 {"Id": "m1", "Label": "CPUUtilization", "Timestamps": ["2026-07-20T00:05:00+00:00", "2026-07-20T00:00:00+00:00"],
  "Values": [21.25, 20.5], "StatusCode": "Complete"},
 {"Id": "m2", "Label": "NetworkIn", "Timestamps": ["2026-07-20T00:00:00+00:00"], "Values": [1.5e3],
  "StatusCode": "Complete"}]}"""
STATISTICS = b"""{"Label": "CPUUtilization", "Datapoints": [
 {"Timestamp": "2026-07-20T00:05:00+00:00", "Average": 21.25, "Maximum": 40.0, "Unit": "Percent"},
 {"Timestamp": "2026-07-20T00:00:00+00:00", "Average": 20.5, "Maximum": 30.0, "Unit": "Percent"}]}"""
ZABBIX = b"""{"jsonrpc": "2.0", "result": [{"itemid": "23296", "clock": "1784538060", "value": "1.1", "ns": "1"},
 {"itemid": "23296", "clock": "1784538000", "value": "1.0", "ns": "2"},
 {"itemid": "23297", "clock": "1784538000", "value": "7", "ns": "2"}], "id": 1}"""
PROMETHEUS = b"""{"status":"success","data":{"resultType":"matrix","result":[
 {"metric":{"__name__":"node_load1","instance":"db01:9100","job":"node"},"values":[[1784538000.5,"1.0"],[1784538015,"NaN"]]},
 {"metric":{"__name__":"node_cpu_seconds_total","cpu":"0","mode":"idle","instance":"db01:9100","job":"node","dc":"a"},
  "values":[[1784538000,"12.25"]]}]}}"""
FIVE_NS, ZERO_NS = 1784505900 * 10**9, 1784505600 * 10**9


@pytest.mark.parametrize(
    ("data", "parser", "expected"),
    [
        (
            CLOUDWATCH,
            "cloudwatch.json",
            {
                ("CPUUtilization", (("state", "busy"),)): [(ZERO_NS, 20.5), (FIVE_NS, 21.25)],
                ("NetworkIn", ()): [(ZERO_NS, 1500.0)],
            },
        ),
        (
            STATISTICS,
            "cloudwatch.json",
            {
                ("CPUUtilization Average", (("state", "busy"),)): [(ZERO_NS, 20.5), (FIVE_NS, 21.25)],
                ("CPUUtilization Maximum", ()): [(ZERO_NS, 30.0), (FIVE_NS, 40.0)],
            },
        ),
        (
            ZABBIX,
            "zabbix.json",
            {
                ("23296", ()): [(1784538000 * 10**9, 1.0), (1784538060 * 10**9, 1.1)],
                ("23297", ()): [(1784538000 * 10**9, 7.0)],
            },
        ),
        (
            PROMETHEUS,
            "prometheus.range",
            {
                ("node_load1", ()): [(1784538000 * 10**9 + 500_000_000, 1.0)],
                ("node_cpu_seconds_total", (("cpu", "0"), ("group", "dc=a"), ("state", "idle"))): [
                    (1784538000 * 10**9, 12.25)
                ],
            },
        ),
    ],
)
def test_series_in_json(data, parser, expected):
    read = Read(data=data, name="export.json")
    assert (read.parser_id, read.series()) == (parser, expected)
    if parser == "prometheus.range":
        assert read.ledger.hostname == "db01"


def test_maxgauge_measureware_and_glance():
    read = Read(FOLDER / "monitoring_exports/fixtures/maxgauge.csv")
    heading, *rows = read.rows(",")
    states = {"cpu": (("state", "busy"),)}
    form = "%Y-%m-%d %H:%M:%S"
    assert read.series() == {
        (name, states.get(name, ())): values(rows, at, form) for at, name in enumerate(heading) if at
    }
    read = Read(FOLDER / "measureware/fixtures/measureware_extract.txt")
    heading, *rows = [row for row in read.rows("|") if len(row) > 1]
    together = [[f"{row[0]} {row[1]}", *row[1:]] for row in rows]
    assert {key[0]: found for key, found in read.series().items()} == {
        name: values(together, at, "%m/%d/%Y %H:%M") for at, name in enumerate(heading) if at > 1
    }
    read = Read(FOLDER / "measureware/fixtures/made_glance_adviser.txt")
    assert [value for _, value in read.series()["GBL_RUN_QUEUE", ()]] == [0.5, 0.6]


def test_pmrep_and_ksar():
    read = Read(FOLDER / "pcp/fixtures/made_pmrep.csv")
    _, *rows = read.rows(",")
    form = "%Y-%m-%d %H:%M:%S"
    assert read.series() == {
        ("kernel.all.load-1 minute", ()): values(rows, 1, form),
        ("disk.dev.read", (("device", "sda"), ("direction", "read"))): values(rows, 2, form),
        ("network.interface.in.bytes", (("direction", "receive"), ("interface", "eth0"))): values(rows, 3, form),
        ("mem.util.available", ()): values(rows, 4, form),
    }
    read = Read(FOLDER / "pcp/fixtures/made_ksar.csv")
    heading, *rows = read.rows(";")
    assert read.series() == {(heading[at], ()): values(rows, at, "%d/%m/%y %H:%M:%S") for at in (1, 2, 3)}


def test_jstat():
    read = Read(FOLDER / "java/fixtures/made_jstat_gcutil.txt")
    heading, *rows = [line.split() for line in read.text.splitlines()]
    found = {native: [value for _, value in series] for (native, _), series in read.series().items()}
    assert found == {name: [float(row[at]) for row in rows] for at, name in enumerate(heading)}
    assert "start" in read.ledger.needs


def test_pauses_of_the_collector():
    """Figures copied from the two logs."""
    read = Read(FOLDER / "java/fixtures/gc.log").series()
    at_ns = ns("2026-07-20 09:00:01.123", "%Y-%m-%d %H:%M:%S.%f")
    young = (("state", "Young"),)
    assert read == {
        ("pause", young): [(at_ns, 3.456)],
        ("heap before", young): [(at_ns, 24 * 1024.0)],
        ("heap after", young): [(at_ns, 4 * 1024.0)],
        ("heap size", young): [(at_ns, 256 * 1024.0)],
    }
    old = {
        (name, dict(attributes)["state"]): [value for _, value in series]
        for (name, attributes), series in Read(FOLDER / "java/fixtures/made_jdk8_gc.log").series().items()
    }
    assert old == {
        ("pause", "Young"): [8.3793, 15.3, 0.1997],
        ("pause", "Full"): [114.0935],
        ("heap before", "Young"): [34662, 65536],
        ("heap before", "Full"): [107614],
        ("heap after", "Young"): [13138, 11000],
        ("heap after", "Full"): [77445],
        ("heap size", "Young"): [126720, 251392],
        ("heap size", "Full"): [251392],
    }


def test_requests_of_a_load_test_by_the_second():
    """Counted here from the rows: two logins end in one second, one fails, and in one second nothing ends."""
    text = (
        "timeStamp,elapsed,label,responseCode,responseMessage,threadName,success,bytes\n"
        '1784505600000,100,login,200,"OK, fine",TG 1-1,true,10\n'
        "1784505600100,300,login,500,no,TG 1-2,false,10\n"
        "1784505600200,2900,search,200,OK,TG 1-3,true,10\n"
        "1784505601500,700,login,200,OK,TG 1-1,true,10\n"
        "broken,row\n"
    )
    read = Read(data=text.encode(), name="result.jtl")
    second = [(1784505600 + at) * 10**9 for at in range(4)]
    login, search = (("group", "login"),), (("group", "search"),)
    series = read.series()
    assert series["completed", ()] == [(second[0], 2), (second[1], 0), (second[2], 1), (second[3], 1)]
    assert series["failed", ()] == [(second[0], 1), (second[1], 0), (second[2], 0), (second[3], 0)]
    assert series["elapsed", ()] == [(second[0], 200), (second[2], 700), (second[3], 2900)]
    assert series["elapsed max", login] == [(second[0], 300), (second[2], 700)]
    assert series["completed", search] == [(second[3], 1)]
    assert [(each.reason, each.count) for each in read.ledger.skipped] == [("jmeter_no_row", 1)]


# -- results of a load test that are records of several lines, or damaged
JTL = Path(__file__).parents[2] / "fixtures" / "load_tests" / "jmeter-messages-of-three-lines.csv"
JTL_HEADING = "timeStamp,elapsed,label,responseCode,success,failureMessage,bytes\n"


def counts_of(read: Read, native: str) -> list[float]:
    return [value for _, value in read.series()[native, ()]]


def test_a_failure_message_of_three_lines_is_part_of_one_result():
    """What Python's own reader of CSV counts: 30 results, 10 of them failed, 3,435 ms in all."""
    with JTL.open(newline="") as file:
        rows = list(csv.DictReader(file))
    failed = sum(row["success"] == "false" for row in rows)
    assert (len(rows), failed, sum(int(row["elapsed"]) for row in rows)) == (30, 10, 3435)
    read = Read(JTL)
    completed, elapsed = counts_of(read, "completed"), counts_of(read, "elapsed")
    assert (sum(completed), sum(counts_of(read, "failed")), round(sum(elapsed))) == (30, 10, 3435)
    assert (read.ledger.lines.data, read.ledger.lines.skipped, read.ledger.warnings) == (50, 0, ())


def test_a_message_may_hold_blank_lines_quotes_and_what_looks_like_a_result():
    message = 'said ""no"":\n\n1784505601000,1,login,200,true,,1\n  at Sampler.java:12'
    text = f'{JTL_HEADING}1784505600000,100,login,500,false,"{message}",1\n1784505601000,200,login,200,true,,1\n'
    read = Read(data=text.encode(), name="result.jtl")
    assert (counts_of(read, "completed"), counts_of(read, "failed")) == ([1, 1], [1, 0])
    assert read.ledger.lines.data == 5


@pytest.mark.parametrize(
    "damage", ["1784505602000,3", '1784505602000,300,login,500,false,"never closed', "1784505602000,x,a,1,true,,1"]
)
def test_of_seconds_with_a_result_that_cannot_be_read_nothing_is_counted(damage):
    """The damaged result was completed between its neighbours, which end in the seconds 1 and 3 after the start."""
    rows = [f"17845056{at:02d}000,100,login,200,true,,1" for at in range(6)]
    rows[2] = damage
    read = Read(data=(JTL_HEADING + "\n".join(rows) + "\n").encode(), name="result.jtl")
    ends = [(1784505600 + at) * 10**9 for at in (0, 4, 5)]
    assert read.series()["completed", ()] == [(end, 1) for end in ends]
    assert read.series()["failed", (("group", "login"),)] == [(end, 0) for end in ends]
    assert [(each.reason, each.count) for each in read.ledger.skipped] == [("unreadable_numbers", 1)]
    assert "jmeter_counts_unknown" in read.ledger.warnings


def test_a_quote_that_is_never_closed_costs_one_result_however_many_follow():
    rows = [f"17845{at:05d}000,100,login,200,true,,1" for at in range(5600, 7000)]
    rows[700] = '1784506300000,300,login,500,false,"never closed'
    read = Read(data=(JTL_HEADING + "\n".join(rows) + "\n").encode(), name="result.jtl")
    assert (sum(counts_of(read, "completed")), read.ledger.lines.data) == (1397, 1399)


def test_results_that_come_too_late_are_said_to_be_missing():
    rows = ["1784505600000,100,a,200,true,,1", "1784505900000,100,a,200,true,,1", "1784505600500,100,a,200,true,,1"]
    assert Read(data=(JTL_HEADING + "\n".join(rows) + "\n").encode(), name="r.jtl").ledger.warnings == ("jmeter_late",)


def test_where_nothing_says_what_failed_no_failure_is_counted():
    """`success` may be left out (jmeter.save.saveservice.successful=false); 0 failed would be a claim."""
    text = "timeStamp,elapsed,label,responseCode\n1784505600000,100,a,500\n1784505603000,100,a,500\n"
    read = Read(data=text.encode(), name="r.jtl")
    assert counts_of(read, "completed") == [1, 0, 0, 1]
    assert not any(native == "failed" for native, _ in read.series())


@pytest.mark.parametrize("word", ["", "0", "no"])
def test_a_result_that_does_not_say_whether_it_failed_cannot_be_read(word):
    rows = [f"17845056{at:02d}000,100,a,500,{word if at == 5 else 'true'},,1" for at in range(10)]
    read = Read(data=(JTL_HEADING + "\n".join(rows) + "\n").encode(), name="r.jtl")
    assert (sum(counts_of(read, "completed")), "jmeter_counts_unknown" in read.ledger.warnings) == (7, True)


def test_starts_of_requests_in_any_order_are_no_clock_that_was_set_back():
    """JMeter writes a result when it is complete, with the time when it began."""
    rows = [("10:00:00.100", 2500), ("10:00:02.000", 300), ("10:00:01.500", 1200), ("10:00:03.100", 100)]
    text = "timeStamp,elapsed,label,responseCode,success\n"
    text += "".join(f"2026/11/28 {began},{elapsed},login,200,true\n" for began, elapsed in rows)
    read = Read(data=text.encode(), name="results.jtl")
    assert "clock_went_back" not in read.ledger.warnings
    (completed,) = (values for (name, keys), values in read.series().items() if name == "completed" and not keys)
    second = ns("2026/11/28 10:00:02", "%Y/%m/%d %H:%M:%S")
    assert completed == [(second, 3.0), (second + 10**9, 1.0)]
