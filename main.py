import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "app"))

from tunebench.bootstrap import main

if __name__ == "__main__":  # a worker of a cluster begins as a copy of this process, and runs no verb
    raise SystemExit(main())
