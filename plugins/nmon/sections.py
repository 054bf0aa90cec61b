"""What nmon's sections are: which of them list devices, and how their columns are named.

    DISKBUSY,Disk %Busy db1,hdisk0,hdisk1          a measurement, its columns are devices
    DISKBUSY1,Disk %Busy db1,hdisk150,hdisk151     ... continued: more devices than `disks_per_line` (150)
    NET,Network I/O db1,en0-read-KB/s,en0-write-KB/s      columns of interfaces
    IOADAPT,Disk Adapter db1,fcs0_read-KB/s,fcs0_xfer-tps
    CPU001,CPU 1 db1,User%,Sys%,Wait%,Idle%        a processor per section; CPU_ALL is all of them
    MEM,Memory db1,Real Free %,Virtual free %      columns of the section itself

A section that is not known is read like the last: its columns keep their headings, nothing is left out.
"""

from __future__ import annotations

from tunebench.sdk import SeriesKey, decode_text, lazy_pattern, record

_PROCESSOR = lazy_pattern(rb"^(?P<table>[PS]?CPU|CPUUTIL|CPUMHZ)_?(?P<cpu>\d+|ALL)$")
_OF_DEVICES = lazy_pattern(
    rb"^(?P<table>(?:DISK(?:BUSY|READ|WRITE|XFER|RXFER|WXFER|BSIZE|RIO|WIO|AVGRIO|AVGWIO|SERV|READSERV|WRITESERV|WAIT"
    rb"|READWAIT|WRITEWAIT|SIZE|READS|WRITES|QUEUE|RSERV|WSERV|RMSEC|WMSEC|RMERGE|WMERGE|TIME|BACKLOG|INFLIGHT)"
    rb"|(?:DG|VG)(?:BUSY|READ|WRITE|XFER|SIZE|READS|READMERGE|READSERV|WRITES|WRITEMERGE|WRITESERV|INFLIGHT|IOTIME"
    rb"|BACKLOG)|ESS(?:READ|WRITE|XFER|BUSY)|FC(?:READ|WRITE|XFERIN|XFEROUT)|PAGING|DAC\w*?))(?P<part>\d{0,3})$"
)
_OF_FILE_SYSTEMS = lazy_pattern(rb"^(?P<table>JFSFILE|JFSINODE)(?P<part>\d{0,3})$")
_OF_INTERFACES = lazy_pattern(rb"^(?P<table>NET|NETPACKET|NETSIZE|NETERROR|SEA|SEAPACKET|SEACHPHY)(?P<part>\d{0,3})$")
_OF_ADAPTERS = lazy_pattern(rb"^(?P<table>IOADAPT)(?P<part>\d{0,3})$")
_OF_CLASSES = lazy_pattern(rb"^(?P<table>WLM(?:CPU|MEM|BIO))(?P<part>\d{0,3})$")
_LONGEST_NAME = 300
_INTERFACE = lazy_pattern(
    r"^(?P<name>.+?)[-_](?P<what>(?:read|write|recv|send)(?:-?KB/s|s?/s|size|s)?|[io]errs|collisions|drops?\w*)$"
)
_ADAPTER = lazy_pattern(r"^(?P<name>.+?)_(?P<what>read-KB/s|write-KB/s|xfer-tps|\w+-\S+)$")


@record
class SectionKind:
    """`attribute` is what each column is about (``device``), or what the whole section is (``cpu`` = `key`).

    Attributes:
        continued: ``1`` for DISKBUSY1, which goes on where DISKBUSY ends.
    """

    table: str
    attribute: str = ""
    key: str = ""
    continued: str = ""


def kind_of(name: bytes) -> SectionKind:
    processor = _PROCESSOR.match(name)
    if processor is not None:
        number = processor["cpu"]
        return SectionKind(processor["table"].decode(), "cpu", "all" if number == b"ALL" else str(int(number)))
    for pattern, attribute in (
        (_OF_DEVICES, "device"),
        (_OF_FILE_SYSTEMS, "mountpoint"),
        (_OF_INTERFACES, "interface"),
        (_OF_ADAPTERS, "device"),
        (_OF_CLASSES, "group"),
    ):
        match = pattern.match(name)
        if match is not None:
            return SectionKind(match["table"].decode(), attribute, continued=match["part"].decode())
    return SectionKind(decode_text(name))


def series_of(kind: SectionKind, headings: list[bytes]) -> tuple[SeriesKey, ...]:
    """One series per heading; a heading that comes twice is told apart by ``group``."""
    named = [_series(kind, decode_text(heading[:_LONGEST_NAME]).strip()) for heading in headings]
    seen: dict[SeriesKey, int] = {}
    distinct = []
    for key in named:
        times = seen[key] = seen.get(key, 0) + 1
        if times > 1:
            attributes = tuple(sorted({**dict(key.attributes), "group": f"#{times}"}.items()))
            distinct.append(SeriesKey(key.table, key.native, attributes))
        else:
            distinct.append(key)
    return tuple(distinct)


def _series(kind: SectionKind, heading: str) -> SeriesKey:
    if kind.key:
        return SeriesKey(kind.table, heading, ((kind.attribute, kind.key),))
    if not kind.attribute:
        return SeriesKey(kind.table, heading)
    pattern = {"interface": _INTERFACE, "IOADAPT": _ADAPTER}.get(
        kind.table if kind.table == "IOADAPT" else kind.attribute
    )
    if pattern is None:
        return SeriesKey(kind.table, kind.table, ((kind.attribute, heading),))
    match = pattern.match(heading)
    if match is None:
        return SeriesKey(kind.table, heading)
    return SeriesKey(kind.table, match["what"], ((kind.attribute, match["name"]),))
