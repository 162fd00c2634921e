"""Search for meetings: histories in which rules of two areas bear on one call, for areas that do not meet yet.

    python -m bench.meetings           # plays all checks, then tries the pairs: some minutes
    python -m bench.meetings --write   # and notes in `bench/pairs.yaml` how many tries were in vain

Each area has its *leads*: the shortest history up to a call on which one of its rules bears, for each rule and kind of
call. Two leads to calls of one kind are joined: calls that both make become one with the options and members of both,
and so do the last calls; calls that only one makes are kept. The joined history is played with the model, and the rules
that bear on its calls are measured as for `docs/pairs.md`. Meetings are printed in the notation. They are proposals for
a way of a table or for a scenario, which somebody has to read and write properly.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from typing import Any, Final

from bench.pairs_page import (
    PLATFORMS,
    REASONS,
    TABLE,
    Pairs,
    Reasons,
    by_kind,
    calls_of,
    read,
    reasons_given,
    sessions,
)
from conformance.checks.check import Check
from conformance.checks.selection import all_checks
from conformance.sessions.dialogue import Dialogue
from conformance.sessions.session import History, Session, Setup, play_lines
from conformance.targets import InProcessTarget
from oracle.errors import MqOracleError
from oracle.histories.notation import Line, write
from oracle.mqi.constants import MQGMO, MQPMO
from oracle.mqi.profile import PlatformName
from oracle.serve import Server

MOST: Final = 400
"""The number of tries for a pair."""

_FLAGS: Final = ("MatchOptions", "MsgFlags", "Report")
_UNIT: Final = {
    "get": (int(MQGMO.SYNCPOINT), int(MQGMO.NO_SYNCPOINT)),
    "put": (int(MQPMO.SYNCPOINT), int(MQPMO.NO_SYNCPOINT)),
    "put1": (int(MQPMO.SYNCPOINT), int(MQPMO.NO_SYNCPOINT)),
}
"""The options for a call within a unit of work, and for one outside; of both, the first is kept."""


@dataclass(frozen=True, slots=True)
class Lead:
    """A history that ends with a call on which a rule bears, and where it was played."""

    history: History
    platform: PlatformName

    @property
    def verb(self) -> str:
        """The call with which it ends."""
        return self.history.lines[-1].verb

    @property
    def text(self) -> str:
        """Its lines."""
        return "".join(f"{write(line)}\n" for line in self.history.lines)


@dataclass
class Search:
    """The result of the search for one pair."""

    areas: tuple[str, str]
    tries: int = 0
    found: Lead | None = None
    rules: frozenset[str] = field(default_factory=frozenset)
    """The rules of the two areas that bear on its last call."""


def leads(played: Iterable[tuple[PlatformName, Check, Session]]) -> dict[str, list[Lead]]:
    """Return the shortest leads of each area, one for each rule and kind of call, the shortest first."""
    best: dict[tuple[str, str], Lead] = {}
    for platform, _, session in played:
        calls = list(calls_of(session))
        for number, (line, rules) in enumerate(calls, start=1):
            better = [rule for rule in rules if (rule, line.verb) not in best or number < _size(best[rule, line.verb])]
            if better:
                lead = Lead(History(session.setup, tuple(each for each, _ in calls[:number])), platform)
                best |= {(rule, line.verb): lead for rule in better}
    found: dict[str, dict[str, Lead]] = {}
    for (rule, _), lead in sorted(best.items(), key=lambda each: (_size(each[1]), each[0])):
        found.setdefault(rule[:3], {}).setdefault(lead.text, lead)
    return {area: list(each.values()) for area, each in found.items()}


def _size(lead: Lead) -> int:
    return len(lead.history.lines)


def joined(one: Lead, other: Lead) -> Lead | None:
    """Return a history that joins two and ends with both of their last calls in one.

    Returns None if there is none: the calls are of two kinds, or the platforms or the types of a queue differ.
    """
    platforms = {one.platform, other.platform}
    if one.verb != other.verb or (len(platforms) > 1 and PLATFORMS[0] not in platforms):
        return None
    theirs = _fitted(other.history, one.history)
    setup = _of_both(one.history.setup, theirs.setup)
    if setup is None:
        return None
    first, second = (history.lines[:-1] for history in (one.history, theirs))
    lines: list[Line] = []
    matcher = SequenceMatcher(None, [*map(_key, first)], [*map(_key, second)], autojunk=False)
    for kind, start, end, their_start, their_end in matcher.get_opcodes():
        ours, others = first[start:end], second[their_start:their_end]
        lines += map(_united, ours, others) if kind == "equal" else (*ours, *others)
    lines.append(_united(one.history.lines[-1], theirs.lines[-1]))
    platform = one.platform if other.platform == PLATFORMS[0] else other.platform
    return Lead(History(setup, tuple(line for line in lines if line.verb != "conn" or line is lines[-1])), platform)


def _key(line: Line) -> tuple[object, ...]:
    """Return the key of calls that can be joined."""
    return line.verb, line.conn, line.by, line.handle, line.queue, line.name, line.milliseconds


def _fitted(history: History, to: History) -> History:
    """Return a history with such names that its last call uses the queue, handle and connection of another's last."""
    mine, yours = _used(history), _used(to)
    swaps: dict[tuple[str, object], str] = {}
    for kind in mine.keys() & yours.keys():
        swaps |= {(kind, mine[kind]): yours[kind], (kind, yours[kind]): mine[kind]}
    queues = tuple(
        {
            key: swaps.get(("queue", value), value) if key in ("name", "target", "xmitq") else value
            for key, value in queue.items()
        }
        for queue in history.setup.queues
    )
    return History(Setup(queues, history.setup.qmgr), tuple(_renamed(line, swaps) for line in history.lines))


