"""The host: search order, first use, quarantine, trust."""

from __future__ import annotations

import subprocess
import sys
import threading

import pytest

from tests.contract.conftest import MANIFEST, PARSER, SAMPLE
from tunebench.core.errors import PluginError
from tunebench.plughost.host import PluginHost
from tunebench.plughost.listing import Origin, PluginState
from tunebench.plughost.parser_entry import ParserEntry
from tunebench.plughost.plugin_folders import SearchFolder
from tunebench.plughost.trust import TrustList
from tunebench.sdk import ParseContext


def host_of(tmp_path, *names: str) -> PluginHost:
    origins = {"builtin": Origin.BUILTIN, "user": Origin.USER, "engagement": Origin.ENGAGEMENT}
    folders = [SearchFolder(tmp_path / name, origins[name]) for name in names or ("builtin", "user", "engagement")]
    return PluginHost(folders, TrustList(tmp_path / "config" / "trusted.json"))


def test_a_parser_is_found_recognised_and_run(write_plugin, tmp_path):
    write_plugin()
    host = host_of(tmp_path)
    candidates = host.recognise(SAMPLE, "sample.txt")
    assert [(one.entry.id, one.confidence) for one in candidates] == [("demo.demo", 0.9)]
    parser = candidates[0].entry.create(ParseContext())
    batches = parser.feed(SAMPLE[:100]) + parser.feed(SAMPLE[100:]) + list(parser.finish())
    assert sum(len(batch.times_ns) for batch in batches) == 40
    assert parser.ledger().lines.data == 40
    assert (parser.events(), parser.take_records()) == ((), ())
    assert host.recognise(b"something else", "x.txt") == []


def test_code_is_imported_on_first_use_only(write_plugin, tmp_path):
    marker = tmp_path / "imported"
    write_plugin(source=f"open({str(marker)!r}, 'w').close()\n" + PARSER)
    host = host_of(tmp_path)
    assert [listing.state for listing in host.listings()] == [PluginState.OK]
    assert not marker.exists()
    host.recognise(SAMPLE, "sample.txt")
    assert marker.exists()


def test_two_plugins_may_have_modules_of_one_name_and_import_their_own(write_plugin, tmp_path):
    for name, confidence in (("one", "0.7"), ("two", "0.8")):
        folder = write_plugin(
            f"user/{name}",
            f"test.{name}",
            f"demo.{name}",
            source="from .tables import SURE\n" + PARSER.replace("return 0.9", "return SURE"),
        )
        (folder / "tables.py").write_text(f"SURE = {confidence}\n", encoding="utf-8")
    found = host_of(tmp_path).recognise(SAMPLE, "sample.txt")
    assert [(one.entry.id, one.confidence) for one in found] == [("demo.two", 0.8), ("demo.one", 0.7)]


def test_relative_imports_work_with_and_without_a_package_file(write_plugin, tmp_path):
    folder = write_plugin(source="from . import NAME\nfrom .inner.deep import VALUE\n" + PARSER)
    (folder / "__init__.py").write_text("NAME = 'demo'\n", encoding="utf-8")
    (folder / "inner").mkdir()
    (folder / "inner" / "deep.py").write_text("from .. import NAME\nVALUE = NAME * 2\n", encoding="utf-8")
    assert len(host_of(tmp_path).recognise(SAMPLE, "sample.txt")) == 1
    assert not list(folder.rglob("__pycache__"))


def test_equally_sure_parsers_keep_the_search_order(write_plugin, tmp_path):
    write_plugin("user/aaa", "test.user", "demo.user")
    write_plugin("builtin/zzz", "test.builtin", "demo.builtin")
    found = host_of(tmp_path).recognise(SAMPLE, "sample.txt")
    assert [one.entry.id for one in found] == ["demo.builtin", "demo.user"]


