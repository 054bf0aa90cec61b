"""What ARCHITECTURE.md, SECURITY.md and the page of each room name is there: a page that names what is gone leads nowhere."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from tests.architecture.source_scan import ROOT, sources

ROOMS = sorted(path for path in (ROOT / "app/tunebench").iterdir() if (path / "__init__.py").is_file())
PAGES = [
    ROOT / "ARCHITECTURE.md",
    ROOT / "SECURITY.md",
    ROOT / "resources/docs/changes.md",
    *(room / "README.md" for room in ROOMS),
]
NAME = re.compile(r"[\w./]+(?:/\{en,ko\}[\w./]*)?")
DEFINED = re.compile(r"^ *(?:async )?(?:def|class) (\w+)|^([A-Z_]+)(?:: [^=]+)? = ", re.MULTILINE)


def named(text: str) -> list[str]:
    """Modules, paths, classes, functions and tables in backticks; commands, message keys and TOML are none."""
    prose = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    return [name for name in re.findall(r"`([^`\n]+)`", prose) if NAME.fullmatch(name)]


@cache
def definitions(path: Path) -> frozenset[str]:
    found = DEFINED.findall(path.read_text(encoding="utf-8"))
    return frozenset(name for pair in found for name in pair if name)


@cache
def all_definitions() -> frozenset[str]:
    return frozenset().union(*map(definitions, sources("app", "tests/contract", "tests/ui", "tests/unit")))


def exists(name: str, page: Path) -> bool:
    """A path or a module as seen from the page, from `tunebench` or from a room of the program, or a name defined in `tunebench`."""
    name = name.replace("{en,ko}", "en")
    for folder in (
        page.parent,
        ROOT,
        ROOT / "app",
        ROOT / "app/tunebench",
        ROOT / "app/tunebench/reporting",
        ROOT / "resources/locale/en",
    ):
        for path in (folder / name, folder / name.replace(".", "/"), folder / (name.replace(".", "/") + ".py")):
            if path.exists():
                return True
        module, _, last = name.rpartition(".")
        code = folder / (module.replace(".", "/") + ".py")
        if module and code.is_file() and last in definitions(code):
            return True
    return name in all_definitions()


def missing(page: Path) -> list[str]:
    return [name for name in named(page.read_text(encoding="utf-8")) if not exists(name, page) and name not in SPOKEN]


SPOKEN = {
    "calc", "sadf", "plugin.toml", "tunebench.inventory",  # verbs, tools, files of plug-ins, an id
}  # fmt: skip


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_what_a_page_names_is_there(page: Path) -> None:
    assert len(named(page.read_text(encoding="utf-8"))) >= 3
    assert not missing(page)


def test_architecture_leads_to_each_room() -> None:
    text = PAGES[0].read_text(encoding="utf-8")
    assert [room.name for room in ROOMS if f"](app/tunebench/{room.name}/README.md)" not in text] == []


@pytest.mark.parametrize(
    "gone",
    [
        "app/tunebench/usecases/cycle_approvals.py",
        "ui/cycling",
        "usecases.compare_words",
        "core.zstd.unpacked_by_nobody",
        "HostWalker",
    ],
)
def test_a_name_of_something_gone_is_noticed(gone: str, tmp_path: Path) -> None:
    page = tmp_path / "README.md"
    page.write_text(
        f"See `core` and `{gone}`, not `make lint` nor `report.section.…`.\n```\n`no.such`\n```\n", encoding="utf-8"
    )
    assert missing(page) == [gone]


DOCS = ROOT / "resources" / "docs"


def test_the_page_of_commands_has_every_verb() -> None:
    page = (DOCS / "commands.md").read_text(encoding="utf-8")
    verbs = {path.stem.rstrip("_") for path in (ROOT / "app/tunebench/cli/verbs").glob("[!_]*.py")}
    assert not {verb for verb in verbs if f"main.py {verb} " not in page}


def test_every_decision_is_in_the_index() -> None:
    index = (DOCS / "decisions" / "README.md").read_text(encoding="utf-8")
    numbers = [int(path.stem) for path in sorted((DOCS / "decisions").glob("[0-9]*.md"))]
    assert numbers == list(range(1, len(numbers) + 1))
    for number in numbers:
        title = (DOCS / "decisions" / f"{number:02}.md").read_text(encoding="utf-8").splitlines()[0].partition(". ")[2]
        assert f"* [{number}]({number:02}.md) {title}" in index


def test_what_a_newcomer_reads_takes_ten_minutes() -> None:
    words = [
        len((ROOT / page).read_text(encoding="utf-8").split()) for page in ("README.md", "ARCHITECTURE.md", "STYLE.md")
    ]
    assert sum(words) <= 2_500, words
