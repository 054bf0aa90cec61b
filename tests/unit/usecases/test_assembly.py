"""Daily files of one host: one series, what was captured twice, what changed between them, what devices are called."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.program import compose
from tests.unit.usecases import daily_captures as made
from tunebench.columns.comparing_words import caution_text
from tunebench.core.errors import UserError
from tunebench.domain.assembly import DeviceAlias, Relation
from tunebench.domain.engagement import Engagement, EventKind, Phase
from tunebench.domain.ledger import Assumption, Ledger
from tunebench.domain.series import SeriesInfo
from tunebench.domain.windows import run_window
from tunebench.store.audit import trail as audit
from tunebench.store.project import Project
from tunebench.usecases import browse, exports, projects
from tunebench.usecases.comparing import compare
from tunebench.usecases.importing import assembly, configuration_changes, imports
from tunebench.usecases.importing.results import ImportOptions, ImportReport
from tunebench.usecases.reports import success_case as reports

DAY = datetime(2026, 7, 19)
HOUR_NS = 3_600_000_000_000


@pytest.fixture(scope="module", autouse=True)
def services() -> None:
    compose()


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with projects.create(tmp_path / "case.tune", Engagement("tuning", "ACME")) as made_project:
        yield made_project


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made_folder = tmp_path / "week"
    made_folder.mkdir()
    return made_folder


def take(project: Project, *paths: Path, run: str = "week", phase: Phase = Phase.BEFORE) -> ImportReport:
    report = imports.import_captures(project, list(paths), ImportOptions(run=run, phase=phase))
    assert report.complete, [file.error for file in report.files]
    return report


def series_of(project: Project, label: str, run: str | None = None) -> SeriesInfo:
    (found,) = [info for info in browse.list_series(project, run) if info.label == label]
    return found


def kinds(project: Project) -> list[tuple[EventKind, str]]:
    return [(stored.event.kind, stored.event.text) for stored in browse.events(project)]


def test_a_week_of_daily_files_is_one_series_everywhere(project: Project, folder: Path) -> None:
    for day in range(7):
        made.sar_day(folder, DAY + timedelta(days=day), day * made.ROWS_A_DAY)
    take(project, folder)
    info = series_of(project, "all %user")
    assert (info.captures, info.count) == (7, 7 * made.ROWS_A_DAY)
    assert len(browse.list_series(project)) == 6
    assert projects.overview(project).series == 6
    expected = [made.busy(row) for row in range(7 * made.ROWS_A_DAY)]
    assert browse.series_data(project, info.id).values.tolist() == expected
    assert browse.statistics(project, info.id).maximum == max(expected)
    (exported,) = exports.read(project, [info.id])
    assert exported.values.tolist() == expected
    drawn = browse.envelope(project, info.id, info.first_ns or 0, info.last_ns or 0, 5000)
    assert drawn.maximum.tolist() == expected, "no break at midnight"
    fourth = browse.evidence(project, info.id, int(exported.times_ns[3 * made.ROWS_A_DAY + 5]))
    assert fourth.artefact.name == "sar_22.txt"
    assert f"{expected[3 * made.ROWS_A_DAY + 5]:.2f}" in fourth.lines[fourth.line_number - fourth.first_line]
    assert kinds(project) == []


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cuts=st.lists(st.integers(1, 199), min_size=1, max_size=4, unique=True).map(sorted))
def test_any_cut_of_a_capture_gives_the_same_series(tmp_path_factory: pytest.TempPathFactory, cuts: list[int]) -> None:
    folder = tmp_path_factory.mktemp("cut")
    with (
        projects.create(folder / "whole.tune", Engagement("t", "c")) as whole,
        projects.create(folder / "cut.tune", Engagement("t", "c")) as cut,
    ):
        take(whole, made.sar_day(folder, DAY, rows=143, name="whole.txt"))
        edges = [0, *(at for at in cuts if at < 143), 143]
        for first, last in pairwise(edges):
            start = timedelta(minutes=10 * (first + 1))
            take(cut, made.sar_day(folder, DAY, first, last - first, start=start, name=f"part{first}.txt"))
        for info in browse.list_series(whole):
            twin = series_of(cut, info.label)
            assert (twin.count, twin.first_ns, twin.last_ns, twin.captures) == (
                info.count,
                info.first_ns,
                info.last_ns,
                len(edges) - 1,
            )
            assert browse.statistics(cut, twin.id) == browse.statistics(whole, info.id)
        assert assembly.overlaps_of(cut) == {}


# --- what was captured twice
def test_the_same_day_in_another_zone_is_recognised_and_counts_once(project: Project, folder: Path) -> None:
    local = take(project, made.sar_day(folder, DAY)).files[0].artefact_id or 0
    shifted = made.sar_day(folder, DAY, name="utc.txt", offset=-timedelta(hours=9))
    utc = take(project, shifted).files[0].artefact_id or 0
    (seen,) = assembly.overlaps_of(project)[utc]
    assert (seen.relation, seen.shift_ns, seen.counts) == (Relation.SAME, 9 * HOUR_NS, False)
    assert assembly.shift_words(seen.shift_ns) == "+9:00"
    (turned,) = assembly.overlaps_of(project)[local]
    assert (turned.shift_ns, turned.counts) == (-9 * HOUR_NS, True)
    info = series_of(project, "all %user")
    assert browse.statistics(project, info.id).n == made.ROWS_A_DAY
    assert (EventKind.OVERLAP, "utc.txt = sar_19.txt +9:00") in kinds(project)
    first_ns = info.first_ns
    assembly.choose(project, utc)
    info = series_of(project, "all %user")
    assert (info.count, info.first_ns) == (made.ROWS_A_DAY, (first_ns or 0) - 9 * HOUR_NS)
    assembly.set_choices(project, [])
    assert series_of(project, "all %user").first_ns == first_ns


def test_of_many_forms_of_one_day_one_counts(project: Project, folder: Path) -> None:
    """In order: each form is the same as all others, whichever were compared."""
    ids = [
        take(project, made.sar_day(folder, DAY, name=f"form{hours}.txt", offset=timedelta(hours=hours))).files[0]
        for hours in (0, -9, 1, 3, -4, 8)
    ]
    found = assembly.overlaps_of(project)
    assert all(len(found[file.artefact_id or 0]) == len(ids) - 1 for file in ids)
    shifts = {(a, each.other.id): each.shift_ns for a, own in found.items() for each in own}
    assert shifts[6, 2] == -17 * HOUR_NS
    assert series_of(project, "all %user").count == made.ROWS_A_DAY


def test_a_longer_file_of_the_same_capture_is_recognised(project: Project, folder: Path) -> None:
    short = take(project, made.sar_day(folder, DAY, rows=60, name="noon.txt")).files[0].artefact_id or 0
    take(project, made.sar_day(folder, DAY, name="night.txt"))
    (seen,) = assembly.overlaps_of(project)[short]
    assert (seen.relation, seen.shift_ns, seen.counts) == (Relation.SAME, 0, False)
    assert browse.statistics(project, series_of(project, "all %user").id).n == made.ROWS_A_DAY


def test_an_idle_twin_is_recognised_though_no_value_tells(project: Project, folder: Path) -> None:
    first = made.sar_day(folder, DAY, rows=20, name="a.txt")
    idle = "\n".join(line for line in first.read_text().splitlines())
    for row in range(20):
        idle = idle.replace(f"{made.busy(row):9.2f} ", "     0.00 ").replace(f"{99 - made.busy(row):9.2f}", "    99.00")
    first.write_text(idle + "\n")
    (folder / "b.txt").write_text(idle + "\n\n")
    take(project, first)
    second = take(project, folder / "b.txt").files[0].artefact_id or 0
    assert [each.relation for each in assembly.overlaps_of(project)[second]] == [Relation.SAME]


def test_other_values_over_the_same_time_are_said_and_both_kept(project: Project, folder: Path) -> None:
    take(project, made.sar_day(folder, DAY, name="a.txt"))
    second = (
        take(project, made.sar_day(folder, DAY, 5000, name="b.txt", start=timedelta(minutes=15))).files[0].artefact_id
        or 0
    )
    (seen,) = assembly.overlaps_of(project)[second]
    assert (seen.relation, seen.counts) == (Relation.DIFFERS, None)
    assert series_of(project, "all %user").count == 2 * made.ROWS_A_DAY
    assert (EventKind.OVERLAP, "b.txt ≠ a.txt") in kinds(project)


def test_days_that_only_look_alike_are_not_taken_for_the_same(project: Project, folder: Path) -> None:
    """Values in steps of one, as vmstat prints them, repeat by chance."""
    take(project, made.vmstat(folder, "one.txt", 40), run="v")
    take(project, made.vmstat(folder, "two.txt", 40, first_row=17), run="v")
    assert all(
        each.relation is not Relation.SAME or each.shift_ns == 0
        for own in assembly.overlaps_of(project).values()
        for each in own
    )


def test_removing_a_capture_removes_what_was_found_with_it(project: Project, folder: Path) -> None:
    take(project, made.sar_day(folder, DAY))
    utc = take(project, made.sar_day(folder, DAY, name="utc.txt", offset=-timedelta(hours=9))).files[0].artefact_id
    projects.remove_artefact(project, utc or 0)
    assembly.review(project)
    assert assembly.overlaps_of(project) == {}
    assert kinds(project) == []


# --- what changed
def test_changes_of_the_configuration_are_events(project: Project, folder: Path) -> None:
    for day in range(4):
        disks = ("dev8-0",) if day < 2 else ("dev8-0", "dev8-16")
        made.sar_day(folder, DAY + timedelta(days=day), day * 144, cpus=2 if day < 3 else 4, disks=disks)
    take(project, folder)
    assert kinds(project) == [(EventKind.DEVICE_ADDED, "dev8-16"), (EventKind.CPU_COUNT, "2 → 4")]
    added, cpus = browse.events(project)
    assert (added.artefact_id, cpus.artefact_id) == (3, 4)


def test_what_an_aix_banner_says_of_the_machine_is_compared() -> None:
    banner = "System configuration: lcpu={} mem={}MB ent=2.00"
    told = [(1, 10, banner.format(8, 16384)), (2, 11, banner.format(8, 16384)), (3, 12, banner.format(16, 32768))]
    facts = [(1, 20, "memory", "MemTotal", "1 kB"), (5, 21, "memory", "MemTotal", "2 kB"), (5, 21, "disk", "size", "9")]
    found = configuration_changes.changes([], [], told, facts)
    assert {id_: [(e.kind, e.start_ns, e.text) for e in own] for id_, own in found.items()} == {
        12: [(EventKind.CPU_COUNT, 3, "8 → 16"), (EventKind.MEMORY_SIZE, 3, "16384MB → 32768MB")],
        21: [(EventKind.MEMORY_SIZE, 5, "1 kB → 2 kB")],
    }


# --- names
def test_a_name_shows_everywhere_and_pairs_before_with_after(project: Project, folder: Path) -> None:
    take(project, made.sar_day(folder, DAY, disks=("dev8-16",)))
    after = made.sar_day(folder, DAY + timedelta(days=7), 900, disks=("dev8-32",))
    take(project, after, run="after", phase=Phase.AFTER)
    host = assembly.find_host(project, "db1")
    assert assembly.devices_of(project, host.id) == ("dev8-16", "dev8-32")
    assembly.set_device_names(
        project, host.id, [DeviceAlias("dev8-16", "/oradata"), DeviceAlias("dev8-32", "/oradata")]
    )
    runs = {view.run.label: view.run.id for view in projects.overview(project).runs}
    found = compare.compare(project, run_window(runs["week"]), run_window(runs["after"]))
    (row,) = [row for row in found.rows if row.native == "%util"]
    assert (row.before is not None, row.after is not None) == (True, True)
    assert row.series.label == "dev8-32 (/oradata) %util"
    (told,) = [each for each in row.cautions if each.key == "devices_differ"]
    for language in ("ko", "en"):
        sentence = caution_text(told, language, ZoneInfo("UTC"))
        assert "/oradata" in sentence and "dev8-16" in sentence and "dev8-32" in sentence
    (exported,) = exports.read(project, [row.series.id])
    assert "dev8-32 (/oradata)" in exported.info.label
    assert [info.label for info in browse.list_series(project, "week", "/oradata")] != []
    case = reports.build_case(project, "en")
    assert any("dev8-32 (/oradata)" in each.label for each in case.comparison)
    entry = audit.list_audit(project)[-1]
    assert (entry.action, entry.facts["after"]) == (
        "device_names_changed",
        ["dev8-16 = /oradata", "dev8-32 = /oradata"],
    )


def test_a_name_on_one_side_only_breaks_no_pair(project: Project, folder: Path) -> None:
    """The successor's captures came without an inventory: dm-3 is dm-3 there."""
    take(project, made.sar_day(folder, DAY, disks=("dm-3",)))
    after = made.sar_day(folder, DAY + timedelta(days=7), 900, disks=("dm-3",), host="db2")
    take(project, after, run="after", phase=Phase.AFTER)
    runs = {view.run.label: view.run.id for view in projects.overview(project).runs}

    def pairs() -> list[tuple[bool, bool]]:
        found = compare.compare(project, run_window(runs["week"]), run_window(runs["after"])).rows
        return [(row.before is not None, row.after is not None) for row in found if row.native == "%util"]

    assert pairs() == [(True, True)]
    assembly.set_device_names(project, 1, [DeviceAlias("dm-3", "/oradata")])
    assert pairs() == [(True, True)]
    assembly.set_device_names(project, 2, [DeviceAlias("dm-3", "/redo")])
    assert pairs() == [(True, False), (False, True)], "two things"


