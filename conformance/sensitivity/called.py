"""The functions that are called in a block: which parts of the model a check reaches."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import CodeType, FrameType


@contextmanager
def calls_noted(note: Callable[[CodeType], None]) -> Iterator[None]:
    """Pass the code of each Python function that is called in the block to `note`."""

    def profile(frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            note(frame.f_code)

    sys.setprofile(profile)
    try:
        yield
    finally:
        sys.setprofile(None)
