"""Where findings rest: stretches of series with the captures that hold them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from tunebench.diagnosis.rules.evaluation import Stretch
from tunebench.diagnosis.signals.resolving import Thing
from tunebench.diagnosis.signals.streams import Numbers, Stream
from tunebench.diagnosis.signals.vocabulary import Vocabulary
from tunebench.domain.engagement import Direction
from tunebench.domain.finding import FindingEvidence
from tunebench.domain.series import SeriesInfo
from tunebench.domain.series_names import name_of

Captures = Callable[[int, int, int], tuple[int, ...]]
"""(series, from, to) -> captures that hold samples there."""

_MOST_STRETCHES = 12
_MOST_SERIES = 8


class EvidenceFinder:
    """Turns stretches of figures into evidence."""

    def __init__(self, captures: Captures, words: Vocabulary) -> None:
        self._captures = captures
        self._words = words

    def of_stretches(
        self, stretches: Sequence[Stretch], streams: Mapping[str, Stream]
    ) -> tuple[tuple[FindingEvidence, ...], int]:
        """Evidence in the order of time, and how many stretches were left out: the longest are shown."""
        shown = sorted(stretches, key=lambda stretch: (-stretch.samples, stretch.start_ns))[:_MOST_STRETCHES]
        evidence = [
            self._of_series(info, name, stream, stretch.start_ns, stretch.end_ns)
            for stretch in sorted(shown, key=lambda stretch: stretch.start_ns)
            for name, stream in _once_each(streams).items()
            for info in stream.series[:_MOST_SERIES]
        ]
        return tuple(evidence), len(stretches) - len(shown)

    def of_stream(self, stream: Stream, name: str, _thing: Thing) -> tuple[FindingEvidence, ...]:
        """Evidence of the whole of a figure."""
        if not len(stream):
            return ()
        start, end = int(stream.times_ns[0]), int(stream.times_ns[-1])
        return tuple(self._of_series(info, name, stream, start, end) for info in stream.series[:_MOST_SERIES])

    def _of_series(self, info: SeriesInfo, name: str, stream: Stream, start: int, end: int) -> FindingEvidence:
        signal = self._words.find(name)
        inside = (stream.times_ns >= start) & (stream.times_ns <= end)
        values = stream.values[..., inside]
        values = values[~np.isnan(values)]
        peak = telling(values, self._words.direction_of(name)) if values.size else None
        return FindingEvidence(
            info.id,
            name_of(info),
            self._captures(info.id, start, end),
            start,
            end,
            name,
            int(inside.sum()),
            peak,
            signal.unit if signal else "",
        )


def telling(values: Numbers, direction: Direction) -> float:
    """The worst of the values: the least where higher is better, else the largest."""
    return float(np.nanmin(values) if direction is Direction.HIGHER else np.nanmax(values))


def _once_each(streams: Mapping[str, Stream]) -> dict[str, Stream]:
    """Names of the same figure (``pct_b`` and ``util_pct``) once."""
    seen: dict[int, str] = {}
    for name, stream in streams.items():
        seen.setdefault(id(stream), name)
    return {name: streams[name] for name in seen.values()}
