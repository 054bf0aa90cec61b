"""Archives and folders come in as a whole: every member is imported, a duplicate, or named with its reason."""

from __future__ import annotations

import gzip
import io
import os
import shutil
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.made import awr
from tests.program import compose
from tests.unit.transport.test_sar import made
from tunebench.core.errors import Cancelled
from tunebench.domain.bundle import Bundle, MemberState
from tunebench.domain.engagement import Engagement, is_unnamed
from tunebench.domain.ledger import ImportState
from tunebench.domain.windows import run_window
from tunebench.store import artefacts, bundles, merged_series, queries, runs
from tunebench.store.project import Project
from tunebench.usecases import projects
from tunebench.usecases.capacity.series import list_subjects
from tunebench.usecases.comparing import compare
from tunebench.usecases.findings.hosts import measured_hosts
from tunebench.usecases.importing import imports
from tunebench.usecases.importing.results import ImportOptions, ImportReport

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
TREES = FIXTURES / "bundles"
SOS = "sosreport-db01-2026-11-21-kqwzxvb"


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    compose()
    made = projects.create(tmp_path / "acme.tune", Engagement(title="Tuning", customer="ACME", zone="Asia/Seoul"))
    yield made
    projects.close(made)


def packed(folder: Path, target: Path, mode: str = "w:gz") -> Path:
    with tarfile.open(target, mode) as archive:  # type: ignore[call-overload]
        archive.add(folder, folder.name)
    return target


def take(project: Project, *paths: Path, **said: Any) -> ImportReport:
    return imports.import_captures(project, paths, ImportOptions(**said))


def states(bundle: Bundle) -> dict[str, MemberState]:
    return {member.name.rpartition("/")[2]: member.state for member in bundle.members}


def hosts_of(report: ImportReport) -> dict[str, str]:
    return {file.path.rpartition("/")[2]: file.host for file in report.files if file.state is ImportState.IMPORTED}


@pytest.mark.skipif(os.name != "posix", reason="names of any bytes are of POSIX")
def test_a_name_of_any_bytes_is_no_reason_to_stop(project: Project, tmp_path: Path) -> None:
    """A folder of a Korean Windows, unpacked as it was, and a name that is text in no encoding."""
    folder = tmp_path / "mailed"
    folder.mkdir()
    for number, name in enumerate(("수집.txt".encode("cp949"), b"\xff\x9b31mcap.txt")):
        text = (FIXTURES / "linux" / "vmstat.txt").read_bytes() + b"\n" * number
        Path(os.fsdecode(os.fsencode(folder) + b"/" + name)).write_bytes(text)
    report = take(project, folder)
    assert [file.state for file in report.files] == [ImportState.IMPORTED] * 2
    assert {"수집.txt"} < {each.name for each in artefacts.list_artefacts(project)}


# --- OSWatcher
def test_an_oswatcher_archive(project: Project, tmp_path: Path) -> None:
    report = take(project, packed(TREES / "oswbb", tmp_path / "osw_db01.tar.gz"))
    (bundle,) = report.bundles
    assert (bundle.form, bundle.layouts, bundle.name) == ("tar.gz", ("oswatcher",), "osw_db01.tar.gz")
    found = states(bundle)
    for name in ("vmstat", "iostat", "mpstat", "meminfo"):
        assert found[f"db01_{name}_26.11.22.0300.dat"] is MemberState.IMPORTED, name
    assert found["OSWatcher.sh"] is MemberState.NOT_CAPTURE
    assert found["readme.me"] is MemberState.NOT_CAPTURE
    assert sum(bundle.totals.values()) == len(bundle.members) == 12, "every member is accounted for"
    hosts = hosts_of(report)
    assert hosts["db02_vmstat_26.11.22.0300.dat"] == "db02", "vmstat prints no name: the file's name tells"
    assert hosts["db03_vmstat_26.11.22.0300.dat"] == "db03" and hosts["db01_meminfo_26.11.22.0300.dat"] == "db01"
    assert all(file.ledger.lines.balanced for file in report.files)
    assert not any(file.ledger.needs for file in report.files if "stat_" in file.path), "OSWatcher's interval is known"


