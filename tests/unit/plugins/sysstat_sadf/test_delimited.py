"""sadf -d and -d -h: clocks, events, headings, rows that cannot be read. Figures typed from the texts."""

from __future__ import annotations

from tests.unit.plugins.conftest import PLUGINS, load_parser, read_capture
from tunebench.domain.engagement import EventKind

FIXTURES = PLUGINS.parent / "tests" / "fixtures" / "sadf"
PARSER = load_parser("sysstat_sadf", "delimited:SadfDelimitedParser")
CPU = b"# hostname;interval;timestamp;CPU;%user;%nice;%system;%iowait;%steal;%idle\n"


def fixture(name: str) -> bytes:
    return (FIXTURES / name).read_bytes()


def test_utc_is_read_from_the_stamp():
    reading = read_capture(PARSER, fixture("sadf-d-A.txt"), zone="Asia/Seoul", zone_source="engagement")
    assert reading.times("cpu", "%usr", cpu="all")[0] == "2026-11-21 07:10:15"
    assert reading.values("cpu", "%usr", cpu="all")[:2] == [38.30, 50.64]
    assert reading.values("cpu", "%idle", cpu="0")[0] == 77.72
    assert reading.values("device", "wkB/s", device="vda")[0] == 232618.00
    assert reading.values("interrupts", "intr/s", state="sum", cpu="1")[0] == 1104.00
    assert reading.of("tasks", "cswch/s")[0].line == 24
    ledger = reading.ledger
    assert (ledger.zone, ledger.zone_source, ledger.needs) == ("UTC", "stamp", ())
    assert (ledger.hostname, ledger.os, ledger.tool, ledger.variant) == ("dbtest01", "linux", "sar", "sadf -d")
    assert (ledger.interval_s, ledger.gaps, ledger.restarts) == (2.0, 0, 1)


def test_local_time_asks_for_the_zone():
    """The same recording: 16:10:15 in Seoul is 07:10:15 UTC."""
    reading = read_capture(PARSER, fixture("sadf-T.txt"), zone="Asia/Seoul", zone_source="engagement")
    assert reading.times("cpu", "%user", cpu="all")[0] == "2026-11-21 07:10:15"
    assert "zone" in reading.ledger.needs
    told = read_capture(PARSER, fixture("sadf-T.txt"), zone="Asia/Seoul", zone_source="user")
    assert told.ledger.needs == ()


def test_seconds_since_1970():
    reading = read_capture(PARSER, fixture("sadf-U.txt"), zone="Asia/Seoul", zone_source="engagement")
    assert reading.times("cpu", "%user", cpu="all")[0] == "2026-11-21 07:10:15"
    assert reading.ledger.needs == ()
    assert reading.ledger.restarts == 1


def test_a_zone_behind_the_stamp():
    row = b"db;600;2026-11-21 16:10:01 %s;-1;1.00;0.00;2.00;3.00;0.00;94.00\n"
    reading = read_capture(PARSER, CPU + row % b"KST", zone="UTC", zone_source="engagement")
    assert reading.times("cpu", "%user", cpu="all") == ["2026-11-21 07:10:01"]
    assert reading.ledger.needs == ()
    doubtful = read_capture(PARSER, CPU + row % b"EST", zone="Asia/Seoul", zone_source="engagement")
    assert "zone" in doubtful.ledger.needs
    assert "zone_ambiguous" in doubtful.ledger.warnings


def test_a_heading_that_another_program_wrote_in_small_letters():
    rows = b"".join(
        b"db;600;2026-11-21 16:10:01 UTC;%s;%d.00;0.00;2.00;3.00;0.00;94.00\n" % row
        for row in ((b"all", 1), (b"0", 2), (b"1", 3))
    )
    reading = read_capture(PARSER, CPU.replace(b"CPU", b"cpu") + rows)
    assert [reading.values("cpu", "%user", cpu=cpu) for cpu in ("all", "0", "1")] == [[1.0], [2.0], [3.0]]
    assert len(reading.samples) == 18 and reading.skipped() == {}


def test_restart_and_remark():
    text = CPU + (
        b"db;2;2026-11-21 07:10:27 UTC;-1;48.59;0.51;3.86;0.00;0.00;47.04\n"
        b"db;-1;2026-11-21 07:10:27 UTC;COM buffer pool 1G -> 2G; again\n"
        b"db;-1;2026-11-21 08:00:00 UTC;LINUX-RESTART\t(2 CPU)\n"
        + CPU
        + b"db;2;2026-11-21 08:00:02 UTC;-1;52.82;0.51;2.31;0.00;0.00;44.36\n"
    )
    reading = read_capture(PARSER, text)
    assert [(event.kind, event.text) for event in reading.events] == [
        (EventKind.COMMENT, "buffer pool 1G -> 2G; again"),
        (EventKind.RESTART, "2 CPU"),
    ]
    assert reading.ledger.gaps == 0
    assert (reading.ledger.lines.data, reading.ledger.lines.header) == (2, 4)


