"""From the counters of a sample and of the one before it to what sar prints: rates per second, percentages, gauges."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from tunebench.core.records import record

from .formats import SaFormat
from .records import Items, printable

Values = NDArray[np.float64]
_NEVER_WRAPPED = np.uint64(2**64 - 1 - 0x7FFFF)
_BATTERY = ("Unknown", "Charging", "Discharging", "Not charging", "Full")
_SCSI = (8, *range(65, 72), *range(128, 136))
_NUMBERED = {1: "ram", 7: "loop", 9: "md", 11: "sr", 43: "nbd"}
"""Major numbers of Linux' list of devices (Documentation/admin-guide/devices.txt)."""
_MICROSECONDS_OF_CENTISECONDS = 100.0  # what part of an interval, in per cent


@record
class Pair:
    """An activity's counters now and before, each [records, items], and the time between in 1/100 s, [records, 1].

    Attributes:
        rows: of a matrix, how many items a processor has.
        hidden: bool[processors], those that nothing can be told of; empty where that is none.
        file: whose sar has its own idea of some figures.
    """

    now: Items
    before: Items
    interval: Values
    rows: int
    hidden: NDArray[np.bool_]
    file: SaFormat

    def shown(self, count: int) -> NDArray[np.int64]:
        """Which of `count` processors are printed."""
        return np.flatnonzero(~self.hidden) if self.hidden.size else np.arange(count)

    def has(self, *names: str) -> bool:
        return all(name in self.now for name in names)

    def grown(self, name: str) -> Values:
        """The growth of a counter; one that wrapped counts on."""
        return (self.now[name] - self.before[name]).astype(np.float64)

    def rate(self, name: str) -> Values:
        return self.grown(name) / self.interval * 100

    def shrunk(self, name: str) -> NDArray[np.bool_]:
        return np.asarray(self.now[name] < self.before[name])

    def gauge(self, name: str) -> Values:
        return self.now[name].astype(np.float64)


@record
class Table:
    """What is printed of one activity.

    Attributes:
        name: such as ``net-dev``.
        items: the members that name each item, as JSON; None where the activity is one thing.
        figures: name and decimals of each column.
        values: float64[records, items, columns].
    """

    name: str
    items: list[str] | None
    figures: list[tuple[str, int]]
    values: Values


def ratio(part: Values, whole: Values) -> Values:
    """Per cent; 0 of nothing."""
    return np.where(whole != 0, part / np.where(whole != 0, whole, 1.0) * 100, 0.0)


def words(pair: Pair, name: str) -> list[str]:
    """The items' names; what cannot be printed is a point."""
    return [printable(bytes(word)) for word in pair.now[name][0].tolist()]