def of(project: Project, host: str, tool: str, native: str, **attributes: str) -> tuple[np.ndarray, np.ndarray]:
    """Values and since-boot flags of the one series of that description."""
    (series,) = [
        each
        for each in queries.list_series(project)
        if (each.host, each.tool, each.native) == (host, tool, native)
        and attributes.items() <= {**each.implied, **each.attributes}.items()
    ]
    data = queries.read_series(project, series.id)
    return data.values, data.since_boot


def rows_of(path: Path, begin: str) -> list[list[str]]:
    return [line.split() for line in path.read_text().splitlines() if line.split()[:1] == [begin]]


def test_rounds_behind_a_stamp_each(project: Project) -> None:
    """The first row of each round is since boot; all other values are those of the text."""
    take(project, TREES / "oswbb")
    text = (TREES / "oswbb/archive/oswvmstat/db01_vmstat_26.11.22.0300.dat").read_text()
    rows = [line.split() for line in text.splitlines() if line.split()[0].isdigit()]
    free, since_boot = of(project, "db01", "vmstat", "free")
    assert free.tolist() == [float(row[3]) for row in rows]
    assert since_boot.tolist() == [index % 3 == 0 for index in range(len(rows))] and len(rows) == 12
    disk = rows_of(TREES / "oswbb/archive/oswiostat/db01_iostat_26.11.22.0300.dat", "vda")
    writes, since_boot = of(project, "db01", "iostat", "w/s", device="vda")
    assert writes.tolist() == [float(row[7]) for row in disk]
    assert since_boot.tolist() == [True, False, False] * 4


