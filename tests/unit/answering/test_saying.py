"""A verdict's word is not written without what has to be known to read it."""

from __future__ import annotations

import itertools

import pytest

from tunebench.columns.column import Locale
from tunebench.columns.saying import SUBJECT, Notes, said
from tunebench.domain.provenance import Disclosure, Judgement, Weight

ENGLISH, KOREAN = Locale("en"), Locale("ko")
MET = "cycle.target_state", "met"


def disclosure(key: str, weight: Weight = Weight.TOLD) -> Disclosure:
    return Disclosure(key, {"en": f"{key}, told.", "ko": f"{key} 고지."}, weight)


def test_neither_a_judgement_nor_its_word_is_text_by_itself() -> None:
    judgement = Judgement(*MET, (disclosure("own"),))
    for bare in (judgement, said(judgement, ENGLISH)):
        with pytest.raises(TypeError):
            str(bare)
        with pytest.raises(TypeError):
            f"{bare}"


def test_marks_have_their_notes_on_the_same_page() -> None:
    with Notes() as notes:
        assert notes.mark(said(Judgement(*MET, (disclosure("a"), disclosure("b"))), ENGLISH)) == "met¹,²"
        assert notes.mark(said(Judgement(*MET, (disclosure("b"),)), ENGLISH)) == "met²"
        assert notes.lines() == ("¹ a, told.", "² b, told.")


def test_a_page_that_leaves_its_notes_out_is_refused() -> None:
    with pytest.raises(RuntimeError), Notes() as notes:
        notes.mark(said(Judgement(*MET, (disclosure("a"),)), ENGLISH))
    late = Notes()
    late.lines()
    late.mark(said(Judgement(*MET, (disclosure("a"),)), ENGLISH))
    with pytest.raises(RuntimeError):
        late.__exit__(None, None, None)


def test_what_the_word_is_subject_to_stands_inside_it() -> None:
    judgement = Judgement(*MET, (disclosure(SUBJECT),))
    with Notes() as notes:
        assert notes.mark(said(judgement, ENGLISH)) == "met (subject, told.)"
        assert notes.mark(said(judgement, KOREAN)) == "목표 달성(subject 고지.)"
        assert notes.lines() == ()


@pytest.mark.parametrize("weights", list(itertools.product(Weight, repeat=2)))
def test_the_gravest_disclosure_decides_on_the_word(weights: tuple[Weight, Weight]) -> None:
    judgement = Judgement(*MET, tuple(disclosure(f"n{index}", weight) for index, weight in enumerate(weights)))
    with Notes() as notes:
        word = notes.mark(said(judgement, ENGLISH)).rstrip("¹²,")
        notes.lines()
    wanted = {Weight.TOLD: "met", Weight.STATED: "met, as stated", Weight.FORBIDS: "not established"}
    assert word == wanted[max(weights, key=list(Weight).index)]
