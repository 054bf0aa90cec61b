"""What verdicts rest on: parts of the common load, reckoned here from the text of the captures, and the workbook's sheets,
whose formulas are reckoned here again."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from openpyxl import load_workbook

from tests.program import compose
from tests.unit.usecases.compared_captures import morning
from tunebench.analysis.calculations.inputs import Inputs
from tunebench.analysis.calculations.series import compare_occurrences
from tunebench.cli.main import run
from tunebench.domain.engagement import Engagement, Phase
from tunebench.domain.windows import Occurrence, Window, run_window
from tunebench.reporting.document import LoadFigure, SeriesPair
from tunebench.reporting.success_case import build_document
from tunebench.reporting.xlsx.workbook import workbook_bytes
from tunebench.store.project import Project
from tunebench.usecases import projects
from tunebench.usecases.importing import imports
from tunebench.usecases.importing.results import ImportOptions
from tunebench.usecases.reports import success_case as reports

FIRST = {"old": datetime(2026, 6, 8, 9), "new": datetime(2026, 6, 15, 9)}  # Mondays
DAYS = 3
Floats = NDArray[np.float64]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """After the change 15 % more is asked of disks that are 1.5 times as fast. The captures lie beside the project."""
    compose()
    folder = tmp_path_factory.mktemp("load")
    with projects.create(folder / "load.tune", Engagement("tuning", "ACME", zone="Asia/Seoul")) as project:
        for label, phase, own in (("old", Phase.BEFORE, {}), ("new", Phase.AFTER, {"load": 1.15, "faster": 1.5})):
            for day in range(DAYS):
                path = folder / f"{label}-{day}.txt"
                start = FIRST[label] + timedelta(days=day)
                morning(path, start, seed=start.day, devices=2, **own)  # type: ignore[arg-type]
                assert imports.import_captures(project, [path], ImportOptions(run=label, phase=phase)).complete
    return folder / "load.tune"


@pytest.fixture
def project(made: Path) -> Iterator[Project]:
    with projects.open_(made) as opened:
        yield opened


def read(path: Path) -> tuple[Floats, Floats]:
    """Requests per second of all disks, and await of the first, minute by minute; without the first, since boot."""
    rows = [line.split() for line in path.read_text().splitlines() if line.startswith("sd")]
    table = np.array([[float(row[1]), float(row[3]), float(row[5])] for row in rows]).reshape(-1, 2, 3)[1:]
    (reads, writes), (more_reads, more_writes) = (table[:, disk, :2].T for disk in range(2))
    return reads + writes + more_reads + more_writes, table[:, 0, 2]


def test_the_parts_of_the_common_load(made: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["compare", str(made), "--before", "old", "--after", "new", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["series"]
    row = next(each for each in rows if (each["native"], each["attributes"].get("device")) == ("await", "sda"))
    days = {side: [read(made.parent / f"{side}-{day}.txt") for day in range(DAYS)] for side in FIRST}
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


# -- the workbook --------------------------------------------------------------------------------------

FUNCTIONS: dict[str, Any] = {
    "GEOMEAN": lambda own: float(np.exp(np.log(own).mean())),
    "DEVSQ": lambda own: float(((own - own.mean()) ** 2).sum()),
    "SUMXMY2": lambda one, other: float(((one - other) ** 2).sum()),
    "AVERAGE": np.mean,
    "SUM": np.sum,
    "MAX": max,
    "SQRT": np.sqrt,
    "EXP": np.exp,
}


def reckoned(sheet: Any, values: Any, cell: str) -> float:
    """What a spreadsheet makes of a formula over plain cells and formulas."""
    text = sheet[cell].value.removeprefix("=").replace("^", "**")
    text = re.sub(r"([A-Z])(\d+):\1(\d+)", lambda found: f"_column('{found[1]}', {found[2]}, {found[3]})", text)
    text = re.sub(r"(?<![\w'])([A-Z]\d+)(?!\w)", lambda found: f"_one('{found[1]}')", text)

    def one(name: str) -> float:
        inner = sheet[name].value
        return reckoned(sheet, values, name) if isinstance(inner, str) else float(inner)

    def column(letter: str, first: int, last: int) -> Floats:
        return np.array([float(values[f"{letter}{down}"].value) for down in range(first, last + 1)])

    return float(eval(text, {"__builtins__": {}}, {**FUNCTIONS, "_one": one, "_column": column}))


@pytest.mark.parametrize("days_after", [3, 2], ids=["pairs", "two samples"])
def test_the_sheet_of_occurrences_reckons_the_interval(project: Project, days_after: int) -> None:
    old, new = (projects.find_run(project, label) for label in FIRST)
    days = [round((FIRST["new"] + timedelta(days=day)).timestamp()) for day in range(days_after)]
    days = [day - 9 * 3600 for day in days]  # Seoul
    spans = tuple(Occurrence(day * 10**9, (day + 3 * 3600) * 10**9, new.id) for day in days)
    case = reports.build_case(project, "en", before=run_window(old.id), after=Window(0, "", occurrences=spans))
    data = workbook_bytes(build_document(case, "en"))
    sheet, values = (load_workbook(BytesIO(data), data_only=only)["Occurrences"] for only in (False, True))
    rows = {each.label: each.row for each in case.comparison}
    lines: dict[str, list[int]] = {}
    for down in range(5, sheet.max_row + 1):
        lines.setdefault(values[f"B{down}"].value, []).append(down)
    told = 0
    for label, own in lines.items():
        row, first = rows[label], own[0]
        if row.interval is None or values[f"T{first}"].value == "–":
            continue
        told += 1
        wanted = [row.estimate, row.interval.low, row.interval.high]
        assert [reckoned(sheet, values, f"{column}{first}") for column in "TUV"] == pytest.approx(wanted), label
        assert [values[f"{column}{first}"].value for column in "TUV"] == pytest.approx(wanted), "as shown unopened"
        sides: dict[str, list[float]] = {"Before tuning": [], "After tuning": []}
        inside: dict[str, list[float]] = {"Before tuning": [], "After tuning": []}
        for down in own:
            assert values[f"M{down}"].value == pytest.approx(values[f"I{down}"].value / values[f"L{down}"].value)
            sides[values[f"D{down}"].value].append(values[f"M{down}"].value)
            inside[values[f"D{down}"].value].append(values[f"O{down}"].value)
        names = ["Before tuning", "After tuning"][:: 1 if row.direction.value == "lower" else -1]
        assert row.grounds is not None
        answer = compare_occurrences(
            Inputs(
                {
                    **{key: sides[name] for key, name in zip(("before", "after"), names, strict=True)},
                    **{f"{key}_variances": inside[name] for key, name in zip(("before", "after"), names, strict=True)},
                    "sd": values[f"Q{first}"].value,
                    "sd_df": values[f"R{first}"].value,
                    "of_kind": int(row.grounds.prior.source.value == "kind"),
                    "paired": int(days_after == 3),
                }
            )
        )
        assert [answer["ratio"], *answer["ci"]] == pytest.approx(wanted), label  # type: ignore[misc]
    assert told > 8
    busy, ends = lines["iostat sda %util"][0], [FIRST["old"], FIRST["old"] + timedelta(minutes=179)]
    assert [values[f"{column}{busy}"].value for column in "EFGH"] == [1, *ends, 179], "of 180 the first is since boot"


def test_the_report_draws_days_over_each_other_and_response_against_load(project: Project) -> None:
    case = reports.build_case(project, "en")
    document = build_document(case, "en")
    waits = next(each for each in case.series if each.metric == "system.disk.response_time")
    assert waits.before is not None and waits.before.fold is not None and waits.before.fold.occurrences == DAYS
    (drawn,) = [block for block in document.blocks if isinstance(block, LoadFigure)]
    assert waits.judged is not None and drawn.curve is waits.judged.row.curve
    assert drawn.across == "disk requests per second" and f"({drawn.across})" in drawn.caption
    few = replace(drawn.curve, parts=(replace(drawn.curve.parts[0], low=0.41, high=0.93),))
    row = replace(waits.judged.row, curve=few)
    alone = replace(case, series=(replace(waits, judged=replace(waits.judged, row=row)),))
    (drawn,) = [block for block in build_document(alone, "en").blocks if isinstance(block, LoadFigure)]
    assert "0.410 – 0.930" in drawn.caption
    pairs = [block for block in document.blocks if isinstance(block, SeriesPair)]
    assert pairs and all(pair.before.band is not None and pair.by_time_of_day for pair in pairs)
    assert all(pair.before.times_s[-1] < 12 * 3600 for pair in pairs), "a morning and not three days"
    sheet = load_workbook(BytesIO(workbook_bytes(document)), data_only=True)["Equal load"]
    rows = [
        [cell.value for cell in cells] for cells in sheet.iter_rows(min_row=5) if cells[1].value == "iostat sda await"
    ]
    row = next(each.row for each in case.comparison if each.label == "iostat sda await")
    assert row.curve is not None
    told = [[part.low, part.high, part.before.mean, part.after.mean] for part in row.curve.parts]  # type: ignore[union-attr]
    assert [[*cells[4:6], cells[6], cells[10]] for cells in rows] == [pytest.approx(part) for part in told]
