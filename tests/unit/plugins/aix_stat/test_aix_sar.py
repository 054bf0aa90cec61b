"""AIX sar: sections, processors, devices, blank cells, restarts, live runs in turn."""

from __future__ import annotations

from tests.unit.plugins.conftest import PLUGINS, load_parser, read_capture
from tunebench.domain.engagement import EventKind
from tunebench.sdk import ParseContext

FIXTURES = PLUGINS.parent / "tests" / "fixtures" / "aix"
SAR = load_parser("aix_stat", "sar:SarParser")
DAY = (FIXTURES / "sar.txt").read_bytes()
TIMES = ["2008-04-02 14:59:00", "2008-04-02 15:00:00"]  # 23:59 and 00:00 in Seoul, a day apart there


def test_every_section_and_midnight_in_each():
    reading = read_capture(SAR, DAY, zone="Asia/Seoul")
    assert reading.values("file_access", "lookuppn/s") == [15902, 17059]
    assert reading.values("device", "Kbs/s", device="hdisk40") == [217, 118049]
    assert reading.values("device", "Kbs/s", device="asm/localapps-108") == [0, 1]
    assert reading.values("cpu", "physc", cpu="all") == [1.99, 2.00]
    assert reading.values("cpu", "%sys", cpu="1") == [51, 7]
    assert reading.values("kernel_tables", "file-sz", state="used") == [1310, 1311]
    assert reading.values("kernel_tables", "thrd-sz", state="limit") == [524288, 524288]
    for key in reading.samples:
        if key.table != "queue":
            assert reading.times(key.table, key.native, **dict(key.attributes)) == TIMES, key
    ledger = reading.ledger
    assert (ledger.hostname, ledger.os_version, ledger.needs, ledger.restarts) == ("tooltime2", "7.2", (), 0)
    assert reading.skipped() == {"average": 7}
    assert ledger.lines.data == 2 + 4 + 6 + 2 + 2


def test_blank_cells_of_the_queue_are_missing_not_zero():
    reading = read_capture(SAR, DAY, zone="Asia/Seoul")
    assert reading.values("queue", "runq-sz") == [3.0, 2.5]
    assert reading.values("queue", "swpq-sz") == [1.0]
    assert reading.times("queue", "%swpocc") == TIMES[1:]


def test_a_line_of_configuration_above_each_section_is_no_change():
    parser = SAR(ParseContext())
    list(parser.feed(DAY))
    list(parser.finish())
    assert parser.ledger().warnings == ()
    assert {fact.name: fact.value for fact in parser.facts()} == {"lcpu": "4", "mode": "Capped", "drives": "2"}


BANNER = "\nAIX db1 1 6 00CA52594C00    11/21/26\n\nSystem configuration: lcpu={0}  mode=Capped \n\n"
HEADING = "10:00:00    %usr    %sys    %wio   %idle   physc\n"


def test_a_changed_number_of_processors_inside_a_section():
    text = (
        BANNER.format(4)
        + HEADING
        + "10:01:00       1       2       3      94    0.10\n\n"
        + "System configuration: lcpu=8  mode=Capped \n\n"
        + HEADING.replace("10:00:00", "10:01:00")
        + "10:02:00       2       2       3      93    0.20\n\n"
        + "System configuration: lcpu=4  mode=Capped \n\n10:00:00 cswch/s\n10:01:00     100\n"
    )
    reading = read_capture(SAR, text.encode())
    [change] = [event for event in reading.events if event.kind is EventKind.CPU_COUNT]
    assert change.text == "4 → 8"
    assert change.start_ns == reading.of("cpu", "%usr")[1].time_ns
    assert reading.values("switching", "cswch/s") == [100]
    assert reading.ledger.os_version == "6.1"


def test_a_restart_is_an_event_and_no_row():
    text = (
        BANNER.format(4)
        + HEADING
        + (
            "10:01:00       1       2       3      94    0.10\n10:20:15       unix restarts\n"
            + HEADING
            + "10:31:00       2       2       3      93    0.20\n"
        )
    )
    reading = read_capture(SAR, text.encode())
    assert [event.kind for event in reading.events] == [EventKind.RESTART]
    assert reading.values("cpu", "%usr") == [1, 2]
    assert reading.ledger.restarts == 1


LIVE = """
AIX dbaix1 2 7 00F9E1B44C00    11/21/26

System configuration: lcpu=2 ent=3.40 mode=Uncapped

02:48:00 cpu    %usr    %sys    %wio   %idle   physc   %entc
         runq-sz %runocc swpq-sz %swpocc
             device    %busy    avque    r+w/s    Kbs/s   avwait   avserv

02:48:05  0        3      11       0      86    0.54    15.9
          1        1       1       0      98    0.01     0.2
          U        -       -       0      84    2.86    84.1
          -        3      10       0      87    0.55    16.1
             1.0      20     0.0       0
          hdisk0      1      0.0        4       16      0.0      0.8
          hdisk1     97      0.3      511    42291      0.3      1.9

02:48:10  0        4      12       0      84    0.60    17.0
          1        0       0       0     100    0.00     0.1
          U        -       -       0      83    2.80    82.9
          -        4      12       0      84    0.60    17.1
             2.0      30     0.0       0
          hdisk0      2      0.0        5       17      0.0      0.9
          hdisk1     98      0.4      512    42292      0.4      2.0

Average   0        3      11       0      86    0.57    16.4
          1        0       0       0      99    0.00     0.1
"""


def test_a_live_run_prints_its_sections_in_turn():
    reading = read_capture(SAR, LIVE.encode())
    assert reading.values("cpu", "%entc", cpu="all") == [16.1, 17.1]
    assert reading.values("cpu", "physc", cpu="U") == [2.86, 2.80]
    assert reading.values("cpu", "%usr", cpu="U") == []
    assert reading.values("queue", "%runocc") == [20, 30]
    assert reading.values("device", "Kbs/s", device="hdisk1") == [42291, 42292]
    assert reading.times("device", "avserv", device="hdisk0") == ["2026-11-21 02:48:05", "2026-11-21 02:48:10"]
    assert reading.skipped() == {"average": 2}


def test_without_the_banner_the_aix_headings_still_tell():
    text = "00:00:00  iget/s lookuppn/s dirblk/s\n00:01:00       5      15902        0\n"
    assert 0.5 < SAR.sniff(text.encode(), "sar.txt") < 0.9
    assert SAR.sniff(b"00:00:00    %usr    %sys    %wio   %idle\n00:01:00 1 2 3 94\n", "sar.txt") == 0
    reading = read_capture(SAR, text.encode())
    assert reading.ledger.needs == ("date",)


def test_a_sentence_behind_a_time_is_no_heading():
    text = (
        BANNER.format(4) + HEADING + "10:00:30 the file was moved\n10:01:00       1       2       3      94    0.10\n"
    )
    reading = read_capture(SAR, text.encode())
    assert reading.values("cpu", "%usr") == [1]
    assert reading.skipped() == {"unreadable_numbers": 1}


def test_an_average_in_another_language_is_no_row():
    korean = DAY.decode().replace("Average  ", "평균     ").replace("System configuration", "시스템 구성")
    for encoding in ("utf-8", "cp949"):
        reading = read_capture(SAR, korean.encode(encoding), zone="Asia/Seoul")
        assert reading.values("device", "Kbs/s", device="hdisk40") == [217, 118049]
        assert reading.values("cpu", "%usr", cpu="1") == [0, 0]
        assert reading.skipped() == {"average": 7}
