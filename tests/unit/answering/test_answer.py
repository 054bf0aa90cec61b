"""The answer of whole projects: forty hosts, four weeks of AWR reports, the demo; in lines, as values, in both languages."""

from __future__ import annotations

import json
import re
from contextlib import closing
from dataclasses import replace
from decimal import Decimal
from math import exp, log
from pathlib import Path

import pytest

from tests.made import awr_weeks, pgbench
from tests.made.many_hosts import Truth, host_name
from tests.program import compose
from tests.unit.answering.made_answers import answered, awr_project, forty, imported, words
from tunebench.analysis.answering.answer import Chip, Kind, KindAnswer, Scope, TargetAnswer
from tunebench.analysis.answering.ranking import tiles
from tunebench.analysis.comparing.improvement import Change, Improvement
from tunebench.analysis.inference.verdict import Verdict
from tunebench.cli.main import run
from tunebench.columns.answering.changes import in_times
from tunebench.columns.answering.marks import plain
from tunebench.columns.answering.target_words import target_change_text
from tunebench.columns.column import Locale
from tunebench.domain.cycle.records import Figure, ManualSource, Metric
from tunebench.domain.engagement import Direction
from tunebench.domain.provenance import Judgement
from tunebench.usecases import projects
from tunebench.usecases.answering.chosen import windows_to_answer
from tunebench.usecases.answering.databases import every_database
from tunebench.usecases.comparing import compare, windows

FEWER = 14
MOST_LINES = 14


@pytest.fixture(scope="module")
def gained(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Truth]:
    return forty(tmp_path_factory.mktemp("forty"), dict.fromkeys(range(0, 3 * FEWER, 3), 0.6))


