"""Mails and saved pages give what was attached, byte by byte; other text stays as it is."""

from __future__ import annotations

import quopri
from email.message import EmailMessage
from pathlib import Path

import pytest

from tests.unit.transport.containers.packing import see, zip_bytes
from tunebench.transport.containers.limits import Limits

REPORT = (
    "<html><head><title>AWR Report for DB: ORCL</title></head>\n<body summary=\"a=b\">거래내역 = '강남'</body></html>\n".encode()
    * 40
)


def mail(cte: str = "", body: str = "see the report\n") -> EmailMessage:
    made = EmailMessage()
    made["From"], made["Subject"] = "dba@customer.example", "AWR 리포트"
    made.set_content(body, cte="7bit")
    if cte:
        made.add_attachment(REPORT.decode(), subtype="html", filename="월말 awr.html", cte=cte)
    return made


def put(folder: Path, name: str, data: bytes) -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("encoding", ["quoted-printable", "base64"])
@pytest.mark.parametrize("crlf", [False, True])
def test_an_attachment_is_a_member_under_its_own_name(tmp_path: Path, encoding: str, crlf: bool) -> None:
    data = mail(encoding).as_bytes()
    seen = see(put(tmp_path, "x.eml", data.replace(b"\n", b"\r\n") if crlf else data))
    assert (seen.form, seen.left, set(seen.whole)) == ("mail", {}, {"body.txt", "월말 awr.html"})
    assert seen.whole["월말 awr.html"].replace(b"\r\n", b"\n") == REPORT


def test_a_page_saved_by_a_browser(tmp_path: Path) -> None:
    page = (
        b'From: <Saved by Blink>\r\nMIME-Version: 1.0\r\nContent-Type: multipart/related;\r\n\tboundary="--Multi"\r\n\r\n\r\n----Multi\r\n'
        b"Content-Type: text/html\r\nContent-Transfer-Encoding: quoted-printable\r\nContent-Location: file:///C:/awr%201.html\r\n\r\n"
        + quopri.encodestring(REPORT).replace(b"\n", b"\r\n")
        + b"\r\n----Multi--\r\n"
    )
    seen = see(put(tmp_path, "x.mht", page))
    assert (list(seen.whole), seen.left) == (["awr%201.html"], {})
    assert seen.whole["awr%201.html"].replace(b"\r\n", b"\n").strip() == REPORT.strip()


def test_a_mail_whose_text_is_the_report(tmp_path: Path) -> None:
    head = (
        b"From: a@b.example\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n\n"
    )
    assert see(put(tmp_path, "x.eml", head + quopri.encodestring(REPORT))).whole == {"body.txt": REPORT}


def test_several_mails_in_one_file_and_an_archive_inside(tmp_path: Path) -> None:
    second = mail()
    second.add_attachment(zip_bytes({"sar21": b"one"}), maintype="application", subtype="zip", filename="logs.zip")
    box = b"".join(
        b"From dba@customer.example Fri Nov 20 10:00:00 2026\n" + each.as_bytes() + b"\n"
        for each in (mail("base64"), second)
    )
    seen = see(put(tmp_path, "inbox", box))
    assert (set(seen.whole), seen.left) == ({"1/body.txt", "1/월말 awr.html", "2/body.txt", "2/logs.zip!/sar21"}, {})


def test_parts_with_one_name_are_all_there(tmp_path: Path) -> None:
    made = mail("base64")
    made.add_attachment(b"other", maintype="text", subtype="plain", filename="월말 awr.html")
    assert see(put(tmp_path, "x.eml", made.as_bytes())).whole["월말 awr-2.html"] == b"other"


def test_a_mail_that_breaks_off_gives_what_came_and_says_so(tmp_path: Path) -> None:
    data = mail("quoted-printable").as_bytes()
    seen = see(put(tmp_path, "x.eml", data[: len(data) * 2 // 3]))
    assert seen.whole["월말 awr.html"] and REPORT.startswith(seen.whole["월말 awr.html"][:500])
    assert list(seen.reasons().values()) == ["bundle_damaged"]


def test_a_mail_that_is_too_large_is_named(tmp_path: Path) -> None:
    seen = see(put(tmp_path, "x.eml", mail("base64").as_bytes()), Limits(mail_bytes=1000))
    assert (seen.whole, list(seen.reasons().values())) == ({}, ["member_too_large"])


@pytest.mark.parametrize(
    "text",
    [
        b"From: dba@example.com\nSubject: report\n\n" + REPORT,  # nothing is encoded: the text is there as it was
        REPORT,
        b"Linux 5.10 (host)\t2026-11-20\n\nContent-Type: multipart/mixed\n\n1 2 3\n",
        b"MemTotal: 1 kB\nMemFree: 2 kB\n" * 4000,
    ],
)
def test_other_text_is_a_plain_file(tmp_path: Path, text: bytes) -> None:
    seen = see(put(tmp_path, "x.txt", text))
    assert (seen.form, seen.whole) == ("", {"": text})
