"""`python -m tunebench`: the same as the command `tunebench`."""

from tunebench.bootstrap import main

if __name__ == "__main__":  # a worker of a cluster begins as a copy of this process, and runs no verb
    raise SystemExit(main())
