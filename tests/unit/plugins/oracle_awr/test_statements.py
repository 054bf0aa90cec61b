"""Statements: lists merged into one row each, what a list leaves out, texts, plans, our own statements."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.made.awr import report, workload
from tests.made.awr.instance import LISTS
from tests.made.awr.model import FIGURES

VERSIONS = ["10.2", "11.2", "12.2", "19c", "21c", "23ai"]
SHOWN_WITH = {  # what the rows of a list print beside the figure they are ordered by
    "elapsed": {"elapsed_s", "executions"}, "cpu": {"cpu_s", "executions", "elapsed_s"}, "io": {"io_wait_s", "executions", "elapsed_s"},
    "gets": {"block_gets", "executions", "elapsed_s"}, "reads": {"block_reads", "executions", "elapsed_s"},
    "executions": {"executions", "rows", "elapsed_s"}, "parse": {"parse_calls", "executions"}, "sharable": {"sharable_bytes", "executions"},
    "version": {"version_count", "executions"}, "cluster": {"cluster_wait_s", "executions", "elapsed_s"},
}  # fmt: skip


@pytest.mark.parametrize("top", [3, 10])
@pytest.mark.parametrize("version", VERSIONS)
def test_one_row_for_each_statement(one, rows, version, top):
    made = report(version, rac=2, top=top)
    found = rows(one(made), "statement", "statement_id")
    by_id = {statement.id: statement for statement in made.truth.statements}
    assert set(found) == {name for names in made.lists.values() for name in names}
    for name, row in found.items():
        lists = [one for one, names in made.lists.items() if name in names]
        assert row["seen_in"].split() == lists
        shown = set().union(*(SHOWN_WITH[one] for one in lists))
        for figure in FIGURES:
            if figure in shown:
                assert row[figure] == by_id[name].figure(figure), (name, figure)
            else:
                assert figure not in row  # not reported, never 0
        assert row["module"] == by_id[name].module


@pytest.mark.parametrize("version", VERSIONS)
def test_what_the_lists_leave_out(one, rows, version):
    made = report(version, top=7, covered_pct=62.5)
    lists = rows(one(made), "statement_list", "figure")
    by_id = {statement.id: statement for statement in made.truth.statements}
    figures = {name: figure for name, figure, _, _ in LISTS if name in made.lists}
    assert set(lists) == set(figures.values())
    for name, figure in figures.items():
        row = lists[figure]
        assert row["rows"] == len(made.lists[name]) == 7
        assert row["least"] == min(by_id[one].figure(figure) for one in made.lists[name])
        assert row["covered_pct"] == 62.5


def test_coverage_of_more_than_all(one, rows):
    """PL/SQL and the statements it calls are counted twice."""
    data = report(covered_pct=62.5).data.replace(b"account for 62.5%", b"account for   3.0E+03%")
    lists = rows(one(replace(report(), data=data)), "statement_list", "figure")
    assert {row["covered_pct"] for row in lists.values()} == {3000.0}


def test_no_line_of_coverage_is_no_coverage(one, rows):
    data = report().data.replace(b"Captured SQL account", b"Something else")
    lists = rows(one(replace(report(), data=data)), "statement_list", "figure")
    assert not any("covered_pct" in row for row in lists.values())


def test_texts_are_whole_where_the_report_has_them(one, rows):
    made = report("19c")
    texts = rows(one(made), "statement_text", "statement_id")
    assert {name: row["text"] for name, row in texts.items()} == {
        s.id: s.text for s in made.truth.statements if s.text_available
    }
    assert {row["complete"] for row in texts.values()} == {1.0}


def test_texts_of_lists_are_cut(one, rows):
    made = report("19c", without=["Complete List of SQL Text"])
    texts = rows(one(made), "statement_text", "statement_id")
    cut = {name: row["text"] for name, row in texts.items() if not row["complete"]}
    by_id = {statement.id: " ".join(statement.text.split()) for statement in made.truth.statements}
    assert cut
    assert all(by_id[name].startswith(text) and len(text) <= 30 for name, text in cut.items())


def test_a_missing_text_is_no_text(one, rows):
    made = report("19c")
    missing = next(statement for statement in made.truth.statements if not statement.text_available)
    found = one(made)
    assert missing.id not in rows(found, "statement_text", "statement_id")


def test_executions_of_0_are_kept(one, rows):
    made = report("19c", top=30)
    running = next(statement for statement in made.truth.statements if not statement.executions)
    row = rows(one(made), "statement", "statement_id")[running.id]
    assert (row["executions"], row["elapsed_s"]) == (0.0, running.elapsed_s)


@pytest.mark.parametrize("version", ["12.2", "19c", "23ai"])
def test_plans_of_sampled_sessions(one, rows, version):
    made = report(version, top=30)
    found = one(made)
    planned = {(statement.id, statement.plan) for statement in made.truth.statements if statement.plan}
    assert set(rows(found, "plan", "statement_id", "plan")) == planned
    statements = rows(found, "statement", "statement_id")
    assert {(name, row["plan"]) for name, row in statements.items() if row.get("plan")} == planned


def test_of_several_plans_none_is_the_statements_own(one, rows):
    made = report("19c", top=30)
    first = next(statement for statement in made.truth.statements if statement.plan)
    old = f"<td align=\"right\" class='awrnc'>{first.id}</td><td align=\"right\" class='awrnc'>{first.plan}</td>"
    text = made.data.decode()
    row = next(line for line in text.split("\n") if old in line)
    data = text.replace(row, row + "\n" + row.replace(first.plan, "4242424242")).encode()
    found = one(replace(made, data=data))
    assert rows(found, "statement", "statement_id")[first.id]["plan"] == ""
    assert {plan for name, plan in rows(found, "plan", "statement_id", "plan") if name == first.id} == {
        first.plan,
        "4242424242",
    }


def test_a_figure_that_is_rounded_in_one_list_is_exact_from_another(one, rows):
    made = report("19c", top=30)
    busy = max(made.truth.statements, key=lambda statement: statement.block_gets)
    text = made.data.decode().replace(f">{busy.elapsed_s:,.2f}</td>", ">12.3K</td>", 1)
    row = rows(one(replace(made, data=text.encode())), "statement", "statement_id")[busy.id]
    assert row["elapsed_s"] == busy.elapsed_s


def test_rates_that_do_not_fit_the_totals_are_said(outcome):
    made = report("19c")
    assert outcome(made.data).ledger.warnings == ()
    busy = made.truth.statements[[s.id for s in made.truth.statements].index(made.lists["gets"][0])]
    rate = f"{busy.block_gets / busy.executions:,.2f}"
    assert made.data.count(rate.encode()) == 1
    changed = outcome(made.data.replace(rate.encode(), b"987,654.32"))
    assert changed.ledger.warnings == ("awr_rates_differ",)
    (record,) = changed.records
    place = record.table("statement").text("statement_id").index(busy.id)
    assert record.table("statement").figure("block_gets")[place] == busy.block_gets


def test_statements_of_our_own_are_left_out(one, rows):
    made = report("19c", top=40, workload=workload(own_statement=True))
    found = one(made)
    assert "9tunebench0aa" in made.lists["elapsed"]
    assert "9tunebench0aa" not in rows(found, "statement", "statement_id")
    assert "9tunebench0aa" not in rows(found, "statement_text", "statement_id")
    assert rows(found, "fact", "scope", "name")["capture", "own_statements"]["value"] == "1"


def test_the_same_statements_before_and_after(one, rows):
    before = workload(seed=4, minutes=30)
    rewritten = before.statements[0].id
    after = before.later(minutes=375, factors={rewritten: {"elapsed_s": 0.1, "block_gets": 0.02}})
    first, second = (rows(one(report(top=30, workload=side)), "statement", "statement_id") for side in (before, after))
    assert set(first) == set(second)
    assert second[rewritten]["elapsed_s"] == round(first[rewritten]["elapsed_s"] * 0.1, 2)
    assert second[rewritten]["block_gets"] == round(first[rewritten]["block_gets"] * 0.02)
    unchanged = before.statements[1].id
    assert {key: value for key, value in first[unchanged].items() if key != "line"} == {
        key: value for key, value in second[unchanged].items() if key != "line"
    }
