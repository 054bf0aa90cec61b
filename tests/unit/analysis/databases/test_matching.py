"""Statements found again: ids, signatures, texts, a person's word."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.analysis.databases.database_records import MYSQL, ORACLE, POSTGRES, period
from tunebench.analysis.databases.matching import LinkMethod, ManualLink, match_statements
from tunebench.domain.databases.records import DatabaseIdentity


def side(identity=ORACLE, texts=(), **statements):
    """`statements`: id -> executions, or a row."""
    rows = [
        {"statement_id": name, **(row if isinstance(row, dict) else {"executions": row, "elapsed_s": row})}
        for name, row in statements.items()
    ]
    written = [{"statement_id": n, "text": t, "complete": c} for n, t, c in ((*e, 1)[:3] for e in texts)]
    return period(identity, statement=rows, statement_text=written)


def pairs(before, after, manual=()):
    return [(p.before_ids, p.after_ids, p.method) for p in match_statements(before, after, manual)]


def test_the_same_id_is_the_same_statement():
    assert pairs(side(a=1, b=1), side(b=1, c=1)) == [
        (("a",), (), None),
        (("b",), ("b",), LinkMethod.SAME_ID),
        ((), ("c",), None),
    ]


def test_the_same_id_is_found_in_another_database_and_container():
    """Oracle's own comparison does not pair statements of databases whose ids differ."""
    other = DatabaseIdentity("oracle", name="NEW", db_id="2", container="PDB1")
    before = side(x={"executions": 3, "container": "CDB$ROOT"})
    assert pairs(before, side(other, x={"executions": 5, "container": "PDB1"})) == [
        (("x",), ("x",), LinkMethod.SAME_ID)
    ]


def rows_of(identity, *rows, texts=()):
    """`rows`: (id, container), executed once."""
    found = [{"statement_id": i, "container": c, "executions": 1, "elapsed_s": 1} for i, c in rows]
    return period(
        identity, statement=found, statement_text=[{"statement_id": n, "text": t, "complete": 1} for n, t in texts]
    )


def keyed(before, after, manual=()):
    """References of both sides: ``x@A``."""
    found = match_statements(before, after, manual)
    return {(" ".join(k.reference for k in p.before), " ".join(k.reference for k in p.after)) for p in found}


def test_the_same_id_in_two_containers_is_two_statements():
    """MySQL's digests are equal across schemas, SQL_IDs across pluggable databases."""
    both = rows_of(MYSQL, ("x", "tenant_a"), ("x", "tenant_b"))
    assert keyed(both, both) == {("x@tenant_a", "x@tenant_a"), ("x@tenant_b", "x@tenant_b")}


def test_a_renamed_container_is_found_where_there_is_no_doubt():
    before = rows_of(POSTGRES, ("x", "old"), ("x", "kept"))
    assert keyed(before, rows_of(POSTGRES, ("x", "new"), ("x", "kept"))) == {("x@old", "x@new"), ("x@kept", "x@kept")}
    (pair,) = match_statements(rows_of(POSTGRES, ("x", "old")), rows_of(POSTGRES, ("x", "new")))
    assert (pair.container, pair.method) == ("old → new", LinkMethod.SAME_ID)
    in_doubt = rows_of(POSTGRES, ("x", "one"), ("x", "two"))
    assert keyed(rows_of(POSTGRES, ("x", "old")), in_doubt) == {("x@old", ""), ("", "x@one"), ("", "x@two")}


def test_a_container_that_was_renamed_inside_of_a_period_is_no_second_one():
    after = period(
        POSTGRES,
        statement=[
            {"statement_id": "x", "container": "old", "seen_in": "left"},
            {"statement_id": "x", "container": "new", "executions": 1, "elapsed_s": 1},
        ],
    )
    assert keyed(rows_of(POSTGRES, ("x", "old")), after) == {("x@old", "x@new")}


def test_texts_are_looked_for_in_their_own_container():
    """Both databases are on both sides: what one of them stopped doing, another did not take over."""
    text = "select name from customers where id = $1"
    texts = [("a", text), ("b", text), ("k", "begin")]
    before = rows_of(POSTGRES, ("a", "one"), ("k", "two"), texts=texts)
    after = rows_of(POSTGRES, ("k", "one"), ("b", "two"), texts=texts)
    assert keyed(before, after) == {("a@one", ""), ("", "b@two"), ("k@two", ""), ("", "k@one")}
    moved = rows_of(POSTGRES, ("k", "two"), ("b", "one"), texts=texts)
    assert keyed(before, moved) == {("a@one", "b@one"), ("k@two", "k@two")}


