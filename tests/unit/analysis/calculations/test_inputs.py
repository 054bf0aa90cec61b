"""Bad inputs: one sentence that names the key, whatever is wrong; never a crash, never a number that is not finite."""

from __future__ import annotations

import ast
import json
import re
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np
import polib
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.analysis.calculations.reference_values import load
from tests.unit.analysis.calculations.test_reference_cases import BY_R, METHODS, ROOT, STORED
from tunebench.analysis.calculations.catalogue import CALCULATIONS, calculate
from tunebench.analysis.calculations.inputs import CalculationRefusal
from tunebench.core.errors import ExitCode
from tunebench.core.messages import catalogue

SERIES = [3.1, 2.7, 9.8, 4.4, 5.0, 3.9, 12.5, 4.1, 3.3, 6.2, 2.9, 7.7, 4.8, 3.6, 25.4, 5.5, 4.0, 3.8, 8.1, 6.9]
NOISE = np.random.default_rng(30).gamma(4, 2, 1_000).round(3).tolist()
OTHERS: dict[str, dict[str, Any]] = {
    "percentile-ratio": {"before": NOISE[:500], "after": NOISE[500:], "prob": 0.9},
    "compare-occurrences": {"before": [60.0, 66.0, 54.0], "after": [50.0, 47.0]},
    "iostat-band": {"cases": [{"svc_t": 31, "pct_b": 9}]},
    "usl": {"N": [1, 2, 4, 8, 16, 32], "X": [100, 190, 350, 600, 900, 1100]},
    "knee": {"m": [1, 2, 8]},
    "demand": {"tps": [100, 200, 300, 400, 500, 600], "cpu": [12, 21, 33, 41, 52, 61], "ncpu": 8},
    "bottleneck": {"before": {"cpu": 60.0, "disk": 15.0}, "after": {"cpu": 10.0, "disk": 15.0}},
    "quantile-trend": {"y": SERIES},
    "forecast": {"y": SERIES, "threshold": 80, "level": 0.8, "tp": 30},
    "growth": {"now": 20, "limit": 80, "years": [3, 5], "growth": [0.1, 0.2]},
}
GOOD = {
    **{method: load(next(STORED.glob(f"{case}_*.json")))["input"] for case, method in METHODS.items()},
    **{case["method"]: case["input"] for case in BY_R},
    **OTHERS,
}
OPTIONAL = {("compare-series", "conf"), ("paired-ratio", "conf"), ("ratio-of-means", "conf")}
REFUSALS = ROOT / "resources" / "locale"


def test_every_method_has_an_example_here() -> None:
    assert set(GOOD) == set(CALCULATIONS)


def test_the_listed_inputs_are_those_that_are_read() -> None:
    """What is in brackets may be missing; every other key must be there (`test_a_missing_key_is_named`)."""
    for name, method in CALCULATIONS.items():
        needed = {key.partition(".")[0] for key in re.sub(r"\[.*\]", "", method.inputs).split()}
        assert needed == {key for key in GOOD[name] if (name, key) not in OPTIONAL}


@pytest.mark.parametrize("name", CALCULATIONS)
def test_every_method_answers_and_is_explained(name: str) -> None:
    found = calculate(name, GOOD[name])
    assert found and json.dumps(found, allow_nan=False)
    for language in ("ko", "en"):
        assert catalogue(language).text(f"calc.about.{name.replace('-', '_')}")


def refusal(name: str, document: object) -> CalculationRefusal:
    with pytest.raises(CalculationRefusal) as refused:
        calculate(name, document)
    assert refused.value.exit_code == ExitCode.USAGE
    for language in ("ko", "en"):
        sentence = catalogue(language).error(refused.value)
        assert sentence and "{" not in sentence.replace("{...}", "") and "\n" not in sentence
    return refused.value


