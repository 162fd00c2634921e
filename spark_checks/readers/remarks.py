"""Remarks of readers on their inputs, besides records and faults.

They say how captures were joined, what they lack, and what is unfinished in them.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import Enum

from oracle.errors import Place


class Topic(str, Enum):
    """The subject of a remark."""

    JOINED = "joined"
    CUT_PACKETS = "cut packets"
    HIDDEN = "hidden by TLS"


@dataclass(frozen=True, slots=True)
class Remark:
    """A remark about an input file."""

    topic: Topic
    """Its subject."""
    text: str
    """The remark, as a sentence that continues after the file's name."""
    place: Place
    """The file, and the place in it."""

    def to_note(self) -> str:
        """Return the text for a row of the reader; the row has the place too."""
        return json.dumps([self.topic.value, self.text])

    @classmethod
    def from_note(cls, note: str, place: Place) -> Remark:
        """Return the remark of a row."""
        topic, text = json.loads(note)
        return cls(Topic(topic), text, place)


@dataclass(frozen=True, slots=True)
class Begun:
    """A reader's unfinished state at the end of its input."""

    text: str
    """The state, for the reading of later inputs."""