def test_a_gap_is_found():
    rows = [b"db;60;2026-11-21 0%d:%02d:00 UTC;-1;1;1;1;1;1;95\n" % divmod(60 + m, 60) for m in (0, 1, 2, 3, 30, 31)]
    reading = read_capture(PARSER, CPU + b"".join(rows))
    assert reading.ledger.gaps == 1


def test_all_activities_in_one_row():
    """Typed from the row of 07:10:15 and that of 07:10:49."""
    reading = read_capture(PARSER, fixture("sadf-d-h.txt"))
    assert reading.values("cpu", "%user", cpu="all")[0] == 38.30
    assert reading.values("cpu", "%user", cpu="1")[0] == 68.37
    assert reading.values("load", "plist-sz")[0] == 160
    assert reading.values("device", "%util", device="vda")[0] == 15.20
    assert reading.values("cpu", "%idle", cpu="all")[-1] == 99.74
    assert {dict(key.attributes)["interface"] for key in reading.samples if key.table == "interface"} == {
        "lo",
        "ifb0",
        "ifb1",
        "eth0",
    }
    assert reading.skipped() == {}
    assert reading.ledger.lines.data == 18


def test_words_name_things_and_a_status_is_left_out():
    """sysstat prints the bus before what its own heading prints first."""
    text = (
        b"# hostname;interval;timestamp;FAN;DEVICE;rpm;drpm\n"
        b"db;46;2018-08-29 09:34:34 UTC;1;f71858fg-isa-0200;1283.00;1183.00\n"
        b"db;46;2018-08-29 09:34:34 UTC;2;nouveau-pci-0100;1650.00;1650.00\n"
        b"# hostname;interval;timestamp;BAT;%cap;cap/min;status\n"
        b"db;46;2018-08-29 09:34:34 UTC;1;83;-3.85;Unknown\n"
        b"# hostname;interval;timestamp;manufact;product;BUS;idvendor;idprod;maxpower\n"
        b"db;46;2018-08-29 09:34:34 UTC;1;3f0;862;196;HP;HP Wireless Keyboard\n"
    )
    reading = read_capture(PARSER, text)
    assert reading.values("fan", "drpm", device="1 f71858fg-isa-0200") == [1183.0]
    assert reading.values("battery", "cap/min", device="1") == [-3.85]
    assert reading.values("usb", "maxpower", device="1 3f0 862 HP HP Wireless Keyboard") == [196]
    assert "word_columns" in reading.ledger.warnings
    assert reading.ledger.lines.data == 4


def test_a_processor_that_is_off_is_known_from_the_rows_of_processors():
    text = (
        b"# hostname;interval;timestamp;CPU;%user;%idle\n"
        b"db;10;2026-11-21 07:00:10 UTC;-1;1.00;99.00\n"
        b"db;10;2026-11-21 07:00:10 UTC;0;1.00;99.00\n"
        b"db;10;2026-11-21 07:00:10 UTC;2;1.00;99.00\n"
        b"# hostname;interval;timestamp;INTR;CPU*\n"
        b"db;10;2026-11-21 07:00:10 UTC;sum;30.00;10.00;20.00\n"
    )
    reading = read_capture(PARSER, text)
    assert reading.values("interrupts", "intr/s", state="sum", cpu="all") == [30.0]
    assert reading.values("interrupts", "intr/s", state="sum", cpu="2") == [20.0]


def test_unknown_columns_and_activities_are_kept_by_their_names():
    text = (
        b"# hostname;interval;timestamp;GPU;new/s;%old\n"
        b"db;10;2026-11-21 07:00:10 UTC;0;5.00;6.00\n"
        b"# hostname;interval;timestamp;future/s;past/s\n"
        b"db;10;2026-11-21 07:00:10 UTC;7.00;nan\n"
    )
    reading = read_capture(PARSER, text)
    assert reading.values("new/s", "%old", state="0") == [6.0]
    assert reading.values("future/s", "future/s") == [7.0]
    assert reading.values("future/s", "past/s") == []
    assert reading.skipped() == {}


