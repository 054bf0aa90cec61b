"""Parser of the text that Linux sar prints.

    Linux 6.18.44 (dbtest01) 	11/21/26 	_x86_64_	(2 CPU)

    16:10:13        CPU     %user     %nice   %system   %iowait    %steal     %idle
    16:10:15        all     38.30      0.77     11.57      4.88      0.26     44.22
    16:10:27     COM a remark made with sadc -C
    Average:        all     35.10      3.58      9.18      0.95      0.07     51.12

    16:10:27     LINUX RESTART	(2 CPU)

A file is printed section after section, each from its first time on; a live run prints all sections in
turns. After a restart mark the sections start again where the mark stands, so that one day has several
averages. Averages (and Minimum, Maximum, Summary) are figures of sar's own and are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from tunebench.families.page_reading import CELLS, Dialect, Scan, Scanner, ScanTable, new_scanner
from tunebench.families.scanned_lines import ScanningParser
from tunebench.families.timed_commands import TimedCommands
from tunebench.sdk import ParseContext, SampleBatch, lazy_pattern

from .headings import Heading, read_heading
from .section import Section
from .sniffing import sniff_sar
from .stamps import StampForm, find_stamp_form

_BANNER = lazy_pattern(
    rb"Linux (?P<release>\S+)\s+\((?P<host>[^)]*)\)\s+(?P<date>\S.*?)(?:\s+_(?P<machine>\w+)_)?(?:\s+\(\d+ CPU\))?\s*$"
)
_OTHER_BANNER = lazy_pattern(rb"(?:SunOS|AIX|HP-UX|Darwin|FreeBSD|Linux) \S+ .*\d")
_RESTART = lazy_pattern(rb"\s+LINUX RESTART\b\s*(?P<rest>.*)$")
_COMMENT = lazy_pattern(rb"\s+COM (?P<text>.*)$")
_AVERAGE = lazy_pattern(
    "(?:Average|Summary|Minimum|Maximum|Durchschn\\.|Moyenne|Media|Média|平均値|平均时间|平均|평균값|평균"
    "|Gemiddelde|Gjennomsnitt|Średnia|Среднее)\\s?:".encode()
)
_LOCALE_OF_AVERAGE = {
    b"Durchschn.": "de_DE",
    b"Moyenne": "fr_FR",
    "평균값".encode(): "ko_KR",
    "平均値".encode(): "ja_JP",
    b"Gemiddelde": "nl_NL",
}
_PROMPT = lazy_pattern(rb"(?:\S+\s?)?[#$%>] ?(?:\S+=\S+ )*(?:\S*/)?(?:sar|sadc|sadf|date)\b|^\[?\w+@[\w.-]+")
_PLAIN_CELLS = Dialect(CELLS.decimal_signs, absent=CELLS.absent)


class SarParser(ScanningParser):
    """See the module. One `Section` per heading."""

    scanner: Scanner

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self.book.tool = "sar"
        self.book.os = "linux"
        self.scanner = new_scanner(_PLAIN_CELLS)
        self._sections: dict[tuple[tuple[str, ...], StampForm], Section] = {}
        self._section: Section | None = None
        self._headings: dict[bytes, Heading] = {}
        self._banner_date = ""
        self._last_row = b""
        self._timed = TimedCommands(self.book)
        self._finished: list[SampleBatch] = []

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:  # noqa: ARG004  the text alone decides
        return sniff_sar(head)

    def read_lines(self, first_line: int, lines: list[bytes]) -> Iterable[SampleBatch]:
        self._note_unended(first_line, lines)
        self.read_all(first_line, lines)
        return self._flush(final=False)

    def read_page(self, first_line: int, text: bytes) -> Iterable[SampleBatch]:
        self.read_text(first_line, text)
        return self._flush(final=False)

    def close_tables(self) -> Iterable[SampleBatch]:
        return self._flush(final=True)

    # -- many lines at once ----------------------------------------------------------------------

    def open_table(self) -> ScanTable | None:
        """The first row below a banner tells by its decimals how the date was printed."""
        return None if self._section is None or self._banner_date else self._section.rows

    def take_scan(self, scan: Scan) -> None:
        self.book.header(len(scan.marks))
        self.book.blank(scan.blanks)
        of_rows = {section.rows: section for section in self._sections.values()}
        if len(scan.marks):
            self._section = of_rows[self.scanner.marks[scan.marks[-1]].table]
            self._last_row = b""
        for rows in sorted(scan.rows, key=lambda rows: int(rows.lines[-1])):  # the clock is that of the last
            section, count = of_rows[rows.table], len(rows.lines)
            times_ns = self._times_of(section, section.form.seconds(rows.fields, section.running))
            self._finished += section.builder.scanned(rows, times_ns, np.zeros(count, dtype=bool))
            self.book.data(count)
            if section is self._section and (not len(scan.marks) or rows.lines[-1] > scan.mark_lines[-1]):
                self._last_row = self.last_scanned_line.rstrip()

    def _times_of(self, section: Section, seconds: NDArray[np.int64]) -> NDArray[np.int64]:
        heading_s, section.heading_s = section.heading_s, None
        if section.form.epoch:
            self.times.begin_table(section.heading.table)
            return self.times.at_epochs(seconds)
        self.times.begin_table(section.heading.table, heading_s)
        return self.times.at_times_of_day(seconds)

    # -- line by line ----------------------------------------------------------------------------

    def read_line(self, number: int, line: bytes) -> None:
        text = line.strip()
        if not text:
            self.book.blank()
            return
        form = find_stamp_form(text)
        if form is not None:
            self._take_stamped(number, text, form)
        elif line[:1].isdigit() and line[-1:].isdigit():
            self.book.skip("not_a_table" if self._section is None else "unreadable_numbers", number, line)
        elif not self._is_average(number, text):
            self._take_remark(number, text)

    def _take_stamped(self, number: int, text: bytes, form: StampForm) -> None:
        rest = text[form.width :]
        restart, comment = _RESTART.match(rest), _COMMENT.match(rest)
        if restart:
            self._take_restart(form.seconds_of(text), form, restart["rest"])
        elif comment:
            self._take_comment(form.seconds_of(text), form, comment["text"])
        elif self._take_row(number, text, form):
            pass
        elif heading := self._heading_of(rest):
            self._begin_section(heading, text, form)
        elif self._section is None:
            self.book.skip("not_a_table", number, text)
        else:
            reason = "truncated" if self._is_cut_off(number, text, self._section) else "unreadable_numbers"
            self.book.skip(reason, number, text)

    def _take_row(self, number: int, text: bytes, form: StampForm) -> bool:
        section = self._section
        if section is None or section.form is not form or self._is_cut_off(number, text, section):
            return False
        row = section.split(text)
        if row is None:
            return False
        self._settle_date(form, comma=b"," in text)
        if row.has_units and self.scanner.dialect is not CELLS:
            self._begin_units()
        section.know_stamp(self.scanner, text)
        time_ns = int(self._times_of(section, np.asarray([form.seconds_of(text)]))[0])
        section.builder.row(time_ns, number, row.name, np.asarray(row.values))
        self.book.data()
        self._last_row = text
        return True

    def _begin_units(self) -> None:
        """Reads units from here on: sar printed for humans."""
        self.book.warn("rounded_units")
        self.book.variant = "human"
        self.scanner = new_scanner(CELLS)
        for section in self._sections.values():
            section.forget_scanner()

    def _is_cut_off(self, number: int, text: bytes, section: Section) -> bool:
        may_lack_words = bool(section.heading.word_columns) and not text[-1:].isdigit()
        return number == self._unended_line and not may_lack_words and section.is_cut_off(text, self._last_row)

    def _heading_of(self, rest: bytes) -> Heading | None:
        """The heading that `rest` makes; remembered."""
        if rest in self._headings:
            return self._headings[rest]
        try:
            heading = read_heading(rest.decode("ascii").split())
        except UnicodeDecodeError:
            return None
        if heading is None or (rest[-1:].isdigit() and not _may_end_in_digit(heading)):
            return None
        return self._headings.setdefault(rest, heading)

    def _begin_section(self, heading: Heading, text: bytes, form: StampForm) -> None:
        self.book.header()
        if not self.book.locale:
            self.book.locale = form.locale
        section = self._sections.get((heading.words, form))
        if section is None:
            section = self._sections[heading.words, form] = Section(heading, form, self.book)
            if heading.word_columns and heading.table != "usb":
                self.book.warn("word_columns")
        if section is not self._section:
            for other in self._sections.values():
                if other is not section and other.heading.table == heading.table:
                    self._finished += other.builder.flush(final=True)  # one table, other columns: in the order of times
                    other.forget_heading(self.scanner)
        if not section.has_begun:
            section.has_begun, section.heading_s = True, form.seconds_of(text)
        section.know_heading(self.scanner, text)
        self._section = section
        self._last_row = b""

    def _end_sections(self) -> None:
        """No heading so far holds for what follows."""
        self._flush_into(final=True)
        for section in self._sections.values():
            section.has_begun = False
            section.forget_heading(self.scanner)
        self._section = None

    def _take_restart(self, seconds: int, form: StampForm, cpus: bytes) -> None:
        """Everything after the mark comes after it in time; the sections begin again."""
        self.book.header()
        self._settle_date(form)
        self._end_sections()
        self.times.restart(None)
        now_ns = self.times.at_epoch(seconds) if form.epoch else self.times.at_time_of_day(seconds)
        self.times.restart(now_ns, cpus.strip(b"() ").decode("utf-8", "replace"))
        self.times.continue_here()

    def _take_comment(self, seconds: int, form: StampForm, text: bytes) -> None:
        self.book.header()
        self._settle_date(form)
        now_ns = self.times.at_epoch(seconds) if form.epoch else self.times.nearest_time_of_day(seconds)
        self.times.comment(now_ns, text.strip().decode("utf-8", "replace"))

    def _is_average(self, number: int, text: bytes) -> bool:
        match = _AVERAGE.match(text)
        if match:
            word = match[0].rstrip(b": ")
            self.book.locale = self.book.locale or _LOCALE_OF_AVERAGE.get(word, "")
        elif not self._is_foreign_average(text):
            return False
        self.book.skip("average", number, text)
        return True

    def _is_foreign_average(self, text: bytes) -> bool:
        """``Medel:`` and other words for it: a word with a colon above the columns of the section."""
        if self._section is None or b":" not in text:
            return False
        word, _, rest = text.partition(b":")
        heading = self._section.heading
        return len(word.split()) == 1 and len(rest.split()) >= len(heading.words) - len(heading.word_columns)

    def _take_remark(self, number: int, text: bytes) -> None:
        banner = _BANNER.match(text)
        if banner:
            self._take_banner(banner)
        elif _OTHER_BANNER.match(text):
            self._end_sections()
            self.book.skip("banner_of_other_tool", number, text)
        elif b"\0" in text:
            self.book.skip("nul_bytes", number, text)
        elif not self._timed.take(number, text, self.times.last_ns):
            self.book.skip("wrapper" if _PROMPT.match(text) else "message", number, text)

    def _take_banner(self, banner: re.Match[bytes]) -> None:
        self.book.header()
        self._end_sections()
        self.book.os_version = self.book.os_version or banner["release"].decode("utf-8", "replace")
        host = banner["host"].decode("utf-8", "replace")
        if self.book.hostname and self.book.hostname != host:
            self.book.warn("several_hosts")
        self.book.hostname = self.book.hostname or host
        self._banner_date = banner["date"].decode("utf-8", "replace")

    def _settle_date(self, form: StampForm, comma: bool = False) -> None:
        """Reads the banner's date, now that the first stamps and figures show whose habits it follows."""
        text, self._banner_date = self._banner_date, ""
        if not text:
            return
        four_digit_year = re.search(r"/\d{4}$", text) is not None
        day_first = comma or (four_digit_year and form.locale != "en_US")
        self.times.set_printed_day(text, hint_day_first=day_first)

    # -- batches ---------------------------------------------------------------------------------

    def _flush(self, final: bool) -> list[SampleBatch]:
        """The batches that are complete; all of them where `final`."""
        self._flush_into(final)
        if final:
            self._timed.end()
        finished, self._finished = [*self._finished, *self._timed.flush()], []
        return finished

    def _flush_into(self, final: bool) -> None:
        for section in self._sections.values():
            self._finished += section.builder.flush(final)


def _may_end_in_digit(heading: Heading) -> bool:
    """``INTR ... CPU1``, ``... ldavg-15``; ``NMI A.00`` is a damaged row."""
    return heading.is_known or not heading.words[-1].replace(".", "").isalnum()
