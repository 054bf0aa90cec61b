"""The compiled scanner and the plain one say the same of any text, to the bit.

`make fuzz` goes on with other texts, beside a compiler's watch over every address and every undefined operation.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.fuzz import scans

ROOT = Path(__file__).parents[2]
needs_compiler = pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")


@needs_compiler
def test_both_scanners_say_the_same(tmp_path):
    library = tmp_path / "scan.so"
    scans.compile_scanner(library)
    assert {seed: found for seed in range(60) if (found := scans.fault(library, seed))} == {}


@needs_compiler
@pytest.mark.soak
def test_scanners_for_a_long_time(tmp_path):
    library = tmp_path / "scan.so"
    scans.compile_scanner(library, "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
    watch = subprocess.run(["cc", "-print-file-name=libasan.so"], check=True, capture_output=True, text=True)
    seconds = float(os.environ.get("FUZZ_SECONDS", "600"))
    seed = os.environ.get("FUZZ_SEED") or str(time.time_ns() % 10**9)
    ran = subprocess.run(
        [sys.executable, "-m", "tests.fuzz.scans", library, str(seconds), seed],
        cwd=ROOT,
        env={
            **os.environ,
            "LD_PRELOAD": watch.stdout.strip(),
            "ASAN_OPTIONS": "detect_leaks=0",
            "PYTHONMALLOC": "malloc",
        },
        capture_output=True,
        text=True,
        timeout=seconds + 600,
    )
    print(ran.stdout)
    assert ran.returncode == 0, ran.stdout[-2000:] + ran.stderr[-2000:]