def _used(history: History) -> dict[str, str]:
    """Return the names of the queue, the handle and the connection that the last call of a history uses."""
    last = history.lines[-1]
    if last.handle is None:
        return {"conn": last.conn} | ({"queue": last.queue} if last.queue else {})
    found = {"handle": last.handle}
    for line in history.lines:
        if line.verb == "open" and line.queue and (line.name or line.queue) == last.handle:
            found |= {"queue": line.queue, "conn": line.conn}
    return found


def _renamed(line: Line, swaps: Mapping[tuple[str, object], str]) -> Line:
    return replace(
        line,
        queue=swaps.get(("queue", line.queue), line.queue),
        handle=swaps.get(("handle", line.handle), line.handle),
        name=swaps.get(("handle", line.name), line.name),
        conn=swaps.get(("conn", line.conn), line.conn),
        by=swaps.get(("conn", line.by), line.by),
        members=tuple((name, swaps.get(("queue", value), value)) for name, value in line.members),
    )


def _of_both(one: Setup, other: Setup) -> Setup | None:
    queues: dict[str, dict[str, Any]] = {queue["name"]: dict(queue) for queue in one.queues}
    for queue in other.queues:
        ours = queues.get(queue["name"], {})
        if len(ours) > 1 and len(queue) > 1 and ours.get("type") != queue.get("type"):
            return None
        queues[queue["name"]] = {**queue, **ours}
    return Setup(tuple(queues.values()), {**other.qmgr, **one.qmgr})


def _united(one: Line, other: Line) -> Line:
    options = one.options | other.options
    within, outside = _UNIT.get(one.verb, (0, 0))
    if options & within:
        options &= ~outside
    members = dict(other.members)
    for name, value in one.members:
        both = members.get(name)
        flags = name in _FLAGS and isinstance(value, int) and isinstance(both, int)
        members[name] = value | both if flags else value  # type: ignore[operator]  # both are integers
    return replace(
        one,
        options=options,
        members=tuple(members.items()),
        attributes=tuple({**dict(other.attributes), **dict(one.attributes)}.items()),
        inquired=tuple(dict.fromkeys((*one.inquired, *other.inquired))),
    )


def look(pair: tuple[str, str], leads_of: Mapping[str, Sequence[Lead]]) -> Search:
    """Try to let two areas meet."""
    search, tried = Search(pair), set[str]()
    for lead in _candidates(pair, leads_of):
        name = f"{lead.history.setup} {lead.text}"
        if search.tries == MOST:
            break
        if name in tried:
            continue
        tried.add(name)
        search.tries += 1
        calls = list(calls_of(session)) if (session := _played(lead)) else []
        for number, (_, rules) in enumerate(calls, start=1):
            met = frozenset(rule for rule in rules if rule[:3] in pair)
            if len({rule[:3] for rule in met}) > 1:
                history = History(lead.history.setup, tuple(line for line, _ in calls[:number]))
                search.found, search.rules = replace(lead, history=history), met
                return search
    return search


def _candidates(pair: tuple[str, str], leads_of: Mapping[str, Sequence[Lead]]) -> Iterator[Lead]:
    one, other = (leads_of.get(area, ()) for area in pair)
    both = ((a, b) for a in one for b in other if a.verb == b.verb)
    for a, b in sorted(both, key=lambda each: _size(each[0]) + _size(each[1])):
        yield from (lead for lead in (joined(a, b), joined(b, a)) if lead is not None)


def _played(lead: Lead) -> Session | None:
    """Play a history with the model as far as possible; None if not even its queue manager can be made."""
    session = None
    with suppress(MqOracleError):
        session = Session(Dialogue(InProcessTarget("model", lambda: Server(lead.platform))), lead.history.setup)
        play_lines(session, lead.history.lines)
    return session


def apart(pairs: Pairs, reasons: Reasons) -> Iterator[tuple[str, str]]:
    """Yield the pairs of areas that do not meet and have no reason why they cannot."""
    met, given = {cell.areas for cell in pairs.cells}, reasons.given()
    for area in pairs.verbs:
        for other in pairs.verbs:
            pair = (area, other)
            if area < other and pair not in met and pair not in given and not by_kind(*pair, pairs.verbs, reasons):
                yield pair


def main(arguments: list[str]) -> int:
    """Print the meetings, and the numbers of other tries; return the exit status."""
    leads_of = leads(sessions(all_checks()))
    vain: list[str] = []
    for pair in apart(read(TABLE.read_text(encoding="utf-8")), reasons_given()):
        search = look(pair, leads_of)
        if search.found is None:
            vain.append(f"  {' '.join(pair)}: {search.tries}\n")
            continue
        setup = search.found.history.setup
        print(f"# {', '.join(sorted(search.rules))} on {search.found.platform}")
        print(f"# queues: {list(setup.queues)}, qmgr: {dict(setup.qmgr)}\n{search.found.text}")
    text = re.sub(r"searched:.*\Z", "searched:\n" + "".join(vain), REASONS.read_text(encoding="utf-8"), flags=re.DOTALL)
    if "--write" in arguments:
        REASONS.write_text(text, encoding="utf-8")
    else:
        print("".join(vain), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
