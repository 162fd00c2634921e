"""Circumstances of units of work: which calls are in them, and how they end."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from conformance.checks.circumstances.change import (
    GET_UNITS,
    PUT_UNITS,
    WAITS,
    Circumstance,
    connection_of,
    connections,
    each,
    is_put,
    opens,
    removes,
    with_lines,
    with_options,
)
from conformance.sessions.session import History, Setup
from oracle.histories.notation import Line
from oracle.mqi.constants import MQGMO, MQPMO
from oracle.values import replace


def _joins(line: Line) -> bool:
    """Return whether a line is a put or a get that could be in a unit of work and is not."""
    if is_put(line):
        return not line.options & MQPMO.SYNCPOINT
    return removes(line) and not line.options & (MQGMO.SYNCPOINT | MQGMO.SYNCPOINT_IF_PERSISTENT)


def _in_a_unit(line: Line) -> Line:
    """Return a put or a get that is part of a unit of work."""
    if is_put(line):
        return with_options(line, MQPMO.SYNCPOINT, PUT_UNITS)
    return with_options(line, MQGMO.SYNCPOINT, GET_UNITS)


def _each_in_a_unit(history: History) -> History:
    """Make each put and get a unit of work of its own, which is committed at once."""
    opened = opens(history)

    def unit(line: Line) -> Iterator[Line]:
        if not _joins(line) or (line.verb == "get" and line.options & WAITS):
            yield line
            return
        yield _in_a_unit(line)
        yield Line("cmit", connection_of(line, opened))

    return with_lines(history, (part for line in history.lines for part in unit(line)))


def all_in_units(history: History) -> History:
    """Put all puts and gets into units of work, which the history ends or leaves open."""
    return each(history, lambda line: _in_a_unit(line) if _joins(line) else line)


def _got_and_backed_out_before(history: History) -> History:
    """Try each get first in a unit of work that is backed out."""
    opened = opens(history)

    def both(line: Line) -> Iterator[Line]:
        if removes(line) and _joins(line) and not line.options & WAITS:
            yield _in_a_unit(replace(line, name=None))
            yield Line("back", connection_of(line, opened))
        yield line

    return with_lines(history, (part for line in history.lines for part in both(line)))


def _backed_out_at_the_end(history: History) -> History:
    units = all_in_units(history)
    return with_lines(units, (*units.lines, *(Line("back", conn) for conn in connections(history))))


def _small_units(history: History) -> History:
    units = all_in_units(history)
    return History(Setup(units.setup.queues, {**units.setup.qmgr, "MaxUncommittedMsgs": 1}), units.lines)


def _skipping_the_backout(history: History) -> History:
    """Let the first get in a unit of work skip the backout with which the history ends."""
    units = list(all_in_units(history).lines)
    for place, line in enumerate(units):
        if line.verb == "get" and line.options & MQGMO.SYNCPOINT:
            units[place] = with_options(line, MQGMO.MARK_SKIP_BACKOUT)
            return with_lines(history, (*units, Line("back", connection_of(line, opens(history)))))
    return history


UNITS: Final = (
    Circumstance("unit-each", "each put and get is a unit of work", _each_in_a_unit),
    Circumstance("open-units", "puts and gets are in units of work", all_in_units),
    Circumstance("backed-out", "all was in units of work that are backed out", _backed_out_at_the_end),
    Circumstance("backed-out-before", "each message was got and backed out before", _got_and_backed_out_before),
    Circumstance("small-units", "a unit of work may have one message", _small_units),
    Circumstance("skip-backout", "the first get skips the backout at the end", _skipping_the_backout),
)
