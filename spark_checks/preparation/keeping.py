"""Frames that are computed once, for all that builds on them."""

from __future__ import annotations

from spark_checks.frames import Frame


def kept(frame: Frame) -> Frame:
    """Compute a frame once, on its first use, for all that builds on it.

    What follows is planned without the plan behind it, which saves most of the time that a small log takes.
    """
    return frame.kept()
