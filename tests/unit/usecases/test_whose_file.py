"""Fifty folders as people make them, every file's machine known: what is taken unasked is right, or it is asked."""

from __future__ import annotations

import random
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from tests.program import compose
from tests.unit.usecases import daily_captures as made
from tunebench.domain.engagement import Engagement, is_unnamed, presumed_parts
from tunebench.store.project import Project
from tunebench.usecases import projects
from tunebench.usecases.importing import import_review, imports
from tunebench.usecases.importing.import_review import reviewed
from tunebench.usecases.importing.results import ImportOptions
from tunebench.usecases.quick.settling import settle

FOLDERS = 50
SIDES = (("before", "after"), ("전", "후"), ("튜닝 전", "튜닝 후"), ("as-is", "to-be"), ("1차 전", "1차 후"))
NAMES = ("web01", "was1", "was02", "db-prod-2", "oradb01", "kr-app-3", "edge7", "pay01", "crm-db1", "seoul-x5")
ASIDE = ("batch01", "day2", "run3", "week19", "20260504", "step4", "users100", "el9", "capture", "raw", "log2", "test1")
"""Folders that people make for anything but a machine."""
DAYS = (datetime(2026, 5, 4), datetime(2026, 5, 11))


@dataclass
class MadeFolder:
    """Attributes: truth: the machine of each file, by the end of its path."""

    paths: list[Path]
    truth: dict[str, str] = field(default_factory=dict)


def make(folder: Path, seed: int) -> MadeFolder:
    chance = random.Random(seed)
    hosts, sides = chance.sample(NAMES, 4), chance.choice(SIDES)
    aside = chance.sample(ASIDE, 3)
    result, row = MadeFolder([folder / "in"]), 0
    for side, day in zip(sides, DAYS, strict=True):
        for number, host in enumerate(hosts):
            layout, has_header = (seed + number) % 6, (seed + number) % 3 == 0
            own = {
                0: f"{side}/{host}",  # a folder for each machine
                1: f"{host}/{side}",
                2: f"{side}/{aside[0]}",  # all machines in one, only files' names tell them apart
                3: f"{side}",
                4: f"{side}/{aside[1]}/{host}",
                5: f"{side}/{hosts[(number + 1) % 4]}",  # put into the folder of another machine
            }[layout]
            row += 1000
            if has_header:
                path = made.sar_day(_at(folder, own), day, row, 30, host=host, name=f"sar_{host}_{day:%m%d}.txt")
                result.truth[path.relative_to(folder).as_posix()] = host
            names = (f"vmstat_{host}_{day:%m%d}.txt", f"{host}.vmstat.log") if layout != 0 else ("vmstat.txt", "io.txt")
            for name in names:
                row += 1000
                path = made.vmstat(_at(folder, own), name, 12, row)
                result.truth[path.relative_to(folder).as_posix()] = host
        row += 1000  # one of a machine that no name tells at all, beside the others
        path = made.vmstat(_at(folder, f"{side}/{aside[2]}"), "vmstat_0900.txt", 12, row)
        result.truth[path.relative_to(folder).as_posix()] = hosts[0]
        if seed % 2:
            result.paths.append(_archived(folder, side, hosts[1], row, result))
    return result


def _at(folder: Path, place: str) -> Path:
    path = folder / "in" / place
    path.mkdir(parents=True, exist_ok=True)
    return path


def _archived(folder: Path, side: str, host: str, row: int, result: MadeFolder) -> Path:
    loose = made.vmstat(folder, "loose.txt", 12, row + 500)
    archive = folder / f"{host}_{side}.zip"
    with zipfile.ZipFile(archive, "w") as file:
        file.write(loose, "var/log/vmstat.txt")
    result.truth[f"{archive.name}/var/log/vmstat.txt"] = host
    return archive


def hosts_of(project: Project, folder: Path) -> Iterator[tuple[str, str]]:
    """(place, host as it is now) of every file."""
    for row in reviewed(project):
        yield Path(row.path.replace("!/", "/")).relative_to(folder).as_posix(), row.host


@pytest.mark.parametrize("seed", range(FOLDERS))
def test_no_wrong_host_is_taken_unasked(tmp_path: Path, seed: int) -> None:
    compose()
    folder = make(tmp_path, seed)
    with projects.create(tmp_path / "case.tune", Engagement("tuning", "ACME")) as project:
        imports.import_captures(project, folder.paths, ImportOptions(phase=None))
        proved = import_review.proposed(reviewed(project))
        import_review.correct_each(project, proved)
        hosts = dict(hosts_of(project, tmp_path))
        assert hosts.keys() == folder.truth.keys()
        wrong = {place: host for place, host in hosts.items() if not is_unnamed(host) and host != folder.truth[place]}
        assert not wrong
        settle(project)
        for place, host in hosts_of(project, tmp_path):
            parts = presumed_parts(host)
            assert parts is None or parts[0] == folder.truth[place], f"{place} is compared as {host}"
        taken = sum(not is_unnamed(host) or presumed_parts(host) is not None for _, host in hosts_of(project, tmp_path))
        assert taken >= len(hosts) // 3, "a program that takes nothing is never wrong"


def test_what_is_emptied_is_named_nowhere(tmp_path: Path) -> None:
    compose()
    day = timedelta(days=7)
    for number, side in enumerate(("before", "after")):
        made.sar_day(_at(tmp_path, side), DAYS[0] + number * day, 500 * number, host="web01", name="sar.txt")
        made.vmstat(_at(tmp_path, side), "vmstat_web01.txt", 12, 5000 + 500 * number)
    with projects.create(tmp_path / "case.tune", Engagement("tuning", "ACME")) as project:
        imports.import_captures(project, [tmp_path / "in"], ImportOptions(phase=None))
        assert any(is_unnamed(host.name) for host in projects.overview(project).hosts)
        assert settle(project).compared == ("web01",)
        assert [host.name for host in projects.overview(project).hosts] == ["web01"]
