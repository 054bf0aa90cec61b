"""Linux sar: figures against a naive reading of the same text, and every trap that a real file has set."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tunebench.domain.engagement import EventKind

FIXTURES = "tests/fixtures/sar"
BANNER = "Linux 5.14.0 (db1) \t11/21/26 \t_x86_64_\t(2 CPU)\n\n"
LOCALES = ("C", "de_DE.UTF-8", "en_US.UTF-8", "ja_JP.UTF-8", "ko_KR.UTF-8")


@pytest.fixture(scope="module")
def sar(load):
    return load("sysstat_sar", "sar:SarParser")


@pytest.fixture
def sar_text(project_root):
    return lambda name: (project_root / FIXTURES / name).read_bytes()


def naive(text: str) -> Counter[tuple[int, str, str, float]]:
    """(second of the day, thing, column, figure) of every row, by splitting at blanks and nothing else."""
    found: Counter[tuple[int, str, str, float]] = Counter()
    heading: list[str] = []
    for line in text.splitlines():
        match = re.match(r"(\d\d):(\d\d):(\d\d)(?: ([AP])M)?\s+(\S.*)", line)
        if not match or match[5].startswith(("LINUX", "COM ")):
            continue
        hour = int(match[1]) if not match[4] else int(match[1]) % 12 + 12 * (match[4] == "P")
        second = hour * 3600 + int(match[2]) * 60 + int(match[3])
        words = match[5].split()
        if not any(re.fullmatch(r"-?[\d.,]+", word) for word in words):
            heading = words
            continue
        columns, thing = list(heading), ""
        if columns[0] == "BUS" or "status" in columns or "DEVICE" in columns:
            continue
        if re.fullmatch("[A-Z]+", columns[0]):
            columns, thing, words = columns[1:], words[0], words[1:]
        elif re.fullmatch("[A-Z]+", columns[-1]):
            columns, thing, words = columns[:-1], words[-1], words[:-1]
        for column, word in zip(columns, words, strict=True):
            interrupt = re.fullmatch(r"all|CPU(\d+)", column)
            name = f"intr/s of {interrupt[1] or 'all'}" if interrupt else column
            found[second, thing, name, float(word.replace(",", "."))] += 1
    return found


def of_reading(reading) -> Counter[tuple[int, str, str, float]]:
    found: Counter[tuple[int, str, str, float]] = Counter()
    for key, samples in reading.samples.items():
        attributes = dict(key.attributes)
        if key.table in ("usb", "battery", "fan", "temperature", "voltage"):
            continue
        cpu = attributes.pop("cpu") if key.table == "interrupts" and "cpu" in attributes else None
        name = f"{key.native} of {cpu}" if cpu else key.native
        thing = "".join(attributes.values()).split("#")[0]
        for sample in samples:
            found[sample.time_ns // 10**9 % 86400, thing, name, sample.value] += 1
    return found


def corpus_files(corpus):
    return [*sorted((corpus / "made" / "sar").glob("sar-*.txt")), *sorted((corpus / "wild" / "sar-linux").iterdir())]


def test_every_corpus_file_equals_a_naive_reading(sar, read, corpus):
    files = corpus_files(corpus)
    assert len(files) > 40
    for path in files:
        data = path.read_bytes()
        reading = read(sar, data)
        ledger = reading.ledger
        assert ledger.lines.balanced, path.name
        assert ledger.lines.total == data.count(b"\n") + (not data.endswith(b"\n")), path.name
        assert sar.sniff(data[:65536], path.name) > 0.5, path.name
        assert set(reading.skipped()) <= {"average", "message"}, (path.name, reading.skipped())
        if b"\xec\x8b\x9c" not in data and b"\xe6\x99\x82" not in data and "human" not in path.name:
            assert of_reading(reading) == naive(data.decode()), path.name


def test_pieces_of_any_size_give_the_same(sar, read, corpus):
    for path in corpus_files(corpus):
        data = path.read_bytes()
        whole = read(sar, data)
        for piece in (1, 7, 1000, 4096) if len(data) < 3000 else (997, 65536):
            part = read(sar, data, piece=piece)
            assert part.samples == whole.samples, (path.name, piece)
            assert part.ledger == whole.ledger, (path.name, piece)
            assert part.events == whole.events, (path.name, piece)


@pytest.mark.parametrize(
    ("part", "locale"),
    [*(("u", locale) for locale in LOCALES), *(("A", locale) for locale in LOCALES if locale != "ko_KR.UTF-8")],
)
def test_all_locales_give_the_same_samples(sar, read, corpus, locale, part):
    path = corpus / "made" / "sar" / f"sar-{part}.{locale}.txt"
    plain = read(sar, (corpus / "made" / "sar" / f"sar-{part}.C.txt").read_bytes(), zone="Asia/Seoul")
    reading = read(sar, path.read_bytes(), zone="Asia/Seoul")
    figures = {key: [(s.time_ns, s.value) for s in samples] for key, samples in reading.samples.items()}
    assert figures == {key: [(s.time_ns, s.value) for s in samples] for key, samples in plain.samples.items()}
    assert reading.skipped() == plain.skipped()
    assert reading.ledger.needs == plain.ledger.needs == ()
    assert reading.ledger.locale == ("" if locale == "C" else locale.split(".")[0])


def test_korean_text_by_the_printed_figures(sar, read, sar_text):
    reading = read(sar, sar_text("sar-u.ko_KR.UTF-8.txt"), zone="Asia/Seoul")
    assert reading.values("cpu", "%user", cpu="all")[:7] == [38.30, 50.64, 50.38, 9.82, 10.58, 37.60, 48.59]
    assert reading.values("cpu", "%idle", cpu="all")[0] == 44.22
    assert reading.times("cpu", "%user", cpu="all")[0] == "2026-11-21 07:10:15"  # 16:10:15 in Seoul
    assert (reading.ledger.hostname, reading.ledger.os_version) == ("dbtest01", "6.18.44-fc-v669")
    assert reading.ledger.restarts == 1
    assert reading.of("cpu", "%user", cpu="all")[0].line == 4
    assert reading.ledger.interval_s == 2


def test_sections_of_sar_a_by_the_printed_figures(sar, read, sar_text):
    reading = read(sar, sar_text("sar-A.C.txt"))
    text = sar_text("sar-A.C.txt").decode()
    assert of_reading(reading) == naive(text)
    tables = {key.table for key in reading.samples}
    assert {
        "cpu",
        "tasks",
        "interrupts",
        "swapping",
        "paging",
        "io",
        "memory",
        "swap",
        "huge_pages",
        "load",
        "kernel_tables",
        "tty",
        "device",
        "interface",
        "interface_errors",
        "nfs_client",
        "nfs_server",
        "sockets",
        "ip",
        "icmp",
        "tcp",
        "udp",
        "softnet",
        "cpu_frequency",
    } <= tables
    assert all(table.isidentifier() for table in tables), tables
    assert {name for key in reading.samples if key.table == "interrupts" for name, _ in key.attributes} == {
        "state",
        "cpu",
    }


def test_a_whole_day_section_by_section_is_one_day(sar, read):
    stamps = [f"{hour:02d}:{minute:02d}:01" for hour in range(24) for minute in range(0, 60, 10)]
    sections = ["CPU %user %idle", "proc/s cswch/s", "DEV tps await"]
    text = BANNER
    for section in sections:
        rows = [
            f"{stamp}  {'all ' if 'CPU' in section else 'sda ' if 'DEV' in section else ''}{i}.00 {i}.50"
            for i, stamp in enumerate(stamps[1:])
        ]
        text += "\n".join([f"{stamps[0]} {section}", *rows, "Average: 1.00 1.00", "", ""])
    reading = read(sar, text.encode())
    for table, native, attributes in [
        ("cpu", "%idle", {"cpu": "all"}),
        ("tasks", "cswch/s", {}),
        ("device", "await", {"device": "sda"}),
    ]:
        times = reading.times(table, native, **attributes)
        assert times == [f"2026-11-21 {stamp}" for stamp in stamps[1:]]
    assert (reading.events, reading.ledger.gaps) == ([], 0)


def test_midnight_inside_the_sections_of_a_file(sar, read):
    text = BANNER + (
        "23:59:58        CPU     %user     %idle\n23:59:59        all      2.28     95.31\n"
        "00:00:00        all      2.66     71.70\nAverage:        all      2.52     80.78\n\n"
        "23:59:58       proc/s   cswch/s\n23:59:59         4.83  46287.74\n00:00:00         3.66  64945.01\n"
    )
    reading = read(sar, text.encode())
    expected = ["2026-11-21 23:59:59", "2026-11-22 00:00:00"]
    assert reading.times("cpu", "%user", cpu="all") == expected
    assert reading.times("tasks", "cswch/s") == expected


def test_midnight_in_a_live_run_of_several_sections(sar, read):
    stamps = ["23:59:57", "23:59:58", "23:59:59", "00:00:00", "00:00:01", "00:00:02"]
    text = BANNER
    for before, now in pairwise(stamps):
        text += f"{before}     CPU     %user     %idle\n{now}     all      1.00     99.00\n\n"
        text += f"{before} kbmemfree   kbavail\n{now}  19383796  23927728\n\n"
    reading = read(sar, text.encode())
    expected = [f"2026-11-21 {stamp}" for stamp in stamps[1:3]] + [f"2026-11-22 {stamp}" for stamp in stamps[3:]]
    assert reading.times("cpu", "%user", cpu="all") == expected
    assert reading.times("memory", "kbavail") == expected
    assert reading.events == []


def test_several_days_with_their_banners_in_one_text(sar, read):
    day = "00:00:01 CPU %user %idle\n00:10:01 all 1.00 99.00\n23:50:01 all 2.00 98.00\nAverage: all 1.50 98.50\n\n"
    text = "".join(f"Linux 5.14.0 (db1) \t11/{number}/26 \t_x86_64_\t(2 CPU)\n\n{day}" for number in (20, 21, 22))
    reading = read(sar, text.encode())
    assert reading.times("cpu", "%idle", cpu="all") == [
        f"2026-11-{number} {stamp}" for number in (20, 21, 22) for stamp in ("00:10:01", "23:50:01")
    ]
    assert reading.ledger.lines.balanced


def test_a_restart_splits_the_day_and_is_no_gap(sar, read):
    first = "".join(f"10:{minute:02d}:01        all      1.00     99.00\n" for minute in range(1, 20))
    second = "".join(f"15:{minute:02d}:01        all      3.00     97.00\n" for minute in range(1, 20))
    heading = "CPU     %user     %idle\n"
    for mark in ("LINUX RESTART", "LINUX RESTART\t(2 CPU)"):
        text = f"{BANNER}10:00:01 {heading}{first}Average: all 1.00 99.00\n\n14:58:11     {mark}\n\n"
        text += f"15:00:01 {heading}{second}Average: all 3.00 97.00\n"
        reading = read(sar, text.encode())
        assert len(reading.values("cpu", "%user", cpu="all")) == 38
        assert [event.kind for event in reading.events] == [EventKind.RESTART]
        assert reading.events[0].text == ("2 CPU" if "2" in mark else "")
        assert (reading.ledger.restarts, reading.ledger.gaps) == (1, 0)
        assert reading.skipped() == {"average": 2}


def test_a_restart_after_midnight_carries_the_later_sections_with_it(sar, read):
    block = "{0} CPU %user %idle\n{1} all 1.00 99.00\n\n{0} proc/s cswch/s\n{1} 1.00 2.00\n\n"
    text = BANNER + block.format("23:00:01", "23:50:01") + "00:20:00     LINUX RESTART\t(2 CPU)\n\n"
    text += block.format("00:30:01", "00:40:01") + "00:30:01 pswpin/s pswpout/s\n00:40:01 1.00 2.00\n"
    reading = read(sar, text.encode())
    assert reading.times("swapping", "pswpin/s") == ["2026-11-22 00:40:01"]  # a section that was not there before
    expected = ["2026-11-21 23:50:01", "2026-11-22 00:40:01"]
    assert reading.times("cpu", "%idle", cpu="all") == expected
    assert reading.times("tasks", "proc/s") == expected


def test_comments_become_events_once(sar, read, sar_text):
    reading = read(sar, sar_text("sar-A-comments.txt"))
    comments = [event for event in reading.events if event.kind is EventKind.COMMENT]
    lines = [line for line in sar_text("sar-A-comments.txt").decode().splitlines() if " COM " in line]
    assert {event.text for event in comments} == {line.split(" COM ")[1] for line in lines}
    assert reading.ledger.lines.balanced


def test_repeated_headings_are_no_restart(sar, read, corpus):
    reading = read(sar, (corpus / "wild/sar-linux/sysstat+sysstat__tests_expected.sar-rep_hdr").read_bytes())
    assert reading.times("cpu", "%user", cpu="all") == [
        f"2019-04-18 13:20:{second}" for second in ("19", "29", "39", "49")
    ]
    assert reading.values("cpu", "%user", cpu="all") == [2.15, 2.28, 2.67, 6.80]
    assert (reading.ledger.lines.header, reading.skipped()) == (4, {"average": 2})


@pytest.mark.parametrize(
    "average",
    [
        "Average:",
        "Durchschn.:",
        "Moyenne :",
        "平均値:",
        "평균값:",
        "Media:",
        "Summary:",
        "Minimum:",
        "Maximum:",
        "Medel:",
        "Среднее:",
        "Średnia:",
        "Gennemsnit:",
    ],
)
def test_averages_of_all_languages_are_left_out(sar, read, average):
    text = BANNER + f"16:10:13  CPU  %user  %idle\n16:10:15  all  38.30  44.22\n{average}  all  38.30  44.22\n"
    reading = read(sar, text.encode())
    assert reading.skipped() == {"average": 1}
    assert reading.values("cpu", "%user", cpu="all") == [38.30]


def test_human_figures_are_units_of_their_columns(sar, read, sar_text):
    reading = read(sar, sar_text("sar-human.txt"))
    assert reading.values("memory", "kbmemfree")[0] == 18.1 * 1024**2
    assert reading.values("memory", "kbmemused")[0] == 351.8 * 1024
    assert reading.values("memory", "%memused")[0] == 1.5
    assert reading.values("device", "wkB/s", device="vda")[:2] == [227.2 * 1024, 2.4 * 1024]
    assert reading.values("device", "areq-sz", device="vda")[0] == pytest.approx(303.8)
    assert reading.values("device", "tps", device="vda")[0] == 1176.5
    assert reading.ledger.warnings == ("rounded_units",)
    assert reading.ledger.variant == "human"
    assert reading.ledger.lines.data == 36


def test_a_name_in_the_last_column(sar, read, corpus):
    reading = read(sar, (corpus / "wild/sar-linux/sysstat+sysstat__tests_expected.sar-pretty").read_bytes())
    assert reading.values("device", "tps", device="sdq")[0] == 9.62
    assert reading.values("device", "%util", device="sdr")[0] == 6.42
    assert reading.values("device", "await", device="cciss/c0d0p2")[0] == 0.10


def test_figures_that_push_a_name_in_the_last_column(sar, read):
    text = BANNER + (
        "16:10:13          tps     rkB/s     %util DEV\n"
        "16:10:15         0.00      0.00      0.00 sda\n"
        "16:10:15   1234567890.12   12345678901.50      5.00 sdb\n"
        "16:10:15         1.00 123456789012.00      5.00 sdc\n"
        "16:10:15         1.00      1.00 123456789.25 sdd\n"
    )
    reading = read(sar, text.encode())
    assert reading.values("device", "tps", device="sdb") == [1234567890.12]
    assert reading.values("device", "rkB/s", device="sdb") == [12345678901.5]
    assert reading.values("device", "rkB/s", device="sdc") == [123456789012.0]
    assert reading.values("device", "%util", device="sdc") == [5]
    assert reading.values("device", "%util", device="sdd") == [123456789.25]


def test_names_that_push_the_figures(sar, read):
    names = ["lo", "eth0", "virbr0-nic-with-a-long-name", "br-0123456789", "veth123456789012345", "7", "enp6s0"] * 6
    rows = [f"16:10:15    {name:>9s}{i:10.2f}{i + 0.5:10.2f}" for i, name in enumerate(names)]
    text = BANNER + "16:10:13        IFACE   rxpck/s   txpck/s\n" + "\n".join(rows) + "\n"
    reading = read(sar, text.encode())
    assert reading.values("interface", "rxpck/s", interface="virbr0-nic-with-a-long-name") == [2]
    assert reading.values("interface", "txpck/s", interface="br-0123456789") == [3.5]
    assert reading.values("interface", "rxpck/s", interface="veth123456789012345") == [4]
    assert reading.values("interface", "rxpck/s", interface="7") == [5]
    assert len(reading.samples) == 2 * len(names)  # the same name again is another interface
    assert reading.skipped() == {}


def test_unknown_sections_and_columns_are_kept(sar, read):
    text = BANNER + (
        "16:10:13        CPU     %user   %novel     %idle\n16:10:15        all     38.30     1.00     44.22\n\n"
        "16:10:13       GPU     %busy   degC\n"
        "16:10:15       gpu0     12.00    55\n16:10:15       gpu1     13.00    56\n\n"
        "16:10:13      frobs/s     quux\n16:10:15         4.00        7\n\n"
        "16:10:13    %novel-10 %novel-60\n16:10:15         8.00      9.00\n"
    )
    reading = read(sar, text.encode())
    assert reading.values("cpu", "%novel", cpu="all") == [1]
    assert reading.values("GPU %busy", "degC", state="gpu1") == [56]
    assert reading.values("frobs/s", "quux") == [7]
    assert reading.values("%novel-10", "%novel-60") == [9]
    assert reading.skipped() == {}


def test_pressure_softnet_battery_fan_temperature_and_usb(sar, read):
    text = BANNER + (
        "16:10:13     %scpu-10  %scpu-60 %scpu-300     %scpu\n16:10:15         1.00      2.00      3.00      4.00\n\n"
        "16:10:13        CPU   total/s   dropd/s squeezd/s\n16:10:15        all     32.93      0.00      0.03\n\n"
        "16:10:13          BAT      %cap   cap/min    status\n16:10:15            0     85.00    -28.84 Discharging\n"
        "16:10:15            1     81.50     -4.81 Not charging\n\n"
        "16:10:13          FAN       rpm      drpm               DEVICE\n"
        "16:10:15            1   1200.00    200.00     lm85-i2c-0-2e\n"
        "16:10:15            2   1300.00    300.00     lm85-i2c-0-2e\n\n"
        "16:10:13         TEMP      degC     %temp               DEVICE\n"
        "16:10:15            1     45.50     45.50  coretemp\n\n"
        "16:10:13          BUS  idvendor    idprod  maxpower manufact                product\n"
        "16:10:15            1       3f0       862       196 HP                      HP Wireless Keyboard Mouse Kit\n"
        "16:10:15            3       5e3       608       200                         USB2.0 Hub\n"
    )
    reading = read(sar, text.encode())
    assert reading.values("pressure_cpu", "%scpu-300") == [3]
    assert reading.values("softnet", "total/s", cpu="all") == [32.93]
    assert reading.values("battery", "cap/min", device="0") == [-28.84]
    assert reading.values("battery", "%cap", device="1") == [81.5]
    assert reading.values("fan", "rpm", device="2 lm85-i2c-0-2e") == [1300]
    assert reading.values("temperature", "degC", device="1 coretemp") == [45.5]
    assert reading.values("usb", "maxpower", device="1 3f0 862 HP HP Wireless Keyboard Mouse Kit") == [196]
    assert reading.values("usb", "maxpower", device="3 5e3 608 USB2.0 Hub") == [200]
    assert reading.skipped() == {}
    assert reading.ledger.warnings == ("word_columns",)


def test_mount_points_and_block_devices_are_different_things(sar, read):
    heading = "     MBfsfree  MBfsused   %fsused  %ufsused     Ifree     Iused    %Iused "
    row = "          705       145     17.04     18.92   6008414    102818      1.68 "
    text = BANNER + f"16:10:13{heading}FILESYSTEM\n16:10:15{row}/dev/sda9\n16:10:15{row}/dev/sda9\n\n"
    text += f"16:10:13{heading}MOUNTPOINT\n16:10:15{row}/home\n16:10:15{row}/var/my files\n"
    reading = read(sar, text.encode())
    assert reading.values("filesystem", "MBfsused", device="/dev/sda9") == [145]
    assert reading.values("filesystem", "MBfsused", device="/dev/sda9#2") == [145]  # mounted twice
    assert reading.values("filesystem", "%Iused", mountpoint="/home") == [1.68]
    assert reading.values("filesystem", "%Iused", mountpoint="/var/my files") == [1.68]


def test_the_old_form_with_a_section_of_its_own_for_proc(sar, read):
    text = (
        "Linux 2.6.9-42.ELsmp (oldhost) \t03/24/2007\n\n"
        "12:00:01 AM    proc/s\n12:10:01 AM      0.42\n12:20:01 AM      1.40\n12:50:01 PM      2.00\n"
        "Average:         0.91\n\n"
        "12:00:01 AM   cswch/s\n12:10:01 AM   1234.00\n"
    )
    reading = read(sar, text.encode())
    assert reading.times("tasks", "proc/s") == ["2007-03-24 00:10:01", "2007-03-24 00:20:01", "2007-03-24 12:50:01"]
    assert reading.values("tasks", "cswch/s") == [1234]


def test_french_text(sar, read):
    text = (
        "Linux 5.14.0 (db1) \t05/11/2026 \t_x86_64_\t(2 CPU)\n\n"
        "16:10:13        CPU     %user     %idle\n16:10:15        all     38,30     44,22\n"
        "16:10:17        all     50,64     47,31\nMoyenne :        all     44,47     45,77\n"
    )
    reading = read(sar, text.encode())
    assert reading.values("cpu", "%user", cpu="all") == [38.30, 50.64]
    assert reading.times("cpu", "%user", cpu="all")[0] == "2026-11-05 16:10:15"
    assert (reading.skipped(), reading.ledger.locale) == ({"average": 1}, "fr_FR")


def test_a_narrow_blank_before_pm(sar, read):
    text = BANNER + "04:10:13\u202fPM  CPU  %user  %idle\n04:10:15\u202fPM  all  38.30  44.22\n"
    assert read(sar, text.encode()).times("cpu", "%user", cpu="all") == ["2026-11-21 16:10:15"]


def test_stamps_in_seconds_since_1970(sar, read):
    text = BANNER + "1555593609        CPU     %user     %idle\n1555593619        all      2.15     82.88\n"
    assert read(sar, text.encode(), zone="Asia/Seoul").times("cpu", "%user", cpu="all") == ["2019-04-18 13:20:19"]


def test_a_text_without_blank_lines(sar, read, sar_text):
    """Somebody's ``grep -v '^$'``."""
    text = sar_text("sar-A.C.txt")
    stripped = b"\n".join(line for line in text.splitlines() if line.strip()) + b"\n"
    reading = read(sar, stripped)
    figures = {key: [(s.time_ns, s.value) for s in found] for key, found in reading.samples.items()}
    expected = read(sar, text).samples
    assert figures == {key: [(s.time_ns, s.value) for s in found] for key, found in expected.items()}


