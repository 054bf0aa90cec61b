"""A text of several tools is cut at prompts, headings of a script, traced commands and dates, and nowhere else."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.program import compose
from tunebench.capture import ingest, sections
from tunebench.capture.sections import Account, Sections, Watched
from tunebench.core.errors import UserError
from tunebench.sdk.scanning.choice import PLAIN
from tunebench.usecases import services

FIXTURES = Path(__file__).parents[2] / "fixtures"

VMSTAT = b"""\
procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----
 r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st
 1  0      0 453392   4204 981740    0    0    44    15  147  321  0  3 97  0  0
 2  0      0 453384   4204 981740    0    0     0     0  204  362  0  4 96  0  0
"""
DF = b"""\
Filesystem     1K-blocks    Used Available Use% Mounted on
/dev/sda1       40470732 3590360  36863988   9% /
"""
FREE = b"""\
              total        used        free      shared  buff/cache   available
Mem:        2020128      580768      453392       16788      985968     1275848
Swap:       4194300           0     4194300
"""
WHO = b"oracle   pts/0        Jul 20 08:51 (10.0.0.7)\nroot     pts/1        Jul 20 08:59 (10.0.0.9)\n"
NETSTAT_I = b"""\
Kernel Interface table
Iface      MTU    RX-OK RX-ERR RX-DRP RX-OVR    TX-OK TX-ERR TX-DRP TX-OVR Flg
eth0      1500  1280233      0      0 0        934511      0      0      0 BMRU
"""
NETSTAT_S = b"""\
Ip:
    1280021 total packets received
Tcp:
    45678 active connection openings
    100 segments retransmitted
"""
IOSTAT = b"""\
Linux 5.4.17-2136.309.4.el8uek.x86_64 (ol8mysql01) \t01/31/2023 \t_x86_64_\t(1 CPU)

avg-cpu:  %user   %nice %system %iowait  %steal   %idle
           0.01    0.01    2.65    0.02    0.00   97.31

"""
SAR = b"""\
Linux 5.4.17-2136.309.4.el8uek.x86_64 (db01) \t07/20/2026 \t_x86_64_\t(2 CPU)

09:00:01 AM     CPU     %user     %nice   %system   %iowait    %steal     %idle
09:00:02 AM     all      0.50      0.00      0.50      0.00      0.00     99.00
09:00:03 AM     all      1.50      0.00      0.50      0.00      0.00     98.00
"""
AIX_VMSTAT = b"""\
kthr    memory              page              faults        cpu
----- ----------- ------------------------ ------------ -----------
 r  b   avm   fre  re  pi  po  fr   sr  cy  in   sy  cs us sy id wa
 1  0 53218 14723   0   0   0   0    0   0 104  248  72  2  1 97  0
 2  1 53230 14711   0   0   0   0    0   0 109  311  80  3  2 94  1