def test_the_first_of_two_plugins_with_one_id_wins(write_plugin, tmp_path):
    write_plugin("builtin/first", "test.demo", "demo.first")
    write_plugin("user/second", "test.demo", "demo.second")
    host = host_of(tmp_path)
    assert [entry.id for entry in host.parsers()] == ["demo.first"]
    first, second = host.listings()
    assert (first.state, second.state) == (PluginState.OK, PluginState.REFUSED)
    assert [problem.key for problem in second.problems] == ["plugin_twice"]
    assert str(tmp_path / "builtin" / "first") in second.problems[0].text("ko")


def test_the_first_of_two_parsers_with_one_id_wins(write_plugin, tmp_path):
    write_plugin("builtin/first", "test.first", "demo.demo")
    write_plugin("user/second", "test.second", "demo.demo")
    host = host_of(tmp_path)
    assert [entry.plugin_id for entry in host.parsers()] == ["test.first"]
    assert [problem.key for problem in host.listings()[1].problems] == ["parser_twice"]


ALWAYS_SURE = 'return 0.9 if head.startswith(b"demo ") else 0.0'
BREAKAGES = {
    "import": ("from tunebench.sdk import", "raise RuntimeError('import')\nfrom tunebench.sdk import"),
    "missing class": ("class DemoParser", "class Other"),
    "sniff": ("return 0.9 if", "raise RuntimeError('sniff')\n        return 0.9 if"),
    "sniff range": (ALWAYS_SURE, "return 7"),
    "sniff type": (ALWAYS_SURE, "return None"),
    "exit": ("return 0.9 if", "raise SystemExit(3)\n        return 0.9 if"),
}


@pytest.mark.parametrize("name", BREAKAGES)
def test_a_parser_that_breaks_on_recognition_is_quarantined_and_the_rest_goes_on(write_plugin, tmp_path, name):
    write_plugin("user/bad", "test.bad", "demo.bad", change=BREAKAGES[name])
    write_plugin("user/good", "test.good", "demo.good")
    host = host_of(tmp_path)
    assert [one.entry.id for one in host.recognise(SAMPLE, "sample.txt")] == ["demo.good"]
    assert [entry.id for entry in host.parsers()] == ["demo.good"]
    (record,) = host.quarantined()
    assert (record.plugin_id, record.contribution) == ("test.bad", "demo.bad")
    assert "Traceback" in record.traceback and record.reason
    states = {listing.id: listing.state for listing in host.listings()}
    assert states == {"test.bad": PluginState.QUARANTINED, "test.good": PluginState.OK}


FLOATS = """    def feed(self, data):
        return [self.spoilt(batch) for batch in super().feed(data)]

    def finish(self):
        return [self.spoilt(batch) for batch in super().finish()]

    def spoilt(self, batch):
        object.__setattr__(batch, "values", batch.values.astype("float32"))
        return batch

"""
RUN_BREAKAGES = {
    "constructor": ("super().__init__(context)", "raise ValueError('constructor')"),
    "feed": ("def read_lines(self, first_line, lines):", "def read_lines(self, first_line, lines):\n        1 / 0"),
    "lazy feed": (
        "    def close_tables",
        "    def feed(self, data):\n        yield from ()\n        raise KeyError('lazy')\n\n    def close_tables",
    ),
    "finish": ("return list(self.table.flush(final=True))", "raise OSError('finish')"),
    "no batch": (
        "    def close_tables",
        "    def feed(self, data):\n        return ['no batch']\n\n    def close_tables",
    ),
    "ledger": ("    def close_tables", "    def ledger(self):\n        return {}\n\n    def close_tables"),
    "events": ("    def close_tables", "    def events(self):\n        return ['restart']\n\n    def close_tables"),
    "records": ("    def close_tables", "    def take_records(self):\n        return [1]\n\n    def close_tables"),
    "wrong numbers": ("    def close_tables", FLOATS + "    def close_tables"),
}


def run_through(entry: ParserEntry) -> None:
    parser = entry.create(ParseContext())
    parser.feed(SAMPLE)
    list(parser.finish())
    parser.ledger()
    parser.events()
    parser.take_records()


