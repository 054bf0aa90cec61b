"""Texts rewritten: forms taken from their standards, and what only looks like them."""

from __future__ import annotations

import unicodedata

import pytest

from tunebench.analysis.redaction.proof import Originals
from tunebench.analysis.redaction.redactor import Redactor
from tunebench.domain.redaction import NameKind, RedactionProfile, SqlTexts

ALL = frozenset(NameKind)


def _redactor(
    *names: tuple[NameKind, str], sql: SqlTexts = SqlTexts.LITERALS, words: frozenset[str] = frozenset()
) -> Redactor:
    made = Redactor(RedactionProfile("x", ALL, sql), words, frozenset({"root"}))
    for kind, name in names:
        made.learn(kind, name)
    made.settle()
    return made


@pytest.mark.parametrize(
    "original",
    [
        "10.1.2.3",
        "2001:db8::5",  # RFC 3849
        "fe80::1ff:fe23:4567:890a",
        "00:00:5e:00:53:01",  # RFC 7042
        "00-00-5E-00-53-01",
        "tuner@bank.co.kr",
        "900101-1234567",
        "900101 - 1234567",
        "9001011234567",
        "010-1234-5678",
        "01012345678",
        "02-345-6789",
        "(02)345-6789",
        "+82-10-1234-5678",
        "070-8765-4321",
        "/oradata/core/sys01.dbf",
        "C:\\Users\\lee\\keys.txt",
        "naa.600508b4000156d7",
        "c0t600A0B80001234567890d0",
        "50:01:43:80:12:34:56:78",
        "db01.bank.co.kr",
        "SHA256:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU",
    ],
)
def test_what_has_a_form_is_replaced(original: str) -> None:
    made = _redactor().text(f"see {original} there")
    assert original not in made
    assert made.startswith("see ")
    assert made.endswith(" there")


@pytest.mark.parametrize(
    "text",
    [
        "12:30:45 2007/07/19 IO/s IOPS/sec",
        "Release 11.2.0.4, 19.3.0.0.0",
        "SELECT a::text",
        "127.0.0.1 and ::1",
        "1795251073000 ms, 999999-1234567",
        "/usr/bin/vmstat 1 2>/dev/null on /dev/sda1",
        "system.cpu.utilization, curve25519-sha256@libssh.org",
        "https://docs.oracle.com",
        "b293b4a85021412345670c01012345678d",  # a digest
    ],
)
def test_what_only_looks_like_it_stays(text: str) -> None:
    assert _redactor(sql=SqlTexts.KEEP).text(text) == text


def test_names_are_found_beside_particles_and_inside_of_long_words_only_where_they_are_long() -> None:
    made = _redactor((NameKind.HOST, "db1"), (NameKind.HOST, "bankdb01"), (NameKind.PERSON, "김철수"))
    assert made.text("DB1은 db1_old xdb1 bankdb01x") == "HOST-001은 HOST-001_old xdb1 HOST-002x"
    assert made.text("김철수가") == "PERSON-001가"
    assert made.text("옛김철수") == "옛김철수"


def test_a_host_is_known_by_its_short_name_too_in_whatever_case() -> None:
    made = _redactor((NameKind.HOST, "bankdb01.corp.bank.co.kr"), (NameKind.HOST, "10.1.2.3"))
    assert made.text("BankDB01, bankdb01-vip, BANKDB01.corp.bank.co.kr") == "HOST-002, HOST-002-vip, HOST-001"
    assert "10" not in made.stand_ins
    assert made.text("10 ms") == "10 ms"


def test_names_that_begin_alike_are_kept_apart() -> None:
    made = _redactor((NameKind.HOST, "db1"), (NameKind.HOST, "db10"))
    assert made.text('db10, db1: jdbc:oracle:thin:@DB10:1521/X "db1" db100') == (
        'HOST-002, HOST-001: jdbc:oracle:thin:@HOST-002:1521/X "HOST-001" db100'
    )


def test_a_name_is_found_across_line_ends_and_in_decomposed_hangul() -> None:
    made = _redactor((NameKind.CUSTOMER, "Hanbit Savings"), (NameKind.PERSON, "홍길동"))
    assert made.text("of Hanbit\n  Savings") == "of CUSTOMER-001"
    assert made.text(unicodedata.normalize("NFD", "홍길동이")) == "PERSON-001이"
    assert made.place(unicodedata.normalize("NFD", "홍길동")) == "PERSON-001"


def test_who_logs_in_by_an_address_of_a_page_is_replaced_with_the_password() -> None:
    assert _redactor().text("postgres://scott:tiger@10.1.1.1:5432/x") == "postgres://USER-001@ADDR-001:5432/x"


def test_an_address_of_the_sixth_version_is_one_however_it_is_written() -> None:
    """RFC 5952 names the same address in several writings."""
    made = _redactor()
    assert made.text("2001:DB8:0:0:0:0:0:1 [2001:db8::1]:443") == "ADDR-001 [ADDR-001]:443"
    assert {"2001:DB8:0:0:0:0:0:1", "2001:db8::1"} <= {original for original, _kind in made.originals()}


def test_a_word_of_every_report_is_replaced_as_a_name_alone() -> None:
    made = _redactor((NameKind.DATABASE, "orders"), words=frozenset({"orders"}))
    assert made.text("orders are slow") == "orders are slow"
    assert made.place("orders") == "DB-001"
    assert made.left == {"orders"}
    assert "orders" not in dict(made.originals())


def test_nobodys_names_stay_and_stand_ins_go_on_where_they_ended() -> None:
    made = Redactor(RedactionProfile("x", ALL), stand_ins={"old": "HOST-007"}, everybodys=frozenset({"root"}))
    for name in ("root", "old", "new"):
        made.learn(NameKind.HOST, name)
    made.settle()
    assert made.text("root old new") == "root HOST-007 HOST-008"


def test_statements_lose_literals_binds_and_comments_or_all_of_them() -> None:
    sql = "SELECT /* Lee */ n FROM t WHERE c = 'Kim''s' AND d = 5 AND e = :b1"
    made = _redactor().statement(sql)
    assert "Kim" not in made
    assert "Lee" not in made
    assert made.split() == [
        "SELECT",
        "n",
        "FROM",
        "t",
        "WHERE",
        "c",
        "=",
        "?",
        "AND",
        "d",
        "=",
        "?",
        "AND",
        "e",
        "=",
        "?",
    ]
    whole = _redactor(sql=SqlTexts.WHOLE)
    assert whole.statement(sql) == whole.statement(sql.replace("5", "6")) == "SQL-001"
    assert _redactor().text("bind $1 = '850214'") == "bind $1 = ?"


@pytest.mark.parametrize(
    "hidden",
    [
        "bank&#100;b01",
        "<b>bank</b>db01",
        "bank\ndb01",
        "\\u0062ankdb01",
        "xxBANKDB01xx",
        "http://x/?h=%62ankdb01",
        "bank\u200bdb01",
        "ｂａｎｋdb01",
        "bankdb01".encode("utf-16-le"),
    ],
)
def test_the_proof_sees_through_escapes_tags_and_line_ends(hidden: str | bytes) -> None:
    searched = Originals([("bankdb01", NameKind.HOST)])
    assert searched.found(hidden)
    assert searched.found(b"\xff\xfe\x00" + (hidden if isinstance(hidden, bytes) else b"bankdb01"))
    assert searched.found("HOST-001 and bank db") is None
