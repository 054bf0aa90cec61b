"""Parser of what somebody mailed of a Solaris host's configuration: one command's output, or several in one file.

    root@svrdb1 # fstyp -v /dev/rdsk/c0t0d0s0 | grep maxcontig
    maxcontig 6     rotdelay 0ms    rps     120
    root@svrdb1 # echo "lotsfree/E" | mdb -k | sed '/:$/d'
    lotsfree:       32064
    * /etc/system, with comments of its own
    set ncsize=32768

prtdiag, prtconf, fstyp -v, mdb -k and adb -k, /etc/system, psrinfo, sysdef -i, uname -a, swap, iostat -E. A prompt
with the command, or the first line of an output, tells which one follows. The readers are those of the house's own
inventory, so that the facts bear the same names. A command whose output stands there twice counts as the last time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tunebench.families.readings import Reading, facts_of
from tunebench.families.runs import text_of_head
from tunebench.sdk import ParseContext, Round, StampedParser, SystemFact, body_lines, decode_text, lazy_pattern

from .kinds import OF_OTHER_PARSERS, SECTIONS, Kind, beginning_of, read_prompt, readings_of

_UNAME = lazy_pattern(r"^SunOS (?P<host>\S+) (?P<version>5\.\d+) ")
_OF_ONE_LINE = frozenset({"uname"})
_CERTAIN, _AMONG_OTHERS = 0.9, 0.6


class ConfigurationParser(StampedParser):
    """See the module."""

    tool, os = "configuration", "sunos"
    timeless = True

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self._readings: dict[Kind, tuple[Reading, ...]] = {}

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:  # noqa: ARG004  the text alone decides
        """Surest where the first line belongs to a known output; swap and iostat -E alone have their own parsers."""
        lines = [decode_text(line) for line in body_lines(text_of_head(head))]
        if any(line.startswith("@section ") for line in lines) or _is_foreign(lines):
            return 0.0
        places = {index: tool for index in range(len(lines)) if (tool := beginning_of(lines, index))}
        own = [index for index, tool in places.items() if tool not in OF_OTHER_PARSERS]
        if not own:
            return 0.0
        before = [line for line in lines[: min(own)] if read_prompt(line) is None]
        return _CERTAIN if len(before) <= 3 else _AMONG_OTHERS if len(before) <= 20 else 0.2

    def facts(self) -> Sequence[SystemFact]:
        parts = self._readings.items()
        return facts_of((SECTIONS[kind.tool], one) for kind, readings in parts for one in readings)

    def read_round(self, one: Round) -> None:
        texts = [decode_text(line) for _, line in one.lines]
        kind: Kind | None = None
        own: list[str] = []
        for index, (number, line) in enumerate(one.lines):
            begun = self._begin(texts, index, kind)
            if begun is not kind:
                self._close(kind, own)
                kind, own = begun, []
            if b"\0" in line or kind is None or not kind.tool or read_prompt(texts[index]) is not None:
                self.skip_line(number, line, "wrapper" if read_prompt(texts[index]) is not None else "not_a_table")
            else:
                own.append(texts[index])
                self.book.data()
        self._close(kind, own)

    def _begin(self, texts: Sequence[str], index: int, kind: Kind | None) -> Kind | None:
        """The kind whose output line `index` is part of."""
        prompt = read_prompt(texts[index])
        if prompt is not None:
            self.book.hostname = self.book.hostname or prompt.host
            return prompt
        begun = beginning_of(texts, index)
        if not begun and kind is not None and kind.tool in _OF_ONE_LINE:
            return None
        if not begun or (kind is not None and begun == kind.tool):
            return kind
        return Kind(begun)

    def _close(self, kind: Kind | None, lines: Sequence[str]) -> None:
        if kind is None or not kind.tool or not lines:
            return
        if kind.tool == "uname" and (match := _UNAME.match(lines[0])) is not None:
            self.book.hostname, self.book.os_version = match["host"], match["version"]
        kept = Kind(kind.tool, kind.device)
        before = self._readings.pop(kept, ())
        self._readings[kept] = (*self._of_others(before, kind), *readings_of(kind, lines))
        tools = {one.tool for one in self._readings} - (_OF_ONE_LINE if len(self._readings) > 1 else set())
        self.book.tool = tools.pop() if len(tools) == 1 else self.tool

    @staticmethod
    def _of_others(before: tuple[Reading, ...], kind: Kind) -> Iterator[Reading]:
        """mdb is asked one symbol after the other: its answers add up."""
        return iter(before if kind.tool == "mdb" else ())


def _is_foreign(lines: Sequence[str]) -> bool:
    return any(line.startswith(("Linux ", "AIX ", "HP-UX ", "System configuration:")) for line in lines[:20])
