"""What has to be the same at both ends, and how it is said where it is not."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from tests.unit.cluster import units
from tunebench.cluster.fingerprint import Difference, arithmetic, differences, fingerprint_of
from tunebench.cluster.work import OtherProgram, Task, key_of, perform
from tunebench.core.paths import builtin_plugins_folder
from tunebench.plughost.host import PluginHost
from tunebench.plughost.listing import Origin
from tunebench.plughost.plugin_folders import SearchFolder

ROOT = Path(__file__).resolve().parents[3]
MANIFEST = """\
id = "test.own"
name = { en = "Own", ko = "자체" }
version = "1.0.0"
api = ["1"]

[[parsers]]
id = "test.own"
entry = "parser:Own"
tools = ["own"]
os = ["linux"]
"""
READER = "from tunebench.sdk.lines import LineParser\n\n\nclass Own(LineParser):\n    pass\n"


def with_plugin(folder: Path, reader: str) -> Mapping[str, str]:
    plugin = folder / "own"
    plugin.mkdir(parents=True)
    (plugin / "plugin.toml").write_text(MANIFEST, encoding="utf-8")
    (plugin / "parser.py").write_text(reader, encoding="utf-8")
    return fingerprint_of(PluginHost([SearchFolder(folder, Origin.USER)]))


def test_the_same_program_is_the_same(tmp_path: Path) -> None:
    first, second = with_plugin(tmp_path / "a", READER), with_plugin(tmp_path / "b", READER)
    assert first == second and differences(first, second) == []
    assert {
        "program",
        "python",
        "numpy",
        "pcodec",
        "backports.zstd",
        "tzdata",
        "time-zones",
        "scanner",
        "arithmetic",
    } < set(first)


def test_another_reader_is_another_program(tmp_path: Path) -> None:
    first = with_plugin(tmp_path / "a", READER)
    changed = with_plugin(tmp_path / "b", READER + "# changed\n")
    (difference,) = differences(first, changed)
    assert difference.part == "plug-in test.own"
    unloaded = with_plugin(tmp_path / "c", "import no_such_library\n" + READER)
    assert Difference("reader test.own", "-", "ModuleNotFoundError no_such_library") in differences(first, unloaded)
    assert str(Difference("numpy", "2.1", "2.2")) == "numpy (2.1 / 2.2)"


def test_all_shipped_readers_can_be_loaded() -> None:
    fingerprint = fingerprint_of(PluginHost([SearchFolder(builtin_plugins_folder(), Origin.BUILTIN)]))
    assert [part for part in fingerprint if part.startswith("reader ")] == []
    assert len([part for part in fingerprint if part.startswith("plug-in ")]) > 20


def other() -> Mapping[str, str]:
    return {"program": "another"}


def test_a_worker_that_comes_later_and_is_another_program_works_on_nothing() -> None:
    assert perform(units.doubled, other, other(), 4) == 8
    with pytest.raises(OtherProgram) as refused:
        perform(units.doubled, other, {"program": "mine"}, 4)
    assert refused.value.fingerprint == other()


def test_a_result_is_named_after_all_that_it_rests_on() -> None:
    task = Task("a.txt", 1, "digest of bytes and hints", 4)
    keys = {
        key_of(units.doubled, task, "mine"),
        key_of(units.doubled, Task("a.txt", 1, "other bytes", 4), "mine"),
        key_of(units.process_of, task, "mine"),
        key_of(units.doubled, task, "other program"),
    }
    assert len(keys) == 4
    assert key_of(units.doubled, task, "mine") == key_of(units.doubled, Task("b.txt", 9, task.digest, 5), "mine")


NUMPY_FIRST = """\
import os
for name in ("NPY_DISABLE_CPU_FEATURES", "OPENBLAS_CORETYPE"):
    os.environ.pop(name, None)
import hashlib
import numpy as np
print(hashlib.sha256(np.log(np.linspace(1e-6, 50.0, 20_003)).tobytes()).hexdigest())
from tunebench.cluster.fingerprint import arithmetic
print(arithmetic())
"""


def test_numpy_that_came_first_is_noticed_where_it_computes_otherwise() -> None:
    """The switch of `tunebench` comes too late then; on processors without AVX-512 there is nothing to switch."""
    done = subprocess.run([sys.executable, "-c", NUMPY_FIRST], cwd=ROOT, capture_output=True, text=True, timeout=120)
    logarithms, digest = done.stdout.split()
    own = hashlib.sha256(np.log(np.linspace(1e-6, 50.0, 20_003)).tobytes()).hexdigest()
    assert (digest == arithmetic()) <= (logarithms == own)
