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


def program(*words: str | Path) -> None:
    """Runs one verb of the command line in our place."""
    subprocess.run([sys.executable, str(ROOT / "main.py"), *map(str, words)], cwd=ROOT, check=True)


def answer_of(*words: str | Path) -> str:
    """What one verb prints; its remarks are for those who read the result, and are shown where it fails."""
    command = [sys.executable, str(ROOT / "main.py"), *map(str, words)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", check=False)
    if done.returncode != 0:
        print(done.stdout, done.stderr, sep="\n", file=sys.stderr, flush=True)
        done.check_returncode()
    return done.stdout


def build_engagement(demo: Demo) -> None:
    """The demo is built aside and then moved, so that an interrupted build is never taken for a whole one."""
    if demo.project.exists():
        return
    aside = demo.folder / "being-built"
    shutil.rmtree(aside, ignore_errors=True)
    aside.mkdir(parents=True)
    say("Building the demo engagement ...", "데모 프로젝트를 만드는 중입니다 ...")
    answer_of("demo", aside / demo.project.name)
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


def windows_by_role(demo: Demo) -> tuple[str, str]:
    """Names of the window before and the window after."""
    windows = json.loads(answer_of("window", demo.project, "list", "--json"))
    names = {window["role"]: window["name"] for window in windows}
    return names["before"], names["after"]


def write_documents(demo: Demo) -> list[Path]:
    """The reports come first: they open the demo to write, which brings one of an earlier version up to date."""
    written = []
    for language in LANGUAGES:
        pdf, xlsx = demo.folder / f"report-{language}.pdf", demo.folder / f"report-{language}.xlsx"
        answer_of("report", demo.project, "--pdf", pdf, "--xlsx", xlsx, "--lang", language)
        written += [pdf, xlsx]
    before, after = windows_by_role(demo)
    comparison = demo.folder / "compare.json"
    compared = answer_of("compare", demo.project, "--before", before, "--after", after, "--json")
    comparison.write_text(compared, encoding="utf-8")
    return [comparison, *written]


def take_pictures(demo: Demo) -> list[Path]:
    command = [sys.executable, str(ROOT / "packaging" / "screenshots.py"), str(demo.project), str(demo.pictures)]
    command += demo.pages
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    subprocess.run(command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, check=True)
    return sorted(demo.pictures.glob("*.png"))


def result_sentence(demo: Demo, language: str) -> str:
    """What the first target of the demo's last iteration came to, with its limit and whether that was met."""
    iteration = json.loads(answer_of("cycle", demo.project, "show", "--json"))["iteration"]
    target = min(iteration["targets"], key=lambda each: each["priority"])
    metric = next(each for each in iteration["metrics"] if each["id"] == target["metric_id"])
    standing = target["standing"]
    state = {"met": {"ko": "목표 달성", "en": "target met"}, "missed": {"ko": "목표 미달", "en": "target missed"}}.get(
        standing["state"], {"ko": "판정 보류", "en": "undecided"}
    )[language]
    if standing["descriptive_only"]:
        state += {"ko": " (구간이 하나씩이며 변동은 가정값)", "en": " (one window each, variation assumed)"}[language]
    before, now = (f"{value:.3g}" for value in (target["baseline"]["value"], standing["now"]))
    limit = {"ko": f"목표 {target['value']:g}", "en": f"target {target['value']:g}"}[language]
    return f"{metric['name']}: {before} -> {now} {metric['unit']} ({limit} {metric['unit']}) - {state}"


def go_headless(demo: Demo) -> None:
    say("Writing its comparison and its reports ...", "비교 결과와 보고서를 작성하는 중입니다 ...")
    documents = write_documents(demo)
    say("Checking the project file ...", "프로젝트 파일을 검사하는 중입니다 ...")
    checks = json.loads(answer_of("check", demo.project, "--json"))
    say("Taking pictures of the pages ...", "화면을 캡처하는 중입니다 ...")
    pictures = take_pictures(demo)
    passed = sum(check["state"] == "ok" for check in checks)
    say(
        f"\nResult of the demo engagement: {result_sentence(demo, 'en')}",
        f"\n데모 프로젝트의 결과: {result_sentence(demo, 'ko')}",
    )
    say(
        f"Checks of the project file: {passed} of {len(checks)} passed.",
        f"프로젝트 파일 검사: {len(checks)}건 중 {passed}건 통과.",
    )
    say("What was made:", "만든 파일:")
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