def test_names_from_an_inventory_are_taken_until_a_person_says_otherwise(project: Project, folder: Path) -> None:
    inventory = folder / "inventory.txt"
    inventory.write_text(
        "@tunebench at 2026-07-19T00:00:00Z\n@section disk lsblk -P -b -o NAME,KNAME,TYPE,MAJ:MIN,MOUNTPOINT\n"
        'NAME="sda" KNAME="sda" TYPE="disk" MAJ:MIN="8:0" MOUNTPOINT=""\n'
        'NAME="vg-data" KNAME="dm-3" TYPE="lvm" MAJ:MIN="253:3" MOUNTPOINT="/oradata"\n'
    )
    take(project, made.sar_day(folder, DAY, disks=("dev8-0", "dev253-3")))
    imports.import_captures(project, [inventory], ImportOptions(run="week", host="db1"))
    labels = {info.label for info in browse.list_series(project) if info.native == "%util"}
    assert labels == {"dev8-0 (sda) %util", "dev253-3 (/oradata) %util"}
    host = assembly.find_host(project, "db1")
    told = {each.device: each.name for each in assembly.device_names(project, host.id)}
    assert told == {"dm-3": "/oradata", "dev253-3": "/oradata", "dev8-0": "sda"}
    assembly.set_device_names(project, host.id, [DeviceAlias("dev253-3", "/redo")])
    assert series_of(project, "dev253-3 (/redo) %util").alias == "/redo"


