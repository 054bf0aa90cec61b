"""A database in two runs: what is compared with what, with which warnings, and how that is said."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from tests.program import compose
from tests.store import cases
from tests.store.database_cases import IDENTITY, MINUTE_NS, counters, period, statements, store, table
from tunebench.analysis.databases.record import DatabaseRecord, FigureTable
from tunebench.cli.main import run as run_verb
from tunebench.core.errors import UserError
from tunebench.core.messages import catalogue
from tunebench.domain.databases.choices import LicenceConfirmation
from tunebench.domain.databases.records import Fault, Moment
from tunebench.domain.engagement import Phase
from tunebench.store import runs
from tunebench.store.project import Project
from tunebench.usecases.databases import comparison, sides, snapshots
from tunebench.usecases.databases.choices import (
    add_link,
    confirm_licence,
    link_statements,
    list_confirmations,
    remove_link,
)
from tunebench.usecases.databases.comparison import DatabaseComparison
from tunebench.usecases.databases.sides import Caution
from tunebench.usecases.databases.words import caution_text

SEOUL = ZoneInfo("Asia/Seoul")
WEEK = 7 * 1440


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    compose()
    with cases.new_project(tmp_path) as opened:
        runs.ensure_run(opened, "before", Phase.BEFORE)
        runs.ensure_run(opened, "after", Phase.AFTER)
        yield opened


@pytest.fixture
def licensed(project: Project) -> Project:
    """Made periods are of AWR, for which a licence is confirmed here."""
    confirm_licence(project, LicenceConfirmation(0, "oracle.diagnostics_pack", "", "", "Lee", "order 4711"))
    return project


def keys(found: DatabaseComparison) -> list[str]:
    return [caution.key for caution in found.cautions]


def pair(project: Project, minutes: float = 30) -> None:
    """Snapshots around half an hour, and a week later around `minutes`: q1 ran 100 times as often, 10 times as fast."""
    store(
        project,
        counters(0, statements(q1=(5, 50.0), q2=(1, 1.0))),
        counters(30, statements(q1=(15, 150.0), q2=(2, 2.0))),
    )
    later = (
        counters(WEEK, statements(q1=(100, 400.0), q2=(50, 50.0))),
        counters(WEEK + minutes, statements(q1=(1100, 1400.0), q2=(52, 54.0))),
    )
    store(project, *later, run="after")


def test_two_sides_of_one_database(project: Project) -> None:
    pair(project)
    found = comparison.compare(project, 1, 2)
    rows = {row.pair.before_ids[0]: row for row in found.statements.rows()}
    first = rows["q1"]
    assert (first.before_executions, first.after_executions) == (10.0, 1000.0)
    assert (first.changes["elapsed_s"].before_each, first.changes["elapsed_s"].after_each) == (10.0, 1.0)
    assert first.changes["elapsed_s"].impact == -9.0 * 10, "no more is saved than the 100 s that it took before"
    assert (first.outcome, rows["q2"].outcome) == ("improved", "insufficient_data"), "10 times, and of one execution"
    assert rows["q2"].changes["elapsed_s"].impact == 1.0 * 2
    assert keys(found) == []


def test_half_an_hour_against_six_is_said(project: Project) -> None:
    pair(project, 375)
    found = comparison.compare(project, 1, 2)
    (caution,) = found.cautions
    assert (caution.key, caution.facts) == ("period_lengths_differ", {"before_s": 1800.0, "after_s": 22500.0})
    assert "0:30:00" in caution_text(caution, "ko", SEOUL)
    assert "6:15:00" in caution_text(caution, "en", SEOUL)


@pytest.mark.parametrize(("minutes", "warned"), [(33, False), (33.4, True), (27.1, False), (26.9, True)])
def test_lengths_may_differ_by_a_tenth(project: Project, minutes: float, warned: bool) -> None:
    pair(project, minutes)
    assert ("period_lengths_differ" in keys(comparison.compare(project, 1, 2))) is warned


@pytest.mark.parametrize(
    ("shift", "expected"),
    [
        (WEEK, []),
        (1440, ["period_weekdays_differ"]),
        (WEEK + 59, []),
        (WEEK + 60, ["period_hours_differ"]),
        (WEEK - 30, []),
        (WEEK - 90, ["period_hours_differ"]),
        (WEEK + 15 * 60, ["period_weekdays_differ", "period_hours_differ"]),  # midnight in Seoul is 15:00 UTC
    ],
)
def test_other_days_and_hours_are_said(licensed: Project, shift: int, expected: list[str]) -> None:
    base = period(0, 60, statements(a=(1, 1.0)))
    store(licensed, base)
    store(licensed, period(shift, shift + 60, statements(a=(1, 1.0))), run="after")
    assert keys(comparison.compare(licensed, 1, 2)) == expected


def test_other_machines_and_versions_are_said(licensed: Project) -> None:
    base = period(0, 60, statements(a=(1, 1.0)))
    bigger = replace(IDENTITY, engine="oracle", cpu_count=64, version="19.28", db_id="99", memory_bytes=2.0**37)
    store(licensed, replace(base, identity=replace(base.identity, memory_bytes=2.0**36)))
    store(licensed, replace(period(WEEK, WEEK + 60, statements(a=(1, 1.0))), identity=bigger), run="after")
    found = comparison.compare(licensed, 1, 2)
    assert keys(found) == ["cpu_count_differs", "version_differs", "memory_bytes_differs", "other_database"]
    for caution in found.cautions:
        for language in ("ko", "en"):
            assert "{" not in caution_text(caution, language, SEOUL)
    assert "128.0 GiB" in caution_text(found.cautions[2], "ko", SEOUL)


@pytest.mark.parametrize(("db_time_s", "warned"), [(None, False), (19.0, False), (21.0, True)])
def test_statements_that_explain_little_of_the_time_are_said(
    licensed: Project, db_time_s: float | None, warned: bool
) -> None:
    store(licensed, replace(period(0, 60, statements(a=(1, 10.0))), db_time_s=db_time_s))
    store(licensed, period(WEEK, WEEK + 60, statements(a=(1, 10.0))), run="after")
    found = comparison.compare(licensed, 1, 2)
    assert keys(found) == (["coverage_low"] if warned else [])
    if warned:  # 10 of 21 s; what is not known stays so
        assert "47.6 %" in caution_text(found.cautions[0], "ko", SEOUL)
        assert "?" in caution_text(found.cautions[0], "en", SEOUL)


def test_every_warning_has_a_sentence(project: Project) -> None:
    store(project, period(60, 120, statements(a=(3, 4.0))).with_faults(Fault.RESTART), name="bad.html")
    store(project, period(0, 60, statements(a=(2, 10.0))), period(0, 60, statements(b=(2, 1.0)), "statspack"))
    store(project, period(120, 180, statements(c=(2, 10.0)), "statspack"), name="sp.lst")
    store(project, counters(0, {}), counters(30, {}, started_ns=cases.START_NS + MINUTE_NS), name="pg")
    told = [caution for one in snapshots.databases(project) for caution in sides.side(project, 1, one).cautions]
    assert {caution.key for caution in told} == {
        "period_left_out",
        "period_overlaps",
        "sources_mixed",
        "no_valid_period",
    }
    for caution in told:
        for language in ("ko", "en"):
            sentence = caution_text(caution, language, SEOUL)
            assert "⟨" not in sentence and "{" not in sentence
    faults = [Caution(f"fault_{fault}") for fault in Fault]
    assert not [fault for fault in faults for language in ("ko", "en") if "⟨" in caution_text(fault, language, SEOUL)]


def test_without_a_valid_period_there_is_no_comparison(project: Project) -> None:
    store(project, counters(0, {}), counters(30, {}, started_ns=cases.START_NS + MINUTE_NS))
    store(project, counters(0, {}), counters(30, {}), run="after")
    with pytest.raises(UserError, match="database_no_valid_period"):
        comparison.compare(project, 1, 2)


@pytest.mark.parametrize("reset", [0, None])
def test_two_single_snapshots_of_which_one_contains_the_other_are_not_compared(
    project: Project, reset: int | None
) -> None:
    """23 calls until noon, 113 a day later: 90 of them are after. The totals since the reset are no window."""
    moments = {"reset_ns": None if reset is None else cases.START_NS}
    store(project, counters(30, statements(q1=(23, 2.3)), **moments))
    store(project, counters(1440, statements(q1=(113, 11.3)), **moments), run="after")
    with pytest.raises(UserError) as refused:
        comparison.compare(project, 1, 2)
    assert refused.value.key == "database_one_snapshot"
    for language, wanted in (("en", "Take two snapshots on either side"), ("ko", "스냅샷을 두 번 수집하십시오")):
        assert wanted in catalogue(language).text("error.database_one_snapshot", **refused.value.facts)


def test_a_single_snapshot_is_a_period_where_the_counters_began_anew(project: Project) -> None:
    """Reset after the first: what is after holds nothing of before."""
    store(project, counters(30, statements(q1=(23, 2.3)), reset_ns=cases.START_NS))
    later = cases.START_NS + 600 * MINUTE_NS
    store(project, counters(660, statements(q1=(113, 11.3)), reset_ns=later), run="after")
    assert comparison.compare(project, 1, 2).statements.pairs


def test_exports_whose_counters_fell_are_of_different_times(project: Project) -> None:
    """Nothing tells when they were reset, but 816 s cannot become 1.5 s otherwise."""
    nowhen = {"time_ns": None, "started_ns": None}
    store(project, counters(0, statements(q1=(7912, 816.7), q2=(7912, 0.3)), **nowhen))
    store(project, counters(0, statements(q1=(7972, 1.5), q2=(7972, 0.4)), **nowhen), run="after")
    assert comparison.compare(project, 1, 2).statements.pairs


def test_which_database_is_compared_may_be_said(project: Project) -> None:
    base = period(0, 60, statements(a=(1, 1.0)))
    for run, shift in (("before", 0), ("after", WEEK)):
        for name in ("X", "Y") if run == "before" else ("Z", "W"):
            moved = period(shift, shift + 60, statements(a=(1, 1.0)))
            store(project, replace(moved, identity=replace(base.identity, db_id="", name=name)), run=run, name=name)
    with pytest.raises(UserError, match="database_unclear"):
        comparison.compare(project, 1, 2)
    with pytest.raises(UserError, match="database_unclear"):
        comparison.compare(project, 1, 2, "X")
    found = comparison.compare(project, 1, 2, "x", "w")
    assert (found.before.database.identity.name, found.after.database.identity.name) == ("X", "W")


def test_a_rewritten_statement_is_compared_by_a_persons_word(project: Project) -> None:
    other = table("statement", {"statement_id": ["fast"]}, executions=[10.0], elapsed_s=[1.0], rows=[10.0])
    text = table("statement_text", {"statement_id": ["fast"], "text": ["SELECT /*+ 힌트 */ other FROM elsewhere"]})
    store(project, period(0, 60, statements(slow=(10, 500.0))))
    store(project, period(WEEK, WEEK + 60, {"statement": other, "statement_text": text}), run="after")
    assert {row.outcome for row in comparison.compare(project, 1, 2).statements.rows()} <= {"new", "gone", "unknown"}
    kept = link_statements(project, "oracle", " slow", "fast ", "이영진", "힌트를 넣음")
    (row,) = comparison.compare(project, 1, 2).statements.rows()
    assert (row.outcome, row.pair.method, row.changes["elapsed_s"].ratio) == ("improved", "manual", 500.0)
    assert row.pair.links[0].author == "이영진"
    gone = remove_link(project, kept.id)
    assert len(comparison.compare(project, 1, 2).statements) == 2
    add_link(project, gone)
    assert len(comparison.compare(project, 1, 2).statements) == 1
    with pytest.raises(UserError, match="statement_link_empty"):
        link_statements(project, "oracle", "slow", " ")


def test_a_licence_is_confirmed_by_somebody_on_some_evidence(project: Project) -> None:
    given = LicenceConfirmation(0, "oracle.diagnostics_pack", "db1", "ORCL", "박과장", "계약 2026-114")
    kept = confirm_licence(project, given)
    assert list_confirmations(project) == [kept]
    for bad in (replace(given, confirmed_by=" "), replace(given, evidence="")):
        with pytest.raises(UserError, match="licence_without_name"):
            confirm_licence(project, bad)


# -- on the command line -------------------------------------------------------------------------------


def answer(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = run_verb(words)
    out = capsys.readouterr()
    return code, out.out, out.err


def test_counters_are_compared_on_the_command_line(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    """3,600 reads of a file in half an hour, and 900 in the half hour a week later: 2 and 0.5 a second."""

    def snapshot(minute: float, reads: float) -> DatabaseRecord:
        file = {"kind": ["file"], "name": ["innodb_data_file"], "file": ["/data/ibdata1"]}
        return counters(minute, {**statements(q1=(1 + minute, 1.0 + minute)), "io": table("io", file, reads=[reads])})

    store(project, snapshot(0, 100), snapshot(30, 3700))
    store(project, snapshot(WEEK, 5000), snapshot(WEEK + 30, 5900), run="after")
    project.close()
    wanted = ("compare", str(project.path), "--rows", "--before", "before", "--after", "after")
    code, out, _err = answer(capsys, *wanted, "--counters", "io")
    (line,) = [line for line in out.splitlines() if "innodb_data_file /data/ibdata1" in line]
    assert code == 0 and line.split()[2:] == ["reads", "/s", "2.000", "0.500", "0.250x", "file"]
    assert "segment" in answer(capsys, *wanted, "--counters", "segment")[1].splitlines()[-1]
    (told,) = json.loads(answer(capsys, *wanted, "--json")[1])["statements"]["profile"]["counters"]["io"]
    assert (told["statistic"], told["before"], told["after"]) == ("reads", 2.0, 0.5)


def test_fisher_stands_between_the_two_that_it_is_made_of(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    """q1 alone: 10 s each at first, 1 s later, 10 and 1,000 times; q2: 1 s and 2 s, once and twice."""
    pair(project)
    project.close()
    wanted = ("compare", str(project.path), "--before", "before", "--after", "after", "--json")
    told = json.loads(answer(capsys, *wanted)[1])["statements"]
    laspeyres, paasche = (100 + 1) / (10 + 2), (10_000 + 2) / (1000 + 4)
    assert (told["laspeyres"], told["paasche"]) == pytest.approx((laspeyres, paasche))
    assert told["fisher"] == pytest.approx((laspeyres * paasche) ** 0.5)


def test_the_change_of_db_time_is_explained(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    """Half an hour of 1,800 s, then of 900: q1 ran as often at a third of the time, and 100 s went elsewhere."""
    work = ((0, 1800.0, (300, 1200.0)), (WEEK, 900.0, (300, 400.0)))
    for run, (minute, db_time_s, q1) in zip(("before", "after"), work, strict=True):
        store(project, replace(period(minute, minute + 30, statements(q1=q1)), db_time_s=db_time_s), run=run)
    project.close()
    wanted = ("compare", str(project.path), "--rows", "--before", "before", "--after", "after")
    told = json.loads(answer(capsys, *wanted, "--json")[1])["statements"]["explained"]
    assert (told["basis"], told["before"], told["after"]) == ("per_second", 1.0, 0.5)
    assert told["at_equal_work"] == pytest.approx(0.5 + 800 / 1800)
    steps = {(step["kind"], step["statement"]): step["amount"] * 1800 for step in told["steps"]}
    assert steps == pytest.approx({("rest", None): -100, ("behaviour", "q1"): -800})
    out = answer(capsys, *wanted)[1]
    assert "1.000 before, 0.500 after (-0.500)" in out and "would be 0.944" in out
    (line,) = [line for line in out.splitlines() if line.startswith("time per execution")]
    assert line.split()[3:] == ["SELECT", "q1", "·", "q1", "-0.444"]  # by its text, where that is known


def test_the_verbs(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    pair(project, 375)
    project.close()
    path = str(project.path)
    link = ("databases", path, "--link", "postgresql", "a", "b", "--by", "이영진", "--note", "다시 씀", "--json")
    code, out, err = answer(capsys, *link)
    assert (code, json.loads(out)["links"][0]["note"]) == (0, "다시 씀")
    code, out, err = answer(capsys, *link)
    assert (code, out) == (3, "")
    code, out, err = answer(capsys, "databases", path, "--unlink", "1", "--json")
    assert (code, json.loads(out)["links"]) == (0, [])
    answer(capsys, *link)
    code, out, err = answer(capsys, "statements", path, "--run", "before", "--json")
    rows = {row["id"]: row for row in json.loads(out)}
    assert (code, list(rows)) == (0, ["q1", "q2"])
    expected = {
        "engine": "postgresql", "executions": 10, "elapsed_s": 100.0, "rows": 10, "cpu_s": None, "block_gets": None,
        "block_reads": None, "text": "SELECT '힌트' FROM q1", "plan": None, "users": ["상담원"], "module": None,
    }  # fmt: skip
    assert {name: rows["q1"][name] for name in expected} == expected
    assert rows["q1"]["per_execution"]["elapsed_s"] == 10.0
    code, out, err = answer(capsys, "compare", path, "--before", "before", "--after", "after", "--json")
    found = json.loads(out)["statements"]
    assert (code, found["warnings"][0]["key"]) == (0, "period_lengths_differ")
    assert found["elapsed"] == {"before_s": 101.0, "after_s": 1004.0, "ratio": 101.0 / 1004.0}
    assert found["rows"][0]["class"] == "improved"
    assert (found["rows"][0]["impact_s"], found["rows"][0]["ratio"]) == (-90.0, 10.0)
    assert found["rows"][0]["before"]["id"] == "q1"
    # more executions: 990 at 1 s and one at 1 s; then 9 s less for each of the 10 before, and 1 s more for each of 2
    assert found["decomposition"]["elapsed_s"]["volume"] == 990.0 * 1.0 + 1.0, "at what it takes now"
    assert found["decomposition"]["elapsed_s"]["behaviour"] == -90.0 + 2.0
    # at the executions before: 101 s against 12 s; at those after: 10002 s against 1004 s
    assert found["fisher"] == pytest.approx((101 / 12 * 10002 / 1004) ** 0.5)
    code, out, err = answer(capsys, "statements", path, "--run", "before", "--source", "pg_stat_statements", "--json")
    assert (code, [row["id"] for row in json.loads(out)]) == (0, ["q1", "q2"])
    code, out, err = answer(capsys, "statements", path, "--run", "before", "--source", "awr_html", "--json")
    assert (code, json.loads(out)) == (0, [])
    code, out, err = answer(capsys, "databases", path, "--json")
    listed = json.loads(out)
    assert [(each["run"], len(each["snapshots"]), each["periods"][0]["elapsed_s"]) for each in listed["databases"]] == [
        ("before", 2, 1800.0),
        ("after", 2, 22500.0),
    ]
    assert listed["links"][0]["author"] == "이영진"
    code, out, err = answer(capsys, "databases", path, "--sessions", "--json")
    assert code == 0 and [each["sessions"] for each in json.loads(out)["databases"]] == [None, None]  # no DB time
    for language, words in (("ko", "실행당"), ("en", "s/exec")):
        code, out, err = answer(capsys, "statements", path, "--run", "after", "--lang", language)
        assert code == 0 and words in out and "q1" in out
        code, out, err = answer(
            capsys, "compare", path, "--rows", "--before", "before", "--after", "after", "--lang", language
        )
        assert code == 0 and "6:15:00" in err and "-90.000" in out
        code, out, err = answer(capsys, "databases", path, "--lang", language)
        assert code == 0 and "postgresql:7302145@db1" in out and "⟨" not in out


def tenants(**figures: tuple[float, float]) -> dict[str, FigureTable]:
    """``a=(executions, elapsed_s)`` of one digest in each schema."""
    rows = table(
        "statement",
        {"statement_id": ["d1"] * len(figures), "container": [f"tenant_{name}" for name in figures]},
        executions=[each[0] for each in figures.values()],
        elapsed_s=[each[1] for each in figures.values()],
    )
    return {
        "statement": rows,
        "statement_text": table("statement_text", {"statement_id": ["d1"], "text": ["SELECT 1"]}, complete=[1]),
    }


def test_the_command_line_tells_the_containers_apart(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    store(project, counters(0, tenants(a=(0, 0.0), b=(0, 0.0))), counters(30, tenants(a=(40, 0.554), b=(40, 0.00312))))
    store(
        project,
        counters(WEEK, tenants(a=(0, 0.0), b=(0, 0.0))),
        counters(WEEK + 30, tenants(a=(40, 0.00136), b=(40, 0.4732))),
        run="after",
    )
    path = str(project.path)
    project.close()
    _, out, _ = answer(capsys, "compare", path, "--before", "before", "--after", "after", "--json")
    rows = {row["after"]["container"]: row for row in json.loads(out)["statements"]["rows"]}
    assert {name: (row["class"], row["before"]["container"]) for name, row in rows.items()} == {
        "tenant_a": ("improved", "tenant_a"),
        "tenant_b": ("regressed", "tenant_b"),
    }
    assert rows["tenant_b"]["figures"]["elapsed_s"]["after_each"] == pytest.approx(0.4732 / 40)
    _, out, _ = answer(capsys, "compare", path, "--rows", "--before", "before", "--after", "after", "--lang", "en")
    (shown,) = [line for line in out.splitlines() if "tenant_b" in line and line.startswith("regressed")]
    assert "regressed" in shown and "0.011830" in shown and "container" in out
    _, out, _ = answer(capsys, "statements", path, "--run", "after", "--json")
    assert {row["container"]: row["per_execution"]["elapsed_s"] for row in json.loads(out)} == pytest.approx(
        {"tenant_a": 0.00136 / 40, "tenant_b": 0.4732 / 40}
    )
    _, out, _ = answer(capsys, "statements", path, "--run", "after", "--lang", "en")
    assert re.findall(r"tenant_\w", out) == ["tenant_b", "tenant_a"]


def test_seconds_per_execution_are_of_the_rows_that_report_both(
    project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    """5 s of 10 executions are 0.5 s, whatever another report says of 90 more; one container needs no column."""
    store(
        project,
        period(
            0,
            60,
            {
                "statement": table(
                    "statement", {"statement_id": ["q9"], "container": ["app"]}, executions=[10], elapsed_s=[5.0]
                )
            },
        ),
    )
    later = table("statement", {"statement_id": ["q9"], "container": ["app"]}, executions=[90], block_gets=[180])
    store(project, period(60, 120, {"statement": later}), name="later.html")
    project.close()
    _, out, _ = answer(capsys, "statements", str(project.path), "--run", "before", "--lang", "en")
    assert out.splitlines()[0].split() == [
        "statement",
        "executions",
        "elapsed",
        "(s)",
        "s/exec",
        "blocks",
        "rows",
        "SQL",
        "id",
        "text",
    ]
    assert next(line for line in out.splitlines() if line.startswith("q9")).split()[1:4] == ["100", "5.000", "0.500000"]


def test_a_side_without_a_valid_period_is_partly_done(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    store(project, counters(0, {}), counters(30, {}, started_ns=cases.START_NS + MINUTE_NS))
    store(project, replace(counters(0, {}), end=Moment()), counters(30, {}), run="after")
    project.close()
    code, out, err = answer(
        capsys, "compare", str(project.path), "--before", "before", "--after", "after", "--json", "--lang", "en"
    )
    assert code == 4
    assert "no valid period" in json.loads(out)["statements"]["error"]
    assert "no valid period" in err


def test_a_lock_queue_at_a_snapshot_inside_counts_with_its_capture(project: Project) -> None:
    """Three snapshots, each a capture of its own: the queue is seen at the second and the third."""

    def queue(samples: float) -> dict[str, FigureTable]:
        seen = table("lock_wait", {"event": ["tuple"], "statement_id": ["q1"], "holder": ["29"]}, samples=[samples])
        return {**statements(q1=(0, 0.0)), "lock_wait": seen}

    for minute, tables in ((0, statements(q1=(0, 0.0))), (30, queue(2.0)), (60, queue(3.0))):
        store(project, counters(minute, tables), name=f"{minute}.txt")
    own = sides.side(project, 1)
    assert own.record is not None
    assert own.record.table("lock_wait").figure("samples").tolist() == [5.0]
    assert len(own.artefacts["lock_wait"]) == 2
