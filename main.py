import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "app"))

from tunebench.bootstrap import main

raise SystemExit(main())
