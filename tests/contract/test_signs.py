"""Signs in manifests: who is asked about a file, in which order, and what is remembered."""

from __future__ import annotations

import random

import pytest

from tests.conftest import ROOT
from tests.contract.conftest import MANIFEST, PARSER, SAMPLE, PluginWriter
from tests.contract.test_host import host_of
from tunebench.capture.ingest import readings
from tunebench.capture.readings import payload_head
from tunebench.core.paths import builtin_plugins_folder
from tunebench.plughost.host import PluginHost
from tunebench.plughost.listing import Origin
from tunebench.plughost.parser_entry import HEAD_BYTES
from tunebench.plughost.plugin_folders import SearchFolder
from tunebench.plughost.recognition import ASK_ALL
from tunebench.sdk.manifest import examine_manifest
from tunebench.sdk.signs import SignFinder, folded
from tunebench.sdk.testkit import check_plugin


def _manifest(number: str, more: str) -> str:
    return MANIFEST.format(id=f"test.{number}", parser=f"demo.{number}", module="parser", cls="DemoParser") + more


def _plugin(write_plugin: PluginWriter, number: str, more: str = "", sure: str = "0.9") -> None:
    """A parser that notes what it is asked about."""
    source = PARSER.replace("return 0.9", f"DemoParser.asked.append(file_name)\n        return {sure}")
    source = source.replace("class DemoParser(LineParser):", "class DemoParser(LineParser):\n    asked = []\n")
    write_plugin(f"user/{number}", f"test.{number}", f"demo.{number}", manifest=_manifest(number, more), source=source)


def _asked(host: PluginHost, parser_id: str) -> list[str]:
    entry = host.parser(parser_id)
    assert entry is not None
    return entry._load().asked  # type: ignore[attr-defined, no-any-return]


def _surest(host: PluginHost, head: bytes, name: str) -> tuple[str, float] | None:
    best = host.surest(head, name)
    return (best.entry.id, best.confidence) if best else None


def test_the_finder_finds_what_a_search_for_each_word_finds():
    chance = random.Random(3)
    letters = "abcdeABC %/._\t,"
    words = {folded("".join(chance.choices(letters, k=chance.randrange(1, 9)))) for _ in range(300)}
    finder = SignFinder(words)
    for _ in range(200):
        text = "".join(chance.choices(letters, k=chance.randrange(400))).encode()
        assert finder.standing_in(text) == {word for word in words if word in text.lower()}


@pytest.mark.parametrize("encoding", ["utf-8", "cp949", "utf-16", "utf-16-le", "utf-16-be"])
def test_a_word_is_found_in_every_encoding(encoding: str):
    finder = SignFinder([b"avg-cpu:", b"wt"])
    assert finder.standing_in("장치 Avg-CPU: 1\n".encode(encoding)) == {b"avg-cpu:"}
    assert finder.standing_in("평균 1\n".encode(encoding)) == frozenset()


def test_a_parser_whose_signs_do_not_stand_there_is_not_asked(write_plugin, tmp_path):
    _plugin(write_plugin, "one", 'signs = ["DEMO "]')
    _plugin(write_plugin, "two", 'signs = ["other"]')
    host = host_of(tmp_path)
    assert _surest(host, SAMPLE, "a.txt") == ("demo.one", 0.9)
    assert _asked(host, "demo.two") == []


def test_everybody_is_asked_where_none_is_sure_enough(write_plugin, tmp_path):
    """A stranger's wrong signs do not make a file unreadable."""
    _plugin(write_plugin, "one", 'signs = ["demo"]', sure="0.29")
    _plugin(write_plugin, "two", 'signs = ["other"]', sure="0.3")
    assert _surest(host_of(tmp_path), SAMPLE, "a.txt") == ("demo.two", 0.3)


def test_everybody_is_asked_where_the_environment_wants_it(write_plugin, tmp_path, monkeypatch):
    _plugin(write_plugin, "one", 'signs = ["demo"]', sure="0.8")
    _plugin(write_plugin, "two", 'signs = ["other"]')
    monkeypatch.setenv(ASK_ALL, "1")
    assert _surest(host_of(tmp_path), SAMPLE, "a.txt") == ("demo.two", 0.9)


@pytest.mark.parametrize(("at_most", "asked"), [("0.89", False), ("0.9", False), ("0.91", True), ("", True)])
def test_who_cannot_be_surer_than_the_last_is_not_asked(write_plugin, tmp_path, at_most: str, asked: bool):
    """The first of two that are equally sure is taken, so that the second need not be asked where it can only be equal."""
    _plugin(write_plugin, "one")
    _plugin(write_plugin, "two", at_most and f"at_most = {at_most}", sure="0.85")
    host = host_of(tmp_path)
    host.surest(SAMPLE, "first.txt")
    assert _surest(host, b"demo begins\n" + SAMPLE, "second.txt") == ("demo.one", 0.9)
    assert ("second.txt" in _asked(host, "demo.two")) is asked


def test_of_equals_the_first_in_search_order_is_taken_whoever_was_sure_before(write_plugin, tmp_path):
    only_late = "0.9 if b'demo 700000039' in head else 0.0"
    _plugin(write_plugin, "one", "at_most = 0.9", sure=only_late)
    _plugin(write_plugin, "two", "at_most = 0.9")
    host = host_of(tmp_path)
    assert _surest(host, SAMPLE[:40], "a.txt") == ("demo.two", 0.9)
    assert _surest(host, SAMPLE, "b.txt") == ("demo.one", 0.9)