def test_crlf_and_a_byte_order_mark(sar, read, sar_text):
    text = sar_text("sar-d-p.txt")
    expected = read(sar, text).samples
    assert read(sar, b"\xef\xbb\xbf" + text.replace(b"\n", b"\r\n")).samples == expected
    assert read(sar, text.decode().encode("utf-16")).samples == expected
    assert sar.sniff(text.decode().encode("utf-16"), "") > 0.9


@pytest.mark.parametrize(
    ("date", "row", "context", "day", "need"),
    [
        ("05/06/11", "16:10:15 all 1.00 2.00", {}, "2011-05-06", True),
        ("05/06/11", "16:10:15 all 1.00 2.00", {"day_first": True}, "2011-06-05", False),
        ("05/06/11", "16:10:15 all 1.00 2.00", {"path": "log/sar05"}, "2011-06-05", False),
        ("05/06/2011", "04:10:15 PM all 1.00 2.00", {}, "2011-05-06", True),
        ("05/06/2011", "16:10:15 all 1,00 2,00", {}, "2011-06-05", True),
        ("05/06/2011", "16:10:15 all 1.00 2.00", {}, "2011-06-05", True),
        ("19/05/16", "16:10:15 all 1.00 2.00", {}, "2016-05-19", False),
        ("05.06.2011", "16:10:15 all 1,00 2,00", {}, "2011-06-05", False),
        ("2011-06-05", "16:10:15 all 1.00 2.00", {}, "2011-06-05", False),
        ("2011년 06월 05일", "16시 10분 15초 all 1.00 2.00", {}, "2011-06-05", False),
    ],
)
def test_the_order_of_the_banners_date(sar, read, date, row, context, day, need):
    heading = row.split(" all")[0]
    text = f"Linux 5.14.0 (db1) \t{date} \t_x86_64_\t(2 CPU)\n\n{heading} CPU %user %idle\n{row}\n"
    reading = read(sar, text.encode(), **context)
    assert reading.times("cpu", "%idle", cpu="all") == [f"{day} 16:10:15"]
    assert ("date" in reading.ledger.needs) == need


