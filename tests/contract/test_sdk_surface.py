"""The names and signatures that plug-ins rely on. A change of `sdk_surface.txt` is a change of the interface."""

from __future__ import annotations

import inspect
from pathlib import Path

import tunebench.sdk
from tests.contract.surface import described
from tunebench.sdk import databases, testkit

PINNED = Path(__file__).with_name("sdk_surface.txt")
# Classes and functions; the vocabulary of tables and figures beside them only ever grows.
DATABASE_NAMES = sorted(name for name in databases.__all__ if callable(getattr(databases, name)))
TESTKIT_NAMES = ("Finding", "check_plugin", "read_capture")


def surface() -> list[str]:
    """One line per public name, member and signature."""
    lines: list[str] = []
    for module, names in (
        (tunebench.sdk, sorted(tunebench.sdk.__all__)),
        (databases, DATABASE_NAMES),
        (testkit, TESTKIT_NAMES),
    ):
        for name in names:
            lines += described(f"{module.__name__}.{name}", getattr(module, name))
    return lines


def test_the_surface_is_the_pinned_one():
    pinned = PINNED.read_text(encoding="utf-8").splitlines()
    assert surface() == pinned


def test_every_public_name_is_there_and_documented():
    for name in tunebench.sdk.__all__:
        value = getattr(tunebench.sdk, name)
        if inspect.isclass(value) or inspect.isfunction(value):
            assert inspect.getdoc(value), name
