"""Where the processor time of an import goes: the whole command, each stage without those inside it.

python -m tests.perf.stages build/bench/C8-86400.txt [RUNS]

Each run is a process of its own, in which the functions below are measured at their doors; medians of the runs. What is
none of them is `the rest`; one thread does all of it. A stage that a plug-in's own code is part of ends where the house's begins.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from contextlib import redirect_stdout
from functools import wraps
from io import StringIO
from pathlib import Path
from typing import Any

from tests.perf.measure import run_measured
from tunebench.core.beside import ONE_THREAD

BEHIND = "--in-this-process"
DOORS = {
    "modules of the verb": ("tunebench.cli.main:load_verb",),
    "manifests": ("tunebench.plughost.host:PluginHost.__init__",),
    "catalogue": (
        "tunebench.plughost.catalogue:MetricCatalogue.load",
        "tunebench.plughost.catalogue:MetricCatalogue.describe",
    ),
    "recognising": ("tunebench.plughost.host:PluginHost.surest", "tunebench.plughost.host:PluginHost.surest_by_signs"),
    "modules of readers": ("tunebench.sdk.loading:PluginCode.load",),
    "scout": ("tunebench.capture.ingest:scout",),
    "lines of other tools": ("tunebench.capture.sections:Watched._look",),
    "SHA-256, keeping": (
        "tunebench.store.artefacts:ArtefactWriter.write",
        "tunebench.store.artefacts:ArtefactWriter.finish",
    ),
    "zstd": ("tunebench.core.zstd:compress", "tunebench.core.zstd:decompress"),
    "scanner": ("tunebench.sdk.scanning.compiled:CompiledReader.scan",),
    "rows by content": ("tunebench.sdk.scanning.rows:count_rows_compiled",),
    "batches": (
        "tunebench.sdk.tables:TableBuilder.scanned",
        "tunebench.sdk.tables:TableBuilder.flush",
        "tunebench.sdk.tables:TableBuilder._batch",
    ),
    "parser": ("tunebench.plughost.guard:GuardedParser.feed", "tunebench.plughost.guard:GuardedParser.finish"),
    "batch check": ("tunebench.plughost.guard:GuardedParser._checked",),
    "series account": ("tunebench.sdk.series_account:SeriesAccount._count_one",),
    "devices": ("tunebench.capture.devices:DevicePresence.note",),
    "packing": ("tunebench.store.sample_packing:SamplePacker.append", "tunebench.store.table_rows:FullRows.packed"),
    "turning": ("tunebench.store.table_rows:TableRows._put", "tunebench.store.table_rows:FullRows._columns"),
    "forms of columns": ("tunebench.store.codec:column_forms", "tunebench.store.packing:column_forms"),
    "pcodec": ("pcodec:standalone.simple_compress",),
    "bins": ("tunebench.store.pyramid_building:BaseBins.add",),
    "tiles": ("tunebench.store.sample_packing:_tiles_of_some",),
    "SQLite": (
        "tunebench.store.samples:SampleStore._store_rows",
        "tunebench.store.samples:SampleStore._store_tiles",
        "tunebench.store.samples:SampleStore.finish",
        "tunebench.store.artefacts:ArtefactWriter._store_pieces",
    ),
}


class Stages:
    """Processor seconds by stage; what runs inside another stage is taken from that one."""

    def __init__(self) -> None:
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self._open = ["the rest"]
        self._since_s = 0.0

    def enter(self, stage: str) -> None:
        now_s = time.process_time()
        self.seconds[self._open[-1]] += now_s - self._since_s
        self._since_s = now_s
        self._open.append(stage)

    def leave(self) -> None:
        self.enter("")
        del self._open[-2:]

    def wrapped(self, stage: str, work: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(work)
        def measured(*args: Any, **kwargs: Any) -> Any:
            self.enter(stage)
            try:
                found = work(*args, **kwargs)
            finally:
                self.leave()
            if hasattr(found, "__next__"):
                return self._stepped(stage, found)
            return found

        return measured

    def _stepped(self, stage: str, steps: Any) -> Any:
        nothing = object()
        while True:
            self.enter(stage)
            try:
                step = next(steps, nothing)
            finally:
                self.leave()
            if step is nothing:
                return
            yield step

    def watch(self) -> None:
        for stage, doors in DOORS.items():
            for door in doors:
                module, _, path = door.partition(":")
                owner: Any = importlib.import_module(module)
                *owners, name = path.split(".")
                for each in owners:
                    owner = getattr(owner, each)
                bound = vars(owner).get(name)
                work = self.wrapped(stage, bound.__func__ if isinstance(bound, classmethod) else getattr(owner, name))
                setattr(owner, name, classmethod(work) if isinstance(bound, classmethod) else work)
        gc.callbacks.append(lambda phase, _: self.enter("collector") if phase == "start" else self.leave())


def run_here(project: str, capture: str) -> None:
    """One import; a JSON object of seconds on stdout."""
    stages = Stages()
    stages.enter("modules of the stages")  # loaded here, so that their doors can be watched; most belong to the verb
    stages.watch()
    stages.leave()
    main = importlib.import_module("tunebench.bootstrap").main
    with redirect_stdout(StringIO()):
        code = main(["import", project, capture, "--json"])
    stages.enter("")
    print(json.dumps(stages.seconds))
    raise SystemExit(code)


def measured_import(capture: Path) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder) / "stages.tune"
        run_measured(["main.py", "new", project, "--customer", "Benchmark"])
        output = run_measured(["-m", "tests.perf.stages", BEHIND, project, capture]).output
    found: dict[str, float] = json.loads(output.splitlines()[-1])
    return found


def main() -> int:
    if sys.argv[1] == BEHIND:
        os.environ[ONE_THREAD] = "1"
        run_here(*sys.argv[2:])
    capture, runs = Path(sys.argv[1]).resolve(), int(sys.argv[2]) if len(sys.argv) > 2 else 3
    found = [measured_import(capture) for _ in range(runs)]
    median = {stage: statistics.median(one.get(stage, 0.0) for one in found) for stage in found[0]}
    whole_s, megabytes = sum(median.values()), capture.stat().st_size / 1e6
    print(f"{capture.name}, {megabytes:.0f} MB, medians of {runs}: {whole_s:.2f} s, {megabytes / whole_s:.1f} MB per s")
    for stage, seconds in sorted(median.items(), key=lambda each: -each[1]):
        print(f"| {stage} | {seconds:.2f} | {100 * seconds / whole_s:.0f} % | {1000 * seconds / megabytes:.2f} |")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
