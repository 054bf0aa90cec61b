"""Known effects: what a change is known to do to each resource, as pure data of a plug-in.

    [[effects]]
    id = "founding.write_behind"
    change = { en = "Write-behind: maxcontig up", ko = "Write Behind: maxcontig 증가" }
    parameters = ["maxcontig"]            # a change of one of these is recognised
    coupled = ["maxphys"]                 # what belongs into the same row of the worksheet
    mode = "online"                       # online | restart | reboot | rebuild
    basis = "founding"                    # measured | founding | literature | estimate, for every impact below
    source = "000 4.4; SF-077"
    caveat = { en = "...", ko = "..." }

    [[effects.impacts]]
    resource = "cpu"
    direction = -1                        # +2 strong relief ... -2 high price
    expected = 10.7                       # also low, high, unit
    unit = "%"
    note = { en = "sys time +10.7 %", ko = "sys 시간 +10.7 %" }

A consultant adds rows by writing a plug-in folder with a `plugin.toml` of effects alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tunebench.core.records import record
from tunebench.domain.cycle.worksheet import Basis, ChangeMode, Resource
from tunebench.sdk.toml_tables import TableReader

STRONGEST = 2

_EFFECT_KEYS = frozenset({"id", "change", "parameters", "coupled", "mode", "basis", "source", "caveat", "impacts"})
IMPACT_KEYS = frozenset({"resource", "direction", "low", "expected", "high", "unit", "basis", "source", "note", "fact"})


@record
class EffectImpact:
    """What a change does to one resource; as `tunebench.domain.cycle.worksheet.Impact`, with a note per language.

    `fact` is the id of a quoted fact of the template it stands in, or empty.
    """

    resource: Resource
    direction: int
    low: float | None = None
    expected: float | None = None
    high: float | None = None
    unit: str = ""
    basis: Basis = Basis.ESTIMATE
    source: str = ""
    note: Mapping[str, str] | None = None
    fact: str = ""


@record
class KnownEffect:
    """One row of the known-effect matrix.

    Attributes:
        parameters: names by which a change is recognised, without module and case.
        coupled: parameters that belong into the same row.
        caveat: per language, empty where there is none.
    """

    id: str
    change: Mapping[str, str]
    parameters: tuple[str, ...]
    coupled: tuple[str, ...]
    mode: ChangeMode
    source: str
    impacts: tuple[EffectImpact, ...]
    caveat: Mapping[str, str]

    def change_in(self, language: str) -> str:
        return self.change.get(language) or next(iter(self.change.values()), self.id)


def read_effect_tables(reader: TableReader, key: str) -> tuple[KnownEffect, ...]:
    """The effects of one file; faults are in `reader.problems`."""
    seen: set[str] = set()
    return tuple(_read_effect(table, seen) for table in reader.tables(key))


def _read_effect(reader: TableReader, seen: set[str]) -> KnownEffect:
    reader.refuse_unknown(_EFFECT_KEYS)
    basis = reader.word("basis", tuple(Basis), Basis.ESTIMATE) or Basis.ESTIMATE
    source = reader.text("source", False)
    effect = KnownEffect(
        id=reader.text("id"),
        change=reader.texts_by_language("change", required=True),
        parameters=tuple(name.lower() for name in reader.texts("parameters", False)),
        coupled=tuple(name.lower() for name in reader.texts("coupled", False)),
        mode=reader.word("mode", tuple(ChangeMode), ChangeMode.ONLINE) or ChangeMode.ONLINE,
        source=source,
        impacts=tuple(read_impacts(reader, basis, source)),
        caveat=reader.texts_by_language("caveat", required=False),
    )
    reader.check_id("id", effect.id)
    reader.check_once("id", effect.id, seen)
    if not effect.impacts and "impacts" not in reader.table:
        reader.problem("key_missing", "impacts")
    return effect


def read_impacts(reader: TableReader, basis: Basis, source: str) -> Iterator[EffectImpact]:
    """``[[impacts]]`` of an effect or of a template's action; what an impact does not say, the row says."""
    for table in reader.tables("impacts"):
        table.refuse_unknown(IMPACT_KEYS)
        yield EffectImpact(
            resource=table.word("resource", tuple(Resource), None) or Resource.CPU,
            direction=_direction(table),
            low=table.finite("low"),
            expected=table.finite("expected"),
            high=table.finite("high"),
            unit=table.text("unit", False),
            basis=table.word("basis", tuple(Basis), basis) or basis,
            source=table.text("source", False) or source,
            note=table.texts_by_language("note", required=False),
            fact=table.text("fact", False),
        )


def _direction(reader: TableReader) -> int:
    value = reader.finite("direction")
    if "direction" not in reader.table:
        reader.problem("key_missing", "direction")
    if value is None:
        return 0
    if value != int(value) or abs(value) > STRONGEST:
        reader.problem("direction_range", "direction", value=f"{value:g}", most=STRONGEST)
        return 0
    return int(value)
