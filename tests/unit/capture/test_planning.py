"""Plans: every line verbatim, parameters checked and quoted, costs scaled."""

from __future__ import annotations

import shlex
from dataclasses import replace
from typing import Any

import pytest

from tests.unit.capture.plan_cases import CREATED, NONCE, PROBES, host, plan
from tunebench.capture.detached import detached_commands
from tunebench.capture.house_commands import SURVEYED_TOOLS, clock_line, survey_line
from tunebench.capture.planning import PlanRequest, ProbeChoice, build_plan, choose_probes
from tunebench.capture.wrapper import stop_by_hand, wrap
from tunebench.core.errors import UserError
from tunebench.domain.capturing.budget import has_seams, totals, warnings
from tunebench.domain.capturing.plan import (
    CaptureMode,
    CapturePlan,
    CommandKind,
    PlannedCommand,
    Rights,
    Schedule,
    ScheduleKind,
)
from tunebench.transport.ssh.pulling import pull_command


def _captures(found: CapturePlan) -> list[PlannedCommand]:
    return [command for command in found.commands if command.kind is not CommandKind.HOUSE]


def _one(*choices: ProbeChoice | str, **settings: Any) -> PlannedCommand:
    (command,) = _captures(plan(*choices, **settings))
    return command


def _refused(key: str, *choices: ProbeChoice | str, **settings: Any) -> UserError:
    with pytest.raises(UserError) as caught:
        plan(*choices, **settings)
    assert caught.value.key == key
    return caught.value


def test_a_stream_is_bounded_by_the_plan_and_sent_in_its_wrapper() -> None:
    command = _one("linux.vmstat")
    assert command.tool_line == "vmstat -n 1 600"
    assert (command.id, command.host, command.interval_s, command.count) == ("db01/linux.vmstat", "db01", 1.0, 600)
    assert command.verbatim == wrap(
        "vmstat -n 1 600",
        command_id="db01/linux.vmstat",
        nonce=NONCE,
        os="linux",
        kind=CommandKind.STREAM,
        interval_s=1.0,
        count=600,
        lease_s=90,
        nice=5,
        environment={"LC_ALL": "C"},
        rights=Rights.USER,
    )
    assert command.stop_by_hand == stop_by_hand(NONCE, "linux")
    assert (command.purpose("ko"), command.purpose("en")) == ("linux.vmstat 확인", "looks at linux.vmstat")


def test_a_long_stream_is_renewed_every_hour() -> None:
    found = plan("linux.vmstat", interval_s=10.0, duration_s=9000.0)
    command = _captures(found)[0]
    assert command.tool_line == "vmstat -n 10 360"
    assert has_seams(found, command)
    assert not has_seams(plan("linux.vmstat"), _one("linux.vmstat"))


@pytest.mark.parametrize(
    ("interval_s", "duration_s", "count"),
    [(2400.0, 36_000.0, (2, 2)), (7200.0, 36_000.0, (2, 2)), (7200.0, 10_000.0, (2, 2)), (3600.0, 3600.0, (1, 2))],
)
def test_an_interval_longer_than_the_hour_has_two_in_a_start(
    interval_s: float, duration_s: float, count: tuple[int, int]
) -> None:
    """One would be the row since boot alone; a loop reads at the approved end as well."""
    found = plan("linux.vmstat", "linux.free", interval_s=interval_s, duration_s=duration_s)
    assert [command.count for command in _captures(found)] == list(count)
    assert has_seams(found, _captures(found)[0]) is (interval_s * count[0] < duration_s)


def test_an_interval_that_does_not_divide_the_hour_is_rounded_up() -> None:
    assert _one("linux.vmstat", interval_s=7.0, duration_s=3600.0).count == 515  # 514.3


def test_a_slow_loop_keeps_its_own_interval_unless_another_is_chosen() -> None:
    assert (_one("linux.free").interval_s, _one("linux.free").count) == (10.0, 61)
    assert _one("linux.free", interval_s=30.0).interval_s == 30.0
    assert _one(ProbeChoice("linux.free", interval_s=2.0)).interval_s == 2.0
    short = _one("linux.free", duration_s=5.0)  # shorter than its own interval: twice before the end, and at the end
    assert (short.interval_s, short.count) == (2.0, 3)
    assert _one(ProbeChoice("generic.timed", {"command": ("true",)}, 60.0)).count == 10  # no work is added


