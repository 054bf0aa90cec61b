"""The analysis in the workbook: formulas over the figures they are made of, and equal values in another program."""

from __future__ import annotations

import shutil
import warnings
from dataclasses import replace
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from openpyxl import load_workbook

from tests.reports.analysis_cases import analysed_case, judged, over_five_days
from tests.reports.answer_cases import with_answer
from tests.reports.test_workbook import _recalculated
from tunebench.analysis.inference.verdict import Verdict
from tunebench.reporting.success_case import available_sections, build_document
from tunebench.reporting.xlsx.workbook import workbook_bytes


@cache
def _bytes() -> bytes:
    return workbook_bytes(build_document(analysed_case(), "en"))


def _sheet(name: str, values: bool = True) -> Any:
    return load_workbook(BytesIO(_bytes()), data_only=values)[name]


def _heads(sheet: Any) -> list[str]:
    return [str(cell.value) for cell in sheet[4]]


def test_verdicts_have_a_live_ratio_of_means_and_the_interval_as_values() -> None:
    values, formulas = _sheet("Verdicts"), _sheet("Verdicts", values=False)
    place = {name: at for at, name in enumerate(_heads(values))}
    first, worse, neutral = ([cell.value for cell in values[down]] for down in (5, 6, 7))
    assert formulas["K5"].value.startswith("=IF(AND(ISNUMBER(I5)")
    assert [each[10] for each in (first, worse, neutral)] == [2.0, 0.5, 1.25], "80/40, 10/20, and 125/100 turned"
    assert first[place["Ratio 95 % low"]] == 1.9 and first[place["Ratio 95 % high"]] == 2.55
    assert first[place["before n_eff"]] == 48.5 and first[place["Evidence"]] == "E-1, E-2"
    assert (
        neutral[place["Ratio 95 % low"]] == "–" and "Neither way is better" in neutral[place["Why, and what to mind"]]
    )


def test_means_that_are_not_above_zero_have_no_ratio() -> None:
    pairs = [(-5.0, -10.0), (0.0, 5.0), (5.0, 0.0), (-5.0, 10.0)]
    rows = tuple(judged(f"free {number}", means, Verdict.NOT_COMPARABLE) for number, means in enumerate(pairs))
    data = workbook_bytes(build_document(replace(analysed_case("en"), series=(), comparison=rows), "en"))
    values, formulas = (load_workbook(BytesIO(data), data_only=only)["Verdicts"] for only in (True, False))
    assert sorted((values[f"I{row}"].value, values[f"J{row}"].value) for row in range(5, 9)) == sorted(pairs)
    for row in range(5, 9):
        assert values[f"K{row}"].value == "n/a", row
        assert f'IF(MIN(I{row},J{row})<=0,"n/a",I{row}/J{row})' in formulas[f"K{row}"].value


def test_verdicts_have_occurrences_variation_and_the_other_statistics() -> None:
    case = analysed_case("en")
    alone = replace(case.comparison[0], row=replace(case.comparison[0].row, before_statistics=None, interval=None))
    case = with_answer(replace(case, series=(), comparison=(alone, over_five_days())))
    data = workbook_bytes(build_document(case, "en"))
    sheet = load_workbook(BytesIO(data), data_only=True)["Verdicts"]
    heads = _heads(sheet)
    row, last = (dict(zip(heads, (cell.value for cell in sheet[down]), strict=False)) for down in (5, 6))
    assert len(set(heads)) == len(heads), "a table's headings are all different"
    wanted = {
        "Ratio of means": 2.0,
        "Estimated ratio": 1.96,
        "Occurrences before": 5,
        "Occurrences after": 4,
        "Natural variation": 0.065,
        "Degrees of freedom": 7.0,
        "Where the variation is from": "natural variation 6.5 %, measured over 9 occurrences",
        "Judged per unit of": "–",
        "p95 of occurrences, before": 80.0,
        "p95 ratio": 1.07,
        "p95 95 % high": 1.25,
        "p95 verdict": "inconclusive",
        "p99 verdict": "–",
        "More occurrences a side": 2,
        "with which a measured change is called from": 0.2,
    }
    assert {name: row[name] for name in wanted} == wanted
    assert last["Verdict"] == "not measured on both sides", "it comes last and has none"
    assert "series 1 · hosts 1" in sheet["A2"].value and "Not measured on both sides: 1 series" in sheet["A2"].value


