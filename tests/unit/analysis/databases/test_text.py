"""SQL texts made comparable: what each engine's manual calls a literal, a comment, a quote."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tunebench.analysis.databases.text import folded, literal_free

ENGINES = ("", "oracle", "postgresql", "mysql", "mariadb", "tibero", "db2")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("SELECT *\n  FROM Emp\tWHERE A = 1", "select * from emp where a=1"),
        ("select a -- the key\n, b from t;", "select a,b from t"),
        ("select /* app=pos */ a from t", "select a from t"),
        ("select f ( a , b )  from t", "SELECT f(a,b) FROM t"),
        ("select\u3000이름 from 고객 where 번호 = 1", "SELECT 이름 FROM 고객 WHERE 번호=1"),
        ("select 'x' from t where \u1100\u1161 = 1", "select 'x' from t where \uac00 = 1"),  # decomposed, composed
    ],
)
def test_spellings_of_one_statement_fold_alike(one, other):
    assert folded(one) == folded(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("select 'A  b' from t", "select 'a b' from t"),  # what stands in quotes is data
        ('select "Emp" from t', 'select "EMP" from t'),
        ("select /*+ full(t) */ a from t", "select /*+ index(t) */ a from t"),
        ("select a from t where b = 1", "select a from t where b = 2"),
        ("select '-- a' from t", "select '-- b' from t"),
        ("select '가' from t", "select '나' from t"),
    ],
)
def test_different_statements_stay_different(one, other):
    assert folded(one) != folded(other)


@pytest.mark.parametrize(
    ("text", "shape", "engine"),
    [
        ("select * from t where a = 'it''s' and b = -1.5e-3", "select*from t where a=? and b=?", "oracle"),
        ("select * from t1 where id in (1, 2,3)", "select*from t1 where id in(?)", "oracle"),
        ("select * from t1 where id in (:b1, :b2)", "select*from t1 where id in(?)", "oracle"),
        ('select a from t where x = :"SYS_B_0"', "select a from t where x=?", "oracle"),
        ("select a from t where x = $12 and y::int = 3", "select a from t where x=? and y::int=?", "postgresql"),
        ("select a from t where x = @P1", "select a from t where x=?", ""),
        ("select @@version", "select @@version", "mysql"),
        ("select q'[it's]' from dual", "select ? from dual", "oracle"),
        ("select q'<it's>', N'가' from dual", "select ?,? from dual", "oracle"),
        ("select $fn$ it's 'so' $fn$, v$session from x", "select ?,v$session from x", "postgresql"),
        (r"select E'it\'s', 'c:\' from t", "select ?,? from t", "postgresql"),
        (r"select 'it\'s', " + '"b" from t', "select ?,? from t", "mysql"),
        ("select a from t # why\nwhere b=0x1F", "select a from t where b=?", "mysql"),
        ("select 5--1 from t", "select ?-? from t", "mysql"),
        ("INSERT INTO `t` (`a`, `b`) VALUES (...) /* , ... */", "insert into t(a,b)values(?)", "mysql"),
        ("insert into t (a, b) values (1, 'x'), (2, 'y')", "insert into t(a,b)values(?)", "mysql"),
        ("SELECT COUNT ( * ) FROM `db` . `t` WHERE `k` IN (...)", "select count(*)from db.t where k in(?)", "mariadb"),
        ("SELECT `2023`, `a.5`, 2023 FROM `1st` WHERE `k` = 7", "select _2023,a._5,? from _1st where k=?", "mysql"),
        ('select "2023" from t where a = 2023', "select _2023 from t where a=?", "oracle"),
        ("select /*+ index(t i) */ a from t", "select a from t", "oracle"),
        ("select a from t where d > date '2020-01-01'", "select a from t where d>date ?", "oracle"),
        ("select a from t where b is null and c = 'unfinished", "select a from t where b is null and c=?", "oracle"),
    ],
)
def test_the_shape_has_no_literals(text, shape, engine):
    assert literal_free(text, engine) == shape


@pytest.mark.parametrize("text", ["", "'", '"', "`", "/*", "--", "$$", "q'", "q'[", "/*+ hint", "e'\\", ":", "(", "?"])
@pytest.mark.parametrize("engine", ENGINES)
def test_anything_may_be_given(text, engine):
    folded(text, engine)
    literal_free(text, engine)


@given(st.text(alphabet="aE q'\"`$/*-+#\n(),?.:@0가\\", max_size=60), st.sampled_from(ENGINES))
def test_random_text_never_fails_and_shapes_are_final(text, engine):
    folded(text, engine)
    shape = literal_free(text, engine)
    assert "  " not in shape
    assert len(shape) <= 2 * len(text) + 1


@given(st.lists(st.sampled_from(["select", "A", "t1", "'X y'", "/* c */", "(", ")", ",", "=", "42", "\n", "  "])))
def test_blanks_between_words_do_not_matter(words):
    assert folded(" ".join(words)) == folded("\n\t ".join(words))
    assert literal_free(" ".join(words)) == literal_free(" \n".join(words))


@pytest.mark.parametrize(
    "piece", ["/*", "'", "$a", "(", "(?,", " ", "1.", "_a", ":a", "q'", "--", "\\'", "(1),", "1e", "- ", "$$", "a-"]
)
def test_time_grows_with_the_length_alone(piece):
    """A quadratic pattern would take minutes for this."""
    text = piece * 30_000
    started = time.process_time()
    for engine in ("", "mysql"):
        folded(text, engine)
        literal_free(text, engine)
    assert time.process_time() - started < 5
