"""Stamps that a script puts before each line of a tool.

2026-07-20 09:00:01<TAB> 2  0 151296 415308 ...        vmstat 1 | awk '{print strftime("%F %T") "\\t" $0}'
[2026-07-20 09:00:01.250] | 2  0 151296 415308 ...     blanks, TAB, comma, semicolon, colon or bar may follow
Mon Jul 20 09:00:01 KST 2026:  2  0 151296 ...         while read line; do echo "$(date): $line"; done
2026. 07. 20. (월) 09:00:01 KST  2  0 151296 ...
20/07/2026 09:00:01  2  0 151296 415308 ...            day or month first: what the dates prove, else the user's word
Jul 20 09:00:01 db01 vmstat[311]:  2  0 151296 ...     logger
1784505601  2  0 151296 415308 ...
> >  2  0 151296 415308 ...                            a mail that quotes it: no time, but read in the same way

A comma may be a separator or begin the fraction: what all lines have in common tells.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from threading import local

from tunebench.core.patterns import lazy_pattern
from tunebench.core.records import record
from tunebench.sdk.dates import DAY_FIRST, read_printed_date
from tunebench.sdk.ledger_book import LedgerBook
from tunebench.sdk.parsing import ParseContext
from tunebench.sdk.stamp_formats import NS_PER_S, Stamp, stamp_format
from tunebench.sdk.text import decode_text

_SEPARATOR = rb"[\])]?(?:(?:[:,;|]|[ \t]+[,;|])[ \t]?|[ \t]|$)(?P<rest>.*)$"
_CLOCK = rb"\d\d:\d\d:\d\d"
_NAMED_DAY = rb"(?:[A-Z][a-z]{2} )?[A-Z][a-z]{2} [ \d]\d "
_LOGGER = rb" [\w.-]{1,64} (?!kernel\b)[\w./-]{1,64}(?:\[\d{1,10}\])?(?=:)"
_YEARLESS = ("%Y %b %d %H:%M:%S", "%Y %a %b %d %H:%M:%S", "%Y %a %b %d %H:%M:%S %Z")
SURE_ENOUGH = 0.3
"""A parser less sure than this does not know a text."""
SHELL_LINE = lazy_pattern(
    rb"^(?:(?:\[?[\w.-]+@[\w.-]+[^#$%>]{0,40}\s?[#$%>]|[#$] )\s*\S|(?:Last (?:failed )?login|"
    + "마지막 로그인".encode()
    + rb")\s?: )"
)
"""A prompt with a command, and what a login says above it."""
_DAY_FIRST = ("%d/%m/%Y %H:%M:%S", "%d/%m/%Y %H:%M:%S.%f")
_MONTH_FIRST = ("%m/%d/%Y %H:%M:%S", "%m/%d/%Y %H:%M:%S.%f")
_SNIFFING = local()
_MOST_LINES = 40
_SHARE = 0.9


@record
class LineStampForm:
    """One way to write the stamp.

    Attributes:
        pattern: of a whole line; its groups are ``stamp`` and the ``rest`` behind the separator.
        formats: of the stamp (`stamp_formats`); with ``%Y`` first and a blank behind it for stamps that have no year.
            None for what tells no time.
    """

    pattern: re.Pattern[bytes]
    formats: tuple[str, ...]

    @property
    def is_yearless(self) -> bool:
        return self.formats[:1] == _YEARLESS[:1]

    def read(self, stamp: bytes, year: int) -> Stamp | None:
        text = decode_text(stamp).strip("[]() ")
        for name in self.formats:
            reading = stamp_format(name).read(f"{year} {text}" if self.is_yearless else text)
            if reading is not None:
                return reading
        return None


def _form(stamp: bytes, *formats: str, behind: bytes = b"") -> LineStampForm:
    return LineStampForm(lazy_pattern(rb"^(?P<stamp>\[?\(?" + stamp + rb")" + behind + _SEPARATOR), formats)


LINE_STAMP_FORMS = (
    _form(
        rb"\d{4}[-/]\d\d[-/]\d\d[T ]" + _CLOCK + rb",\d{1,9}(?: ?(?:Z\b|[+-]\d\d:?\d\d\b))?",
        *("iso", "%Y/%m/%d %H:%M:%S,%f"),
    ),
    _form(
        rb"\d{4}[-/.]\d\d[-/.]\d\d[-T_ ]" + _CLOCK + rb"(?:\.\d+)?(?:[ \t]?(?:Z\b|[+-]\d\d:?\d\d\b))?",
        *("iso", "%Y/%m/%d %H:%M:%S", "%Y/%m/%d %H:%M:%S.%f", "%Y.%m.%d %H:%M:%S", "%Y/%m/%d-%H:%M:%S"),
        *("%Y-%m-%d-%H:%M:%S", "%Y-%m-%d_%H:%M:%S"),
    ),
    _form(rb"20\d{6}[-T_ ]?" + _CLOCK, "%Y%m%d %H:%M:%S", "%Y%m%d-%H:%M:%S", "%Y%m%d_%H:%M:%S", "%Y%m%dT%H:%M:%S"),
    _form(
        rb"\d{4}\. ?\d\d?\. ?\d\d?\. \([^)\s]{1,9}\) (?:(?:"
        + "오전|오후".encode()
        + rb") )?"
        + _CLOCK
        + rb"(?: [A-Z]{3,5})?",
        *("%Y. %m. %d. (%a) %H:%M:%S", "%Y. %m. %d. (%a) %H:%M:%S %Z"),
        *("%Y. %m. %d. (%a) %p %I:%M:%S", "%Y. %m. %d. (%a) %p %I:%M:%S %Z"),
    ),
    _form(
        _NAMED_DAY + _CLOCK + rb"(?: [A-Z]{3,5})? \d{4}",
        *("%a %b %d %H:%M:%S %Z %Y", "%a %b %d %H:%M:%S %Y", "%b %d %H:%M:%S %Y", "%b %d %H:%M:%S %Z %Y"),
    ),
    _form(_NAMED_DAY + _CLOCK, *_YEARLESS, behind=_LOGGER),
    _form(_NAMED_DAY + _CLOCK + rb"(?: [A-Z]{3,5})?", *_YEARLESS),
    _form(rb"\d{1,2}/\d{1,2}/\d{4} " + _CLOCK + rb"(?:\.\d+)?", *_DAY_FIRST),
    _form(rb"1\d{9}(?:\.\d+)?", "epoch_s"),
    _form(_CLOCK, "%H:%M:%S"),
    LineStampForm(lazy_pattern(rb"^(?P<stamp>)(?:> ?)+(?P<rest>.*)$"), ()),
)


def form_of(lines: Sequence[bytes]) -> LineStampForm | None:
    """The form of the stamps that stand before nearly all of these lines."""
    lines = [line for line in lines if line.strip()][:_MOST_LINES]
    lines = [line for line in lines if not SHELL_LINE.match(line)]
    matches = [(sum(form.pattern.match(line) is not None for line in lines), form) for form in LINE_STAMP_FORMS]
    most, form = max(matches, key=lambda match: match[0])  # the first of equals
    return form if most and most >= _SHARE * len(lines) else None


def is_stamped(line: bytes) -> bool | None:
    """Whether a line has a stamp before its text; None for lines of a shell, blank ones, and stamps alone."""
    rests = [match["rest"] for form in LINE_STAMP_FORMS if (match := form.pattern.match(line))]
    if rests:
        return True if any(rest.strip() for rest in rests) else None
    return False if line.strip() and not SHELL_LINE.match(line) else None


def without_line_stamps(head: bytes) -> bytes:
    """A capture's head without the stamps before its lines; empty where there are none."""
    lines = head.split(b"\n")
    form = form_of(lines)
    if form is None:
        return b""
    matches = [(form.pattern.match(line), line) for line in lines]
    return b"\n".join(line if match is None else match["rest"] for match, line in matches)


