"""The ways to reach an implementation under test: a child process, a Python object in this process, or the MQI."""

from __future__ import annotations

from conformance.mqi.options import TARGET_PREFIX, MqiOptions
from conformance.mqi.target import MqiTarget
from conformance.targets.base import Target
from conformance.targets.in_process import InProcessTarget, load
from conformance.targets.process import ProcessTarget

__all__ = [
    "InProcessTarget",
    "MqiTarget",
    "ProcessTarget",
    "Target",
    "target_for",
]

_PYTHON = "python:"


def target_for(command: str, mqi: MqiOptions | None = None) -> Target:
    """Return the target of a `--target` option: `python:package.module:callable`, `mqi:QM1`, or else a command line.

    `mqi` has the connection to the queue manager. Raises UsageError if the Python object cannot be imported or the
    command line cannot be read.
    """
    if command.startswith(TARGET_PREFIX):
        return MqiTarget(command, mqi)
    if command.startswith(_PYTHON):
        return InProcessTarget(command, load(command.removeprefix(_PYTHON)))
    return ProcessTarget(command)
