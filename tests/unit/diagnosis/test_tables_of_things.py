"""What is asked of several things at once is what is asked of each alone."""

from __future__ import annotations

import numpy as np
import pytest

from tests.program import compose
from tests.unit.diagnosis.made_signals import SECOND_NS, MadeHost
from tunebench.analysis.expressions import judging
from tunebench.analysis.expressions.figures import Figure, Figures
from tunebench.diagnosis.rules.evaluation import Evaluation, evaluate, evaluate_each
from tunebench.diagnosis.rules.guards import Subject
from tunebench.diagnosis.signals.resolving import Thing
from tunebench.diagnosis.signals.streams import Stream, of_present
from tunebench.sdk.rules import Rule, RuleKind
from tunebench.usecases import services

THINGS, SAMPLES = 7, 90
WORDS = {"media", "io_pattern", "fs_type", "disk_interface", "raid_level", "disk_rpm", "raid_state"}


def shipped() -> list[Rule]:
    compose()
    return [rule for rule in services.current().plugins.rules() if rule.kind is not RuleKind.SCOPE and rule.levels]


def made(rule: Rule, random: np.random.Generator, length: int) -> dict[str, Figure]:
    """Figures about the limits that rules ask for, with gaps, nothing at all, zeros; a host's own one for all things."""
    values: dict[str, Figure] = {}
    for name in (*rule.metrics, *(each for scope in rule.scopes for each in scope.metrics)):
        if name in WORDS:
            values[name] = str(random.choice(["hdd", "ssd", "random", "zfs", ""]))
        elif name.startswith("is_"):
            values[name] = bool(random.random() < 0.5)
        else:
            rows = 1 if random.random() < 0.2 else THINGS
            members = (3,) if name.startswith("percpu") or name == "disks_util_pct" else ()
            scale = 10.0 ** random.integers(0, 4, size=(rows, *(1 for _ in members), 1))
            found = random.gamma(1.5, 0.6, (rows, *members, length)) * scale
            found[random.random(found.shape) < 0.1] = np.nan
            found[random.random(found.shape) < 0.1] = 0.0
            if rows > 1:
                found[-1] = np.nan
            values[name] = found
    return values


def alone(values: dict[str, Figure], place: int) -> dict[str, Figure]:
    return {
        name: value[place if len(value) > 1 else 0] if isinstance(value, np.ndarray) else value
        for name, value in values.items()
    }


def told(answer: Evaluation) -> tuple[object, ...]:
    words = (answer.outcome, answer.severity, answer.n, answer.n_held, answer.share, answer.stretches, answer.cautions)
    lists = answer.held.tolist(), answer.judged.tolist(), answer.zero_divisions, answer.seen_s, answer.missing
    return *words, *lists, answer.absent, answer.n_stretches


@pytest.mark.parametrize("length", [SAMPLES, 12])
def test_every_rule_says_of_things_together_what_it_says_of_each(length: int) -> None:
    random = np.random.default_rng(7)
    step_s = np.where(np.arange(length) == length // 2, 400, 20)  # a gap in the middle
    times = np.cumsum(step_s).astype(np.int64) * SECOND_NS
    held = judged = 0
    for rule in shipped():
        values = made(rule, random, length)
        system = rule.guard.os[0] if rule.guard.os else "linux"
        subject = Subject(system, media=str(values.get("media", "")))
        together = evaluate_each(rule, Figures(values, times, THINGS), subject)
        each = [evaluate(rule, Figures(alone(values, place), times), subject) for place in range(THINGS)]
        assert [told(one) for one in together] == [told(one) for one in each], rule.id
        held += sum(one.outcome == "held" for one in each)
        judged += sum(one.outcome.judged for one in each)
    assert held > 20 and judged - held > 50


def test_a_trend_is_looked_for_only_where_it_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[float] = []

    def rising(row: np.ndarray) -> float:
        asked.append(float(row[0]))
        return 1.0

    monkeypatch.setattr(judging, "_rise", rising)
    (rule,) = (each for each in shipped() if each.id == "X-DSK-02")  # busy, and a long queue, and that rising
    busy = np.full((3, SAMPLES), 99.0)
    busy[1] = 10.0
    queue = np.repeat([[5.0], [6.0], [0.5]], SAMPLES, axis=1)
    times = np.arange(SAMPLES, dtype=np.int64) * 60 * SECOND_NS
    answers = evaluate_each(rule, Figures({"util_pct": busy, "aqu_sz": queue}, times, 3), Subject("linux"))
    assert [answer.outcome.value for answer in answers] == ["held", "not_held", "not_held"]
    assert asked == [5.0]


def test_things_of_other_clocks_and_with_fewer_figures_are_tables_of_their_own() -> None:
    host = MadeHost()
    for device, start_s in (("sda", 0.0), ("sdb", 0.0), ("sdc", 5.0)):
        for way, rate in (("read", 3.0), ("write", 4.0)):
            if (device, way) != ("sdb", "write"):
                host.add("system.disk.operations", [rate] * 4, device=device, way=way, start_s=start_s)
    signals = host.signals
    groups = signals.groups("device", ["r_s", "w_s"])
    assert [[thing.name for thing in group.things] for group in groups] == [["sda"], ["sdb"], ["sdc"]]
    one, other = (_of(signals.stream("r_s", Thing("device", name))) for name in ("sda", "sdb"))
    assert one.times_ns is other.times_ns
    assert signals.stream("w_s", Thing("device", "sdb")) is None
    assert _of(signals.stream("iops", Thing("device", "sdc"))).values.tolist() == [7.0] * 4
    assert sorted(host.reads) == [1, 2, 3, 4, 5]


def _of(stream: Stream | None) -> Stream:
    assert stream is not None
    return stream


def test_a_figure_of_rows_leaves_out_what_is_missing() -> None:
    rows = np.array([[1.0, 2.0, 6.0], [np.nan, 2.0, 4.0], [np.nan] * 3])
    found = of_present(rows, lambda values: values.mean(axis=-1))
    assert found[:2].tolist() == [3.0, 3.0] and np.isnan(found[2])
    assert np.isnan(of_present(rows[:, :0], lambda values: values.mean(axis=-1))).all()
