"""A text in which several tools stand one below the other is cut at the lines between them.

[root@db01 ~]# vmstat 1 5             a console with its prompts
### iostat -x        === df -k ===    headings of a script
+ df -k                               sh -x
zzz ***Mon Jul 20 09:00:00 KST 2026   OSWatcher
Mon Jul 20 09:00:00 KST 2026          date
Ip:                                   a tool's own first line, where nothing else stands between two

What stands between two such lines is a section. It stays with the reader of the section before as long as that one
reads all of it, and goes to another one that is certain of it; where the one before reads rows of it, only to one that
reads the whole. A reader gets all its sections as one text, in which the lines of the others are empty: so the numbers
of its lines are those of the file. The stamp above its section comes with it, also where another tool stands between
them. Sections are remembered by their first lines with the digits made alike, so that a loop of a day asks once.

A section is of the host that its own banner names, else of the one in the last prompt above it. Behind an ssh, where no
prompt names a host, where banner and prompt name two, and below a prompt without a user whose word is of no known host,
nobody can say whose it is.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import field, replace
from functools import cache, lru_cache
from itertools import chain

from tunebench.capture.layouts import host_name, short_name
from tunebench.core.errors import PluginError
from tunebench.core.patterns import lazy_pattern
from tunebench.core.records import record
from tunebench.domain.ledger import Ledger, LineCounts, SkippedLines
from tunebench.plughost.host import PluginHost
from tunebench.plughost.parser_entry import ParserEntry
from tunebench.sdk import ParseContext
from tunebench.sdk.ledger_book import EXAMPLE_LENGTH
from tunebench.sdk.line_stamps import without_line_stamps
from tunebench.sdk.scanning.choice import PLAIN
from tunebench.sdk.scanning.line_search import LineSearch, Usual, line_search
from tunebench.sdk.text import decode_text

CERTAIN = 0.8
"""A reader less sure than this takes no section from another one."""
MOST_FORMS = 300
"""Different beginnings of sections that readers are asked about; what comes after them stays where it is."""
MOST_NAMED = 50
"""Sections that nobody knows, each named with its first line."""
_HEAD_BYTES = 8192
_PREFIX_BYTES = 2048
_LONGEST_LINE = 1 << 20

_DAY = rb"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)"
_KOREAN_DATE = rb"\d{4}(?:\. ?\d\d?\. ?\d\d?\. ?\(|" + b"\xeb\x85\x84 " + rb")[^\n]{0,60}\d\d[^\n]{0,12}(?=\n)"
_STAMP = (
    rb"(?P<stamp>zzz [^\n]{8,}|(?:[#=*-]{1,6}[ \t]*)?(?:"
    + _DAY
    + rb",? [^\n]{6,16}\d\d:\d\d:\d\d[^\n]{0,12} \d{4}|\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?"
    rb" ?(?:Z|[+-]\d\d:?\d\d)?)[ \t#=*-]*(?=\r?\n)|Date:[^\n]{12,}|TS \d{9}[^\n]*|1\d{9}(?:\.\d{1,9})?(?=\s*\n)|"
    + _KOREAN_DATE
    + rb")"
)
_MARK = rb"\+{1,4} [^\s+]|(?P<run>[=*~-])(?P=run){2,}(?:[ \t]+|[ \t]*\[)[^\s=*~-]"
_FIRST_LINE = (
    rb"(?P<own>Ip:[ \t]*(?=\r?\n)|Kernel Interface table|Filesystem +[^\n]*Mounted on|[ \t]+total +used +free"
    rb"|Linux \d+\.\d+[^\n(]* \([^\n)]*\)[^\n]*(?=\n\s*(?!\d{4}-\d\d-\d\dT)\S)|procs[ -])"
)
_COLOURS = rb"(?:\x1b(?:\[[0-9;?]*[A-Za-z]|[()][AB0]|\][^\x07\x1b\n]{0,120}\x07))*"
_BEFORE_USER = _COLOURS + rb"\[?(?:\([\w.-]{1,30}\) ?|\d\d?:\d\d(?::\d\d)?(?: [AP]M)?\]? )?"
"""What prompts print before the user: colours and titles of terminals, an environment in brackets, a clock."""
_PROMPT_OR_HEADING = (
    rb"#{2,}[ \t]*[^#\s]|>{3,}[ \t]+[^\s>]"
    rb"|"
    + _BEFORE_USER
    + rb"[\w.+-]{1,40}@[\w.-]{1,64}[^#$%>\n]{0,60}[#$%>] ?\S|(?:\[[\w.: ~/-]{1,80}\]|[\w.:/~-]{0,60})[#$>] +[a-z./]"
)
_WITHOUT_SIGNS = _STAMP + rb"|" + _MARK + rb"|" + _FIRST_LINE
_BOUNDARY = {False: lazy_pattern(_WITHOUT_SIGNS), True: lazy_pattern(_WITHOUT_SIGNS + rb"|" + _PROMPT_OR_HEADING)}
"""By whether one of the signs stands in the text: prompts are looked for only where they may be."""
_SIGNS = b"#$>@"
_BEGINNINGS = (
    *b"zzz |Mon|Tue|Wed|Thu|Fri|Sat|Sun|0000-|0000.|Date:|TS 0|0000000000|+|=|*|-|#|~~~".split(b"|"),
    b"0000\xeb\x85\x84 ",
    *b"Ip:|Kernel Interface table|Filesystem | total |Linux 0|procs".split(b"|"),
)
"""Lines that may be a boundary without one of the signs begin so (`LineSearch`)."""
_BANNER = lazy_pattern(rb"Linux \d+\.\d+[^\n(]* \([^\n)]*\)[^\n]*")
_HOST_BANNER = lazy_pattern(
    rb"^(?:Linux \d+\.\d[^\n(]* \((?P<linux>[\w.-]+)\)|Linux (?P<uname>[A-Za-z][\w.-]*) \d+\.\d"
    rb"|(?:SunOS|AIX|HP-UX) (?P<unix>[\w.-]+) [\w.]*\d)",
    re.MULTILINE,
)
_HOST_PROMPT = lazy_pattern(rb"\s*" + _BEFORE_USER + rb"[A-Za-z_][\w.+-]*@([\w.-]*\w)(?=[:\s\]#$%>\x1b])")
_BARE_PROMPT = lazy_pattern(rb"\s*\[?([A-Za-z][\w.-]*)(?::[\w./~-]*)?\]?[#$>] +\S")
_NO_HOST = lazy_pattern(
    r"(?:ba|da|k|z|c|tc)?sh(?:-\d.*)?|sql|sqlplus|mysql|mariadb|psql|db2|rman|asmcmd|adrci|tbsql|csql|gsql|redis|mongo"
    r"|hive|beeline|s?ftp|telnet|nslookup|gdb|python|irb|node",
    re.IGNORECASE,
)
"""What stands in the prompt of a shell or a client and names no machine."""
_PERSON = lazy_pattern(
    r"(?:db2inst|oracle|grid|postgres|mysql|tibero|jeus|weblogic|tomcat|user|admin)\d*", re.IGNORECASE
)
_WENT_TO = lazy_pattern(
    rb"(?:ssh|slogin|rsh|rlogin|telnet)(?: +-[bcDeFiIJLlmOopQRSWw] *\S+| +-[0-9A-Za-z]+)*"
    rb" +(?:[\w.+-]+@)?([A-Za-z][\w.-]*)"
)
_HOP = lazy_pattern(
    rb"(?:\s*"
    + _BEFORE_USER
    + rb"[\w.+-]{1,40}@[\w.-]{1,64}[^#$%>\n]{0,60}|[\w.:/~-]{0,60})[#$%>]"
    + _COLOURS
    + rb" ?(?:sudo +)?(?:(?:ssh|mosh|slogin|rsh|rlogin|telnet|zlogin|virsh +console) +\S"
    rb"|(?:kubectl|oc|docker|podman|nerdctl|crictl|lxc) +(?:\S+ +){0,4}?(?:exec|rsh|run|attach)\b|(?:exit|logout)\b)"
)
"""Below it another machine may answer."""
ASKED = "?"
"""The host of sections of which nobody can say it."""
_VMSTAT_ROW = lazy_pattern(rb" *\d+ +\d+ +\d+ +\d+ [^.]*$")  # below which the tool repeats its heading
_DIGITS, _BLANKS = lazy_pattern(rb"\d+(?:[.,:/-]\d+)*"), lazy_pattern(rb"\s+")
_FORM_LINES, _FORM_BYTES, _LINES_BEFORE = 2, 200, 8
_FORM_WIDTHS = 32, 3
_BELOW_BYTES = 4096
_EPOCH = lazy_pattern(rb"\d{10}")  # a stamp that not every digit makes one
_ZEROS = bytes.maketrans(b"123456789", b"0" * 9)


def _boundaries(text: bytes, above: bytes = b"\n", usual: Usual | None = None) -> Iterator[tuple[int, str]]:
    """Where sections begin, and with what: a ``stamp``, a ``mark`` above them, or their ``own`` first line; `text` are
    whole lines, and `above` the last bytes of those above them. Lines that are `usual` may be left out."""
    signs = any(sign in text for sign in _SIGNS)
    search = _line_search(os.environ.get(PLAIN))
    at = 0 if above.endswith(b"\n") else text.find(b"\n") + 1 or len(text)
    while at < len(text):
        at = _next(text, at, signs) if search is None else search.find(text, at, signs=signs, usual=usual)
        if at < 0:
            return
        match = _BOUNDARY[signs].match(text, at)
        if match and not ((match["own"] or b"").startswith(b"procs") and _VMSTAT_ROW.match(_before(text, at, above))):
            yield at, "stamp" if match["stamp"] else "own" if match["own"] else "mark"
        at = text.find(b"\n", at) + 1 or len(text)


def _next(text: bytes, at: int, signs: bool) -> int:
    """`LineSearch.find` in plain Python."""
    if not at and _BOUNDARY[signs].match(text):
        return 0
    match = _below_line_end(signs).search(text, max(at - 1, 0))
    return match.start() + 1 if match else -1


@cache
def _below_line_end(signs: bool) -> re.Pattern[bytes]:
    return re.compile(rb"\n(?:" + _BOUNDARY[signs].pattern + rb")")


@cache
def _line_search(_plain: str | None) -> LineSearch | None:
    return line_search(_BEGINNINGS, _SIGNS)


def _before(text: bytes, at: int, above: bytes) -> bytes:
    """The line before the one that begins at `at`."""
    if not at:
        text, at, above = above, len(above), b""
    begin = text.rfind(b"\n", 0, at - 1) + 1
    return (b"" if begin else above.rpartition(b"\n")[2]) + text[begin : at - 1]


class Watched:
    """Passes pieces of whole lines on, and notes whether a line stands among them that may stand between two tools:
    the first line of the text stands between none.

    Attributes:
        is_alike: all such lines are stamps with the same beginning below them, the first of them among the first bytes:
            what these say is true of the whole text.
    """

    def __init__(self, pieces: Iterable[bytes]) -> None:
        self._pieces = pieces
        self._below: tuple[bytes, ...] | None = None
        self._usual: Usual | None = None
        self._open = b""
        self.may_be_several = False
        self.is_alike = True

    def __iter__(self) -> Iterator[bytes]:
        is_first = True
        for piece in self._pieces:
            if self.is_alike or not self.may_be_several:
                self._look(piece, is_first)
            is_first = False
            yield piece
        self.is_alike = self.is_alike and not self._open

    def _look(self, piece: bytes, is_first: bool) -> None:
        if self._open:
            self._compare(self._open + piece[:_BELOW_BYTES], is_first)
        for start, kind in _boundaries(piece, usual=self._usual):
            if is_first and not start:
                continue
            self.may_be_several = True
            if kind != "stamp" or (self._below is None and (not is_first or start > _BELOW_BYTES)):
                self.is_alike = False
            if not self.is_alike:
                return
            self._compare(piece[start : start + _BELOW_BYTES], start + _BELOW_BYTES > len(piece))

    def _compare(self, text: bytes, may_go_on: bool) -> None:
        """The beginning of what stands below a stamp; where the piece ends before it is told, the next one is asked."""
        below = _first_below(text)
        is_told = len(below) == _FORM_LINES or text.count(b"\n") > 2 * _FORM_LINES
        self._open = text if may_go_on and not is_told else b""
        if self._open:
            return
        self._below = self._below or below
        self.is_alike = self.is_alike and len(below) == _FORM_LINES and below == self._below
        stamp = text.partition(b"\n")[0]
        if self.is_alike and not _EPOCH.match(stamp):
            self._usual = Usual(stamp, (below[0], below[1]), _FORM_WIDTHS, _BELOW_BYTES, 2 * _FORM_LINES)


def _first_below(text: bytes) -> tuple[bytes, ...]:
    """The beginnings of the first lines below a line, digits made alike."""
    lines = [line for line in text.split(b"\n", 2 * _FORM_LINES + 1)[1:] if line.strip()][:_FORM_LINES]
    return tuple(line[:width].translate(_ZEROS) for line, width in zip(lines, _FORM_WIDTHS, strict=False))


def whole_lines(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """The same bytes, each piece ending with a line; an endless line goes on as it comes."""
    rest = b""
    for piece in pieces:
        end = piece.rfind(b"\n") + 1 or (len(piece) if len(rest) + len(piece) > _LONGEST_LINE else 0)
        if end:
            yield b"".join((rest, memoryview(piece)[:end]))  # copied once
            rest = b""
        rest += piece[end:]
    if rest:
        yield rest


@record(frozen=False)
class _Section:
    """The beginning of a section of which nobody knows yet whose it is.

    Attributes:
        line: the one that stands before it: a stamp, or (`is_mark`) a prompt, a heading; empty where none does.
    """

    line: bytes = b""
    is_mark: bool = False
    body: bytes = b""

    @property
    def is_empty(self) -> bool:
        return not self.body.strip()

    def goes_on_with(self, begins_with: str) -> bool:
        """A prompt and its tool's first line, a tool's banner and its own stamps (``iostat -t``) are not parted."""
        if begins_with == "own":
            return self.is_mark and self.is_empty
        is_banner = len(self.body) < _FORM_BYTES and _BANNER.fullmatch(self.body.strip()) is not None
        return begins_with == "stamp" and is_banner

    def form(self) -> bytes:
        """The section's first lines, digits and blanks made alike."""
        first = [line[:_FORM_BYTES] for line in self.body[:_PREFIX_BYTES].split(b"\n", _LINES_BEFORE) if line.strip()]
        return _alike(b"\n".join([self.line[:_FORM_BYTES] if self.is_mark else b"", *first[:_FORM_LINES]]))


