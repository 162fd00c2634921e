"""The first deviations: simple histories, judged by the documents, of calls that nearly every check makes.

A target that departs in one of them departs in all checks that do the same, whatever they are about. So the doctor
plays them on a new target before it is judged.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Final

from conformance.checks import texts
from conformance.checks.check import Check, counterexample
from conformance.checks.features import features_of
from conformance.checks.scenarios import scenarios
from conformance.sessions.dialogue import Dialogue, Hello
from conformance.sessions.session import History, Session, Setup, play_lines
from conformance.sessions.subjects import subject_of
from oracle.histories.notation import Line, parse
from oracle.mqi.constants import MQGMO, MQPMO

_OPEN: Final = "h = open Q INPUT_SHARED+OUTPUT\n"
_PLAIN: Final = {
    "a message, put and got": _OPEN + "put h m1 NO_SYNCPOINT\nget h NO_SYNCPOINT\nget h NO_SYNCPOINT\nclose h\ndisc A",
    "its members": _OPEN + "put h m1 NO_SYNCPOINT CorrelId=c1 Format=MQSTR\nget h NO_SYNCPOINT MQMD.Version=1",
    "two messages, put1": "put1 Q m1 NO_SYNCPOINT\nput1 Q m2 NO_SYNCPOINT\nh = open Q INPUT_SHARED\n"
    "get h NO_SYNCPOINT\nget h NO_SYNCPOINT",
    "browsing": "h = open Q INPUT_SHARED+OUTPUT+BROWSE\nput h m1 NO_SYNCPOINT\nput h m2 NO_SYNCPOINT\n"
    "get h BROWSE_FIRST\nget h BROWSE_NEXT\nget h BROWSE_NEXT\nget h NO_SYNCPOINT",
    "a selection": _OPEN + "put h m1 NO_SYNCPOINT CorrelId=c1\nput h m2 NO_SYNCPOINT CorrelId=c2\n"
    "get h NO_SYNCPOINT CorrelId=c2\nget h NO_SYNCPOINT CorrelId=c2",
    "a commit": _OPEN + "put h m1 SYNCPOINT\ncmit\nget h SYNCPOINT\ncmit\nget h NO_SYNCPOINT",
    "a backout": _OPEN + "put h m1 SYNCPOINT\nback\nget h NO_SYNCPOINT\nput h m2 NO_SYNCPOINT\nget h SYNCPOINT\nback\n"
    "get h NO_SYNCPOINT",
    "the order of priorities": _OPEN + "put h low NO_SYNCPOINT Priority=1\nput h high NO_SYNCPOINT Priority=5\n"
    "get h NO_SYNCPOINT\nget h NO_SYNCPOINT",
    "a message that is too long": _OPEN + "put h m1 NO_SYNCPOINT Length=20\nget h NO_SYNCPOINT BufferLength=5\n"
    "get h NO_SYNCPOINT",
    "the depth": "h = open Q OUTPUT+INQUIRE\nput h m1 NO_SYNCPOINT\ninq h CurrentQDepth",
}
"""The most common actions of checks, the simplest first: a name, and a history in the notation."""

_NO_SYNCPOINT: Final = MQGMO.NO_SYNCPOINT | MQPMO.NO_SYNCPOINT


@dataclass(frozen=True, slots=True)
class Plain:
    """A simple history."""

    name: str
    """Its subject, for messages."""
    history: History
    """The history."""
    features: tuple[str, ...]
    """The features that a target must claim to be judged by it."""


def plain() -> Iterator[Plain]:
    """Yield the simple histories, the simplest first."""
    for name, text in _PLAIN.items():
        history = History(Setup(), parse(text, name))
        yield Plain(name, history, features_of(history))


@dataclass(frozen=True, slots=True)
class Deviation:
    """A first deviation."""

    what: str
    """The departure, in words that follow the rule that it breaks."""
    text: str
    """The full text: the rule, what was expected and what came, the scenarios, and the calls."""


def deviations(dialogue: Dialogue, history: History) -> Iterator[Deviation]:
    """Play a history and yield its departures, each with the number of scenarios that make such a call.

    Raises TargetError if the target is broken, InapplicableError if its interface cannot express a call, and
    MqOracleError if the model cannot follow.
    """
    for sighting in play_lines(Session(dialogue, history.setup), history.lines).sightings:
        found = counterexample(sighting)
        met, of = _met_by(dialogue.hello, found.transcript.exchanges[-1].line)
        named = "".join(f"{rule}: " for rule in found.departure.rules[:1])
        sentence = f"{named}{texts.explanation(found)} {met} of the {of} scenarios that apply make such a call."
        what = f"{named}{subject_of(found.departure).what}"
        yield Deviation(what, f"{sentence} Shown by: {'; '.join(texts.calls(found))}")


def _met_by(hello: Hello, last: Line) -> tuple[int, int]:
    """Return the numbers of applicable scenarios with a call like the last one, and of all applicable ones."""
    apply = [lines for check, lines in _played() if not check.inapplicable(hello)]
    return sum(any(_is_like(line, last) for line in lines) for lines in apply), len(apply)


@cache
def _played() -> tuple[tuple[Check, tuple[Line, ...]], ...]:
    """Return the scenarios as checks, each with its lines."""
    return tuple((each.check(), each.history().lines) for each in scenarios())


def _is_like(line: Line, last: Line) -> bool:
    """Return whether a call has the verb, the options and the members of another, whatever else it has."""
    options, members = last.options & ~_NO_SYNCPOINT, {name for name, _ in last.members}
    return (
        line.verb == last.verb and line.options & options == options and members <= {name for name, _ in line.members}
    )