@pytest.mark.parametrize("stage", ["signature", "literals", "beginning"])
def test_no_stage_joins_two_containers(stage):
    def record(*rows):
        found = [
            {
                "statement_id": i,
                "container": c,
                "executions": 1,
                "elapsed_s": 1,
                "signature": "7" if stage == "signature" else "",
            }
            for i, c in rows
        ]
        written = {"literals": ("x = 1", "x = 2", 1), "beginning": ("status", "status = 1", 0)}.get(stage)
        texts = (
            []
            if written is None
            else [
                {
                    "statement_id": i,
                    "complete": written[2] if i in "ab" else 1,
                    "text": f"select customer_id, amount from orders where {written[0] if i in 'ab' else written[1]}",
                }
                for i, _ in rows
            ]
        )
        return period(statement=found, statement_text=texts)

    before, after = record(("a", "A"), ("b", "B")), record(("c", "A"), ("d", "B"))
    assert keyed(before, after) == {("a@A", "c@A"), ("b@B", "d@B")}


def test_where_one_side_tells_no_containers_ids_are_compared_over_all_of_them():
    told = rows_of(ORACLE, ("x", "PDB1"), ("x", "PDB2"), ("y", ""))
    assert keyed(rows_of(ORACLE, ("x", ""), ("y", "")), told) == {("x", "x@PDB1 x@PDB2"), ("y", "y")}


def test_a_persons_word_is_of_a_container_or_of_each():
    before = rows_of(ORACLE, ("old", "A"), ("old", "B"), ("k", "A"))
    after = rows_of(ORACLE, ("new", "A"), ("new", "B"), ("k", "B"))
    every = {("old@A", "new@A"), ("old@B", "new@B"), ("k@A", ""), ("", "k@B")}
    assert keyed(before, after, [ManualLink("old", "new")]) == every
    assert keyed(before, after, [ManualLink("old@A", "new@A")]) == {
        ("old@A", "new@A"),
        ("old@B", ""),
        ("", "new@B"),
        ("k@A", ""),
        ("", "k@B"),
    }
    assert ("k@A", "k@B") in keyed(before, after, [ManualLink("k@A", "k@B")])
    assert ("old@B", "k@B") in keyed(before, after, [ManualLink("old", "k")])
    assert keyed(before, after, [ManualLink("old@A", "k")]) == keyed(before, after) - {("old@A", ""), ("", "k@B")} | {
        ("old@A", "k@B")
    }  # the only way to mean it


def test_another_engines_ids_mean_nothing():
    before, after = side(ORACLE, x=1), side(POSTGRES, x=1)
    assert pairs(before, after) == [(("x",), (), None), ((), ("x",), None)]


def test_statements_with_literals_go_together_by_their_signature():
    before = side(a={"executions": 1, "signature": "77"}, b={"executions": 1, "signature": "77"})
    after = side(c={"executions": 1, "signature": "77"}, d={"executions": 1, "signature": "0"})
    found = match_statements(before, after)
    assert [(p.before_ids, p.after_ids, p.method, p.confidence) for p in found] == [
        (("a", "b"), ("c",), LinkMethod.SIGNATURE, 0.95),
        ((), ("d",), None, 0.0),
    ]


def test_a_table_made_anew_gives_the_same_text_another_id():
    """PostgreSQL's queryid holds the table's number: the old id stays in the list and does nothing."""
    text = "UPDATE pgbench_accounts SET abalance = abalance + $1 WHERE aid = $2"
    before = side(POSTGRES, [("-29", text)], **{"-29": 145})
    after = side(POSTGRES, [("-29", text), ("-79", text)], **{"-29": 0, "-79": 11_913})
    assert pairs(before, after) == [(("-29",), ("-79",), LinkMethod.TEXT)]


def test_two_ids_of_one_text_on_one_side_are_one_statement():
    texts = [("old", "select a from t where b = $1"), ("new", "SELECT a\nFROM t WHERE b = $1")]
    assert pairs(side(POSTGRES, texts, old=4, new=5), side(POSTGRES, texts[1:], new=9)) == [
        (("new", "old"), ("new",), LinkMethod.TEXT)
    ]


def test_literals_are_forgotten_last_of_all():
    before = side(ORACLE, [("a", "select x from t where id = 1"), ("b", "select y from u where id = 1")], a=1, b=1)
    after = side(ORACLE, [("c", "select x from t where id = :1"), ("d", "select y from u where id = 1")], c=1, d=1)
    assert pairs(before, after) == [(("a",), ("c",), LinkMethod.LITERAL_FREE), (("b",), ("d",), LinkMethod.TEXT)]


def test_a_digest_and_a_slow_logs_statement_have_one_shape():
    before = side(MYSQL, [("fp:1", "select c from sbtest1 where id=5")], **{"fp:1": 1})
    after = side(MYSQL, [("9f", "SELECT `c` FROM `sbtest1` WHERE `id` = ?")], **{"9f": 1})
    assert pairs(before, after) == [(("fp:1",), ("9f",), LinkMethod.LITERAL_FREE)]


LONG = "select customer_id, sum(amount) from orders where status = 'OPEN' "