@lru_cache(maxsize=64)  # the headings of a loop
def _alike(lines: bytes) -> bytes:
    return _BLANKS.sub(b" ", _DIGITS.sub(b"0", lines))


@record
class Run:
    """Lines of the file that belong together; `reader` is the id of theirs, empty where nobody reads them.

    Attributes:
        begins: whether they are the first of their section.
        host: of which their section is; empty where nothing says it, `ASKED` where nobody can.
    """

    kind: str  # "part", "stamp", "mark" or "unknown"
    data: bytes
    reader: str = ""
    begins: bool = True
    host: str = ""


@record
class _Decision:
    """Whose a section is (empty: nobody's), and whether the line before it is for its reader as well."""

    reader: str
    reads_mark: bool = False


@record(frozen=False)
class Account:
    """What the cutting of one file came to.

    Attributes:
        readers: those of its sections, in the order in which they come.
        hosts: whose the sections of each reader are, by `Run.host`.
        unknown: the first sections that nobody knows; `more` those that are not named.
        asked_enough: whether sections were left where they were because there were too many forms of them.
    """

    readers: dict[str, ParserEntry] = field(default_factory=dict)
    hosts: dict[str, dict[str, None]] = field(default_factory=dict)
    total: int = 0
    data: int = 0
    header: int = 0
    blank: int = 0
    unknown: list[SkippedLines] = field(default_factory=list)
    more: SkippedLines | None = None
    asked_enough: bool = False

    def names(self) -> dict[str, str]:
        """What the readers' parts are called, by their ids: after the tool, where that tells them apart."""
        tools = [entry.tools[0] if len(entry.tools) == 1 else "" for entry in self.readers.values()]
        tails = [id_.partition(".")[2] for id_ in self.readers]
        return {
            id_: tool if tool and tools.count(tool) == 1 else tail if tail and tails.count(tail) == 1 else id_
            for id_, tool, tail in zip(self.readers, tools, tails, strict=True)
        }

    def host(self) -> str | None:
        """The one host of all sections, empty where none names it; None where there are several, or it is asked."""
        named = {host for own in self.hosts.values() for host in own if host}
        return None if len({*map(short_name, named)}) > 1 or ASKED in named else next(iter(named), "")

    def ledger(self) -> Ledger:
        """The ledger of the whole file: data are the lines that went to a reader."""
        skipped = (*self.unknown, *((self.more,) if self.more else ()))
        left_out = sum(lines.count for lines in skipped)
        return Ledger(
            tool=" + ".join(self.names().values()),
            lines=LineCounts(self.total, self.data, self.header, self.blank, left_out),
            skipped=skipped,
            warnings=("too_many_sections",) if self.asked_enough else (),
        )


