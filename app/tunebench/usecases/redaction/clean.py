"""Clean copies and redacted reports: made, searched for every original, and only then put where they were asked for.

A report is made of a clean copy that lives in a private folder for as long as that takes: what is rewritten is the
project, in one place, and no writer of documents knows of it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, replace
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from tunebench import __version__
from tunebench.analysis.redaction.proof import Originals, statement_starts
from tunebench.analysis.redaction.redactor import Redactor
from tunebench.core.errors import UserError
from tunebench.core.messages import catalogue
from tunebench.core.progress import Progress, SilentProgress
from tunebench.core.records import record
from tunebench.core.sealing import LEAST_PASSPHRASE, passing_key
from tunebench.core.whole_files import require_place, write_whole
from tunebench.domain.redaction import RedactionProfile
from tunebench.domain.translations import Untranslated
from tunebench.domain.windows import Window
from tunebench.reporting.look import PLAIN_LOOK, Look, Signer
from tunebench.reporting.shapes import Shape
from tunebench.reporting.unpacked import parts_of
from tunebench.store import clean_copy, engagements
from tunebench.store.audit import trail
from tunebench.store.clean_copy import LeftOut
from tunebench.store.opening import open_project
from tunebench.store.project import Project
from tunebench.store.reencrypting import write_readable
from tunebench.usecases.redaction import names_file
from tunebench.usecases.redaction.profiles import everybodys, printed_words
from tunebench.usecases.reports import register as report_register
from tunebench.usecases.reports import success_case as reports
from tunebench.usecases.reports.success_case import Written

if TYPE_CHECKING:
    from tunebench.usecases.reports.verifying import Verification

MANIFEST = ".manifest.json"


@record
class Redaction:
    """How outputs are redacted.

    Attributes:
        names: the sealed file of names; None for the one beside the project.
    """

    profile: RedactionProfile
    passphrase: str
    names: Path | None = None


@record
class Cleaned:
    """A clean copy that is still private.

    Attributes:
        redactor: knows every original that was replaced.
    """

    project: Project
    redactor: Redactor
    left_out: LeftOut


@record
class Left:
    """What was put where it was asked for.

    Attributes:
        manifest: the last of `paths`.
        replaced: how often, over all kinds.
        ordinary: names that are words of every report, and stay where they stand in sentences.
    """

    paths: tuple[Path, ...]
    manifest: Path
    replaced: int
    searched: int
    ordinary: tuple[str, ...]


def is_clean(project: Project) -> bool:
    """Whether the project is a redacted copy itself."""
    return clean_copy.mark_of(project) is not None


@contextmanager
def cleaned(project: Project, redaction: Redaction, progress: Progress | None = None) -> Iterator[Cleaned]:
    """A private clean copy, which goes with the block; the sealed names know all of its stand-ins.

    That of an encrypted project is encrypted too, by a key that no longer exists when the block, or the program, ends.

    Raises:
        UserError: seal_refused, key_passphrase_short, redaction_collides, redaction_of_copy.
    """
    if is_clean(project):
        raise UserError("redaction_of_copy", path=str(project.path))
    path = redaction.names or names_file.names_path(project)
    stand_ins = names_file.read_names(path, redaction.passphrase)
    if len(redaction.passphrase) < LEAST_PASSPHRASE:
        raise UserError("key_passphrase_short", least=LEAST_PASSPHRASE)
    redactor = Redactor(redaction.profile, printed_words(), everybodys(), stand_ins)
    language = engagements.read_engagement(project).language  # as what stands beside it
    label = catalogue(language or "ko").text("redaction.label", profile=redaction.profile.name)
    passing = passing_key() if project.key is not None else nullcontext()
    with passing as key, TemporaryDirectory(prefix="tunebench-") as folder:  # which a kill leaves behind
        target = Path(folder) / "copy.tune"
        left_out = clean_copy.write_clean_copy(project, target, redactor, label, progress or SilentProgress(), key)
        if redactor.stand_ins != stand_ins:
            names_file.write_names(path, redactor.stand_ins, redaction.passphrase)
        with open_project(target, read_only=True) as copy:
            yield Cleaned(copy, redactor, left_out)


def export_clean(project: Project, target: Path, redaction: Redaction, progress: Progress | None = None) -> Left:
    """A clean copy of the project as `target`, and its manifest beside it.

    Raises:
        UserError: as `cleaned`; redaction_leaks where an original is found in it: nothing is written then.
    """
    manifest = target.with_name(target.name + MANIFEST)
    for path in (target, manifest):
        require_place(path)
    with cleaned(project, redaction, progress) as copy:
        copy.project.close()
        file = _readable(copy.project)
        data = file.read_bytes()
        _prove(copy, {target: data}, clean_copy.readable_parts(file))
        return _deliver(project, copy, {target: data}, manifest)


def _readable(copy: Project) -> Path:
    """The private copy as the file that leaves."""
    if copy.key is None:
        return copy.path
    leaving = copy.path.with_name("leaving.tune")
    write_readable(copy.path, copy.key, leaving)
    return leaving


def write_report(
    project: Project,
    redaction: Redaction,
    language: str,
    issued: str,
    targets: dict[str, Path],
    *,
    sections: Collection[str] | None = None,
    shape: Shape = Shape.WHOLE,
    before: Window | None = None,
    after: Window | None = None,
    progress: Progress | None = None,
    order: Sequence[str] = (),
    untranslated: Untranslated = Untranslated.KEEP,
    look: Look = PLAIN_LOOK,
) -> tuple[Left, Written]:
    """A redacted report as the files that `targets` names by their kinds, and a manifest beside the first.

    Args:
        look: colours and roles of it are kept; logo, names of who signs and the version table name people and houses.

    Raises:
        UserError: as `export_clean` and `reports.write`.
    """
    first = next(iter(targets.values()))
    manifest = first.with_name(first.name + MANIFEST)
    for path in (*targets.values(), manifest):
        require_place(path)
    with cleaned(project, redaction, progress) as copy:
        folder = copy.project.path.parent
        drafts = {kind: folder / f"report.{kind}" for kind in targets}
        written = reports.write(
            copy.project,
            language,
            issued,
            pdf=drafts.get("pdf"),
            xlsx=drafts.get("xlsx"),
            html=drafts.get("html"),
            pptx=drafts.get("pptx"),
            sections=sections,
            shape=shape,
            progress=progress,
            before=_in_copy(copy, before),
            after=_in_copy(copy, after),
            redacted=redaction.profile.name,
            order=order,
            untranslated=untranslated,
            look=_nameless(copy, look),
        )
        files = {target: drafts[kind].read_bytes() for kind, target in targets.items()}
        _prove(copy, files)
        left = _deliver(project, copy, files, manifest)
    if written.case is not None:
        for kind, path in targets.items():
            report_register.remember(project, written.case, language, kind, path)
    return left, replace(written, paths=left.paths)


def verify_report(project: Project, path: Path, redaction: Redaction, progress: Progress | None = None) -> Verification:
    """`verify` of a redacted report: it is made again from a clean copy with the names of then."""
    with cleaned(project, redaction, progress) as copy:
        from tunebench.usecases.reports.verifying import verify  # it reads every kind of document

        return verify(copy.project, path, progress)


def _in_copy(copy: Cleaned, window: Window | None) -> Window | None:
    """The same window, as the copy calls it and its hosts."""
    if window is None:
        return None
    redactor = copy.redactor
    return replace(window, name=redactor.place(window.name), hosts=tuple(map(redactor.place, window.hosts)))


def _nameless(copy: Cleaned, look: Look) -> Look:
    signers = tuple(Signer(copy.redactor.text(signer.role)) for signer in look.signers)
    charts = tuple(replace(chart, series=_chart_in_copy(copy, chart.series)) for chart in look.charts)
    return replace(look, logo=b"", signers=signers, versions=(), charts=charts)


def _chart_in_copy(copy: Cleaned, series: str) -> str:
    figure, _, host = series.partition("@")
    return f"{figure}@{copy.redactor.place(host)}"


def _prove(copy: Cleaned, files: dict[Path, bytes], parts: Iterator[tuple[str, str | bytes]] | None = None) -> None:
    """Raises UserError redaction_leaks; it names the place and the kind, and not what was found."""
    redactor = copy.redactor
    searched = Originals([*redactor.originals(), *statement_starts(redactor.statements)])
    for path, data in files.items():
        for where, part in chain([(path.name, path.name)], parts or parts_of(data, path.name)):
            if searched.found(part) is not None:
                raise UserError("redaction_leaks", path=str(path), place=where)


def _deliver(project: Project, copy: Cleaned, files: dict[Path, bytes], manifest: Path) -> Left:
    facts = manifest_of(project, copy, files)
    data = (json.dumps(facts, ensure_ascii=False, indent=1) + "\n").encode()
    _prove(copy, {manifest: data})
    for path, content in {**files, manifest: data}.items():
        write_whole(path, content)
        path.chmod(0o600)
    redactor = copy.redactor
    return Left(
        (*files, manifest),
        manifest,
        redactor.counts.total(),
        sum(1 for _ in redactor.originals()),
        tuple(sorted(redactor.left)),
    )


def manifest_of(project: Project, copy: Cleaned, files: dict[Path, bytes]) -> dict[str, object]:
    """What leaves: files and their digests, what was replaced how often, what was left out, and of which project."""
    redactor = copy.redactor
    entries: Sequence[trail.AuditEntry] = trail.list_audit(project)
    return {
        "program": f"TuneBench {__version__}",
        "profile": redactor.profile.name,
        "replaced_kinds": sorted(kind.name.lower() for kind in redactor.profile.kinds),
        "sql": str(redactor.profile.sql),
        "copy_of": {"first_entry": entries[0].digest if entries else "", "last_entry": trail.chain_head(project)[1]},
        "files": [
            {"name": path.name, "size_bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
            for path, data in files.items()
        ],
        "replaced": {
            kind.name.lower(): {"names": count, "times": redactor.counts[kind]}
            for kind, count in sorted(redactor.names.items())
        },
        "left_out": asdict(copy.left_out),
        "searched_for": sum(1 for _ in redactor.originals()),
        "not_searched_for": sorted(redactor.left),
    }
