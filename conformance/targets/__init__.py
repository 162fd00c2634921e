"""The ways to reach an implementation under test: a child process, or a Python object in this process."""

from __future__ import annotations

from conformance.targets.base import Target, TargetEndedError
from conformance.targets.in_process import InProcessTarget, load
from conformance.targets.process import ProcessTarget

__all__ = ["InProcessTarget", "ProcessTarget", "Target", "TargetEndedError", "target_for"]

_PYTHON = "python:"


def target_for(command: str) -> Target:
    """Return the target that `--target` means: `python:package.module:callable`, or else a command line.

    Raises UsageError if the Python object cannot be imported or the command line cannot be read.
    """
    if command.startswith(_PYTHON):
        return InProcessTarget(command, load(command.removeprefix(_PYTHON)))
    return ProcessTarget(command)
