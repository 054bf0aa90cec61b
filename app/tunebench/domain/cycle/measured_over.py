"""What a metric's figure is measured over: a run, a kept window, or the trials of one cell of an experiment."""

from __future__ import annotations

from tunebench.core.records import record
from tunebench.domain.engagement import Run
from tunebench.domain.experiments.records import Cell
from tunebench.domain.windows import Window


@record
class TrialCell:
    """`name`: ``RAID=RAID5 · threads=30``; `is_reference`: the others are compared with it."""

    experiment_id: int
    cell: Cell
    name: str
    is_reference: bool


Over = Run | Window | TrialCell
