"""How often the right cause is told first, and how often a healthy host gets a finding: writes RESULTS.md."""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from tests.calibration.measuring import Rate
from tests.faults.diagnosed import diagnosed
from tests.faults.library import FAULTS, HEALTHY, KEPT_FAULTS, KEPT_HEALTHY, Fault
from tests.faults.made_host import MadeHost
from tests.faults.recorded import KEPT_RECORDED, KEPT_RECORDED_HEALTHY, RECORDED, RECORDED_HEALTHY, Recorded, recording
from tunebench.bootstrap import compose
from tunebench.core.paths import resources_folder
from tunebench.domain.finding import Severity
from tunebench.usecases.findings.diagnose import Diagnosis

RESULTS = Path(__file__).with_name("RESULTS.md")
REFERENCE = resources_folder() / "reference" / "rates.toml"
ENTRY = """\
# Written by `make faults`.

[[entries]]
id = "M-RATES"
kind = "table"
title = {{ ko = "규칙별 적중률", en = "How often each rule is right" }}
text = {{ ko = "원인을 아는 장애 {faults}건과 정상 호스트 {healthy}대를 진단하여 규칙마다 센 결과입니다. '맞음'은 그 규칙이 장애의 원인으로 맨 앞에 나온 횟수, '틀림'은 다른 원인인데 맨 앞에 나온 횟수입니다.", en = "Counted over {faults} faults of known cause and {healthy} healthy hosts. Right: the rule was told first and names the cause; wrong: it was told first although the cause is another." }}
caveat = {{ ko = "규칙은 이 장애의 대부분을 보면서 만들었습니다. 처음 보는 장애에서는 이보다 낮습니다.", en = "The rules were written with most of these faults in view: expect less of faults that nobody thought of." }}
attribution = {{ ko = "장애 라이브러리(make faults)", en = "The library of faults (make faults)" }}
confidence = "medium"
related = ["M-THRESHOLDS"]
rules = {rules}
tags = ["적중률", "오탐", "rate", "false", "recall", "진단"]
columns = {{ ko = ["규칙", "원인인 장애", "맞음", "틀림", "정상 호스트의 경고"], en = ["Rule", "Cause of faults", "Right", "Wrong", "Warnings on healthy hosts"] }}
rows = [
{rows}
]

[[entries.statements]]
computed = {{ ko = "자동으로 계산한 값입니다.", en = "Computed." }}
"""
EXPLANATION = """\
"Recorded": a real fault on a real host, made by `make record-faults` and captured with the program's own collection script, 66
samples of a second each; what a rule wants longer stretches for is told as provisional. "Made": the text of `sar -A`, `iostat -x`
and `lsblk` put together from a known cause. Both go through readers, store and rules as a customer's captures do. "Right first":
the first finding names the cause. "Above watch": findings that are a warning or worse, symptoms among them. Rates are in per
cent, with Wilson's 95 % interval.

The rules were written with what was not kept aside in view: those rates tell that nothing was lost since, not how well rules do on
hosts that nobody thought of. Of the recorded hosts every third by name was kept aside, of faults and of healthy ones, by the list of
all that `record/making.py` makes. When each was first
opened, the rules done, the cause came first in 8 of 12 (39.1-86.2 %): 5 of 7, then, without a rule changed for them, 3 of the 5 that were
recorded later; it was told anywhere in 10 of 12, and none of four healthy hosts had anything above watch (one of them, busy and fine,
had been seen before). The 9 of today have one that a mend set right (`disk-one-of-several`, which came second, behind a
symptom, by what `disk-slow` showed too). Tries of five seconds of most faults, kept aside or not, were seen while they were made.
Open: `hang-in-d-state`, where those who wait for a frozen file system are in
state D without waiting for I/O, which `procs_blocked` does not count. The made hosts that were kept aside were written after the
rules of their time and looked at once: then the cause came first in 9 of 12, and 1 of 10 healthy hosts had a finding above watch.
Some have a rule since then and are labelled with it, so that their figures here no longer speak of hosts that the rules had not seen.

Not recorded, and made alone: steal (a hypervisor's, for which a group at its CPU limit stands in, named so), a file server that is
gone (a frozen file system was recorded), flash and turning disks of their own speed, more than two processors. Loss of packets is
that of a packet filter, slow disks are limits of a control group below a loop device: the kernel had neither netem nor dm-delay.
The first 22 hosts were recorded while others worked on the same machine from time to time, so that some show seconds of foreign load,
the others alone; the 15-minute load average is of the time before.
"""