"""
TIME = b"real\t0m48.465s\nuser\t0m0.738s\nsys\t0m0.176s\n"
DATE = b"Mon Jul 20 09:00:00 KST 2026\n"


def cut(text: bytes, pieces: int = 1 << 20) -> tuple[Sections, Account]:
    compose()
    plugins = services.current().plugins
    try:
        whole = ingest.recognise(plugins, text[:65536], "capture.txt", "capture.txt")
    except UserError:
        whole = None
    made = Sections(plugins, whole)
    return made, made.account(text[at : at + pieces] for at in range(0, len(text), pieces))


def lines_of(made: Sections, reader: str, text: bytes) -> dict[int, bytes]:
    """The lines that a reader gets, by their numbers."""
    lines = b"".join(made.text_of(reader, [text])).split(b"\n")
    return {number: line for number, line in enumerate(lines, 1) if line}


@pytest.mark.parametrize(
    ("before_vmstat", "before_df"),
    [
        (b"### vmstat 1 2\n", b"### df -k\n"),
        (b"===== vmstat =====\n", b"===== df =====\n"),
        (b"+ vmstat 1 2\n", b"+ df -k\n"),
        (b"[root@db01 ~]# vmstat 1 2\n", b"[root@db01 ~]# df -k\n"),
        (b"oracle@db01:/home/oracle> vmstat 1 2\n", b"oracle@db01:/home/oracle> df -k\n"),
        (b"$ vmstat 1 2\n", b"$ df -k\n"),
        (b"bash-3.2# vmstat 1 2\n", b"bash-3.2# df -k\n"),
        (b"zzz ***Mon Jul 20 09:00:00 KST 2026\n", b"zzz ***Mon Jul 20 09:00:10 KST 2026\n"),
        (DATE, b"Mon Jul 20 09:00:10 KST 2026\n"),
        (b"2026-07-20T09:00:00+09:00\n", b"2026-07-20T09:00:10+09:00\n"),
        ("2026. 07. 20. (월) 09:00:00 KST\n".encode(), "2026. 07. 20. (월) 09:00:10 KST\n".encode()),
        (b"### vmstat 1 2\r\n", b"### df -k\r\n"),
    ],
)
def test_each_reader_gets_its_own_lines_with_the_numbers_of_the_file(before_vmstat: bytes, before_df: bytes) -> None:
    text = before_vmstat + VMSTAT + before_df + DF
    text = text.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n") if b"\r" in before_vmstat else text
    made, found = cut(text)
    assert made.is_several(found)
    assert list(found.readers) == ["linux.vmstat", "linux.df"]
    lines = dict(enumerate(text.split(b"\n"), 1))
    is_mark = b"vmstat" in before_vmstat
    first = 2 if before_vmstat.startswith(b"=") else 1  # "vmstat 1 2" tells the interval: it stays with the rows
    assert lines_of(made, "linux.vmstat", text) == {number: lines[number] for number in range(first, 6)}
    assert lines_of(made, "linux.df", text) == {number: lines[number] for number in range(6 + is_mark, 9)}


def test_tools_with_nothing_between_them_are_told_by_their_own_first_lines() -> None:
    """OSWatcher's netstat files; two captures that somebody joined."""
    text = DATE + NETSTAT_I + NETSTAT_S + DATE.replace(b"09:00:00", b"09:00:30") + NETSTAT_I + NETSTAT_S
    made, found = cut(text)
    assert list(found.readers) == ["linux.netstat_i", "linux.netstat_s"]
    assert list(lines_of(made, "linux.netstat_i", text)) == [1, 2, 3, 4, 10, 11, 12, 13]
    assert list(lines_of(made, "linux.netstat_s", text)) == [1, 5, 6, 7, 8, 9, 10, 14, 15, 16, 17, 18]
    assert found.ledger().skipped == ()
    assert found.ledger().tool == "netstat_i + netstat_s"
    assert list(cut(VMSTAT + IOSTAT + DF + FREE + b"\n" + VMSTAT)[1].readers) == [
        *("linux.vmstat", "linux.iostat", "linux.df", "linux.free")
    ]


def test_a_heading_directly_below_the_rows_of_another_tool_begins_a_section_and_one_below_its_own_does_not() -> None:
    text = DF + VMSTAT + VMSTAT
    made, found = cut(text)
    assert list(found.readers) == ["linux.df", "linux.vmstat"]
    assert list(lines_of(made, "linux.vmstat", text)) == list(range(3, 11))
    text = IOSTAT.rstrip() + b"\n" + VMSTAT
    made, found = cut(text)
    assert list(lines_of(made, "linux.vmstat", text)) == list(range(5, 9))
    assert not _watched(VMSTAT + VMSTAT)[0]


def test_a_tools_own_stamps_do_not_part_its_banner_from_its_rows() -> None:
    """``iostat -t`` with S_TIME_FORMAT=ISO."""
    banner, rows = IOSTAT.split(b"\n\n", 1)
    rounds = b"".join(b"2026-07-20T09:00:0%d+0900\n" % second + rows for second in range(3))
    text = b"### df -k\n" + DF + b"### iostat -ct 1\n" + banner + b"\n\n" + rounds
    made, found = cut(text)
    assert list(found.readers) == ["linux.df", "linux.iostat"]
    assert found.unknown == []
    ours = lines_of(made, "linux.iostat", text)
    assert ours[5].startswith(b"Linux 5.4.17")
    assert [line for line in ours.values() if line.startswith(b"2026")] == [
        b"2026-07-20T09:00:0%d+0900" % second for second in range(3)
    ]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (DF + b"\n[root@db01 ~]# time dd if=/dev/zero of=/data/f\n\n" + TIME, [6, 7, 8]),
        (TIME + b"\n" + VMSTAT, [1, 2, 3]),
        (DF + b"$ time sleep 48\nreal=48.46 user=0.73 sys=0.17\n", [4]),
    ],
)
def test_the_response_time_beside_another_tool_is_read(text: bytes, lines: list[int]) -> None:
    made, found = cut(text)
    assert len(found.readers) == 2
    assert [n for n, line in lines_of(made, "tunebench.timed_command", text).items() if line.strip()] == lines