# -- activities that print their counters one by one ---------------------------------------------------
_SINGLE = {
    2: ("process-and-context-switch", "proc cswch"),
    4: ("swap-pages", "pswpin pswpout"),
    8: ("kernel", "dentunusd=dentry! file-nr=file! inode-nr=inode! pty-nr=pty!"),
    9: ("queue", "runq-sz=running! plist-sz=threads! ldavg-1=ldavg1% ldavg-5=ldavg5% ldavg-15=ldavg15% blocked!"),
    14: ("net-nfs", "call retrans read write access getatt"),
    15: (
        "net-nfsd",
        (
            "scall=calls badcall=bad packet=packets udp tcp hit=hits miss=misses sread=reads swrite=writes"
            " saccess=accesses sgetatt=getattrs"
        ),
    ),
    16: ("net-sock", "totsck=total! tcpsck=tcp! udpsck=udp! rawsck=raw! ip-frag=frag! tcp-tw=tw!"),
    17: (
        "net-ip",
        (
            "irec=in_receives fwddgm=forwarded idel=in_delivers orq=out_requests asmrq=reasm_requests asmok=reasm_oks"
            " fragok=frag_oks fragcrt=frag_creates"
        ),
    ),
    18: ("net-eip", "ihdrerr iadrerr iukwnpr idisc odisc onort asmf fragf"),
    19: ("net-icmp", "imsg omsg iech iechr oech oechr itm itmr otm otmr iadrmk iadrmkr oadrmk oadrmkr"),
    20: ("net-eicmp", "ierr oerr idstunr odstunr itmex otmex iparmpb oparmpb isrcq osrcq iredir oredir"),
    21: ("net-tcp", "active passive iseg oseg"),
    22: ("net-etcp", "atmptf estres retrans isegerr orsts"),
    23: ("net-udp", "idgm odgm noport idgmerr"),
    24: ("net-sock6", "tcp6sck=tcp6! udp6sck=udp6! raw6sck=raw6! ip6-frag=frag6!"),
    25: (
        "net-ip6",
        (
            "irec6=in_receives fwddgm6=forwarded idel6=in_delivers orq6=out_requests asmrq6=reasm_requests"
            " asmok6=reasm_oks imcpck6=in_mcast omcpck6=out_mcast fragok6=frag_oks fragcr6=frag_creates"
        ),
    ),
    26: ("net-eip6", "ihdrer6 iadrer6 iukwnp6 i2big6 idisc6 odisc6 inort6 onort6 asmf6 fragf6 itrpck6"),
    27: (
        "net-icmp6",
        (
            "imsg6 omsg6 iech6 iechr6 oechr6 igmbq6 igmbr6 ogmbr6 igmbrd6 ogmbrd6 irtsol6 ortsol6 irtad6 inbsol6"
            " onbsol6 inbad6 onbad6"
        ),
    ),
    28: ("net-eicmp6", "ierr6 idtunr6 odtunr6 itmex6 otmex6 iprmpb6 oprmpb6 iredir6 oredir6 ipck2b6 opck2b6"),
    29: ("net-udp6", "idgm6 odgm6 noport6 idgmer6"),
}
"""``name=counter``; ``!`` is printed as it stands, ``%`` is kept in hundredths."""


def _columns(pair: Pair, wanted: str) -> tuple[list[tuple[str, int]], list[Values]]:
    """The figures whose counters the file has."""
    figures: list[tuple[str, int]] = []
    values: list[Values] = []
    for word in wanted.split():
        name, _, counter = word.rstrip("!%").partition("=")
        counter = counter or name
        if not pair.has(counter):
            continue
        figures.append((name, 0 if word.endswith("!") else 2))
        values.append(
            pair.gauge(counter)
            if word.endswith("!")
            else pair.gauge(counter) / 100
            if word.endswith("%")
            else pair.rate(counter)
        )
    return figures, values


def _table(name: str, items: list[str] | None, figures: list[tuple[str, int]], values: list[Values]) -> Table:
    return Table(name, items, figures, np.stack(values, axis=2) if values else np.zeros((0, 0, 0)))


def _single(number: int) -> Callable[[Pair], Table]:
    name, wanted = _SINGLE[number]
    return lambda pair: _table(name, None, *_columns(pair, wanted))


# -- processors ------------------------------------------------------------------------------------------
_CPU = ("user", "nice", "sys", "idle", "iowait", "steal", "irq", "soft")


def cpu_total(items: Items) -> NDArray[np.uint64]:
    """Ticks that each processor has counted; guests are in user and nice."""
    return np.asarray(sum(items[name] for name in _CPU if name in items), dtype=np.uint64)


def _cpu(pair: Pair) -> Table:
    now = {name: values.astype(np.uint64) for name, values in pair.now.items()}
    before = {name: values.astype(np.uint64) for name, values in pair.before.items()}
    total = _cpu_interval(now, before)
    if total.shape[1] > 1 and pair.file.sums_processors:
        total[:, 0] = total[:, 1:].sum(axis=1)
        for items in (now, before):
            for name in items:
                items[name][:, 0] = items[name][:, 1:].sum(axis=1)
    whole = total.astype(np.float64)
    whole[:, 0] = np.maximum(whole[:, 0], 1.0)
    own = Pair(now, before, whole, 1, pair.hidden, pair.file)
    figures: list[tuple[str, int]] = []
    values: list[Values] = []
    for name in ("user", "nice", "sys", "iowait", "steal", "irq", "soft", "guest", "gnice", "idle"):
        if name in now:
            guest = {"user": "guest", "nice": "gnice"}.get(name, "")
            figures.append(("usr" if name == "user" else name, 2))
            values.append(_share(own, name, guest if guest in now else "") * 100)
    still = total == 0  # a tickless processor that did nothing
    still[:, 0] = False
    for column, (name, _) in zip(values, figures, strict=True):
        column[still] = 100.0 if name == "idle" else 0.0
    return _of_processors(pair, "cpu-load-all", figures, values)