class Sections:
    """Cuts one file; the same bytes give the same sections every time.

    Args:
        whole: the reader that knows the file by its beginning, None where nobody does.
    """

    def __init__(self, plugins: PluginHost, whole: ParserEntry | None) -> None:
        self._plugins, self._whole = plugins, whole
        self._decisions: dict[tuple[bytes, str, str], _Decision] = {}
        self._entries: dict[str, ParserEntry] = {whole.id: whole} if whole else {}
        self._counts: dict[tuple[str, bytes], tuple[int, int]] = {}
        self._asked_enough = False
        self._begin()

    def _begin(self) -> None:
        self._reader = ""  # of the section before
        self._last = self._whole.id if self._whole else ""  # of the last section that anybody read
        self._prefix = b""
        self._is_marked = False  # a mark stands above, and nothing below it so far
        self._host = ""  # of the section before
        self._prompted = ""  # by the last prompt
        self._is_named = False  # by a prompt with a user, or by whoever went there
        self._named: dict[str, str] = {}  # what a prompt without a user calls a host, and its name

    def account(self, pieces: Iterable[bytes]) -> Account:
        """The account of a file: which readers its sections are for."""
        account = Account()
        for run in self.runs(pieces):
            lines = run.data.count(b"\n") + (not run.data.endswith(b"\n"))
            if run.kind == "part":
                account.readers.setdefault(run.reader, self._entries[run.reader])
                account.hosts.setdefault(run.reader, {}).setdefault(run.host)
                account.data += lines
            elif run.kind == "unknown":
                _add_unknown(account, run)
            else:
                account.header += lines
            account.total += lines
        account.asked_enough = self._asked_enough
        return account

    def is_several(self, account: Account) -> bool:
        """Whether a file is more than what one reader reads; the opinion on a section alone changes nothing."""
        return bool(account.readers) and (
            self._whole is None
            or (self._whole.id in account.readers and (len(account.readers) > 1 or account.host() is None))
        )

    def text_of(self, reader: str, pieces: Iterable[bytes], host: str | None = None) -> Iterator[bytes]:
        """The file with the lines of this reader alone, each with the last stamp above it.

        Args:
            host: whose sections are meant, `ASKED` those of which nothing says it; None means those of all.
        """
        empty, stamp, behind = 0, b"", 0
        for run in self.runs(pieces):
            lines = run.data.count(b"\n")
            is_own = host is None or short_name(run.host or ASKED) == short_name(host)
            if run.kind == "part" and run.reader == reader and is_own:
                if empty or stamp or behind:
                    yield b"\n" * empty + stamp + b"\n" * behind
                empty, stamp, behind = 0, b"", 0
                yield run.data
            elif run.kind == "stamp":
                empty, stamp, behind = empty + bool(stamp) + behind, run.data, 0
            else:
                behind += lines

    # -- whose a section is --------------------------------------------------------------------------

    def runs(self, pieces: Iterable[bytes]) -> Iterator[Run]:
        self._begin()
        held: _Section | None = _Section()
        for begins_with, data in _cuts(pieces):
            if held is not None and held.goes_on_with(begins_with):
                held.body += data
            elif begins_with:
                if held is not None:
                    yield from self._settle(held)
                line, end, body = (b"", b"", data) if begins_with == "own" else data.partition(b"\n")
                held = _Section(line + end, begins_with == "mark", body)
            elif held is not None:
                held.body += data
            else:
                yield self._run(data, begins=False)
                continue
            if len(held.body) >= _HEAD_BYTES:
                yield from self._settle(held)
                held = None
        if held is not None:
            yield from self._settle(held)

    def _settle(self, section: _Section) -> Iterator[Run]:
        marked = section.is_mark or self._is_marked
        if section.is_mark:
            self._look_at_prompt(section.line)
        if section.line and not section.is_mark:
            yield Run("stamp", section.line)
        if section.is_empty:
            self._is_marked = marked
            if rest := (section.line if section.is_mark else b"") + section.body:
                yield Run("mark", rest)
            return
        decided = self._decided(section, goes_on=bool(self._reader) and not marked)
        self._host = self._host_of(section, goes_on=decided.reader == self._reader and not marked)
        self._reader, self._is_marked = decided.reader, False
        if self._reader and (self._reader != self._last or not self._prefix):
            self._last, self._prefix = self._reader, _first_lines(section.line + section.body, _PREFIX_BYTES)
        mark = section.line if section.is_mark else b""
        if mark and self._reader and not decided.reads_mark:
            yield Run("mark", mark)
            mark = b""
        yield self._run(mark + section.body)

    def _run(self, data: bytes, begins: bool = True) -> Run:
        return Run("part" if self._reader else "unknown", data, self._reader, begins, self._host)

    def _look_at_prompt(self, line: bytes) -> None:
        prompt = _HOST_PROMPT.match(line)
        host = host_name(decode_text(prompt[1])) if prompt else ""
        if host:
            self._prompted = self._named[short_name(host)] = host
            self._is_named = True
        elif bare := _BARE_PROMPT.match(line):
            self._look_at_bare_prompt(decode_text(bare[1]))
        if _HOP.match(line):
            self._prompted, self._is_named = ASKED, True
            if target := _WENT_TO.search(line):
                name = decode_text(target[1])
                self._named.setdefault(short_name(name), host_name(name) or ASKED)

    def _look_at_bare_prompt(self, word: str) -> None:
        """``db01#`` names the host that somebody went to, or that was named before; in a text of such prompts alone
        each that looks like a host; beside one that a prompt with a user names nobody can say whose it is."""
        if _NO_HOST.fullmatch(word):
            return
        if short_name(word) not in self._named:
            self._named[short_name(word)] = ASKED if self._is_named else _bare_host(word)
        self._prompted = self._named[short_name(word)]

    def _host_of(self, section: _Section, goes_on: bool) -> str:
        """Args: goes_on: with the reader of the section before, and without a prompt or a heading above it."""
        banner = _HOST_BANNER.search(section.body[:_PREFIX_BYTES])
        if banner is None:
            return self._host if goes_on else self._prompted
        host = host_name(decode_text(banner["linux"] or banner["uname"] or banner["unix"]))
        return host if self._prompted in ("", ASKED) or short_name(host) == short_name(self._prompted) else ASKED

    def _decided(self, section: _Section, goes_on: bool) -> _Decision:
        key = (section.form(), self._last, self._reader if goes_on else "")
        if key not in self._decisions:
            if len(self._decisions) >= MOST_FORMS:
                self._asked_enough = True
                return _Decision(self._reader)
            reader = self._ask(section) or key[2]
            self._decisions[key] = _Decision(reader, bool(reader) and self._reads_mark(section, reader))
        return self._decisions[key]

    def _ask(self, section: _Section) -> str:
        """The id of the reader that knows a section by what stands in it; empty where nobody does."""
        body = _first_lines(section.body, _HEAD_BYTES)
        last = self._entries.get(self._last)
        data, left_out = self._adds(last, section.line + body) if last else (0, 0)
        if data and left_out <= bool(section.line):
            return self._last
        for text in dict.fromkeys((section.line + body, body) if section.is_mark else (body,)):
            for reading in (text, without_line_stamps(text)):
                best = self._plugins.surest_by_signs(reading) if reading else None
                if best is None or best.confidence < CERTAIN:
                    continue
                others_data, others_left_out = _counts(best.entry, reading)
                if others_data and (not data or others_left_out <= section.is_mark):
                    self._entries[best.entry.id] = best.entry
                    return best.entry.id
        return self._last if data else ""

    def _reads_mark(self, section: _Section, reader: str) -> bool:
        """Whether the line before the section is the reader's own after all (``#      Time   UID``), or tells it the
        host, or what it would have to ask for (``# vmstat 5``)."""
        if not section.is_mark:
            return False
        entry, body = self._entries[reader], _first_lines(section.body, _HEAD_BYTES)
        with_mark, without = _read(entry, section.line + body), _read(entry, body)
        tells = {*with_mark.needs} < {*without.needs} or with_mark.hostname != without.hostname
        return tells or with_mark.lines.skipped <= without.lines.skipped

    def _adds(self, entry: ParserEntry, text: bytes) -> tuple[int, int]:
        """Lines of data and lines left out that a reader finds in a text below the beginning of its last section."""
        before = (entry.id, self._prefix)
        if before not in self._counts:
            self._counts[before] = _counts(entry, self._prefix) if self._prefix else (0, 0)
        data, left_out = self._counts[before]
        whole_data, whole_left_out = _counts(entry, self._prefix + text)
        return max(0, whole_data - data), max(0, whole_left_out - left_out)


