"""Captures read by workers of a real scheduler: what comes of it is what one process makes of them."""

from __future__ import annotations

import datetime
import hashlib
import os
import shutil
import signal
from collections.abc import Iterator
from contextlib import closing
from ipaddress import ip_address
from pathlib import Path

import pytest

from tests.e2e.cluster_rig import MANIFEST, Cluster, fate, install_plugin
from tests.e2e.conftest import Command, iostat_capture
from tests.program import compose
from tests.project_rows import rows
from tunebench.archive.archive import Archive
from tunebench.archive.layout import TABLES
from tunebench.cluster import engine
from tunebench.core.errors import Cancelled, UserError
from tunebench.core.progress import SilentProgress
from tunebench.domain.engagement import Engagement
from tunebench.domain.ledger import ImportState
from tunebench.store import artefacts, check, hosts, queries
from tunebench.store.project import Project
from tunebench.usecases import projects, workers
from tunebench.usecases.archiving import from_folder
from tunebench.usecases.archiving.from_folder import Said
from tunebench.usecases.importing import imports
from tunebench.usecases.importing.results import ImportOptions, ImportReport

pytestmark = pytest.mark.alone
FIXTURES = Path(__file__).resolve().parents[1] / "fixtures"


@pytest.fixture
def data_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The user's folder, with a plug-in whose reader may end its process."""
    home = tmp_path / "home"
    install_plugin(home)
    monkeypatch.setenv("XDG_DATA_HOME", str(home))
    compose()
    yield home
    monkeypatch.undo()
    compose()


def two_hundred(folder: Path) -> list[Path]:
    """Captures of many readers, and small ones of fifty hosts; one of them ends the process of its reader."""
    folder.mkdir()
    fixtures = [
        path for name in ("linux", "sar", "nmon", "pgbench", "mysql", "sadf") for path in _files(FIXTURES / name)
    ]
    paths = fixtures[:149]
    for number in range(200 - len(paths) - 1):
        path = folder / f"iostat{number:03d}.txt"
        path.write_text(iostat_capture("2026-11-16", 5 + number % 40, 1 + number % 50, 100 + number), encoding="utf-8")
        paths.append(path)
    paths.insert(120, fate(folder / "poisoned.txt", "die"))
    assert len(paths) == 200
    return paths


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file() and path.stat().st_size < 200_000)


def take(project: Project, paths: list[Path], at: workers.Where | None = None) -> ImportReport:
    return imports.import_captures(project, paths, ImportOptions(), at=at)


def made(path: Path) -> Project:
    return projects.create(path, Engagement(title="T", customer="ACME", zone="Asia/Seoul"))


def row_digests(project: Project) -> dict[str, str]:
    """Digest of a capture's bytes -> digest of everything that was read of it."""
    captures = artefacts.list_artefacts(project)
    hosts_by_id = {host.id: host.name for host in hosts.list_hosts(project)}
    digests = {}
    for capture in captures:
        digest = hashlib.sha256(f"{capture.state} {hosts_by_id.get(capture.host_id or 0)} {capture.ledger}".encode())
        for info in queries.list_series(project, artefact_id=capture.id):
            data = queries.read_series(project, info.id)
            words = (info.tool, info.table, info.native, sorted(info.attributes.items()), info.unit, info.interval_s)
            digest.update(repr(words).encode())
            for column in (data.times_ns, data.values, data.since_boot, data.line_numbers):
                digest.update(column.tobytes())
        digests[capture.sha256] = digest.hexdigest()
    return digests


