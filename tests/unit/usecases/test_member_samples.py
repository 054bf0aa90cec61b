"""A member that no parser knows is looked at where it lies."""

from __future__ import annotations

import gzip
from dataclasses import replace
from pathlib import Path

import pytest

from tests.unit.transport.containers.packing import tar_bytes, zip_bytes
from tunebench.core.errors import Cancelled, UserError
from tunebench.core.progress import SilentProgress
from tunebench.domain.bundle import Bundle
from tunebench.usecases.importing import table_definitions
from tunebench.usecases.importing.table_definitions import SAMPLE_BYTES

TEXT = b"# queue depth\n16:10:12 orders 3\n16:10:13 orders 4\n"
LINES = ("# queue depth", "16:10:12 orders 3", "16:10:13 orders 4")
BUNDLE = Bundle(0, "x", "", "zip", 0, "", 0, "")


def bundle_at(path: Path, form: str = "zip") -> Bundle:
    return replace(BUNDLE, name=path.name, path=str(path), form=form)


def read(bundle: Bundle, name: str) -> tuple[str, str, tuple[str, ...]]:
    sample = table_definitions.read_member(bundle, name, SilentProgress())
    return sample.path, sample.name, sample.lines


def test_out_of_an_archive_and_an_archive_in_it(tmp_path: Path) -> None:
    inner = gzip.compress(tar_bytes({"other": b"no\n", "logs/queue.log": TEXT}))
    path = tmp_path / "site.zip"
    path.write_bytes(zip_bytes({"a/readme": b"no\n", "a/queue.log": TEXT, "in.tar.gz": inner}))
    assert read(bundle_at(path), "a/queue.log") == (f"{path}!/a/queue.log", "queue.log", LINES)
    assert read(bundle_at(path), "in.tar.gz!/logs/queue.log")[1:] == ("queue.log", LINES)


def test_out_of_a_folder(tmp_path: Path) -> None:
    (tmp_path / "site" / "day").mkdir(parents=True)
    (tmp_path / "site/day/queue.log").write_bytes(TEXT)
    (tmp_path / "site/day/queue.log.gz").write_bytes(gzip.compress(TEXT))
    (tmp_path / "site/all.zip").write_bytes(zip_bytes({"b/queue.log": TEXT}))
    folder = bundle_at(tmp_path / "site", "folder")
    for name in ("day/queue.log", "day/queue.log.gz!/queue.log", "all.zip!/b/queue.log"):
        assert read(folder, name)[1:] == ("queue.log", LINES), name


def test_a_single_compressed_file(tmp_path: Path) -> None:
    path = tmp_path / "queue.log.gz"
    path.write_bytes(gzip.compress(TEXT))
    assert read(bundle_at(path, "gz"), "queue.log")[1:] == ("queue.log", LINES)


def test_only_the_beginning_is_read_also_of_a_damaged_one(tmp_path: Path) -> None:
    path = tmp_path / "x.log.gz"
    whole = gzip.compress(b"".join(b"%d a row of a table\n" % number for number in range(60_000)), compresslevel=1)
    path.write_bytes(whole[: len(whole) // 2])
    sample = table_definitions.read_member(bundle_at(path, "gz"), "x.log", SilentProgress())
    assert len(sample.data) == SAMPLE_BYTES and sample.lines[0] == "0 a row of a table"


@pytest.mark.parametrize(
    ("name", "key"), [("gone.log", "path_missing"), ("empty", "sample_empty"), ("binary", "file_binary")]
)
def test_what_cannot_be_shown_is_said(tmp_path: Path, name: str, key: str) -> None:
    path = tmp_path / "x.zip"
    path.write_bytes(zip_bytes({"empty": b"", "binary": b"\0\1" * 90}))
    with pytest.raises(UserError, match=key):
        read(bundle_at(path), name)


def test_an_archive_that_was_moved_away_is_said(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="path_missing"):
        read(bundle_at(tmp_path / "x.zip"), "a")


def test_looking_for_it_can_be_cancelled(tmp_path: Path) -> None:
    class GivesUp(SilentProgress):
        def raise_if_cancelled(self) -> None:
            raise Cancelled

    path = tmp_path / "x.tar"
    path.write_bytes(tar_bytes({"a": b"1\n", "queue.log": TEXT}))
    with pytest.raises(Cancelled):
        table_definitions.read_member(bundle_at(path, "tar"), "queue.log", GivesUp())
