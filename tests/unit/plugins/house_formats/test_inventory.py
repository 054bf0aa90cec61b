"""Inventories: facts with stable names, what is of the moment set apart."""

from __future__ import annotations

import pytest

from tests.conftest import CORPUS
from tunebench.sdk import ParseContext


@pytest.fixture
def facts(load):
    """Parses an inventory; gives (section, name) -> value."""

    def parse(text: str) -> dict[tuple[str, str], str]:
        parser = load("house_formats", "inventory:InventoryParser")(ParseContext())
        data = text.encode()
        for start in range(0, len(data), 11):
            assert list(parser.feed(data[start : start + 11])) == []
        assert list(parser.finish()) == []
        ledger = parser.ledger()
        assert ledger.lines.balanced
        given = parser.facts()
        assert len({(fact.section, fact.name) for fact in given}) == len(given)
        return {(fact.section, fact.name): fact.value for fact in given}

    return parse


def section(name: str, command: str, output: str) -> str:
    return f"@section {name} {command}\n{output.strip(chr(10))}\n"


def test_a_whole_inventory(facts):
    text = "@tunebench at 2026-11-21T02:48:00Z\n"
    text += section("os", "uname -a", "Linux db1 6.1.0 #1 SMP x86_64 GNU/Linux")
    text += section("os", "cat /etc/os-release", 'NAME="Debian GNU/Linux"\nVERSION_ID="12"\n')
    text += section("memory", "getconf PAGESIZE", "4096")
    text += section("limits", "ulimit -a", "time(seconds)        unlimited\nnofiles              1024")
    found = facts(text)
    assert found == {
        ("os", "uname"): "Linux db1 6.1.0 #1 SMP x86_64 GNU/Linux",
        ("os", "NAME"): "Debian GNU/Linux",
        ("os", "VERSION_ID"): "12",
        ("memory", "getconf PAGESIZE"): "4096",
        ("limits", "time(seconds)"): "unlimited",
        ("limits", "nofiles"): "1024",
    }


def test_processors(facts):
    if not CORPUS.is_dir():
        pytest.skip("the corpus is not beside the project")
    found = facts(section("cpu", "lscpu", (CORPUS / "made" / "misc" / "lscpu.txt").read_text()))
    assert found["cpu", "CPU(s)"] == "2"
    assert found["cpu", "Model name"] == "AMD EPYC"
    assert found["volatile", "cpu BogoMIPS"] == "5192.26"
    assert ("cpu", "BogoMIPS") not in found


def test_clock_frequency_is_of_the_moment(facts):
    found = facts(section("cpu", "LC_ALL=C lscpu", "CPU MHz:             2394.230\nCPU max MHz:         3900.0000"))
    assert found == {("volatile", "cpu CPU MHz"): "2394.230", ("cpu", "CPU max MHz"): "3900.0000"}


def test_disks_by_name(facts):
    text = section(
        "disk",
        "lsblk -P -b -o NAME,KNAME,TYPE,SIZE,RQ-SIZE,FSUSED,MOUNTPOINT",
        'NAME="sda" KNAME="sda" TYPE="disk" SIZE="107374182400" RQ-SIZE="256" FSUSED="" MOUNTPOINT=""\n'
        'NAME="vg-root" KNAME="dm-0" TYPE="lvm" SIZE="53687091200" RQ-SIZE="128" FSUSED="123" MOUNTPOINT="/"\n'
        'NAME="vg-root" KNAME="dm-0" TYPE="lvm" SIZE="53687091200" RQ-SIZE="128" FSUSED="123" MOUNTPOINT="/"',
    )
    found = facts(text)
    assert found["disk", "vg-root KNAME"] == "dm-0"
    assert found["disk", "sda RQ-SIZE"] == "256"
    assert found["volatile", "disk vg-root FSUSED"] == "123"
    assert ("disk", "sda MOUNTPOINT") not in found
    assert not [name for _, name in found if "#2" in name]  # below each of its parents, yet one device


def test_disks_as_a_tree(facts):
    found = facts(
        section("disk", "lsblk", "NAME      MAJ:MIN SIZE TYPE\nsda         8:0  100G disk\n└─sda1      8:1   50G part")
    )
    assert found["disk", "sda SIZE"] == "100G"  # as lsblk -P names it
    assert found["disk", "sda1 MAJ:MIN"] == "8:1"
    assert len(found) == 6