def _bare_host(word: str) -> str:
    """A number or a domain makes a host of a word; else it may be the name of a person who logged in."""
    return host_name(word) if re.search(r"[\d.-]", word) and not _PERSON.match(word) else ""


def _cuts(pieces: Iterable[bytes]) -> Iterator[tuple[str, bytes]]:
    """Whole lines, and with what the section begins that begins with them (`_boundaries`); empty where none does. What
    a line begins is told by what stands below it: the last one waits for the next piece."""
    above, waiting = b"\n", b""
    for piece in chain(whole_lines(pieces), (b"",)):
        text = waiting + piece
        end = len(text) if not piece else _last_line(text)
        at, begins_with = 0, ""
        for start, kind in _boundaries(text, above):
            if start >= end:
                break
            if start > at:
                yield begins_with, text[at:start]
            at, begins_with = max(start, 0), kind
        if at < end:
            yield begins_with, text[at:end]
        above, waiting = (above + text[:end])[-_FORM_BYTES:], text[end:]


def _last_line(text: bytes) -> int:
    """Where the last line that is not blank begins; behind it where it is endless."""
    start = text.rfind(b"\n", 0, len(text.rstrip())) + 1
    return start if len(text) - start <= _LONGEST_LINE else len(text)


def _first_lines(text: bytes, most: int) -> bytes:
    return text if len(text) <= most else text[: text.rfind(b"\n", 0, most) + 1] or text[:most]