def test_no_banner_at_all(sar, read):
    text = "16:10:13  CPU  %user  %idle\n16:10:15  all  38.30  44.22\n"
    reading = read(sar, text.encode(), path="db1/2026-11-21/sar.txt")
    assert reading.times("cpu", "%idle", cpu="all") == ["2026-11-21 16:10:15"]
    assert "date" in reading.ledger.needs


def test_a_row_that_is_cut_off_at_the_end(sar, read, sar_text):
    rows = [row for row in sar_text("sar-d-p.txt").split(b"\n\n")[1].split(b"\n") if not row.startswith(b"Average")]
    text = BANNER.encode() + b"\n".join(rows)
    whole = len(read(sar, text).values("device", "%util", device="vda"))
    assert whole == 7
    for cut in (1, 2, 3, 5, 12, 40):
        reading = read(sar, text[:-cut])
        assert reading.skipped() == {"truncated": 1}, cut
        assert len(reading.values("device", "%util", device="vda")) == whole - 1, cut
        assert reading.ledger.lines.balanced


def test_rows_without_a_heading_noise_and_binary_are_skipped_with_a_reason(sar, read):
    text = (
        b"16:10:15 all 1.00 2.00\n$ sar -u 1 3\n"
        + BANNER.encode()
        + b"16:10:13  CPU  %user  %idle\n16:10:15  all  38.30  x\n16:10:16  all\n16:10:17  all  1.00  2.00\n"
        + b"\0\0\0\0\nCannot open /var/log/sa/sa21\nSunOS host 5.10 Generic sun4u 08/19/2010\n"
        + b"16:10:18  all  1.00  2.00\n"
    )
    reading = read(sar, text)
    assert reading.skipped() == {
        "not_a_table": 2,
        "wrapper": 1,
        "unreadable_numbers": 2,
        "nul_bytes": 1,
        "message": 1,
        "banner_of_other_tool": 1,
    }
    assert reading.values("cpu", "%idle", cpu="all") == [2]
    assert reading.ledger.lines.balanced


