"""One engagement from its captures to its report: the same windows, figures and words wherever they stand.

What is true is said by the recipe, `tests.made.tuned_weeks`; everything that shows a figure is held against the JSON of `compare`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar
from zoneinfo import ZoneInfo

import openpyxl
import pypdfium2
import pytest
from PySide6.QtWidgets import QLabel

from tests.made import tuned_weeks as weeks
from tests.program import compose
from tunebench.cli.main import run as run_verb
from tunebench.core.messages import catalogue
from tunebench.ui.frame.main_window import MainWindow
from tunebench.ui.look.language import text
from tunebench.ui.pages.base import Page
from tunebench.ui.pages.board_page import BoardPage
from tunebench.ui.pages.compare_page import ComparePage
from tunebench.ui.pages.findings_page import FindingsPage
from tunebench.ui.pages.report_page import ReportPage
from tunebench.ui.widgets.window_picker import WindowPicker

BEFORE, AFTER = "Mornings of August 3", "Mornings of August 17"
TRUE_RATIOS = {
    "%user": 2.0,
    "sda r_await": 3.0,
    "sda aqu-sz": 3.0,
    "sdb r_await": 1.0,
    "sdb %util": 1.0,
    "sda %util": 1.0,
}
TARGETS = {"CPU": ("%user", "mean", 40.0), "Wait": ("r_await", "p95", 6.0)}


P = TypeVar("P", bound=Page)


class Line:
    """The command line on one project; every verb must be done."""

    def __init__(self, project: Path, capsys: pytest.CaptureFixture[str], language: str) -> None:
        self.project, self._capsys, self.language = project, capsys, language

    def __call__(self, verb: str, *words: object) -> str:
        self._capsys.readouterr()
        code = run_verb([verb, str(self.project), *map(str, words), "--lang", self.language])
        said = self._capsys.readouterr()
        assert code == 0, said.err
        return said.out

    def json(self, verb: str, *words: object) -> Any:
        return json.loads(self(verb, *words, "--json"))


@pytest.fixture(params=["en", "ko"])
def line(request: pytest.FixtureRequest, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Line:
    """Imported, windows named, the batch excluded, baseline, targets and results measured."""
    compose()
    made = Line(tmp_path / "orders.tune", capsys, request.param)
    made("new", "--customer", "ACME", "--zone", weeks.ZONE)
    for run, files in zip(("before", "after"), weeks.write(tmp_path), strict=True):
        made("import", *files, "--run", run, "--phase", run)
    for name, role, days in ((BEFORE, "before", weeks.BEFORE), (AFTER, "after", weeks.AFTER)):
        ends = (f"{days[0]:%Y-%m-%d}", f"{days[-1]:%Y-%m-%d}")
        made("window", "add", name, "--role", role, "--days", "mon-fri", "--hours", "09:00-12:00", "--between", *ends)
    batch = [each.isoformat() for each in weeks.BATCH]
    made("window", "exclude", BEFORE, "--from", batch[0], "--to", batch[1], "--reason", "batch")
    made("cycle", "start", "--title", "First round")
    for name, (native, statistic, value) in TARGETS.items():
        series = made.json("series", "--run", "before", "--match", f"*{native}*")[0]["id"]
        words = (f"name={name}", f"source=series:{series}", f"statistic={statistic}", "direction=lower")
        metric = f"metric.{made.json('cycle', 'add', 'metric', *words)['records'][0]['id']}"
        records = made.json("cycle", "measure", metric, "--run", BEFORE, "--as", "baseline")["records"]
        made(
            "cycle",
            "set",
            next(f"target.{each['id']}" for each in records if each["kind"] == "target"),
            f"value={value}",
        )
        made("cycle", "measure", metric, "--run", AFTER, "--as", "after")
    return made


def test_the_same_windows_figures_and_words_are_everywhere(
    line: Line, window: MainWindow, idle: Callable[[], None], tmp_path: Path, look: Callable[[str, str], None]
) -> None:
    look(line.language, "light")
    words, found = catalogue(line.language), line.json("compare", "--before", BEFORE, "--after", AFTER)
    rows = {_name(each): each for each in found["series"] if _name(each) in TRUE_RATIOS}
    _holds_what_is_true(found, rows)
    verdicts = {
        name: words.text("compare.led_by", lead=row["led_by"])
        if row["led_by"]
        else words.text(f"compare.verdict.{row['verdict']}")
        for name, row in rows.items()
    }
    intervals = {name: "[{:.2f}, {:.2f}]".format(*row["ci95"]) for name, row in rows.items()}

    said = line("compare", "--rows", "--before", BEFORE, "--after", AFTER)
    for name in rows:
        (told,) = [each for each in said.splitlines() if f"{weeks.HOST} iostat {name} " in each]
        assert told.startswith(verdicts[name]) and intervals[name] in told

    assert line.json("diagnose", "--run", BEFORE)["window"] == BEFORE
    targets = [each["standing"] for each in line.json("cycle", "show")["iteration"]["targets"]]
    assert [each["state"] for each in targets] == ["met", "met"]
    met = words.text("cycle.target_state.met")
    assert line("cycle", "show").count(f"  {met}  ") == 2

    line("report", "--shape", "success-case", "--pdf", tmp_path / "r.pdf", "--xlsx", tmp_path / "r.xlsx")
    _pdf_says(tmp_path / "r.pdf", [*intervals.values(), BEFORE, AFTER, "batch"], met)
    _workbook_says(tmp_path / "r.xlsx", words.text("report.sheet.verdicts"), rows, verdicts)

    assert window.controller.open(line.project)
    _compare_page_says(window, idle, rows, verdicts, intervals)
    board = _page(window, idle, "board", BoardPage)
    assert sum(each.text() == f"✓ {met}" for each in board.targets.findChildren(QLabel)) == 2
    findings = _page(window, idle, "findings", FindingsPage)
    assert _names(findings.findChildren(WindowPicker)) == [BEFORE]
    report = _page(window, idle, "report", ReportPage)
    assert _names(report.options.windows.values()) == [BEFORE, AFTER]


def _names(pickers: Iterable[WindowPicker]) -> list[str]:
    return [chosen.name for each in pickers if (chosen := each.chosen()) is not None]


def _name(row: Any) -> str:
    return f"{row['attributes'].get('device', '')} {row['native']}".strip()


def _holds_what_is_true(found: Any, rows: dict[str, Any]) -> None:
    """Four mornings on either side: the Monday after is a holiday, and the one before has no like."""
    days = [[each["from"][8:10] for each in found[side]["windows"]] for side in ("before", "after")]
    assert days == [["04", "05", "06", "07"], ["18", "19", "20", "21"]]
    assert [each["from"][:10] for each in found["before"]["left_out"]] == ["2026-08-03"]
    (load,) = (each for each in found["comparability"] if each["check"] == "C3")
    assert load["state"] == "pass"
    for name, ratio in TRUE_RATIOS.items():
        low, high = rows[name]["ci95"]
        assert low < ratio < high, name
        assert (rows[name]["verdict"] == "improved") is (ratio > 1), name
    rest = {each["verdict"] for each in found["series"] if _name(each) not in (*TRUE_RATIOS, "%idle")}
    assert not rest & {"improved", "regressed"}
    most = max(each["before"]["max"] for each in found["series"] if each["native"] == "%user")
    assert most < 93, "the batch is in no figure"


def _pdf_says(path: Path, told: list[str], met: str) -> None:
    document = pypdfium2.PdfDocument(path)
    pages = "".join(page.get_textpage().get_text_range() for page in document)
    document.close()
    plain = "".join(pages.split())
    for each in told:
        assert "".join(each.split()) in plain, each
    for day in (*weeks.BEFORE, *weeks.AFTER[1:]):
        assert f"{day:%Y.%m.%d}09:00:00" in plain.replace("-", "."), day
    assert plain.count("".join(met.split())) >= 2
    assert "2026.08.032026.08.181,7641,444" in plain.replace("-", "."), (
        "days and samples of the figure that the target is of"
    )


def _workbook_says(path: Path, sheet: str, rows: dict[str, Any], verdicts: dict[str, str]) -> None:
    lines = list(openpyxl.load_workbook(path, data_only=True)[sheet].iter_rows(values_only=True))
    for name, row in rows.items():
        (told,) = [each for each in lines if each[1] == f"iostat {name}"]
        figures = [row["before"]["n"], row["after"]["n"], row["before"]["mean"], row["after"]["mean"], *row["ci95"]]
        assert told[3] == verdicts[name]
        assert [told[place] for place in (4, 5, 8, 9, 12, 13)] == pytest.approx(figures)


def _compare_page_says(
    window: MainWindow,
    idle: Callable[[], None],
    rows: dict[str, Any],
    verdicts: dict[str, str],
    intervals: dict[str, str],
) -> None:
    page = _page(window, idle, "compare", ComparePage)
    model = page.table.model()
    columns = range(model.columnCount())
    lines = [[str(model.index(place, at).data()) for at in columns] for place in range(model.rowCount())]
    for name in rows:
        (told,) = [each for each in lines if f"{name} · iostat" in each]
        assert verdicts[name] in told[0] and any(intervals[name] in each for each in told)
    compared = [text("ui.window.occurrences_of", n=5, compared=4), text("ui.window.occurrences", n=4)]
    for picker, said in zip((page.head.before, page.head.after), compared, strict=True):
        assert said in [each.text() for each in picker.findChildren(QLabel)]
    assert page.chart.alignment is not None
    starts = [page.chart.alignment.before.start_ns, page.chart.alignment.after.start_ns]
    assert [f"{datetime.fromtimestamp(each // 10**9, ZoneInfo(weeks.ZONE)):%m-%d %H}" for each in starts] == [
        "08-04 09",
        "08-18 09",
    ]


def _page(window: MainWindow, idle: Callable[[], None], page_id: str, kind: type[P]) -> P:
    window.show_page(page_id)
    idle()
    page = window.page(page_id)
    assert isinstance(page, kind)
    return page