def test_file_systems_and_mounts(facts):
    text = section(
        "df",
        "df -P -k",
        "Filesystem 1024-blocks Used Available Capacity Mounted on\n/dev/vda 264212084 25846336 69654928 28% /",
    )
    text += section("mount", "cat /proc/self/mounts", "/dev/vda / ext4 rw,relatime 0 0\nproc /proc proc rw,nosuid 0 0")
    text += section("mount2", "mount", "/dev/vda on / type ext4 (rw,noatime)")
    text += section(
        "mount3",
        "mount -v",
        "/export/home on /dev/dsk/c0t0d0s7 read/write/setuid/devices/logging on Tue Apr 19 21:16:01 2011",
    )
    found = facts(text)
    assert found["df", "/ 1024-blocks"] == "264212084"
    assert found["df", "/ device"] == "/dev/vda"
    assert found["volatile", "df / Used"] == "25846336"
    assert found["mount", "/"] == "/dev/vda ext4 rw,relatime"
    assert found["mount2", "/"] == "/dev/vda ext4 rw,noatime"
    assert found["mount3", "/export/home"] == "/dev/dsk/c0t0d0s7 read/write/setuid/devices/logging"


def test_kernel_parameters(facts):
    text = section(
        "kernel",
        "sysctl -a",
        "vm.swappiness = 60\nnet.ipv4.tcp_rmem = 4096\t131072\t6291456\nkernel.random.entropy_avail = 256\n"
        "fs.file-nr = 1312\t0\t9223372036854775807\nkernel.sched_domain =\nsysctl: permission denied on key 'x'",
    )
    found = facts(text)
    assert found["kernel", "vm.swappiness"] == "60"
    assert found["kernel", "net.ipv4.tcp_rmem"] == "4096 131072 6291456"
    assert found["kernel", "kernel.sched_domain"] == ""
    assert found["volatile", "kernel fs.file-nr"] == "1312 0 9223372036854775807"
    assert found["volatile", "kernel kernel.random.entropy_avail"] == "256"
    assert len(found) == 5


def test_memory(facts):
    text = section(
        "memory", "grep -E x /proc/meminfo", "MemTotal:       24684084 kB\nMemFree:  1 kB\nHugePages_Total:  8"
    )
    text += section("free", "free -k", "  total used free\nMem: 24684084 740412 19211408\nSwap: 100 0 100")
    found = facts(text)
    assert found["memory", "MemTotal"] == "24684084 kB"
    assert found["memory", "HugePages_Total"] == "8"
    assert found["volatile", "memory MemFree"] == "1 kB"
    assert found["free", "Swap: total"] == "100"
    assert found["volatile", "free Mem: used"] == "740412"


def test_multipath_and_device_mapper(facts):
    text = section(
        "multipath",
        "sudo -n multipath -ll",
        """mpatha (360000970000196701234533030334135) dm-2 EMC,SYMMETRIX
size=500G features='1 queue_if_no_path' hwhandler='0' wp=rw
`-+- policy='service-time 0' prio=1 status=active
  |- 1:0:0:1 sdb 8:16 active ready running
  `- 2:0:0:1 sdc 8:32 active ready running""",
    )
    text += section("dm", "dmsetup ls", "vg-root\t(253:0)\nvg-swap\t(253, 1)")
    text += section("lvm", "lvs", "  LV   VG Attr       LSize  Pool Origin Data%\n  root vg -wi-ao---- 50.00g")
    found = facts(text)
    assert found["multipath", "mpatha wwid"] == "360000970000196701234533030334135"
    assert found["multipath", "mpatha device"] == "dm-2"
    assert found["multipath", "mpatha features"] == "1 queue_if_no_path"
    assert found["multipath", "mpatha path sdc"] == "2:0:0:1 8:32 active ready running"
    assert found["multipath", "mpatha policy"] == "policy='service-time 0' prio=1 status=active"
    assert found["dm", "vg-root"] == "253:0"
    assert found["dm", "vg-swap"] == "253:1"
    assert found["lvm", "vg/root LSize"] == "50.00g"