def test_a_cut_text_goes_with_the_only_one_that_begins_like_it():
    before = side(ORACLE, [("a", LONG[:45], 0)], a=1)
    after = side(ORACLE, [("b", LONG + "group by customer_id"), ("c", "select customer_id from orders")], b=1, c=1)
    found = match_statements(before, after)
    assert (found[0].after_ids, found[0].method, found[0].confidence) == (("b",), LinkMethod.TEXT_BEGINNING, 0.5)


@pytest.mark.parametrize(
    "texts",
    [
        [("b", LONG + "group by customer_id"), ("c", LONG + "order by 1")],  # either may be it
        [("b", "select another thing altogether from orders")],
    ],
)
def test_a_cut_text_that_fits_several_or_none_stays_alone(texts):
    after = side(ORACLE, texts, **{name: 1 for name, _ in texts})
    assert match_statements(side(ORACLE, [("a", LONG[:45], 0)], a=1), after)[0].after_ids == ()


def test_a_short_beginning_says_nothing():
    after = side(ORACLE, [("b", LONG)], b=1)
    assert pairs(side(ORACLE, [("a", "select cust", 0)], a=1), after)[0][1] == ()


def test_a_persons_word_joins_what_nothing_else_does():
    before, after = side(old=1, kept=1), side(rewritten=1, kept=1)
    link = ManualLink("old", "rewritten", "Kim", "join instead of subquery")
    found = match_statements(before, after, [link])
    assert [(p.before_ids, p.after_ids, p.method) for p in found] == [
        (("kept",), ("kept",), LinkMethod.SAME_ID),
        (("old",), ("rewritten",), LinkMethod.MANUAL),
    ]
    assert (found[1].links[0].author, found[1].links[0].note) == ("Kim", "join instead of subquery")


def test_a_persons_word_brings_along_what_the_ids_are_paired_with():
    """The rewritten statement ran before already: both old ones are what it is compared with."""
    before, after = side(old=1, new=1), side(new=1)
    assert [(p.before_ids, p.after_ids) for p in match_statements(before, after, [ManualLink("old", "new")])] == [
        (("new", "old"), ("new",))
    ]


def test_a_word_on_statements_that_are_not_there_is_no_matter():
    assert pairs(side(a=1), side(a=1), [ManualLink("x", "a"), ManualLink("a", "y")]) == [
        (("a",), ("a",), LinkMethod.SAME_ID)
    ]


def test_what_did_nothing_and_what_has_no_name_is_not_matched():
    hidden = [("z", "<insufficient privilege>"), ("y", "<insufficient privilege>")]
    before = side(POSTGRES, hidden, a=0, z=1, **{"": 5, "0": 5})
    assert {p[0] + p[1] for p in pairs(before, side(POSTGRES, hidden, y=1, **{"": 5}))} == {("y",), ("z",)}


_TEXTS = ("select a from t", "SELECT A from t", "select a from t where b = 1", "select a from t where b = 2", "x")


@given(
    st.lists(
        st.tuples(st.sampled_from("abcdef"), st.sampled_from(_TEXTS), st.sampled_from(["", "7", "8"])),
        unique_by=lambda row: row[0],
    ),
    st.lists(
        st.tuples(st.sampled_from("abcdefgh"), st.sampled_from(_TEXTS), st.sampled_from(["", "7", "8"])),
        unique_by=lambda row: row[0],
    ),
    st.randoms(use_true_random=False),
)
def test_the_order_of_rows_does_not_matter_and_every_statement_is_in_one_pair(before, after, chance: random.Random):
    def record(rows):
        statements = {name: {"executions": 1, "signature": sign} for name, _, sign in rows}
        return side(ORACLE, [(name, text) for name, text, _ in rows], **statements)

    def shuffled(rows):
        return chance.sample(rows, len(rows))

    found = match_statements(record(before), record(after))
    assert match_statements(record(shuffled(before)), record(shuffled(after))) == found
    assert sorted(name for pair in found for name in pair.before_ids) == sorted(name for name, *_ in before)
    assert sorted(name for pair in found for name in pair.after_ids) == sorted(name for name, *_ in after)
    swapped = match_statements(record(after), record(before))
    assert {(p.after_ids, p.before_ids, p.method) for p in swapped} == {
        (p.before_ids, p.after_ids, p.method) for p in found
    }


def test_a_list_of_the_largest_does_not_spoil_what_is_paired_by_its_id():
    """Two spellings of one statement: that the first report shows one of them says nothing of the other."""
    texts = [("a", "select x from t"), ("b", "SELECT x FROM t")]
    after = side(ORACLE, texts, a=1, b=1)
    top = side(ORACLE, texts[:1], a={"executions": 1, "seen_in": "elapsed"})
    assert pairs(top, after) == [(("a",), ("a",), LinkMethod.SAME_ID), ((), ("b",), None)]
    assert pairs(side(ORACLE, texts[:1], a=1), after) == [(("a",), ("a", "b"), LinkMethod.TEXT)]
