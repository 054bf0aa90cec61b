"""Rules over runs that are odd: nothing measured, two samples, names nobody knows, a window, databases."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from tests.program import compose
from tests.unit.usecases import daily_captures as made
from tunebench.analysis.expressions.parsing import parse_expression
from tunebench.core.errors import UserError
from tunebench.domain.cycle.records import CauseDomain, Confidence
from tunebench.domain.engagement import Engagement, Phase
from tunebench.domain.finding import Severity
from tunebench.domain.windows import Occurrence, Window, run_window
from tunebench.sdk.rules import Guard, Level, Rule, RuleKind, Verified
from tunebench.store import runs
from tunebench.store.project import Project
from tunebench.usecases import projects
from tunebench.usecases.findings import diagnose, hosts
from tunebench.usecases.findings.diagnose import Diagnosis
from tunebench.usecases.importing import imports
from tunebench.usecases.importing.results import ImportOptions

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"


@pytest.fixture(scope="module", autouse=True)
def services() -> None:
    compose()


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with projects.create(tmp_path / "case.tune", Engagement("tuning", "ACME")) as made_project:
        yield made_project


def rule(id_: str, metrics: str, condition: str, **told: object) -> Rule:
    expression = parse_expression(condition)
    values: dict[str, object] = {
        "kind": RuleKind.JUDGEMENT,
        "levels": (Level(Severity.WARNING, expression),),
        "title": {"en": id_},
        "condition": {},
        "action": {},
        "domain": CauseDomain.SYSTEM,
        "resource": "cpu",
        "source": {"en": "made"},
        "confidence": Confidence.HIGH,
        "verified": Verified.READ,
        "expression": expression,
        **told,
    }
    return Rule(id=id_, pack="made", metrics=tuple(metrics.split()), **values)  # type: ignore[arg-type]


def take(project: Project, path: Path, run: str = "week", host: str = "db1") -> None:
    options = ImportOptions(run=run, host=host, zone="Asia/Seoul", start=datetime(2026, 7, 1), interval_s=5)
    report = imports.import_captures(project, [path], options)
    assert report.complete, [file.error for file in report.files]


def judged(project: Project, rules: Sequence[Rule], run: str = "week") -> Diagnosis:
    return diagnose.judge(project, run_window(projects.find_run(project, run).id), rules)


BUSY = rule("BUSY", "cpu_busy_pct", "cpu_busy_pct > 90", sustain=0.3)


def test_one_high_sample_of_many_is_no_finding(project: Project, tmp_path: Path) -> None:
    take(project, made.vmstat(tmp_path, "a.txt", rows=40, spike_at=20))
    found = judged(project, [BUSY])
    assert not found.findings
    (passed,) = found.passed
    assert passed.facts["cpu_busy_pct_worst"] == 100.0
    assert passed.share == pytest.approx(1 / 39)  # the first row is since boot


def test_two_samples_are_judged_and_called_few(project: Project, tmp_path: Path) -> None:
    take(project, made.vmstat(tmp_path, "a.txt", rows=3))
    found = judged(project, [rule("ANY", "cpu_busy_pct", "cpu_busy_pct >= 0")])
    (finding,) = found.findings
    assert finding.n == 2
    assert [caution.key for caution in finding.cautions] == ["few_samples"]


def test_names_that_nobody_knows_are_missing_everywhere(project: Project, tmp_path: Path) -> None:
    take(project, made.vmstat(tmp_path, "a.txt"))
    (one,) = judged(project, [rule("ODD", "no_such_figure", "no_such_figure > 1")]).not_judged
    assert (one.rule, one.reason, one.hosts) == ("ODD", "not_captured", ("db1",))
    assert [(each.signal, each.probes) for each in one.missing] == [("no_such_figure", ())]


def test_a_rule_that_always_divides_by_zero_says_so(project: Project, tmp_path: Path) -> None:
    take(project, made.vmstat(tmp_path, "a.txt"))
    (one,) = judged(project, [rule("ZERO", "run_queue cpu_steal_pct", "run_queue / cpu_steal_pct > 1")]).not_judged
    assert one.reason == "zero_division"


def test_a_window_is_all_that_is_judged(project: Project, tmp_path: Path) -> None:
    take(project, made.vmstat(tmp_path, "a.txt", rows=40, spike_at=20))
    run = projects.find_run(project, "week")
    whole = judged(project, [BUSY]).passed[0]
    assert run.first_ns is not None
    spike_ns = run.first_ns + 20 * 5_000_000_000
    found = diagnose.judge(project, run_window(run.id, spike_ns, spike_ns), [BUSY])
    (finding,) = found.findings
    assert (finding.n, whole.n) == (1, 39)
    before_it = diagnose.judge(project, run_window(run.id, None, run.first_ns - 1), [BUSY])
    assert before_it.not_judged[0].reason == "not_captured"


def test_a_run_that_does_not_exist_is_refused(project: Project) -> None:
    with pytest.raises(UserError, match="run_missing"):
        diagnose.judge(project, run_window(99), [BUSY])


def test_a_run_without_hosts_names_what_every_system_would_need(project: Project) -> None:
    runs.ensure_run(project, "week", Phase.BEFORE)
    found = judged(project, [BUSY])
    (one,) = found.not_judged
    assert {"solaris.vmstat", "linux.vmstat"} <= {probe for each in one.missing for probe in each.probes}
    assert found.use_table == () and found.ranking.reason == "nothing_measured"


def test_the_shift_of_runs_of_different_hosts_is_refused(project: Project, tmp_path: Path) -> None:
    take(project, made.vmstat(tmp_path, "a.txt", rows=60), run="one", host="db1")
    take(project, made.vmstat(tmp_path, "b.txt", rows=61), run="two", host="db2")
    one, two = (run_window(projects.find_run(project, run).id) for run in ("one", "two"))
    found = diagnose.shift(project, one, two)
    assert (found.shifted, found.reason) == (None, "other_hosts")
    same = diagnose.shift(project, one, one)
    assert same.shifted is None and same.reason == "before_below_threshold"


# -- databases -----------------------------------------------------------------------------------------

ORACLE = {"guard": Guard(databases=("oracle",)), "resource": "sessions"}


def test_rules_of_databases_are_judged_on_the_totals_of_the_period(project: Project) -> None:
    """awr_10g.html: db file sequential read; gets per execution of its first statement: from the report's own tables."""
    take(project, FIXTURES / "awr" / "awr_10g.html", host="")
    from tunebench.usecases.databases import sides

    run = projects.find_run(project, "week")
    record = sides.side(project, run.id).record
    assert record is not None
    table = record.table("wait_event")
    at = list(table.text("event")).index("db file sequential read")
    read_ms = 1000 * table.figure("time_s")[at] / table.figure("waits")[at]
    found = judged(
        project,
        [
            rule("READ", "db_file_seq_read_ms", f"db_file_seq_read_ms > {read_ms * 0.99}", **ORACLE),
            rule("SLOWER", "db_file_seq_read_ms", f"db_file_seq_read_ms > {read_ms * 1.01}", **ORACLE),
            rule("PG", "cache_hit_pct", "cache_hit_pct < 60", guard=Guard(databases=("postgresql",))),
        ],
    )
    (finding,) = found.findings
    assert finding.rule == "READ" and finding.scope == "database"
    assert finding.facts["db_file_seq_read_ms"] == pytest.approx(read_ms)
    assert finding.evidence[0].artefact_ids == (1,)
    assert [each.rule for each in found.passed] == ["SLOWER"]
    assert [each.rule for each in found.not_applicable] == ["PG"]


