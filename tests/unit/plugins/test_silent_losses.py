"""What was once lost without a word: it is read; and where its reader loses it again, the ledger says so.

Each case is an excerpt, and the mending that is switched off. Without it the account must tell of the loss by itself.
"""

from __future__ import annotations

import sys

import pytest

from tunebench.domain.ledger import UNACCOUNTED_ROWS
from tunebench.families.timed_commands import TimedCommands
from tunebench.sdk import LedgerBook, line_stamps, lines

VMSTAT = """\
kthr    memory              page              faults        cpu
----- ----------- ------------------------ ------------ -----------
 r  b   avm   fre  re  pi  po  fr   sr  cy  in   sy  cs us sy id wa
 1  0 53218 14723   0   0   0   0    0   0 104  248  72  2  1 97  0
12  1 53230 14711   0   0   0   0    0   0 109  311  80  3  2 94  1
 7  0 53230 14711   0   0   0   0    0   0 109  311  80  3  2 94  1
35  0 53230 14711   0   0   0   0    0   0 109  311  80  3  2 94  1
"""
XML = """\
<?xml version="1.0" encoding="UTF-8"?>
<sysstat>
<host nodename="db01"><sysname>Linux</sysname><release>6.1.0</release><machine>x86_64</machine>
<number-of-cpus>1</number-of-cpus><file-date>2026-11-21</file-date>
<statistics>
<timestamp date="2026-11-21" time="07:10:15" utc="1" interval="2">
<cpu-load>
<cpu number="all" user="38,30" nice="0,77" system="11,57" iowait="4,88" steal="0,26" idle="44,22"/>
</cpu-load>
<process-and-context-switch per="second" proc="25,50" cswch="3270,12"/>
<queue><load runq-sz="3" plist-sz="143" ldavg-1="0,85" ldavg-5="1,12" ldavg-15="1,65" blocked="0"/></queue>
</timestamp>
</statistics></host></sysstat>
"""


def stamped(text: str, stamp: str) -> str:
    return "".join(f"{stamp.format(second)}{line}\n" for second, line in enumerate(text.splitlines()))


def no_stamps(monkeypatch):
    monkeypatch.setattr(line_stamps, "form_of", lambda lines: None)


def rows_are_headings(monkeypatch):
    """As it was: what did not look like a row was a heading."""
    no_stamps(monkeypatch)
    skip = LedgerBook.skip

    def book(self, reason, line_number, text, lines=1):
        self.header(lines) if reason in ("not_a_table", "prose") else skip(self, reason, line_number, text, lines)

    monkeypatch.setattr(LedgerBook, "skip", book)


def no_utf16(monkeypatch):
    monkeypatch.setattr(lines, "utf16_of", lambda data: "")


def no_times(monkeypatch):
    monkeypatch.setattr(TimedCommands, "take", lambda self, number, line, time_ns: False)


def no_decimal_commas(monkeypatch):
    form, parser = (
        next(module for name, module in sys.modules.items() if name.endswith(f"sysstat_sadf.{last}"))
        for last in ("xml_form", "sadf_xml")
    )
    monkeypatch.setattr(form, "_member", form.Member)
    monkeypatch.setattr(parser.SadfXmlParser, "decimal_signs", b".")


VMSTAT_READER = ("aix_stat", "vmstat:VmstatParser")
CASES = {
    "a stamp and a TAB before each row": (
        VMSTAT_READER,
        stamped(VMSTAT, "2026-07-20 09:00:{:02}\t").encode(),
        no_stamps,
    ),
    "a stamp and a comma, rows booked as headings": (
        *(VMSTAT_READER, stamped(VMSTAT, "2026-07-20 09:00:{:02},").encode(), rows_are_headings),
    ),
    "epochs before each row": (VMSTAT_READER, stamped(VMSTAT, "17845056{:02} ").encode(), rows_are_headings),
    "a mail that quotes it": (VMSTAT_READER, stamped(VMSTAT, "> ").encode(), rows_are_headings),
    "UTF-16": (VMSTAT_READER, VMSTAT.encode("utf-16"), no_utf16),
    "the response time below the rows": (
        *(VMSTAT_READER, (VMSTAT + "real 62.31\nuser 1.20\nsys 0.30\n").encode(), no_times),
    ),
    "decimal commas in XML": (("sysstat_sadf", "sadf_xml:SadfXmlParser"), XML.encode(), no_decimal_commas),
}


def told(reading) -> bool:
    """Whether the account says of anything printed that it was not stored."""
    ledger = reading.ledger
    assert ledger.lines.balanced
    return bool(ledger.skipped) or "few_numbers_stored" in ledger.warnings


@pytest.mark.parametrize("case", CASES)
def test_nothing_is_lost_without_a_word(load, read, monkeypatch, case):
    (folder, entry), data, switch_off = CASES[case]
    parser = load(folder, entry)
    whole = read(parser, data)
    assert not told(whole) and whole.samples
    switch_off(monkeypatch)
    less = read(parser, data)
    assert less.ledger.samples < whole.ledger.samples
    assert told(less)
    if switch_off is rows_are_headings:
        assert UNACCOUNTED_ROWS in less.skipped()
        assert less.ledger.unaccounted > 0
