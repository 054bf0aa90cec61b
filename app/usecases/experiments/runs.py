"""Trials on a host: the next ones of an experiment as one approved command, and their results out of its capture.

The plan is an ordinary capture plan: its sheet prints every set-up, command and tear-down to the letter, an approval
names its digest, and the capture engine runs it once. The script runs trial after trial; before each it prints a line
with the trial's number, so that every result is found by what stands in the evidence. The tear-down follows whatever
the command did, and also when the capture is stopped. What the connection cuts off begins again with the plan's first
trial; a trial that has its result keeps the first one.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import replace

from app.capture.planning import PlanRequest, ProbeChoice, build_plan
from app.core.errors import UserError
from app.core.messages import catalogue
from app.domain.capturing.plan import CapturePlan, CommandKind
from app.domain.connection import HostProfile
from app.domain.engagement import Phase
from app.domain.experiments.book import ExperimentBook, ExperimentChange, ExperimentEdit
from app.domain.experiments.records import Experiment, Trial, TrialState, in_order
from app.domain.experiments.rules import check_trial, filled
from app.sdk.probes import ParameterKind, Probe, ProbeParameter
from app.store import artefacts, engagements, sessions
from app.store.project import Project
from app.usecases.capturing.plans import planned_host
from app.usecases.experiments import facade as experiments
from app.usecases.experiments.results import results_of_capture, trials_of_results

PROBE = "generic.trials"
LONGEST_SCRIPT = 3900
_TIMED = frozenset({"real_s", "user_s", "sys_s"})
_LOOKED_INTO = re.compile(r'["$`\\!]')
_MARK = re.compile(rb"^@command trial (?P<id>\d{1,12})(?: set-up failed: (?P<status>\d{1,3}))?\s*$")
# bash and ksh time to the millisecond; elsewhere POSIX `time -p` does.
# A tear-down that has begun is neither cut off nor done twice.
_SCRIPT = (
    "l={trials}; m() {{ x='eval \"$1\" >/dev/null 2>&1'; "
    "for s in bash ksh mksh sh; do \"$s\" -c 'time true' >/dev/null 2>&1 && break; done; "
    'case $s in sh) p="time -p";; *) p=time;; esac; '
    '"$s" -c "$p sh -c \\"\\$1\\" timed \\"\\$2\\"" timed "$x" "$1" </dev/null 2>&1; echo "@exit $?"; }}; '
    't() {{ printf "@tunebench at %s\\n@command trial %s\\n" "$(date -u +%Y-%m-%dT%H:%M:%SZ)" "$1"; d=$4; '
    '(eval "$2") </dev/null >/dev/null 2>&1; e=$?; '
    'if test $e -eq 0; then m "$3"; else echo "@command trial $1 set-up failed: $e"; fi; '
    'd=; (trap "" 15; eval "$4") </dev/null >/dev/null 2>&1; }}; '
    'd=; trap \'(eval "$d") </dev/null >/dev/null 2>&1; exit 143\' 15; eval "$l"; exit 0'
)


# -- planning ------------------------------------------------------------------------------------------


def draft(
    project: Project,
    book: ExperimentBook,
    experiment_id: int,
    profile: HostProfile,
    *,
    run: str,
    limit_s: float,
    most: int = 0,
) -> tuple[CapturePlan, tuple[Trial, ...]]:
    """A plan of the next trials, as many as fit into one command, and those trials; nothing is kept or connected to.

    Args:
        limit_s: the plan ends then, wherever the trials are; whole seconds.
        most: trials at most; 0: no limit of their number.

    Raises:
        UserError: experiment_run_no_command, experiment_run_not_timed, experiment_run_nothing_planned,
            experiment_run_too_long, and what the plan itself refuses.
    """
    experiment = experiments.find(book, experiment_id)
    _check_runnable(experiment)
    waiting = [trial for trial in in_order(book.trials_of(experiment_id)) if not trial.is_recorded]
    chosen = _fitting(experiment, waiting[: most or None])
    script = _script(experiment, chosen)
    host = planned_host(project, profile)
    request = PlanRequest(
        hosts=(host,),
        probes={host.name: (ProbeChoice(PROBE, {"trials": (script,)}),)},
        run=run,
        phase=Phase.OTHER.value,
        interval_s=limit_s,
        duration_s=limit_s,
        zone=engagements.read_engagement(project).zone,
        nice=0,
    )
    return build_plan(request, [_probe()]), chosen


def _check_runnable(experiment: Experiment) -> None:
    if not experiment.command.strip():
        raise UserError("experiment_run_no_command", title=experiment.title)
    if not any(response.name in _TIMED for response in experiment.responses):
        raise UserError("experiment_run_not_timed", known=", ".join(sorted(_TIMED)))


def _fitting(experiment: Experiment, waiting: Sequence[Trial]) -> tuple[Trial, ...]:
    if not waiting:
        raise UserError("experiment_run_nothing_planned", title=experiment.title)
    count = len(waiting)
    while count and len(_script(experiment, waiting[:count])) > LONGEST_SCRIPT:
        count -= 1
    if not count:
        raise UserError("experiment_run_too_long", limit=LONGEST_SCRIPT)
    return tuple(waiting[:count])


def _script(experiment: Experiment, trials: Sequence[Trial]) -> str:
    """``t NUMBER "set-up" "command" "tear-down"; ...``"""
    templates = (experiment.setup, experiment.command, experiment.teardown)
    return "; ".join(
        " ".join(["t", str(trial.id), *(_quoted(filled(experiment, each, trial.cell)) for each in templates)])
        for trial in trials
    )


def _quoted(line: str) -> str:
    """In double quotes where nothing in it would be looked into: it stands inside single ones, and people read it."""
    return shlex.quote(line) if _LOOKED_INTO.search(line) else f'"{line}"'


def _probe() -> Probe:
    def said(key: str) -> dict[str, str]:
        return {language: catalogue(language).text(key) for language in ("ko", "en")}

    trials = ProbeParameter("trials", ParameterKind.COMMAND, said("experiment.probe.trials"), required=True)
    return Probe(
        PROBE,
        said("experiment.probe.name"),
        said("experiment.probe.purpose"),
        (),
        CommandKind.LOOP,
        _SCRIPT,
        parser="tunebench.timed_command",
        environment={"LC_NUMERIC": "C"},
        is_work=True,
        parameters=(trials,),
    )


# -- results -------------------------------------------------------------------------------------------


def captures_of(project: Project, session_id: int) -> tuple[int, ...]:
    """What a session stored of trials."""
    found = sessions.list_streams(project, session_id)
    ids = {each.artefact_id for each in found if each.command_id.partition("/")[2].startswith(PROBE)}
    return tuple(sorted(id_ for id_ in ids if id_ is not None))


def take_run(project: Project, book: ExperimentBook, experiment_id: int, artefact_id: int) -> ExperimentEdit:
    """Results of the trials whose numbers stand in a capture; what has a result keeps it.

    Raises:
        UserError: artefact_missing; experiment_run_no_trials where none of the experiment's trials stands there.
    """
    experiment = experiments.find(book, experiment_id)
    marks, failures = _marks(project, artefact_id)
    results = {result.line: result for result in results_of_capture(project, artefact_id)}
    found: dict[int, Trial] = {}
    for line, result in results.items():
        trial_id = _trial_at(marks, line)
        trial = book.trials.get(trial_id)
        if trial is None or trial.experiment_id != experiment_id or trial_id in found:
            continue
        (read,) = trials_of_results(experiment, [result])
        found[trial_id] = replace(
            trial,
            state=read.state,
            values=read.values,
            reason=read.reason,
            artefact_id=artefact_id,
            line=line,
            at=read.at,
        )
    for trial_id, (line, status) in failures.items():
        trial = book.trials.get(trial_id)
        if trial is not None and trial.experiment_id == experiment_id and trial_id not in found:
            found[trial_id] = replace(
                trial, state=TrialState.FAILED, reason=f"set-up: exit {status}", artefact_id=artefact_id, line=line
            )
    if not found:
        raise UserError("experiment_run_no_trials", capture=artefacts.find_artefact(project, artefact_id).name)
    return ExperimentEdit("record_trials", tuple(_taken(book, experiment, found)))


def _taken(book: ExperimentBook, experiment: Experiment, found: dict[int, Trial]) -> Iterator[ExperimentChange]:
    for trial_id, after in found.items():
        before = book.trials[trial_id]
        if not before.is_recorded:
            check_trial(experiment, after)
            yield ExperimentChange(before, after)


def _marks(project: Project, artefact_id: int) -> tuple[list[tuple[int, int]], dict[int, tuple[int, int]]]:
    """Lines at which trials begin, with their numbers; and the line and status of every set-up that failed."""
    begins: list[tuple[int, int]] = []
    failures: dict[int, tuple[int, int]] = {}
    data = b"".join(artefacts.read_artefact(project, artefact_id))
    for line, text in enumerate(data.split(b"\n"), start=1):
        mark = _MARK.match(text)
        if mark is None:
            continue
        if mark["status"] is None:
            begins.append((line, int(mark["id"])))
        else:
            failures.setdefault(int(mark["id"]), (line, int(mark["status"])))
    return begins, failures


def _trial_at(marks: Sequence[tuple[int, int]], line: int) -> int:
    """The trial that began last before a line; 0 before the first."""
    return next((id_ for begins, id_ in reversed(marks) if begins <= line), 0)
