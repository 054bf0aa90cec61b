"""Measures the rule engine by itself: the shipped rules, repeated up to 120, on 500 series of 86,400 samples.

python -m tests.perf.rules_benchmark
"""

from __future__ import annotations

import time

import numpy as np

from tunebench.analysis.expressions.figures import Figure, Figures
from tunebench.core.paths import builtin_plugins_folder
from tunebench.diagnosis.rules.evaluation import evaluate
from tunebench.diagnosis.rules.guards import Subject
from tunebench.plughost.host import PluginHost
from tunebench.plughost.listing import Origin
from tunebench.plughost.plugin_folders import SearchFolder
from tunebench.sdk.rules import RuleKind

RULES, DISKS, SAMPLES = 120, 48, 86_400
AIM_S = 1.5
OF_DISK = ("svc_t", "pct_b", "pct_w", "r_s", "w_s", "await_ms", "util_pct", "aqu_sz", "wsvc_t", "asvc_t")
OF_HOST = ("cpu_busy_pct", "cpu_busy", "cpu_idle", "cpu_usr", "cpu_sys", "run_queue", "load1", "load15", "free", "sr",
           "swap_avail_kb", "swap_out_pages_s", "w", "api", "ctx_per_s", "cpu_steal_pct", "cpu_iowait_pct",
           "mem_available_pct", "swap_free_pct", "tps")  # fmt: skip


def main() -> int:
    host = PluginHost([SearchFolder(builtin_plugins_folder(), Origin.BUILTIN)])
    begin_s = time.perf_counter()
    rules = [rule for rule in host.rules() if rule.kind is not RuleKind.SCOPE]
    print(f"{len(rules)} rules read in {time.perf_counter() - begin_s:.3f} s")
    rules = (rules * 2)[:RULES]
    random = np.random.default_rng(20261122)
    disk: dict[str, Figure] = {name: random.gamma(2, 10, SAMPLES) for name in OF_DISK}
    whole: dict[str, Figure] = {name: random.gamma(2, 20, SAMPLES) for name in OF_HOST}
    whole |= {"ncpu": 8.0, "lotsfree": 40.0, "percpu_busy": random.gamma(2, 20, (8, SAMPLES))}
    times = np.arange(SAMPLES, dtype=np.int64) * 1_000_000_000
    things = [(disk, Subject("sunos", "5.10", "hdd"))] * DISKS + [(whole, Subject("sunos", "5.10"))]
    begin_s = time.perf_counter()
    answers = [
        evaluate(rule, figures, subject)
        for values, subject in things
        for figures in (Figures(values, times),)
        for rule in rules
    ]
    spent_s = time.perf_counter() - begin_s
    judged = sum(answer.outcome.judged for answer in answers)
    print(
        f"{len(rules)} rules on {DISKS * len(disk) + len(whole)} series: {judged} judged in {spent_s:.2f} s, aim {AIM_S} s"
    )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