def test_stamps_of_two_forms_in_one_section(sar, read):
    text = BANNER + "16:10:13        CPU     %user     %idle\n16:10:15        all      1.00      2.00\n"
    text += "04:10:15 PM     all      3.00      4.00\n16:10:17        all      5.00      6.00\n"
    reading = read(sar, text.encode())
    assert reading.values("cpu", "%idle", cpu="all") == [2, 6]
    assert reading.skipped() == {"unreadable_numbers": 1}


def test_a_remark_that_ends_in_a_number_is_no_row(sar, read):
    text = BANNER + "16:10:13  CPU  %user  %idle\n16:10:15  all  1.00  2.00\n16:10:16  COM pool 5\n"
    reading = read(sar, (text + "16:10:17  all  3.00  4.00\n").encode())
    assert [(event.kind, event.text) for event in reading.events] == [(EventKind.COMMENT, "pool 5")]
    assert (reading.values("cpu", "%idle", cpu="all"), reading.skipped()) == ([2, 4], {})


def test_a_row_without_any_number_is_no_heading(sar, read):
    text = BANNER + "16:10:13  DEV  tps  await\n16:10:15  sda  nan  nan\n16:10:15  sdb  1.00  2.00\n"
    reading = read(sar, (text + "16:10:17  sda  3.00  A.00\n16:10:17  sdb  3.00  4.00\n").encode())
    assert reading.values("device", "await", device="sdb") == [2, 4]
    assert {key.table for key in reading.samples} == {"device"}
    assert reading.skipped() == {"unreadable_numbers": 1}


