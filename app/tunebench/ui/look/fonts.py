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
    installed = set(QFontDatabase.families())
    present = tuple(name for name in KOREAN_FAMILIES if name in installed)
    return present or ("sans-serif",)


@cache
def code_families() -> tuple[str, ...]:
    installed = set(QFontDatabase.families())
    return tuple(name for name in CODE_FAMILIES if name in installed) or ("monospace",)


def font(size_px: int = BODY_PX, bold: bool = False) -> QFont:
    face = QFont()
    face.setFamilies(list(families()))
    face.setPixelSize(size_px)
    face.setBold(bold)
    face.setFeature(QFont.Tag("tnum"), 1)
    return face


def code_font(size_px: int = 12) -> QFont:
    """The font for lines of a capture: every character equally wide."""
    face = QFont()
    face.setFamilies([*code_families(), *families()])
    face.setPixelSize(size_px)
    face.setStyleHint(QFont.StyleHint.Monospace)
    return face
