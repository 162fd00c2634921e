"""Ctrl-C and SIGTERM while a command is still being imported: status 130 and one line, from the first line on."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from oracle.start import loading

ROOT = Path(__file__).parents[1]
SIGNALLED = """
import os, sys
import {package}.start

imports = [int(each) for each in sys.argv[1:]]
sys.argv[1:] = {arguments}
for n in imports:
    if os.fork() == 0:
        def count(event, arguments):
            global n
            if event == "import":
                n -= 1
                if n == 0:
                    os.kill(os.getpid(), {number})
        sys.addaudithook(count)
        {package}.start.main()
    print(os.waitstatus_to_exitcode(os.wait()[1]), flush=True)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the test forks a process for each moment")
@pytest.mark.parametrize(
    ("package", "arguments", "number", "told"),
    [
        ("oracle", ["rules", "LCK-12"], signal.SIGINT, "mq-oracle: interrupted\n"),
        ("conformance", ["list", "--json"], signal.SIGINT, "mq-conform: interrupted\n"),
        ("conformance", ["list", "--json"], signal.SIGTERM, "mq-conform: interrupted\n"),
        ("spark_checks", ["show", "nowhere", "--finding", "1"], signal.SIGINT, "mq-audit: interrupted\n"),
        ("spark_checks", ["show", "nowhere", "--finding", "1"], signal.SIGTERM, "mq-audit: interrupted\n"),
    ],
)
def test_a_command_that_is_ended_at_its_start_says_so(
    package: str, arguments: list[str], number: signal.Signals, told: str
) -> None:
    """The signal comes with the first import that the command makes, with the second, and so on."""
    code = SIGNALLED.format(package=package, number=number.value, arguments=arguments)
    moments = [1, 2, 3, 5, 10, 30, 100, 200, 300]
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, moments)], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert [line for line in done.stdout.splitlines() if line.lstrip("-").isdecimal()] == ["130"] * len(moments)
    assert done.stderr == told * len(moments)


@pytest.mark.parametrize("package", ["oracle", "conformance", "spark_checks"])
def test_what_begins_a_command_imports_nothing_that_takes_long(package: str) -> None:
    code = f"import sys; before = set(sys.modules); import {package}.start; print(*set(sys.modules) - before)"
    imported = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    ours = {name for name in imported.stdout.split() if name.partition(".")[0] not in sys.stdlib_module_names}
    assert ours == {package, f"{package}.start", "oracle", "oracle.start", "oracle.signals"}


def test_garbage_is_looked_for_again_when_a_command_has_been_imported() -> None:
    with loading():
        assert not gc.isenabled()
    assert gc.isenabled()
    with pytest.raises(ImportError), loading():
        raise ImportError
    assert gc.isenabled()


def test_ctrl_c_stays_ignored_where_a_shell_has_it_ignored() -> None:
    """As for a command that a script runs in the background."""
    code = (
        "import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_IGN); from oracle.start import main;"
        "sys.addaudithook(lambda event, _: event == 'import' and os.kill(os.getpid(), signal.SIGINT));"
        "sys.argv[1:] = ['rules', 'LCK-12', '--json']; main()"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert '"id": "LCK-12"' in done.stdout