def test_processors_are_judged_by_what_the_database_counts_of_its_host(project: Project) -> None:
    """awr_10g.html prints BUSY_TIME 159,371 and IDLE_TIME 9,943,797 of 16 processors, and nothing else tells of them."""
    take(project, FIXTURES / "awr" / "awr_10g.html", host="")
    busy = 100 * 159_371 / (159_371 + 9_943_797)
    for condition, held in ((f"cpu_busy_pct > {busy - 0.001}", 1), (f"cpu_busy_pct > {busy + 0.001}", 0)):
        found = judged(project, [rule("BUSY", "cpu_busy_pct ncpu", f"{condition} and ncpu == 16")])
        assert (len(found.findings), len(found.passed)) == (held, 1 - held)


def test_statements_with_many_blocks_per_row_are_named(project: Project) -> None:
    take(project, FIXTURES / "awr" / "awr_10g.html", host="")
    found = judged(
        project, [rule("GETS", "gets_per_exec rows_per_exec", "gets_per_exec / max(rows_per_exec, 1) > 0", **ORACLE)]
    )
    assert found.findings
    assert all(each.scope == "statement" and each.attributes["statement"] for each in found.findings)
    assert len({each.key for each in found.findings}) == len(found.findings)


def test_without_any_database_its_rules_say_so(project: Project, tmp_path: Path) -> None:
    take(project, made.vmstat(tmp_path, "a.txt"))
    (one,) = judged(project, [rule("READ", "db_file_seq_read_ms", "db_file_seq_read_ms > 10", **ORACLE)]).not_judged
    assert (one.reason, one.missing[0].probes[0]) == ("no_database", "oracle.views")


