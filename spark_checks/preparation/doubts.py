"""Doubts: ways in which a conforming queue manager could have produced a log that looks wrong."""

from __future__ import annotations

from dataclasses import dataclass

from spark_checks.frames import Column


@dataclass(frozen=True)
class Doubt:
    """When `applies`, the log has an innocent explanation: `unless` completes "... unless".

    A null condition counts as doubt: what is not known is not excluded.
    """

    applies: Column
    unless: str
