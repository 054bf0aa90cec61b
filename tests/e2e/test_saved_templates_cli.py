"""A closed iteration becomes a template, without what holds for its own engagement alone, and begins another one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cycle_cheats import REASON
from tests.e2e.conftest import Command
from tests.ui import made_cycle
from tunebench.core.paths import user_templates_folder
from tunebench.domain.cycle.records import Metric
from tunebench.store.opening import open_project
from tunebench.usecases.cycle.saved_templates import SUFFIX


@pytest.fixture(autouse=True)
def none_saved() -> None:
    for path in user_templates_folder().glob(f"*{SUFFIX}"):
        path.unlink()


@pytest.fixture
def closed(project: Path, tunebench: Command) -> Path:
    with open_project(project) as opened:
        ids = made_cycle.fill(opened)
        maker = made_cycle.CycleMaker(opened)
        guard = next(each for each in maker.book.all(Metric) if each.guards is not None)
    cycle = ("cycle", project)
    for words in (
        ("set", f"cause.{ids['cause']}", "text=ACME reads small pieces on sun1, says Park"),
        ("add", "contact", "name=Park"),
        ("set", f"metric.{guard.id}", "source=manual:meter", "--reason", REASON),
        ("measure", f"metric.{guard.id}", "--run", "before", "--value", "40 @ meter", "--as", "baseline"),
        ("measure", f"metric.{guard.id}", "--run", "after", "--value", "44 @ meter", "--as", "after"),
    ):
        answer = tunebench(*cycle, *words)
        assert answer.code == 0, (words, answer.err)
    refused = tunebench(*cycle, "save-template", "--lang", "ko")
    assert refused.code == 3 and "⟨" not in refused.err  # it is open
    answer = tunebench(*cycle, "close", "--by", "Lee", "--reason", REASON)
    assert answer.code == 0, answer.err
    return project


def test_a_closed_iteration_begins_another_engagement(closed: Path, tunebench: Command, tmp_path: Path) -> None:
    path = Path(tunebench("cycle", closed, "save-template", "--json").json["file"])
    assert tunebench("cycle", closed, "save-template").code == 3  # saved already
    text = path.read_text(encoding="utf-8")
    for own in ("ACME", "Park", "Kim", "tunefs", '"16"', "2026-", "before", "after", made_cycle.SOURCE):
        assert own not in text, own
    (listed,) = [
        each for each in tunebench("cycle", closed, "templates", "--json").json if each["id"].startswith("own.")
    ]
    other = tmp_path / "other.tune"
    for language in ("en", "ko"):
        other.unlink(missing_ok=True)
        assert tunebench("new", other, "--customer", "Other", "--lang", language).code == 0
        assert tunebench("cycle", other, "start", "--template", listed["id"]).code == 0
        shown = tunebench("cycle", other, "show", "--json").json["iteration"]
        (action,) = shown["actions"]
        assert (action["title"], action["state"], action["consents"]) == ("Larger read-ahead", "draft", [])
        assert [(each["parameter"], each["old"], each["new"]) for each in action["changes"]] == [
            ("maxcontig", "", "128")
        ]
        assert action["rollback"]["command"] == "" and action["hypothesis"] == "Fewer, larger reads"
        assert "Order time: 50 → 25 s" in action["caveat"]
        price = next(each for each in action["impacts"] if each["direction"] < 0)
        assert (price["resource"], price["basis"]) == ("memory", "estimate") and "40 → 44" in price["note"]
        assert [each["guards"] for each in shown["metrics"] if each["resource"] == "memory"] == [action["id"]]
        assert {each["name"] for each in shown["metrics"]} >= {"Order time", "Block gets", "Queue"}
        assert all(each["baseline"] is None and each["value"] is None for each in shown["targets"])
        (cause,) = shown["causes"]
        assert (cause["title"], cause["state"]) == ("Small reads", "open") and "ACME" not in cause["text"]
        assert tunebench("check", other).code == 0


def test_a_file_that_is_no_template_is_named_and_left_out(closed: Path, tunebench: Command) -> None:
    path = Path(tunebench("cycle", closed, "save-template", "--json").json["file"])
    told = json.loads(path.read_text(encoding="utf-8"))
    told["templates"][0]["metrics"][0]["statistic"] = "best"
    path.write_text(json.dumps(told), encoding="utf-8")
    spoilt = path.with_name(f"spoilt{SUFFIX}")
    spoilt.write_text("{", encoding="utf-8")
    for language in ("en", "ko"):
        answer = tunebench("cycle", closed, "templates", "--lang", language)
        assert answer.code == 0 and "own." not in answer.out
        assert str(path) in answer.err and str(spoilt) in answer.err and "⟨" not in answer.err


def test_what_is_delicate_in_a_text_stays_at_home(closed: Path, tunebench: Command) -> None:
    cycle = ("cycle", closed)
    host = ("host", closed, "add", "erp-db01.acme.example", "--address", "10.20.30.40", "--user", "tuner7")
    assert tunebench(*host).code == 0
    assert tunebench(*cycle, "add", "contact", "name=김철수", "organisation=(주)한빛은행").code == 0
    assert tunebench(*cycle, "set", "engagement", "customer=Acorn Bank Co., Ltd.").code == 0
    delicate = (
        "담당김철수가",
        "한빛은행에서",
        "erp-db01이",
        "Acorn  Bank의",
        "sqlplus system/Tiger123@orcl",
        "password=Hunter2",
        "비밀번호: 호랑이9",
        "tuner7@10.20.30.40",
        "10.20.30.41",
        "/home/acorn7/x",
        "Kim",
    )
    shown = ("11.2.0.4.0", "iowait 12.5 %", "/etc/system", "a/b")
    cause = tunebench(*cycle, "show", "--json").json["iteration"]["causes"][0]["id"]
    text = f"text={' | '.join((*delicate, *shown))}"
    assert tunebench(*cycle, "set", f"cause.{cause}", text).code == 0
    path = Path(tunebench(*cycle, "save-template", "--json").json["file"])
    (saved,) = json.loads(path.read_text(encoding="utf-8"))["templates"]
    told = saved["causes"][0]["text"]["ko"]
    for word in ("철수", "한빛", "erp", "Acorn", "Tiger", "Hunter", "호랑이", "tuner7", "10.20", "acorn7", "Kim"):
        assert word not in told, (word, told)
    for word in shown:
        assert word in told, (word, told)


def test_a_template_has_both_languages_of_its_records(closed: Path, tunebench: Command, tmp_path: Path) -> None:
    """And neither of them names people of the engagement."""
    cycle = ("cycle", closed)
    cause = tunebench(*cycle, "show", "--json").json["iteration"]["causes"][0]["id"]
    assert tunebench(*cycle, "add", "contact", "name=Choi", "name@ko=최과장").code == 0
    assert tunebench(*cycle, "set", f"cause.{cause}", "title@ko=작은 읽기(최과장 확인)").code == 0
    path = Path(tunebench(*cycle, "save-template", "--json").json["file"])
    (saved,) = json.loads(path.read_text(encoding="utf-8"))["templates"]
    assert saved["causes"][0]["title"] == {"ko": "작은 읽기(○○ 확인)", "en": "Small reads"}
    other = tmp_path / "other.tune"
    assert tunebench("new", other, "--customer", "Other", "--lang", "en").code == 0
    assert tunebench("cycle", other, "start", "--template", saved["id"]).code == 0
    (begun,) = tunebench("cycle", other, "show", "--json").json["iteration"]["causes"]
    told = [(one["field"], one["language"], one["text"]) for one in begun["translations"] if one["field"] == "title"]
    assert (begun["title"], told) == ("Small reads", [("title", "ko", "작은 읽기(○○ 확인)")])
