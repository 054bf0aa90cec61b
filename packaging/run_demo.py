"""What `make run` starts: the demo engagement in the window or, without a display, its whole way to the report.

python packaging/run_demo.py                a window where there is a display, else the headless way
python packaging/run_demo.py --headless     build, compare, report (ko and en), page pictures
python packaging/run_demo.py --pictures     page pictures only
With --pages NAME ... pictures of these pages alone.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LANGUAGES = ("ko", "en")


@dataclass(frozen=True)
class Demo:
    """The folder that everything is written to."""

    folder: Path
    pages: Sequence[str] = ()
    """The pages to take pictures of; none named are all."""

    @property
    def project(self) -> Path:
        return self.folder / "demo.tune"

    @property
    def pictures(self) -> Path:
        return self.folder / "screenshots"


def say(english: str, korean: str) -> None:
    print(korean if speaks_korean() else english, file=sys.stderr, flush=True)


def speaks_korean() -> bool:
    language = next((value for name in ("LC_ALL", "LC_MESSAGES", "LANG") if (value := os.environ.get(name))), "")
    return language.lower().startswith("ko")


def program(*words: str | Path, output: Path | None = None) -> None:
    """Runs one verb of the command line; its result goes to `output` or to our own stdout."""
    command = [sys.executable, str(ROOT / "main.py"), *map(str, words)]
    if output is None:
        subprocess.run(command, cwd=ROOT, check=True)
        return
    with output.open("wb") as file:
        subprocess.run(command, cwd=ROOT, stdout=file, check=True)


def build_engagement(demo: Demo) -> None:
    """The demo is built aside and then moved, so that an interrupted build is never taken for a whole one."""
    if demo.project.exists():
        return
    aside = demo.folder / "being-built"
    shutil.rmtree(aside, ignore_errors=True)
    aside.mkdir(parents=True)
    say("Building the demo engagement ...", "데모 프로젝트를 만드는 중입니다 ...")
    program("demo", aside / demo.project.name, output=Path(os.devnull))
    (aside / demo.project.name).rename(demo.project)
    shutil.rmtree(aside)


def display_answers() -> bool:
    """Whether a window can be opened; a DISPLAY that is set may still be unreachable."""
    if sys.platform.startswith(("win", "darwin")):
        return True
    if not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        return False
    code = "from PySide6.QtGui import QGuiApplication; QGuiApplication([])"
    probe = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    if probe.returncode != 0:
        reason = probe.stderr.strip()
        say(f"The display cannot be used: {reason}", f"디스플레이를 사용할 수 없습니다: {reason}")
    return probe.returncode == 0


def runs_by_phase(demo: Demo) -> tuple[str, str]:
    """Labels of the run before and the run after."""
    info = demo.folder / "info.json"
    program("info", demo.project, "--json", output=info)
    runs = json.loads(info.read_text(encoding="utf-8"))["runs"]
    labels = {run["phase"]: run["label"] for run in runs}
    return labels["before"], labels["after"]


def write_documents(demo: Demo) -> list[Path]:
    """The reports come first: they open the demo to write, which brings one of an earlier version up to date."""
    written = []
    for language in LANGUAGES:
        pdf, xlsx = demo.folder / f"report-{language}.pdf", demo.folder / f"report-{language}.xlsx"
        program("report", demo.project, "--pdf", pdf, "--xlsx", xlsx, "--lang", language)
        written += [pdf, xlsx]
    before, after = runs_by_phase(demo)
    comparison = demo.folder / "compare.json"
    program("compare", demo.project, "--before", before, "--after", after, "--json", output=comparison)
    return [comparison, *written]


def take_pictures(demo: Demo) -> list[Path]:
    command = [sys.executable, str(ROOT / "packaging" / "screenshots.py"), str(demo.project), str(demo.pictures)]
    command += demo.pages
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    subprocess.run(command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, check=True)
    return sorted(demo.pictures.glob("*.png"))


def go_headless(demo: Demo) -> None:
    documents = write_documents(demo)
    program("check", demo.project)
    say("Taking pictures of the pages ...", "화면을 캡처하는 중입니다 ...")
    pictures = take_pictures(demo)
    say("\nThe demo went the whole way without a display:", "\n디스플레이 없이 데모 전 과정을 실행했습니다:")
    for path in [demo.project, *documents]:
        print(f"  {shown(path)}  ({path.stat().st_size / 1e6:.1f} MB)")
    print(f"  {shown(demo.pictures)}/  ({len(pictures)} PNG)")


def shown(path: Path) -> str:
    return os.path.relpath(path)


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--headless", action="store_true")
    parser.add_argument("--pictures", action="store_true")
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "demo")
    parser.add_argument("--pages", nargs="+", default=())
    args = parser.parse_args(words)
    demo = Demo(args.folder, args.pages)
    build_engagement(demo)
    if args.pictures:
        take_pictures(demo)
        print(shown(demo.pictures))
    elif args.headless or not display_answers():
        go_headless(demo)
    else:
        program(demo.project)
    return 0


if __name__ == "__main__":
    try:
        raise SystemExit(main())
    except subprocess.CalledProcessError as error:
        # The verb itself has said why.
        raise SystemExit(error.returncode) from None
    except KeyboardInterrupt:
        raise SystemExit(130) from None
