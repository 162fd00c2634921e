"""The replay of a queue manager's calls, one by one: what was allowed, what was observed, and the rules.

Each form of input is a file: `transcript` (requests and replies of the target protocol), `history` (lines of the
notation) and `log` (event logs whose order is certain). Each yields `Replayed` steps, and ends after the first
departure.
"""

from __future__ import annotations

from oracle.replay.forms import Setup, replay
from oracle.replay.steps import Replayed, UndecidedError

__all__ = ["Replayed", "Setup", "UndecidedError", "replay"]