@dataclass(frozen=True)
class _Told:
    """What was said of a host; `cause` and `bottleneck` are empty of a healthy one."""

    name: str
    found: Diagnosis
    cause: tuple[str, ...] = ()
    bottleneck: str = ""
    must_not: tuple[str, ...] = ()

    @property
    def first(self) -> str:
        return self.found.findings[0].rule if self.found.findings else "-"

    @property
    def limiting(self) -> str:
        return self.found.ranking.bottleneck.label if self.found.ranking.bottleneck else ""

    @property
    def above_watch(self) -> list[str]:
        return [each.rule for each in self.found.findings if each.severity.rank > Severity.WATCH.rank]

    @property
    def cause_first(self) -> bool:
        return self.first in self.cause

    @property
    def right_bottleneck(self) -> bool:
        return fnmatchcase(self.limiting, self.bottleneck)

    def among_first(self, count: int | None = None) -> bool:
        """Whether the cause is one of the first findings; of any of them where no number is given."""
        return bool({each.rule for each in self.found.findings[:count]} & set(self.cause))

    @property
    def false(self) -> list[str]:
        """Above watch, and another cause than the one that was made."""
        return [rule for rule in dict.fromkeys(self.above_watch) if rule in self.must_not]


def _of(host: MadeHost | Path, name: str, **label: Any) -> _Told:
    with tempfile.TemporaryDirectory() as folder:
        return _Told(name, diagnosed(host, Path(folder)), **label)


def _made(hosts: Mapping[str, Fault]) -> list[_Told]:
    return [_of(each.host, name, cause=each.cause, bottleneck=each.bottleneck) for name, each in hosts.items()]


def _recorded(hosts: Mapping[str, Recorded]) -> list[_Told]:
    return [
        _of(recording(name), name, cause=each.cause, bottleneck=each.bottleneck, must_not=each.must_not)
        for name, each in hosts.items()
    ]


def _faults(title: str, told: Sequence[_Told]) -> Iterator[str]:
    yield f"## {title}\n"
    yield f"- right first: {_rate([each.cause_first for each in told])}"
    yield f"- in the first three: {_rate([each.among_first(3) for each in told])}"
    yield f"- anywhere: {_rate([each.among_first() for each in told])}"
    yield f"- right bottleneck, or rightly none: {_rate([each.right_bottleneck for each in told])}"
    if any(each.must_not for each in told):
        yield f"- with a finding above watch that names another cause: {_rate([bool(each.false) for each in told])}"
    yield "\n| Fault | First | Explained by it | Bottleneck | |\n|---|---|---|---|---|"
    for each in told:
        below = [f.rule for f in each.found.findings if f.explained_by == each.found.findings[0].key]
        marks = [] if each.cause_first and each.right_bottleneck else ["not so"]
        marks += [f"also {rule}" for rule in each.false]
        row = (each.name, each.first, ", ".join(dict.fromkeys(below)) or "-", each.limiting or "none", ", ".join(marks))
        yield f"| {' | '.join(row)} |"
    yield ""


def _healthy(title: str, told: Sequence[_Told]) -> Iterator[str]:
    total = sum(len(each.above_watch) for each in told)
    yield f"## {title}\n"
    yield f"- hosts with a finding above watch: {_rate([bool(each.above_watch) for each in told])}"
    yield f"- such findings per host: {total} of {len(told)} hosts, {total / max(len(told), 1):.2f}"
    yield f"- with a false bottleneck: {_rate([not each.right_bottleneck for each in told])}\n"
    yield "| Host | Above watch | Worth a look | Bottleneck |\n|---|---|---|---|"
    for each in told:
        looks = dict.fromkeys(f.rule for f in each.found.findings if f.severity is Severity.WATCH)
        row = (each.name, ", ".join(each.above_watch) or "-", ", ".join(looks) or "-", each.limiting or "none")
        yield f"| {' | '.join(row)} |"
    yield ""