def _read(entry: ParserEntry, text: bytes) -> Ledger:
    """What a reader makes of a text; one that fails leaves all of it out."""
    try:
        parser = entry.create(ParseContext())
        for _ in parser.feed(text):
            continue
        for _ in parser.finish():
            continue
        return parser.ledger()
    except PluginError:
        lines = text.count(b"\n")
        return Ledger(lines=LineCounts(lines, skipped=lines))


def _counts(entry: ParserEntry, text: bytes) -> tuple[int, int]:
    """Lines of data, and lines left out."""
    lines = _read(entry, text).lines
    return lines.data, lines.skipped


def _add_unknown(account: Account, run: Run) -> None:
    """Adds lines of a section that no reader knows: as a new entry where they begin it, else to its entry."""
    lines = run.data.removesuffix(b"\n").split(b"\n")
    filled = [(number, line) for number, line in enumerate(lines, account.total + 1) if line.strip()]
    account.blank += len(lines) - len(filled)
    if not filled:
        return
    named = SkippedLines(
        "unknown_section", len(filled), filled[0][0], decode_text(filled[0][1]).strip()[:EXAMPLE_LENGTH]
    )
    if account.more is not None:
        account.more = replace(account.more, count=account.more.count + named.count)
    elif run.begins and len(account.unknown) == MOST_NAMED:
        account.more = replace(named, reason="more_unknown_sections")
    elif run.begins or not account.unknown:
        account.unknown.append(named)
    else:
        account.unknown[-1] = replace(account.unknown[-1], count=account.unknown[-1].count + named.count)
