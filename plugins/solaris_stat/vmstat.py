"""Parser of Solaris vmstat.

    kthr      memory            page            disk          faults      cpu
    r b w   swap  free  re  mf pi po fr de sr s0 s1 s2 --   in   sy   cs us sy id     plain
    r b w   swap  free  si  so pi po fr de sr s0 s1 s2 s3   in   sy   cs us sy id     -S
    swap  free  re  mf  fr  de  sr  epi  epo  epf  api  apo  apf  fpi  fpo  fpf       -p

Up to Solaris 8 the first word is procs. Mail programs and web pages break the long lines: then heading
and rows go on in the next line, and are put together again by counting. The first row is an average
since boot.
"""

from __future__ import annotations

from collections.abc import Iterable

from tunebench.sdk import ParseContext, SampleBatch, TableBuilder, lazy_pattern, record

from .capture import SolarisParser
from .sniffing import sniff_vmstat
from .wrappers import read_date_line

_GROUP_WORDS = frozenset(
    {"kthr", "procs", "memory", "page", "disk", "faults", "cpu", "executable", "anonymous", "filesystem"}
)
_BEGINNINGS = (["r", "b", "w", "swap", "free"], ["swap", "free", "re", "mf"])
_LAST_WORDS = frozenset({"id", "fpf"})
_NO_DISK = "--"
_HEADING_WORD = lazy_pattern(r"[a-z]{1,4}\d{0,3}|--")
_FIGURES = b"0123456789- \t"  # what a row is made of; an empty slot's cell may be --
_PAGE = 18  # rows between two headings of one run, at least: REPRINT in vmstat.c is 19, a first page may have one less


@record(frozen=False)
class _Columns:
    """Which cells are kept, and what they are called. A ``--`` column is an empty slot: there is no disk."""

    count: int
    kept: list[int]
    builder: TableBuilder


