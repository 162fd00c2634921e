"""The machine that goes on where other checks end."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from random import Random

from conformance.checks.circumstances.change import local_queues
from conformance.checks.features import details_of, features_of
from conformance.checks.generated.circumstances import histories
from conformance.checks.machines.base import any_of
from conformance.checks.machines.everything import Everything
from conformance.checks.machines.search import Search
from conformance.sessions.session import History, Setup
from oracle.errors import UsageError
from oracle.histories.history import with_connections
from oracle.mqi.profile import PlatformName


class Continued(Everything):
    """The history of a scenario or example up to one of its calls, and then any calls of `Everything`.

    The histories of other checks reach states for which a random search would need long: a group that is read as far as
    its third message, a lock on a message that is about to expire. What comes then is what no author thought of.
    """

    CONNECTIONS = ("A", "B", "B", "C", "D", "E")  # calls of the history may wait on some of them
    SHARE = 3

    def __init__(self, search: Search) -> None:
        super().__init__(search)
        hello = search.rig.dialogue.hello
        self._histories = _beginnings(hello.platform, hello.claimed)
        self._begun: History

    def setup(self, draws: Random) -> Setup:
        """Return the queue manager of a history."""
        self._begun = any_of(draws, self._histories)
        self._taken = frozenset(name for line in self._begun.lines for name in (line.name, line.message))
        return self._begun.setup if any_of(draws, (True, False)) else self.with_objects(self._begun.setup)

    def queues(self) -> Sequence[str]:
        """Return the names of the local queues of the history."""
        return local_queues(self._begun)

    def opened_names(self) -> Sequence[str]:
        """Return the names of these queues."""
        return self.queues()

    def start(self, draws: Random) -> None:
        """Play the history up to one of its calls."""
        self.begins = True
        lines = tuple(with_connections(line.without_outcome() for line in self._begun.lines))
        with suppress(UsageError):  # the target's replies have led elsewhere, where a line has no meaning
            for line in lines[: any_of(draws, range(len(lines))) + 1]:
                if line.verb == "conn":
                    self.connect(line.conn)
                else:
                    self.play(line)
        self.begins = False


@cache
def _beginnings(platform: PlatformName, claimed: frozenset[str]) -> tuple[History, ...]:
    """Return the histories with queues that need only these features."""
    return tuple(
        each.history
        for each in histories(platform).values()
        if local_queues(each.history)
        and claimed.issuperset((*each.features, *features_of(each.history), *details_of([each.history])))
    )
