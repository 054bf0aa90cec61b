"""The start-up guard: which interpreters and Qt versions are refused, and that it asks without loading Qt."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tunebench.core import startup
from tunebench.core.messages import catalogue


def with_qt(monkeypatch: pytest.MonkeyPatch, *versions: str) -> None:
    monkeypatch.setattr(startup, "installed_qt_versions", lambda: frozenset(versions))
    monkeypatch.setattr(startup, "_may_be_installed", lambda: startup.BROKEN_QT in versions)


def test_this_environment_is_accepted() -> None:
    assert startup.check_platform() is None


@pytest.mark.parametrize(
    ("python", "qt", "refused"),
    [
        ((3, 10, 13), "6.11.3", "python_too_old"),
        ((3, 10, 13), "6.12.0", "python_too_old"),
        ((3, 11, 2), "6.12.0", "qt_breaks_python"),
        ((3, 11, 2), "6.11.3", None),
        ((3, 12, 1), "6.12.0", None),
        ((3, 13, 0), "6.12.0", None),
    ],
)
def test_crash_matrix(monkeypatch: pytest.MonkeyPatch, python: tuple[int, ...], qt: str, refused: str | None) -> None:
    with_qt(monkeypatch, qt)
    error = startup.check_platform(python)
    assert (error.key if error else None) == refused


def test_a_broken_version_is_noticed_by_the_name_of_its_metadata(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(startup, "installed_qt_versions", lambda: frozenset({"6.12.0"}))
    monkeypatch.setattr(sys, "path", [str(tmp_path), str(tmp_path / "gone")])
    assert startup.check_platform((3, 11, 2)) is None
    (tmp_path / "shiboken6-6.12.0.dist-info").mkdir()
    error = startup.check_platform((3, 11, 2))
    assert error is not None
    assert error.key == "qt_breaks_python"


def test_one_broken_part_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """shiboken6 alone, moved by an add-on's pin, crashes just as well."""
    with_qt(monkeypatch, "6.11.3", "6.12.0")
    error = startup.check_platform((3, 11, 2))
    assert error is not None
    assert error.key == "qt_breaks_python"


@pytest.mark.parametrize("language", ["ko", "en"])
def test_sentence_names_the_way_out(monkeypatch: pytest.MonkeyPatch, language: str) -> None:
    with_qt(monkeypatch, "6.12.0")
    error = startup.check_platform((3, 11, 2))
    assert error is not None
    sentence = catalogue(language).error(error)
    assert "6.12.0" in sentence
    assert "3.11.2" in sentence
    assert "pip install -r requirements.txt" in sentence


def test_guard_loads_no_qt(project_root: Path) -> None:
    code = (
        "import sys\n"
        "from tunebench.core.startup import check_platform, installed_qt_versions\n"
        "assert check_platform() is None\n"
        "assert '6.11.3' in installed_qt_versions(), installed_qt_versions()\n"
        "assert not [name for name in sys.modules if name.startswith(('PySide6', 'shiboken6'))]\n"
    )
    result = subprocess.run([sys.executable, "-c", code], cwd=project_root, capture_output=True, text=True, timeout=60)
    assert result.returncode == 0, result.stderr
