"""A report about windows: four mornings of one run, two before and two after, a batch left out; means by hand."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from tests.program import compose
from tests.unit.usecases.test_report_case import HEAD, blocks_of, table
from tunebench.cli.main import run
from tunebench.domain.engagement import Engagement, Phase
from tunebench.domain.windows import Exclusion, Occurrence, Window, WindowRole, run_window
from tunebench.reporting.cases.case import SuccessCase
from tunebench.reporting.document import Table
from tunebench.reporting.success_case import build_document
from tunebench.store.project import Project
from tunebench.store.runs import list_runs
from tunebench.usecases import projects
from tunebench.usecases.comparing import windows
from tunebench.usecases.cycle import applying
from tunebench.usecases.importing import imports
from tunebench.usecases.importing.results import ImportOptions
from tunebench.usecases.reports import success_case as reports

SEOUL = ZoneInfo("Asia/Seoul")
MINUTES = 120
BUSY = {6: 60, 7: 64, 13: 30, 14: 34}
"""Day of July 2026 (a Monday, a Tuesday, and those of the week after) -> per cent busy, one up and one down in turn."""
BATCH = range(30, 40)
"""Minutes of the 7th in which a batch made it 99 %."""


def at(text: str) -> int:
    return int(datetime.fromisoformat(text).replace(tzinfo=SEOUL).timestamp()) * 10**9


def morning(folder: Path, day: int) -> Path:
    """``vmstat 60`` of one host; the first row is since boot."""
    busy = [BUSY[day], *(BUSY[day] + (1 if minute % 2 else -1) for minute in range(MINUTES))]
    if day == 7:
        busy[BATCH.start : BATCH.stop] = [99] * len(BATCH)
    path = folder / f"{day}.txt"
    rows = (f" 1  0  0 500000  20000 300000  0  0  5  10  100  200 {each}  0 {100 - each}  0  0" for each in busy)
    path.write_text(HEAD + "\n".join(rows) + "\n", encoding="utf-8")
    return path


def window(name: str, role: WindowRole, *days: int) -> Window:
    spans = [(at(f"2026-07-{day:02} 09:00"), at(f"2026-07-{day:02} 11:00")) for day in days]
    return Window(0, name, role, occurrences=tuple(Occurrence(*span) for span in spans))


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    compose()
    with projects.create(tmp_path / "july.tune", Engagement("Tuning", "ACME", zone="Asia/Seoul")) as made:
        for day in BUSY:
            said = ImportOptions(
                run="july",
                host="db1",
                zone="Asia/Seoul",
                phase=Phase.OTHER,
                interval_s=60.0,
                start=datetime(2026, 7, day, 9),
            )
            assert imports.import_captures(made, [morning(tmp_path, day)], said).complete
        applying.apply(made, windows.add(made, window("Peak before", WindowRole.BEFORE, 6, 7)))
        applying.apply(made, windows.add(made, window("Peak after", WindowRole.AFTER, 13, 14)))
        excluded = Exclusion(at("2026-07-07 09:25"), at("2026-07-07 09:45"), "late batch")
        applying.apply(made, windows.exclude(made, windows.kept_window(made, "Peak before"), excluded))
        yield made


def texts(case: SuccessCase, language: str = "en") -> str:
    """Every note and cell of the document."""
    found = build_document(case, language)
    return "\n".join(str(block) for section in found.sections for block in section.blocks)


def test_the_kept_windows_are_what_the_whole_report_is_about(project: Project) -> None:
    case = reports.build_case(project, "en")
    (cpu,) = [series for series in case.series if series.key == "report.series.cpu_busy"]
    assert cpu.before is not None and cpu.after is not None
    assert (cpu.before.run, cpu.after.run) == ("Peak before", "Peak after")
    assert cpu.before.summary.mean == pytest.approx(62, abs=0.3), "60 and 64, the batch of 99 left out"
    assert cpu.after.summary.mean == pytest.approx(32, abs=0.3)
    assert (cpu.before.evidence, cpu.after.evidence) == (("F-1", "F-2"), ("F-3", "F-4")), "files of its own side"
    judged = next(each for each in case.comparison if each.row.native == "us")
    assert judged.row.occurrences == (2, 2) and (judged.before_evidence, judged.after_evidence) == (
        ("F-1", "F-2"),
        ("F-3", "F-4"),
    )
    assert [phase for phase, _ in case.analysis.runs_diagnosed] == ["before", "after"]
    assert dict(case.analysis.runs_diagnosed) == {"before": "Peak before", "after": "Peak after"}
    assert not case.alone
    for language, said in (("en", "The two windows overlap"), ("ko", "두 구간의 시간이 겹칩니다")):
        assert said not in texts(reports.build_case(project, language), language)


def test_the_windows_are_listed_with_their_occurrences_and_what_is_excluded(project: Project) -> None:
    case = reports.build_case(project, "en")
    listed = table(blocks_of(case, "method"), "Measurement windows")
    told = [[cell.text for cell in row] for row in listed.rows]
    assert [row[:3] for row in told] == [
        ["Before tuning", "Peak before", "1 · 2026-07-06 09:00:00 – 11:00:00"],
        ["", "", "2 · 2026-07-07 09:00:00 – 11:00:00"],
        ["After tuning", "Peak after", "1 · 2026-07-13 09:00:00 – 11:00:00"],
        ["", "", "2 · 2026-07-14 09:00:00 – 11:00:00"],
    ]
    assert told[1][3] == "2026-07-07 09:25:00 – 09:45:00: late batch"
    assert told[3][3] == "2026-07-14 09:25:00 – 09:45:00: excluded on the other side at this time of day"
    runs = table(blocks_of(case, "method"), "Captured runs")
    assert [row[1].text for row in runs.rows] == ["july"]
    compared = next(each for each in blocks_of(case, "comparison") if isinstance(each, Table))
    assert "“Peak before” (2 occurrences, 2026-07-06 09:01:00 – 2026-07-07 11:00:00)" in compared.notes[0]


def test_other_windows_may_be_asked_for(project: Project) -> None:
    (july,) = list_runs(project)
    first = run_window(july.id, at("2026-07-06 09:00"), at("2026-07-06 11:00"))
    case = reports.build_case(project, "en", before=first, after=windows.chosen(project, "Peak after"))
    (cpu,) = [series for series in case.series if series.key == "report.series.cpu_busy"]
    assert cpu.before is not None and cpu.before.summary.mean == pytest.approx(60, abs=0.3)
    assert cpu.before.run == "july" and cpu.before.evidence == ("F-1",)
    judged = next(each for each in case.comparison if each.row.native == "us")
    assert judged.spans == ((at("2026-07-06 09:01"), at("2026-07-06 11:00")), judged.spans[1])


def test_the_command_line_names_them(project: Project, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    project.close()
    words = ["report", str(project.path), "--pdf", str(tmp_path / "r.pdf"), "--lang", "en", "--json"]
    assert run([*words, "--before", "Peak before", "--after", "nothing"]) == 3
    assert "neither a window nor a run 'nothing'" in capsys.readouterr().err
    assert run([*words, "--before", "Peak before", "--after", "Peak after"]) == 0
    assert json.loads(capsys.readouterr().out)["files"] == [str(tmp_path / "r.pdf")]
