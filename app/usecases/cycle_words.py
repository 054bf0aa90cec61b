"""Words for the fields of records, and refusals that are about one field."""

from __future__ import annotations

from app.core.errors import UserError
from app.core.messages import catalogue


def field_word(name: str, language: str) -> str:
    """``담당자`` for ``owner``: what a form or a heading calls the field; its own name where there is no word."""
    key = f"cycle.field.{name}"
    sentences = catalogue(language)
    return sentences.text(key) if key in sentences else name


class FieldRefusal(UserError):
    """Its fact `field` is a field's name, which the sentence says in the reader's words and as it is typed (`name`)."""

    def facts_in(self, language: str) -> dict[str, object]:
        name = str(self.facts.get("field", ""))
        word = field_word(name, language)
        return {**self.facts, "name": name, "field": word if word == name else f"{word} ({name})"}
