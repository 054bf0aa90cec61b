"""Projects, artefacts and batches that the tests of the store start from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tunebench.core.errors import UserError
from tunebench.core.messages import catalogue
from tunebench.domain.capturing.plan import CapturePlan, CommandKind, PlannedCommand, PlannedHost, Rights
from tunebench.domain.engagement import Direction, Engagement, Kind, Phase
from tunebench.domain.ledger import ImportState, Ledger, LineCounts
from tunebench.domain.series import SeriesTraits
from tunebench.sdk import SampleBatch, SeriesKey
from tunebench.store.artefacts import begin_artefact, set_parse_result
from tunebench.store.audit.trail import ACTIONS, AuditEntry
from tunebench.store.hosts import ensure_host
from tunebench.store.opening import create_project, open_project
from tunebench.store.project import Project
from tunebench.store.runs import ensure_run
from tunebench.store.sample_packing import SamplePacker
from tunebench.store.samples import SampleStore

ENGAGEMENT = Engagement("상담원 시스템 튜닝", "OOO", "본점", "Goodus", ("이영진", "강경구"), "2007-07-19", "2007-07-26")
START_NS = 1_184_803_200_000_000_000  # 2007-07-19T00:00:00Z
SECOND_NS = 1_000_000_000
TRAITS = SeriesTraits("system.disk.wait_time", "ms", Kind.GAUGE, Direction.LOWER, 0.001, "s")
PLAN = CapturePlan(
    nonce="0a1b2c3d",
    created_at="2026-11-21T02:00:00+00:00",
    run="before",
    phase="before",
    hosts=(
        PlannedHost("db1", "10.0.0.7", 22, "oracle", "sunos", "survey", jump=("bastion",), sudoers=("oracle ALL=",)),
    ),
    commands=(
        PlannedCommand(
            "db1/solaris.iostat",
            "db1",
            "solaris.iostat",
            CommandKind.STREAM,
            "iostat -xn 1 600",
            "exec sh -c '...' cap0a1b2c3d iostat -xn 1 600",
            "디스크 응답시간",
            "disk response times",
            parser="sun.iostat",
            interval_s=1.0,
            count=600,
            cpu_pct=0.19,
            files=("없음",),
        ),
        PlannedCommand(
            "db1/solaris.prtconf",
            "db1",
            "solaris.prtconf",
            CommandKind.ONCE,
            "prtconf",
            "exec sh -c '...' cap0a1b2c3d",
            "구성",
            "configuration",
            rights=Rights.SUDO,
        ),
    ),
    interval_s=1.0,
    duration_s=600.0,
)


def new_project(folder: Path, name: str = "case.tune") -> Project:
    return create_project(folder / name, ENGAGEMENT)


def store_artefact(project: Project, data: bytes = b"one\ntwo\n", run: str = "before", name: str = "iostat.txt") -> int:
    """A pending artefact in a run called `run`."""
    writer = begin_artefact(project, ensure_run(project, run, Phase.BEFORE).id, name, f"/var/tmp/{name}", 7)
    writer.write(data)
    return writer.finish().artefact_id


def run_of(project: Project, artefact_id: int) -> int:
    with project.reading() as connection:
        return int(connection.execute("SELECT run_id FROM artefact WHERE id = ?", (artefact_id,)).fetchone()[0])


class SampleWriter:
    """A `SampleStore` that takes batches."""

    def __init__(self, project: Project, **facts: Any) -> None:
        self._packer = SamplePacker()
        self._store = SampleStore(project, **facts)

    @property
    def waiting_bytes(self) -> int:
        """Unpacked values that wait in memory."""
        return self._packer.waiting_bytes

    def append(self, batch: SampleBatch) -> None:
        """Takes a batch; its arrays must not change afterwards."""
        self._store.take(self._packer.append(batch))

    def finish(self) -> None:
        """Stores what waits, with the pyramids, and makes the series visible."""
        for parts in self._packer.finish():
            self._store.take(parts)
        self._store.finish()

    def abandon(self) -> None:
        """Removes what was stored so far."""
        self._packer = SamplePacker()
        self._store.abandon()


def sample_writer(project: Project, artefact_id: int, host: str = "db1") -> SampleWriter:
    return SampleWriter(
        project,
        artefact_id=artefact_id,
        run_id=run_of(project, artefact_id),
        host_id=ensure_host(project, host).id,
        tool="iostat",
        traits=lambda _key: TRAITS,
    )


def keys(*names: str, table: str = "device") -> tuple[SeriesKey, ...]:
    return tuple(SeriesKey(table, name, (("device", "ssd2"),)) for name in names)


def batch(
    values: NDArray[np.float64] | Sequence[Sequence[float]],
    names: Iterable[str] = ("svc_t",),
    *,
    first_row: int = 0,
    times_ns: NDArray[np.int64] | None = None,
    since_boot: Sequence[int] = (),
    table: str = "device",
) -> SampleBatch:
    """Rows one second apart; row i stands on line 10 * i + 1."""
    matrix = np.asarray(values, dtype=np.float64)
    rows = np.arange(first_row, first_row + len(matrix), dtype=np.int64)
    flags = np.zeros(len(matrix), dtype=bool)
    flags[list(since_boot)] = True
    times = START_NS + rows * SECOND_NS if times_ns is None else times_ns
    return SampleBatch(table, times, keys(*names, table=table), matrix, flags, rows * 10 + 1)


def write_samples(project: Project, *batches: SampleBatch, data: bytes = b"one\ntwo\n") -> int:
    """Stores batches as one finished artefact."""
    artefact_id = store_artefact(project, data)
    writer = sample_writer(project, artefact_id)
    for each in batches:
        writer.append(each)
    writer.finish()
    mark_parsed(project, artefact_id)
    return artefact_id


def mark_parsed(project: Project, artefact_id: int, ledger: Ledger | None = None) -> None:
    set_parse_result(
        project,
        artefact_id,
        host_id=ensure_host(project, "db1").id,
        parser_id="sun.iostat",
        parser_version="1.0",
        state=ImportState.IMPORTED,
        ledger=ledger or Ledger(lines=LineCounts(2, 1, 1)),
        events=(),
        given={},
    )


def files_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def check_audit_sentence(entry: AuditEntry) -> None:
    """Its action is in the table with its facts, and both languages have a sentence that they fill."""
    assert set(ACTIONS[entry.action]) <= set(entry.facts), entry
    for language in ("ko", "en"):
        sentence = catalogue(language).text(f"audit.{entry.action}", **entry.shown_facts())
        assert "⟨" not in sentence, sentence
        assert "{" not in sentence, sentence
        assert "None" not in sentence, sentence


def refusal(key: str, *args: object, call: object = open_project, **options: object) -> UserError:
    """The refusal with `key` that the call must come to; its sentence must be whole in both languages."""
    with pytest.raises(UserError) as caught:
        call(*args, **options)  # type: ignore[operator]
    assert caught.value.key == key, caught.value
    for language in ("ko", "en"):
        sentence = catalogue(language).error(caught.value)
        assert "⟨" not in sentence
        assert "{" not in sentence
    return caught.value