class VmstatParser(SolarisParser[_Columns]):
    """See the module."""

    tool = "vmstat"

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self._known: dict[tuple[str, ...], _Columns] = {}
        self._heading: list[str] = []  # of a broken heading, so far
        self._cells: list[bytes] = []  # of a broken row, so far
        self._pieces: list[tuple[int, bytes]] = []  # the lines they stood on
        self._rest = 0  # cells in the last line of a heading or row that was broken in several
        self._lost_line = 0  # of the damaged row that may go on
        self._rows_since_heading: int | None = None

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:  # noqa: ARG004  the text alone decides
        return sniff_vmstat(head)

    def close_tables(self) -> Iterable[SampleBatch]:
        self._drop_pieces("truncated")
        return super().close_tables()

    # -- rows ------------------------------------------------------------------------------------

    def _take_row(self, number: int, text: bytes) -> bool:
        if self._go_on_with_heading(text):
            return True
        columns = self._layout
        if columns is None or text.translate(None, _FIGURES):
            return False
        cells = text.split()
        if not self._cells and len(cells) == 1 and read_date_line(text) is not None:
            return False
        if len(self._cells) + len(cells) > columns.count:
            self._lose_pieces()
        if number == self._lost_line + 1 and len(cells) == (self._rest or min(len(cells), columns.count - 1)):
            self.book.skip("unreadable_numbers", number, text)  # the rest of the damaged row above
            return True
        self._cells += cells
        self._pieces.append((number, text))
        if len(self._cells) > columns.count:
            self._lose_pieces()
        elif len(self._cells) == columns.count:
            self._put_row(columns)
        return True

    def _put_row(self, columns: _Columns) -> None:
        time_ns, since_boot = self._clock.next_block()
        tail = b" ".join([self._cells[index] for index in columns.kept])
        columns.builder.row(time_ns, self._pieces[0][0], b"", tail, since_boot)
        self.book.data(len(self._pieces))
        if len(self._pieces) > 1:
            self._rest = len(self._pieces[-1][1].split())
        self._cells, self._pieces = [], []
        self._rows_since_heading = (self._rows_since_heading or 0) + 1

    def _lose_row(self, number: int, text: bytes) -> None:
        self._clock.next_block()
        self._lost_line = number
        self.book.skip("unreadable_numbers", number, text)

    def _lose_pieces(self) -> None:
        """The row that was begun is never finished, and keeps the time it took."""
        if self._pieces:
            self._clock.next_block()
        self._drop_pieces("unreadable_numbers")

    def _drop_pieces(self, reason: str) -> None:
        """The row that was begun is never finished."""
        for number, text in self._pieces:
            self.book.skip(reason, number, text)
        self._cells, self._pieces = [], []

    # -- headings and all other lines ------------------------------------------------------------

    def _go_on_with_heading(self, text: bytes) -> bool:
        """The next line of a heading that was broken: ``cs    us  sy  id``."""
        if not self._heading:
            return False
        words = text.decode("ascii", "replace").split()
        if not all(_HEADING_WORD.fullmatch(word) for word in words) or len(words) > 12:
            self._heading = []
            return False
        self._take_heading_words(words)
        self._rest = len(words)
        self.book.header()
        return True

    def _take_other(self, number: int, text: bytes) -> None:
        is_rest = bool(self._pieces) and text[:1].isdigit()
        self._lose_pieces()
        if is_rest:
            self.book.skip("unreadable_numbers", number, text)
        else:
            super()._take_other(number, text)

    def _begin_run(self) -> None:
        super()._begin_run()
        self._rows_since_heading = None

    def _take_heading(self, number: int, text: bytes) -> bool:
        words = text.decode("ascii", "replace").split()
        if any(words[: len(start)] == start for start in _BEGINNINGS):
            self._begin_heading(words)
        elif not set(words) <= _GROUP_WORDS:
            return False
        self.book.header()
        return True

    def _begin_heading(self, words: list[str]) -> None:
        """A heading sooner than a page after the last one begins another run (``vmstat 1 2`` in a loop)."""
        rows = self._rows_since_heading
        if rows is not None and (self._layout is None or rows < _PAGE):
            self._clock.new_run()
        self._rows_since_heading = 0
        self._layout = None
        self._take_heading_words(words)

    def _take_heading_words(self, words: list[str]) -> None:
        self._heading += words
        if self._heading[-1] in _LAST_WORDS:
            self._layout = self._columns_of(tuple(self._heading))
            self._heading = []

    def _columns_of(self, words: tuple[str, ...]) -> _Columns:
        columns = self._known.get(words)
        if columns is None:
            kept = [index for index, word in enumerate(words) if word != _NO_DISK]
            named = _name_columns(words)
            builder = TableBuilder(
                "vmstat_p" if words[0] == "swap" else "vmstat",
                [named[index][0] for index in kept],
                None,
                self.book,
                [named[index][1] for index in kept],
            )
            columns = self._known[words] = _Columns(len(words), kept, builder)
        self.book.variant = "-p" if words[0] == "swap" else "-S" if "so" in words else ""
        return columns

    def _flush(self, final: bool) -> list[SampleBatch]:
        return [batch for columns in self._known.values() for batch in columns.builder.flush(final)]


def _name_columns(words: tuple[str, ...]) -> list[tuple[str, tuple[tuple[str, str], ...]]]:
    """Per column its native name and attributes.

    What stands between ``sr`` and ``in`` are disks, cut to two characters (``s2 s2 s2 s2``): they become
    ``disk`` with the device ``s2``, ``s2#2`` ... The two ``sy`` are told apart by their group.
    """
    disks_from = words.index("sr") + 1 if "sr" in words else len(words)
    faults = words.index("in", disks_from) if "in" in words[disks_from:] else len(words)
    if faults == len(words):
        disks_from = faults
    seen: dict[str, int] = {}
    named: list[tuple[str, tuple[tuple[str, str], ...]]] = []
    for index, word in enumerate(words):
        if disks_from <= index < faults:
            seen[word] = seen.get(word, 0) + 1
            name = word if seen[word] == 1 else f"{word}#{seen[word]}"
            named.append(("disk", (("device", name),)))
        elif word == "sy":
            named.append((word, (("group", "faults" if index < faults + 3 else "cpu"),)))
        else:
            named.append((word, ()))
    return named
