"""Makes a report: which release, which form, in which language, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta

from tests.made.awr.cluster import cluster_report
from tests.made.awr.instance import Form, instance_report
from tests.made.awr.markup import Style
from tests.made.awr.model import Workload, workload
from tests.made.awr.paper import Paper
from tests.made.awr.text import text_report

RELEASES = {
    "10.2": "10.2.0.5.0",
    "11.2": "11.2.0.4.0",
    "12.2": "12.2.0.1.0",
    "19c": "19.0.0.0.0",
    "21c": "21.0.0.0.0",
    "23ai": "23.0.0.0.0",
}


@dataclass(frozen=True)
class MadeReport:
    """The bytes, and what was put into them.

    Attributes:
        instances: of a cluster's report, what each instance did.
        lists: for each list of statements the ids it shows, largest first.
    """

    data: bytes
    truth: Workload
    instances: tuple[Workload, ...] = ()
    lists: dict[str, tuple[str, ...]] = field(default_factory=dict)


def report(
    version: str = "19c",
    scope: str = "instance",
    rac: int = 0,
    pdb: str = "",
    cdb: bool = False,
    locale: str = "en",
    encoding: str = "utf-8",
    truncated: float = 1.0,
    without: Iterable[str] = (),
    top: int = 10,
    crlf: bool = False,
    blank_lines: int = 0,
    mail: bool = False,
    overflow: bool = False,
    covered_pct: float = 87.5,
    workload: Workload | None = None,
    seed: int = 1,
    charset: bool = False,
) -> MadeReport:
    """One report.

    Args:
        version: one of `RELEASES`.
        scope: ``instance``, or ``global`` for all instances of a cluster (`rac` of them, at least two).
        rac: number of instances; 0 is no cluster.
        pdb: the pluggable database the report was made in.
        cdb: made in the root: statements are of the workload's containers.
        locale: one of `markup.MONTHS`.
        truncated: the share of the bytes that is left.
        without: titles of sections whose heading is there and whose table is not.
        top: rows of each list of statements.
        mail: saved from a mail program: a comment before, a declaration and other markup around.
        overflow: averages that do not fit their column.
        charset: whether a ``<meta>`` declares the encoding.
    """
    truth = workload if workload is not None else _default(seed, cdb)
    form = Form(
        version,
        RELEASES[version],
        Style(locale, summaries=version != "10.2"),
        max(rac, 1),
        pdb,
        cdb or bool(pdb),
        frozenset(without),
        top,
        overflow,
        covered_pct,
    )
    if scope == "global":
        instances = tuple(instance_of(truth, number) for number in range(1, max(rac, 2) + 1))
        text, lists = cluster_report(form, truth, instances)
    else:
        instances = ()
        text, lists = instance_report(form, truth)
    if mail:
        text = _mailed(text, encoding)
    elif charset:
        text = text.replace(
            "<head>", f'<head><meta http-equiv="Content-Type" content="text/html; charset={encoding}">', 1
        )
    text = "\n" * blank_lines + text
    data = (text.replace("\n", "\r\n") if crlf else text).encode(encoding)
    return MadeReport(data[: round(len(data) * truncated)], truth, instances, lists)


TEXT_RELEASES = {**RELEASES, "9.2": "9.2.0.8.0"}


def text(
    kind: str = "statspack",
    version: str = "11.2",
    locale: str = "en",
    encoding: str = "utf-8",
    truncated: float = 1.0,
    crlf: bool = False,
    form_feeds: bool = False,
    workload: Workload | None = None,
    seed: int = 1,
    **paper: object,
) -> MadeReport:
    """A text report; `paper` replaces fields of `Paper`.

    Args:
        kind: ``statspack`` (9.2, 10.2, 11.2, 19c) or ``awr`` (10.2, 11.2, 19c).
    """
    truth = workload if workload is not None else _default(seed, cdb=False)
    printed, lists = text_report(Paper(kind, version, TEXT_RELEASES[version], Style(locale), **paper), truth)  # type: ignore[arg-type]
    if form_feeds:
        printed = printed.replace("\nTime Model", "\n\fTime Model").replace("\nSQL ordered", "\n\fSQL ordered")
    data = (printed.replace("\n", "\r\n") if crlf else printed).encode(encoding, "replace")
    return MadeReport(data[: round(len(data) * truncated)], truth, (), lists)


def instance_of(cluster: Workload, number: int) -> Workload:
    """What one instance of the cluster did: a share of the times of its own."""
    share = number / 10
    return replace(
        cluster,
        instance=f"{cluster.db_name.lower()}{number}",
        instance_number=number,
        host=f"dbsrv0{number}",
        db_time_s=round(cluster.db_time_s * share, 2),
        db_cpu_s=round(cluster.db_cpu_s * share, 2),
        started=cluster.started + timedelta(minutes=number),
        events=tuple(
            replace(one, waits=one.waits // 10 * number, time_s=round(one.time_s * share, 1)) for one in cluster.events
        ),
    )


def mail_folder(reports: Sequence[MadeReport]) -> bytes:
    """Reports one after the other in one file, with the lines a mail program puts between."""
    return b"\n".join(b"From: dba@example.com\nSubject: report\n\n" + one.data for one in reports)


def _default(seed: int, cdb: bool) -> Workload:
    return workload(seed, containers=("PDB1", "PDB2") if cdb else ())


def _mailed(text: str, encoding: str) -> str:
    declared = f'<meta http-equiv="Content-Type" content="text/html; charset={encoding}"><base href="x-msg://1/">'
    return "<!-- saved from url=(0022)http://internet.e-mail -->\n" + text.replace(
        "<html>", '<html xmlns:o="urn:office">'
    ).replace("<head>", f"<head>{declared}", 1)
