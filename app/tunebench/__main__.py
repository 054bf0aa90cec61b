"""`python -m tunebench`: the same as the command `tunebench`."""

from tunebench.bootstrap import main

raise SystemExit(main())
