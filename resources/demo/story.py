# %% [markdown]
# # The demo's story, asked from a notebook / 데모 프로젝트를 노트북에서 살펴보기
#
# Cells as notebooks read them (`# %%`); as a script: `python story.py demo.tune`, with the file that
# `tunebench demo demo.tune` writes. The report says the same, by the same engine, number by number to the last bit.
#
# `# %%` 단위로 실행하는 노트북입니다. `tunebench demo demo.tune`으로 만든 파일을 쓰며, 스크립트로 실행하려면
# `python story.py demo.tune`을 입력합니다. 보고서와 같은 엔진이 계산하므로 모든 숫자가 마지막 비트까지 같습니다.

# %%
import tunebench  # before NumPy, some of whose parts change last digits; else another process computes

# isort: split
import json
import sys
from pathlib import Path

import numpy as np

path = Path(sys.argv[1] if len(sys.argv) > 1 else "demo.tune")
project = tunebench.open(path)
print(project.engagement.title, "·", *(f"{host.name} ({host.os})" for host in project.hosts))
for window in project.windows:
    print(f"  {window.name}: {len(window.occurrences)} occurrences / 구간 {len(window.occurrences)}회")

# %% [markdown]
# ## What changed, how sure, why, what next / 무엇이, 얼마나 확실하게, 왜 바뀌었나
# The windows are those of the tuning cycle, as on the first page of the report.

# %%
comparison = project.compare()
print(comparison.text("ko"))
print()
print(comparison.text("en"))

# %% [markdown]
# ## The figures behind it / 근거가 되는 수치

# %%
document = comparison.as_dict("en")
for target in document["answer"]["targets"]:
    print(f"{target['metric']}: {target['before']} → {target['after']} {target['unit']} ({target['state']})")

judged = [row for row in document["series"] if row["verdict"] == "improved"]
for row in sorted(judged, key=lambda row: -row["estimate"])[:5]:
    low, high = row["ci95"]
    print(f"{row['host']} {row['tool']} {row['native']}: {row['estimate']:.2f}x [{low:.2f}, {high:.2f}]")

# %% [markdown]
# ## The bottleneck before / 개선 전의 병목

# %%
before = document["before"]["window"]
diagnosis = project.diagnose(before)
print(diagnosis.bottleneck, "·", *(finding.rule for finding in diagnosis.findings[:3]))

# %% [markdown]
# ## A series as arrays, and the line of the capture / 시계열 배열과 원본의 해당 줄
# What takes Arrow takes a series or a comparison: `polars.DataFrame(comparison)`, `duckdb.sql("FROM comparison")`.

# %%
disk = max(project.series("sdb *util*", run=project.runs[0].label), key=lambda series: len(series.values))
busiest = int(np.nanargmax(disk.values))
evidence = disk.evidence(int(disk.times_ns[busiest]))
print(disk, f"mean {np.nanmean(disk.values):.2f} %, most {disk.values[busiest]} %")
print(f"{evidence.artefact.name}, from line {evidence.first_line}:", *evidence.lines, sep="\n  ")

# %% [markdown]
# ## Statements / SQL 문

# %%
statements = [row for row in project.statements(before) if row["elapsed_s"]]
for row in sorted(statements, key=lambda row: -row["elapsed_s"])[:3]:
    print(f"{row['elapsed_s']:.1f} s, {row['executions']} executions: {(row['text'] or row['id'])[:60]}")

# %%
figures = {
    "windows": {side: document[side]["window"] for side in ("before", "after")},
    "targets": document["answer"]["targets"],
    "series": document["series"],
    "statements": statements,
    "findings": diagnosis.as_dict("en")["findings"],
    "disk": [disk.times_ns.tolist(), disk.values.tolist()],
}
if len(sys.argv) > 2:
    Path(sys.argv[2]).write_text(json.dumps(figures), encoding="utf-8")
project.close()