@pytest.mark.parametrize(
    ("names", "key"),
    [
        ([DeviceAlias("sda", " ")], "device_name_empty"),
        ([DeviceAlias("sda", "x", 10, 5)], "device_period_reversed"),
        ([DeviceAlias("sda", "x", None, 10), DeviceAlias("sda", "y", 10)], "device_named_twice"),
    ],
)
def test_names_that_make_no_sense_are_refused(
    project: Project, folder: Path, names: list[DeviceAlias], key: str
) -> None:
    take(project, made.sar_day(folder, DAY))
    with pytest.raises(UserError, match=key):
        assembly.set_device_names(project, 1, names)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0, "+0:00"), (32_400, "+9:00"), (-900, "-0:15"), (86_400, "+1d"), (93_600, "+1d 2:00"), (7, "+0:00:07")],
)
def test_how_a_shift_is_written(seconds: int, words: str) -> None:
    assert assembly.shift_words(seconds * 1_000_000_000) == words


# --- the forms in which sysstat itself prints one day
MADE = Path(__file__).resolve().parents[4] / "shared" / "corpus" / "made" / "sar"


@pytest.mark.skipif(not MADE.is_dir(), reason="the corpus is not beside the project")
def test_sar_and_sadf_of_the_same_file_are_the_same_measurements(project: Project) -> None:
    paths = [MADE / name for name in ("sadf-d.txt", "sadf-p.txt", "sadf-U.txt", "sadf-T.txt")]
    report = imports.import_captures(project, paths, ImportOptions(run="day", zone="UTC"))
    assert all(file.artefact_id for file in report.files)
    found = assembly.overlaps_of(project)
    for file in report.files[1:]:
        assert any(each.relation is Relation.SAME for each in found[file.artefact_id or 0]), file.path
    for info in browse.list_series(project):
        times = browse.series_data(project, info.id).times_ns
        assert len(times) == len(set(times.tolist())), info.label


def known(*supplied: str, zone: str = "Asia/Seoul", source: str = "engagement") -> Ledger:
    return Ledger(
        zone=zone, zone_source=source, assumptions=tuple(Assumption(each, "", "default") for each in supplied)
    )


@pytest.mark.parametrize(
    ("one", "other", "hours", "possible"),
    [
        (known(), known(), 9, True),  # text in local time beside text in UTC: both zones are assumed
        (known(), known(zone="UTC", source="stamp"), -9, True),
        (known(source="stamp"), known(source="stamp"), 9, False),
        (known(source="user"), known(source="user"), 9, True),  # what somebody said of all files may be wrong of one
        (known(), known(), 78, False),  # the same load some days later is no twin
        (known("date_order"), known(), 78, False),
        (known("date_order"), known(), 72, True),  # day and month taken for each other
        (known("date"), known(source="stamp"), 24 * 30, True),
        (known("start"), known(), 78, True),
        (known(source="stamp"), known(source="stamp"), 0, True),
    ],
)
def test_how_far_twins_can_be_apart(one: Ledger, other: Ledger, hours: int, possible: bool) -> None:
    assert assembly.may_be_apart(one, other, hours * HOUR_NS) is possible
