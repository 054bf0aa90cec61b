"""What every test may rely on: no display needed, nobody's settings touched, the captures found or skipped."""

from __future__ import annotations

import ctypes
import gc
import os
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests import parts

ROOT = Path(__file__).resolve().parents[1]
CORPUS = ROOT.parent / "shared" / "corpus"

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
# Of what tests start with `python -c`; who starts `main.py` has it without.
os.environ["PYTHONPATH"] = os.pathsep.join([str(ROOT / "app"), *os.environ.get("PYTHONPATH", "").split(os.pathsep)])
# The tests never read or write the developer's own settings, recent files, plug-ins or key ring.
_HOME = tempfile.TemporaryDirectory(prefix="tunebench-tests-")
for _name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"):
    os.environ[_name] = str(Path(_HOME.name) / _name.lower())
os.environ["PYTHON_KEYRING_BACKEND"] = "keyring.backends.null.Keyring"

# What a shell without job control starts in the background has SIGINT ignored, and so has whatever that starts: tests that
# send it want it as a terminal gives it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# A shared machine may stall any single example; endurance is measured elsewhere, and a run must be repeatable.
settings.register_profile("repeatable", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("repeatable")


@pytest.fixture(scope="module", autouse=True)
def freed_memory() -> Iterator[None]:
    """What a module's tests freed goes back to the system: a worker that runs hundreds of them would keep the peak of each."""
    yield
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # of glibc alone
    if trim is not None:
        trim(0)


@pytest.fixture(scope="session")
def project_root() -> Path:
    """The folder that holds `main.py`."""
    return ROOT


@pytest.fixture(scope="session")
def corpus() -> Path:
    """The reference captures beside the project; tests that need them are skipped where they are absent."""
    if not CORPUS.is_dir():
        pytest.skip("the capture corpus is not beside the project")
    return CORPUS


def pytest_collection_finish() -> None:
    """Thousands of collected tests stay until the end: no collection has to look at them again (6 % of the processor time)."""
    gc.collect()
    gc.freeze()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--soak", action="store_true", help="also collect the long endurance tests")
    parser.addoption("--part", choices=("quick", "thorough"), help="of `make test` or of `make test-all`; else both")


SERVERS = {"sshd", "make_sshd", "server", "accounts", "network"}
"""Fixtures of a real server: who waits for its answers wants nobody else to keep the machine busy."""


def pytest_pycollect_makeitem(collector: pytest.Collector, name: str, obj: object) -> list[pytest.Item] | None:
    """What runs for long is collected by its own target alone; None leaves anything else to pytest."""
    marks = {mark.name for mark in getattr(obj, "pytestmark", ())}
    return [] if "soak" in marks and not collector.config.getoption("--soak") else None


def _file(item: pytest.Item) -> str:
    return item.nodeid.partition("::")[0]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        if SERVERS.intersection(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.alone)
        if item.get_closest_marker("alone") and not parts.may_wait(_file(item)):
            raise pytest.UsageError(
                f"{item.nodeid} is marked alone and lies in none of {parts.WAITING}: nobody would run it"
            )
    items.sort(key=lambda item: parts.turn(_file(item)))


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """A run of one part reads nothing of the other, and one of what is marked `alone` no folder that has none of it."""
    path = collection_path.relative_to(ROOT).as_posix()
    part: str | None = config.option.part
    if path == "tests" or path.endswith(("conftest.py", "__init__.py")):
        return None
    if config.option.markexpr == "alone" and not parts.may_wait(path):
        return True
    if part is not None and not parts.may_hold(path, thorough=part == "thorough"):
        return True
    return None