@pytest.fixture(scope="module")
def awr(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return awr_project(tmp_path_factory.mktemp("awr"))


def lines_of(path: Path, capsys: pytest.CaptureFixture[str], language: str = "en") -> list[str]:
    assert run(["compare", str(path), "--before", "before", "--after", "after", "--lang", language]) == 0
    return capsys.readouterr().out.splitlines()


# -- many of a kind ------------------------------------------------------------------------------------


def test_number_range_and_names_of_what_gained_are_those_of_the_captures(gained: tuple[Path, Truth]) -> None:
    path, truth = gained
    answer = answered(path)
    hosts = [host_name(number) for number in range(0, 3 * FEWER, 3)]
    kind = answer.headline
    assert isinstance(kind, KindAnswer) and kind.kind is Kind.HOSTS
    (group,) = kind.changed
    assert sorted(kind.of(member).resource.host for member in group.members) == hosts
    low, high = truth.range_pct(hosts)
    text = words(answer)
    assert f"14 of 40 hosts: CPU {low:.0f} to {high:.0f} % lower; the other 26" in text.headline
    assert text.many[1] == f"These are: {', '.join(hosts)}."
    assert answer.certainty.chip is Chip.RELATIVE
    mean = exp(sum(truth.changes[host] for host in hosts) / FEWER)
    assert exp(group.change) == pytest.approx(mean, rel=2e-3)
    korean = words(answer, "ko")
    assert f"서버 40대 중 14대: CPU 사용률 {low:.0f}~{high:.0f} % 낮아짐; 나머지 26대" in korean.headline


@pytest.mark.parametrize("planted", [5, 30])
def test_few_and_most_are_told_as_exactly(tmp_path: Path, planted: int) -> None:
    path, truth = forty(tmp_path, dict.fromkeys(range(planted), 0.6), seed=planted)
    low, high = truth.range_pct([host_name(number) for number in range(planted)])
    headline = words(answered(path)).headline
    assert headline.startswith(f"{planted} of 40 hosts: CPU ")
    if planted <= 20:  # of more the range is that of nine in ten
        assert f"CPU {low:.0f} to {high:.0f} % lower" in headline


def test_one_that_got_worse_among_forty_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, truth = forty(tmp_path, {23: 1.6})
    text = words(answered(path))
    (worse,) = text.worse
    times = exp(truth.changes["web23"])
    assert "CPU of web23" in plain(worse.text) and f"{times:.2f} times higher" in plain(worse.text)
    assert not worse.judged and "as a number only" in worse.text, "a day a side decides nothing of one host alone"
    assert any("web23" in line for line in lines_of(path, capsys)[:MOST_LINES])


def test_where_nothing_changed_nothing_is_told(tmp_path: Path) -> None:
    path, _ = forty(tmp_path, {}, sd=0.05)
    answer = answered(path)
    assert not any(kind.changed for kind in answer.kinds) and not any(worse.judged for worse in answer.worse)
    assert answer.certainty.chip is Chip.UNDECIDED


# -- statements ----------------------------------------------------------------------------------------


def test_every_planted_cause_stands_with_schema_and_amount_in_the_first_lines(
    awr: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["compare", str(awr), "--before", "before", "--after", "after", "--json"]) == 0
    causes = json.loads(capsys.readouterr().out)["answer"]["databases"][0]["causes"]
    own = {cause["ids"][0]: cause for cause in causes[:3]}
    assert set(own) == {awr_weeks.BY_PLAN, awr_weeks.BY_VOLUME, awr_weeks.WORSE}
    hour = 3600.0
    truth = {
        awr_weeks.BY_PLAN: ("behaviour", -0.9 * 800 / hour, awr_weeks.SHOP),
        awr_weeks.BY_VOLUME: ("volume", -0.75 * 600 / hour, awr_weeks.SHOP),
        awr_weeks.WORSE: ("behaviour", 2.0 * 150 / hour, awr_weeks.ERP),
    }
    for id_, (kind, amount, container) in truth.items():
        assert (own[id_]["kind"], own[id_]["container"]) == (kind, container)
        assert own[id_]["amount"] == pytest.approx(amount, rel=0.08), "drawn within 4 %"
    first = lines_of(awr, capsys)[:12]
    for id_, cause in own.items():
        line = next(line for line in first if f"{cause['amount']:+.3f}" in line)
        assert f"orders, {cause['container']}" in line
        assert (id_ in line) is (id_ != awr_weeks.WORSE), "where two read the same their ids tell them apart"


def test_the_statement_that_takes_longer_is_what_got_worse(awr: Path) -> None:
    text = words(answered(awr))
    assert "SELECT orders, ERP" in text.worse[0].text and text.worse[0].judged
    assert "--container ERP" in text.next[0].command


# -- the rule of what is named -------------------------------------------------------------------------


def test_swapping_before_and_after_names_the_same_figures(gained: tuple[Path, Truth], tmp_path: Path) -> None:
    path, _ = gained
    swapped = imported(tmp_path / "swapped.tune", path.parent / "captures", ("after", "before"))
    one, other = answered(path), answered(swapped)
    assert [figure.resource for figure in one.tiles] == [figure.resource for figure in other.tiles]
    assert {worse.subject.resource for worse in one.worse} or one.worse == ()  # type: ignore[union-attr]


def test_named_figures_do_not_depend_on_the_side_they_gained(gained: tuple[Path, Truth]) -> None:
    """The same of any verdicts: turned round, every gain is a loss."""
    turned = {Verdict.IMPROVED: Verdict.REGRESSED, Verdict.REGRESSED: Verdict.IMPROVED}
    figures = answered(gained[0]).figures
    for seed in range(200):
        own = [
            replace(figure, lead=replace(figure.lead, verdict=list(Verdict)[(seed * 7 + place * 3) % len(Verdict)]))
            for place, figure in enumerate(figures)
        ]
        other = [
            replace(figure, lead=replace(figure.lead, verdict=turned.get(figure.lead.verdict, figure.lead.verdict)))
            for figure in own
        ]
        assert [figure.resource for figure in tiles(own)] == [figure.resource for figure in tiles(other)]
        worst = [figure for figure in own if figure.lead.verdict is Verdict.REGRESSED]
        if worst:
            assert any(figure.lead.verdict is Verdict.REGRESSED for figure in tiles(own))


# -- the cycle -----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    compose()
    path = tmp_path_factory.mktemp("demo") / "demo.tune"
    pgbench.build(path)
    return path


def test_the_iteration_and_the_engagement_are_told_by_the_load_generators_own_figures(demo: Path) -> None:
    """pgbench itself said 363.490, 0.939 and 0.433 ms."""
    answer = answered(demo)
    text = words(answer)
    assert [own.name for own in answer.windows] == ["full-load 2", "full-load 3"]
    assert "363.48 → 0.433 ms, 839 times shorter" in plain(text.headline) and "full-load 1" in text.windows
    assert "0.939 → 0.433 ms, 2.17 times shorter" in plain(text.further[0])
    assert round(363.48 / 0.433) == 839, "the printed ratio is that of the printed values"
    assert text.further[1] == "The target value had been reached before this change."


@pytest.mark.parametrize(
    ("language", "never"), [("en", r"\b(met|better|fastest|same|improved)\b"), ("ko", "달성|개선|빨라짐|동일")]
)
def test_what_two_minutes_show_is_called_nothing_more(demo: Path, language: str, never: str) -> None:
    answer = answered(demo)
    text = words(answer, language)
    assert answer.certainty.chip is Chip.DESCRIPTIVE and text.chip.tone == "watch"
    for sentence in (text.headline, text.further[0], text.sure, *(worse.text for worse in text.worse)):
        assert not re.search(never, plain(sentence)), sentence


def test_every_front_counts_alike(demo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answer = answered(demo)
    assert sum(answer.counts.verdicts.values()) == answer.counts.resources
    assert answer.counts.resources == len(answer.figures) + len(answer.databases)
    command = ["compare", str(demo), "--before", "full-load 2", "--after", "full-load 3", "--json", "--lang", "en"]
    assert run(command) == 0
    made = json.loads(capsys.readouterr().out)["answer"]
    text = words(answer)
    assert made["counts"]["resources"] == answer.counts.resources
    for name in ("headline", "counts", "windows"):
        assert made["text"][name] == plain(getattr(text, name))


def test_no_resource_has_two_verdicts(demo: Path, gained: tuple[Path, Truth], awr: Path) -> None:
    for path in (demo, gained[0], awr):
        resources = [figure.resource for figure in answered(path).figures]
        assert len(resources) == len(set(resources))


# -- lines ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", ["en", "ko"])
def test_the_first_lines_say_it_and_are_few(
    gained: tuple[Path, Truth], awr: Path, capsys: pytest.CaptureFixture[str], language: str
) -> None:
    for path in (gained[0], awr):
        lines = lines_of(path, capsys, language)
        assert len(lines) <= MOST_LINES + 1  # and where the rows are
        assert lines[0] == plain(words(answered(path), language).headline)


def test_derived_figures_are_those_of_the_printed_ones(gained: tuple[Path, Truth]) -> None:
    path, truth = gained
    for figure in answered(path).figures:
        lead = figure.lead
        assert lead.native == "100 − %idle" and figure.derived is not None
        assert lead.before_statistics is not None and lead.after_statistics is not None
        assert lead.before_statistics.mean is not None and lead.after_statistics.mean is not None
        change = log(lead.after_statistics.mean / lead.before_statistics.mean)
        assert change == pytest.approx(truth.changes[figure.resource.host], abs=1e-9)


# -- of which windows ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "after", "elsewhere"), [("full-load 2", "full-load 3", False), ("fixed-rate 1", "fixed-rate 2", True)]
)
def test_a_price_of_other_windows_says_so(
    demo: Path, capsys: pytest.CaptureFixture[str], before: str, after: str, elsewhere: bool
) -> None:
    capsys.readouterr()
    assert run(["compare", str(demo), "--before", before, "--after", after, "--lang", "en"]) == 0
    (price,) = [line for line in capsys.readouterr().out.splitlines() if line.startswith("Price")]
    assert price.endswith("(of iteration 3, in other windows)") is elsewhere


def test_what_no_listed_statement_tells_of_is_named_where_it_is_the_most(
    demo: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Named causes and the others make the whole change, so that no reader takes a part for it."""
    answer = answered(demo)
    (database,) = answer.databases
    assert database.sessions is not None
    total = sum(cause.amount for cause in database.causes) + database.others[1]
    assert total == pytest.approx(database.sessions[1] - database.sessions[0])
    assert abs(database.others[1]) > max(abs(cause.amount) for cause in database.causes)
    why = words(answer).why
    assert why[1] == f"{database.others[1]:+.3f} all others and what no listed statement tells of"


def test_series_of_a_database_have_no_verdict_beside_its_own(awr: Path) -> None:
    with closing(projects.open_(awr, read_only=True)) as project:
        before, after = (windows.ready(project, own) for own in windows_to_answer(project) if own is not None)
        (database,) = every_database(project, before, after)
        rows = compare.compare(project, before, after, None, database).rows
    of_database = [row for row in rows if row.metric.startswith("db.server.") and row.measured_on_both]
    assert {row.led_by for row in of_database} == {database.after.database.label}
    assert {row.own_verdict for row in of_database} == {None}


def test_what_is_equal_is_called_the_same() -> None:
    locale = Locale("en")
    assert in_times(0.0, (-0.07, 0.08), "%", "", locale) == "the same as a number [0.93, 1.08]"
    assert in_times(0.2, (0.1, 0.3), "%", "", locale) == "1.22 times higher [1.11, 1.35]"


@pytest.mark.parametrize(("bound", "written"), [("<", "at least 6.55 times shorter"), ("", "6.56 times shorter")])
def test_of_a_bound_no_more_is_said_than_it_shows(bound: str, written: str) -> None:
    """590 / 90 = 6.5555..., which of a bound is cut and of a figure rounded."""
    metric = Metric(1, 1, "Batch", ManualSource(), "total", "s", Direction.LOWER)
    before, now = Figure(590.0), Figure(90.0, bound)
    change = Improvement(Change.CHANGED, Decimal(590) / 90, at_least=bool(bound))
    judgement = Judgement("cycle.target_state", "met")
    target = TargetAnswer(Scope.ITERATION, metric, before, now, change, 100.0, judgement)
    assert target_change_text(target, Locale("en")) == written
