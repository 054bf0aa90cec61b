"""What the customer's script brought home: real archives of a real run, whole and in every way broken."""

from __future__ import annotations

import gzip
import io
import os
import re
import shutil
import subprocess
import tarfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from tests.e2e.conftest import Answer, Command
from tests.e2e.sshd_rig import Sshd
from tests.program import compose
from tunebench.capture.offline_script import render_script
from tunebench.capture.planning import PlanRequest, build_plan, choose_probes
from tunebench.domain.capturing.plan import CaptureMode, CapturePlan, CommandKind, PlannedCommand, PlannedHost
from tunebench.domain.capturing.run import GapCause, SessionState
from tunebench.plughost.host import PluginHost
from tunebench.store import artefacts, sessions
from tunebench.store.project import Project
from tunebench.usecases import browse, projects

pytestmark = pytest.mark.skipif(
    any(shutil.which(tool) is None for tool in ("vmstat", "tar", "gzip", "cksum")), reason="a tool is not installed"
)
HOST = "db01"
FREE = """\
              total        used        free      shared  buff/cache   available
Mem:       24684084     1000000    20000000       35836     3684084    23000000
Swap:             0           0           0
"""


@dataclass(frozen=True)
class Collected:
    """One real run of the script: its plan, its archive, and what is in it."""

    plan: CapturePlan
    archive: Path
    copied: bytes

    def unpacked(self, folder: Path) -> Path:
        with tarfile.open(self.archive) as archive:
            archive.extractall(folder, filter="data")
        (inside,) = folder.iterdir()
        return inside


def planned(mode: CaptureMode, pulled: Path | None = None) -> CapturePlan:
    host = PlannedHost(HOST, os.uname().nodename, 22, "root", "linux", "profile")
    probes = PluginHost().probes()
    chosen = {HOST: choose_probes(["linux.vmstat", "linux.df", "linux.inventory"], "linux", probes)}
    plan = build_plan(PlanRequest((host,), chosen, "before", "before", 1.0, 3.0, mode=mode), probes)
    if pulled is None:
        return plan
    path = str(pulled)
    pull = PlannedCommand(
        f"{HOST}/copy", HOST, "linux.sa_files", CommandKind.PULL, f"cat {path}", "", "ko", "en", remote_path=path
    )
    return replace(plan, commands=(*plan.commands, pull))


