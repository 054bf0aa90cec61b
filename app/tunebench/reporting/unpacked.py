"""Every part of a document as it can be read by whoever gets it: text of pages, parts of packages, pictures' data."""

from __future__ import annotations

import base64
import re
import zipfile
import zlib
from collections.abc import Iterator
from io import BytesIO

from tunebench.core.patterns import lazy_pattern

_STREAM = lazy_pattern(rb"stream\r?\n(.*?)endstream", re.DOTALL)
_EMBEDDED = lazy_pattern(rb"data:[\w/+.;=-]*;base64,([A-Za-z0-9+/=\s]+)")
_BASE85 = lazy_pattern(rb"[!-uz\s]+~>\s*")
_DEEPEST = 3


def parts_of(data: bytes, name: str, depth: int = 0) -> Iterator[tuple[str, str | bytes]]:
    """Place and content; the bytes as they are come first."""
    yield name, data
    if depth >= _DEEPEST:
        return
    if data.startswith(b"%PDF"):
        yield from _of_pdf(data, name)
    elif data.startswith(b"PK"):
        with zipfile.ZipFile(BytesIO(data)) as package:
            for part in package.namelist():
                yield f"{name}: {part}", part
                yield from parts_of(package.read(part), f"{name}: {part}", depth + 1)
    for number, content in enumerate(_EMBEDDED.findall(data), 1):
        yield from parts_of(base64.b64decode(content), f"{name}: data {number}", depth + 1)


def _of_pdf(data: bytes, name: str) -> Iterator[tuple[str, str | bytes]]:
    import pypdfium2  # not everybody has it who redacts

    from tunebench.reporting.pdf.preview import LOCK

    with LOCK, pypdfium2.PdfDocument(data) as document:
        yield f"{name}: title", "\n".join(map(str, document.get_metadata_dict().values()))
        yield f"{name}: outline", "\n".join(entry.get_title() for entry in document.get_toc())
        pages = [page.get_textpage().get_text_range() for page in document]
    for number, text in enumerate(pages, 1):
        yield f"{name}: {number}", text
    for number, stream in enumerate(_STREAM.findall(data), 1):
        yield f"{name}: stream {number}", _inflated(stream)


def _inflated(stream: bytes) -> bytes:
    """As it was before ASCII85 and Flate, where it went through them."""
    if _BASE85.fullmatch(stream):
        try:
            stream = base64.a85decode(b"<~" + stream.strip(), adobe=True)
        except ValueError:
            return stream
    try:
        return zlib.decompressobj().decompress(stream)
    except zlib.error:
        return stream