def test_costs_are_scaled_from_one_second() -> None:
    command = _one(ProbeChoice("linux.vmstat", interval_s=4.0))
    assert [command.cpu_pct, command.bytes_per_s] == pytest.approx([0.05, 25.0])
    once = _one("linux.lsblk")  # twice in 600 s
    assert [once.cpu_pct, once.bytes_per_s] == pytest.approx([0.01, 20.0])
    unknown = _one("linux.vmstat_narrow")
    assert (unknown.cpu_pct, unknown.bytes_per_s) == (None, None)


def test_totals_add_what_is_known_and_count_what_is_not() -> None:
    found = plan("linux.vmstat", "linux.lsblk", "linux.vmstat_narrow")
    cost = totals(found, "db01")
    house = [command.bytes_per_s or 0.0 for command in found.commands if command.kind is CommandKind.HOUSE]
    assert cost.bytes_per_s == pytest.approx(120.0 + sum(house))
    assert cost.total_bytes == pytest.approx((120.0 + sum(house)) * 600, abs=1)
    assert cost.unknown == 1
    repeated = replace(found, schedule=Schedule(ScheduleKind.EVERY, every_s=3600, times=3))
    assert totals(repeated, "db01").total_bytes == pytest.approx((120.0 + sum(house)) * 1800, abs=1)


def test_parameters_are_quoted_for_the_shell() -> None:
    nasty = "/data/it's $(reboot); rm -rf"
    command = _one(ProbeChoice("linux.space", {"path": (nasty,)}))
    assert shlex.split(command.tool_line) == ["du", "-sk", nasty]


def test_a_parameter_that_may_have_many_values_gives_a_command_each() -> None:
    first, second = _captures(plan(ProbeChoice("linux.space", {"path": ("/a", "/b")})))
    assert (first.id, second.id) == ("db01/linux.space", "db01/linux.space-2")
    assert (first.tool_line, second.tool_line) == ("du -sk /a", "du -sk /b")


def test_a_typed_command_is_marked() -> None:
    command = _one(ProbeChoice("generic.timed", {"command": ("nm /dev/ksyms > /dev/null",)}))
    assert command.own_words
    assert command.tool_line == "time -p sh -c 'nm /dev/ksyms > /dev/null'"
    assert not _one("linux.vmstat").own_words


@pytest.mark.parametrize(
    ("probe_id", "name", "value"),
    [
        ("linux.space", "path", "relative/path"),
        ("linux.space", "path", "/with\nnewline"),
        ("linux.space", "path", "/with\x1bescape"),
        ("generic.timed", "user", "-rf"),
        ("generic.timed", "user", "a b"),
        ("generic.timed", "user", "a;b"),
        ("generic.timed", "command", "sleep 1\nreboot"),
        ("generic.timed", "command", "x" * 5000),
        ("linux.sa_files", "days", "0"),
        ("linux.sa_files", "days", "many"),
    ],
)
def test_values_of_another_kind_are_refused(probe_id: str, name: str, value: str) -> None:
    values = {"command": ("true",)} if probe_id == "generic.timed" else {}
    error = _refused("probe_parameter_refused", ProbeChoice(probe_id, {**values, name: (value,)}))
    assert (error.facts["probe"], error.facts["parameter"]) == (probe_id, name)


def test_missing_unknown_and_surplus_parameters_are_refused() -> None:
    _refused("probe_parameter_missing", "linux.space")
    _refused("probe_parameter_unknown", ProbeChoice("linux.vmstat", {"path": ("/a",)}))
    _refused("probe_parameter_single", ProbeChoice("linux.sa_files", {"days": ("1", "2")}))


def test_files_that_are_there_are_named_by_day_today_first() -> None:
    found = _captures(plan(ProbeChoice("linux.sa_files", {"days": ("3",)})))
    paths = ["/var/log/sysstat/sa21", "/var/log/sysstat/sa20", "/var/log/sysstat/sa19"]
    assert [command.remote_path for command in found] == paths
    assert all(command.interval_s is None and command.count is None for command in found)


