"""Acts of an administrator while applications run."""

from __future__ import annotations

from random import Random
from typing import ClassVar

from conformance.checks.machines.acting import act
from conformance.checks.machines.base import Applications, any_of
from conformance.checks.machines.search import Search
from conformance.checks.machines.vocabulary import queues
from conformance.checks.machines.vocabulary.word import attributes
from oracle.histories.notation import Line
from oracle.mqi.constants import INPUT_OPTIONS, MQGMO


class Administering(Applications):
    """An administrator who changes limits, and in the end may let the queue manager quiesce.

    Few changes and few endings: most calls of a session are to be those of applications.
    """

    CHANGES_MOST: ClassVar[int] = 3
    """The greatest number of changes of limits in a session."""

    def __init__(self, search: Search) -> None:
        super().__init__(search)
        self._changes = 0
        self._quiesces: bool | None = None

    @act(lambda self: self._changes < self.CHANGES_MOST and self.has_changes())
    def change_something(self, draws: Random) -> None:
        """Change a limit, default or cap of a queue, or an interval or limit of the queue manager."""
        self._changes += 1
        of_manager, of_queues = self.sayable(queues.MANAGER_CHANGES), self.sayable(queues.QUEUE_CHANGES)
        if of_manager and (not of_queues or any_of(draws, (False, False, True))):
            name, word = "qmgr", any_of(draws, of_manager)
        else:
            name, word = any_of(draws, self.queues()), any_of(draws, of_queues)
        self.play(Line("alter", queue=name, attributes=attributes(word)))

    def has_changes(self) -> bool:
        """Return whether the target has anything that can be changed."""
        return bool(self.sayable(queues.MANAGER_CHANGES) or self.sayable(queues.QUEUE_CHANGES))

    @act(lambda self: "quiesce" in self.features and self.may_quiesce())
    def quiesce(self, draws: Random) -> None:
        """Begin to quiesce, in one session of four, and make a call that shows it."""
        self._quiesces = any_of(draws, (True, False, False, False))
        if self._quiesces:
            self.play(Line("quiesce"))
            for handle in self.handles(INPUT_OPTIONS)[:1]:
                self.play(Line("get", handle=handle, options=MQGMO.FAIL_IF_QUIESCING))

    def may_quiesce(self) -> bool:
        """Return whether the session is old enough to quiesce, and has not decided about it yet."""
        old_enough = len(self.session.exchanges) > 15
        return old_enough and self._quiesces is None and not self.session.state.quiescing