@pytest.mark.parametrize("name", RUN_BREAKAGES)
def test_a_parser_that_breaks_while_it_runs_raises_only_plugin_errors(write_plugin, tmp_path, name):
    write_plugin(change=RUN_BREAKAGES[name])
    host = host_of(tmp_path)
    (candidate,) = host.recognise(SAMPLE, "sample.txt")
    with pytest.raises(PluginError) as caught:
        run_through(candidate.entry)
    assert (caught.value.plugin_id, caught.value.contribution) == ("test.demo", "demo.demo")
    assert host.parsers() == []
    host.readmit("test.demo", "demo.demo")
    assert len(host.parsers()) == 1


def test_the_engagements_plugins_are_off_until_trusted_by_hash(write_plugin, tmp_path):
    folder = write_plugin("engagement/demo")
    host = host_of(tmp_path)
    assert host.parsers() == []
    (listing,) = host.listings()
    assert (listing.state, listing.origin, len(listing.hash)) == (PluginState.UNTRUSTED, Origin.ENGAGEMENT, 64)
    host.trust(listing)
    assert [entry.id for entry in host.parsers()] == ["demo.demo"]
    assert [one.state for one in host_of(tmp_path).listings()] == [PluginState.OK]

    (folder / "parser.py").write_text(PARSER + "# changed\n", encoding="utf-8")
    again = host_of(tmp_path)
    assert again.parsers() == []
    assert again.listings()[0].hash != listing.hash


def test_a_damaged_trust_file_trusts_nobody(write_plugin, tmp_path):
    write_plugin("engagement/demo")
    host = host_of(tmp_path)
    host.trust(host.listings()[0])
    path = tmp_path / "config" / "trusted.json"
    path.write_text(path.read_text(encoding="utf-8")[:-9], encoding="utf-8")
    assert host_of(tmp_path).parsers() == []


def test_stale_bytecode_is_never_run(write_plugin, tmp_path):
    """A forged cache file beside an innocent source would defeat the trust in its hash."""
    import importlib.util
    import py_compile

    folder = write_plugin()
    source = folder / "parser.py"
    innocent = source.read_bytes()
    source.write_bytes(innocent.replace(b"0.9", b"0.1"))
    cache = importlib.util.cache_from_source(str(source))
    py_compile.compile(str(source), cfile=cache, invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)
    source.write_bytes(innocent)
    assert [one.confidence for one in host_of(tmp_path).recognise(SAMPLE, "x")] == [0.9]


def test_a_refused_folder_is_listed_with_its_reason(write_plugin, tmp_path):
    write_plugin("user/bad", manifest="id = 'x'\n")
    write_plugin("user/good", "test.good", "demo.good")
    (tmp_path / "user" / "no_plugin").mkdir()
    bad, good = host_of(tmp_path).listings()
    assert (bad.state, bad.id, good.state) == (PluginState.REFUSED, "bad", PluginState.OK)
    assert {"key_missing"} <= {problem.key for problem in bad.problems}


def test_messages_of_plugins_do_not_replace_the_programs(write_plugin, tmp_path):
    manifest = (
        MANIFEST.format(id="test.demo", parser="demo.demo", module="parser", cls="DemoParser")
        + """
[messages.en]
"ledger.skipped.demo_noise" = "noise"
"ledger.skipped.not_a_table" = "hijacked"
[messages.ko]
"ledger.skipped.demo_noise" = "잡음"
"ledger.skipped.not_a_table" = "가로챔"
"""
    )
    write_plugin(manifest=manifest)
    host = host_of(tmp_path)
    assert host.messages("ko") == {"ledger.skipped.demo_noise": "잡음"}


