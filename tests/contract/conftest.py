"""Small plug-ins to play with."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import pytest

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
from app.sdk import LineParser, TableBuilder


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
