"""How the outputs of the working tree differ from those of a revision: lines and cells old -> new, and pages that look different.

    python -m tests.golden.difference REVISION [PART ...]

The revision is checked out beside and runs with this Python; these tests, with their captures, go with it, so that a revision
which has none, or other ones, is asked the same.
"""

from __future__ import annotations

import argparse
import difflib
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import pypdfium2

from tests.golden.outputs import PARTS, outputs
from tests.golden.program import ROOT
from tests.golden.units import Units

_TAKEN_ALONG = ("golden", "made", "fixtures")
_LINES_OF_A_UNIT = 12
_LETTERS_OF_A_LINE = 400
_PICTURE_SCALE = 1.5


@contextmanager
def checked_out(revision: str, folder: Path) -> Iterator[Path]:
    """The tree of a revision with the golden outputs of the working tree; nothing of it stays."""
    tree = folder / "base"
    _git("worktree", "add", "--detach", "--quiet", str(tree), revision)
    try:
        for name in _TAKEN_ALONG:
            shutil.rmtree(tree / "tests" / name, ignore_errors=True)
            shutil.copytree(ROOT / "tests" / name, tree / "tests" / name, ignore=shutil.ignore_patterns("__pycache__"))
        yield tree
    finally:
        _git("worktree", "remove", "--force", str(tree))


def _git(*words: str) -> None:
    subprocess.run(["git", *words], cwd=ROOT, check=True)


def unit_difference(name: str, old: Sequence[str] | None, new: Sequence[str] | None) -> list[str]:
    """The lines of a unit that differ, old -> new where they stand for each other."""
    if old is None or new is None:
        return [f"{name} is {'new' if old is None else 'gone'}"]
    lines = []
    matcher = difflib.SequenceMatcher(a=old, b=new, autojunk=False)
    for tag, first, last, from_, to in matcher.get_opcodes():
        if tag != "equal":
            lines += _replaced(first, old[first:last], new[from_:to])
    more = [f"    ... and {len(lines) - _LINES_OF_A_UNIT} more"] if len(lines) > _LINES_OF_A_UNIT else []
    return [name, *lines[:_LINES_OF_A_UNIT], *more]


def _replaced(first: int, old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    for offset in range(max(len(old), len(new))):
        before = _short(old[offset]) if offset < len(old) else "(no such line)"
        after = _short(new[offset]) if offset < len(new) else "(no such line)"
        yield f"    {first + offset + 1}: {before} -> {after}"


def _short(line: str) -> str:
    return line if len(line) <= _LETTERS_OF_A_LINE else f"{line[:_LETTERS_OF_A_LINE]}..."


def differing_units(old: Units, new: Units) -> Iterator[str]:
    for name in [*old, *(name for name in new if name not in old)]:
        if old.get(name) != new.get(name):
            yield from unit_difference(name, old.get(name), new.get(name))


def differing_pages(old: Path, new: Path) -> list[int]:
    """The numbers of the pages that look different, from 1; of a page too many as well."""
    before, after = _pictures(old), _pictures(new)
    count = max(len(before), len(after))
    return [page + 1 for page in range(count) if before[page : page + 1] != after[page : page + 1]]


def _pictures(path: Path) -> list[bytes]:
    with closing(pypdfium2.PdfDocument(path)) as document:
        return [page.render(scale=_PICTURE_SCALE).to_pil().tobytes() for page in document]


def _differing_documents(old: Path, new: Path) -> Iterator[str]:
    for path in sorted(new.glob("*/*.pdf")):
        base = old / path.relative_to(new)
        if base.exists() and (pages := differing_pages(base, path)):
            yield f"{path.relative_to(new)} looks different on page {', '.join(map(str, pages))}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("revision")
    parser.add_argument("parts", nargs="*", help="all where none is named")
    args = parser.parse_args()
    parts = args.parts or list(PARTS)
    with tempfile.TemporaryDirectory(prefix="tunebench-golden-") as name:
        folder = Path(name)
        with checked_out(args.revision, folder) as tree:
            old = outputs(parts, folder / "old", tree)
        new = outputs(parts, folder / "new")
        lines = [
            f"{part}.{line}" if line[0] != " " else line
            for part in parts
            for line in differing_units(old[part], new[part])
        ]
        lines += _differing_documents(folder / "old", folder / "new")
    print("\n".join(lines) or f"nothing differs from {args.revision}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
