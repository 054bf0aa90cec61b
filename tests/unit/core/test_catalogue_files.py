"""Files of sentences are read as polib reads them, plain or not."""

from __future__ import annotations

from pathlib import Path

import polib

from tunebench.core.messages import read_catalogue_file
from tunebench.core.paths import resources_folder


def _as_polib_says(path: Path) -> dict[str, str]:
    return {e.msgid: e.msgstr for e in polib.pofile(str(path), encoding="utf-8") if e.msgstr and not e.obsolete}


def test_all_files_of_sentences_say_the_same() -> None:
    paths = sorted((resources_folder() / "locale").glob("*/*.po"))
    assert len(paths) > 100
    assert [path for path in paths if read_catalogue_file(path) != _as_polib_says(path)] == []


def test_what_is_not_plain_is_read_too(tmp_path: Path) -> None:
    path = tmp_path / "x.po"
    path.write_text(
        '# a\n#, fuzzy\nmsgid ""\nmsgstr "Language: en\\n"\n\nmsgid "a.b"\nmsgstr ""\n"two\\n"\n"lines \\"q\\" \\\\n"\n\n'
        'msgid "a.empty"\nmsgstr ""\n',
        encoding="utf-8",
    )
    assert read_catalogue_file(path) == _as_polib_says(path) == {"a.b": 'two\nlines "q" \\n'}
    with path.open("a", encoding="utf-8") as file:
        file.write('\nmsgctxt "menu"\nmsgid "a.c"\nmsgstr "c"\n\n#~ msgid "a.old"\n#~ msgstr "gone"\n')
    assert read_catalogue_file(path) == _as_polib_says(path)
    assert read_catalogue_file(path)["a.c"] == "c"
