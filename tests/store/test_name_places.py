"""Every column of the schema is declared: a new one does not slip into a redacted copy unseen."""

from __future__ import annotations

from pathlib import Path

import pytest

from tunebench.analysis.redaction.redactor import Redactor
from tunebench.core.progress import SilentProgress
from tunebench.domain.cycle.book import CycleEdit, RecordChange
from tunebench.domain.cycle.records import Contact
from tunebench.domain.engagement import Engagement
from tunebench.domain.redaction import NameKind, RedactionProfile, SqlTexts
from tunebench.domain.translations import is_current, with_translation
from tunebench.store import clean_copy, name_places
from tunebench.store.clean_copy import write_clean_copy
from tunebench.store.cycle.records import apply, read_book
from tunebench.store.engagements import read_engagement
from tunebench.store.known_schema import known_columns
from tunebench.store.opening import create_project, open_project

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


def test_a_translation_is_learnt_and_rewritten_as_the_field_that_it_translates(tmp_path: Path) -> None:
    """So that it holds no name, and is still one of the words that stand in the copy."""
    contact = Contact(0, "이영진", organisation="한빛은행", note="bankdb01 담당")
    for name, text in (("name", "Lee Young-jin"), ("organisation", "Hanbit Bank"), ("note", "owns bankdb01")):
        contact = with_translation(contact, name, "en", text)
    engagement = Engagement("튜닝", "한빛은행", consultants=("강경구", "박선희"))
    engagement = with_translation(engagement, "consultants", "en", "Kang Kyung-gu\nPark Sun-hee")
    redactor = Redactor(RedactionProfile("x", frozenset(NameKind), SqlTexts.LITERALS))
    redactor.learn(NameKind.HOST, "bankdb01")
    with create_project(tmp_path / "a.tune", engagement) as project:
        apply(project, CycleEdit("add_contact", (RecordChange(None, contact),)), "lee")
        write_clean_copy(project, tmp_path / "b.tune", redactor, "x", SilentProgress())
    with open_project(tmp_path / "b.tune", read_only=True) as copy:
        (clean,) = read_book(copy).all(Contact)
        kept = read_engagement(copy)
    secrets = ("Lee Young", "Hanbit", "bankdb01", "Kang", "Park Sun", "이영진", "한빛", "강경구")
    assert not [secret for secret in secrets if secret in f"{clean} {kept}"]
    assert [is_current(clean, translation) for translation in clean.translations] == [True] * 3
    assert [is_current(kept, translation) for translation in kept.translations] == [True]