def test_times_of_the_rounds_are_those_of_the_stamps(project: Project) -> None:
    take(project, TREES / "oswbb")
    (series,) = [s for s in queries.list_series(project) if (s.host, s.tool, s.native) == ("db01", "vmstat", "free")]
    seconds = (queries.read_series(project, series.id).times_ns // 10**9).tolist()
    # zzz ***Sun Nov 22 03:38:50 KST 2026: `date -d '2026-11-21 18:38:50 UTC' +%s`
    assert seconds[0] == 1_795_286_330 and seconds[1] == seconds[0] + 1


def test_a_whole_hour_behind_one_stamp(project: Project) -> None:
    """Exadata: one stamp, one run, since-boot only once; the host is in the banner and in the file's name."""
    (path,) = (TREES / "exadata").iterdir()
    report = take(project, path)
    host = "dm01cel01.example.com"
    assert [(file.host, file.error) for file in report.files] == [(host, None)] and report.bundles == ()
    values, since_boot = of(project, host, "iostat", "%util", device="vda")
    assert values.tolist() == [float(row[-1]) for row in rows_of(path, "vda")] and len(values) == 8
    assert since_boot.tolist() == [True] + [False] * 7


def test_an_exawatcher_tree(project: Project) -> None:
    report = take(project, TREES / "exawatcher")
    assert [file.host for file in report.files] == ["dm01db01.example.com"]
    values, since_boot = of(project, "dm01db01.example.com", "vmstat", "free")
    assert len(values) == 6 and since_boot.tolist() == [True, False, False] * 2
    assert report.bundles[0].layouts == ("exawatcher",)
    assert report.bundles[0].roles == {"dm01db01.example.com": "database_server"}


def test_compressed_files_in_a_tree(project: Project, tmp_path: Path) -> None:
    tree = tmp_path / "oswbb"
    shutil.copytree(TREES / "oswbb", tree)
    for path in list(tree.rglob("*.dat")):
        path.with_name(path.name + ".gz").write_bytes(gzip.compress(path.read_bytes()))
        path.unlink()
    report = take(project, tree)
    assert hosts_of(report)["db02_vmstat_26.11.22.0300.dat"] == "db02"
    assert report.bundles[0].totals[MemberState.IMPORTED] >= 7


# --- reports of the system
def test_a_sosreport(project: Project, tmp_path: Path) -> None:
    report = take(project, packed(TREES / SOS, tmp_path / f"{SOS}.tar.xz", "w:xz"))
    (bundle,) = report.bundles
    found = states(bundle)
    assert (found["sar21"], found["meminfo"]) == (MemberState.IMPORTED, MemberState.IMPORTED)
    for name in ("messages", "passwd", "installed-rpms", "version.txt", "hostname", "lsof"):
        assert found[name] is MemberState.NOT_CAPTURE, name
    assert bundle.hosts == ("db01.example.com",), "meminfo has the host of etc/hostname, sar that of its banner"
    assert bundle.kinds["packages"] == 1 and bundle.kinds["logs"] == 1


def test_a_pt_stalk_folder(project: Project) -> None:
    report = take(project, TREES / "pt-stalk")
    assert hosts_of(report) == {
        "2026_11_21_16_12_38-vmstat": "db02.example.com",
        "2026_11_21_16_12_38-iostat": "db02.example.com",
    }
    assert report.bundles[0].totals[MemberState.NOT_CAPTURE] == 3 and report.complete
    first = min(file.ledger.first_ns or 0 for file in report.files)
    assert first // 10**9 == 1_795_245_158, "16:12:38 in Seoul, from the file's name"


def test_folders_by_host_and_day(project: Project, tmp_path: Path) -> None:
    text = (FIXTURES / "linux" / "vmstat.txt").read_bytes()
    for host in ("was1", "was2"):
        for day in ("2026-11-20", "2026-11-21"):
            folder = tmp_path / "site" / host / day
            folder.mkdir(parents=True)
            (folder / "vmstat.txt").write_bytes(text.replace(b" 0 ", b" %d " % hash((host, day)), 1))
    report = take(project, tmp_path / "site")
    assert sorted(file.host for file in report.files) == ["was1", "was1", "was2", "was2"]


def test_the_capture_s_own_name_counts_more_than_a_short_one(project: Project, tmp_path: Path) -> None:
    """The file's db01 and the banner's db01.example.com are one host."""
    folder = tmp_path / "c"
    folder.mkdir()
    osw = TREES / "oswbb" / "archive"
    vmstat, iostat = (osw / f"osw{tool}" / f"db01_{tool}_26.11.22.0300.dat" for tool in ("vmstat", "iostat"))
    (folder / vmstat.name).write_bytes(vmstat.read_bytes())
    (folder / iostat.name).write_bytes(iostat.read_bytes().replace(b"(db01)", b"(db01.example.com)"))
    assert {file.host for file in take(project, folder).files} == {"db01.example.com"}


# --- captures that name no host
SOLARIS_IOSTAT = """\
                    extended device statistics
    r/s    w/s   kr/s   kw/s wait actv wsvc_t asvc_t  %w  %b device
    0.1    0.5    1.0    8.0  0.0  0.0    0.0    5.0   0   1 c0t0d0
"""
VMSTAT = (FIXTURES / "linux" / "vmstat.txt").read_text()


def nameless(path: Path, running: int, at_s: int = 1_795_300_000) -> Path:
    """``vmstat 1`` of a machine with `running` threads in each of 20 rows; it names neither time nor host."""
    path.parent.mkdir(parents=True, exist_ok=True)
    head, row = (
        VMSTAT.splitlines()[:2],
        "%2d  0      0 500000  20000 300000    0    0     5    %d  100  200  5  5 90  0  0",
    )
    path.write_text("\n".join([*head, *(row % (running, 10 + place * running % 47) for place in range(20))]) + "\n")
    os.utime(path, (at_s, at_s))
    return path


def running(project: Project) -> dict[str, list[float]]:
    """Host -> the values of its run queue, over all captures that were joined."""
    merged_series_ = [each for each in merged_series.list_merged(project) if each.native == "r"]
    read = {
        each.host: merged_series.read_merged(project, merged_series.find_merged(project, each.id))
        for each in merged_series_
    }
    assert len(read) == len(merged_series_), "one series for each host"
    return {host: sorted(set(data.measured().tolist())) for host, data in read.items()}


@pytest.mark.parametrize("form", ["zip", "folder", "two paths", "one after the other", "both in one folder"])
def test_two_machines_without_a_name_do_not_hide_each_other(project: Project, tmp_path: Path, form: str) -> None:
    """Both begin at the time of their file, the same: what one measured is no more true than what the other did."""
    site = tmp_path / "site"
    files = [nameless(site / f"{name}01" / "vmstat.txt", queue) for name, queue in (("web", 2), ("db", 41))]
    match form:
        case "zip":
            with zipfile.ZipFile(tmp_path / "site.zip", "w") as made:
                for file in files:
                    made.writestr(
                        zipfile.ZipInfo(str(file.relative_to(site)), (2026, 11, 20, 9, 0, 0)), file.read_bytes()
                    )
            report = take(project, tmp_path / "site.zip")
        case "folder":
            report = take(project, site)
        case "two paths":
            report = take(project, *files)
        case "one after the other":
            report = take(project, files[0])
            report = ImportReport("", (*report.files, *take(project, files[1]).files))
        case _:
            flat = [nameless(tmp_path / "flat" / f"vmstat_{n}.txt", queue) for n, queue in ((1, 2), (2, 41))]
            report = take(project, flat[0].parent)
    by_host = running(project)
    assert sorted(by_host.values()) == [[2.0], [41.0]], "nothing is a mean of two machines"
    assert {file.host for file in report.files} == set(by_host) and len(report.unnamed) == 2
    assert {host for account in report.bundles for host in account.hosts} in (set(), set(by_host))
    assert all("host" in file.ledger.needs for file in report.files)
    if form in ("zip", "folder", "two paths"):
        assert by_host == {"unknown (web01)": [2.0], "unknown (db01)": [41.0]}
    if form == "both in one folder":
        assert by_host == {"unknown": [2.0], "unknown (vmstat_2.txt)": [41.0]}


def test_what_continues_without_a_name_in_one_folder_stays_one_series(project: Project, tmp_path: Path) -> None:
    for day in range(2):
        nameless(tmp_path / "before" / f"vmstat{day}.txt", 3 + day, 1_795_300_000 + 86_400 * day)
    take(project, tmp_path / "before")
    assert running(project) == {"unknown": [3.0, 4.0]}


def test_host_names_of_two_runs_are_compared_place_by_place(project: Project, tmp_path: Path) -> None:
    for run, queue in (("before", 5), ("after", 2)):
        for name, more in (("web01", 0), ("db01", 30)):
            nameless(tmp_path / run / name / "vmstat.txt", queue + more)
        take(project, tmp_path / run, run=run)
    first, second = (run.id for run in runs.list_runs(project))
    rows = [row for row in compare.compare(project, run_window(first), run_window(second)).rows if row.native == "r"]
    found = {row.series.host: (row.before_statistics, row.after_statistics) for row in rows}
    means = {host: tuple(side.mean for side in sides if side) for host, sides in found.items()}
    assert means == {"unknown (web01)": (5.0, 2.0), "unknown (db01)": (35.0, 32.0)}
    histories = [each for each in list_subjects(project) if each.info.native == "r"]
    assert [len(each.parts) for each in histories] == [1] * 4, "no forecast is made over machines that may be two"


def test_a_capture_does_not_take_its_neighbours_host(project: Project, tmp_path: Path) -> None:
    """Another machine's queue is not measured against the processors of the one that lies beside it."""
    folder = tmp_path / "captures"
    nameless(folder / "vmstat.txt", 7)
    shutil.copy(FIXTURES / "linux" / "mpstat.fr_FR.txt", folder / "mpstat.txt")
    (folder / "iostat.txt").write_text(3 * SOLARIS_IOSTAT)
    report = take(project, folder)
    by_name = {Path(file.path).name: file for file in report.files}
    named = by_name["mpstat.txt"].host
    hosts = {name: file.host for name, file in by_name.items()}
    assert not is_unnamed(named)
    assert is_unnamed(hosts["vmstat.txt"]) and is_unnamed(hosts["iostat.txt"])
    assert hosts["vmstat.txt"] != hosts["iostat.txt"], "a Linux and a Solaris are two machines"
    found = {each.host.name: each.signals.facts.values.get("ncpu") for each in measured_hosts(project, run_window(1))}
    assert found[hosts["vmstat.txt"]] is None and found[named]
    later = take(project, nameless(tmp_path / "elsewhere" / "vmstat.txt", 9))
    assert is_unnamed(later.files[0].host), "nor that of the only named host of the engagement"


def test_what_one_delivery_tells_of_its_host_is_not_told_of_another(project: Project, tmp_path: Path) -> None:
    (tmp_path / "a" / "x").mkdir(parents=True)
    (tmp_path / "a" / "x" / "hostname.txt").write_text("web01\n")
    first, second = (nameless(tmp_path / one / "x" / "vmstat.txt", 1 + place) for place, one in enumerate("ab"))
    report = take(project, first.parent, second.parent)
    assert [file.host for file in report.files if "vmstat" in file.path] == ["web01", "unknown"]


def test_a_zone_said_of_one_unnamed_capture_is_not_that_of_the_next(project: Project, tmp_path: Path) -> None:
    take(project, nameless(tmp_path / "a" / "vmstat.txt", 1), run="a", zone="America/New_York")
    (later,) = take(project, nameless(tmp_path / "b" / "vmstat.txt", 2), run="b").files
    assert (later.ledger.zone, later.ledger.zone_source) == ("Asia/Seoul", "engagement")


def test_a_report_of_a_cluster_does_not_take_the_host_beside_it(project: Project, tmp_path: Path) -> None:
    """What all instances did together is of none of them, least of all of another system's host."""
    folder = tmp_path / "awr"
    folder.mkdir()
    (folder / "global.html").write_bytes(awr.report("19c", scope="global", rac=3).data)
    shutil.copy(FIXTURES / "linux" / "mpstat.fr_FR.txt", folder / "mpstat.txt")
    by_name = {Path(file.path).name: file.host for file in take(project, folder).files}
    assert is_unnamed(by_name["global.html"]) and not is_unnamed(by_name["mpstat.txt"])


# --- evidence, duplicates
def test_members_are_kept_verbatim_with_where_they_came_from(project: Project, tmp_path: Path) -> None:
    archive = packed(TREES / "oswbb", tmp_path / "osw.tar.gz")
    take(project, archive)
    stored = {artefact.name: artefact for artefact in artefacts.list_artefacts(project)}
    one = stored["db01_vmstat_26.11.22.0300.dat"]
    source = TREES / "oswbb/archive/oswvmstat/db01_vmstat_26.11.22.0300.dat"
    assert one.source_path == f"{archive}!/oswbb/archive/oswvmstat/{source.name}"
    assert b"".join(artefacts.read_artefact(project, one.id)) == source.read_bytes()
    import hashlib

    (bundle,) = bundles.list_bundles(project)
    assert bundle.sha256 == hashlib.sha256(archive.read_bytes()).hexdigest()
    assert bundle.size_bytes == archive.stat().st_size
    assert one.id in [member.artefact_id for member in bundle.members]


def test_the_same_archive_again_parses_nothing(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = packed(TREES / "oswbb", tmp_path / "osw.tar.gz")
    first = take(project, archive)
    monkeypatch.setattr(imports, "parse_stored", lambda *_: pytest.fail("parsed again"))
    again = take(project, archive)
    imported = first.bundles[0].totals[MemberState.IMPORTED]
    assert sum(file.state is ImportState.DUPLICATE for file in again.files) == imported
    assert again.run in ("", "import") and len(runs.list_runs(project)) == 1
    (bundle,) = bundles.list_bundles(project)
    assert bundle.totals == first.bundles[0].totals, "what the bundle brought stays on record"


def test_the_same_bytes_twice_in_one_archive(project: Project, tmp_path: Path) -> None:
    text = (TREES / "exadata").iterdir().__next__().read_bytes()
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as archive:
        archive.writestr("a/iostat.txt", text)
        archive.writestr("b/iostat.txt", text)
    report = take(project, tmp_path / "x.zip")
    assert [file.state for file in report.files] == [ImportState.IMPORTED, ImportState.DUPLICATE]


# --- damage and refusals
def test_what_stands_before_the_damage_is_imported(project: Project, tmp_path: Path) -> None:
    text = (TREES / "exadata").iterdir().__next__().read_text()
    path = tmp_path / "iostat.txt.gz"
    lines = text.splitlines(keepends=True)
    whole = gzip.compress("".join(lines).encode(), compresslevel=0)
    path.write_bytes(whole[: len(whole) * 2 // 3])
    report = take(project, path)
    (file,) = [each for each in report.files if each.artefact_id is not None]
    assert file.state is ImportState.IMPORTED and not report.complete
    assert file.error is not None and file.error.key == "member_damaged"
    assert "source_damaged" in file.ledger.warnings and file.ledger.lines.balanced
    assert file.artefact_id is not None
    kept = b"".join(artefacts.read_artefact(project, file.artefact_id))
    assert kept.endswith(b"\n") and text.encode().startswith(kept) and len(kept) > 1000


def test_a_file_of_which_hardly_anything_came(project: Project, tmp_path: Path) -> None:
    path = tmp_path / "iostat.txt.gz"
    path.write_bytes(gzip.compress(b"Linux 5.10 (db01)\n" * 100)[:14])
    (file,) = take(project, path).files
    assert file.error is not None and file.error.key == "bundle_damaged", "not called empty"


def test_refusals_stand_in_the_account(project: Project, tmp_path: Path) -> None:
    packed_bytes = io.BytesIO()
    with tarfile.open(fileobj=packed_bytes, mode="w") as archive:
        for name, data in (("../evil", b"x"), ("/var/sa/vmstat.txt", (FIXTURES / "linux/vmstat.txt").read_bytes())):
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
        link = tarfile.TarInfo("link")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
    path = tmp_path / "x.tar"
    path.write_bytes(packed_bytes.getvalue())
    report = take(project, path)
    (bundle,) = report.bundles
    assert [(m.name, m.state, m.kind, m.reason) for m in bundle.members] == [
        ("../evil", MemberState.REFUSED, "", "member_outside"),
        ("var/sa/vmstat.txt", MemberState.IMPORTED, "", ""),
        ("link", MemberState.NOT_CAPTURE, "link", "member_link"),
    ]
    assert "rooted_name" in report.files[1].ledger.warnings
    assert sorted(
        each.name for each in tmp_path.iterdir() if each.suffix not in (".tune-wal", ".tune-shm", ".lock")
    ) == ["acme.tune", "x.tar"]


def test_an_archive_with_nothing_in_it_is_said_to_be_so(project: Project, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "empty.zip", "w"):
        pass
    with pytest.raises(Exception, match="nothing_to_import"):
        take(project, tmp_path / "empty.zip")


# --- cancelling
class GiveUp:
    """A person who cancels at the n-th look."""

    def __init__(self, after: int) -> None:
        self.left = after
        self.seen: list[tuple[int, int, str]] = []

    def report(self, done: int, total: int, key: str = "", **facts: object) -> None:
        self.seen.append((done, total, str(facts.get("name", ""))))

    def raise_if_cancelled(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise Cancelled


class GiveUpAt(GiveUp):
    """A person who cancels when a file of this name is taken in (or, `parsing`, parsed)."""

    def __init__(self, name: str, parsing: bool = False) -> None:
        super().__init__(10**9)
        self.name, self.parsing = name, parsing

    def report(self, done: int, total: int, key: str = "", **facts: object) -> None:
        if facts.get("name") == self.name and (key == "progress.parsing") == self.parsing:
            self.left = 0


def in_project(project: Project) -> set[str]:
    return {artefact.name for artefact in artefacts.list_artefacts(project)}


def archive_of(folder: Path, name: str = "days.tar.gz") -> Path:
    """Five days of vmstat, a few rows each, in the order of their days."""
    text = (FIXTURES / "linux" / "vmstat.txt").read_text()
    with tarfile.open(folder / name, "w:gz") as archive:
        for day in range(1, 6):
            data = f"{text.rstrip()}\n{text.splitlines()[-1]}".replace(" 0 ", f" {day} ", 1).encode()
            info = tarfile.TarInfo(f"db01/2026-11-0{day}/vmstat{day}.txt")
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return folder / name


def cancelled(project: Project, archive: Path, watcher: GiveUp) -> Bundle:
    with pytest.raises(Cancelled):
        imports.import_captures(project, [archive], ImportOptions(), watcher)
    assert artefacts.pending_artefacts(project) == []
    (bundle,) = bundles.list_bundles(project)
    return bundle


def test_cancelled_while_taking_in_keeps_what_was_taken_in_whole(project: Project, tmp_path: Path) -> None:
    archive = archive_of(tmp_path)
    bundle = cancelled(project, archive, GiveUpAt("vmstat3.txt"))  # which is one piece: it is in before the next look
    assert in_project(project) == {"vmstat1.txt", "vmstat2.txt", "vmstat3.txt"}
    assert all(each.ledger.samples for each in artefacts.list_artefacts(project)), "read, not only stored"
    assert [(m.name, m.state, m.reason) for m in bundle.members[3:]] == [
        ("", MemberState.REFUSED, "bundle_cancelled")
    ], "the account says that there is more"
    again = take(project, archive)
    assert [file.state for file in again.files] == [ImportState.DUPLICATE] * 3 + [ImportState.IMPORTED] * 2
    (whole,) = bundles.list_bundles(project)
    assert whole.id == bundle.id and whole.sha256 and not bundle.sha256
    assert [m.state for m in whole.members] == [MemberState.IMPORTED] * 5, "nothing is called cancelled any more"


def test_cancelled_while_reading_names_what_was_not_read(project: Project, tmp_path: Path) -> None:
    archive = archive_of(tmp_path)
    bundle = cancelled(project, archive, GiveUpAt("vmstat4.txt", parsing=True))
    assert in_project(project) == {"vmstat1.txt", "vmstat2.txt", "vmstat3.txt"}
    assert [(m.name.rpartition("/")[2], m.reason) for m in bundle.members if m.reason] == [
        ("vmstat4.txt", "member_cancelled"),
        ("vmstat5.txt", "member_cancelled"),
    ]
    take(project, archive)
    assert bundles.list_bundles(project)[0].totals[MemberState.IMPORTED] == 5


def test_what_cannot_be_read_in_a_few_seconds_goes(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(imports, "LAST_READING_S", -1.0)
    with pytest.raises(Cancelled):
        imports.import_captures(project, [archive_of(tmp_path)], ImportOptions(), GiveUpAt("vmstat3.txt"))
    assert (in_project(project), bundles.list_bundles(project), runs.list_runs(project)) == (set(), [], [])


def test_a_whole_archive_that_comes_again_and_is_cancelled_stays_whole(project: Project, tmp_path: Path) -> None:
    archive = archive_of(tmp_path)
    before = take(project, archive).bundles[0].totals
    bundle = cancelled(project, archive, GiveUp(8))
    assert bundle.totals == before and not any(member.cancelled for member in bundle.members)


@pytest.mark.parametrize("after", [0, 1, 3, 10, 20, 30, 36])
def test_cancelled_at_any_moment(project: Project, tmp_path: Path, after: int) -> None:
    archive = packed(TREES / "oswbb", tmp_path / "osw.tar.gz")
    with pytest.raises(Cancelled):
        imports.import_captures(project, [archive], ImportOptions(), GiveUp(after))
    assert artefacts.pending_artefacts(project) == [], "nothing half done stays"
    finished = {artefact.id for artefact in artefacts.list_artefacts(project)}
    recorded = {m.artefact_id for b in bundles.list_bundles(project) for m in b.members} - {None}
    assert finished == recorded, "what was finished stays, with its account"
    assert take(project, archive).bundles[0].totals[MemberState.NOT_CAPTURE] >= 2
    again = bundles.list_bundles(project)
    assert len(again) == 1 and len(again[0].members) == 12 and again[0].sha256


def test_progress_runs_by_bytes_and_names_members(project: Project, tmp_path: Path) -> None:
    watcher = GiveUp(10**9)
    imports.import_captures(project, [packed(TREES / "oswbb", tmp_path / "osw.tar.gz")], ImportOptions(), watcher)
    shares = [done / total for done, total, _ in watcher.seen if total]
    assert shares == sorted(shares) and shares[-1] == pytest.approx(1.0)
    assert "db01_vmstat_26.11.22.0300.dat" in {name for _, _, name in watcher.seen}


def test_an_import_that_was_killed_is_finished_with_its_hosts(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(imports, "parse_stored", killed)
    with pytest.raises(KeyboardInterrupt):
        take(project, packed(TREES / "oswbb", tmp_path / "osw.tar.gz"))
    monkeypatch.undo()
    files = imports.finish_pending(project)
    assert {file.host for file in files} == {"db01", "db02", "db03"}, "not unknown: the layout told them before"
    assert artefacts.pending_artefacts(project) == []


# --- binary files of sar
def test_a_binary_sar_file_is_kept_and_read_as_text(project: Project, tmp_path: Path, corpus: Path) -> None:
    original = (corpus / "made" / "sar" / "sa21").read_bytes()
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as archive:
        archive.writestr("var/log/sa/sa21", original)
    report = take(project, tmp_path / "x.zip")
    kept, text = report.files
    assert (kept.state, text.state) == (ImportState.KEPT, ImportState.IMPORTED)
    assert kept.artefact_id is not None
    assert b"".join(artefacts.read_artefact(project, kept.artefact_id)) == original
    assert text.path == f"{tmp_path / 'x.zip'}!/var/log/sa/sa21!/sa21.json" and text.ledger.samples > 1000
    assert kept.host == text.host != ""
    (bundle,) = bundles.list_bundles(project)
    assert dict(bundle.members[1].facts) == {"same_as": "sadf -j -C sa21 -- -A", "of": kept.sha256}
    again = take(project, tmp_path / "x.zip")
    assert {file.state for file in again.files} == {ImportState.DUPLICATE}


def test_a_binary_sar_file_with_one_sample_is_not_imported(project: Project, tmp_path: Path) -> None:
    path = tmp_path / "sa08"
    path.write_bytes(made("<", 8, uptimes=(5000, 400)))  # its second sample begins anew
    kept, text = take(project, path).files
    assert (kept.state, text.state) == (ImportState.KEPT, ImportState.FAILED)
    assert text.error is not None and text.error.key == "sa_without_data" and text.ledger.series == 0
    command = "LC_ALL=C sadf -j sa08 -- -A > sa08.json"
    assert dict(text.error.facts) == {"path": str(path), "version": "12.7.5", "command": command}


def test_what_nobody_knows_in_a_binary_sar_file_is_named(project: Project, tmp_path: Path) -> None:
    path = tmp_path / "sa08"
    path.write_bytes(made("<", 8, kinds=(1, 2, 0), more=bytes(8)))
    _, text = take(project, path).files
    assert text.state is ImportState.IMPORTED and text.ledger.samples == 2
    assert text.error is not None and (text.error.key, text.error.facts["activities"]) == ("sa_not_all_read", "2")


def test_a_binary_sar_file_that_was_cut_off_is_read_up_to_there(project: Project, tmp_path: Path, corpus: Path) -> None:
    original = (corpus / "made" / "sar" / "sa21").read_bytes()
    path = tmp_path / "sa21"
    path.write_bytes(original[: len(original) // 2])
    _, text = take(project, path).files
    assert text.state is ImportState.IMPORTED and "source_damaged" in text.ledger.warnings
    assert text.error is not None and text.error.key == "member_damaged"


def test_a_capture_that_gives_nothing_is_not_imported(project: Project, tmp_path: Path) -> None:
    path = tmp_path / "iostat.txt"
    path.write_text(
        "Linux 6.1.0 (db1) \t11/21/26 \t_x86_64_\t(2 CPU)\n\nDevice             tps    kB_read/s    kB_wrtn/s\n"
    )
    report = take(project, path)
    [file] = report.files
    assert file.error is not None and file.error.key == "file_without_data"
    assert (file.state, report.nothing_done, file.ledger.lines.header) == (ImportState.FAILED, True, 2)
    stored = artefacts.find_artefact(project, file.artefact_id or 0)
    assert (stored.state, stored.ledger) == (ImportState.FAILED, file.ledger), "the project says the same later"


def test_a_binary_sar_file_of_another_format_names_the_command(project: Project, tmp_path: Path) -> None:
    path = tmp_path / "sa21"
    path.write_bytes(bytes.fromhex("96d58021 0d000000") + bytes(500))
    (file,) = take(project, path).files
    assert file.error is not None and file.error.key == "sa_other_version" and "sadf -j sa21" in str(file.error.facts)
    assert artefacts.list_artefacts(project) == []
