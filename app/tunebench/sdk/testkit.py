"""Checks that a plug-in keeps the contract: for authors, for `plugin check`, and for the built-in ones.

    from tunebench.sdk.testkit import check_plugin
    assert not [finding for finding in check_plugin(folder) if finding.level == "error"]

Built-in plug-ins pass through exactly this; there is no private door.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import cast

import numpy as np

from tunebench.core.messages import catalogue
from tunebench.core.records import record
from tunebench.domain.series import ATTRIBUTE_NAMES
from tunebench.sdk.batch_check import batch_fault
from tunebench.sdk.loading import PluginCode
from tunebench.sdk.manifest import Manifest, ParserManifest, examine_manifest, message_keys, read_manifest
from tunebench.sdk.parsing import Parser
from tunebench.sdk.rule_packs import read_rule_pack
from tunebench.sdk.signs import SignFinder, folded
from tunebench.sdk.simple_table import table_parser
from tunebench.sdk.table_definition import TableDefinition
from tunebench.sdk.testkit_imports import import_faults
from tunebench.sdk.testkit_runs import (
    Outcome,
    Overtime,
    Raised,
    context_for,
    count_lines,
    difference,
    lost_rows,
    merged,
    parse,
    within,
)
from tunebench.sdk.toml_tables import QUARANTINE

FIXTURES = "fixtures"
SURE = 0.5
"""A parser must be surer than this of its own captures and not surer of noise."""

_PARSER_METHODS = ("sniff", "feed", "finish", "ledger", "events")
_PIECES = ((1, 16_384), (7, 65_536), (997, 262_144))  # piece size, at most this much of the fixture
_TRUNCATIONS = 12
_TRUNCATED_BYTES = 131_072
_LARGEST_FIXTURE = 4 << 20
_SECONDS = 10.0
_SECONDS_PER_MIB = 20.0
_SEED = 20_091_121


@record
class Finding:
    """One thing the testkit has to say; `level` is ``error``, ``warning`` or ``info``."""

    level: str
    key: str
    facts: Mapping[str, object] = field(default_factory=dict)

    def text(self, language: str = "en") -> str:
        return catalogue(language).text(f"plughost.{self.key}", **self.facts)


@record
class _Subject:
    """A parser under test."""

    manifest: ParserManifest | TableDefinition
    parser: type[Parser]
    known_keys: frozenset[str]

    @property
    def id(self) -> str:
        return self.manifest.id


def check_plugin(folder: Path, fixtures: Sequence[Path] = ()) -> list[Finding]:
    """Everything that is wrong with the plug-in in `folder`.

    Args:
        fixtures: captures to try beside those in the plug-in's own `fixtures/` folder.

    Returns:
        Findings; without one of level ``error`` the plug-in passes. The last one sums up (level ``info``).
    """
    started = time.monotonic()
    manifest, problems = examine_manifest(folder)
    findings = [Finding(problem.level, f"problem.{problem.key}", problem.facts) for problem in problems]
    if manifest is None:
        return findings
    findings += _check_rules(folder, manifest)
    findings += _check_imports(folder)
    if any(finding.level == "error" for finding in findings):
        return findings  # its code is not run
    subjects = []
    for parser in manifest.parsers:
        loaded = _load(folder, manifest, parser)
        if isinstance(loaded, Finding):
            findings.append(loaded)
        else:
            subjects.append(loaded)
    keys = message_keys(manifest)
    subjects += [_Subject(table, table_parser(table), keys) for table in manifest.tables]
    captures = [*_own_fixtures(folder), *fixtures]
    try:
        findings += _check_parsers(subjects, captures)
    except Overtime as error:
        findings.append(Finding("error", "finding.hangs", {"parser": "", "capture": "", "limit": str(error)}))
    seconds = round(time.monotonic() - started, 1)
    facts = {"parsers": len(subjects), "probes": len(manifest.probes), "captures": len(captures), "seconds": seconds}
    return [*_each_once(findings), Finding("info", "finding.checked", facts)]


def read_capture(folder: Path, capture: Path) -> Outcome:
    """Everything the plug-in in `folder` reads out of one capture, with the parser that is surest of it.

    Raises:
        UserError: the manifest is refused.
        LookupError: no parser of the plug-in knows the capture.
    """
    manifest = read_manifest(folder)
    code = PluginCode(manifest.id, folder)
    data = capture.read_bytes()
    parsers = [cast("type[Parser]", code.load(entry.module, entry.class_name)) for entry in manifest.parsers]
    parsers += [table_parser(table) for table in manifest.tables]
    best = max(parsers, key=lambda parser: parser.sniff(data[:65_536], capture.name), default=None)
    if best is None or best.sniff(data[:65_536], capture.name) <= SURE:
        raise LookupError(capture.name)
    return parse(best, context_for(capture), data)


def _each_once(findings: list[Finding]) -> Iterator[Finding]:
    """Each finding once; one fault is often met in many truncations."""
    seen = set()
    for finding in findings:
        mark = (finding.level, finding.key, tuple((name, str(value)) for name, value in finding.facts.items()))
        if mark not in seen:
            seen.add(mark)
            yield finding


def _own_fixtures(folder: Path) -> list[Path]:
    return sorted(path for path in (folder / FIXTURES).rglob("*") if path.is_file() and path.suffix != ".md")


def _check_rules(folder: Path, manifest: Manifest) -> Iterator[Finding]:
    """Every fault of its files of rules, with the line; such a file would be left out."""
    for name in manifest.rules:
        try:
            data = (folder / name).read_bytes()
        except OSError as error:
            yield Finding("error", "problem.pack_unreadable", {"where": name, "reason": str(error)})
            continue
        for problem in read_rule_pack(data, name)[1]:
            level = "error" if problem.level == QUARANTINE else problem.level
            yield Finding(level, f"problem.{problem.key}", problem.facts)


def _check_imports(folder: Path) -> list[Finding]:
    return [
        Finding(
            "warning" if fault.key == "import_impure" else "error",
            f"finding.{fault.key}",
            {"file": fault.file, "line": fault.line, "module": fault.module},
        )
        for fault in import_faults(folder)
    ]


def _load(folder: Path, manifest: Manifest, parser: ParserManifest) -> _Subject | Finding:
    code = PluginCode(manifest.id, folder)
    code.forget()
    facts = {"parser": parser.id, "entry": parser.entry}
    try:
        loaded = within(_SECONDS, lambda: code.load(parser.module, parser.class_name))
    except Overtime as error:
        return Finding("error", "finding.hangs", {"parser": parser.id, "capture": "", "limit": str(error)})
    except Raised as error:
        return Finding("error", "finding.not_loadable", {**facts, "reason": str(error)})
    missing = [name for name in _PARSER_METHODS if not callable(getattr(loaded, name, None))]
    if not isinstance(loaded, type) or missing:
        return Finding("error", "finding.no_parser", {**facts, "missing": ", ".join(missing)})
    return _Subject(parser, loaded, message_keys(manifest))


def _check_parsers(subjects: Sequence[_Subject], captures: Sequence[Path]) -> list[Finding]:
    findings: list[Finding] = []
    for subject in subjects:
        findings += _check_noise(subject)
    if subjects and not captures:
        findings.append(Finding("warning", "finding.no_fixtures"))
    tried: set[str] = set()
    for path in captures:
        findings += _check_capture(path, subjects, tried)
    for subject in subjects:
        if captures and subject.id not in tried:
            findings.append(Finding("warning", "finding.untried", {"parser": subject.id}))
    return findings


# -- noise -------------------------------------------------------------------------------------------


def _check_noise(subject: _Subject) -> Iterator[Finding]:
    """Empty files, zeros and random bytes: not recognised, no exception, every line booked."""
    chance = random.Random(_SEED)  # noqa: S311 - the same noise each time
    noise = {
        "empty": b"",
        "one line end": b"\n",
        "zeros": bytes(4096),
        "random bytes": chance.randbytes(20_000),
        "random text": bytes(chance.choice(b" 0123456789.:%-\n\tabcDEV/") for _ in range(20_000)),
        "UTF-16": "\ufefftext 1 2 3\n4 5 6\n".encode("utf-16-le"),
    }
    for name, data in noise.items():
        confidence, fault = _sniff(subject, data, f"{name}.txt")
        if fault:
            yield fault
        elif confidence > SURE:
            yield _finding("sniff_greedy", subject, name, confidence=f"{confidence:.2f}")
        _, faults = _run(subject, Path(name), data)
        yield from faults


def _sniff(subject: _Subject, data: bytes, name: str) -> tuple[float, Finding | None]:
    try:
        confidence = float(within(_SECONDS, lambda: subject.parser.sniff(data[:65_536], name)))
    except Raised as error:
        return 0.0, _finding("sniff_raises", subject, name, reason=str(error))
    if not 0.0 <= confidence <= 1.0:
        return 0.0, _finding("sniff_range", subject, name, confidence=str(confidence))
    return confidence, _promise_fault(subject, data[:65_536], name, confidence)


def _promise_fault(subject: _Subject, head: bytes, name: str, confidence: float) -> Finding | None:
    """What the manifest says of `sniff` must hold: by it others are asked in its place."""
    signs, most = subject.manifest.signs, subject.manifest.at_most
    if confidence > most:
        return _finding("sniff_above", subject, name, confidence=confidence, most=most)
    if confidence > 0.0 and signs and not SignFinder(map(folded, signs)).standing_in(head):
        return _finding("no_sign", subject, name, confidence=confidence, signs=", ".join(signs))
    return None


# -- captures ----------------------------------------------------------------------------------------


def _check_capture(path: Path, subjects: Sequence[_Subject], tried: set[str]) -> Iterator[Finding]:
    """One fixture with the parser that is surest of it."""
    data = path.read_bytes()[:_LARGEST_FIXTURE]
    best, owner = 0.0, None
    for subject in subjects:
        confidence, fault = _sniff(subject, data, path.name)
        if fault:
            yield fault
        if confidence > best:
            best, owner = confidence, subject
    if owner is None or best <= SURE:
        yield Finding("error", "finding.not_recognised", {"capture": path.name, "confidence": f"{best:.2f}"})
        return
    tried.add(owner.id)
    outcome, faults = _run(owner, path, data)
    yield from faults
    if outcome is None:
        return
    if not (merged(outcome.batches) or outcome.facts or outcome.records):
        yield _finding("nothing_read", owner, path.name, level="warning")
    if lost := lost_rows(data, outcome.ledger):
        yield _finding("rows_unaccounted", owner, path.name, count=lost)
    yield from _check_pieces(owner, path, data, outcome)
    yield from _check_damage(owner, path, data)


def _check_pieces(subject: _Subject, path: Path, data: bytes, whole: Outcome) -> Iterator[Finding]:
    for size, most in _PIECES:
        part = data[:most]
        expected = whole if len(part) == len(data) else _run(subject, path, part)[0]
        outcome, faults = _run(subject, path, part, size)
        yield from faults
        if expected is not None and outcome is not None:
            what = difference(expected, outcome)
            if what:
                yield _finding("pieces_differ", subject, path.name, size=size, what=what)


def _check_damage(subject: _Subject, path: Path, data: bytes) -> Iterator[Finding]:
    """The fixture cut off anywhere, and with damaged bytes."""
    chance = random.Random(_SEED)  # noqa: S311 - the same noise each time
    part = data[:_TRUNCATED_BYTES]
    cuts = {1, len(part) - 1, *(chance.randrange(len(part) + 1) for _ in range(_TRUNCATIONS))} if part else set()
    for cut in sorted(cut for cut in cuts if cut >= 0):
        _, faults = _run(subject, path, part[:cut], label=f"{path.name}[:{cut}]")
        yield from faults
    for name, damaged in _damaged(part, chance):
        _, faults = _run(subject, path, damaged, label=f"{path.name} ({name})")
        yield from faults


def _damaged(data: bytes, chance: random.Random) -> Iterator[tuple[str, bytes]]:
    lines = data.splitlines(keepends=True)
    broken = bytearray(data)
    for _ in range(len(broken) // 200 + 1 if broken else 0):
        broken[chance.randrange(len(broken))] = chance.randrange(256)
    yield "random bytes changed", bytes(broken)
    yield (
        "digits changed",
        bytes(chance.choice(b"0123456789") if 48 <= byte <= 57 and chance.random() < 0.03 else byte for byte in data),
    )
    yield "zeros inside", data[: len(data) // 2] + bytes(512) + data[len(data) // 2 :]
    shuffled = list(lines)
    chance.shuffle(shuffled)
    yield "lines shuffled", b"".join(shuffled)
    yield "every third line missing", b"".join(line for number, line in enumerate(lines) if number % 3)
    yield "Windows line ends", b"".join(line.rstrip(b"\r\n") + b"\r\n" for line in lines)
    yield "twice", data + data


def _run(
    subject: _Subject, path: Path, data: bytes, piece: int = 0, label: str = ""
) -> tuple[Outcome | None, list[Finding]]:
    """Parses and checks the outcome; no outcome where the parser raised."""
    name = label or path.name
    context = context_for(path)
    limit = _SECONDS + _SECONDS_PER_MIB * len(data) / (1 << 20)
    try:
        outcome = within(limit, lambda: parse(subject.parser, context, data, piece))
    except Overtime as error:
        raise Overtime(f"{subject.id}, {name}: {error}") from error
    except Raised as error:
        return None, [_finding("raises", subject, name, reason=str(error))]
    return outcome, list(_check_outcome(subject, name, data, outcome))


def _check_outcome(subject: _Subject, name: str, data: bytes, outcome: Outcome) -> Iterator[Finding]:
    lines = outcome.ledger.lines
    total = count_lines(data)
    if lines.total != total:
        yield _finding("lines_miscounted", subject, name, counted=lines.total, total=total)
    if not lines.balanced:
        parts = f"{lines.data} + {lines.header} + {lines.blank} + {lines.skipped}"
        yield _finding("unbalanced", subject, name, total=lines.total, parts=parts)
    if min(lines.data, lines.header, lines.blank, lines.skipped) < 0:
        yield _finding("negative_count", subject, name)
    yield from _check_keys(subject, outcome)
    yield from _check_events(subject, name, outcome)
    for batch in outcome.batches:
        fault = batch_fault(batch)
        if fault:
            yield _finding("bad_batch", subject, name, fault=fault)
        elif len(batch.times_ns):
            yield from _check_values(subject, name, batch.values, batch.line_numbers, total)
    yield from _check_attributes(subject, name, outcome)


def _check_events(subject: _Subject, name: str, outcome: Outcome) -> Iterator[Finding]:
    """Times of events are nanoseconds that fit 64 bits, as those of samples do."""
    times = [time for event in outcome.events for time in (event.start_ns, event.end_ns) if time is not None]
    if any(not -(2**63) <= time < 2**63 for time in times):
        yield _finding("event_outside", subject, name)


def _check_values(
    subject: _Subject, name: str, values: np.ndarray, line_numbers: np.ndarray, total: int
) -> Iterator[Finding]:
    if np.isinf(values).any():
        yield _finding("infinite", subject, name)
    first, last = int(line_numbers.min()), int(line_numbers.max())
    if first < 1 or last > total:
        yield _finding("line_outside", subject, name, first=first, last=last, total=total)


def _check_attributes(subject: _Subject, name: str, outcome: Outcome) -> Iterator[Finding]:
    for key in {key for batch in outcome.batches for key in batch.series}:
        names = [attribute for attribute, _ in key.attributes]
        for attribute in names:
            if attribute not in ATTRIBUTE_NAMES:
                allowed = ", ".join(ATTRIBUTE_NAMES)
                yield _finding("attribute_unknown", subject, name, attribute=attribute, known=allowed)
        if names != sorted(names):
            yield _finding("attributes_unsorted", subject, name, names=", ".join(names))


def _check_keys(subject: _Subject, outcome: Outcome) -> Iterator[Finding]:
    ledger = outcome.ledger
    keys = [
        *(f"ledger.skipped.{skipped.reason}" for skipped in ledger.skipped),
        *(f"ledger.warning.{key}" for key in ledger.warnings),
        *(f"ledger.need.{key}" for key in ledger.needs),
    ]
    for key in keys:
        if key not in subject.known_keys:
            yield _finding("key_without_sentence", subject, "", ledger_key=key)


def _finding(key: str, subject: _Subject, capture: str, level: str = "error", **facts: object) -> Finding:
    return Finding(level, f"finding.{key}", {"parser": subject.id, "capture": capture, **facts})