def some_processors(path: Path, day: str, count: int) -> Path:
    """`sar -P 3 -q` of a host with `count` processors, of which one is listed and 4 threads run."""
    banner = f"Linux 5.4.0 (db1) \t06/{day}/20 \t_x86_64_\t({count} CPU)\n"
    one = "".join(f"12:53:{s:02} \t3 \t5.00 \t0.00 \t5.00 \t0.00 \t0.00 \t90.00\n" for s in range(21, 41))
    queue = "".join(f"12:53:{s:02} \t4 \t100 \t0.50 \t0.50 \t0.50 \t0\n" for s in range(21, 41))
    path.write_text(
        f"{banner}\n12:53:20 \tCPU \t%user \t%nice \t%system \t%iowait \t%steal \t%idle\n{one}\n"
        f"12:53:20 \trunq-sz \tplist-sz \tldavg-1 \tldavg-5 \tldavg-15 \tblocked\n{queue}",
        encoding="utf-8",
    )
    return path


QUEUE = rule("QUEUE", "run_queue ncpu", "run_queue > ncpu")


def test_a_list_of_some_processors_is_no_count(project: Project, tmp_path: Path) -> None:
    take(project, some_processors(tmp_path / "sar.txt", "01", 9))
    found = judged(project, [QUEUE])
    assert not found.findings and [each.facts["ncpu"] for each in found.passed] == [9]


def test_each_run_has_its_own_number_of_processors(project: Project, tmp_path: Path) -> None:
    """Two before, eight after: a run queue of 4 was one, and is none any more."""
    take(project, some_processors(tmp_path / "before.txt", "01", 2), "two")
    take(project, some_processors(tmp_path / "after.txt", "02", 8), "eight")
    assert [each.facts["ncpu"] for each in judged(project, [QUEUE], "two").findings] == [2]
    assert [each.facts["ncpu"] for each in judged(project, [QUEUE], "eight").passed] == [8]


def test_a_stretch_of_one_run_is_not_judged_on_the_samples_of_another(project: Project, tmp_path: Path) -> None:
    take(project, made.vmstat(tmp_path, "calm.txt", rows=40), "calm")
    take(project, made.vmstat(tmp_path, "busy.txt", rows=40, spike_at=20), "busy")
    calm, busy = (projects.find_run(project, run).id for run in ("calm", "busy"))
    tenth_ns = round(datetime(2026, 7, 1, 0, 0, 50, tzinfo=ZoneInfo("Asia/Seoul")).timestamp()) * 10**9
    both = Window(0, "", occurrences=(Occurrence(None, tenth_ns, calm), Occurrence(run_id=busy)))
    (host,) = hosts.measured_hosts(project, both)
    read = host.signals.reader([info.id for info in host.signals.series])
    counts = {info.run_id: len(data.times_ns) for info, data in zip(host.signals.series, read, strict=True)}
    assert counts[busy] == 40 and counts[calm] < 15
