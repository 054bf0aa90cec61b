"""From an empty engagement to a closed cycle on the command line, in both languages; and what it refuses on the way."""

from __future__ import annotations

import getpass
import re
import sqlite3
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from tests.e2e.conftest import Answer, Command, iostat_capture
from tunebench.store.opening import open_project

LANGUAGES = ("ko", "en")


class Desk:
    """A consultant at the command line of one project, in one language."""

    def __init__(self, project: Path, tunebench: Command, language: str) -> None:
        self.project, self.tunebench, self.language = project, tunebench, language
        self.said: list[str] = []

    def __call__(self, act: str, *words: object) -> Answer:
        """An act that is done."""
        answer = self.tunebench("cycle", self.project, act, *words, "--lang", self.language)
        assert answer.code == 0, answer.err
        self.said.append(answer.out)
        return answer

    def refused(self, act: str, *words: object) -> str:
        answer = self.tunebench("cycle", self.project, act, *words, "--lang", self.language)
        assert answer.code == 3, answer.out
        assert "⟨" not in answer.err and "{" not in answer.err, answer.err
        return answer.err

    def json(self, act: str = "show", *words: object) -> Any:
        answer = self.tunebench("cycle", self.project, act, *words, "--json")
        assert answer.code == 0, answer.err
        return answer.json

    def import_(self, path: Path, run: str) -> None:
        answer = self.tunebench("import", self.project, path, "--run", run, "--phase", run, "--json")
        assert answer.code == 0, answer.err

    def series(self, run: str, match: str) -> int:
        return int(self.tunebench("series", self.project, "--run", run, "--match", match, "--json").json[0]["id"])


@pytest.fixture(params=LANGUAGES)
def desk(request: pytest.FixtureRequest, tmp_path: Path, tunebench: Command) -> Desk:
    path = tmp_path / "acme.tune"
    code = tunebench("new", path, "--customer", "ACME", "--zone", "Asia/Seoul", "--lang", request.param).code
    assert code == 0
    return Desk(path, tunebench, request.param)


@pytest.fixture
def captures(tmp_path: Path) -> dict[str, Path]:
    """%user 80 to 85 before; 10 to 15 after, a week later. The first block is since boot and does not count."""
    paths = {}
    for run, day, user in (("before", "2026-07-19", 80.0), ("after", "2026-07-26", 10.0)):
        paths[run] = tmp_path / run / "iostat.txt"
        paths[run].parent.mkdir()
        paths[run].write_text(iostat_capture(day, 6, user, 30.0))
    return paths


def prepare(desk: Desk, captures: dict[str, Path]) -> None:
    """Steps 0 to 4: a problem, a metric with baseline and target, a cause, a countermeasure without its prices."""
    desk.import_(captures["before"], "before")
    desk("set", "engagement", "site=본점", "consultants=이영진, 강경구", "period_start=2026-07-19")
    desk("add", "issue", "title=상담 화면이 느림", "severity=high")
    desk("start", "--title", "1차", "--on", "2026-07-19")
    desk("set", "step:0", "state=done", "notes=09시부터 12시까지 느림")
    desk("add", "metric", f"source=series:{desk.series('before', '%user')}", "name=CPU 사용률", "statistic=max")
    desk("measure", "metric", "--run", "before")
    desk("set", "target", "value=20", "due_on=2026-07-31", "owner=이영진")
    desk(
        "add",
        "cause",
        "domain=database",
        "title=인덱스 전략 부재",
        "issues=issue:1",
        "confidence=high",
        "share_pct=62.5",
    )
    desk(
        "add",
        "action",
        "title=인덱스 추가",
        "causes=cause",
        "changes+=parameter=IX_ORDERS; new=(cust_id, dt); scope=ORDERS",
        "verifications+=metric=metric; margin_pct=10",
    )


def complete_worksheet(desk: Desk) -> None:
    desk(
        "set",
        "action",
        "impacts+=resource=cpu; direction=2; low=50; expected=60; high=70; unit=%",
        "impacts+=resource=space; direction=-1; expected=1.2; unit=GB; note=인덱스 크기",
        "rollback.command=DROP INDEX IX_ORDERS",
        "rollback.duration_min=1",
    )


