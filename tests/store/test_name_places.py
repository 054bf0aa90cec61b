"""Every column of the schema is declared: a new one does not slip into a redacted copy unseen."""

from __future__ import annotations

import pytest

from tunebench.analysis.redaction.redactor import Redactor
from tunebench.domain.redaction import NameKind, RedactionProfile, SqlTexts
from tunebench.store import clean_copy, name_places
from tunebench.store.known_schema import known_columns

_UNTOUCHED = """
engagement.zone engagement.language narrative.language measurement.key measurement.direction note.written_at
report.written_at report.kind report.language report.sha256 report.edition report.program_version host.os
host.os_version host.zone host.zone_source run.phase artefact.sha256 artefact.imported_at artefact.parser_id
artefact.parser_version artefact.state event.kind statement.engine clock.table_name clock.tool series.metric
series.unit series.kind series.direction series.base_unit series.implied series.definition capture_plan.digest
capture_plan.saved_at approval.digest approval.approved_at capture_session.digest capture_session.state
capture_session.started_at capture_session.ended_at capture_stream.state clock_check.zone cycle_record.kind
attachment.sha256 device_alias.written_at capture_overlap.relation host_event.kind resolution.said_at
resolution.zone_before bundle.sha256 bundle.imported_at bundle.layouts bundle_member.state bundle_member.kind
database_record.reach database_record.engine database_record.faults database_record.absent statement_link.engine
statement_link.before_id statement_link.after_id statement_link.made_at licence_confirmation.confirmed_at
audit.time audit.action audit.previous audit.digest
"""
UNTOUCHED = set(_UNTOUCHED.split())
"""Looked at one by one: words of the program, times, digests, identities that a database gave."""


def _texts() -> set[tuple[str, str]]:
    """Columns of a clean copy that can hold a text, whatever their declared type is but a number."""
    return {
        (table, column)
        for table, columns in known_columns().items()
        for column, kind in columns.items()
        if table not in clean_copy.LEFT_OUT and kind not in ("INTEGER", "REAL", "BLOB")
    }


def test_every_column_of_texts_is_declared() -> None:
    elsewhere = {*name_places.COLUMNS, *name_places.SQL_COLUMNS, ("approval", "signature")}
    elsewhere.add(("capture_stream", "stderr_tail"))
    open_ones = {f"{table}.{column}" for table, column in _texts() - elsewhere}
    assert open_ones - name_places.TEXTS == UNTOUCHED
    assert not name_places.TEXTS - open_ones


@pytest.mark.parametrize("place", sorted(name_places.TEXTS - {"report.path", "cycle_reference.attachment"}))
def test_a_name_in_any_of_them_is_replaced(place: str) -> None:
    redactor = Redactor(RedactionProfile("x", frozenset(NameKind), SqlTexts.LITERALS))
    redactor.learn(NameKind.HOST, "bankdb01")
    redactor.settle()
    table, column = place.split(".")
    for value in ("of BankDB01", '{"text":["x",{"tool":"on bankdb01","unit":"lee@bank.co.kr"}]}'):
        made = name_places.rewritten_cell(redactor, table, column, value, {})
        assert "bankdb01" not in made.casefold()
        assert "lee@" not in made


@pytest.mark.parametrize("place", sorted(name_places.COLUMNS))
def test_a_name_that_is_a_word_is_replaced_where_it_stands_as_a_name(place: tuple[str, str]) -> None:
    kind = name_places.COLUMNS[place]
    redactor = Redactor(RedactionProfile("x", frozenset(NameKind)), words=frozenset({"orders"}))
    redactor.learn(kind, "orders")
    redactor.settle()
    assert name_places.rewritten_cell(redactor, *place, "orders", {}).startswith(f"{kind.value.upper()}-001")