def test_the_day_of_a_file_is_that_of_the_zone_and_the_schedule() -> None:
    late = plan("linux.sa_files", created_at="2026-11-21T15:30:00+00:00")  # already the 22nd in Seoul
    assert _captures(late)[0].remote_path == "/var/log/sysstat/sa22"
    at = Schedule(ScheduleKind.AT, at="2026-12-01T14:00:00+09:00")
    assert _captures(plan("linux.sa_files", schedule=at))[0].remote_path == "/var/log/sysstat/sa01"


def test_intervals_that_a_tool_cannot_take_are_refused() -> None:
    _refused("interval_too_short", "linux.pidstat")
    _refused("interval_not_whole", "linux.vmstat", interval_s=1.5)
    _refused("interval_longer_than_plan", ProbeChoice("linux.vmstat", interval_s=601.0))


def test_probes_that_do_not_exist_or_fit_are_refused() -> None:
    _refused("probe_unknown", "linux.nothing")
    error = _refused("probe_not_for_os", "solaris.prstat")
    assert (error.facts["host"], error.facts["os"]) == ("db01", "linux")
    assert _one(ProbeChoice("generic.timed", {"command": ("true",)}), hosts=(host(os="aix"),)).host == "db01"


def test_plans_that_cannot_run_are_refused() -> None:
    _refused("plan_host_empty")
    _refused("plan_empty", "linux.vmstat", hosts=())
    _refused("host_twice", "linux.vmstat", hosts=(host(), host()))
    _refused("plan_duration", "linux.vmstat", duration_s=0.0)
    _refused("plan_schedule", "linux.vmstat", schedule=Schedule(ScheduleKind.EVERY, every_s=60, times=2))


def test_what_lies_on_a_border_can_run() -> None:
    """A month at most, whole seconds; a repetition that begins when the one before is over; an interval that fills it."""
    month_s = 31 * 86_400.0
    assert plan("linux.vmstat", interval_s=60.0, duration_s=month_s).duration_s == month_s
    for duration_s in (month_s + 1, 600.5, -1.0):
        _refused("plan_duration", "linux.vmstat", interval_s=60.0, duration_s=duration_s)
    assert plan("linux.vmstat", duration_s=1.0).duration_s == 1.0
    assert plan("linux.vmstat", schedule=Schedule(ScheduleKind.EVERY, every_s=600, times=2)).schedule.times == 2
    _refused("plan_schedule", "linux.vmstat", schedule=Schedule(ScheduleKind.EVERY, every_s=599, times=2))
    assert _one(ProbeChoice("linux.vmstat", interval_s=600.0)).count == 1
    assert _one("linux.pidstat", interval_s=5.0).count == 120
    _refused("interval_too_short", "linux.pidstat", interval_s=4.0)
    _refused("interval_longer_than_plan", "linux.free", interval_s=700.0)


def test_an_unknown_system_is_assumed_and_told() -> None:
    found = plan("linux.vmstat", hosts=(host(os="", os_source=""),))
    assert (found.hosts[0].os, found.hosts[0].os_source) == ("linux", "assumed")
    assert "plan.warning.os_assumed" in [warning.key for warning in warnings(found)]


def test_warnings_name_what_an_administrator_should_look_at() -> None:
    quiet = plan("linux.vmstat")
    assert [warning.key for warning in warnings(quiet)] == []
    loud = replace(
        quiet,
        hosts=(replace(quiet.hosts[0], weak_algorithms=("ssh-rsa",)),),
        commands=tuple(replace(c, cpu_pct=0.9, bytes_per_s=20_000.0, own_words=True) for c in quiet.commands[:2]),
    )
    assert [(warning.key, warning.host) for warning in warnings(loud)] == [
        ("plan.warning.cpu_budget", "db01"),
        ("plan.warning.bytes_budget", "db01"),
        ("plan.warning.weak_algorithms", "db01"),
        ("plan.warning.own_words", "db01"),
    ]


