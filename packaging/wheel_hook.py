"""What makes a wheel of this machine: the scanner of captures, compiled where there is a compiler."""

from __future__ import annotations

import re
import subprocess
import sysconfig
from hashlib import sha256
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SCANNER = Path("app/tunebench/sdk/scanning/scan.c")


class CustomBuildHook(BuildHookInterface):  # type: ignore[type-arg]  # hatchling looks for this name
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Without a compiler the wheel is for any machine, and the plain scanner reads there, with the same result."""
        root = Path(self.root)
        subprocess.run(["bash", str(root / "packaging" / "setup.sh"), "scanner"], check=True)
        name = f"scan-{sha256((root / SCANNER).read_bytes()).hexdigest()[:16]}.so"
        library = root / "build" / "compiled" / name
        if library.exists():
            build_data["force_include"][str(library)] = f"tunebench/_data/compiled/{name}"
            build_data["pure_python"] = False
            build_data["tag"] = f"py3-none-{re.sub('[-.]', '_', sysconfig.get_platform())}"
