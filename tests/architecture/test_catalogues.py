"""Both languages say everything, with the same facts, and the code holds keys instead of sentences."""

from __future__ import annotations

import re
from pathlib import Path

import polib
import pytest

from tests.architecture import source_scan as scan

LOCALE = scan.ROOT / "resources" / "locale"
LANGUAGES = ("ko", "en")
PROGRAM = scan.sources("app", "plugins")
# Names are the same in every language: a language is named in itself, a font as its file says.
NAMES = {"한국어", "맑은 고딕", "TuneBench"}
# These read what customers have written (stamps of captures, names of folders); it is input, not output.
READERS_OF_KOREAN = (
    "app/tunebench/sdk/",
    "app/tunebench/families/",
    "app/tunebench/plughost/table_guess.py",
    "app/tunebench/ui/importing/import_form.py",
    "app/tunebench/usecases/importing/phases.py",
)
# Here a sentence without its facts is made into a formula, which fills them in when the workbook is opened.
FORMULA_MAKERS = "app/tunebench/reporting/xlsx/"
# Rooms whose own look-up puts the subject before the key.
SUBJECT_OF_ROOM = {"app/tunebench/reporting/": "report."}


def entries(language: str) -> dict[str, str]:
    return {e.msgid: e.msgstr for path in po_files(language) for e in polib.pofile(str(path)) if not e.obsolete}


def po_files(language: str) -> list[Path]:
    return sorted((LOCALE / language).glob("*.po"))


CATALOGUES = {language: entries(language) for language in LANGUAGES}
KEYS = frozenset(CATALOGUES["ko"]) | frozenset(CATALOGUES["en"])
SUBJECTS = frozenset(key.partition(".")[0] for key in KEYS)


def facts_of(sentence: str) -> frozenset[str]:
    """Place-holders; a fact that comes in both languages (`reason_ko`, `reason_en`) counts as one."""
    return frozenset(re.sub("_(ko|en)$", "", name) for name in scan.place_holders(sentence))


def resolved(path: Path, key: str) -> str:
    """The full key of a look-up in `path`."""
    where = path.relative_to(scan.ROOT).as_posix()
    subject = next((subject for room, subject in SUBJECT_OF_ROOM.items() if where.startswith(room)), "")
    return subject + key if key not in KEYS else key


def listed(findings: object) -> str:
    return "\n".join(str(finding) for finding in findings)  # type: ignore[attr-defined]


def test_both_languages_have_the_same_files() -> None:
    ko, en = ({path.name for path in po_files(language)} for language in LANGUAGES)
    assert ko == en


def test_both_languages_have_the_same_keys() -> None:
    assert set(CATALOGUES["ko"]) == set(CATALOGUES["en"])


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_key_has_a_sentence(language: str) -> None:
    empty = [key for key, sentence in CATALOGUES[language].items() if not sentence.strip()]
    assert not empty, listed(empty)


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_key_is_given_twice(language: str) -> None:
    seen: dict[str, str] = {}
    twice = []
    for path in po_files(language):
        for entry in polib.pofile(str(path)):
            if entry.msgid in seen:
                twice.append(f"{entry.msgid}: {seen[entry.msgid]} and {path.name}")
            seen[entry.msgid] = path.name
    assert not twice, listed(twice)


def test_both_languages_name_the_same_facts() -> None:
    differ = [
        f"{key}: ko {sorted(facts_of(ko))}, en {sorted(facts_of(en))}"
        for key, ko in CATALOGUES["ko"].items()
        if facts_of(ko) != facts_of(en := CATALOGUES["en"].get(key, ""))
    ]
    assert not differ, listed(differ)


def test_english_has_no_hangul() -> None:
    """But for the switch of the language, which everybody must find."""
    english = {key: text for key, text in CATALOGUES["en"].items() if "language" not in key}
    mixed = [key for key, text in english.items() if re.search("[가-힣]", text) and text not in NAMES]
    assert not mixed, listed(mixed)


def test_korean_sentences_are_korean() -> None:
    """A text of three English words or more is a sentence, and a sentence is translated."""
    english = [
        f"{key}: {text}"
        for key, text in CATALOGUES["ko"].items()
        if not re.search("[가-힣]", text) and len(re.findall(r"\b[a-z]{3,}\b", re.sub(r"\{.*?\}", "", text))) >= 3
    ]
    assert not english, listed(english)


def test_every_key_that_the_code_looks_up_exists() -> None:
    missing = [
        f"{use.place}: {use.key}"
        for path in PROGRAM
        for use in scan.key_uses(path)
        if resolved(path, use.key) not in KEYS
    ]
    assert not missing, listed(missing)


def test_every_text_that_reads_like_a_key_is_one() -> None:
    """Keys that travel through variables and tables (`title_key="ui.page.report"`)."""
    prefixes = {key[:k] for key in KEYS for k, letter in enumerate(key) if letter == "."}
    missing = [
        f"{place}: {key}"
        for path in scan.sources("app")
        for place, key in scan.key_literals(path, SUBJECTS)
        if not {key, f"report.{key}"} & KEYS and key not in prefixes and not _begins_a_key(key)
    ]
    assert not missing, listed(missing)


def _begins_a_key(text: str) -> bool:
    """``"ui.report.export_"``, to which the code adds the rest."""
    return text.endswith("_") and any(key.startswith(text) for key in KEYS)


def test_every_composed_key_has_a_sentence() -> None:
    missing = [
        f"{place}: {pattern.pattern}"
        for path in PROGRAM
        for place, pattern in scan.formatted_keys(path)
        if not any(pattern.fullmatch(key) or pattern.fullmatch(key.removeprefix("report.")) for key in KEYS)
    ]
    assert not missing, listed(missing)


def test_every_fact_that_a_sentence_names_is_given() -> None:
    missing = []
    for path in PROGRAM:
        for use in scan.key_uses(path):
            lacking = scan.place_holders(CATALOGUES["en"].get(resolved(path, use.key), "")) - (use.facts or frozenset())
            template = not use.facts and path.relative_to(scan.ROOT).as_posix().startswith(FORMULA_MAKERS)
            if use.facts is not None and lacking and not template:
                missing.append(f"{use.place}: {use.key} lacks {sorted(lacking)}")
    assert not missing, listed(missing)


def test_no_korean_in_the_code() -> None:
    found = [
        f"{place}: {text}"
        for path in scan.sources("app")
        if not path.relative_to(scan.ROOT).as_posix().startswith(READERS_OF_KOREAN)
        for place, text in scan.hangul(path)
        if text not in NAMES
    ]
    assert not found, listed(found)


def test_no_sentences_in_the_code() -> None:
    found = [f"{place}: {text}" for path in scan.sources("app") for place, text in scan.sentences(path)]
    assert not found, listed(found)


def test_widgets_are_not_given_words_directly() -> None:
    found = [
        f"{place}: {text}"
        for path in scan.sources("app/tunebench/ui")
        for place, text in scan.shown_literals(path)
        if text not in NAMES
    ]
    assert not found, listed(found)
