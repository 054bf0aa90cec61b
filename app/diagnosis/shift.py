"""How the bottleneck moved from one run to another, and how far relieving it can carry at most."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from app.analysis.queueing.bottleneck import bottleneck
from app.analysis.queueing.laws import LITTLE_TOLERANCE, little_check
from app.diagnosis.ranking import STEADY_SHARE, Load, place_of, rank, resampled_tops
from app.diagnosis.signals.resolving import HostSignals, Thing
from app.diagnosis.signals.streams import Numbers, onto, spacing_ns
from app.domain.finding import DataCheck, Ranking, ResourceScore, Shift


def compare_rankings(before: Sequence[Load], after: Sequence[Load], checks: Sequence[DataCheck] = ()) -> Shift:
    """The bottleneck has moved where both sides have a clear one, they differ, and they do so in 95 % of the draws."""
    first, second = rank(before), rank(after)
    gain, next_limit = gain_bound(before, first)
    reason = "other_hosts" if _of_other_hosts(before, after) else _unclear(first, second)
    confidence = None if reason in ("nothing_measured", "other_hosts") else _confidence(before, after, first, second)
    if reason:
        return Shift(first, second, None, reason, confidence, gain, next_limit, tuple(checks))
    assert first.top is not None and second.top is not None
    moved = _key(first.top) != _key(second.top)
    if moved and (confidence is None or confidence < STEADY_SHARE):
        return Shift(first, second, None, "not_steady", confidence, gain, next_limit, tuple(checks))
    return Shift(first, second, moved, "", confidence, gain, next_limit, tuple(checks))


def _of_other_hosts(before: Sequence[Load], after: Sequence[Load]) -> bool:
    one, other = {load.host for load in before}, {load.host for load in after}
    return bool(one and other) and not one & other


def _unclear(first: Ranking, second: Ranking) -> str:
    if first.top is None or second.top is None:
        return "nothing_measured"
    if not first.clear:
        return f"before_{first.reason}"
    return "" if second.clear else f"after_{second.reason}"


def _key(score: ResourceScore) -> tuple[str, str, str]:
    return score.host, score.resource, score.name


def _confidence(before: Sequence[Load], after: Sequence[Load], first: Ranking, second: Ranking) -> float | None:
    """Share of the draws in which each side's first one is first; both sides are drawn independently."""
    drawn_before, drawn_after = resampled_tops(before), resampled_tops(after, seed=20080226)
    if drawn_before is None or drawn_after is None or first.top is None or second.top is None:
        return None
    held = (drawn_before == place_of(before, first.top)) & (drawn_after == place_of(after, second.top))
    return float(held.mean())


def gain_bound(found: Sequence[Load], ranking: Ranking) -> tuple[float | None, ResourceScore | None]:
    """The most that throughput can grow when only the first resource is relieved, and what limits it then.

    X <= min m / D and D = U m / X (utilisation law), so that the bound is U of the first over U of the next,
    both as means; no throughput need be known.
    """
    if ranking.bottleneck is None or len(ranking.scores) < 2:
        return None, None
    means = {_name(load): float(np.nanmean(load.utilisation)) for load in found if _used(load)}
    top = "/".join(_key(ranking.bottleneck))
    if top not in means or len(means) < 2 or means[top] <= 0:
        return None, None
    relieved = {**means, top: 0.0}
    outcome = bottleneck(means, relieved)
    if outcome.before.name != top or outcome.gain is None:
        return None, None
    following = next((each for each in ranking.scores if "/".join(_key(each)) == outcome.after.name), None)
    return outcome.gain, following


def _name(load: Load) -> str:
    return f"{load.host}/{load.resource}/{load.thing.name}"


def _used(load: Load) -> bool:
    """How much of memory is in use follows no throughput."""
    return load.resource != "memory" and bool((~np.isnan(load.utilisation)).any())


# -- are the figures sound -----------------------------------------------------------------------------


_FEWEST_CHECKED = 3
"""Samples below which a deviation accuses no capture."""
_LAWS = (
    # N = X R: what is below one request in the system says little of the capture
    ("little", "iops", "await_ms", "aqu_sz", 1.0, 1.0),
    # U = X S of one server; below 5 % the same holds of the percentage
    ("utilisation", "iops", "svctm", "util_pct", 0.01, 0.05),
)
"""Law, rate per second, time in ms, what their product must be, its factor, and the least of it that is judged."""


def data_checks(signals: HostSignals) -> list[DataCheck]:
    """Little's law and the utilisation law on every device that has the figures.

    A violation means a bad capture, or one line that stands for several devices.
    """
    found = []
    for thing in signals.things("device"):
        for law, *names, scale, least in _LAWS:
            check = _check(signals, thing, [str(name) for name in names], scale, least)
            if check is not None:
                found.append(DataCheck(law, signals.host, "disk", thing.name, *check))
    return found


def _step(values: Numbers) -> float:
    """The last digit to which figures are printed: 1, 0.1 or 0.01; 0 where they are finer."""
    present = values[np.isfinite(values)]
    for step in (1.0, 0.1, 0.01):
        if np.allclose(present, np.round(present / step) * step, rtol=0, atol=1e-9):
            return step
    return 0.0


def _check(
    signals: HostSignals, thing: Thing, names: Sequence[str], scale: float, least: float
) -> tuple[float, int, bool] | None:
    """Median deviation, number of samples, and whether that is more than rounding explains.

    None where a figure is missing or nothing is large enough.
    """
    streams = [stream for name in names if (stream := signals.stream(name, thing)) is not None]
    if len(streams) < len(names):
        return None
    base = streams[0]
    rate, time_ms, product = (onto(stream, base.times_ns, spacing_ns(base)) for stream in streams)
    judged = np.where(product * scale >= least, product * scale, np.nan)
    plain = little_check(rate, time_ms / 1000, judged)
    if not plain.judged:
        return None
    # as near to the law as the printed digits leave room for: what rounding explains is no violation
    room_ms, room = _step(time_ms) / 2, _step(product) / 2
    with np.errstate(invalid="ignore", divide="ignore"):
        time_s = np.clip(product * scale / rate, (time_ms - room_ms) / 1000, (time_ms + room_ms) / 1000)
    number = np.clip(rate * time_s / scale, product - room, product + room)
    best = little_check(rate, time_s, np.where(np.isnan(judged), np.nan, number * scale))
    violated = float(np.nanmedian(best.deviation)) > LITTLE_TOLERANCE and plain.judged >= _FEWEST_CHECKED
    return float(np.nanmedian(plain.deviation)), plain.judged, violated
