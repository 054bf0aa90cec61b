"""What an nmon file tells of its host: the AAA and BBB lines.

AAA,host,db1      AAA,AIX,7.1.3.30      AAA,OS,Linux,4.1.3,#1 SMP ...,x86_64      AAA,x86,Cores,2
BBBL,14,Entitled Capacity,1.3                                the partition
BBBN,000,NetworkName,MTU,Mbits,Name      BBBN,001,en1,1500,10240,Standard Ethernet ...
BBBD,002,0,"fcs3",8,"Virtual Fibre Channel Client Adapter"
BBBV,001,VG STATE:   active      PP SIZE:   64 megabyte(s)
BBBC,036,LV NAME  LPs  PPs ...   BBBC,037,lroot  1  1 ...   below  BBBC,035,hdisk7:
BBBP,005,lsconf,"Processor Type: PowerPC_POWER7"             output of commands, commas and all
"""

from __future__ import annotations

from tunebench.sdk import LedgerBook, SystemFact, decode_text, lazy_pattern

MOST_FACTS = 4000
_LONGEST_VALUE = 400
_LONGEST_LINE = 1000  # what is longer tells no more
_VOLATILE = "volatile"
_MOMENTARY = lazy_pattern(
    r"uptime|^ps\b|/proc/(?!cpuinfo|version|cmdline|modules|partitions|filesystems)|vmstat|netstat|^df\b|ipcs|w$|free"
    r"|lparstat|svmon|iostat|mpstat|date"
)
_SECTIONS = {
    "BBBB": "disks",
    "BBBC": "disk layout",
    "BBBV": "volume groups",
    "BBBVG": "volume groups",
    "BBBN": "network interfaces",
    "BBBD": "disk adapters",
    "BBBL": "lpar",
    "BBBG": "disk groups",
}
_PAIR = lazy_pattern(
    r"(?P<name>[A-Z][A-Za-z0-9 ()/%#_.-]*?):\s+(?P<value>\S.*?)(?=\s{2,}[A-Z][A-Za-z0-9 ()/%#_.-]*?:|\s*$)"
)
_COLON = lazy_pattern(r"^\s*(?P<name>[^:=\"]{1,60}?)\s*[:=]\s+(?P<value>\S.*?)\s*$")
_ASSIGNED = lazy_pattern(r"^(?P<name>[A-Z][A-Z0-9_]{1,40})=Q?(?P<value>.*?)Q?$")  # Linux writes Q for a quote
_NUMBER = lazy_pattern(r"^\d{1,6}$")
_OF_THE_RUN = frozenset({b"time", b"date", b"command", b"runname", b"user"})


