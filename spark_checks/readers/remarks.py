"""What a reader tells of its input that is no record and no fault of one.

That is how captures were joined, what they lack, and what of them has begun and is not over.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import Enum

from oracle.errors import Place


class Topic(str, Enum):
    """What a remark is about."""

    JOINED = "joined"
    CUT_PACKETS = "cut packets"
    HIDDEN = "hidden by TLS"


@dataclass(frozen=True, slots=True)
class Remark:
    """A remark about an input file."""

    topic: Topic
    """What it is about."""
    text: str
    """The remark, as a sentence that goes on after the file's name."""
    place: Place
    """The file, and the place in it."""

    def to_note(self) -> str:
        """Return what a row of the reader holds of it beside the place."""
        return json.dumps([self.topic.value, self.text])

    @classmethod
    def from_note(cls, note: str, place: Place) -> Remark:
        """Return the remark of a row."""
        topic, text = json.loads(note)
        return cls(Topic(topic), text, place)


@dataclass(frozen=True, slots=True)
class Begun:
    """What a reader has begun when its input ends."""

    text: str
    """What it is, for the reading of what comes after."""