class KillsOneWorker(SilentProgress):
    """Ends the process of a worker when so much is done."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self.killed = 0

    def report(self, done: int, total: int, key: str = "", **facts: object) -> None:
        if key == "progress.parsing" and not self.killed and facts["number"] == 60:
            self.killed = self._cluster.worker_processes()[0]
            os.kill(self.killed, signal.SIGKILL)


def test_a_lost_worker_and_a_poisoned_capture_cost_that_capture_alone(data_home: Path, tmp_path: Path) -> None:
    paths = two_hundred(tmp_path / "captures")
    (poisoned,) = [path for path in paths if path.name == "poisoned.txt"]
    with closing(made(tmp_path / "alone.tune")) as alone:
        take(alone, [path for path in paths if path != poisoned], workers.Where(1))
        expected = row_digests(alone)
    with Cluster(data_home) as cluster, closing(made(tmp_path / "cluster.tune")) as project:
        cluster.add_workers(2)
        kills = KillsOneWorker(cluster)
        at = workers.where(cluster.address, None)
        report = imports.import_captures(project, paths, ImportOptions(), kills, at)
        digests = row_digests(project)
    assert kills.killed
    (failed,) = [file for file in report.files if file.path == str(poisoned)]
    assert failed.state is ImportState.FAILED and failed.error is not None and failed.error.key == "work_died"
    del digests[failed.sha256]
    assert digests == expected
    assert len(expected) > 150 and len(set(expected.values())) > 150


def test_what_workers_read_is_stored_as_one_process_does(data_home: Path, tmp_path: Path) -> None:
    paths = [path for path in two_hundred(tmp_path / "captures")[100:] if path.name != "poisoned.txt"]
    with closing(made(tmp_path / "alone.tune")) as alone:
        take(alone, paths)
        expected = rows(alone)
    with Cluster(data_home) as cluster, closing(made(tmp_path / "cluster.tune")) as project:
        cluster.add_workers(1)
        take(project, paths, workers.where(cluster.address, None))
        stored = rows(project)
    assert {name for name in expected if expected[name] != stored[name]} == set()
    assert len(expected["sample_chunk"]) > 50


OTHERS = {
    "another version": (MANIFEST.replace("1.0.0", "1.0.1"), "pass\n"),
    "a reader that cannot be loaded": (MANIFEST, "import no_such_library\n"),
}


@pytest.mark.parametrize("other", OTHERS)
def test_a_worker_with_other_plugins_is_refused(
    other: str, data_home: Path, tmp_path: Path, tunebench: Command
) -> None:
    install_plugin(tmp_path / "elsewhere", *OTHERS[other])
    capture = tmp_path / "iostat.txt"
    capture.write_text(iostat_capture("2026-11-16", 5, 1, 100), encoding="utf-8")
    project = tmp_path / "acme.tune"
    assert tunebench("new", project, "--customer", "ACME", "--zone", "Asia/Seoul").code == 0
    with Cluster(data_home) as cluster:
        cluster.add_workers(1)
        (odd,) = cluster.add_workers(1, tmp_path / "elsewhere").addresses(1)
        answer = tunebench("import", project, capture, "--on", cluster.address, "--lang", "en")
    assert answer.code == 3
    assert odd in answer.err and "plug-in test.fateful (1.0.0" in answer.err and "arithmetic" not in answer.err
    assert ("reader test.fateful (- / ModuleNotFoundError no_such_library)" in answer.err) == ("loaded" in other)
    with closing(projects.open_(project, read_only=True)) as opened:
        assert artefacts.list_artefacts(opened) == []


def test_nobody_at_the_address(data_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "CONNECT_S", 1.0)
    with closing(made(tmp_path / "acme.tune")) as project:
        with pytest.raises(UserError) as refused:
            take(project, [tmp_path], workers.where("tcp://127.0.0.1:9", None))
        assert (refused.value.key, refused.value.facts["address"]) == ("cluster_unreachable", "tcp://127.0.0.1:9")
        with Cluster(data_home) as cluster, pytest.raises(UserError) as refused:
            take(project, [tmp_path], workers.where(cluster.address, None))
        assert (refused.value.key, refused.value.facts["address"]) == ("cluster_without_workers", cluster.address)


class GivesUp(SilentProgress):
    """The user cancels when some captures are in."""

    def __init__(self) -> None:
        self._done = 0

    def report(self, done: int, total: int, key: str = "", **facts: object) -> None:
        if key == "progress.parsing":
            self._done += 1

    def raise_if_cancelled(self) -> None:
        if self._done >= 3:
            raise Cancelled


def test_a_cancelled_import_keeps_what_was_finished(data_home: Path, tmp_path: Path) -> None:
    paths = two_hundred(tmp_path / "captures")[150:160]
    sleeps = [fate(tmp_path / f"{name}.txt", "sleep") for name in "ab"]
    with Cluster(data_home) as cluster, closing(made(tmp_path / "acme.tune")) as project:
        cluster.add_workers(1)
        with pytest.raises(Cancelled):
            imports.import_captures(
                project, [*paths, *sleeps], ImportOptions(), GivesUp(), workers.where(cluster.address, None)
            )
        kept = artefacts.list_artefacts(project)
        assert {result.state for result in check.check_project(project)} == {"ok"}
        take(project, paths, workers.where(cluster.address, None))  # the worker is not busy with what nobody wants
        assert len(artefacts.list_artefacts(project)) == 10
    assert 3 <= len(kept) < 10 and {capture.state for capture in kept} == {ImportState.IMPORTED}


def test_a_scheduler_that_goes_away_is_a_sentence(data_home: Path, tmp_path: Path) -> None:
    paths = [fate(tmp_path / f"{name}.txt", "sleep") for name in "ab"]
    with closing(made(tmp_path / "acme.tune")) as project, Cluster(data_home) as cluster:
        cluster.add_workers(1)

        class Ends(SilentProgress):
            def raise_if_cancelled(self) -> None:
                cluster.end_scheduler()

        with pytest.raises(UserError) as refused:
            imports.import_captures(project, paths, ImportOptions(), Ends(), workers.where(cluster.address, None))
    assert refused.value.key == "cluster_lost"


def certificates(folder: Path) -> Path:
    """A folder with an authority's certificate, one for this machine, and its key."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import NameOID

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = datetime.datetime.now(datetime.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
        .sign(key, hashes.SHA256())
    )
    folder.mkdir()
    pem = certificate.public_bytes(serialization.Encoding.PEM)
    (folder / "ca.pem").write_bytes(pem)
    (folder / "cert.pem").write_bytes(pem)
    unencrypted = serialization.NoEncryption()
    private = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, unencrypted)
    (folder / "key.pem").write_bytes(private)
    return folder