def test_names_of_hosts_do_not_reach_the_command_line_as_they_are() -> None:
    found = plan("linux.vmstat", hosts=(host("운영 DB"), host("운영 WAS"), host("db 1")))
    ids = [command.id for command in _captures(found)]
    assert ids == ["DB/linux.vmstat", "WAS/linux.vmstat", "db_1/linux.vmstat"]
    assert len(set(ids)) == 3
    same = plan("linux.vmstat", hosts=(host("운영"), host("개발")))
    assert [command.id for command in _captures(same)] == ["host/linux.vmstat", "host-2/linux.vmstat"]
    third = plan("linux.vmstat", hosts=(host("a b"), host("a?b"), host("a:b"), host("-a.b_")))
    assert [command.host for command in _captures(third)] == ["a b", "a?b", "a:b", "-a.b_"]
    slugs = [command.id.partition("/")[0] for command in _captures(third)]
    assert slugs == ["a_b", "a_b-2", "a_b-3", "-a.b"]


def test_every_line_is_one_line_of_its_own() -> None:
    found = plan("linux.vmstat", "linux.free", "linux.lsblk", "linux.sa_files", hosts=(host(), host("db02")))
    assert len({command.id for command in found.commands}) == len(found.commands)
    assert all("\n" not in command.verbatim and command.verbatim.isprintable() for command in found.commands)
    assert {command.host for command in found.commands} == {"db01", "db02"}


def test_the_house_commands_are_in_the_plan_of_every_host() -> None:
    found = plan("linux.vmstat", hosts=(host(), host("sun1", os="linux")))
    for name in ("db01", "sun1"):
        probes = {command.probe for command in found.on(name) if command.kind is CommandKind.HOUSE}
        assert {"house.survey", "house.clock", "house.overhead", "house.leftovers"} <= probes
        versions = [command.tool_line for command in found.on(name) if command.probe == "house.version"]
        assert versions == ["vmstat -V"]


def test_equal_requests_give_equal_plans_and_any_change_another() -> None:
    first = plan("linux.vmstat")
    assert first.digest == plan("linux.vmstat").digest
    assert CapturePlan.from_json(first.to_json()) == first
    assert len({first.digest, plan("linux.vmstat", interval_s=2.0).digest, plan("linux.free").digest}) == 3


def test_a_nonce_is_made_where_none_is_given() -> None:
    request = PlanRequest((host(),), {"db01": (ProbeChoice("linux.vmstat"),)}, "r", "before", 1.0, 60.0)
    first, second = build_plan(request, PROBES), build_plan(request, PROBES)
    assert first.nonce != second.nonce
    assert all(len(found.nonce) == 8 and int(found.nonce, 16) >= 0 for found in (first, second))
    assert first.created_at > CREATED[:4]


# -- sudo ------------------------------------------------------------------------------------------------


def test_sudoers_allow_exactly_the_commands_of_the_plan() -> None:
    (found,) = plan("linux.dmidecode", "linux.vmstat").hosts
    assert found.sudoers == (
        f"# TuneBench cap{NONCE}: remove after 2026-11-22",
        "perf ALL=(root) NOPASSWD: /usr/bin/dmidecode -t memory\\,cache",
        "perf ALL=(root) NOPASSWD: /usr/sbin/dmidecode -t memory\\,cache",
    )
    assert plan("linux.vmstat").hosts[0].sudoers == ()


def test_the_removal_date_is_after_the_last_run() -> None:
    every = Schedule(ScheduleKind.EVERY, at="2026-12-01T14:00:00+09:00", every_s=86_400, times=5)
    assert "remove after 2026-12-06" in plan("linux.dmidecode", schedule=every).hosts[0].sudoers[0]


# -- words -----------------------------------------------------------------------------------------------


def _ids(*words: str, os: str = "linux") -> list[str]:
    return [choice.probe_id for choice in choose_probes(words, os, PROBES)]


def test_words_name_probes_by_id_tool_and_set() -> None:
    assert _ids("linux.vmstat_narrow") == ["linux.vmstat_narrow"]
    assert _ids("vmstat") == ["linux.vmstat"]  # the one of the default set
    assert _ids("sa_files", "free") == ["linux.sa_files", "linux.free"]
    assert _ids("default") == ["linux.vmstat", "linux.free", "linux.lsblk"]
    assert _ids("default", "vmstat", "pidstat") == ["linux.vmstat", "linux.free", "linux.lsblk", "linux.pidstat"]
    assert _ids("prstat", os="sunos") == ["solaris.prstat"]


