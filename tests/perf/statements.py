"""Prints, as JSON, what it takes to read, match and compare the statements of the runs ``old`` and ``new`` of a project."""

from __future__ import annotations

import json
import resource
import sys
import time
from pathlib import Path

from tunebench.analysis.databases.matching import match_statements
from tunebench.analysis.databases.statement_changes import compare_statements
from tunebench.usecases import projects
from tunebench.usecases.databases import sides
from tunebench.usecases.databases.sides import require


def main(path: Path) -> dict[str, float]:
    project = projects.open_(path, read_only=True)
    begin = time.perf_counter()
    before, after = (require(sides.side(project, projects.find_run(project, run).id)) for run in ("old", "new"))
    read = time.perf_counter()
    pairs = match_statements(before, after)
    matched = time.perf_counter()
    compare_statements(before, after)
    compared = time.perf_counter()
    projects.close(project)
    unit = 1 if sys.platform == "darwin" else 1024
    return {
        "statements": sum(1 for pair in pairs if pair.before_ids and pair.after_ids),
        "read_s": read - begin,
        "match_s": matched - read,
        "compare_s": compared - matched,
        "rss_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6,
    }


if __name__ == "__main__":
    print(json.dumps(main(Path(sys.argv[1]))))
