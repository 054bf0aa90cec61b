"""Fills a probe's template: place-holders, and parameters that are checked by kind and quoted for the shell."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, timedelta
from itertools import product
from string import Formatter

from tunebench.core.errors import UserError
from tunebench.core.records import record
from tunebench.domain.capturing.plan import CommandKind
from tunebench.sdk.probes import ParameterKind, Probe, ProbeParameter

LONGEST_VALUE = 4000
"""Characters of one value; a login shell of an old Unix takes lines of a few thousand."""


@record
class Rendered:
    """One command of a probe.

    Attributes:
        tool_line: for ``pull`` the path of the file.
        own_words: whether the consultant typed a part of it.
    """

    tool_line: str
    own_words: bool = False


def checked_values(probe: Probe, given: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, ...]]:
    """The values of every parameter of `probe`, defaults filled in; ``("",)`` where there is none.

    Raises:
        UserError: ``probe_parameter_unknown``, ``probe_parameter_missing``, ``probe_parameter_refused``,
            ``probe_parameter_single``.
    """
    for name in given:
        if probe.parameter(name) is None:
            raise UserError("probe_parameter_unknown", probe=probe.id, parameter=name)
    return {parameter.name: _values(probe, parameter, given) for parameter in probe.parameters}


def _values(probe: Probe, parameter: ProbeParameter, given: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    values = tuple(value for value in given.get(parameter.name, ()) if value)
    if not values and parameter.default:
        values = (parameter.default,)
    if not values and parameter.required:
        raise UserError("probe_parameter_missing", probe=probe.id, parameter=parameter.name)
    if len(values) > 1 and not parameter.many:
        raise UserError("probe_parameter_single", probe=probe.id, parameter=parameter.name)
    for value in values:
        # nothing is repaired: what is not of its kind to the letter is refused
        if len(value) > LONGEST_VALUE or not parameter.accepts(value):
            raise UserError("probe_parameter_refused", probe=probe.id, parameter=parameter.name, value=value)
    return tuple(dict.fromkeys(values)) or ("",)


def render(
    probe: Probe,
    values: Mapping[str, Sequence[str]],
    *,
    interval_s: float | None,
    count: int | None,
    duration_s: float,
    today: date,
) -> list[Rendered]:
    """One command per combination of values, and of days where the probe names one file a day.

    Args:
        values: as `checked_values` gives them.
        duration_s: of one start of the command.
        today: by the host's calendar.
    """
    own = {"interval": _whole(interval_s), "count": _whole(count), "duration": _whole(duration_s)}
    lines = []
    for chosen in product(*values.values()):
        one = dict(zip(values, chosen, strict=True))
        for day in _days(probe, one, today):
            fields = own | _shown(probe, one) | {"day": f"{day:%d}", "date": f"{day:%Y%m%d}"}
            lines.append(Rendered("".join(_filled(probe.command, fields)).strip(), _typed_by_hand(probe, one)))
    return lines


def _shown(probe: Probe, values: Mapping[str, str]) -> dict[str, str]:
    """Values as they stand in the command; a path that is pulled never passes through a shell as text of ours."""
    if probe.kind is CommandKind.PULL:
        return dict(values)
    return {name: shlex.quote(value) if value else "" for name, value in values.items()}


def _days(probe: Probe, values: Mapping[str, str], today: date) -> Iterator[date]:
    """Today, then as many days back as were asked for."""
    yield today
    counts = [int(values[p.name] or 0) for p in probe.parameters if p.kind is ParameterKind.DAYS]
    if probe.kind is CommandKind.PULL and counts:
        yield from (today - timedelta(days=back) for back in range(1, counts[0]))


def _typed_by_hand(probe: Probe, values: Mapping[str, str]) -> bool:
    return probe.kind is CommandKind.TRIAL or any(
        values[p.name] for p in probe.parameters if p.kind is ParameterKind.COMMAND
    )


def _whole(figure: float | None) -> str:
    return "" if figure is None else str(round(figure))


def _filled(template: str, fields: Mapping[str, str]) -> Iterator[str]:
    """The template with its place-holders filled; values are not looked into for further ones."""
    for text, name, _, _ in Formatter().parse(template):
        yield text
        if name is not None:
            yield fields[name]
