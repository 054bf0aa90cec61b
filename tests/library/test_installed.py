"""The wheel in an environment of its own: the core is small, and each verb answers or names the extra that it wants."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.architecture.test_start import _capture
from tests.library.environment import Environment
from tunebench.cli.verb_names import VERB_NAMES
from tunebench.core.errors import ExitCode

EXTRAS = (
    "PySide6",
    "paramiko",
    "reportlab",
    "openpyxl",
    "pptx",
    "pypdfium2",
    "cryptography",
    "duckdb",
    "lxml",
    "dask",
    "sqlcipher3",
)
BESIDE_NUMPY_AND_SCIPY = 42e6
"""Bytes of the core that are not NumPy's and SciPy's, which are 171 MB on Linux."""

ANSWERS = {
    "info": ["info", "{project}"],
    "series": ["series", "{project}"],
    "data": ["data", "{project}", "--series", "1", "--format", "csv"],
    "databases": ["databases", "{project}", "--run", "before"],
    "statements": ["statements", "{project}", "--run", "before"],
    "window": ["window", "{project}", "list"],
    "compare": ["compare", "{project}", "--before", "before", "--after", "after"],
    "host": ["host", "{project}", "list"],
    "cycle": ["cycle", "{project}", "show"],
    "diagnose": ["diagnose", "{project}", "--run", "before"],
    "forecast": ["forecast", "{project}", "--series", "1", "--limit", "90"],
    "experiment": ["experiment", "{project}", "list"],
    "calc": ["calc", "--list"],
    "check": ["check", "{project}"],
    "plugin": ["plugin", "list"],
    "key": ["key", "list", "{project}"],
    "new": ["new", "other.tune", "--customer", "ACME"],
    "import": ["import", "{project}", "{before}", "--run", "before"],
    "merge": ["merge", "{project}", "{copy}"],
    "remove": ["remove", "{project}", "--run", "after", "--yes"],
}
NAMES = {
    "report": (["report", "{project}", "--xlsx", "x.xlsx"], "report"),
    "quick": (["quick", "{before}", "{after}", "-o", "quick.tune"], "report"),
    "archive": (["archive", "archive", "add", "{project}", "--consent", "ACME 2026"], "archive"),
    "cluster": (["cluster", "scheduler", "tcp://127.0.0.1:0"], "cluster"),
    "encrypt": (["encrypt", "{project}"], "encryption"),
}


@pytest.fixture
def project(environment: Environment, tmp_path: Path) -> Path:
    """Two runs of captures, imported by the installed program."""
    (tmp_path / "home").mkdir()
    assert tunebench(environment, tmp_path, "new", "start.tune", "--customer", "ACME")[0] == 0
    for run, hour, busy in (("before", 9, 80.0), ("after", 14, 20.0)):
        (tmp_path / f"{run}.txt").write_text(_capture(hour, busy), encoding="utf-8")
        words = ["import", "start.tune", f"{run}.txt", "--run", run, "--phase", run]
        assert tunebench(environment, tmp_path, *words)[0] == 0
        if run == "before":
            shutil.copy(tmp_path / "start.tune", tmp_path / "copy.tune")
    return tmp_path / "start.tune"


def tunebench(environment: Environment, folder: Path, *words: str) -> tuple[int, str, str]:
    ran = environment.run(
        "-m",
        "tunebench",
        *words,
        folder=folder,
        environment=dict.fromkeys(("TUNEBENCH_PASSPHRASE", "TUNEBENCH_NEW_PASSPHRASE"), "one two three four"),
    )
    return ran.returncode, ran.stdout, ran.stderr


def filled(words: list[str], project: Path) -> list[str]:
    names = {name: project.with_name(f"{name}.txt") for name in ("before", "after")}
    names |= {"project": project, "copy": project.with_name("copy.tune")}
    return [word.format(**names) for word in words]


def test_the_core_is_small(environment: Environment) -> None:
    heavy = sum(
        file.stat().st_size
        for name in ("numpy", "numpy.libs", "scipy", "scipy.libs")
        for file in (environment.packages / name).rglob("*")
        if file.suffix != ".pyc" and file.is_file()
    )
    assert environment.size_bytes() - heavy < BESIDE_NUMPY_AND_SCIPY


def test_importing_loads_nothing(environment: Environment, tmp_path: Path) -> None:
    code = "import sys, tunebench; print(tunebench.__version__, sorted(n for n in sys.modules if n.startswith(('numpy', 'tunebench.'))))"
    assert environment.run("-c", code, folder=tmp_path).stdout == "0.1.0 []\n"


def test_every_verb_is_looked_at() -> None:
    apart = {"demo", "capture", "export", "decrypt", "rekey"}  # test_story; of what needs a host, a profile, a key
    assert {*ANSWERS, *NAMES, *apart} == set(VERB_NAMES)


@pytest.mark.parametrize("verb", sorted(VERB_NAMES))
def test_help_of_every_verb(environment: Environment, tmp_path: Path, verb: str) -> None:
    code, out, err = tunebench(environment, tmp_path, verb, "--help")
    assert (code, err) == (0, "") and verb in out


def test_verbs_answer(environment: Environment, project: Path) -> None:
    for verb, words in ANSWERS.items():
        code, out, err = tunebench(environment, project.parent, *filled(words, project))
        assert code == ExitCode.DONE and out, (verb, code, err)


def test_verbs_name_the_extra_that_they_want(environment: Environment, project: Path) -> None:
    for verb, (words, extra) in NAMES.items():
        code, _, err = tunebench(environment, project.parent, *filled(words, project))
        assert (code, f"tunebench[{extra}]" in err) == (ExitCode.REFUSED, True), (verb, code, err)


def test_captures_that_want_an_extra_stop_no_other(environment: Environment, project: Path, project_root: Path) -> None:
    """A report in HTML and a workbook beside a text: each says what is missing, and the text comes in."""
    folder = project.with_name("captures")
    folder.mkdir()
    shutil.copy(project_root / "plugins" / "oracle_awr" / "fixtures" / "awr_19c_pdb.html", folder)
    (folder / "more.txt").write_text(_capture(20, 50.0), encoding="utf-8")
    workbook(folder / "table.xlsx")
    code, out, err = tunebench(
        environment, project.parent, "import", "start.tune", "captures", "--run", "more", "--json"
    )
    files = {Path(file["path"]).name: file for file in json.loads(out)["files"]}
    assert code == ExitCode.PARTLY
    assert files["more.txt"]["state"] == "imported"
    for name in ("awr_19c_pdb.html", "table.xlsx"):
        assert "tunebench[readers]" in files[name]["error"], files[name]
    assert err.count("tunebench[readers]") == 2 and "Traceback" not in err


def workbook(path: Path) -> None:
    from openpyxl import Workbook

    book = Workbook()
    sheet = book.active
    assert sheet is not None
    for row in (["time", "value"], ["2026-11-21 09:00:00", 1.5], ["2026-11-21 09:01:00", 2.5]):
        sheet.append(row)
    book.save(path)


def test_nothing_of_an_extra_is_loaded(environment: Environment, project: Path) -> None:
    code = f"""