@pytest.mark.parametrize(
    ("name", "key"), [(name, key) for name, document in GOOD.items() for key in document if (name, key) not in OPTIONAL]
)
def test_a_missing_key_is_named(name: str, key: str) -> None:
    found = refusal(name, {other: value for other, value in GOOD[name].items() if other != key})
    assert found.facts["name"] == key
    assert key in catalogue("en").error(found) and key in catalogue("ko").error(found)


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), None, "5", True, 10**400, [1], {}])
@pytest.mark.parametrize(("name", "key"), [("rank-shift", "before"), ("trend", "y"), ("adjust-p", "p"), ("usl", "N")])
def test_what_is_no_finite_number_is_named_with_its_place(name: str, key: str, bad: object) -> None:
    values = [*GOOD[name][key]]
    values[3] = bad
    assert refusal(name, {**GOOD[name], key: values}).facts["name"] == f"{key}[3]"


@pytest.mark.parametrize(
    ("name", "one", "other"),
    [
        ("paired-ratio", "before", "after"),
        ("factorial", "y", "a"),
        ("usl", "N", "X"),
        ("demand", "tps", "cpu"),
        ("sql-mix", "execs_before", "elapsed_per_exec_after"),
    ],
)
def test_lists_of_different_lengths_are_named(name: str, one: str, other: str) -> None:
    found = refusal(name, {**GOOD[name], other: GOOD[name][other][:-1]})
    assert other in str(found.facts["name"]) and one in GOOD[name]


@pytest.mark.parametrize(
    ("name", "changes", "key"),
    [
        ("no-such-method", {}, "calc_unknown"),
        ("rank-shift", {"before": []}, "calc_too_few"),
        ("rank-shift", {"before": 5}, "calc_not_a_list"),
        ("rank-shift", {"before": list(range(3_000)), "after": list(range(3_000))}, "calc_too_many_pairs"),
        ("rank-shift", {"conf": 1}, "calc_not_a_share"),
        ("rank-shift", {"before": [1, 1e101]}, "calc_too_far"),
        ("rank-shift", {"before": [1, 5e-324]}, "calc_too_far"),
        ("rank-ratio", {"before": [1, 2, 0]}, "calc_not_positive"),
        ("quantiles", {"probs": [0.5, 1.0]}, "calc_not_a_share"),
        ("bca", {"statistic": "median"}, "calc_not_known"),
        ("bca", {"replicates": [500.0, 501.0]}, "calc_replicates_one_side"),
        ("ratio-of-means", {"after": [-1, 1]}, "calc_mean_of_zero"),
        ("factorial", {"a": ["x"] * 21}, "calc_factorial_one_level"),
        ("factorial", {"a": [None] * 21}, "calc_not_a_label"),
        ("adjust-p", {"p": [0.5, 1.01]}, "calc_out_of_range"),
        ("autocorrelation", {"lag": 2.5}, "calc_not_whole"),
        ("autocorrelation", {"lag": 90}, "calc_out_of_range"),
        ("change-point", {"min_size": 8}, "calc_out_of_range"),
        ("percentile-ratio", {"after": SERIES}, "calc_not_resampled"),
        ("verdict", {"cases": [{"ci": [2, 1]}]}, "calc_wrong_order"),
        ("verdict", {"cases": [{"ci": [1, 2, 3]}]}, "calc_too_many"),
        ("verdict", {"cases": [5]}, "calc_not_an_object"),
        ("verdict", {"delta": -0.1}, "calc_out_of_range"),
        ("sql-mix", {"execs_after": [0] * 6}, "calc_not_counts"),
    ],
)
def test_other_refusals(name: str, changes: dict[str, Any], key: str) -> None:
    assert refusal(name, {**GOOD.get(name, {}), **changes}).key == key


def test_a_place_inside_of_a_list_is_named_in_full() -> None:
    cases = [{"ci": [1, 2]}, {"ci": [1, "x"]}]
    assert refusal("verdict", {"delta": 0.05, "cases": cases}).facts["name"] == "cases[1].ci[1]"
    assert refusal("verdict", {"delta": 0.05, "cases": [{}]}).facts["name"] == "cases[0].ci"


