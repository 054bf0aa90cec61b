"""Syntax trees of the whole program are hundreds of megabytes: no test module leaves them to the next."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.architecture import source_scan


@pytest.fixture(scope="module", autouse=True)
def forgotten_trees() -> Iterator[None]:
    yield
    source_scan.tree_of.cache_clear()
