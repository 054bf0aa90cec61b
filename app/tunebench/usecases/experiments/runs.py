"""Trials on a host: a whole matrix as one approved plan, each trial a small capture of it, and their results.

The plan is an ordinary capture plan. Each trial is one command of it, which prepares, drops the caches, runs what is
measured, collects what it left and undoes (`capture.wrapper` has the words); the sheet prints every one of them
with the levels of its cell. Probes of the plan run beside. The engine runs one trial after the other and stops one that
takes too long; its output is a capture of its own, from which any installed reader's figures are taken.

An approval holds until every trial of it has its result: whatever was interrupted goes on with the trials that wait.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from math import ceil
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tunebench.capture.planning import LONGEST_DURATION_S, PlanRequest, ProbeChoice, build_plan, choose_probes
from tunebench.core import records
from tunebench.core.errors import UserError
from tunebench.core.messages import catalogue
from tunebench.core.patterns import lazy_pattern
from tunebench.domain.capturing.plan import Approval, CaptureMode, CapturePlan, CommandKind, PlannedCommand
from tunebench.domain.capturing.run import StreamState
from tunebench.domain.connection import HostProfile
from tunebench.domain.engagement import Phase
from tunebench.domain.experiments.book import ExperimentBook, ExperimentChange, ExperimentEdit
from tunebench.domain.experiments.records import (
    CacheState,
    Experiment,
    Reading,
    Response,
    Statistic,
    Trial,
    TrialState,
    cell_text,
    in_order,
)
from tunebench.domain.experiments.rules import check_trial, filled
from tunebench.domain.series import SeriesInfo
from tunebench.sdk.probes import Probe
from tunebench.sdk.units import factor_between
from tunebench.store import artefacts, engagements, plans, queries, sessions
from tunebench.store.project import Project
from tunebench.usecases import services
from tunebench.usecases.capturing.plans import planned_host
from tunebench.usecases.experiments import applying, lookup, reading
from tunebench.usecases.experiments.trial_output import Figure, TrialOutput, figures_of, fitting, read_trial

if TYPE_CHECKING:
    from tunebench.domain.capturing.views import SessionView

MOST_TRIALS = 1000
"""Of one plan: more of them make a sheet that nobody reads."""
LONGEST_COMPLAINT = 200
_TRIAL = "trial."
_LOOKED_INTO = lazy_pattern(r'["$`\\!]')
_MARGIN_S = 60.0
_OVER = (StreamState.ENDED, StreamState.VERIFIED, StreamState.FAILED)


# -- planning ------------------------------------------------------------------------------------------


def draft(
    project: Project,
    book: ExperimentBook,
    experiment_id: int,
    profile: HostProfile,
    *,
    run: str,
    most: int = 0,
    limit_s: float | None = None,
    mode: CaptureMode = CaptureMode.LIVE,
) -> tuple[CapturePlan, tuple[Trial, ...]]:
    """A plan of the trials that wait, and those trials; nothing is kept or connected to.

    Args:
        most: trials at most; 0: no limit of their number but `MOST_TRIALS`.
        limit_s: after which a trial is stopped; None: as the experiment says.

    Raises:
        UserError: experiment_run_no_command, experiment_run_not_cold, experiment_run_nothing_planned, and what the plan
            itself refuses.
    """
    experiment = lookup.find(book, experiment_id)
    experiment = replace(experiment, limit_s=limit_s or experiment.limit_s)
    if not experiment.command.strip():
        raise UserError("experiment_run_no_command", title=experiment.title)
    waiting = _waiting(book, experiment_id)[: min(most or MOST_TRIALS, MOST_TRIALS)]
    if not waiting:
        raise UserError("experiment_run_nothing_planned", title=experiment.title)
    if any(trial.cache is CacheState.COLD for trial in waiting) and not experiment.drop.strip():
        raise UserError("experiment_run_not_cold", title=experiment.title)
    host = planned_host(project, profile)
    installed = services.current().plugins.probes()
    trials = [_probe(experiment, trial) for trial in waiting]
    duration_s = min(float(ceil(len(waiting) * experiment.limit_s + _MARGIN_S)), float(LONGEST_DURATION_S))
    request = PlanRequest(
        hosts=(host,),
        probes={
            host.name: (
                *choose_probes(experiment.beside, host.os, installed),
                *(ProbeChoice(trial.id) for trial in trials),
            )
        },
        run=run,
        phase=Phase.OTHER.value,
        interval_s=experiment.interval_s,
        duration_s=duration_s,
        mode=mode,
        zone=engagements.read_engagement(project).zone,
        nice=0,
    )
    plan = build_plan(request, [*installed, *trials])
    files = tuple(
        f"{insert.into}, {insert.into}.tunebench" for insert in experiment.inserts if not _is_client(insert.into)
    )
    with_files = tuple(replace(one, files=files) if trial_of(one) else one for one in plan.commands)
    return replace(plan, commands=with_files), waiting


def _waiting(book: ExperimentBook, experiment_id: int) -> tuple[Trial, ...]:
    return tuple(trial for trial in in_order(book.trials_of(experiment_id)) if not trial.is_recorded)


def trial_of(command: PlannedCommand) -> int | None:
    """The id of the trial that a command of a plan is; None where it is none."""
    return int(command.probe.removeprefix(_TRIAL)) if command.kind is CommandKind.TRIAL else None


def _probe(experiment: Experiment, trial: Trial) -> Probe:
    def said(key: str) -> dict[str, str]:
        facts = {"place": trial.place, "cell": cell_text(experiment, trial.cell), "repetition": trial.repetition}
        return {language: catalogue(language).text(key, **facts) for language in ("ko", "en")}

    return Probe(
        f"{_TRIAL}{trial.id}",
        said("experiment.probe.name"),
        said("experiment.probe.purpose"),
        (),
        CommandKind.TRIAL,
        _line(experiment, trial).replace("{", "{{").replace("}", "}}"),
        environment={"LC_NUMERIC": "C"},
        is_work=True,
        limit_s=experiment.limit_s,
    )


def _steps(experiment: Experiment, trial: Trial) -> Iterator[tuple[str, ...]]:
    """``trial 17``, ``finally "umount /mnt"``, ``measure "tar ..."``: words that `capture.wrapper` defines."""

    def said(template: str) -> str:
        return filled(experiment, template, trial.cell)

    def step(word: str, *lines: str) -> Iterator[tuple[str, ...]]:
        if lines and lines[0].strip():
            yield word, *(_quoted(line) for line in lines)

    yield "trial", str(trial.id)
    yield from step("finally", said(experiment.teardown))
    files = [insert for insert in experiment.inserts if not _is_client(insert.into)]
    for insert in files:
        yield from step("file", said(insert.into), *said(insert.text).splitlines())
    yield from step("prepare", said(experiment.setup))
    for insert in experiment.inserts:
        if insert not in files:
            yield from step("feed", said(insert.into.removeprefix("|")), *said(insert.text).splitlines())
    if trial.cache is CacheState.COLD:
        drop = said(experiment.drop)
        yield from step("cold", drop, experiment.cold_file) if experiment.cold_file else step("drop", drop)
    yield from step("measure", said(experiment.command))
    yield from step("collect", said(experiment.collect))


def _is_client(into: str) -> bool:
    return into.startswith("|")


def _quoted(line: str) -> str:
    """The line in double quotes where nothing in it would be expanded: it stands inside single ones, and people read
    it."""
    return shlex.quote(line) if _LOOKED_INTO.search(line) else f'"{line}"'


# -- going on ------------------------------------------------------------------------------------------


def going_on(
    project: Project, book: ExperimentBook, experiment_id: int, host: str
) -> tuple[CapturePlan, Approval] | None:
    """The approved plan that has every waiting trial as it would be run now, and who approved it; None: there is none.

    Args:
        host: name of the profile.
    """
    experiment, waiting = lookup.find(book, experiment_id), _waiting(book, experiment_id)
    wanted = {trial.id: _line(experiment, trial) for trial in waiting}
    for record in reversed(plans.list_plans(project)):
        there = {trial_of(one): one.tool_line for one in record.plan.on(host)}
        if record.approvals and wanted and all(there.get(id_) == line for id_, line in wanted.items()):
            return record.plan, record.approvals[-1]
    return None


def _line(experiment: Experiment, trial: Trial) -> str:
    return "; ".join(" ".join(words) for words in _steps(experiment, trial))


def recorded_of(plan: CapturePlan, book: ExperimentBook) -> frozenset[str]:
    """Commands of a plan that are not run again: their trials have results, or are not there any more."""
    trials = ((command.id, trial_of(command)) for command in plan.commands)
    return frozenset(
        id_
        for id_, trial_id in trials
        if trial_id is not None and (trial_id not in book.trials or book.trials[trial_id].is_recorded)
    )


def done_of(project: Project, plan: CapturePlan) -> frozenset[str]:
    """`recorded_of` for a plan that may have no trials at all."""
    has_trials = any(trial_of(command) is not None for command in plan.commands)
    return recorded_of(plan, reading.read(project)) if has_trials else frozenset()


def experiment_of(plan: CapturePlan, book: ExperimentBook) -> Experiment | None:
    """The experiment whose trials a plan runs."""
    ids = (id_ for command in plan.commands if (id_ := trial_of(command)) is not None)
    trial = next((book.trials[id_] for id_ in ids if id_ in book.trials), None)
    return None if trial is None else book.experiments[trial.experiment_id]


@records.record
class Progress:
    """How far the trials of a running session are. `left_s`: by those that were run; None before the first."""

    done: int
    total: int
    now: str
    left_s: float | None


def progress(view: SessionView, plan: CapturePlan, leave_out: frozenset[str], now_ns: int) -> Progress:
    """How far the trials are, by what a session shows of itself."""
    lines = {command.id: command for command in plan.commands if trial_of(command) is not None}
    streams = [
        stream for host in view.hosts for stream in host.streams if stream.id in lines and stream.id not in leave_out
    ]
    done = sum(stream.state in _OVER for stream in streams)
    running = next(
        (stream for stream in streams if stream.state in (StreamState.STARTING, StreamState.CAPTURING)), None
    )
    passed_s = max(now_ns - view.started_ns, 0) / 1e9
    left_s = passed_s / done * (len(streams) - done) if done else None
    return Progress(done, len(streams), running.id.partition("/")[2] if running else "", left_s)


# -- results -------------------------------------------------------------------------------------------


def take_ended(project: Project, session_id: int) -> None:
    """Keeps the results of a session that has ended, of whichever experiment it ran trials."""
    book = reading.read(project)
    experiment = experiment_of(plans.find_plan(project, sessions.find_session(project, session_id).digest), book)
    if experiment is not None:
        edit = take_session(project, book, experiment.id, session_id)
        if edit.changes:
            applying.apply(project, edit)


def take_session(project: Project, book: ExperimentBook, experiment_id: int, session_id: int) -> ExperimentEdit:
    """Results of the trials that a session ran; what has a result keeps it, what was cut off waits on.

    Raises:
        UserError: experiment_unknown.
    """
    streams = [stream for stream in sessions.list_streams(project, session_id) if stream.artefact_id is not None]
    plan = plans.find_plan(project, sessions.find_session(project, session_id).digest)
    trials = {stream: trial_of(plan.command(stream.command_id)) for stream in streams}
    beside = [stream.artefact_id for stream, trial_id in trials.items() if trial_id is None]
    limits = {
        stream: plan.command(stream.command_id).limit_s for stream in streams if stream.state is StreamState.FAILED
    }
    captures = [stream.artefact_id for stream, trial_id in trials.items() if trial_id is not None]
    return take_captures(
        project,
        book,
        experiment_id,
        [id_ for id_ in captures if id_ is not None],
        beside=[id_ for id_ in beside if id_ is not None],
        stopped={stream.artefact_id: limit_s for stream, limit_s in limits.items() if stream.artefact_id and limit_s},
        complaints={stream.artefact_id: stream.stderr_tail for stream in streams if stream.artefact_id is not None},
    )


def take_captures(
    project: Project,
    book: ExperimentBook,
    experiment_id: int,
    artefact_ids: Iterable[int],
    *,
    beside: Sequence[int] = (),
    stopped: Mapping[int, float] | None = None,
    complaints: Mapping[int, str] | None = None,
) -> ExperimentEdit:
    """Results out of the captures of trials, each with its line as evidence.

    Args:
        beside: captures of the probes that ran beside them.
        stopped: captures of trials that took too long, with the seconds that they were allowed.
        complaints: capture -> the end of what its preparing and undoing commands wrote to stderr.

    Raises:
        UserError: experiment_unknown, artefact_missing.
    """
    experiment = lookup.find(book, experiment_id)
    series = [info for id_ in beside for info in queries.list_series(project, artefact_id=id_)]
    reader = _Reader(project, experiment, series)
    changes = []
    for id_ in dict.fromkeys(artefact_ids):
        output = read_trial(b"".join(artefacts.read_artefact(project, id_)))
        before = book.trials.get(output.trial_id)
        if before is None or before.experiment_id != experiment_id or before.is_recorded:
            continue
        complaint = (complaints or {}).get(id_, "").strip().rpartition("\n")[2][:LONGEST_COMPLAINT]
        after = reader.result(before, output, id_, complaint, limit_s=(stopped or {}).get(id_))
        if after is not None:
            check_trial(experiment, after)
            changes.append(ExperimentChange(before, after))
    return ExperimentEdit("record_trials", tuple(changes))


class _Reader:
    """Makes results of what trials said. `beside`: series of the probes that ran with them."""

    def __init__(self, project: Project, experiment: Experiment, beside: Sequence[SeriesInfo]) -> None:
        self._project, self._experiment = project, experiment
        self._beside = {_figure_of(info): info for info in beside}
        self._language = engagements.read_engagement(project).language

    def result(
        self, trial: Trial, output: TrialOutput, artefact_id: int, complaint: str, *, limit_s: float | None
    ) -> Trial | None:
        """The trial with what it measured, or failed with why; None: it was cut off, and is to be run again."""
        limit_s = output.limit_s or limit_s
        if not output.is_over and limit_s is None:
            return None
        readings, lines, refused = self._readings(output)
        reason = self._broken(trial, output, limit_s) or refused or ("" if readings else self._nothing())
        if output.failed and complaint:
            reason += f" {complaint}"
        artefact = artefacts.find_artefact(self._project, artefact_id)
        began_ns = output.began_ns
        return replace(
            trial,
            state=TrialState.FAILED if reason else TrialState.DONE,
            values=() if reason else readings,
            reason=reason,
            artefact_id=artefact_id,
            line=next(iter(lines), None),
            load_run_id=artefact.run_id,
            at=datetime.fromtimestamp(began_ns // 10**9, UTC).isoformat(timespec="seconds") if began_ns else "",
            note="\n".join((*filter(None, (trial.note,)), *self._doubts(trial, output))),
        )

    def _broken(self, trial: Trial, output: TrialOutput, limit_s: float | None) -> str:
        """Why its figures do not count, whatever they are."""
        if output.failed:
            step, _, detail = output.failed.partition(" ")
            return self._sentence("step", step=step, detail=detail)
        if output.status is None:
            return self._sentence("limit", limit=f"{limit_s or 0.0:g}")
        if output.status:
            return self._sentence("status", status=output.status)
        if output.collected:
            return self._sentence("step", step="collect", detail=output.collected)
        if trial.cache is CacheState.COLD and output.is_cold is False and output.cold is not None:
            size, read = output.cold
            return self._sentence("warm", size=f"{size:,}", read=f"{read or 0:,}")
        text = " ".join(output.text.split())
        for expected in self._experiment.expected:
            wanted = filled(self._experiment, expected, trial.cell)
            if not re.search(rf"(?<!\w){re.escape(' '.join(wanted.split()))}(?!\w)", text):
                return self._sentence("not_said", expected=wanted)
        return ""

    def _doubts(self, trial: Trial, output: TrialOutput) -> Iterator[str]:
        if trial.cache is CacheState.COLD and output.is_cold is None and output.status == 0:
            yield self._sentence("cold_unknown")
        if output.undone:
            yield self._sentence("not_undone", status=output.undone)

    def _nothing(self) -> str:
        return self._sentence("nothing", responses=", ".join(response.name for response in self._experiment.responses))

    def _sentence(self, key: str, **facts: object) -> str:
        return catalogue(self._language).text(f"experiment.trial.{key}", **facts)

    # -- figures -----------------------------------------------------------------------------------

    def _readings(self, output: TrialOutput) -> tuple[tuple[Reading, ...], list[int], str]:
        """What was measured, the lines it stands on, and why something of it cannot be taken."""
        figures, readings, lines = figures_of(output), [], []
        for response in self._experiment.responses:
            own = tuple(self._beside) if response.statistic else figures
            matches = fitting(own, response.figure or response.name)
            if len(matches) > 1:
                return (), [], self._sentence("ambiguous", response=response.name, count=len(matches))
            value = self._value(response, matches[0], output) if matches else None
            if value is None:
                continue
            factor = _factor(matches[0].unit, response.unit)
            if factor is None:
                return (), [], self._sentence("unit", response=response.name, unit=response.unit, found=matches[0].unit)
            readings.append(Reading(response.name, value * factor))
            lines += [] if response.statistic else [matches[0].line]
        return tuple(readings), lines, ""

    def _value(self, response: Response, figure: Figure, output: TrialOutput) -> float | None:
        """None where no sample was taken while the command ran."""
        if response.statistic is None:
            return figure.value
        if output.began_ns is None or output.ended_ns is None:
            return None
        info = self._beside[figure]
        data = queries.read_series(self._project, info.id, output.began_ns, output.ended_ns)
        values = data.values[~np.isnan(data.values) & ~data.since_boot]
        return float(_STATISTICS[response.statistic](values)) if len(values) else None


_STATISTICS: Mapping[Statistic, Callable[[NDArray[np.float64]], float]] = {
    Statistic.MEAN: np.mean,
    Statistic.P95: lambda values: np.percentile(values, 95),
    Statistic.MAX: np.max,
    Statistic.LAST: lambda values: values[-1],
}


def _figure_of(info: SeriesInfo) -> Figure:
    words = frozenset(word.casefold() for word in (info.tool, info.table, *info.attributes.values()))
    return Figure(info.native, words, float(info.id), info.unit, 0)


def _factor(unit: str, wanted: str) -> float | None:
    """What a figure is multiplied by to be in the response's unit; a figure without a unit is taken as it is."""
    if unit in ("", "1", wanted) or not wanted:
        return 1.0
    return factor_between(unit, wanted)