def test_network_interfaces(facts):
    text = section(
        "network",
        "ip addr",
        """2: eth0: <BROADCAST,UP> mtu 1400 qdisc pfifo_fast state UP group default qlen 1000
    link/ether 02:fc:00:00:00:01 brd ff:ff:ff:ff:ff:ff
    inet 10.0.0.5/24 brd 10.0.0.255 scope global dynamic eth0
       valid_lft 3021sec preferred_lft 3021sec
    inet 10.0.0.6/24 scope global secondary eth0""",
    )
    text += section("brief", "ip -br addr", "eth0             UP             10.0.0.5/24 fe80::1/64")
    line = "2: eth0: <UP> mtu 1400 qdisc noop state UP mode DEFAULT\\    link/ether 02:fc:00:00:00:01 brd ff"
    text += section("oneline", "ip -o link", line)
    found = facts(text)
    assert found["network", "eth0 mtu"] == "1400"
    assert found["network", "eth0 inet"] == "10.0.0.5/24, 10.0.0.6/24"
    assert found["brief", "eth0 addresses"] == "UP 10.0.0.5/24 fe80::1/64"
    assert found["oneline", "eth0 link/ether"] == "02:fc:00:00:00:01"
    assert "3021sec" not in " ".join(found.values())


def test_files_named_by_grep(facts):
    found = facts(
        section("disk", "grep -H . /sys/block/*/queue/scheduler", "/sys/block/sda/queue/scheduler:[none] mq-deadline")
    )
    assert found == {("disk", "/sys/block/sda/queue/scheduler"): "[none] mq-deadline"}


def test_solaris(facts):
    text = section(
        "system", "cat /etc/system", "* comment\nset ncsize=32768\nset ufs:ufs_ninode = 65536\nforceload: drv/clone"
    )
    text += section("cpu", "psrinfo", "0\ton-line   since 04/19/2011 21:00:00\n1\toff-line  since 04/19/2011 21:00:01")
    text += section(
        "swap",
        "swap -l",
        "swapfile             dev  swaplo blocks   free\n/dev/dsk/c0t0d0s1   32,1      16 4194288 4194288",
    )
    text += section("swap", "swap -s", "total: 100k bytes allocated + 20k reserved = 120k used, 3000k available")
    text += section("memory", "echo lotsfree/E | mdb -k", "lotsfree:\nlotsfree:       7984            ")
    text += section(
        "hardware",
        "prtconf",
        "System Configuration:  Sun Microsystems  sun4u\nMemory size: 16384 Megabytes\nSystem Peripherals (Software Nodes):\n\nSUNW,Sun-Fire",
    )
    found = facts(text)
    assert found["system", "ncsize"] == "32768"
    assert found["system", "ufs:ufs_ninode"] == "65536"
    assert ("system", "forceload drv/clone") in found
    assert found["cpu", "processor 1"] == "off-line"
    assert found["swap", "/dev/dsk/c0t0d0s1"] == "swaplo 16, blocks 4194288"
    assert found["volatile", "swap /dev/dsk/c0t0d0s1 free"] == "4194288"
    assert ("volatile", "swap total") in found
    assert found["memory", "lotsfree"] == "7984"
    assert found["hardware", "Memory size"] == "16384 Megabytes"


def test_a_ufs_superblock(facts):
    text = section(
        "ufs",
        "fstyp -v /dev/rdsk/c0t0d0s0",
        "ufs\nmagic\t11954\tformat\tdynamic\ttime\tTue Apr 19 21:16:01 2011\nnbfree\t1234\tndir\t99\tnifree\t5\tnffree\t6\n"
        "maxcontig 128\trotdelay 0ms\trps\t120\nblocks available in each of 8 rotational positions",
    )
    found = facts(text)
    assert found["ufs", "/dev/rdsk/c0t0d0s0 maxcontig"] == "128"
    assert found["ufs", "/dev/rdsk/c0t0d0s0 rotdelay"] == "0ms"
    assert found["ufs", "/dev/rdsk/c0t0d0s0 rps"] == "120"
    assert found["ufs", "/dev/rdsk/c0t0d0s0 magic"] == "11954"
    assert found["volatile", "ufs /dev/rdsk/c0t0d0s0 nbfree"] == "1234"


def test_aix_and_hpux(facts):
    text = section(
        "sys0", "lsattr -El sys0", "maxuproc        128        Maximum number of PROCESSES allowed per user True"
    )
    text += section("pages", "vmstat -P ALL", "System configuration: mem=4096MB\npgsz memory page\n  4K 754720 754720")
    text += section("tune", "kctune", "Tunable  Value  Expression  Changes\nmaxuprc   256  Default     Immed")
    found = facts(text)
    assert found["sys0", "maxuproc"] == "128"
    assert found["pages", "page size 4K"] == "present"
    assert found["tune", "maxuprc"] == "256 Default"


