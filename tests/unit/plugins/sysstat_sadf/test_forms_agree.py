"""One recording in every form of sadf, and in sar's own text: the same numbers under the same metrics."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.unit.plugins.conftest import PLUGINS, Reading, load_parser, read_capture
from tunebench.plughost.catalogue import MetricCatalogue

FIXTURES = PLUGINS.parent / "tests" / "fixtures" / "sadf"
PARSERS = {
    "d": load_parser("sysstat_sadf", "delimited:SadfDelimitedParser"),
    "p": load_parser("sysstat_sadf", "per_value:SadfPerValueParser"),
    "j": load_parser("sysstat_sadf", "sadf_json:SadfJsonParser"),
    "x": load_parser("sysstat_sadf", "sadf_xml:SadfXmlParser"),
    "sar": load_parser("sysstat_sar", "sar:SarParser"),
}
Canonical = dict[tuple[int, str, tuple[tuple[str, str], ...]], float]


@cache
def catalogue() -> MetricCatalogue:
    return MetricCatalogue.load()


def canonical(reading: Reading) -> Canonical:
    """(time, metric, attributes) -> value in the metric's base unit; every column must have a metric."""
    found: Canonical = {}
    for key, samples in reading.samples.items():
        traits = catalogue().describe("sar", "linux", key.table, key.native, dict(key.attributes), "")
        assert traits.metric, (key.table, key.native)
        attributes = tuple(sorted({**dict(key.attributes), **dict(traits.implied)}.items()))
        for sample in samples:
            place = (sample.time_ns, traits.metric, attributes)
            assert place not in found, place
            found[place] = round(sample.value * traits.to_base, 6)
    return found


def printed(command: list[str], **environment: str) -> bytes:
    if shutil.which(command[0]) is None:
        pytest.skip("sysstat is not installed here")
    env = {"PATH": os.environ["PATH"], "LC_ALL": "C", "TZ": "UTC", **environment}
    return subprocess.run(command, env=env, capture_output=True, check=True).stdout


def test_every_form_of_the_recording_says_the_same_as_sar():
    """8,136 numbers: each form is printed by sysstat's own programs from one binary file, and read by its own parser."""
    recording = str(FIXTURES / "sa21")
    text = printed(["sar", "-A", "-f", recording], S_TIME_FORMAT="ISO")
    expected = read_capture(PARSERS["sar"], text)
    forms = {
        "d": ["sadf", "-d"],
        "p": ["sadf", "-p"],
        "j": ["sadf", "-j"],
        "x": ["sadf", "-x"],
        "wide": ["sadf", "-d", "-h"],
    }
    wanted = canonical(expected)
    assert len(wanted) > 8000
    for form, command in forms.items():
        reading = read_capture(PARSERS["d" if form == "wide" else form], printed([*command, recording, "--", "-A"]))
        assert reading.ledger.lines.balanced
        assert canonical(reading) == wanted, form
        assert [event.start_ns for event in reading.events] == [event.start_ns for event in expected.events]
        if form in ("d", "p", "wide"):
            assert reading.samples.keys() == expected.samples.keys()


def test_numbers_of_json_by_an_independent_reading():
    """A walk over what the json module makes of the file: all numbers, sorted."""
    data = (FIXTURES / "sadf-j.json").read_bytes()
    reading = read_capture(PARSERS["j"], data)
    expected = sorted(numbers_of(json.loads(data)["sysstat"]["hosts"][0]["statistics"]))
    assert sorted(sample.value for samples in reading.samples.values() for sample in samples) == expected


def numbers_of(tree: object, name: str = "", names: frozenset[str] = frozenset()) -> Iterator[float]:
    doubles = {"rd_sec": "rkB", "wr_sec": "wkB", "dc_sec": "dkB", "avgrq-sz": "areq-sz", "avgqu-sz": "aqu-sz"}
    if isinstance(tree, dict):
        for key, value in tree.items():
            if key != "timestamp":
                yield from numbers_of(value, key, frozenset(tree))
    elif isinstance(tree, list):
        for value in tree:
            yield from numbers_of(value)
    elif isinstance(tree, (int, float)) and doubles.get(name) not in names and name != "line":
        yield float(tree)


