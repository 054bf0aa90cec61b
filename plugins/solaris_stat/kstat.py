"""Parser of Solaris kstat, with -p or without, with an interval and -T u or -T d as well.

    unix:0:system_pages:freemem     36485                 module:instance:name:statistic, a tab, the value
    unix:0:dnlcstats:hits   121367
    cpu_stat:4:cpu_stat4:syscall    3182911
    sderr:0:sd0,err:Hard Errors     0
    sd:0:sd0:nread  8812544000
    cpu_info:0:cpu_info0:brand      SPARC-S7              words become facts
                                                          an empty line ends a round
    module: unix                            instance: 0                       without -p
    name:   dnlcstats                       class:    misc
            hits                            121367

A table for what is one of its kind (``unix:dnlcstats``), else one per module with the device or processor as its
key. Counters stand under the words kstat prints; beside them the table ``<table>/s`` has their rise per second
(``hits/s``). ``cache hits`` is worked out from hits and misses, in both: since boot, and of the interval. A gap,
a restart or a counter that fell gives no rate.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import field

from tunebench.families.readings import Reading, facts_of
from tunebench.sdk import (
    CounterSteps,
    ParseContext,
    Round,
    RoundStamp,
    StampedParser,
    SystemFact,
    decode_text,
    lazy_pattern,
    record,
)

from .kstat_names import CLOCK, OF_THE_MOMENT, RATIO_OF_HITS, Place, is_counter, is_words, place_of, words_place
from .sniffing import sniff_kstat
from .wrappers import read_command, read_date_line, stamp_of

_LINE = lazy_pattern(
    rb"^(?P<module>[A-Za-z_][\w.-]*):(?P<instance>\d+):(?P<name>[^:\t]{1,63}):(?P<statistic>[^\t]{1,63}?)"
    rb"(?:\t(?P<value>.*))?$"
)
_FLOAT = lazy_pattern(rb"^-?\d{1,24}(?:\.\d{1,12})?$")
_MODULE = lazy_pattern(rb"^module:\s+(?P<module>[A-Za-z_][\w.-]*)\s+instance:\s+(?P<instance>\d+)\s*$")
_NAME = lazy_pattern(rb"^name:\s+(?P<name>[^:\t]{1,63}?)\s+class:\s+\S+\s*$")
_ROW = lazy_pattern(rb"^\s+(?P<statistic>\S[^\t]{0,62}?)(?:\s{2,}|\t\s*)(?P<value>\S.*?)?\s*$")
_MOST_SERIES = 20_000
_MOST_WORDS = 5_000
_NAN = float("nan")


@record(frozen=False)
class _Thing:
    """What one round tells of one thing."""

    line: int
    values: dict[str, float] = field(default_factory=dict)


class LongForm:
    """Turns what kstat prints without -p into the lines of -p."""

    def __init__(self) -> None:
        self._module = self._kstat = b""

    def line(self, text: bytes) -> bytes | None:
        """The line as -p prints it; empty for a heading, None where it is no line of this form."""
        module, name = _MODULE.match(text), _NAME.match(text)
        if module is not None:
            self._module, self._kstat = module["module"] + b":" + module["instance"], b""
            return b""
        if name is not None and self._module:
            self._kstat = self._module + b":" + name["name"]
            return b""
        row = _ROW.match(text) if self._kstat else None
        return None if row is None else b"%s:%s\t%s" % (self._kstat, row["statistic"], row["value"] or b"")

    def kstat(self, text: bytes) -> bytes:
        """``unix:0:dnlcstats`` where the line is the heading that names it."""
        self.line(text)
        return self._kstat if text.startswith(b"name:") else b""


class KstatParser(StampedParser):
    """See the module."""

    tool, os = "kstat", "sunos"
    ends_lines = True

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self._long = LongForm()
        self._ahead = LongForm()  # of the lines that wait for their round
        self._first = b""
        self._headings: dict[tuple[str, str | None], dict[str, None]] = {}
        self._known: dict[bytes, tuple[Place, str]] = {}  # module:instance:name:statistic of the series
        self._passed_by: set[bytes] = set()  # the clocks and classes of kstats
        self._steps: dict[str, CounterSteps] = {}
        self._words: dict[tuple[str, str], str] = {}

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:  # noqa: ARG004  the text alone decides
        return sniff_kstat(head)

    def facts(self) -> Sequence[SystemFact]:
        return facts_of(
            (section, Reading(name, value, name.endswith(OF_THE_MOMENT)))
            for (section, name), value in self._words.items()
        )

    def begins_round(self, line: bytes) -> bool:
        """kstat prints in one order: the statistic that came first begins the next round."""
        if line.startswith((b"module:", b"name:")):
            name, waiting = self._ahead.kstat(line), 1  # the module's line is there already
        elif _LINE.match(line) is not None:
            name, waiting = line.partition(b"\t")[0], 0
        else:
            return False
        self._first = self._first or name
        return name != b"" and name == self._first and len(self.open_round) > waiting

    def other_stamp(self, line: bytes) -> RoundStamp | None:
        return None if b"\t" in line else stamp_of(line.strip())

    def read_round(self, one: Round) -> None:
        things: dict[Place, _Thing] = {}
        for number, line in one.lines:
            name, _, value = line.partition(b"\t")
            series = self._known.get(name)
            if name in self._passed_by:
                self.book.data()
            elif series is not None and _FLOAT.match(value):
                place, statistic = series
                things.setdefault(place, _Thing(number)).values[statistic] = float(value)
                self.book.data()
            else:
                self._take_line(number, line, things)
        for place, thing in things.items():
            self._put(one, place, thing)
        if any(steps.fell for steps in self._steps.values()):
            self.book.warn("counter_fell")

    def _take_line(self, number: int, line: bytes, things: dict[Place, _Thing]) -> None:
        """A line whose statistic was not met before, or is no number."""
        match = _LINE.match(line)
        if match is None and (short := self._long.line(line)) is not None:
            self.book.variant = "long"
            if short:
                self._take_line(number, short, things)
            else:
                self.book.header()
        elif match is None:
            text = line.strip()
            wrapper = read_command(text) is not None or read_date_line(text) is not None
            self.skip_line(number, line, "wrapper" if wrapper else "not_a_table")
        elif match["value"] is None:
            self.book.skip("truncated", number, line)
        elif not self._take_statistic(number, match, things):
            self.book.skip("too_many_series", number, line)
        else:
            self.book.variant = self.book.variant or "-p"
            self.book.data()

    def _take_statistic(self, number: int, match: re.Match[bytes], things: dict[Place, _Thing]) -> bool:
        """Reads one line; False where the capture has more series than are kept."""
        module, instance, name, statistic = map(decode_text, match.group("module", "instance", "name", "statistic"))
        value = match["value"].strip()
        if statistic in CLOCK:
            if len(self._passed_by) < 2 * _MOST_SERIES:
                self._passed_by.add(match.group().partition(b"\t")[0])
            return True
        if _FLOAT.match(value) is None or is_words(module, statistic):
            named = words_place(module, instance, name, statistic)
            if named in self._words or len(self._words) < _MOST_WORDS:
                self._words[named] = decode_text(value)
            return True
        if len(self._known) >= _MOST_SERIES:
            return False
        place = place_of(module, instance, name)
        self._known[match.group().partition(b"\t")[0]] = place, statistic
        things.setdefault(place, _Thing(number)).values[statistic] = float(value)
        return True

    def _put(self, one: Round, place: Place, thing: _Thing) -> None:
        headings = self._headings.setdefault((place.table, place.attribute), {})
        headings.update(dict.fromkeys(thing.values))
        names = tuple(headings)
        values = [thing.values.get(name, _NAN) for name in names]
        counted = tuple(name for name in names if is_counter(place.table, name))
        steps = self._steps.setdefault(place.table, CounterSteps())
        risen = steps.step(one, place.thing, [thing.values.get(name, _NAN) for name in counted])
        ratio = {"hits", "misses"} <= thing.values.keys() and {"hits", "misses"} <= set(counted)
        if ratio:
            names, values = (*names, RATIO_OF_HITS), [*values, _hits(thing.values["hits"], thing.values["misses"])]
        self.table(place.table, names, place.attribute).row(one.time_ns, thing.line, place.thing, values)
        if counted and risen is not None:
            self._put_rates(one, place, thing.line, dict(zip(counted, risen, strict=False)), ratio)

    def _put_rates(self, one: Round, place: Place, line: int, risen: dict[str, float], ratio: bool) -> None:
        names = tuple(f"{name}/s" for name in risen)
        rates = [step / one.seconds for step in risen.values()]
        if ratio:
            names, rates = (*names, RATIO_OF_HITS), [*rates, _hits(risen["hits"], risen["misses"])]
        self.table(f"{place.table}/s", names, place.attribute).row(one.time_ns, line, place.thing, rates)


def _hits(hits: float, misses: float) -> float:
    """Per cent; missing where nothing was looked up."""
    lookups = hits + misses
    return 100.0 * hits / lookups if lookups > 0 else _NAN
