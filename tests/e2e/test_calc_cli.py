"""`calc` as it is called: a JSON object on standard input, one on standard output, sentences on the third way out."""

from __future__ import annotations

import io
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.e2e.conftest import Answer, Command
from tunebench.analysis.calculations.catalogue import CALCULATIONS
from tunebench.cli.verbs import calc

CASES = Path(__file__).resolve().parents[1] / "fixtures" / "reference_cases"


@pytest.fixture
def calculate(tunebench: Command, monkeypatch: pytest.MonkeyPatch) -> Any:
    def run(text: str | bytes, *words: str, terminal: bool = False) -> Answer:
        raw = text.encode() if isinstance(text, str) else text
        monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(raw), isatty=lambda: terminal))
        return tunebench("calc", *words)

    return run


def test_a_reference_case_from_file_to_numbers(calculate: Any) -> None:
    case = json.loads((CASES / "g02_ratio_hl_log.json").read_text(encoding="utf-8"))
    for flags in ((), ("--json",), ("--lang", "ko")):
        answer = calculate(json.dumps(case["input"]), "rank-ratio", *flags)
        assert (answer.code, answer.err) == (0, "")
        assert answer.json["ratio"] == pytest.approx(case["expected"]["ratio"], rel=case["rel_tol"])
        assert answer.json["ci"] == pytest.approx(case["expected"]["ci"], rel=case["rel_tol"])


def test_the_list_names_and_explains_every_method(tunebench: Command) -> None:
    for language in ("ko", "en"):
        listed = tunebench("calc", "--list", "--lang", language)
        assert listed.code == 0 and len(listed.out.splitlines()) == 3 * len(CALCULATIONS)
    rows = tunebench("calc", "--list", "--json").json
    assert [row["name"] for row in rows] == list(CALCULATIONS) and all(row["about"] for row in rows)


@pytest.mark.parametrize(
    ("text", "words", "named"),
    [
        ('{"before": [1, 2]}', ("rank-shift",), "'after'"),
        ('{"before": [1, NaN], "after": [1], "conf": 0.95}', ("rank-shift",), "'before[1]'"),
        ('{"before": [1, 2], "after": [1], "conf": 0.95}', ("paired-ratio",), "'after'"),
        ("{}", ("rank-shfit",), "'rank-shfit'"),
        ("{}", (), "calc --list"),
        ("[1, 2]", ("rank-shift",), "JSON"),
        ('{\n"before": [1,}', ("rank-shift",), "2"),
        ("", ("rank-shift",), "JSON"),
        (b"\xff\xfe{\x00}\x00", ("rank-shift",), "UTF-8"),
        ("[" * 100_000, ("rank-shift",), "JSON"),
        ('{"before": [' + "9" * 5_000 + ', 2], "after": [1]}', ("rank-shift",), "JSON"),
    ],
)
@pytest.mark.parametrize("language", ["ko", "en"])
def test_bad_input_gets_one_sentence_and_exit_2(
    calculate: Any, text: str | bytes, words: tuple[str, ...], named: str, language: str
) -> None:
    answer = calculate(text, *words, "--lang", language)
    assert (answer.code, answer.out) == (2, "")
    assert len(answer.err.strip().splitlines()) == 1 and named in answer.err


def test_a_byte_order_mark_is_no_mistake(calculate: Any) -> None:
    assert calculate("\ufeff" + '{"p": [0.01, 0.04]}', "adjust-p").json == {"bh": [0.02, 0.04], "holm": [0.02, 0.04]}


def test_nobody_is_waited_for_at_a_terminal(calculate: Any) -> None:
    answer = calculate("", "rank-shift", "--lang", "en", terminal=True)
    assert answer.code == 2 and "in.json" in answer.err


def test_more_than_can_be_meant_is_refused(calculate: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calc, "MOST_BYTES", 2**20)
    answer = calculate('{"p": [' + "0.5," * 300_000 + "0.5]}", "adjust-p", "--lang", "en")
    assert answer.code == 2 and "1 MiB" in answer.err
