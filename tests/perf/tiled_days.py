"""Long captures in the shapes of short real ones: the real rows again and again, each time with the next stamp."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import cycle, islice, pairwise
from pathlib import Path

START = datetime(2026, 11, 20, tzinfo=UTC)
_MONTH_SECTIONS = ("CPU      %usr", "kbmemfree", "DEV       tps", "IFACE   rxpck/s")
_HEADING_EVERY = 60  # lines of one sar table, as on a terminal of that height


def clocks(count: int, step_s: int = 1) -> Iterator[str]:
    for number in range(count):
        yield (START + timedelta(seconds=number * step_s)).strftime("%H:%M:%S")


def month(source: Path, folder: Path, hosts: int, days: int) -> Path:
    """``folder/hostNN/sarNN.txt``: `sar -u -r -d -n DEV` of every minute, two disks and four interfaces."""
    tables = [_rows_by_time(section) for section in _sections(source) if _is_of(section, _MONTH_SECTIONS)]
    minutes = list(clocks(1440, 60))
    for host in range(hosts):
        home = folder / f"host{host:02d}"
        home.mkdir(parents=True, exist_ok=True)
        for day in range(1, days + 1):
            parts = [f"Linux 5.14.0-362.el9.x86_64 (host{host:02d}) \t11/{day:02d}/26 \t_x86_64_\t(2 CPU)\n"]
            for heading, rounds in tables:
                parts += _sar_table(heading, rounds, minutes, 7 * host + 13 * day)
            (home / f"sar{day:02d}.txt").write_text("".join(parts), encoding="utf-8")
    return folder


def _sections(source: Path) -> list[str]:
    text = source.read_text(encoding="utf-8")
    return re.findall(r"\n\d\d:\d\d:\d\d.*?(?:^Average:[^\n]*\n)+", text, flags=re.DOTALL | re.MULTILINE)


def _is_of(section: str, words: Sequence[str]) -> bool:
    return any(word in section[:120] for word in words)


def _rows_by_time(section: str) -> tuple[str, list[list[str]]]:
    """The heading and the rows of each time, without stamps; of processors only all together, of disks two."""
    lines = section.strip("\n").split("\n")
    heading = lines[0][8:]
    rounds: dict[str, list[str]] = {}
    for line in lines[1:]:
        cells = line[8:].split()
        if line[:8].strip(":").replace(":", "").isdigit() and cells and line[8:] != heading:
            if "%usr" in heading and cells[0] != "all":
                continue
            names = ("sda", "sdb") if cells[0] == "vda" else (cells[0],)
            rounds.setdefault(line[:8], []).extend(line[8:].replace(cells[0], name, 1) for name in names)
    return heading, list(rounds.values())


def _sar_table(heading: str, rounds: Sequence[Sequence[str]], stamps: Sequence[str], phase: int) -> Iterator[str]:
    for number, stamp in enumerate(stamps[1:]):
        if number % _HEADING_EVERY == 0:
            yield f"\n{stamps[number]}{heading}\n"
        yield "".join(f"{stamp}{row}\n" for row in rounds[(number + phase) % len(rounds)])
    yield "\n"


def stamped_rounds(source: Path, path: Path, rounds: int, step_s: int = 2, copies: int = 1) -> Path:
    """A day of mpstat or pidstat: banner, then blocks with a stamp before every line.

    Args:
        copies: each row so many times, its key counted up (a machine with more processors).
    """
    banner, *lines = source.read_text(encoding="utf-8").split("\n")
    stamp = re.compile(r"^\d\d:\d\d:\d\d")
    blocks = [block for block in re.split(r"\n\n", "\n".join(lines).strip("\n")) if stamp.match(block)]
    with path.open("w", encoding="utf-8") as out:
        out.write(f"{banner}\n\n")
        for block, (before, now) in zip(cycle(blocks), pairwise(clocks(rounds + 1, step_s)), strict=False):
            heading, *rows = [row[8:] for row in block.split("\n") if stamp.match(row)]
            out.write(f"{before}{heading}\n")
            for row in rows:
                for copy in range(copies if re.match(r" +\d", row) else 1):
                    out.write(f"{now}{_counted_up(row, copy)}\n")
            out.write("\n")
    return path


def _counted_up(row: str, by: int) -> str:
    """The processor's number, which comes first, so much higher."""
    return re.sub(r"^ +(\d+)", lambda found: f"{int(found[1]) + 2 * by:8d}", row) if by else row


