"""The ready experiments: each can be made in both languages, and its trials can be planned for a host."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.bootstrap import compose
from app.capture.planning import choose_probes
from app.core.errors import UserError
from app.domain.experiments.records import Experiment
from app.usecases import services
from app.usecases.experiments import matrices

compose()
NAMES = [path.stem for path in services.current().plugins.matrices()]


def made(name: str, language: str = "en", **set_: str) -> Experiment:
    (change, *_trials) = matrices.matrix_edit(name, language, set_).changes
    assert isinstance(change.after, Experiment)
    return change.after


def test_the_founding_studies_are_there() -> None:
    wanted = {"fs-time", "sysbench-pool-threads", "table-compression", "memory-steps", "swap-fill", "bonnie-records"}
    assert wanted | {"fio-depth-block", "pgbench-clients"} == set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_it_can_be_made_and_planned(name: str) -> None:
    korean, english = (matrices.find_matrix(name, language) for language in ("ko", "en"))
    assert korean.title != english.title and korean.summary != english.summary
    assert [each.name for each in korean.settings] == [each.name for each in english.settings]
    experiment = made(name)
    texts = (experiment.setup, experiment.command, experiment.teardown, experiment.drop, experiment.collect)
    assert not any(f"{{{each.name}}}" in line for each in english.settings for line in texts)
    levels = [level.name for factor in experiment.factors for level in factor.levels]
    assert not any("e+" in level for level in levels)  # no command takes 1e+06 rows
    assert experiment.source == "" and english.source in experiment.notes  # what is measured with it is judged
    os = "sunos" if "solaris" in "".join(experiment.beside) else "linux"
    probes = services.current().plugins.probes()
    chosen = choose_probes(experiment.beside, os, probes)
    tools = {probe.tool for probe in probes if probe.id in {each.probe_id for each in chosen}}
    for response in experiment.responses:
        if response.statistic is not None:
            assert response.figure.split()[0] in tools | (
                {"load", "replication"} if "snapshots" in str(chosen) else set()
            )


def test_what_is_set_and_chosen_stands_in_it() -> None:
    edit = matrices.matrix_edit("fio-depth-block", "en", {"file": "/data/x"}, {"depth": ["1", "8"]}, repetitions=2)
    experiment = edit.changes[0].after
    assert isinstance(experiment, Experiment)
    assert "--filename=/data/x" in experiment.command and experiment.teardown == "rm -f /data/x"
    assert [level.name for level in experiment.factors[1].levels] == ["1", "8"]
    assert len(edit.changes) == 1 + 4 * 2 * 2  # the experiment; blocks, depths, repetitions
    kept = matrices.matrix_edit("fs-time", "en", {}, {"filesystem": ["ext3 1K"]}).changes[0].after
    assert isinstance(kept, Experiment) and {cell[0] for cell in kept.cells} == {"ext3 1K"} and kept.baseline == ()


def test_numbers_of_a_small_server_take_the_place_of_the_documents() -> None:
    edit = matrices.matrix_edit("sysbench-pool-threads", "en", {}, {"pool": ["128", "4096"], "threads": ["1", "3"]})
    experiment = edit.changes[0].after
    assert isinstance(experiment, Experiment)
    told = [[(level.name, level.value) for level in factor.levels] for factor in experiment.factors[1:]]
    assert told == [[("4096", 4096.0), ("128", 128.0)], [("1", 1.0), ("3", 3.0)]]


def test_what_is_not_there_is_refused() -> None:
    for key, act in (
        ("experiment_example_unknown", lambda: matrices.matrix_edit("nothing", "en", {})),
        ("experiment_setting_unknown", lambda: matrices.matrix_edit("fs-time", "en", {"files": "x"})),
        ("experiment_cell_unknown", lambda: matrices.matrix_edit("fs-time", "en", {}, {"mount": ["x"]})),
        ("experiment_cell_unknown", lambda: matrices.matrix_edit("fs-time", "en", {}, {"nothing": ["x"]})),
        ("experiment_cell_unknown", lambda: matrices.matrix_edit("pgbench-clients", "en", {}, {"clients": ["few"]})),
        ("experiment_cell_unknown", lambda: matrices.matrix_edit("fio-depth-block", "en", {}, {"block": ["8"]})),
    ):
        with pytest.raises(UserError, match=key):
            act()


def test_a_faulty_file_hides_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = tmp_path / "broken.toml"
    broken.write_text("title = 'x'\n[[factors]]\n", encoding="utf-8")
    plugins = services.current().plugins
    found = (broken, *plugins.matrices())
    monkeypatch.setattr(plugins, "matrices", lambda: found)
    assert [each.name for each in matrices.matrices("ko")] == NAMES
    with pytest.raises(UserError, match="experiment_file_unreadable"):
        matrices.find_matrix("broken", "en")
