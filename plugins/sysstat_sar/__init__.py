"""Text that Linux `sar` (sysstat) prints, live or from a file."""
