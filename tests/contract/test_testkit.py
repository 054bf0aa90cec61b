"""The testkit finds what it promises to find: every planted fault is seen, a sound plug-in passes."""

from __future__ import annotations

import time

import pytest

from tests.contract.conftest import PARSER, SAMPLE
from tunebench.core.messages import LANGUAGES
from tunebench.sdk import testkit
from tunebench.sdk.testkit import Finding, check_plugin, read_capture
from tunebench.sdk.testkit_runs import count_lines


def errors(findings: list[Finding]) -> set[str]:
    return {finding.key.removeprefix("finding.") for finding in findings if finding.level == "error"}


def test_a_sound_plugin_passes(write_plugin):
    findings = check_plugin(write_plugin())
    assert [finding.text("en") for finding in findings if finding.level != "info"] == []
    assert findings[-1].facts["captures"] == 1


END = "    def close_tables(self):\n"
COUNTS_ITSELF = """    def ledger(self):
        from dataclasses import replace
        ledger = super().ledger()
        return replace(ledger, lines=replace(ledger.lines, total=ledger.lines.total + 1, data=ledger.lines.data + 1))

"""
EVERY_BATCH = """    def feed(self, data):
        return [self.spoilt(batch) for batch in super().feed(data)]

    def finish(self):
        return [self.spoilt(batch) for batch in super().finish()]

"""
UNSORTED = (
    EVERY_BATCH
    + """    def spoilt(self, batch):
        from tunebench.sdk import SeriesKey
        key = SeriesKey("demo", "value", (("state", "a"), ("device", "b")))
        object.__setattr__(batch, "series", (key,))
        return batch

"""
)
INFINITE = (
    EVERY_BATCH
    + """    def spoilt(self, batch):
        batch.values[0] = float("inf")
        return batch

"""
)
FLOAT_TIMES = (
    EVERY_BATCH
    + """    def spoilt(self, batch):
        object.__setattr__(batch, "times_ns", batch.times_ns.astype("float64"))
        return batch

"""
)
FAR_EVENT = """    def events(self):
        from tunebench.sdk import CaptureEvent, EventKind
        return [CaptureEvent(EventKind.GAP, 10**19)]

"""
TABLE = 'TableBuilder("demo", ["value"], None, self.book)'
COLOURED = 'TableBuilder("demo", ["value"], None, self.book, [(("colour", "red"),)])'
ALWAYS_SURE = 'return 0.9 if head.startswith(b"demo ") else 0.0'
IMPORT = "from tunebench.sdk import"

