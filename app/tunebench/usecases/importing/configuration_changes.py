"""What changed on a host from one capture to the next: processors, memory, devices, versions of tools."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from tunebench.core.grouping import by_key
from tunebench.core.patterns import lazy_pattern
from tunebench.core.records import record
from tunebench.domain.engagement import CaptureEvent, EventKind
from tunebench.store.artefacts import ArtefactInfo
from tunebench.store.captured_columns import CapturedColumn

ARROW = " → "
_CPUS = lazy_pattern(r"\((\d+) ?(?:CPU|lcpu)s?\)|lcpu=(\d+)")
_BANNER_MEMORY = lazy_pattern(r"\bmem=(\d+ ?[MGT]B)")
_CPU_FACTS = frozenset(
    {"CPU(s)", "lcpu", "Online Virtual CPUs", "processors", "ncpu", "hw.ncpu", "Number Of Processors"}
)
_MEMORY_FACTS = frozenset(
    {
        "MemTotal",
        "Mem: total",
        "Memory size",
        "size",
        "realmem",
        "hw.physmem",
        "Memory Size",
        "Good Memory Size",
        "Online Memory",
    }
)
_DAY_NS = 86_400 * 1_000_000_000


@record
class _State:
    """What one capture states of one property of its host, from `start_ns` on."""

    start_ns: int
    artefact_id: int
    value: str


Events = dict[int, list[CaptureEvent]]


def changes(
    artefacts: Sequence[ArtefactInfo],
    columns: Sequence[CapturedColumn],
    restarts: Iterable[tuple[int, int, str]],
    facts: Iterable[tuple[int, int, str, str, str]],
) -> Events:
    """Capture -> what differs there from the host's capture before it; each change once, where it is seen first.

    Args:
        restarts: (time, capture, words) of restart marks, and of the lines with which captures begin.
    """
    events: list[tuple[int, CaptureEvent]] = []
    marks = list(restarts)
    for kind, sources in (
        (EventKind.CPU_COUNT, [_stated(marks, _CPUS), *_cpu_columns(columns), *_facts(facts, _CPU_FACTS, "cpu")]),
        (EventKind.MEMORY_SIZE, [_stated(marks, _BANNER_MEMORY), *_facts(facts, _MEMORY_FACTS, "mem")]),
        (EventKind.TOOL_VERSION, [*_versions(artefacts)]),
    ):
        for states in sources:
            events += [
                (state.artefact_id, CaptureEvent(kind, state.start_ns, None, words)) for state, words in _steps(states)
            ]
    events += _devices(columns)
    return _each_once(events)


def _steps(states: Sequence[_State]) -> Iterator[tuple[_State, str]]:
    last = ""
    for state in sorted(states, key=lambda own: own.start_ns):
        if last and state.value != last:
            yield state, f"{last}{ARROW}{state.value}"
        last = state.value


def _stated(words: Iterable[tuple[int, int, str]], pattern: re.Pattern[str]) -> list[_State]:
    """What banners and restart marks say: ``(2 CPU)``, ``lcpu=8 mem=16384MB``."""
    return [
        _State(start_ns, artefact_id, next(filter(None, match.groups())))
        for start_ns, artefact_id, text in words
        if (match := pattern.search(text))
    ]


def _cpu_columns(columns: Sequence[CapturedColumn]) -> Iterator[list[_State]]:
    """How many processors each capture of a tool lists; one whose columns come and go tells nothing."""
    seen: dict[tuple[str, str], dict[int, tuple[int, set[str]]]] = {}
    for column in columns:
        if column.cpu.isdigit():
            own = seen.setdefault((column.tool, column.table), {})
            own.setdefault(column.artefact_id, (column.first_ns, set()))[1].add(column.cpu)
    for captures in seen.values():
        yield [_State(first, artefact_id, str(len(cpus))) for artefact_id, (first, cpus) in captures.items()]


def _facts(
    facts: Iterable[tuple[int, int, str, str, str]], wanted: frozenset[str], section: str
) -> Iterable[list[_State]]:
    by_name = by_key(
        ((where, name), _State(moment, artefact_id, value))
        for moment, artefact_id, where, name, value in facts
        if name in wanted and (name != "size" or section in where.lower())
    )
    return by_name.values()


def _versions(artefacts: Sequence[ArtefactInfo]) -> Iterable[list[_State]]:
    ledgers = ((capture.id, capture.ledger) for capture in artefacts)
    by_tool = by_key(
        (ledger.tool, _State(ledger.first_ns, id_, f"{ledger.tool} {ledger.tool_version}"))
        for id_, ledger in ledgers
        if ledger.tool and ledger.tool_version and ledger.first_ns is not None
    )
    return by_tool.values()


def _devices(columns: Sequence[CapturedColumn]) -> Iterator[tuple[int, CaptureEvent]]:
    """Devices that one capture of a table lists and its neighbour does not.

    A tool that leaves idle devices out (``iostat -z``) says nothing by leaving one out: its columns have holes.
    """
    for listed in by_key(((column.tool, column.table), column) for column in columns if column.thing).values():
        captures = by_key((column.artefact_id, column) for column in listed)
        ordered = sorted(captures.values(), key=lambda own: own[0].first_ns)
        for earlier, later in pairwise(ordered):
            if any(column.missing for column in (*earlier, *later)) or later[0].first_ns <= earlier[0].last_ns:
                continue
            before, after = {column.thing for column in earlier}, {column.thing for column in later}
            for kind, things in ((EventKind.DEVICE_ADDED, after - before), (EventKind.DEVICE_REMOVED, before - after)):
                if things:
                    words = ", ".join(sorted(things))
                    yield later[0].artefact_id, CaptureEvent(kind, later[0].first_ns, None, words)


def _each_once(changed: Sequence[tuple[int, CaptureEvent]]) -> Events:
    """Capture -> its changes: one that several tools see is where it was seen first, once within a day."""
    last: dict[tuple[EventKind, str], int] = {}
    events: Events = {}
    for artefact_id, event in sorted(changed, key=lambda pair: pair[1].start_ns):
        key = (event.kind, event.text)
        if event.start_ns - last.get(key, -_DAY_NS - 1) > _DAY_NS:
            events.setdefault(artefact_id, []).append(event)
            last[key] = event.start_ns
    return events


def merged(*parts: Mapping[int, Sequence[CaptureEvent]]) -> Events:
    return by_key((artefact_id, event) for part in parts for artefact_id, own in part.items() for event in own)
