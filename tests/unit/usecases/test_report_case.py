"""What a report says of hosts, runs and their statistics, from captures as tools print them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from io import BytesIO
from pathlib import Path

import pytest
from openpyxl import load_workbook

from tests.program import compose
from tunebench.domain.engagement import Engagement, Phase
from tunebench.reporting.cases.case import SuccessCase
from tunebench.reporting.document import Badge, Block, Heading, KeyValueTable, SeriesPair, Table, Together
from tunebench.reporting.success_case import build_document
from tunebench.reporting.xlsx.workbook import workbook_bytes
from tunebench.store.project import Project
from tunebench.usecases import projects
from tunebench.usecases.importing import imports
from tunebench.usecases.importing.results import ImportOptions
from tunebench.usecases.reports import success_case as reports

SAMPLES = 60
HEAD = (
    "procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----\n"
    " r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st\n"
)
BUSY = {"db-busy": (95, 40), "spare": (2, 3), "worsened": (10, 70)}
"""Per cent of processor time that three servers were busy, before and after."""
START_S = 1_795_250_734


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    compose()
    with projects.create(tmp_path / "made.tune", Engagement("Tuning", "ACME", zone="Asia/Seoul")) as made:
        yield made


def take(project: Project, path: Path, phase: Phase, host: str, run: str = "") -> None:
    said = ImportOptions(
        run=run or phase.value,
        host=host,
        zone="Asia/Seoul",
        phase=phase,
        interval_s=60.0,
        start=datetime(2026, 7, 27 if phase is Phase.AFTER else 20, 10),
    )
    assert imports.import_captures(project, [path], said).complete


def vmstat(path: Path, busy_pct: int) -> Path:
    """The first row is since boot; the load goes one up and one down in turn, so that its mean is `busy_pct`."""
    busy = [busy_pct, *(busy_pct + (1 if place % 2 else -1) for place in range(SAMPLES))]
    rows = (f" 1  0  0 500000  20000 300000  0  0  5  10  100  200 {each}  0 {100 - each}  0  0" for each in busy)
    path.write_text(HEAD + "\n".join(rows) + "\n", encoding="utf-8")
    return path


def blocks_of(case: SuccessCase, chapter: str) -> list[Block]:
    section = next(each for each in build_document(case, "en").sections if each.id == chapter)
    return [inner for block in section.blocks for inner in (block.blocks if isinstance(block, Together) else (block,))]


def summary_of(case: SuccessCase) -> list[Block]:
    """The summary, which stands where there is no answer, and has the key figures."""
    return blocks_of(replace(case, answer=None), "summary")


def table(blocks: Sequence[Block], caption: str) -> Table:
    return next(block for block in blocks if isinstance(block, Table) and caption in block.caption)


def test_every_host_has_its_figures_and_is_named_wherever_they_stand(project: Project, tmp_path: Path) -> None:
    for host, sides in BUSY.items():
        for phase, busy in zip((Phase.BEFORE, Phase.AFTER), sides, strict=True):
            take(project, vmstat(tmp_path / f"{host}-{phase.value}.txt", busy), phase, host)
    take(project, vmstat(tmp_path / "gone.txt", 50), Phase.BEFORE, "gone")
    case = reports.build_case(project, "en", "2026-08-01")
    found = table(summary_of(case), "Key figures")
    cpu = {row[0].text.split(" · ")[0]: [cell.text for cell in row[2:4]] for row in found.rows}
    assert cpu == {host: [f"{side} %" for side in sides] for host, sides in BUSY.items()}
    assert any(note == "4 hosts: db-busy, gone, spare, worsened." for note in found.notes), found.notes
    told = dict(next(block for block in summary_of(case) if isinstance(block, KeyValueTable)).rows)["Result"]
    assert "worsened · " in told and "worse" in told.split("worsened · ")[1], told
    assert any("no such figure before and after on gone" in note for note in found.notes), found.notes
    chapter = blocks_of(case, "cpu")
    for kind in (Heading, SeriesPair):
        named = [
            block.text if isinstance(block, Heading) else block.caption for block in chapter if isinstance(block, kind)
        ]
        assert all(any(host in text for text in named) for host in BUSY), named
    sheet = load_workbook(BytesIO(workbook_bytes(build_document(replace(case, answer=None), "en"))), data_only=True)[
        "Summary"
    ]
    cells = [str(cell.value) for (cell,) in sheet["A5:A20"] if cell.value]
    assert all(any(cell.startswith(f"{host} · ") for cell in cells) for host in BUSY), cells


@pytest.mark.parametrize("phase", [Phase.AFTER, Phase.OTHER])
def test_a_single_run_is_shown_and_nothing_of_it_is_said_to_be_missing(
    project: Project, tmp_path: Path, phase: Phase
) -> None:
    take(project, vmstat(tmp_path / "vmstat.txt", 95), phase, "db1")
    case = reports.build_case(project, "en", "2026-08-01")
    (cpu,) = [series for series in case.series if series.key == "report.series.cpu_busy"]
    (side,) = [side for side in (cpu.before, cpu.after) if side is not None]
    assert side.summary.mean == pytest.approx(95) and side.summary.n == SAMPLES
    assert summary_of(case)[-1] == Badge(
        "No comparison: captured on one side only",
        "Nothing was captured on the other side, so nothing is compared: the figures describe what was captured.",
    )
    coverage = {row[0].text: row[1].text for row in table(blocks_of(case, "method"), "Data collected").rows}
    assert "Comparison of all series" not in coverage
    assert coverage["CPU"].startswith("captured") and coverage["Memory"].startswith("captured"), coverage
    statistics = table(blocks_of(case, "cpu"), "CPU")
    assert [row[0].text for row in statistics.rows] == ["After tuning" if phase is Phase.AFTER else "Other"]
    assert statistics.columns[-2].heading == "maximum of 1 min means"


def progress(path: Path, rates: Sequence[float]) -> Path:
    lines = [f"progress: {place}.0 s, {tps} tps, lat 4.0 ms stddev 1.0, 0 failed" for place, tps in enumerate(rates, 1)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_each_run_has_its_own_load(project: Project, tmp_path: Path) -> None:
    rates = {"r1": (Phase.BEFORE, 14.0), "r2": (Phase.AFTER, 3220.0), "r3": (Phase.AFTER, 5580.0)}
    for run, (phase, tps) in rates.items():
        take(project, progress(tmp_path / f"{run}.txt", [tps - 1, tps + 1] * 10), phase, "db1", run)
    runs = table(blocks_of(reports.build_case(project, "en"), "method"), "Measurement windows")
    told = {row[1].text: row[-1].text for row in runs.rows}
    assert told == {run: f"{tps:,.1f} transactions per second (pgbench)" for run, (_, tps) in rates.items()}


def log(path: Path, rows: Sequence[tuple[int, int, int]]) -> Path:
    """(transactions, sum of their times, the longest one) of each second, in microseconds."""
    lines = [f"{START_S + place} {count} {total} 1 1 {longest}" for place, (count, total, longest) in enumerate(rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_response_times_of_all_transactions_stand_for_means_of_intervals(project: Project, tmp_path: Path) -> None:
    """A busy second of 90 transactions of 2 ms and a quiet one of 10 of 20 ms: 3.8 ms each, and not 11."""
    before = [(90, 90 * 2_000, 15_000), (10, 10 * 20_000, 70_500)] * 10
    after = [(50, 50 * 1_000, 5_500)] * 20
    for phase, rows in ((Phase.BEFORE, before), (Phase.AFTER, after)):
        folder = tmp_path / phase.value
        folder.mkdir()
        means = [total / count / 1000 for count, total, _ in rows]
        lines = [f"progress: {n}.0 s, 50 tps, lat {mean} ms stddev 1.0" for n, mean in enumerate(means, 1)]
        (folder / "progress.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
        take(project, folder / "progress.txt", phase, "db1")
        take(project, log(folder / "pgbench_log.1", rows), phase, "db1")
    case = reports.build_case(project, "en")
    told = [[cell.text for cell in row[1:4]] for row in table(summary_of(case), "Key figures").rows]
    assert told[:2] == [
        ["mean per transaction", "3.8 ms", "1 ms"],
        ["maximum of all transactions", "70.5 ms", "5.5 ms"],
    ]
    found = table(blocks_of(case, "response"), "response time")
    assert [column.heading for column in found.columns][5:8] == [
        "mean per transaction",
        "p95 of 1 s means",
        "maximum of 1 s means",
    ]
    assert found.rows[0][5].text == "11.00" and "3.8 ms" in found.notes[0]


def test_means_of_intervals_are_weighted_by_their_transactions(project: Project, tmp_path: Path) -> None:
    """Without a log: 90 transactions of 2 ms and 10 of 20 ms are 3.8 ms each; how long the longest took is not known."""
    for phase, seconds in ((Phase.BEFORE, ((90, 2.0), (10, 20.0))), (Phase.AFTER, ((50, 1.0), (50, 1.0)))):
        told = [f"{tps} tps, lat {mean} ms stddev 1.0" for tps, mean in seconds] * 10
        path = tmp_path / f"{phase.value}.txt"
        path.write_text("".join(f"progress: {n}.0 s, {line}\n" for n, line in enumerate(told, 1)), encoding="utf-8")
        take(project, path, phase, "db1")
    case = reports.build_case(project, "en")
    rows = table(summary_of(case), "Key figures").rows
    assert [[cell.text for cell in row[1:4]] for row in rows if "response time" in row[0].text] == [
        ["mean per transaction", "3.8 ms", "1 ms"],
        ["maximum of 1 s means", "20 ms", "1 ms"],
    ]
