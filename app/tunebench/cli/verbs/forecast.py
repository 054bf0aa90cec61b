"""``forecast``: when a limit is reached, how long growth rates last, what more load would need."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from contextlib import closing

from tunebench.analysis.capacity.growth import Scenario
from tunebench.cli.arguments import COMMON, PROJECT, Translate, add, argument, optional, positive
from tunebench.cli.console import Console
from tunebench.contract import capacity as capacity_shapes
from tunebench.usecases import projects
from tunebench.usecases.capacity import outlook as capacity
from tunebench.usecases.capacity.outlook import LoadOutlook, Outlook
from tunebench.usecases.capacity.words import (
    a_day,
    day_text,
    figure,
    headline,
    hours_text,
    limit_text,
    no_what_if_text,
    percent,
    probability,
    quantity,
    said_text,
    slope_interval,
    subject_text,
)
from tunebench.usecases.comparing import windows


def hours(text: str) -> tuple[int, ...]:
    """``9-18``: from the hour that begins at 9 to the one that ends at 18; ``22-6`` goes over midnight."""
    first, _, last = text.partition("-")
    begin, end = int(first), int(last)
    if not (0 <= begin < 24 and 0 < end <= 24 and begin != end):
        raise ValueError(text)
    return tuple(sorted((begin + step) % 24 for step in range((end - begin) % 24 or 24)))


def rates(text: str) -> tuple[float, ...]:
    """``10,20,30``: percent a year, as shares."""
    shares = tuple(float(part) / 100 for part in text.split(","))
    if not all(-1 < rate < 1e6 for rate in shares):
        raise ValueError(text)
    return shares


def factors(text: str) -> tuple[float, ...]:
    return tuple(positive(part) for part in text.split(","))


def register(parser: argparse.ArgumentParser, text: Translate) -> None:
    add(
        parser,
        text,
        PROJECT,
        argument("--series", "cli.forecast.help.series", "ID", required=True, type=int),
        optional("--run", "cli.forecast.help.run", "L"),
        argument("--limit", "cli.forecast.help.limit", "X", type=positive),
        argument("--hours", "cli.forecast.help.hours", "A-B", type=hours),
        argument("--growth", "cli.forecast.help.growth", "P[,P...]", type=rates),
        argument("--load", "cli.forecast.help.load", "ID", type=int),
        argument("--factor", "cli.forecast.help.factor", "F[,F...]", type=factors, default=(2.0,)),
        *COMMON,
    )


def run(args: argparse.Namespace, console: Console) -> None:
    with closing(projects.open_(args.project, read_only=True)) as project:
        window = windows.find_window(project, args.run) if args.run else None
        outlook = capacity.outlook(project, args.series, args.limit, args.hours, window)
        load = None
        if args.load is not None:
            load = capacity.what_if(project, args.load, args.series, args.factor, outlook.limit.value, window)
    grown = _scenarios(outlook, args.growth)
    console.result(capacity_shapes.document(outlook, load, grown))
    _say_outlook(outlook, console)
    _say_load(load, console)
    _say_growth(grown, outlook, console)


def _scenarios(outlook: Outlook, asked: Sequence[float] | None) -> Sequence[Scenario]:
    """Assumed growth, where somebody asks for it: an assumption must not stand beside a forecast uninvited."""
    if asked is None or outlook.now is None or outlook.now <= 0 or outlook.forecast.falling:
        return ()
    return capacity.scenarios(outlook.now, outlook.limit.value, asked)


def _say_outlook(outlook: Outlook, console: Console) -> None:
    language, unit = console.language, outlook.subject.info.unit
    console.say(
        "cli.forecast.subject",
        series=subject_text(outlook.subject, language),
        host=outlook.subject.info.host,
        limit=quantity(outlook.limit.value, unit, language),
        source=limit_text(outlook.limit, language),
    )
    console.print(headline(outlook, language))
    for refusal in outlook.forecast.refusals:
        console.print(f"  - {said_text(refusal, language, unit)}")
    console.print()
    _say_numbers(outlook, console)
    for remark in outlook.forecast.remarks:
        console.print(f"  * {said_text(remark, language, unit)}")


def _say_numbers(outlook: Outlook, console: Console) -> None:
    unit, trend, tested = outlook.subject.info.unit, outlook.forecast.trend, outlook.forecast.back_test
    days = outlook.forecast.days
    console.say(
        "cli.forecast.days",
        n=len(days),
        first=day_text(int(days[0]) if len(days) else None),
        last=day_text(int(days[-1]) if len(days) else None),
        hours=hours_text(outlook.days.hours),
        now=quantity(outlook.now, unit, console.language),
    )
    if trend is None or tested is None:
        return
    low, high = slope_interval(trend)
    console.say(
        "cli.forecast.trend",
        n=trend.n,
        n_eff=figure(trend.band.worth.n_eff, 3),
        lag1=f"{trend.band.worth.lag1:.2f}",
        slope=a_day(trend, trend.band.line.slope, unit, console.language),
        low=low,
        high=high,
        p=probability(trend.corrected.p),
        tau=a_day(trend, trend.peaks.slope, unit, console.language),
    )
    mase = "–" if tested.mase is None else f"{tested.mase:.2f}"
    console.say(
        "cli.forecast.back_test",
        origins=tested.origins,
        points=tested.points,
        coverage=percent(tested.coverage),
        mase=mase,
    )


def _say_load(load: LoadOutlook | None, console: Console) -> None:
    if load is None:
        return
    console.print()
    console.say("cli.forecast.load", load=subject_text(load.load, console.language), n=len(load.loads))
    for reason in load.model.refusals:
        console.print(f"  - {no_what_if_text(reason, console.language)}")
    rows = [
        [
            f"{figure(one.factor, 3)}x",
            figure(one.load),
            f"{figure(one.utilisation_pct, 3)} %",
            f"{figure(one.low_pct, 3)} … {figure(one.high_pct, 3)} %",
            console.text(f"capacity.feasible.{'yes' if one.feasible else 'no'}"),
            console.text("capacity.extrapolated") if one.extrapolated else "",
        ]
        for one in load.factors
    ]
    if rows:
        headings = console.headings("cli.forecast.column", "factor load utilisation interval within note")
        console.table(headings, rows, right=frozenset({0, 1, 2, 3}))
        possible = load.factors[0].possible_factor
        console.say("cli.forecast.possible", factor=figure(possible, 3), limit=figure(load.limit_pct, 3))


def _say_growth(grown: Sequence[Scenario], outlook: Outlook, console: Console) -> None:
    if not grown:
        return
    console.print()
    console.say("cli.forecast.growth", now=quantity(outlook.now, outlook.subject.info.unit, console.language))
    console.table(
        console.headings("cli.forecast.column", "growth years"),
        [[percent(one.growth, 1), "–" if one.years is None else f"{one.years:.1f}"] for one in grown],
        right=frozenset({0, 1}),
    )