def test_words_carry_values() -> None:
    (choice,) = choose_probes(["timed=nm /dev/ksyms", "timed=cp a=b c", "timed=user=oracle"], "linux", PROBES)
    assert choice.values == {"command": ("nm /dev/ksyms", "cp a=b c"), "user": ("oracle",)}


def test_words_carry_an_interval_of_their_own() -> None:
    chosen = choose_probes(["vmstat@5", "timed=mail a@b", "free"], "linux", PROBES)
    assert [(choice.probe_id, choice.interval_s) for choice in chosen] == [
        ("linux.vmstat", 5.0),
        ("generic.timed", None),
        ("linux.free", None),
    ]


@pytest.mark.parametrize(
    ("word", "key"),
    [
        ("nothing", "probe_unknown"),
        ("solaris.prstat", "probe_not_for_os"),
        ("prstat", "probe_unknown"),
        ("vmstat=3", "probe_parameter_unknown"),
        ("vmstat@", "interval_not_whole"),
        ("vmstat@0", "interval_not_whole"),
        ("vmstat@0.5", "interval_not_whole"),
    ],
)
def test_words_that_mean_nothing_are_refused(word: str, key: str) -> None:
    with pytest.raises(UserError) as caught:
        choose_probes([word], "linux", PROBES)
    assert caught.value.key == key


def test_an_ambiguous_word_is_refused_with_the_ids() -> None:
    twins = tuple(replace(each, default=False) for each in PROBES)
    with pytest.raises(UserError) as caught:
        choose_probes(["vmstat"], "linux", twins)
    assert (caught.value.key, caught.value.facts["ids"]) == ("probe_ambiguous", "linux.vmstat, linux.vmstat_narrow")


def test_a_detached_plan_holds_every_line_of_the_detached_run() -> None:
    found = plan("linux.vmstat", mode=CaptureMode.DETACHED)
    lines = {command.verbatim for command in found.commands if command.probe == "house.detached"}
    assert set(detached_commands(NONCE, "linux").values()) < lines
    assert totals(found, "db01").files == (f"/tmp/tunebench-{NONCE}/ (ulimit -f: 16 MiB / file)",)
    assert not [command for command in plan("linux.vmstat").commands if command.probe == "house.detached"]
    for command in found.commands:
        assert "⟨" not in command.purpose_ko + command.purpose_en, command.id


def test_sent_as_they_are_survey_and_clock_are_the_lines_of_the_house() -> None:
    found = plan("linux.vmstat", "linux.lsblk", hosts=(host(os="linux"),))
    assert found.command("db01/house.clock").verbatim == clock_line(NONCE, "linux")
    assert found.command("db01/house.survey").verbatim == survey_line(NONCE, SURVEYED_TOOLS)


def test_every_fetched_file_has_a_command_that_asks_for_its_checksum() -> None:
    found = plan(ProbeChoice("linux.sa_files", {"days": ("2",)}))
    asked = [command for command in found.commands if command.probe == "house.cksum"]
    assert [(command.id, command.remote_path, command.tool_line) for command in asked] == [
        ("db01/house.cksum", "/var/log/sysstat/sa21", "cksum </var/log/sysstat/sa21"),
        ("db01/house.cksum-2", "/var/log/sysstat/sa20", "cksum </var/log/sysstat/sa20"),
    ]
    assert all("/var/log/sysstat/sa2" in command.purpose_ko and command.verbatim for command in asked)
    for mode in (CaptureMode.DETACHED, CaptureMode.OFFLINE):  # the script adds up its files itself
        assert not [c for c in plan("linux.sa_files", mode=mode).commands if c.probe == "house.cksum"]


def test_a_file_is_pulled_by_the_line_of_the_transport() -> None:
    (command,) = _captures(plan("linux.sa_files"))
    assert command.verbatim == pull_command("/var/log/sysstat/sa21", 0).command
    assert command.tool_line == "cat /var/log/sysstat/sa21"