def test_from_an_empty_engagement_to_a_closed_cycle(desk: Desk, captures: dict[str, Path], tmp_path: Path) -> None:
    desk("show")
    prepare(desk, captures)
    complete_worksheet(desk)
    impacts = desk.json("show", "action")["impacts"]
    assert [(each["resource"], each["direction"]) for each in impacts] == [("cpu", 2), ("space", -1)]
    (guard,) = [metric for metric in desk.json()["iteration"]["metrics"] if metric["guards"]]
    assert (guard["resource"], guard["source"]["metric"]) == ("space", "system.filesystem.utilization")
    desk("set", f"metric.{guard['id']}", "source=manual:df -k", "unit=%", "name=테이블스페이스")
    desk("measure", f"metric.{guard['id']}", "--run", "before", "--value", "61 @ df -k")
    desk(
        "pin",
        "--run",
        "before",
        "--series",
        desk.series("before", "%user"),
        "--caption",
        "튜닝 전 CPU",
        "--to",
        "cause",
        "--by",
        "이영진",
    )
    memo = tmp_path / "면담.txt"
    memo.write_text("면담 기록", encoding="utf-8")
    desk("attach", memo, "--step", "0", "--caption", "면담 기록")
    desk("add", "question", "step=causes", "text=야간 배치와 겹치는가?", "asked_by=강경구")
    desk("set", "question", "answer=겹치지 않음", "answered_by=박과장")
    desk("approve", "action", "--name", "박과장", "--role", "DBA", "--at", "2026-07-20T10:00")
    desk(
        "execute",
        "action",
        "--by",
        "이영진",
        "--at",
        "2026-07-20T22:00",
        "--commands",
        "CREATE INDEX IX_ORDERS ON ORDERS (cust_id, dt)",
    )
    desk.import_(captures["after"], "after")
    cpu = next(metric["id"] for metric in desk.json()["iteration"]["metrics"] if metric["name"] == "CPU 사용률")
    desk("measure", f"metric.{cpu}", "--run", "after", "--remark", "같은 요일")
    desk("measure", f"metric.{guard['id']}", "--run", "after", "--value", "62 @ df -k")
    desk("set", "summary", "bottleneck_before=cpu", "bottleneck_after=disk_latency", "conclusion=목표를 달성함")
    assert "5" in desk.refused("close", "--by", "이영진")  # step 5: nobody has compared the results
    desk("set", "summary", "equality=same", "equality_by=박과장", "equality_basis=주문 화면 40건의 출력을 비교함")
    desk("attach", captures["after"], "--step", "5", "--caption", "변경 전후 출력")
    desk("set", "cause", "state=solved")
    desk("set", "issue:1", "state=solved")
    for step in range(1, 6):
        desk("set", f"step:{step}", "state=done")
    shown = desk.json()
    assert shown["iteration"]["gates"] == []
    (target,) = [one for one in shown["iteration"]["targets"] if one["priority"] == 1]
    assert (target["baseline"]["value"], target["value"], target["standing"]["now"]) == (85.0, 20.0, 15.0)
    assert (target["standing"]["state"], target["standing"]["change"]) == (
        "met",
        "changed",
    )  # typed figures: no interval
    assert target["standing"]["ratio"] == pytest.approx(15 / 85)
    desk("close", "--by", "이영진", "--on", "2026-07-27")
    closed = desk.json()
    # closed by a person; what lies within the target was measured for too short a time to be called met
    assert (closed["iteration"]["outcome"], closed["iteration"]["closed_by"]) == ("unproven", "이영진")
    assert {step["state"] for step in closed["iteration"]["steps"]} == {"done"}
    captions = [(one["code"], one["caption"]) for one in closed["evidence"]]
    said = (
        ("CPU 사용률의 {} (before)", "CPU 사용률의 {} (after)")
        if desk.language == "ko"
        else ("{} of CPU 사용률 (before)", "{} of CPU 사용률 (after)")
    )
    words = ("기준선", "결과") if desk.language == "ko" else ("Baseline", "Result")
    assert captions == [("E-1", said[0].format(words[0])), ("E-2", "튜닝 전 CPU"), ("E-3", said[1].format(words[1]))]
    baseline = closed["iteration"]["targets"][0]["baseline"]
    assert baseline["evidence_id"] == closed["evidence"][0]["id"]
    assert closed["evidence"][0]["attached_to"] == [target["id"]]
    assert [line["executed_at"] for line in closed["iteration"]["executed"]] == ["2026-07-20T22:00:00+09:00"]
    assert closed["iteration"]["attachments"][0]["file_name"] == "면담.txt"
    desk("show")
    desk("show", "action")
    for text in desk.said:
        assert "⟨" not in text and not re.search(r"\{[a-z_]+\}", text), text
    checked = desk.tunebench("check", desk.project, "--json").json
    assert {result["state"] for result in checked} == {"ok"}


