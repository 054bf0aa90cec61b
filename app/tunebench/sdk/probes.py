"""A probe: what can be captured from a host, as pure data in a plug-in's `plugin.toml`.

The house renders the command, wraps it, shows it to the administrator and runs it; a plug-in never runs anything.

    [[probes]]
    id = "linux.vmstat"
    name = { en = "vmstat: CPU, memory, paging", ko = "vmstat: CPU, 메모리, 페이징" }
    purpose = { en = "...", ko = "..." }          # one sentence for the approval sheet
    os = ["linux"]
    kind = "stream"                               # stream | loop | once | pull
    command = "vmstat -n -t {interval} {count}"
    tool = "vmstat"                               # program that must exist; its version is recorded
    version = "vmstat -V"
    parser = "linux.vmstat"
    cpu_pct = 0.19                                # of one core at one second, `cost_source` says how it is known
    bytes_per_s = 98
    cost_source = "measured"
    default = true
    licence = "oracle.diagnostics_pack"           # only where reading it needs one: a person has to confirm it
    like = "linux.other"                          # all that is not said here is that of this probe above

    [[probes.parameters]]                         # what the consultant chooses
    name = "path"
    kind = "path"                                 # path | name | number | command | days
    label = { en = "Directory", ko = "디렉터리" }
    required = true

Place-holders of `command` are ``{interval}``, ``{count}``, ``{duration}`` (whole seconds and counts) and the
probe's own `parameters`, which are quoted for the shell by the house and therefore stand outside of quotes.
Braces of the shell are doubled. A command is one line, because csh breaks a longer one. With ``rights = "sudo"``
it is one simple command.

The command of a ``pull`` probe is the absolute path of the file that is copied. With a parameter of kind ``days``
it names one file a day: ``{day}`` is the day of the month in two digits (``21``), ``{date}`` the whole day
(``20261121``), as the host's calendar has them; today's file comes first.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum
from string import Formatter

from tunebench.core.patterns import lazy_pattern
from tunebench.core.records import record
from tunebench.domain.capturing.plan import CommandKind, Rights

RUN_PLACE_HOLDERS = ("interval", "count", "duration")
"""What the plan fills in: seconds between samples, samples of one start, seconds of one start."""
DAY_PLACE_HOLDERS = ("day", "date")
"""What the plan fills in where a ``pull`` probe names one file a day."""


class ParameterKind(StrEnum):
    """What a parameter may hold; anything else is refused before a plan is made."""

    PATH = "path"  # absolute path, no control characters
    NAME = "name"  # letters, digits, . _ - : /
    NUMBER = "number"  # whole number
    COMMAND = "command"  # the consultant's own command line: marked on the approval sheet
    DAYS = "days"  # how many days back


_CONTROL = r"\x00-\x1f\x7f-\x9f\u2028\u2029"
_FORMS = {
    ParameterKind.PATH: lazy_pattern(rf"/[^{_CONTROL}]*"),
    ParameterKind.NAME: lazy_pattern(r"[A-Za-z0-9_:/][A-Za-z0-9._:/-]*"),
    ParameterKind.NUMBER: lazy_pattern(r"[0-9]{1,12}"),
    ParameterKind.COMMAND: lazy_pattern(rf"[^{_CONTROL}]*[^{_CONTROL}\s][^{_CONTROL}]*"),
    ParameterKind.DAYS: lazy_pattern(r"[1-9][0-9]{0,2}"),
}
"""What each kind accepts. A name cannot begin with a hyphen: it would be taken for an option."""


@record
class ProbeParameter:
    """Something that the consultant chooses.

    Attributes:
        name: its place-holder in the command.
        default: taken where nothing is chosen; empty with `required` False: the place-holder becomes nothing.
    """

    name: str
    kind: ParameterKind
    label: Mapping[str, str]
    default: str = ""
    required: bool = False
    many: bool = False  # one command per value

    def accepts(self, value: str) -> bool:
        """Whether `value` is of this parameter's kind."""
        return bool(_FORMS[self.kind].fullmatch(value))


@record
class Probe:
    """One probe of one operating system.

    Attributes:
        os: systems it is for (`HostProfile.os` words); empty: any with a POSIX shell.
        command: template; for ``loop`` and ``once`` it may be a short line of POSIX shell.
        environment: set in front of the command (``LC_ALL=C``, ``S_TIME_FORMAT=ISO``).
        rights: ``sudo`` runs it through ``sudo -n``.
        cpu_pct, bytes_per_s: expected cost at an interval of one second, None where not known.
        shortest_interval_s: a smaller interval is refused.
        default: part of the default set of its system.
        default_interval_s: for loops whose content moves slowly; 0: the plan's interval.
        is_work: each round of a ``loop`` is itself the work that is timed. Any other loop has a last round at the
            approved end, so that its counters measure all of the duration.
        section: ``once`` probes of the inventory name the section of facts that they give.
        licence: what the customer must be licensed for (``oracle.diagnostics_pack``); a plan with it is approved only
            with a person's confirmation. Empty: nothing.
        limit_s: seconds after which a trial of an experiment is ended; None for what a plug-in describes.
    """

    id: str
    name: Mapping[str, str]
    purpose: Mapping[str, str]
    os: tuple[str, ...]
    kind: CommandKind
    command: str
    tool: str = ""
    version: str = ""
    parser: str = ""
    environment: Mapping[str, str] = field(default_factory=dict)
    rights: Rights = Rights.USER
    cpu_pct: float | None = None
    bytes_per_s: float | None = None
    cost_source: str = ""
    shortest_interval_s: float = 1.0
    default: bool = False
    default_interval_s: float = 0.0
    is_work: bool = False
    section: str = ""
    parameters: tuple[ProbeParameter, ...] = ()
    licence: str = ""
    limit_s: float | None = None

    def name_in(self, language: str) -> str:
        return self.name.get(language) or next(iter(self.name.values()), self.id)

    def parameter(self, name: str) -> ProbeParameter | None:
        return next((parameter for parameter in self.parameters if parameter.name == name), None)


def place_holders(command: str) -> tuple[str, ...]:
    """The names in braces of a command template, in order.

    Raises:
        ValueError: a single brace, or more than a name between braces.
    """
    names = []
    for _, name, form, conversion in Formatter().parse(command):
        if name is None:
            continue
        if form or conversion or not name.isidentifier():
            raise ValueError(f"{{{name}}}")
        names.append(name)
    return tuple(names)