import sys, tunebench
with tunebench.open({str(project)!r}) as project:
    project.compare("before", "after").as_dict("en"); project.diagnose("before").as_dict(); project.series("*idle*")[0].values
print(sorted({{name.split(".")[0] for name in sys.modules}} & set({EXTRAS!r})))
"""
    assert environment.run("-c", code, folder=project.parent).stdout == "[]\n"


def test_the_library_and_the_verb_say_the_same(environment: Environment, project: Path) -> None:
    for words, call in (
        (
            ["compare", "start.tune", "--before", "before", "--after", "after"],
            "compare('before', 'after').as_dict('en')",
        ),
        (["diagnose", "start.tune", "--run", "before"], "diagnose('before').as_dict('en')"),
        (["statements", "start.tune", "--run", "before"], "statements('before')"),
    ):
        code = (
            f"import json, tunebench\nwith tunebench.open('start.tune') as project: print(json.dumps(project.{call}))"
        )
        library = json.loads(environment.run("-c", code, folder=project.parent).stdout)
        verb = json.loads(tunebench(environment, project.parent, *words, "--json", "--lang", "en")[1])
        assert library == verb, words[0]


def test_an_absent_library_is_a_refusal_of_the_library_too(environment: Environment, project: Path) -> None:
    code = """
import tunebench
with tunebench.open("start.tune") as project:
    try:
        project.series()[0].__arrow_c_stream__()
    except tunebench.Refused as refused:
        print(refused.key, refused.facts["extra"], "archive" in refused.text("ko"))
"""
    assert environment.run("-c", code, folder=project.parent).stdout == "extra_missing archive True\n"
