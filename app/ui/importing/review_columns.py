"""What the import review says of each file."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from zoneinfo import ZoneInfo

from app.ui.importing.capture_table import assumed_words
from app.ui.look.formats import DASH, format_interval, format_short_span, format_span, host_words
from app.ui.look.language import text
from app.ui.tables.model import Column
from app.usecases.importing.import_review import Reviewed

_OF_TIME = frozenset({"start", "date", "date_order"})


def columns(zone: ZoneInfo, common: str) -> list[Column[Reviewed]]:
    """`common`: the folder that all paths begin with, which says nothing here."""

    def column(id_: str, words: Callable[[Reviewed], str], **looks: Any) -> Column[Reviewed]:
        return Column(id_, f"ui.review.column.{id_}", words, **looks)

    def watched(*questions: str) -> Callable[[Reviewed], str]:
        return lambda row: "watch" if set(questions) & {*row.questions} else ""

    return [
        column("doubt", _doubt, sort=lambda row: row.doubt, tone=lambda row: "watch" if row.questions else "ok"),
        column("file", lambda row: row.path.removeprefix(common).lstrip("/\\"), tip=lambda row: row.path),
        column("tool", lambda row: row.ledger.tool or DASH),
        column(
            "host", lambda row: host_words(row.host) or DASH, tone=watched("host", "system", "overlap"), tip=_host_tip
        ),
        column("proposed", _proposed, tone=lambda _: "accent"),
        column("questions", _questions, tone=lambda _: "watch", tip=_questions),
        column("run", lambda row: row.run or DASH),
        column("phase", lambda row: text(f"ui.phase.{row.phase}") if row.phase else DASH, tone=watched("phase")),
        column("span", _span(zone), tone=watched(*_OF_TIME), tip=_whole_span(zone)),
        column("zone", lambda row: row.times.zone if row.times else DASH, tone=watched("zone")),
        column("interval", _interval, tone=watched("interval_s", "since_boot")),
        column("assumed", _assumed(", "), tone=lambda _: "muted", tip=_assumed("\n")),
    ]


def _doubt(row: Reviewed) -> str:
    return f"? {row.doubt * 100:.0f} %" if row.questions else "✓"


def _proposed(row: Reviewed) -> str:
    if row.proposal is None:
        return ""
    by = text(f"review.proposed_by.{row.proposal.by}")
    return text("ui.review.proposed", host=row.proposal.host, by=by)


def _host_tip(row: Reviewed) -> str:
    return text(f"ui.review.host_from.{row.host_from}")


def _span(zone: ZoneInfo) -> Callable[[Reviewed], str]:
    return lambda row: format_short_span(row.ledger.first_ns, row.ledger.last_ns, zone, with_year=True)


def _whole_span(zone: ZoneInfo) -> Callable[[Reviewed], str]:
    return lambda row: format_span(row.ledger.first_ns, row.ledger.last_ns, zone)


def _interval(row: Reviewed) -> str:
    return format_interval(row.times.interval_s if row.times else None)


def _questions(row: Reviewed) -> str:
    return ", ".join(text(f"review.question.{question}") for question in row.questions) or DASH


def _assumed(between: str) -> Callable[[Reviewed], str]:
    return lambda row: (assumed_words(row.times, between) if row.times else "") or DASH
