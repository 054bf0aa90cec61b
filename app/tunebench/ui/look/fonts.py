"""Type: one family for Korean and Latin, four sizes, figures of equal width."""

from __future__ import annotations

from functools import cache

from PySide6.QtGui import QFont, QFontDatabase

from tunebench.core.paths import resources_folder

BODY_PX = 13
SMALL_PX = 11
SECTION_PX = 16
TITLE_PX = 20

KOREAN_FAMILIES = (
    "Pretendard",
    "Apple SD Gothic Neo",
    "Malgun Gothic",
    "Noto Sans CJK KR",
    "Noto Sans KR",
    "NanumGothic",
)
CODE_FAMILIES = ("D2Coding", "NanumGothicCoding", "Menlo", "Consolas", "DejaVu Sans Mono", "monospace")


def register_bundled_fonts() -> None:
    """Offer the fonts of `resources/fonts` to Qt, for systems without a Korean face."""
    for path in sorted((resources_folder() / "fonts").glob("*.ttf")):
        QFontDatabase.addApplicationFont(str(path))


@cache
def families() -> tuple[str, ...]:
    """The system's own Korean face first, then the bundled one, then whatever there is."""
    known = set(QFontDatabase.families())
    found = tuple(name for name in KOREAN_FAMILIES if name in known)
    return found or ("sans-serif",)


@cache
def code_families() -> tuple[str, ...]:
    known = set(QFontDatabase.families())
    return tuple(name for name in CODE_FAMILIES if name in known) or ("monospace",)


def font(size_px: int = BODY_PX, bold: bool = False) -> QFont:
    made = QFont()
    made.setFamilies(list(families()))
    made.setPixelSize(size_px)
    made.setBold(bold)
    made.setFeature(QFont.Tag("tnum"), 1)
    return made


def code_font(size_px: int = 12) -> QFont:
    """For lines of a capture: every character equally wide."""
    made = QFont()
    made.setFamilies([*code_families(), *families()])
    made.setPixelSize(size_px)
    made.setStyleHint(QFont.StyleHint.Monospace)
    return made
