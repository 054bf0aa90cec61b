#!/usr/bin/env bash
# Makes TuneBench runnable from its folder on a bare Debian 12: system packages (as root), .venv, pinned libraries.
#
#   packaging/setup.sh run     what the program needs
#   packaging/setup.sh test    what the tests and checks need beside it
#   packaging/setup.sh cluster what other machines and S3-like stores need beside it
#   packaging/setup.sh scanner the compiled reader of captures alone
#
# A second call finds everything in place and returns at once. Reads nothing from the keyboard.
set -euo pipefail

purpose=${1:-run}
cd "$(dirname "$0")/.."

# Qt cannot start without these, not even off screen.
qt_packages=(libegl1 libgl1 libopengl0 libxkbcommon0 libdbus-1-3 libfontconfig1 libglib2.0-0)
# A window on X11 needs these beside them.
window_packages=(libxkbcommon-x11-0 libx11-xcb1 libxcb-cursor0 libxcb-icccm4 libxcb-image0 libxcb-keysyms1
    libxcb-randr0 libxcb-render-util0 libxcb-shape0 libxcb-xinerama0 libxcb-xkb1 libwayland-cursor0)
# Reports and charts bring their own Korean font; this one serves the rest of the window.
comfort_packages=(fonts-nanum)
# Large text captures are read by a scanner that is compiled here; without a compiler a plain one reads, slower.
compiler_packages=(gcc libc6-dev)
# The tests look at PDF pages and drive a real window. Tests whose tool is absent say so and are skipped.
test_packages=(xvfb xauth xdotool openbox poppler-utils qpdf)
# A real SSH server, the tools that it captures, shells and a firewall for the faults.
test_packages+=(openssh-server openssh-client sysstat procps iproute2 iptables net-tools time
    dash ksh93u+m mksh tcsh yash posh busybox)
# PostgreSQL with pgbench; the tests start a cluster of their own and touch no other.
test_packages+=(postgresql)
# R computes the reference values of the statistics again.
test_packages+=(r-base-core)
# MariaDB with a load generator, likewise; what loads disks.
test_packages+=(mariadb-server sysbench fio)

say() { # English, Korean
    case "${LC_ALL:-${LC_MESSAGES:-${LANG:-}}}" in
        ko*) printf 'TuneBench: %s\n' "$2" >&2 ;;
        *) printf 'TuneBench: %s\n' "$1" >&2 ;;
    esac
}

# --- the compiled scanner --------------------------------------------------------------------------------------
# Named by its source, so that a changed one is built anew and an old one never loaded. Without a compiler the plain one
# reads, slower.
compile_scanner() {
    local source=app/tunebench/sdk/scanning/scan.c hash library
    command -v cc >/dev/null || return 0
    hash=$(sha256sum <"$source")
    library=build/compiled/scan-${hash:0:16}.so
    [ -e "$library" ] && return 0
    mkdir -p build/compiled || return 0
    if cc -O3 -std=c99 -fPIC -shared -o "$library.$$" "$source" 2>"$library.$$.log"; then
        mv -f "$library.$$" "$library"
    else
        say "the fast reader of captures could not be compiled; the plain one reads" \
            "측정 파일을 빠르게 읽는 모듈을 컴파일하지 못했습니다. 기본 모듈로 읽습니다"
    fi
    rm -f "$library.$$" "$library.$$.log"
}
if [ "$purpose" = scanner ]; then
    compile_scanner
    exit
fi

new_enough() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; }

find_python() {
    local name
    for name in ${PYTHON:-} python3 python3.13 python3.12 python3.11 /usr/bin/python3; do
        if command -v "$name" >/dev/null && new_enough "$name"; then
            command -v "$name"
            return
        fi
    done
    say "Python 3.11 or newer is needed and was not found. Install it (Debian 12: apt-get install python3) or name it: make run PYTHON=/path/to/python3" \
        "Python 3.11 이상이 필요하지만 찾지 못했습니다. 설치하거나(Debian 12: apt-get install python3) 경로를 지정하십시오: make run PYTHON=/path/to/python3"
    exit 3
}

python=$(find_python)

