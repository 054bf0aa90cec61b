"""What engagements have in common, and what a change brought in all of them, on an archive whose answers are known."""

from __future__ import annotations

from math import exp, log
from pathlib import Path

import pytest

from tunebench.archive.archive import Archive
from tunebench.archive.layout import ENGAGEMENTS, TABLES
from tunebench.usecases.archiving.experience import Done, effects, similar
from tunebench.usecases.archiving.facade import facets, find
from tunebench.usecases.archiving.words import done_text, unmeasured_text

Row = dict[str, object]


def row(table: str, **values: object) -> Row:
    return {**dict.fromkeys(TABLES[table]), **values}


def case(
    archive: Archive,
    id_: str,
    *,
    os: str,
    rules: tuple[str, ...],
    state: str = "executed",
    effect: Row | None = None,
    change: str = "shared_buffers",
) -> None:
    """An engagement with findings before, and one change."""
    action = row("actions", iteration=1, number="A-1", title="More cache", state=state, changes=change, effect="")
    tables = {
        ENGAGEMENTS: [row(ENGAGEMENTS, title=f"Case {id_}", added_ns=1)],
        "hosts": [row("hosts", host="db", os=os)],
        "findings": [row("findings", rule=rule, severity="warning", phase="before", explained_by="") for rule in rules],
        "actions": [action],
        "effects": [row("effects", iteration=1, number="A-1", price=False, metric="tps", **effect)] if effect else [],
    }
    archive.put(id_, "1", tables)


def measured(ratio: float, error: float) -> Row:
    reach = 1.959963984540054 * error
    ends = {"low": exp(log(ratio) - reach), "high": exp(log(ratio) + reach)}
    return {"ratio": ratio, **ends, "state": "verification_state.confirmed"}


@pytest.fixture
def archive(tmp_path: Path) -> Archive:
    made = Archive.begun(tmp_path / "archive")
    case(made, "aa", os="linux", rules=("X-DSK-05", "X-MEM-02"))
    case(made, "bb", os="linux", rules=("X-DSK-05", "X-MEM-02"), effect=measured(2.0, 0.1))
    case(made, "cc", os="linux", rules=("X-DSK-05",), effect=measured(2.0, 0.1))
    case(made, "dd", os="aix", rules=("X-CPU-01",), effect={"ratio": 0.5, "state": "verification_state.worse"})
    case(made, "ee", os="linux", rules=(), state="rolled_back")
    case(made, "ff", os="linux", rules=(), state="proposed")
    return made


def test_who_shares_what_is_rare_comes_first(archive: Archive) -> None:
    found = similar(archive, "aa")
    assert [each.engagement for each in found][:2] == ["bb", "cc"]
    assert found[0].score == pytest.approx(1.0) and 0 < found[1].score < 1
    assert found[0].shared[0] == ("rule", "X-MEM-02")  # one other has it; two have the disk's, four are Linux
    assert dict(found[-1].shared) == {"change": "shared_buffers"}
    assert found[0].done == (Done("More cache", "executed", (("tps", "verification_state.confirmed", 2.0),)),)
    assert done_text(found[0].done[0], "en") == "More cache: executed; tps confirmed 2.00x"


def test_what_is_not_there_is_like_nothing(archive: Archive) -> None:
    assert similar(archive, "zz") == []


def test_a_change_is_told_with_its_failures(archive: Archive) -> None:
    (tps,) = effects(archive, "shared")
    assert (tps.change, tps.metric, tps.cases, tps.rolled_back, tps.measured) == ("shared_buffers", "tps", 5, 1, 3)
    assert tps.unmeasured == ("Case aa", "Case ee")
    assert tps.median == 2.0  # of 2, 2 and 0.5
    assert tps.mean == pytest.approx(2.0)  # the two with an interval, which agree
    assert tps.low is not None and tps.high is not None and tps.low < 1.3 and tps.high > 3  # and are but two
    assert tps.states == {"verification_state.confirmed": 2, "verification_state.worse": 1}
    assert unmeasured_text(tps, "en") == "Not measured – shared_buffers, tps: Case aa, Case ee"


def test_what_was_measured_before_a_roll_back_counts_like_the_rest(archive: Archive) -> None:
    """Six times 1.31 on the average and once 1.10, which was taken back: it is 1.28 of seven, not 1.31 of six."""
    ratios = [1.25, 1.28, 1.30, 1.32, 1.34, 1.37]
    for number, ratio in enumerate([*ratios, 1.10]):
        state = "rolled_back" if ratio == 1.10 else "executed"
        case(
            archive,
            f"m{number}",
            os="solaris",
            rules=(),
            state=state,
            effect=measured(ratio, 0.001),
            change="maxcontig",
        )
    (effect,) = effects(archive, "maxcontig")
    assert (effect.cases, effect.rolled_back, effect.measured, effect.unmeasured) == (7, 1, 7, ())
    assert effect.median == 1.30
    every = exp(sum(map(log, [*ratios, 1.10])) / 7)  # the errors are alike and small: all weigh the same
    assert effect.mean == pytest.approx(every, rel=1e-4) == pytest.approx(1.277, abs=1e-3)


def test_a_change_that_nobody_measured_is_there(archive: Archive) -> None:
    case(archive, "gg", os="linux", rules=(), change="noatime")
    (effect,) = effects(archive, "noatime")
    assert (effect.metric, effect.cases, effect.measured, effect.median, effect.unmeasured) == (
        "",
        1,
        0,
        None,
        ("Case gg",),
    )


def test_only_what_was_carried_out_counts(archive: Archive) -> None:
    assert "ff" not in {each.engagement for each in similar(archive, "aa") if each.done}
    assert effects(archive, "innodb") == []


def test_what_find_can_be_narrowed_by_is_counted_by_engagement(archive: Archive) -> None:
    by_facet = {(facet.facet, facet.value): facet.engagements for facet in facets(archive)}
    assert by_facet == {
        ("change", "shared_buffers"): 6,
        ("state", "action.executed"): 4,
        ("state", "action.rolled_back"): 1,
        ("state", "action.proposed"): 1,
        ("state", "finding.warning"): 4,
        ("system", "linux"): 5,
        ("system", "aix"): 1,
    }
    for (facet, value), engagements in by_facet.items():
        assert len({hit.engagement for hit in find(archive, [], **{facet: value})}) == engagements
    assert {hit.state for hit in find(archive, ["cache"], system="linux", state="action.rolled_back")} == {
        "rolled_back"
    }
