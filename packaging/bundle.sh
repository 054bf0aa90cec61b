#!/usr/bin/env bash
# Builds dist/TuneBench, a folder that runs without Python installed, and packs it. See packaging/README.md.
set -euo pipefail
cd "$(dirname "$0")/.."

# Two builds of one commit are equal: what would tell the hour or the order of a set tells that of the commit.
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct 2>/dev/null || stat -c %Y requirements.txt)
export SOURCE_DATE_EPOCH PYTHONHASHSEED=0

python=$(.venv/bin/python -c 'import sys; print(sys.executable)')
environment() { # folder, requirements...
    [ -x "$1/bin/python" ] || "$python" -m venv "$1"
    "$1/bin/python" -m pip install --quiet --no-input --disable-pip-version-check \
        --require-hashes "${@:2}" </dev/null
}
# Environments of their own: what else lies in .venv would be carried along.
environment build/bundle-venv -r requirements.txt -r packaging/requirements/bundle.txt
environment build/sbom-venv -r packaging/requirements/sbom.txt

PYTHONPATH=app build/bundle-venv/bin/python -m tunebench.core.toml_texts
build/bundle-venv/bin/python -m PyInstaller --noconfirm --clean --log-level WARN \
    --distpath dist --workpath build/pyinstaller packaging/tunebench.spec
cp -r plugins dist/TuneBench/plugins
find dist/TuneBench/plugins -name __pycache__ -prune -exec rm -rf {} +
build/bundle-venv/bin/python packaging/notices.py --texts dist/TuneBench/licences >/dev/null
cp THIRD-PARTY-NOTICES.md LICENSE dist/TuneBench/
build/sbom-venv/bin/cyclonedx-py environment --output-reproducible --of JSON \
    -o dist/TuneBench/sbom.cdx.json build/bundle-venv/bin/python
dist/TuneBench/tunebench --version
du -sh dist/TuneBench

tar --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner -C dist -cf - TuneBench |
    xz -T0 -6 >dist/TuneBench.tar.xz
(cd dist && sha256sum TuneBench.tar.xz | tee TuneBench.tar.xz.sha256)
du -h dist/TuneBench.tar.xz
