"""``diagnose`` at the command line: the JSON of the contract, and the same for people in both languages."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.conftest import Command

FOUNDING = Path(__file__).resolve().parents[1] / "fixtures" / "founding"


@pytest.fixture
def taken(project: Path, tunebench: Command) -> Path:
    """The read-ahead test of document 000 as run ``before``."""
    path = FOUNDING / "iostat_read_maxcontig_6.txt"
    done = tunebench(
        "import",
        project,
        path,
        "--run",
        "before",
        "--phase",
        "before",
        "--host",
        "svrdb1",
        "--date",
        "2008-02-01",
        "--tz",
        "Asia/Seoul",
        "--json",
    )
    assert done.code == 0, done.err
    return project


def test_the_json_is_that_of_the_contract(taken: Path, tunebench: Command) -> None:
    done = tunebench("diagnose", taken, "--run", "before", "--json")
    assert done.code == 0, done.err
    bad = [each for each in done.json["findings"] if each["severity"] != "ok"]
    (finding,) = bad
    assert {"rule", "severity", "host", "attributes", "share", "facts", "evidence", "action", "tradeoff", "source"} <= (
        finding.keys()
    )
    assert (finding["rule"], finding["severity"], finding["host"]) == ("SF-052", "critical", "svrdb1")
    assert (finding["symptoms"], finding["explained_by"]) == ([], None)
    assert "SF-054" in finding["explains"]
    assert finding["confirm_with"]["probes"] == ["solaris.iostat"] and "wsvc_t" in finding["confirm_with"]["what"]
    assert finding["attributes"] == {"device": "ssd2"}
    assert (finding["share"], finding["n"]) == (1.0, 1)
    assert finding["facts"]["svc_t"] == 137.8
    assert {"one_sample", "since_boot"} <= {each["key"] for each in finding["cautions"]}
    evidence = finding["evidence"][0]
    assert {"artefact", "series", "from", "to"} <= evidence.keys()
    (series,) = [one for one in tunebench("series", taken, "--json").json if one["id"] == evidence["series"]]
    assert series["attributes"]["device"] == "ssd2"
    assert evidence["from"].startswith("2008-02-01T00:00:00")
    assert "50ms 이상이되고" in finding["source"]


def test_what_could_not_be_judged_stands_apart(taken: Path, tunebench: Command) -> None:
    document = tunebench("diagnose", taken, "--run", "before", "--json").json
    lacking = {each["rule"]: each for each in document["not_judged"]}
    assert lacking["SF-402"]["missing"] == [{"figure": "sr", "probes": ["solaris.vmstat", "solaris.sar"]}]
    cells = next(row for row in document["use"] if row["resource"] == "cpu")
    assert (cells["utilisation"]["measured"], cells["utilisation"]["value"]) == (False, None)
    assert document["ranking"]["bottleneck"] is None


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", ("Disk bottleneck (SF-052)", "137.8 ms", "single sample", "not measured", "could not be judged")),
        ("ko", ("디스크 병목 (SF-052)", "137.8 ms", "표본이 1개뿐", "미수집", "판단하지 못한 규칙")),
    ],
)
def test_people_read_the_same(taken: Path, tunebench: Command, language: str, words: tuple[str, ...]) -> None:
    done = tunebench("diagnose", taken, "--run", "before", "--lang", language)
    assert done.code == 0, done.err
    assert not [word for word in words if word not in done.out]
    assert "⟨" not in done.out


def test_a_run_that_is_not_there_is_refused(taken: Path, tunebench: Command) -> None:
    done = tunebench("diagnose", taken, "--run", "nowhere", "--json")
    assert done.code == 3
    assert "nowhere" in done.err


@pytest.fixture
def faulty_pack(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A pack of the user's own whose condition tries to import; ten thousand lines of it."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    folder = tmp_path / "TuneBench" / "rules"
    folder.mkdir(parents=True)
    path = folder / "house.yaml"
    rule = (
        '- id: H-{n}\n  title: {{ko: "가", en: "a"}}\n  condition: {{ko: "나", en: "b"}}\n  metrics: [svc_t]\n'
        '  expr: "{condition}"\n  severity: warning\n  domain: system\n  resource: disk\n'
        '  action: {{ko: "다", en: "c"}}\n  source: "us"\n  confidence: low\n  verified: recalled\n'
    )
    rules = [rule.format(n=n, condition="svc_t > 1e9") for n in range(830)]
    rules.append(rule.format(n=830, condition="__import__('os').getpid() > 0"))
    path.write_text('id: house\ntitle: {ko: "우리", en: "Ours"}\nrules:\n' + "".join(rules), encoding="utf-8")
    return path


@pytest.mark.parametrize(("language", "words"), [("en", "left out"), ("ko", "판정에 쓰지 못한 규칙")])
def test_a_pack_that_was_left_out_is_named_with_its_line(
    taken: Path, tunebench: Command, faulty_pack: Path, language: str, words: str
) -> None:
    lines = faulty_pack.read_text(encoding="utf-8").splitlines()
    line = next(n for n, each in enumerate(lines, 1) if "__import__" in each)
    assert line > 9_900
    done = tunebench("diagnose", taken, "--run", "before", "--lang", language)
    assert done.code == 0, done.err
    assert words in done.out and f"house.yaml:{line} expr" in done.out and "SF-052" in done.out
    if language != "en":
        return  # what follows is the same in every language
    document = tunebench("diagnose", taken, "--run", "before", "--json").json
    assert len(document["left_out"]) == 1 and str(line) in document["left_out"][0]
    listed = tunebench("plugin", "list", "--json").json
    (own,) = [each for each in listed if each["id"] == "own.rules"]
    assert own["state"] == "quarantined" and str(line) in own["problems"][0]["text"]