def _of_processors(pair: Pair, name: str, figures: list[tuple[str, int]], values: list[Values]) -> Table:
    shown = pair.shown(values[0].shape[1])
    numbers = [f'"cpu": "{number - 1}"' if number else '"cpu": "all"' for number in shown.tolist()]
    return _table(name, numbers, figures, [column[:, shown] for column in values])


def _share(pair: Pair, name: str, guest: str) -> Values:
    now, before = np.asarray(pair.now[name]), np.asarray(pair.before[name])
    if guest:
        now, before = now - pair.now[guest], before - pair.before[guest]
    grown = np.where(now < before, np.uint64(0), now - before).astype(np.float64)
    return np.where(pair.interval > 0, grown / np.where(pair.interval > 0, pair.interval, 1.0), 0.0)


def _cpu_interval(now: Items, before: Items) -> NDArray[np.uint64]:
    """Ticks between the two; `before` is put right where the kernel counted backwards.

    A processor that comes back has its idle and iowait begin at 0; iowait alone may also become idle afterwards.
    """
    shift = np.zeros(now["user"].shape, dtype=np.uint64)
    for name, guest in (("user", "guest"), ("nice", "gnice")):
        if guest in now:
            own, old = now[name] - now[guest], before[name] - before[guest]
            more = (now[name] >= before[name]) & (own < old)
            shift += np.where(more, old - own, 0).astype(np.uint64)
    idle, was_idle = np.asarray(now["idle"]), np.asarray(before["idle"])
    if "iowait" in now:
        fell = (now["iowait"] < before["iowait"]) & (before["iowait"] < _NEVER_WRAPPED)
        kept = (idle > was_idle) | (was_idle >= _NEVER_WRAPPED)
        before["iowait"] = np.where(fell, np.where(kept, now["iowait"], 0), before["iowait"]).astype(np.uint64)
    before["idle"] = np.where((idle < was_idle) & (was_idle < _NEVER_WRAPPED), 0, was_idle).astype(np.uint64)
    for name in _CPU:
        if name in now:
            own, old = np.asarray(now[name]), np.asarray(before[name])
            shift += np.where(own > old, own - old, 0).astype(np.uint64)
    return shift


def _softnet(pair: Pair) -> Table:
    for items in (pair.now, pair.before):
        for name in items:
            items[name][:, 0] = items[name][:, 1:].sum(axis=1, dtype=items[name].dtype)
    return _of_processors(pair, "softnet", *_columns(pair, "total dropd squeezd rx_rps flw_lim blg_len!"))


def _interrupts(pair: Pair) -> Table:
    """The rates of interrupts: one column a processor; in old files, which have no processors, one for all."""
    kinds = pair.rows
    named = pair.has("name")
    rates = pair.rate("count")
    if named:
        rates[:, :kinds][pair.shrunk("count")[:, :kinds]] = 0.0
    processors = rates.shape[1] // kinds
    values = rates.reshape(len(rates), processors, kinds).transpose(0, 2, 1)
    names = words(pair, "name")[:kinds] if named else ["sum", *map(str, range(kinds - 1))]
    shown = pair.shown(processors)
    figures = [(f"CPU{number - 1}" if number else "all" if named else "value", 2) for number in shown.tolist()]
    return Table("interrupts", [f'"intr": "{name}"' for name in names], figures, values[:, :, shown])


