"""What the reference page lists: entries, calculators and the worksheet, found by the same words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from app.analysis.calculators.calculator import Calculator
from app.analysis.calculators.catalogue import CALCULATORS
from app.core.messages import LANGUAGES, catalogue
from app.domain.reference import Entry, EntryKind
from app.ui.look.language import language, text
from app.usecases.reference import entries as reference
from app.usecases.reference.search import Indexed, best_first, indexed

CALCULATOR, WORKSHEET = "calculator", "worksheet"
KINDS = (WORKSHEET, CALCULATOR, *(kind.value for kind in EntryKind))
CLUSTERS = "clusters"


@dataclass(frozen=True, slots=True)
class Volume:
    """One thing listed. `kind`: one of `KINDS`; `id`: of the entry or calculator."""

    kind: str
    id: str

    @property
    def title(self) -> str:
        if self.kind == CALCULATOR:
            return text(f"calculator.{self.id}.title")
        if self.kind == WORKSHEET:
            return text("ui.clusters.title")
        return reference.find(self.id).title[language().code]

    @property
    def aside(self) -> str:
        """The second line of a list: kind and id; a calculator's formula."""
        if self.kind == CALCULATOR:
            return text(f"calculator.{self.id}.formula").partition("\n")[0]
        kind = text(f"ui.reference.kind.{self.kind}")
        return kind if self.kind == WORKSHEET else f"{kind} · {self.id}"

    @property
    def address(self) -> str:
        """As links and other pages name it."""
        return f"{self.kind}:{self.id}" if self.kind in (CALCULATOR, WORKSHEET) else f"entry:{self.id}"


def volume_at(address: str) -> Volume | None:
    """None for what is not there."""
    scheme, _, name = address.partition(":")
    if scheme == "entry" and reference.known(name):
        return Volume(reference.find(name).kind.value, name)
    return next((volume for volume in (_clusters(), *_calculators()) if volume.address == address), None)


def found_volumes(words: str = "", kind: str = "") -> list[Volume]:
    """Best first; by kind where nothing is asked for."""
    return [volume for volume in best_first(_index(), words) if kind in ("", volume.kind)]


def counted(volumes: Iterable[Volume]) -> dict[str, int]:
    return dict.fromkeys(KINDS, 0) | Counter(volume.kind for volume in volumes)


def _clusters() -> Volume:
    return Volume(WORKSHEET, CLUSTERS)


def _calculators() -> tuple[Volume, ...]:
    return tuple(Volume(CALCULATOR, each.id) for each in CALCULATORS)


@cache
def _index() -> tuple[Indexed[Volume], ...]:
    sheet = indexed(_clusters(), strong=_in_all("ui.clusters.title"), middling=(), weak=_in_all("ui.clusters.about"))
    return (sheet, *(_of_calculator(each) for each in CALCULATORS), *(_of_entry(each) for each in reference.entries()))


def _in_all(key: str) -> list[str]:
    return [catalogue(code).text(key) for code in LANGUAGES]


def _of_calculator(calculator: Calculator) -> Indexed[Volume]:
    names = [f"calculator.input.{each.name}" for each in calculator.inputs]
    names += [f"calculator.output.{each.name}" for each in calculator.outputs]
    return indexed(
        Volume(CALCULATOR, calculator.id),
        strong=[calculator.id, *_in_all(f"calculator.{calculator.id}.title")],
        middling=[words for name in names for words in _in_all(name)] + _in_all("ui.reference.kind.calculator"),
        weak=_in_all(f"calculator.{calculator.id}.formula"),
    )


def _of_entry(entry: Entry) -> Indexed[Volume]:
    strong, middling, weak = reference.words_of(entry)
    return indexed(Volume(entry.kind.value, entry.id), strong=strong, middling=middling, weak=weak)
