"""A made host of Linux, and what `sar -A`, `iostat -x -t -k` and `lsblk` would print of it: text for the real readers.

Nothing here was recorded: the figures are put together from a known cause, with 3 % of noise on each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Given = float | Sequence[float] | NDArray[np.float64]
START = datetime(2026, 7, 6, 10, 0, 0)
MEMORY_KB = 64 * 2**20
_MODES = ("usr", "nice", "sys", "iowait", "steal", "irq", "soft", "guest", "gnice")
_IOSTAT = (
    "Device            r/s     rkB/s   rrqm/s  %rrqm r_await rareq-sz     w/s     wkB/s   wrqm/s  %wrqm w_await "
    "wareq-sz     d/s     dkB/s   drqm/s  %drqm d_await dareq-sz     f/s f_await  aqu-sz  %util"
)


@dataclass(frozen=True)
class Disk:
    """What `iostat -x` prints of it: requests a second, response in ms, %util; the queue follows from Little's law.

    `rota`: ``"1"`` of a disk that turns, ``"0"`` of one that does not, ``""`` where `lsblk` was not asked.
    """

    util: Given
    reads: Given = 100.0
    writes: Given = 20.0
    await_ms: Given = 1.0
    rota: str = ""
    queue: Given | None = None


@dataclass
class MadeHost:
    """Half an hour of ten-second samples of a host on which nothing happens, but for what is given.

    Attributes:
        processors: by number, what it does in percent by mode (``usr``, ``soft`` ...), beside `cpu`, what all do.
        memory_available: percent. `free`: percent, the rest of what is available being caches.
        net: of eth0: packets a second in either direction, KB a second, percent of the link, dropped a second.
        tcp: segments sent and retransmitted a second.
    """

    cpus: int = 4
    samples: int = 180
    interval_s: int = 10
    cpu: dict[str, Given] = field(default_factory=dict)
    processors: dict[int, dict[str, Given]] = field(default_factory=dict)
    run_queue: Given = 1.0
    blocked: Given = 0.0
    load: Given = 1.0
    switches: Given = 3000.0
    major_faults: Given = 0.5
    scan_background: Given = 0.0
    scan_direct: Given = 0.0
    swap_in: Given = 0.0
    swap_out: Given = 0.0
    memory_available: Given = 60.0
    memory_free: Given = 20.0
    disks: dict[str, Disk] = field(default_factory=lambda: {"sda": Disk(5.0)})
    net: tuple[Given, Given, Given, Given] = (800.0, 400.0, 0.5, 0.0)
    tcp: tuple[Given, Given] = (600.0, 0.1)
    seed: int = 7

    def write(self, folder: Path) -> list[Path]:
        """The captures, in `folder`."""
        self._random = np.random.default_rng(self.seed)
        texts = {"sar.txt": self._sar(), "iostat.txt": self._iostat()}
        if any(disk.rota for disk in self.disks.values()):
            texts["lsblk.txt"] = self._lsblk()
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in texts.items():
            (folder / name).write_text(text, encoding="utf-8")
        return [folder / name for name in texts]

    def _noisy(self, given: Given) -> NDArray[np.float64]:
        """float64[samples]; a series that is given over time is taken as it is."""
        if not isinstance(given, (int, float)):
            return np.asarray(given, dtype=float)
        return np.maximum(given * (1 + 0.03 * self._random.standard_normal(self.samples)), 0.0)

    @property
    def _stamps(self) -> list[datetime]:
        return [START + timedelta(seconds=self.interval_s * (place + 1)) for place in range(self.samples)]

    @property
    def _banner(self) -> str:
        return f"Linux 5.14.0-362.el9.x86_64 (db1) \t{START:%m/%d/%y} \t_x86_64_\t({self.cpus} CPU)\n\n"

    # -- sar ------------------------------------------------------------------------------------------------

    def _sar(self) -> str:
        load, used = self._noisy(self.load), 100.0 - self._noisy(self.memory_free)
        available = np.clip(self._noisy(self.memory_available), 0, 100)
        received, kb, util, dropped = map(self._noisy, self.net)
        sent, again = map(self._noisy, self.tcp)
        tables = [
            self._processors(),
            self._table("proc/s   cswch/s", 2.0, self._noisy(self.switches)),
            self._table("pswpin/s pswpout/s", self._noisy(self.swap_in), self._noisy(self.swap_out)),
            self._table(
                "pgpgin/s pgpgout/s   fault/s  majflt/s  pgfree/s pgscank/s pgscand/s pgsteal/s    %vmeff",
                10.0, 20.0, 500.0, self._noisy(self.major_faults), 300.0, self._noisy(self.scan_background),
                self._noisy(self.scan_direct), 0.0, 0.0,
            ),
            self._table(
                "kbmemfree   kbavail kbmemused  %memused kbbuffers  kbcached  kbcommit   %commit",
                (100 - used) / 100 * MEMORY_KB, available / 100 * MEMORY_KB, used / 100 * MEMORY_KB, used,
                20000.0, np.maximum(available + used - 100, 0) / 100 * MEMORY_KB, 1e7, 20.0,
            ),
            self._table("runq-sz  plist-sz   ldavg-1   ldavg-5  ldavg-15   blocked",
                        self._noisy(self.run_queue), 400.0, load, load, load, self._noisy(self.blocked)),
            self._table("IFACE   rxpck/s   txpck/s    rxkB/s    txkB/s   rxcmp/s   txcmp/s  rxmcst/s   %ifutil",
                        received, received, kb, kb, 0.0, 0.0, 0.0, util, thing="eth0"),
            self._table(
                "IFACE   rxerr/s   txerr/s    coll/s  rxdrop/s  txdrop/s  txcarr/s  rxfram/s  rxfifo/s  txfifo/s",
                0.0, 0.0, 0.0, dropped, 0.0, 0.0, 0.0, 0.0, 0.0, thing="eth0",
            ),
            self._table("active/s passive/s    iseg/s    oseg/s", 0.0, 0.0, sent, sent),
            self._table("atmptf/s  estres/s retrans/s isegerr/s   orsts/s", 0.0, 0.0, again, 0.0, 0.0),
        ]  # fmt: skip
        return self._banner + "\n".join(tables)

    def _table(self, heading: str, *columns: Given, thing: str = "") -> str:
        values = [np.broadcast_to(np.asarray(column, dtype=float), self.samples) for column in columns]
        lines = [f"{START:%H:%M:%S}    {heading}"]
        for place, stamp in enumerate(self._stamps):
            figures = " ".join(f"{column[place]:9.2f}" for column in values)
            lines.append(f"{stamp:%H:%M:%S}  {thing} {figures}".rstrip())
        return "\n".join(lines) + "\n"

    def _processors(self) -> str:
        each = []
        for number in range(self.cpus):
            given = {"usr": 5.0, "sys": 2.0} | self.cpu | self.processors.get(number, {})
            modes = np.array([self._noisy(given.get(mode, 0.0)) for mode in _MODES])
            over = np.maximum(modes.sum(axis=0) / 100.0, 1.0)
            each.append(modes / over)
        rows = {"all": np.mean(each, axis=0), **{str(number): modes for number, modes in enumerate(each)}}
        lines = [f"{START:%H:%M:%S}  CPU  %usr  %nice  %sys  %iowait  %steal  %irq  %soft  %guest  %gnice  %idle"]
        for place, stamp in enumerate(self._stamps):
            for name, modes in rows.items():
                figures = " ".join(f"{mode[place]:6.2f}" for mode in modes)
                lines.append(f"{stamp:%H:%M:%S}  {name} {figures} {max(100 - modes[:, place].sum(), 0):6.2f}")
        return "\n".join(lines) + "\n"

    # -- disks ----------------------------------------------------------------------------------------------

    def _iostat(self) -> str:
        figures = {name: self._of_disk(disk) for name, disk in self.disks.items()}
        blocks = [self._banner.rstrip("\n") + "\n"]
        for place, stamp in enumerate([START, *self._stamps]):
            lines = [f"{stamp:%m/%d/%y %H:%M:%S}", _IOSTAT]
            at = max(place - 1, 0)  # the first block is since boot
            for name, columns in figures.items():
                lines.append(f"{name:<12}" + " ".join(f"{column[at]:8.2f}" for column in columns))
            blocks.append("\n".join(lines) + "\n")
        return "\n".join(blocks)

    def _of_disk(self, disk: Disk) -> list[NDArray[np.float64]]:
        reads, writes, wait = map(self._noisy, (disk.reads, disk.writes, disk.await_ms))
        util = np.clip(self._noisy(disk.util), 0, 100)
        queue = (reads + writes) * wait / 1000 if disk.queue is None else self._noisy(disk.queue)
        nothing = np.zeros(self.samples)
        size = nothing + 16.0
        one_way = [[rate, rate * 16, nothing, nothing, wait, size] for rate in (reads, writes)]
        return [*one_way[0], *one_way[1], *[nothing] * 8, queue, util]

    def _lsblk(self) -> str:
        """As the probe asks for it."""
        rows = (f'NAME="{name}" KNAME="{name}" TYPE="disk" ROTA="{disk.rota}"' for name, disk in self.disks.items())
        return "\n".join(["@section disk lsblk -P -b", *rows]) + "\n"
