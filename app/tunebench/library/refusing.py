"""Refusals as a script meets them: one kind of error, whose text is the sentence that the program would say."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from tunebench.core.errors import UserError
from tunebench.core.extras import absence_named
from tunebench.core.messages import catalogue, system_language

P = ParamSpec("P")
R = TypeVar("R")


class Refused(Exception):
    """The environment or the input is not fit for what was asked: nothing was changed.

    Attributes:
        key: of the sentence, the same in every version; ``project_in_use``.
        facts: what the sentence names.
    """

    def __init__(self, error: UserError) -> None:
        super().__init__(error.key)
        self.key = error.key
        self.facts = dict(error.facts)
        self._error = error

    def text(self, language: str) -> str:
        """The sentence in ``ko`` or ``en``."""
        return catalogue(language).error(self._error)

    def __str__(self) -> str:
        return self.text(system_language())


def refusing(work: Callable[P, R]) -> Callable[P, R]:
    """The function, which raises `Refused` where a verb would print a sentence and end."""

    @wraps(work)
    def asked(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            with absence_named():
                return work(*args, **kwargs)
        except UserError as error:
            raise Refused(error) from error

    return asked