def test_a_prompt_that_tells_the_interval_stays_with_its_tool() -> None:
    text = b"# vmstat 5 2\n" + AIX_VMSTAT + b"# df -k\n" + DF
    made, found = cut(text)
    assert list(found.readers) == ["aix.vmstat", "linux.df"]
    assert lines_of(made, "aix.vmstat", text)[1] == b"# vmstat 5 2"
    assert 7 not in lines_of(made, "linux.df", text)


def test_what_a_timed_command_prints_is_part_of_its_time() -> None:
    printed = b"1024+0 records in\n1024+0 records out\n1073741824 bytes (1.1 GB, 1.0 GiB) copied, 2.31 s, 465 MB/s\n\n"
    made, found = cut(printed + TIME)
    assert not made.is_several(found)


def test_a_reader_keeps_its_rows_below_what_another_one_knows() -> None:
    rows = SAR.split(b"\n", 3)[3]
    made, found = cut(SAR + b"$ time sleep 48\n" + TIME + rows)
    assert list(found.readers) == ["linux.sar"]
    assert not made.is_several(found)


@pytest.mark.parametrize("pieces", [1, 7, 100])
def test_the_size_of_the_pieces_changes_nothing(pieces: int) -> None:
    text = DATE + b"### vmstat\n" + VMSTAT + b"### df -k\n" + DF + b"$ who\n" + WHO + IOSTAT + b"\n\n" + VMSTAT
    assert cut(text, pieces)[1].ledger() == cut(text)[1].ledger()


def test_a_loop_over_tools_gives_each_reader_all_its_rounds_with_their_dates() -> None:
    rounds = [DATE.replace(b"09:00:00", b"09:0%d:00" % n) + VMSTAT + b"### df\n" + DF for n in range(4)]
    text = b"".join(rounds)
    made, found = cut(text)
    assert list(found.readers) == ["linux.vmstat", "linux.df"]
    ours = lines_of(made, "linux.df", text)
    assert [line for line in ours.values() if b"2026" in line] == [
        b"Mon Jul 20 09:0%d:00 KST 2026" % n for n in range(4)
    ]
    assert [number for number, line in ours.items() if line.startswith(b"/dev")] == [8, 16, 24, 32]


def test_only_the_last_date_above_a_section_comes_with_it() -> None:
    dates = [DATE.replace(b"09:00:00", b"09:0%d:00" % n) for n in range(3)]
    text = dates[0] + VMSTAT + dates[1] + VMSTAT + dates[2] + VMSTAT + b"### df\n" + DF
    made, _ = cut(text)
    assert list(lines_of(made, "linux.df", text)) == [11, 17, 18]


def test_the_text_of_one_tool_is_not_cut() -> None:
    """Dates, comments and prompts inside; also rows alone below a line that no reader knows."""
    rows = VMSTAT.split(b"\n", 2)[2]
    for text in (
        b"$ vmstat 1\n" + VMSTAT,
        b"".join(DATE + VMSTAT for _ in range(3)),
        VMSTAT + b"### load begins now\n" + rows,
        VMSTAT + DATE + rows,
        VMSTAT + b"$ who\n" + WHO,
    ):
        made, found = cut(text)
        assert not made.is_several(found)
    assert cut(VMSTAT + b"### load begins now\n" + rows)[1].unknown == []


def test_what_nobody_knows_is_named_by_its_first_line_and_every_line_is_accounted_for() -> None:
    text = DATE + b"### vmstat\n" + VMSTAT + b"### who\n\n" + WHO + b"### empty\n### df -k\n" + DF
    found = cut(text)[1].ledger()
    assert (found.tool, found.lines.total, found.lines.balanced) == ("vmstat + df", 14, True)
    assert (found.lines.data, found.lines.header, found.lines.blank, found.lines.skipped) == (6, 4, 1, 3)
    assert [(each.count, each.first_line, each.example) for each in found.skipped] == [(3, 7, "### who")]


def test_known_sections_below_a_beginning_that_nobody_knows_are_found() -> None:
    text = b"CUSTOMER ACME, monthly check\n$ who\n" + WHO + b"$ free\n" + FREE
    compose()
    made = Sections(services.current().plugins, None)
    found = made.account([text])
    assert made.is_several(found)
    assert list(found.readers) == ["linux.free"]
    assert [each.first_line for each in found.unknown] == [1, 2]


