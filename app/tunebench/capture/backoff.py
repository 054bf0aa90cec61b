"""How long to wait before the next try."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

STEPS_S = (1.0, 2.0, 5.0, 10.0, 20.0, 40.0, 80.0)
JITTER = 0.2


class Backoff:
    """Longer each time up to the last step, for ever; spread a little, so that a hundred hosts do not knock at once."""

    def __init__(
        self,
        steps_s: Sequence[float] = STEPS_S,
        jitter: float = JITTER,
        spread: Callable[[float, float], float] = random.uniform,
    ) -> None:
        self._steps_s = tuple(steps_s)
        self._jitter = jitter
        self._spread = spread
        self.tries = 0

    def next_s(self) -> float:
        step_s = self._steps_s[min(self.tries, len(self._steps_s) - 1)]
        self.tries += 1
        return step_s * self._spread(1.0 - self._jitter, 1.0 + self._jitter)

    def reset(self) -> None:
        self.tries = 0
