"""The formats that the program's own probes write: inventory, timed command, file sizes."""
