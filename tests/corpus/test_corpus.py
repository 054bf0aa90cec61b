"""Every file of the corpus through the real import: read with a balanced account, or refused with the right sentence.

`RESULTS.md` is what was found. Where the corpus or a parser changes, it is written anew by
``python -m tests.corpus.test_corpus`` and read before it is committed.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from tests.conftest import CORPUS
from tests.corpus.expected import Expected, expected_of, unused_patterns
from tests.program import compose
from tunebench.core.errors import UserError
from tunebench.core.messages import catalogue
from tunebench.domain.engagement import Engagement
from tunebench.domain.ledger import ImportState, Ledger
from tunebench.usecases import projects
from tunebench.usecases.importing import imports
from tunebench.usecases.importing.results import ImportedFile, ImportOptions

RESULTS = Path(__file__).with_name("RESULTS.md")
STATEMENTS = ("postgresql.views", "mysql.")  # tell of SQL statements and counters, not of time
pytestmark = pytest.mark.skipif(not CORPUS.is_dir(), reason="the capture corpus is not beside the project")


@dataclass(frozen=True)
class Found:
    """What became of one file; of a binary sar file the binary is kept and its text read.

    Attributes:
        place: ``wild/df/name``.
        state: of the text where there are two.
    """

    place: str
    state: ImportState
    parser: str
    kept: bool
    ledger: Ledger
    facts: int
    error: UserError | None

    @property
    def kind(self) -> str:
        return self.place.rpartition("/")[0]

    @property
    def read(self) -> bool:
        """Whether every line is accounted for; it need not have told anything."""
        return self.state in (ImportState.IMPORTED, ImportState.DUPLICATE) or self.ledger.lines.total > 0

    @property
    def why(self) -> str:
        """Why it is refused or empty, as the person reads it."""
        return "" if self.error is None else catalogue("en").error(UserError(self.error.key, **self._facts()))

    def _facts(self) -> dict[str, object]:
        assert self.error is not None
        return {name: "FILE" if name == "path" else fact for name, fact in self.error.facts.items()}


@cache
def findings() -> tuple[Found, ...]:
    compose()
    with tempfile.TemporaryDirectory(prefix="tunebench-corpus-") as folder:
        return tuple(found for kind in _kinds() for found in _imported(kind, Path(folder)))


def _kinds() -> Iterator[list[Path]]:
    """The files of one kind, as somebody would hand them in."""
    for place in ("made", "wild"):
        for path in sorted((CORPUS / place).iterdir()):
            yield [path] if path.is_file() else sorted(each for each in path.rglob("*") if each.is_file())


def _imported(paths: list[Path], folder: Path) -> Iterator[Found]:
    name = "-".join(paths[0].parent.relative_to(CORPUS).parts)
    project = projects.create(folder / f"{name}.tune", Engagement(title="T", customer="C", zone="Asia/Seoul"))
    try:
        files = imports.import_captures(project, paths, ImportOptions()).files
    finally:
        projects.close(project)
    for path in paths:
        theirs = [file for file in files if file.path == str(path) or file.path.startswith(f"{path}!/")]
        yield _found(path.relative_to(CORPUS).as_posix(), theirs)


def _found(place: str, files: list[ImportedFile]) -> Found:
    kept = len(files) > 1 and files[0].state is ImportState.KEPT
    file = files[1] if kept else files[0]
    assert len(files) == 1 + kept, (place, files)
    return Found(place, file.state, file.parser, kept, file.ledger, file.facts, file.error)


# --- what is demanded
def test_somebody_looked_at_every_file():
    places = [path.relative_to(CORPUS).as_posix() for kind in _kinds() for path in kind]
    assert [place for place in places if expected_of(place) is None] == []
    assert unused_patterns(places) == []


def test_every_file_is_read_or_refused_as_it_should_be():
    assert len(findings()) > 350
    wrong = {}
    for found in findings():
        name = str(found.error.facts.get("name", "")) if found.error else ""
        have = Expected(found.parser, found.error.key if found.error else "", name)
        same = found.state is ImportState.DUPLICATE  # its figures are those of the other file
        if not same and have != expected_of(found.place):
            wrong[found.place] = have
    assert wrong == {}


def test_every_line_of_what_is_read_is_accounted_for():
    for found in findings():
        if found.state is ImportState.IMPORTED:
            lines = found.ledger.lines
            assert lines.balanced and lines.total > 0, found.place
            assert all(entry.count > 0 and entry.first_line > 0 for entry in found.ledger.skipped), found.place


def test_what_is_read_has_figures_or_facts():
    """Nothing is called read that told nothing; the tools' own empty outputs say so."""
    for found in findings():
        if found.state is ImportState.IMPORTED and found.error is None:
            assert found.ledger.samples or found.facts or found.parser.startswith(STATEMENTS), found.place


def test_a_refused_file_leaves_nothing_behind():
    for found in findings():
        if not found.read and not found.kept:
            assert found.state is ImportState.UNRECOGNISED, (found.place, found.state)
            assert found.why.startswith("FILE: "), found.place


def test_the_table_is_up_to_date():
    assert RESULTS.read_text("utf-8") == table(findings()), "python -m tests.corpus.test_corpus"


# --- the table
_HEAD = """# What becomes of every file of the corpus

Written by `python -m tests.corpus.test_corpus`, compared by the test.
*Read* counts files whose every line is accounted for: data, heading, blank, or skipped for a reason. *Lines* adds them up.
What a benchmark or a database printed when it was done is no capture over time; its sentence says where it belongs.

| kind | files | read | by | lines | skipped | refused |
| --- | ---: | ---: | --- | ---: | ---: | ---: |
"""


def table(found: tuple[Found, ...]) -> str:
    kinds = dict.fromkeys(one.kind for one in found)
    rows = [_row(kind, [one for one in found if one.kind == kind]) for kind in kinds]
    text = _HEAD + "\n".join(rows) + "\n" + _totals(found)
    return (
        text
        + _reasons("Refused", [one for one in found if not one.read])
        + _reasons("Read, with a remark", [one for one in found if one.read and one.error is not None])
    )


def _row(kind: str, found: list[Found]) -> str:
    read = [one for one in found if one.read]
    parsers = ", ".join(dict.fromkeys(one.parser for one in read if one.parser))
    lines = [one.ledger.lines for one in read]
    place = f"`{kind}/`"
    return (
        f"| {place} | {len(found)} | {len(read)} | {parsers} | {sum(each.total for each in lines)} |"
        f" {sum(each.skipped for each in lines)} | {len(found) - len(read)} |"
    )


def _totals(found: tuple[Found, ...]) -> str:
    read = [one for one in found if one.read]
    same = sum(one.state is ImportState.DUPLICATE for one in read)
    return (
        f"\n{len(found)} files: {len(read)} read ({same} of them byte by byte the same as another),"
        f" {len(found) - len(read)} refused.\n"
    )


def _reasons(title: str, found: list[Found]) -> str:
    """Files with the same sentence, kind by kind."""
    groups: dict[tuple[str, str], int] = {}
    for one in found:
        why = one.why.replace(one.place.rpartition("/")[2], "FILE").removeprefix("FILE: ")
        groups[one.kind, why] = groups.get((one.kind, why), 0) + 1
    rows = [f"| `{kind}/` | {count} | {why.replace('|', '/')} |" for (kind, why), count in groups.items()]
    return f"\n## {title}\n\n| kind | files | what the person reads |\n| --- | ---: | --- |\n" + "\n".join(rows) + "\n"


if __name__ == "__main__":
    RESULTS.write_text(table(findings()), "utf-8")