@dataclass(frozen=True)
class _RuleRate:
    """How one rule did, over all hosts."""

    rule: str
    wanted: int
    right: int
    wrong: int
    alarms: int
    healthy: int

    @property
    def cells(self) -> tuple[str, ...]:
        return self.rule, *map(str, (self.wanted, self.right, self.wrong)), f"{self.alarms} / {self.healthy}"


def _by_rule(faults: Sequence[_Told], healthy: Sequence[_Told]) -> list[_RuleRate]:
    """Of each rule that is the cause of a fault, was told first of one, or above watch of a healthy host."""
    wanted = Counter(rule for each in faults for rule in each.cause[:1])
    right = Counter(each.first for each in faults if each.cause_first)
    wrong = Counter(each.first for each in faults if not each.cause_first)
    alarms = Counter(rule for each in healthy for rule in set(each.above_watch))
    rules = sorted(rule for rule in {*wanted, *right, *wrong, *alarms} if "-" in rule[1:])
    return [_RuleRate(each, wanted[each], right[each], wrong[each], alarms[each], len(healthy)) for each in rules]


def _rules_table(rates: Sequence[_RuleRate]) -> Iterator[str]:
    yield "## By rule\n"
    yield "| Rule | Cause of faults | Told first, rightly | Told first, wrongly | Above watch on healthy hosts |"
    yield "|---|---|---|---|---|"
    yield from (f"| {' | '.join(rate.cells)} |" for rate in rates)
    yield ""


def _entry(rates: Sequence[_RuleRate], faults: int) -> str:
    """The same for the reference of the program."""
    rows = "\n".join(f"    {json.dumps(rate.cells)}," for rate in rates)
    return ENTRY.format(
        faults=faults, healthy=rates[0].healthy, rules=json.dumps([each.rule for each in rates]), rows=rows
    )


def _rate(hits: list[bool]) -> str:
    return f"{sum(hits)} of {len(hits)}, {Rate(sum(hits), len(hits))} %" if hits else "none"


def main() -> int:
    compose()
    recorded, made = _recorded(RECORDED), _made(FAULTS)
    fine, made_fine = [_of(recording(name), name) for name in RECORDED_HEALTHY], _healthy_made(HEALTHY)
    kept, kept_made = _recorded(KEPT_RECORDED), _made(KEPT_FAULTS)
    kept_fine, kept_made_fine = [_of(recording(n), n) for n in KEPT_RECORDED_HEALTHY], _healthy_made(KEPT_HEALTHY)
    faults = [*recorded, *made, *kept, *kept_made]
    rates = _by_rule(faults, [*fine, *made_fine, *kept_fine, *kept_made_fine])
    lines = [
        *_faults("Recorded faults", recorded),
        *_healthy("Recorded healthy hosts", fine),
        *_faults("Made faults", made),
        *_healthy("Made healthy hosts", made_fine),
        *_faults("Recorded faults that were kept aside", kept),
        *_healthy("Recorded healthy hosts that were kept aside", kept_fine),
        *_faults("Made faults that were kept aside", kept_made),
        *_healthy("Made healthy hosts that were kept aside", kept_made_fine),
        *_rules_table(rates),
    ]
    text = f"# Diagnosis of recorded and made hosts\n\n`make faults`\n\n{EXPLANATION}\n" + "\n".join(lines)
    RESULTS.write_text(text, encoding="utf-8")
    REFERENCE.write_text(_entry(rates, len(faults)), encoding="utf-8")
    print(text)
    return 0


def _healthy_made(hosts: Mapping[str, MadeHost]) -> list[_Told]:
    return [_of(host, name) for name, host in hosts.items()]


if __name__ == "__main__":
    raise SystemExit(main())
