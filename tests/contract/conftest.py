"""Small plug-ins to play with, and probes made ready to run."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent

import pytest

from tunebench.sdk.probes import ParameterKind, Probe

MANIFEST = """
id = "{id}"
name = {{ en = "Test", ko = "시험" }}
version = "1.0"
api = ["1"]
[[parsers]]
id = "{parser}"
entry = "{module}:{cls}"
tools = ["demo"]
os = ["linux"]
"""

PARSER = '''
"""Lines ``demo <seconds> <value>``."""
from tunebench.sdk import LineParser, TableBuilder


class DemoParser(LineParser):
    def __init__(self, context):
        super().__init__(context)
        self.table = TableBuilder("demo", ["value"], None, self.book)

    @staticmethod
    def sniff(head, file_name):
        return 0.9 if head.startswith(b"demo ") else 0.0

    def read_lines(self, first_line, lines):
        for number, line in enumerate(lines, first_line):
            words = line.split()
            if len(words) == 3 and words[0] == b"demo" and words[1].isdigit() and len(words[1]) < 10:
                self.book.data()
                self.table.row(self.times.at_epoch(int(words[1])), number, b"", words[2])
            elif not words:
                self.book.blank()
            else:
                self.book.skip("not_a_table", number, line)
        return list(self.table.flush())

    def close_tables(self):
        return list(self.table.flush(final=True))
'''

SAMPLE = b"".join(b"demo %d %d.5\n" % (1_700_000_000 + step, step % 7) for step in range(40))[:-1]
SAMPLE = SAMPLE.replace(b"1700000", b"700000")  # nine digits: the parser above takes no longer ones

PluginWriter = Callable[..., Path]


@pytest.fixture
def write_plugin(tmp_path: Path) -> PluginWriter:
    """Writes a plug-in folder; `change` replaces text of the parser, `manifest` the whole manifest."""

    def write(
        place: str = "user/demo",
        plugin_id: str = "test.demo",
        parser_id: str = "demo.demo",
        change: tuple[str, str] = ("", ""),
        source: str = PARSER,
        manifest: str = "",
        sample: bytes = SAMPLE,
    ) -> Path:
        folder = tmp_path / place
        (folder / "fixtures").mkdir(parents=True)
        filled = manifest or MANIFEST.format(id=plugin_id, parser=parser_id, module="parser", cls="DemoParser")
        (folder / "plugin.toml").write_text(dedent(filled), encoding="utf-8")
        assert change[0] in source
        (folder / "parser.py").write_text(source.replace(*change) if change[0] else source, encoding="utf-8")
        (folder / "fixtures" / "sample.txt").write_bytes(sample)
        return folder

    return write


@dataclass(frozen=True)
class RenderedProbe:
    """A probe's command for this machine: `PATH` is that of a plain UNIX account with the system's tools."""

    PATH = "/usr/bin:/bin:/usr/sbin:/sbin"
    line: str
    environment: Mapping[str, str]


SAMPLES = {
    ParameterKind.PATH: "/tmp",
    ParameterKind.NAME: "sda",
    ParameterKind.NUMBER: "10",
    ParameterKind.COMMAND: "true",
    ParameterKind.DAYS: "2",
}


def render_probe(probe: Probe, path: str = RenderedProbe.PATH, **values: str) -> RenderedProbe:
    """Two samples a second apart; a parameter that is not given has its default, or a sample of its kind."""
    chosen = {one.name: values.get(one.name) or one.default or SAMPLES[one.kind] for one in probe.parameters}
    quoted = {name: shlex.quote(value) for name, value in chosen.items()}
    line = probe.command.format(interval=1, count=2, duration=2, day="21", date="20261121", **quoted)
    return RenderedProbe(line, {"PATH": path, **probe.environment})