def test_a_heading_with_a_blank_too_many_does_not_change_the_stamps_of_all_that_follows(sar, read):
    """``04:10:13  PM`` looks like a stamp of 24 hours; the sections below it have stamps of 12 as before."""
    text = BANNER + "04:10:13  PM     CPU  %user  %idle\n04:10:15 PM     all  1.00  2.00\n\n"
    text += "04:10:13 PM  proc/s  cswch/s\n04:10:15 PM  1.00  2.00\n"
    reading = read(sar, text.encode())
    assert reading.times("tasks", "cswch/s") == ["2026-11-21 16:10:15"]
    assert reading.skipped() == {"unreadable_numbers": 1}


def test_rows_of_one_time_are_one_time_though_a_damaged_one_stands_between(sar, read):
    text = BANNER + "16:10:13  DEV  tps  await\n16:10:15  sda  1.00  2.00\n16:1x:15  sdb  3.00  4.00\n"
    reading = read(sar, (text + "16:10:15  sdc  5.00  6.00\n").encode())
    assert {samples[0].line for samples in reading.samples.values()} == {4}
    assert reading.skipped() == {"unreadable_numbers": 1}


def test_a_message_in_place_of_data(sar, read, corpus):
    data = (corpus / "made/sar/sar-F.txt").read_bytes()
    assert sar.sniff(data, "sar-F.txt") >= 0.5
    assert read(sar, data).skipped() == {"message": 1}


