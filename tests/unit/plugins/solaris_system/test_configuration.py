"""What a mailed file tells of a Solaris host, under the names of the house's own inventory."""

from __future__ import annotations

import pytest

from tests.conftest import CORPUS, ROOT

FAKES = ROOT / "tests" / "fixtures" / "fake_hosts" / "sunos" / "data"


@pytest.fixture
def configuration(load):
    return load("solaris_system", "configuration:ConfigurationParser")


@pytest.fixture
def told(configuration, facts_of):
    return lambda data: facts_of(configuration, data)


@pytest.fixture
def inventory(load, facts_of):
    """An inventory of the house with one section."""
    parser = load("house_formats", "inventory:InventoryParser")
    return lambda section, command, data: facts_of(parser, f"@section {section} {command}\n".encode() + data)


# -- what the founding documents tune ------------------------------------------------------------------


def test_a_mailed_session_of_a_tuning(told, fixtures):
    found = told((fixtures / "mailed-tuning.txt").read_bytes())
    assert found["disk", "/dev/rdsk/c0t0d0s0 maxcontig"] == "128"  # asked twice: after tunefs it is 128
    assert found["disk", "/dev/rdsk/c0t0d0s0 rotdelay"] == "0ms"
    assert found["disk", "/dev/rdsk/c0t0d0s0 rps"] == "120"
    assert found["kernel", "lotsfree"] == "32064"
    assert found["kernel", "ncsize"] == "4000"
    assert found["kernel", "ufs_ninode"] == "4000"
    assert found["kernel", "md_maxphys"] == "1048576"
    assert found["kernel", "vxio:vol_maxio"] == "2048"
    assert found["os", "uname"].startswith("SunOS svrdb1 5.10 ")
    assert found["memory", "/dev/dsk/c0t0d0s1"] == "swaplo 16, blocks 8389648"


def test_of_settings_made_twice_the_last_wins_and_both_are_shown(told, fixtures):
    found = told((fixtures / "mailed-tuning.txt").read_bytes())
    assert found["kernel", "maxphys"] == "1048576"
    assert found["kernel", "maxphys overridden"] == "131072"
    assert ("kernel", "ncsize overridden") not in found


def test_comments_are_kept_apart(told, fixtures):
    found = told((fixtures / "mailed-tuning.txt").read_bytes())
    comments = {value for (section, name), value in found.items() if "comment" in name and section == "volatile"}
    assert {"set maxphys = 65536", "2007.07.19 튜닝"} <= comments
    assert "65536" not in [value for (section, _), value in found.items() if section == "kernel"]


def test_the_ledger_of_a_mailed_session(configuration, read, fixtures):
    found = read(configuration, (fixtures / "mailed-tuning.txt").read_bytes())
    ledger = found.ledger
    assert (ledger.hostname, ledger.os, ledger.os_version) == ("svrdb1", "sunos", "5.10")
    assert found.skipped() == {"wrapper": 8, "not_a_table": 2}  # prompts; what ls and tunefs say
    assert ledger.needs == ()  # facts alone: nobody is asked for a time


def test_the_founding_excerpt(told):
    """As the document on memory prints it."""
    found = told(b"root@host # echo \"lotsfree/E\" | mdb -k | sed '/:$/d'\nlotsfree:       32064\n")
    assert found == {("kernel", "lotsfree"): "32064"}


# -- the same names as in an inventory -----------------------------------------------------------------

ROUND_TRIPS = [
    ("prtconf", FAKES / "prtconf", "memory", "prtconf"),
    ("prtdiag", FAKES / "prtdiag", "hardware", "prtdiag -v"),
    ("psrinfo", "psrinfo-v.txt", "cpu", "psrinfo -v"),
    ("fstyp", "fstyp-v.txt", "disk", "fstyp -v"),
    ("adb", "adb.txt", "kernel", "adb -k"),
    ("sysdef", "sysdef-i.txt", "kernel", "sysdef"),
]


@pytest.mark.parametrize(("tool", "file", "section", "command"), ROUND_TRIPS, ids=[one[0] for one in ROUND_TRIPS])
def test_a_mailed_file_and_the_inventory_give_the_same_facts(told, inventory, fixtures, tool, file, section, command):
    data = (fixtures / file if isinstance(file, str) else file).read_bytes()
    mailed = told(data)
    assert mailed
    assert mailed == inventory(section, command, data)


def test_etc_system_as_a_file_of_its_own(told, inventory, fixtures):
    lines = (fixtures / "mailed-tuning.txt").read_bytes().splitlines(keepends=True)
    data = b"".join(lines[6:18])
    assert data.startswith(b"*ident") and data.endswith(b"ufs_ninode=4000\n")
    assert told(data) == inventory("kernel", "cat /etc/system", data)


def test_disks_of_iostat_En_and_swap_areas(load, facts_of, inventory, fixtures):
    errors = (FAKES / "iostat_En").read_bytes()
    mailed = facts_of(load("solaris_system", "iostat_errors:IostatErrorsParser"), errors)
    assert mailed["disk", "c0t0d0 Size bytes"] == "146810535936"
    assert mailed == inventory("disk", "iostat -En", errors)
    swap = (fixtures / "swap-l-11.txt").read_bytes()
    areas = facts_of(load("solaris_system", "swap:SwapParser"), swap)
    assert areas["memory", "/dev/zvol/dsk/rpool/swap"] == "swaplo 8, blocks 4194296"
    assert areas == inventory("memory", "swap -l", swap)


# -- single tools --------------------------------------------------------------------------------------


