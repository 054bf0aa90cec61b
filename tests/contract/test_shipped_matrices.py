"""The ready experiments: each can be made in both languages, and its trials can be planned for a host."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.program import compose
from tunebench.capture.planning import choose_probes
from tunebench.core.errors import UserError
from tunebench.domain.connection import HostProfile
from tunebench.domain.engagement import Engagement
from tunebench.domain.experiments.records import Experiment
from tunebench.domain.experiments.rules import filled
from tunebench.usecases import projects, services
from tunebench.usecases.capturing import approval_sheets
from tunebench.usecases.experiments import applying, matrices, reading
from tunebench.usecases.experiments import runs as experiment_runs

compose()
NAMES = [path.stem for path in services.current().plugins.matrices()]


def made(name: str, language: str = "en", **set_: str) -> Experiment:
    (change, *_trials) = matrices.matrix_edit(name, language, set_).changes
    assert isinstance(change.after, Experiment)
    return change.after


def test_the_founding_studies_are_there() -> None:
    wanted = {"fs-time", "sysbench-pool-threads", "table-compression", "memory-steps", "swap-fill", "bonnie-records"}
    wanted |= {"bonnie-clusters"}
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


@pytest.mark.parametrize("version", [1, 2])
def test_memory_steps_find_the_version_of_the_cgroups(tmp_path: Path, version: int) -> None:
    """Folders in the place of the kernel's: each version limits and takes in by files of its own, as its manual says."""
    root = tmp_path / "cgroup"
    limit, place = ("memory.max", root) if version == 2 else ("memory.limit_in_bytes", root / "memory")
    place.mkdir(parents=True)
    experiment = made("memory-steps", root=str(root), group="steps", work="echo worked")
    cell = experiment.all_cells[0]

    def ran(line: str) -> str:
        done = subprocess.run(["sh", "-c", filled(experiment, line, cell)], capture_output=True, text=True, check=True)
        return done.stdout

    ran(experiment.setup)
    assert (place / "steps" / limit).read_text() == "1024M\n"
    assert (root / "cgroup.subtree_control").exists() == (version == 2)
    assert ran(experiment.command) == "worked\n"
    assert int((place / "steps" / "cgroup.procs").read_text()) > 1
    for file in (place / "steps").iterdir():
        file.unlink()
    ran(experiment.teardown)
    assert not (place / "steps").exists()


@pytest.mark.parametrize(("language", "word"), [("ko", "승인"), ("en", "approv")])
def test_the_sheet_of_the_solaris_study_has_every_step(tmp_path: Path, language: str, word: str) -> None:
    """The fills of the document, 14.5 GB to 17 GB, each prepared, timed and undone in a line of its own."""
    host = HostProfile("sun1", "127.0.0.1", 1, "root", os="sunos")
    with projects.create(tmp_path / "sheet.tune", Engagement("tuning", "ACME", language=language)) as project:
        applying.apply(project, matrices.matrix_edit("swap-fill", language, {}, repetitions=1))
        plan, trials = experiment_runs.draft(project, reading.read(project), 1, host, run="swap")
        sheet = approval_sheets.as_text(plan, language, projects.read_engagement(project), project)
    assert len(trials) == 6 and word in sheet.lower()
    fills = (14500, 14700, 14800, 16800, 16900, 17000)
    lines = [each.tool_line for each in plan.commands if experiment_runs.trial_of(each) is not None]
    assert lines == [
        f'trial {number}; finally "rm -f /tmp/tunebench.fill"; prepare "mkfile {fill}m /tmp/tunebench.fill";'
        ' measure "nm /dev/ksyms | wc -l"'
        for number, fill in enumerate(fills, 1)
    ]
    places = [sheet.index(line) for line in lines]
    assert places == sorted(places) and "vmstat 1" in sheet
