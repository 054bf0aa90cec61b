"""What was mailed of a Linux host's configuration: one command's output, or a session with many."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import CORPUS, ROOT
from tunebench.sdk import ParseContext, Parser

FIXTURES = ROOT / "tests" / "fixtures" / "linux_inventory"
Facts = dict[tuple[str, str], str]


def facts_of(parser_class: type[Parser], data: bytes, piece: int = 11, file_name: str = "") -> Facts:
    parser = parser_class(ParseContext(file_name=file_name))
    for start in range(0, len(data), piece):
        assert not list(parser.feed(data[start : start + piece]))
    assert not list(parser.finish())
    ledger = parser.ledger()
    assert ledger.lines.balanced
    assert ledger.needs == ()
    found = {(fact.section, fact.name): fact.value for fact in parser.facts()}
    assert len(found) == len(parser.facts())
    return found


@pytest.fixture
def parser(load) -> type[Parser]:
    return load("linux_inventory", "configuration:ConfigurationParser")


@pytest.fixture
def facts(parser) -> Callable[..., Facts]:
    return lambda data, file_name="": facts_of(parser, data, file_name=file_name)


def test_a_session(facts):
    found = facts((FIXTURES / "session.txt").read_bytes())
    expected = {
        ("os", "cat /etc/redhat-release"): "Red Hat Enterprise Linux Server release 7.9 (Maipo)",
        ("disk", "rhel-root SIZE"): "50G",
        ("disk", "vg_data-oradata MOUNTPOINT"): "/oradata",  # its name has a line of its own
        ("disk", "sda MODEL"): "VMware Virtual S",
        ("disk", "sda2 FSTYPE"): "LVM2_member",
        ("df", "/oradata type"): "xfs",
        ("df", "/oradata Size"): "400G",
        ("df", "/oradata Inodes"): "209715200",
        ("volatile", "df /oradata IUsed"): "412",
        ("mount", "/oradata"): "/dev/mapper/vg_data-oradata xfs rw,noatime,attr2,inode64,noquota",
        ("fstab", "/boot"): "UUID=05d927bb-5875-49e3-ada1-7f46cb31c932 xfs defaults 0 0",
        ("memory", "Mem: total"): "24105",
        ("memory", "/dev/dm-1"): "partition 16777212 -2",
        ("memory", "getconf PAGESIZE"): "4096",
        ("kernel", "cat /etc/tuned/active_profile"): "throughput-performance",
        ("kernel", "vm.swappiness"): "10",
        ("disk", "/sys/block/sda/queue/scheduler"): "noop [deadline] cfq",
        ("cpu", "NUMA node 1 cpus"): "1 3 5 7",
        ("cpu", "NUMA node 0 distances"): "10 21",
        ("disk", "mpatha device"): "dm-2",
        ("disk", "mpatha path sdc"): "4:0:0:1 8:32 active ready running",
        ("disk", "/dev/sda2 VG"): "rhel",
        ("disk", "vg_data VSize"): "<500.00g",
        ("disk", "vg_data/oradata LSize"): "400.00g",
        ("disk", "md0 members"): "active raid1 sdb1[1] sda1[0]",
        ("network", "eth0 mtu"): "9000",
        ("network", "eth0 link/ether"): "00:50:56:a1:00:01",
        ("network", "eth0 inet"): "192.0.2.10",
        ("network", "eth0 Speed"): "10000Mb/s",
        ("network", "eth0 Current hardware settings RX"): "256",
        ("hardware", "Memory Device 0x0011 Size"): "16384 MB",
        ("limits", "open files (-n)"): "1024",
        ("limits.conf", "oracle hard nofile"): "65536",
        ("hardware", "03:00.0"): "Ethernet controller: VMware VMXNET3 Ethernet Controller (rev 01)",
    }
    assert {key: found.get(key) for key in expected} == expected
    assert ("volatile", "kernel fs.file-nr") in found
    assert not [name for _, name in found if name.startswith("System Slot")]


def test_what_is_no_capture_is_left_out(parser):
    made = parser(ParseContext())
    data = (FIXTURES / "session.txt").read_bytes()
    list(made.feed(data))
    list(made.finish())
    skipped = {entry.reason: entry.count for entry in made.ledger().skipped}
    assert skipped == {"wrapper": data.count(b"[root@"), "not_a_table": 1}  # "active" of systemctl
    assert (made.ledger().hostname, made.ledger().os_version, made.ledger().tool) == (
        "dbtest01",
        "3.10.0-1160.el7.x86_64",
        "configuration",
    )


def test_lsblk_in_three_forms(facts):
    table = b"NAME        KNAME  SIZE ROTA MOUNTPOINT\nsda         sda    100G    1 \n`-rhel-root dm-0    50G    1 /\n"
    pairs = (
        b'NAME="sda" KNAME="sda" SIZE="100G" ROTA="1" MOUNTPOINT=""\n'
        b'NAME="rhel-root" KNAME="dm-0" SIZE="50G" ROTA="1" MOUNTPOINT="/"\n'
    )
    assert facts(table) == facts(pairs) == facts((FIXTURES / "lsblk.json").read_bytes())


def test_the_inventory_gives_the_same_names(facts, load):
    """The house's own inventory, cut into files of one command each."""
    text = (ROOT / "tests" / "fixtures" / "house_formats" / "inventory-linux.txt").read_text()
    whole = load("house_formats", "inventory:InventoryParser")(ParseContext())
    list(whole.feed(text.encode()))
    list(whole.finish())
    inventory = {(fact.section, fact.name): fact.value for fact in whole.facts()}
    found: Facts = {}
    for part in text.split("@section ")[1:]:
        head, _, output = part.partition("\n")
        if not head.startswith(("df", "limits", "memory")):  # dash's ulimit is Solaris' too; df and meminfo: see below
            found |= facts(output.encode())
    assert len(found) > 60
    assert {key: inventory.get(key) for key in found} == found