def test_a_superblock(told, fixtures):
    found = told((fixtures / "fstyp-v.txt").read_bytes())
    wanted = {"maxcontig": "6", "rotdelay": "0ms", "rps": "120", "minfree": "1%", "bsize": "8192", "fsize": "1024"}
    assert {name: found["disk", name] for name in wanted} == wanted
    assert found["volatile", "disk time"] == "Tue Apr 19 21:16:01 2011"
    assert found["volatile", "disk nbfree"] == "602311"
    assert ("disk", "position") not in found  # the cylinder groups are left out


def test_adb_greets_with_the_size_of_memory(told, fixtures):
    found = told((fixtures / "adb.txt").read_bytes())
    assert found["kernel", "physmem"] == "0x1f4b2"
    assert found["kernel", "desfree"] == "975"


def test_symbols_with_their_module(told):
    assert told(b"lotsfree:       7984\nufs`ufs_ninode:     65536\n")["kernel", "ufs_ninode"] == "65536"


def test_symbols_that_the_kernel_does_not_know(told, inventory):
    text = b"mdb: failed to dereference symbol: unknown symbol name\nlotsfree:\nlotsfree:       7984\n"
    assert told(text) == {("kernel", "lotsfree"): "7984"} == inventory("kernel", "mdb -k", text)


def test_limits_of_the_shell(told, inventory):
    text = b"time(seconds)        unlimited\nfile(blocks)         unlimited\nnofiles(descriptors) 256\n"
    assert told(text)["limits", "nofiles(descriptors)"] == "256"
    assert told(text) == inventory("limits", "ulimit -a", text)


def test_tunables_of_sysdef(told, fixtures):
    found = told((fixtures / "sysdef-i.txt").read_bytes())
    assert found["kernel", "v.v_proc"] == "16218"
    assert found["kernel", "bufhwm"] == "20799488"


def test_processors(told, fixtures):
    found = told((fixtures / "psrinfo-v.txt").read_bytes())
    assert found["cpu", "processor 1"] == "off-line"
    assert found["cpu", "processor 0 MHz"] == "1500"
    assert "11/21/2026" not in " ".join(found.values())  # two hosts do not differ by the hour


# -- prtdiag -------------------------------------------------------------------------------------------


def prtdiag_files():
    folder = CORPUS / "wild" / "prtdiag"
    return sorted(folder.iterdir()) if folder.is_dir() else []


@pytest.mark.parametrize("path", prtdiag_files() or [None], ids=lambda path: path.name[-40:] if path else "none")
def test_each_prtdiag_of_the_corpus(told, configuration, path):
    if path is None:
        pytest.skip("the corpus is not beside the project")
    data = path.read_bytes()
    found = told(data)
    text = data.decode()
    memory = next(line for line in text.splitlines() if line.startswith("Memory size:"))
    assert found["hardware", "Memory size"] == " ".join(memory.split()[2:])
    processors = [name for section, name in found if section == "hardware" and "CPUs " in name]
    lines = text.splitlines()
    start = next(index for index, line in enumerate(lines) if "CPUs ====" in line)
    own = lines[start + 1 : next((i for i, line in enumerate(lines) if i > start and line[:3] == "==="), None)]
    rows = [cells for cells in map(str.split, own) if len(cells) > 3 and (cells[0].isdigit() or cells[1].isdigit())]
    assert len(processors) == len(rows) > 0
    assert configuration.sniff(data, path.name) > 0.8


def test_columns_of_prtdiag_bear_the_words_above_them(told):
    if not (files := [path for path in prtdiag_files() if "5.9-prtdiag-v" in path.name]):
        pytest.skip("the corpus is not beside the project")
    found = told(files[0].read_bytes())
    assert found["hardware", "CPUs 2"] == "Brd A, CPU 2, Run MHz 900, E$ MB 8.0, CPU Impl. US-III+, CPU Mask 2.3"
    assert found["hardware", "Memory Configuration 8"].startswith("Brd A, MC ID 2, Logical Bank num 3, ")
    assert found["hardware", "IO Cards 1"].endswith("State ok, Name scsi-pci1000,f.1000.1000.14/disk+")
    assert found["hardware", "Disk Status 1"] == "DISK 0: [NO_FAULT]"
    assert (
        found["volatile", "hardware Fan Status 1"] == "Fan Tray FAN_TRAY_0, Fan CPU0_FAN, RPM 5555, Status [NO_FAULT]"
    )
    assert not [name for section, name in found if section == "hardware" and "Temperature" in name]


def test_a_second_table_below_one_title(told):
    if not (files := [path for path in prtdiag_files() if "5.7-prtdiag.txt" in path.name]):
        pytest.skip("the corpus is not beside the project")
    found = told(files[0].read_bytes())
    assert found["hardware", "IO Cards 7"] == (
        "Brd 0, Bus Type UPA, Freq MHz 100, Slot 30, Name FFB, Double Buffered, Model SUNW,501-4788"
    )
    assert ("hardware", "IO Cards 8") not in found
    assert found["hardware", "failures"] == "No failures found in System"


# -- nothing of anybody else's -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        b"System configuration: lcpu=4 mem=4096MB ent=0.50\n",
        b"SunOS db1 5.10 Generic_125100-05 sun4u    08/19/2010\n\n00:00:00    %usr    %sys    %wio   %idle\n",
        b"Linux db1 6.1.0 #1 SMP x86_64 GNU/Linux\n",
        b"@section kernel cat /etc/system\nset ncsize=1\n",
        b"* a list\n* of things\n",
    ],
)
def test_others_are_left_alone(configuration, text):
    assert configuration.sniff(text, "x.txt") <= 0.3
