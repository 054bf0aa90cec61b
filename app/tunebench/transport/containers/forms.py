"""What sort of container some bytes are, told by the bytes and not by the name."""

from __future__ import annotations

from tunebench.transport.containers import compressed, mail, tar, zip  # noqa: A004 - a module, not the builtin

_FOREIGN = {
    b"Rar!\x1a\x07": "RAR", b"7z\xbc\xaf\x27\x1c": "7-Zip", b"ALZ\x01": "ALZip", b"EGGA": "EGG",
    b"\x1f\x9d": "compress (.Z)", b"\x1f\xa0": "compress (.Z)", b"LZIP": "lzip", b"\x89LZO\x00": "lzop",
    b"\x04\x22\x4d\x18": "LZ4", b"MSCF\x00\x00\x00\x00": "CAB", b"070701": "cpio", b"070702": "cpio",
    b"070707": "cpio", b"\xc7\x71": "cpio",
}  # fmt: skip
"""Archives that are named in the refusal instead of being called binary."""
_DOCUMENTS = (".xlsx", ".xlsm", ".docx", ".pptx", ".odt", ".ods", ".odp", ".jar", ".war", ".ear", ".hwpx", ".whl")
"""Zip files that nobody means as an archive."""
_SHORT_NAMES = {".tgz": ".tar", ".tbz": ".tar", ".tbz2": ".tar", ".txz": ".tar", ".tzst": ".tar"}


def form_of(head: bytes, name: str) -> str:
    """``zip``, ``tar``, ``mail``, a compressed form; ``?`` and its kind for what cannot be read; empty for a file."""
    for form, (magic, *_) in compressed.FORMS.items():
        if head.startswith(magic) and (form != "bz2" or head[4:10] == b"1AY&SY"):
            return form
    if head.startswith(zip.MAGIC):
        return "" if name.lower().endswith(_DOCUMENTS) else "zip"
    if tar.looks_like_tar(head):
        return "tar"
    if mail.looks_like_mail(head):
        return "mail"
    return next((f"?{kind}" for magic, kind in _FOREIGN.items() if head.startswith(magic)), "")


def name_inside(name: str, form: str) -> str:
    """The name that a compressed file had before."""
    lower = name.lower()
    for short, whole in _SHORT_NAMES.items():
        if lower.endswith(short):
            return name[: -len(short)] + whole
    suffix = f".{form}"
    return name[: -len(suffix)] if lower.endswith(suffix) and len(name) > len(suffix) else name