def test_settings_of_aix_and_freebsd(facts):
    text = section("kernel", "vmo -a", "                 maxpin% = 90\n              lgpg_size = 0")
    text += section("kernel", "ioo -a", "             j2_maxPageReadAhead = 128\n")
    text += section("cpu", "sysctl hw.model hw.ncpu", "hw.model: AMD EPYC\nhw.ncpu: 2")
    text += section("conf", "cat /boot/loader.conf", '# tuned\nvfs.zfs.arc_max="4G"')
    text += section(
        "cpu",
        "lparstat -i",
        "Node Name                                  : aix01\nEntitled Capacity                          : 2.00",
    )
    text += section("memory", "lsps -a", "Page Space Physical Volume\nhd6 hdisk0 rootvg 512MB")
    found = facts(text)
    assert found["kernel", "j2_maxPageReadAhead"] == "128"
    assert found["kernel", "maxpin%"] == "90"
    assert found["cpu", "hw.model"] == "AMD EPYC"
    assert found["conf", "vfs.zfs.arc_max"] == '"4G"'
    assert found["cpu", "Entitled Capacity"] == "2.00"
    assert found["memory", "hd6"] == "hdisk0 rootvg 512MB"


def test_pools_and_interfaces(facts):
    text = section(
        "zfs", "zpool list", "NAME   SIZE  ALLOC  FREE  CAP  HEALTH  ALTROOT\nrpool   49G  10.2G  38.8G  20%  ONLINE  -"
    )
    flags = "hme0: flags=1000843<UP,BROADCAST,RUNNING> mtu 1500 index 2"
    text += section("network", "ifconfig -a", flags + "\n        inet 10.0.0.5 netmask ffffff00 broadcast 10.0.0.255\n")
    text += section(
        "hpux",
        "netstat -in",
        "Name Mtu Network Address Ipkts Ierrs Opkts Oerrs Coll\nlan0 1500 10.0.0.0 10.0.0.5 1234 0 5678 0 0",
    )
    text += section("mount", "cat /etc/mnttab", "/dev/dsk/c0t0d0s0\t/\tufs\trw,intr,logging\t1303247761")
    found = facts(text)
    assert found["zfs", "rpool SIZE"] == "49G"
    assert found["volatile", "zfs rpool ALLOC"] == "10.2G"
    assert found["network", "hme0 flags"] == "1000843<UP,BROADCAST,RUNNING> mtu 1500 index 2"
    assert found["network", "hme0 inet"] == "10.0.0.5 netmask ffffff00 broadcast 10.0.0.255"
    assert found["hpux", "lan0 10.0.0.0"] == "1500 10.0.0.0 10.0.0.5"
    assert found["volatile", "hpux lan0 10.0.0.0 packets"] == "1234 0 5678 0 0"
    assert found["mount", "/"] == "/dev/dsk/c0t0d0s0 ufs rw,intr,logging"


def test_an_unknown_command_gives_a_fact_per_line(facts):
    found = facts("@section disk geom disk list\nGeom name:   ada0\nProviders:\n@section plain\nfirst\n\nsecond\n")
    assert found == {
        ("disk", "geom disk list"): "Geom name: ada0",
        ("disk", "geom disk list line 2"): "Providers:",
        ("plain", "line 1"): "first",
        ("plain", "line 2"): "second",
    }


def test_the_same_configuration_gives_the_same_facts_whatever_the_moment(facts):
    """Two inventories, an hour apart: only facts of the moment differ."""
    before = section("memory", "cat /proc/meminfo", "MemTotal: 8 kB\nMemFree: 3 kB")
    before += section("df", "df -k", "Filesystem 1K-blocks Used Available Use% Mounted on\n/dev/sda 100 50 50 50% /")
    after = before.replace("MemFree: 3", "MemFree: 1").replace("100 50 50 50%", "100 90 10 90%")
    one, other = facts(before), facts(after)
    different = {key for key in one.keys() | other.keys() if one.get(key) != other.get(key)}
    assert different
    assert {where for where, _ in different} == {"volatile"}


def test_a_section_taken_twice_counts_as_the_last_time(facts):
    text = section("a", "getconf PAGESIZE", "4096") + section("a", "getconf PAGESIZE", "8192")
    assert facts(text) == {("a", "getconf PAGESIZE"): "8192"}


def test_lines_before_the_first_section_are_skipped(load):
    parser = load("house_formats", "inventory:InventoryParser")(ParseContext())
    list(parser.feed(b"hello\n@section a b\nc\n"))
    list(parser.finish())
    assert {entry.reason: entry.count for entry in parser.ledger().skipped} == {"not_a_table": 1}