@pytest.fixture(scope="module")
def collected(tmp_path_factory: pytest.TempPathFactory) -> Collected:
    folder = tmp_path_factory.mktemp("customer")
    source = folder / "sa21"
    source.write_bytes(bytes(range(256)) * 40)
    plan = planned(CaptureMode.OFFLINE, source)
    script = folder / "collect.sh"
    script.write_text(render_script(plan, "en"))
    done = subprocess.run(["sh", script], cwd=folder, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    (archive,) = folder.glob("tunebench-*.tar*")
    return Collected(plan, archive, source.read_bytes())


@pytest.fixture
def bring(project: Path, tunebench: Command) -> Callable[..., Answer]:
    return lambda *words: tunebench("import", project, *words, "--json")


@contextmanager
def opened(path: Path) -> Iterator[Project]:
    compose()
    project = projects.open_(path, read_only=True)
    try:
        yield project
    finally:
        projects.close(project)


def files_of(answer: Answer) -> dict[str, dict]:
    return {file["path"].rpartition("/")[2]: file for file in answer.json["files"]}


def repacked(folder: Path, name: str = "tunebench-db01-again.tar.gz") -> Path:
    path = folder.parent / name
    with tarfile.open(path, "w:gz") as archive:
        archive.add(folder, "tunebench-db01-again")
    return path


def test_an_archive_is_a_session_of_its_plan(collected: Collected, bring: Callable[..., Answer], project: Path) -> None:
    answer = bring(collected.archive)
    assert answer.code == 0, answer.err
    assert answer.json["run"] == "before"
    by_state: dict[str, list[dict]] = {}
    for file in answer.json["files"]:
        by_state.setdefault(file["state"], []).append(file)
    assert {file["parser"] for file in by_state["imported"]} >= {"linux.vmstat", "tunebench.inventory"}
    assert len(by_state["kept"]) == sum(
        c.kind is CommandKind.HOUSE for c in collected.plan.commands
    )  # copy instead of leftovers
    for file in by_state["imported"]:
        lines = file["lines"]
        assert lines["total"] == sum(lines[kind] for kind in ("data", "header", "blank", "skipped")), file["path"]
    (inventory,) = (file for file in by_state["imported"] if file["parser"] == "tunebench.inventory")
    assert inventory["samples"] == 0
    assert inventory["facts"] > 50
    with opened(project) as known:
        (session,) = sessions.list_sessions(known)
        assert (session.state, session.digest, session.note) == (SessionState.FINISHED, collected.plan.digest, "")
        streams = {stream.command_id: stream for stream in sessions.list_streams(known, session.id)}
        vmstat = streams[f"{HOST}/linux.vmstat"]
        assert vmstat.tool_version == subprocess.run(["vmstat", "-V"], capture_output=True, text=True).stdout.strip()
        assert (vmstat.exit, vmstat.cpu_s is not None) == (0, True)
        house = streams[f"{HOST}/house.overhead"]
        assert sessions.read_segments(known, house.artefact_id or 0)
        copied = b"".join(artefacts.read_artefact(known, streams[f"{HOST}/copy"].artefact_id or 0))
        assert copied == collected.copied


def test_what_is_kept_is_said_as_what_it_is(collected: Collected, project: Path, tunebench: Command) -> None:
    told = tunebench("import", project, collected.archive, "--lang", "en").out
    kept = sum("kept as evidence; it holds no series" in line for line in told.splitlines())
    assert kept >= 6
    assert f"{kept} more are kept as evidence" in told
    assert "facts of the configuration" in told
    assert "0 series, 0 samples" not in told


def test_an_archive_twice_changes_nothing(collected: Collected, bring: Callable[..., Answer], project: Path) -> None:
    first = files_of(bring(collected.archive))
    again = bring(collected.archive)
    assert again.code == 0
    assert {name for name, file in files_of(again).items() if file["state"] == "duplicate"} == set(first)
    with opened(project) as known:
        assert len(sessions.list_sessions(known)) == 1
        assert len(artefacts.list_artefacts(known)) == len(first)


def test_an_unpacked_folder_is_the_same_as_its_archive(
    collected: Collected, bring: Callable[..., Answer], tmp_path: Path, project: Path
) -> None:
    answer = bring(collected.unpacked(tmp_path / "unpacked"))
    assert answer.code == 0, answer.err
    assert {file["state"] for file in bring(collected.archive).json["files"]} == {"duplicate"}


def test_a_folder_is_searched_for_collections(
    collected: Collected, bring: Callable[..., Answer], tmp_path: Path
) -> None:
    """Several hosts' archives come in one folder, often beside other files."""
    shutil.copy(collected.archive, tmp_path / "from db01 (2).tar.gz")
    (tmp_path / "deeper").mkdir()
    collected.unpacked(tmp_path / "deeper")
    (tmp_path / "free.txt").write_text(FREE)
    answer = bring(tmp_path)
    own = [file for file in answer.json["files"] if "!/" in file["path"]]
    assert {file["host"] for file in own} == {HOST}
    assert 2 * [file["state"] for file in own].count("duplicate") == len(own) > 0
    assert files_of(answer)["free.txt"]["state"] == "imported"
    assert "manifest" not in files_of(answer)


def test_another_name_does_no_harm(collected: Collected, bring: Callable[..., Answer], tmp_path: Path) -> None:
    """People rename what they are sent."""
    renamed = tmp_path / "from db01 (2).tar.gz"
    shutil.copy(collected.archive, renamed)
    assert bring(renamed).json["run"] == "before"


def test_it_has_the_series_of_a_live_capture_of_the_same_plan(
    collected: Collected, bring: Callable[..., Answer], tmp_path: Path, tunebench: Command, sshd: Sshd
) -> None:
    live = tmp_path / "live.tune"
    tunebench("new", live, "--customer", "ACME", "--zone", "Asia/Seoul")
    answer = tunebench(
        "capture",
        live,
        "--host",
        f"{sshd.user}@{sshd.address}:{sshd.port}",
        "--identity",
        sshd.user_key,
        "--known-hosts",
        sshd.known_hosts,
        "--probe",
        "linux.vmstat",
        "linux.df",
        "linux.inventory",
        "--interval",
        1,
        "--duration",
        3,
        "--run",
        "before",
        "--json",
    )
    assert answer.code == 0, answer.err
    bring(collected.archive)

    def kinds(path: Path) -> set[tuple[str, str, str, str]]:
        with opened(path) as known:
            return {
                (found.tool, found.native, found.metric, str(sorted(found.attributes.items())))
                for found in browse.list_series(known)
                # what another test has mounted for a while is on one of the two by chance
                if not re.search("/tunebench-sshd-|/pytest-of-", found.attributes.get("mountpoint", ""))
            }

    assert kinds(tmp_path / "acme.tune") == kinds(live)


def test_a_torn_archive_is_refused_and_the_others_come_in(
    collected: Collected, bring: Callable[..., Answer], tmp_path: Path, project: Path
) -> None:
    torn = tmp_path / "tunebench-db01-torn.tar.gz"
    torn.write_bytes(collected.archive.read_bytes()[:-2000])
    answer = bring(torn, collected.archive)
    states = {file["path"]: file["state"] for file in answer.json["files"]}
    assert states[str(torn)] == "failed"
    assert "imported" in states.values()
    with opened(project) as known:
        assert len(sessions.list_sessions(known)) == 1


def test_a_manifest_without_its_end_is_told(
    collected: Collected, bring: Callable[..., Answer], tmp_path: Path, project: Path
) -> None:
    folder = collected.unpacked(tmp_path / "unpacked")
    manifest = folder / "manifest"
    manifest.write_text(manifest.read_text().removesuffix("end\n"))
    answer = bring(repacked(folder))
    assert answer.code == 4
    assert "stopped before its end" in answer.err
    with opened(project) as known:
        (session,) = sessions.list_sessions(known)
        assert (session.state, session.note) == (SessionState.FAILED, "collection_incomplete")


def test_a_changed_file_is_kept_and_said_to_be_damaged(
    collected: Collected, bring: Callable[..., Answer], tmp_path: Path, project: Path
) -> None:
    folder = collected.unpacked(tmp_path / "unpacked")
    vmstat = next(path for path in folder.glob("*.out") if b"linux.vmstat" in path.read_bytes()[:200])
    vmstat.write_bytes(vmstat.read_bytes().replace(b"procs", b"prosc", 1))
    missing = next(path for path in folder.glob("*.raw"))
    missing.unlink()
    answer = bring(repacked(folder))
    files = files_of(answer)
    assert answer.code == 4
    assert "size or checksum" in files[vmstat.name]["error"]
    assert (files[missing.name]["state"], files[vmstat.name]["state"]) == ("failed", "imported")
    with opened(project) as known:
        assert sessions.list_sessions(known)[0].note == "collection_damaged"


@pytest.mark.parametrize("change", ["plan", "digest", "nothing", "garbage"])
def test_a_plan_that_is_not_its_own_is_refused(
    collected: Collected, bring: Callable[..., Answer], tmp_path: Path, project: Path, change: str
) -> None:
    folder = collected.unpacked(tmp_path / "unpacked")
    plan, manifest = folder / "plan.json", folder / "manifest"
    if change == "plan":
        plan.write_text(plan.read_text().replace("vmstat -n", "vmstat -a"))
    elif change == "digest":
        manifest.write_text(manifest.read_text().replace(collected.plan.digest, "0" * 64))
    elif change == "nothing":
        plan.unlink()
    else:
        plan.write_text("[1, 2]")
    answer = bring(repacked(folder))
    assert answer.code == 3
    assert "plan" in answer.err
    with opened(project) as known:
        assert not artefacts.list_artefacts(known)


def test_a_tar_without_a_manifest_of_ours_is_no_collection(
    collected: Collected, bring: Callable[..., Answer], tmp_path: Path
) -> None:
    folder = collected.unpacked(tmp_path / "unpacked")
    (folder / "manifest").unlink()
    assert "its manifest" in bring(repacked(folder)).err
    other = bring(repacked(folder, "backup.tar.gz"))
    assert "its manifest" not in other.err
    assert "imported" in {file["state"] for file in other.json["files"]}  # an ordinary archive of captures
    (folder / "manifest").write_text("Manifest-Version: 1.0\n")
    assert "duplicate" in {file["state"] for file in bring(folder).json["files"]}  # an ordinary folder of them


def test_nothing_leaves_the_archive_and_links_are_not_followed(
    collected: Collected, bring: Callable[..., Answer], tmp_path: Path, project: Path
) -> None:
    secret = tmp_path / "secret"
    secret.write_text("of this machine alone")
    hostile = tmp_path / "tunebench-db01-hostile.tar"
    with tarfile.open(hostile, "w") as archive, tarfile.open(collected.archive) as source:
        for name, target in (("0001.out", str(secret)), ("0002.out", "../secret")):
            link = tarfile.TarInfo(f"tunebench-x/{name}")
            link.type, link.linkname = tarfile.SYMTYPE, target
            archive.addfile(link)
        hard = tarfile.TarInfo("tunebench-x/0003.out")
        hard.type, hard.linkname = tarfile.LNKTYPE, str(secret)
        archive.addfile(hard)
        outside = tarfile.TarInfo("tunebench-x/../../0004.out")
        outside.size = 4
        archive.addfile(outside, io.BytesIO(b"evil"))
        for member in source:
            if member.isreg():
                archive.addfile(member, source.extractfile(member))
        twice = tarfile.TarInfo("other/0001.out")
        twice.size = 4
        archive.addfile(twice, io.BytesIO(b"evil"))
    before = sorted(tmp_path.iterdir())
    answer = bring(hostile)
    assert answer.code == 0, answer.err
    assert sorted(path for path in tmp_path.iterdir() if path.suffix != ".tune-wal") == before
    with opened(project) as known:
        whole = [b"".join(artefacts.read_artefact(known, one.id)) for one in artefacts.list_artefacts(known)]
    assert not [text for text in whole if text == b"evil" or secret.read_bytes() in text]


def test_a_folder_with_links_is_not_led_astray(
    collected: Collected, bring: Callable[..., Answer], tmp_path: Path
) -> None:
    folder = collected.unpacked(tmp_path / "unpacked")
    secret = tmp_path / "secret"
    secret.write_text("of this machine alone")
    (folder / "0001.out").unlink()
    (folder / "0001.out").symlink_to(secret)
    assert "missing" in files_of(bring(folder))["0001.out"]["error"]


def test_a_command_that_was_cut_off_has_a_gap_at_its_end(
    collected: Collected, bring: Callable[..., Answer], tmp_path: Path, project: Path
) -> None:
    """The server took the file's last lines with it."""
    folder = collected.unpacked(tmp_path / "unpacked")
    vmstat = next(path for path in folder.glob("*.out") if b"linux.vmstat" in path.read_bytes()[:200])
    whole = vmstat.read_bytes()
    vmstat.write_bytes(whole[: whole.index(b"\n@tunebench", 100)])
    bring(repacked(folder))
    with opened(project) as known:
        (gap,) = sessions.list_gaps(known)
        assert (gap.stream, gap.end_ns, gap.cause) == (f"{HOST}/linux.vmstat", None, GapCause.PROCESS_ENDED)


def test_a_gzip_that_expands_without_end_is_not_unpacked_to_disk(bring: Callable[..., Answer], tmp_path: Path) -> None:
    bomb = tmp_path / "tunebench-bomb.tar.gz"
    member = tarfile.TarInfo("tunebench-bomb/manifest")
    member.size = 64 << 20
    with gzip.open(bomb, "wb", compresslevel=1) as file:
        file.write(member.tobuf())
        for _ in range(64):
            file.write(bytes(1 << 20))
        file.write(bytes(1024))
    answer = bring(bomb)
    assert answer.code == 3
    assert "manifest" in answer.err
