"""Takes known effects over into a row of the worksheet: a proposal that the consultant works on, never a judgement."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from tunebench.diagnosis.cycle.guards import with_guards
from tunebench.domain.cycle.book import CycleBook, CycleEdit, RecordChange
from tunebench.domain.cycle.worksheet import Action, Impact, ParameterChange
from tunebench.sdk.effects import EffectImpact, KnownEffect


def proposals(effects: Sequence[KnownEffect], action: Action) -> tuple[KnownEffect, ...]:
    """The rows of the matrix that know a parameter of the action, those that know most of them first.

    The one that the action names already is among them, whatever its parameters are called.
    """
    changed = {_plain(change.parameter) for change in action.changes}
    matches = [
        (len(changed & set(effect.parameters)) + (effect.id == action.known_effect), effect) for effect in effects
    ]
    return tuple(effect for hits, effect in sorted(matches, key=lambda pair: -pair[0]) if hits)


def with_effect(action: Action, effect: KnownEffect, language: str) -> Action:
    """The action with the effect's impacts, its coupled parameters and its caveat; what is there already stays."""
    there = {(impact.resource, impact.direction) for impact in action.impacts}
    impacts = (impact_of(impact, language) for impact in effect.impacts)
    names = {_plain(change.parameter) for change in action.changes}
    coupled = tuple(ParameterChange(name, mode=effect.mode) for name in effect.coupled if name not in names)
    caveat = text_in(effect.caveat, language)
    caveats = [action.caveat, caveat if caveat not in action.caveat else ""]
    return replace(
        action,
        impacts=(*action.impacts, *(impact for impact in impacts if (impact.resource, impact.direction) not in there)),
        changes=(*action.changes, *(coupled if action.changes else ())),
        caveat="\n".join(text for text in caveats if text),
        known_effect=effect.id,
    )


def effect_edit(book: CycleBook, action: Action, effect: KnownEffect, language: str) -> CycleEdit:
    """Takes the effect over, with guard metrics for what it makes pay."""
    change = RecordChange(action, with_effect(action, effect, language))
    return with_guards(book, CycleEdit("known_effect", (change,)), language)


def impact_of(effect: EffectImpact, language: str) -> Impact:
    return Impact(
        resource=effect.resource,
        direction=effect.direction,
        low=effect.low,
        expected=effect.expected,
        high=effect.high,
        unit=effect.unit,
        basis=effect.basis,
        source=effect.source,
        note=text_in(effect.note, language),
    )


def text_in(texts: Mapping[str, str] | None, language: str) -> str:
    """The text of that language, any where it has none, ``""`` where there is none at all."""
    if not texts:
        return ""
    return texts.get(language) or next((text for text in texts.values() if text), "")


def _plain(parameter: str) -> str:
    """``vxio:vol_maxio`` and ``set maxphys`` name the parameter last."""
    return parameter.replace(":", " ").lower().split()[-1] if parameter.strip() else ""