FAULTS = {
    # the fault -> (what is found, old text, new text)
    "raises on bad input": ("raises", "words[1].isdigit() and len(words[1]) < 10", "int(words[1])"),
    "raises at a cut": ("raises", END, END + "        assert self.book.data_lines in (0, 40, 80)\n"),
    "forgets lines": ("unbalanced", 'self.book.skip("not_a_table", number, line)', "pass"),
    "books blank lines twice": ("unbalanced", "self.book.blank()", "self.book.blank(2)"),
    "takes rows for headings": (
        "rows_unaccounted",
        'self.book.skip("not_a_table", number, line)',
        "self.book.header()",
    ),
    "books below zero": ("negative_count", "self.book.blank()", "(self.book.blank(-1), self.book.data(2))"),
    "counts lines itself": ("lines_miscounted", END, COUNTS_ITSELF + END),
    "depends on the pieces": ("pieces_differ", "enumerate(lines, first_line):", "enumerate(lines, 1):"),
    "a key without a sentence": ("key_without_sentence", '"not_a_table"', '"no_such_reason"'),
    "an unknown attribute": ("attribute_unknown", TABLE, COLOURED),
    "unsorted attributes": ("attributes_unsorted", END, UNSORTED + END),
    "infinite values": ("infinite", END, INFINITE + END),
    "lines outside the file": ("line_outside", "int(words[1])), number,", "int(words[1])), number + 3,"),
    "wrong types": ("bad_batch", END, FLOAT_TIMES + END),
    "an event out of time": ("event_outside", END, FAR_EVENT + END),
    "not sure of its own": ("not_recognised", "return 0.9 if", "return 0.4 if"),
    "sure of noise": ("sniff_greedy", ALWAYS_SURE, "return 0.9"),
    "sniff out of range": ("sniff_range", "return 0.9 if", "return 1.5 if"),
    "sniff raises": ("sniff_raises", "return 0.9 if", "head[0]\n        return 0.9 if"),
    "a forbidden import": ("import_forbidden", IMPORT, f"from tunebench.core import paths\n{IMPORT}"),
    "a library": ("import_forbidden", IMPORT, f"import pytest\n{IMPORT}"),
    "an import of app itself": ("import_forbidden", IMPORT, f"from tunebench import store\n{IMPORT}"),
    "what only built-in plug-ins share": ("import_forbidden", IMPORT, f"from tunebench.families import runs\n{IMPORT}"),
    "a hidden import": ("import_forbidden", "super().__init__(context)", "import PySide6"),
    "leaving the folder": ("import_outside", IMPORT, f"from ..other import x\n{IMPORT}"),
    "no Python": ("source_unreadable", "class DemoParser", "class class"),
    "cannot be imported": ("not_loadable", "class DemoParser", "1 / 0\n\n\nclass DemoParser"),
    "no parser": ("no_parser", "class DemoParser(LineParser):", "class DemoParser:"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_planted_fault_is_found(write_plugin, name):
    key, old, new = FAULTS[name]
    sample = SAMPLE.replace(b"\n", b"\n\n", 3) + b"\nsomething else\n1 2 3\n"
    findings = check_plugin(write_plugin(change=(old, new), sample=sample))
    assert key in errors(findings)
    for finding in findings:
        for language in LANGUAGES:
            text = finding.text(language)
            assert "⟨" not in text and "{" not in text.replace("{}", ""), text


def test_a_parser_that_hangs_is_found_in_time(write_plugin, monkeypatch):
    monkeypatch.setattr(testkit, "_SECONDS", 0.3)
    sleep = "import time\n        time.sleep(60 * (b'\\0' in b''.join(lines)))\n        for number, line in"
    folder = write_plugin(change=("for number, line in", sleep))
    started = time.monotonic()
    assert "hangs" in errors(check_plugin(folder))
    assert time.monotonic() - started < 40


def test_an_impure_import_is_a_warning_and_test_files_may_import_anything(write_plugin):
    folder = write_plugin(source="import socket\n" + PARSER)
    (folder / "test_parser.py").write_text("import pytest\n", encoding="utf-8")
    findings = check_plugin(folder)
    assert [finding.key for finding in findings if finding.level == "warning"] == ["finding.import_impure"]
    assert errors(findings) == set()


def test_what_a_refused_plugin_contains_is_not_run(write_plugin, tmp_path):
    marker = tmp_path / "ran"
    folder = write_plugin(source=f"import pytest\nopen({str(marker)!r}, 'w')\n" + PARSER)
    assert "import_forbidden" in errors(check_plugin(folder))
    assert not marker.exists()


def test_an_edited_plugin_is_checked_anew(write_plugin):
    folder = write_plugin()
    assert errors(check_plugin(folder)) == set()
    (folder / "parser.py").write_text(PARSER.replace("return 0.9 if", "return 0.4 if"), encoding="utf-8")
    assert errors(check_plugin(folder)) == {"not_recognised"}


def test_captures_may_be_given_beside_the_fixtures(write_plugin, tmp_path):
    other = tmp_path / "other.txt"
    other.write_bytes(b"nothing of this plug-in\n")
    findings = check_plugin(write_plugin(), [other])
    assert errors(findings) == {"not_recognised"}


def test_without_fixtures_the_author_is_told(write_plugin):
    folder = write_plugin()
    (folder / "fixtures" / "sample.txt").unlink()
    assert [finding.key for finding in check_plugin(folder) if finding.level == "warning"] == ["finding.no_fixtures"]


def test_a_capture_can_be_read_for_an_authors_own_test(write_plugin):
    folder = write_plugin()
    outcome = read_capture(folder, folder / "fixtures" / "sample.txt")
    assert outcome.values("value")[:8] == [0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 0.5]
    with pytest.raises(LookupError):
        read_capture(folder, folder / "plugin.toml")


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        (b"", 0),
        (b"\n", 1),
        (b"a", 1),
        (b"a\n", 1),
        (b"a\r\nb", 2),
        (b"\xef\xbb\xbf", 0),
        (b"\xef\xbb\xbfa\n\n", 2),
        ("\ufeffa\nb\n".encode("utf-16-le"), 2),
    ],
)
def test_lines_are_counted_from_the_bytes(data, lines):
    assert count_lines(data) == lines
