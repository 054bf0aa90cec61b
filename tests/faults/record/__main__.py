"""Records faults anew: starts each, captures it with the program's own collection script, and undoes it.

    python -m tests.faults.record [--seconds 66] [--into FOLDER] [NAME...]

Needs Linux, root, two processors, fio, iproute2, iptables, e2fsprogs, sysstat, procps and a C compiler, and a machine
that does nothing else.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.faults.record.machine import Machine, run
from tests.faults.record.making import FAULTS, HEALTHY, Made
from tests.faults.record.neutral import neutral

RECORDINGS = Path(__file__).parents[1] / "recordings"
PROBES = (
    "linux.vmstat", "linux.iostat", "linux.mpstat", "linux.sar", "linux.pressure", "linux.kernel_state", "linux.df",
    "linux.df_inodes", "linux.lscpu", "linux.lsblk",
)  # fmt: skip
"""The default set of Linux; of the inventory, which tells much of a machine, the processors and the disks alone."""
_SETTLED_S = 3.0
_MAIN = Path(__file__).parents[3] / "main.py"


def main() -> int:
    known = {**FAULTS, **HEALTHY}
    asked = argparse.ArgumentParser(prog="tests.faults.record", description=__doc__.partition("\n")[0])
    asked.add_argument("names", nargs="*", metavar="NAME", help="of recordings; all where none is named")
    asked.add_argument("--seconds", type=int, default=66)
    asked.add_argument("--into", type=Path, default=RECORDINGS)
    wanted = asked.parse_args()
    names = wanted.names or list(known)
    if unknown := [name for name in names if name not in known]:
        asked.error(f"no such recording: {', '.join(unknown)}")
    if os.geteuid() != 0:
        asked.error("faults are made by root alone")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that what was begun is undone
    wanted.into.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="faults-", dir="/var/tmp") as folder:
        script = _script(Path(folder), wanted.seconds)
        failed = [name for name in names if not _recorded(name, known[name], script, Path(folder), wanted.into)]
    return 1 if failed else 0


def _script(folder: Path, seconds: int) -> Path:
    project, script = folder / "made.tune", folder / "collect.sh"
    run(sys.executable, _MAIN, "new", project, "--customer", "faults", "--title", "recording")
    what = ("--probe", *PROBES, "--interval", 1, "--duration", seconds)
    run(sys.executable, _MAIN, "--lang", "en", "capture", project, "--host", "host", *what, "--script", script)
    return script


def _recorded(name: str, make: Made, script: Path, folder: Path, into: Path) -> bool:
    out = folder / "out"
    out.mkdir()
    begun = time.monotonic()
    try:
        with Machine(folder / "machine") as machine:
            make(machine)
            time.sleep(_SETTLED_S)
            subprocess.run(["sh", str(script), "-d", str(out)], check=True, capture_output=True, timeout=600)
        (archive,) = out.glob("tunebench-*.tar.gz")
        neutral(archive)
        shutil.copyfile(archive, into / f"{name}.tar.gz")
    except (OSError, RuntimeError, subprocess.SubprocessError, ValueError) as error:
        print(f"{name}: {error}", file=sys.stderr)
        return False
    finally:
        shutil.rmtree(out)
    size = (into / f"{name}.tar.gz").stat().st_size
    print(f"{name}: {size / 1024:.0f} KB, {time.monotonic() - begun:.0f} s", flush=True)
    return True


if __name__ == "__main__":
    raise SystemExit(main())