def vmstat(source: Path, path: Path, rows: int) -> Path:
    """`vmstat -t 1`: two heading lines every 20 rows."""
    lines = source.read_text(encoding="utf-8").split("\n")
    heading, rest = lines[:2], [line for line in lines[2:] if line.strip()]
    with path.open("w", encoding="utf-8") as out:
        for number, row in enumerate(islice(cycle(rest), rows)):
            if number % 20 == 0:
                out.write("\n".join(heading) + "\n")
            now = START + timedelta(seconds=number)
            out.write(f"{row[:-19]}{now:%Y-%m-%d %H:%M:%S}\n")
    return path


def wide_iostat(source: Path, path: Path, rounds: int, devices: int) -> Path:
    """`iostat -xt 1` of a machine with a thousand LUNs; rows and headings of a real one."""
    text = source.read_text(encoding="utf-8")
    banner = text.partition("\n")[0].replace("2026-11-21", "2026-11-20")
    cpu = re.search(r"^avg-cpu.*\n.*\n", text, re.MULTILINE)
    heading = re.search(r"^Device.*\n", text, re.MULTILINE)
    assert cpu is not None and heading is not None
    rows = [row[3:] for row in re.findall(r"^vda .*$", text, re.MULTILINE)]
    with path.open("w", encoding="utf-8") as out:
        out.write(f"{banner}\n\n")
        for number in range(rounds):
            now = START + timedelta(seconds=number)
            out.write(f"{now:%Y-%m-%dT%H:%M:%S}+0000\n{cpu[0]}\n{heading[0]}")
            out.writelines(f"dm-{k}{rows[(number + 7 * k) % len(rows)]}\n" for k in range(devices))
            out.write("\n")
    return path


def nmon(source: Path, path: Path, snapshots: int, disks: int, per_line: int = 150) -> Path:
    """A day of nmon with many disks, whose sections go on in DISKBUSY1, DISKBUSY2 ... as nmon splits them."""
    lines = source.read_text(encoding="utf-8", errors="replace").split("\n")
    first = next(index for index, line in enumerate(lines) if line.startswith("ZZZZ,T0001"))
    second = next(index for index, line in enumerate(lines) if line.startswith("ZZZZ,T0002"))
    head = [line for line in lines[:first] if not line.startswith(("DISK", "TOP", "BBB"))]
    body = [line for line in lines[first + 1 : second] if not line.startswith(("DISK", "TOP", "UARG", "BBB"))]
    names = [f"dm-{number}" for number in range(disks)]
    parts = [names[at : at + per_line] for at in range(0, disks, per_line)]
    kinds = {
        "DISKBUSY": "Disk %Busy",
        "DISKREAD": "Disk Read KB/s",
        "DISKWRITE": "Disk Write KB/s",
        "DISKXFER": "Disk transfers per second",
        "DISKBSIZE": "Disk Block Size",
    }
    for kind, title in kinds.items():
        for number, part in enumerate(parts):
            head.append(f"{kind}{number or ''},{title} dbtest01,{','.join(part)}")
    figures = [",".join(f"{(17 * k * k + 3 * s) % 9973 / 10:.1f}" for k in range(per_line)) for s in range(64)]
    step_s = 86_400 // snapshots
    with path.open("w", encoding="utf-8") as out:
        out.write("\n".join(head) + "\n")
        for number in range(1, snapshots + 1):
            now = START + timedelta(seconds=(number - 1) * step_s)
            tag = f"T{number:04d}"
            out.write(f"ZZZZ,{tag},{now:%H:%M:%S},{now:%d-%b-%Y}\n".upper())
            rows = (line.replace("T0001", tag) for line in body if ",T0001," in line or number == 1)
            out.writelines(f"{row}\n" for row in rows)
            for offset, kind in enumerate(kinds):
                for place, part in enumerate(parts):
                    row = figures[(number + 5 * offset + 11 * place) % len(figures)]
                    cells = row if len(part) == per_line else ",".join(row.split(",")[: len(part)])
                    out.write(f"{kind}{place or ''},{tag},{cells}\n")
    return path


def collectl_plot(source: Path, path: Path, rows: int) -> Path:
    """`collectl -P`: one heading, one line per sample."""
    lines = source.read_text(encoding="utf-8").split("\n")
    heading = next(line for line in lines if line.startswith("#Date"))
    data = [line for line in lines if line[:8].isdigit()]
    with path.open("w", encoding="utf-8") as out:
        out.write(f"{heading}\n")
        for number, row in enumerate(islice(cycle(data), rows)):
            now = START + timedelta(seconds=number)
            out.write(f"{now:%Y%m%d %H:%M:%S}{row[17:]}\n")
    return path
