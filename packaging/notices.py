"""Third-party notices: what TuneBench ships or installs, under which licence.

python packaging/notices.py                 writes THIRD-PARTY-NOTICES.md from the installed libraries
python packaging/notices.py --texts FOLDER  copies every licence text into FOLDER (for a bundle)
"""

from __future__ import annotations

import re
import shutil
import sys
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LOCKED = ("requirements.txt", "packaging/requirements/cluster.txt")
NOTICES = ROOT / "THIRD-PARTY-NOTICES.md"
LICENCE_FILE = re.compile(r"(^|/)(LICEN[CS]E|COPYING|NOTICE|AUTHORS)[^/]*$", re.IGNORECASE)

HEAD = """\
# Third-party notices

TuneBench runs on the libraries below, beyond one machine with those of `packaging/requirements/cluster.txt`;
`requirements.txt` locks the others, and most bring their licence text in their own
`.dist-info` folder. Qt for Python is used under the LGPL 3.0 (text in `packaging/licences`): its libraries stay
separate files, also in the bundle, so that they can be replaced. This list is written by `packaging/notices.py`.

| Library | Version | Licence |
|---|---|---|
"""
TAIL = """
## Fonts
`resources/fonts` holds NanumGothic, NanumGothic Bold and NanumGothicCoding, copyright NHN Corporation (NAVER), under
the SIL Open Font License 1.1, whose text lies beside them. "Nanum" is a reserved font name: the files are unchanged.
Reports embed subsets of them, which the licence permits.

It also holds Bitstream Vera Sans and its bold, copyright Bitstream, Inc., unchanged, under the licence that lies beside
them: letters of western languages that NanumGothic lacks are drawn from it.
"""


#: Told where a library's own metadata are not here (of other systems) or name no licence (sqlcipher3: its LICENSE).
UNTOLD = {
    "sqlcipher3": "Zlib AND BSD-3-Clause AND Apache-2.0",
    "pywin32-ctypes": "BSD-3-Clause",
    "backports-tarfile": "MIT",
    "importlib-metadata": "Apache-2.0",
    "zipp": "MIT",
}
#: What may be brought along: licences that leave TuneBench under its own. Of alternatives (OR) one is enough.
ALLOWED = re.compile(
    r"(L(esser )?GPL|MIT|BSD|0BSD|Apache|PSF|Python Software|Zlib|CC0|HPND|Unlicense|dependency licenses$)",
    re.IGNORECASE,
)


def pinned() -> dict[str, str]:
    """Names of what the program runs on, alone and beyond one machine, with their versions."""
    locked = "\n".join((ROOT / file).read_text(encoding="utf-8") for file in LOCKED)
    return dict(sorted(re.findall(r"^([\w.-]+)==([^\s;]+)", locked, re.MULTILINE)))


def allowed(licence: str) -> bool:
    """Whether the owner's list allows this licence: each that applies, or one of those to choose from."""
    parts = re.split(r" AND | / |, ", licence)
    return all(any(ALLOWED.match(choice.strip(" ()")) for choice in part.split(" OR ")) for part in parts)


def licence_of(name: str) -> str:
    """The licence as the library's own metadata gives it: expression, classifier, or the first line of its field."""
    try:
        info = metadata.metadata(name)
    except metadata.PackageNotFoundError:
        return UNTOLD[name]
    if "License-Expression" in info:
        return info["License-Expression"]
    classifiers = [c.split(" :: ")[-1] for c in info.get_all("Classifier") or [] if c.startswith("License ::")]
    if classifiers:
        return " / ".join(classifiers)
    return info["License"].strip().splitlines()[0] if "License" in info else UNTOLD[name]


def files_of(name: str) -> list[metadata.PackagePath]:
    """None of a library of another system."""
    try:
        return metadata.files(name) or []
    except metadata.PackageNotFoundError:
        return []


def notices() -> str:
    rows = [f"| {name} | {version} | {licence_of(name)} |" for name, version in pinned().items()]
    return HEAD + "\n".join(rows) + "\n" + TAIL


def copy_texts(folder: Path) -> int:
    """Copies the licence files of every pinned library, and Qt's; gives their number."""
    shutil.copytree(ROOT / "packaging" / "licences", folder / "PySide6_Essentials", dirs_exist_ok=True)
    count = len(list((folder / "PySide6_Essentials").iterdir()))
    for name in pinned():
        for file in files_of(name):
            if LICENCE_FILE.search(str(file)) and ".dist-info" in str(file):
                target = folder / name / Path(str(file)).name
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(str(file.locate()), target)
                count += 1
    return count


def main(words: list[str]) -> int:
    if words[:1] == ["--texts"]:
        print(copy_texts(Path(words[1])))
    else:
        NOTICES.write_text(notices(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