def test_a_thing_listed_twice_keeps_both():
    text = (
        b"# hostname;interval;timestamp;FILESYSTEM;MBfsfree\n"
        b"db;10;2026-11-21 07:00:10 UTC;/dev/sda1;5\n"
        b"db;10;2026-11-21 07:00:10 UTC;/dev/sda1;6\n"
    )
    reading = read_capture(PARSER, text)
    assert reading.values("filesystem", "MBfsfree", device="/dev/sda1") == [5.0]
    assert reading.values("filesystem", "MBfsfree", device="/dev/sda1#2") == [6.0]


def test_what_is_no_row_is_booked():
    text = (
        b"[root@db ~]# sadf -d sa21 -- -u\n" + CPU + b"\n"
        b"db;2;2026-11-21 07:10:27 UTC;-1;48.59;0.51;3.86;0.00;0.00;47.04\n"
        b"db;2;2026-11-21 07:10:29 UTC;-1;48.59;oops;3.86;0.00;0.00;47.04\n"
        b"db;2;2026-13-21 07:10:31 UTC;-1;48.59;0.51;3.86;0.00;0.00;47.04\n"
        b"db;2;2026-11-21 07:10:33 UTC;-1;48.59;0.51\n"
        b"Killed\n"
        b"@tunebench 4f1c over\n"
        b"db;2;2026-11-21 07:10:35 UTC;-1;48.59;0.51;3.86;0.00;0.00;47.0"
    )
    reading = read_capture(PARSER, text)
    assert reading.times("cpu", "%user", cpu="all") == ["2026-11-21 07:10:27"]
    assert reading.skipped() == {"wrapper": 1, "unreadable_numbers": 3, "not_a_table": 1, "truncated": 1}
    lines = reading.ledger.lines
    assert (lines.total, lines.data, lines.header, lines.blank, lines.skipped) == (10, 1, 2, 1, 6)


def test_pieces_line_ends_and_encodings_change_nothing():
    data = fixture("sadf-d-A.txt")[:40_000]
    whole = read_capture(PARSER, data)
    for changed in (data.replace(b"\n", b"\r\n"), b"\xef\xbb\xbf" + data, data.decode().encode("utf-16")):
        reading = read_capture(PARSER, changed, piece=911)
        assert reading.samples == whole.samples
        assert reading.ledger.lines == whole.ledger.lines
        assert PARSER.sniff(changed[:65536], "x") > 0.9


def test_a_comma_as_decimal_mark():
    row = b"db;600;2026-11-21 16:10:01 UTC;-1;1,25;0,00;2,00;3,00;0,00;93,75\n"
    assert read_capture(PARSER, CPU + row).values("cpu", "%idle", cpu="all") == [93.75]


def test_two_hosts_in_one_file_are_told():
    row = b"%s;600;2026-11-21 16:10:01 UTC;-1;1.00;0.00;2.00;3.00;0.00;94.00\n"
    assert "several_hosts" in read_capture(PARSER, CPU + row % b"db1" + row % b"db2").ledger.warnings


def test_a_damaged_stamp_costs_its_own_row_only():
    row = b"db;2;%s;-1;48.59;0.51;3.86;0.00;0.00;47.04\n"
    stamps = [
        b"2026-11-21 07:1 11-21 07:10:29 UTC",
        b"2026-11-21 0x:10:31 UTC",
        b"2026-11-21 07:10:33 UTC",
        b"2026-11-21 07:10:35 UTC",
    ]
    reading = read_capture(PARSER, CPU + b"".join(row % stamp for stamp in stamps))
    assert [time[-5:] for time in reading.times("cpu", "%user", cpu="all")] == ["10:33", "10:35"]
    assert reading.skipped() == {"unreadable_numbers": 2}


def test_stamps_that_are_no_moments():
    """Days that the calendar does not have, times beyond a leap second."""
    moments = ["2026-11-20 00:00:00", "2026-11-20 09:05:07", "2026-11-20 23:59:59", "2026-11-20 23:59:60"]
    days = ["2026-02-29", "2026-13-01", "1979-12-31", "2201-01-01", "2026-W47-6", "2026 11 21"]
    times = ["24:00:00", "12:60:00", "12:00:61", "12:61:60", "12.00:00", "x2:00:00", "12:00:0x", "30:00:00"]
    others = [f"{day} 10:00:00" for day in days] + [f"2026-11-20 {time}" for time in times]
    rows = [f"db;2;{stamp} UTC;1.00;2.00" for stamp in (*moments, *others)]
    text = "\n".join(["# hostname;interval;timestamp;proc/s;cswch/s", *rows, ""])
    reading = read_capture(PARSER, text.encode(), zone="UTC")
    assert reading.times("tasks", "proc/s") == [*moments[:3], "2026-11-21 00:00:00"]
    assert reading.skipped() == {"unreadable_numbers": len(others)}
