"""What is wrong with an expression."""

from __future__ import annotations


class ExpressionFault(ValueError):
    """The text is no condition of the allowed kind.

    Attributes:
        reason: ``empty``, ``too_long``, ``too_deep``, ``character``, ``syntax``, ``construct``, ``function``,
            ``arguments``, ``kind``, ``no_condition``, ``zero_division``, ``number``, ``table``.
        facts: what a sentence about it names, mostly `value`: the piece of the text that is meant.
    """

    def __init__(self, reason: str, **facts: object) -> None:
        super().__init__(f"{reason}: {facts}")
        self.reason = reason
        self.facts = facts
