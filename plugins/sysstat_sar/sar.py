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
from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from app.families.lines import EndingParser
from app.sdk import Page, ParseContext, SampleBatch, page_of

from .headings import Heading, read_heading
from .section import Section
from .sniffing import sniff_sar
from .stamps import StampForm, find_stamp_form

_BANNER = re.compile(
    rb"Linux (?P<release>\S+)\s+\((?P<host>[^)]*)\)\s+(?P<date>\S.*?)(?:\s+_(?P<machine>\w+)_)?(?:\s+\(\d+ CPU\))?\s*$"
)
_OTHER_BANNER = re.compile(rb"(?:SunOS|AIX|HP-UX|Darwin|FreeBSD|Linux) \S+ .*\d")
_RESTART = re.compile(rb"\s+LINUX RESTART\b\s*(?P<rest>.*)$")
_COMMENT = re.compile(rb"\s+COM (?P<text>.*)$")
_AVERAGE = re.compile(
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
_PROMPT = re.compile(rb"(?:\S+\s?)?[#$%>] ?(?:\S+=\S+ )*(?:\S*/)?(?:sar|sadc|sadf|date)\b|^\[?\w+@[\w.-]+")
_ZERO, _NINE = np.uint8(ord("0")), np.uint8(9)


class SarParser(EndingParser):
    """See the module. One `Section` per heading; `read_page` hands them whole stretches of rows."""

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self.book.tool = "sar"
        self.book.os = "linux"
        self._sections: dict[tuple[tuple[str, ...], StampForm], Section] = {}
        self._section: Section | None = None
        self._headings: dict[bytes, Heading] = {}
        self._banner_date = ""
        self._last_row = b""
        self._after_blank = False

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:  # noqa: ARG004  the text alone decides
        return sniff_sar(head)

    def read_lines(self, first_line: int, lines: list[bytes]) -> Iterable[SampleBatch]:
        return self.read_page(first_line, page_of(lines))

    def read_page(self, first_line: int, page: Page) -> Iterable[SampleBatch]:
        batches: list[SampleBatch] = []
        run_start = 0
        for index in _unlike_rows(page).tolist():
            batches.extend(self._take_stretch(first_line, page, run_start, index))
            batches.extend(self._take_line(first_line + index, page.line(index)))
            run_start = index + 1
        batches.extend(self._take_stretch(first_line, page, run_start, len(page)))
        batches.extend(self._flush(final=False))
        return batches

    def close_tables(self) -> Iterable[SampleBatch]:
        return list(self._flush(final=True))

    # -- rows ------------------------------------------------------------------------------------

    def _take_stretch(self, first_line: int, page: Page, start: int, stop: int) -> Iterator[SampleBatch]:
        """Lines that look like rows. After a blank line a heading is due, whatever it looks like."""
        if start < stop and self._after_blank:
            yield from self._take_line(first_line + start, page.line(start))
            start += 1
        if start < stop:
            self._take_rows(first_line, page, start, stop)

    def _take_rows(self, first_line: int, page: Page, start: int, stop: int) -> None:
        section = self._section
        if section is None:
            for index in range(start, stop):
                self.book.skip("not_a_table", first_line + index, page.line(index))
            return
        last = page.line(stop - 1)
        if self.is_ending and self._is_cut_off(section, last):
            self.book.skip("truncated", first_line + stop - 1, last)
            stop -= 1
        if start == stop:
            return
        if self._banner_date:
            self._settle_date(section.form, comma=b"," in page.line(start))
        section.add(first_line + start, page.slice(start, stop), stop - start)
        self._last_row = page.line(stop - 1)

    def _is_cut_off(self, section: Section, line: bytes) -> bool:
        """Whether the capture ends inside this row, which has no line end: compared with the row before."""
        cells, before = line.split(), self._last_row.split()
        if not before or len(cells) != len(before):
            return len(cells) < len(before)
        last, usual = cells[-1].replace(b",", b"."), before[-1].replace(b",", b".")
        if section.heading.key_index == -1:
            return section.knows_longer_name(last)
        if not usual[-1:].isdigit():
            return last[-1:].isdigit()  # without its unit
        decimals, usual_decimals = len(last.partition(b".")[2]), len(usual.partition(b".")[2])
        return decimals < usual_decimals or (not usual_decimals and len(line) < len(self._last_row))

    # -- all other lines -------------------------------------------------------------------------

    def _take_line(self, number: int, line: bytes) -> Iterator[SampleBatch]:
        text = line.strip()
        self._after_blank = not text
        if not text:
            self.book.blank()
            return
        form = self._stamp_form(text)
        if form is not None:
            yield from self._take_stamped(number, text, form)
        elif not self._is_average(number, text):
            yield from self._take_remark(number, text)

    def _stamp_form(self, text: bytes) -> StampForm | None:
        if self._section is not None and self._section.form.matches(text):
            return self._section.form
        return find_stamp_form(text)

    def _take_stamped(self, number: int, text: bytes, form: StampForm) -> Iterator[SampleBatch]:
        rest = text[form.width :]
        if rest in self._headings:  # sar repeats its headings; this is the quickest test
            yield from self._begin_section(self._headings[rest], text, form)
            return
        restart, comment = _RESTART.match(rest), _COMMENT.match(rest)
        if restart:
            yield from self._take_restart(form.seconds_of(text), form, restart["rest"])
        elif comment:
            yield from self._take_comment(form.seconds_of(text), form, comment["text"])
        elif heading := self._heading_of(rest):
            yield from self._begin_section(heading, text, form)
        else:
            self._take_odd_row(number, text, form)

    def _take_odd_row(self, number: int, text: bytes, form: StampForm) -> None:
        """A row that ends in a word or is indented."""
        section = self._section
        if section is None:
            self.book.skip("not_a_table", number, text)
            return
        if self._banner_date:
            self._settle_date(form, comma=b"," in text)
        if self.is_ending and not section.heading.word_columns and self._is_cut_off(section, text):
            self.book.skip("truncated", number, text)
        elif not section.add_one(number, text):
            self.book.skip("unreadable_numbers", number, text)
        self._last_row = text

    def _heading_of(self, rest: bytes) -> Heading | None:
        """The heading that `rest` makes; remembered."""
        try:
            known = read_heading(rest.decode("ascii").split())
        except UnicodeDecodeError:
            return None
        if known is not None:
            self._headings[rest] = known
        return known

    def _begin_section(self, heading: Heading, text: bytes, form: StampForm) -> Iterator[SampleBatch]:
        self.book.header()
        if not self.book.locale:
            self.book.locale = form.locale
        section = self._sections.get((heading.words, form))
        if section is None or section is not self._section:
            for other in self._sections.values():
                if other is not section and other.heading.table == heading.table:
                    yield from self._flush_one(other, final=True)  # one table, other columns: keep the order of times
        if section is None:
            section = self._sections[heading.words, form] = Section(heading, text, form, self.times, self.book)
            if heading.word_columns and heading.table != "usb":
                self.book.warn("word_columns")
        self._section = section
        self._last_row = b""

    def _take_restart(self, seconds: int, form: StampForm, cpus: bytes) -> Iterator[SampleBatch]:
        """Everything after the mark comes after it in time; the sections begin again."""
        self.book.header()
        self._settle_date(form)
        yield from self._flush(final=True)
        self.times.restart(None)
        now_ns = self.times.at_epoch(seconds) if form.epoch else self.times.at_time_of_day(seconds)
        self.times.restart(now_ns, cpus.strip(b"() ").decode("utf-8", "replace"))
        self.times.continue_here()
        self._sections.clear()
        self._section = None

    def _take_comment(self, seconds: int, form: StampForm, text: bytes) -> Iterator[SampleBatch]:
        self.book.header()
        self._settle_date(form)
        yield from self._flush(final=False)
        now_ns = self.times.at_epoch(seconds) if form.epoch else self.times.nearest_time_of_day(seconds)
        self.times.comment(now_ns, text.strip().decode("utf-8", "replace"))

    def _is_average(self, number: int, text: bytes) -> bool:
        known = _AVERAGE.match(text)
        if known:
            word = known[0].rstrip(b": ")
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

    def _take_remark(self, number: int, text: bytes) -> Iterator[SampleBatch]:
        banner = _BANNER.match(text)
        if banner:
            yield from self._take_banner(banner)
        elif _OTHER_BANNER.match(text):
            yield from self._flush(final=True)
            self._section = None
            self.book.skip("banner_of_other_tool", number, text)
        elif b"\0" in text:
            self.book.skip("nul_bytes", number, text)
        else:
            self.book.skip("wrapper" if _PROMPT.match(text) else "message", number, text)

    def _take_banner(self, banner: re.Match[bytes]) -> Iterator[SampleBatch]:
        self.book.header()
        yield from self._flush(final=True)
        self._sections.clear()
        self._section = None
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

    def _flush(self, final: bool) -> Iterator[SampleBatch]:
        for section in list(self._sections.values()):
            yield from self._flush_one(section, final)

    def _flush_one(self, section: Section, final: bool) -> Iterator[SampleBatch]:
        yield from section.flush(final)
        if section.rounded:
            self.book.variant = "human"


def _unlike_rows(page: Page) -> NDArray[np.int64]:
    """Indices of the lines that do not begin and end with a digit, as most rows do.

    Of the headings, only that of the interrupts (``INTR ... CPU0 CPU1``) does.
    """
    first, last = page.data[page.starts], page.data[page.ends - 1]
    unlike = (first - _ZERO > _NINE) | (last - _ZERO > _NINE) | (page.lengths == 0)
    unlike[page.where(b" INTR ")] = True
    return np.flatnonzero(unlike)