@pytest.mark.parametrize("document", [None, [], 5, "x", True])
def test_an_input_that_is_no_object(document: object) -> None:
    assert refusal("rank-shift", document).key == "calc_no_object"


def test_what_has_no_value_is_null() -> None:
    assert calculate("rank-ratio", {"before": [9, 10, 11], "after": [1, 2, 3], "conf": 0.95})["ci"] is None
    found = calculate("outliers", {"x": [1, 1, 1, 5]})
    assert found["mod_z"] == [None] * 4 and found["flagged_index"] == []
    assert calculate("autocorrelation", {"series": [2, 2, 2], "lag": 1})["lag1"] is None
    assert calculate("compare-series", {"before": [5], "after": [1, 2]})["ci"] is None


def test_the_gates_refusals_come_before_everything() -> None:
    cases = [
        {"ci": None, "similarity": 0.4},
        {"ci": [1.2, 1.4], "n": 1},
        {"ci": [1.2, 1.4], "n_eff": 9.9},
        {"ci": [1.2, 1.4], "n_eff": 10, "coverage": 0.8, "similarity": 0.5, "load_ratio": 0.7},
    ]
    assert calculate("verdict", {"delta": 0.05, "cases": cases})["verdicts"] == [
        "not_comparable",
        "descriptive_only",
        "insufficient_data",
        "improved",
    ]


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=400)
@given(st.data())
def test_whatever_is_put_in_place_of_a_value_is_answered_or_refused(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(sorted(set(GOOD) - {"percentile-ratio"})))
    key = data.draw(st.sampled_from(sorted(GOOD[name])))
    document = {**GOOD[name], key: data.draw(ANYTHING)}
    try:
        found = calculate(name, document)
    except CalculationRefusal as refused:
        found = {"refused": catalogue("en").error(refused)}
    assert json.dumps(found, allow_nan=False) != '{"refused": ""}'


FITTED = {"usl", "forecast", "trend", "quantile-trend", "demand", "growth", "erlang-c", "knee", "bottleneck"}


@settings(max_examples=300)
@given(st.data())
def test_numbers_of_any_size_give_numbers_or_null(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(sorted(set(GOOD) - FITTED - {"percentile-ratio", "verdict", "iostat-band"})))
    keys = [key for key, value in GOOD[name].items() if isinstance(value, list) and isinstance(value[0], int | float)]
    document = dict(GOOD[name])
    for key in keys:
        number = st.one_of(st.floats(0, 100), st.sampled_from([0.0, 1e-100, 1e90, -1.0, 1e100]))
        size = min(len(document[key]), 12)
        document[key] = data.draw(st.lists(number, min_size=size, max_size=size))
    try:
        found = calculate(name, document)
    except CalculationRefusal:
        return
    assert json.dumps(found, allow_nan=False)
    assert all(isfinite(value) for value in found.values() if isinstance(value, float))


def test_every_refusal_has_its_sentence_with_its_facts() -> None:
    """The facts that the code gives are those that the sentences name."""
    sentences = {
        language: {e.msgid: e.msgstr for path in (REFUSALS / language).glob("*.po") for e in polib.pofile(str(path))}
        for language in ("ko", "en")
    }
    for path in [
        *(ROOT / "app/tunebench" / "analysis" / "calculations").glob("*.py"),
        ROOT / "app/tunebench" / "cli" / "verbs" / "calc.py",
    ]:
        for key, facts in raised(path):
            for language, texts in sentences.items():
                named = {part.split("}")[0] for part in texts[f"error.{key}"].split("{")[1:]}
                assert named <= facts, (path.name, key, language)


def raised(path: Path) -> list[tuple[str, set[str]]]:
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call):
            continue
        requires = getattr(node.func, "attr", "") == "require"
        if requires or getattr(node.func, "id", "") == "CalculationRefusal":
            key = node.args[1 if requires else 0]
            names = {keyword.arg for keyword in node.keywords} | ({"name"} if requires else set())
            if isinstance(key, ast.Constant) and None not in names:
                found.append((str(key.value), {name for name in names if name}))
    return found
