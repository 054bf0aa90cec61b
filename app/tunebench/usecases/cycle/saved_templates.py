"""Closed iterations as templates of one's own: files that later engagements begin with, and colleagues may be given.

A file is JSON of the tables of a plug-in's templates (`sdk.cycle_templates`). What holds for the old engagement
alone is left out: baselines, targets, times, people, hosts and devices, values as they were found, the way back,
evidence. Names of customer, people and machines inside texts are replaced, and addresses and passwords with them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from hashlib import sha256
from pathlib import Path

from tunebench.core.errors import UserError
from tunebench.core.messages import LANGUAGES, catalogue
from tunebench.core.paths import user_templates_folder
from tunebench.core.patterns import lazy_pattern
from tunebench.core.whole_files import make_private_folder, write_whole
from tunebench.diagnosis.cycle.results import GuardStanding, guard_standings, latest_figure, target_standings, value_of
from tunebench.domain.cycle.book import CycleBook
from tunebench.domain.cycle.records import (
    Cause,
    Contact,
    Iteration,
    ManualSource,
    Metric,
    Outcome,
    SeriesSource,
    StatementSource,
    SystemInScope,
    Target,
)
from tunebench.domain.cycle.worksheet import Action, ActionState, ExecutedChange, Impact
from tunebench.domain.translations import Translated, texts_in
from tunebench.sdk.cycle_templates import CycleTemplate
from tunebench.sdk.template_tables import read_template_tables
from tunebench.sdk.toml_tables import TableReader
from tunebench.store import engagements, hosts, profiles
from tunebench.store.project import Project
from tunebench.usecases.cycle.comparable import asked

SUFFIX = ".template.json"
_CLOSED = (Outcome.MET, Outcome.ACCEPTED)
_OF_A_MACHINE = ("device", "interface", "mountpoint", "process", "cpu", "host")
_LONGEST_FILE = 1 << 20
_NAMING = ("customer", "site", "consultants", "name", "organisation")
_STAND_IN = "○○"
# Korean for "limited company"; below for "password"
_LEGAL = lazy_pattern(
    r"\(\uc8fc\)|\u321c|\uc8fc\uc2dd\ud68c\uc0ac|\uc720\ud55c\ud68c\uc0ac|\b(?:co|ltd|inc|corp|llc|gmbh|ag)\b\.?",
    re.IGNORECASE,
)
_DELICATE = (
    r"(?:password|passwd|passphrase|pwd|secret|token|\ube44\ubc00\ubc88\ud638|\uc554\ud638)\s*[=:]\s*\S+",
    r"[^\s@/]+/[^\s@/]+@\S+",  # user/password@service
    r"[\w.+-]+@[\w.-]+",  # mail, user@host
    r"(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d.]*\d)",
    r"(?<![\w/])/(?:home|users|export/home)/[^\s/]+",
)
"""What is nobody else's, whatever name it stands under: credentials, addresses, folders of people."""
_SLUG = lazy_pattern(r"[^a-z0-9]+")

Table = dict[str, object]


# -- saving --------------------------------------------------------------------------------------------


def save(project: Project, book: CycleBook, iteration: Iteration) -> Path:
    """Raises UserError template_iteration_open where it was not closed with a result; template_file_there."""
    if iteration.outcome not in _CLOSED:
        raise UserError("template_iteration_open", number=iteration.number, title=iteration.title)
    table = _Saved(asked(project, book), iteration, _scrubber(project, book)).table()
    folder = user_templates_folder()
    path = folder / f"{str(table['id']).removeprefix('own.')}{SUFFIX}"
    if path.exists():
        raise UserError("template_file_there", path=str(path))
    try:
        make_private_folder(folder)
    except OSError as error:
        raise UserError("file_unwritable", path=str(folder), reason=error.strerror or str(error)) from error
    return write_whole(path, json.dumps({"templates": [_filled(table)]}, ensure_ascii=False, indent=1).encode())


def _scrubber(project: Project, book: CycleBook) -> Callable[[str], str]:
    """Takes out of a text whom and what it names of the engagement, and what reads like an address or a password."""
    delicate = sorted({form for name in _names(project, book) for form in _forms(name)}, key=len, reverse=True)
    wanted = [*_DELICATE, *(_wherever(name) for name in delicate)]
    pattern = re.compile("|".join(wanted), re.IGNORECASE)
    return lambda text: pattern.sub(_STAND_IN, text)


def _names(project: Project, book: CycleBook) -> Iterator[str]:
    engagement = engagements.read_engagement(project)
    yield from (engagement.customer, engagement.site, *engagement.consultants)
    yield from _names_in_translation(engagement)
    yield from (host.name for host in hosts.list_hosts(project))
    for profile in profiles.list_profiles(project):
        yield from (profile.name, profile.address)
    for record in book.records.values():
        match record:
            case SystemInScope():
                yield from (record.name, record.host, *_names_in_translation(record))
            case Contact():
                yield from (record.name, record.organisation, record.phone, record.mail)
                yield from _names_in_translation(record)
            case Action():
                yield from (consent.name for consent in record.consents)
            case ExecutedChange():
                yield from (record.executed_by, record.rolled_back_by)
            case Iteration():
                yield record.closed_by