def test_both_languages_say_the_same_json_and_other_words(
    tmp_path: Path, tunebench: Command, captures: dict[str, Path]
) -> None:
    found, words = [], []
    for language in LANGUAGES:
        path = tmp_path / f"{language}.tune"
        assert tunebench("new", path, "--customer", "ACME", "--title", "t", "--lang", language).code == 0
        desk = Desk(path, tunebench, language)
        desk.import_(captures["before"], "before")
        desk("start", "--title", "1차", "--on", "2026-07-19")
        found.append(tunebench("cycle", path, "show", "--json", "--lang", language).json)
        words.append(desk("show").out)
    for one in found:
        del one["engagement"]["language"]
    assert found[0] == found[1]
    assert "1차 반복" in words[0] and "다음 할 일:" in words[0]
    assert "iteration 1" in words[1] and "next:" in words[1]


def test_closing_names_the_prices_that_nobody_measured(desk: Desk, captures: dict[str, Path]) -> None:
    prepare(desk, captures)
    complete_worksheet(desk)
    desk("approve", "action", "--name", "박과장", "--at", "2026-07-20T10:00")
    desk("execute", "action", "--by", "이영진", "--at", "2026-07-20T22:00")
    desk.import_(captures["after"], "after")
    metrics = desk.json()["iteration"]["metrics"]
    (judging,), (guard,) = ([one for one in metrics if bool(one["guards"]) is guards] for guards in (False, True))
    desk("measure", f"metric.{judging['id']}", "--run", "after")
    assert guard["name"] in desk.refused("close", "--by", "이영진")
    answer = desk("close", "--by", "이영진", "--on", "2026-07-27", "--reason", "공간은 다음 달에 측정")
    assert [line for line in answer.err.splitlines() if guard["name"] in line]
    assert {"ko": "1 판단 기준", "en": "1 Metrics"}[desk.language] in answer.err
    closed = desk.json()["iteration"]
    assert closed["outcome"] == "unproven"  # measured for too short a time
    assert [step["state"] for step in closed["steps"]] == ["done"] * 7
    dates = [(step["started_on"], step["ended_on"]) for step in (desk.json("show", f"step:{n}") for n in range(1, 6))]
    assert dates == [("", "2026-07-27")] * 5


def measured(desk: Desk, captures: dict[str, Path], executed_at: str) -> None:
    """Up to a result that lies within its target."""
    prepare(desk, captures)
    desk("set", "action", "no_price_reason=읽기 전용", "rollback.command=DROP INDEX")
    desk("approve", "action", "--name", "박과장", "--at", "2026-07-20T10:00")
    desk("execute", "action", "--by", "이영진", "--at", executed_at)
    desk.import_(captures["after"], "after")
    desk("measure", "metric", "--run", "after")


def test_what_may_not_be_compared_is_not_called_met(desk: Desk, captures: dict[str, Path]) -> None:
    """The capture after the change begins at 09:00."""
    measured(desk, captures, "2026-07-26T08:55")
    assert "(C7)" in desk("show").out and "2026-07-26 08:55:00" in desk("show").out
    standing = desk.json()["iteration"]["targets"][0]["standing"]
    assert (standing["state"], standing["change"]) == ("not_comparable", "changed")
    (refused,) = standing["refused_by"]
    assert (refused["check"], refused["state"], refused["reason"]) == ("C7", "refuse", "too_early")
    assert "C7" in desk.refused("close", "--by", "이영진")
    desk("close", "--by", "이영진", "--reason", "다시 재지 않음", "--on", "2026-07-27")
    assert desk.json()["iteration"]["outcome"] == "unproven"
    assert desk.tunebench("info", desk.project, "--json").json["cycle"]["outcome"] == "unproven"


