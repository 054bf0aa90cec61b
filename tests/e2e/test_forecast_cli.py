"""``forecast`` as a person and as a program use it."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from tests.e2e.conftest import Command
from tests.made import capacity_weeks as weeks
from tests.program import compose
from tunebench.domain.engagement import Engagement, Phase
from tunebench.usecases import browse, projects
from tunebench.usecases.importing import imports
from tunebench.usecases.importing.results import ImportOptions


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, int]]:
    """Five weeks, and the series by attributes and heading; nothing here writes to it."""
    compose()
    folder = tmp_path_factory.mktemp("weeks")
    (folder / "captures").mkdir()
    files = weeks.write(folder / "captures", days=35)
    path = folder / "weeks.tune"
    with projects.create(path, Engagement("capacity", "ACME", zone="Asia/Seoul")) as project:
        imports.import_captures(project, files, ImportOptions(run="weeks", phase=Phase.OTHER, host="orderdb1"))
        ids = {info.label: info.id for info in browse.list_series(project)}
    return path, ids


def named(ids: dict[str, int], native: str) -> int:
    (found,) = [id_ for name, id_ in ids.items() if name.split(" ")[-1] == native]
    return found


def test_the_document_is_stable(filled: tuple[Path, dict[str, int]], tunebench: Command) -> None:
    project, ids = filled
    answer = tunebench(
        "forecast", project, "--series", named(ids, "Use%"), "--limit", "80", "--growth", "10,20", "--json"
    )
    assert (answer.code, answer.err) == (0, "")
    found = answer.json
    assert set(found) == {
        "series",
        "limit",
        "now",
        "daily",
        "outcome",
        "earliest",
        "median",
        "latest",
        "horizon",
        "refusals",
        "remarks",
        "trend",
        "back_test",
        "band",
        "growth",
        "what_if",
    }
    assert found["outcome"] == "dated"
    # 52 % and 0.6 points a day: 80 % after 46.7 days
    assert abs((date.fromisoformat(found["median"]) - date(2026, 10, 24)).days) <= 2
    assert found["earliest"] <= found["median"] <= found["latest"]
    assert (found["limit"]["value"], found["limit"]["source"], found["limit"]["direction"]) == (80, "given", "rising")
    assert found["daily"]["n"] == len(found["daily"]["points"]) == 35
    assert len(found["band"]["points"]) == found["horizon"]["days"] == 35
    assert found["trend"]["slope_per_day"] == pytest.approx(0.6, abs=0.02)
    assert [each["growth"] for each in found["growth"]] == [0.1, 0.2]
    assert found["what_if"] is None


def test_a_refusal_is_a_result_with_its_reason(filled: tuple[Path, dict[str, int]], tunebench: Command) -> None:
    project, ids = filled
    answer = tunebench("forecast", project, "--series", named(ids, "rkB/s"), "--limit", "500", "--json")
    assert answer.code == 0
    assert (answer.json["outcome"], answer.json["median"]) == ("refused", None)
    assert [each["key"] for each in answer.json["refusals"]] == ["constant"]
    spoken = tunebench("forecast", project, "--series", named(ids, "rkB/s"), "--limit", "500", "--lang", "ko")
    assert "도달 시점을 말할 수 없습니다." in spoken.out


def test_what_if_and_words(filled: tuple[Path, dict[str, int]], tunebench: Command) -> None:
    project, ids = filled
    words = ("forecast", project, "--series", named(ids, "%idle"), "--load", named(ids, "tps"), "--factor", "1.2,4")
    found = tunebench(*words, "--json").json["what_if"]
    assert [each["feasible"] for each in found["factors"]] == [True, False]
    assert found["slope_pct"] == pytest.approx(1 / weeks.TRANSFERS_PER_POINT, rel=0.03)
    spoken = tunebench(*words, "--lang", "en").out
    assert "CPU busy (100 % − %idle − %iowait), limit 75 %" in spoken
    assert "over the limit" in spoken
    assert "⟨" not in spoken


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("--series", "1", "--limit", "0"), 2),
        (("--series", "1", "--limit", "nan"), 2),
        (("--limit", "80"), 2),
        (("--series", "1", "--limit", "80", "--hours", "9"), 2),
        (("--series", "1", "--limit", "80", "--growth", "-100"), 2),
        (("--series", "99999", "--limit", "80"), 3),
    ],
)
def test_exit_codes(project: Path, tunebench: Command, words: tuple[str, ...], code: int) -> None:
    answer = tunebench("forecast", project, *words, "--json")
    assert (answer.code, answer.out) == (code, "")
    assert answer.err