def test_endless_headings_are_asked_about_a_few_hundred_times(monkeypatch: pytest.MonkeyPatch) -> None:
    text = VMSTAT + b"".join(b"### %s\nx %s\n" % (word, word) for word in _words(sections.MOST_FORMS + 500))
    text += b"### df\n" + DF
    asked: list[bytes] = []
    compose()
    plugins = services.current().plugins

    monkeypatch.setattr(plugins, "surest_by_signs", asked.append)
    found = Sections(plugins, plugins.parser("linux.vmstat")).account([text]).ledger()
    assert 0 < len(asked) <= 4 * sections.MOST_FORMS
    assert len(found.skipped) == sections.MOST_NAMED + 1
    assert found.warnings == ("too_many_sections",)
    assert found.lines.balanced


def _words(count: int) -> list[bytes]:
    letters = b"abcdefghij"
    return [bytes(letters[int(digit)] for digit in str(n)) for n in range(count)]


def _watched(*pieces: bytes) -> tuple[bool, bool]:
    watched = Watched(pieces)
    assert b"".join(watched) == b"".join(pieces)
    return watched.may_be_several, watched.is_alike


def test_the_first_bytes_tell_of_a_text_only_where_all_its_stamps_have_the_same_below_them() -> None:
    heading, rows = b"Device r/s w/s\n", b"sda 1.00 2.00\nsdb 3.00 4.00\n"
    stamps = [f"2026-11-09T09:{minute:02}:00+0000\n".encode() for minute in range(60)]
    rounds = [stamp + heading + rows + b"\n" for stamp in stamps]
    assert _watched(b"Linux 5.14 (db1)\n\n", *rounds) == (True, False), "the first one stands too late to be told by"
    assert _watched(b"Linux 5.14 (db1)\n\n" + rounds[0], *rounds[1:]) == (True, True)
    whole = b"Linux 5.14 (db1)\n\n" + b"".join(rounds)
    for cut in range(40, 400, 7):
        line_end = whole.index(b"\n", cut) + 1
        assert _watched(whole[:line_end], whole[line_end:])[0]
    assert _watched(whole) == (True, True)
    other = b"2026-11-09T10:00:00+0000\n              total        used\nMem: 1 2\n"
    assert _watched(whole, other) == (True, False)
    assert _watched(whole, b"# df -k\nFilesystem 1 2\n") == (True, False)
    assert _watched(whole + stamps[0]) == (True, False), "nothing below the last one"
    assert _watched(b"sda 1.00\n" * 9) == (False, True)


def _mixed_texts() -> Iterator[bytes]:
    """Lines of real captures in any order, some of them damaged, and loops of a stamp with nearly the same below it."""
    chance = random.Random(16)
    captures = [path for path in sorted(FIXTURES.rglob("*")) if path.is_file()]
    lines = [line for path in captures for line in path.read_bytes()[:20_000].split(b"\n")[:40]]
    for _ in range(400):
        taken = chance.choices(lines, k=chance.randrange(1, 40))
        hurt = bytearray(taken[0])
        hurt[chance.randrange(len(hurt) + 1) :][:1] = chance.choice([b"#", b"@", b"0", b" ", b"\r"])
        yield b"\n".join([bytes(hurt), *taken, chance.choice([b"", b"# df -k"])])
    for stamp in (b"2026-11-%02dT09:%02d:00+0000", b"zzz ***Mon Jul %02d 09:%02d:00 KST 2026", b"1%05d%04d"):
        for _ in range(40):
            loop = []
            for _ in range(chance.randrange(2, 25)):
                heading = chance.choice([b"Device r/s"] * 30 + [b"Device r/s w/s", b"", b"total used"])
                gap = chance.choice([b"", b"", b"\n", b" \r\n", b"\n" * 5])
                loop.append(stamp % (chance.randrange(1, 29), chance.randrange(60)) + b"\n" + gap + heading)
                loop.append(b"sda %d.0" % chance.randrange(100))
            yield b"\n".join(loop) + b"\n"


def test_boundaries_are_the_same_whoever_looks_for_them(monkeypatch: pytest.MonkeyPatch) -> None:
    def seen() -> list[object]:
        return [(list(sections._boundaries(text)), _watched(text), _watched(*_halves(text))) for text in _mixed_texts()]

    fast = seen()
    monkeypatch.setenv(PLAIN, "1")
    assert seen() == fast


def _halves(text: bytes) -> tuple[bytes, bytes]:
    middle = text.rfind(b"\n", 0, len(text) // 2) + 1
    return text[:middle], text[middle:]
