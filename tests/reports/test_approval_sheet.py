"""The sheet an administrator signs: complete, to the letter, readable in both languages and for many hosts."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from tests.unit.capture.plan_cases import host, plan
from tunebench.capture.planning import ProbeChoice
from tunebench.core.messages import LANGUAGES
from tunebench.domain.capturing.plan import CaptureMode, CapturePlan, Schedule, ScheduleKind
from tunebench.domain.engagement import Engagement
from tunebench.domain.visible_text import display_width
from tunebench.reporting.document import CommandLine, Cover, Table
from tunebench.reporting.pdf.command import broken
from tunebench.reporting.pdf.fonts import CODE, register, width
from tunebench.reporting.pdf.writing import pdf_bytes
from tunebench.reporting.plain_text import plain_text
from tunebench.usecases.capturing import approval_sheets

needs_poppler = pytest.mark.skipif(shutil.which("pdftotext") is None, reason="poppler-utils is not installed")

ENGAGEMENT = Engagement("상담 시스템 DB 튜닝", "OOO 은행", "본점 전산센터", "Goodus", ("홍길동", "김튜닝"))


@cache
def small_plan() -> CapturePlan:
    """One production host with everything that deserves a remark."""
    special = host(colour="production", weak_algorithms=("ssh-rsa", "aes128-cbc"), jump=("ops@bastion:22",))
    return plan(
        "linux.vmstat",
        "linux.free",
        "linux.lsblk",
        "linux.dmidecode",
        "linux.sa_files",
        ProbeChoice("generic.timed", {"command": ("nm /dev/ksyms | sort -k 3  > /dev/null",)}),
        hosts=(special,),
    )


@cache
def large_plan(hosts: int = 100) -> CapturePlan:
    """All hosts but the last with the same commands."""
    names = tuple(host(f"web{number:03}") for number in range(1, hosts)) + (host("db01", user="oracle", os="aix"),)
    timed = ProbeChoice("generic.timed", {"command": ("true",)})
    return plan(timed, hosts=names, duration_s=7200.0, schedule=Schedule(ScheduleKind.EVERY, "", 86_400, 3))


def _text(found: CapturePlan, language: str) -> str:
    return approval_sheets.as_text(found, language, ENGAGEMENT)


# -- complete --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_text_holds_every_command_whole_on_a_line_of_its_own(language: str) -> None:
    lines = _text(small_plan(), language).splitlines()
    for command in small_plan().commands:
        assert command.verbatim in lines, command.id
    assert small_plan().commands[0].stop_by_hand in lines


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_text_says_who_where_when_and_what_for(language: str) -> None:
    text = _text(small_plan(), language)
    for fact in (
        small_plan().digest,
        "OOO 은행",
        "본점 전산센터",
        "홍길동, 김튜닝",
        "db01",
        "db01.example:22",
        "perf",
        "ops@bastion:22",
        "ssh-rsa, aes128-cbc",
        "capa1b2c3d4",
        "Asia/Seoul",
        "before 1",
        "/var/log/sysstat/sa21",
        "perf ALL=(root) NOPASSWD: /usr/sbin/dmidecode -t memory\\,cache",
    ):
        assert fact in text, fact
    for command in small_plan().commands:
        assert command.purpose(language) in text
    sentences = [line for line in text.splitlines() if not line.startswith(("exec ", "sh -c "))]
    assert not [line for line in sentences if "⟨" in line or re.search(r"\{[a-z_]+\}", line)]


@pytest.mark.parametrize("language", LANGUAGES)
def test_as_text_needs_no_engagement(language: str) -> None:
    text = approval_sheets.as_text(small_plan(), language)
    assert small_plan().digest in text and "⟨" not in text


@pytest.mark.parametrize(("mode", "ko"), [(CaptureMode.LIVE, "통신 두절"), (CaptureMode.OFFLINE, "Ctrl+C")])
def test_what_happens_without_a_connection_is_that_of_the_mode(mode: CaptureMode, ko: str) -> None:
    assert ko in _text(replace(small_plan(), mode=mode), "ko")


def test_the_statement_stands_with_the_signatures_on_the_first_page() -> None:
    document = approval_sheets.document(small_plan(), "en", ENGAGEMENT)
    cover = document.blocks[0]
    assert isinstance(cover, Cover)
    assert cover.sign_boxes == ("Customer’s administrator", "Customer’s owner", "Consultant")
    assert cover.sign_lines == ("Name", "Date", "Signature")
    assert ("SHA-256", small_plan().digest) in cover.control
    assert "Only the commands printed in this sheet are run" in cover.notice


def test_a_changed_plan_makes_another_sheet() -> None:
    other = replace(small_plan(), interval_s=2.0)
    assert _text(other, "ko") != _text(small_plan(), "ko")
    assert small_plan().digest not in _text(other, "ko")


# -- many hosts ------------------------------------------------------------------------------------------


def test_hosts_with_the_same_commands_are_grouped() -> None:
    document = approval_sheets.document(large_plan(), "ko", ENGAGEMENT)
    hosts = next(block for block in document.blocks if isinstance(block, Table))
    assert len(hosts.rows) == 100
    assert [row[-1].text for row in hosts.rows] == ["A"] * 99 + ["B"]
    lines = [block for block in document.blocks if isinstance(block, CommandLine)]
    first, last = large_plan().on("web001"), large_plan().on("db01")
    shown = [block.text for block in lines if block.text.startswith("exec")]
    assert sorted(shown) == sorted(
        command.verbatim for command in (*first, *last) if command.verbatim.startswith("exec")
    )


def test_a_grouped_sheet_says_exactly_how_the_other_lines_differ() -> None:
    text = " ".join(_text(large_plan(), "en").split())
    assert "in place of “web001/” (for example “web002/”)" in text
    assert all(f"web{number:03}" in text for number in range(1, 100))
    for one, other in zip(large_plan().on("web001"), large_plan().on("web057"), strict=True):
        assert one.verbatim.replace("web001/", "web057/") == other.verbatim


@needs_poppler
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_hundred_hosts_stay_a_readable_sheet(language: str) -> None:
    assert pdf_bytes(approval_sheets.document(large_plan(), language, ENGAGEMENT), strict=True).pages <= 16


# -- the file --------------------------------------------------------------------------------------------


def _pdf(folder: Path, found: CapturePlan, language: str) -> Path:
    return approval_sheets.write_pdf(found, language, folder / f"sheet-{language}.pdf", ENGAGEMENT)


def _printed(path: Path, how: str) -> str:
    tool = subprocess.run(["pdftotext", how, str(path), "-"], check=True, capture_output=True, text=True, timeout=60)
    return tool.stdout


@needs_poppler
@pytest.mark.parametrize("language", LANGUAGES)
def test_no_character_of_a_command_is_lost_in_print(tmp_path: Path, language: str) -> None:
    path = _pdf(tmp_path, small_plan(), language)
    printed = "".join(line.rstrip("\f") for line in _printed(path, "-raw").split("\n"))
    for command in small_plan().commands:
        assert command.verbatim.replace("  ", " ") in printed.replace("  ", " "), command.id


@needs_poppler
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_page_has_content_and_a_number(tmp_path: Path, language: str) -> None:
    path = _pdf(tmp_path, small_plan(), language)
    pages = _printed(path, "-layout").split("\f")[:-1]
    for number, page in enumerate(pages[1:], 2):
        assert len(page.split()) > 30, f"page {number} is nearly empty"
        footer = page.rstrip().splitlines()[-1].replace(" ", "")
        assert footer.endswith((f"{number}/{len(pages)}", f"page{number}of{len(pages)}"))


def test_equal_plans_give_equal_files(tmp_path: Path) -> None:
    first, second = (approval_sheets.write_pdf(small_plan(), "ko", tmp_path / name) for name in ("a.pdf", "b.pdf"))
    assert first.read_bytes() == second.read_bytes()


# -- blocks ----------------------------------------------------------------------------------------------


def test_long_lines_break_only_where_nothing_is_lost() -> None:
    register()
    line = "exec nice -n 5 sh -c 'a  b   c' " + "가나다 라마바 " * 40 + "x" * 300
    for room in (60.0, 200.0, 480.0):
        pieces = broken(line, room)
        assert "".join(pieces) == line
        assert all(width(piece, CODE, 7.6) <= room for piece in pieces)
        assert not any(piece[0].isspace() or piece[-1].isspace() for piece in pieces[:-1])


def test_text_tables_count_hangul_as_two_columns() -> None:
    assert display_width("가a") == 3
    lines = plain_text(approval_sheets.document(small_plan(), "ko")).splitlines()
    rule = next(place for place, line in enumerate(lines) if line.startswith("-  --"))
    assert display_width(lines[rule - 1]) <= display_width(lines[rule]) <= 100
