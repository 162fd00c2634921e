"""Circumstances: changes that can be made to any history, and under which every rule must still hold.

A scenario shows a rule on a queue with nothing else going on. A circumstance changes such a history: the queue is
reached through an alias, its messages are put while a get waits for them, or all of it is in a unit of work. The model
says what is allowed then. Through an alias, for example:

    h = open Q INPUT_SHARED+OUTPUT         h = open Q.ALIAS INPUT_SHARED+OUTPUT
    put h m1 NO_SYNCPOINT                  put h m1 NO_SYNCPOINT
    get h NO_SYNCPOINT -> m1               get h NO_SYNCPOINT

Each is a function from history to history; `change` has the helpers for writing them. They are ordered by what they
change: the queue, the messages, the gets, the units of work, and what others do.
"""

from __future__ import annotations

from typing import Final

from conformance.checks.circumstances.change import Circumstance
from conformance.checks.circumstances.copies import COPIES
from conformance.checks.circumstances.gets import GETS
from conformance.checks.circumstances.messages import MESSAGES
from conformance.checks.circumstances.objects import OBJECTS
from conformance.checks.circumstances.others import OTHERS
from conformance.checks.circumstances.units import UNITS

CIRCUMSTANCES: Final = {each.name: each for each in (*OBJECTS, *MESSAGES, *GETS, *UNITS, *OTHERS, *COPIES)}
"""Every circumstance by its name."""

__all__ = ["CIRCUMSTANCES", "Circumstance"]
