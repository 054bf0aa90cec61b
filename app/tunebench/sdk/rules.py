"""Rules of diagnosis: what a pack says of one condition, as pure data of a plug-in; see `tunebench.sdk.rule_packs`.

A rule yields a finding with evidence, never a change. It names its figures as the documents name them
(``svc_t``, ``pct_b``); `tunebench.sdk.rule_names` lists the names with their units.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum

from tunebench.analysis.expressions.parsing import Expression
from tunebench.core.records import record
from tunebench.domain.cycle.records import CauseDomain, Confidence
from tunebench.domain.finding import Severity, UseAspect

SUSTAIN = 0.3
"""Share of samples that a condition must hold at where a rule does not say: that of PCP's rules."""

Texts = Mapping[str, str]
"""One text per language; empty where there is none."""


class RuleKind(StrEnum):
    JUDGEMENT = "judgement"  # something is in order, or is not
    ADVICE = "advice"  # what fits this workload; no fault
    SCOPE = "scope"  # where other rules apply; never a finding of its own
    NOTE = "note"  # to be read by people: it has no condition that a program can judge


class Verified(StrEnum):
    """Whether the source was read when the rule was written, or is well known and was not read again."""

    READ = "read"
    RECALLED = "recalled"


@record
class Level:
    """A severity and when it holds; `clear` ends it again, without one it ends as soon as `when` no longer holds."""

    severity: Severity
    when: Expression
    clear: Expression | None = None


@record
class VersionRange:
    """``lowest <= version <= highest``, compared number by number as far as the bound goes; empty: no bound."""

    lowest: str = ""
    highest: str = ""


@record
class Guard:
    """Where a rule applies at all; an empty tuple or mapping is no restriction.

    Attributes:
        os: system words (`tunebench.domain.operating_systems.os_word`).
        versions: by system word, and by database word for databases.
        media: ``hdd``, ``array``, ``ssd``, ``nvme``.
        databases: ``oracle``, ``postgresql``, ``mysql``.
    """

    os: tuple[str, ...] = ()
    versions: Mapping[str, VersionRange] = field(default_factory=dict)
    media: tuple[str, ...] = ()
    databases: tuple[str, ...] = ()


@record
class Rule:
    """One rule of a pack.

    Attributes:
        id, pack: ``SF-052`` of ``kr.tunebench.founding_rules``.
        metrics: names of all figures that the rule needs.
        optional: of those, the ones that it can be judged without: what is asked of them counts as not so.
        expression: the condition that the source states; None for a note.
        levels: worst first; the expression's own is one of them.
        only_where: samples at which it is not so are not judged (minimum activity).
        sustain: share of the judged samples that must satisfy a level; 0: one sample is enough.
        last: of so many samples in a row, somewhere in the window; None: see `tunebench.diagnosis.rules.evaluation`.
        window_s: figures are taken as means over this stretch of time, and one such mean is enough.
        tables: what ``warn[media]`` looks up.
        thresholds: as the source prints them, in the units of the source.
        scopes: scope rules of the same pack; the rule does not apply where one of them says so.
        waiting: rules of the same pack that say whether anything waits; where one was judged on the same thing and none
            holds, this one is worth no more than a look.
        explains: rules of any pack whose findings of the same time, on the same host, are its symptoms.
        confirm: what else would show that it is so, and with which command; `confirm_probes`: probes that capture it.
        resource: ``cpu``, ``memory``, ``disk``, ``network``, ``filesystem``, ``sessions`` ...: row of the USE table.
        source: document and section, ``000 3.4``, or what was read; `source_names` are found in the English one.
        source_names: what the short names in `source` stand for (``ND`` -> ``netdata/netdata ...``).
        quote: verbatim in the source's language; empty where the source is not quoted.
        quote_meaning: the quote in other languages than its own.
        contradiction: number of the contradiction of the founding documents it rests on, 1 to 17.
    """

    id: str
    pack: str
    kind: RuleKind
    metrics: tuple[str, ...]
    expression: Expression | None
    levels: tuple[Level, ...]
    title: Texts
    condition: Texts
    action: Texts
    domain: CauseDomain
    resource: str
    source: Texts
    confidence: Confidence
    verified: Verified
    aspect: UseAspect | None = None
    optional: frozenset[str] = frozenset()
    only_where: Expression | None = None
    sustain: float = SUSTAIN
    last: int | None = None
    window_s: float | None = None
    tables: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    thresholds: Mapping[str, object] = field(default_factory=dict)
    unit: str = ""
    guard: Guard = field(default_factory=Guard)
    scopes: tuple[Rule, ...] = ()
    waiting: tuple[str, ...] = ()
    explains: tuple[str, ...] = ()
    confirm: Texts = field(default_factory=dict)
    confirm_probes: tuple[str, ...] = ()
    tradeoff: Texts = field(default_factory=dict)
    caveat: Texts = field(default_factory=dict)
    quote: str = ""
    quote_meaning: Texts = field(default_factory=dict)
    source_names: Mapping[str, Texts] = field(default_factory=dict)
    contradiction: int | None = None
    line: int = 0

    @property
    def severity(self) -> Severity:
        """The worst severity that the rule can give."""
        return self.levels[0].severity if self.levels else Severity.OK


@record
class RulePack:
    """A file of rules.

    Attributes:
        file: as the plug-in names it, or the path of the user's own.
        sources: what the short names in `Rule.source` stand for.
    """

    id: str
    title: Texts
    rules: tuple[Rule, ...]
    file: str = ""
    sources: Mapping[str, Texts] = field(default_factory=dict)
