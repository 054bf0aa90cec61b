"""Files of rules, as pure data of a plug-in: ``[[rules]] file = "rules/disk.yaml"`` in its `plugin.toml`.

    id: our_disks
    title: {ko: ..., en: ...}
    sources: {ORA: "Oracle Database Performance Tuning Guide"}
    rules:
    - id: OUR-DSK-01
      metrics: [await_ms, media]          # every name that its conditions use
      expr: await_ms > warn[media]        # see `tunebench.analysis.expressions`
      severity: warning                   # ok | watch | warning | critical
      clear: await_ms < 5                 # until then it lasts
      levels:                             # further ones
      - {severity: critical, expr: "await_ms > crit[media]"}
      tables: {warn: {hdd: 20, ssd: 2}, crit: {hdd: 50, ssd: 5}}
      only_where: r_s + w_s >= 10         # minimum activity
      optional: []                        # names that it can be judged without
      sustain: 0.3                        # share of samples; 0: one is enough
      last: 10                            # of the last ten samples; without it see `diagnosis.rules.evaluation`
      window: 10m                         # means over ten minutes
      os: [solaris]                       # also media: [hdd], databases: [oracle]
      versions: {solaris: {lowest: "5.8", highest: "5.10"}}
      scopes: [SF-070]                    # rules of kind `scope` in the same file
      waiting: [OUR-DSK-02]               # no more than `watch` where these were judged and none holds
      explains: [X-CPU-03]                # of any file: what else it brings about, shown below it
      confirm: {ko: ..., en: ...}         # what else would show it, and confirm_probes: [linux.mpstat]
      thresholds: {...}                   # as printed; also threshold and unit
      domain: system                      # system | database | network | application
      resource: disk                      # row of the USE table, and aspect: utilisation | saturation | errors
      title: {ko: ..., en: ...}           # also condition, action, tradeoff, caveat
      source: "000 3.4"
      quote: "..."                        # word by word
      confidence: high                    # low | medium | high
      verified: read                      # read | recalled

A file with a fault is left out as a whole, with the line of each fault; the others are used.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from tunebench.analysis.expressions.faults import ExpressionFault
from tunebench.analysis.expressions.nodes import Kind
from tunebench.analysis.expressions.parsing import Expression, parse_expression
from tunebench.core.patterns import lazy_pattern
from tunebench.core.records import record
from tunebench.domain.cycle.records import CauseDomain, Confidence
from tunebench.domain.finding import Severity, UseAspect
from tunebench.domain.operating_systems import os_word
from tunebench.sdk.rule_names import known_names
from tunebench.sdk.rules import SUSTAIN, Guard, Level, Rule, RuleKind, RulePack, Texts, Verified, VersionRange
from tunebench.sdk.toml_tables import QUARANTINE, Problem, TableReader
from tunebench.sdk.yaml_text import LinedTable, YamlFault, read_yaml

RESOURCES = ("cpu", "memory", "disk", "network", "filesystem", "sessions", "workload")
MEDIA = ("hdd", "array", "ssd", "nvme")
DATABASES = ("oracle", "postgresql", "mysql")
SYSTEMS = ("linux", "sunos", "aix", "hp-ux", "freebsd", "openbsd", "netbsd", "darwin")

_PACK_KEYS = frozenset({"id", "title", "sources", "rules"})
_RULE_KEYS = frozenset(
    {"id", "kind", "metrics", "expr", "severity", "clear", "levels", "tables", "only_where", "optional", "sustain",
     "last", "window", "os", "versions", "media", "databases", "scopes", "waiting", "threshold", "thresholds", "unit",
     "domain", "resource", "aspect", "title", "condition", "action", "tradeoff", "caveat", "source", "quote",
     "quote_meaning", "confidence", "verified", "contradiction",
     "explains", "confirm", "confirm_probes"}
)  # fmt: skip
_LEVEL_KEYS = frozenset({"severity", "expr", "clear"})
_VERSION_KEYS = frozenset({"lowest", "highest"})
_RULE_ID = lazy_pattern(r"[A-Za-z][A-Za-z0-9]*([-_.][A-Za-z0-9]+)*")
_SPAN = lazy_pattern(r"(\d+(?:\.\d+)?)\s*(s|m|min|h|d)")
_SECONDS = {"s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "d": 86400.0}
_CONTRADICTIONS = 17


class _Reader(TableReader):
    """`TableReader` that tells file, line and key: ``rules/disk.yaml:12 severity``."""

    def __init__(self, table: LinedTable, file: str, problems: list[Problem] | None = None) -> None:
        super().__init__(table, file, problems)
        self.lined = table

    def place(self, key: str) -> str:
        return f"{self.where}:{self.lined.lines.get(key, self.lined.line)} {key}"

    def tell(self, problem: str, key: str, facts: Mapping[str, object]) -> None:
        self.problems.append(Problem("error", problem, {"where": self.place(key), **facts}))

    def subtable(self, key: str) -> _Reader | None:
        value = self.table.get(key)
        if isinstance(value, LinedTable):
            return _Reader(value, self.where, self.problems)
        if value is not None:
            self.problem("not_table", key)
        return None

    def tables(self, key: str) -> Iterator[_Reader]:
        value = self.table.get(key, [])
        if not isinstance(value, list) or not all(isinstance(item, LinedTable) for item in value):
            self.problem("pack_no_rows", key)
            return
        for item in value:
            yield _Reader(item, self.where, self.problems)


def read_rule_pack(data: bytes, file: str) -> tuple[RulePack | None, tuple[Problem, ...]]:
    """The pack, None where something is wrong with it, and everything that is; `file` is named in it."""
    try:
        table = read_yaml(data)
    except YamlFault as fault:
        facts = {"where": f"{file}:{fault.line}", **fault.facts}
        return None, (Problem(QUARANTINE, f"pack_{fault.reason}", facts),)
    if not isinstance(table, LinedTable):
        return None, (Problem(QUARANTINE, "pack_no_table", {"where": f"{file}:1"}),)
    reader = _Reader(table, file)
    pack = _pack(reader)
    problems = tuple(
        replace(problem, level=QUARANTINE) if problem.level == "error" else problem for problem in reader.problems
    )
    refused = any(problem.level == QUARANTINE for problem in problems)
    return (None if refused else pack), problems


def _pack(reader: _Reader) -> RulePack:
    reader.refuse_unknown(_PACK_KEYS)
    id_ = reader.text("id")
    reader.check_id("id", id_)
    if "rules" not in reader.table:
        reader.problem("key_missing", "rules")
    sources = _sources(reader.subtable("sources"))
    rules: dict[str, Rule] = {}
    wanted: list[tuple[_Reader, Rule]] = []
    for table in reader.tables("rules"):
        rule = _RuleReader(table, id_).rule()
        rule = replace(rule, source_names=_names_in(rule.source.get("en", ""), sources))
        if rule.id in rules:
            table.problem("id_twice", "id", value=rule.id)
        rules[rule.id] = rule
        wanted.append((table, rule))
    return RulePack(
        id=id_,
        title=reader.one_or_texts("title", required=True),
        rules=tuple(_with_references(table, rule, rules) for table, rule in wanted),
        file=reader.where,
        sources=sources,
    )


def _sources(table: _Reader | None) -> dict[str, Texts]:
    return {} if table is None else {name: table.one_or_texts(name, required=True) for name in table.table}


def _names_in(source: str, names: Mapping[str, Texts]) -> dict[str, Texts]:
    """The short names that `source` uses as a word."""
    return {name: text for name, text in names.items() if re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", source)}


def _with_references(reader: _Reader, rule: Rule, rules: Mapping[str, Rule]) -> Rule:
    names = reader.texts("scopes", False)
    for name in names:
        if name not in rules or rules[name].kind is not RuleKind.SCOPE:
            reader.problem("rule_scope", "scopes", value=name)
    for name in rule.waiting:
        if name not in rules:
            reader.problem("rule_not_in_file", "waiting", value=name)
    return replace(rule, scopes=tuple(rules[name] for name in names if name in rules))


@record(frozen=False)
class _RuleReader:
    """Reads one rule; what is wrong goes to the reader's problems."""

    reader: _Reader
    pack: str

    def rule(self) -> Rule:
        reader = self.reader
        reader.refuse_unknown(_RULE_KEYS)
        id_ = reader.text("id")
        if id_ and not _RULE_ID.fullmatch(id_):
            reader.problem("rule_id_form", "id", value=id_)
        kind = reader.word("kind", tuple(RuleKind), RuleKind.JUDGEMENT) or RuleKind.JUDGEMENT
        tables = self._tables()
        expression = self._expression(reader, "expr", tuple(tables))
        if expression is None and kind is not RuleKind.NOTE and "expr" not in reader.table:
            reader.problem("key_missing", "expr")
        rule = Rule(
            id=id_,
            pack=self.pack,
            kind=kind,
            metrics=reader.texts("metrics", False),
            expression=expression,
            levels=tuple(self._levels(expression, tuple(tables))),
            title=reader.one_or_texts("title", required=True),
            condition=reader.one_or_texts("condition", required=True),
            action=self._text("action"),
            domain=reader.word("domain", tuple(CauseDomain), CauseDomain.SYSTEM) or CauseDomain.SYSTEM,
            resource=reader.one_of("resource", RESOURCES),
            source=reader.one_or_texts("source", required=True),
            confidence=reader.word("confidence", tuple(Confidence), None) or Confidence.LOW,
            verified=reader.word("verified", tuple(Verified), Verified.READ) or Verified.READ,
            aspect=reader.word("aspect", tuple(UseAspect), None) if "aspect" in reader.table else None,
            optional=frozenset(reader.texts("optional", False)),
            only_where=self._expression(reader, "only_where", tuple(tables)),
            sustain=self._share("sustain"),
            last=self._count("last"),
            window_s=self._span("window"),
            tables=tables,
            waiting=reader.texts("waiting", False),
            explains=reader.texts("explains", False),
            confirm=self._text("confirm"),
            confirm_probes=reader.texts("confirm_probes", False),
            thresholds=self._thresholds(),
            unit=reader.text("unit", False),
            guard=self._guard(),
            tradeoff=self._text("tradeoff"),
            caveat=self._text("caveat"),
            quote=reader.text("quote", False),
            quote_meaning=reader.texts_by_language("quote_meaning", False),
            contradiction=self._count("contradiction", _CONTRADICTIONS),
            line=reader.lined.line,
        )
        _check_names(reader, rule)
        return rule

    def _text(self, key: str) -> Texts:
        return self.reader.one_or_texts(key, required=key in self.reader.table)

    # -- conditions ----------------------------------------------------------------------------------

    def _levels(self, expression: Expression | None, tables: tuple[str, ...]) -> list[Level]:
        """Worst first; what the source states among them."""
        if expression is None:
            return []
        severity = self.reader.word("severity", tuple(Severity), Severity.WARNING) or Severity.WARNING
        levels = [Level(severity, expression, self._expression(self.reader, "clear", tables))]
        for table in self.reader.tables("levels"):
            table.refuse_unknown(_LEVEL_KEYS)
            severity = table.word("severity", tuple(Severity), None) or Severity.WARNING
            when = self._expression(table, "expr", tables)
            if when is None and "expr" not in table.table:
                table.problem("key_missing", "expr")
            if when is not None:
                levels.append(Level(severity, when, self._expression(table, "clear", tables)))
        return sorted(levels, key=lambda level: -level.severity.rank)

    @staticmethod
    def _expression(reader: _Reader, key: str, tables: tuple[str, ...]) -> Expression | None:
        text = reader.text(key, required=False)
        if not text:
            return None
        try:
            return parse_expression(text, tables)
        except ExpressionFault as fault:
            reader.tell(f"expression_{fault.reason}", key, fault.facts)
            return None

    def _tables(self) -> dict[str, dict[str, float]]:
        inner = self.reader.subtable("tables")
        if inner is None:
            return {}
        rows = {name: inner.subtable(name) for name in inner.table}
        return {
            name: {word: value for word in row.table if (value := row.finite(word)) is not None}
            for name, row in rows.items()
            if row is not None
        }

    # -- numbers and words ---------------------------------------------------------------------------

    def _share(self, key: str) -> float:
        value = self.reader.finite(key)
        if value is None:
            return SUSTAIN
        if not 0 <= value <= 1:
            self.reader.problem("rule_share", key, value=value)
        return value

    def _count(self, key: str, most: int = 100_000) -> int | None:
        value = self.reader.whole(key)
        if value is not None and not 1 <= value <= most:
            self.reader.problem("rule_count", key, value=value, most=most)
        return value

    def _span(self, key: str) -> float | None:
        text = self.reader.text(key, required=False)
        span = _SPAN.fullmatch(text)
        if text and (span is None or float(span[1]) == 0):
            self.reader.problem("rule_span", key, value=text)
        return float(span[1]) * _SECONDS[span[2]] if span else None

    def _thresholds(self) -> dict[str, object]:
        """The thresholds as written; a single one is called ``threshold``."""
        inner = self.reader.subtable("thresholds")
        thresholds: dict[str, object] = {} if inner is None else dict(inner.table)
        single = self.reader.finite("threshold")
        return thresholds if single is None else {"threshold": single, **thresholds}

    # -- where it applies ----------------------------------------------------------------------------

    def _guard(self) -> Guard:
        return Guard(
            os=self.reader.systems("os", SYSTEMS),
            versions=dict(self._versions()),
            media=self.reader.systems("media", MEDIA),
            databases=self.reader.systems("databases", DATABASES),
        )

    def _versions(self) -> Iterator[tuple[str, VersionRange]]:
        inner = self.reader.subtable("versions")
        for name in () if inner is None else inner.table:
            assert inner is not None
            row = inner.subtable(name)
            if os_word(name) not in SYSTEMS + DATABASES:
                inner.problem("not_one_of", name, value=name, known=", ".join(SYSTEMS + DATABASES))
            if row is not None:
                row.refuse_unknown(_VERSION_KEYS)
                yield os_word(name), VersionRange(row.text("lowest", False), row.text("highest", False))


def _check_names(reader: _Reader, rule: Rule) -> None:
    """Every name is one that is known, stands in `metrics`, and is used as what it is."""
    known = known_names()
    for name in rule.metrics:
        if name not in known:
            reader.problem("rule_name_unknown", "metrics", value=name)
    for name in sorted(rule.optional - set(rule.metrics)):
        reader.problem("rule_name_unlisted", "optional", value=name)
    for key, expression in _conditions(rule):
        for name, kind in expression.names.items():
            if name in known and not _fits(kind, known[name]):
                reader.problem("rule_name_kind", key, value=name, expected=known[name])
            if name not in rule.metrics:
                reader.problem("rule_name_unlisted", key, value=name)


def _conditions(rule: Rule) -> Iterator[tuple[str, Expression]]:
    for level in rule.levels:
        yield ("expr" if level.when is rule.expression else "levels"), level.when
        if level.clear is not None:
            yield "clear", level.clear
    if rule.only_where is not None:
        yield "only_where", rule.only_where


def _fits(used: Kind, known: Kind) -> bool:
    """One number may be asked for its greatest; a row per processor only so."""
    return used is known or (used is Kind.MEMBERS and known is Kind.NUMBER)
