"""Known effects are proposed for what is changed, and taken over without overwriting anything."""

from __future__ import annotations

from dataclasses import replace

from tests.unit.diagnosis.cycle_case import ACTION, apply, book, only
from tunebench.diagnosis.cycle.known_effects import effect_edit, proposals, with_effect
from tunebench.domain.cycle.records import Metric
from tunebench.domain.cycle.worksheet import Action, Basis, ChangeMode, Impact, ParameterChange, Resource
from tunebench.sdk.effects import EffectImpact, KnownEffect


def effect(name: str, *parameters: str, coupled: tuple[str, ...] = ()) -> KnownEffect:
    impacts = (
        EffectImpact(
            Resource.CPU,
            -1,
            expected=10.7,
            unit="%",
            basis=Basis.FOUNDING,
            source="000 4.4",
            note={"en": "sys time", "ko": "sys 시간"},
        ),
        EffectImpact(Resource.MEMORY, -1, basis=Basis.FOUNDING, source="000 4.4"),
    )
    caveat = {"en": "one run", "ko": "한 번 측정"}
    return KnownEffect(name, {"en": name}, parameters, coupled, ChangeMode.REBOOT, "000 4.4", impacts, caveat)


WRITE_BEHIND = effect("write_behind", "maxcontig", coupled=("maxphys",))
TRANSFER = effect("transfer", "maxphys", "vol_maxio")
BOTH = effect("both", "maxcontig", "maxphys")
DRAFT = replace(ACTION, impacts=(), changes=(ParameterChange("maxcontig", "6", "128"),))


def test_what_knows_the_changed_parameters_is_proposed_the_best_first():
    assert proposals((WRITE_BEHIND, TRANSFER, BOTH), ACTION) == (BOTH, WRITE_BEHIND, TRANSFER)
    assert proposals((TRANSFER,), replace(ACTION, changes=(ParameterChange("vxio:vol_maxio"),))) == (TRANSFER,)
    assert proposals((TRANSFER,), replace(ACTION, changes=(ParameterChange("set MAXPHYS"),))) == (TRANSFER,)
    assert proposals((WRITE_BEHIND,), replace(ACTION, changes=(ParameterChange("ncsize"), ParameterChange(" ")))) == ()


def test_the_effect_that_an_action_names_is_proposed_whatever_its_parameters():
    named = replace(ACTION, known_effect="transfer", changes=(ParameterChange("전송 크기"),))
    assert proposals((WRITE_BEHIND, TRANSFER), named) == (TRANSFER,)


def test_an_effect_fills_the_row():
    filled = with_effect(DRAFT, WRITE_BEHIND, "ko")
    assert filled.impacts[0] == Impact(
        Resource.CPU, -1, expected=10.7, unit="%", basis=Basis.FOUNDING, source="000 4.4", note="sys 시간"
    )
    assert [impact.resource for impact in filled.impacts] == [Resource.CPU, Resource.MEMORY]
    assert filled.changes[1] == ParameterChange("maxphys", mode=ChangeMode.REBOOT)
    assert (filled.known_effect, filled.caveat) == ("write_behind", "한 번 측정")


def test_what_the_consultant_wrote_stays():
    own = Impact(Resource.CPU, -1, expected=3.0, unit="%", basis=Basis.ESTIMATE)
    mine = replace(DRAFT, impacts=(own,), caveat="mine")
    filled = with_effect(mine, WRITE_BEHIND, "en")
    assert filled.impacts[0] == own and [impact.resource for impact in filled.impacts[1:]] == [Resource.MEMORY]
    assert filled.caveat == "mine\none run"
    assert with_effect(filled, WRITE_BEHIND, "en") == filled


def test_an_effect_on_an_empty_row_adds_no_parameter():
    assert with_effect(replace(DRAFT, changes=()), WRITE_BEHIND, "en").changes == ()


def test_what_it_makes_pay_is_watched_at_once():
    before = book(DRAFT)
    after, edit = apply(before, effect_edit(before, DRAFT, WRITE_BEHIND, "en"))
    action = only(after.all(Action))
    assert {metric.resource for metric in after.all(Metric) if metric.guards == action.id} == {"cpu", "memory"}
    assert apply(after, edit.inverse)[0] == before
