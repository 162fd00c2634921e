"""Doubts: ways in which a conforming queue manager could have produced a log that looks wrong."""

from __future__ import annotations

from dataclasses import dataclass

from spark_checks.frames import Column


@dataclass(frozen=True)
class Doubt:
    """An innocent explanation that may apply."""

    applies: Column
    """The condition under which it may apply. Null counts as true: what is unknown is not excluded."""
    unless: str
    """The explanation in words that complete "... unless"."""


def end_unseen(whole: Column) -> Doubt:
    """Return the doubt that an incomplete log leaves about every unit of work."""
    return Doubt(~whole, "a call that ended the unit of work is not in the log")