def _names_in_translation(record: Translated) -> Iterator[str]:
    for translation in record.translations:
        if translation.field in _NAMING:
            yield from translation.text.split("\n")


def _forms(name: str) -> Iterator[str]:
    """A host also without its domain, a company without what it is in law."""
    bare = " ".join(name.split())
    host, dot, _domain = bare.partition(".")
    is_host = dot and " " not in bare and not host.isdecimal()
    forms = {bare, _LEGAL.sub("", bare).strip(" ,"), host if is_host else bare}
    yield from (form for form in forms if len(form) > 1)


def _wherever(name: str) -> str:
    """Korean joins words to a name on both sides; a name in other letters begins where they do."""
    begins = r"(?<![a-z0-9])" if name[0].isascii() and name[0].isalnum() else ""
    return begins + r"\s+".join(map(re.escape, name.split()))


class _Saved:
    def __init__(self, book: CycleBook, iteration: Iteration, scrub: Callable[[str], str]) -> None:
        self._book, self._iteration, self._scrub = book, iteration, scrub
        metrics = [metric for metric in book.in_iteration(Metric, iteration.id) if metric.guards is None]
        self._metrics = {metric.id: f"m{number}" for number, metric in enumerate(metrics, 1)}
        self._causes = {
            cause.id: f"c{number}" for number, cause in enumerate(book.in_iteration(Cause, iteration.id), 1)
        }
        self._facts: list[Table] = []
        self._texts = {language: texts_in(tuple(book), language) for language in LANGUAGES}

    def table(self) -> Table:
        title = self._scrub(self._iteration.title)
        metrics = [self._metric(id_, key) for id_, key in self._metrics.items()]
        causes = [self._cause(id_, key) for id_, key in self._causes.items()]
        done = (ActionState.EXECUTED, ActionState.ROLLED_BACK)
        own = [action for action in self._book.in_iteration(Action, self._iteration.id) if action.state in done]
        actions = [self._action(action) for action in own]
        digest = sha256(json.dumps([title, metrics, causes, actions], sort_keys=True).encode()).hexdigest()[:8]
        slug = _SLUG.sub("_", title.casefold()).strip("_")[:40]
        return {
            "id": f"own.{slug}_{digest}" if slug else f"own.t_{digest}",
            "name": self._text(self._iteration.title),
            "summary": _translated("template.saved.summary"),
            "source": title,
            "facts": self._facts,
            "questions": [],
            "metrics": metrics,
            "causes": causes,
            "actions": actions,
        }

    def _metric(self, id_: int, key: str) -> Table:
        metric = self._book.find(Metric, id_)
        assert metric is not None
        target = next((target for target in self._book.all(Target) if target.metric_id == id_), None)
        return {
            "key": key,
            "name": self._text(metric.name),
            **self._source(metric),
            "statistic": metric.statistic,
            "unit": metric.unit,
            "direction": metric.direction.value,
            "definition": self._text(metric.definition),
            "decimals": metric.decimals,
            **({"priority": target.priority} if target is not None else {}),
        }

    def _source(self, metric: Metric) -> Table:
        """Of a series without what only that machine has; how it was measured where that cannot be said otherwise."""
        source = metric.source
        if isinstance(source, SeriesSource) and source.metric:
            kept = {name: value for name, value in source.attributes if name not in _OF_A_MACHINE}
            return {"series": {"metric": source.metric, **({"attributes": kept} if kept else {})}}
        if isinstance(source, StatementSource):
            return {"statement": {"figure": source.figure, "per_execution": source.per_execution}}
        how = (source.how if isinstance(source, ManualSource) else "") or metric.name
        return {"manual": self._text(how)}

    def _cause(self, id_: int, key: str) -> Table:
        cause = self._book.find(Cause, id_)
        assert cause is not None
        return {
            "key": key,
            "domain": cause.domain.value,
            "title": self._text(cause.title),
            "text": self._text(cause.text),
            "confidence": cause.confidence.value,
        }

    def _action(self, action: Action) -> Table:
        guards = [
            standing for standing in guard_standings(self._book, self._iteration.id) if standing.action.id == action.id
        ]
        effects = [*self._effects(), *(["rolled_back"] if action.state is ActionState.ROLLED_BACK else [])]
        if "rolled_back" in effects:
            self._add_fact("rolled_back", action.title, "template.saved.rolled_back")
        return {
            "title": self._text(action.title),
            "changes": [
                {"parameter": self._scrub(change.parameter), "new": self._scrub(change.new), "mode": change.mode.value}
                for change in action.changes
            ],
            "hypothesis": self._text(action.hypothesis),
            "causes": [self._causes[cause_id] for cause_id in action.cause_ids if cause_id in self._causes],
            "impacts": [self._impact(impact, guards) for impact in action.impacts],
            "no_price_reason": self._text(action.no_price_reason),
            "risks": [
                {
                    "text": self._text(risk.text),
                    "likelihood": risk.likelihood.value,
                    "severity": risk.severity.value,
                    "detection": self._text(risk.detection),
                }
                for risk in action.risks
            ],
            "rollback": {},
            "precondition": self._text(action.rollback.precondition),
            "verifications": [
                {"metric": self._metrics[verification.metric_id]}
                | ({} if verification.margin_pct is None else {"margin_pct": verification.margin_pct})
                for verification in action.verifications
                if verification.metric_id in self._metrics
            ],
            "facts": effects,
            "known_effect": action.known_effect,
        }

    def _effects(self) -> list[str]:
        """What was measured before and after, of every target."""
        keys = []
        for standing in target_standings(self._book, self._iteration.id):
            before, now = value_of(standing.target.baseline), value_of(latest_figure(self._book, standing.metric.id))
            if before is not None and now is not None:
                key = f"effect_{self._metrics[standing.metric.id]}"
                quote = f"{standing.metric.name}: {before:g} → {now:g} {standing.metric.unit}".strip()
                state = f"cycle.target_state.{standing.state.value}"
                self._add_fact(key, quote, "template.saved.measured", state)
                keys.append(key)
        return keys

    def _impact(self, impact: Impact, guards: list[GuardStanding]) -> Table:
        """The price as it was expected, and as it was measured."""
        guard = next((standing for standing in guards if standing.metric.resource == impact.resource.value), None)
        fact = ""
        if guard is not None and guard.now is not None and guard.before is not None:
            before, now = value_of(guard.before), value_of(guard.now)
            if before is not None and now is not None:
                fact = f"price_{guard.metric.id}"
                quote = f"{guard.metric.name}: {before:g} → {now:g} {guard.metric.unit}".strip()
                self._add_fact(fact, quote, "template.saved.measured", f"cycle.guard_state.{guard.state.value}")
        numbers = {name: getattr(impact, name) for name in ("low", "expected", "high")}
        return {
            "resource": impact.resource.value,
            "direction": impact.direction,
            **{name: value for name, value in numbers.items() if value is not None},
            "unit": impact.unit,
            "basis": "estimate",
            "source": self._scrub(impact.source),
            "note": self._text(impact.note),
            "fact": fact,
        }

    def _add_fact(self, id_: str, quote: str, key: str, state: str = "") -> None:
        if all(fact["id"] != id_ for fact in self._facts):
            title = self._scrub(self._iteration.title)
            caveat = _translated(key, state)
            self._facts.append({"id": id_, "source": title, "quote": self._scrub(quote), "caveat": caveat})

    def _text(self, text: str) -> Table:
        """In both languages; one that a record does not have is the same in the other."""
        texts = {language: self._texts[language].get(text, text) for language in LANGUAGES}
        return {language: self._scrub(words) for language, words in texts.items()} if text.strip() else {}