def test_sysstats_own_expected_files_agree(corpus: Path):
    """Processors come and go there: 6 is off for a while, 8 and 9 are added; JSON and XML name them, -d does not."""
    wild = corpus / "wild"
    one = read_capture(PARSERS["d"], (wild / "sadf-d" / "sysstat+sysstat__tests_expected.sadf-d").read_bytes())
    forms = {
        "j": wild / "mpstat-json" / "sysstat+sysstat__tests_expected.sadf-j",
        "x": wild / "sadf-x" / "sysstat+sysstat__tests_expected.sadf-x",
    }
    wanted = canonical(one)
    assert len(wanted) == 5473
    assert one.values("interrupts", "intr/s", state="sum", cpu="6")[:1] == [4898.65]
    for form, path in forms.items():
        assert canonical(read_capture(PARSERS[form], path.read_bytes())) == wanted, form


@pytest.mark.parametrize(
    ("form", "name"),
    [
        ("d", "sadf-d-A.txt"),
        ("d", "sadf-d-h.txt"),
        ("d", "sadf-T.txt"),
        ("p", "sadf-p.txt"),
        ("j", "sadf-j.json"),
        ("j", "sadf-j-t.json"),
        ("x", "sadf-x.xml"),
    ],
)
@pytest.mark.parametrize("stretch", [1, 3_000])
def test_how_much_is_worked_on_at_once_changes_nothing(
    monkeypatch: pytest.MonkeyPatch, form: str, name: str, stretch: int
):
    """A fixture is smaller than what is waited for in a large file, so that is made small here."""
    data = (FIXTURES / name).read_bytes()
    whole = read_capture(PARSERS[form], data)
    monkeypatch.setattr(sys.modules["_tunebench_test_sysstat_sadf.stretches"], "STRETCH_BYTES", stretch)
    parts = read_capture(PARSERS[form], data, piece=700)
    assert parts.samples.keys() == whole.samples.keys()
    for key, samples in whole.samples.items():
        assert sorted(parts.samples[key], key=lambda one: one.time_ns) == samples
    assert (parts.ledger, parts.events) == (whole.ledger, whole.events)


CORPUS_FILES = {"sadf-d": ("d", b";", 0), "sadf-j": ("j", b"", 0), "sadf-x": ("x", b"", 0)}


@pytest.mark.parametrize("kind", CORPUS_FILES)
def test_the_corpus_is_read_whole(corpus: Path, kind: str):
    form = CORPUS_FILES[kind][0]
    for path in sorted((corpus / "wild" / kind).iterdir()):
        data = path.read_bytes()
        if PARSERS[form].sniff(data[:65536], path.name) < 0.5:
            assert "pidstat" in path.name or "cifsiostat" in path.name
            continue
        reading = read_capture(PARSERS[form], data)
        assert reading.ledger.lines.balanced, path.name
        assert reading.skipped() == {}, path.name
        assert reading.ledger.lines.total == data.count(b"\n"), path.name
        if form == "d":
            rows = [line for line in data.splitlines() if not line.startswith(b"#") and b";-1;20" not in line[:30]]
            assert reading.ledger.lines.data == len(rows), path.name


def test_only_sadf_is_taken_for_sadf(corpus: Path):
    """Every file of the corpus: those of other tools get nothing from any of the five."""
    own = {"sadf-d", "sadf-j", "sadf-x"}
    raw = load_parser("sysstat_sadf", "raw:SadfRawParser")
    for path in sorted(path for path in corpus.rglob("*") if path.is_file()):
        if path.parent.name in own or "sadf" in path.name:
            continue
        with path.open("rb") as file:
            head = file.read(65536)
        for parser in (*(PARSERS[form] for form in "dpjx"), raw):
            assert parser.sniff(head, path.name) == 0.0, (path, parser)
