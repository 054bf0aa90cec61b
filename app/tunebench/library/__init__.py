"""What `import tunebench` gives: the program's engine for notebooks and scripts, see `README.md`."""

from tunebench.library.archive import Archive, Table, open_archive
from tunebench.library.comparison import Comparison, Diagnosis
from tunebench.library.importing import Imported
from tunebench.library.merging import Merge, merge
from tunebench.library.project import Project, create, open  # noqa: A004  read as tunebench.open
from tunebench.library.refusing import Refused
from tunebench.library.series import Series
from tunebench.library.versions import fingerprint

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
