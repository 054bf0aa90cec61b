"""What pays is watched, in the same edit that makes it pay."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.unit.diagnosis.cycle_case import ACTION, CPU, apply, book, keys, only
from tunebench.core.messages import LANGUAGES
from tunebench.diagnosis.cycle.gates import may_execute
from tunebench.diagnosis.cycle.guards import FORMS, guards_of, missing_guards, with_guards
from tunebench.domain.cycle.book import CycleEdit, RecordChange
from tunebench.domain.cycle.records import ManualSource, SeriesSource, SystemInScope, SystemKind
from tunebench.domain.cycle.worksheet import Action, ActionState, Impact, Resource
from tunebench.domain.engagement import Direction
from tunebench.plughost.catalogue import MetricCatalogue

MEMORY = Impact(Resource.MEMORY, -2)
PAYING = replace(ACTION, impacts=(*ACTION.impacts, MEMORY, replace(MEMORY, note="twice")))


def test_each_resource_that_pays_needs_one_guard():
    assert missing_guards(book(), ACTION) == ()
    assert missing_guards(book(), PAYING) == (Resource.MEMORY,)
    assert missing_guards(book(replace(CPU, guards=None)), ACTION) == (Resource.CPU,)
    assert missing_guards(book(), replace(ACTION, impacts=(Impact(Resource.MEMORY, 2),))) == ()


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_price_brings_its_guard_in_the_same_edit(language):
    edit = with_guards(book(), CycleEdit("set", (RecordChange(ACTION, PAYING),)), language)
    after, real = apply(book(), edit)
    guard = only(guards_of(after, PAYING), resource="memory")
    assert (guard.statistic, guard.unit, guard.direction) == ("min", "MB", Direction.HIGHER)
    assert guard.source == SeriesSource("db1", "", "", "system.memory.available")  # the host that is measured
    assert ACTION.title in guard.name and guard.definition
    assert may_execute(after, PAYING) == ()
    assert apply(after, real.inverse)[0] == book()


def test_a_new_action_brings_its_guards():
    new = replace(PAYING, id=0, title="another")
    after, _ = apply(book(), with_guards(book(), CycleEdit("add", (RecordChange(None, new),)), "en"))
    action = only(after.all(Action), title="another")
    assert {metric.resource for metric in guards_of(after, action)} == {"cpu", "memory"}


def test_an_edit_that_costs_nothing_stays_as_it_is():
    edit = CycleEdit("set", (RecordChange(ACTION, replace(ACTION, title="other")),))
    assert with_guards(book(), edit, "en") is edit
    dropped = replace(PAYING, state=ActionState.DROPPED)
    assert len(with_guards(book(), CycleEdit("drop", (RecordChange(ACTION, dropped),)), "en").changes) == 1
    removal = CycleEdit("remove", (RecordChange(ACTION, None),))
    assert with_guards(book(without=(3,)), removal, "en") is removal


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_resource_can_be_watched(language):
    free = book(without=(3,))
    paying = replace(ACTION, impacts=tuple(Impact(resource, -1) for resource in Resource))
    after, _ = apply(free, with_guards(free, CycleEdit("set", (RecordChange(ACTION, paying),)), language))
    guards = guards_of(after, paying)
    assert [guard.resource for guard in guards] == [resource.value for resource in Resource]
    assert all("⟨" not in guard.name + guard.definition for guard in guards)
    by_hand = [guard for guard in guards if isinstance(guard.source, ManualSource)]
    assert {guard.resource for guard in by_hand} == {"durability", "availability", "cost", "manageability"}
    assert all("⟨" not in str(guard.source) for guard in by_hand)
    assert keys(may_execute(after, paying)) == []


def test_the_host_is_taken_where_it_is_one():
    def host(*hosts: str) -> str:
        systems = [SystemInScope(200 + n, SystemKind.HOST, name, host=name) for n, name in enumerate(hosts)]
        at = book(*systems, without=(3,))
        after, _ = apply(at, with_guards(at, CycleEdit("set", (RecordChange(ACTION, PAYING),)), "en"))
        source = only(guards_of(after, PAYING), resource="memory").source
        assert isinstance(source, SeriesSource)
        return source.host

    assert (host("db1"), host("db1", "web1"), host()) == ("db1", "", "")


def test_every_guard_metric_is_in_the_catalogue():

    catalogue = MetricCatalogue.load()
    named = [form.metric for form in FORMS.values() if form.metric]
    assert [metric for metric in named if catalogue.metric(metric) is None] == []
    assert set(FORMS) == set(Resource)
