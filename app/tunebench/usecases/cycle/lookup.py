"""Finding a record by what a person calls it: ``action.12``, ``step:3``, ``issue:1``, ``E-12``, ``iteration``."""

from __future__ import annotations

import re

from tunebench.core.errors import UserError
from tunebench.core.patterns import lazy_pattern
from tunebench.domain.cycle.book import KINDS, CycleBook, Record, kind_of
from tunebench.domain.cycle.evidence import Evidence
from tunebench.domain.cycle.records import Iteration
from tunebench.domain.record_labels import labels
from tunebench.domain.series_names import source_of
from tunebench.store import merged_series
from tunebench.store.project import Project
from tunebench.usecases.cycle.fields import Typed, pairs_of
from tunebench.usecases.cycle.values import source_text

_BY_ID = lazy_pattern(r"(?:([a-z]+)\.)?([0-9]+)")
_BY_NUMBER = lazy_pattern(r"([a-z]+):([0-9]+)")
_ITEM = lazy_pattern(r"[a-z_]+(\+|\.[0-9]+)")  # a whole item of a list: NAME=VALUE; NAME=VALUE
_CODE = lazy_pattern(r"[Ee]-([0-9]+)")
_REFERENCE_FIELDS = ("_id", "_ids", "guards", "attached_to", "metric", "cause", "causes", "issue", "issues", "evidence")


def iteration_of(book: CycleBook, number: int | None) -> Iteration:
    """The iteration of that number, the current one where none is said.

    Raises:
        UserError: cycle_no_iteration, cycle_iteration_unknown.
    """
    if number is None:
        if book.current is None:
            raise UserError("cycle_no_iteration")
        return book.current
    match = next((iteration for iteration in book.iterations if iteration.number == number), None)
    if match is None:
        numbers = ", ".join(str(iteration.number) for iteration in book.iterations) or "-"
        raise UserError("cycle_iteration_unknown", number=number, known=numbers)
    return match


def look_up(book: CycleBook, words: str, iteration: Iteration | None) -> Record:
    """The one record that `words` mean; numbers of steps and kinds without a number are those of `iteration`.

    Raises:
        UserError: cycle_reference_unknown, cycle_reference_unclear.
    """
    matches = _meant(book, words.strip(), iteration)
    if not matches:
        raise UserError("cycle_reference_unknown", words=words)
    if len(matches) > 1:
        raise UserError("cycle_reference_unclear", words=words, found=labels(matches))
    return matches[0]


def _meant(book: CycleBook, words: str, iteration: Iteration | None) -> list[Record]:
    if by_id := _BY_ID.fullmatch(words):
        kind, record = by_id[1], book.records.get(int(by_id[2]))
        return [record] if record is not None and kind in (None, kind_of(record)) else []
    if code := _CODE.fullmatch(words):
        return [evidence for evidence in book.all(Evidence) if evidence.number == int(code[1])]
    if by_number := _BY_NUMBER.fullmatch(words):
        return [record for record in _of_kind(book, by_number[1], iteration) if _number(record) == int(by_number[2])]
    if words == "iteration" and iteration is not None:
        return [iteration]
    return _of_kind(book, words, iteration)


def _number(record: Record) -> int | None:
    number = getattr(record, "number", None)
    return int(number) if isinstance(number, int) else None


def _of_kind(book: CycleBook, kind: str, iteration: Iteration | None) -> list[Record]:
    record_type = KINDS.get(kind)
    here = iteration.id if iteration is not None else None
    records = (record for record in book if record_type is not None and isinstance(record, record_type))
    return [record for record in records if getattr(record, "iteration_id", here) == here]


def with_ids(book: CycleBook, values: Typed, iteration: Iteration | None) -> list[tuple[str, str]]:
    """The values with every record that they name (``E-3``, ``issue:1``, ``cause.5``) by its id."""
    return [(name, _with_ids(book, name, text, iteration)) for name, text in pairs_of(values)]


def _with_ids(book: CycleBook, name: str, text: str, iteration: Iteration | None) -> str:
    if name.rstrip("+-").endswith(_REFERENCE_FIELDS):
        return _ids(book, text, iteration)
    if not _ITEM.fullmatch(name) or text.startswith("{"):
        return text
    pairs = (pair.partition("=") for pair in re.split(r"(?<!\\);", text))
    return ";".join(
        f"{key}{equals}{_ids(book, value, iteration) if key.strip().endswith(_REFERENCE_FIELDS) else value}"
        for key, equals, value in pairs
    )


def _ids(book: CycleBook, text: str, iteration: Iteration | None) -> str:
    words = [word for word in re.split(r"[,\s]+", text) if word and word != "-"]
    return ",".join(str(look_up(book, word, iteration).id) for word in words)


def with_series(project: Project, values: Typed, new: bool = True) -> list[tuple[str, str]]:
    """``source=series:17``: the series of that id by its names; for a `new` metric also what the series says about it
    where nothing else is said.

    Raises:
        UserError: series_missing.
    """
    stated = dict(pairs_of(values))
    reference = re.fullmatch(r"series:([0-9]+)", stated.get("source", ""))
    if reference is None:
        return pairs_of(values)
    info = merged_series.find_merged(project, int(reference[1])).info
    defaults = {"name": info.label, "unit": info.unit, "direction": info.direction.value, "statistic": "p95"}
    begun = [(name, text) for name, text in defaults.items() if new and name not in stated]
    kept = [(name, text) for name, text in pairs_of(values) if name != "source"]
    return [*begun, *kept, ("source", source_text(source_of(info)))]
