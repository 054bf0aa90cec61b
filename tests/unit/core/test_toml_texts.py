"""Tables that are kept for the next start are those that `tomllib` reads, or they are not taken."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from tunebench.core import toml_texts
from tunebench.core.paths import builtin_plugins_folder, resources_folder

OWN = sorted([*(resources_folder() / "metrics").glob("*.toml"), *builtin_plugins_folder().rglob("*.toml")])


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Stands for the folder beside which the set-up compiles; nothing is kept there yet."""
    folder = tmp_path / "build" / "compiled"
    monkeypatch.setattr(toml_texts, "compiled_folder", lambda: folder)
    monkeypatch.setattr(toml_texts, "_missed", set())
    toml_texts._kept.cache_clear()
    yield folder
    toml_texts._kept.cache_clear()


@pytest.fixture
def kept(folder) -> Path:
    toml_texts.keep()
    toml_texts._kept.cache_clear()
    return folder / toml_texts.KEPT_NAME


@pytest.fixture
def parsed(monkeypatch) -> list[str]:
    """The texts that had to be parsed."""
    texts: list[str] = []

    def loads(text: str) -> dict[str, object]:
        texts.append(text)
        return read(text)

    read = tomllib.loads
    monkeypatch.setattr(tomllib, "loads", loads)
    return texts


def start_anew() -> None:
    """As a new process begins."""
    toml_texts._kept.cache_clear()
    toml_texts._missed.clear()


def test_every_table_of_the_program_is_kept_as_it_reads(kept, parsed):
    for path in OWN:
        text = path.read_text(encoding="utf-8")
        table = toml_texts.table_of(text)
        assert parsed == [], path
        assert table == tomllib.loads(text), path
        parsed.clear()
    assert len(OWN) > 80


def test_types_of_values_are_kept(folder, parsed, monkeypatch):
    text = 'a = 1\nb = 1.5\nc = true\nd = "가"\ne = [1, 2]\nf = { g = -0.0, h = inf }\n'
    monkeypatch.setattr(toml_texts, "_own_texts", lambda: iter([text]))
    toml_texts.keep()
    start_anew()
    parsed.clear()
    table = toml_texts.table_of(text)
    assert parsed == []
    assert repr(table) == repr(
        {"a": 1, "b": 1.5, "c": True, "d": "가", "e": [1, 2], "f": {"g": -0.0, "h": float("inf")}}
    )


def test_other_line_ends_are_the_same_text(kept, parsed):
    text = OWN[0].read_text(encoding="utf-8")
    toml_texts.table_of(text.replace("\n", "\r\n"))
    assert parsed == []


def test_a_changed_text_is_parsed_and_kept(kept, parsed, monkeypatch):
    text = OWN[0].read_text(encoding="utf-8") + "\n[more]\nx = 1\n"
    monkeypatch.setattr(toml_texts, "_own_texts", lambda: iter([text]))
    assert toml_texts.table_of(text)["more"] == {"x": 1}
    assert parsed == [text]
    toml_texts.renew()
    start_anew()
    parsed.clear()
    assert toml_texts.table_of(text)["more"] == {"x": 1}
    assert parsed == []


def test_nothing_is_written_where_nothing_was_missing(kept):
    kept.chmod(0o400)
    before = kept.stat()
    toml_texts.table_of(OWN[0].read_text(encoding="utf-8"))
    toml_texts.renew()
    toml_texts.table_of("a_plug_in_of_somebody = 'else'")
    toml_texts.renew()
    after = kept.stat()
    assert (after.st_mtime_ns, after.st_ino) == (before.st_mtime_ns, before.st_ino)


def damaged(whole: bytes) -> list[bytes]:
    header = len(toml_texts._HEADER)
    cuts = [
        whole[:length]
        for length in (0, 1, header, header + 16, header + 32, header + 33, len(whole) // 2, len(whole) - 1)
    ]
    flips = [
        whole[:index] + bytes([whole[index] ^ 0xFF]) + whole[index + 1 :]
        for index in (0, header - 2, header + 1, header + 32, header + 40, len(whole) // 3, len(whole) - 1)
    ]
    return [*cuts, *flips, whole + b"\0", b"\xfb" * len(whole), whole.replace(b"TuneBench 0", b"TuneBench 9", 1)]


def test_a_damaged_file_is_parsed_anew_and_mended(folder, parsed, monkeypatch):
    kept, text = folder / toml_texts.KEPT_NAME, OWN[0].read_text(encoding="utf-8")
    monkeypatch.setattr(toml_texts, "_own_texts", lambda: iter([text]))
    toml_texts.keep()
    whole = kept.read_bytes()
    for data in damaged(whole):
        kept.write_bytes(data)
        start_anew()
        parsed.clear()
        assert toml_texts.table_of(text) == tomllib.loads(text)
        assert parsed == [text, text]
        toml_texts.renew()
        assert kept.read_bytes() == whole


def test_another_python_parses_anew(kept, parsed, monkeypatch):
    monkeypatch.setattr(toml_texts, "_HEADER", toml_texts._HEADER.replace(b"cpython-3", b"cpython-4"))
    start_anew()
    toml_texts.table_of(OWN[0].read_text(encoding="utf-8"))
    assert len(parsed) == 1


def test_a_folder_that_cannot_be_written_to_is_no_fault(tmp_path, monkeypatch, folder):
    (tmp_path / "file").write_bytes(b"")
    monkeypatch.setattr(toml_texts, "compiled_folder", lambda: tmp_path / "file" / "compiled")
    assert toml_texts.table_of("a = 1") == {"a": 1}
    toml_texts.renew()
    assert (tmp_path / "file").read_bytes() == b""


def test_what_is_no_toml_raises(kept):
    with pytest.raises(tomllib.TOMLDecodeError):
        toml_texts.table_of("a = ")