@pytest.mark.parametrize(
    ("entry", "name", "section"),
    [
        ("df:DfParser", "df-k.txt", "df"),
        ("free:FreeParser", "free-m.txt", "memory"),
        ("meminfo:MeminfoParser", "meminfo-loop.txt", "memory"),
        ("ip_link:IpLinkParser", "ip-link-loop.txt", "network"),
        ("netstat_interfaces:NetstatInterfacesParser", "netstat-i-loop.txt", "network"),
    ],
)
def test_samples_and_facts_of_one_file(load, read, entry, name, section):
    data = (ROOT / "tests" / "fixtures" / "linux_system" / name).read_bytes()
    parser_class = load("linux_system", entry)
    made = parser_class(ParseContext())
    list(made.feed(data))
    list(made.finish())
    facts = {fact.name: fact.value for fact in made.facts()}
    assert {fact.section for fact in made.facts()} == {section}
    expected = {
        "df": {"/ device": "/dev/vda", "/ 1K-blocks": "264212084"},
        "free": {"Mem: total": "24105"},
        "meminfo": {"MemTotal": "24684084 kB"},
        "ip_link": {"eth0 mtu": "1400", "eth0 state": "UP"},
        "netstat_interfaces": {"eth0 mtu": "1400"},
    }[entry.partition(":")[0]]
    assert {name: facts.get(name) for name in expected} == expected
    assert read(parser_class, data).samples


