"""A kit per test: its sessions and its host are ended with it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.capture.session_kit import Kit
from tunebench.domain.engagement import Engagement
from tunebench.store.opening import create_project


@pytest.fixture
def kit(tmp_path: Path) -> Iterator[Kit]:
    with create_project(tmp_path / "acme.tune", Engagement("ACME", "ACME")) as project:
        made = Kit(project, tmp_path / "spool")
        yield made
        for session in made.open:
            session.close()
        made.host.join()
