"""Parser of AIX iostat: terminals and processors, disks, adapters, file systems, the whole system.

    System configuration: lcpu=8 drives=3 ent=0.40 paths=2 vdisks=2

    tty:      tin         tout    avg-cpu: % user % sys % idle % iowait physc % entc
              0.0          0.8                0.0   0.1   99.9      0.0   0.0    1.6

    Disks:         % tm_act     Kbps      tps    Kb_read   Kb_wrtn  time
    hdisk11           0.0       0.8       0.1     919576  14296158  11:44:31         -T: the time of each row

    System: db1                                                                      -s
                               Kbps      tps    Kb_read   Kb_wrtn
          Physical             0.0       0.0          0         0
    Adapter:                   Kbps      tps    Kb_read   Kb_wrtn                    -a
    scsi0                       4.0       1.0          0         4
    FS Name:         % tm_act     Kbps      tps    Kb_read   Kb_wrtn                 -f, -F
    /oradata             -       12.0       3.0          4        20

A heading's ``%`` belongs to the word after it. physc and % entc stand there for shared processors only. Kb_read
and Kb_wrtn are totals of the interval. The first block of a run is an average since boot. -D is another parser.
"""

from __future__ import annotations

from tunebench.families.page_reading import Scan
from tunebench.families.runs import text_of_head, time_of_day_s
from tunebench.sdk import ParseContext, TableBuilder, decode_text, record

from .capture import FIGURES, DiskParser
from .sniffing import sniff_iostat

_TABLE_OF_LABEL = {
    "Disks": "device",
    "Tapes": "tape",
    "Adapter": "adapter",
    "Vadapter": "vadapter",
    "Paths": "path",
    "Paths/Disks": "path",
    "Path": "path",
    "FS Name": "filesystem",
    "System": "system_io",
}
_KNOWN = frozenset({"tm_act", "% tm_act", "Kbps", "tps", "tin", "% user"})
_LEADERS = frozenset({"tty", "aio", "System"})
_MESSAGES = (b"Disk history since boot not available", b"Drive Not Found", b"The interval level")


@record(frozen=False)
class _Heading:
    """`label` is what stands before the colon; `keyed` where rows begin with a name."""

    label: str
    table: TableBuilder
    count: int
    keyed: bool


class IostatParser(DiskParser):
    """One `TableBuilder` per heading; rows of one block share one time."""

    tool = "iostat"
    leaders = _LEADERS

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self._heading: _Heading | None = None
        self._disk = b""  # whose paths follow (-m)

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:  # noqa: ARG004  the text alone decides
        return sniff_iostat(text_of_head(head))

    def begin_run(self) -> None:
        self._heading = None

    def configuration_line(self) -> None:
        """iostat says it once at its start: what follows is a new run."""
        self._new_run()

    def take_line(self, number: int, text: bytes) -> bool:
        heading = self._heading
        if heading is not None and self._take_row(number, text, heading):
            return True
        if text.lstrip().startswith(_MESSAGES) or text.endswith(_MESSAGES):
            self.book.skip("message", number, text)
            return True
        return self._take_heading(text)

    # -- rows ------------------------------------------------------------------------------------

    def _take_row(self, number: int, text: bytes, heading: _Heading) -> bool:
        cells = text.split()
        tod_s = time_of_day_s(cells[-1])
        tail = text
        if tod_s is not None and len(cells) > 1:
            cells.pop()
            tail = text[:-8]
        name = b""
        if heading.keyed:
            if len(cells) <= heading.count:
                return self._take_odd_row(number, text, cells[1:])
            if len(cells) == heading.count + 1:
                name, tail = tail.split(None, 1)
            else:
                name, tail = b" ".join(cells[: -heading.count]), b" ".join(cells[-heading.count :])
                if not name.startswith(b"/"):  # only mount points have blanks
                    return False
            cells = cells[-heading.count :]
        if tail.translate(None, FIGURES):
            return False
        if len(cells) != heading.count or self.is_cut_off(number, text, heading.label):
            return self._take_odd_row(number, text, cells)
        self._put(number, heading, name, tail, tod_s)
        if heading.label == "Disks":
            self.know_rows(heading.label, heading.table, b"" if tod_s is None else text.split()[-1])
        return True

    def _take_odd_row(self, number: int, text: bytes, cells: list[bytes]) -> bool:
        if not cells or b"".join(cells).translate(None, FIGURES):
            return False
        self.skip_row(number, text)
        return True

    def _put(self, number: int, heading: _Heading, name: bytes, tail: bytes, tod_s: int | None) -> None:
        if heading.label == "Paths":
            name = self._disk + b"/" + name
        elif heading.label == "Disks":
            self._disk = name
        self.put(number, heading.label, heading.table, name, tail, tod_s)
        self.book.data()

    def take_scan(self, scan: Scan) -> None:
        super().take_scan(scan)
        for rows in scan.rows:
            self._disk = list(rows.table.names)[rows.keys[-1]]

    # -- headings --------------------------------------------------------------------------------

    def _take_heading(self, text: bytes) -> bool:
        label, words = _split_label(decode_text(text).split())
        if label == "System" and len(words) == 1:
            self.book.hostname = self.book.hostname or words[0]
            self.book.header()
            return True
        words = _in_english(_join_percent([word for word in words if not word.endswith(":")]))
        if not _KNOWN & set(words):
            return False
        if words[-1] == "time":
            words = words[:-1]
        if not label.isascii():  # a translated one
            label = "tty" if "tin" in words else "Disks" if "% tm_act" in words else "Adapter"
        self._begin(label, words)
        self.book.header()
        return True

    def _begin(self, label: str, words: list[str]) -> None:
        if label in ("tty", "aio"):
            table, key = "system", None
        elif not label:
            label, table, key = "System", "system_io", "group"
        else:
            table = _TABLE_OF_LABEL.get(label, label.lower())
            key = "mountpoint" if table == "filesystem" else "device"
        if label in _LEADERS and label in self._of_block:
            self.end_block()
        self._heading = _Heading(label, self.table(table, words, key), len(words), key is not None)
        if label == "Disks":
            self.expect_rows(label, self._heading.table)
        self.book.variant = {"system_io": "-s", "adapter": "-a"}.get(table, self.book.variant)


def _split_label(words: list[str]) -> tuple[str, list[str]]:
    """``Disks:`` and ``FS Name:`` in front of a heading, without the colon."""
    for index in (0, 1):
        if len(words) > index and words[index].endswith(":") and words[index] != "avg-cpu:":
            return " ".join(words[: index + 1])[:-1], words[index + 1 :]
    return "", words


def _in_english(words: list[str]) -> list[str]:
    """The shares of the processor are in their order where the heading is a translation."""
    shares = iter(("% user", "% sys", "% idle", "% iowait"))
    return (
        words
        if all(word.isascii() for word in words)
        else [next(shares, word) if word.startswith("%") and "tin" in words else word for word in words]
    )


def _join_percent(words: list[str]) -> list[str]:
    """``% tm_act`` is one heading."""
    joined: list[str] = []
    for word in words:
        if joined and joined[-1] == "%":
            joined[-1] = f"% {word}"
        else:
            joined.append(word)
    return joined
