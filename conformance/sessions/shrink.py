"""The shrinking of a counterexample: parts are left out as long as the same defect shows.

A defect counts as the same if the shorter history shows the same rule to be broken, and departs by the rule that the
original named first, or in the same way as the original. Anything else that it meets is another defect. Shrinking only
needs to replay histories; the passes use nothing but the notation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import lru_cache
from itertools import permutations

from conformance.sessions.session import DEFAULT_QUEUE, History, Session, Setup, Sighting
from oracle.histories.history import with_connections
from oracle.histories.notation import Line, write
from oracle.judging.departure import Departure
from oracle.mqi.constants import INPUT_OPTIONS, MQGMO

Play = Callable[[History], "Session | None"]
"""Plays a history; None if that is impossible."""


_WHAT_IT_IS = ("name", "type", "target")
"""The members of a queue definition that cannot be left out."""

_OF_A_CONNECTION = ("conn", "open", "put1", "cmit", "back", "disc", "fail")
"""The lines that name their connection; the others name a handle."""


def rule_of(departure: Departure) -> str:
    """Return the rule that a departure shows to be broken: the likeliest of those about what is wrong."""
    return next((rule for rule in departure.rules if rule in departure.said), departure.rules[0])


class Shrinker:
    """A shrinker of one counterexample: `best` is the shortest so far, `runs_left` bounds the work.

    `keeps` is the rule that it must continue to show: by default the one that `rule_of` returns.
    """

    def __init__(self, play: Play, sighting: Sighting, runs: int, keeps: str = "") -> None:
        self.best = sighting
        self.runs_left = runs
        self._play = play
        self._original = sighting.departure
        self._keeps = keeps or rule_of(sighting.departure)
        self._in_vain: set[tuple[tuple[Line, ...], str]] = set()  # histories that were played and did not show it

    def shrink(self) -> Sighting:
        """Return the shortest history found: no pass makes it shorter, or the runs are spent."""
        before = None
        while self.best is not before and self.runs_left > 0:
            before = self.best
            self._leave_out()
            self._repeat_a_line()
        return self.best

    def _leave_out(self) -> None:
        self._drop_lines()
        for candidates in (_plainer_setups, _fewer_names, _plainer_lines):
            self._try_all(candidates)

    def _drop_lines(self) -> None:
        """Leave out ever smaller stretches of lines, from the end; the last line is the one that departs."""
        size = len(self.best.history.lines) // 2
        while size:
            end = len(self.best.history.lines) - 1
            while end > 0:
                start, history = max(0, end - size), self.best.history
                self._try(replace(history, lines=history.lines[:start] + history.lines[end:]))
                end = min(start, len(self.best.history.lines) - 1)
            size //= 2

    def _try_all(self, candidates: Callable[[History], Iterator[History]]) -> None:
        """Try candidates made from the best history, and new ones from each better one."""
        while any(self._try(candidate) for candidate in candidates(self.best.history)):
            pass

    def _repeat_a_line(self) -> None:
        """Try an earlier line again in place of the last one, as another way to see the defect."""
        history = self.best.history
        for line in dict.fromkeys(history.lines[:-1]):
            sighting = self._played(replace(history, lines=(*history.lines[:-1], line)))
            if sighting is None:
                continue
            other = Shrinker(self._play, sighting, self.runs_left, self._keeps)
            other._original, other._in_vain = self._original, self._in_vain
            other._leave_out()
            self.runs_left = other.runs_left
            if _size(other.best.history) < _size(history):
                self.best = other.best
                return

    def _try(self, history: History) -> bool:
        """Keep a history as the best if it is shorter and still departs in the same way."""
        sighting = self._played(history) if _size(history) < _size(self.best.history) else None
        if sighting is not None:
            self.best = sighting
        return sighting is not None

    def _played(self, history: History) -> Sighting | None:
        if self.runs_left <= 0:
            return None
        self.runs_left -= 1
        played = (history.lines, str(history.setup))
        if played in self._in_vain:  # the last pass repeats most tries of the one before
            return None
        session = self._play(history)
        met = () if session is None else session.sightings
        found = next((sighting for sighting in met if self._is_the_same(sighting.departure)), None)
        if found is None:
            self._in_vain.add(played)
        return found

    def _is_the_same(self, departure: Departure) -> bool:
        original = self._original
        if rule_of(departure) not in (*original.rules, *original.before):
            return False  # the shorter history would get a heading that nothing in the longer one points to
        alike = type(departure.call) is type(original.call) and _way(departure) == _way(original)
        if not alike and departure.rules[0] != original.rules[0]:
            return self._keeps == rule_of(departure)
        spoken_of = self._keeps in original.said
        return self._keeps in (departure.said if spoken_of else (*departure.rules, *departure.before))


def _way(departure: Departure) -> tuple[object, ...]:
    """Return the way in which a departure shows: how the call ended, and another message or the first difference."""
    observed, members = departure.observed, [each.member for each in departure.differences]
    member = "MQMD.MsgId" if "MQMD.MsgId" in members else members[0]
    return observed.comp_code, observed.reason, observed.pending, member


def _size(history: History) -> tuple[int, int, int]:
    """Return the size of a history: its calls, then its text, then its queue manager."""
    lines = list(with_connections(history.lines))
    return len(lines), sum(map(_length, lines)), len(str(history.setup))


@lru_cache(maxsize=4096)
def _length(line: Line) -> int:
    """Return the length of a line as text. Cached: most lines of a candidate are those of the best."""
    return len(write(line))


def _plainer_setups(history: History) -> Iterator[History]:
    """Yield the history on the default queue manager, with one queue less, with one attribute less."""
    setup, on_default = history.setup, (_on_queue(line, DEFAULT_QUEUE) for line in history.lines)
    yield History(Setup(), tuple(on_default))
    for queue in setup.queues:
        yield replace(history, setup=replace(setup, queues=tuple(each for each in setup.queues if each is not queue)))
        for name in (member for member in queue if member not in _WHAT_IT_IS):
            plainer = {member: value for member, value in queue.items() if member != name}
            queues = tuple(plainer if each is queue else each for each in setup.queues)
            yield replace(history, setup=replace(setup, queues=queues))
    for name in setup.qmgr:
        qmgr = {member: value for member, value in setup.qmgr.items() if member != name}
        yield replace(history, setup=replace(setup, qmgr=qmgr))


def _fewer_names(history: History) -> Iterator[History]:
    """Yield the history with two connections or two handles merged."""
    lines = history.lines
    connections = dict.fromkeys(line.conn for line in lines if line.verb in _OF_A_CONNECTION)
    for one, other in permutations(connections, 2):
        yield replace(history, lines=tuple(_on_connection(line, one, other) for line in lines))
    opened = {line.name: line for line in lines if line.verb == "open"}
    for dropped, kept in permutations(opened.values(), 2):
        yield replace(history, lines=tuple(_with_one_handle(lines, dropped, kept)))


def _with_one_handle(lines: tuple[Line, ...], dropped: Line, kept: Line) -> Iterator[Line]:
    """Yield the lines with one handle, opened where the first of two was, for everything that both were for."""
    added = dropped.options & ~INPUT_OPTIONS if kept.options & INPUT_OPTIONS else dropped.options
    opened = False
    for line in lines:
        if line in (dropped, kept):
            if not opened:
                yield replace(kept, options=kept.options | added)
            opened = True
        else:
            yield replace(line, handle=kept.name) if line.handle == dropped.name else line


def _plainer_lines(history: History) -> Iterator[History]:
    """Yield the history with one member, attribute or option less in one of its lines."""
    for place, line in enumerate(history.lines):
        for plainer in _plainer(line):
            yield replace(history, lines=(*history.lines[:place], plainer, *history.lines[place + 1 :]))


def _plainer(line: Line) -> Iterator[Line]:
    for member in line.members:
        yield replace(line, members=tuple(each for each in line.members if each is not member))
    for bit in range(line.options.bit_length()):
        if line.options >> bit & 1:
            yield replace(line, options=line.options & ~(1 << bit))
    if line.name is not None and line.verb == "get" and not line.options & MQGMO.WAIT:
        yield replace(line, name=None)
    for attribute in line.inquired:
        yield replace(line, inquired=tuple(name for name in line.inquired if name != attribute))


def _on_connection(line: Line, one: str, other: str) -> Line:
    return replace(line, conn=other) if line.conn == one and line.verb in _OF_A_CONNECTION else line


def _on_queue(line: Line, queue: str) -> Line:
    return line if line.queue is None or line.queue == "qmgr" else replace(line, queue=queue)
