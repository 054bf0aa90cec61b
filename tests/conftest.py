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


SERVERS = {"sshd", "make_sshd", "server", "accounts", "network"}
"""Fixtures of a real server: who waits for its answers wants nobody else to keep the machine busy."""

WAITING = ("tests/e2e", "tests/ui", "tests/unit/capture", "tests/unit/plugins/oracle_awr")
"""Where the tests are that are marked `alone`: their run reads no other folder."""

LONGEST = (
    "tests/packaging/test_run_demo.py",
    "tests/architecture/test_static_checks.py",
    "tests/contract/test_builtin_plugins.py",
    "tests/ui/test_database_page.py",
    "tests/ui/test_timeline_page.py",
    "tests/golden/test_golden.py",
    "tests/ui/test_frame.py",
    "tests/fuzz/test_parsers.py",
    "tests/fuzz/test_bounds.py",
    "tests/unit/plugins/test_pages_and_lines.py",
    "tests/e2e/test_wrapper_shells.py",
    "tests/e2e/test_capture_engine_crash.py",
    "tests/e2e/test_capture_engine_whole.py",
    "tests/e2e/test_capture_engine.py",
    "tests/e2e/test_detached_session.py",
    "tests/e2e/test_ssh_openssh_backend.py",
)
"""The files that take longest, longest first: begun last, one would leave the other core idle. (The scheduler of
the tests would begin with the files of most tests: hence `--no-loadscope-reorder` in the Makefile.)"""


def pytest_pycollect_makeitem(collector: pytest.Collector, name: str, obj: object) -> list[pytest.Item] | None:
    """What runs for long is collected by its own target alone; None leaves anything else to pytest."""
    marks = {mark.name for mark in getattr(obj, "pytestmark", ())}
    return [] if "soak" in marks and not collector.config.getoption("--soak") else None


def _turn(item: pytest.Item) -> int:
    file = item.nodeid.partition("::")[0]
    return LONGEST.index(file) if file in LONGEST else len(LONGEST)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        if SERVERS.intersection(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.alone)
        if item.get_closest_marker("alone") and not item.nodeid.startswith(WAITING):
            raise pytest.UsageError(f"{item.nodeid} is marked alone and lies in none of {WAITING}: nobody would run it")
    items.sort(key=_turn)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """The run of what is marked `alone` does not even read the other folders."""
    if config.option.markexpr != "alone":
        return None
    place = f"{collection_path.relative_to(ROOT).as_posix()}/"
    return None if any(place.startswith(f"{each}/") or f"{each}/".startswith(place) for each in WAITING) else True
