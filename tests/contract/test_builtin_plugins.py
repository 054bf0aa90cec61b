"""The shipped plug-ins pass the same testkit as strangers' do, on every capture at hand that is theirs."""

from __future__ import annotations

import gc
import re
import weakref
from functools import cache
from itertools import chain
from pathlib import Path

import pytest

from tests.conftest import CORPUS, ROOT
from tunebench.core.paths import builtin_plugins_folder, resources_folder
from tunebench.plughost.host import PluginHost
from tunebench.plughost.listing import Origin, PluginState
from tunebench.plughost.parser_entry import HEAD_BYTES, Candidate
from tunebench.plughost.plugin_folders import SearchFolder
from tunebench.sdk import ParseContext
from tunebench.sdk.manifest import read_manifest
from tunebench.sdk.testkit import SURE, check_plugin

PLUGINS = sorted(path.parent for path in builtin_plugins_folder().glob("*/plugin.toml"))
PLACES = (ROOT / "tests" / "fixtures", CORPUS / "made")
MOST_BYTES = 100_000  # a larger capture only takes longer; endurance is measured elsewhere


@cache
def host() -> PluginHost:
    return PluginHost([SearchFolder(builtin_plugins_folder(), Origin.BUILTIN)])


@cache
def candidates(path: Path) -> tuple[Candidate, ...]:
    with path.open("rb") as file:
        return tuple(one for one in host().recognise(file.read(HEAD_BYTES), path.name) if one.confidence > SURE)


@cache
def captures() -> tuple[Path, ...]:
    files = (path for place in PLACES for path in sorted(place.rglob("*")) if path.is_file())
    return tuple(path for path in files if path.stat().st_size <= MOST_BYTES)


def captures_of(plugin_id: str) -> list[Path]:
    return [path for path in captures() if candidates(path) and candidates(path)[0].entry.plugin_id == plugin_id]


def test_the_shipped_plugins_are_all_usable():
    listings = host().listings()
    assert {listing.folder.name for listing in listings} >= {
        "linux_stat",
        "pgbench",
        "solaris_stat",
        "sysstat_sar",
        "aix_probes",
        "freebsd_probes",
        "generic_probes",
        "hpux_probes",
        "linux_probes",
        "solaris_probes",
    }
    assert [problem.text("en") for listing in listings for problem in listing.problems] == []
    assert {listing.state for listing in listings} == {PluginState.OK}


@pytest.mark.parametrize("folder", PLUGINS, ids=lambda folder: folder.name)
def test_a_shipped_plugin_keeps_the_contract(folder):
    plugin_id = next(listing.id for listing in host().listings() if listing.folder == folder)
    theirs = captures_of(plugin_id)
    findings = check_plugin(folder, theirs)
    assert [finding.text("en") for finding in findings if finding.level == "error"] == []
    if read_manifest(folder).parsers and not theirs and not (folder / "fixtures").is_dir():
        pytest.skip("no capture for this plug-in beside the project: tried on noise only")


@pytest.mark.parametrize("place", PLACES, ids=lambda place: place.name)
def test_no_two_parsers_are_equally_sure_of_one_capture(place):
    if not place.is_dir():
        pytest.skip("these captures are not beside the project")
    for path in captures():
        if path.is_relative_to(place):
            found = candidates(path)
            if len(found) > 1:
                assert found[0].confidence > found[1].confidence, (path.name, found)


def test_every_plugin_calls_a_system_by_the_same_word():
    """Parsers and probes meet in one project: ``hpux`` beside ``hp-ux`` would be two systems."""
    folders = (builtin_plugins_folder(), resources_folder() / "metrics")
    texts = {
        path.name: path.read_text(encoding="utf-8")
        for folder in folders
        for path in folder.rglob("*.*")
        if path.suffix in (".py", ".toml")
    }
    assert [name for name, text in texts.items() if re.search(r'"(?:hpux|solaris|macos)"', text)] == []


def test_a_parser_that_is_done_is_gone_at_once():
    """Hundreds of captures are read one after the other: what waits for the collector of circles keeps its arrays."""
    read: set[str] = set()
    gc.disable()
    try:
        for path in captures():
            for candidate in candidates(path)[:1]:
                if candidate.entry.id not in read:
                    read.add(candidate.entry.id)
                    assert _parser_of(candidate, path)() is None, candidate.entry
    finally:
        gc.enable()
    assert len(read) > 50


def _parser_of(candidate: Candidate, path: Path) -> weakref.ref[object]:
    """What is left of the parser when the file was read."""
    parser = candidate.entry.create(ParseContext(path.name))
    for _ in chain(parser.feed(path.read_bytes()), parser.finish()):
        continue
    parser.ledger()
    parser.take_records()
    return weakref.ref(parser._parser)
