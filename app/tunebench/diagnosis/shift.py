"""How the bottleneck moved from one run to another, and how far relieving it can carry at most."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from tunebench.analysis.queueing.bottleneck import bottleneck
from tunebench.analysis.queueing.laws import LITTLE_TOLERANCE, little_check
from tunebench.diagnosis.ranking import STEADY_SHARE, Load, place_of, rank, resampled_tops
from tunebench.diagnosis.signals.resolving import Group, HostSignals
from tunebench.diagnosis.signals.streams import Numbers, in_blocks, median, of_present
from tunebench.domain.finding import DataCheck, Ranking, ResourceScore, Shift


def compare_rankings(
    before: Sequence[Load],
    after: Sequence[Load],
    checks: Sequence[DataCheck] = (),
    ranked: tuple[Ranking, Ranking] | None = None,
) -> Shift:
    """The bottleneck has moved where both sides have a clear one, they differ, and they do so in 95 % of the draws.

    Args:
        ranked: the ranking of either side, where somebody has them already.
    """
    drawn = resampled_tops(before)
    first, second = ranked or (rank(before, drawn), rank(after))
    gain, next_limit = gain_bound(before, first)
    reason = "other_hosts" if _of_other_hosts(before, after) else _unclear(first, second)
    confidence = (
        None if reason in ("nothing_measured", "other_hosts") else _confidence(before, after, drawn, first, second)
    )
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


def _confidence(
    before: Sequence[Load],
    after: Sequence[Load],
    drawn_before: NDArray[np.intp] | None,
    first: Ranking,
    second: Ranking,
) -> float | None:
    """Share of the draws in which each side's first one is first; both sides are drawn independently."""
    drawn_after = resampled_tops(after, seed=20080226)
    if drawn_before is None or drawn_after is None or first.top is None or second.top is None:
        return None
    held = (drawn_before == place_of(before, first.top)) & (drawn_after == place_of(after, second.top))
    return float(held.mean())


def gain_bound(measured: Sequence[Load], ranking: Ranking) -> tuple[float | None, ResourceScore | None]:
    """The most that throughput can grow when only the first resource is relieved, and what limits it then.

    X <= min m / D and D = U m / X (utilisation law), so that the bound is U of the first over U of the next,
    both as means; no throughput need be known.
    """
    if ranking.bottleneck is None or len(ranking.scores) < 2:
        return None, None
    means = {_name(load): float(np.nanmean(load.utilisation)) for load in measured if _used(load)}
    top = "/".join(_key(ranking.bottleneck))
    if top not in means or len(means) < 2 or means[top] <= 0:
        return None, None
    relieved = {**means, top: 0.0}
    outcome = bottleneck(means, relieved)
    if outcome.before.name != top or outcome.gain is None:
        return None, None
    following = next((score for score in ranking.scores if "/".join(_key(score)) == outcome.after.name), None)
    return outcome.gain, following


def _name(load: Load) -> str:
    return f"{load.host}/{load.resource}/{load.thing.name}"


def _used(load: Load) -> bool:
    """How much of memory is in use follows no throughput."""
    return load.resource != "memory" and bool((~np.isnan(load.utilisation)).any())


# -- are the figures sound -----------------------------------------------------------------------------


_FEWEST_CHECKED = 3
"""Samples below which a deviation accuses no capture."""
_LAWS: tuple[tuple[str, str, str, str, float, float], ...] = (
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
    checks: dict[str, list[DataCheck]] = {}
    for law, rate, time_ms, product, scale, least in _LAWS:
        names = (rate, time_ms, product)
        for group in signals.groups("device", names):
            if len(group.tables) == len(names):
                for thing, check in zip(group.things, _checks(group, names, scale, least), strict=True):
                    if check is not None:
                        own = checks.setdefault(thing.name, [])
                        own.append(DataCheck(law, signals.host, "disk", thing.name, *check))
    return [check for thing in signals.things("device") for check in checks.get(thing.name, ())]


def _step(values: Numbers) -> Numbers:
    """float64[k, 1]: the last digit to which the figures of each row are printed: 1, 0.1 or 0.01; 0 where they are
    finer."""
    steps = np.zeros((len(values), 1))
    for step in (0.01, 0.1, 1.0):
        with np.errstate(invalid="ignore"):
            off = np.abs(values - np.round(values / step) * step) > 1e-9
        steps[~(off & np.isfinite(values)).any(axis=-1)] = step
    return steps


def _checks(group: Group, names: Sequence[str], scale: float, least: float) -> Iterator[tuple[float, int, bool] | None]:
    """Median deviation of each thing, number of samples, and whether that is more than rounding explains.

    None where nothing is large enough.
    """
    base = group.tables[names[0]]
    figures = (np.broadcast_to(group.on(name, base), base.values.shape) for name in names)
    for rate, time_ms, product in zip(*map(in_blocks, figures), strict=True):
        yield from _checked(rate, time_ms, product, scale, least)


def _checked(
    rate: Numbers, time_ms: Numbers, product: Numbers, scale: float, least: float
) -> Iterator[tuple[float, int, bool] | None]:
    judged = np.where(product * scale >= least, product * scale, np.nan)
    plain = little_check(rate, time_ms / 1000, judged)
    # as near to the law as the printed digits leave room for: what rounding explains is no violation
    room_ms, room = _step(time_ms) / 2, _step(product) / 2
    with np.errstate(invalid="ignore", divide="ignore"):
        time_s = np.clip(product * scale / rate, (time_ms - room_ms) / 1000, (time_ms + room_ms) / 1000)
    number = np.clip(rate * time_s / scale, product - room, product + room)
    best = little_check(rate, time_s, np.where(np.isnan(judged), np.nan, number * scale))
    counts = np.isfinite(plain.deviation).sum(axis=-1).tolist()
    medians, at_best = (of_present(check.deviation, median).tolist() for check in (plain, best))
    for count, deviation, left in zip(counts, medians, at_best, strict=True):
        yield (deviation, count, left > LITTLE_TOLERANCE and count >= _FEWEST_CHECKED) if count else None