def test_a_file_of_the_same_kind_has_the_others_asked_only_where_its_own_parser_is_less_sure(write_plugin, tmp_path):
    """Alike: the first lines but for their numbers, the name's end, the signs."""
    _plugin(write_plugin, "one", 'signs = ["demo"]', sure="(0.4 if b'late' in head else 0.9)")
    _plugin(write_plugin, "two", 'signs = ["demo", "other"]', sure="0.6")
    host = host_of(tmp_path)
    first, second = SAMPLE * 3, SAMPLE.replace(b" 1.5", b" 2.5") * 3
    files = {"a.txt": first, "b.txt": second, "c.log": first, "d.txt": second + b"Other\n", "e.txt": second + b"late\n"}
    answers = {name: _surest(host, head, name) for name, head in files.items()}
    assert answers == dict.fromkeys(files, ("demo.one", 0.9)) | {"e.txt": ("demo.two", 0.6)}
    assert _asked(host, "demo.two") == ["a.txt", "c.log", "d.txt", "e.txt"]


def test_one_file_is_asked_about_once(write_plugin, tmp_path):
    _plugin(write_plugin, "one")
    host = host_of(tmp_path)
    files = [(head, name) for head in (SAMPLE, b"?") for name in ("a.txt", "b.txt")]
    answers = [_surest(host, head, name) for head, name in files]
    asked = list(_asked(host, "demo.one"))
    assert [_surest(host, head, name) for head, name in files] == answers == [("demo.one", 0.9)] * 2 + [None] * 2
    assert _asked(host, "demo.one") == asked


def test_what_is_quarantined_is_not_asked_again(write_plugin, tmp_path):
    write_plugin()
    host = host_of(tmp_path)
    assert _surest(host, SAMPLE, "a.txt") == ("demo.demo", 0.9)
    host.quarantine("test.demo", "demo.demo", "told to")
    assert host.surest(SAMPLE, "a.txt") is None
    host.readmit("test.demo", "demo.demo")
    assert _surest(host, SAMPLE, "a.txt") == ("demo.demo", 0.9)


@pytest.mark.parametrize(
    ("line", "problem", "english", "korean"),
    [
        ('signs = "demo"', "not_texts", "must be a list of texts", "목록"),
        ("signs = [3]", "not_texts", "must be a list of texts", "목록"),
        ('signs = [""]', "not_texts", "must be a list of texts", "목록"),
        ('signs = ["평균"]', "sign_form", "ASCII", "ASCII"),
        ('at_most = "0.9"', "not_number", "must be a number", "숫자"),
        ("at_most = nan", "not_number", "must be a number", "숫자"),
        ("at_most = 0", "at_most_range", "above 0", "0보다"),
        ("at_most = 1.5", "at_most_range", "above 0", "0보다"),
    ],
)
def test_what_a_manifest_may_not_say(write_plugin, line: str, problem: str, english: str, korean: str):
    folder = write_plugin(manifest=_manifest("demo", line))
    manifest, problems = examine_manifest(folder)
    assert manifest is None
    assert [one.key for one in problems] == [problem]
    assert english in problems[0].text("en") and korean in problems[0].text("ko")
    assert "parsers[1]." in problems[0].text("en") and "parsers[1]." in problems[0].text("ko")


def test_the_check_names_the_capture_that_no_sign_stands_in(write_plugin):
    folder = write_plugin(manifest=_manifest("demo", 'signs = ["DEMO", "other"]'))
    assert [finding.key for finding in check_plugin(folder) if finding.level == "error"] == []
    folder = write_plugin("user/wrong", manifest=_manifest("demo", 'signs = ["other"]'))
    (finding,) = [finding for finding in check_plugin(folder) if finding.level == "error"]
    assert "sample.txt" in finding.text("en") and "other" in finding.text("en")
    assert "sample.txt" in finding.text("ko") and "other" in finding.text("ko")


def test_the_check_names_the_capture_that_a_parser_is_too_sure_of(write_plugin):
    folder = write_plugin(manifest=_manifest("demo", "at_most = 0.8"))
    (finding,) = [finding for finding in check_plugin(folder) if finding.level == "error"]
    assert "sample.txt" in finding.text("en") and "0.9" in finding.text("en") and "0.8" in finding.text("en")


def test_each_fixture_has_the_reader_that_it_has_when_everybody_is_asked(monkeypatch):
    """Whole files of the repository; `test_recognition` has all others, and damaged ones."""
    shipped = [SearchFolder(builtin_plugins_folder(), Origin.BUILTIN)]
    by_signs = PluginHost(shipped)
    monkeypatch.setenv(ASK_ALL, "1")
    everybody = PluginHost(shipped)
    read = 0
    for path in sorted((ROOT / "tests" / "fixtures").rglob("*")):
        head = payload_head(path.read_bytes()[:HEAD_BYTES]) if path.is_file() else b""
        if head:
            first, second = (host.surest(head, path.name, readings(head)) for host in (by_signs, everybody))
            assert (first and (first.entry.id, first.confidence)) == (second and (second.entry.id, second.confidence))
            read += first is not None
    assert read > 300
