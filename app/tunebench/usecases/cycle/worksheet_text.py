"""What a worksheet row has several of, as the text of one cell that is read back: effects, changes, risks, metrics.

A cell that is edited keeps what its text does not say: the basis and evidence of an effect, the scope of a change.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

from tunebench.core.patterns import lazy_pattern
from tunebench.domain.cycle.worksheet import Action, Impact, ParameterChange, Resource, Risk, Verification
from tunebench.usecases.grid_cells import Wrong

ARROWS = {2: "▲▲", 1: "▲", 0: "–", -1: "▼", -2: "▼▼"}
_WEIGHTS = {
    **{arrow: weight for weight, arrow in ARROWS.items()},
    "↑↑": 2,
    "↑": 1,
    "↓": -1,
    "↓↓": -2,
    "++": 2,
    "+": 1,
    "-": -1,
    "--": -2,
    "+2": 2,
    "+1": 1,
    "2": 2,
    "1": 1,
    "0": 0,
    "-1": -1,
    "-2": -2,
    "—": 0,
}
_EFFECT = lazy_pattern(r"(▲{1,2}|▼{1,2}|↑{1,2}|↓{1,2}|[–—]|\+\+|--|[+-]?[0-2](?=$|\s)|[+-])\s*(.*)", re.DOTALL)
_NUMBER = r"-?[0-9][0-9,]*(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?"
_RANGE = rf"({_NUMBER})?\s*(?:~|～|\.\.)\s*({_NUMBER})?"
_THREE = lazy_pattern(rf"({_NUMBER})\s*(?:~|～|\.\.)\s*({_NUMBER})\s*(?:~|～|\.\.)\s*({_NUMBER})\s*(.*)")
_AROUND = lazy_pattern(rf"({_NUMBER})\s*\(\s*{_RANGE}\s*\)\s*(.*)")
_BETWEEN = lazy_pattern(rf"{_RANGE}\s*(.*)")
_SINGLE = lazy_pattern(rf"({_NUMBER})\s*(.*)")
_PARTS = lazy_pattern(r"\s+/\s+|\n")
_ARROW = lazy_pattern(r"\s*(?:→|->|=>)\s*")
_MARGIN = lazy_pattern(r"(.*\S)\s*\(\s*([0-9]+(?:\.[0-9]+)?)\s*%?\s*\)")

T = TypeVar("T")


def lines_of(text: str) -> list[str]:
    return [line.strip() for line in text.split("\n") if line.strip()]


# --- effects on a resource


def impact_text(impact: Impact) -> str:
    """``▼ 10.7 (5~15) %``: the direction, the expected value and its limits, the unit."""
    return " ".join(part for part in (ARROWS[impact.direction], _size(impact)) if part)


def _size(impact: Impact) -> str:
    low, expected, high = (
        "" if value is None else f"{value:.12g}" for value in (impact.low, impact.expected, impact.high)
    )
    limits = f"{low}~{high}" if low or high else ""
    size = f"{expected} ({limits})" if expected and limits else expected or limits
    return f"{size} {impact.unit}".rstrip() if size else ""


def impacts_text(action: Action, resource: Resource) -> str:
    return " / ".join(impact_text(impact) for impact in action.impacts if impact.resource is resource)


def with_impacts(action: Action, resource: Resource, text: str) -> Action:
    """The action with its effects on `resource` as `text` says.

    Raises:
        Wrong: a part of the text does not begin with a direction.
    """
    existing = [impact for impact in action.impacts if impact.resource is resource]
    new = [_impact(part.strip(), resource) for part in _PARTS.split(text) if part.strip()]
    kept = _paired(existing, new, lambda old, each: old.direction == each.direction)
    impacts = tuple(_kept_impact(old, impact) for old, impact in zip(kept, new, strict=True))
    first = next((at for at, impact in enumerate(action.impacts) if impact.resource is resource), len(action.impacts))
    before = [impact for impact in action.impacts[:first] if impact.resource is not resource]
    behind = [impact for impact in action.impacts[first:] if impact.resource is not resource]
    return replace(action, impacts=(*before, *impacts, *behind))


def _impact(text: str, resource: Resource) -> Impact:
    match = _EFFECT.fullmatch(text)
    if match is None:
        raise Wrong("ui.tradeoffs.wrong.effect", value=text)
    size = match[2].strip()
    low, expected, high, unit = _sizes(size)
    if size and (low, expected, high) == (None, None, None):
        raise Wrong("ui.tradeoffs.wrong.effect", value=text)
    return Impact(resource, _WEIGHTS[match[1]], low, expected, high, unit.strip())


def _sizes(text: str) -> tuple[float | None, float | None, float | None, str]:
    if match := _THREE.fullmatch(text):
        return _number(match[1]), _number(match[2]), _number(match[3]), match[4]
    if match := _AROUND.fullmatch(text):
        return _number(match[2]), _number(match[1]), _number(match[3]), match[4]
    if (match := _BETWEEN.fullmatch(text)) and (match[1] or match[2]):
        return _number(match[1]), None, _number(match[2]), match[3]
    if match := _SINGLE.fullmatch(text):
        return None, _number(match[1]), None, match[2]
    return None, None, None, ""


def _number(text: str | None) -> float | None:
    return None if text is None else float(text.replace(",", ""))


def _kept_impact(old: Impact | None, new: Impact) -> Impact:
    if old is None:
        return new
    return replace(
        old, direction=new.direction, low=new.low, expected=new.expected, high=new.high, unit=new.unit or old.unit
    )


def _paired(known: Sequence[T], new: Sequence[T], same: Callable[[T, T], bool]) -> list[T | None]:
    """For each new one what it was before: in order where the count is the same, else what it resembles."""
    if len(known) == len(new):
        return list(known)
    left, earlier = list(known), []
    for part in new:
        before = next((old for old in left if same(old, part)), None)
        earlier.append(before)
        if before is not None:
            left.remove(before)
    return earlier


# --- changes


def change_text(change: ParameterChange) -> str:
    if not change.old and not change.new:
        return change.parameter
    return f"{change.parameter}: {change.old} → {change.new}" if change.old else f"{change.parameter} → {change.new}"


def changes_text(action: Action) -> str:
    return "\n".join(change_text(change) for change in action.changes)


def with_changes(action: Action, text: str) -> Action:
    """A line per parameter: ``maxcontig: 16 → 128``; ``->`` is read as well."""
    same = {change_text(change): change for change in action.changes}
    read = [same.get(line) or _change(line) for line in lines_of(text)]
    kept = _paired(action.changes, read, lambda old, each: old.parameter == each.parameter)
    return replace(action, changes=tuple(_kept_change(old, new) for old, new in zip(kept, read, strict=True)))


def _change(line: str) -> ParameterChange:
    left, *right = _ARROW.split(line, maxsplit=1)
    parameter, _, old = left.partition(": ")
    if not parameter.strip():
        raise Wrong("ui.tradeoffs.wrong.change", value=line)
    return ParameterChange(parameter.strip().removesuffix(":"), old.strip(), right[0].strip() if right else "")


def _kept_change(old: ParameterChange | None, new: ParameterChange) -> ParameterChange:
    if old is None or new.scope:
        return new
    return replace(new, scope=old.scope, mode=old.mode, translations=old.translations)


# --- risks and verifications


def risks_text(action: Action) -> str:
    return "\n".join(risk.text for risk in action.risks)


def with_risks(action: Action, text: str) -> Action:
    read = [Risk(line) for line in lines_of(text)]
    kept = _paired(action.risks, read, lambda old, each: old.text == each.text)
    risks = (replace(old, text=new.text) if old else new for old, new in zip(kept, read, strict=True))
    return replace(action, risks=tuple(risks))


def verification_text(name: str, margin_pct: float | None) -> str:
    return name if margin_pct is None else f"{name} ({margin_pct:.12g} %)"


def verification_of(line: str, metric_called: Callable[[str], int | None]) -> Verification:
    """``Order time (10 %)``: a metric and by how much it has to move; a name may end in brackets itself."""
    whole = metric_called(line)
    if whole is not None:
        return Verification(whole)
    match = _MARGIN.fullmatch(line)
    metric_id = metric_called(match[1]) if match else None
    if match is None or metric_id is None:
        raise Wrong("ui.tradeoffs.wrong.metric", value=line)
    return Verification(metric_id, float(match[2]))