def test_sniffing_leaves_everything_else_alone(sar, corpus):
    own = {"sar", "sar-linux"}
    for path in sorted(corpus.rglob("*")):
        if path.is_file() and path.parent.name not in own and path.parent.parent.name in ("made", "wild"):
            assert sar.sniff(path.read_bytes()[:65536], path.name) <= 0.3, path


@pytest.mark.parametrize("name", ["sa21", "sadf-d.txt", "sadf-p.txt", "sadf-x.xml", "sadf-l-pcp-header.txt"])
def test_sniffing_leaves_sadf_and_binaries_alone(sar, corpus, name):
    assert sar.sniff((corpus / "made/sar" / name).read_bytes()[:65536], name) == 0


def test_any_truncation_is_survived(sar, read, sar_text):
    text = sar_text("sar-live-u-d-12h.txt")[:1500]
    for length in range(0, len(text), 3):
        ledger = read(sar, text[:length]).ledger
        assert ledger.lines.balanced, length


LINES = [
    b"",
    b"16:10:13        CPU     %user     %idle",
    b"16:10:15        all     38.30     44.22",
    b"Average: all 1 2",
    b"16:10:27     LINUX RESTART\t(2 CPU)",
    b"16:10:27     COM hello",
    b"16:10:15 sda 1.0 2.0",
    b"\xff\xfe\0",
    b"Linux 5.1 (h) \t11/21/26 \t_x86_64_\t(2 CPU)",
    b"04:10:15 PM     all 1 2",
    b"16:10:13  tps rkB/s DEV",
    b"16:10:15  1.0 2.0 sda",
    b"16:10:13 INTR all CPU0",
    b"16:10:15 0 1.0 2.0",
    b"99:99:99 all 1 2",
    b"16:10:13 BUS idvendor idprod maxpower manufact product",
    b"16:10:15 1 3f0 862 196",
    b"x" * 300,
    b"00:00:00",
]


@settings(max_examples=150)
@given(st.lists(st.sampled_from(LINES), max_size=30), st.integers(1, 50))
def test_any_mixture_of_lines_is_accounted_for(lines, piece):
    from tests.unit.plugins.conftest import load_parser, read_capture

    parser = load_parser("sysstat_sar", "sar:SarParser")
    data = b"\n".join(lines)
    whole, part = read_capture(parser, data), read_capture(parser, data, piece=piece)
    assert whole.ledger.lines.balanced
    assert (whole.samples, whole.ledger, whole.events) == (part.samples, part.ledger, part.events)


def test_a_text_of_several_hosts_is_warned_of(sar, read):
    text = BANNER + "16:10:13 CPU %user %idle\n16:10:15 all 1.00 2.00\n\n"
    both = text + text.replace("db1", "db2")
    assert read(sar, both.encode()).ledger.warnings == ("several_hosts",)
    assert read(sar, (text + text).encode()).ledger.warnings == ()
