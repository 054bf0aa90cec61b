"""The reference: quotations are the documents' own words, both languages are there, and everything is found."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tunebench.analysis.calculators.catalogue import CALCULATORS
from tunebench.core.errors import UserError
from tunebench.domain.reference import Entry, EntryKind, Trust
from tunebench.usecases.reference import entries as reference

SHARED = ROOT.parent / "shared"
FOUNDING = SHARED / "founding-documents"
FACTS = SHARED / "facts" / "seed-facts.yaml"
ENTRIES = reference.entries()


def spaced(words: str) -> str:
    return re.sub(r"\s+", " ", words).strip()


@cache
def document(number: str) -> str:
    (path,) = FOUNDING.glob(f"{number}_*.txt")
    return spaced(path.read_text(encoding="utf-8"))


def of_kind(kind: EntryKind) -> list[Entry]:
    return [entry for entry in ENTRIES if entry.kind is kind]


def found(words: str) -> list[str]:
    return [entry.id for entry in reference.search(words)]


# --- what is there
def test_every_quotation_stands_in_its_document() -> None:
    if not FOUNDING.is_dir():
        pytest.skip("the founding documents are not beside the project")
    strange = [
        f"{entry.id}: {statement.quotation}"
        for entry in ENTRIES
        for statement in entry.statements
        if statement.quotation and spaced(statement.quotation) not in document(statement.source)
    ]
    assert strange == []


def test_every_fact_of_the_documents_is_an_entry_with_its_words() -> None:
    if not FACTS.is_file():
        pytest.skip("the facts are not beside the project")
    yaml = pytest.importorskip("yaml")
    facts = yaml.safe_load(FACTS.read_text(encoding="utf-8"))
    assert [fact["id"] for fact in facts["rules"] if not reference.known(fact["id"])] == []
    assert [name for name in facts["tables"] if not reference.known(name)] == []
    for fact in facts["rules"]:
        entry = reference.find(fact["id"])
        assert entry.statements[0].quotation == fact["quote"]
        assert entry.trust is Trust(fact["confidence"])


def test_every_entry_speaks_both_languages() -> None:
    for entry in ENTRIES:
        for texts in (entry.title, entry.text, entry.caveat, entry.attribution):
            if texts is not None:
                assert set(texts) == {"ko", "en"} and all(words.strip() for words in texts.values()), entry.id
                assert not re.search("[가-힣]", texts["en"]), entry.id
        assert re.search("[가-힣]", entry.text["ko"]), entry.id


def test_every_entry_says_where_it_comes_from() -> None:
    for entry in ENTRIES:
        assert entry.attribution is not None or any(said.source in reference.sources() for said in entry.statements)
        for said in entry.statements:
            assert bool(said.quotation) is not (said.computed is not None), entry.id


def test_ids_are_unique_and_lead_somewhere() -> None:
    ids = [entry.id for entry in ENTRIES]
    assert len(ids) == len(set(ids)) >= 200
    calculators = {each.id for each in CALCULATORS}
    for entry in ENTRIES:
        assert set(entry.related) <= set(ids) - {entry.id}, entry.id
        assert set(entry.calculators) <= calculators, entry.id
    for each in CALCULATORS:
        assert each.entries and set(each.entries) <= set(ids), each.id


def test_the_seventeen_contradictions_show_two_statements_each() -> None:
    contradictions = of_kind(EntryKind.CONTRADICTION)
    assert [entry.id for entry in contradictions] == [f"C-{number:02}" for number in range(1, 18)]
    assert all(len(entry.statements) >= 2 for entry in contradictions)
    assert any("2,649" in (said.computed or {}).get("ko", "") for said in reference.find("C-11").statements)


def test_tables_are_rectangular() -> None:
    for entry in of_kind(EntryKind.TABLE):
        assert entry.columns is not None and entry.rows
        assert all(entry.rows.values())
        widths = {len(row) for rows in entry.rows.values() for row in rows} | {
            len(columns) for columns in entry.columns.values()
        }
        assert len(widths) == 1, entry.id


def test_an_unknown_entry_is_refused() -> None:
    with pytest.raises(UserError) as refusal:
        reference.find("SF-999")
    assert refusal.value.key == "reference_unknown"


# --- search
def test_nothing_asked_lists_everything_by_kind() -> None:
    kinds = [entry.kind for entry in reference.search("  ")]
    assert len(kinds) == len(ENTRIES)
    assert kinds == sorted(kinds, key=list(EntryKind).index)


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ("svc_t 병목", "SF-052"),
        ("SF-052", "SF-052"),
        ("sf052", "SF-052"),
        ("쓰기페널티", "M-WRITE-PENALTY"),
        ("쓰기 페널티", "M-WRITE-PENALTY"),
        ("페널", "M-WRITE-PENALTY"),
        ("write penalty", "M-WRITE-PENALTY"),
        ("GFS 7배", "C-10"),
        ("44.593", "C-01"),
        ("ncsize", "SF-101"),
        ("Drop-Off", "SF-063"),
        ("가상스왑", "SF-403"),
    ],
)
def test_the_wanted_entry_is_among_the_first_three(words: str, wanted: str) -> None:
    assert wanted in found(words)[:3]


def test_blanks_do_not_matter_in_korean() -> None:
    assert found("디스크병목") and set(found("디스크병목")) >= {"SF-052", "SF-308"}
    assert set(found("응답시간")) == set(found("응답 시간"))


def test_all_words_count_and_the_most_where_no_entry_has_all() -> None:
    both = found("maxcontig maxphys")
    assert set(both) <= set(found("maxcontig")) & set(found("maxphys")) and "SF-090" in both
    assert "SF-403" in found("가상스왑 xyzzy")
    assert found("xyzzy") == []


def test_decomposed_hangul_and_wide_letters_are_found() -> None:
    import unicodedata

    assert found(unicodedata.normalize("NFD", "스트라이핑"))[:1] == found("스트라이핑")[:1] != []
    assert found("ＲＡＩＤ 5") == found("raid 5")


def test_a_kind_narrows_the_search() -> None:
    kinds = {entry.kind for entry in reference.search("iostat", EntryKind.TABLE)}
    assert kinds == {EntryKind.TABLE}


def test_the_data_are_all_read() -> None:
    files = {path.name for path in (ROOT / "resources" / "reference").glob("*.toml")}
    assert "sources.toml" in files and len(files) == 12
    assert isinstance(Path(ROOT), Path) and set(reference.sources()) == {"000", "001", "002", "003", "004"}
