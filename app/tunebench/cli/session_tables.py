"""Sessions over time as text: periods by what sessions did, and statements that go with figures of the host."""

from __future__ import annotations

from zoneinfo import ZoneInfo

from tunebench.analysis.databases.profile_lines import LineKind
from tunebench.analysis.databases.sessions import Layer
from tunebench.cli.console import Console
from tunebench.columns.statement_names import named_with_id, statement_name
from tunebench.usecases.databases.sessions import SessionHistory
from tunebench.usecases.databases.words import moment_text

_MOST_HOST = 10
"""Correlations of text; JSON has all of them."""


def show_sessions(
    history: SessionHistory | None, listed: SessionHistory | None, zone: ZoneInfo, console: Console
) -> None:
    if history is None:
        console.say("cli.databases.sessions.none")
        return
    over = history.over
    headings = console.headings("cli.databases.sessions.column", "begin end sessions busy")
    rows = [
        [
            moment_text(int(begin), zone),
            moment_text(int(end), zone),
            _amount(total),
            _amount(busy),
            *(_amount(amount) for amount in column),
        ]
        for begin, end, total, busy, column in zip(
            over.begins_ns, over.ends_ns, over.totals.tolist(), over.busy.tolist(), over.amounts.T.tolist(), strict=True
        )
    ]
    console.table([*headings, *(_name(layer, console) for layer in over.layers)], rows, right=frozenset(range(2, 99)))
    if over.processors:
        console.say("cli.databases.sessions.processors", n=over.processors)
    if listed is not None and listed.with_host:
        console.say("cli.databases.sessions.host")
        console.table(
            console.headings("cli.databases.sessions.column", "statement host rho range periods"),
            [
                [
                    named_with_id(
                        statement_name(correlation.text, console.messages, correlation.statement.container),
                        correlation.statement.id,
                    ),
                    str(correlation.host),
                    f"{correlation.rho:+.2f}",
                    f"{correlation.low:+.2f} ~ {correlation.high:+.2f}",
                    str(correlation.n),
                ]
                for correlation in listed.with_host[:_MOST_HOST]
            ],
            right=frozenset({2, 4}),
        )


def _name(layer: Layer, console: Console) -> str:
    if layer.kind is LineKind.CPU:
        return console.text("database.time.db_cpu")
    if layer.kind is LineKind.UNACCOUNTED:
        return console.text("cli.databases.sessions.unaccounted")
    return layer.name or console.text("cli.databases.sessions.others")


def _amount(value: float) -> str:
    return f"{value:,.2f}" if value == value else "–"