def test_an_encrypted_cluster(data_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "CONNECT_S", 5.0)
    tls, others = certificates(tmp_path / "tls"), certificates(tmp_path / "others")
    path = tmp_path / "iostat.txt"
    path.write_text(iostat_capture("2026-11-16", 5, 1, 100), encoding="utf-8")
    with Cluster(data_home, "tls", tls) as cluster, closing(made(tmp_path / "acme.tune")) as project:
        cluster.add_workers(1)
        with pytest.raises(UserError, match="cluster_unreachable"):
            take(project, [path], workers.where(cluster.address, others))
        report = take(project, [path], workers.where(cluster.address, tls))
    assert [file.state for file in report.files] == [ImportState.IMPORTED]
    (tls / "key.pem").write_text("no key")
    with pytest.raises(UserError, match="cluster_tls_unusable"):
        take(project, [path], workers.where(cluster.address, tls))


# -- a folder straight into an archive -----------------------------------------------------------------


def by_host(folder: Path, paths: list[Path]) -> Path:
    """The captures in one folder, each number of them in one of its own."""
    for number, path in enumerate(paths):
        target = folder / f"rack{number // 8:02d}" / path.name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, target.with_stem(f"{target.stem}-{number}"))
    return folder


def archive_rows(archive: Archive) -> dict[str, list[str]]:
    """Of every table, but for when it was written and of which state of the folder."""
    tables = {}
    for table in TABLES:
        answer = archive.ask(f"SELECT * FROM {table}").as_records()
        tables[table] = sorted(repr({**row, "added_ns": 0, "content": ""}) for row in answer)
    return tables


class KillsOneReader(SilentProgress):
    """Ends the process of a worker when so many hosts are read."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self.killed = 0

    def report(self, done: int, total: int, key: str = "", **facts: object) -> None:
        if key == "archive.progress.hosts" and not self.killed and facts["number"] == 10:
            self.killed = self._cluster.worker_processes()[0]
            os.kill(self.killed, signal.SIGKILL)


def test_workers_write_an_archive_as_one_process_does(data_home: Path, tmp_path: Path) -> None:
    """Two hundred captures, of which one ends its reader; and a worker that is lost in the middle."""
    folder = by_host(tmp_path / "folder", two_hundred(tmp_path / "captures"))
    said = Said("Year", "ACME", "Asia/Seoul", "Kim, customer, 2026-11-20")
    one, many = Archive.begun(tmp_path / "one"), Archive.begun(tmp_path / "many")
    with Cluster(data_home) as cluster:
        cluster.add_workers(2)
        kills = KillsOneReader(cluster)
        with workers.engine(workers.where(cluster.address, None)) as running:
            of_many = from_folder.take_folder(many, folder, said, running, kills)
    (fatal,) = [refused for refused in of_many.refused if refused.error.key == "work_died"]
    assert kills.killed and fatal.name.endswith("poisoned-120.txt")
    (folder / fatal.name).unlink()
    with workers.engine(workers.where("local:1", None)) as running:
        of_one = from_folder.take_folder(one, folder, said, running, SilentProgress())
    assert archive_rows(many) == archive_rows(one)
    assert (of_many.hosts, of_many.came, of_many.rows) == (of_one.hosts, of_one.came, of_one.rows)
    assert len(of_one.hosts) > 20 and of_one.came > 150
