"""Response against load: the parts of the common range are those that the verdict rests on, reckoned here from the text
of the captures."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from app.bootstrap import compose
from app.cli.main import run
from app.domain.engagement import Engagement, Phase
from app.store.project import Project
from app.usecases import projects
from app.usecases.importing import imports
from app.usecases.importing.imports import ImportOptions
from tests.unit.usecases.compared_captures import morning

FIRST = {"old": datetime(2026, 6, 1, 9), "new": datetime(2026, 6, 8, 9)}  # Mondays
DAYS = 3
Floats = NDArray[np.float64]


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    """After the change 15 % more is asked of disks that are 1.5 times as fast."""
    compose()
    with projects.create(tmp_path / "load.tune", Engagement("tuning", "ACME", zone="Asia/Seoul")) as made:
        for label, phase, own in (("old", Phase.BEFORE, {}), ("new", Phase.AFTER, {"load": 1.15, "faster": 1.5})):
            for day in range(DAYS):
                path = tmp_path / f"{label}-{day}.txt"
                start = FIRST[label] + timedelta(days=day)
                morning(path, start, seed=start.day, devices=2, **own)  # type: ignore[arg-type]
                assert imports.import_captures(made, [path], ImportOptions(run=label, phase=phase)).complete
        yield made


def read(path: Path) -> tuple[Floats, Floats]:
    """Requests per second of all disks, and await of the first, minute by minute; without the first, since boot."""
    rows = [line.split() for line in path.read_text().splitlines() if line.startswith("sd")]
    table = np.array([[float(row[1]), float(row[3]), float(row[5])] for row in rows]).reshape(-1, 2, 3)[1:]
    (reads, writes), (more_reads, more_writes) = (table[:, disk, :2].T for disk in range(2))
    return reads + writes + more_reads + more_writes, table[:, 0, 2]


def test_the_parts_of_the_common_load(project: Project, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    project.close()
    assert run(["compare", str(project.path), "--before", "old", "--after", "new", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["series"]
    row = next(each for each in rows if (each["native"], each["attributes"].get("device")) == ("await", "sda"))
    days = {side: [read(tmp_path / f"{side}-{day}.txt") for day in range(DAYS)] for side in FIRST}
    loads = {side: np.concatenate([load for load, _ in own]) for side, own in days.items()}
    low = max(np.quantile(own, 0.05) for own in loads.values())
    high = min(np.quantile(own, 0.95) for own in loads.values())
    both = np.concatenate(list(loads.values()))
    edges = np.quantile(both[(both >= low) & (both <= high)], np.linspace(0, 1, 6))
    told = row["at_load"]
    assert [part["from"] for part in told] == pytest.approx(edges[:-1])
    assert [part["to"] for part in told] == pytest.approx(edges[1:])
    means = {side: np.array([parts_of(*day, edges) for day in own]) for side, own in days.items()}
    assert [part["before"] for part in told] == pytest.approx(means["old"].mean(axis=0))
    assert [part["after"] for part in told] == pytest.approx(means["new"].mean(axis=0))
    levels = {side: np.log(own.mean(axis=1)).mean() for side, own in means.items()}
    assert row["estimate"] == pytest.approx(np.exp(levels["old"] - levels["new"]), rel=1e-6), "the verdict's own parts"
    assert row["verdict"] == "improved"
    busy = next(each for each in rows if each["native"] == "%util")
    assert busy["per_unit_of"] and busy["at_load"] is None, "what is proportional to the load is divided by it"


def parts_of(loads: Floats, values: Floats, edges: Floats) -> list[float]:
    inside = [(loads >= low) & (loads < high) for low, high in pairwise(edges)]
    inside[-1] |= loads == edges[-1]
    assert min(each.sum() for each in inside) >= 5, "each day has enough of each part"
    return [float(values[each].mean()) for each in inside]
