"""An experiment with trials in every state, which the tests of the store start from."""

from __future__ import annotations

from tunebench.domain.engagement import Direction
from tunebench.domain.experiments.book import ExperimentChange, ExperimentEdit, Record
from tunebench.domain.experiments.records import (
    CacheState,
    Experiment,
    Factor,
    Level,
    Reading,
    Response,
    RunOrder,
    Trial,
    TrialRole,
    TrialState,
)

EXPERIMENT = Experiment(
    -1,
    "maxcontig 6 → 128",
    (Factor("maxcontig", (Level("6", 6.0), Level("128", 128.0, "-a 128")), "blocks"), Factor("fs", (Level("ufs"),))),
    (Response("real_s", "s", Direction.LOWER, "경과 시간"), Response("sys_s", "s")),
    repetitions=2,
    order=RunOrder.ABAB,
    seed=7,
    caches=(CacheState.COLD,),
    cells=(("6", "ufs"), ("128", "ufs")),
    baseline=("6", "ufs"),
    same_repetitions=1,
    setup="tunefs {maxcontig} /dev/rdsk/c0t0d0s0",
    command="mkfile 500m 500m",
    teardown="rm 500m",
    host="db1",
    source="S0 4.4",
    notes="두 번째",
    confounders=("다른 작업이 돌고 있었음",),
    example="x",
)


def trials(artefact_id: int | None = None, load_run_id: int | None = None) -> tuple[Trial, ...]:
    six, more = EXPERIMENT.cells
    cold = CacheState.COLD
    return (
        Trial(0, -1, six, 1, 1, cold, TrialRole.SAME_FIRST, TrialState.DONE, (Reading("real_s", 86.0),)),
        Trial(0, -1, six, 1, 2, cold, TrialRole.SAME_SECOND, TrialState.FAILED, reason="디스크가 참", decided_by="lee"),
        Trial(
            0,
            -1,
            six,
            1,
            3,
            cold,
            state=TrialState.DONE,
            values=(Reading("real_s", 86.18), Reading("sys_s", 5.21)),
            artefact_id=artefact_id,
            line=12,
            load_run_id=load_run_id,
            at="2026-11-21T03:00:00+00:00",
            note="첫 번째",
        ),
        Trial(
            0,
            -1,
            more,
            1,
            4,
            cold,
            state=TrialState.EXCLUDED,
            values=(Reading("real_s", 127.59),),
            reason="백업",
            decided_by="이영진",
        ),
        Trial(0, -1, six, 2, 5, cold),
        Trial(0, -1, more, 2, 6, cold),
    )


def adding(artefact_id: int | None = None, load_run_id: int | None = None) -> ExperimentEdit:
    records: tuple[Record, ...] = (EXPERIMENT, *trials(artefact_id, load_run_id))
    return ExperimentEdit("add_experiment", tuple(ExperimentChange(None, each) for each in records))
