"""Iterations that begin with what is known of a subject: the plug-ins' templates."""

from __future__ import annotations

from collections.abc import Mapping

from tunebench.core.errors import UserError
from tunebench.core.records import record
from tunebench.diagnosis.cycle import known_effects
from tunebench.diagnosis.cycle.templates import start_from
from tunebench.domain.cycle.book import CycleBook, CycleEdit
from tunebench.domain.cycle.worksheet import Action
from tunebench.domain.translations import in_both_languages
from tunebench.sdk.cycle_templates import CycleTemplate
from tunebench.sdk.effects import KnownEffect
from tunebench.usecases import services
from tunebench.usecases.cycle import saved_templates
from tunebench.usecases.cycle.edits import refuse_second


@record
class ListedTemplate:
    """A template in one language."""

    id: str
    name: str
    summary: str
    source: str


def all_templates() -> tuple[CycleTemplate, ...]:
    """The templates of plug-ins, then one's own."""
    return (*services.current().plugins.templates(), *saved_templates.saved())


def listed(language: str) -> tuple[ListedTemplate, ...]:
    return tuple(
        ListedTemplate(one.id, _in(one.name, language), _in(one.summary, language), one.source)
        for one in all_templates()
    )


def _in(texts: Mapping[str, str], language: str) -> str:
    return texts.get(language) or next(iter(texts.values()), "")


def find(template_id: str) -> CycleTemplate:
    """Raises UserError cycle_template_unknown."""
    every = all_templates()
    match = next((one for one in every if template_id in (one.id, one.id.rpartition(".")[2])), None)
    if match is None:
        names = ", ".join(one.id for one in every) or "-"
        raise UserError("cycle_template_unknown", template=template_id, known=names)
    return match


def start(
    book: CycleBook, template_id: str, language: str, *, title: str = "", on: str = "", host: str = ""
) -> CycleEdit:
    """A new iteration from a template; see `tunebench.diagnosis.cycle.templates.start_from`.

    Raises:
        UserError: cycle_template_unknown; cycle_iteration_open while another iteration is.
    """
    refuse_second(book)
    template = find(template_id)
    return in_both_languages(lambda code: start_from(template, code, book, title=title, on=on, host=host), language)


def proposals(action: Action) -> tuple[KnownEffect, ...]:
    """What is known about the changes of an action, the best fit first."""
    return known_effects.proposals(services.current().plugins.effects(), action)


def take_effect(book: CycleBook, action: Action, effect_id: str, language: str) -> CycleEdit:
    """The rows that the known effect has for the worksheet.

    Raises:
        UserError: cycle_effect_unknown.
    """
    effects = services.current().plugins.effects()
    effect = next((one for one in effects if one.id == effect_id), None)
    if effect is None:
        raise UserError("cycle_effect_unknown", effect=effect_id, known=", ".join(one.id for one in effects) or "-")
    return in_both_languages(lambda code: known_effects.effect_edit(book, action, effect, code), language)
