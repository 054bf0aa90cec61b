"""One word per system, whoever names it, and the name that people read."""

from __future__ import annotations

import pytest

from tunebench.domain.operating_systems import os_name, os_word


@pytest.mark.parametrize(
    ("spelling", "word", "name"),
    [
        ("hpux", "hp-ux", "HP-UX"),
        ("HP-UX", "hp-ux", "HP-UX"),
        ("hp-ux", "hp-ux", "HP-UX"),
        ("SunOS", "sunos", "Solaris"),
        ("solaris", "sunos", "Solaris"),
        ("Linux", "linux", "Linux"),
        ("aix", "aix", "AIX"),
        ("freebsd", "freebsd", "FreeBSD"),
        ("", "", ""),
        ("OSF1", "OSF1", "OSF1"),
    ],
)
def test_every_spelling_is_one_word_and_one_name(spelling, word, name):
    assert os_word(spelling) == word
    assert os_name(spelling) == os_name(word) == name
