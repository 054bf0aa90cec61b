from __future__ import annotations

import os
from pathlib import Path

import pytest

from tunebench.core.errors import UserError
from tunebench.transport.local import find_file


@pytest.mark.parametrize(
    ("make", "key"), [(lambda p: None, "path_missing"), (lambda p: os.mkfifo(p), "not_a_regular_file")]
)
def test_what_cannot_be_read_is_refused_with_its_key(tmp_path: Path, make, key: str) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "capture"
    make(path)
    with pytest.raises(UserError) as refusal:
        find_file(path)
    assert refusal.value.key == key


def test_a_file_that_grows_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "capture"
    path.write_text("one\n")
    source = find_file(path)
    assert not source.changed()
    with path.open("a") as file:
        file.write("two\n")
    assert source.changed()
