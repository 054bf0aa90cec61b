"""What the tests of a module keep is let go with it: a workbook that was read is hundreds of times its file."""

from __future__ import annotations

from collections.abc import Iterator

import pytest


@pytest.fixture(scope="module", autouse=True)
def let_go(request: pytest.FixtureRequest) -> Iterator[None]:
    """Empties the caches of the module's own functions."""
    yield
    for function in vars(request.module).values():
        if getattr(function, "__module__", "") == request.module.__name__ and hasattr(function, "cache_clear"):
            function.cache_clear()