# --- system packages -------------------------------------------------------------------------------------------
installed() { [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

missing_of() {
    local package
    for package in "$@"; do
        installed "$package" || printf '%s ' "$package"
    done
}

venv_packages=()
if ! "$python" -c 'import ensurepip, venv' 2>/dev/null; then
    # Debian splits venv off; ca-certificates is what its pip trusts.
    venv_packages=(python3-venv ca-certificates)
fi

# Debian starts the servers that it installs; the tests need their programs only. Answers of this file: see
# invoke-rc.d(8). A policy that the machine has already stays as it is.
policy=/usr/sbin/policy-rc.d
no_services() {
    [ -e "$policy" ] && return
    printf '#!/bin/sh\nexit 101\n' >"$policy" && chmod 755 "$policy"
    trap 'rm -f "$policy"' EXIT
}

install_packages() {
    say "installing Debian packages: $*" "Debian 패키지를 설치합니다: $*"
    local log
    log=$(mktemp)
    export DEBIAN_FRONTEND=noninteractive
    # A stale third-party list must not stop the set-up; a package that is really missing stops the next line.
    apt-get update -qq </dev/null >"$log" 2>&1 || true
    if ! apt-get install -y -qq --no-install-recommends "$@" </dev/null >>"$log" 2>&1; then
        cat "$log" >&2
        say "the Debian packages could not be installed; apt-get's own words are above" \
            "Debian 패키지를 설치하지 못했습니다. 위의 apt-get 메시지를 확인하십시오"
        exit 3
    fi
    rm -f "$log"
}

check_system_packages() {
    local needed wished
    needed=$(missing_of "${venv_packages[@]}" "${qt_packages[@]}")
    wished=$(missing_of "${comfort_packages[@]}" "${compiler_packages[@]}")
    if [ -n "${DISPLAY:-}" ]; then
        needed+=$(missing_of "${window_packages[@]}")
    else
        wished+=$(missing_of "${window_packages[@]}")
    fi
    [ "$purpose" = test ] && wished+=$(missing_of "${test_packages[@]}")
    [ -z "$needed$wished" ] && return
    if [ "$(id -u)" = 0 ]; then
        [ "$purpose" = test ] && no_services
        # shellcheck disable=SC2086
        install_packages $needed $wished
        return
    fi
    say "Debian packages are missing. Paste this line, then run make again:" \
        "Debian 패키지가 없습니다. 아래 줄을 실행한 뒤 make를 다시 실행하십시오:"
    printf '  sudo apt-get update && sudo apt-get install -y --no-install-recommends %s\n' "$needed$wished" >&2
    [ -z "$needed" ] || exit 3
}

if command -v dpkg-query >/dev/null; then
    check_system_packages
elif ! "$python" -c 'import ensurepip, venv' 2>/dev/null; then
    say "this Python has no venv module; install it with your system's package tool" \
        "이 Python에는 venv 모듈이 없습니다. 시스템의 패키지 도구로 설치하십시오"
    exit 3
fi

compile_scanner

# --- the tables that a start reads -----------------------------------------------------------------------------
# The program keeps them itself where it may write here; where it may not, this is when they are parsed.
keep_tables() {
    local kept=build/compiled/tables.marshal
    [ -e "$kept" ] && [ -z "$(find resources/metrics plugins -name '*.toml' -newer "$kept")" ] && return
    PYTHONPATH=app .venv/bin/python -m tunebench.core.toml_texts
}

# --- Python libraries ------------------------------------------------------------------------------------------
# Locked with the digests of their files (`make lock`): what comes is what was tried, from wherever it comes.
requirements=(requirements.txt)
[ "$purpose" = test ] && requirements+=(requirements-dev.txt)
[ "$purpose" = cluster ] && requirements+=(packaging/requirements/cluster.txt)

fingerprint() {
    { "$python" -c 'import sys; print(sys.version, sys.base_prefix)'; cat "${requirements[@]}"; } | sha256sum
}

stamp=.venv/set-up-for-$purpose
wanted=$(fingerprint)
if [ -x .venv/bin/python ] && [ "$(cat "$stamp" 2>/dev/null)" = "$wanted" ]; then
    keep_tables
    exit 0
fi

same_python() { [ "$(.venv/bin/python -V 2>/dev/null)" = "$("$python" -V)" ]; }

if ! same_python; then
    say "creating .venv with $("$python" -V)" ".venv를 만듭니다 ($("$python" -V))"
    rm -rf .venv
    "$python" -m venv .venv
fi
say "installing the libraries of ${requirements[*]}" "${requirements[*]}의 라이브러리를 설치합니다"
if ! .venv/bin/python -m pip install --quiet --no-input --disable-pip-version-check --prefer-binary \
    --require-hashes "${requirements[@]/#/--requirement=}" </dev/null; then
    say "the Python libraries could not be installed; pip's own words are above. Is the network reachable, and is each file the one whose digest is locked?" \
        "Python 라이브러리를 설치하지 못했습니다. 위의 pip 메시지와 네트워크 연결, 파일의 해시가 고정된 값과 같은지 확인하십시오"
    exit 3
fi
.venv/bin/python -m pip check --disable-pip-version-check >/dev/null || {
    .venv/bin/python -m pip check >&2
    exit 3
}
printf '%s\n' "$wanted" >"$stamp"
keep_tables
command -v cc >/dev/null || say "there is no C compiler (Debian: gcc libc6-dev): large text captures are read more slowly, with the same result" \
    "C 컴파일러가 없습니다(Debian: gcc libc6-dev). 큰 텍스트 측정 파일을 더 느리게 읽지만 결과는 같습니다"
