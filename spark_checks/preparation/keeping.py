"""Frames that are computed once, for all frames that build on them."""

from __future__ import annotations

from spark_checks.frames import Frame


def kept(frame: Frame) -> Frame:
    """Return a frame that is computed once, on its first use, for all frames that build on it.

    Later frames are planned without its plan, which saves most of the time that a small log takes.
    """
    return frame.kept()