def test_findings_use_and_comparability_have_their_sheets() -> None:
    finding = [cell.value for cell in _sheet("Findings")[5]]
    assert finding[1:4] == ["critical", "SF-052", "Disk is the bottleneck"] and finding[6:9] == [90, 120, 0.75]
    assert _sheet("Findings", values=False)["I5"].value == "=G5/H5"
    assert finding[-1] == "E-1" and "“svc_t 가 50 이상”" in finding
    assert [row[0].value for row in _sheet("Comparability").iter_rows(min_row=5)] == [f"C{n}" for n in range(1, 11)]
    use = [[cell.value for cell in row] for row in _sheet("USE").iter_rows(min_row=5)]
    assert len(use) == 12 and use[0][6] == 100 and use[4][6] == "not captured"
    assert _sheet("Not judged")["F5"].value == "probe linux.free"


def test_the_score_of_a_resource_is_reckoned_by_the_sheet() -> None:
    formulas, values = _sheet("Bottleneck", values=False), _sheet("Bottleneck")
    assert formulas["G5"].value.startswith("=MAX(") and values["G5"].value == pytest.approx(0.7 / 0.5)
    assert values["D6"].value == "not captured" and values["G6"].value == 0.3


def test_medians_of_experiments_are_formulas_over_the_trials_that_count() -> None:
    formulas, values = _sheet("Experiments", values=False), _sheet("Experiments")
    assert formulas["F6"].value == "=MEDIAN('Trials'!J8:J10)" and values["F6"].value == 10
    assert formulas["J6"].value == "=GEOMEAN('Trials'!J8:J10)/GEOMEAN('Trials'!J5:J7)"
    assert values["J6"].value == pytest.approx((9 * 10 * 12 / (11 * 13 * 12)) ** (1 / 3))
    assert [values[f"{each}6"].value for each in "MNO"] == [
        "inconclusive",
        "4.2 % (measured)",
        "5 more runs would tell.",
    ]
    trials = [[cell.value for cell in row] for row in _sheet("Trials").iter_rows(min_row=5)]
    assert [row[9] for row in trials] == [11, 13, 12, 9, 10, 12, 90]
    assert trials[6][8] == "no" and trials[6][11] == "a backup ran" and trials[0][12] == "E-3:7"


def test_a_chapter_that_is_left_out_has_no_sheet() -> None:
    case = replace(analysed_case(), series=())
    chosen = {name for name, _ in available_sections(case, "en")} - {"findings", "unjudged"}
    names = load_workbook(BytesIO(workbook_bytes(build_document(case, "en", chosen)))).sheetnames
    assert "Verdicts" in names and not {"Findings", "USE", "Not judged"} & set(names)


@pytest.mark.skipif(shutil.which("soffice") is None, reason="LibreOffice is not installed")
def test_libreoffice_reckons_the_same(tmp_path: Path) -> None:
    source = tmp_path / "analysed.xlsx"
    source.write_bytes(_bytes())
    recalculated = _recalculated(source, tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # LibreOffice's own extensions
        theirs = load_workbook(recalculated, data_only=True)
    count = 0
    for name in ("Verdicts", "Findings", "Bottleneck", "Experiments"):
        for cells in _sheet(name, values=False).iter_rows():
            for cell in (each for each in cells if each.data_type == "f"):
                count += 1
                expected = _sheet(name)[cell.coordinate].value
                assert theirs[name][cell.coordinate].value == pytest.approx(expected, rel=1e-9), (name, cell.coordinate)
    assert count == 13, "3 ratios of means, 1 share, 3 scores, 2 medians, 2 spreads, 2 ratios of medians"