def test_a_figure_that_was_written_over_is_found(desk: Desk, captures: dict[str, Path]) -> None:
    measured(desk, captures, "2026-07-20T22:00")
    assert desk.tunebench("check", desk.project).code == 0
    connection = sqlite3.connect(desk.project)
    connection.execute("UPDATE cycle_record SET body = json_set(body, '$.after.value', 0.1) WHERE kind = 'result'")
    connection.commit()
    connection.close()
    answer = desk.tunebench("check", desk.project, "--lang", desk.language)
    assert answer.code == 3
    (line,) = [each for each in answer.out.splitlines() if "CPU 사용률" in each]
    assert "0.1" in line and "15" in line and "⟨" not in answer.out
    checked = {one["check"]: one["facts"] for one in desk.tunebench("check", desk.project, "--json").json}
    assert checked["cycle_figures"]["found"][0]["recomputed"] == 15.0


def test_a_step_that_lacks_something_is_not_finished_and_says_why(desk: Desk, captures: dict[str, Path]) -> None:
    prepare(desk, captures)  # its countermeasure is a draft, and nothing was measured after it
    answer = desk("continue", "--title", "2차", "--on", "2026-07-27")
    states = [step["state"] for step in desk.json("show", "--iteration", "1")["iteration"]["steps"]]
    assert states == ["done"] * 4 + ["open", "open", "done"]
    finished, fourth, fifth = answer.err.splitlines()
    assert {"ko": "1 판단 기준", "en": "1 Metrics"}[desk.language] in finished
    assert ("인덱스 추가" in fourth, "CPU 사용률" in fifth) == (True, True)
    answer = desk("close", "--abandon", "--by", "이영진", "--reason", "시험")
    assert (answer.err, {s["state"] for s in desk.json()["iteration"]["steps"]}) == ("", {"open"})


def test_steps_that_were_never_begun_may_stay_so(desk: Desk, captures: dict[str, Path]) -> None:
    prepare(desk, captures)
    answer = desk("continue", "--title", "2차", "--leave-steps")
    assert {"ko": "1 판단 기준", "en": "1 Metrics"}[desk.language] in answer.err
    first = desk.json("show", "--iteration", "1")["iteration"]
    assert [step["state"] for step in first["steps"]] == ["done", *["open"] * 5, "done"]


@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "Pacific/Pago_Pago"])
def test_today_is_the_date_of_the_engagement(tmp_path: Path, tunebench: Command, zone: str) -> None:
    """The two are 25 hours apart: no machine has the date of both."""
    project = tmp_path / "acme.tune"
    assert tunebench("new", project, "--customer", "ACME", "--zone", zone).code == 0
    before = datetime.now(ZoneInfo(zone)).date()
    assert tunebench("cycle", project, "start", "--title", "1").code == 0
    written = tunebench("report", project, "--xlsx", tmp_path / "r.xlsx", "--json").json["issued"]
    (iteration,) = tunebench("cycle", project, "show", "--json").json["iterations"]
    today = {day.isoformat() for day in (before, datetime.now(ZoneInfo(zone)).date())}
    assert {iteration["opened_on"], written} <= today


# -- gates ---------------------------------------------------------------------------------------------


def test_every_gate_says_why(desk: Desk, captures: dict[str, Path]) -> None:
    desk.import_(captures["before"], "before")
    desk("start", "--title", "1차")
    desk.refused("set", "step:0", "state=skipped", "skip_reason=시간 없음")  # no introduction
    desk.refused("add", "target", "metric=metric", "value=20")  # no metric
    desk("add", "metric", f"source=series:{desk.series('before', '%user')}", "statistic=max")
    desk.refused("add", "target", "metric=metric", "value=20")  # no baseline
    desk.refused("measure", "metric", "--run", "before", "--as", "after")  # no after-run: nothing was measured before
    desk("measure", "metric", "--run", "before")
    desk.refused("measure", "metric", "--run", "before", "--as", "after")  # the run of the baseline
    desk("set", "target", "value=20")
    desk("add", "action", "title=인덱스 추가")
    assert len(desk.refused("execute", "action", "--by", "이영진").splitlines()) == 5
    desk.refused("approve", "action", "--name", "박과장")
    desk.refused("close", "--by", "이영진")
    desk.refused("close", "--by", "이영진", "--abandon")
    assert desk.json()["iteration"]["actions"][0]["state"] == "draft"
    assert desk.json()["iteration"]["outcome"] == "open"


