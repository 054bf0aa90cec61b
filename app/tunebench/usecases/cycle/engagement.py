"""The engagement itself, from texts: ``cycle set engagement``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from tunebench.core.errors import UserError
from tunebench.core.messages import LANGUAGES
from tunebench.domain.engagement import Engagement
from tunebench.domain.schema import schema
from tunebench.store.project import Project
from tunebench.usecases import projects
from tunebench.usecases.cycle.fields import set_field
from tunebench.usecases.cycle.text import clean_text
from tunebench.usecases.cycle.values import parse
from tunebench.usecases.cycle.words import FieldRefusal


def set_engagement(project: Project, values: Mapping[str, str]) -> Engagement:
    """All of the fields or none; consultants are parted by commas, and ``title@en`` is the text in the second language.

    Raises:
        UserError: cycle_field_unknown, cycle_field_untranslated, cycle_value_empty, cycle_value_date,
            cycle_value_choice, zone_unknown.
    """
    engagement = projects.read_engagement(project)
    changes: dict[str, object] = {name: _value(name, text) for name, text in values.items() if "@" not in name}
    changed: Engagement = replace(engagement, **changes)  # type: ignore[arg-type]
    for path, text in values.items():
        if "@" in path:
            texts = _names(text) if path.startswith("consultants@") else (text,)
            changed = set_field(changed, path, "\n".join(map(clean_text, texts)))
    if changed.period_start and changed.period_end and changed.period_end < changed.period_start:
        raise UserError("cycle_period_turned", start=changed.period_start, end=changed.period_end)
    projects.update_engagement(project, changed)
    return changed


def _names(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


def _value(name: str, text: str) -> object:
    text = clean_text(text)
    field = schema(Engagement).get(name)
    if field is None:
        raise FieldRefusal("cycle_field_unknown", field=name, known=", ".join(schema(Engagement)))
    if name == "consultants":
        return _names(text)
    if name == "language" and text not in LANGUAGES:
        raise FieldRefusal("cycle_value_choice", field=name, value=text, choices=", ".join(LANGUAGES))
    return parse(field.hint, field, text)