def _frequency(pair: Pair) -> Table:
    values = pair.gauge("frequency") / 100
    return _table("cpu-frequency", _processor_numbers(values.shape[1]), [("frequency", 2)], [values])


def _weighted_frequency(pair: Pair) -> Table:
    """Each processor's frequencies, weighted with the time it spent in them; the first 0 ends them."""
    shape = (len(pair.interval), -1, pair.rows)
    frequency = np.asarray(pair.now["frequency"]).reshape(shape)
    there = np.cumprod(frequency != 0, axis=2).astype(bool)
    time = np.where(there, np.asarray(pair.now["time"] - pair.before["time"]).reshape(shape), 0)
    spent = time.sum(axis=2).astype(np.float64)
    weighed = (frequency // 1000 * time).sum(axis=2).astype(np.float64)
    values = np.where(spent > 0, weighed / np.where(spent > 0, spent, 1.0), 0.0)
    return _table("cpu-weighted-frequency", _processor_numbers(values.shape[1]), [("weighted-frequency", 2)], [values])


def _processor_numbers(count: int) -> list[str]:
    return ['"number": "all"', *(f'"number": "{number}"' for number in range(count - 1))]


# -- memory, disks, network -----------------------------------------------------------------------------
def _paging(pair: Pair) -> Table:
    figures, values = _columns(pair, "pgpgin pgpgout fault majflt pgfree pgscank pgscand pgsteal pgprom pgdem")
    if pair.has("pgscank", "pgscand", "pgsteal"):
        figures.append(("vmeff-percent", 2))
        values.append(ratio(pair.grown("pgsteal"), pair.grown("pgscank") + pair.grown("pgscand")))
    return _table("paging", None, figures, values)


def _io(pair: Pair) -> Table:
    """A device that went away takes its counts along: less than before is printed as 0."""
    figures, values = _columns(pair, "tps rtps bread wtps bwrtn dtps bdscd")
    for (name, _), column in zip(figures, values, strict=True):
        column[pair.shrunk(name)] = 0.0
    return _table("io", None, figures, values)


def _memory(pair: Pair) -> Table:
    have = {name: pair.gauge(name) for name in pair.now}
    total, free = have["total"], have["free"]
    # used is all but what is available (since 12.7.8), free or caches (before), or all but what is free (long ago)
    if "shared" in have:
        unused = have["avail"]
    elif "slab" in have and pair.file.frees_caches:
        unused = np.minimum(free + have["buffers"] + have["cached"] + have["slab"], total)
    else:
        unused = free
    have["used"], have["used%"] = total - unused, ratio(total - unused, total)
    swap = have["swptotal"]
    have["commit%"] = ratio(have["commit"], total + swap)
    have["swpused"] = swap - have["swpfree"]
    have["swpused%"], have["swpcad%"] = ratio(have["swpused"], swap), ratio(have["swpcad"], have["swpused"])
    wanted = (
        "memfree=free avail memused=used memused-percent=used% buffers cached commit commit-percent=commit% active"
        " inactive dirty shared anonpg slab kstack pgtbl vmused swpfree swpused swpused-percent=swpused% swpcad"
        " swpcad-percent=swpcad%"
    )
    pairs = [(name, key or name) for name, _, key in (word.partition("=") for word in wanted.split())]
    there = [(name, key) for name, key in pairs if key in have]
    figures = [(name, 2 if key.endswith("%") else 0) for name, key in there]
    return _table("memory", None, figures, [have[key] for _, key in there])


def _huge_pages(pair: Pair) -> Table:
    free, total = pair.gauge("free"), pair.gauge("total")
    figures = [("hugfree", 0), ("hugused", 0), ("hugused-percent", 2)]
    values = [free, total - free, ratio(total - free, total)]
    more, more_values = _columns(pair, "hugrsvd=reserved! hugsurp=surplus!")
    return _table("hugepages", None, figures + more, values + more_values)


def _serial(pair: Pair) -> Table:
    lines = [f'"line": {int(line)}' for line in pair.now["line"][0]]
    return _table("serial", lines, *_columns(pair, "rcvin xmtin framerr prtyerr brk ovrun"))


def _disk(pair: Pair) -> Table:
    ios = np.where(pair.shrunk("ios"), 0.0, pair.grown("ios"))
    has_discards = pair.has("dc_sect", "dc_ticks")
    sectors = [name for name in ("rd_sect", "wr_sect", "dc_sect") if pair.has(name)]
    size = _each(sum(pair.grown(name) for name in sectors), ios) / 2
    wait = _each(sum(pair.grown(name) for name in ("rd_ticks", "wr_ticks", *["dc_ticks"] * has_discards)), ios)
    busy = np.where(pair.shrunk("tot_ticks"), 0.0, pair.rate("tot_ticks")) / 10
    figures = ["tps", *[f"{name[0]}kB" for name in sectors], "areq-sz", "aqu-sz", "await", "util-percent"]
    values = [pair.rate("ios"), *[pair.rate(name) / 2 for name in sectors], size, pair.rate("rq_ticks") / 1000]
    numbers = zip(pair.now["major"][0].tolist(), pair.now["minor"][0].tolist(), strict=True)
    names = [f'"disk-device": "{_device(major, minor)}"' for major, minor in numbers]
    return _table("disk", names, [(name, 2) for name in figures], [*values, wait, busy])


def _device(major: int, minor: int) -> str:
    """The device's name where Linux assigns the number for good; else as sar prints one without: ``dev253-0``.

    `sadf` asks the machine that it runs on, which is another one than the file comes from.
    """
    if major in _SCSI:
        number, partition = divmod(minor, 16)
        number += 16 * _SCSI.index(major)
        letters = chr(97 + number % 26)
        while number >= 26:
            number = number // 26 - 1
            letters = chr(97 + number % 26) + letters
        return f"sd{letters}{partition or ''}"
    return f"{_NUMBERED[major]}{minor}" if major in _NUMBERED else f"dev{major}-{minor}"


def _each(amount: Values | int, count: Values) -> Values:
    return np.where(count > 0, amount / np.where(count > 0, count, 1.0), 0.0)


def _network(pair: Pair) -> Table:
    received, sent = pair.rate("rx_bytes"), pair.rate("tx_bytes")
    figures, values = _columns(pair, "rxpck txpck")
    more, more_values = _columns(pair, "rxcmp txcmp rxmcst")
    figures += [("rxkB", 2), ("txkB", 2), *more]
    values += [received / 1024, sent / 1024, *more_values]
    if pair.has("speed"):
        speed = pair.gauge("speed") * 1_000_000
        full = pair.now["duplex"] == 2 if pair.has("duplex") else np.zeros(speed.shape, dtype=bool)
        load = np.where(full, np.maximum(received, sent), received + sent)
        figures.append(("ifutil-percent", 2))
        values.append(np.where(speed > 0, load * 800 / np.where(speed > 0, speed, 1.0), 0.0))
    return _table("net-dev", _interfaces(pair), figures, values)


def _network_errors(pair: Pair) -> Table:
    wanted = "rxerr txerr coll rxdrop txdrop txcarr rxfram rxfifo txfifo"
    return _table("net-edev", _interfaces(pair), *_columns(pair, wanted))


def _interfaces(pair: Pair) -> list[str]:
    return [f'"iface": "{name}"' for name in words(pair, "iface")]


def _fibre_channel(pair: Pair) -> Table:
    names = [f'"fchost": "{name}"' for name in words(pair, "name")]
    return _table("fchosts", names, *_columns(pair, "fch_rxf=rxf fch_txf=txf fch_rxw=rxw fch_txw=txw"))


def _file_systems(pair: Pair) -> Table:
    blocks, free, files, ifree = (pair.gauge(name) for name in ("blocks", "free", "files", "ifree"))
    figures = ["MBfsfree", "MBfsused", "%fsused", "%ufsused", "Ifree", "Iused", "%Iused"]
    values = [
        free / 1024 / 1024,
        (blocks - free) / 1024 / 1024,
        ratio(blocks - free, blocks),
        ratio(blocks - pair.gauge("avail"), blocks),
        ifree,
        files - ifree,
        ratio(files - ifree, files),
    ]
    names = [f'"filesystem": "{name}"' for name in words(pair, "name")]
    return _table("filesystems", names, [(name, 2 if name[0] == "%" else 0) for name in figures], values)


# -- sensors, batteries, USB, pressure --------------------------------------------------------------------
def _fan(pair: Pair) -> Table:
    speed = pair.gauge("rpm")
    figures = [("rpm", 0), ("drpm", 0)]
    values = [np.trunc(speed), np.trunc(speed - pair.gauge("rpm_min"))]
    return _table("fan-speed", _sensors(pair, 1), figures, values)


def _sensor(name: str, figure: str, percent: str, first: int) -> Callable[[Pair], Table]:
    def read(pair: Pair) -> Table:
        value, low, high = (pair.gauge(column) for column in ("value", "low", "high"))
        return _table(name, _sensors(pair, first), [(figure, 2), (percent, 2)], [value, ratio(value - low, high - low)])

    return read


def _sensors(pair: Pair, first: int) -> list[str]:
    return [f'"number": {number}, "device": "{name}"' for number, name in enumerate(words(pair, "device"), first)]


def _battery(pair: Pair) -> Table:
    names = [
        f'"number": {int(number)}, "status": "{_BATTERY[int(status)] if status < len(_BATTERY) else _BATTERY[0]}"'
        for number, status in zip(pair.now["id"][0], pair.now["status"][0], strict=True)
    ]
    level = pair.gauge("capacity")
    change = (level - pair.before["capacity"].astype(np.float64)) * 6000 / pair.interval
    return _table("battery", names, [("percent-capacity", 0), ("variation", 2)], [level, change])


def _usb(pair: Pair) -> Table:
    products = zip(*(pair.now[name][0] for name in ("bus", "vendor", "product")), strict=True)
    named = zip(products, words(pair, "maker"), words(pair, "name"), strict=True)
    names = [
        f'"bus_number": {int(bus)}, "idvendor": "{int(vendor):x}", "idprod": "{int(product):x}",'
        f' "manufact": "{maker}", "product": "{name}"'
        for (bus, vendor, product), maker, name in named
    ]
    return _table("usb-devices", names, [("maxpower", 0)], [pair.gauge("power") * 2])


def _pressure(name: str) -> Callable[[Pair], Table]:
    def read(pair: Pair) -> Table:
        figures: list[tuple[str, int]] = []
        values: list[Values] = []
        for who in ("some", "full"):
            more, columns = _columns(pair, " ".join(f"{who}_avg{time}={who}_{time}%" for time in (10, 60, 300)))
            figures, values = figures + more, values + columns
            if pair.has(f"{who}_total"):
                figures.append((f"{who}_avg", 2))
                values.append(pair.grown(f"{who}_total") / (_MICROSECONDS_OF_CENTISECONDS * pair.interval))
        return _table(name, None, figures, values)

    return read


Reading = Callable[[Pair], Table]

ACTIVITIES: tuple[tuple[str, dict[int, Reading]], ...] = (
    (
        "",
        {1: _cpu, 2: _single(2), 3: _interrupts, 4: _single(4), 5: _paging, 6: _io, 7: _memory, 34: _huge_pages,
         8: _single(8), 9: _single(9), 10: _serial, 11: _disk},
    ),
    (
        "network",
        {12: _network, 13: _network_errors, **{number: _single(number) for number in range(14, 30)},
         38: _fibre_channel, 39: _softnet},
    ),
    (
        "power-management",
        {30: _frequency, 31: _fan, 32: _sensor("temperature", "degC", "percent-temp", 1),
         33: _sensor("voltage-input", "inV", "percent-in", 0), 35: _weighted_frequency, 43: _battery, 36: _usb},
    ),
    ("", {37: _file_systems}),
    ("psi", {40: _pressure("psi-cpu"), 41: _pressure("psi-io"), 42: _pressure("psi-mem")}),
)  # fmt: skip
"""What each activity prints, and what it is printed in."""