def test_a_missed_target_is_accepted_by_name_and_reason_or_goes_on(desk: Desk, captures: dict[str, Path]) -> None:
    prepare(desk, captures)
    desk("set", "action", "no_price_reason=읽기 전용", "rollback.command=DROP INDEX")
    desk("set", "target", "value=5")
    desk("approve", "action", "--name", "박과장", "--at", "2026-07-20T10:00")
    desk("execute", "action", "--by", "이영진", "--at", "2026-07-20T22:00")
    desk.import_(captures["after"], "after")
    desk("measure", "metric", "--run", "after")
    assert desk.json()["iteration"]["targets"][0]["standing"]["state"] == "missed"
    desk.refused("close", "--by", "이영진")
    desk("continue", "--title", "2차", "--by", "이영진", "--on", "2026-07-27")
    shown = desk.json()
    assert [(one["number"], one["outcome"]) for one in shown["iterations"]] == [(1, "continued"), (2, "open")]
    second = shown["iteration"]
    assert second["continues"] == shown["iterations"][0]["id"]
    (target,) = second["targets"]
    assert (target["baseline"]["value"], target["value"]) == (15.0, 5.0)
    assert target["carried_from"] == desk.json("show", "--iteration", 1)["iteration"]["targets"][0]["id"]
    desk("close", "--by", "김부장", "--reason", "다음 교체 때까지 사용")
    last = desk.json()["iteration"]
    # nothing was measured in it: that is no missed target
    assert (last["outcome"], last["closed_by"], last["reason"]) == ("unproven", "김부장", "다음 교체 때까지 사용")


# -- bad input and faults ------------------------------------------------------------------------------


WRONG: tuple[tuple[str, ...], ...] = (
    ("set", "cause", "colour=red"), ("set", "cause", "confidence=sure"), ("set", "cause", "share_pct=120"),
    ("set", "cause", "share_pct=nan"), ("set", "cause", "title="), ("set", "target", "due_on=31.7.2026"),
    ("set", "metric", "window=9-12"), ("set", "metric", "source=guess"), ("set", "metric.99", "name=x"),
    ("set", "action", "state=executed"), ("set", "iteration", "outcome=met"), ("set", "action", "impacts+=cpu"),
    ("set", "action", "impacts.7.note=x"), ("set", "cause"), ("set", "cause", "title"), ("add", "wish", "title=x"),
    ("add", "evidence", "caption=x"), ("add", "cause", "title=x"), ("add", "metric", "source=series:999"),
    ("remove", "metric"), ("show", "--iteration", "7"), ("start", "--title", "2차"), ("remove", "issue:9"),
    ("start", "--title", "x", "--template", "no.such"), ("pin", "--caption", "x"), ("roll-back", "action", "--by", "x"),
    ("pin", "--caption", "x", "--capture", "99"), ("pin", "--caption", "x", "--capture", "1", "--lines", "900-901"),
    ("pin", "--caption", "x", "--measurement", "none"), ("attach", "/no/such/file", "--step", "1"),
    ("measure", "metric", "--run", "nope"), ("effects", "action", "--take", "none"),
    ("set", "engagement", "zone=Mars/Base"), ("set", "engagement", "period_end=2020-01-01", "period_start=2021-01-01"),
)  # fmt: skip


def test_wrong_input_is_one_sentence_and_changes_nothing(desk: Desk, captures: dict[str, Path]) -> None:
    prepare(desk, captures)
    before = desk.json()
    for words in WRONG:
        assert len(desk.refused(*words).splitlines()) == 1, words
        assert desk.json() == before, words


def test_what_hangs_on_an_action_is_named_and_how_to_take_it_along(desk: Desk, captures: dict[str, Path]) -> None:
    prepare(desk, captures)
    complete_worksheet(desk)
    (guard,) = (metric for metric in desk.json()["iteration"]["metrics"] if metric["guards"])
    said = desk.refused("remove", "action")
    assert (f"metric.{guard['id']}" in said, "--with-dependents" in said) == (True, True)
    desk("remove", "action", "--with-dependents")
    assert [metric["guards"] for metric in desk.json()["iteration"]["metrics"]] == [None]


