"""What a statement does and to which table, as its own text says."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tunebench.analysis.databases.statement_heads import StatementHead, statement_head


@pytest.mark.parametrize(
    ("text", "head"),
    [
        ("select * from orders o join lines l on l.id = o.id", ("SELECT", "orders", "")),
        ("SELECT /*+ full(o) from hint */ a FROM sales.orders o", ("SELECT", "orders", "sales")),
        ("-- from comment\n /* from x */ select a from t", ("SELECT", "t", "")),
        ("select extract(year from due) from orders", ("SELECT", "orders", "")),
        ("select (select max(x) from a) from b", ("SELECT", "b", "")),
        ("select count(*) from (select * from inner_table) v", ("SELECT", "inner_table", "")),
        ("(select a from t1) union all (select b from t2)", ("SELECT", "t1", "")),
        ("select ' from x ' from t", ("SELECT", "t", "")),
        ("select a from t where b = 1 for update", ("SELECT FOR UPDATE", "t", "")),
        ("select a from t for no key update", ("SELECT FOR UPDATE", "t", "")),
        ("with t as (select * from base) select * from t", ("SELECT", "base", "")),
        ("with recursive t(a, b) as (select 1, 2) insert into target select * from t", ("INSERT", "target", "")),
        ("insert into target(a) select a from source", ("INSERT", "target", "")),
        ("INSERT ALL INTO a VALUES (1) INTO b VALUES (2) SELECT 1 FROM dual", ("INSERT", "a", "")),
        ("insert ignore target values (1)", ("INSERT", "target", "")),
        ("update only shop.accounts set x = 1", ("UPDATE", "accounts", "shop")),
        ("update (select * from v) set a = 1", ("UPDATE", "v", "")),
        ("delete from orders where 1 = 1", ("DELETE", "orders", "")),
        ("delete o from orders o join x on 1 = 1", ("DELETE", "orders", "")),
        ("DELETE orders WHERE id = :1", ("DELETE", "orders", "")),
        ('merge into "Big"."Table" t using (select 1 from dual) s on (1=1)', ("MERGE", "Table", "Big")),
        ('select * from "a""b"', ("SELECT", 'a"b', "")),
        ("SELECT `c` FROM `bench` . `sbtest1` WHERE `id` = ?", ("SELECT", "sbtest1", "bench")),
        ("CALL pkg.proc(?)", ("CALL", "proc", "pkg")),
        ("{call pkg.proc(:1)}", ("CALL", "proc", "pkg")),
        ("BEGIN pkg.proc(:1); END;", ("CALL", "proc", "pkg")),
        ("BEGIN UPDATE t SET a = 1; END;", ("UPDATE", "t", "")),
        ("begin;", ("BEGIN", "", "")),
        ("BEGIN TRANSACTION", ("BEGIN", "", "")),
        ("COMMIT", ("COMMIT", "", "")),
        ("start transaction read only", ("START TRANSACTION", "", "")),
        ("set autocommit=0", ("SET", "", "")),
        ("create unique index ix on bench.t (a)", ("CREATE INDEX", "t", "bench")),
        ("create table if not exists q (a int)", ("CREATE TABLE", "q", "")),
        ("truncate table x", ("TRUNCATE", "x", "")),
        ("vacuum full analyze x", ("VACUUM", "x", "")),
        ("lock table accounts in exclusive mode", ("LOCK", "accounts", "")),
        ("select * from 고객 where 번호 = 1", ("SELECT", "고객", "")),
        ("select * from customer_ord...", ("SELECT", "customer_ord…", "")),
        ("select 1 from `t t`", ("SELECT", "t t", "")),
        ("select a, b, na", ("SELECT", "", "")),
        ("select now()", ("SELECT", "", "")),
        ("SQL-007", ("SQL-007", "", "")),
    ],
)
def test_a_statement_is_told_by_its_verb_and_its_first_table(text, head):
    assert statement_head(text) == StatementHead(*head)


@pytest.mark.parametrize("text", ["", "  ", "'abc'", "4711", "-- nothing", "?"])
def test_what_begins_with_no_word_tells_nothing(text):
    assert statement_head(text) is None


@given(st.text(alphabet="selctfrom with insert(),.;\"'`/*-$ \nABC가1", max_size=200))
def test_any_text_may_be_given(text):
    head = statement_head(text)
    assert head is None or head.verb == head.verb.upper()


def test_a_name_that_is_read_is_a_word_of_the_text():
    text = "with a as (select 1 from x), b as (select 2 from y) select * from b, z"
    head = statement_head(text)
    assert head is not None
    assert head.table in ("x", "y", "z")
