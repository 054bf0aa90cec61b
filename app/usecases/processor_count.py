"""How many processors a host has, as its captures tell: inventories, lists of single processors, banners."""

from __future__ import annotations

import re

from app.sdk.text import decode_text
from app.store import artefacts, captured_columns
from app.store.project import Project

_COUNT_FACTS = ("CPU(s)", "lcpu", "Online Virtual CPUs", "processors", "ncpu", "hw.ncpu", "Number Of Processors")
_BANNER = re.compile(r"\((\d+) ?(?:CPU|lcpu)s?\)|\blcpu=(\d+)")
_BANNER_LINES = 6


def processors(project: Project, host_id: int) -> int | None:
    """The last word of the surest source; None where no capture tells."""
    return _of_facts(project, host_id) or _of_columns(project, host_id) or _of_banners(project, host_id)


def _of_facts(project: Project, host_id: int) -> int | None:
    told = {name: value for _, _, _, name, value in captured_columns.size_facts(project, host_id)}
    counts = [told[name].strip() for name in _COUNT_FACTS if name in told]
    return next((int(count) for count in counts if count.isdigit() and int(count)), None)


def _of_columns(project: Project, host_id: int) -> int | None:
    listed: dict[int, set[str]] = {}
    for column in captured_columns.columns_of_host(project, host_id):
        if column.cpu.isdigit():
            listed.setdefault(column.artefact_id, set()).add(column.cpu)
    return len(listed[max(listed)]) if listed else None


def _of_banners(project: Project, host_id: int) -> int | None:
    told = [(start_ns, words) for start_ns, _, words in captured_columns.restart_words(project, host_id)]
    for each in artefacts.list_artefacts(project):
        if each.host_id == host_id and each.ledger.first_ns is not None:
            head = artefacts.artefact_lines(project, each.id, 1, _BANNER_LINES)
            told.append((each.ledger.first_ns, decode_text(b" ".join(head))))
    for _, words in sorted(told, reverse=True):
        count = _BANNER.search(words)
        if count is not None:
            return int(count.group(1) or count.group(2)) or None
    return None