def test_usage_errors_are_usage_errors(project: Path, tunebench: Command) -> None:
    for words in ((), ("dance",), ("approve", "action"), ("attach", "x", "--step", "7")):
        assert tunebench("cycle", project, *words, "--lang", "en").code == 2


def test_pasted_control_characters_and_line_breaks(desk: Desk) -> None:
    desk("start", "--title", "1차\x00\u202e \u200b회차\r\n시작")
    desk("set", "step:1", "notes=첫 줄\r\n둘째 줄\x0b셋째\x1b[31m", "owner=이\u0000영진")
    shown = desk.json()["iteration"]
    assert shown["title"] == "1차 회차 시작"
    step = shown["steps"][1]
    assert (step["notes"], step["owner"]) == ("첫 줄\n둘째 줄\n셋째[31m", "이영진")
    desk("set", "iteration", "title==SUM(A1)")
    assert desk.json()["iteration"]["title"] == "=SUM(A1)"
    assert "20,000" in desk.refused("set", "step:1", "notes=" + "가" * 20_001)


def test_decomposed_hangul_becomes_composed(desk: Desk) -> None:
    desk("add", "issue", "title=\u1112\u1161\u11ab\u1100\u1173\u11af")  # as some file systems and editors hand it over
    assert desk.json()["issues"][0]["title"] == "한글"


def test_the_second_consultant_is_told_who_works(desk: Desk) -> None:
    with open_project(desk.project):
        assert getpass.getuser() in desk.refused("start", "--title", "1차")
        assert desk.json()["iterations"] == []


def test_removing_asks_for_what_hangs_on_it(desk: Desk, captures: dict[str, Path]) -> None:
    prepare(desk, captures)
    desk("pin", "--run", "before", "--caption", "전체", "--to", "metric", "--to", "target")
    assert "target." in desk.refused("remove", "metric")
    desk("remove", "metric", "--with-dependents")
    left = desk.json()
    assert (left["iteration"]["metrics"], left["iteration"]["targets"]) == ([], [])
    assert left["iteration"]["actions"][0]["verifications"] == []
    assert (left["evidence"][0]["code"], left["evidence"][0]["attached_to"]) == ("E-1", [])


def test_evidence_numbers_are_never_given_twice(desk: Desk, captures: dict[str, Path]) -> None:
    desk.import_(captures["before"], "before")
    for caption in ("a", "b"):
        desk("pin", "--run", "before", "--caption", caption)
    desk("remove", "E-2")
    desk("pin", "--run", "before", "--caption", "c")
    assert [one["code"] for one in desk.json()["evidence"]] == ["E-1", "E-3"]


def test_every_template_starts_an_iteration(desk: Desk) -> None:
    known = desk.json("templates")
    assert known and {"id", "name", "summary", "source"} == set(known[0])
    for number, template in enumerate(known, start=1):
        desk("start", "--template", template["id"], "--on", "2026-07-19")
        begun = desk.json()["iteration"]
        assert (begun["number"], begun["template"]) == (number, template["id"])
        assert begun["metrics"] and begun["causes"] and begun["actions"]
        desk("show")
        desk("close", "--abandon", "--by", "이영진", "--reason", "시험")
    assert {result["state"] for result in desk.tunebench("check", desk.project, "--json").json} == {"ok"}


def test_info_says_where_the_cycle_stands(desk: Desk) -> None:
    assert desk.tunebench("info", desk.project, "--json").json["cycle"] is None
    desk("start", "--title", "1차")
    stands = desk.tunebench("info", desk.project, "--json").json["cycle"]
    assert (stands["iterations"], stands["number"], stands["outcome"]) == (1, 1, "open")
    assert stands["steps"] == ["open"] * 7
    assert stands["next"] == desk.json()["next"]["key"]
    assert "1차" in desk.tunebench("info", desk.project, "--lang", desk.language).out


