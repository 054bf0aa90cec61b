"""The last digits of sums of products are those of one kernel, whatever kernels a processor has."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SUMS = """
import numpy as np
values = np.random.default_rng(7).normal(size=(40, 1001))
print(*(float(np.dot(row, row)).hex() for row in values), (values @ values.T).tobytes().hex()[:200])
"""
CPUINFO = Path("/proc/cpuinfo")

pytestmark = pytest.mark.skipif(
    not CPUINFO.exists() or " avx2 " not in CPUINFO.read_text(encoding="ascii", errors="replace"),
    reason="no processor of the last ten years, or nobody tells",
)


def sums(code: str, kernel: str | None = None) -> str:
    """What a program prints whose OpenBLAS takes `kernel`; None leaves the choice to whoever sets it, or to itself."""
    environment = {name: value for name, value in os.environ.items() if name != "OPENBLAS_CORETYPE"}
    environment |= {"OPENBLAS_CORETYPE": kernel} if kernel else {}
    command = [sys.executable, "-c", code]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True, timeout=60).stdout


def test_the_program_sums_as_every_processor_of_ten_years_can() -> None:
    by_the_program = sums(f"import tunebench{SUMS}")
    assert by_the_program == sums(SUMS, "Haswell")
    assert by_the_program != sums(SUMS, "Prescott"), "or this test would prove nothing"


def test_who_chooses_a_kernel_has_it() -> None:
    assert sums(f"import tunebench{SUMS}", "Prescott") == sums(SUMS, "Prescott")
