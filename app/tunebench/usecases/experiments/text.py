"""Texts of experiments: cleaned of what cannot be seen, and bounded."""

from __future__ import annotations

from typing import TypeVar

from tunebench.core.errors import UserError
from tunebench.domain.schema import RecordField
from tunebench.usecases.cycle.text import LONGEST_TEXT, clean

T = TypeVar("T")


def clean_record(value: T) -> T:
    """Every text composed and freed of what cannot be seen; names of levels inside too.

    Raises:
        UserError: experiment_text_too_long.
    """
    return clean(value, _bounded)


def _bounded(field: RecordField, text: str) -> str:
    if len(text) > LONGEST_TEXT:
        raise UserError("experiment_text_too_long", field=field.name, limit=LONGEST_TEXT)
    return text
