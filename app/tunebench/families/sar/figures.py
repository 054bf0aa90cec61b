"""What sar's figures belong to, whether sar printed them or sadf: one activity is one table in both."""

from __future__ import annotations

KEY_ATTRIBUTES = {
    "CPU": "cpu",
    "cpu": "cpu",
    "DEV": "device",
    "IFACE": "interface",
    "MOUNTPOINT": "mountpoint",
    "FILESYSTEM": "device",
    "TTY": "device",
    "BUS": "device",
    "BAT": "device",
    "FAN": "device",
    "TEMP": "device",
    "IN": "device",
    "FCHOST": "device",
}
"""Attribute that a row's name fills. FILESYSTEM shows the block device, MOUNTPOINT where it is mounted.

Interrupts (``INTR``) and names nobody knows yet go to ``state``: they are no devices, and ``group`` would
hide them from the reader.
"""
OTHER_KEY = "state"

TABLES = {
    "%user": "cpu",
    "%usr": "cpu",
    "MHz": "cpu_frequency",
    "wghMHz": "cpu_frequency_weighted",
    "total/s": "softnet",
    "proc/s": "tasks",
    "cswch/s": "tasks",
    "pswpin/s": "swapping",
    "pgpgin/s": "paging",
    "kbmemfree": "memory",
    "frmpg/s": "memory_change",
    "kbswpfree": "swap",
    "kbhugfree": "huge_pages",
    "dentunusd": "kernel_tables",
    "runq-sz": "load",
    "rcvin/s": "tty",
    "rxpck/s": "interface",
    "rxerr/s": "interface_errors",
    "call/s": "nfs_client",
    "scall/s": "nfs_server",
    "totsck": "sockets",
    "irec/s": "ip",
    "ihdrerr/s": "ip_errors",
    "imsg/s": "icmp",
    "ierr/s": "icmp_errors",
    "active/s": "tcp",
    "atmptf/s": "tcp_errors",
    "idgm/s": "udp",
    "tcp6sck": "sockets6",
    "irec6/s": "ip6",
    "ihdrer6/s": "ip6_errors",
    "imsg6/s": "icmp6",
    "ierr6/s": "icmp6_errors",
    "idgm6/s": "udp6",
    "fch_rxf/s": "fibre_channel",
    "MBfsfree": "filesystem",
    "%cap": "battery",
    "rpm": "fan",
    "degC": "temperature",
    "inV": "voltage",
    "maxpower": "usb",
    "%scpu-10": "pressure_cpu",
    "%sio-10": "pressure_io",
    "%smem-10": "pressure_memory",
}
"""Name of the table by its first figure; others are named by that figure itself."""
