"""Which of day and month stands first in a host's dates: proven by one capture, taken for those that leave it open.

``25/12/26`` can only be read one way; ``05/12/26`` beside it from the same host is most likely written likewise. What
was proven is kept with the project, so that a capture that is read again, or comes later, is read in the same way.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import astuple

from tunebench.capture.ingest import scout
from tunebench.capture.truths import Told, Truths
from tunebench.core.patterns import lazy_pattern
from tunebench.core.records import record
from tunebench.domain.ledger import Ledger
from tunebench.plughost.parser_entry import ParserEntry
from tunebench.sdk import ParseContext
from tunebench.store import artefacts, captured_columns
from tunebench.store.project import Project

_SUBJECT, _DAY_FIRST = "date_order", "dd/mm/yy"
_DATE = lazy_pattern(rb"(?<![\d/-])(\d{1,2})[/-](\d{1,2})[/-](?:\d{4}|\d\d)(?![\d/-])")
_MIDDLE = lazy_pattern(rb"[/-]\d{1,2}[/-]")
"""Stands in every date, and among numbers hardly ever: a digit may begin a date, and there are many."""
_PROPERTY = "date_order_"  # name of a property: + host id


@record
class ProvenOrder:
    """What a capture of a host shows; `sha256` and `name` are the capture's."""

    tool: str
    day_first: bool
    sha256: str
    name: str


def proven(entry: ParserEntry, head: bytes, context: ParseContext) -> bool | None:
    """Whether the day stands first in the dates that the parser reads in these first bytes; None: they do not tell.

    The parser is told the opposite and does not believe it where a number is no month.
    """
    for match in _dates_in(head):
        first, second = int(match[1]), int(match[2])
        if (first > 12) != (second > 12):
            day_first = first > 12
            opposed = ParseContext(
                context.file_name, context.path, context.modified_ns, context.zone, day_first=not day_first
            )
            return day_first if _order_in(scout(entry, head, opposed)) is day_first else None
    return None


def _dates_in(head: bytes) -> Iterator[re.Match[bytes]]:
    for middle in _MIDDLE.finditer(head):
        begins = (max(middle.start() - digits, 0) for digits in (2, 1))
        if match := next(filter(None, (_DATE.match(head, begin) for begin in begins)), None):
            yield match


def _order_in(ledger: Ledger) -> bool | None:
    return next(
        (assumption.value == _DAY_FIRST for assumption in ledger.assumptions if assumption.subject == _SUBJECT), None
    )


def is_open(ledger: Ledger) -> bool:
    """Whether a capture leaves the order of its dates open."""
    return any(assumption.subject == _SUBJECT and assumption.source == "default" for assumption in ledger.assumptions)


def keep(project: Project, host_id: int, orders: Iterable[ProvenOrder]) -> None:
    """Keeps one proof for each tool and order, which is enough."""
    before = _kept(project, host_id)
    kept = {(order.tool, order.day_first): order for order in (*orders, *_still_there(project, before))}
    if set(kept.values()) != set(before):
        words = json.dumps([astuple(order) for order in kept.values()], ensure_ascii=False)
        captured_columns.write_state(project, f"{_PROPERTY}{host_id}", words)


def told(project: Project, host_id: int, ledger: Ledger, truths: Truths, otherwise: Told) -> Told:
    """`otherwise`, with the order that other captures of the host prove where this one leaves it open.

    A capture of the same tool counts more than others: a tool may run under a locale of its own. Where captures
    disagree, nothing is proven.
    """
    if truths.day_first is not None or not is_open(ledger):
        return otherwise
    orders = _still_there(project, _kept(project, host_id))
    for wanted in ([order for order in orders if order.tool == ledger.tool], orders):
        if len({order.day_first for order in wanted}) == 1:
            return Told(interval_s=otherwise.interval_s, day_first=wanted[0].day_first, order_of=wanted[0].name)
        if wanted:
            break
    return otherwise


def _kept(project: Project, host_id: int) -> list[ProvenOrder]:
    words = captured_columns.read_state(project, f"{_PROPERTY}{host_id}")
    return [ProvenOrder(*fields) for fields in json.loads(words)] if words else []


def _still_there(project: Project, orders: list[ProvenOrder]) -> list[ProvenOrder]:
    """A capture that was removed proves nothing."""
    return [order for order in orders if artefacts.holds(project, order.sha256)]
