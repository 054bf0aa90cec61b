"""Real captures to start from: those of the repository, and the corpus where it is beside the project."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from tests.conftest import CORPUS, ROOT
from tunebench.core.paths import builtin_plugins_folder
from tunebench.plughost.host import PluginHost
from tunebench.plughost.listing import Origin
from tunebench.plughost.parser_entry import HEAD_BYTES, ParserEntry
from tunebench.plughost.plugin_folders import SearchFolder
from tunebench.sdk.testkit import SURE

PLACES = (ROOT / "tests" / "fixtures", CORPUS / "made", CORPUS / "wild")
MOST_BYTES = 60_000


@dataclass(frozen=True)
class Sample:
    entry: ParserEntry
    name: str
    data: bytes = field(repr=False)  # else a failure is hidden by the warning that its case is too long to print


@cache
def host() -> PluginHost:
    return PluginHost([SearchFolder(builtin_plugins_folder(), Origin.BUILTIN)])


@cache
def samples() -> dict[str, tuple[Sample, ...]]:
    """The captures that each parser is surest of; of long ones the beginning, up to a line's end."""
    found: dict[str, list[Sample]] = {entry.id: [] for entry in host().parsers()}
    for place in PLACES:
        for path in sorted(path for path in place.rglob("*") if path.is_file()):
            sample = _sample(path)
            if sample is not None:
                found[sample.entry.id].append(sample)
    return {parser: tuple(theirs) for parser, theirs in found.items()}


def _sample(path: Path) -> Sample | None:
    data = path.read_bytes()
    candidates = [one for one in host().recognise(data[:HEAD_BYTES], path.name) if one.confidence > SURE]
    if not candidates:
        return None
    if len(data) > MOST_BYTES:
        data = data[: data.rfind(b"\n", 0, MOST_BYTES) + 1 or MOST_BYTES]
    return Sample(candidates[0].entry, path.name, data)
