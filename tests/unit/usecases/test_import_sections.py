"""A file of several tools: the file is kept, each tool is a capture of its own, and nothing of it is lost unsaid."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.program import compose
from tunebench.domain.bundle import MemberState
from tunebench.domain.engagement import Engagement, is_unnamed
from tunebench.domain.ledger import ImportState
from tunebench.store import artefacts, hosts, queries
from tunebench.store.project import Project
from tunebench.usecases import browse, projects
from tunebench.usecases.findings.processor_count import counted_by_banner
from tunebench.usecases.importing import imports
from tunebench.usecases.importing.results import ImportOptions, ImportReport

SECTIONS = Path(__file__).resolve().parents[2] / "fixtures/sections"
SCRIPT = SECTIONS / "collect_script.txt"
PARTS = ["vmstat", "iostat", "df", "free"]


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    compose()
    made = projects.create(tmp_path / "acme.tune", Engagement(title="Tuning", customer="ACME", zone="Asia/Seoul"))
    yield made
    projects.close(made)


def take(project: Project, path: Path, host: str = "") -> ImportReport:
    return imports.import_captures(project, [path], ImportOptions(host=host))


def test_each_tool_is_a_capture_and_the_file_is_kept(project: Project) -> None:
    whole, *parts = take(project, SCRIPT).files
    assert (whole.state, whole.ledger.tool) == (ImportState.KEPT, "vmstat + iostat + df + free")
    assert [part.path.rpartition("!/")[2] for part in parts] == PARTS
    assert [part.state for part in parts] == [ImportState.IMPORTED] * 4
    assert b"".join(artefacts.read_artefact(project, whole.artefact_id or 0)) == SCRIPT.read_bytes()
    # rows times columns of the text: 3 x 17; 2 x 6 and 3 x 15; 1 x 4; 6 and 3
    assert [part.ledger.samples for part in parts] == [51, 57, 4, 9]
    assert {part.host for part in parts} == {"ol8mysql01"}, "iostat alone names the host of all"


def test_every_line_of_the_file_is_accounted_for_and_what_nobody_knows_is_named(project: Project) -> None:
    whole = take(project, SCRIPT).files[0].ledger
    assert whole.lines.balanced
    assert whole.lines.total == len(SCRIPT.read_bytes().splitlines()) == 33
    assert [(each.first_line, each.count, each.example) for each in whole.skipped] == [(30, 4, "### netstat -s")]


def test_a_figure_leads_back_to_its_line_of_the_file_and_has_the_date_above_it(project: Project) -> None:
    take(project, SCRIPT)
    (info,) = [each for each in queries.list_series(project) if (each.tool, each.native) == ("df", "1K-blocks")]
    found = browse.evidence(project, info.id, info.first_ns or 0)
    assert found.line_number == 25
    assert found.lines[2] == SCRIPT.read_text().splitlines()[24]
    # 2026-07-20 09:00:00 +09:00
    assert info.first_ns == 1784505600 * 10**9


def test_it_is_there_once_and_a_part_is_read_again_by_its_own_reader(project: Project) -> None:
    first = take(project, SCRIPT)
    again = take(project, SCRIPT)
    assert [file.state for file in again.files] == [ImportState.DUPLICATE] * 5
    for file in first.files[1:]:
        read = imports.reparse(project, file.artefact_id or 0, ImportOptions(interval_s=10.0))
        assert (read.parser, read.ledger.samples) == (file.parser, file.ledger.samples)
        assert "one_tool_of_several" in read.ledger.warnings


def test_a_part_far_below_the_beginning_is_read_again(project: Project, tmp_path: Path) -> None:
    text = SCRIPT.read_text()
    row = text.splitlines(keepends=True)[4]
    path = tmp_path / "collect.txt"
    path.write_text(text.replace(row, row * 70_000))
    found = {file.parser: file for file in take(project, path).files}
    assert found["linux.df"].ledger.samples == 4
    read = imports.reparse(project, found["linux.df"].artefact_id or 0, ImportOptions())
    assert (read.parser, read.ledger.samples) == ("linux.df", 4)


def test_a_member_of_an_archive_is_cut_as_well(project: Project, tmp_path: Path) -> None:
    path = tmp_path / "mail.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.write(SCRIPT, "db01/collect.txt")
        archive.writestr("db01/notes.txt", "see the other file\n")
    (account,) = take(project, path).bundles
    states = {member.name: member.state for member in account.members}
    assert states.pop("db01/collect.txt") is MemberState.KEPT
    assert states.pop("db01/notes.txt") is MemberState.UNRECOGNISED
    assert states == {f"db01/collect.txt!/{part}": MemberState.IMPORTED for part in PARTS}


def test_stamps_before_each_line_are_read_also_far_below_the_beginning(project: Project, tmp_path: Path) -> None:
    lines = SCRIPT.read_text().splitlines()
    stamped = [f"2026-07-20 09:00:0{second}\t{line}" for second, line in enumerate(lines[2:7])]
    path = tmp_path / "collect.txt"
    path.write_text("\n".join([*lines[7:22] * 10, "### vmstat", *stamped, ""]))
    found = {file.parser: file for file in take(project, path).files}["linux.vmstat"]
    # the first and the last row: 2026-07-20 09:00:02 and 09:00:04 +09:00
    assert (found.ledger.first_ns, found.ledger.last_ns) == (1784505602 * 10**9, 1784505604 * 10**9)


def test_the_processors_that_a_banner_far_below_tells_are_known(project: Project) -> None:
    take(project, SCRIPT)
    (host,) = hosts.list_hosts(project)
    assert counted_by_banner(project, host.id) == 1


def test_captures_that_name_no_host_are_of_one_host_for_each_file(project: Project, tmp_path: Path) -> None:
    lines = SCRIPT.read_text().splitlines(keepends=True)
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_text(
            "".join(lines[:7] + lines[22:29]).replace("453392", f"4533{len(name)}{ord(name[0])}")
        )
    report = imports.import_captures(project, [tmp_path / "a.txt", tmp_path / "b.txt"], ImportOptions())
    hosts = [{f.host for f in report.files if f"{name}.txt" in f.path} for name in "ab"]
    assert [len(each) for each in hosts] == [1, 1]
    assert hosts[0] != hosts[1]


# -- several hosts -------------------------------------------------------------------------------------

BANNER = "Linux 5.14.0-70.el9.x86_64 ({}) \t2026-03-02 \t_x86_64_\t(4 CPU)\n\n"
VMSTAT = "\n".join(SCRIPT.read_text().splitlines()[2:7]) + "\n"
DF = "\n".join(SCRIPT.read_text().splitlines()[22:25]).partition("\n")[2] + "\n"
SAR = "10:06:01        CPU     %user     %nice   %system   %iowait    %steal     %idle\n"
SAR += "".join(
    f"10:06:0{second}        all     {second}.00      0.00      1.00      0.00      0.00     88.00\n"
    for second in (2, 3)
)


def hosts_of(project: Project, path: Path, text: str, host: str = "") -> dict[str, str]:
    """Host by part; the empty word where it is asked. `host`: as a person says it of the whole file."""
    path.write_text(text, encoding="utf-8")
    parts = [file for file in take(project, path, host=host).files if file.state is ImportState.IMPORTED]
    return {part.path.rpartition("!/")[2]: "" if is_unnamed(part.host) else part.host for part in parts}


def test_what_stands_below_another_prompt_is_of_that_host(project: Project) -> None:
    """A console with an ssh hop: r is 1 to 4 on was01 and 41 to 44 on db01; the last three are no average since boot."""
    take(project, SECTIONS / "console_hop.txt")
    run_queue = {each.host: each for each in queries.list_series(project) if each.native == "r"}
    values = {host: [*browse.series_data(project, each.id).values[-3:]] for host, each in run_queue.items()}
    assert values == {"was01": [2, 3, 4], "db01": [42, 43, 44]}
    others = {(each.tool, each.host) for each in queries.list_series(project) if each.tool != "vmstat"}
    assert others == {("iostat", "was01"), ("df", "was01"), ("sar", "was01")}


def test_one_tool_below_two_prompts_is_of_two_hosts(project: Project, tmp_path: Path) -> None:
    text = "".join(f"[root@{host} ~]# vmstat 1 4\n{VMSTAT}" for host in ("was01", "db01"))
    assert hosts_of(project, tmp_path / "a.txt", text) == {"was01.vmstat": "was01", "db01.vmstat": "db01"}


def test_two_banners_joined_are_two_hosts_and_what_names_none_is_asked(project: Project, tmp_path: Path) -> None:
    text = f"### sar\n{BANNER.format('web01')}{SAR}### vmstat\n{VMSTAT}### sar\n{BANNER.format('web02')}{SAR}"
    assert hosts_of(project, tmp_path / "a.txt", text) == {"web01.sar": "web01", "web02.sar": "web02", "vmstat": ""}


def test_what_runs_over_there_is_not_of_the_host_that_asked(project: Project, tmp_path: Path) -> None:
    prompt = "[root@was01 ~]#"
    text = f"{prompt} df -k\n{DF}{prompt} ssh db01 vmstat 1 4\n{VMSTAT}{prompt} ssh db01 sar -u 1 2\n"
    text += BANNER.format("db01.corp") + SAR
    parts = hosts_of(project, tmp_path / "a.txt", text)
    assert parts == {"was01.df": "was01", "vmstat": "", "db01.corp.sar": "db01.corp"}


def test_a_prompt_that_contradicts_the_banner_below_it_is_asked(project: Project, tmp_path: Path) -> None:
    text = f"[root@was01 ~]# df -k\n{DF}[root@was01 ~]# sar -u 1 2\n{BANNER.format('db01')}{SAR}"
    assert hosts_of(project, tmp_path / "a.txt", text) == {"was01.df": "was01", "sar": ""}
    (sar,) = [each for each in artefacts.list_artefacts(project) if each.ledger.tool == "sar"]
    again = imports.reparse(project, sar.id, ImportOptions(zone="UTC"))
    assert is_unnamed(again.host), "reading again does not answer it either"


def test_a_prompt_alone_names_the_host_of_tools_that_do_not_read_it(project: Project, tmp_path: Path) -> None:
    text = f"[root@db01 ~]# df -k\n{DF}[root@db01 ~]# free -k\n" + "\n".join(SCRIPT.read_text().splitlines()[25:29])
    assert hosts_of(project, tmp_path / "a.txt", text) == {"df": "db01", "free": "db01"}


@pytest.mark.parametrize("sign", ["#", ":/>", "$", ":/home/oracle>"])
def test_a_prompt_without_a_user_names_the_host_that_somebody_went_to(
    project: Project, tmp_path: Path, sign: str
) -> None:
    text = f"[root@was01 ~]# vmstat 1 4\n{VMSTAT}[root@was01 ~]# ssh -p 22 admin@db01.corp\ndb01{sign} vmstat 1 4\n{VMSTAT}"
    text += f"db01{sign} exit\n[root@was01 ~]# df -k\n{DF}"
    assert hosts_of(project, tmp_path / "a.txt", text) == {
        "was01.vmstat": "was01",
        "db01.corp.vmstat": "db01.corp",
        "was01.df": "was01",
    }


@pytest.mark.parametrize("first", ["was01#", "[root@was01 ~]#"])
@pytest.mark.parametrize("second", ["db01#", "db01:/>", "db01$", "[db01:/]#"])
def test_another_prompt_that_nobody_went_to_is_asked(project: Project, tmp_path: Path, first: str, second: str) -> None:
    """Two consoles in one text: the second one's rows are not of the first one's host."""
    text = f"{first} vmstat 1 4\n{VMSTAT}{second} vmstat 1 4\n{VMSTAT}"
    parts = hosts_of(project, tmp_path / "a.txt", text)
    named = {"was01.vmstat": "was01", "vmstat": ""}  # the second one is asked
    bare = {"was01.vmstat": "was01", "db01.vmstat": "db01"}  # all prompts of the text are of this form
    assert parts == (named if "@" in first else bare)


def test_after_the_way_back_the_prompt_is_the_first_one_again(project: Project, tmp_path: Path) -> None:
    text = f"[root@was01 ~]# ssh db01\ndb01# vmstat 1 4\n{VMSTAT}db01# exit\nwas01# df -k\n{DF}"
    assert hosts_of(project, tmp_path / "a.txt", text) == {"db01.vmstat": "db01", "was01.df": "was01"}


@pytest.mark.parametrize("prompt", ["bash-5.1$", "sh-4.2#", "SQL>", "mysql>"])
def test_the_prompt_of_a_shell_or_a_client_is_no_host(project: Project, tmp_path: Path, prompt: str) -> None:
    text = f"[root@was01 ~]# vmstat 1 4\n{VMSTAT}{prompt} df -k\n{DF}"
    assert set(hosts_of(project, tmp_path / "a.txt", text).values()) == {"was01"}


@pytest.mark.parametrize(
    "prompt",
    [
        "[10:00:01 root@{}:/tmp]# ",
        "[09:07:31] root@{}:~# ",
        "(base) kim@{}:~$ ",
        "\x1b]0;root@{}:~\x07\x1b[01;32m[root@{} ~]#\x1b[0m ",
        "\x1b[01;32mkim@{}\x1b[00m:\x1b[01;34m~\x1b[00m$ ",
    ],
)
def test_a_prompt_names_its_host_behind_clocks_environments_and_colours(
    project: Project, tmp_path: Path, prompt: str
) -> None:
    was01, db01 = (prompt.replace("{}", host) for host in ("was01", "db01"))
    text = f"{was01}vmstat 1 4\n{VMSTAT}{was01}ssh db01\n{db01}vmstat 1 4\n{VMSTAT}"
    assert hosts_of(project, tmp_path / "a.txt", text) == {"was01.vmstat": "was01", "db01.vmstat": "db01"}


@pytest.mark.parametrize("hop", ["kubectl exec -it pod-1 -- bash", "docker exec -it 3f2a sh", "virsh console db01"])
def test_what_runs_in_a_container_or_on_a_console_is_not_of_the_host_that_asked(
    project: Project, tmp_path: Path, hop: str
) -> None:
    text = f"[root@was01 ~]# vmstat 1 4\n{VMSTAT}[root@was01 ~]# {hop}\nbash-5.1# vmstat 1 4\n{VMSTAT}"
    assert hosts_of(project, tmp_path / "a.txt", text) == {"was01.vmstat": "was01", "vmstat": ""}


@pytest.mark.parametrize(
    ("second", "expected"),
    [
        ("[root@db01 ~]#", {"was01.vmstat": "was01", "db01.vmstat": "db01"}),
        ("bash-5.1#", {"was01.vmstat": "was01", "vmstat": ""}),  # behind the ssh nobody says whose it is
    ],
)
def test_a_host_that_is_said_of_the_whole_text_is_not_that_of_another_hosts_part(
    project: Project, tmp_path: Path, second: str, expected: dict[str, str]
) -> None:
    text = f"[root@was01 ~]# vmstat 1 4\n{VMSTAT}[root@was01 ~]# ssh db01\n{second} vmstat 1 4\n{VMSTAT}"
    assert hosts_of(project, tmp_path / "a.txt", text, host="was01") == expected
