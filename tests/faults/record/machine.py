"""What a fault is made of on this machine, each undone when its scope ends: loads, groups, disks, networks, settings."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Self

GROUPS = Path("/sys/fs/cgroup")
INSIDE, OUTSIDE = "10.213.7.2", "10.213.7.1"
_SOURCE = Path(__file__).with_name("loads.c")


class Machine:
    """A scope in which faults are made; `folder` is on a disk and is removed at the end.

    Leaving the scope ends every process, unmounts, detaches and sets back, in the reverse order.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._stack = ExitStack()
        self._groups: dict[str, list[Path]] = {}

    def __enter__(self) -> Self:
        self.folder.mkdir(parents=True)
        self._stack.callback(shutil.rmtree, self.folder, ignore_errors=True)
        self._loads = self.folder / "loads"
        run("cc", "-O2", "-o", self._loads, _SOURCE, "-lpthread")
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    # -- processes ------------------------------------------------------------------------------------------

    def start(self, *words: object, group: str = "", inside: bool = False) -> subprocess.Popen[bytes]:
        """A command until the end of the scope; in a control group, or in the other network."""
        folders = self._groups.get(group, [])
        joins = "".join(f"echo $$ >{folder}/cgroup.procs; " for folder in folders)
        command = ["ip", "netns", "exec", "faults", *words] if inside else list(words)
        started = subprocess.Popen(
            ["sh", "-c", f'{joins}exec "$@"', "sh", *map(str, command)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        self._stack.callback(_end, started)
        return started

    def loads(self, *words: object, group: str = "", inside: bool = False) -> subprocess.Popen[bytes]:
        return self.start(self._loads, *words, group=group, inside=inside)

    def shell(self, text: str, group: str = "") -> subprocess.Popen[bytes]:
        return self.start("sh", "-c", text, group=group)

    # -- settings and groups --------------------------------------------------------------------------------

    def setting(self, path: str, value: object) -> None:
        file = Path("/proc/sys") / path
        before = file.read_text()
        self._stack.callback(file.write_text, before)
        file.write_text(str(value))

    def group(self, name: str, **limits: object) -> None:
        """A control group (version 1); ``cpu__cfs_quota_us=50000`` is cpu.cfs_quota_us of the controller cpu."""
        for limit, value in limits.items():
            controller, _, setting = limit.partition("__")
            folder = GROUPS / controller / f"tunebench-{name}"
            if folder not in self._groups.setdefault(name, []):
                folder.mkdir()
                self._stack.callback(_remove_group, folder)
                self._groups[name].append(folder)
            (folder / f"{controller}.{setting}").write_text(str(value))

    def limit(self, name: str, **limits: object) -> None:
        for limit, value in limits.items():
            controller, _, setting = limit.partition("__")
            (GROUPS / controller / f"tunebench-{name}" / f"{controller}.{setting}").write_text(str(value))

    # -- disks ----------------------------------------------------------------------------------------------

    def file(self, name: str, mib: int) -> Path:
        path = self.folder / name
        run("dd", "if=/dev/zero", f"of={path}", "bs=1M", f"count={mib}", "oflag=direct", "status=none")
        return path

    def disk(self, name: str, mib: int) -> Path:
        """A loop device that goes past the page cache, so that it is as slow as what lies below it."""
        file = self.file(name, mib)
        device = run("losetup", "--find", "--show", "--direct-io=on", file).strip()
        self._stack.callback(run, "losetup", "-d", device)
        return Path(device)

    def mounted(self, device: Path, *options: object) -> Path:
        run("mkfs.ext4", "-q", "-F", *options, device)
        mount = self.folder / f"mount-{device.name}"
        mount.mkdir()
        run("mount", device, mount)
        self._stack.callback(_unmount, mount)
        return mount

    def swap(self, mib: int) -> Path:
        device = self.disk("swap", mib)
        run("mkswap", device)
        run("swapon", device)
        self._stack.callback(run, "swapoff", device)
        return device

    def under(self) -> str:
        """Major and minor number of the disk below `folder`."""
        number = self.folder.stat().st_dev
        return f"{os.major(number)}:{os.minor(number)}"

    def fio(self, target: Path, *options: str, group: str = "") -> None:
        """Moved into its group when it runs: else its own program is read as slowly as the group may."""
        started = self.start("fio", "--name=load", f"--filename={target}", "--time_based", "--runtime=600", *options)
        if group:
            time.sleep(1.5)
            for process in Path("/proc").glob("[0-9]*"):
                if _session_of(process) == started.pid:
                    for folder in self._groups[group]:
                        (folder / "cgroup.procs").write_text(process.name)

    # -- networks -------------------------------------------------------------------------------------------

    def network(self) -> None:
        """A second network beside this machine's, joined by the interface ``veth-out``."""
        run("ip", "netns", "add", "faults")
        self._stack.callback(run, "ip", "netns", "del", "faults")
        run("ip", "link", "add", "veth-out", "type", "veth", "peer", "name", "veth-in", "netns", "faults")
        run("ip", "addr", "add", f"{OUTSIDE}/24", "dev", "veth-out")
        run("ip", "link", "set", "veth-out", "up")
        run("ip", "-n", "faults", "addr", "add", f"{INSIDE}/24", "dev", "veth-in")
        run("ip", "-n", "faults", "link", "set", "veth-in", "up")
        run("ip", "-n", "faults", "link", "set", "lo", "up")

    def firewall(self, *rule: object, inside: bool = False) -> None:
        words = ["iptables", "-w"] if not inside else ["ip", "netns", "exec", "faults", "iptables", "-w"]
        run(*words, "-A", *rule)
        if not inside:  # the other network goes with its rules
            self._stack.callback(run, *words, "-D", *rule)

    def finally_run(self, *words: object) -> None:
        self._stack.callback(run, *words)


def run(*words: object) -> str:
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=120)
    if done.returncode:
        raise RuntimeError(f"{' '.join(map(str, words))}: {done.stderr.strip()}")
    return done.stdout


def _end(process: subprocess.Popen[bytes]) -> None:
    for how in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, how)
            process.wait(3)
        except (ProcessLookupError, subprocess.TimeoutExpired):
            continue


def _session_of(process: Path) -> int:
    try:
        return int((process / "stat").read_text().rpartition(")")[2].split()[3])
    except OSError:  # it has ended
        return 0


def _remove_group(folder: Path) -> None:
    for _ in range(50):
        for process in (folder / "cgroup.procs").read_text().split():
            try:
                os.kill(int(process), signal.SIGKILL)
            except ProcessLookupError:
                continue
        try:
            folder.rmdir()
        except OSError:
            time.sleep(0.1)
        else:
            return


def _unmount(mount: Path) -> None:
    for _ in range(20):
        if subprocess.run(["umount", str(mount)], capture_output=True).returncode == 0:
            return
        time.sleep(0.2)
    run("umount", "-l", mount)
