"""The worksheet of cluster sizes: distributions that captures of the project counted, and the table of document 004."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from tunebench.analysis.calculators.calculator import read_number
from tunebench.analysis.cluster_sizes import SizeBucket
from tunebench.analysis.file_size_lists import distributions
from tunebench.core.errors import UserError
from tunebench.core.grouping import by_key
from tunebench.core.records import record
from tunebench.store import hosts as stored_hosts
from tunebench.store import runs as stored_runs
from tunebench.store import sessions
from tunebench.store.project import Project
from tunebench.usecases.reference import entries as reference

SECTION = "file_sizes"
DOCUMENT_TABLE = "T-NEC-1"
PRINTED_TOTAL_GB = 2092
MOST_BYTES = 2_000_000


@record
class CountedTree:
    """The file sizes of a tree; `truncated` where the probe reached its limit and counted a part."""

    run: str
    host: str
    tree: str
    artefact_id: int
    buckets: tuple[SizeBucket, ...]
    truncated: bool


@record
class DocumentRow:
    group: str
    mount: str
    size_gb: int
    cluster_bytes: int


def counted_trees(project: Project) -> tuple[CountedTree, ...]:
    """The last count of every tree of every capture of file sizes."""
    trees: list[CountedTree] = []
    names = {host.id: host.name for host in stored_hosts.list_hosts(project)}
    for run in stored_runs.list_runs(project):
        facts = by_key(
            ((stored.host_id, stored.artefact_id), (stored.fact.name, stored.fact.value))
            for stored in sessions.list_facts(project, run.id)
            if stored.fact.section == SECTION
        )
        for (host_id, artefact_id), every in facts.items():
            trees += _trees(run.label, names.get(host_id, ""), artefact_id, every)
    return tuple(trees)


def _trees(run: str, host: str, artefact_id: int, lines: Sequence[tuple[str, str]]) -> list[CountedTree]:
    states = dict(lines)
    return [
        CountedTree(run, host, tree, artefact_id, buckets, states.get(f"{tree} state".strip()) == "truncated")
        for tree, buckets in distributions(lines).items()
    ]


def document_rows() -> tuple[DocumentRow, ...]:
    rows = (reference.find(DOCUMENT_TABLE).rows or {})["en"]
    return tuple(DocumentRow(group, mount, int(size), cluster_size(cluster)) for group, mount, size, cluster in rows)


def document_total_gb() -> int:
    """What the rows add up to; the document prints `PRINTED_TOTAL_GB`."""
    return sum(row.size_gb for row in document_rows())


def cluster_size(words: str) -> int:
    """``128K`` in bytes. Raises UserError cluster_size_unknown."""
    value = read_number(words, sized=True)
    if value is None or value < 1 or value != int(value):
        raise UserError("cluster_size_unknown", text=words[:40])
    return int(value)


def measured_rates(words: str) -> Mapping[int, float]:
    """``128K=41.5, 4M=48`` as cluster bytes -> MB/s; {} for nothing. Raises UserError measured_rates_unclear."""
    rates: dict[int, float] = {}
    for part in re.split(r"[;\n]|,\s+|,(?=\s*\d+(?:\.\d+)?\s*[kKmMgG]?\w*\s*=)", words):
        if not part.strip():
            continue
        size, sign, rate = part.partition("=")
        size_bytes, rate_mb_s = read_number(size, sized=True), read_number(rate)
        if not sign or size_bytes is None or rate_mb_s is None or size_bytes < 1 or rate_mb_s <= 0:
            raise UserError("measured_rates_unclear", text=part.strip()[:40])
        rates[int(size_bytes)] = rate_mb_s
    return rates


def read_list_file(path: Path) -> str:
    """The words of a file with a list of sizes. Raises UserError file_sizes_file: unreadable, or too large."""
    try:
        if path.stat().st_size > MOST_BYTES:
            raise UserError("file_sizes_file", path=path)
        return path.read_bytes().decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UserError("file_sizes_file", path=path) from error