def _filled(value: object) -> object:
    """The value without the texts that are empty."""
    if isinstance(value, dict):
        pairs = ((name, _filled(part)) for name, part in value.items())
        return {name: part for name, part in pairs if part not in ("", {})}
    return [_filled(part) for part in value] if isinstance(value, list) else value


def _translated(key: str, state: str = "") -> Table:
    def text(language: str) -> str:
        words = catalogue(language)
        return words.text(key, state=words.text(state)) if state else words.text(key)

    return {language: text(language) for language in LANGUAGES}


# -- reading -------------------------------------------------------------------------------------------


def saved() -> tuple[CycleTemplate, ...]:
    """The saved templates that can be read, by name of file; `unreadable` names the others."""
    return tuple(template for templates in _files().values() for template in templates)


def unreadable() -> tuple[Path, ...]:
    return tuple(path for path, templates in _files().items() if not templates)


def _files() -> Mapping[Path, tuple[CycleTemplate, ...]]:
    folder = user_templates_folder()
    return {path: tuple(_read(path)) for path in sorted(folder.glob(f"*{SUFFIX}"))} if folder.is_dir() else {}


def _read(path: Path) -> Iterator[CycleTemplate]:
    """Texts may be missing, as in the iteration that it was; nothing else may."""
    try:
        if path.stat().st_size > _LONGEST_FILE:
            return
        raw = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return
    if not isinstance(raw, dict):
        return
    reader = TableReader(raw, path.name)
    templates = read_template_tables(reader, "templates")
    if not any(problem.key not in _HARMLESS for problem in reader.problems):
        yield from templates


_HARMLESS = ("key_missing", "key_unknown", "template_priority")
