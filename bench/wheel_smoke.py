"""Smoke test of the wheel, built as in the Dockerfile, on the oldest and the newest Python at hand.

    python -m bench.wheel_smoke            # oldest and newest of 3.10 to 3.14 on PATH or in pyenv
    python -m bench.wheel_smoke --all      # all of them

The wheel is built only from the files that the Dockerfile copies. Each Python gets a new environment with the wheel and
its extra `audit`, and the commands run in an empty directory. The exit status is 1 if a command ends with an unexpected
status.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]

_VERSIONS: Final = ((3, 10), (3, 11), (3, 12), (3, 13), (3, 14))
_TIME_LIMIT_S: Final = 900

_COMMANDS: Final = (
    ("mq-oracle", "--version"),
    ("mq-oracle", "rules", "LCK-12"),
    ("mq-oracle", "check", "one.mqhistory"),
    ("mq-conform", "doctor", "--target", "mq-oracle serve", "--json"),
    ("mq-conform", "run", "--target", "mq-oracle serve", "--select", "LCK", "--budget", "quick", "--html", "page.html"),
    ("mq-audit", "demo"),
    ("mq-audit", "inspect", "mq-audit-demo/day.jsonl"),
    ("mq-audit", "run", "mq-audit-demo/day.jsonl", "--out", "report", "--fail-on", "never", "--json"),
    (
        "python",
        "-c",
        "import oracle.testing as t; qm = t.queue_manager(['Q']).__enter__(); qm.put('Q', b'x'); qm.get('Q')",
    ),
)
_HISTORY: Final = "h = open Q INPUT_SHARED+OUTPUT\nput h m1\nget h -> m1\n"


def interpreters() -> dict[tuple[int, int], str]:
    """Return the Pythons at hand, by version, without those of virtual environments."""
    found: dict[tuple[int, int], str] = {}
    for version in _VERSIONS:
        name = f"python{version[0]}.{version[1]}"
        places = [shutil.which(name), *sorted((Path.home() / ".pyenv" / "versions").glob(f"*/bin/{name}"))]
        for place in places:
            if place is not None and _runs(str(place), version):
                found[version] = str(place)
                break
    return found


def _runs(place: str, version: tuple[int, int]) -> bool:
    ask = "import ensurepip, sys, venv; print(*sys.version_info[:2])"
    try:
        done = subprocess.run(  # a Python of this machine
            [place, "-c", ask], capture_output=True, text=True, timeout=60, check=False
        )
    except OSError:
        return False
    return done.stdout.split() == [str(part) for part in version]


def copied_by_the_dockerfile() -> list[str]:
    """Return the files that the image's first stage copies from the checkout."""
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8").partition("RUN")[0]
    lines = re.findall(r"^COPY (.+) \S+$", text, re.MULTILINE)
    return [name for line in lines for name in line.split()]


def build(python: str, folder: Path) -> Path:
    """Build the wheel in a folder, and return it."""
    source = folder / "src"
    source.mkdir()
    for name in copied_by_the_dockerfile():
        origin = ROOT / name
        if origin.is_dir():
            shutil.copytree(origin, source / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(origin, source / name)
    _carry_out([python, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(folder), "."], source)
    (wheel,) = folder.glob("*.whl")
    return wheel


def smoke(python: str, wheel: Path, folder: Path) -> None:
    """Install the wheel into a new environment, and run the commands in an empty directory."""
    room, empty = folder / "venv", folder / "empty"
    empty.mkdir(parents=True)
    (empty / "one.mqhistory").write_text(_HISTORY, encoding="utf-8")
    _carry_out([python, "-m", "venv", str(room)], folder)
    _carry_out([str(room / "bin" / "pip"), "install", "--quiet", f"{wheel}[audit]"], folder)
    for command in _COMMANDS:
        _carry_out([str(room / "bin" / command[0]), *command[1:]], empty, first=room / "bin")


def _carry_out(command: Sequence[str], folder: Path, first: Path | None = None) -> None:
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    if first is not None:
        environment["PATH"] = f"{first}{os.pathsep}{environment['PATH']}"
    done = subprocess.run(  # the project's own programs, and pip
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=_TIME_LIMIT_S, check=False
    )
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)}: exit status {done.returncode}\n{done.stdout}{done.stderr}")


def main(arguments: Sequence[str]) -> int:
    """Try the wheel, and print the Pythons."""
    found = interpreters()
    if not found:
        raise SystemExit("there is no Python with venv at hand")
    versions = sorted(found)
    chosen = versions if "--all" in arguments else [versions[0], *versions[1:][-1:]]
    with tempfile.TemporaryDirectory(prefix="mqoracle-wheel-") as room:
        wheel = build(found[versions[-1]], Path(room))
        for version in chosen:
            smoke(found[version], wheel, Path(room) / f"{version[0]}.{version[1]}")
            sys.stdout.write(f"{wheel.name} works on CPython {version[0]}.{version[1]} ({found[version]})\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
