"""What scripts and notebooks rely on. A change of `library_surface.txt` that takes something away is a new first number of
the version."""

from __future__ import annotations

import inspect
from pathlib import Path

import tunebench
from tests.contract.surface import described

PINNED = Path(__file__).with_name("library_surface.txt")


def surface() -> list[str]:
    return [
        line for name in sorted(tunebench.__all__) for line in described(f"tunebench.{name}", getattr(tunebench, name))
    ]


def test_the_surface_is_the_pinned_one() -> None:
    assert surface() == PINNED.read_text(encoding="utf-8").splitlines()


def test_every_public_name_is_documented() -> None:
    for name in tunebench.__all__:
        value = getattr(tunebench, name)
        assert inspect.getdoc(value), name
        for member, function in vars(value).items() if inspect.isclass(value) else ():
            is_own = not member.startswith("_") and (inspect.isfunction(function) or isinstance(function, property))
            assert not is_own or inspect.getdoc(function), f"{name}.{member}"


def test_what_is_offered_is_listed_once() -> None:
    """The list in `tunebench` is the one in the room; neither loads the other."""
    from tunebench import library

    assert sorted(tunebench.__all__) == sorted(library.__all__)
    assert set(tunebench.__all__) <= set(dir(tunebench))
