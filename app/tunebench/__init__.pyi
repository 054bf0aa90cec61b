from tunebench.library import Archive as Archive
from tunebench.library import Comparison as Comparison
from tunebench.library import Diagnosis as Diagnosis
from tunebench.library import Imported as Imported
from tunebench.library import Merge as Merge
from tunebench.library import Project as Project
from tunebench.library import Refused as Refused
from tunebench.library import Series as Series
from tunebench.library import Table as Table
from tunebench.library import create as create
from tunebench.library import fingerprint as fingerprint
from tunebench.library import merge as merge
from tunebench.library import open as open  # noqa: A004  read as tunebench.open
from tunebench.library import open_archive as open_archive

__version__: str
__all__ = [
    "Archive",
    "Comparison",
    "Diagnosis",
    "Imported",
    "Merge",
    "Project",
    "Refused",
    "Series",
    "Table",
    "create",
    "fingerprint",
    "merge",
    "open",
    "open_archive",
]
numpy_came_first: bool

def switches() -> dict[str, str]: ...