class LineStamps:
    """Takes the stamps off the lines of one capture, where its parser knows the text behind them alone.

    A text that the parser knows as it is keeps its stamps: they are the tool's own columns. The first lines wait until
    that is settled; a capture whose first line has no stamp does not wait.

    Args:
        sniff: how sure the parser is that a head is its own.
    """

    def __init__(self, sniff: Callable[[bytes], float], context: ParseContext, book: LedgerBook) -> None:
        self._sniff = sniff
        self._context, self._book = context, book
        self._held: list[bytes] = []
        self._form: LineStampForm | None = None
        self._year = 0
        self._is_settled = getattr(_SNIFFING, "here", False)  # a parser that reads a head to sniff at it

    @property
    def are_there(self) -> bool:
        return self._form is not None

    def are_none(self, text: bytes) -> bool:
        """Whether none stand before any lines, of which `text` is the next piece."""
        if self._held or self.are_there:
            return False
        return self._is_settled or not self._may_begin(text.split(b"\n", _MOST_LINES))

    def take(self, lines: list[bytes], ending: bool = False) -> list[bytes]:
        """The lines that may be read now, of these and of those that waited."""
        if self._is_settled:
            return lines
        self._held += lines
        if self._may_begin(self._held):
            self._settle(ending)
        if not self._is_settled:
            return []
        lines, self._held = self._held, []
        return lines

    def _may_begin(self, lines: Sequence[bytes]) -> bool:
        """Whether the first line with text has a stamp, or is still to come; without one all is settled."""
        stamps = (is_stamped(line) for line in lines)
        self._is_settled = next((has for has in stamps if has is not None), None) is False
        return not self._is_settled

    def _settle(self, ending: bool) -> None:
        text = b"\n".join(self._held) + b"\n"
        is_own = self._knows(text)
        self._is_settled = is_own or ending or sum(not line.isspace() for line in self._held if line) >= _MOST_LINES
        if self._is_settled and not is_own and self._knows(without_line_stamps(text)):
            self._form = self._in_order(form_of(self._held))
            self._year = self._find_year(self._form)

    def _knows(self, text: bytes) -> bool:
        _SNIFFING.here = True
        try:
            return self._sniff(text) >= SURE_ENOUGH
        finally:
            _SNIFFING.here = False

    def _in_order(self, form: LineStampForm | None) -> LineStampForm | None:
        """The form with the order of day and month that the first lines prove; else that of `read_printed_date`."""
        if form is None or form.formats != _DAY_FIRST:
            return form
        context = self._context
        modified = datetime.fromtimestamp(context.modified_ns // NS_PER_S, tz=context.zone).date()
        matches = [match for line in self._held if (match := form.pattern.match(line))]
        path = context.path or context.file_name
        readings = [
            reading
            for match in matches
            if (reading := read_printed_date(decode_text(match["stamp"]), context.day_first, None, path, modified))
        ]
        reading = next((candidate for candidate in readings if candidate.certain), readings[0] if readings else None)
        if reading is None:
            return form
        if not reading.certain:
            self._book.assume("date_order", reading.order, "default")
            self._book.need("date")
        elif context.day_first is not None:
            self._book.assume("date_order", reading.order, "user")
        return replace(form, formats=_DAY_FIRST if reading.order == DAY_FIRST else _MONTH_FIRST)

    def _find_year(self, form: LineStampForm | None) -> int:
        """The year of stamps that have none: of the user's word, else of the file."""
        stated = self._context.start or self._context.date
        if stated is not None or form is None or not form.is_yearless:
            return stated.year if stated is not None else 0
        year = datetime.fromtimestamp(self._context.modified_ns // NS_PER_S, tz=self._context.zone).year
        self._book.assume("date", str(year), "mtime")
        self._book.need("date")
        return year

    def split(self, line: bytes) -> tuple[Stamp | None, bytes]:
        """The stamp, None where a line has none, and the tool's line."""
        match = None if self._form is None else self._form.pattern.match(line)
        if self._form is None or match is None:
            return None, line
        return self._form.read(match["stamp"], self._year), match["rest"].rstrip()
