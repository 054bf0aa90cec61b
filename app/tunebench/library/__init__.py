"""What `import tunebench` gives: the program's engine for notebooks and scripts, see `README.md`."""

from tunebench.library.comparison import Comparison, Diagnosis
from tunebench.library.importing import Imported
from tunebench.library.project import Project, create, open  # noqa: A004  read as tunebench.open
from tunebench.library.refusing import Refused
from tunebench.library.series import Series

__all__ = ["Comparison", "Diagnosis", "Imported", "Project", "Refused", "Series", "create", "open"]