def test_processors_of_proc(facts):
    one = "processor\t: {}\nvendor_id\t: GenuineIntel\nmodel name\t: Intel(R) Xeon(R) CPU\ncpu MHz\t\t: 2394.23{}\nphysical id\t: {}\ncore id\t\t: {}\n\n"
    text = "".join(one.format(number, number, number // 4, number % 2) for number in range(8))
    found = facts(text.encode())
    assert found["cpu", "CPU(s)"] == "8"
    assert found["cpu", "Socket(s)"] == "2"
    assert found["cpu", "Core(s) per socket"] == "2"
    assert found["cpu", "Model name"] == "Intel(R) Xeon(R) CPU"
    assert found["volatile", "cpu CPU MHz"] == "2394.230"


def test_new_ifconfig_and_ip_agree(facts):
    new = (
        b"eth0: flags=4163<UP,BROADCAST,RUNNING,MULTICAST>  mtu 1400\n"
        b"        inet 192.0.2.2  netmask 255.255.255.0  broadcast 192.0.2.255\n"
        b"        ether 02:fc:00:00:00:01  txqueuelen 1000  (Ethernet)\n"
        b"        RX packets 75300  bytes 3401686771 (3.1 GiB)\n"
    )
    ip = (
        b"4: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1400 qdisc fq state UP group default qlen 1000\n"
        b"    link/ether 02:fc:00:00:00:01 brd ff:ff:ff:ff:ff:ff\n    inet 192.0.2.2/24 brd 192.0.2.255 scope global eth0\n"
    )
    first, second = facts(new), facts(ip)
    for name in ("eth0 mtu", "eth0 qlen", "eth0 link/ether"):
        assert first["network", name] == second["network", name]


def test_a_setting_in_a_file_is_not_the_kernel_s(facts):
    text = b"# sysctl settings are defined through files in\nvm.swappiness=1\nkernel.shmmax = 68719476736\n"
    assert facts(text) == {("sysctl.conf", "vm.swappiness"): "1", ("sysctl.conf", "kernel.shmmax"): "68719476736"}
    assert facts(b"vm.swappiness = 1\n", file_name="99-sysctl.conf") == {("sysctl.conf", "vm.swappiness"): "1"}
    assert facts(b"vm.swappiness = 1\n") == {("kernel", "vm.swappiness"): "1"}


def test_titles_part_the_outputs(facts):
    text = b'===== lscpu =====\nArchitecture:  x86_64\nCPU(s):  4\n### cat /etc/os-release ###\nNAME="Rocky Linux"\nID="rocky"\n'
    assert facts(text) == {
        ("cpu", "Architecture"): "x86_64",
        ("cpu", "CPU(s)"): "4",
        ("os", "NAME"): "Rocky Linux",
        ("os", "ID"): "rocky",
    }


def test_the_last_of_two_answers_counts(facts):
    text = b"# lscpu\nArchitecture: x86_64\nCPU(s): 4\n# lscpu\nArchitecture: x86_64\nCPU(s): 8\n"
    assert facts(text)["cpu", "CPU(s)"] == "8"


def test_one_line_files(parser, facts):
    for text, fact in (
        (b"CentOS Linux release 7.9.2009 (Core)\n", ("os", "cat /etc/redhat-release")),
        (b"Current active profile: oracle\n", ("kernel", "cat /etc/tuned/active_profile")),
        (b"[none] mq-deadline kyber\n", ("disk", "scheduler")),
        (b"Linux db1 5.14.0-427.el9.x86_64 #1 SMP PREEMPT_DYNAMIC Fri Feb 23 2024 x86_64 GNU/Linux\n", ("os", "uname")),
    ):
        assert fact in facts(text)
        assert parser.sniff(text, "") > 0.9


def test_a_line_of_uname_does_not_make_a_configuration(parser):
    uname = b"Linux db1 5.14.0-427.el9.x86_64 #1 SMP x86_64 GNU/Linux\n"
    vmstat = (
        b" r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st\n"
        + b" 1  0 0 1 2 3 0 0 1 2 3 4 5 6 7 8 0\n" * 20
    )
    assert parser.sniff(uname + vmstat, "") < 0.3
    assert parser.sniff(b"# mount the disks first\nfoo\nbar\nbaz\nqux\n", "") == 0.0


def test_other_systems_are_left_to_others(parser):
    for text in (
        b"SunOS db1 5.10 Generic_147440-01 sun4v sparc SUNW,T5240\n",
        b"Filesystem            kbytes    used   avail capacity  Mounted on\n/dev/dsk/c0t0d0s0 1 1 1 50% /\n",
        b"lo0: flags=8049<UP,LOOPBACK,RUNNING,MULTICAST> metric 0 mtu 16384\n\tinet 127.0.0.1 netmask 0xff000000\n",
        b"/dev/ada0p2 on / (ufs, local, journaled soft-updates)\n",
    ):
        assert parser.sniff(text, "") == 0.0


@pytest.mark.parametrize(
    ("name", "fact", "value"),
    [
        ("lscpu.txt", ("cpu", "Model name"), "AMD EPYC"),
        ("uname-a.txt", ("os", "uname"), "Linux dbtest01 6.18.44-fc-v669 #1 SMP PREEMPT_DYNAMIC @0 x86_64 GNU/Linux"),
    ],
)
def test_recorded_files(facts, name, fact, value):
    path = Path(CORPUS / "made" / "misc" / name)
    if not path.is_file():
        pytest.skip("the corpus is not beside the project")
    assert facts(path.read_bytes())[fact] == value


def test_old_multipath_maps(facts):
    text = (
        b"mpath1 (360060e80045b2b0000005b2b00001007) dm-4 HP,OPEN-V*15\n"
        b"[size=500G][features=1 queue_if_no_path][hwhandler=0][rw]\n"
        b"\\_ round-robin 0 [prio=2][active]\n"
        b" \\_ 0:0:0:1 sdb 8:16  [active][ready]\n"
    )
    found = facts(text)
    assert found["disk", "mpath1 size"] == "500G"
    assert found["disk", "mpath1 features"] == "1 queue_if_no_path"
    assert found["disk", "mpath1 path sdb"] == "0:0:0:1 8:16 [active][ready]"


def test_mounts_with_labels_and_of_the_network(facts):
    text = b"/dev/sda1 on /boot type ext3 (rw,noatime) [/boot]\nnas1:/export/dump on /dump type nfs (rw,vers=3,addr=192.0.2.9)\n"
    assert facts(text) == {
        ("mount", "/boot"): "/dev/sda1 ext3 rw,noatime",
        ("mount", "/dump"): "nas1:/export/dump nfs rw,vers=3,addr=192.0.2.9",
    }


ENCODINGS = {
    "utf-16-le": lambda text: b"\xff\xfe" + text.encode("utf-16-le"),
    "utf-16-be": lambda text: b"\xfe\xff" + text.encode("utf-16-be"),
    "utf-8 with a mark": lambda text: b"\xef\xbb\xbf" + text.encode(),
    "carriage returns": lambda text: text.replace("\n", "\r\n").encode(),
    "cp949": lambda text: text.encode("cp949"),
}


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_files_that_went_through_other_systems(parser, facts, encoding):
    text = "Architecture:        x86_64\nCPU(s):              16\nModel name:          인텔 Xeon\n"
    data = ENCODINGS[encoding](text)
    assert parser.sniff(data, "lscpu.txt") > 0.9
    assert facts(data)["cpu", "Model name"] == "인텔 Xeon"


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize(
    ("entry", "path"),
    [
        ("top/top:TopParser", "top/top-procps-3.2-osw.txt"),
        ("linux_system/df:DfParser", "linux_system/df-k.txt"),
        ("linux_stat/pidstat:PidstatParser", "linux_system/pidstat-dur.txt"),
        ("atop/parseable:AtopParseableParser", "atop/atop-P.txt"),
    ],
)
def test_samples_that_went_through_other_systems(load, read, entry, path, encoding):
    parser_class = load(*entry.split("/"))
    data = (ROOT / "tests" / "fixtures" / path).read_bytes()
    changed = ENCODINGS[encoding](data.decode())
    assert parser_class.sniff(changed, path) > 0.9
    assert read(parser_class, changed).samples == read(parser_class, data).samples


LONG_LINES = [
    (
        "linux_stat/pidstat:PidstatParser",
        b"12:00:00   UID       PID    %usr %system  %guest    %CPU   CPU  Command\n12:00:05 ",
        b"|",
    ),
    ("atop/report:AtopParser", b"ATOP - db1 2013/05/02 15:19:09 ", b" 1s"),
    ("top/top:TopParser", b"top - 16:10:22 up ", b" 1 user, "),
    ("linux_inventory/configuration:ConfigurationParser", b"Architecture: x86_64\nFlags: ", b" "),
    ("linux_system/meminfo:MeminfoParser", b"MemTotal: 1 kB\nMemFree: ", b" "),
]


@pytest.mark.parametrize(("entry", "head", "fill"), LONG_LINES)
def test_a_line_without_end_takes_no_time(load, entry, head, fill):
    """Each took the square of its length, or would."""
    made = load(*entry.split("/"))(ParseContext())
    began = time.process_time()
    list(made.feed(head + fill * (200_000 // len(fill)) + b"x\n"))
    list(made.finish())
    made.facts()
    assert made.ledger().lines.balanced
    assert time.process_time() - began < 3.0
