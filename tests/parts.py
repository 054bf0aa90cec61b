"""Which tests `make test` runs, which `make test-all`, and in which order.

`make test` is for every change: what is static, pure or stored, the window, one door test a server. `make test-all` is for
what is merged: what walks the whole program or window, kills and cuts off, damages inputs, packs, and measures rates. No test
is in neither.
"""

from __future__ import annotations

THOROUGH = (
    "tests/calibration",
    "tests/contract/test_recognition.py",
    "tests/corpus",
    "tests/e2e",
    "tests/faults",
    "tests/fuzz",
    "tests/library/test_installed.py",
    "tests/library/test_story.py",
    "tests/packaging",
    "tests/perf",
    "tests/ui/test_kept_windows.py",
    "tests/ui/test_rail_on_every_page.py",
    "tests/ui/test_stalls.py",
    "tests/ui/test_stray_windows.py",
    "tests/ui/test_typing.py",
    "tests/ui/test_walked_engagement.py",
    "tests/unit/plugins/sysstat_sadf/test_bounds.py",
    "tests/unit/plugins/test_pages_and_lines.py",
)
"""Folders and files of `make test-all`, but for `DOORS`."""

DOORS = (
    "tests/e2e/test_bad_input.py",
    "tests/e2e/test_capture_engine.py",
    "tests/e2e/test_cli_verbs.py",
    "tests/e2e/test_mariadb_capture.py",
    "tests/e2e/test_oracle_capture.py",
    "tests/e2e/test_postgres_capture.py",
    "tests/e2e/test_ssh_log_in.py",
    "tests/e2e/test_ssh_openssh_backend.py",
)
"""One of each server and the command line itself: `make test` has them."""

WAITING = ("tests/e2e", "tests/ui", "tests/unit/capture", "tests/unit/plugins/oracle_awr")
"""Where the tests are that are marked `alone`: their run reads no other folder."""

LONGEST = (
    "tests/packaging/test_run_demo.py",
    "tests/architecture/test_static_checks.py",
    "tests/contract/test_builtin_plugins.py",
    "tests/golden/test_golden.py",
    "tests/ui/test_database_page.py",
    "tests/ui/test_report_page.py",
    "tests/unit/usecases/test_verify_report.py",
    "tests/ui/test_timeline_page.py",
    "tests/ui/test_frame.py",
    "tests/e2e/test_redaction_cli.py",
    "tests/corpus/test_corpus.py",
    "tests/fuzz/test_bounds.py",
    "tests/ui/test_stray_windows.py",
    "tests/unit/plugins/sysstat_sadf/test_bounds.py",
    "tests/unit/plugins/test_pages_and_lines.py",
    "tests/fuzz/test_parsers.py",
    "tests/e2e/test_wrapper_shells.py",
    "tests/e2e/test_capture_engine_crash.py",
    "tests/e2e/test_capture_engine_whole.py",
    "tests/e2e/test_capture_engine.py",
    "tests/e2e/test_postgres_capture.py",
    "tests/e2e/test_detached_session.py",
    "tests/e2e/test_ssh_openssh_backend.py",
)
"""The files that take longest, longest first: begun last, one would leave the other core idle. (The scheduler of
the tests would begin with the files of most tests: hence `--no-loadscope-reorder` in the Makefile.)"""


def turn(file: str) -> int:
    """When a file's tests are begun, from 0."""
    return LONGEST.index(file) if file in LONGEST else len(LONGEST)


def is_thorough(file: str) -> bool:
    """Whether `make test` leaves a file's tests to `make test-all`."""
    return _within(file, THOROUGH) and file not in DOORS


def may_hold(path: str, *, thorough: bool) -> bool:
    """Whether a folder or a file may hold tests of that part; the others are not even read."""
    if not path.endswith(".py"):
        return _leads_to(path, THOROUGH) if thorough else not _within(path, THOROUGH) or _leads_to(path, DOORS)
    return is_thorough(path) == thorough


def may_wait(path: str) -> bool:
    """Whether a folder or a file may hold tests that are marked `alone`."""
    return _leads_to(path, WAITING)


def _within(path: str, places: tuple[str, ...]) -> bool:
    return any(path == place or path.startswith(f"{place}/") for place in places)


def _leads_to(path: str, places: tuple[str, ...]) -> bool:
    """Whether `path` is one of the places, in one or above one."""
    return _within(path, places) or any(place.startswith(f"{path}/") for place in places)
