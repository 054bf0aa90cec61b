"""The Qt front: one window, a rail of pages, two docks. Knows the use cases; nothing below knows it."""

import sys

import PySide6.QtCore  # noqa: F401  it brings what is looked for below

_SWITCHES = sys.modules.get("shibokensupport.feature")
if _SWITCHES is not None:
    # To see who may ask for the spellings of `__feature__`, which nobody does here, PySide reads the source of every
    # module that is imported, and keeps it: a fifth of the time that the window takes to load its pages, and 37 MB.
    vars(_SWITCHES)["_mod_uses_pyside"] = lambda _module: False
