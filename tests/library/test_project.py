"""What a script gets, and what it is refused."""

from __future__ import annotations

import json
from pathlib import Path

import duckdb
import numpy as np
import pytest

import tunebench
from tests import program
from tests.architecture.test_start import _capture
from tunebench.usecases import encrypting

PASSPHRASE = "four words of nobody"


@pytest.fixture
def services(monkeypatch: pytest.MonkeyPatch) -> None:
    """The program of this process, whatever pytest has imported: `test_story` asks the other one."""
    program.compose()
    monkeypatch.setattr(tunebench, "numpy_came_first", False)


@pytest.fixture
def captures(tmp_path: Path) -> list[Path]:
    paths = []
    for run, hour, busy in (("before", 9, 80.0), ("after", 14, 20.0)):
        paths.append(tmp_path / f"{run}.txt")
        paths[-1].write_text(_capture(hour, busy), encoding="utf-8")
    return paths


@pytest.fixture
def project_file(services: None, captures: list[Path], tmp_path: Path) -> Path:
    with tunebench.create(tmp_path / "acme", customer="ACME") as project:
        for path in captures:
            assert project.import_(path, run=path.stem, phase=path.stem).is_complete
        return project.path


def test_what_is_in_a_project(project_file: Path) -> None:
    with tunebench.open(project_file) as project:
        assert project.engagement.customer == "ACME"
        assert [host.name for host in project.hosts] == ["db01"]
        assert [(run.label, run.phase.value) for run in project.runs] == [("before", "before"), ("after", "after")]
        assert project.windows == ()
        assert project.as_dict()["samples"] == sum(len(one.values) for one in project.series()) == 36
        assert len(project.series()) == 12 and len(project.series("*idle*", run="before")) == 1


def test_a_series_is_arrays_and_arrow(project_file: Path) -> None:
    """The capture's idle: 99 - 80 - 1, 2, 3 per cent, a minute apart; the first is an average since boot."""
    with tunebench.open(project_file) as project:
        idle = project.series("*idle*", run="before")[0]
        assert idle.unit == "%"
        assert idle.values.tolist() == [18.0, 17.0, 16.0]
        assert np.diff(idle.times_ns).tolist() == [60 * 10**9] * 2
        assert "18.00" in "".join(idle.evidence(int(idle.times_ns[0])).lines)
        taken = duckdb.sql("SELECT time, value FROM idle ORDER BY time").fetchnumpy()  # type: ignore[union-attr]
    assert taken["value"].tolist() == idle.values.tolist()
    assert taken["time"].astype("datetime64[ns]").astype(np.int64).tolist() == idle.times_ns.tolist()


def test_what_was_not_measured_is_null_in_arrow(services: None, tmp_path: Path) -> None:
    text = _capture(9, 80.0).replace("   16.00\n", "       -\n", 1)
    (tmp_path / "gap.txt").write_text(text, encoding="utf-8")
    with tunebench.create(tmp_path / "gap", customer="ACME") as project:
        project.import_(tmp_path / "gap.txt", run="r")
        series = project.series("*idle*")[0]
        counts = duckdb.sql("SELECT count(*), count(value), count(*) FILTER (isnan(value)) FROM series").fetchall()  # type: ignore[union-attr]
        missing = int(np.isnan(series.values).sum())
        assert counts == [(len(series.values), len(series.values) - missing, 0)]


def test_a_comparison_as_values_words_and_arrow(project_file: Path) -> None:
    with tunebench.open(project_file) as project:
        comparison = project.compare("before", "after")
    document = comparison.as_dict("ko")
    assert comparison.text("ko").splitlines()[0] == document["answer"]["text"]["headline"]
    assert comparison.text("en").splitlines()[0] == comparison.as_dict("en")["answer"]["text"]["headline"]
    assert len(comparison.rows) == len(document["series"])
    idle = next(row for row in document["series"] if row["native"] == "%idle")
    assert (idle["before"]["mean"], idle["after"]["mean"]) == (17.0, 77.0)  # 18 17 16; 78 77 76
    taken = duckdb.sql("SELECT before_mean, after_mean FROM comparison WHERE native = '%idle'").fetchall()  # type: ignore[union-attr]
    assert taken == [(17.0, 77.0)]


def test_the_same_as_the_verb(project_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with tunebench.open(project_file) as project:
        compared, judged = project.compare().as_dict("ko"), project.diagnose("before").as_dict("ko")
    for words, value in (
        (["compare", str(project_file), "--before", "before", "--after", "after"], compared),
        (["diagnose", str(project_file), "--run", "before"], judged),
    ):
        capsys.readouterr()
        program.main([*words, "--json", "--lang", "ko"])
        assert json.loads(capsys.readouterr().out) == value


@pytest.mark.parametrize(
    ("refused_by", "key"),
    [
        (lambda project: project.compare("before", "later"), "window_or_run_unknown"),
        (lambda project: project.diagnose("later"), "window_or_run_unknown"),
        (lambda project: project.series(run="later"), "run_unknown"),
        (lambda project: project.import_("later.txt", run="r"), "project_read_only"),
        (lambda project: project.series()[0].evidence(0), "nothing_measured_there"),
    ],
)
def test_refusals(project_file: Path, refused_by: object, key: str) -> None:
    with tunebench.open(project_file) as project, pytest.raises(tunebench.Refused) as refusal:
        refused_by(project)  # type: ignore[operator]
    assert refusal.value.key == key
    assert refusal.value.text("ko") != refusal.value.text("en") and "⟨" not in refusal.value.text("ko")


def test_nothing_to_compare_is_a_refusal(services: None, tmp_path: Path) -> None:
    with tunebench.create(tmp_path / "empty", customer="ACME") as project, pytest.raises(tunebench.Refused) as refusal:
        project.compare()
    assert refusal.value.key == "nothing_to_compare"


def test_one_writes_at_a_time(project_file: Path) -> None:
    with tunebench.open(project_file, write=True):
        with pytest.raises(tunebench.Refused) as refusal:
            tunebench.open(project_file, write=True)
        with tunebench.open(project_file) as reader:
            assert len(reader.series()) == 12
    assert refusal.value.key == "project_in_use"


def test_an_encrypted_project_wants_its_passphrase(project_file: Path) -> None:
    encrypting.encrypt(project_file, passphrase=PASSPHRASE)
    from tunebench.core import sealing

    sealing._held.clear()
    for given, key in (("", "project_needs_passphrase"), ("another one, and wrong", "project_key_wrong")):
        with pytest.raises(tunebench.Refused) as refusal:
            tunebench.open(project_file, passphrase=given)
        assert refusal.value.key == key
    with tunebench.open(project_file, passphrase=PASSPHRASE) as project:
        assert len(project.series()) == 12
