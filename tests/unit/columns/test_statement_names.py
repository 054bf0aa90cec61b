"""What people call a statement: verb, table, where it is; the id where no text tells."""

from __future__ import annotations

import pytest

from tunebench.columns.statement_names import key_name, named_with_id, statement_name
from tunebench.core.messages import catalogue
from tunebench.domain.databases.records import StatementKey


@pytest.mark.parametrize(
    ("language", "text", "container", "name"),
    [
        ("ko", "select * from orders", "SALES", "orders 조회, SALES"),
        ("en", "select * from orders", "SALES", "SELECT orders, SALES"),
        ("en", "select * from sales.orders", "SALES", "SELECT orders, sales"),  # one place is named once
        ("en", "select * from sales.orders", "PDB1", "SELECT orders, sales, PDB1"),
        ("ko", "update accounts set x = 1", "", "accounts 수정"),
        ("ko", "select 1 from accounts for update", "", "accounts 잠금 조회"),
        ("en", "select 1 from accounts for update", "", "SELECT accounts FOR UPDATE"),
        ("ko", "truncate table t", "", "t TRUNCATE"),
        ("en", "COMMIT", "", "COMMIT"),
        ("en", "", "SALES", ""),
    ],
)
def test_a_name_is_verb_table_and_place(language, text, container, name):
    assert statement_name(text, catalogue(language), container) == name


def test_the_id_stands_behind_and_alone_where_no_text_tells():
    key = StatementKey("-6817298132423450001", "bench")
    words = catalogue("en")
    assert named_with_id(statement_name("delete from t", words), key.id) == "DELETE t · -6817298132423450001"
    digest = "4c2648a4a29b576cf11f6e75ce57ae12"
    assert named_with_id("DELETE t", digest) == "DELETE t · 4c2648a4a29b…"
    assert named_with_id("", digest) == digest
    assert named_with_id("DELETE t", "01f7sqlid07919 → 9abcd") == "DELETE t · 01f7sqlid07919 → 9abcd"
    assert key_name(key, "", words) == "-6817298132423450001@bench"
    assert key_name(key, "delete from t", words) == "DELETE t, bench"