class AboutHost:
    """Collects facts, and tells the ledger host, system and version."""

    def __init__(self, book: LedgerBook) -> None:
        self._book = book
        self._facts: dict[tuple[str, str], str] = {}
        self._columns: dict[str, list[str]] = {}
        self._group = ""  # the volume group or disk that lines below a heading are about
        self.is_full = False
        self.time = b""
        self.date = b""
        self.interval_s: float | None = None

    def facts(self) -> list[SystemFact]:
        return [SystemFact(section, name, value) for (section, name), value in self._facts.items()]

    def fact(self, section: str, name: str, value: str) -> bool:
        """Whether it is known from now on. A name's second value stands under ``name #2``."""
        name, value = " ".join(name.split())[:200], " ".join(value.split())[:_LONGEST_VALUE]
        if not value:
            return False
        times, wanted = 1, name
        while (stored := self._facts.get((section, wanted))) is not None and stored != value:
            times += 1
            wanted = f"{name} #{times}"
            if times > 50:
                return False
        if stored is None and len(self._facts) >= MOST_FACTS:
            self.is_full = True
            return False
        self._facts[section, wanted] = value
        return True

    # -- AAA -------------------------------------------------------------------------------------

    def read_general(self, line: bytes) -> None:
        cells = line.split(b",")
        name, rest = cells[1].strip(), b",".join(cells[2:]).strip()
        self._read_ledger(name, cells, rest)
        if name.startswith(b"note"):
            return
        text = decode_text(name)
        if name == b"x86" and len(cells) > 3:
            self.fact("nmon", f"x86 {decode_text(cells[2])}", decode_text(b",".join(cells[3:])))
        else:
            self.fact("nmon" if name not in _OF_THE_RUN else _VOLATILE, text, decode_text(rest.rstrip(b",")))

    def _read_ledger(self, name: bytes, cells: list[bytes], rest: bytes) -> None:
        book, value = self._book, decode_text(rest)
        if name == b"host" and value:
            if book.hostname and book.hostname != value:
                book.warn("several_hosts")
            book.hostname = book.hostname or value
        elif name == b"progname":
            book.variant = value
        elif name == b"version":
            book.tool_version = value
        elif name == b"AIX":
            book.os, book.os_version = "aix", value
        elif name == b"OS" and len(cells) > 3:
            book.os, book.os_version = decode_text(cells[2]).lower(), decode_text(cells[3])
        elif name == b"build" and value == "AIX" and not book.os:
            book.os = "aix"
        elif name == b"time":
            self.time = rest
        elif name == b"date":
            self.date = rest
        elif name == b"interval":
            self._read_interval(value)

    def _read_interval(self, value: str) -> None:
        try:
            seconds = float(value)
        except ValueError:
            return
        if 0 < seconds <= 86_400:
            self.interval_s = seconds

    # -- BBB -------------------------------------------------------------------------------------

    def read_section(self, line: bytes) -> bool:
        """Whether a fact came of it."""
        text = decode_text(line[:_LONGEST_LINE])
        kind, _, rest = text.partition(",")
        number, _, body = rest.partition(",")
        if kind == "BBBP":
            return self._read_command(body)
        if kind == "BBBV":
            return self._read_volume_group(body)
        if kind == "BBBC":
            return self._read_layout(body)
        if kind == "BBBL":
            name, _, value = body.partition(",")
            return self.fact("lpar", name, value)
        return self._read_table(kind, number, body)

    def _read_command(self, body: str) -> bool:
        command, _, output = body.partition(",")
        output = output.strip().removeprefix('"').removesuffix('"')
        if not output.strip():
            return False
        section = command.strip() or "BBBP"
        name, value = "line", output
        match = _COLON.match(output) or _ASSIGNED.match(output)
        if match is not None:
            name, value = match["name"], match["value"]
        if _MOMENTARY.search(section):
            section, name = _VOLATILE, f"{section} {name}"
        return self.fact(section, name, value)

    def _read_volume_group(self, body: str) -> bool:
        pairs = [(match["name"], match["value"]) for match in _PAIR.finditer(body)]
        has_told = False
        for name, value in pairs:
            if name == "VOLUME GROUP":
                self._group = value
            else:
                has_told |= self.fact("volume groups", f"{self._group} {name}", value)
        return has_told

    def _read_layout(self, body: str) -> bool:
        words = body.split()
        if not words or words[0] == "LV":
            return False
        if len(words) == 1 and words[0].endswith(":"):
            self._group = words[0].removesuffix(":")
            return False
        return self.fact("disk layout", f"{self._group} {words[0]}", " ".join(words[1:]))

    def _read_table(self, kind: str, number: str, body: str) -> bool:
        cells = [cell.strip().strip('"').strip() for cell in body.split(",")]
        is_heading = (
            _NUMBER.match(number) is not None and int(number) <= 1 and not any(_NUMBER.match(cell) for cell in cells)
        )
        if is_heading and (kind not in self._columns or len(cells) > 1):
            self._columns[kind] = cells
            return False
        columns = self._columns.get(kind, [])
        key_column = 1 if len(cells) > 1 and _NUMBER.match(cells[0]) else 0
        values = [
            f"{columns[index]} {cell}" if index < len(columns) else cell
            for index, cell in enumerate(cells)
            if index != key_column
        ]
        return self.fact(_SECTIONS.get(kind, kind), cells[key_column], ", ".join(values) or cells[key_column])
