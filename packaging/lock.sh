#!/usr/bin/env bash
# Works out what the libraries of packaging/requirements/*.in bring along, on every system, with the digest of each file.
# Versions that are locked stay; to raise one, change it in its list or name it: packaging/lock.sh --upgrade-package NAME
set -euo pipefail
cd "$(dirname "$0")/.."

[ -x build/lock-venv/bin/uv ] || {
    python3 -m venv build/lock-venv
    build/lock-venv/bin/python -m pip install --quiet --no-input --disable-pip-version-check uv==0.13.9
}
locked() { # list, output, more
    build/lock-venv/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-annotate \
        --custom-compile-command "make lock" "packaging/requirements/$1" -o "$2" "${@:3}"
}
locked run.in requirements.txt "$@"
locked cluster.in packaging/requirements/cluster.txt -c requirements.txt "$@"
locked test.in requirements-dev.txt -c requirements.txt -c packaging/requirements/cluster.txt "$@"
locked bundle.in packaging/requirements/bundle.txt -c requirements.txt "$@"
locked sbom.in packaging/requirements/sbom.txt "$@"
