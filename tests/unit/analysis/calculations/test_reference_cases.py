"""Every method against the reference cases: those of the design, and those that R computes."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.unit.analysis.calculations.reference_values import differences, load
from tunebench.analysis.calculations.catalogue import calculate

ROOT = Path(__file__).resolve().parents[4]
STORED = ROOT / "tests" / "fixtures" / "reference_cases"
SHARED = ROOT.parent / "shared" / "facts" / "reference-cases"
SCRIPT = ROOT / "tests" / "references" / "inference.R"
METHODS = {
    "g01": "rank-shift",
    "g02": "rank-ratio",
    "g04": "quantiles",
    "g07": "trend",
    "g11": "erlang-c",
    "g14": "outliers",
    "g19": "compare-series",
    "g33": "sql-mix",
    "g40": "verdict",
}
CASES = sorted(STORED.glob("*.json"))
BY_R = load(SCRIPT.with_suffix(".json"))


@pytest.mark.parametrize("path", [path for path in CASES if path.name[:3] in METHODS], ids=lambda path: path.stem)
def test_reference_case(path: Path) -> None:
    case = load(path)
    found = calculate(METHODS[path.name[:3]], case["input"])
    assert not list(differences(case["expected"], found, case["rel_tol"]))


def test_the_guides_bands_of_disks() -> None:
    case = load(STORED / "g31_iostat_seed.json")
    rows = [{"svc_t": row["svc_t"], "pct_b": row["pct_b"]} for row in case["input"].values()]
    expected = [case["expected"][name]["band"] for name in case["input"]]
    assert calculate("iostat-band", {"cases": rows}) == {"bands": expected}


@pytest.mark.parametrize(
    ("svc_t", "pct_b", "band"),
    # SF-050 to SF-052, and SF-053: what the guide leaves undefined between them.
    [
        (30, 100, "normal"),
        (30.1, 5, "normal"),
        (49.9, 5, "normal"),
        (49.9, 5.1, "watch"),
        (50, 20, "bottleneck"),
        (50, 19.9, "watch"),
        (500, 5, "watch"),
    ],
)
def test_edges_of_the_bands(svc_t: float, pct_b: float, band: str) -> None:
    assert calculate("iostat-band", {"cases": [{"svc_t": svc_t, "pct_b": pct_b}]}) == {"bands": [band]}


def test_stored_cases_are_the_designs() -> None:
    if not SHARED.is_dir():
        pytest.skip("the reference cases are not beside the project")
    assert {path.name: load(path) for path in CASES} == {path.name: load(SHARED / path.name) for path in CASES}


@pytest.mark.parametrize("case", BY_R, ids=lambda case: case["id"])
def test_values_of_r(case: dict) -> None:
    found = calculate(case["method"], case["input"])
    assert not list(differences(case["expected"], found, case["rel_tol"], case["abs_tol"]))


def test_r_still_gives_what_is_stored() -> None:
    if not shutil.which("Rscript"):
        pytest.skip("Rscript is not installed")
    done = subprocess.run(
        ["Rscript", "--vanilla", str(SCRIPT)], cwd=ROOT, capture_output=True, text=True, timeout=120, check=True
    )
    fresh = json.loads(done.stdout)
    assert [case["id"] for case in fresh] == [case["id"] for case in BY_R]
    # Other versions of R and of its mathematical library round otherwise in the last digits.
    assert not list(differences(BY_R, fresh, 1e-9, 1e-12))
