#!/usr/bin/env bash
# Builds dist/TuneBench, a folder that runs without Python installed. See packaging/README.md.
set -euo pipefail
cd "$(dirname "$0")/.."

# A virtual environment of its own: what else lies in .venv would be carried along.
python=$(.venv/bin/python -c 'import sys; print(sys.executable)')
[ -x build/bundle-venv/bin/python ] || "$python" -m venv build/bundle-venv
build/bundle-venv/bin/python -m pip install --quiet --no-input --disable-pip-version-check \
    -r requirements.txt -r packaging/requirements-bundle.txt </dev/null
build/bundle-venv/bin/python -m PyInstaller --noconfirm --log-level WARN \
    --distpath dist --workpath build/pyinstaller packaging/tunebench.spec
cp -r plugins dist/TuneBench/plugins
find dist/TuneBench/plugins -name __pycache__ -prune -exec rm -rf {} +
build/bundle-venv/bin/python packaging/notices.py --texts dist/TuneBench/licences >/dev/null
cp THIRD-PARTY-NOTICES.md dist/TuneBench/
dist/TuneBench/tunebench --version
du -sh dist/TuneBench
