from tunebench.library import Comparison as Comparison
from tunebench.library import Diagnosis as Diagnosis
from tunebench.library import Imported as Imported
from tunebench.library import Project as Project
from tunebench.library import Refused as Refused
from tunebench.library import Series as Series
from tunebench.library import create as create
from tunebench.library import open as open  # noqa: A004  read as tunebench.open

__version__: str
__all__ = ["Comparison", "Diagnosis", "Imported", "Project", "Refused", "Series", "create", "open"]
numpy_came_first: bool

def switches() -> dict[str, str]: ...
