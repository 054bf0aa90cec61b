"""The pyramid from bins that were kept in memory is the pyramid from the stored chunks."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.store import cases
from tunebench.sdk import SampleBatch
from tunebench.store import sample_packing, table_rows

ROWS = 20_011  # no multiple of 16


def batches(sizes: list[int]) -> list[SampleBatch]:
    """Numbers with holes, rows since boot, and a device that comes late."""
    rng = np.random.default_rng(11)
    values = np.round(rng.normal(50, 20, (ROWS, 3)), 2)
    values[rng.random(values.shape) < 0.1] = np.nan
    values[4_000:9_000, 1] = np.nan
    found, at, turn = [], 0, 0
    while at < ROWS:
        size = min(sizes[turn % len(sizes)], ROWS - at)
        names = ("a", "b", "c") if at > 10_000 else ("a", "b")
        part = values[at : at + size, : len(names)]
        found.append(cases.batch(part, names, first_row=at, since_boot=[0] if at in (0, sizes[0]) else []))
        at += size
        turn += 1
    return found


def tables(folder: Path, parts: list[SampleBatch]) -> dict[str, list[tuple[object, ...]]]:
    folder.mkdir()
    with cases.new_project(folder) as project:
        cases.write_samples(project, *parts)
        with project.reading() as connection:
            return {
                name: connection.execute(f"SELECT * FROM {name} ORDER BY 1, 2, 3").fetchall()
                for name in ("clock", "series", "clock_chunk", "sample_chunk", "clock_tile", "series_tile")
            }


@pytest.mark.parametrize("sizes", [[ROWS], [1000], [1, 37, 4096, 5]])
@pytest.mark.parametrize("chunk_rows", [8192, 100])
def test_bins_in_memory_and_stored_chunks_give_one_pyramid(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sizes: list[int], chunk_rows: int
) -> None:
    monkeypatch.setattr(table_rows, "CHUNK_ROWS", chunk_rows)
    from_memory = tables(tmp_path / "memory", batches(sizes))
    monkeypatch.setattr(sample_packing, "ALL_BINS_BYTES", 0)
    from_chunks = tables(tmp_path / "chunks", batches(sizes))
    assert len(from_memory["series_tile"]) >= 6  # two or three series, three levels
    assert from_memory == from_chunks


def test_too_many_bins_are_let_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sample_packing, "ALL_BINS_BYTES", 60_000)
    packer = sample_packing.SamplePacker()
    for part in batches([ROWS]):
        packer.append(part)
    parts = [part for parts in packer.finish() for part in parts]
    totals = [part for part in parts if isinstance(part, sample_packing.PackedTotals)]
    assert [each.from_chunks for each in totals] == [True]