def test_forms_go_out_and_come_back(desk: Desk, captures: dict[str, Path], tmp_path: Path) -> None:
    prepare(desk, captures)
    for form in ("questionnaire", "worksheet"):
        path = tmp_path / f"{form}.xlsx"
        before = desk.json()
        desk("export", form, path)
        assert path.read_bytes().startswith(b"PK")
        answer = desk.tunebench("cycle", desk.project, "import", form, path, "--json")
        assert (answer.code, answer.json["added"], answer.json["changed"]) == (0, {}, {}), answer.err
        assert desk.json() == before
        desk.refused("import", form, tmp_path / "none.xlsx")
        desk.refused("export", form, tmp_path / "none" / "x.xlsx")
        wrong = tmp_path / "wrong.xlsx"
        wrong.write_bytes(b"no workbook")
        desk.refused("import", form, wrong)


def test_an_act_without_values_says_what_it_wants(desk: Desk) -> None:
    assert "cycle show engagement" in desk.refused("set", "engagement")
    desk("start", "--title", "1차")
    for kind, wanted in (("metric", "name"), ("cause", "domain"), ("action", "title")):
        assert wanted in desk.refused("add", kind)
    assert "metric" in desk.refused("add", "nothing")


def test_the_engagement_is_shown_with_the_names_that_set_takes(desk: Desk) -> None:
    desk("set", "engagement", "customer=한빛증권", "consultants=김, 이")
    shown = desk.json("show", "engagement")
    assert (shown["customer"], shown["consultants"]) == ("한빛증권", ["김", "이"])
    out = desk("show", "engagement").out
    assert "(customer): 한빛증권" in out and "(consultants): 김, 이" in out
    assert "⟨" not in out


def test_records_have_a_second_language(desk: Desk, tmp_path: Path) -> None:
    """Typed beside the text, kept through a worksheet that shows one language, printed or told to be missing."""
    desk("set", "engagement", "language=ko", "title=주문 튜닝", "title@en=Tuning of orders")
    assert "(title@en): Tuning of orders" in desk("show", "engagement").out
    assert [one["text"] for one in desk.json("show", "engagement")["translations"]] == ["Tuning of orders"]
    desk("start", "--title", "Round 1")
    desk("add", "action", "title@en=Add an index", "title=인덱스 추가", "hypothesis=적게 읽음")
    action = desk.json()["iteration"]["actions"][0]["id"]
    desk("set", f"action.{action}", "risks+=text=잠금", "risks.1.text@en=Locks")
    assert "@ko" in desk.refused("set", f"action.{action}", "state@en=x")
    sheet = tmp_path / "worksheet.xlsx"
    desk("export", "worksheet", sheet)
    answer = desk.tunebench("cycle", desk.project, "import", "worksheet", sheet, "--json")
    assert (answer.code, answer.json["changed"]) == (0, {})
    risk = desk.json()["iteration"]["actions"][0]["risks"][0]
    assert [(one["language"], one["text"]) for one in risk["translations"]] == [("en", "Locks")]

    def page(*words: object) -> tuple[str, Answer]:
        path = tmp_path / "report.html"
        shape = ("--shape", "success-case")
        answer = desk.tunebench("report", desk.project, *shape, "--lang", "en", "--html", path, "--json", *words)
        assert answer.code == 0, answer.err
        return path.read_text(encoding="utf-8"), answer

    html, answer = page()
    assert answer.json["untranslated"] == ["적게 읽음"] and "적게 읽음" in html
    assert all(words in html for words in ("Tuning of orders", "Add an index", "Locks", "no English version: 1"))
    assert "적게 읽음" not in page("--untranslated", "leave-out")[0]
    assert desk.tunebench("report", desk.project, "--verify", tmp_path / "report.html").code == 0


def test_what_is_due_is_measured_by_one_word(desk: Desk, captures: dict[str, Path]) -> None:
    """%user was 80 to 85 before and 10 to 15 after (`captures`); a second time there is nothing left to measure."""
    desk.import_(captures["before"], "before")
    desk("start", "--title", "1차", "--on", "2026-07-19")
    desk("add", "metric", f"source=series:{desk.series('before', '%user')}", "name=CPU 사용률", "statistic=max")
    desk("measure-due")
    (target,) = desk.json()["iteration"]["targets"]
    assert target["baseline"]["value"] == 85
    desk("measure-due")
    assert desk.json()["iteration"]["targets"] == [target]