def test_many_threads_may_use_one_host(write_plugin, tmp_path):
    write_plugin()
    host = host_of(tmp_path)
    counts: list[int] = []

    def run() -> None:
        parser = host.recognise(SAMPLE, "sample.txt")[0].entry.create(ParseContext())
        batches = parser.feed(SAMPLE) + list(parser.finish())
        counts.append(sum(len(batch.times_ns) for batch in batches))

    threads = [threading.Thread(target=run) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert counts == [40] * 8


def test_the_host_loads_no_plugin_code_and_no_qt_when_it_lists(project_root):
    program = (
        "import sys; from tunebench.plughost.host import PluginHost; print(len(PluginHost().listings()));"
        "print([name for name in sys.modules if name.startswith(('tunebench_plugins', 'PySide6', 'plugins'))])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=project_root, capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.splitlines()[1] == "[]"


PROBES = """
id = "{id}"
name = "Probes"
version = "1"
api = ["1"]
[[probes]]
id = "{probe}"
name = {{ en = "Probe", ko = "수집" }}
purpose = {{ en = "Shows {id}.", ko = "확인합니다." }}
kind = "loop"
command = "uptime"
parser = "{parser}"
"""


def test_probes_come_from_all_plugins_in_use(write_plugin, tmp_path):
    write_plugin("builtin/one", manifest=PROBES.format(id="test.one", probe="demo.one", parser="demo.demo"))
    write_plugin("user/two", manifest=PROBES.format(id="test.two", probe="demo.two", parser="demo.demo"))
    write_plugin("user/zparser", "test.parser", "demo.demo")
    write_plugin("engagement/three", manifest=PROBES.format(id="test.three", probe="demo.three", parser="demo.demo"))
    host = host_of(tmp_path)
    assert [probe.id for probe in host.probes()] == ["demo.one", "demo.two"]
    host.trust(next(listing for listing in host.listings() if listing.id == "test.three"))
    assert [probe.id for probe in host.probes()] == ["demo.one", "demo.two", "demo.three"]
    assert {listing.id: listing.contributions for listing in host.listings()}["test.one"] == ("demo.one",)
    assert [problem for listing in host.listings() for problem in listing.problems] == []


def test_the_first_of_two_probes_with_one_id_stands(write_plugin, tmp_path):
    write_plugin("builtin/one", manifest=PROBES.format(id="test.one", probe="demo.same", parser="demo.demo"))
    write_plugin("user/two", manifest=PROBES.format(id="test.two", probe="demo.same", parser="demo.demo"))
    write_plugin("user/zparser", "test.parser", "demo.demo")
    host = host_of(tmp_path)
    assert [probe.purpose["en"] for probe in host.probes()] == ["Shows test.one."]
    second = next(listing for listing in host.listings() if listing.id == "test.two")
    assert [(problem.level, problem.key) for problem in second.problems] == [("warning", "probe_twice")]
    assert "test.one" in second.problems[0].text("ko")


def test_a_probe_whose_parser_nobody_has_is_told_and_kept(write_plugin, tmp_path):
    write_plugin("user/one", manifest=PROBES.format(id="test.one", probe="demo.one", parser="demo.nobody"))
    host = host_of(tmp_path)
    assert [probe.id for probe in host.probes()] == ["demo.one"]
    (listing,) = host.listings()
    assert (listing.state, [problem.key for problem in listing.problems]) == (PluginState.OK, ["probe_parser"])
    assert "demo.nobody" in listing.problems[0].text("en")


def test_a_plugin_may_bring_parser_probe_and_sentence_together(write_plugin, tmp_path):
    tables = PROBES.format(id="test.demo", probe="demo.probe", parser="demo.demo").partition("[[probes]]")[2]
    sentences = "".join(f'[messages.{language}]\n"ledger.skipped.demo_odd" = "odd"\n' for language in ("en", "ko"))
    parser = MANIFEST.format(id="test.demo", parser="demo.demo", module="parser", cls="DemoParser")
    write_plugin(manifest=f"{parser}\n[[probes]]{tables}\n{sentences}")
    host = host_of(tmp_path)
    (listing,) = host.listings()
    assert (listing.state, listing.problems) == (PluginState.OK, ())
    assert listing.contributions == ("demo.demo", "demo.probe")
    assert host.messages("en") == {"ledger.skipped.demo_odd": "odd"}
    entry = host.parser(host.probes()[0].parser)
    assert entry is not None and entry.plugin_id == "test.demo"
    assert host.parser("demo.other") is None
    host.quarantine("test.demo", "demo.demo", "broken")
    assert host.parser("demo.demo") is None
