from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.store import cases
from tunebench.store.project import Project


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    """A new project in a folder of its own, closed at the end."""
    opened = cases.new_project(tmp_path)
    yield opened
    opened.close()
