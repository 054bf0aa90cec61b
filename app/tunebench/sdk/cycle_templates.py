"""Templates of the tuning cycle: what an iteration about a known subject begins with, as pure data of a plug-in.

    [[templates]]
    id = "founding.ufs_read_ahead"
    name = { en = "...", ko = "..." }
    summary = { en = "...", ko = "..." }
    source = "000 ch. 4"
    probes = ["solaris.iostat"]           # what should be captured

    [[templates.facts]]                   # what the documents say, word by word
    id = "SF-077"
    source = "000 4.4"
    quote = "..."                         # never translated
    caveat = { en = "...", ko = "..." }           # why it may not be taken at its word
    contradiction = { en = "...", ko = "..." }    # what another place says

    [[templates.questions]]               # open questions, step 0 to 6
    [[templates.metrics]]                 # `key` is named by the rest; `series`, `statement` or `manual` is its source
    [[templates.causes]]
    [[templates.actions]]                 # countermeasures with their rows of the worksheet

Commands are text for people to read; nothing runs them.
"""

from __future__ import annotations

from collections.abc import Mapping

from tunebench.core.records import record
from tunebench.domain.cycle.records import CauseDomain, Confidence, MetricSource, StepNumber
from tunebench.domain.cycle.worksheet import ChangeMode, Level
from tunebench.domain.engagement import Direction
from tunebench.sdk.effects import EffectImpact

Texts = Mapping[str, str]
"""One text per language; empty where there is none."""


@record
class TemplateFact:
    """Something that a document says.

    Attributes:
        quote: verbatim, in the document's language.
        caveat: why it may not be taken at its word.
        contradiction: what the documents say against it, or a slip of the document itself.
    """

    id: str
    source: str
    quote: str
    caveat: Texts
    contradiction: Texts


@record
class TemplateQuestion:
    step: StepNumber
    text: Texts


@record
class TemplateMetric:
    """A metric to be judged by.

    Attributes:
        source: for a series with an empty host: the engagement's is put in.
        how: for a metric that is measured by hand, how; empty for others.
        priority: of the target that is laid out for it, None for none; 1 stands once in a template.
    """

    key: str
    name: Texts
    source: MetricSource
    how: Texts
    statistic: str
    unit: str
    direction: Direction
    definition: Texts
    decimals: int = 1
    priority: int | None = None
    note: Texts | None = None


@record
class TemplateCause:
    key: str
    domain: CauseDomain
    title: Texts
    text: Texts
    confidence: Confidence
    facts: tuple[str, ...] = ()


@record
class TemplateChange:
    """What is set to what; `new` empty: it follows from the customer's machine and has to be worked out."""

    parameter: Texts
    new: Texts
    scope: Texts
    mode: ChangeMode = ChangeMode.ONLINE


@record
class TemplateRisk:
    text: Texts
    likelihood: Level
    severity: Level
    detection: Texts


@record
class TemplateAction:
    """A countermeasure; `procedure` is what the document tells to type, to be read and not to be run unchecked.

    Attributes:
        causes, verifications: keys of the template's causes and metrics, the latter with a margin in per cent.
        rollback: per language, because some of it is not a command but a way.
    """

    title: Texts
    changes: tuple[TemplateChange, ...]
    hypothesis: Texts
    causes: tuple[str, ...]
    impacts: tuple[EffectImpact, ...]
    no_price_reason: Texts
    risks: tuple[TemplateRisk, ...]
    rollback: Texts
    rollback_min: float | None
    precondition: Texts
    verifications: tuple[tuple[str, float | None], ...]
    procedure: Texts
    facts: tuple[str, ...] = ()
    known_effect: str = ""


@record
class CycleTemplate:
    id: str
    name: Texts
    summary: Texts
    source: str
    probes: tuple[str, ...]
    facts: tuple[TemplateFact, ...]
    questions: tuple[TemplateQuestion, ...]
    metrics: tuple[TemplateMetric, ...]
    causes: tuple[TemplateCause, ...]
    actions: tuple[TemplateAction, ...]

    def name_in(self, language: str) -> str:
        return self.name.get(language) or next(iter(self.name.values()), self.id)

    def fact(self, id_: str) -> TemplateFact | None:
        return next((fact for fact in self.facts if fact.id == id_), None)
